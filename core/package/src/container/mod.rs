//! The outer file: a closed subset of uncompressed POSIX ustar (§2).

mod header;
mod read;
mod write;

#[cfg(any(test, feature = "fuzzing"))]
pub(crate) use header::{BLOCK, encode};
pub(crate) use read::{Admission, Archive};
pub(crate) use write::archive;
