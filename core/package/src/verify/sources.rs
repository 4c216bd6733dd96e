//! Phase 5: references, then source bytes (§3, §7).

use super::references::check_references;
use crate::account::Package;
use crate::document::{Assessment, ContextInput, Inventory};
use crate::format::{self, Admitted, Content, Format, Source};
use crate::grammar::Id;
use crate::limits::Meter;
use crate::reason::Reason;

/// Reads the inputs that phase 3 did not need.
pub(super) fn admit_rest<'o>(
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

/// Phase 5: every reference first, then source bytes. What a reference selects
/// in a malformed source is that source's own fault.
pub(super) fn check_sources<'o>(
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
    let sources = inventory
        .inputs
        .iter()
        .zip(admitted)
        .map(|(input, admitted)| {
            let format = input.format.ok_or(Reason::UnknownFormat)?;
            let read = admitted.and_then(|admitted| admitted.source.ok());
            Ok(read.unwrap_or_else(|| Source::malformed(format, input.bytes)))
        })
        .collect::<Result<Vec<Source<'o>>, Reason>>()?;
    let package = Package {
        inventory,
        sources: &sources,
    };
    check_references(&package, assessment, context)?;
    if sources
        .iter()
        .any(|source| matches!(source.content, Content::Malformed))
    {
        return Err(Reason::InputShape);
    }
    check_bindings(inventory)?;
    check_unbound_keys(inventory, objects)?;
    Ok(sources)
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
