//! Ledgers, scenarios, policies and journals changed at random, by seed: whatever
//! stands in a file, the program says so in plain lines and exits 0, 1 or 2; it
//! never panics, never hangs, never puts on the terminal what a terminal would
//! act on, and a file it refuses is left as it was.
//!
//! Changes are of three kinds: of a value (another type, a hostile text, an
//! edge of its range, a copy of another), of bytes, and of values that stay
//! what their member asks for, so that a file is read and what lies behind the
//! reading is reached.

mod common;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use attest_grading::text::is_plain;
use common::{DEMO, Desk, Run, golden, receipt_of};
use serde_json::Value;

/// Random choices from a seed (splitmix64).
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, most: usize) -> usize {
        (self.next() % most.max(1) as u64) as usize
    }

    fn of<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }
}

/// A mark of content: never to be seen once a file is refused.
const MARK: &str = "zqx";

/// Texts a terminal, a parser or a table might trip over.
const TEXTS: &[&str] = &[
    "",
    "zqx\u{1b}[31m",
    "zqx\u{1b}]0;title\u{7}",
    "zqx\nzqx: zqx",
    "\u{202e}zqx",
    "\u{9b}31mzqx",
    "zqx\u{2028}",
    "\u{301}zqx",
    "``````zqx",
    "zqx\0",
    "a+zqx@b.co",
    "а@zqx.co",
    "zqx <a@b.co>",
    "x@xn--zqx.co",
    "2026-02-30T00:00:00Z",
    "2026-10-06T14:02:00",
];

/// Texts that some member of a document asks for, those that stand for each
/// other together.
const FITTING: &[&[&str]] = &[
    &[
        "0001-01-01T00:00:00+23:59",
        "0001-01-01T00:00:00Z",
        "1970-01-01T00:00:00Z",
        "2026-10-06T14:02:00-04:00",
        "2026-10-06T14:02:00.001-04:00",
        "2026-10-06T15:00:00-04:00",
        "9999-12-31T23:59:59.999-23:59",
    ],
    &[
        "VERIFIED",
        "PARTIAL",
        "NOT_FOUND",
        "UNASKED",
        "OVER_SCOPE",
        "UNVERIFIABLE",
    ],
    &["PENDING", "FINAL", "USER_OVERRIDDEN"],
    &["muse", "chatgpt", "dots", "claude"],
    &["minute", "hour", "day"],
    &["gmail.sent", "gcal.event", "gmail.receipt"],
    &[
        "email.sent",
        "calendar.created",
        "calendar.deleted",
        "purchase.made",
        "other",
    ],
    &["USD", "JPY", "KWD"],
    &["timeProximity", "subjectOverlap", "counterpartyName"],
    &["override", "revert", "supersede", "regrade"],
];

/// Texts a claim or a row may hold, however they look.
const HELD: &[&str] = &[
    "",
    "\u{202e}zqx",
    "``````zqx",
    "\u{301}zqx | zqx",
    "# zqx <b>",
    "a+zqx@b.co",
    "а@zqx.co",
    "zqx <a@b.co>",
    "x@xn--zqx.co",
    "ΑΣ İ ﷽ \u{200b}zqx",
];

/// Numbers and other raw JSON, most of it at an edge.
const RAW: &[&str] = &[
    "0",
    "-0",
    "1",
    "-1",
    "0.5",
    "0.00001",
    "10000",
    "1000000000000",
    "1000000000001",
    "525600",
    "9007199254740991",
    "9007199254740992",
    "1e308",
    "1e999999999",
    "-1e-999999999",
    "01",
    "1.",
    "NaN",
    "null",
    "true",
    "[]",
    "{}",
    "[[]]",
    "{\"a\":1,\"a\":2}",
    "\"\\ud800\"",
    "\"\\u001b[2J\"",
];

/// Keys an object may be given.
const KEYS: &[&str] = &[
    "extra",
    "\u{1b}[31mkey",
    "",
    "a.b",
    "id",
    "\u{202e}",
    "key\n",
];

/// Where a value stands in a document.
type Place = Vec<usize>;

fn places(value: &Value, at: &mut Place, out: &mut Vec<Place>) {
    let children: Vec<&Value> = match value {
        Value::Array(list) => list.iter().collect(),
        Value::Object(map) => map.values().collect(),
        _ => Vec::new(),
    };
    for (place, child) in children.into_iter().enumerate() {
        at.push(place);
        out.push(at.clone());
        places(child, at, out);
        at.pop();
    }
}

