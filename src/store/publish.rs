//! Publishing new files together: each whole at its first instant, none in the
//! place of another, and none left behind when one of them cannot follow.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::error::{Problem, StoreError};
use super::save::{Beside, sync_directory};

/// A file to be.
#[derive(Clone, Copy, Debug)]
pub struct NewFile<'a> {
    /// Its name; nothing may have it.
    pub path: &'a Path,
    /// Its content.
    pub content: &'a [u8],
}

/// Puts new files in place, in this order, so that the last one stands only
/// when all do. Each is written beside its name, on the same file system, and
/// synced before any is published.
///
/// # Errors
///
/// [`Problem::Exists`] for a name that anything has, a dangling link included;
/// [`Problem::NoSafePublish`] where the file system offers neither links nor a
/// rename that replaces nothing; or a file cannot be written. Then none of
/// them is there.
pub fn publish_all(files: &[NewFile<'_>]) -> Result<(), StoreError> {
    // Said early, before anything is written; the link below is what decides.
    for file in files {
        match fs::symlink_metadata(file.path) {
            Ok(_) => return Err(StoreError::new(file.path, Problem::Exists)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(unwritable(file.path, &error)),
        }
    }
    let mut beside = Vec::new();
    for file in files {
        let written = Beside::write(file.path, file.content, None)
            .map_err(|error| unwritable(file.path, &error))?;
        beside.push(written);
    }
    let mut published = Published::default();
    for (file, beside) in files.iter().zip(beside) {
        published.put(file.path, beside)?;
    }
    for file in files {
        sync_directory(file.path).map_err(|error| unwritable(file.path, &error))?;
    }
    published.stand();
    Ok(())
}

fn unwritable(path: &Path, error: &io::Error) -> StoreError {
    let problem = match error.kind() {
        io::ErrorKind::AlreadyExists => Problem::Exists,
        kind => Problem::Unwritable(kind),
    };
    StoreError::new(path, problem)
}

/// The files put in place so far, taken away again when dropped.
#[derive(Default)]
struct Published {
    files: Vec<(PathBuf, Option<Identity>)>,
}

impl Published {
    fn put(&mut self, path: &Path, beside: Beside) -> Result<(), StoreError> {
        let identity = Identity::of(&beside.path);
        match fs::hard_link(&beside.path, path) {
            Ok(()) => drop(beside),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                return Err(StoreError::new(path, Problem::Exists));
            }
            Err(_) => {
                rename_new(&beside.path, path)?;
                beside.keep();
            }
        }
        self.files.push((path.to_owned(), identity));
        Ok(())
    }

    fn stand(mut self) {
        self.files.clear();
    }
}

impl Drop for Published {
    fn drop(&mut self) {
        for (path, identity) in self.files.drain(..) {
            // A name that somebody else has taken by now is theirs.
            if identity.is_none() || Identity::of(&path) == identity {
                // Nothing more can be done about one that cannot be removed.
                let _ = fs::remove_file(path);
            }
        }
    }
}

/// Which file a name stands for, where the system tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Identity {
    device: u64,
    inode: u64,
}

impl Identity {
    #[cfg(unix)]
    fn of(path: &Path) -> Option<Self> {
        use std::os::unix::fs::MetadataExt as _;
        let metadata = fs::symlink_metadata(path).ok()?;
        Some(Self {
            device: metadata.dev(),
            inode: metadata.ino(),
        })
    }

    #[cfg(not(unix))]
    fn of(_: &Path) -> Option<Self> {
        None
    }
}

/// Renames to a name nothing has, in one step.
#[cfg(target_os = "linux")]
fn rename_new(from: &Path, to: &Path) -> Result<(), StoreError> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    use rustix::io::Errno;
    renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE).map_err(|errno| match errno {
        Errno::EXIST => StoreError::new(to, Problem::Exists),
        // No such call, or no such flag on this file system.
        Errno::NOSYS | Errno::INVAL | Errno::OPNOTSUPP => {
            StoreError::new(to, Problem::NoSafePublish)
        }
        errno => unwritable(to, &io::Error::from(errno)),
    })
}

