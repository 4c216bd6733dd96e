//! Files that are not what they should be: a message with the path, exit 2,
//! nothing written, nothing of the content repeated.

mod common;

use common::{DEMO, Desk, Run, receipt_of};

/// Replaces the first occurrence, which must be there.
fn with(from: &str, to: &str) -> Vec<u8> {
    assert!(DEMO.contains(from), "{from}");
    DEMO.replacen(from, to, 1).into_bytes()
}

/// What a person's mail holds in the demo: never to be seen in a message.
const CONTENT: &[&str] = &[
    "priya",
    "Priya",
    "orders@northwind",
    "deck",
    "SECRET",
    "\u{1b}",
];

fn refused(run: &Run, expected: &str, what: &str) {
    assert_eq!(run.code, Some(2), "{what}: {run:?}");
    assert_eq!(run.out, "", "{what}");
    assert!(run.err.contains(expected), "{what}: {}", run.err);
    for line in run.err.lines() {
        assert!(line.starts_with("attest-tui: bad.json: "), "{what}: {line}");
    }
    for content in CONTENT {
        assert!(!run.err.contains(content), "{what}: {}", run.err);
    }
    assert!(!run.err.contains("panicked"), "{what}");
}

/// Every command that opens a ledger, over `bad.json`.
fn commands(id: &str) -> [Vec<&str>; 12] {
    [
        vec!["grade", "bad.json"],
        vec!["grade", "bad.json", "--json"],
        vec!["grade", "bad.json", "--write"],
        vec!["explain", "bad.json", id],
        vec!["explain", "bad.json", id, "--json"],
        vec!["explain", "bad.json", id, "--markdown", "--at", "now"],
        vec!["replay", "bad.json"],
        vec![
            "override",
            "bad.json",
            id,
            "NOT_FOUND",
            "--reason",
            "SECRET",
        ],
        vec!["revert", "bad.json", id],
        vec!["journal", "bad.json"],
        vec!["--plain", "bad.json"],
        vec!["--plain", "--screen", "timeline", "bad.json"],
    ]
}