fn value_at<'a>(value: &'a mut Value, place: &[usize]) -> &'a mut Value {
    place.iter().fold(value, |value, at| match value {
        Value::Array(list) => &mut list[*at],
        Value::Object(map) => map.values_mut().nth(*at).unwrap(),
        _ => unreachable!("a place leads through lists and objects"),
    })
}

/// A text that stands for raw JSON until the document is written.
fn raw(index: usize) -> Value {
    Value::String(format!("@raw{index}@"))
}

fn written(document: &Value) -> String {
    let mut text = document.to_string();
    for (index, raw) in RAW.iter().enumerate() {
        text = text.replace(&format!("\"@raw{index}@\""), raw);
    }
    let deep = format!("{}1{}", "[".repeat(100), "]".repeat(100));
    text = text.replace("\"@deep@\"", &deep);
    if text.contains("@long@") {
        text = text.replace("@long@", &MARK.repeat(400_000));
    }
    text
}

/// Another value of the same kind, so that the file may still be read.
fn fitting(value: &Value, dice: &mut Dice) -> Value {
    match value {
        Value::String(text) => {
            let is_instant = text.contains('T') && text.contains(':');
            let kin = |group: &&&[&str]| group.contains(&text.as_str());
            let group = match FITTING.iter().find(kin) {
                _ if is_instant => FITTING[0],
                Some(group) => group,
                None if text.contains([' ', '@']) => HELD,
                None => return value.clone(),
            };
            Value::String((*dice.of(group)).to_owned())
        }
        Value::Bool(is) => Value::Bool(!is),
        Value::Number(_) => raw(dice.below(11)),
        other => other.clone(),
    }
}

fn change_value(document: &mut Value, dice: &mut Dice) {
    let mut all = Vec::new();
    places(document, &mut Vec::new(), &mut all);
    if all.is_empty() {
        return;
    }
    let place = dice.of(all.as_slice()).clone();
    let from = dice.of(all.as_slice()).clone();
    let other = value_at(document, &from).clone();
    let choice = dice.below(12);
    let value = value_at(document, &place);
    match choice {
        0 => *value = raw(dice.below(RAW.len())),
        1 => *value = Value::String((*dice.of(TEXTS)).to_owned()),
        2 => *value = other,
        3 => *value = Value::String("@deep@".to_owned()),
        4 if dice.below(20) == 0 => *value = Value::String("@long@".to_owned()),
        5 => match value {
            Value::Array(list) if !list.is_empty() => {
                let again = dice.of(list).clone();
                list.insert(0, again);
            }
            Value::Object(map) => {
                map.insert((*dice.of(KEYS)).to_owned(), other);
            }
            _ => *value = fitting(value, dice),
        },
        6 => match value {
            Value::Array(list) if !list.is_empty() => {
                let gone = dice.below(list.len());
                list.remove(gone);
            }
            Value::Object(map) => {
                if let Some(key) = map.keys().nth(dice.below(map.len())).cloned() {
                    map.remove(&key);
                }
            }
            _ => *value = fitting(value, dice),
        },
        _ => *value = fitting(value, dice),
    }
}

fn change_bytes(bytes: &mut Vec<u8>, dice: &mut Dice) {
    let at = dice.below(bytes.len());
    match dice.below(5) {
        0 => bytes[at] = dice.next() as u8,
        1 => drop(bytes.remove(at)),
        2 => bytes.insert(at, dice.next() as u8),
        3 => bytes.truncate(at),
        _ => {
            let from = dice.below(bytes.len());
            let to = bytes.len().min(from.saturating_add(dice.below(60)));
            let part = bytes[from..to].to_vec();
            bytes.splice(at..at, part);
        }
    }
}

/// Changes values to others that fit where they stand, but nothing that is
/// filed under its own hash.
fn change_gently(document: &mut Value, dice: &mut Dice) {
    for hashed in ["batchCoverages", "policies"] {
        if document.get(hashed).is_some() {
            let rest = document.as_object_mut().unwrap();
            let kept = rest.remove(hashed).unwrap();
            change_gently(document, dice);
            document[hashed] = kept;
            return;
        }
    }
    let mut all = Vec::new();
    places(document, &mut Vec::new(), &mut all);
    for _ in 0..=dice.below(4) {
        // Most values stay as they are: what is asked for is one that does not.
        for _ in 0..20 {
            let place = dice.of(all.as_slice()).clone();
            let value = value_at(document, &place);
            let other = fitting(value, dice);
            if other != *value {
                *value = other;
                break;
            }
        }
    }
}

