//! Phase 2: framing, member list and the inventory's grammar (§2, §7.1).

use attest_canon::Digest;

use crate::Dialect;
use crate::container::{Admission, Archive};
use crate::document::Inventory;
use crate::json::Fault;
use crate::limits::Meter;
use crate::reason::Reason;

/// The inventory, read as soon as it streams by, so that what it declares is
/// charged before any object is read, and only declared objects are kept. Its
/// faults of grammar wait until the framing was read (§10).
pub(super) struct Outer<'m> {
    meter: &'m mut Meter,
    dialect: Dialect,
    pub(super) inventory: Result<Inventory, Fault>,
}

impl<'m> Outer<'m> {
    pub(super) fn new(meter: &'m mut Meter, dialect: Dialect) -> Self {
        Self {
            meter,
            dialect,
            inventory: Err(Fault::Shape),
        }
    }
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

/// The object of each input; a missing or surplus member is phase 2.
pub(super) fn stored_objects<'o>(
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
