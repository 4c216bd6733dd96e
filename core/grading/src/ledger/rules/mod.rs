//! What a ledger's one writer owes (§3 Background obligations, Clock safety,
//! Grant changes, The model's scores; §10): a [`Keeper`] holds a ledger in
//! memory, takes what observers and people bring, and refuses what would make
//! a stored receipt impossible to derive again. The clock is an argument.
//!
//! Every operation is a transaction: refused, it leaves the ledger as it was,
//! a clock repair that came first aside.
//!
//! Reading order: [`error`], [`books`] (what the writer remembers), [`clock`],
//! [`rows`], [`coverage`], [`pass`]es of mail and [`calendar`] views,
//! [`activity`], [`grants`], [`batches`], [`events`], [`model`], [`retention`].

pub mod activity;
pub mod batches;
mod books;
pub mod calendar;
pub mod clock;
pub mod coverage;
pub mod error;
pub mod events;
pub mod grants;
pub mod model;
pub mod pass;
pub mod retention;
mod rows;
#[cfg(test)]
pub(in crate::ledger) mod tests;

use std::collections::{BTreeMap, BTreeSet};

use attest_canon::Id;

use crate::model::{Claim, Instant, IsoTs, Observation};
use crate::policy::{DEFAULT_POLICY, Policy, load_policy};

use super::export::Ledger;
use books::Books;
use calendar::CalendarRecord;

pub use batches::{BatchOutcome, BatchRefused, Model};
pub use calendar::{CalendarEvent, CalendarStored, CalendarView};
pub use clock::Repaired;
pub use error::WriteError;
pub use grants::GrantChoice;
pub use pass::{MailPass, MailStored};
pub use retention::Purged;

/// Whether storing something changed anything.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kept {
    /// It is stored.
    New,
    /// The ledger held it already.
    Unchanged,
}

/// A ledger and what its writer remembers.
#[derive(Clone, Debug)]
pub struct Keeper {
    ledger: Ledger,
    /// Places of claims and observations, by id.
    claims: BTreeMap<Id, usize>,
    observations: BTreeMap<Id, usize>,
    books: Books,
    /// What each Calendar range showed when it was last read. Kept in memory
    /// only: a ledger read from a file begins with first looks.
    records: Vec<CalendarRecord>,
    /// The claims the advisory model was asked about.
    asked: BTreeSet<Id>,
    /// The shipped policy says what a source's rows may hold (supplement D).
    shipped: Option<Policy>,
    repaired: Option<Repaired>,
}

impl Keeper {
    /// Takes a ledger into keeping.
    #[must_use]
    pub fn new(ledger: Ledger) -> Self {
        let mut keeper = Self {
            books: Books::of(&ledger),
            asked: ledger
                .model_scores
                .iter()
                .flat_map(|scores| scores.keys().copied())
                .collect(),
            ledger,
            claims: BTreeMap::new(),
            observations: BTreeMap::new(),
            records: Vec::new(),
            // The embedded document always loads.
            shipped: load_policy(DEFAULT_POLICY).ok(),
            repaired: None,
        };
        keeper.index();
        keeper
    }

    /// The ledger as it stands.
    #[must_use]
    pub const fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Gives the ledger back.
    #[must_use]
    pub fn into_ledger(self) -> Ledger {
        self.ledger
    }

    /// The clock repair made since this was last asked, if one was: what the
    /// writer logs once (`ledger.clock_regressed`), in counts only.
    pub fn take_repair(&mut self) -> Option<Repaired> {
        self.repaired.take()
    }

    fn index(&mut self) {
        self.claims = places(self.ledger.claims.iter().map(|row| row.id));
        self.observations = places(self.ledger.observations.iter().map(|row| row.id));
    }

    fn claim(&self, id: Id) -> Option<&Claim> {
        self.claims
            .get(&id)
            .and_then(|place| self.ledger.claims.get(*place))
    }

    fn observation(&self, id: Id) -> Option<&Observation> {
        self.observations
            .get(&id)
            .and_then(|place| self.ledger.observations.get(*place))
    }

    fn last_batch(&self) -> Option<Instant> {
        let last = self.ledger.meta.last_batch_instant.as_ref();
        last.map(IsoTs::instant)
    }

    /// The first instant no recorded batch has read.
    fn after_last_batch(&self) -> Option<Instant> {
        self.last_batch().map(|last| last.plus(1))
    }

    /// Counts facts stored at the clock's `now`.
    fn stored(&mut self, facts: u64, now: IsoTs) {
        self.books.stored(facts, now);
        self.books.write(&mut self.ledger.meta);
    }
}

fn places(ids: impl Iterator<Item = Id>) -> BTreeMap<Id, usize> {
    ids.zip(0..).collect()
}

/// `now`, or a later bound written in the offset of `now`.
fn no_earlier(now: IsoTs, bound: Option<Instant>) -> IsoTs {
    match bound {
        Some(bound) if bound > now.instant() => IsoTs::computed(bound, now.offset_minutes()),
        _ => now,
    }
}
