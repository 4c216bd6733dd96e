#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use proptest::prelude::*;

use super::*;
use crate::ledger::rules::tests::{at, claim, event, head, keeper, look, mail, ms, sent};
use crate::ledger::rules::{Keeper, Model};
use crate::model::OverrideGrade;

/// A ledger with a row in every table: two batches, an override, a clock
/// repair, and what is passed through.
fn rich() -> Ledger {
    // As a file writes it: a policy keeps the order of its document's conditions.
    let shipped = load_policy(DEFAULT_POLICY).unwrap();
    let policy = load_policy(shipped.canonical()).unwrap();
    let mut keeper = keeper();
    keeper.store_claim(claim("a", at(0)), at(1)).unwrap();
    keeper.store_claim(claim("b", at(0)), at(1)).unwrap();
    let pass = mail(vec![sent("a", at(0), at(60))], vec![head(at(-60), at(60))]);
    keeper.store_mail_pass(pass, at(60)).unwrap();
    let view = look(at(60), vec![event("lunch", ms(0))]);
    keeper.store_calendar_view(view, at(60)).unwrap();
    keeper.batch(at(61), &policy, Model::On).unwrap();
    let receipt = keeper.ledger().receipts[0].id;
    keeper
        .override_receipt(receipt, OverrideGrade::NotFound, "it was not", at(62))
        .unwrap();
    keeper
        .store_log(crate::model::AgentId::Muse, &[at(63)], &[], at(63))
        .unwrap();
    keeper.store_claim(claim("c", at(59)), at(59)).unwrap();
    keeper.batch(at(64), &policy, Model::On).unwrap();
    let mut ledger = keeper.into_ledger();
    ledger.exported_at = Some(at(65));
    ledger.requests = vec![r#"{ "id" : "r1", "n": [1E+2, -0, "\u00e9\ud800"] }"#.into()];
    ledger.adapter_health = vec!["{\"x\":\n  null}".into(), "7".into()];
    ledger
        .meta
        .other
        .push(("theirs".into(), "[ 1.50 , {} ]".into()));
    let scored = ledger.claims[1].id;
    ledger.model_scores = Some([(scored, Vec::new())].into_iter().collect());
    ledger
}

/// The problems of a text, one line each, with their codes.
fn problems(text: &str) -> Vec<(String, &'static str)> {
    let error = Ledger::read(text).expect_err(text);
    let list = error.problems.iter();
    list.map(|problem| (problem.to_string(), problem.code.1))
        .collect()
}

fn one(text: &str) -> (String, &'static str) {
    let mut list = problems(text);
    assert_eq!(list.len(), 1, "{list:?}");
    list.remove(0)
}

const EMPTY: &str = r#"{"format":"attest-ledger","version":7,"requests":[],"claims":[],"observations":[],"grants":[],"receipts":[],"adapterHealth":[],"coverage":[],"meta":{},"receiptInputs":{},"batchCoverages":{},"policies":{}}"#;

#[test]
fn a_ledger_nothing_was_graded_in_is_whole() {
    assert_eq!(Ledger::read(EMPTY), Ok(Ledger::default()));
    let mut claimed = Ledger::default();
    claimed.claims.push(claim("a", at(0)));
    assert_eq!(Ledger::read(&claimed.to_text()), Ok(claimed));
}

#[test]
fn every_table_comes_back_and_what_is_passed_through_as_it_stood() {
    let ledger = rich();
    assert!(!ledger.receipts.is_empty() && !ledger.meta.repairs.is_empty());
    let text = ledger.to_text();
    let read = Ledger::read(&text).unwrap();
    assert_eq!(read, ledger);
    assert_eq!(read.to_text(), text);
    for raw in [
        r#"{ "id" : "r1", "n": [1E+2, -0, "\u00e9\ud800"] }"#,
        "{\"x\":\n  null}",
        r#""theirs": [ 1.50 , {} ]"#,
    ] {
        assert!(text.contains(raw), "{raw}");
    }
}

/// Receipts of one batch share their grant; an equal grant is held once.
#[test]
fn equal_grants_are_one() {
    let read = Ledger::read(&rich().to_text()).unwrap();
    let mut grants = read.receipt_inputs.values().map(|inputs| &inputs.grant);
    let first = grants.next().unwrap();
    let mut others = 0;
    for grant in grants {
        assert!(Arc::ptr_eq(first, grant));
        others += 1;
    }
    assert!(others > 0);
}

#[test]
fn each_refusal_has_its_path_and_code() {
    let text = rich().to_text();
    let change = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        text.replacen(from, to, 1)
    };
    let observed = rich().observations[0].clone();
    let row = format!("{},\n  ", crate::model::canonical_text(&observed));
    for (changed, problem, code) in [
        (
            change("attest-ledger", "attest-ledge"),
            "format: must be \"attest-ledger\"",
            "bad_format",
        ),
        (
            change("\"version\": 7", "\"version\": 6"),
            "version: must be 7",
            "bad_version",
        ),
        (change("\"version\": 7,", ""), "version: missing", "invalid"),
        (
            change("\"meta\": {", "\"more\": 1, \"meta\": {"),
            "more: unknown member",
            "invalid",
        ),
        (
            change("\"meta\": {", "\"\u{1b}[2J\": 1, \"meta\": {"),
            "control character in a string",
            "invalid",
        ),
        (
            change("\"meta\": {", "\"\\u001b[2J\": 1, \"meta\": {"),
            "[\"\\u{1b}[2J\"]: unknown member",
            "invalid",
        ),
        (
            change(
                "\"observations\": [\n  ",
                &format!("\"observations\": [\n  {row}"),
            ),
            "observations[1].id: duplicate id",
            "duplicate_id",
        ),
        (
            change(
                "{ \"id\" : \"r1\"",
                "{ \"id\" : \"r1\" }, { \"id\" : \"r1\"",
            ),
            "requests[1].id: duplicate id",
            "duplicate_id",
        ),
        (
            change("{ \"id\" : \"r1\"", "{ \"no\" : \"r1\""),
            "requests[0]: must be an object with an id",
            "invalid",
        ),
        (
            change("{ \"id\" : \"r1\"", "7, { \"id\" : \"r1\""),
            "requests[0]: must be an object with an id",
            "invalid",
        ),
        (
            change("\"lastBatchInstant\": \"", "\"lastBatchInstant\": \"x"),
            "meta.lastBatchInstant: must be an instant with an offset",
            "invalid",
        ),
        (
            change("clockRepair.1", "clockRepair.x1"),
            "must be filed under clockRepair. and milliseconds",
            "invalid",
        ),
        (
            change("\"modelScores\": {\n  \"", "\"modelScores\": {\n  \"!"),
            "must be filed under a claim's id",
            "invalid",
        ),
        (
            change(
                "\"windowStart\"",
                "\"changesSince\":\"2026-10-06T10:00:00Z\",\"windowStart\"",
            ),
            "changesSince: not allowed here",
            "invalid",
        ),
        (
            change("\"reason\":\"it was not\"", "\"reason\":\" \""),
            "visible character",
            "bad_receipt",
        ),
        (
            change("\"reason\":\"it was not\"", "\"reason\":null"),
            "must be a string",
            "invalid",
        ),
        (
            change("\"agent\":\"muse\"", "\"agent\":\"nobody\""),
            "must be a known agent",
            "invalid",
        ),
        (
            change(
                "-04:00\",\"claimedAtPrecision\"",
                "\",\"claimedAtPrecision\"",
            ),
            "claims[0].claimedAt: must be an instant with an offset",
            "invalid",
        ),
        (
            change("\"meta\": {", "\"meta\" {"),
            "not valid json",
            "invalid",
        ),
        (
            text.trim_end().trim_end_matches('}').to_owned(),
            "unexpected end of the text",
            "invalid",
        ),
        (
            format!("{text}x"),
            "data after the end of the document",
            "invalid",
        ),
        (format!("\u{feff}{text}"), "byte order mark", "invalid"),
        (
            change("\"theirs\": ", "\"theirs\": 1, \"theirs\": "),
            "meta.theirs: duplicate key",
            "invalid",
        ),
        (
            change("[ 1.50 , {} ]", "{\"a\":1,\"a\":2}"),
            "meta.theirs.a: duplicate key",
            "invalid",
        ),
        (
            change(
                "[ 1.50 , {} ]",
                &format!("{}{}", "[".repeat(100), "]".repeat(100)),
            ),
            "nested too deeply",
            "invalid",
        ),
        (
            change(
                "[ 1.50 , {} ]",
                &format!("\"{}\"", "x".repeat((1 << 20) + 1)),
            ),
            "meta.theirs: string too long",
            "invalid",
        ),
        (
            change("\"adapterHealth\": [", "\"adapterHealth\": [1e, "),
            "adapterHealth[0]: invalid number",
            "invalid",
        ),
        (
            change("\"version\": 7", "\"version\": 7e999999999999"),
            "version: must be",
            "invalid",
        ),
    ] {
        let (found, found_code) = problems(&changed)[0].clone();
        assert!(found.contains(problem), "{found:?} is not {problem:?}");
        assert_eq!(found_code, code, "{found}");
    }
}

