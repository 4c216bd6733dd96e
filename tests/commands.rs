//! Every subcommand, end to end.

mod common;

use common::{DEMO, Desk, GOLDEN_13, golden, receipt_of};

#[test]
fn help_version_and_bad_arguments() {
    let desk = Desk::new();
    let help = desk.run(&["--help"]);
    assert_eq!(help.code, Some(0));
    for word in [
        "grade",
        "explain",
        "replay",
        "override",
        "revert",
        "golden",
        "policy",
        "config",
        "Exit codes",
    ] {
        assert!(help.out.contains(word), "{word}");
    }
    assert_eq!(desk.run(&["--version"]).code, Some(0));
    for bad in [
        &["--no-such"][..],
        &["grade"],
        &["explain", "x.json"],
        &["golden", "run"],
        &["replay"],
        &["override", "x.json", "R", "PARTIAL", "--reason", "x"],
        &["override", "x.json", "R", "VERIFIED"],
        &["explain", "x.json", "R", "--json", "--markdown"],
    ] {
        let run = desk.run(bad);
        assert_eq!((run.code, run.out.as_str()), (Some(2), ""), "{bad:?}");
    }
}

/// The demo is what the command makes of golden 13, to the byte.
#[test]
fn the_demo_is_made_by_its_command() {
    let desk = Desk::new();
    desk.write("13.json", GOLDEN_13);
    let made = desk.run(&["demo", "13.json"]);
    assert_eq!(made.code, Some(0));
    assert!(
        made.out == DEMO,
        "run: attest-tui demo golden/13-demo-section-2.json > golden/ledgers/demo.json"
    );
}

/// Golden 13's own expectations, through a ledger and through the scenario.
#[test]
fn grading_says_what_the_golden_says() {
    let desk = Desk::new();
    desk.write("13.json", GOLDEN_13);
    let graded = desk.run(&["grade", "13.json", "--json"]);
    assert_eq!(graded.code, Some(0), "{graded:?}");
    let graded = graded.json();
    assert_eq!(graded["evaluatedAt"], "2026-10-06T15:00:00-04:00");
    let receipts = graded["receipts"].as_array().unwrap();
    let said: Vec<(&str, &str, Option<&str>, Option<&str>)> = receipts
        .iter()
        .map(|one| {
            (
                one["receipt"]["grade"].as_str().unwrap(),
                one["receipt"]["state"].as_str().unwrap(),
                one["score"].as_str(),
                one["attributionScore"].as_str(),
            )
        })
        .collect();
    assert_eq!(
        said,
        [
            ("VERIFIED", "FINAL", Some("12/13"), None),
            ("NOT_FOUND", "FINAL", None, None),
            ("UNASKED", "FINAL", None, Some("7/10")),
        ]
    );
    // The ledger made of it holds the same receipts; all are final, so the
    // next batch makes none.
    desk.demo();
    let again = desk.run(&["grade", "demo.json", "--json"]).json();
    assert_eq!(again["receipts"].as_array().map(Vec::len), Some(0));
    let stored: serde_json::Value = serde_json::from_str(DEMO).unwrap();
    let fresh: Vec<&serde_json::Value> = receipts.iter().map(|one| &one["receipt"]).collect();
    assert_eq!(
        stored["receipts"]
            .as_array()
            .unwrap()
            .iter()
            .collect::<Vec<_>>(),
        fresh
    );
}

#[test]
fn the_instant_and_the_policy_can_be_given() {
    let desk = Desk::new();
    desk.write("13.json", GOLDEN_13);
    // Before the grace of the claim ended nothing is decided but what is seen.
    let early = desk.run(&[
        "grade",
        "13.json",
        "--at",
        "2026-10-06T14:10:00-04:00",
        "--json",
    ]);
    let early = early.json();
    assert_eq!(early["evaluatedAt"], "2026-10-06T14:10:00-04:00");
    for one in early["receipts"].as_array().unwrap() {
        assert_eq!(one["receipt"]["state"], "PENDING", "{one}");
    }
    let text = desk.run(&["grade", "13.json", "--at", "2026-10-06T14:10:00-04:00"]);
    assert!(
        text.out.contains("checking") && !text.out.contains("UNVERIFIABLE"),
        "{}",
        text.out
    );
    for bad in ["yesterday", "2026-10-06T14:10:00", "2026-02-30T00:00:00Z"] {
        let run = desk.run(&["grade", "13.json", "--at", bad]);
        assert_eq!(run.code, Some(2));
        assert_eq!(
            run.err,
            "attest-tui: --at: must be an instant with an offset, or now\n"
        );
    }
    // 12/13 = 0.923… is below a threshold of 0.95.
    let policy =
        include_str!("../policy/default.json").replace("\"verified\": 0.85", "\"verified\": 0.95");
    assert!(policy.contains("\"verified\": 0.95"));
    desk.write("strict.json", &policy);
    let strict = desk
        .run(&["grade", "13.json", "--policy", "strict.json", "--json"])
        .json();
    assert_eq!(strict["receipts"][0]["receipt"]["grade"], "PARTIAL");
}

