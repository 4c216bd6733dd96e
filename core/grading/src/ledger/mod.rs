//! A ledger: its file, its life, and the rules its writer keeps (§3, §8, §9,
//! supplement E).

pub mod batch_input;
pub mod batch_store;
pub mod export;
pub mod rules;
pub mod state;
mod write;

pub use batch_input::{Cut, NextBatch, TooMuchCoverage};
pub use export::{Ledger, LedgerError, LedgerProblem, Meta};
pub use rules::{Keeper, WriteError};
pub use state::{Event, EventKind, IllegalTransitionError, legal_events, transition};
