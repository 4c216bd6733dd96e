//! What differs between a scenario's receipts and its expectations, and the
//! line `golden run --json` prints.

use attest_canon::Id;
use attest_canon::jcs::{Numbers, Writer, to_canonical};
use attest_canon::json::Value;

use crate::decide::Ratio;
use crate::model::canonical::{Canonical, canonical_text};
use crate::model::{Reason, ReceiptState};

use super::ScenarioError;
use super::build::World;
use super::format::{Expect, ExpectSubject, Scenario};
use super::run::{Outcome, RefName, StoredReceipt};

/// One difference.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// Whose receipt.
    pub name: RefName,
    /// Which field.
    pub field: &'static str,
    /// What the file says.
    pub expected: String,
    /// What was found; empty for nothing.
    pub actual: String,
}

impl core::fmt::Display for Difference {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let Self {
            name,
            field,
            expected,
            actual,
        } = self;
        write!(f, "{name} {field}: expected {expected:?}, got {actual:?}")
    }
}

/// Compares every expectation, and finds receipts nobody expected.
pub(super) fn compare(
    scenario: &Scenario,
    world: &World,
    receipts: &[StoredReceipt],
) -> Vec<Difference> {
    let mut found = Vec::new();
    let mut met: Vec<Id> = Vec::new();
    for expect in &scenario.expect {
        let stored = receipts
            .iter()
            .find(|stored| is_subject(world, stored, &expect.subject));
        let Some(stored) = stored else {
            found.push(Difference {
                name: name_of(&expect.subject),
                field: "receipt",
                expected: "a receipt".to_owned(),
                actual: String::new(),
            });
            continue;
        };
        met.push(stored.receipt.id);
        entry(expect, world, stored, &mut found);
    }
    // A receipt a non-empty list leaves out is a mismatch (readings 28).
    if !scenario.expect.is_empty() {
        for stored in receipts
            .iter()
            .filter(|stored| !met.contains(&stored.receipt.id))
        {
            found.push(Difference {
                name: stored.name.clone(),
                field: "receipt",
                expected: String::new(),
                actual: stored.receipt.grade.to_string(),
            });
        }
    }
    ids(scenario, world, &mut found);
    found
}

fn name_of(subject: &ExpectSubject) -> RefName {
    match subject {
        ExpectSubject::Row(name) => RefName::Row(name.clone()),
        ExpectSubject::Scope { agent, scope } => RefName::Scope {
            agent: *agent,
            scope: scope.clone(),
        },
    }
}

fn is_subject(world: &World, stored: &StoredReceipt, subject: &ExpectSubject) -> bool {
    match (subject, &stored.name) {
        (ExpectSubject::Scope { agent, scope }, RefName::Scope { agent: a, scope: s }) => {
            agent == a && scope == s
        }
        (ExpectSubject::Row(name), RefName::Row(held)) => {
            name == held || (world.id_of(name).is_some() && world.id_of(name) == world.id_of(held))
        }
        _ => false,
    }
}