#[test]
fn a_batch_is_stored_and_replays() {
    let desk = Desk::new();
    let mut demo: serde_json::Value = serde_json::from_str(DEMO).unwrap();
    for table in ["receiptInputs", "batchCoverages", "policies"] {
        demo[table] = serde_json::json!({});
    }
    demo["receipts"] = serde_json::json!([]);
    demo["meta"] = serde_json::json!({"note": {"kept": [1, "as it stands"]}});
    demo["requests"] = serde_json::json!([{"id": "r1", "anything": null}]);
    desk.write("open.json", demo.to_string());
    let before = desk.files();
    // Looking stores nothing.
    assert_eq!(desk.run(&["grade", "open.json"]).code, Some(0));
    assert_eq!(desk.files(), before);
    let run = desk.run(&[
        "grade",
        "open.json",
        "--at",
        "2026-10-06T15:00:00-04:00",
        "--write",
        "--json",
    ]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert_eq!(run.json()["stored"]["added"], 3);
    let stored: serde_json::Value = serde_json::from_str(&desk.read("open.json")).unwrap();
    assert_eq!(
        stored["receipts"],
        serde_json::from_str::<serde_json::Value>(DEMO).unwrap()["receipts"]
    );
    assert_eq!(stored["requests"], demo["requests"]);
    assert_eq!(stored["meta"]["note"], demo["meta"]["note"]);
    let replay = desk.run(&["replay", "open.json"]);
    assert_eq!(replay.code, Some(0), "{replay:?}");
    // Never again at or before that instant.
    let after = desk.files();
    let again = desk.run(&[
        "grade",
        "open.json",
        "--at",
        "2026-10-06T15:00:00-04:00",
        "--write",
    ]);
    assert_eq!(again.code, Some(2));
    assert!(
        again
            .err
            .contains("open.json: the batch is not after the last one"),
        "{}",
        again.err
    );
    assert_eq!(desk.files(), after);
    // A scenario is no ledger to write into.
    desk.write("13.json", GOLDEN_13);
    assert_eq!(desk.run(&["grade", "13.json", "--write"]).code, Some(2));
    assert_eq!(desk.read("13.json"), GOLDEN_13);
}

#[test]
fn a_receipt_is_explained_by_any_of_its_names() {
    let desk = Desk::new();
    desk.write("13.json", GOLDEN_13);
    desk.demo();
    let id = receipt_of("VERIFIED");
    let demo: serde_json::Value = serde_json::from_str(DEMO).unwrap();
    let claim = demo["receipts"][0]["claimId"].as_str().unwrap();
    let by_id = desk.run(&["explain", "demo.json", &id]);
    assert_eq!(by_id.code, Some(0), "{by_id:?}");
    assert_eq!(desk.run(&["explain", "demo.json", claim]).out, by_id.out);
    // Golden 13's hand arithmetic: 6000 of 6500, above 8500 and 5000.
    for part in [
        "12/13 = 0.9231",
        "timeProximity",
        "2500",
        "6000",
        "10000·N = 60000000 ≥ 8500·D = 55250000",
        "✔",
        "✗",
    ] {
        assert!(by_id.out.contains(part), "{part}\n{}", by_id.out);
    }
    assert!(!by_id.out.contains('\u{1b}'));
    // Derived again from what is stored, it is the trace of the first grading.
    let by_name = desk.run(&["explain", "13.json", "c1", "--json"]).json();
    let stored = desk.run(&["explain", "demo.json", &id, "--json"]).json();
    assert_eq!(by_name, stored);
    let unasked = desk.run(&["explain", "13.json", "o2"]);
    assert!(
        unasked.out.contains("likely") && unasked.out.contains("0.7"),
        "{}",
        unasked.out
    );
    let markdown = desk.run(&["explain", "demo.json", &id, "--markdown"]);
    assert!(
        markdown.out.starts_with(&format!("# Receipt {id}\n")),
        "{}",
        markdown.out
    );
    assert!(markdown.out.contains("## Arithmetic"));
    let none = desk.run(&["explain", "demo.json", "01234567890123456789012345"]);
    assert_eq!((none.code, none.out.as_str()), (Some(2), ""));
}

#[test]
fn every_golden_passes() {
    let desk = Desk::new();
    let run = desk.run(&["golden", "run", &golden()]);
    assert_eq!(run.code, Some(0), "{}", run.out);
    assert!(run.out.ends_with("117 passed, 0 failed\n"), "{}", run.out);
}

#[test]
fn a_golden_that_fails_says_where() {
    let desk = Desk::new();
    desk.write("good.json", GOLDEN_13);
    desk.write(
        "wrong.json",
        GOLDEN_13.replacen("\"score\": \"12/13\"", "\"score\": \"11/13\"", 1),
    );
    desk.write(
        "broken.json",
        GOLDEN_13.replacen("\"claimedAt\"", "\"claimedOn\"", 1),
    );
    // Grading refuses: two grants of one agent at one instant.
    let two = r#""grants": [
      { "ref": "g0", "agent": "muse" },"#;
    desk.write("refused.json", GOLDEN_13.replacen("\"grants\": [", two, 1));
    for (file, code) in [
        ("good.json", 0),
        ("wrong.json", 1),
        ("refused.json", 1),
        ("broken.json", 2),
    ] {
        let run = desk.run(&["golden", "run", file, "--json"]);
        assert_eq!(run.code, Some(code), "{file} {run:?}");
        let line = run.json();
        assert_eq!(line["file"], file);
        assert_eq!(line["pass"], code == 0, "{line}");
    }
    let wrong = desk.run(&["golden", "run", "wrong.json", "--json"]).json();
    assert_eq!(
        wrong["mismatches"],
        serde_json::json!([{"ref": "c1", "field": "score", "expected": "11/13", "actual": "12/13"}])
    );
    let refused = desk
        .run(&["golden", "run", "refused.json", "--json"])
        .json();
    assert_eq!(
        refused["error"],
        serde_json::json!({"type": "BatchError", "code": "ambiguous_grant"})
    );
    let broken = desk.run(&["golden", "run", "broken.json", "--json"]).json();
    assert_eq!(
        broken["error"],
        serde_json::json!({"type": "SchemaError", "code": "invalid"})
    );
    // Of several the worst, each with its line.
    let all = desk.run(&[
        "golden",
        "run",
        "wrong.json",
        "missing.json",
        "good.json",
        "--json",
    ]);
    assert_eq!((all.code, all.out.lines().count()), (Some(2), 3));
    let text = desk.run(&["golden", "run", "."]);
    assert!(
        text.out.contains("broken.json") && text.out.contains("input.claims[0].claimedOn"),
        "{}",
        text.out
    );
    assert!(text.out.ends_with("1 passed, 3 failed\n"), "{}", text.out);
}

#[test]
fn policies_are_checked() {
    let desk = Desk::new();
    let default = include_str!("../policy/default.json");
    desk.write("good.json", default);
    let good = desk.run(&["policy", "check", "good.json"]);
    assert_eq!(good.code, Some(0));
    assert!(good.out.starts_with("good.json: no problems, hash "));
    desk.write(
        "bad.json",
        default.replacen(
            "\"partial\": 0.5",
            "\"partial\": 0.99, \"extra\": \"\\u001b[31mred\"",
            1,
        ),
    );
    let bad = desk.run(&["policy", "check", "bad.json"]);
    assert_eq!(bad.code, Some(2));
    assert!(
        bad.out
            .contains("bad.json: thresholds.partial: must be < thresholds.verified\n"),
        "{}",
        bad.out
    );
    assert!(
        bad.out
            .contains("bad.json: thresholds.extra: unknown member\n"),
        "{}",
        bad.out
    );
    assert!(!bad.out.contains("red") && !bad.out.contains('\u{1b}'));
    let gone = desk.run(&["policy", "check", "gone.json"]);
    assert_eq!((gone.code, gone.out.as_str()), (Some(2), ""));
    assert!(
        gone.err
            .starts_with("attest-tui: gone.json: cannot be read: ")
    );
}

/// §9: a changed grade is found, with the receipt and the field.
#[test]
fn replay_proves_the_ledger_or_names_what_differs() {
    let desk = Desk::new();
    desk.demo();
    let whole = desk.run(&["replay", "demo.json", "--json"]);
    assert_eq!(whole.code, Some(0));
    assert_eq!(whole.json()["reproduced"], 3);
    let changed = DEMO.replacen("\"grade\":\"VERIFIED\"", "\"grade\":\"PARTIAL\"", 1);
    assert_ne!(changed, DEMO);
    desk.write("changed.json", changed);
    let run = desk.run(&["replay", "changed.json"]);
    assert_eq!(run.code, Some(1));
    let line = format!(
        "{}  grade  stored PARTIAL  replayed VERIFIED",
        receipt_of("VERIFIED")
    );
    assert!(run.out.contains(&line), "{}", run.out);
    let json = desk.run(&["replay", "changed.json", "--json"]).json();
    assert_eq!(json["byField"], serde_json::json!({"grade": 1}));
    assert_eq!(
        json["mismatches"],
        serde_json::json!([{"field": "grade", "receiptId": receipt_of("VERIFIED"), "stored": "PARTIAL", "replayed": "VERIFIED"}])
    );
    desk.write("broken.json", "{");
    let all = desk.run(&["replay", "demo.json", "broken.json", "changed.json"]);
    assert_eq!(all.code, Some(2));
    assert!(all.out.contains("demo.json") && all.out.contains("changed.json"));
    assert!(
        all.err.starts_with("attest-tui: broken.json: "),
        "{}",
        all.err
    );
}

/// A file name cannot start an output line of its own, nor drive the terminal.
#[test]
fn file_names_are_escaped() {
    let desk = Desk::new();
    let name = "a\n\u{1b}[31m\u{202e}b.json";
    desk.write(name, DEMO);
    let run = desk.run(&["replay", name]);
    assert_eq!(run.code, Some(0));
    assert!(
        run.out.starts_with("a\\u{a}\\u{1b}[31m\\u{202e}b.json\n"),
        "{}",
        run.out
    );
    let missing = desk.run(&["grade", "no\nsuch\u{7}.json"]);
    assert_eq!(missing.err.lines().count(), 1);
    assert!(missing.err.contains("no\\u{a}such\\u{7}.json"));
}

#[test]
fn a_persons_word_is_saved_and_taken_back() {
    let desk = Desk::new();
    desk.demo();
    let id = receipt_of("NOT_FOUND");
    let say = desk.run(&[
        "override",
        "demo.json",
        &id,
        "verified",
        "--reason",
        "it is in my diary",
        "--json",
    ]);
    assert_eq!(say.code, Some(0), "{say:?}");
    assert_eq!(say.json()["override"]["grade"], "VERIFIED");
    assert_eq!(say.json()["state"], "USER_OVERRIDDEN");
    let stored: serde_json::Value = serde_json::from_str(&desk.read("demo.json")).unwrap();
    let held = stored["receipts"]
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["id"] == *id);
    assert_eq!(held, Some(&say.json()));
    // The ledger still replays, and the receipt counts by the person's word.
    assert_eq!(desk.run(&["replay", "demo.json"]).code, Some(0));
    let plain = desk.run(&["--plain", "demo.json"]);
    assert!(
        plain.out.contains(&format!("{id}: VERIFIED")),
        "{}",
        plain.out
    );
    assert!(plain.out.contains("You said that it happened."));
    // Twice is refused, and changes nothing.
    let before = desk.files();
    let again = desk.run(&["override", "demo.json", &id, "NOT_FOUND", "--reason", "x"]);
    assert_eq!(again.code, Some(2));
    assert_eq!(
        again.err,
        format!("attest-tui: demo.json: receipt {id}: it is overridden already; revert it first\n")
    );
    for blank in ["", "  ", "\u{200b}\t"] {
        let unasked = receipt_of("UNASKED");
        let run = desk.run(&[
            "override",
            "demo.json",
            &unasked,
            "VERIFIED",
            "--reason",
            blank,
        ]);
        assert_eq!(run.code, Some(2), "{blank:?}");
    }
    let long = "x".repeat(501);
    assert_eq!(
        desk.run(&[
            "override",
            "demo.json",
            &receipt_of("UNASKED"),
            "VERIFIED",
            "--reason",
            &long
        ])
        .code,
        Some(2)
    );
    assert_eq!(desk.files(), before);
    let back = desk.run(&["revert", "demo.json", &id]);
    assert_eq!(back.code, Some(0), "{back:?}");
    let stored: serde_json::Value = serde_json::from_str(&desk.read("demo.json")).unwrap();
    let receipts = stored["receipts"].as_array().unwrap();
    let held = receipts.iter().find(|one| one["id"] == *id).unwrap();
    assert_eq!(
        (
            held["state"].as_str(),
            held["reverted"].as_array().map(Vec::len)
        ),
        (Some("FINAL"), Some(1))
    );
    assert_eq!(desk.run(&["replay", "demo.json"]).code, Some(0));
    assert_eq!(desk.run(&["revert", "demo.json", &id]).code, Some(2));
    assert!(
        desk.run(&["journal", "demo.json"])
            .out
            .contains("no events wait")
    );
}

