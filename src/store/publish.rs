//! Publishing new files together: each whole at its first instant, none in the
//! place of another, and none left behind when one of them cannot follow.
//!
//! A run that is killed removes nothing. It can leave the files it had published
//! by then, each whole, and hidden files `.NAME.PID-N.tmp` beside them, whole or
//! not, which no later run reads, reuses or removes.

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
    publish_by(files, SYSTEM)
}

/// The two ways a system may have of giving a file a name that nothing has.
#[derive(Clone, Copy)]
struct Ways {
    link: fn(&Path, &Path) -> io::Result<()>,
    rename: fn(&Path, &Path) -> io::Result<()>,
}

/// What the system offers.
const SYSTEM: Ways = Ways {
    link: |from, to| fs::hard_link(from, to),
    rename: rename_new,
};

fn publish_by(files: &[NewFile<'_>], ways: Ways) -> Result<(), StoreError> {
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
        published.put(file.path, beside, ways)?;
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
    fn put(&mut self, path: &Path, beside: Beside, ways: Ways) -> Result<(), StoreError> {
        let identity = Identity::of(&beside.path);
        match (ways.link)(&beside.path, path) {
            Ok(()) => drop(beside),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                return Err(StoreError::new(path, Problem::Exists));
            }
            Err(_) => {
                (ways.rename)(&beside.path, path).map_err(|error| match error.kind() {
                    io::ErrorKind::Unsupported => StoreError::new(path, Problem::NoSafePublish),
                    _ => unwritable(path, &error),
                })?;
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

/// Renames to a name nothing has, in one step; unsupported where that is not
/// to be had.
#[cfg(target_os = "linux")]
fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE).map_err(no_rename)
}

/// Why a rename did not happen.
#[cfg(target_os = "linux")]
fn no_rename(errno: rustix::io::Errno) -> io::Error {
    use rustix::io::Errno;
    match errno {
        // No such call, no such flag on this file system, or a sandbox that
        // forbids it: the directory itself took a new file just before.
        Errno::NOSYS | Errno::INVAL | Errno::OPNOTSUPP | Errno::PERM => {
            io::ErrorKind::Unsupported.into()
        }
        errno => errno.into(),
    }
}

#[cfg(not(target_os = "linux"))]
fn rename_new(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
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
        publish_in(folder, SYSTEM)
    }

    fn publish_in(folder: &Path, ways: Ways) -> Result<(), StoreError> {
        let paths = ["a.json", "b.json", "c.tar"].map(|name| folder.join(name));
        let files = paths.each_ref().map(|path| NewFile {
            path,
            content: b"new",
        });
        publish_by(&files, ways)
    }

    /// A file system without links.
    fn no_link(_: &Path, _: &Path) -> io::Result<()> {
        Err(io::ErrorKind::PermissionDenied.into())
    }

    /// One without a rename that replaces nothing.
    fn no_rename_either(_: &Path, _: &Path) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// A rename as some systems have it, for what stands on none.
    fn rename(from: &Path, to: &Path) -> io::Result<()> {
        match fs::symlink_metadata(to) {
            Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
            Err(_) => fs::rename(from, to),
        }
    }

    fn is_last(to: &Path) -> bool {
        to.ends_with("c.tar")
    }

    /// Nothing is published by a way that could replace a file, and what was
    /// published before that is known goes again.
    #[test]
    fn without_links_and_such_renames_nothing_is_published() {
        let neither = Ways {
            link: no_link,
            rename: no_rename_either,
        };
        let not_the_last = Ways {
            link: |from, to| match is_last(to) {
                true => no_link(from, to),
                false => fs::hard_link(from, to),
            },
            rename: no_rename_either,
        };
        for (ways, first) in [(neither, "a.json"), (not_the_last, "c.tar")] {
            let folder = tempfile::tempdir().unwrap();
            let error = publish_in(folder.path(), ways).unwrap_err();
            assert_eq!(error.problem, Problem::NoSafePublish);
            assert_eq!(error.path, folder.path().join(first));
            assert_eq!(names(folder.path()), Vec::<String>::new());
            let said = "c.tar: its file system cannot publish a file without replacing one";
            assert_eq!(error.to_string().ends_with(said), first == "c.tar");
        }
    }

    #[test]
    fn without_links_a_rename_that_replaces_nothing_does() {
        let ways = Ways {
            link: no_link,
            rename,
        };
        let folder = tempfile::tempdir().unwrap();
        publish_in(folder.path(), ways).unwrap();
        assert_eq!(names(folder.path()), ["a.json", "b.json", "c.tar"]);
        // A name taken after the early look is the rename's to refuse.
        let taken = Ways {
            link: |from, to| {
                if is_last(to) {
                    fs::write(to, "theirs")?;
                }
                no_link(from, to)
            },
            rename,
        };
        let folder = tempfile::tempdir().unwrap();
        let error = publish_in(folder.path(), taken).unwrap_err();
        assert_eq!(error.problem, Problem::Exists);
        assert_eq!(names(folder.path()), ["c.tar"]);
        assert_eq!(fs::read(folder.path().join("c.tar")).unwrap(), b"theirs");
    }

    /// A rename that fails otherwise is no missing way: the disk is.
    #[test]
    fn a_rename_that_fails_is_said_as_it_is() {
        let full = Ways {
            link: no_link,
            rename: |_, _| Err(io::ErrorKind::StorageFull.into()),
        };
        let folder = tempfile::tempdir().unwrap();
        let error = publish_in(folder.path(), full).unwrap_err();
        let full = Problem::Unwritable(io::ErrorKind::StorageFull);
        assert_eq!(error.problem, full);
        assert_eq!(names(folder.path()), Vec::<String>::new());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_missing_way_is_told_from_a_fault() {
        use rustix::io::Errno;
        for errno in [Errno::NOSYS, Errno::INVAL, Errno::OPNOTSUPP, Errno::PERM] {
            assert_eq!(no_rename(errno).kind(), io::ErrorKind::Unsupported);
        }
        for (errno, kind) in [
            (Errno::EXIST, io::ErrorKind::AlreadyExists),
            (Errno::NOSPC, io::ErrorKind::StorageFull),
            (Errno::ACCESS, io::ErrorKind::PermissionDenied),
            (Errno::ROFS, io::ErrorKind::ReadOnlyFilesystem),
        ] {
            assert_eq!(no_rename(errno).kind(), kind);
        }
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
        published.put(&first, beside(&first), SYSTEM).unwrap();
        fs::write(&second, "theirs").unwrap();
        let error = published.put(&second, beside(&second), SYSTEM).unwrap_err();
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
            .put(&path, Beside::write(&path, b"new", None).unwrap(), SYSTEM)
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
        match rename_new(&from, &to).unwrap_err().kind() {
            io::ErrorKind::AlreadyExists => assert_eq!(fs::read(&to).unwrap(), b"old"),
            // The file system of the test has no such rename.
            kind => assert_eq!(kind, io::ErrorKind::Unsupported),
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
