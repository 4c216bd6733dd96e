//! Verification in the phase order of §10.

use std::io::Read;

use attest_canon::{Digest, sha256};

use crate::Dialect;
use crate::account::{Package, cap1, claims::Gates, disclosure, joins, observation, units};
use crate::container::{Admission, Archive};
use crate::document::{
    Assessment, AttestationCheck, AttestationStatus, ContextInput, Counts, Disposition,
    Established, ExpectationStatus, Input, Inventory, Report,
};
use crate::format::{self, Admitted, Attested, Content, Envelope, Format, Source};
use crate::grammar::{Id, Ref, SurfaceSet};
use crate::json::Fault;
use crate::limits::{Limit, Meter};
use crate::reason::Reason;

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

/// The inventory, read as soon as it streams by, so that what it declares is
/// charged before any object is read, and only declared objects are kept. Its
/// faults of grammar wait until the framing was read (§10).
struct Outer<'m> {
    meter: &'m mut Meter,
    dialect: Dialect,
    inventory: Result<Inventory, Fault>,
}

impl Admission for Outer<'_> {
    fn inventory(&mut self, bytes: &[u8]) -> Result<(), Reason> {
        self.inventory = Inventory::parse(bytes, self.meter, self.dialect);
        match &self.inventory {
            Err(Fault::Resource(reason)) => Err(*reason),
            _ => Ok(()),
        }
    }

    fn keeps(&mut self, digest: Digest) -> bool {
        self.inventory
            .iter()
            .flat_map(|inventory| &inventory.inputs)
            .any(|input| input.sha256 == digest)
    }
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
    let mut outer = Outer {
        meter: &mut meter,
        dialect,
        inventory: Err(Fault::Shape),
    };
    let archive = Archive::read(archive, &context.limits, &mut outer)?;
    let inventory = outer
        .inventory
        .map_err(|fault| fault.or(Reason::InputShape))?;
    let assessment = Assessment::parse(&archive.assessment, &mut meter, dialect)
        .map_err(|fault| fault.or(Reason::InputShape))?;
    let objects = stored_objects(&inventory, &archive)?;

    // Phase 3: formats, then schemas, then mappings.
    let admitted = identify(&inventory, &objects, &mut meter)?;
    check_mapping(&inventory, &admitted)?;

    // Phase 4: digests and policy bindings.
    check_digests(&inventory, &assessment, &archive, &objects)?;
    check_policies(&inventory, &assessment, &admitted)?;

    // Phase 5: the inputs that phase 3 did not need, references, formats.
    let mut admitted = admitted;
    admit_rest(&inventory, &objects, &mut meter, &mut admitted)?;
    let sources = check_sources(&inventory, &assessment, context, &objects, admitted)?;
    let package = Package {
        inventory: &inventory,
        sources: &sources,
    };

    // Phase 6: attestations, in input order.
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

/// The object of each input; a missing or surplus member is phase 2.
fn stored_objects<'o>(
    inventory: &Inventory,
    archive: &'o Archive,
) -> Result<Vec<&'o [u8]>, Reason> {
    if !archive.whole {
        return Err(Reason::InputShape);
    }
    inventory
        .inputs
        .iter()
        .map(|input| {
            archive
                .objects
                .binary_search_by(|(digest, _)| digest.cmp(&input.sha256))
                .ok()
                .and_then(|at| archive.objects.get(at))
                .map(|(_, bytes)| bytes.as_slice())
                .ok_or(Reason::InputShape)
        })
        .collect()
}

/// Phase 3's first two passes: every format and event type, then every schema.
fn identify<'o>(
    inventory: &Inventory,
    objects: &[&'o [u8]],
    meter: &mut Meter,
) -> Result<Vec<Option<Admitted<'o>>>, Reason> {
    let formats: Vec<Format> = inventory
        .inputs
        .iter()
        .map(|input| input.format.ok_or(Reason::UnknownFormat))
        .collect::<Result<_, _>>()?;
    let mut admitted: Vec<Option<Admitted<'o>>> = objects.iter().map(|_| None).collect();
    for pass in [Format::is_bundle, Format::is_sidecar] {
        for ((format, bytes), slot) in formats.iter().zip(objects).zip(&mut admitted) {
            if pass(*format) {
                let input = format::admit(*format, bytes, meter)?;
                input.identity?;
                *slot = Some(input);
            }
        }
    }
    Ok(admitted)
}