#[test]
fn every_fault_is_refused_with_its_path() {
    let deep = format!("{}{}", "[".repeat(100), "]".repeat(100));
    let long = "x".repeat((1 << 20) + 1);
    let id = receipt_of("VERIFIED");
    let faults: Vec<(&str, Vec<u8>, &str)> = vec![
        ("empty", Vec::new(), "unexpected end"),
        ("not JSON", b"SECRET".to_vec(), "not valid json"),
        ("truncated", DEMO.as_bytes()[..DEMO.len() / 2].to_vec(), ""),
        (
            "one byte short",
            DEMO.trim_end().as_bytes()[..DEMO.trim_end().len() - 1].to_vec(),
            "unexpected end",
        ),
        (
            "two documents",
            format!("{DEMO}{{}}").into_bytes(),
            "data after the end",
        ),
        (
            "byte order mark",
            format!("\u{feff}{DEMO}").into_bytes(),
            "byte order mark",
        ),
        ("a list", b"[]".to_vec(), "must be an object"),
        (
            "wrong format",
            with("\"attest-ledger\"", "\"SECRET\""),
            "format: must be \"attest-ledger\"",
        ),
        (
            "wrong version",
            with("\"version\": 7", "\"version\": 8"),
            "version: must be 7",
        ),
        (
            "no version",
            with("\"version\": 7,", ""),
            "version: missing",
        ),
        (
            "unknown member",
            with("\"claims\": [", "\"SECRE\\u001bT\": 1, \"claims\": ["),
            "[\"SECRE\\u{1b}T\"]: unknown member",
        ),
        (
            "unknown inner member",
            with("{\"agent\":", "{\"SECRE\":1,\"agent\":"),
            "claims[0].SECRE: unknown member",
        ),
        (
            "duplicate key",
            with("\"version\": 7,", "\"version\": 7,\n\"version\": 7,"),
            "duplicate key",
        ),
        (
            "null",
            with("\"counterparty\":\"Priya\"", "\"counterparty\":null"),
            "claims[0].counterparty: must be",
        ),
        (
            "bad instant",
            with(
                "\"claimedAt\":\"2026-10-06T14:02:00-04:00\"",
                "\"claimedAt\":\"2026-02-30T14:02:00-04:00\"",
            ),
            "claims[0].claimedAt: must be",
        ),
        (
            "leap second",
            with(
                "\"claimedAt\":\"2026-10-06T14:02:00-04:00\"",
                "\"claimedAt\":\"2026-10-06T23:59:60-04:00\"",
            ),
            "claims[0].claimedAt: must be",
        ),
        (
            "no offset",
            with(
                "\"claimedAt\":\"2026-10-06T14:02:00-04:00\"",
                "\"claimedAt\":\"2026-10-06T14:02:00\"",
            ),
            "claims[0].claimedAt: must be",
        ),
        (
            "escape in a text",
            with(
                "\"subjectHint\":\"Q3 deck\"",
                "\"subjectHint\":\"\\u001b[31mSECRET\"",
            ),
            "claims[0].subjectHint: must be one line",
        ),
        (
            "too long a subject",
            with(
                "\"subjectHint\":\"Q3 deck\"",
                &format!("\"subjectHint\":\"{}\"", "S".repeat(81)),
            ),
            "claims[0].subjectHint: longer than 80 characters",
        ),
        (
            "an oversized string",
            with("\"Priya\"", &format!("\"{long}\"")),
            "claims[0].counterparty: string too long",
        ),
        (
            "deep nesting",
            with("\"requests\": [", &format!("\"requests\": [{deep},")),
            "nested too deeply",
        ),
        (
            "deep nesting in meta",
            with("\"meta\": {", &format!("\"meta\": {{\"x\": {deep},")),
            "nested too deeply",
        ),
        (
            "a huge exponent",
            with(
                "\"agent\":\"muse\",\"claimedAt\"",
                "\"agent\":\"muse\",\"amountCents\":1e999999999,\"claimedAt\"",
            ),
            "claims[0].amountCents: must be",
        ),
        (
            "a long number",
            with(
                "\"agent\":\"muse\",\"claimedAt\"",
                &format!(
                    "\"agent\":\"muse\",\"amountCents\":{},\"claimedAt\"",
                    "9".repeat(100_000)
                ),
            ),
            "claims[0].amountCents: must be",
        ),
        (
            "a negative amount",
            with(
                "\"agent\":\"muse\",\"claimedAt\"",
                "\"agent\":\"muse\",\"amountCents\":-1,\"claimedAt\"",
            ),
            "claims[0].amountCents: must be",
        ),
        (
            "a fraction of a cent",
            with(
                "\"agent\":\"muse\",\"claimedAt\"",
                "\"agent\":\"muse\",\"amountCents\":1.5,\"claimedAt\"",
            ),
            "claims[0].amountCents: must be",
        ),
        (
            "an unknown agent",
            with(
                "\"agent\":\"muse\",\"claimedAt\"",
                "\"agent\":\"SECRET\",\"claimedAt\"",
            ),
            "claims[0].agent: must be",
        ),
        (
            "an id not of its hash",
            with("\"rawHash\":\"", "\"rawHash\":\"0000").replace_tail(),
            "claims[0].id: id does not follow from its hash",
        ),
        (
            "an edited receipt state",
            with("\"state\":\"FINAL\"", "\"state\":\"PENDING\""),
            "receipts[",
        ),
        (
            "an edited coverage",
            with(
                "\"batchCoverages\": {\n  \"",
                "\"batchCoverages\": {\n  \"0",
            )
            .replace_tail(),
            "batchCoverages",
        ),
        (
            "a policy under another's hash",
            with("\"graceMin\":30", "\"graceMin\":31"),
            "does not hash to its key",
        ),
        ("a receipt twice", duplicate_receipt(&id), "duplicate id"),
    ];
    for (what, bytes, expected) in faults {
        let desk = Desk::new();
        desk.write("bad.json", &bytes);
        let before = desk.files();
        for arguments in commands(&id) {
            refused(
                &desk.run(&arguments),
                expected,
                &format!("{what} {arguments:?}"),
            );
        }
        assert_eq!(desk.files(), before, "{what}");
    }
}

/// Makes the replaced hash as long as it was.
trait ReplaceTail {
    fn replace_tail(self) -> Self;
}

