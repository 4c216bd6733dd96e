//! Writing the outer archive.

use attest_canon::Digest;

use super::header::{BLOCK, encode};

/// The archive of an inventory, an assessment and objects, which must be
/// distinct and ascending by digest. `None` when a size does not fit a header.
pub(crate) fn archive(
    inventory: &[u8],
    assessment: &[u8],
    objects: &[(Digest, &[u8])],
) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    member(&mut out, "inventory.json", inventory)?;
    member(&mut out, "assessment.json", assessment)?;
    for (digest, bytes) in objects {
        member(&mut out, &format!("objects/{digest}"), bytes)?;
    }
    out.extend_from_slice(&[0; BLOCK]);
    out.extend_from_slice(&[0; BLOCK]);
    Some(out)
}

fn member(out: &mut Vec<u8>, name: &str, bytes: &[u8]) -> Option<()> {
    let size = u64::try_from(bytes.len()).ok()?;
    out.extend_from_slice(&encode(name, size)?);
    out.extend_from_slice(bytes);
    let padded = out.len().next_multiple_of(BLOCK);
    out.resize(padded, 0);
    Some(())
}
