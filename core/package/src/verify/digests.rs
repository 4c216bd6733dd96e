//! Phase 4: digests, then policy bindings.

use attest_canon::sha256;

use super::references::references;
use crate::container::Archive;
use crate::document::{Assessment, Inventory};
use crate::format::{Admitted, Format};
use crate::reason::Reason;

/// Every object, its declared length, and the assessment the inventory names.
pub(super) fn check_digests(
    inventory: &Inventory,
    archive: &Archive,
    objects: &[&[u8]],
) -> Result<(), Reason> {
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

/// A reference to a policy input that does not select exactly its bytes.
pub(super) fn check_policies(
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