impl ReplaceTail for Vec<u8> {
    fn replace_tail(self) -> Self {
        let text = String::from_utf8(self).unwrap();
        let at = text.find("\"rawHash\":\"0000").map(|at| at + 11);
        let at = at.or_else(|| text.find("\"batchCoverages\": {\n  \"0").map(|at| at + 23));
        let at = at.unwrap();
        let end = at + text[at..].find('"').unwrap();
        format!("{}{}{}", &text[..at], &text[at..at + 64], &text[end..]).into_bytes()
    }
}

fn duplicate_receipt(id: &str) -> Vec<u8> {
    let line = DEMO
        .lines()
        .find(|line| line.contains(&format!("\"id\":\"{id}\"")) && line.contains("ruleId"));
    let line = line.unwrap().trim_end_matches(',');
    with("\"receipts\": [", &format!("\"receipts\": [\n{line},"))
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    let id = receipt_of("VERIFIED");
    for bytes in [
        &b"\xff\xfe{\x00}\x00"[..],
        b"{\"format\":\"\xc3\x28SECRET\"}",
        b"\xed\xa0\x80",
    ] {
        let desk = Desk::new();
        desk.write("bad.json", bytes);
        for arguments in commands(&id) {
            let what = format!("bytes {arguments:?}");
            refused(&desk.run(&arguments), "not utf-8, from line 1 on", &what);
        }
        let policy = desk.run(&["policy", "check", "bad.json"]);
        refused(&policy, "not utf-8, from line 1 on", "policy check");
        let golden = desk.run(&["golden", "run", "bad.json"]);
        assert_eq!(golden.code, Some(2), "{golden:?}");
        assert!(golden.err.contains("not utf-8"), "{golden:?}");
        assert_eq!(desk.read_bytes("bad.json"), bytes);
    }
}

/// 2 GiB that take no room on the disk: refused by their length, at once.
#[test]
fn a_huge_file_is_refused_unread() {
    let id = receipt_of("VERIFIED");
    let desk = Desk::new();
    let path = desk.write("bad.json", b"{");
    let file = std::fs::OpenOptions::new().write(true).open(path).unwrap();
    file.set_len(2 << 30).unwrap();
    let mut all = commands(&id).to_vec();
    all.push(vec!["policy", "check", "bad.json"]);
    for arguments in all {
        let began = std::time::Instant::now();
        let what = format!("2 GiB {arguments:?}");
        refused(&desk.run(&arguments), "larger than 1073741824 bytes", &what);
        assert!(
            began.elapsed() < std::time::Duration::from_secs(5),
            "{what}"
        );
    }
    let golden = desk.run(&["golden", "run", "bad.json"]);
    assert_eq!(golden.code, Some(2), "{golden:?}");
    assert!(golden.err.contains("larger than"), "{golden:?}");
}

/// A policy is refused with every problem on its line, and changes nothing.
#[test]
fn every_fault_of_a_policy_is_refused_with_its_path() {
    let shipped = include_str!("../policy/default.json");
    let with = |from: &str, to: &str| {
        assert!(shipped.contains(from), "{from}");
        shipped.replacen(from, to, 1).into_bytes()
    };
    let deep = format!("{}{}", "[".repeat(100), "]".repeat(100));
    let long = "x".repeat((1 << 20) + 1);
    let id = receipt_of("VERIFIED");
    for (what, bytes, expected) in [
        ("empty", Vec::new(), "unexpected end"),
        (
            "truncated",
            shipped.as_bytes()[..shipped.len() / 2].to_vec(),
            "",
        ),
        (
            "wrong version",
            with("\"version\": 2", "\"version\": 3"),
            "version: must be 2",
        ),
        (
            "unknown member",
            with("\"version\": 2", "\"SECRE\\u001bT\": 1, \"version\": 2"),
            "[\"SECRE\\u{1b}T\"]: unknown member",
        ),
        (
            "duplicate key",
            with("\"version\": 2", "\"version\": 2, \"version\": 2"),
            "duplicate key",
        ),
        (
            "deep nesting",
            with(
                "\"commonDomains\": [",
                &format!("\"commonDomains\": [{deep},"),
            ),
            "nested too deeply",
        ),
        (
            "an oversized string",
            with(
                "\"commonDomains\": [",
                &format!("\"commonDomains\": [\"{long}\","),
            ),
            "string too long",
        ),
        (
            "a huge exponent",
            with("\"graceMin\": 30", "\"graceMin\": 30e999999999"),
            "windows.graceMin: must be",
        ),
        (
            "a rule without its evidence",
            with("\"bestScoreGte\": \"verified\"", "\"targetMissing\": false"),
            "when.bestScoreGte: must be \"verified\" when then is \"VERIFIED\"",
        ),
    ] {
        let desk = Desk::new();
        desk.demo();
        desk.write("bad.json", &bytes);
        let before = desk.files();
        for arguments in [
            &["grade", "demo.json", "--policy", "bad.json"][..],
            &["grade", "demo.json", "--write", "--policy", "bad.json"],
            &["explain", "demo.json", &id, "--policy", "bad.json"],
            &[
                "explain",
                "demo.json",
                &id,
                "--json",
                "--policy",
                "bad.json",
            ],
        ] {
            let what = format!("{what} {arguments:?}");
            refused(&desk.run(arguments), expected, &what);
        }
        // What is wrong is what the check was asked for: its output.
        let check = desk.run(&["policy", "check", "bad.json"]);
        assert_eq!((check.code, check.err.as_str()), (Some(2), ""), "{what}");
        assert!(check.out.contains(expected), "{what}: {}", check.out);
        for line in check.out.lines() {
            assert!(line.starts_with("bad.json: "), "{what}: {line}");
        }
        for content in CONTENT {
            assert!(!check.out.contains(content), "{what}: {}", check.out);
        }
        assert_eq!(desk.files(), before, "{what}");
    }
}

