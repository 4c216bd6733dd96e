#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

use attest_canon::jcs::{Numbers, to_canonical};
use attest_canon::json::{Limits, Value, push_index, push_key};

use super::*;
use crate::model::ProblemKind;
use crate::scenario::build::World;

/// Every key a batch file may hold (§15), and nothing wrong with it.
const BATCH: &str = r#"{
  "name": "every key of batch mode",
  "covers": ["contract:§15"],
  "mode": "batch",
  "policyPatch": { "receiptMerchants": ["acme"] },
  "notes": ["one step", "another"],
  "input": {
    "evaluatedAt": "2026-10-06T15:00:00-04:00",
    "claims": [
      { "ref": "c1", "agent": "muse", "type": "purchase.made", "counterparty": "Acme", "amountCents": 4999,
        "currency": "USD", "subjectHint": "Order 7", "claimedAt": "2026-10-06T14:02:00-04:00",
        "claimedAtPrecision": "minute", "claimedAtEnd": "2026-10-06T14:02:30-04:00",
        "targetAt": "2026-10-08T14:02:00-04:00", "observedAt": "2026-10-06T14:02:00-04:00",
        "sourceKind": "activity_view", "text": "Bought it.", "rowKey": "row" },
      { "ref": "c9", "agent": "muse", "type": "email.sent", "claimedAt": "2026-10-06T14:02:00-04:00" }
    ],
    "observations": [
      { "ref": "o1", "source": "gmail.receipt", "type": "purchase.made", "merchant": "Acme", "amountCents": 4999,
        "currency": "USD", "subjectHint": "Order 7", "occurredAt": "2026-10-06T14:02:00-04:00",
        "observedAt": "2026-10-06T14:03:00-04:00", "rowKey": "mail" },
      { "ref": "o2", "source": "gmail.sent", "type": "email.sent", "counterparty": "priya@company.com",
        "occurredAt": "2026-10-06T14:02:00-04:00" }
    ],
    "grants": [
      { "ref": "g1", "agent": "muse", "allowedTypes": ["purchase.made"], "counterpartyAllowlist": ["company.com"],
        "spendCeilingCents": 5000, "spendCurrency": "USD", "declaredScopes": ["a"], "observedScopes": ["a"],
        "accounts": { "gmail.receipt": ["acct-a"] }, "updatedAt": "2026-10-01T00:00:00Z" }
    ],
    "coverage": [
      { "observerId": "w", "source": "gcal.event", "lastSyncAt": "2026-10-06T14:55:00-04:00",
        "windowStart": "2026-10-06T14:00:00-04:00", "windowEnd": "2026-10-06T14:55:00-04:00",
        "accountHash": "acct-a", "allCalendars": true, "changesSince": "2026-10-06T14:00:00-04:00" }
    ],
    "repairs": [{ "from": "2026-10-05T00:00:00Z", "to": "2026-10-05T01:00:00Z" }],
    "activity": {
      "sessions": [{ "agent": "muse", "at": "2026-10-06T14:02:00-04:00" }],
      "idle": [{ "from": "2026-10-06T13:00:00-04:00", "to": "2026-10-06T13:30:00-04:00" }],
      "entries": [{ "agent": "muse", "at": "2026-10-06T14:02:00-04:00", "type": "email.sent" }],
      "adapterSyncs": [{ "agent": "muse", "lastSyncAt": "2026-10-06T14:40:00-04:00" }],
      "claims": ["c1"]
    },
    "fixed": [{ "claim": "c9", "observation": "o2" }, { "claim": null, "observation": "o2" }],
    "modelScores": [{ "claim": "c1", "scores": [{ "observation": "o1", "score": 10000 }] }]
  },
  "events": [
    { "event": "override", "ref": "c1", "grade": "NOT_FOUND", "reason": "no", "at": "2026-10-06T15:01:00-04:00" },
    { "event": "revert", "ref": "c1", "at": "2026-10-06T15:02:00-04:00" },
    { "event": "supersede", "ref": "c1", "claim": "c1", "rejected": true },
    { "event": "regrade", "ref": "c1", "evaluatedAt": "2026-10-06T15:03:00-04:00", "deleted": true, "rejected": true }
  ],
  "assertIds": { "equal": [["o1", "o1"]], "ascending": [["c1"]] },
  "expect": [
    { "ref": "c1", "grade": "OVER_SCOPE", "ruleId": "over_scope", "state": "FINAL", "observationRefs": ["o1"],
      "score": "1/1", "raisedScore": "1/1", "reasonCodes": ["match.best"],
      "reasonParams": { "match.best": { "observationId": "o1" } }, "agent": "muse",
      "inputs": { "grant": "g1", "priorSpendCents": 0, "scope": "a" }, "override": "VERIFIED",
      "previousState": "FINAL", "finalFrom": "2026-10-06T15:00:00Z" },
    { "ref": "o2", "attributionScore": "7/10", "supersededBy": "c1" },
    { "scope": { "agent": "muse", "scope": "b" } }
  ]
}"#;

