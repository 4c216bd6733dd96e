//! Reading a source once: a regular file, within a bound, unchanged from the
//! first byte to the last (contract §2, §8).

use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::Path;

use crate::store::{Problem, StoreError};

/// Reads a regular file of at most `most` bytes whole.
///
/// # Errors
///
/// It is no regular file, larger, not to be read, or another program changed
/// it while it was read.
pub fn read(path: &Path, most: u64) -> Result<Vec<u8>, StoreError> {
    read_watched(path, most, || {})
}

/// Opens a regular file. Anything else is refused before it is opened, which
/// for a pipe would wait for its other end.
pub fn open(path: &Path) -> Result<File, StoreError> {
    let unreadable = |error: io::Error| fault(path, Problem::Unreadable(error.kind()));
    if !fs::metadata(path).map_err(unreadable)?.is_file() {
        return Err(fault(path, Problem::NotRegular));
    }
    let file = File::open(path).map_err(unreadable)?;
    // The name may have come to mean something else meanwhile.
    if !file.metadata().map_err(unreadable)?.is_file() {
        return Err(fault(path, Problem::NotRegular));
    }
    Ok(file)
}

fn fault(path: &Path, problem: Problem) -> StoreError {
    StoreError {
        path: path.to_owned(),
        problem,
    }
}

/// [`read`], with what a test does while the file is read.
fn read_watched(path: &Path, most: u64, meanwhile: impl FnOnce()) -> Result<Vec<u8>, StoreError> {
    let unreadable = |error: io::Error| fault(path, Problem::Unreadable(error.kind()));
    let mut file = open(path)?;
    let before = file.metadata().map_err(unreadable)?;
    if before.len() > most {
        return Err(fault(path, Problem::TooLarge(most)));
    }
    let mut bytes = Vec::new();
    // One byte more than there should be shows a file that grows.
    let mut bounded = (&mut file).take(before.len().saturating_add(1));
    bounded.read_to_end(&mut bytes).map_err(unreadable)?;
    meanwhile();
    let after = file.metadata().map_err(unreadable)?;
    let whole = u64::try_from(bytes.len()) == Ok(before.len());
    if !whole || !is_same(&before, &after) {
        return Err(fault(path, Problem::Changed));
    }
    Ok(bytes)
}

/// Whether nothing was written between two looks at an open file.
fn is_same(before: &Metadata, after: &Metadata) -> bool {
    before.len() == after.len() && before.modified().ok() == after.modified().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, SystemTime};

    #[test]
    fn a_regular_file_is_read_within_its_bound() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("source");
        for content in [&b""[..], b"12345"] {
            fs::write(&path, content).unwrap();
            assert_eq!(read(&path, 5).unwrap(), content);
        }
        let problem = |most| read(&path, most).unwrap_err().problem;
        assert_eq!(problem(4), Problem::TooLarge(4));
        fs::remove_file(&path).unwrap();
        assert_eq!(problem(4), Problem::Unreadable(io::ErrorKind::NotFound));
    }

    /// Longer, shorter, or as long but written to: what was read is not what
    /// stands there.
    #[test]
    fn a_source_that_changes_while_it_is_read_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("source");
        for change in [&b"123456"[..], b"1234", b"54321"] {
            fs::write(&path, b"12345").unwrap();
            let old = SystemTime::now() - Duration::from_secs(60);
            let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
            file.set_modified(old).unwrap();
            let error = read_watched(&path, 10, || fs::write(&path, change).unwrap());
            assert_eq!(error.unwrap_err().problem, Problem::Changed);
        }
    }

    #[test]
    fn what_is_no_regular_file_is_refused_unopened() {
        let folder = tempfile::tempdir().unwrap();
        let problem = |path: &Path| read(path, 10).unwrap_err().problem;
        assert_eq!(problem(folder.path()), Problem::NotRegular);
        #[cfg(unix)]
        {
            // A pipe that nobody writes to: opening it would never return.
            let pipe = folder.path().join("pipe");
            let made = std::process::Command::new("mkfifo").arg(&pipe).status();
            if made.is_ok_and(|status| status.success()) {
                assert_eq!(problem(&pipe), Problem::NotRegular);
            }
            assert_eq!(problem("/dev/null".as_ref()), Problem::NotRegular);
        }
    }
}
