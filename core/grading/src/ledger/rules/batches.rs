//! A batch under the writer's rules (§3 Background obligations): its instant is
//! recorded before it reads, and strictly after the one before.

use core::fmt;

use crate::decide::{GradingError, grade_batch};
use crate::ledger::batch_input::{NextBatch, TooMuchCoverage};
use crate::ledger::batch_store::Stored;
use crate::model::{IsoTs, ReceiptState};
use crate::policy::Policy;

use super::Keeper;
use super::error::WriteError;

/// Whether the person has an advisory model on (§3): off, its stored scores
/// count no more, and open receipts are graded by the rules alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Model {
    /// Its stored scores count.
    On,
    /// They do not.
    Off,
}

/// What a batch came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BatchOutcome {
    /// It graded.
    Graded(Stored),
    /// Nothing was open and nothing new: only its instant was recorded.
    Skipped,
}

/// Why a batch did not run; nothing was recorded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BatchRefused {
    /// It is not after the last one.
    Write(WriteError),
    /// It would read too much coverage.
    Coverage(TooMuchCoverage),
    /// Grading refuses what it was handed.
    Grading(GradingError),
}

impl fmt::Display for BatchRefused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Write(error) => write!(f, "{error}"),
            Self::Coverage(error) => write!(f, "{error}"),
            Self::Grading(error) => write!(f, "{error}"),
        }
    }
}

impl core::error::Error for BatchRefused {}

impl Keeper {
    /// Runs a batch at now and stores what it graded.
    ///
    /// # Errors
    ///
    /// `batch_out_of_order`, and whatever grading refuses: then not even the
    /// batch's instant is recorded.
    pub fn batch(
        &mut self,
        now: IsoTs,
        policy: &Policy,
        model: Model,
    ) -> Result<BatchOutcome, BatchRefused> {
        self.open(now);
        if !self.ledger.is_after_last_batch(now.instant()) {
            return Err(BatchRefused::Write(WriteError::BatchOutOfOrder));
        }
        if self.has_nothing_to_grade(now) {
            self.ledger.meta.last_batch_instant = Some(now);
            self.books.reached(now);
            self.books.write(&mut self.ledger.meta);
            return Ok(BatchOutcome::Skipped);
        }
        let mut next = NextBatch::new(&self.ledger, now).map_err(BatchRefused::Coverage)?;
        if model == Model::Off {
            next = next.without_model_scores();
        }
        let graded = grade_batch(next.input(policy)).map_err(BatchRefused::Grading)?;
        let coverage = next.into_coverage();
        let stored = self
            .ledger
            .store_batch(&coverage, policy, graded)
            .map_err(|_| BatchRefused::Write(WriteError::BatchOutOfOrder))?;
        self.books.graded = Some(self.books.stored);
        self.books.reached(now);
        self.books.write(&mut self.ledger.meta);
        Ok(BatchOutcome::Graded(stored))
    }

    /// Whether a batch would write nothing: no receipt is PENDING, and no fact
    /// was stored since the last one that graded. Rows a clock that ran ahead
    /// stamped come into sight only later; a batch that first sees one grades.
    fn has_nothing_to_grade(&self, now: IsoTs) -> bool {
        let pending = |state| state == ReceiptState::Pending;
        if self.books.graded != Some(self.books.stored)
            || self.ledger.receipts.iter().any(|one| pending(one.state))
        {
            return false;
        }
        let ledger = &self.ledger;
        let last = self.last_batch();
        let comes_into_sight = |at: IsoTs| {
            at.instant() <= now.instant() && last.is_none_or(|last| at.instant() > last)
        };
        let claims = ledger.claims.iter().map(|claim| claim.observed_at);
        let rows = ledger.observations.iter().map(|row| row.observed_at);
        let grants = ledger.grants.iter().map(|grant| grant.updated_at);
        !claims.chain(rows).chain(grants).any(comes_into_sight)
    }
}