/// A small file in grade mode.
const GRADE: &str = r#"{
  "name": "grade mode",
  "covers": [],
  "mode": "grade",
  "notes": "one line",
  "input": {
    "evaluatedAt": "2026-10-06T15:00:00-04:00",
    "claims": [
      { "ref": "c1", "agent": "muse", "type": "email.sent", "counterparty": "priya@company.com",
        "claimedAt": "2026-10-06T14:02:00-04:00" }
    ],
    "observations": [
      { "ref": "o1", "source": "gmail.sent", "type": "email.sent", "counterparty": "priya@company.com",
        "occurredAt": "2026-10-06T14:02:00-04:00" },
      { "ref": "o2", "source": "gmail.sent", "type": "email.sent", "counterparty": "priya@company.com",
        "occurredAt": "2026-10-06T12:02:00-04:00" },
      { "ref": "late", "source": "gmail.sent", "type": "email.sent", "counterparty": "priya@company.com",
        "occurredAt": "2026-10-06T11:02:00-04:00", "observedAt": "2026-10-06T15:00:00.001-04:00" }
    ],
    "activity": { "sessions": [{ "agent": "dots", "at": "2026-10-06T12:02:00-04:00" }] },
    "grade": { "claim": "c1", "candidates": ["o1"], "agent": "muse", "priorSpendCents": 0, "scope": "a" }
  },
  "expect": []
}"#;

fn parse(text: &str) -> Value<'_> {
    Value::parse(text, Limits::LEDGER).unwrap()
}

fn written(value: &Value<'_>) -> String {
    to_canonical(value, Numbers::Exact).unwrap()
}

/// The problems of a text, as `(path, kind)`.
fn problems(text: &str) -> Vec<(String, ProblemKind)> {
    match Scenario::read(text) {
        Ok(_) => Vec::new(),
        Err(problems) => problems
            .list()
            .iter()
            .map(|problem| (problem.path.clone(), problem.kind))
            .collect(),
    }
}

/// Gets a change of one value, gives the document's text with it.
type With<'a> = dyn Fn(&dyn Fn(&mut Value<'static>)) -> String + 'a;

/// Gets a value's path and the way to change it.
type Visit<'a> = dyn FnMut(&str, &With<'_>) + 'a;

