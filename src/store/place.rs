//! Where what belongs to a ledger but is not in it is kept: its lock and its
//! journal, in the user's state directory, so that nothing lies beside the file.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use attest_canon::sha256;

use super::error::{Problem, StoreError};

/// A ledger's file, and the directory of its state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The file, without symbolic links: what a save replaces.
    pub ledger: PathBuf,
    /// Its own directory in the user's state directory.
    pub state: PathBuf,
}

impl Place {
    /// The place of a ledger that is there.
    ///
    /// # Errors
    ///
    /// The file is not there, or the system has no directory for state.
    pub fn of(ledger: &Path) -> Result<Self, StoreError> {
        let state =
            state_directory().ok_or_else(|| StoreError::new(ledger, Problem::NoStateDirectory))?;
        Self::within(&state, ledger)
    }

    /// The place of a ledger whose state lies under `root`.
    pub(crate) fn within(root: &Path, ledger: &Path) -> Result<Self, StoreError> {
        let ledger = fs::canonicalize(ledger).map_err(StoreError::unreadable(ledger))?;
        let name = sha256(ledger.as_os_str().as_encoded_bytes()).to_string();
        Ok(Self {
            state: root.join("ledgers").join(name),
            ledger,
        })
    }

    /// Makes the directory, for this user alone.
    pub(super) fn make(&self) -> Result<(), StoreError> {
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder
            .create(&self.state)
            .map_err(StoreError::unwritable(&self.state))
    }

    /// The file whose lock says who may write.
    pub(super) fn lock(&self) -> PathBuf {
        self.state.join("lock")
    }

    /// The journal.
    pub(super) fn journal(&self) -> PathBuf {
        self.state.join("journal")
    }
}

/// The program's state directory: `$XDG_STATE_HOME/attest-tui`, or what the
/// system has for local data.
fn state_directory() -> Option<PathBuf> {
    let dirs = directories::ProjectDirs::from("", "", "attest-tui")?;
    let state = dirs.state_dir().unwrap_or_else(|| dirs.data_local_dir());
    Some(state.to_owned())
}

/// A file open for writing that only this user can read.
pub(super) fn private(path: &Path, options: &mut fs::OpenOptions) -> io::Result<fs::File> {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options.open(path)
}
