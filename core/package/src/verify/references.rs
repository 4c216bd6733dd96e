//! Phase 5's references: what each names and selects (§7).

use crate::account::{Package, joins, observation};
use crate::document::{Assessment, ContextInput, Inventory};
use crate::format::{Admitted, Content, Format};
use crate::grammar::Ref;
use crate::reason::Reason;

/// Every reference of the package outside units and results (those are phase
/// 7's), in the order of inputs, joins and claims.
pub(super) fn references<'r>(
    inventory: &'r Inventory,
    assessment: &'r Assessment<'_>,
    admitted: &'r [Option<Admitted<'_>>],
) -> impl Iterator<Item = &'r Ref> {
    let facts = inventory.context.iter().flat_map(|(_, fact)| &fact.refs);
    let entries = admitted
        .iter()
        .flatten()
        .filter_map(|admitted| admitted.source.as_ref().ok())
        .filter_map(|source| match &source.content {
            Content::Context(document) => Some(document),
            _ => None,
        })
        .flat_map(|document| &document.entries)
        .flat_map(|entry| &entry.source_refs);
    let basis = assessment.surfaces.iter().flat_map(|row| &row.basis_refs);
    let sides = assessment
        .joins
        .iter()
        .flat_map(|join| core::iter::once(&join.left).chain(&join.right));
    let evidence = assessment
        .claims
        .iter()
        .flat_map(|claim| &claim.evidence_refs);
    facts
        .chain(entries)
        .chain(basis)
        .chain(sides)
        .chain(evidence)
}

/// That every reference selects what its place may refer to.
pub(super) fn check_references(
    package: &Package<'_, '_>,
    assessment: &Assessment<'_>,
    context: &ContextInput,
) -> Result<(), Reason> {
    for (kind, fact) in package.inventory.context.iter() {
        for reference in &fact.refs {
            let (input, locator) = package.resolve(reference).ok_or(Reason::Locator)?;
            let source = package.sources.get(input).ok_or(Reason::Locator)?;
            // A context entry answers the obligation of its own kind only.
            if let (Content::Context(document), crate::grammar::Locator::Entry(index)) =
                (&source.content, locator)
            {
                let entry = usize::try_from(index)
                    .ok()
                    .and_then(|at| document.entries.get(at));
                if entry.is_none_or(|entry| entry.kind != kind) {
                    return Err(Reason::Locator);
                }
            }
        }
    }
    // A unit's source must exist here; whether it is the right one is phase 7's.
    for unit in &assessment.units {
        package.resolve(&unit.source).ok_or(Reason::Locator)?;
    }
    for source in package.sources {
        match &source.content {
            Content::Context(document) => {
                for reference in document.entries.iter().flat_map(|entry| &entry.source_refs) {
                    let (input, _) = package.resolve(reference).ok_or(Reason::Locator)?;
                    let chained = package.sources.get(input).map(|target| target.format);
                    if matches!(chained, None | Some(Format::Context | Format::Results)) {
                        return Err(Reason::Locator);
                    }
                }
            }
            Content::Results(document) => {
                for result in &document.results {
                    if !package.selects_action(&result.source) {
                        return Err(Reason::Locator);
                    }
                }
            }
            _ => {}
        }
    }
    observation::check_basis(package, context)?;
    for row in &assessment.surfaces {
        for reference in &row.basis_refs {
            package.resolve(reference).ok_or(Reason::Locator)?;
        }
    }
    for join in &assessment.joins {
        joins::check_references(package, join)?;
    }
    for claim in &assessment.claims {
        for reference in &claim.evidence_refs {
            package.resolve(reference).ok_or(Reason::Locator)?;
        }
        let joined = assessment
            .joins
            .binary_search_by(|join| join.id.cmp(&claim.proposition))
            .is_ok();
        if !joined {
            return Err(Reason::Locator);
        }
    }
    Ok(())
}
