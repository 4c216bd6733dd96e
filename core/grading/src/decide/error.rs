//! Why a batch or a grade is refused (§3, §13). Ids and agents only, never
//! content.

use core::fmt;

use attest_canon::Id;

use crate::model::AgentId;

use super::assign::CandidatesError;

/// Why a batch is refused, in the order the checks are made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BatchError {
    /// A claim was graded at or after this batch's instant.
    StaleEvaluatedAt(Id),
    /// A claim to be graded is named by a pre-assignment that has not ended.
    ClaimFixed(Id),
    /// An agent has two grants at its latest instant.
    AmbiguousGrant(AgentId),
    /// An agent has no grant in force.
    MissingGrant(AgentId),
}

impl fmt::Display for BatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::StaleEvaluatedAt(claim) => {
                write!(
                    f,
                    "claim {claim} was graded at or after the batch's instant"
                )
            }
            Self::ClaimFixed(claim) => write!(f, "claim {claim} is fixed by an earlier receipt"),
            Self::AmbiguousGrant(agent) => {
                write!(f, "{agent} has two grants at its latest instant")
            }
            Self::MissingGrant(agent) => write!(f, "{agent} has no grant in force"),
        }
    }
}

impl core::error::Error for BatchError {}

/// Why a single grade is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GradeError {
    /// A candidate §4.1 could not have returned.
    ForeignCandidate(Id),
    /// A claim-less grade without an orphan to grade.
    ClaimlessSubject,
    /// The grant is another agent's.
    AgentMismatch,
    /// A claim's grade concluded UNASKED; no loaded policy can.
    UnaskedWithClaim,
}

impl fmt::Display for GradeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ForeignCandidate(id) => {
                write!(f, "observation {id} is no candidate of the claim")
            }
            Self::ClaimlessSubject => f.write_str("there is nothing to grade"),
            Self::AgentMismatch => f.write_str("the grant is another agent's"),
            Self::UnaskedWithClaim => f.write_str("a claim cannot be unasked"),
        }
    }
}

impl core::error::Error for GradeError {}

/// Any refusal of the core's deciding part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GradingError {
    /// Of a batch.
    Batch(BatchError),
    /// Of a single grade.
    Grade(GradeError),
    /// Of the fixed pairs.
    Candidates(CandidatesError),
}

impl GradingError {
    /// The error's type and code, as `--json` output names them (supplement H).
    #[must_use]
    pub const fn code(self) -> (&'static str, &'static str) {
        match self {
            Self::Batch(BatchError::StaleEvaluatedAt(_)) => ("BatchError", "stale_evaluated_at"),
            Self::Batch(BatchError::ClaimFixed(_)) => ("BatchError", "claim_fixed"),
            Self::Batch(BatchError::AmbiguousGrant(_)) => ("BatchError", "ambiguous_grant"),
            Self::Batch(BatchError::MissingGrant(_)) => ("BatchError", "missing_grant"),
            Self::Grade(GradeError::ForeignCandidate(_)) => ("GradeError", "foreign_candidate"),
            Self::Grade(GradeError::ClaimlessSubject) => ("GradeError", "claimless_subject"),
            Self::Grade(GradeError::AgentMismatch) => ("GradeError", "agent_mismatch"),
            Self::Grade(GradeError::UnaskedWithClaim) => ("GradeError", "unasked_with_claim"),
            Self::Candidates(CandidatesError) => ("CandidatesError", "not_one_to_one"),
        }
    }
}

impl fmt::Display for GradingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Batch(error) => write!(f, "{error}"),
            Self::Grade(error) => write!(f, "{error}"),
            Self::Candidates(error) => write!(f, "{error}"),
        }
    }
}

impl core::error::Error for GradingError {}

impl From<BatchError> for GradingError {
    fn from(error: BatchError) -> Self {
        Self::Batch(error)
    }
}

impl From<GradeError> for GradingError {
    fn from(error: GradeError) -> Self {
        Self::Grade(error)
    }
}

impl From<CandidatesError> for GradingError {
    fn from(error: CandidatesError) -> Self {
        Self::Candidates(error)
    }
}
