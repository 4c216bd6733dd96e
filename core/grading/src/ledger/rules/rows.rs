//! Storing claims and observations (§3, §10): a stored row never changes.

use crate::ledger::export::foreign_fields;
use crate::model::problem::ProblemKind;
use crate::model::{Claim, Instant, IsoTs, Observation};

use super::error::{WriteError, check};
use super::{Keeper, Kept, no_earlier};

impl Keeper {
    /// Stores a claim (`upsertClaim`). Its `observed_at` is the sighting; the
    /// stored one is the latest of now, the sighting, and the last batch + 1 ms.
    /// Reading a stored claim again changes nothing, however early it was read.
    ///
    /// # Errors
    ///
    /// `clock_behind` for a sighting after now, `id_conflict` when the stored
    /// claim differs in more than `observedAt` and its extractor, or what its
    /// schema refuses.
    pub fn store_claim(&mut self, mut claim: Claim, now: IsoTs) -> Result<Kept, WriteError> {
        self.open(now);
        check(&claim, Claim::decode)?;
        if claim.observed_at.instant() > now.instant() {
            return Err(WriteError::ClockBehind);
        }
        if let Some(held) = self.claim(claim.id) {
            claim.observed_at = held.observed_at;
            claim.extractor.clone_from(&held.extractor);
            return if *held == claim {
                Ok(Kept::Unchanged)
            } else {
                Err(WriteError::IdConflict(claim.id))
            };
        }
        claim.observed_at = self.row_instant(claim.observed_at, now);
        self.claims.insert(claim.id, self.ledger.claims.len());
        self.ledger.claims.push(claim);
        self.stored(1, now);
        Ok(Kept::New)
    }

    /// Stores an observation (`upsertObservation`), as [`Keeper::store_claim`]
    /// does a claim; one stored later than it was sighted keeps its sighting.
    ///
    /// # Errors
    ///
    /// `clock_behind`; `id_conflict`; `late_sighting` for an earlier sighting
    /// of a stored row; or what no observer of its source could have projected:
    /// a type its source does not show, a field it may not hold, a `sightedAt`,
    /// a content hash that is not its content's.
    pub fn store_observation(&mut self, row: Observation, now: IsoTs) -> Result<Kept, WriteError> {
        self.open(now);
        let Some(row) = self.plan(row, now)? else {
            return Ok(Kept::Unchanged);
        };
        self.push(row);
        self.stored(1, now);
        Ok(Kept::New)
    }

    /// The row as it would be stored; `None` when the ledger holds it already.
    pub(super) fn plan(
        &self,
        mut row: Observation,
        now: IsoTs,
    ) -> Result<Option<Observation>, WriteError> {
        check(&row, Observation::decode)?;
        if row.sighted_at.is_some() {
            // Only the ledger says when a row was sighted.
            return Err(WriteError::invalid(
                "sightedAt",
                ProblemKind::NotAllowedHere,
            ));
        }
        let sighting = row.observed_at;
        if sighting.instant() > now.instant() {
            return Err(WriteError::ClockBehind);
        }
        if let Some(held) = self.observation(row.id) {
            row.observed_at = held.observed_at;
            row.sighted_at = held.sighted_at;
            if *held != row {
                return Err(WriteError::IdConflict(row.id));
            }
            let first_seen = held.first_seen_at().instant();
            if sighting.instant() >= first_seen || self.was_read_ahead(held) {
                return Ok(None);
            }
            return Err(WriteError::LateSighting(row.id));
        }
        self.check_projected(&row)?;
        row.observed_at = self.row_instant(sighting, now);
        if sighting.instant() < row.observed_at.instant() {
            row.sighted_at = Some(sighting);
        }
        Ok(Some(row))
    }

    pub(super) fn push(&mut self, row: Observation) {
        self.observations
            .insert(row.id, self.ledger.observations.len());
        self.ledger.observations.push(row);
    }

    /// When a row sighted then is stored at.
    fn row_instant(&self, sighting: IsoTs, now: IsoTs) -> IsoTs {
        let stored = no_earlier(now, self.after_last_batch());
        if stored.instant() == sighting.instant() {
            sighting
        } else {
            stored
        }
    }

    /// Whether a batch read the row (§3).
    pub(super) fn was_read(&self, row: &Observation) -> bool {
        self.last_batch()
            .is_some_and(|last| row.observed_at.instant() <= last)
    }

    /// Whether a batch read the row while the clock ran ahead: its first
    /// sighting lies in a repaired span, so an earlier sighting of it is no
    /// contradiction, and must not lock its observer out (§3 Clock safety).
    fn was_read_ahead(&self, row: &Observation) -> bool {
        let first_seen = row.first_seen_at().instant();
        let ahead = |from: Instant, to: Instant| from < first_seen && first_seen <= to;
        self.was_read(row)
            && self.ledger.meta.repairs.values().any(|repair| {
                let span = repair.interval();
                ahead(span.from, span.to)
            })
    }

    /// Refuses a row its observer could not have projected (§10, §13).
    fn check_projected(&self, row: &Observation) -> Result<(), WriteError> {
        if let Some(shipped) = &self.shipped {
            if !shipped.sources(row.action).contains(&row.source) {
                return Err(WriteError::invalid("source", ProblemKind::NotAllowedHere));
            }
            if let Some(key) = foreign_fields(row, shipped).first() {
                return Err(WriteError::invalid(*key, ProblemKind::NotAllowedHere));
            }
        }
        if row.computed_content_hash() != row.content_hash {
            return Err(WriteError::invalid(
                "contentHash",
                ProblemKind::HashMismatch,
            ));
        }
        Ok(())
    }
}
