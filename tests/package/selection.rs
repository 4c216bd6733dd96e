//! Which receipts are exported, and for when.

use serde_json::{Value, json};

use crate::common::{DEMO, Desk};
use crate::export::{export, fact};

#[test]
fn a_filter_selects() {
    let desk = Desk::new();
    desk.demo();
    for (name, options, selection, grades) in [
        (
            "a",
            &["--filter", "grade:unasked"][..],
            "grade:unasked",
            json!({"UNASKED": 1}),
        ),
        (
            "b",
            &["--filter", "-grade:unasked", "--agent", "muse"],
            "-grade:unasked agent:muse",
            json!({"NOT_FOUND": 1, "VERIFIED": 1}),
        ),
        (
            "c",
            &["--agent", "muse,claude,muse"],
            "agent:claude,muse",
            json!({"NOT_FOUND": 1, "UNASKED": 1, "VERIFIED": 1}),
        ),
        ("d", &["--filter", "priya"], "priya", json!({"VERIFIED": 1})),
    ] {
        let (run, archive) = export(&desk, name, options);
        assert!(
            run.out.contains(&format!("  selection    {selection}\n")),
            "{run:?}"
        );
        assert_eq!(
            fact(&archive, "producer_invocation")["selection"],
            selection
        );
        assert_eq!(fact(&archive, "denominator")["selection"], grades);
        let (tar, context) = (format!("{name}.tar"), format!("{name}.context.json"));
        let verify = [
            "package",
            "verify",
            &tar,
            "--context",
            &context,
            "--ledger",
            "demo.json",
        ];
        let run = desk.run(&verify);
        assert_eq!(run.code, Some(0), "{run:?}");
    }
    let before = desk.files();
    for (options, said) in [
        (
            &["--filter", "agent:dots"][..],
            "the selection holds no receipt",
        ),
        (&["--filter", "all"], "the selection holds no receipt"),
        (
            &["--filter", "grade:maybe x:y"],
            "--filter: 0: grade: takes",
        ),
        (&["--agent", "nobody"], "nobody"),
        (&["--as-of", "yesterday"], "--as-of: must be an instant"),
    ] {
        let run = desk.run(
            &[
                &["package", "export", "demo.json", "--out", "z.tar"],
                options,
            ]
            .concat(),
        );
        assert_eq!((run.code, run.out.as_str()), (Some(2), ""), "{run:?}");
        assert!(run.err.contains(said), "{run:?}");
    }
    assert_eq!(desk.files(), before);
}

/// The word `all` as a filter is not the selection of everything.
#[test]
fn the_word_all_is_a_word() {
    let desk = Desk::new();
    desk.write("demo.json", DEMO.replace("Q3 deck", "Q3 all"));
    let (_, archive) = export(&desk, "demo", &["--filter", "all"]);
    assert_eq!(
        fact(&archive, "producer_invocation")["selection"],
        "\"all\""
    );
    let run = desk.run(&[
        "package",
        "verify",
        "demo.tar",
        "--context",
        "demo.context.json",
        "--ledger",
        "demo.json",
    ]);
    // The edited row is not what was graded, which its replay says.
    assert!(
        run.out.contains("not derived again") && !run.out.contains("differs"),
        "{run:?}"
    );
}

#[test]
fn instants_can_be_given() {
    let desk = Desk::new();
    desk.demo();
    let instants = |name: &str| {
        let context: Value =
            serde_json::from_str(&desk.read(&format!("{name}.context.json"))).unwrap();
        ["as_of", "valid_from", "valid_until"].map(|key| context[key].as_str().unwrap().to_owned())
    };
    export(&desk, "a", &["--as-of", "2026-10-08T00:00:00.5+02:00"]);
    assert_eq!(
        instants("a"),
        [
            "2026-10-07T22:00:00.500Z",
            "2026-10-07T22:00:00.500Z",
            "2026-10-08T22:00:00.500Z"
        ]
    );
    export(
        &desk,
        "b",
        &[
            "--valid-from",
            "2026-10-01T00:00:00Z",
            "--valid-until",
            "2027-01-01T00:00:00Z",
        ],
    );
    assert_eq!(
        instants("b"),
        [
            "2026-10-06T19:00:00Z",
            "2026-10-01T00:00:00Z",
            "2027-01-01T00:00:00Z"
        ]
    );
    let before = desk.files();
    for options in [
        ["--valid-from", "2026-10-07T00:00:00Z"],
        ["--valid-until", "2026-10-06T18:59:59.999Z"],
    ] {
        let run = desk.run(
            &[
                &["package", "export", "demo.json", "--out", "z.tar"][..],
                &options,
            ]
            .concat(),
        );
        assert_eq!(run.code, Some(1), "{run:?}");
        assert!(
            run.err.starts_with("attest-tui: trust_input: as_of "),
            "{run:?}"
        );
    }
    assert_eq!(desk.files(), before);
}
