//! A person's events on stored receipts (§3, §8): stamped so that no batch
//! that already ran could have had to read them.

use attest_canon::Id;

use crate::decide::pre_assignments;
use crate::ledger::export::Ledger;
use crate::ledger::state::{Event, transition};
use crate::model::problem::ProblemKind;
use crate::model::{IsoTs, OverrideGrade, Receipt};

use super::error::WriteError;
use super::{Keeper, no_earlier};

impl Ledger {
    /// When a person's event on a receipt counts (`writeUserEvent`): now, but
    /// not before the last batch + 1 ms nor the receipt's own last event + 1 ms.
    #[must_use]
    pub fn event_instant(&self, receipt: &Receipt, now: IsoTs) -> IsoTs {
        let last_batch = self.meta.last_batch_instant.as_ref();
        let after_batch = last_batch.map(|last| last.instant().plus(1));
        let after_event = receipt.last_event_at().plus(1);
        no_earlier(no_earlier(now, after_batch), Some(after_event))
    }

    /// The claim that would hold a receipt's evidence after a revert at an
    /// instant, when it is another's (§4.3): the receipt would then show its
    /// grade again beside that claim's, and two would name one observation.
    #[must_use]
    pub fn holder_after_revert(&self, receipt: &Receipt, at: IsoTs) -> Option<Id> {
        let back = transition(receipt, Event::Revert { at }).ok()?;
        let receipts = self
            .receipts
            .iter()
            .map(|held| if held.id == back.id { &back } else { held });
        let next_batch = at.instant().plus(1);
        pre_assignments(receipts)
            .into_iter()
            .filter(|pair| back.observation_ids.contains(&pair.observation_id))
            .filter(|pair| pair.in_force_at(next_batch))
            .find_map(|pair| pair.claim_id.filter(|claim| back.claim_id != Some(*claim)))
    }
}

impl Keeper {
    /// A person says otherwise; when it counts.
    ///
    /// # Errors
    ///
    /// No such receipt, or what the state machine refuses.
    pub fn override_receipt(
        &mut self,
        id: Id,
        grade: OverrideGrade,
        reason: &str,
        now: IsoTs,
    ) -> Result<IsoTs, WriteError> {
        self.event(id, now, |_, _, at| {
            let reason = reason.into();
            Ok(Event::Override { grade, reason, at })
        })
    }

    /// A person takes their word back; when it counts. When another claim holds
    /// the evidence by then they must have been told (`told`).
    ///
    /// # Errors
    ///
    /// [`WriteError::EvidenceHeld`] when they were not; no such receipt; or what
    /// the state machine refuses.
    pub fn revert_receipt(&mut self, id: Id, told: bool, now: IsoTs) -> Result<IsoTs, WriteError> {
        self.event(id, now, |ledger, receipt, at| {
            match ledger.holder_after_revert(receipt, at) {
                Some(claim) if !told => Err(WriteError::EvidenceHeld(claim)),
                _ => Ok(Event::Revert { at }),
            }
        })
    }

    /// An event is no sighting, so no clock is repaired before it. It counts as
    /// a fact: what it releases a batch may find unasked.
    fn event(
        &mut self,
        id: Id,
        now: IsoTs,
        make: impl FnOnce(&Ledger, &Receipt, IsoTs) -> Result<Event, WriteError>,
    ) -> Result<IsoTs, WriteError> {
        let place = self.ledger.receipts.iter().position(|held| held.id == id);
        let held = place.and_then(|place| self.ledger.receipts.get(place));
        let (Some(place), Some(receipt)) = (place, held) else {
            return Err(WriteError::invalid(
                "receipts",
                ProblemKind::MustBe("the id of a stored receipt"),
            ));
        };
        let at = self.ledger.event_instant(receipt, now);
        let event = make(&self.ledger, receipt, at)?;
        let next = transition(receipt, event)?;
        if let Some(held) = self.ledger.receipts.get_mut(place) {
            *held = next;
        }
        self.stored(1, now);
        Ok(at)
    }
}
