//! The objects a file stands for, and what they are graded as.

use super::{GRADE, parse, written};
use crate::scenario::build::World;
use crate::scenario::{Scenario, report_line, run};
use attest_canon::json::Value;

/// Supplement C, computed apart from this program (RFC 8785 text, SHA-256,
/// base32).
#[test]
fn raw_hashes_are_those_computed_by_hand() {
    let claims = r#"[
      { "ref": "a", "agent": "muse", "type": "email.sent", "counterparty": "priya@company.com",
        "subjectHint": "Q3 deck", "claimedAt": "2026-10-06T14:02:59.9-04:00" },
      { "ref": "b", "agent": "claude", "type": "calendar.created", "subjectHint": "Dentist 🚀",
        "claimedAt": "2026-10-06T23:30:00+05:45", "claimedAtPrecision": "day",
        "claimedAtEnd": "2026-10-07T09:30:00.50+05:45", "targetAt": "2026-10-15T10:00:00Z",
        "sourceKind": "chat", "text": "Done — booked.", "rowKey": "row 7" },
      { "ref": "c", "agent": "dots", "type": "purchase.made", "counterparty": "Acme", "amountCents": 0,
        "currency": "EUR", "claimedAt": "2026-10-06T14:59:00Z", "claimedAtPrecision": "hour" }
    ]"#;
    let file = format!(
        r#"{{"name":"","covers":[],"mode":"batch","input":{{"evaluatedAt":"2026-10-08T00:00:00Z","claims":{claims}}},"expect":[]}}"#
    );
    let world = World::build(&Scenario::read(&file).unwrap()).unwrap();
    for (name, hash, id) in [
        (
            "a",
            "3000f06f123ecb0f8b6707376f7874973ec0ef775d4524766cc29ffeda3f0c8b",
            "1G03R6Y4HYSC7RPSR76XQQGX4Q",
        ),
        (
            "b",
            "0aeb390bc2218b8e0fefbafd9a9a49f114e3e5713d40c7dab33ca0153600aa2b",
            "0AXCWGQGH1HE70ZVXTZPD9MJFH",
        ),
        (
            "c",
            "1b7ec4de13de9600f3e10b2464bb5012105c3b2d03650d45e4c51240bc918144",
            "0VFV2DW4YYJR0F7R8B4HJBPM0J",
        ),
    ] {
        let claim = world.claim(name).unwrap();
        assert_eq!(
            (
                claim.raw_hash.to_string().as_str(),
                claim.id.to_string().as_str()
            ),
            (hash, id)
        );
    }
}

/// Supplement G, and readings 23 and 28.
#[test]
fn defaults_are_filled() {
    let file = r#"{"name":"","covers":[],"mode":"batch","input":{"evaluatedAt":"2026-10-06T15:00:00+02:00",
      "claims":[{"ref":"c1","agent":"muse","type":"email.sent","claimedAt":"2026-10-06T14:02:00+02:00"}],
      "observations":[
        {"ref":"o1","source":"gmail.sent","type":"email.sent","occurredAt":"2026-10-06T14:02:00+02:00"},
        {"ref":"o2","source":"gcal.event","type":"calendar.created","occurredAt":"2026-10-09T14:02:00+02:00"}],
      "grants":[{"agent":"muse","accounts":{}}],
      "coverage":[{"source":"gmail.sent","lastSyncAt":"2026-10-06T14:50:00+02:00",
        "windowStart":"2026-10-06T14:00:00+02:00","windowEnd":"2026-10-06T14:50:00+02:00","accountHash":"acct-a"}],
      "fixed":[{"claim":null,"observation":"o1"}]},"expect":[]}"#;
    let world = World::build(&Scenario::read(file).unwrap()).unwrap();
    let claim = world.claim("c1").unwrap();
    assert_eq!(claim.observed_at, claim.claimed_at);
    assert_eq!(
        (claim.precision.as_str(), claim.source_kind.as_str()),
        ("minute", "activity_view")
    );
    let (mail, event) = (
        world.observation("o1").unwrap(),
        world.observation("o2").unwrap(),
    );
    assert_eq!(mail.observed_at, mail.occurred_at);
    assert_eq!(event.observed_at, world.coverage.evaluated_at);
    assert_eq!(world.grants.len(), 4);
    for grant in &world.grants {
        assert_eq!((grant.allowed_types.len(), &grant.accounts), (9, &None));
        assert_eq!(grant.updated_at.to_string(), "2026-09-06T15:00:00+02:00");
    }
    let view = &world.coverage.observers[0];
    assert_eq!(
        (view.observer_id.as_str(), view.all_calendars),
        ("gmail.sent", None)
    );
    assert_eq!(view.account_hash, Some(attest_canon::sha256(b"acct-a")));
    let pair = &world.fixed[0];
    assert_eq!((pair.until, pair.released.len()), (None, 0));
    assert_eq!(
        pair.after,
        world
            .coverage
            .evaluated_at
            .instant()
            .minus(24 * 60 * 60 * 1000)
    );
    assert!(world.history.is_empty());
}

