//! Phase 6: attestations under externally selected keys (§7.4), and what
//! phase 11 asks of retained reports.

use super::Refusal;
use crate::account::Package;
use crate::document::{AttestationCheck, AttestationStatus, ContextInput, Inventory};
use crate::format::{self, Attested, Content, Envelope, Format};
use crate::grammar::Id;
use crate::json::Fault;
use crate::reason::Reason;

/// Successful rows by input, and what each input's attestation established.
type Attestations = (Vec<AttestationCheck>, Vec<Option<Attested>>);

/// An attestation with the positions of what it is bound to.
struct Bound {
    input: usize,
    bundle: usize,
    key: usize,
    row: AttestationCheck,
}

impl Bound {
    /// A refusal that publishes this attestation's row alone.
    fn refuse(&self, reason: Reason) -> Refusal {
        Refusal {
            reason,
            row: Some(Box::new(self.row.clone())),
        }
    }
}

/// Phase 6: every key's selection, then every shape, then every verification,
/// each in input order.
pub(super) fn check_attestations(
    package: &Package<'_, '_>,
    context: &ContextInput,
    objects: &[&[u8]],
) -> Result<Attestations, Refusal> {
    let all = bound(package.inventory)?;
    for attestation in &all {
        let selected = context.keys.binary_search(&attestation.row.key_sha256);
        if selected.is_err() {
            return Err(attestation.refuse(Reason::TrustInput));
        }
    }
    let object = |position: usize| objects.get(position).copied().unwrap_or_default();
    let mut envelopes = Vec::new();
    for attestation in &all {
        if !format::is_public_key(object(attestation.key)) {
            return Err(attestation.refuse(Reason::InputShape));
        }
        match Envelope::read(object(attestation.input), &context.limits) {
            Ok(envelope) => envelopes.push(envelope),
            Err(Fault::Shape) => return Err(attestation.refuse(Reason::InputShape)),
            Err(Fault::Resource(reason)) => return Err(reason.into()),
        }
    }
    let mut rows = Vec::new();
    let mut attested: Vec<Option<Attested>> = objects.iter().map(|_| None).collect();
    for (attestation, envelope) in all.into_iter().zip(envelopes) {
        let source = package.sources.get(attestation.bundle);
        let Some((source, Content::Bundle(bundle))) =
            source.map(|source| (source, &source.content))
        else {
            return Err(Reason::InputShape.into());
        };
        let declared = package.inventory.inputs.get(attestation.bundle);
        let digest = declared.ok_or(Reason::Locator)?.sha256;
        let subject = (bundle.as_ref(), source.records.as_slice(), digest);
        let fresh = format::verify_attestation(&envelope, object(attestation.key), subject)
            .ok_or_else(|| attestation.refuse(Reason::AttestationVerification))?;
        rows.push(AttestationCheck {
            status: AttestationStatus::Verified,
            artifact_sha256: Some(fresh.artifact_sha256),
            extent: fresh.extent.clone(),
            ..attestation.row
        });
        if let Some(slot) = attested.get_mut(attestation.input) {
            *slot = Some(fresh);
        }
    }
    Ok((rows, attested))
}

/// Every attestation of the inventory, with the row it has until it verifies.
fn bound(inventory: &Inventory) -> Result<Vec<Bound>, Reason> {
    let place = |id: &Id| inventory.position(id).ok_or(Reason::Locator);
    inventory
        .inputs
        .iter()
        .enumerate()
        .filter(|(_, input)| input.format == Some(Format::DsseAttestation))
        .filter_map(|(at, input)| input.binding.as_ref().map(|binding| (at, input, binding)))
        .map(|(at, input, binding)| {
            let key = place(&binding.key_input)?;
            let declared = inventory.inputs.get(key).ok_or(Reason::Locator)?;
            Ok(Bound {
                input: at,
                bundle: place(&binding.bundle_input)?,
                key,
                row: AttestationCheck::failed(input.id.clone(), declared.sha256),
            })
        })
        .collect()
}

/// Retained reports say what was freshly established, under the same binding.
pub(super) fn reports_hold(package: &Package<'_, '_>, attested: &[Option<Attested>]) -> bool {
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