/// The document, changed.
fn changed(text: &str, dice: &mut Dice) -> Vec<u8> {
    if dice.below(6) == 0 {
        let mut bytes = text.as_bytes().to_vec();
        for _ in 0..=dice.below(3) {
            change_bytes(&mut bytes, dice);
        }
        return bytes;
    }
    let mut document: Value = serde_json::from_str(text).unwrap();
    if dice.below(2) == 0 {
        change_gently(&mut document, dice);
    } else {
        for _ in 0..=dice.below(3) {
            change_value(&mut document, dice);
        }
    }
    written(&document).into_bytes()
}

/// What every run owes the person, whatever was in the file.
fn sound(run: &Run, what: &str) {
    assert!(matches!(run.code, Some(0..=2)), "{what}: {run:?}");
    for text in [&run.out, &run.err] {
        assert!(!text.contains("panicked"), "{what}: {run:?}");
        let bad = text.chars().find(|c| *c != '\n' && !is_plain(*c));
        assert_eq!(bad, None, "{what}: {run:?}");
    }
    for line in run.err.lines() {
        let said = line.strip_prefix("attest-tui: ");
        let said = said.unwrap_or_else(|| panic!("{what}: {line}"));
        let begins = said.chars().next();
        assert!(begins.is_some_and(|c| !c.is_uppercase()), "{what}: {line}");
    }
    if run.code == Some(2) {
        assert!(!run.err.is_empty() || !run.out.is_empty(), "{what}");
        let lines = run.err.lines().chain(run.out.lines());
        for line in lines {
            assert!(!line.contains(MARK), "{what}: {line}");
        }
    }
}

/// Runs the command over the changed file, `bad.json`.
fn try_one(desk: &Desk, bytes: &[u8], arguments: &[&str], what: &str) -> Run {
    desk.write("bad.json", bytes);
    let before = desk.files();
    let began = Instant::now();
    let run = desk.run(arguments);
    let what = format!("{what} {arguments:?}");
    assert!(began.elapsed() < Duration::from_secs(30), "{what}");
    sound(&run, &what);
    let writes = run.code == Some(0)
        && (arguments.contains(&"--write")
            || matches!(arguments[0], "override" | "revert" | "journal"));
    if writes {
        // What was written can be read.
        let again = desk.run(&["replay", "bad.json"]);
        assert_ne!(again.code, Some(2), "{what}: {again:?}");
    } else {
        assert!(desk.files() == before, "{what}: a file was changed");
    }
    run
}

/// The demo with a word on one receipt and a word taken back on another.
fn spoken() -> String {
    let desk = Desk::new();
    desk.demo();
    let (first, second) = (receipt_of("VERIFIED"), receipt_of("UNASKED"));
    for arguments in [
        &[
            "override",
            "demo.json",
            &first,
            "NOT_FOUND",
            "--reason",
            "no",
        ][..],
        &[
            "override",
            "demo.json",
            &second,
            "VERIFIED",
            "--reason",
            "it",
        ],
        &["revert", "demo.json", &second],
    ] {
        assert_eq!(desk.run(arguments).code, Some(0), "{arguments:?}");
    }
    desk.read("demo.json")
}

/// Runs as many changes as asked, each by two of the commands; how many runs
/// came to each exit code.
fn run_all(seed: u64, changes: usize, texts: &[String], commands: &[&[&str]]) -> [usize; 3] {
    let desk = Desk::new();
    desk.demo();
    let mut dice = Dice(seed);
    let mut codes = [0; 3];
    for number in 0..changes {
        let text = dice.of(texts).clone();
        let bytes = changed(&text, &mut dice);
        for _ in 0..2 {
            let command = *dice.of(commands);
            let run = try_one(&desk, &bytes, command, &format!("change {number}"));
            codes[run.code.unwrap() as usize] += 1;
        }
    }
    codes
}

