//! Every golden scenario of the repository holds, each of its expectations can
//! fail, and no change of one makes the program panic.
#![allow(clippy::unwrap_used, reason = "a test stops at what it cannot read")]

use std::path::PathBuf;

use attest_canon::jcs::{Numbers, to_canonical};
use attest_canon::json::{Limits, Value};
use attest_grading::model::{
    AgentId, Grade, IsoTs, OverrideGrade, ReasonCode, ReceiptState, Token,
};
use attest_grading::scenario::format::Expect;
use attest_grading::scenario::{self, Scenario, ScenarioError, report_line};
use proptest::prelude::*;

/// Every file's name and text.
fn files() -> Vec<(String, String)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../golden");
    let paths = std::fs::read_dir(folder).unwrap();
    let mut paths: Vec<PathBuf> = paths
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "json"))
        .collect();
    paths.sort();
    let read = |path: PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        (name, std::fs::read_to_string(path).unwrap())
    };
    paths.into_iter().map(read).collect()
}

#[test]
fn every_golden_scenario_holds() {
    let mut faults = Vec::new();
    let files = files();
    for (name, text) in &files {
        let read = Scenario::read(text).map_err(ScenarioError::Format);
        match read.and_then(|golden| scenario::run(&golden)) {
            Err(error) => faults.push(format!("{name}: {error}")),
            Ok(outcome) => {
                let found = outcome.differences.iter();
                faults.extend(found.map(|found| format!("{name}: {found}")));
            }
        }
    }
    assert!(files.len() >= 117, "only {} golden scenarios", files.len());
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

/// Another value of the same kind.
fn other<T: PartialEq + Copy>(all: &[T], not: T) -> Option<T> {
    all.iter().copied().find(|one| *one != not)
}

/// Every way to expect something else: the field meant, and the change.
fn changes(expect: &Expect) -> Vec<(&'static str, Expect)> {
    let mut out = Vec::new();
    let mut change = |field: &'static str, to: &dyn Fn(&mut Expect)| {
        let mut changed = expect.clone();
        to(&mut changed);
        if changed != *expect {
            out.push((field, changed));
        }
    };
    change("grade", &|e| {
        e.grade = e.grade.and_then(|was| other(Grade::ALL, was))
    });
    change("ruleId", &|e| e.rule_id = Token::parse("another"));
    change("state", &|e| {
        e.state = e.state.and_then(|was| other(ReceiptState::ALL, was))
    });
    change("agent", &|e| {
        e.agent = e.agent.and_then(|was| other(AgentId::ALL, was))
    });
    change("observationRefs", &|e| {
        if let Some(names) = &mut e.observation_refs
            && names.pop().is_none()
        {
            names.push("o-none".into());
        }
    });
    change("score", &|e| match &e.score {
        Some(_) => e.score = None,
        None => e.score = Some("1/7919".into()),
    });
    change("raisedScore", &|e| e.raised_score = Some("1/7919".into()));
    change("attributionScore", &|e| {
        if e.attribution_score.is_some() {
            e.attribution_score = Some("1/7919".into());
        }
    });
    change("reasonCodes", &|e| {
        if let Some(codes) = &mut e.reason_codes {
            codes.push(ReasonCode::Superseded);
        }
    });
    change("reasonParams", &|e| {
        if let Some((_, params)) = e.reason_params.first_mut() {
            *params = Value::Null;
        }
    });
    change("override", &|e| {
        e.user_override = e
            .user_override
            .and_then(|was| other(OverrideGrade::ALL, was));
    });
    change("previousState", &|e| {
        e.previous_state = e
            .previous_state
            .and_then(|was| other(ReceiptState::ALL, was));
    });
    change("supersededBy", &|e| {
        if e.superseded_by.is_some() {
            e.superseded_by = Some("c-none".into());
        }
    });
    change("finalFrom", &|e| {
        e.final_from = IsoTs::parse("1999-01-01T00:00:00Z")
    });
    change("inputs.", &|e| {
        if let Some(inputs) = &mut e.inputs {
            inputs.prior_spend_cents = Some(7919);
        }
    });
    out
}

/// Whatever a golden pins, another value there is found, and named.
#[test]
fn every_expectation_can_fail() {
    let mut tried = 0;
    for (name, text) in files() {
        let golden = Scenario::read(&text).unwrap();
        for (at, expect) in golden.expect.iter().enumerate() {
            for (field, changed) in changes(expect) {
                let mut golden = golden.clone();
                golden.expect.splice(at..=at, [changed]);
                let found = scenario::run(&golden).unwrap().differences;
                assert!(
                    found.iter().any(|found| found.field.starts_with(field)),
                    "{name} expect[{at}].{field}: {found:?}"
                );
                tried += 1;
            }
            let mut golden = golden.clone();
            golden.expect.remove(at);
            if !golden.expect.is_empty() {
                let found = scenario::run(&golden).unwrap().differences;
                assert!(
                    found.iter().any(|found| found.field == "receipt"),
                    "{name} without expect[{at}]"
                );
            }
        }
    }
    assert!(tried > 1000, "only {tried} changes tried");
}

/// Puts a value at the `nth` place of a document, counting depth first.
fn put(value: &mut Value<'static>, nth: &mut usize, new: &Value<'static>) -> bool {
    if *nth == 0 {
        *value = new.clone();
        return true;
    }
    *nth = nth.saturating_sub(1);
    match value {
        Value::Object(members) => members.iter_mut().any(|(_, child)| put(child, nth, new)),
        Value::Array(elements) => elements.iter_mut().any(|child| put(child, nth, new)),
        _ => false,
    }
}

/// Values at the edges of what a member may hold.
const EDGES: [&str; 24] = [
    "null",
    "true",
    "[]",
    "{}",
    "0",
    "-1",
    "1.5",
    "10000",
    "1000000000000",
    "9007199254740993",
    "1e400",
    r#""""#,
    r#"" ""#,
    r#""c1""#,
    r#""o1""#,
    r#""\ud800""#,
    r#""<@@>""#,
    r#""0001-01-01T00:00:00Z""#,
    r#""0001-01-01T00:00:00+23:59""#,
    r#""9999-12-31T23:59:59.999-23:59""#,
    r#""2026-10-06T14:02:00-04:00""#,
    r#""gcal.event""#,
    r#""calendar.created""#,
    r#""day""#,
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    /// A changed file is refused or graded; it never makes the program panic,
    /// and its line is JSON whatever it holds.
    #[test]
    fn a_changed_file_is_refused_or_graded(
        file in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), 0..EDGES.len()), 1..4),
    ) {
        use std::sync::OnceLock;
        static FILES: OnceLock<Vec<(String, String)>> = OnceLock::new();
        let (name, text) = file.get(FILES.get_or_init(files));
        let mut document = Value::parse(text, Limits::LEDGER).unwrap().into_owned();
        for (place, edge) in &changes {
            let new = Value::parse(EDGES.get(*edge).unwrap(), Limits::LEDGER).unwrap().into_owned();
            let mut nth = place.index(400);
            put(&mut document, &mut nth, &new);
        }
        // A number no canonical text can hold is refused before it is written.
        let Ok(text) = to_canonical(&document, Numbers::Exact) else { return Ok(()) };
        let read = Scenario::read(&text).map_err(ScenarioError::Format);
        let line = report_line(name, None, &read.and_then(|golden| scenario::run(&golden)));
        prop_assert!(Value::parse(&line, Limits::LEDGER).is_ok());
    }
}
