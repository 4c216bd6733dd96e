//! A pass over a mailbox (§3, v1.9–v1.15): each row on its own; what it vouches
//! for counts only when every row was taken.

use crate::model::problem::ProblemKind;
use crate::model::{IsoTs, Observation, ObserverCoverage, Source};

use super::coverage::check_entry;
use super::error::WriteError;
use super::{Keeper, Kept};

/// What a mail observer brings. Which sent rows it could time and which
/// receipts' senders it knows is its own business: it brings an entry only for
/// what it can vouch for.
#[derive(Clone, PartialEq, Debug)]
pub struct MailPass {
    /// `gmail.sent` or `gmail.receipt`.
    pub source: Source,
    /// The rows, each with its sighting as `observed_at`.
    pub rows: Vec<Observation>,
    /// The head of the sent list, or the instants of receipts.
    pub coverage: Vec<ObserverCoverage>,
}

/// What became of a pass over a mailbox.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct MailStored {
    /// Rows stored.
    pub stored: usize,
    /// Rows the ledger held.
    pub unchanged: usize,
    /// Rows refused, by their place in the pass; with any, no coverage counts
    /// and the observer is degraded.
    pub refused: Vec<(usize, WriteError)>,
}

impl Keeper {
    /// Stores a pass over a mailbox.
    ///
    /// # Errors
    ///
    /// `clock_behind` for an entry synced after now, or an entry its observer
    /// must not write; nothing is stored then.
    pub fn store_mail_pass(
        &mut self,
        pass: MailPass,
        now: IsoTs,
    ) -> Result<MailStored, WriteError> {
        self.open(now);
        if pass.source == Source::GcalEvent {
            return Err(WriteError::invalid("source", ProblemKind::NotAllowedHere));
        }
        for entry in &pass.coverage {
            if entry.source != pass.source {
                return Err(WriteError::invalid("source", ProblemKind::NotAllowedHere));
            }
            check_entry(entry, now)?;
        }
        let mut done = MailStored::default();
        let mut facts = 0u64;
        for (place, row) in pass.rows.into_iter().enumerate() {
            let stored = if row.source == pass.source {
                self.take_row(row, now)
            } else {
                Err(WriteError::invalid("source", ProblemKind::NotAllowedHere))
            };
            match stored {
                Ok(Kept::New) => {
                    facts = facts.saturating_add(1);
                    done.stored = done.stored.saturating_add(1);
                }
                Ok(Kept::Unchanged) => done.unchanged = done.unchanged.saturating_add(1),
                Err(error) => done.refused.push((place, error)),
            }
        }
        if done.refused.is_empty() {
            facts = facts.saturating_add(self.add_coverage(pass.coverage));
        }
        if facts > 0 {
            self.stored(facts, now);
        }
        Ok(done)
    }

    fn take_row(&mut self, row: Observation, now: IsoTs) -> Result<Kept, WriteError> {
        Ok(match self.plan(row, now)? {
            Some(row) => {
                self.push(row);
                Kept::New
            }
            None => Kept::Unchanged,
        })
    }
}
