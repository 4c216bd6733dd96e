//! Where a package's files are put: other file systems, folders that take
//! none, disks that are full, names taken meanwhile, sources that change.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::common::{Desk, Run};

/// Every name in a folder, hidden ones too.
fn names(folder: &Path) -> Vec<OsString> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
    names.retain(|name| name != "home");
    names.sort();
    names
}

fn export(desk: &Desk, out: &str) -> Run {
    desk.run(&["package", "export", "demo.json", "--out", out])
}

const MADE: [&str; 3] = ["demo.context.json", "demo.tar", "demo.verify.json"];

/// The package does not care where it is put, nor from where it is asked for.
#[test]
fn a_destination_on_another_file_system_is_like_any_other() {
    let desk = Desk::new();
    desk.demo();
    assert_eq!(export(&desk, "demo.tar").code, Some(0));
    let device = |path: &Path| fs::metadata(path).map(|metadata| metadata.dev()).ok();
    let here = device(desk.path());
    let other = ["/dev/shm", "/run", "/var/tmp", env!("CARGO_TARGET_TMPDIR")]
        .into_iter()
        .filter(|path| device(path.as_ref()).is_some_and(|there| Some(there) != here))
        .find_map(|path| tempfile::tempdir_in(path).ok());
    let Some(other) = other else {
        println!("skipped: there is one file system");
        return;
    };
    symlink(other.path(), desk.path().join("there")).unwrap();
    let direct = other.path().join("demo.tar");
    for out in [direct.to_str().unwrap(), "there/demo.tar"] {
        let run = export(&desk, out);
        assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{run:?}");
        assert_eq!(names(other.path()), MADE);
        for name in MADE {
            let made = fs::read(other.path().join(name)).unwrap();
            assert_eq!(made, fs::read(desk.path().join(name)).unwrap(), "{name}");
        }
        // Again, and nothing is touched.
        let again = export(&desk, out);
        assert_eq!(again.code, Some(1), "{again:?}");
        let context = out.replace("demo.tar", "demo.context.json");
        assert_eq!(
            again.err,
            format!(
                "attest-tui: atomic_output: {context}: is there already, and nothing is replaced\n"
            )
        );
        assert_eq!(names(other.path()), MADE);
        for name in MADE {
            fs::remove_file(other.path().join(name)).unwrap();
        }
    }
}

#[test]
fn what_is_no_folder_is_unavailable() {
    let desk = Desk::new();
    desk.demo();
    symlink("nowhere", desk.path().join("dangling")).unwrap();
    symlink("round", desk.path().join("round")).unwrap();
    let before = names(desk.path());
    for (folder, why) in [
        ("none", "entity not found"),
        ("demo.json", "not a directory"),
        ("dangling", "entity not found"),
        ("round", "filesystem loop"),
    ] {
        let run = export(&desk, &format!("{folder}/p.tar"));
        assert_eq!((run.code, run.out.as_str()), (Some(2), ""), "{run:?}");
        let said = format!(
            "attest-tui: io_unavailable: {folder}/p.context.json: cannot be written: {why}"
        );
        assert!(run.err.starts_with(&said), "{run:?}");
        assert_eq!(run.err.lines().count(), 1);
        assert_eq!(names(desk.path()), before);
    }
}

