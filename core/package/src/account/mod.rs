//! Accounting: what an assessment must say, computed afresh from the admitted
//! inputs and the external context (§6, §7).

pub(crate) mod cap1;
pub(crate) mod claims;
pub(crate) mod disclosure;
pub(crate) mod joins;
mod keys;
pub(crate) mod observation;
pub(crate) mod units;

use crate::document::Inventory;
use crate::format::{Record, Source};
use crate::grammar::{Locator, Ref, SurfaceSet};

/// The admitted inputs of a package, side by side with the inventory's.
pub(crate) struct Package<'p, 'a> {
    pub(crate) inventory: &'p Inventory,
    pub(crate) sources: &'p [Source<'a>],
}

impl<'p, 'a> Package<'p, 'a> {
    /// The input a reference names by id and digest.
    pub(crate) fn input_of(&self, reference: &Ref) -> Option<usize> {
        let position = self.inventory.position(&reference.input_id)?;
        let input = self.inventory.inputs.get(position)?;
        (input.sha256 == reference.sha256).then_some(position)
    }

    /// The input and the part of it that a reference selects, if it exists.
    pub(crate) fn resolve(&self, reference: &Ref) -> Option<(usize, Locator)> {
        let position = self.input_of(reference)?;
        let locator = Locator::parse(&reference.locator)?;
        self.sources
            .get(position)?
            .has(&locator)
            .then_some((position, locator))
    }

    /// Whether a reference selects an action record; in a malformed input,
    /// whether it could.
    pub(crate) fn selects_action(&self, reference: &Ref) -> bool {
        self.resolve(reference).is_some_and(|(input, locator)| {
            self.sources
                .get(input)
                .is_some_and(|source| source.has_action(&locator))
        })
    }

    /// The action record that a reference selects.
    pub(crate) fn action(&self, reference: &Ref) -> Option<Place> {
        let (input, locator) = self.resolve(reference)?;
        let (record, found) = self.sources.get(input)?.record_at(&locator)?;
        found.surface.map(|_| Place { input, record })
    }

    /// Source and record of a place.
    pub(crate) fn at(&self, place: Place) -> Option<(&'p Source<'a>, &'p Record)> {
        let source = self.sources.get(place.input)?;
        Some((source, source.records.get(place.record)?))
    }

    /// The reference to a place.
    pub(crate) fn reference(&self, place: Place) -> Option<Ref> {
        let (source, record) = self.at(place)?;
        let input = self.inventory.inputs.get(place.input)?;
        Some(Ref {
            input_id: input.id.clone(),
            sha256: input.sha256,
            locator: source.locator_of(record),
        })
    }

    /// Surfaces that at least one input supplies.
    pub(crate) fn present(&self) -> SurfaceSet {
        self.inventory
            .inputs
            .iter()
            .flat_map(|input| input.surfaces.iter())
            .collect()
    }
}

/// Where an action record stands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Place {
    /// The input's position in the inventory.
    pub(crate) input: usize,
    /// The record's position in the input.
    pub(crate) record: usize,
}
