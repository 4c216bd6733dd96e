//! Seeded worlds whose truth is known (§3, §15): agents that
//! tell the truth, exaggerate, forget and act unasked; a person with mail and
//! a calendar of their own who overrides and reverts; observers that miss
//! tabs, sync late and see two accounts; clocks that jump. Everything goes
//! through the ledger's own writer and real batches, so what comes out is a
//! genuine ledger that replays whole.
//!
//! Pure: the seed decides every byte, and the clock is the world's own. As the
//! reference has it (§3 Clock safety), one wall clock stamps everything: what a
//! page shows of a send, a claim and a sighting are all read from it, so a jump
//! moves them together.
//!
//! Reading order: [`faults`], [`truth`], [`step`]s, the pages ([`mailbox`],
//! [`calendar`]), [`world`] (time and what is done in it), then who does things:
//! [`agents`], [`person`], [`observers`]; [`simulation`] runs them.

#![expect(
    clippy::arithmetic_side_effects,
    reason = "a world's times and counts are bounded by its settings, far from the ends of i64"
)]

mod agents;
mod calendar;
mod dice;
mod faults;
mod mailbox;
mod observers;
mod person;
mod simulation;
mod step;
mod truth;
mod vocabulary;
mod world;

use crate::ledger::Ledger;
use crate::model::Instant;

pub use faults::{Fault, Faults};
pub use simulation::{Event, Simulation};
pub use step::{Refused, Step};
pub use truth::{ClaimTruth, Deed, Doer, Facts, Jump, More, Naming, Truth, Verdict};

/// Longest world, in days.
pub const MOST_DAYS: u32 = 3650;
/// Most claims a day.
pub const MOST_CLAIMS: u32 = 5000;
/// 2026-03-02T00:00:00-04:00, a Monday: when worlds begin.
pub const START: Instant = Instant::from_ms(1_772_424_000_000);

/// What decides a world.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// The seed.
    pub seed: u64,
    /// How long it lasts, in days, at most [`MOST_DAYS`].
    pub days: u32,
    /// How many claims agents make on a day, at most [`MOST_CLAIMS`].
    pub claims_per_day: u32,
    /// What goes wrong in it.
    pub faults: Faults,
    /// When it begins: a midnight of its time zone, four hours behind UTC.
    pub start: Instant,
}

impl Settings {
    /// A world of some days with a few claims a day and every fault now and
    /// then.
    #[must_use]
    pub fn new(seed: u64, days: u32) -> Self {
        Self {
            seed,
            days,
            claims_per_day: 8,
            faults: Faults::some(),
            start: START,
        }
    }
}

/// A world run to its end.
#[derive(Clone, PartialEq, Debug)]
pub struct Simulated {
    /// What its ledger holds.
    pub ledger: Ledger,
    /// What really happened.
    pub truth: Truth,
}

/// Runs a world.
#[must_use]
pub fn simulate(settings: &Settings) -> Simulated {
    let mut simulation = Simulation::new(settings);
    while let Some(event) = simulation.next_event() {
        // What the rules refuse is lost to the ledger, as it is in life.
        let _ = simulation.apply(&event);
    }
    simulation.finish()
}
