//! Every place of the document, and every number.

use std::collections::BTreeSet;

use attest_canon::json::{Value, push_index, push_key};
use proptest::prelude::*;

use super::super::load_policy_value;
use super::{lines, patched, shipped_document};
use crate::model::UnaskedSignal;

/// A place in a document: the steps to it and its path as a problem writes it.
#[derive(Clone, Default)]
struct Place {
    steps: Vec<usize>,
    path: String,
}

impl Place {
    fn step(&self, step: usize, push: impl FnOnce(&mut String)) -> Self {
        let mut place = self.clone();
        place.steps.push(step);
        push(&mut place.path);
        place
    }

    fn key(&self, key: &str) -> String {
        self.step(0, |path| push_key(path, key)).path
    }
}

/// Every place of a document, parents first.
fn places(value: &Value<'_>, here: &Place, out: &mut Vec<Place>) {
    out.push(here.clone());
    match value {
        Value::Object(members) => {
            for (step, (key, member)) in members.iter().enumerate() {
                places(member, &here.step(step, |path| push_key(path, key)), out);
            }
        }
        Value::Array(elements) => {
            for (step, element) in elements.iter().enumerate() {
                places(
                    element,
                    &here.step(step, |path| push_index(path, step)),
                    out,
                );
            }
        }
        _ => {}
    }
}

fn at<'v, 'a>(value: &'v mut Value<'a>, steps: &[usize]) -> &'v mut Value<'a> {
    steps.iter().fold(value, |value, step| match value {
        Value::Object(members) => &mut members[*step].1,
        Value::Array(elements) => &mut elements[*step],
        leaf => panic!("no step into {leaf:?}"),
    })
}

/// What loading says after `change` was made at each place of the shipped
/// policy where it gives the line to expect there.
fn sweep(change: impl Fn(&mut Value<'static>, &Place) -> Option<String>) -> usize {
    let mut all = Vec::new();
    places(&shipped_document(), &Place::default(), &mut all);
    let mut swept = 0;
    for place in &all {
        let mut document = shipped_document();
        let Some(expected) = change(at(&mut document, &place.steps), place) else {
            continue;
        };
        let lines = lines(&load_policy_value(&document));
        assert!(lines.contains(&expected), "{expected}: {lines:?}");
        swept += 1;
    }
    swept
}

#[test]
fn a_value_of_another_kind_is_refused_at_its_place() {
    let mut all = Vec::new();
    places(&shipped_document(), &Place::default(), &mut all);
    for place in &all {
        for wrong in [
            Value::Null,
            Value::Array(Vec::new()),
            Value::Object(Vec::new()),
        ] {
            let mut document = shipped_document();
            let value = at(&mut document, &place.steps);
            if core::mem::discriminant(value) == core::mem::discriminant(&wrong) {
                continue;
            }
            *value = wrong.clone();
            let error = load_policy_value(&document).unwrap_err();
            let here = error
                .problems()
                .iter()
                .any(|problem| problem.path == place.path);
            assert!(here, "{}: {wrong:?}: {error}", place.path);
        }
    }
    assert!(all.len() > 200, "{}", all.len());
}

#[test]
fn an_unknown_member_is_refused_in_every_object() {
    let swept = sweep(|value, place| {
        let Value::Object(members) = value else {
            return None;
        };
        members.push(("note".into(), Value::Bool(true)));
        Some(format!("{}: unknown member", place.key("note")))
    });
    // The document, twelve objects in it, and 14 rules with their conditions.
    assert_eq!(swept, 1 + 12 + 2 * 14);
}

#[test]
fn a_missing_member_is_named_in_every_object() {
    let mut all = Vec::new();
    places(&shipped_document(), &Place::default(), &mut all);
    let mut swept = 0;
    for place in &all {
        let Some((step, parents)) = place.steps.split_last() else {
            continue;
        };
        let mut document = shipped_document();
        let parent = at(&mut document, parents);
        let Value::Object(members) = parent else {
            continue;
        };
        members.remove(*step);
        // No condition must be there for its own sake.
        if place.path.contains(".when.") {
            continue;
        }
        let lines = lines(&load_policy_value(&document));
        assert!(
            lines.contains(&format!("{}: missing", place.path)),
            "{}: {lines:?}",
            place.path
        );
        swept += 1;
    }
    assert!(swept > 100, "{swept}");
}

#[test]
fn a_repeated_member_is_refused_in_every_list() {
    let swept = sweep(|value, place| {
        let Value::Array(elements) = value else {
            return None;
        };
        let first = elements.first()?.clone();
        let mut path = place.path.clone();
        push_index(&mut path, elements.len());
        elements.push(first);
        Some(match place.path.as_str() {
            "rules" => format!("{path}.id: must not be the id of an earlier rule"),
            _ => format!("{path}: must not be listed twice"),
        })
    });
    // Three lists of seven types with sources each, three of rows' fields, allowlistTypes,
    // spendTypes, commonDomains, stopWords and rules.
    assert_eq!(swept, 3 * 7 + 3 + 5);
}

fn any_value() -> impl Strategy<Value = Value<'static>> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        "-?(0|[1-9][0-9]{0,20})(\\.[0-9]{1,20})?([eE][+-]?[0-9]{1,4})?"
            .prop_map(|text| Value::Number(text.into())),
        any::<String>().prop_map(|text| Value::String(text.into())),
        prop::sample::select(vec![
            "VERIFIED",
            "partial",
            "email.sent",
            "modelScore",
            "occurredAt"
        ])
        .prop_map(|text| Value::String(text.into())),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        let keys = prop_oneof![
            any::<String>(),
            prop::sample::select(vec!["id", "when", "then", "verified", "muse", "graceMin"])
                .prop_map(str::to_owned),
        ];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            prop::collection::btree_map(keys, inner, 0..4).prop_map(|members| {
                Value::Object(
                    members
                        .into_iter()
                        .map(|(key, value)| (key.into(), value))
                        .collect(),
                )
            }),
        ]
    })
}

