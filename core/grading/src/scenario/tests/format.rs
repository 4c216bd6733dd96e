//! What a file may hold.

use attest_canon::json::{Value, push_index, push_key};

use super::{BATCH, GRADE, parse, written};
use crate::model::ProblemKind;
use crate::scenario::Scenario;

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
