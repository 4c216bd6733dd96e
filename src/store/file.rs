//! Reading a file whole, within limits.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use attest_canon::{Digest, sha256};

use super::error::{Problem, StoreError};

/// The largest ledger, policy or scenario read, in bytes: four times what
/// 100,000 receipts take, and a bound on the memory a file can ask for.
pub const MAX_FILE: u64 = 1 << 30;

/// A file's text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Text(String);

impl Text {
    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The hash by which a later change of the file is noticed.
    #[must_use]
    pub fn digest(&self) -> Digest {
        sha256(self.0.as_bytes())
    }
}

/// Reads a file's text.
///
/// # Errors
///
/// It cannot be read, is larger than [`MAX_FILE`], or is not UTF-8.
pub fn read(path: &Path) -> Result<Text, StoreError> {
    read_within(path, MAX_FILE)
}

fn read_within(path: &Path, most: u64) -> Result<Text, StoreError> {
    String::from_utf8(bytes(path, most)?)
        .map(Text)
        .map_err(|error| {
            let good = error.as_bytes().get(..error.utf8_error().valid_up_to());
            let line = good
                .unwrap_or_default()
                .iter()
                .filter(|byte| **byte == b'\n')
                .count();
            StoreError::new(path, Problem::NotUtf8(line.saturating_add(1)))
        })
}

/// Reads a file of at most `most` bytes. What is not a plain file (a pipe) is
/// read up to the limit.
pub(super) fn bytes(path: &Path, most: u64) -> Result<Vec<u8>, StoreError> {
    let unreadable = StoreError::unreadable(path);
    let file = File::open(path).map_err(&unreadable)?;
    let length = file.metadata().map_err(&unreadable)?.len();
    if length > most {
        return Err(StoreError::new(path, Problem::TooLarge(most)));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(0).saturating_add(1));
    file.take(most.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(&unreadable)?;
    if bytes.len() as u64 > most {
        return Err(StoreError::new(path, Problem::TooLarge(most)));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(bytes: &[u8]) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), bytes).unwrap();
        file
    }

    #[test]
    fn the_limit_holds_from_both_sides() {
        let held = file(b"12345");
        assert_eq!(
            read_within(held.path(), 5).map(|text| text.0),
            Ok("12345".to_owned())
        );
        let refused = read_within(held.path(), 4).map_err(|error| error.problem);
        assert_eq!(refused, Err(Problem::TooLarge(4)));
    }

    /// 2 GiB that take no room on the disk are refused by their length alone.
    #[test]
    fn a_huge_file_is_refused_unread() {
        let held = file(b"");
        held.as_file().set_len(2 << 30).unwrap();
        let refused = read(held.path()).unwrap_err();
        assert_eq!(refused.problem, Problem::TooLarge(MAX_FILE));
        assert!(
            refused
                .to_string()
                .ends_with("larger than 1073741824 bytes")
        );
    }

    #[test]
    fn bytes_that_are_no_text_are_placed() {
        for (bytes, line) in [
            (&b"\xff"[..], 1),
            (b"a\nb\n\xc3\x28", 3),
            (b"ok\n\xed\xa0\x80", 2),
            (b"cut \xf0\x9f\x98", 1),
        ] {
            let refused = read(file(bytes).path()).map_err(|error| error.problem);
            assert_eq!(refused, Err(Problem::NotUtf8(line)));
        }
    }

    #[test]
    fn what_is_no_file_is_said() {
        let folder = tempfile::tempdir().unwrap();
        let none = folder.path().join("no\u{1b}[31m.json");
        let error = read(&none).unwrap_err();
        assert_eq!(
            error.problem,
            Problem::Unreadable(std::io::ErrorKind::NotFound)
        );
        assert!(
            error
                .to_string()
                .contains(r"no\u{1b}[31m.json: cannot be read: ")
        );
        assert!(matches!(
            read(folder.path()).unwrap_err().problem,
            Problem::Unreadable(_)
        ));
    }
}