/// A scenario that does not load says so in its place of the report.
#[test]
fn every_fault_of_a_scenario_is_refused_with_its_path() {
    let golden = common::GOLDEN_13;
    let with = |from: &str, to: &str| {
        assert!(golden.contains(from), "{from}");
        golden.replacen(from, to, 1).into_bytes()
    };
    let deep = format!("{}{}", "[".repeat(100), "]".repeat(100));
    let long = "x".repeat((1 << 20) + 1);
    for (what, bytes, expected) in [
        ("empty", Vec::new(), "unexpected end"),
        (
            "truncated",
            golden.as_bytes()[..golden.len() / 2].to_vec(),
            "",
        ),
        (
            "unknown member",
            with("\"name\":", "\"SECRE\\u001bT\": 1, \"name\":"),
            "[\"SECRE\\u{1b}T\"]: unknown member",
        ),
        (
            "duplicate key",
            with("\"mode\":", "\"mode\": \"batch\", \"mode\":"),
            "duplicate key",
        ),
        ("bad mode", with("\"batch\"", "\"SECRET\""), "mode: must be"),
        (
            "deep nesting",
            with("\"covers\": [", &format!("\"covers\": [{deep},")),
            "nested too deeply",
        ),
        (
            "an oversized string",
            with("\"covers\": [", &format!("\"covers\": [\"{long}\",")),
            "string too long",
        ),
        (
            "a bad instant",
            with(
                "\"evaluatedAt\": \"2026-10-06",
                "\"evaluatedAt\": \"2026-02-30",
            ),
            "input.evaluatedAt: must be",
        ),
        (
            "a policy patch that breaks a rule",
            with(
                "\"mode\":",
                "\"policyPatch\": { \"thresholds\": { \"partial\": 0 } }, \"mode\":",
            ),
            "thresholds.partial: must be > 0",
        ),
    ] {
        let desk = Desk::new();
        desk.write("bad.json", &bytes);
        let before = desk.files();
        let run = desk.run(&["golden", "run", "bad.json"]);
        assert_eq!(
            (run.code, run.err.as_str()),
            (Some(2), ""),
            "{what}: {run:?}"
        );
        assert!(run.out.starts_with("FAIL  bad.json: "), "{what}: {run:?}");
        assert!(run.out.contains(expected), "{what}: {run:?}");
        let json = desk.run(&["golden", "run", "--json", "bad.json"]);
        assert_eq!(json.code, Some(2), "{what}: {json:?}");
        let line = json.json();
        assert_eq!(line["pass"], false, "{what}");
        assert!(line["error"]["code"].is_string(), "{what}: {line}");
        for content in CONTENT {
            assert!(!run.out.contains(content), "{what}: {}", run.out);
            assert!(!json.out.contains(content), "{what}: {}", json.out);
        }
        for arguments in [
            &["grade", "bad.json"][..],
            &["explain", "bad.json", "c1", "--json"],
            &["--plain", "bad.json"],
        ] {
            let what = format!("{what} {arguments:?}");
            refused(&desk.run(arguments), expected, &what);
        }
        assert_eq!(desk.files(), before, "{what}");
    }
}