#[test]
fn changed_ledgers() {
    let (id, orphan) = (receipt_of("VERIFIED"), receipt_of("UNASKED"));
    let (id, orphan) = (id.as_str(), orphan.as_str());
    let codes = run_all(
        1,
        700,
        &[DEMO.to_owned(), spoken()],
        &[
            &["grade", "bad.json"],
            &["grade", "bad.json", "--json"],
            &["grade", "bad.json", "--at", "2026-10-09T12:00:00Z"],
            &["grade", "bad.json", "--write"],
            &["explain", "bad.json", id],
            &["explain", "bad.json", orphan, "--json"],
            &["explain", "bad.json", id, "--markdown"],
            &["explain", "bad.json", id, "--at", "now"],
            &["replay", "bad.json"],
            &["replay", "bad.json", "--json"],
            &[
                "override",
                "bad.json",
                orphan,
                "NOT_FOUND",
                "--reason",
                "\u{1b}[31mno",
            ],
            &["revert", "bad.json", id],
            &["journal", "bad.json"],
            &["--plain", "bad.json"],
            &["--plain", "--screen", "review", "bad.json"],
            &["--plain", "--screen", "replay", "bad.json"],
            &["--plain", "--screen", "timeline", "bad.json"],
            &["--plain", "--screen", "policy", "bad.json"],
        ],
    );
    // Most are refused; enough are read for what lies deeper to be reached.
    assert!(
        codes[2] > 500 && codes[1] > 10 && codes[0] > 200,
        "{codes:?}"
    );
}

#[test]
fn changed_scenarios() {
    let texts: Vec<String> = [
        "13-demo-section-2.json",
        "33-cumulative-spend.json",
        "36-counterparty-allowlist.json",
        "42-accounts-and-hidden-calendars.json",
        "67-model-raise-bound.json",
        "83-grade-mode-scope.json",
        "94-override-and-revert.json",
        "95-regrade.json",
        "97-grade-mode-claim.json",
        "114-claim-stamped-across-a-clock-repair.json",
    ]
    .iter()
    .map(|name| std::fs::read_to_string(format!("{}/{name}", golden())).unwrap())
    .collect();
    let codes = run_all(
        2,
        600,
        &texts,
        &[
            &["golden", "run", "bad.json"],
            &["golden", "run", "bad.json", "--json"],
            &["grade", "bad.json", "--json"],
            &["explain", "bad.json", "c1"],
            &["explain", "bad.json", "c1", "--json"],
            &["explain", "bad.json", "o1", "--markdown"],
            &["--plain", "bad.json"],
            &["--plain", "--screen", "review", "bad.json"],
            &["replay", "bad.json"],
        ],
    );
    assert!(
        codes[2] > 400 && codes[1] > 5 && codes[0] > 100,
        "{codes:?}"
    );
}

#[test]
fn changed_policies() {
    let id = receipt_of("NOT_FOUND");
    let codes = run_all(
        3,
        400,
        &[include_str!("../policy/default.json").to_owned()],
        &[
            &["policy", "check", "bad.json"],
            &["grade", "demo.json", "--policy", "bad.json"],
            &["explain", "demo.json", &id, "--policy", "bad.json"],
        ],
    );
    assert!(codes[2] > 300 && codes[0] > 50, "{codes:?}");
}

/// Where the program keeps what belongs to a ledger: the directory of its lock.
fn state_of(desk: &Desk) -> PathBuf {
    let mut folders = vec![desk.path().join("home")];
    while let Some(folder) = folders.pop() {
        if folder.join("lock").exists() {
            return folder;
        }
        let entries = std::fs::read_dir(folder).unwrap();
        folders.extend(
            entries
                .map(|entry| entry.unwrap().path())
                .filter(|path| path.is_dir()),
        );
    }
    panic!("no state directory");
}

