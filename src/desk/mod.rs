//! A ledger on the inspector's work thread: opened, graded, asked about one
//! receipt at a time, and changed by a person's word. It computes nothing of its
//! own: rows come from receipts, explanations from traces.
//!
//! This file says what is to be opened; [`serve`] holds it and answers;
//! [`look`] is one grading of it; [`rows`] and [`travel`] are what they read. A
//! [`package`] has a desk of its own, which changes nothing.

mod export;
mod look;
pub mod package;
#[cfg(test)]
mod pictures;
mod rows;
mod serve;
#[cfg(test)]
mod tests;
pub mod travel;

use std::path::PathBuf;

use attest_grading::decide::{Batch, Graded, Trace};
use attest_grading::model::{Instant, IsoTs};
use attest_grading::policy::{DEFAULT_POLICY, Policy, load_policy};
use attest_grading::replay::Mismatch;
use attest_grading::text::escaped;

use crate::store::{self, Next, Opened, View};

pub use look::look;
pub use rows::Texts;
pub use serve::LedgerDesk;

/// The demo ledger, as `attest-tui demo` writes it.
pub const DEMO: &str = include_str!("../../golden/ledgers/demo.json");

/// What to open, and how to grade it.
#[derive(Clone, Debug, Default)]
pub struct Job {
    /// The file; none for the embedded demo.
    pub path: Option<PathBuf>,
    /// The batch's instant; none for the ledger's own (supplement J).
    pub at: Option<IsoTs>,
    /// The policy; none for the scenario's own or the shipped one.
    pub policy: Option<Policy>,
}

/// Why a job cannot be done: lines to show, already escaped.
pub type Refusal = String;

impl Job {
    /// The name messages give the file.
    #[must_use]
    pub fn name(&self) -> String {
        self.path.as_ref().map_or_else(
            || "demo".to_owned(),
            |path| escaped(&path.to_string_lossy()).into_owned(),
        )
    }

    /// Reads the file.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with it.
    pub fn open(&self) -> Result<Opened, Refusal> {
        match &self.path {
            Some(path) => store::open(path)
                .map(|(opened, _)| opened)
                .map_err(|error| error.to_string()),
            None => Opened::read("demo".as_ref(), DEMO).map_err(|error| error.to_string()),
        }
    }

    /// Grades what the file's next batch would.
    ///
    /// # Errors
    ///
    /// No instant to grade at, or what grading refuses.
    pub fn prepare<'o>(&self, opened: &'o Opened) -> Result<Ready<'o>, Refusal> {
        self.ready(opened.view(), self.at)
    }

    /// Grades what a view's next batch would, at an instant or at its own.
    ///
    /// # Errors
    ///
    /// No instant to grade at, or what grading refuses.
    pub(super) fn ready<'o>(
        &self,
        view: View<'o>,
        at: Option<IsoTs>,
    ) -> Result<Ready<'o>, Refusal> {
        let name = self.name();
        let at = at.or_else(|| view.default_instant());
        let at =
            at.ok_or_else(|| format!("{name}: holds no instant to grade at; give one with --at"))?;
        let policy = match (&self.policy, view.policy()) {
            (Some(policy), _) => policy.clone(),
            (None, Some(policy)) => policy.clone(),
            (None, None) => load_policy(DEFAULT_POLICY).map_err(|error| error.to_string())?,
        };
        let next = view
            .next_batch(at)
            .map_err(|error| format!("{name}: {error}"))?;
        Ok(Ready { next, policy, at })
    }
}

/// A batch that is about to run.
pub struct Ready<'o> {
    /// What it is handed.
    pub next: Next<'o>,
    /// By which policy.
    pub policy: Policy,
    /// At which instant.
    pub at: IsoTs,
}

/// The wall clock.
#[must_use]
pub fn now() -> IsoTs {
    let since = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap_or_default();
    let ms = i64::try_from(since.as_millis()).unwrap_or(i64::MAX);
    IsoTs::computed(Instant::from_ms(ms), 0)
}

/// The trace of a receipt a batch made.
///
/// # Errors
///
/// What grading refuses, as a line.
pub fn fresh_trace(batch: &Batch<'_>, graded: &Graded) -> Result<Trace, String> {
    batch
        .trace_of(graded)
        .map_err(|error| error.to_string())?
        .ok_or_else(|| "its subject is not in the ledger".to_owned())
}

/// Why a stored receipt cannot be derived again, as a line.
#[must_use]
pub fn why_not(mismatch: &Mismatch) -> String {
    format!("it cannot be derived again: {}", mismatch.field)
}
