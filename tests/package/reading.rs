//! What a person is told of a package: why it is refused, what is inside.

use serde_json::Value;

use crate::common::{Desk, receipt_of, tar};
use crate::export::{export, sha256};

/// Without its context it names another than the contract's example, and the
/// summary says which file beside it that is.
#[test]
fn a_package_of_another_context_says_so() {
    let desk = Desk::new();
    desk.demo();
    export(&desk, "demo", &[]);
    let run = desk.run(&["package", "verify", "demo.tar"]);
    assert_eq!((run.code, run.err.as_str()), (Some(1), ""));
    assert!(
        run.out
            .starts_with("demo.tar: package_refused: stale_assessment\n")
    );
    let named = sha256(desk.read("demo.context.json").as_bytes());
    assert!(
        run.out.contains(&format!("it names another: {named}\n")),
        "{}",
        run.out
    );
    assert!(
        run.out.contains("demo.context.json beside it is the one"),
        "{}",
        run.out
    );
    export(&desk, "later", &["--as-of", "2026-12-01T00:00:00Z"]);
    std::fs::copy(
        desk.path().join("later.context.json"),
        desk.path().join("demo.context.json"),
    )
    .unwrap();
    let run = desk.run(&["package", "verify", "demo.tar"]);
    assert!(
        run.out
            .contains("demo.context.json lies beside it, but is another"),
        "{}",
        run.out
    );
    std::fs::remove_file(desk.path().join("demo.context.json")).unwrap();
    let run = desk.run(&["package", "verify", "demo.tar"]);
    assert!(
        run.out.contains("it names another") && !run.out.contains("beside"),
        "{}",
        run.out
    );
    // A report says it in its own words, and only those.
    let run = desk.run(&["package", "verify", "demo.tar", "--json"]);
    assert_eq!((run.code, run.err.as_str()), (Some(1), ""));
    assert_eq!(run.json()["reason"], "stale_assessment");
}

/// What only the dialect admits is refused by the contract.
#[test]
fn the_dialect_is_asked_for() {
    let desk = Desk::new();
    desk.demo();
    let (_, archive) = export(&desk, "demo", &[]);
    let changed = tar::with_inventory(&archive, |text| text.replacen("\"binding\":null,", "", 1));
    desk.write("demo.tar", changed);
    let verify = [
        "package",
        "verify",
        "demo.tar",
        "--context",
        "demo.context.json",
    ];
    let run = desk.run(&verify);
    assert_eq!(run.code, Some(1));
    assert!(
        run.out
            .starts_with("demo.tar: package_refused: input_shape\n"),
        "{}",
        run.out
    );
    assert!(
        run.out.contains("assay-6.21 alone is the cause"),
        "{}",
        run.out
    );
    let run = desk.run(
        &[
            &verify[..],
            &["--dialect", "assay-6.21", "--ledger", "demo.json"],
        ]
        .concat(),
    );
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.out.contains("dialect      assay-6.21"), "{}", run.out);
    assert_eq!(
        desk.run(&[&verify[..], &["--dialect", "other"]].concat())
            .code,
        Some(2)
    );
}

#[test]
fn inspecting_shows_inputs_context_and_receipts() {
    let desk = Desk::new();
    desk.demo();
    export(&desk, "demo", &[]);
    let inspect = [
        "package",
        "inspect",
        "demo.tar",
        "--context",
        "demo.context.json",
    ];
    let run = desk.run(&inspect);
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""));
    for part in [
        "demo.tar: package_verified\n",
        "\nInputs 3\n  ledger-facts ",
        "\nUnits 0\n",
        "\nSurfaces\n  tool_call        unknown ",
        "  actor                    {\"agents\":[\"muse\"]}\n",
        "  not_available: context_provenance, custody, ",
        "\nReceipts 3\n",
    ] {
        assert!(run.out.contains(part), "{part}: {}", run.out);
    }
    for grade in ["VERIFIED", "NOT_FOUND", "UNASKED"] {
        let line = format!("  {}  {grade}  muse  rule ", receipt_of(grade));
        assert!(run.out.contains(&line), "{line}");
    }
    let whole = desk.run(&[&inspect[..], &["--json"]].concat()).json();
    assert_eq!(
        whole["report"],
        serde_json::from_str::<Value>(&desk.read("demo.verify.json")).unwrap()
    );
    assert_eq!(whole["receipts"].as_array().unwrap().len(), 3);
    assert_eq!(whole["receipts"][0]["id"], receipt_of("NOT_FOUND"));
    // One that is refused shows why, and nothing of what is inside.
    let run = desk.run(&["package", "inspect", "demo.tar"]);
    assert_eq!(run.code, Some(1));
    assert!(
        run.out
            .starts_with("demo.tar: package_refused: stale_assessment\n"),
        "{}",
        run.out
    );
    assert!(run.out.contains("demo.context.json beside it is the one"));
    assert!(!run.out.contains("Inputs"), "{}", run.out);
    let run = desk.run(&["package", "inspect", "demo.tar", "--json"]);
    assert_eq!(run.json()["report"]["reason"], "stale_assessment");
    assert_eq!(run.json().as_object().unwrap().len(), 1);
}

/// `--plain` prints a package as `package inspect` does, whatever its name.
#[test]
fn a_package_is_printed_without_a_terminal() {
    let desk = Desk::new();
    desk.demo();
    export(&desk, "demo", &[]);
    std::fs::copy(desk.path().join("demo.tar"), desk.path().join("odd.json")).unwrap();
    let context = ["--context", "demo.context.json"];
    let inside = desk.run(&["package", "inspect", "odd.json", context[0], context[1]]);
    let plain = desk.run(&["odd.json", context[0], context[1], "--plain"]);
    assert_eq!((plain.code, plain.err.as_str()), (Some(0), ""));
    assert!(plain.out.contains("\nReceipts 3\n"), "{}", plain.out);
    assert_eq!(plain.out, inside.out);
    let refused = desk.run(&["odd.json", "--plain"]);
    assert_eq!((refused.code, refused.err.as_str()), (Some(1), ""));
    assert!(refused.out.contains("package_refused: stale_assessment"));
    assert!(refused.out.contains("it names another"), "{}", refused.out);
    for arguments in [
        &["odd.json", "--plain", "--screen", "replay"][..],
        &["odd.json", "--plain", "--context", "absent.json"],
        &["demo.json", "--plain", "--context", "demo.context.json"],
        &["demo.json", "--plain", "--dialect", "assay-6.21"],
    ] {
        assert_eq!(desk.run(arguments).code, Some(2), "{arguments:?}");
    }
}
