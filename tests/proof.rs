//! What a receipt is worth: a simulated ledger replays whole, a changed one
//! does not, and what is cut is said.

mod common;

use common::Desk;

/// A seed's ledger is proven, the same every time; one grade changed is named
/// with its receipt.
#[test]
fn a_simulated_ledger_replays_and_a_changed_one_is_named() {
    let desk = Desk::new();
    let simulate = ["simulate", "--seed", "1", "--days", "30"];
    let with_truth = [&simulate[..], &["--truth", "t.json"]].concat();
    let made = desk.run(&with_truth);
    assert_eq!((made.code, made.err.as_str()), (Some(0), ""));
    assert!(made.out == desk.run(&simulate).out, "one seed, two ledgers");
    desk.write("l.json", &made.out);
    let whole = desk.run(&["replay", "l.json"]);
    assert_eq!(whole.code, Some(0), "{}", whole.out);
    assert!(whole.out.contains(" 0 mismatched\n"), "{}", whole.out);
    assert!(whole.out.contains("\nnot proven: "), "{}", whole.out);

    let ledger: serde_json::Value = serde_json::from_str(&made.out).unwrap();
    let receipts = ledger["receipts"].as_array().unwrap();
    assert!(receipts.len() > 100);
    let verified = receipts
        .iter()
        .find(|receipt| receipt["grade"] == "VERIFIED")
        .unwrap();
    let id = verified["id"].as_str().unwrap();
    let mut changed = ledger.clone();
    for receipt in changed["receipts"].as_array_mut().unwrap() {
        if receipt["id"] == id {
            receipt["grade"] = "PARTIAL".into();
        }
    }
    desk.write("changed.json", changed.to_string());
    let run = desk.run(&["replay", "changed.json"]);
    assert_eq!(run.code, Some(1), "{}", run.out);
    let line = format!("  {id}  grade  stored PARTIAL  replayed VERIFIED\n");
    assert!(run.out.contains(&line), "{}", run.out);
    assert!(run.out.contains(" 1 mismatched\n"), "{}", run.out);
    let json = desk.run(&["replay", "changed.json", "--json"]).json();
    assert_eq!(json["byField"], serde_json::json!({"grade": 1}));
    assert!(!json["notProven"].as_array().unwrap().is_empty());

    // The README shows what is printed: whole, and with the first VERIFIED
    // receipt of the text changed.
    let first = made
        .out
        .replacen(r#""grade":"VERIFIED","id""#, r#""grade":"PARTIAL","id""#, 1);
    desk.write("changed.json", first);
    let readme = include_str!("../README.md");
    for name in ["l.json", "changed.json"] {
        let shown = desk.run(&["replay", name]).out;
        assert!(readme.contains(&shown), "the README does not show\n{shown}");
    }

    // The truth names every claim and every row of the ledger.
    let truth: serde_json::Value = serde_json::from_str(&desk.read("t.json")).unwrap();
    for (table, known) in [("claims", "truth"), ("observations", "by")] {
        let rows = ledger[table].as_array().unwrap();
        assert!(!rows.is_empty());
        for row in rows {
            let id = row["id"].as_str().unwrap();
            assert!(truth[table][id][known].is_string(), "{table} {id}");
        }
    }
}

#[test]
fn a_world_takes_only_what_it_can_be_made_of() {
    let desk = Desk::new();
    for bad in [
        &["simulate", "--days", "3"][..],
        &["simulate", "--seed", "x", "--days", "3"],
        &["simulate", "--seed", "1", "--days", "0"],
        &["simulate", "--seed", "1", "--days", "3651"],
        &[
            "simulate",
            "--seed",
            "1",
            "--days",
            "3",
            "--claims-per-day",
            "5001",
        ],
        &[
            "simulate", "--seed", "1", "--days", "3", "--faults", "gremlins",
        ],
        &[
            "simulate",
            "--seed",
            "1",
            "--days",
            "3",
            "--truth",
            "no/such/t.json",
        ],
    ] {
        let run = desk.run(bad);
        assert_eq!((run.code, run.out.as_str()), (Some(2), ""), "{bad:?}");
    }
    let lies = desk.run(&[
        "simulate",
        "--seed",
        "1",
        "--days",
        "2",
        "--faults",
        "lie,clock",
    ]);
    assert_eq!(lies.code, Some(0));
    let last = desk.run(&["simulate", "--seed", "18446744073709551615", "--days", "1"]);
    assert_eq!(last.code, Some(0));
}

/// §3: a list over what a batch takes is cut to its newest, with a warning.
#[test]
fn a_batch_that_cuts_a_list_says_which() {
    let desk = Desk::new();
    desk.demo();
    let mut ledger: serde_json::Value = serde_json::from_str(common::DEMO).unwrap();
    let one = serde_json::json!({"agent": "muse", "at": "2026-10-06T10:00:00-04:00"});
    ledger["activity"]["sessions"] = vec![one; 100_001].into();
    desk.write("long.json", ledger.to_string());
    for arguments in [
        &["grade", "long.json", "--at", "2026-10-08T10:00:00-04:00"][..],
        &[
            "grade",
            "long.json",
            "--at",
            "2026-10-08T10:00:00-04:00",
            "--write",
        ],
    ] {
        let run = desk.run(arguments);
        assert_eq!(run.code, Some(0), "{}", run.err);
        assert_eq!(
            run.err,
            "attest-tui: long.json: activity.sessions holds 100001 entries; the newest 100000 are graded with\n",
            "{arguments:?}"
        );
    }
}
