//! What is wrong with a document, and where (supplement H). A problem names a
//! JSON path, never the content that stood there.

use core::fmt;

use attest_canon::json::JsonErrorKind;

use super::invariant::Invariant;

/// One thing wrong at one place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// JSON path of the narrowest value at fault; empty for the document.
    pub path: String,
    /// What is wrong there.
    pub kind: ProblemKind,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            write!(f, "{}", self.kind)
        } else {
            write!(f, "{}: {}", self.path, self.kind)
        }
    }
}

/// Everything that can be wrong with a ledger, golden or entity. Closed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProblemKind {
    /// The text is not the JSON that was asked for.
    Json(JsonErrorKind),
    /// A member that must be there is not.
    Missing,
    /// A member that is not part of the shape.
    UnknownMember,
    /// A value outside its grammar; says what was asked for.
    MustBe(&'static str),
    /// A text with more characters than its limit.
    TooLong(usize),
    /// A list with more entries than its limit.
    TooMany(usize),
    /// A text that holds a control character or line separator.
    NotOneLine,
    /// `id` is not the id of the row's own hash.
    IdNotFromHash,
    /// A member that this source, type or state cannot carry.
    NotAllowedHere,
    /// `format` is not `attest-ledger`.
    BadFormat,
    /// `version` is not one this program reads.
    BadVersion,
    /// An id that stands twice in one table.
    DuplicateId,
    /// A coverage or policy filed under a hash that is not its own.
    HashMismatch,
    /// `receiptInputs` names a coverage that is not in `batchCoverages`.
    UnknownCoverage,
    /// A receipt that breaks an invariant of §8; says which.
    BadReceipt(Invariant),
    /// A short name that nothing in the file bears.
    UnknownRef,
}

impl ProblemKind {
    /// The error's type and code, as `--json` output names them (supplement H).
    #[must_use]
    pub const fn code(self) -> (&'static str, &'static str) {
        match self {
            Self::BadFormat => ("LedgerError", "bad_format"),
            Self::BadVersion => ("LedgerError", "bad_version"),
            Self::DuplicateId => ("LedgerError", "duplicate_id"),
            Self::HashMismatch => ("LedgerError", "hash_mismatch"),
            Self::UnknownCoverage => ("LedgerError", "unknown_coverage"),
            Self::BadReceipt(_) => ("LedgerError", "bad_receipt"),
            Self::UnknownRef => ("ScenarioError", "unknown_ref"),
            _ => ("SchemaError", "invalid"),
        }
    }
}

impl fmt::Display for ProblemKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Json(kind) => write!(f, "{kind}"),
            Self::Missing => f.write_str("missing"),
            Self::UnknownMember => f.write_str("unknown member"),
            Self::MustBe(what) => write!(f, "must be {what}"),
            Self::TooLong(limit) => write!(f, "longer than {limit} characters"),
            Self::TooMany(limit) => write!(f, "more than {limit} entries"),
            Self::NotOneLine => f.write_str("must be one line without control characters"),
            Self::IdNotFromHash => f.write_str("id does not follow from its hash"),
            Self::NotAllowedHere => f.write_str("not allowed here"),
            Self::BadFormat => f.write_str("must be \"attest-ledger\""),
            Self::BadVersion => f.write_str("must be 7"),
            Self::DuplicateId => f.write_str("duplicate id"),
            Self::HashMismatch => f.write_str("does not hash to its key"),
            Self::UnknownCoverage => f.write_str("names a coverage that is not in the file"),
            Self::BadReceipt(invariant) => write!(f, "{invariant}"),
            Self::UnknownRef => f.write_str("names nothing in this file"),
        }
    }
}

/// Most problems kept; more are only counted, so that a hostile file cannot
/// make its own error report exhaust memory.
const KEPT: usize = 1000;

/// The problems of one document, in the order they were met.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Problems {
    list: Vec<Problem>,
    beyond: usize,
}

impl Problems {
    /// Adds a problem.
    pub fn add(&mut self, path: String, kind: ProblemKind) {
        if self.list.len() < KEPT {
            self.list.push(Problem { path, kind });
        } else {
            self.beyond = self.beyond.saturating_add(1);
        }
    }

    /// The problems kept.
    #[must_use]
    pub fn list(&self) -> &[Problem] {
        &self.list
    }

    /// How many more there were than are kept.
    #[must_use]
    pub const fn beyond(&self) -> usize {
        self.beyond
    }

    /// Whether nothing is wrong.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

impl fmt::Display for Problems {
    /// One line per problem.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, problem) in self.list.iter().enumerate() {
            if at > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{problem}")?;
        }
        if self.beyond > 0 {
            write!(f, "\nand {} more", self.beyond)?;
        }
        Ok(())
    }
}

impl core::error::Error for Problems {}