/// As a user whom the folder's mode concerns, which the superuser is not.
#[test]
fn a_folder_that_may_not_be_written_is_unavailable() {
    let desk = Desk::new();
    desk.demo();
    let folder = desk.path().join("closed");
    fs::create_dir(&folder).unwrap();
    for path in [desk.path(), &folder] {
        fs::set_permissions(path, fs::Permissions::from_mode(0o555)).unwrap();
    }
    let mut command = desk.command(&["package", "export", "demo.json", "--out", "closed/p.tar"]);
    let is_super = fs::File::create(folder.join("probe")).is_ok();
    if is_super {
        fs::remove_file(folder.join("probe")).unwrap();
        command.uid(65534);
    }
    let output = command.output();
    fs::set_permissions(desk.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let Ok(output) = output else {
        println!("skipped: no other user may run the program");
        return;
    };
    let run = Run::of(output);
    assert_eq!((run.code, run.out.as_str()), (Some(2), ""), "{run:?}");
    assert_eq!(
        run.err,
        "attest-tui: io_unavailable: closed/p.context.json: cannot be written: permission denied\n"
    );
    assert!(names(&folder).is_empty());
}

/// Files that may not grow beyond so many blocks stand for a disk that is full,
/// at whichever of the three files it is.
#[test]
fn a_full_disk_leaves_nothing() {
    let desk = Desk::new();
    desk.demo();
    let before = names(desk.path());
    let program = env!("CARGO_BIN_EXE_attest-tui");
    let mut refused = std::collections::BTreeSet::new();
    for blocks in [0, 1, 2, 4, 8, 16, 32, 64, 128] {
        // Without the trap the limit would kill.
        let script = format!(
            "trap '' XFSZ; ulimit -f {blocks}; exec '{program}' package export demo.json --out demo.tar"
        );
        let mut command = Command::new("sh");
        command.args(["-c", &script]).current_dir(desk.path());
        command.env_clear().env("HOME", desk.path().join("home"));
        let run = Run::of(command.output().unwrap());
        if run.code == Some(0) {
            break;
        }
        assert_eq!((run.code, run.out.as_str()), (Some(2), ""), "{run:?}");
        let name = MADE.into_iter().find(|name| {
            run.err
                == format!(
                    "attest-tui: io_unavailable: {name}: cannot be written: file too large\n"
                )
        });
        refused.insert(name.unwrap_or_else(|| panic!("{run:?}")));
        assert_eq!(names(desk.path()), before, "{blocks}");
    }
    // The first of them and the last were among those that did not fit.
    assert!(
        refused.contains("demo.context.json") && refused.contains("demo.tar"),
        "{refused:?}"
    );
}

/// Of many at once one publishes, and the others are told so.
#[test]
fn one_of_many_at_once_publishes() {
    let desk = Desk::new();
    desk.demo();
    for _ in 0..5 {
        let children: Vec<_> = (0..8)
            .map(|_| {
                desk.command(&["package", "export", "demo.json", "--out", "demo.tar"])
                    .stdout(Stdio::piped())
                    .stderr(Stdio::piped())
                    .spawn()
                    .unwrap()
            })
            .collect();
        let runs: Vec<_> = children
            .into_iter()
            .map(|child| Run::of(child.wait_with_output().unwrap()))
            .collect();
        let done = runs.iter().filter(|run| run.code == Some(0)).count();
        assert_eq!(done, 1, "{runs:?}");
        for run in runs.iter().filter(|run| run.code != Some(0)) {
            assert_eq!(run.code, Some(1), "{run:?}");
            assert!(
                run.err.starts_with("attest-tui: atomic_output: demo."),
                "{run:?}"
            );
        }
        assert_eq!(
            names(desk.path()),
            [
                "demo.context.json",
                "demo.json",
                "demo.tar",
                "demo.verify.json"
            ]
        );
        let verify = [
            "package",
            "verify",
            "demo.tar",
            "--context",
            "demo.context.json",
        ];
        assert_eq!(desk.run(&verify).code, Some(0));
        for name in MADE {
            fs::remove_file(desk.path().join(name)).unwrap();
        }
    }
}

/// The program itself under a kernel that has neither way, or lacks room, as
/// strace plays it.
#[cfg(target_os = "linux")]
#[test]
fn a_system_that_publishes_nothing_safely_is_refused() {
    let no_link = "inject=link,linkat:error=EPERM";
    let exists = "inject=link,linkat:error=EEXIST:when=3";
    for (injected, code, said) in [
        (&[no_link][..], 0, ""),
        (
            &[no_link, "inject=renameat2:error=EINVAL"],
            1,
            "atomic_output: demo.context.json: its file system cannot publish a file without replacing one",
        ),
        (
            &[no_link, "inject=renameat2:error=ENOSYS:when=3"],
            1,
            "atomic_output: demo.tar: its file system cannot publish a file without replacing one",
        ),
        (
            &[exists],
            1,
            "atomic_output: demo.tar: is there already, and nothing is replaced",
        ),
        (
            &["inject=fsync:error=EIO:when=2"],
            2,
            "io_unavailable: demo.verify.json: cannot be written: ",
        ),
        (
            &["inject=fsync:error=EIO:when=4"],
            2,
            "io_unavailable: demo.context.json: cannot be written: ",
        ),
    ] {
        let desk = Desk::new();
        desk.demo();
        let mut command = Command::new("strace");
        command.args([
            "-f",
            "-qq",
            "-o",
            "/dev/null",
            "-e",
            "trace=link,linkat,renameat2,fsync",
        ]);
        for one in injected {
            command.args(["-e", one]);
        }
        command.arg(env!("CARGO_BIN_EXE_attest-tui"));
        command.args(["package", "export", "demo.json", "--out", "demo.tar"]);
        command.current_dir(desk.path());
        let Ok(output) = command.output() else {
            println!("skipped: no strace");
            return;
        };
        let run = Run::of(output);
        if run.err.contains("strace: ") {
            println!("skipped: {}", run.err);
            return;
        }
        assert_eq!(run.code, Some(code), "{injected:?}: {run:?}");
        if code == 0 {
            assert_eq!(names(desk.path()).len(), 4, "{run:?}");
        } else {
            let err = run.err.strip_prefix("attest-tui: ").unwrap();
            assert!(err.starts_with(said) && err.lines().count() == 1, "{run:?}");
            assert_eq!(names(desk.path()), ["demo.json"], "{injected:?}");
        }
    }
}

/// A source that grows and shrinks under the reader.
#[test]
fn a_source_that_changes_while_it_is_read_is_unavailable() {
    let desk = Desk::new();
    // Long enough to be read for a while; too long for what it is said to be,
    // which shows only in one that was read whole.
    const LENGTH: u64 = 8 << 20;
    let path = desk.write("source", vec![b' '; 8 << 20]);
    let input = "s=policy-bytes:source";
    let over = AtomicBool::new(false);
    let runs: Vec<Run> = std::thread::scope(|scope| {
        scope.spawn(|| {
            let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
            while !over.load(Ordering::Relaxed) {
                file.set_len(LENGTH + 1).unwrap();
                file.set_len(LENGTH).unwrap();
            }
        });
        let run = |_| desk.run(&["package", "build", "--out", "p.tar", "--input", input]);
        let runs = (0..20).map(run).collect();
        over.store(true, Ordering::Relaxed);
        runs
    });
    let mut changed = 0;
    for run in &runs {
        assert_eq!(run.out, "", "{run:?}");
        match run.code {
            Some(1) => assert_eq!(run.err, "attest-tui: resource_hard: s: select less\n"),
            code => {
                assert_eq!(code, Some(2), "{run:?}");
                assert_eq!(
                    run.err,
                    "attest-tui: s: io_unavailable: source: was changed by another program since it was read\n"
                );
                changed += 1;
            }
        }
    }
    assert!(
        changed > 0,
        "nothing was written while it was read: {runs:?}"
    );
    assert_eq!(names(desk.path()), ["source"]);
    // The same of a ledger, which has a reason of the contract too.
    #[cfg(target_os = "linux")]
    {
        // A file whose length says nothing of what is in it.
        let run = desk.run(&["package", "export", "/proc/version", "--out", "p.tar"]);
        assert_eq!((run.code, run.out.as_str()), (Some(2), ""), "{run:?}");
        assert_eq!(
            run.err,
            "attest-tui: io_unavailable: /proc/version: was changed by another program since it was read\n"
        );
        assert_eq!(names(desk.path()), ["source"]);
    }
}