fn entry(expect: &Expect, world: &World, stored: &StoredReceipt, found: &mut Vec<Difference>) {
    let receipt = &stored.receipt;
    let mut check = |field: &'static str, expected: Option<String>, actual: Option<String>| {
        if let Some(expected) = expected
            && Some(&expected) != actual.as_ref()
        {
            let actual = actual.unwrap_or_default();
            found.push(Difference {
                name: name_of(&expect.subject),
                field,
                expected,
                actual,
            });
        }
    };
    let some = |text: String| Some(text);
    let of = |refs: &[super::format::Ref]| {
        let ids = refs.iter().map(|name| {
            world
                .id_of(name)
                .map_or_else(|| name.to_string(), |id| id.to_string())
        });
        ids.collect::<Vec<_>>().join(",")
    };
    check(
        "grade",
        expect.grade.map(|grade| grade.to_string()),
        some(receipt.grade.to_string()),
    );
    check(
        "ruleId",
        expect.rule_id.as_ref().map(|rule| rule.to_string()),
        some(receipt.rule_id.to_string()),
    );
    check(
        "state",
        expect.state.map(|state| state.to_string()),
        some(receipt.state.to_string()),
    );
    let evidence: Vec<String> = receipt.observation_ids.iter().map(Id::to_string).collect();
    check(
        "observationRefs",
        expect.observation_refs.as_deref().map(of),
        some(evidence.join(",")),
    );
    // `score` is left out exactly where nothing was scored (readings 26).
    let score = |ratio: Option<Ratio>| ratio.map(|ratio| ratio.to_string()).unwrap_or_default();
    let expected_score = expect.score.as_deref().unwrap_or_default().to_owned();
    check(
        "score",
        some(expected_score),
        some(score(stored.graded.floor)),
    );
    check(
        "raisedScore",
        expect.raised_score.as_deref().map(str::to_owned),
        some(score(stored.graded.score)),
    );
    let codes: Vec<&str> = receipt
        .reasons
        .iter()
        .map(|reason| reason.code().as_str())
        .collect();
    let expected_codes = expect.reason_codes.as_ref().map(|codes| {
        codes
            .iter()
            .map(|code| code.as_str())
            .collect::<Vec<_>>()
            .join(",")
    });
    check("reasonCodes", expected_codes, some(codes.join(",")));
    for (code, params) in &expect.reason_params {
        let reason = receipt.reasons.iter().find(|reason| reason.code() == *code);
        let expected = to_canonical(&resolved(params, world), Numbers::Exact).ok();
        check("reasonParams", expected, reason.map(params_text));
    }
    check(
        "agent",
        expect.agent.map(|agent| agent.to_string()),
        some(receipt.agent.to_string()),
    );
    if let Some(inputs) = &expect.inputs {
        let context = &stored.graded.context;
        let place = world
            .grants
            .iter()
            .position(|grant| *grant == stored.graded.grant);
        let grant = place.and_then(|place| world.grant_names.get(place).cloned().flatten());
        check(
            "inputs.grant",
            inputs.grant.as_deref().map(str::to_owned),
            grant.map(|name| name.to_string()),
        );
        let spend = inputs.prior_spend_cents.map(|cents| cents.to_string());
        check(
            "inputs.priorSpendCents",
            spend,
            some(context.prior_spend_cents.to_string()),
        );
        let scope = context.scope.as_deref().map(str::to_owned);
        check(
            "inputs.scope",
            inputs.scope.as_deref().map(str::to_owned),
            scope,
        );
    }
    let attributed = attribution_score(stored).map(|ratio| ratio.to_string());
    check(
        "attributionScore",
        expect.attribution_score.as_deref().map(str::to_owned),
        attributed,
    );
    let user = receipt.user_override.as_ref();
    check(
        "override",
        expect.user_override.map(|grade| grade.to_string()),
        user.map(|user| user.grade.to_string()),
    );
    let before = user.map(|user| user.previous_state.to_string());
    check(
        "previousState",
        expect.previous_state.map(|state| state.to_string()),
        before,
    );
    let superseded = expect
        .superseded_by
        .as_deref()
        .map(|name| of(&[name.into()]));
    check(
        "supersededBy",
        superseded,
        receipt.superseded_by.map(|id| id.to_string()),
    );
    let final_from = receipt.final_from.map(|at| at.to_string());
    check(
        "finalFrom",
        expect.final_from.map(|at| at.to_string()),
        final_from.clone(),
    );
    if receipt.state == ReceiptState::Pending && final_from.is_none() {
        check(
            "finalFrom",
            some("an instant, while pending".to_owned()),
            None,
        );
    }
}

/// The parameters of a reason as canonical JSON, `{}` for none.
fn params_text(reason: &Reason) -> String {
    let mut out = Writer::new();
    reason.params().write(&mut out);
    out.into_text()
}