/// A symbolic link stays one; what it points to is saved.
#[cfg(unix)]
#[test]
fn a_ledger_behind_a_link_is_saved_where_it_is() {
    let desk = Desk::new();
    desk.demo();
    std::os::unix::fs::symlink("demo.json", desk.path().join("link.json")).unwrap();
    let run = desk.run(&[
        "override",
        "link.json",
        &receipt_of("VERIFIED"),
        "NOT_FOUND",
        "--reason",
        "no",
    ]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(desk.path().join("link.json").is_symlink());
    assert!(desk.read("demo.json").contains("USER_OVERRIDDEN"));
}

#[test]
fn settings_are_shown_and_checked() {
    let desk = Desk::new();
    let path = desk.run(&["config", "path"]);
    let file = path.out.trim_end().to_owned();
    assert!(file.ends_with("attest-tui/config.toml"), "{file}");
    assert_eq!(desk.run(&["config", "check"]).code, Some(0));
    let shown = desk.run(&["config", "show"]);
    assert!(shown.out.starts_with("theme = "), "{}", shown.out);
    std::fs::create_dir_all(std::path::Path::new(&file).parent().unwrap()).unwrap();
    std::fs::write(&file, "mouse = true\ncolour = 3\n").unwrap();
    let check = desk.run(&["config", "check"]);
    assert_eq!(check.code, Some(2));
    assert!(
        check
            .out
            .contains("config.toml:2: unknown setting \"colour\""),
        "{}",
        check.out
    );
    std::fs::write(&file, &shown.out).unwrap();
    assert_eq!(desk.run(&["config", "check"]).code, Some(0));
    assert_eq!(desk.run(&["config", "show"]).out, shown.out);
}

#[test]
fn completions_and_the_man_page_are_made_from_the_arguments() {
    let desk = Desk::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let run = desk.run(&["completions", shell]);
        assert_eq!(run.code, Some(0));
        assert!(
            run.out.contains("override") && run.out.contains("markdown"),
            "{shell}"
        );
    }
    let man = desk.run(&["man"]);
    assert_eq!(man.code, Some(0));
    for word in [".TH attest", "Exit codes", "\\-\\-policy", "golden"] {
        assert!(man.out.contains(word), "{word}");
    }
}