/// The path of what is filed under a hash.
fn filed(table: &str, hash: Digest) -> String {
    let mut path = table.to_owned();
    push_key(&mut path, &hash.to_string());
    path
}

/// What a row says of another table, and what its hash says of it.
#[test]
fn tables_are_held_to_each_other() {
    let ledger = rich();
    let coverage = *ledger.batch_coverages.keys().next().unwrap();
    let other = attest_canon::sha256(b"other");

    let mut gone = ledger.clone();
    gone.batch_coverages.clear();
    for (problem, code) in problems(&gone.to_text()) {
        assert!(problem.starts_with("receiptInputs"), "{problem}");
        assert!(problem.ends_with("coverageHash: names a coverage that is not in the file"));
        assert_eq!(code, "unknown_coverage");
    }
    let mut moved = ledger.clone();
    let value = moved.batch_coverages.remove(&coverage).unwrap();
    moved.batch_coverages.insert(other, value);
    let list = problems(&moved.to_text());
    assert!(
        list.contains(&(
            format!(
                "{}: does not hash to its key",
                filed("batchCoverages", other)
            ),
            "hash_mismatch"
        )),
        "{list:?}"
    );

    let mut moved = ledger.clone();
    let policy = moved.policies.pop_first().unwrap().1;
    moved.policies.insert(other, policy);
    let expected = format!("{}: does not hash to its key", filed("policies", other));
    assert_eq!(one(&moved.to_text()), (expected, "hash_mismatch"));

    let broken = ledger
        .to_text()
        .replacen("\"verified\":0.85", "\"verified\":0.4", 1);
    let hash = ledger.policies.keys().next().unwrap();
    let (problem, code) = problems(&broken)[0].clone();
    assert!(
        problem.starts_with(&format!("{}.thresholds", filed("policies", *hash))),
        "{problem}"
    );
    assert_eq!(code, "invalid_policy");

    // Inputs may have been purged: replay says so, not the file.
    let mut purged = ledger.clone();
    purged.receipt_inputs.clear();
    assert!(Ledger::read(&purged.to_text()).is_ok());
    // A row edited in place loads, so that replay can show it (supplement E).
    let mut edited = ledger.clone();
    edited.observations[0].subject_hint = Some("else".into());
    assert!(Ledger::read(&edited.to_text()).is_ok());
    // Content fields a source may not hold are refused; its row id's hash is not.
    let mut foreign = ledger.clone();
    foreign.observations[0].merchant = Some("Acme".into());
    assert_eq!(
        one(&foreign.to_text()),
        (
            "observations[0].merchant: not allowed here".to_owned(),
            "invalid"
        )
    );
    let mut renamed = ledger;
    renamed.claims[1].id = renamed.claims[0].id;
    let list = problems(&renamed.to_text());
    assert_eq!(list[0].0, "claims[1].id: id does not follow from its hash");
}