#[cfg(not(target_os = "linux"))]
fn rename_new(_: &Path, to: &Path) -> Result<(), StoreError> {
    Err(StoreError::new(to, Problem::NoSafePublish))
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

    fn publish(folder: &Path) -> Result<(), StoreError> {
        let paths = ["a.json", "b.json", "c.tar"].map(|name| folder.join(name));
        let files = paths.each_ref().map(|path| NewFile {
            path,
            content: b"new",
        });
        publish_all(&files)
    }

    #[test]
    fn all_are_there_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        publish(folder.path()).unwrap();
        assert_eq!(names(folder.path()), ["a.json", "b.json", "c.tar"]);
        assert_eq!(fs::read(folder.path().join("c.tar")).unwrap(), b"new");
    }

    /// Whatever has one of the names, at any place in the order, keeps it, and
    /// none of the others is there.
    #[test]
    fn a_taken_name_refuses_all_and_is_untouched() {
        for name in ["a.json", "b.json", "c.tar"] {
            for kind in ["file", "folder", "link", "dangling link"] {
                let folder = tempfile::tempdir().unwrap();
                let path = folder.path().join(name);
                match kind {
                    "file" => fs::write(&path, "old").unwrap(),
                    "folder" => fs::create_dir(&path).unwrap(),
                    #[cfg(unix)]
                    "link" => std::os::unix::fs::symlink("/etc/hosts", &path).unwrap(),
                    #[cfg(unix)]
                    _ => std::os::unix::fs::symlink("nowhere", &path).unwrap(),
                    #[cfg(not(unix))]
                    _ => continue,
                }
                let before = fs::symlink_metadata(&path).unwrap();
                let error = publish(folder.path()).unwrap_err();
                assert_eq!((error.problem, error.path), (Problem::Exists, path.clone()));
                assert_eq!(names(folder.path()), [name], "{kind}");
                let after = fs::symlink_metadata(&path).unwrap();
                assert_eq!(before.modified().unwrap(), after.modified().unwrap());
                assert_eq!(before.file_type(), after.file_type());
            }
        }
    }

    /// A name taken after the early look is refused by the step that decides,
    /// and what stood before it goes.
    #[test]
    fn a_name_taken_meanwhile_takes_the_others_away() {
        let folder = tempfile::tempdir().unwrap();
        let (first, second) = (folder.path().join("a.json"), folder.path().join("b.json"));
        let mut published = Published::default();
        let beside = |path| Beside::write(path, b"new", None).unwrap();
        published.put(&first, beside(&first)).unwrap();
        fs::write(&second, "theirs").unwrap();
        let error = published.put(&second, beside(&second)).unwrap_err();
        assert_eq!(error.problem, Problem::Exists);
        drop(published);
        assert_eq!(names(folder.path()), ["b.json"]);
        assert_eq!(fs::read(&second).unwrap(), b"theirs");
    }

    /// What somebody else put in a published file's place is theirs.
    #[cfg(unix)]
    #[test]
    fn what_replaced_a_published_file_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        let mut published = Published::default();
        published
            .put(&path, Beside::write(&path, b"new", None).unwrap())
            .unwrap();
        let other = folder.path().join("other");
        fs::write(&other, "theirs").unwrap();
        fs::rename(&other, &path).unwrap();
        drop(published);
        assert_eq!(fs::read(&path).unwrap(), b"theirs");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_rename_replaces_nothing_either() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("from"), folder.path().join("to"));
        fs::write(&from, "new").unwrap();
        fs::write(&to, "old").unwrap();
        match rename_new(&from, &to).unwrap_err().problem {
            Problem::Exists => assert_eq!(fs::read(&to).unwrap(), b"old"),
            // The file system of the test has no such rename.
            problem => assert_eq!(problem, Problem::NoSafePublish),
        }
        fs::remove_file(&to).unwrap();
        if rename_new(&from, &to).is_ok() {
            assert_eq!(fs::read(&to).unwrap(), b"new");
        }
    }

    #[test]
    fn a_folder_that_is_not_there_is_said() {
        let folder = tempfile::tempdir().unwrap();
        let error = publish(&folder.path().join("none")).unwrap_err();
        assert_eq!(error.problem, Problem::Unwritable(io::ErrorKind::NotFound));
    }
}