proptest! {
    /// Whatever stands anywhere: a policy, or problems of one line each at
    /// places that are distinct in what they say.
    #[test]
    fn any_value_anywhere_is_judged(place in any::<prop::sample::Index>(), value in any_value()) {
        let mut all = Vec::new();
        places(&shipped_document(), &Place::default(), &mut all);
        let mut document = shipped_document();
        *at(&mut document, &place.get(&all).steps) = value;
        if let Err(error) = load_policy_value(&document) {
            prop_assert!(!error.problems().is_empty());
            let lines: Vec<String> = error.problems().iter().map(ToString::to_string).collect();
            prop_assert_eq!(error.to_string(), lines.join("\n"));
            prop_assert!(lines.iter().all(|line| line.chars().all(|c| matches!(c, ' '..='~' | '…'))));
            let distinct: BTreeSet<&String> = lines.iter().collect();
            prop_assert_eq!(distinct.len(), lines.len());
        }
    }

    /// Every whole number of basis points is read exactly, and nothing between.
    #[test]
    fn basis_points_are_exact(bp in 0u32..=10_000, beyond in 1u32..10) {
        let exact = format!("{}.{:04}", bp / 10_000, bp % 10_000);
        let patch = |number: &str| format!(r#"{{"unasked": {{"signals": {{"userIdle": {number}}}}}}}"#);
        let policy = patched(&patch(&exact)).unwrap();
        prop_assert_eq!(policy.unasked().weight(UnaskedSignal::UserIdle).get(), bp);
        let between = format!("{exact}{beyond}");
        prop_assert!(patched(&patch(&between)).is_err());
    }

    /// The cap of §5.4, against the inequality in ten-thousandths.
    #[test]
    fn the_model_never_verifies_the_partial_floor(
        partial in 1u64..10_000, above in 1u64..10_000, weight in 0u64..=10_000,
    ) {
        let verified = (partial + above).min(10_000);
        let number = |bp: u64| format!("{bp}e-4");
        let patch = format!(
            r#"{{"thresholds": {{"verified": {}, "partial": {}}}, "features": {{"modelScore": {}}}}}"#,
            number(verified), number(partial), number(weight),
        );
        // (1 - λ)·partial + λ < verified, times 10,000 twice.
        let capped = (10_000 - weight) * partial + weight * 10_000 < verified * 10_000;
        prop_assert_eq!(patched(&patch).is_ok(), capped);
    }
}