/// One reading shows all that is wrong, and never what stood there.
#[test]
fn every_problem_is_listed_at_once() {
    let text = rich()
        .to_text()
        .replacen("\"version\": 7", "\"version\": 8", 1)
        .replacen("\"agent\":\"muse\"", "\"agent\":\"SECRET\"", 1)
        .replacen("\"type\":\"email.sent\"", "\"type\":\"SECRET\"", 2)
        .replacen("\"receipts\": [", "\"receipts\": [{\"SECRETS\":1},", 1)
        .replacen("\"policies\": {", "\"policies\": {\"x\": {},", 1);
    let list: Vec<String> = problems(&text).into_iter().map(|(line, _)| line).collect();
    for path in [
        "version:",
        "claims[0].agent:",
        "claims[0].type:",
        "claims[1].type:",
        "receipts[0].id:",
        "policies.x",
    ] {
        assert!(
            list.iter().any(|line| line.starts_with(path)),
            "{path} {list:#?}"
        );
    }
    // A key is a place; a value is never repeated.
    let values = list.iter().filter(|line| line.contains("SECRET"));
    assert_eq!(
        values.collect::<Vec<_>>(),
        ["receipts[0].SECRETS: unknown member"]
    );
}

#[test]
fn a_lone_surrogate_reads_as_u_fffd() {
    let mut ledger = Ledger::default();
    let mut said = claim("a", at(0));
    said.subject_hint = Some("x\u{fffd}y".into());
    ledger.claims.push(said);
    let text = ledger.to_text().replace('\u{fffd}', "\\ud800");
    assert_eq!(Ledger::read(&text), Ok(ledger));
}

