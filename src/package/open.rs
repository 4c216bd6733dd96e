//! Reading a package from a disk: verifying it, looking into it, and saying
//! which context it names when it was verified under another.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use attest_canon::Digest;
use attest_package::document::{ContextInput, Report};
use attest_package::{Dialect, Outcome, PackageView, Reason, inspect, named_context, verify_under};

use super::source;
use crate::store::{Problem, StoreError};

/// The largest context file, in bytes: it is embedded whole in the report,
/// whose budget this is.
const CONTEXT_BYTES: u64 = 16 << 20;

/// Bytes read ahead of a package's blocks.
const AHEAD: usize = 64 << 10;

/// Why there is nothing to verify: the contract's reason and, where it is a
/// file's fault, the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unread {
    /// The reason a report gives.
    pub reason: Reason,
    /// The file and what is wrong with it.
    pub file: Option<StoreError>,
}

/// Reads a context file; without one, the contract's Example A1.
///
/// # Errors
///
/// It cannot be read, or `trust_input`: it is no context (§9).
pub fn context(path: Option<&Path>) -> Result<ContextInput, Unread> {
    let Some(path) = path else {
        return Ok(ContextInput::example_a1());
    };
    let bytes = source::read(path, CONTEXT_BYTES).map_err(unread)?;
    ContextInput::parse(&bytes).map_err(|reason| Unread { reason, file: None })
}

/// The reason of a source that was not read (contract §8, §10).
fn unread(error: StoreError) -> Unread {
    let reason = match error.problem {
        Problem::TooLarge(_) => Reason::ResourceHard,
        _ => Reason::IoUnavailable,
    };
    Unread {
        reason,
        file: Some(error),
    }
}

fn stream(path: &Path) -> Result<BufReader<File>, Unread> {
    let file = source::open(path).map_err(unread)?;
    Ok(BufReader::with_capacity(AHEAD, file))
}

/// Verifies a package. It is read once, as a stream.
///
/// # Errors
///
/// It cannot be opened; its report is that of the reason.
pub fn verify(path: &Path, context: &ContextInput, dialect: Dialect) -> Result<Report, Unread> {
    Ok(verify_under(stream(path)?, context, dialect))
}

/// Verifies a package and opens it; the inner error is the report that refuses
/// it.
///
/// # Errors
///
/// It cannot be opened; its report is that of the reason.
pub fn view(
    path: &Path,
    context: &ContextInput,
    dialect: Dialect,
) -> Result<Result<PackageView, Box<Report>>, Unread> {
    Ok(inspect(stream(path)?, context, dialect))
}

/// [`view`], telling after each piece of the file how many bytes are read, of
/// how many, and ending when `go_on` says so: what it then returns says nothing
/// of the package.
///
/// # Errors
///
/// As [`view`].
pub fn view_watched(
    path: &Path,
    context: &ContextInput,
    dialect: Dialect,
    go_on: impl FnMut(u64, u64) -> bool,
) -> Result<Result<PackageView, Box<Report>>, Unread> {
    let file = source::open(path).map_err(unread)?;
    let of = file.metadata().map_or(0, |data| data.len());
    let watched = Watched {
        file,
        read: 0,
        of,
        go_on,
    };
    let stream = BufReader::with_capacity(AHEAD, watched);
    Ok(inspect(stream, context, dialect))
}

/// A file that tells how far it is read.
struct Watched<F> {
    file: File,
    read: u64,
    of: u64,
    go_on: F,
}

impl<F: FnMut(u64, u64) -> bool> Read for Watched<F> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if !(self.go_on)(self.read, self.of) {
            return Err(io::Error::other("cancelled"));
        }
        let read = self.file.read(buffer)?;
        self.read = self.read.saturating_add(u64::try_from(read).unwrap_or(0));
        Ok(read)
    }
}

/// Whether a package that the contract refuses is one that the dialect alone
/// admits (package readings, the dialect).
#[must_use]
pub fn is_dialects(path: &Path, context: &ContextInput) -> bool {
    verify(path, context, Dialect::Assay621)
        .is_ok_and(|report| report.outcome() == Outcome::Verified)
}

/// What a person should know of a package that ended `stale_assessment`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OtherContext {
    /// The context its assessment names.
    pub named: Digest,
    /// A context file beside it, and whether it is the one named.
    pub beside: Option<(PathBuf, bool)>,
}

/// Which context a package names, when it is not this one.
#[must_use]
pub fn other_context(
    path: &Path,
    context: &ContextInput,
    dialect: Dialect,
) -> Option<OtherContext> {
    let named = named_context(stream(path).ok()?, dialect)?;
    if named == context.digest() {
        return None;
    }
    let file = path.with_extension("context.json");
    let beside = file.is_file().then(|| {
        let is_named = read_digest(&file) == Some(named);
        (file, is_named)
    });
    Some(OtherContext { named, beside })
}

/// The digest of the context in a file.
fn read_digest(path: &Path) -> Option<Digest> {
    let mut bytes = Vec::new();
    let file = source::open(path).ok()?;
    file.take(CONTEXT_BYTES).read_to_end(&mut bytes).ok()?;
    Some(ContextInput::parse(&bytes).ok()?.digest())
}