/// Expected parameters with observations and claims by id instead of ref.
fn resolved<'v>(params: &'v Value<'static>, world: &World) -> Value<'v> {
    let Value::Object(members) = params else {
        return params.clone();
    };
    let member = |(key, value): &'v (_, Value<'static>)| {
        let key: &std::borrow::Cow<'static, str> = key;
        let id = match (key.as_ref(), value) {
            ("observationId" | "claimId", Value::String(name)) => world.id_of(name),
            _ => None,
        };
        let value = id.map_or_else(|| value.clone(), |id| Value::String(id.to_string().into()));
        (key.clone(), value)
    };
    Value::Object(members.iter().map(member).collect())
}

/// The attribution's score of an UNASKED receipt.
fn attribution_score(stored: &StoredReceipt) -> Option<Ratio> {
    let attribution = stored.graded.context.attribution.as_ref()?;
    stored
        .receipt
        .attribution_likely
        .then(|| Ratio::from_basis_points(attribution.score))
}

fn ids(scenario: &Scenario, world: &World, found: &mut Vec<Difference>) {
    let mut check = |groups: &[Vec<super::format::Ref>], field, holds: fn(Id, Id) -> bool| {
        for group in groups {
            for pair in group.windows(2) {
                let [a, b] = pair else { continue };
                let (Some(first), Some(second)) = (world.id_of(a), world.id_of(b)) else {
                    continue;
                };
                if !holds(first, second) {
                    found.push(Difference {
                        name: RefName::Row(b.clone()),
                        field,
                        expected: first.to_string(),
                        actual: second.to_string(),
                    });
                }
            }
        }
    };
    check(&scenario.assert_ids.equal, "assertIds.equal", |a, b| a == b);
    check(
        &scenario.assert_ids.ascending,
        "assertIds.ascending",
        |a, b| a < b,
    );
}

/// The line `golden run --json` prints for a file, as canonical JSON.
#[must_use]
pub fn report_line(
    file: &str,
    name: Option<&str>,
    result: &Result<Outcome, ScenarioError>,
) -> String {
    let mut out = Writer::new();
    out.begin_object();
    if let Err(error) = result {
        let (kind, code) = error.code();
        out.key("error");
        out.begin_object();
        text(&mut out, "code", code);
        text(&mut out, "type", kind);
        out.end_object();
    }
    text(&mut out, "file", file);
    out.key("mismatches");
    out.begin_array();
    for difference in result.iter().flat_map(|outcome| &outcome.differences) {
        out.element();
        out.begin_object();
        text(&mut out, "actual", &difference.actual);
        text(&mut out, "expected", &difference.expected);
        text(&mut out, "field", difference.field);
        out.key("ref");
        write_name(&mut out, &difference.name);
        out.end_object();
    }
    out.end_array();
    text(&mut out, "name", name.unwrap_or_default());
    out.key("pass");
    out.boolean(
        result
            .as_ref()
            .is_ok_and(|outcome| outcome.differences.is_empty()),
    );
    out.key("receipts");
    out.begin_array();
    for stored in result.iter().flat_map(|outcome| &outcome.receipts) {
        out.element();
        out.begin_object();
        ratio(&mut out, "attributionScore", attribution_score(stored));
        ratio(&mut out, "raisedScore", stored.graded.score);
        out.key("receipt");
        out.canonical(&canonical_text(&stored.receipt));
        out.key("ref");
        write_name(&mut out, &stored.name);
        ratio(&mut out, "score", stored.graded.floor);
        out.end_object();
    }
    out.end_array();
    out.end_object();
    out.into_text()
}

fn text(out: &mut Writer, key: &str, value: &str) {
    out.key(key);
    out.string(value);
}

fn ratio(out: &mut Writer, key: &str, value: Option<Ratio>) {
    out.key(key);
    match value {
        Some(ratio) => out.string(&ratio.to_string()),
        None => out.canonical("null"),
    }
}

fn write_name(out: &mut Writer, name: &RefName) {
    match name {
        RefName::Row(name) => out.string(name),
        RefName::Scope { agent, scope } => {
            out.begin_object();
            text(out, "agent", agent.as_str());
            text(out, "scope", scope);
            out.end_object();
        }
    }
}
