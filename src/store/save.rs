//! Writing files so that a reader, or a crash at any instant, finds the old
//! file or the new one, whole.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::error::{Problem, StoreError};

/// Replaces a file's content: writes beside it, syncs, renames over it, syncs
/// the directory. Its mode is kept. `path` must not be a symbolic link, which
/// the rename would replace.
///
/// # Errors
///
/// Something cannot be written; the old file is as it was.
pub fn replace(path: &Path, content: &[u8]) -> Result<(), StoreError> {
    let unwritable = StoreError::unwritable(path);
    let permissions = fs::metadata(path).map_err(&unwritable)?.permissions();
    let beside = Beside::write(path, content, Some(permissions)).map_err(&unwritable)?;
    fs::rename(&beside.path, path).map_err(&unwritable)?;
    beside.keep();
    sync_directory(path).map_err(&unwritable)
}

/// Puts a new file in place, whole at its first instant, and replaces nothing.
///
/// # Errors
///
/// [`Problem::Exists`], or it cannot be written; then nothing is there.
pub fn publish(path: &Path, content: &[u8]) -> Result<(), StoreError> {
    let unwritable = |error: io::Error| match error.kind() {
        io::ErrorKind::AlreadyExists => StoreError::new(path, Problem::Exists),
        kind => StoreError::new(path, Problem::Unwritable(kind)),
    };
    // Said early, before anything is written; the link below is what decides.
    if fs::symlink_metadata(path).is_ok() {
        return Err(StoreError::new(path, Problem::Exists));
    }
    let beside = Beside::write(path, content, None).map_err(unwritable)?;
    match fs::hard_link(&beside.path, path) {
        Ok(()) => {}
        // File systems without links: the name is taken first, so that nothing
        // is replaced, and given back where the content cannot follow.
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            create(path, content).map_err(unwritable)?;
        }
        Err(error) => return Err(unwritable(error)),
    }
    drop(beside);
    sync_directory(path).map_err(unwritable)
}

/// Makes a new file with its content, or none.
fn create(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    let written = file.write_all(content).and_then(|()| file.sync_all());
    if written.is_err() {
        // Nothing more can be done about a name that cannot be given back.
        let _ = fs::remove_file(path);
    }
    written
}

/// A synced file beside its target, removed when dropped.
pub(super) struct Beside {
    pub(super) path: PathBuf,
    kept: bool,
}

impl Beside {
    pub(super) fn write(
        target: &Path,
        content: &[u8],
        permissions: Option<fs::Permissions>,
    ) -> io::Result<Self> {
        let mut held = None;
        // A name left behind by a crash is passed over, never reused.
        for attempt in 0..1000u32 {
            let path = beside(target, attempt);
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(file) => {
                    held = Some((Self { path, kept: false }, file));
                    break;
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        let (beside, mut file) = held.ok_or(io::ErrorKind::AlreadyExists)?;
        if let Some(permissions) = permissions {
            file.set_permissions(permissions)?;
        }
        file.write_all(content)?;
        file.sync_all()?;
        Ok(beside)
    }

    pub(super) fn keep(mut self) {
        self.kept = true;
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        if !self.kept {
            // Left behind where it cannot be removed; it is no ledger's name.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// A hidden name in the target's directory.
fn beside(target: &Path, attempt: u32) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(target.file_name().unwrap_or_default());
    name.push(format!(".{}-{attempt}.tmp", std::process::id()));
    target.with_file_name(name)
}

/// Syncs the directory a file stands in, so that its name survives a crash.
pub(super) fn sync_directory(path: &Path) -> io::Result<()> {
    // Windows opens no directory as a file, and keeps names by itself.
    if cfg!(windows) {
        return Ok(());
    }
    let parent = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    File::open(parent.unwrap_or(Path::new(".")))?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_replaced_whole_with_its_mode() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ledger.json");
        fs::write(&path, "old").unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        }
        replace(&path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(names(folder.path()), ["ledger.json"]);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = fs::metadata(&path).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o640);
        }
    }

    #[test]
    fn what_is_not_there_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let error = replace(&folder.path().join("none.json"), b"new").unwrap_err();
        assert_eq!(error.problem, Problem::Unwritable(io::ErrorKind::NotFound));
        assert_eq!(names(folder.path()), Vec::<String>::new());
    }

    #[test]
    fn publishing_replaces_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("package.tar");
        publish(&path, b"one").unwrap();
        let again = publish(&path, b"two").unwrap_err();
        assert_eq!(again.problem, Problem::Exists);
        assert_eq!(fs::read(&path).unwrap(), b"one");
        assert_eq!(names(folder.path()), ["package.tar"]);
        // Nor what a name only points to.
        #[cfg(unix)]
        {
            let link = folder.path().join("link.tar");
            std::os::unix::fs::symlink(folder.path().join("nowhere"), &link).unwrap();
            assert_eq!(publish(&link, b"two").unwrap_err().problem, Problem::Exists);
        }
    }

    #[test]
    fn without_links_a_name_is_still_taken_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("package.tar");
        create(&path, b"one").unwrap();
        let again = create(&path, b"two").map_err(|error| error.kind());
        assert_eq!(again, Err(io::ErrorKind::AlreadyExists));
        assert_eq!(fs::read(&path).unwrap(), b"one");
    }

    #[test]
    fn a_name_left_behind_is_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ledger.json");
        fs::write(&path, "old").unwrap();
        fs::write(beside(&path, 0), "left behind").unwrap();
        replace(&path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::read(beside(&path, 0)).unwrap(), b"left behind");
    }
}