/// The error a grade-mode file ends in, by its `grade` member.
#[test]
fn what_a_single_grade_refuses() {
    let outcome = |grade: &str| {
        let start = GRADE.find(r#"{ "claim": "c1", "candidates""#).unwrap();
        let end = start + GRADE[start..].find('}').unwrap() + 1;
        let file = format!("{}{grade}{}", &GRADE[..start], &GRADE[end..]);
        match run(&Scenario::read(&file).unwrap()) {
            Ok(outcome) => {
                let one = &outcome.receipts[0];
                (one.receipt.rule_id.to_string(), one.name.to_string())
            }
            Err(error) => (error.code().0.to_owned(), error.code().1.to_owned()),
        }
    };
    for (grade, what, name) in [
        (
            r#"{ "claim": "c1", "candidates": ["o1"] }"#,
            "no_coverage",
            "c1",
        ),
        (
            r#"{ "claim": "c1", "candidates": ["o1"], "agent": "dots" }"#,
            "GradeError",
            "agent_mismatch",
        ),
        (
            r#"{ "claim": "c1", "candidates": ["o1", "o2"] }"#,
            "GradeError",
            "foreign_candidate",
        ),
        // Both at once: the grant is checked first; what is stored later is no
        // foreign candidate, it is not there (readings 45).
        (
            r#"{ "claim": "c1", "candidates": ["o2"], "agent": "dots" }"#,
            "GradeError",
            "agent_mismatch",
        ),
        (
            r#"{ "claim": "c1", "candidates": ["late"] }"#,
            "no_coverage",
            "c1",
        ),
        (
            r#"{ "claim": null, "candidates": [] }"#,
            "GradeError",
            "claimless_subject",
        ),
        (
            r#"{ "claim": null, "candidates": ["late"], "agent": "dots" }"#,
            "GradeError",
            "claimless_subject",
        ),
        (
            r#"{ "claim": null, "candidates": ["late", "o2"] }"#,
            "default_unverifiable",
            "o2",
        ),
        (
            r#"{ "claim": null, "candidates": ["o2"], "agent": "muse" }"#,
            "GradeError",
            "agent_mismatch",
        ),
        (
            r#"{ "claim": null, "candidates": ["o1"], "agent": "muse" }"#,
            "default_unverifiable",
            "o1",
        ),
        (
            r#"{ "claim": null, "scope": "drive", "agent": "muse" }"#,
            "over_scope_observed",
            "muse's drive",
        ),
        (
            r#"{ "claim": null, "scope": "drive" }"#,
            "SchemaError",
            "invalid",
        ),
    ] {
        assert_eq!(
            outcome(grade),
            (what.to_owned(), name.to_owned()),
            "{grade}"
        );
    }
}

/// Of rows that are one fact, a receipt bears the name of the first the batch
/// saw; an expectation may name any of them.
#[test]
fn a_receipt_bears_the_name_of_a_row_that_was_seen() {
    let claim = |name: &str, second: u32, seen: &str| {
        format!(
            r#"{{"ref":"{name}","agent":"muse","type":"email.sent","counterparty":"a@b.org",
               "claimedAt":"2026-10-06T14:02:{second}Z","observedAt":"2026-10-06T{seen}:00Z"}}"#
        )
    };
    let file = format!(
        r#"{{"name":"","covers":[],"mode":"batch","input":{{"evaluatedAt":"2026-10-06T15:00:00Z",
          "claims":[{},{},{}]}},"expect":[{{"ref":"late"}}]}}"#,
        claim("late", 10, "15:01"),
        claim("seen", 20, "14:03"),
        claim("again", 30, "14:04"),
    );
    let outcome = run(&Scenario::read(&file).unwrap()).unwrap();
    assert_eq!(outcome.receipts.len(), 1);
    assert_eq!(outcome.receipts[0].name.to_string(), "seen");
    assert_eq!(outcome.differences, []);
}

/// Differences name rows as the file does, and the line carries them whole.
#[test]
fn a_difference_speaks_the_files_language() {
    let file = GRADE.replacen(
        r#""expect": []"#,
        r#""expect": [{ "ref": "c1", "grade": "PARTIAL", "observationRefs": ["o2"],
            "reasonParams": { "match.best": { "observationId": "o2" } }, "finalFrom": "2026-10-06T18:00:00Z" }]"#,
        1,
    );
    let outcome = run(&Scenario::read(&file).unwrap()).unwrap();
    let lines: Vec<String> = outcome
        .differences
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        lines,
        [
            r#"c1 grade: expected "PARTIAL", got "UNVERIFIABLE""#,
            r#"c1 observationRefs: expected ["o2"], got ["o1"]"#,
            r#"c1 score: expected null, got "1/1""#,
            r#"c1 finalFrom: expected "2026-10-06T18:00:00Z", got "2026-10-07T14:03:00-04:00""#,
            r#"c1 reasonParams["match.best"]: expected {"observationId":"o2"}, got {"observationId":"o1"}"#,
        ]
    );
    let line = report_line("f", None, &Ok(outcome));
    let line = parse(&line);
    let Some(Value::Array(found)) = line.get("mismatches") else {
        panic!("no mismatches")
    };
    assert_eq!(
        written(&found[1]),
        r#"{"actual":["o1"],"expected":["o2"],"field":"observationRefs","ref":"c1"}"#
    );
}
