//! Opening what a person names: a ledger export, or a golden scenario, which
//! opens as a ledger nothing was graded in yet.

use std::fmt;
use std::path::{Path, PathBuf};

use attest_canon::Id;
use attest_canon::json::{Limits, Reader};
use attest_grading::decide::BatchInput;
use attest_grading::ledger::{Ledger, LedgerError, NextBatch, TooMuchCoverage};
use attest_grading::model::{Claim, Coverage, IsoTs, Observation, Receipt};
use attest_grading::policy::Policy;
use attest_grading::scenario::build::World;
use attest_grading::scenario::{Scenario, ScenarioError};
use attest_grading::text::escaped;

use super::error::StoreError;
use super::file::{self, Text};

/// A ledger or a scenario, read and checked.
#[derive(Debug)]
pub struct Opened {
    /// The name messages give it.
    pub path: PathBuf,
    /// What it is.
    pub source: Source,
}

/// What was opened.
#[derive(Debug)]
pub enum Source {
    /// A ledger export.
    Ledger(Box<Ledger>),
    /// A golden scenario's rows, coverage, activity, fixed pairs and policy.
    Scenario(Box<World>),
}

/// Why a file does not open.
#[derive(Debug)]
pub enum OpenError {
    /// The file itself.
    Store(StoreError),
    /// It is no ledger.
    Ledger(PathBuf, LedgerError),
    /// It is no scenario.
    Scenario(PathBuf, ScenarioError),
}

impl fmt::Display for OpenError {
    /// One line a problem, each with the file's path.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, problems) = match self {
            Self::Store(error) => return fmt::Display::fmt(error, f),
            Self::Ledger(path, error) => (path, error.to_string()),
            Self::Scenario(path, error) => (path, error.to_string()),
        };
        let path = path.to_string_lossy();
        let path = escaped(&path);
        for (place, problem) in problems.lines().enumerate() {
            if place > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{path}: {problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for OpenError {}

impl From<StoreError> for OpenError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// Opens a file.
///
/// # Errors
///
/// It cannot be read, or everything that is wrong with what it says.
pub fn open(path: &Path) -> Result<(Opened, Text), OpenError> {
    let text = file::read(path)?;
    let opened = Opened::read(path, text.as_str())?;
    Ok((opened, text))
}

impl Opened {
    /// Reads a text as what `path` names.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with it.
    pub fn read(path: &Path, text: &str) -> Result<Self, OpenError> {
        let source = if is_scenario(text) {
            let fault = |error| OpenError::Scenario(path.to_owned(), error);
            let scenario = Scenario::read(text).map_err(ScenarioError::Format);
            let world = scenario
                .and_then(|scenario| World::build(&scenario).map_err(ScenarioError::Policy))
                .map_err(fault)?;
            Source::Scenario(Box::new(world))
        } else {
            let ledger = Ledger::read(text);
            Source::Ledger(Box::new(
                ledger.map_err(|error| OpenError::Ledger(path.to_owned(), error))?,
            ))
        };
        Ok(Self {
            path: path.to_owned(),
            source,
        })
    }

    /// What it holds.
    #[must_use]
    pub fn view(&self) -> View<'_> {
        match &self.source {
            Source::Ledger(ledger) => View::Ledger(ledger),
            Source::Scenario(world) => View::Scenario(world),
        }
    }

    /// The instant of a batch nobody gave one (supplement J); a scenario's own.
    #[must_use]
    pub fn default_instant(&self) -> Option<IsoTs> {
        self.view().default_instant()
    }

    /// The policy it is graded by when nobody names one: a scenario's own.
    #[must_use]
    pub fn policy(&self) -> Option<&Policy> {
        self.view().policy()
    }

    /// Its stored receipts; a scenario has none.
    #[must_use]
    pub fn receipts(&self) -> &[Receipt] {
        self.view().receipts()
    }

    /// The receipt a scenario's short name stands for.
    #[must_use]
    pub fn named_row(&self, name: &str) -> Option<Id> {
        match &self.source {
            Source::Ledger(_) => None,
            Source::Scenario(world) => world.id_of(name),
        }
    }

    /// What its next batch is handed.
    ///
    /// # Errors
    ///
    /// More coverage than a batch takes.
    pub fn next_batch(&self, at: IsoTs) -> Result<Next<'_>, TooMuchCoverage> {
        self.view().next_batch(at)
    }
}

