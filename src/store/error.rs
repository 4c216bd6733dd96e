//! What can go wrong with a file.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use attest_grading::text::escaped;

/// One thing wrong with a file, never with what it says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoreError {
    /// Which file.
    pub path: PathBuf,
    /// What is wrong.
    pub problem: Problem,
}

/// The kinds of problems.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Problem {
    /// It cannot be read.
    Unreadable(io::ErrorKind),
    /// It cannot be written.
    Unwritable(io::ErrorKind),
    /// It is larger than this many bytes.
    TooLarge(u64),
    /// It is not UTF-8, from this line on.
    NotUtf8(usize),
    /// There is a file already, and nothing is replaced.
    Exists,
    /// Its file system can put no new file in place without replacing one.
    NoSafePublish,
    /// It is not a regular file.
    NotRegular,
    /// It is not what was read: another program changed it.
    Changed,
    /// It was read, and another program moved or deleted it.
    Gone,
    /// Another attest-tui has it open for writing.
    Locked,
    /// The system has no directory for a program's state.
    NoStateDirectory,
    /// It was never saved, so it has no name to be saved under.
    Unnamed,
}

impl StoreError {
    pub(super) fn new(path: &Path, problem: Problem) -> Self {
        Self {
            path: path.to_owned(),
            problem,
        }
    }

    pub(super) fn unreadable(path: &Path) -> impl Fn(io::Error) -> Self {
        move |error| Self::new(path, Problem::Unreadable(error.kind()))
    }

    pub(super) fn unwritable(path: &Path) -> impl Fn(io::Error) -> Self {
        move |error| Self::new(path, Problem::Unwritable(error.kind()))
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.problem != Problem::Unnamed {
            write!(f, "{}: ", escaped(&self.path.to_string_lossy()))?;
        }
        fmt::Display::fmt(&self.problem, f)
    }
}

impl fmt::Display for Problem {
    /// What follows the file's name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(kind) => write!(f, "cannot be read: {kind}"),
            Self::Unwritable(kind) => write!(f, "cannot be written: {kind}"),
            Self::TooLarge(limit) => write!(f, "larger than {limit} bytes"),
            Self::NotUtf8(line) => write!(f, "not utf-8, from line {line} on"),
            Self::Exists => f.write_str("is there already, and nothing is replaced"),
            Self::NoSafePublish => {
                f.write_str("its file system cannot publish a file without replacing one")
            }
            Self::NotRegular => f.write_str("is not a regular file"),
            Self::Changed => f.write_str("was changed by another program since it was read"),
            Self::Gone => f.write_str("is no longer there"),
            Self::Locked => f.write_str("is open in another attest-tui"),
            Self::Unnamed => f.write_str("the ledger has no file yet"),
            Self::NoStateDirectory => {
                f.write_str("cannot be changed: there is no directory for a journal of events")
            }
        }
    }
}

impl std::error::Error for StoreError {}