/// Every problem of a file is listed, each on its line with its path.
#[test]
fn all_problems_are_listed_at_once() {
    let desk = Desk::new();
    let bad = DEMO
        .replace("\"agent\":\"muse\"", "\"agent\":\"SECRET\"")
        .replacen("\"version\": 7", "\"version\": 6", 1);
    desk.write("bad.json", bad);
    let run = desk.run(&["grade", "bad.json"]);
    refused(&run, "version: must be 7", "many");
    for path in [
        "claims[0].agent",
        "claims[1].agent",
        "grants[0].agent",
        "receipts[0].agent",
    ] {
        assert!(run.err.contains(path), "{path}: {}", run.err);
    }
}

/// Scenarios and policies are held to the same.
#[test]
fn scenarios_and_policies_are_refused_alike() {
    let desk = Desk::new();
    let golden = common::GOLDEN_13;
    for (from, to, expected) in [
        (
            "\"claimedAt\"",
            "\"SECRE\": 1, \"claimedAt\"",
            "input.claims[0].SECRE: unknown member",
        ),
        (
            "\"2026-10-06T14:02:00-04:00\"",
            "\"2026-10-06 SECRET\"",
            "input.claims[0].claimedAt: must be",
        ),
        (
            "\"agent\": \"muse\", \"type\"",
            "\"agent\": \"SECRET\", \"type\"",
            "input.claims[0].agent: must be",
        ),
        (
            "\"ref\": \"o1\", \"source\"",
            "\"ref\": \"c1\", \"source\"",
            "input.observations[0].ref",
        ),
    ] {
        assert!(golden.contains(from), "{from}");
        desk.write("bad.json", golden.replacen(from, to, 1));
        refused(&desk.run(&["grade", "bad.json"]), expected, from);
    }
    desk.demo();
    desk.write("bad.json", "{\"version\": 2, \"SECRE\\u001bT\": []");
    let run = desk.run(&["grade", "demo.json", "--policy", "bad.json"]);
    refused(&run, "", "policy");
}

/// A clock repair or a time away that ends before it begins is legal and matches
/// nothing (readings 54): every view of it holds, also where it is drawn.
#[test]
fn a_span_that_ends_before_it_begins_is_data() {
    let desk = Desk::new();
    let span = "{\"from\":\"2026-10-06T16:00:00-04:00\",\"to\":\"2026-10-06T13:00:00-04:00\"}";
    let ledger = with(
        "\"meta\": {",
        &format!("\"meta\": {{\"clockRepair.1\": {span},"),
    );
    let ledger = String::from_utf8(ledger).unwrap();
    let idle = "\"idle\":[";
    assert!(ledger.contains(idle));
    desk.write(
        "ledger.json",
        ledger.replacen(idle, &format!("{idle}{span},"), 1),
    );
    let golden = common::GOLDEN_13;
    let coverage = "\"coverage\": [";
    assert!(golden.contains(coverage));
    let repairs = format!("\"repairs\": [{span}], {coverage}");
    desk.write("golden.json", golden.replacen(coverage, &repairs, 1));
    let ids = ["VERIFIED", "NOT_FOUND", "UNASKED"].map(receipt_of);
    for id in ids.iter().map(String::as_str).chain(["c1", "c2", "o2"]) {
        let file = if id.len() == 2 {
            "golden.json"
        } else {
            "ledger.json"
        };
        for how in [&[][..], &["--markdown"], &["--json"]] {
            let arguments = [&["explain", file, id][..], how].concat();
            let run = desk.run(&arguments);
            assert_eq!(run.code, Some(0), "{arguments:?}: {run:?}");
        }
    }
    for file in ["golden.json", "ledger.json"] {
        for screen in ["receipts", "review", "timeline", "replay", "policy"] {
            let run = desk.run(&["--plain", "--screen", screen, file]);
            assert_eq!(run.code, Some(0), "{screen} {file}: {run:?}");
        }
    }
}
