//! Verification in the phase order of §10: each phase that is more than a line
//! has a module, named for what it asks.

mod attestations;
mod decisions;
mod digests;
mod identity;
mod outer;
mod references;
mod sources;

use std::io::Read;

use attest_canon::sha256;

use crate::Dialect;
use crate::account::{Package, cap1, disclosure, observation, units};
use crate::container::Archive;
use crate::document::{
    Assessment, AttestationCheck, ContextInput, Counts, Disposition, Established,
    ExpectationStatus, Inventory, Report,
};
use crate::format::Source;
use crate::grammar::Ref;
use crate::limits::{Limit, Meter};
use crate::reason::Reason;

use attestations::{check_attestations, reports_hold};
use decisions::{check_expectations, check_joins_and_claims};
use digests::{check_digests, check_policies};
use identity::{check_mapping, identify};
use outer::{Outer, stored_objects};
use sources::{admit_rest, check_sources};

/// Verifies an archive under a context file's bytes. Reads the archive once,
/// charging before each read (§8), and never panics on any input.
#[must_use]
pub fn verify(archive: impl Read, context: &[u8], dialect: Dialect) -> Report {
    match ContextInput::parse(context) {
        Ok(context) => verify_under(archive, &context, dialect),
        Err(reason) => Report::refused(reason, None),
    }
}

/// [`verify`] under a context that was read already.
#[must_use]
pub fn verify_under(archive: impl Read, context: &ContextInput, dialect: Dialect) -> Report {
    match run(archive, context, dialect, |_| ()) {
        Ok((report, ())) => match check_size(&report, context) {
            Ok(()) => report,
            Err(reason) => Report::refused(reason, None),
        },
        // A guard does not replace a refusal that is terminal already (§10).
        Err(refusal) => Report::refused(refusal.reason, refusal.row.map(|row| *row)),
    }
}

/// Charges a report before it is released (§8).
pub(crate) fn check_size(report: &Report, context: &ContextInput) -> Result<(), Reason> {
    let size = report.to_bytes().len();
    context.limits.check_len(Limit::FreshResultBytes, size)
}

/// What ended a verification.
pub(crate) struct Refusal {
    pub(crate) reason: Reason,
    pub(crate) row: Option<Box<AttestationCheck>>,
}

impl From<Reason> for Refusal {
    fn from(reason: Reason) -> Self {
        Self { reason, row: None }
    }
}

/// A package that verified, still open.
pub(crate) struct Opened<'o> {
    pub(crate) inventory: &'o Inventory,
    pub(crate) assessment: &'o Assessment<'o>,
    pub(crate) sources: &'o [Source<'o>],
}

/// Runs every phase; `view` sees the package once it verified.
pub(crate) fn run<T>(
    archive: impl Read,
    context: &ContextInput,
    dialect: Dialect,
    view: impl FnOnce(&Opened<'_>) -> T,
) -> Result<(Report, T), Refusal> {
    // Phase 2: framing, member list, closed grammars.
    let mut meter = Meter::new(context.limits.clone());
    let mut outer = Outer::new(&mut meter, dialect);
    let archive = Archive::read(archive, &context.limits, &mut outer)?;
    let inventory = outer
        .inventory
        .map_err(|fault| fault.or(Reason::InputShape))?;
    let assessment = Assessment::parse(&archive.assessment, &mut meter, dialect)
        .map_err(|fault| fault.or(Reason::InputShape))?;
    let objects = stored_objects(&inventory, &archive)?;

    // Phase 3: formats, then schemas, then mappings.
    let mut admitted = identify(&inventory, &objects, &mut meter)?;
    check_mapping(&inventory, &admitted)?;

    // Phase 4: digests and policy bindings.
    check_digests(&inventory, &archive, &objects)?;
    check_policies(&inventory, &assessment, &admitted)?;

    // Phase 5: the inputs that phase 3 did not need, references, formats.
    admit_rest(&inventory, &objects, &mut meter, &mut admitted)?;
    let sources = check_sources(&inventory, &assessment, context, &objects, admitted)?;
    let package = Package {
        inventory: &inventory,
        sources: &sources,
    };

    // Phase 6: attestations.
    let (rows, attested) = check_attestations(&package, context, &objects)?;

    // Phase 7: the units.
    let eligible = units::enumerate(&package);
    let resolved = disclosure::check(&package, &eligible, &assessment.units, dialect)?;

    // Phase 8: the recorded CAP-1 document.
    if let Some(text) = &assessment.cap1 {
        cap1::check(text)?;
    }

    // Phase 9: joins, then claims.
    let observed = observation::observe(&package, context);
    check_joins_and_claims(&package, &assessment, &observed)?;

    // Phase 10: expectations.
    check_expectations(&inventory, &assessment, context)?;

    // Phase 11: everything recorded is what is recomputed.
    let generated = cap1::generate(package.present(), &assessment.units, &assessment.claims);
    let fresh = assessment.verification_context_sha256 == context.digest()
        && assessment.surfaces == observed.surfaces
        && assessment.cap1.as_deref() == generated.as_deref()
        && assessment.resolved_results == resolved
        && reports_hold(&package, &attested);
    if !fresh {
        return Err(Reason::StaleAssessment.into());
    }

    let report = Report {
        reason: None,
        expectation: if context.expectations.is_empty() {
            ExpectationStatus::NotRequested
        } else {
            ExpectationStatus::Matched
        },
        attestations: rows,
        established: Some(Established {
            artifact_sha256: archive.digest,
            inventory_sha256: sha256(&archive.inventory),
            assessment_sha256: inventory.assessment_sha256,
            context: context.clone(),
            counts: count(&inventory, &archive, &assessment, &resolved),
            resolved_results: resolved,
        }),
    };
    let seen = view(&Opened {
        inventory: &inventory,
        assessment: &assessment,
        sources: &sources,
    });
    Ok((report, seen))
}

fn count(
    inventory: &Inventory,
    archive: &Archive,
    assessment: &Assessment<'_>,
    resolved: &[Ref],
) -> Counts {
    let number = |length: usize| u64::try_from(length).unwrap_or(u64::MAX);
    let with = |disposition| {
        number(
            assessment
                .units
                .iter()
                .filter(|unit| unit.disposition == disposition)
                .count(),
        )
    };
    Counts {
        inputs: number(inventory.inputs.len()),
        objects: number(archive.objects.len()),
        units: number(assessment.units.len()),
        examined: with(Disposition::Examined),
        withheld: with(Disposition::Withheld),
        resolved_result_count: number(resolved.len()),
    }
}
