//! What happens to receipts after the first grading.

use attest_canon::json::Value;

use crate::scenario::{Outcome, Scenario, StoredReceipt, report_line, run};

/// Two email claims over one grace period, and a third first seen later; views
/// synced at 14:20 and at 16:00.
fn ledger(events: &str) -> Outcome {
    let claim = |name: &str, minute: u32, seen: &str| {
        format!(
            r#"{{"ref":"{name}","agent":"muse","type":"email.sent","counterparty":"{name}@company.com",
               "claimedAt":"2026-10-06T14:{minute:02}:00Z","observedAt":"2026-10-06T{seen}:00Z"}}"#
        )
    };
    let view = |sync: &str| {
        format!(
            r#"{{"source":"gmail.sent","lastSyncAt":"2026-10-06T{sync}:00Z","windowStart":"2026-10-06T13:00:00Z",
               "windowEnd":"2026-10-06T{sync}:00Z","accountHash":"a"}}"#
        )
    };
    let file = format!(
        r#"{{"name":"","covers":[],"mode":"batch","input":{{"evaluatedAt":"2026-10-06T14:30:00Z",
        "claims":[{},{},{}],
        "observations":[{{"ref":"o1","source":"gmail.sent","type":"email.sent","counterparty":"someone@else.org",
          "occurredAt":"2026-10-06T14:10:00Z"}}],
        "coverage":[{},{}],
        "activity":{{"sessions":[{{"agent":"muse","at":"2026-10-06T14:12:00Z"}}],
          "idle":[{{"from":"2026-10-06T14:05:00Z","to":"2026-10-06T14:15:00Z"}}]}}}},
        "events":[{events}],"expect":[]}}"#,
        claim("c1", 2, "14:02"),
        claim("c2", 3, "14:03"),
        claim("c3", 4, "15:00"),
        view("14:20"),
        view("16:00"),
    );
    run(&Scenario::read(&file).unwrap()).unwrap()
}

fn states(outcome: &Outcome) -> Vec<String> {
    let one = |stored: &StoredReceipt| {
        let receipt = &stored.receipt;
        format!("{} {} {}", stored.name, receipt.grade, receipt.state)
    };
    outcome.receipts.iter().map(one).collect()
}

fn event(kind: &str, name: &str, rest: &str) -> String {
    format!(r#"{{"event":"{kind}","ref":"{name}",{rest}}}"#)
}

fn regrade(name: &str, time: &str) -> String {
    event(
        "regrade",
        name,
        &format!(r#""evaluatedAt":"2026-10-06T{time}:00Z""#),
    )
}

const START: [&str; 3] = [
    "c1 UNVERIFIABLE PENDING",
    "c2 UNVERIFIABLE PENDING",
    "o1 UNASKED PENDING",
];

/// Readings 22: only what is named is replaced; regrades at one instant see the
/// receipts as they were before the first of them.
#[test]
fn regrades_at_one_instant_are_one_batch() {
    assert_eq!(states(&ledger("")), START);
    let one = ledger(&regrade("c1", "16:30"));
    assert_eq!(states(&one), ["c1 NOT_FOUND FINAL", START[1], START[2]]);
    // The second would otherwise meet a receipt computed at its own instant.
    let both = ledger(&format!(
        "{},{}",
        regrade("c1", "16:30"),
        regrade("c2", "16:30")
    ));
    assert_eq!(
        states(&both),
        ["c1 NOT_FOUND FINAL", "c2 NOT_FOUND FINAL", START[2]]
    );
    assert!(both.differences.is_empty());
    // A claim first seen since gets its first receipt, after the others.
    let new = ledger(&regrade("c3", "16:30"));
    assert_eq!(states(&new)[3], "c3 NOT_FOUND FINAL");
}

/// An event that is refused although it should not be, or the other way round,
/// is a difference that says which.
#[test]
fn refused_events_leave_the_receipt_and_say_why() {
    let at = |time: &str| format!(r#""at":"2026-10-06T{time}:00Z""#);
    let says = |time: &str| {
        event(
            "override",
            "c1",
            &format!(r#""grade":"VERIFIED","reason":"yes",{}"#, at(time)),
        )
    };
    for (events, actual) in [
        (regrade("c1", "14:30"), "invalid_event"),
        (
            format!("{},{}", regrade("c1", "16:30"), regrade("c1", "16:40")),
            "illegal_transition",
        ),
        (
            regrade("o1", "16:30").replace("}", r#","deleted":true}"#),
            "still_graded",
        ),
        (regrade("c3", "14:40"), "not_graded"),
        (event("revert", "c1", &at("15:00")), "illegal_transition"),
        (says("14:00"), "invalid_event"),
        (
            format!("{},{}", says("15:00"), says("15:01")),
            "illegal_transition",
        ),
        (
            event(
                "override",
                "c3",
                &format!(r#""grade":"VERIFIED","reason":"yes",{}"#, at("15:00")),
            ),
            "no_receipt",
        ),
        (
            event("supersede", "c1", r#""claim":"c2""#),
            "illegal_transition",
        ),
    ] {
        let outcome = ledger(&events);
        let [found] = outcome.differences.as_slice() else {
            panic!("{events}: {:?}", outcome.differences)
        };
        assert_eq!(
            (json_text(&found.expected), json_text(&found.actual)),
            ("accepted".into(), actual.into()),
            "{events}"
        );
        // Marked as rejected, the same is as it should be.
        let last = events.rfind('}').unwrap();
        let marked = format!("{},\"rejected\":true}}", &events[..last]);
        assert_eq!(ledger(&marked).differences, [], "{events}");
    }
    let outcome = ledger(&says("15:00").replace("}", r#","rejected":true}"#));
    let found = &outcome.differences[0];
    assert_eq!(
        (json_text(&found.expected), json_text(&found.actual)),
        ("rejected".into(), "accepted".into())
    );
}

fn json_text(value: &Value<'_>) -> String {
    value.as_str().unwrap().to_owned()
}

/// A batch that a regrade asks for and grading refuses is the scenario's
/// outcome (supplement J).
#[test]
fn what_a_later_batch_throws_is_the_outcome() {
    let file = r#"{"name":"n","covers":[],"mode":"batch","input":{"evaluatedAt":"2026-10-06T15:00:00Z",
      "claims":[{"ref":"c1","agent":"muse","type":"email.sent","counterparty":"a@b.org","claimedAt":"2026-10-06T14:02:00Z"}],
      "grants":[{"agent":"muse"},
        {"agent":"muse","updatedAt":"2026-10-06T16:00:00Z"},{"agent":"muse","updatedAt":"2026-10-06T16:00:00Z"}]},
      "events":[{"event":"regrade","ref":"c1","evaluatedAt":"2026-10-06T16:00:00Z"}],"expect":[]}"#;
    let result = run(&Scenario::read(file).unwrap());
    assert_eq!(
        result.as_ref().unwrap_err().code(),
        ("BatchError", "ambiguous_grant")
    );
    let line = report_line("f.json", Some("n"), &result);
    assert_eq!(
        line,
        r#"{"error":{"code":"ambiguous_grant","type":"BatchError"},"file":"f.json","mismatches":[],"name":"n","pass":false,"receipts":[]}"#
    );
    let marked = file.replace(
        "16:00:00Z\"}],\"expect\"",
        "16:00:00Z\",\"rejected\":true}],\"expect\"",
    );
    assert_ne!(marked, file);
    assert_eq!(
        run(&Scenario::read(&marked).unwrap()).unwrap().differences,
        []
    );
}
