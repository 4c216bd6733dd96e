//! Why something is not stored.

use core::fmt;

use attest_canon::Id;

use crate::ledger::state::IllegalTransitionError;
use crate::model::decode::{Decoder, Read};
use crate::model::problem::{Problem, ProblemKind};
use crate::model::{Canonical, canonical_text};

/// A refusal of the ledger's writer: ids, paths and codes, never content.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WriteError {
    /// A row differs from the stored one under the same hash.
    IdConflict(Id),
    /// An earlier sighting of a stored observation.
    LateSighting(Id),
    /// Something read after the writer's now.
    ClockBehind,
    /// A batch at or before the last recorded one.
    BatchOutOfOrder,
    /// An event its receipt does not take (§8).
    Illegal(IllegalTransitionError),
    /// A revert whose evidence this claim holds now, without the person having
    /// been told.
    EvidenceHeld(Id),
    /// A row its schema, its source or its observer's rule refuses; the path is
    /// inside the row.
    Invalid(Problem),
}

impl WriteError {
    pub(super) fn invalid(path: impl Into<String>, kind: ProblemKind) -> Self {
        let path = path.into();
        Self::Invalid(Problem { path, kind })
    }

    /// The error's type and code (supplement H). A revert that was not asked
    /// twice has no code of its own there: it is an event that cannot be yet.
    #[must_use]
    pub const fn code(&self) -> (&'static str, &'static str) {
        match self {
            Self::IdConflict(_) => ("LedgerError", "id_conflict"),
            Self::LateSighting(_) => ("LedgerError", "late_sighting"),
            Self::ClockBehind => ("LedgerError", "clock_behind"),
            Self::BatchOutOfOrder => ("LedgerError", "batch_out_of_order"),
            Self::Illegal(error) => ("IllegalTransitionError", error.code()),
            Self::EvidenceHeld(_) => ("IllegalTransitionError", "invalid_event"),
            Self::Invalid(problem) => problem.kind.code(),
        }
    }
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::IdConflict(id) => write!(f, "{id} is stored with other facts"),
            Self::LateSighting(id) => write!(f, "{id} is stored with a later first sighting"),
            Self::ClockBehind => f.write_str("read after the writer's now"),
            Self::BatchOutOfOrder => f.write_str("the batch is not after the last one"),
            Self::Illegal(error) => write!(f, "{error}"),
            Self::EvidenceHeld(claim) => write!(f, "claim {claim} holds the evidence now"),
            Self::Invalid(problem) => write!(f, "{problem}"),
        }
    }
}

impl core::error::Error for WriteError {}

impl From<IllegalTransitionError> for WriteError {
    fn from(error: IllegalTransitionError) -> Self {
        Self::Illegal(error)
    }
}

/// Holds a value that was made in memory to the schema a file is held to, so
/// that what is written can be read back.
pub(super) fn check<T: Canonical>(
    value: &T,
    decode: impl FnOnce(&mut Decoder<'_>) -> Read<T>,
) -> Result<(), WriteError> {
    let text = canonical_text(value);
    match Decoder::read_document(&text, decode) {
        Ok(_) => Ok(()),
        Err(problems) => {
            let first = problems.list().first().cloned();
            Err(WriteError::Invalid(first.unwrap_or_else(|| Problem {
                path: String::new(),
                kind: ProblemKind::MustBe("a valid row"),
            })))
        }
    }
}