#[test]
fn without_a_terminal_the_inspector_says_what_to_do() {
    let desk = Desk::new();
    let run = desk.run(&[]);
    assert_eq!(run.code, Some(2));
    assert_eq!(
        run.err,
        "attest-tui: the inspector needs a terminal; --plain prints without one\n"
    );
    let plain = desk.run(&["--plain"]);
    assert_eq!(plain.code, Some(0));
    assert!(
        plain.out.contains("VERIFIED, muse, by rule verified"),
        "{}",
        plain.out
    );
    assert!(plain.out.contains("muse likely did it"));
}

/// Neither the time zone nor the language of the machine changes a byte.
#[test]
fn the_place_of_the_machine_changes_nothing() {
    let desk = Desk::new();
    desk.demo();
    let runs: [&[&str]; 4] = [
        &["grade", "demo.json", "--json"],
        &["replay", "demo.json", "--json"],
        &["demo.json", "--plain"],
        &["grade", "demo.json"],
    ];
    for run in runs {
        let plain = desk.command(run).output().unwrap().stdout;
        assert!(!plain.is_empty(), "{run:?}");
        for (zone, language) in [
            ("UTC", "C"),
            ("Pacific/Kiritimati", "de_DE.UTF-8"),
            ("America/Los_Angeles", "tr_TR.UTF-8"),
            ("Asia/Kathmandu", "ar_EG.UTF-8"),
        ] {
            let mut command = desk.command(run);
            command.env("TZ", zone).env("LC_ALL", language);
            let elsewhere = command.output().unwrap().stdout;
            assert!(elsewhere == plain, "{run:?} in {zone}, {language}");
        }
    }
}
