//! Optional: receipts written by an independent implementation are equal to
//! ours, hashes and ids included. Looks for them under `ATTEST_SHARED`, or
//! beside the repository, and says when it is skipped.
#![allow(
    clippy::unwrap_used,
    clippy::arithmetic_side_effects,
    reason = "a test stops at the first thing it cannot read"
)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use attest_canon::jcs::{Numbers, to_canonical};
use attest_canon::json::{Limits, Value};
use attest_grading::scenario::{self, Scenario, ScenarioError, report_line};

fn shared() -> Option<PathBuf> {
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let root = std::env::var_os("ATTEST_SHARED").map_or(beside, PathBuf::from);
    let folder = root.join("conformance");
    folder.join("receipts.jsonl").is_file().then_some(folder)
}

fn parse(text: &str) -> Value<'_> {
    Value::parse(text, Limits::LEDGER).unwrap()
}

fn written(value: Option<&Value<'_>>) -> String {
    value.map_or_else(
        || "nothing".to_owned(),
        |value| to_canonical(value, Numbers::Exact).unwrap(),
    )
}

/// Where two values differ, by path.
fn differences(path: &str, ours: &Value<'_>, theirs: &Value<'_>, found: &mut Vec<String>) {
    match (ours, theirs) {
        (Value::Object(a), Value::Object(b)) => {
            let keys: BTreeSet<&str> = a.iter().chain(b).map(|(key, _)| key.as_ref()).collect();
            for key in keys {
                let path = format!("{path}.{key}");
                match (ours.get(key), theirs.get(key)) {
                    (Some(a), Some(b)) => differences(&path, a, b, found),
                    (a, b) => {
                        found.push(format!(
                            "{path}: ours {}, theirs {}",
                            written(a),
                            written(b)
                        ));
                    }
                }
            }
        }
        _ if written(Some(ours)) == written(Some(theirs)) => {}
        _ => found.push(format!(
            "{path}: ours {}, theirs {}",
            written(Some(ours)),
            written(Some(theirs))
        )),
    }
}

fn elements<'v, 'a>(line: &'v Value<'a>, key: &str) -> &'v [Value<'a>] {
    match line.get(key) {
        Some(Value::Array(elements)) => elements,
        _ => &[],
    }
}

/// What our run of a scenario differs in from the sample's line.
fn compare(file: &Path, sample: &Value<'_>) -> Vec<String> {
    let text = std::fs::read_to_string(file).unwrap();
    let read = Scenario::read(&text).map_err(ScenarioError::Format);
    let result = read.and_then(|scenario| scenario::run(&scenario));
    let line = report_line("", None, &result);
    let ours = parse(&line);
    let mut found = Vec::new();
    let code = |line: &Value<'_>| {
        line.get("error")
            .map(|error| (written(error.get("type")), written(error.get("code"))))
    };
    if code(&ours) != code(sample) {
        found.push(format!(
            "error: ours {:?} ({}), theirs {:?}",
            code(&ours),
            result
                .err()
                .map(|error| error.to_string())
                .unwrap_or_default(),
            code(sample)
        ));
        return found;
    }
    let (mine, theirs) = (elements(&ours, "receipts"), elements(sample, "receipts"));
    let names = |list: &[Value<'_>]| -> Vec<String> {
        list.iter().map(|one| written(one.get("ref"))).collect()
    };
    if names(mine) != names(theirs) {
        found.push(format!(
            "receipts: ours {:?}, theirs {:?}",
            names(mine),
            names(theirs)
        ));
    }
    for one in mine {
        let name = written(one.get("ref"));
        let same = theirs
            .iter()
            .find(|other| written(other.get("ref")) == name);
        if let Some(other) = same {
            differences(&name, one, other, &mut found);
        }
    }
    for mismatch in elements(&ours, "mismatches") {
        if !elements(sample, "mismatches").contains(mismatch) {
            found.push(format!("mismatch: {}", written(Some(mismatch))));
        }
    }
    found
}

#[test]
fn sample_receipts_are_equal() {
    let Some(folder) = shared() else {
        println!("skipped: no sample receipts beside the repository");
        return;
    };
    let samples = std::fs::read_to_string(folder.join("receipts.jsonl")).unwrap();
    let mut faults = Vec::new();
    let (mut files, mut equal, mut receipts) = (0, 0, 0);
    for line in samples.lines() {
        let sample = parse(line);
        let file = sample.get("file").and_then(Value::as_str).unwrap();
        let found = compare(&folder.join(file), &sample);
        files += 1;
        receipts += elements(&sample, "receipts").len();
        equal += usize::from(found.is_empty());
        faults.extend(found.iter().map(|fault| format!("{file}: {fault}")));
    }
    println!("{equal} of {files} scenarios equal, {receipts} receipts");
    assert!(files > 0);
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}
