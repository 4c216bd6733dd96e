//! Why a ledger does not become a package.

use std::fmt;

use attest_canon::Id as ReceiptId;
use attest_package::document::FactKind;
use attest_package::grammar::Id;
use attest_package::limits::Limit;
use attest_package::{BuildError, Reason};

/// What stands in the way of an export: tokens, ids and numbers, never content.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExportError {
    /// The selection holds no receipt.
    Nothing,
    /// The ledger does not hold the policy this receipt was graded by.
    NoPolicy(ReceiptId),
    /// This receipt's text is longer than 64 KiB.
    ReceiptTooLong(ReceiptId),
    /// This fact's text is longer than 64 KiB.
    FactTooLong(FactKind),
    /// A limit that selecting less keeps.
    TooMany(Limit),
    /// Two inputs have this id.
    Twice(Id),
    /// An added input has an id that only a ledger's own inputs have.
    Reserved(Id),
    /// Not `valid_from` ≤ `as_of` ≤ `valid_until`.
    Instants,
    /// The package cannot be built.
    Build(BuildError),
}

impl ExportError {
    /// The contract's reason (§10); none for a request that asks for nothing
    /// that could be.
    #[must_use]
    pub fn reason(&self) -> Option<Reason> {
        match self {
            Self::Nothing | Self::Twice(_) | Self::Reserved(_) => None,
            Self::NoPolicy(_) => Some(Reason::PolicyBinding),
            Self::ReceiptTooLong(_) | Self::FactTooLong(_) | Self::TooMany(_) => {
                Some(Reason::ResourceHard)
            }
            Self::Instants => Some(Reason::TrustInput),
            Self::Build(error) => Some(error.reason),
        }
    }
}

impl fmt::Display for ExportError {
    /// One line; the reason first, where there is one.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(reason) = self.reason() {
            write!(f, "{reason}: ")?;
        }
        match self {
            Self::Nothing => f.write_str("the selection holds no receipt"),
            Self::NoPolicy(receipt) => {
                write!(f, "receipt {receipt}: its policy is not in the ledger")
            }
            Self::ReceiptTooLong(receipt) => {
                write!(f, "receipt {receipt}: longer than 65536 bytes")
            }
            Self::FactTooLong(kind) => {
                write!(f, "{}: longer than 65536 bytes", kind.token())
            }
            Self::TooMany(limit) => {
                write!(f, "more than {} {}; select less", limit.hard(), limit.key())
            }
            Self::Twice(id) => write!(f, "{id}: two inputs have this id"),
            Self::Reserved(id) => write!(f, "{id}: an id that the ledger's own inputs have"),
            Self::Instants => {
                f.write_str("as_of must not lie before valid_from, nor after valid_until")
            }
            Self::Build(error) => {
                let at = error.at.as_ref().map_or("the package", Id::as_str);
                match error.reason {
                    Reason::ResourceHard => write!(f, "{at}: select less"),
                    _ => write!(f, "{at}"),
                }
            }
        }
    }
}

impl std::error::Error for ExportError {}

impl From<BuildError> for ExportError {
    fn from(error: BuildError) -> Self {
        Self::Build(error)
    }
}