/// A journal left behind is as little to be trusted as a ledger.
#[test]
fn changed_journals() {
    let desk = Desk::new();
    desk.write("bad.json", DEMO);
    let id = receipt_of("VERIFIED");
    assert_eq!(desk.run(&["journal", "bad.json"]).code, Some(0));
    let journal = state_of(&desk).join("journal");
    let digest = attest_canon::sha256(DEMO.as_bytes());
    let whole = format!(
        "{{\"digest\":\"{digest}\",\"format\":\"attest-journal\",\"ledger\":\"/zqx\",\"version\":1}}\n\
         {{\"at\":\"2026-10-07T10:00:00Z\",\"event\":\"override\",\"grade\":\"NOT_FOUND\",\"reason\":\"zqx\\u001b[31m\",\"receipt\":\"{id}\"}}\n\
         {{\"at\":\"2026-10-07T11:00:00Z\",\"event\":\"revert\",\"receipt\":\"{id}\"}}\n"
    );
    std::fs::write(&journal, &whole).unwrap();
    let shown = desk.run(&["journal", "bad.json"]);
    assert!(shown.out.contains("override NOT_FOUND"), "{shown:?}");

    let commands: [&[&str]; 5] = [
        &["journal", "bad.json"],
        &["journal", "bad.json", "--apply"],
        &["journal", "bad.json", "--discard"],
        &["revert", "bad.json", &id],
        &["grade", "bad.json", "--write"],
    ];
    let mut dice = Dice(4);
    let mut codes = [0; 3];
    for number in 0..300 {
        let mut lines: Vec<Vec<u8>> = whole.lines().map(|line| line.into()).collect();
        let at = dice.below(lines.len());
        lines[at] = changed(std::str::from_utf8(&lines[at]).unwrap(), &mut dice);
        let mut bytes = lines.join(&b'\n');
        if dice.below(4) > 0 {
            bytes.push(b'\n');
        }
        std::fs::write(&journal, &bytes).unwrap();
        let command = *dice.of(&commands);
        let what = format!("journal {number}");
        let run = try_one(&desk, DEMO.as_bytes(), command, &what);
        codes[run.code.unwrap() as usize] += 1;
        if run.code == Some(2) && std::fs::read(&journal).is_ok_and(|now| now != bytes) {
            // Only a line that was never whole is cut off.
            let now = std::fs::read(&journal).unwrap();
            assert!(bytes.starts_with(&now), "{what}: the journal was changed");
        }
        let _ = std::fs::remove_file(&journal);
    }
    assert!(codes[2] > 100 && codes[0] > 40, "{codes:?}");
}

/// An argument may be a file name a shell filled in: a usage error does not put
/// it on the terminal as it is, in colour or without.
#[test]
fn hostile_arguments() {
    let hostile = "zqx\u{1b}]0;title\u{7}\u{1b}[31m\u{9b}1m\n\u{202e}";
    let option = format!("--{hostile}");
    for arguments in [
        &[option.as_str()][..],
        &["grade", "demo.json", &option],
        &["grade", "demo.json", "--at", hostile],
        &["grade", hostile],
        &["grade", "demo.json", "--policy", hostile],
        &["explain", "demo.json", hostile],
        &[
            "override",
            "demo.json",
            hostile,
            hostile,
            "--reason",
            hostile,
        ],
        &[
            "override",
            "demo.json",
            hostile,
            "VERIFIED",
            "--reason",
            hostile,
        ],
        &["replay", hostile],
        &["journal", hostile],
        &["golden", "run", hostile],
        &["golden", hostile],
        &["policy", "check", hostile],
        &["simulate", "--seed", hostile, "--days", "1"],
        &["simulate", "--seed", "1", "--days", "99999999999"],
        &[
            "simulate", "--seed", "1", "--days", "1", "--faults", hostile,
        ],
        &[
            "simulate",
            "--seed",
            "1",
            "--days",
            "1",
            "--truth",
            "no/such/folder",
        ],
        &["--plain", hostile],
        &["--screen", hostile],
        &["demo", hostile],
    ] {
        let desk = Desk::new();
        desk.demo();
        let before = desk.files();
        for forced in [false, true] {
            let mut command = desk.command(arguments);
            if forced {
                command.env("CLICOLOR_FORCE", "1");
            }
            let run = Run::of(command.output().unwrap());
            assert_eq!(run.code, Some(2), "{arguments:?}: {run:?}");
            for text in [&run.out, &run.err] {
                let bad = text.chars().find(|c| *c != '\n' && !is_plain(*c));
                assert_eq!(bad, None, "{arguments:?}: {run:?}");
            }
            let plain = run.err.lines().all(|line| line.starts_with("attest-tui: "));
            assert!(plain && !run.err.is_empty(), "{arguments:?}: {run:?}");
        }
        assert_eq!(desk.files(), before, "{arguments:?}");
    }
}