/// Calls `visit` for every value of a document with its path, handing it a
/// copy of the document in which that value can be changed.
fn each_place(document: &Value<'static>, visit: &mut Visit<'_>) {
    fn places(
        value: &Value<'_>,
        route: &mut Vec<usize>,
        path: &str,
        out: &mut Vec<(Vec<usize>, String)>,
    ) {
        out.push((route.clone(), path.to_owned()));
        let children: Vec<(String, &Value<'_>)> = match value {
            Value::Object(members) => members
                .iter()
                .map(|(key, child)| {
                    let mut path = path.to_owned();
                    push_key(&mut path, key);
                    (path, child)
                })
                .collect(),
            Value::Array(elements) => elements
                .iter()
                .enumerate()
                .map(|(at, child)| {
                    let mut path = path.to_owned();
                    push_index(&mut path, at);
                    (path, child)
                })
                .collect(),
            _ => Vec::new(),
        };
        for (at, (path, child)) in children.into_iter().enumerate() {
            route.push(at);
            places(child, route, &path, out);
            route.pop();
        }
    }
    let mut all = Vec::new();
    places(document, &mut Vec::new(), "", &mut all);
    for (route, path) in all {
        visit(&path, &|change| {
            let mut copy = document.clone();
            let mut at = &mut copy;
            for step in &route {
                at = match at {
                    Value::Object(members) => &mut members[*step].1,
                    Value::Array(elements) => &mut elements[*step],
                    _ => unreachable!("a route runs through containers"),
                };
            }
            change(at);
            written(&copy)
        });
    }
}

#[test]
fn both_catalogues_are_read() {
    assert_eq!((problems(BATCH), problems(GRADE)), (Vec::new(), Vec::new()));
}

/// An unknown key at any level is a problem at its own path.
#[test]
fn closed_at_every_level() {
    let mut objects = 0;
    for text in [BATCH, GRADE] {
        each_place(&parse(text).into_owned(), &mut |path, with| {
            // The policy has its own loader, parameters are compared as they are.
            if path.starts_with("policyPatch") || path.contains("reasonParams[") {
                return;
            }
            let changed = with(&|value| {
                if let Value::Object(members) = value {
                    members.push(("zzz".into(), Value::Bool(true)));
                }
            });
            if changed == written(&parse(text)) {
                return;
            }
            objects += 1;
            let mut inside = path.to_owned();
            push_key(&mut inside, "zzz");
            let found = problems(&changed);
            assert_eq!(found, [(inside, ProblemKind::UnknownMember)]);
        });
    }
    assert_eq!(objects, 39);
}

/// `null` is never the same as absent, and no value is taken for another kind.
#[test]
fn no_value_stands_for_another() {
    let nullable = [
        "input.fixed[0].claim",
        "input.fixed[1].claim",
        "input.grade.claim",
    ];
    for text in [BATCH, GRADE] {
        each_place(&parse(text).into_owned(), &mut |path, with| {
            if path.starts_with("policyPatch.") || path.contains("reasonParams[") {
                return;
            }
            for other in [Value::Null, Value::Number("1.5".into()), Value::Bool(true)] {
                let changed = with(&|value| *value = other.clone());
                if changed == written(&parse(text))
                    || (other == Value::Null && nullable.contains(&path))
                {
                    continue;
                }
                // A flag may be true, and then its event has another shape.
                if matches!(other, Value::Bool(_)) && path.ends_with("rejected") {
                    continue;
                }
                let found = problems(&changed);
                assert!(
                    found.iter().any(|(at, _)| at == path),
                    "{path} = {other:?}: {found:?}"
                );
            }
        });
    }
}

