//! The advisory lock that keeps two writers of one ledger apart.
//!
//! It is held on a file of its own: the ledger itself is renamed over at every
//! save, and a lock on it would stay with the old file.

use std::fs::{File, OpenOptions, TryLockError};

use super::error::{Problem, StoreError};
use super::place::{Place, private};

/// The right to write a ledger, until dropped. The system gives it back when
/// the program ends, however it ends.
#[derive(Debug)]
pub struct Lock(#[expect(dead_code, reason = "holds the lock")] File);

impl Lock {
    /// Takes the lock.
    ///
    /// # Errors
    ///
    /// [`Problem::Locked`] when another program holds it, or the state
    /// directory cannot be written.
    pub fn take(place: &Place) -> Result<Self, StoreError> {
        place.make()?;
        let path = place.lock();
        let mut options = OpenOptions::new();
        let options = options.create(true).truncate(false).write(true);
        let file = private(&path, options).map_err(StoreError::unwritable(&path))?;
        match file.try_lock() {
            Ok(()) => Ok(Self(file)),
            Err(TryLockError::WouldBlock) => Err(StoreError::new(&place.ledger, Problem::Locked)),
            Err(TryLockError::Error(error)) => Err(StoreError::unwritable(&path)(error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_writer_at_a_time_whatever_name_it_used() {
        let folder = tempfile::tempdir().unwrap();
        let ledger = folder.path().join("ledger.json");
        std::fs::write(&ledger, "{}").unwrap();
        let place = |path: &std::path::Path| Place::within(folder.path(), path).unwrap();
        let held = Lock::take(&place(&ledger)).unwrap();
        let dotted = folder.path().join(".").join("ledger.json");
        let error = Lock::take(&place(&dotted)).unwrap_err();
        assert_eq!(error.problem, Problem::Locked);
        drop(held);
        assert!(Lock::take(&place(&dotted)).is_ok());
    }
}
