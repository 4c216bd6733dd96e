//! Phases 9 and 10: joins and claims, then expectations (§7.3, §9).

use crate::account::{Package, cap1, claims::Gates, joins, observation};
use crate::document::{Assessment, ContextInput, Disposition, Input, Inventory};
use crate::reason::Reason;

/// Joins, then claims, against what they come to.
pub(super) fn check_joins_and_claims(
    package: &Package<'_, '_>,
    assessment: &Assessment<'_>,
    observed: &observation::Observed,
) -> Result<(), Reason> {
    // Without a CAP-1 document nothing may be joined or claimed.
    if assessment.cap1.is_none() && !(assessment.joins.is_empty() && assessment.claims.is_empty()) {
        return Err(Reason::ClaimBoundary);
    }
    let questions: Vec<joins::Question<'_>> =
        assessment.joins.iter().map(joins::Question::of).collect();
    let evaluator = joins::Evaluator::new(package, observed, &questions)?;
    for (join, question) in assessment.joins.iter().zip(&questions) {
        if !joins::agrees(join, &evaluator.evaluate(question)?) {
            return Err(Reason::ClaimBoundary);
        }
    }
    let gates = Gates {
        observed,
        joins: &assessment.joins,
        complete: cap1::is_complete(&assessment.units),
        present: package.present(),
    };
    for claim in &assessment.claims {
        if gates.decide(claim) != claim.decision {
            return Err(Reason::ClaimBoundary);
        }
    }
    Ok(())
}

/// The context's expectations, in order of their inputs.
pub(super) fn check_expectations(
    inventory: &Inventory,
    assessment: &Assessment<'_>,
    context: &ContextInput,
) -> Result<(), Reason> {
    for expectation in &context.expectations {
        let input: Option<&Input> = inventory
            .position(&expectation.input_id)
            .and_then(|at| inventory.inputs.get(at));
        let equal = input.is_some_and(|input| input.sha256 == expectation.sha256);
        let disclosed = !expectation.require_disclosure
            || assessment
                .units
                .iter()
                .filter(|unit| unit.source.input_id == expectation.input_id)
                .all(|unit| unit.disposition == Disposition::Examined);
        if !equal || !disclosed {
            return Err(Reason::ExpectationMismatch);
        }
    }
    Ok(())
}