/// A ledger or a scenario, wherever it is held.
#[derive(Clone, Copy, Debug)]
pub enum View<'a> {
    /// A ledger.
    Ledger(&'a Ledger),
    /// A scenario.
    Scenario(&'a World),
}

impl<'a> View<'a> {
    /// The instant of a batch nobody gave one (supplement J); a scenario's own.
    #[must_use]
    pub fn default_instant(self) -> Option<IsoTs> {
        match self {
            Self::Ledger(ledger) => ledger.default_instant(),
            Self::Scenario(world) => Some(world.coverage.evaluated_at),
        }
    }

    /// The policy it is graded by when nobody names one: a scenario's own.
    #[must_use]
    pub const fn policy(self) -> Option<&'a Policy> {
        match self {
            Self::Ledger(_) => None,
            Self::Scenario(world) => Some(&world.policy),
        }
    }

    /// Its stored receipts; a scenario has none.
    #[must_use]
    pub fn receipts(self) -> &'a [Receipt] {
        match self {
            Self::Ledger(ledger) => &ledger.receipts,
            Self::Scenario(_) => &[],
        }
    }

    /// Its claims.
    #[must_use]
    pub fn claims(self) -> &'a [Claim] {
        match self {
            Self::Ledger(ledger) => &ledger.claims,
            Self::Scenario(world) => &world.claims,
        }
    }

    /// Its observations.
    #[must_use]
    pub fn observations(self) -> &'a [Observation] {
        match self {
            Self::Ledger(ledger) => &ledger.observations,
            Self::Scenario(world) => &world.observations,
        }
    }

    /// What its next batch is handed.
    ///
    /// # Errors
    ///
    /// More coverage than a batch takes.
    pub fn next_batch(self, at: IsoTs) -> Result<Next<'a>, TooMuchCoverage> {
        Ok(match self {
            Self::Ledger(ledger) => Next::Ledger(Box::new(NextBatch::new(ledger, at)?)),
            Self::Scenario(world) => Next::Scenario(
                world,
                Coverage {
                    evaluated_at: at,
                    ..world.coverage.clone()
                },
            ),
        })
    }
}

/// What a batch is handed.
#[derive(Debug)]
pub enum Next<'a> {
    /// Of a ledger.
    Ledger(Box<NextBatch<'a>>),
    /// Of a scenario, with the coverage at the batch's instant.
    Scenario(&'a World, Coverage),
}

impl Next<'_> {
    /// The batch's input under a policy.
    #[must_use]
    pub fn input<'b>(&'b self, policy: &'b Policy) -> BatchInput<'b> {
        match self {
            Self::Ledger(next) => next.input(policy),
            Self::Scenario(world, coverage) => world.batch_input(policy, coverage),
        }
    }

    /// What a person should know of lists that were cut.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        match self {
            Self::Ledger(next) => next.cuts().iter().map(ToString::to_string).collect(),
            Self::Scenario(..) => Vec::new(),
        }
    }
}

/// Whether a text is a scenario's: its document names no format and has one of
/// a scenario's own members. Whatever else is wrong is for the reader to say.
pub(super) fn is_scenario(text: &str) -> bool {
    let mut reader = Reader::new(text, Limits::LEDGER);
    if reader.begin_object().is_err() {
        return false;
    }
    let mut found = false;
    while let Ok(Some(key)) = reader.next_key() {
        match key.as_ref() {
            "format" | "version" | "receipts" => return false,
            "input" | "mode" | "covers" | "expect" => found = true,
            _ => {}
        }
        if reader.skip().is_err() {
            break;
        }
    }
    found
}
