//! What is refused: the exact reason, exit 1 refused or 2 unavailable or bad
//! arguments, and no file, whole or partial, left behind.

use attest_package::document::ContextInput;
use attest_package::limits::Limit;

use crate::common::{DEMO, Desk, Run};

/// The demo's package and its context on a desk, and the archive.
pub fn package() -> (Desk, Vec<u8>) {
    let desk = Desk::new();
    desk.demo();
    let run = desk.run(&["package", "export", "demo.json", "--out", "demo.tar"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let archive = std::fs::read(desk.path().join("demo.tar")).unwrap();
    (desk, archive)
}

pub fn verify(desk: &Desk, name: &str, more: &[&str]) -> Run {
    let verify = [
        "package",
        "verify",
        name,
        "--context",
        "demo.context.json",
        "--json",
    ];
    desk.run(&[&verify[..], more].concat())
}

/// A report is given whatever could not be read, and says which kind it is.
#[test]
fn what_cannot_be_read_is_unavailable() {
    let (desk, _) = package();
    std::fs::create_dir(desk.path().join("folder")).unwrap();
    for name in ["none.tar", "folder", "/dev/null"] {
        let run = verify(&desk, name, &[]);
        assert_eq!(run.code, Some(2), "{run:?}");
        let report = run.json();
        assert_eq!(report["outcome"], "verification_unavailable", "{name}");
        assert_eq!(report["reason"], "io_unavailable");
        assert!(
            run.err
                .starts_with(&format!("attest-tui: io_unavailable: {name}: ")),
            "{run:?}"
        );
        assert_eq!(run.err.lines().count(), 1);
    }
    let with = |context: &str| {
        desk.run(&[
            "package",
            "verify",
            "none.tar",
            "--context",
            context,
            "--json",
        ])
    };
    let run = with("none.json");
    assert_eq!(
        (run.code, &run.json()["reason"]),
        (Some(2), &"io_unavailable".into())
    );
    // Phase 1 comes before the package is looked for.
    let good = desk.read("demo.context.json");
    for bad in [
        "".to_owned(),
        "{}".to_owned(),
        good.replace("4453f216", "4453f217"),
        good.replace("\"members\":128", "\"members\":128.0"),
        good.replace("\"members\":128", "\"members\":129"),
        good.replace("\"keys\":[]", "\"keys\":[],\"keys\":[]"),
        good.replace("2026-10-07T19:00:00Z", "2026-10-05T19:00:00Z"),
    ] {
        desk.write("bad.json", &bad);
        let run = with("bad.json");
        assert_eq!((run.code, run.err.as_str()), (Some(1), ""), "{bad}");
        assert_eq!(run.json()["reason"], "trust_input", "{bad}");
    }
    // A ledger or report that cannot be read: the package verified, and the
    // rest is not known.
    desk.write("cut.json", &DEMO[..100]);
    desk.write("bytes.json", b"\xff");
    for more in [
        ["--ledger", "none.json"],
        ["--ledger", "cut.json"],
        ["--ledger", "bytes.json"],
        ["--ledger", "folder"],
        ["--against", "none.json"],
        ["--against", "demo.json"],
        ["--against", "folder"],
    ] {
        let run = verify(&desk, "demo.tar", &more);
        assert_eq!(run.code, Some(2), "{more:?}: {run:?}");
        assert_eq!(run.out, desk.read("demo.verify.json"), "{more:?}");
        assert!(
            run.err.contains(more[1]) && run.err.lines().count() == 1,
            "{run:?}"
        );
    }
}

/// A report that cannot be written is not given.
#[cfg(target_os = "linux")]
#[test]
fn a_report_is_written_whole_or_not_at_all() {
    let (desk, _) = package();
    let full = std::fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let mut command = desk.command(&[
        "package",
        "verify",
        "demo.tar",
        "--context",
        "demo.context.json",
        "--json",
    ]);
    let out = command.stdout(full).output().unwrap();
    assert_eq!(out.status.code(), Some(2));
    let err = String::from_utf8(out.stderr).unwrap();
    assert!(
        err.starts_with("attest-tui: io_unavailable: standard output: "),
        "{err}"
    );
}

/// Whatever has one of the three names keeps it, and nothing else appears.
#[test]
fn an_existing_destination_is_never_touched() {
    for name in ["demo.tar", "demo.context.json", "demo.verify.json"] {
        for kind in ["file", "folder", "link", "dangling", "elsewhere"] {
            let desk = Desk::new();
            desk.write("ledger.json", DEMO);
            desk.write("empty.json", "[]\n");
            let path = desk.path().join(name);
            match kind {
                "file" => std::fs::write(&path, "old").unwrap(),
                "folder" => std::fs::create_dir(&path).unwrap(),
                #[cfg(unix)]
                "link" => std::os::unix::fs::symlink("ledger.json", &path).unwrap(),
                #[cfg(unix)]
                "dangling" => std::os::unix::fs::symlink("nowhere", &path).unwrap(),
                // A name on another file system.
                #[cfg(unix)]
                _ => std::os::unix::fs::symlink("/dev/shm/attest-nowhere.tar", &path).unwrap(),
                #[cfg(not(unix))]
                _ => continue,
            }
            let list = || {
                let mut names: Vec<_> = std::fs::read_dir(desk.path())
                    .unwrap()
                    .map(|entry| entry.unwrap().file_name())
                    .filter(|name| name != "home")
                    .collect();
                names.sort();
                names
            };
            let (before, files) = (list(), desk.files());
            let build = "h=inspector-protocol-793d103:empty.json";
            for arguments in [
                &["package", "export", "ledger.json", "--out", "demo.tar"][..],
                &["package", "build", "--input", build, "--out", "demo.tar"],
            ] {
                let run = desk.run(arguments);
                assert_eq!((run.code, run.out.as_str()), (Some(1), ""), "{run:?}");
                assert_eq!(
                    run.err,
                    format!(
                        "attest-tui: atomic_output: {name}: is there already, and nothing is replaced\n"
                    )
                );
                assert_eq!((list(), desk.files()), (before.clone(), files.clone()));
            }
        }
    }
    assert!(!std::path::Path::new("/dev/shm/attest-nowhere.tar").exists());
}

#[test]
fn sources_and_arguments_that_make_no_package() {
    let desk = Desk::new();
    desk.demo();
    desk.write("13.json", crate::common::GOLDEN_13);
    desk.write("empty.json", "[]\n");
    desk.write("bad.json", "[");
    desk.write(
        "other.json",
        r#"{"schema":"assay.incident.context.v2","entries":[]}"#,
    );
    desk.write(
        "spec.json",
        r#"{"dispositions":[{"disposition":"withheld","input_id":"nobody"}]}"#,
    );
    desk.write(
        "where.json",
        r#"{"dispositions":[{"disposition":"withheld","input_id":"h","locator":"json:/7"}]}"#,
    );
    std::fs::create_dir(desk.path().join("folder")).unwrap();
    let h = "h=inspector-protocol-793d103:empty.json";
    let before = desk.files();
    let export = ["package", "export", "demo.json"];
    for (arguments, code, said) in [
        // The file itself.
        (
            &["package", "export", "none.json", "--out", "p.tar"][..],
            2,
            "none.json: cannot be read",
        ),
        (
            &["package", "export", "folder", "--out", "p.tar"],
            2,
            "folder: is not a regular file",
        ),
        (
            &["package", "export", "bad.json", "--out", "p.tar"],
            2,
            "bad.json: ",
        ),
        (
            &["package", "export", "13.json", "--out", "p.tar"],
            2,
            "13.json: ",
        ),
        // Its name.
        (
            &[&export[..], &["--out", "p.zip"]].concat(),
            2,
            "p.zip: must be named NAME.tar",
        ),
        (
            &[&export[..], &["--out", ".tar"]].concat(),
            2,
            ".tar: must be named NAME.tar",
        ),
        (
            &[&export[..], &["--out", "none/p.tar"]].concat(),
            2,
            "io_unavailable: none/p.context.json: cannot be written",
        ),
        // Inputs.
        (
            &["package", "build", "--out", "p.tar", "--input", "h"],
            2,
            "ID=FORMAT:PATH",
        ),
        (
            &[
                "package",
                "build",
                "--out",
                "p.tar",
                "--input",
                "H=policy-bytes:empty.json",
            ],
            2,
            "the ID must be",
        ),
        (
            &[
                "package",
                "build",
                "--out",
                "p.tar",
                "--input",
                "h=zip:empty.json",
            ],
            2,
            "the FORMAT must be one of",
        ),
        (
            &[
                "package",
                "build",
                "--out",
                "p.tar",
                "--input",
                "h=runner-kernel-ndjson-v0:empty.json",
            ],
            2,
            "the FORMAT must be one of",
        ),
        (
            &[
                "package",
                "build",
                "--out",
                "p.tar",
                "--input",
                "h=policy-bytes:",
            ],
            2,
            "ID=FORMAT:PATH",
        ),
        (
            &[
                "package", "build", "--out", "p.tar", "--input", h, "--input", h,
            ],
            2,
            "h: two inputs have this id",
        ),
        (
            &[
                "package",
                "build",
                "--out",
                "p.tar",
                "--input",
                "h=policy-bytes:none",
            ],
            2,
            "h: io_unavailable: none: cannot be read",
        ),
        (
            &[
                "package",
                "build",
                "--out",
                "p.tar",
                "--input",
                "h=policy-bytes:folder",
            ],
            2,
            "h: io_unavailable: folder: is not a regular file",
        ),
        (
            &[
                "package",
                "build",
                "--out",
                "p.tar",
                "--input",
                "h=inspector-protocol-793d103:bad.json",
            ],
            1,
            "input_shape: h",
        ),
        (
            &[
                "package",
                "build",
                "--out",
                "p.tar",
                "--input",
                "h=incident-context-v1:other.json",
            ],
            1,
            "unknown_schema: h",
        ),
        // A package that names itself.
        (
            &[
                "package",
                "build",
                "--out",
                "p.tar",
                "--input",
                "self=policy-bytes:p.tar",
            ],
            2,
            "self: io_unavailable: p.tar: cannot be read",
        ),
        (
            &[
                "package",
                "build",
                "--out",
                "demo.tar",
                "--input",
                "self=policy-bytes:demo.tar",
            ],
            2,
            "self: io_unavailable: demo.tar: ",
        ),
        // What is said of them.
        (
            &[
                "package",
                "build",
                "--out",
                "p.tar",
                "--input",
                h,
                "--spec",
                "none.json",
            ],
            2,
            "none.json: cannot be read",
        ),
        (
            &[
                "package", "build", "--out", "p.tar", "--input", h, "--spec", "bad.json",
            ],
            2,
            "bad.json: ",
        ),
        (
            &[
                "package",
                "build",
                "--out",
                "p.tar",
                "--input",
                h,
                "--spec",
                "spec.json",
            ],
            2,
            "spec.json: dispositions[0].input_id: must be the id of an input",
        ),
        (
            &[
                "package",
                "build",
                "--out",
                "p.tar",
                "--input",
                h,
                "--spec",
                "where.json",
            ],
            1,
            "locator: h",
        ),
        (
            &[
                "package",
                "build",
                "--out",
                "p.tar",
                "--input",
                h,
                "--context",
                "bad.json",
            ],
            1,
            "trust_input: --context",
        ),
        (
            &[
                "package",
                "build",
                "--out",
                "p.tar",
                "--input",
                h,
                "--context",
                "none.json",
            ],
            2,
            "io_unavailable: none.json: ",
        ),
        (&["package", "build", "--input", h], 2, "--out"),
        (&["package"], 2, "Usage"),
        (&["package", "verify"], 2, "PACKAGE"),
    ] {
        let run = desk.run(arguments);
        assert_eq!(
            (run.code, run.out.as_str()),
            (Some(code), ""),
            "{arguments:?}: {run:?}"
        );
        assert!(run.err.contains(said), "{arguments:?}: {}", run.err);
        assert!(run.err.len() <= 4096 && !run.err.contains("panicked"));
        assert_eq!(desk.files(), before, "{arguments:?}");
    }
    // A package as an input of its own name is there already.
    desk.write("demo.tar", "old");
    let before = desk.files();
    let run = desk.run(&[
        "package",
        "build",
        "--out",
        "demo.tar",
        "--input",
        "self=policy-bytes:demo.tar",
    ]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(
        run.err.starts_with("attest-tui: atomic_output: demo.tar: "),
        "{run:?}"
    );
    assert_eq!(desk.files(), before);
}

/// A receipt without its policy is refused by its id.
#[test]
fn a_receipt_whose_policy_is_not_there() {
    let desk = Desk::new();
    let mut ledger: serde_json::Value = serde_json::from_str(DEMO).unwrap();
    ledger["policies"] = serde_json::json!({});
    desk.write("demo.json", ledger.to_string());
    let before = desk.files();
    let run = desk.run(&["package", "export", "demo.json"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    let id = crate::common::receipt_of("NOT_FOUND");
    assert_eq!(
        run.err,
        format!("attest-tui: policy_binding: receipt {id}: its policy is not in the ledger\n")
    );
    assert_eq!(desk.files(), before);
}

/// `diagnostic_bytes` (§8): a line that takes exactly what the context selects
/// is written, one byte less and none is; the exit code tells either way.
#[test]
fn standard_error_keeps_to_what_the_context_selects() {
    let desk = Desk::new();
    desk.write("p.tar", "old");
    desk.write("notes.json", "[]\n");
    let run = |most: usize| {
        let mut context = ContextInput::example_a1();
        let most = u64::try_from(most).unwrap();
        assert!(context.limits.select(Limit::DiagnosticBytes, most));
        desk.write("c.json", context.to_bytes());
        let build = ["package", "build", "--out", "p.tar", "--context", "c.json"];
        desk.run(
            &[
                &build[..],
                &["--input", "n=inspector-protocol-793d103:notes.json"],
            ]
            .concat(),
        )
    };
    let whole = run(4096);
    assert_eq!(whole.code, Some(1), "{whole:?}");
    assert!(whole.err.starts_with("attest-tui: atomic_output: p.tar: "));
    let at = run(whole.err.len());
    assert_eq!((at.code, at.err), (Some(1), whole.err.clone()));
    let below = run(whole.err.len() - 1);
    assert_eq!((below.code, below.err.as_str()), (Some(1), ""));
}