#[test]
fn a_hostile_files_report_is_bounded() {
    let claims = vec!["{}"; 2000].join(",");
    let text = EMPTY.replace("\"claims\":[]", &format!("\"claims\":[{claims}]"));
    let error = Ledger::read(&text).unwrap_err();
    assert_eq!(error.problems.len(), 1000);
    assert!(error.beyond > 1000);
    assert!(error.to_string().ends_with(" more"));
}

proptest! {
    /// A text changed anywhere is refused with one line a problem, or read as a
    /// ledger that is written back equal.
    #[test]
    fn a_changed_text_is_refused_or_whole(place in any::<prop::sample::Index>(), cut in any::<bool>(), with in "[ -~\u{e9}\u{202e}\"{}\\[\\],:0-9]{0,3}") {
        let text = rich().to_text();
        let places: Vec<usize> = text.char_indices().map(|(place, _)| place).collect();
        let place = *place.get(&places);
        let (before, after) = text.split_at(place);
        let rest = if cut { "" } else { after.get(1..).unwrap_or(after) };
        let changed = format!("{before}{with}{rest}");
        match Ledger::read(&changed) {
            Ok(ledger) => {
                let written = ledger.to_text();
                prop_assert_eq!(Ledger::read(&written), Ok(ledger));
            }
            Err(error) => {
                prop_assert!(!error.problems.is_empty());
                for problem in &error.problems {
                    let drives = problem.to_string().contains(['\n', '\u{1b}', '\u{202e}']);
                    prop_assert!(!drives);
                }
            }
        }
    }
}

/// The keeper reads what it wrote.
#[test]
fn a_ledger_in_keeping_is_its_file() {
    let ledger = rich();
    let kept = Keeper::new(Ledger::read(&ledger.to_text()).unwrap());
    assert_eq!(kept.ledger(), &ledger);
}