/// Phase 3's last pass: declared surfaces against each format's mapping (§7.1).
fn check_mapping(inventory: &Inventory, admitted: &[Option<Admitted<'_>>]) -> Result<(), Reason> {
    for (input, admitted) in inventory.inputs.iter().zip(admitted) {
        let format = input.format.ok_or(Reason::UnknownFormat)?;
        if !mapping_fits(input.surfaces, format, admitted.as_ref()) {
            return Err(Reason::Mapping);
        }
    }
    Ok(())
}

fn mapping_fits(declared: SurfaceSet, format: Format, admitted: Option<&Admitted<'_>>) -> bool {
    use crate::grammar::Surface::{Filesystem, Network, Process, ToolCall, TranscriptJoin};
    let kernel = SurfaceSet::of(&[Filesystem, Network, Process]);
    let first_four = SurfaceSet::of(&[ToolCall, Filesystem, Network, Process]);
    match format {
        Format::ProxyDecision => declared == SurfaceSet::of(&[ToolCall]),
        Format::Inspector => declared == SurfaceSet::of(&[TranscriptJoin]),
        Format::Bundle => {
            declared.is_subset(first_four)
                && match admitted.map(|admitted| &admitted.source) {
                    Some(Ok(source)) => {
                        let seen: SurfaceSet = source
                            .records
                            .iter()
                            .filter_map(|record| record.surface)
                            .collect();
                        let enumerated = match &source.content {
                            Content::Bundle(bundle) => bundle.enumerated(),
                            _ => SurfaceSet::default(),
                        };
                        seen.is_subset(declared)
                            && declared.iter().all(|surface| {
                                seen.contains(surface) || enumerated.contains(surface)
                            })
                    }
                    // What broke off shows only what it showed.
                    Some(Err(seen)) => seen.surfaces.is_subset(declared),
                    None => false,
                }
        }
        Format::KernelV0 | Format::KernelV1 => {
            declared.is_subset(kernel)
                && match admitted.map(|admitted| &admitted.source) {
                    Some(Ok(source)) => {
                        let seen: SurfaceSet = source
                            .records
                            .iter()
                            .filter_map(|record| record.surface)
                            .collect();
                        source.records.is_empty() || seen == declared
                    }
                    _ => true,
                }
        }
        _ => declared.is_empty(),
    }
}

fn check_digests(
    inventory: &Inventory,
    assessment: &Assessment<'_>,
    archive: &Archive,
    objects: &[&[u8]],
) -> Result<(), Reason> {
    let _ = assessment;
    let hashed = archive
        .objects
        .iter()
        .all(|(digest, bytes)| sha256(bytes) == *digest);
    let sized = inventory
        .inputs
        .iter()
        .zip(objects)
        .all(|(input, bytes)| u64::try_from(bytes.len()) == Ok(input.bytes));
    let bound = sha256(&archive.assessment) == inventory.assessment_sha256;
    if hashed && sized && bound {
        Ok(())
    } else {
        Err(Reason::Digest)
    }
}

/// Every reference of the package outside units and results (those are phase
/// 7's), in the order of inputs, joins and claims.
fn references<'r>(
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

/// A reference to a policy input that does not select exactly its bytes.
fn check_policies(
    inventory: &Inventory,
    assessment: &Assessment<'_>,
    admitted: &[Option<Admitted<'_>>],
) -> Result<(), Reason> {
    for reference in references(inventory, assessment, admitted) {
        let input = inventory
            .position(&reference.input_id)
            .and_then(|at| inventory.inputs.get(at));
        let Some(input) = input.filter(|input| input.format == Some(Format::Policy)) else {
            continue;
        };
        if reference.sha256 != input.sha256
            || reference.locator != format!("bytes:0:{}", input.bytes)
        {
            return Err(Reason::PolicyBinding);
        }
    }
    Ok(())
}

fn admit_rest<'o>(
    inventory: &Inventory,
    objects: &[&'o [u8]],
    meter: &mut Meter,
    admitted: &mut [Option<Admitted<'o>>],
) -> Result<(), Reason> {
    for ((input, bytes), slot) in inventory.inputs.iter().zip(objects).zip(admitted) {
        if slot.is_none() {
            *slot = Some(format::admit(
                input.format.ok_or(Reason::UnknownFormat)?,
                bytes,
                meter,
            )?);
        }
    }
    Ok(())
}

/// Phase 5: references first, then source bytes. A reference into a malformed
/// source is left to that source's own fault.
fn check_sources<'o>(
    inventory: &Inventory,
    assessment: &Assessment<'_>,
    context: &ContextInput,
    objects: &[&'o [u8]],
    admitted: Vec<Option<Admitted<'o>>>,
) -> Result<Vec<Source<'o>>, Reason> {
    for input in &inventory.inputs {
        if let Some(binding) = &input.binding {
            let named = [
                Some(&binding.bundle_input),
                Some(&binding.key_input),
                binding.attestation_input.as_ref(),
            ];
            if named
                .into_iter()
                .flatten()
                .any(|id| inventory.position(id).is_none())
            {
                return Err(Reason::Locator);
            }
        }
    }
    for reference in references(inventory, assessment, &admitted) {
        let input = inventory
            .position(&reference.input_id)
            .and_then(|at| inventory.inputs.get(at));
        if input.is_none_or(|input| input.sha256 != reference.sha256) {
            return Err(Reason::Locator);
        }
    }
    let malformed = admitted
        .iter()
        .flatten()
        .any(|admitted| admitted.source.is_err());
    if malformed {
        return Err(Reason::InputShape);
    }
    let sources: Vec<Source<'o>> = admitted
        .into_iter()
        .flatten()
        .filter_map(|admitted| admitted.source.ok())
        .collect();
    let package = Package {
        inventory,
        sources: &sources,
    };
    check_references(&package, assessment, context)?;
    check_bindings(inventory)?;
    check_unbound_keys(inventory, objects)?;
    Ok(sources)
}

fn check_references(
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
                    package.action(&result.source).ok_or(Reason::Locator)?;
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

/// Bindings name inputs of the right formats, and a report's are its
/// attestation's (§7.1).
fn check_bindings(inventory: &Inventory) -> Result<(), Reason> {
    let find = |id: &Id| {
        inventory
            .position(id)
            .and_then(|at| inventory.inputs.get(at))
    };
    for input in &inventory.inputs {
        let Some(binding) = &input.binding else {
            continue;
        };
        let typed =
            |id: &Id, format: Format| find(id).is_some_and(|input| input.format == Some(format));
        let attestation = binding.attestation_input.as_ref();
        let fits = typed(&binding.bundle_input, Format::Bundle)
            && typed(&binding.key_input, Format::PublicKey)
            && attestation.is_none_or(|id| typed(id, Format::DsseAttestation));
        if !fits {
            return Err(Reason::InputShape);
        }
    }
    Ok(())
}

fn check_unbound_keys(inventory: &Inventory, objects: &[&[u8]]) -> Result<(), Reason> {
    for (input, bytes) in inventory.inputs.iter().zip(objects) {
        let bound = || {
            inventory
                .inputs
                .iter()
                .filter_map(|other| other.binding.as_ref())
                .any(|binding| binding.key_input == input.id)
        };
        if input.format == Some(Format::PublicKey) && !bound() && !format::is_public_key(bytes) {
            return Err(Reason::InputShape);
        }
    }
    Ok(())
}

type Attestations = (Vec<AttestationCheck>, Vec<Option<Attested>>);

/// Phase 6. The first failing attestation contributes its row alone.
fn check_attestations(
    package: &Package<'_, '_>,
    context: &ContextInput,
    objects: &[&[u8]],
) -> Result<Attestations, Refusal> {
    let inventory = package.inventory;
    let mut rows = Vec::new();
    let mut attested: Vec<Option<Attested>> = Vec::new();
    for (input, bytes) in inventory.inputs.iter().zip(objects) {
        let binding = input
            .binding
            .as_ref()
            .filter(|_| input.format == Some(Format::DsseAttestation));
        let Some(binding) = binding else {
            attested.push(None);
            continue;
        };
        let place = |id: &Id| inventory.position(id).ok_or(Reason::Locator);
        let (bundle_at, key_at) = (place(&binding.bundle_input)?, place(&binding.key_input)?);
        let at = |position: usize| inventory.inputs.get(position).ok_or(Reason::Locator);
        let (bundle_input, key_input) = (at(bundle_at)?, at(key_at)?);
        let row = AttestationCheck::failed(input.id.clone(), key_input.sha256);
        let refuse = |reason| Refusal {
            reason,
            row: Some(Box::new(row.clone())),
        };
        if context.keys.binary_search(&key_input.sha256).is_err() {
            return Err(refuse(Reason::TrustInput));
        }
        let key = objects.get(key_at).copied().unwrap_or_default();
        if !format::is_public_key(key) {
            return Err(refuse(Reason::InputShape));
        }
        let envelope = match Envelope::read(bytes, &context.limits) {
            Ok(envelope) => envelope,
            Err(Fault::Shape) => return Err(refuse(Reason::InputShape)),
            Err(Fault::Resource(reason)) => return Err(reason.into()),
        };
        let source = package.sources.get(bundle_at).ok_or(Reason::Locator)?;
        let Content::Bundle(bundle) = &source.content else {
            return Err(Reason::InputShape.into());
        };
        let fresh = format::verify_attestation(
            &envelope,
            key,
            (bundle, &source.records, bundle_input.sha256),
        )
        .ok_or_else(|| refuse(Reason::AttestationVerification))?;
        rows.push(AttestationCheck {
            status: AttestationStatus::Verified,
            artifact_sha256: Some(fresh.artifact_sha256),
            extent: fresh.extent.clone(),
            ..row
        });
        attested.push(Some(fresh));
    }
    Ok((rows, attested))
}

/// Retained reports say what was freshly established, under the same binding.
fn reports_hold(package: &Package<'_, '_>, attested: &[Option<Attested>]) -> bool {
    package
        .inventory
        .inputs
        .iter()
        .zip(package.sources)
        .all(|(input, source)| {
            let Content::Report(report) = &source.content else {
                return true;
            };
            let holds = || {
                let binding = input.binding.as_ref()?;
                let at = package
                    .inventory
                    .position(binding.attestation_input.as_ref()?)?;
                let attestation = package.inventory.inputs.get(at)?.binding.as_ref()?;
                let same = attestation.bundle_input == binding.bundle_input
                    && attestation.key_input == binding.key_input;
                Some(same && report.matches(attested.get(at)?.as_ref()?))
            };
            holds().unwrap_or(false)
        })
}

fn check_joins_and_claims(
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

fn check_expectations(
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
