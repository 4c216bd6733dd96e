//! Golden scenarios (§15): worked examples as files, run through the core and
//! compared with what was computed by hand.
//!
//! [`format`] is what a file holds; it is read strict at every level, and its
//! [`names`] must name something. [`build`] makes whole objects of it, [`run`]
//! grades and applies its events, [`compare`] says what differs, [`report`]
//! writes it down; [`walk`] shows it step by step.

pub mod build;
pub mod compare;
pub mod format;
pub mod names;
mod read;
pub mod report;
pub mod run;
pub mod walk;

#[cfg(test)]
mod tests;

use crate::decide::GradingError;
use crate::model::Problems;
use crate::policy::PolicyError;

pub use compare::Difference;
pub use format::Scenario;
pub use report::report_line;
pub use run::{Applied, Outcome, RefName, StoredReceipt, run};
pub use walk::{Walk, walk};

/// Why a scenario file cannot be run.
#[derive(Debug)]
pub enum ScenarioError {
    /// It is not a scenario: every problem, with its path.
    Format(Problems),
    /// Its patched policy does not load.
    Policy(PolicyError),
    /// Grading refuses its input.
    Grading(GradingError),
}

impl ScenarioError {
    /// The error's type and code, as `--json` output names them (supplement H).
    #[must_use]
    pub fn code(&self) -> (&'static str, &'static str) {
        match self {
            Self::Format(problems) => problems
                .list()
                .first()
                .map_or(("SchemaError", "invalid"), |problem| problem.kind.code()),
            Self::Policy(error) => error.code(),
            Self::Grading(error) => error.code(),
        }
    }

    /// Whether the file itself is at fault, so that nothing was graded.
    #[must_use]
    pub const fn is_load_error(&self) -> bool {
        matches!(self, Self::Format(_) | Self::Policy(_))
    }
}

impl core::fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Format(problems) => write!(f, "{problems}"),
            Self::Policy(error) => write!(f, "{error}"),
            Self::Grading(error) => write!(f, "{error}"),
        }
    }
}

impl core::error::Error for ScenarioError {}

impl From<GradingError> for ScenarioError {
    fn from(error: GradingError) -> Self {
        Self::Grading(error)
    }
}