/// Whatever uses a name that nothing bears is a problem at its own path, and
/// every name is borne once.
#[test]
fn every_name_names_something() {
    let mut used = Vec::new();
    for text in [BATCH, GRADE] {
        each_place(&parse(text).into_owned(), &mut |path, with| {
            let bears = path.starts_with("input.") && path.ends_with(".ref");
            let changed = with(&|value| {
                if let Value::String(name) = value
                    && ["c1", "c9", "o1", "o2", "g1"].contains(&name.as_ref())
                {
                    *name = "nobody".into();
                }
            });
            if bears || changed == written(&parse(text)) {
                return;
            }
            let found = problems(&changed);
            assert_eq!(found, [(path.to_owned(), ProblemKind::UnknownRef)]);
            used.push(path.to_owned());
        });
    }
    assert_eq!(used.len(), 22, "{used:#?}");
    for (from, to, path) in [
        (r#""ref": "c9""#, r#""ref": "c1""#, "input.claims[1].ref"),
        (
            r#""ref": "o2", "source""#,
            r#""ref": "c1", "source""#,
            "input.observations[1].ref",
        ),
        (
            r#""grants": ["#,
            r#""grants": [{ "ref": "g1", "agent": "dots" },"#,
            "input.grants[1].ref",
        ),
    ] {
        let found = problems(&BATCH.replacen(from, to, 1));
        let taken = (path.to_owned(), ProblemKind::MustBe("a name of its own"));
        assert!(found.contains(&taken), "{path}: {found:?}");
    }
}

/// A name of the wrong kind names nothing either.
#[test]
fn a_claim_is_no_observation() {
    for (from, to, path) in [
        (
            r#""claims": ["c1"]"#,
            r#""claims": ["o1"]"#,
            "input.activity.claims[0]",
        ),
        (
            r#""observation": "o1""#,
            r#""observation": "c1""#,
            "input.modelScores[0].scores[0].observation",
        ),
        (
            r#""supersededBy": "c1""#,
            r#""supersededBy": "o1""#,
            "expect[1].supersededBy",
        ),
        (
            r#""observationRefs": ["o1"]"#,
            r#""observationRefs": ["c1"]"#,
            "expect[0].observationRefs[0]",
        ),
    ] {
        let found = problems(&BATCH.replacen(from, to, 1));
        assert_eq!(found, [(path.to_owned(), ProblemKind::UnknownRef)]);
    }
}

/// Readings 22, and what a row of a source may hold (§15).
#[test]
fn what_belongs_elsewhere_is_refused() {
    let grade = r#""grade": { "claim": "c1", "candidates": [] }"#;
    for (text, from, to, path) in [
        (
            BATCH,
            r#""repairs""#,
            &*format!(r#"{grade}, "repairs""#),
            "input.grade",
        ),
        (
            GRADE,
            r#""activity""#,
            r#""fixed": [{ "claim": "c1", "observation": "o1" }], "activity""#,
            "input.fixed",
        ),
        (
            GRADE,
            r#""expect""#,
            r#""events": [{ "event": "regrade", "ref": "c1", "evaluatedAt": "2026-10-06T16:00:00Z" }], "expect""#,
            "events[0]",
        ),
        (
            GRADE,
            r#""expect": []"#,
            r#""expect": [{ "ref": "c1", "inputs": {} }]"#,
            "expect[0].inputs",
        ),
        (
            BATCH,
            r#""source": "gmail.receipt", "type""#,
            r#""source": "gmail.sent", "type""#,
            "input.observations[0].merchant",
        ),
        (
            BATCH,
            r#""source": "gmail.sent""#,
            r#""source": "gmail.receipt""#,
            "input.observations[1].counterparty",
        ),
        (
            BATCH,
            r#""source": "gcal.event""#,
            r#""source": "gmail.sent""#,
            "input.coverage[0].allCalendars",
        ),
    ] {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text, "{path}");
        assert_eq!(
            problems(&changed),
            [(path.to_owned(), ProblemKind::NotAllowedHere)]
        );
    }
    let gone = GRADE.replacen(r#""grade": {"#, r#""repairs": [], "gone": {"#, 1);
    assert!(problems(&gone).iter().any(|(path, _)| path == "input.gone"));
    for (from, to) in [
        (r#", "at": "2026-10-06T15:02:00-04:00" }"#, " }"),
        (
            r#""event": "revert", "ref": "c1","#,
            r#""event": "revert", "ref": "c1", "deleted": true,"#,
        ),
        (
            r#""event": "supersede", "ref": "c1", "claim": "c1","#,
            r#""event": "supersede", "ref": "c1","#,
        ),
    ] {
        let changed = BATCH.replacen(from, to, 1);
        assert_ne!(changed, BATCH);
        assert!(
            matches!(problems(&changed).as_slice(), [(path, ProblemKind::MustBe(_))] if path.starts_with("events["))
        );
    }
}

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
