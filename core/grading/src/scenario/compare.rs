//! What differs between a scenario's receipts and its expectations.

use core::fmt;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use attest_canon::Id;
use attest_canon::jcs::{Numbers, to_canonical};
use attest_canon::json::{Limits, Value, push_key};

use crate::decide::Ratio;
use crate::model::canonical::canonical_text;
use crate::model::hashes::scope_receipt_id;
use crate::model::reason::Params;
use crate::model::{ReasonCode, ReceiptState};

use super::build::World;
use super::format::{Expect, ExpectInputs, ExpectSubject, Ref, Scenario};
use super::run::{RefName, StoredReceipt};

/// One difference. Rows stand in it by their names in the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// Whose receipt.
    pub name: RefName,
    /// Which field.
    pub field: String,
    /// What the file says; null for nothing.
    pub expected: Value<'static>,
    /// What was found; null for nothing.
    pub actual: Value<'static>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            name,
            field,
            expected,
            actual,
        } = self;
        let (expected, actual) = (json(expected), json(actual));
        write!(f, "{name} {field}: expected {expected}, got {actual}")
    }
}

/// A value as one line of JSON.
pub(super) fn json(value: &Value<'_>) -> String {
    // Only numbers can be refused, and these came from this program or were
    // read as exact ones.
    to_canonical(value, Numbers::Exact).unwrap_or_default()
}

/// Compares every expectation, and finds receipts nobody expected.
pub(super) fn compare(
    scenario: &Scenario,
    world: &World,
    receipts: &[StoredReceipt],
) -> Vec<Difference> {
    let mut found = Vec::new();
    let by_id: BTreeMap<Id, &StoredReceipt> = receipts
        .iter()
        .map(|stored| (stored.receipt.id, stored))
        .collect();
    let mut met: BTreeSet<Id> = BTreeSet::new();
    for expect in &scenario.expect {
        // Rows that are one fact share their receipt.
        let id = match &expect.subject {
            ExpectSubject::Row(name) => world.receipt_id_of(name),
            ExpectSubject::Scope { agent, scope } => Some(scope_receipt_id(*agent, scope)),
        };
        let stored = id.and_then(|id| by_id.get(&id).copied());
        let Some(stored) = stored else {
            found.push(Difference {
                name: name_of(&expect.subject),
                field: "receipt".to_owned(),
                expected: text("a receipt"),
                actual: Value::Null,
            });
            continue;
        };
        met.insert(stored.receipt.id);
        let mut entry = Entry {
            scenario,
            world,
            expect,
            stored,
            found: &mut found,
        };
        entry.outcome();
        entry.reasons();
        entry.events();
        if let Some(inputs) = &expect.inputs {
            entry.inputs(inputs);
        }
    }
    // A receipt a non-empty list leaves out is a mismatch (readings 28).
    if !scenario.expect.is_empty() {
        let left_out = |stored: &&StoredReceipt| !met.contains(&stored.receipt.id);
        found.extend(receipts.iter().filter(left_out).map(|stored| Difference {
            name: stored.name.clone(),
            field: "receipt".to_owned(),
            expected: Value::Null,
            actual: text(stored.receipt.grade.as_str()),
        }));
    }
    ids(scenario, world, &mut found);
    found
}

fn text(text: &str) -> Value<'static> {
    Value::String(Cow::Owned(text.to_owned()))
}

/// A text, or null for nothing.
fn text_or_null(shown: Option<impl fmt::Display>) -> Value<'static> {
    shown.map_or(Value::Null, |shown| {
        Value::String(Cow::Owned(shown.to_string()))
    })
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

/// The attribution's score of an UNASKED receipt.
pub(super) fn attribution_score(stored: &StoredReceipt) -> Option<Ratio> {
    let attribution = stored.graded.context.attribution.as_ref()?;
    stored
        .receipt
        .attribution_likely
        .then(|| Ratio::from_basis_points(attribution.score))
}

/// One expectation beside its receipt.
struct Entry<'e> {
    scenario: &'e Scenario,
    world: &'e World,
    expect: &'e Expect,
    stored: &'e StoredReceipt,
    found: &'e mut Vec<Difference>,
}

impl Entry<'_> {
    fn differs(&mut self, field: &str, expected: Value<'static>, actual: Value<'static>) {
        self.found.push(Difference {
            name: name_of(&self.expect.subject),
            field: field.to_owned(),
            expected,
            actual,
        });
    }

    /// Compares a key that is compared only where the file has it.
    fn check<T: PartialEq + fmt::Display>(
        &mut self,
        field: &str,
        expected: Option<&T>,
        actual: Option<&T>,
    ) {
        if expected.is_some() && expected != actual {
            self.differs(field, text_or_null(expected), text_or_null(actual));
        }
    }

    fn outcome(&mut self) {
        let (expect, stored) = (self.expect, self.stored);
        let receipt = &stored.receipt;
        self.check("agent", expect.agent.as_ref(), Some(&receipt.agent));
        self.check("grade", expect.grade.as_ref(), Some(&receipt.grade));
        self.check("ruleId", expect.rule_id.as_ref(), Some(&receipt.rule_id));
        self.check("state", expect.state.as_ref(), Some(&receipt.state));
        if let Some(names) = &expect.observation_refs {
            let ids = names.iter().map(|name| self.world.id_of(name));
            if !ids.eq(receipt.observation_ids.iter().map(|id| Some(*id))) {
                let expected = names.iter().map(|name| text(name)).collect();
                let actual = receipt.observation_ids.iter().map(|id| self.named(*id));
                let actual = actual.collect();
                self.differs(
                    "observationRefs",
                    Value::Array(expected),
                    Value::Array(actual),
                );
            }
        }
        // `score` is left out exactly where nothing was scored (readings 26).
        let floor = text_or_null(stored.graded.floor);
        let expected = text_or_null(expect.score.as_ref());
        if expected != floor {
            self.differs("score", expected, floor);
        }
        let raised = stored.graded.score.map(|score| score.to_string().into());
        self.check("raisedScore", expect.raised_score.as_ref(), raised.as_ref());
        let likely = attribution_score(stored).map(|score| score.to_string().into());
        self.check(
            "attributionScore",
            expect.attribution_score.as_ref(),
            likely.as_ref(),
        );
        // Compared as text: the offset it is written in is part of the receipt.
        let from = receipt.final_from.map(|at| at.to_string());
        let expected = expect.final_from.map(|at| at.to_string());
        self.check("finalFrom", expected.as_ref(), from.as_ref());
        if receipt.state == ReceiptState::Pending && from.is_none() && expected.is_none() {
            self.differs("finalFrom", text("an instant while PENDING"), Value::Null);
        }
    }

    fn reasons(&mut self) {
        let (expect, reasons) = (self.expect, &self.stored.receipt.reasons);
        if let Some(expected) = &expect.reason_codes
            && !reasons
                .iter()
                .map(|reason| reason.code())
                .eq(expected.iter().copied())
        {
            let words = |codes: &mut dyn Iterator<Item = ReasonCode>| {
                Value::Array(codes.map(|code| text(code.as_str())).collect())
            };
            let actual = words(&mut reasons.iter().map(|reason| reason.code()));
            self.differs("reasonCodes", words(&mut expected.iter().copied()), actual);
        }
        for (code, expected) in &expect.reason_params {
            let reason = reasons.iter().find(|reason| reason.code() == *code);
            let actual = reason.map(|reason| params(reason.params()));
            if actual.as_ref().map(json) == Some(json(&self.by_id(expected))) {
                continue;
            }
            let mut field = "reasonParams".to_owned();
            push_key(&mut field, code.as_str());
            let actual = actual.map_or(Value::Null, |actual| self.by_name(actual));
            self.differs(&field, expected.clone(), actual);
        }
    }

    fn events(&mut self) {
        let (expect, receipt) = (self.expect, &self.stored.receipt);
        let user = receipt.user_override.as_ref();
        let grade = user.map(|user| user.grade);
        self.check("override", expect.user_override.as_ref(), grade.as_ref());
        let before = user.map(|user| user.previous_state.state());
        self.check(
            "previousState",
            expect.previous_state.as_ref(),
            before.as_ref(),
        );
        if let Some(name) = &expect.superseded_by
            && self.world.id_of(name) != receipt.superseded_by
        {
            let actual = receipt
                .superseded_by
                .map_or(Value::Null, |id| self.named(id));
            self.differs("supersededBy", text(name), actual);
        }
    }

    fn inputs(&mut self, inputs: &ExpectInputs) {
        let graded = &self.stored.graded;
        if let Some(name) = &inputs.grant {
            let place = self.world.names.grant(name);
            let grant = place.and_then(|place| self.world.grants.get(place));
            if grant != Some(graded.grant.as_ref()) {
                let mut grants = self.world.grants.iter().zip(&self.scenario.input.grants);
                let actual = grants.find(|(grant, _)| **grant == *graded.grant);
                let actual = actual.and_then(|(_, row)| row.name.as_ref());
                self.differs("inputs.grant", text(name), text_or_null(actual));
            }
        }
        self.check(
            "inputs.priorSpendCents",
            inputs.prior_spend_cents.as_ref(),
            Some(&graded.context.prior_spend_cents),
        );
        self.check(
            "inputs.scope",
            inputs.scope.as_ref(),
            graded.context.scope.as_ref(),
        );
    }

    /// A row's name in the file; its id when it has none.
    fn named(&self, id: Id) -> Value<'static> {
        let input = &self.scenario.input;
        let claims = input.claims.iter().map(|row| &row.name);
        let rows = input.observations.iter().map(|row| &row.name);
        let name = claims
            .chain(rows)
            .find(|name| self.world.id_of(name) == Some(id));
        name.map_or_else(|| text_or_null(Some(id)), |name| text(name))
    }

    /// Expected parameters with rows by id instead of name.
    fn by_id(&self, params: &Value<'static>) -> Value<'static> {
        row_members(params, |name| {
            self.world.id_of(name).map(|id| id.to_string())
        })
    }

    /// Parameters with rows by name instead of id.
    fn by_name(&self, params: Value<'static>) -> Value<'static> {
        row_members(&params, |id| match self.named(Id::parse(id)?) {
            Value::String(name) => Some(name.into_owned()),
            _ => None,
        })
    }
}

/// A reason's parameters, `{}` for none.
fn params(params: &Params) -> Value<'static> {
    // What this program writes always parses.
    Value::parse(&canonical_text(params), Limits::LEDGER).map_or(Value::Null, Value::into_owned)
}

/// The same parameters with the texts that name a row changed.
fn row_members(params: &Value<'static>, change: impl Fn(&str) -> Option<String>) -> Value<'static> {
    let Value::Object(members) = params else {
        return params.clone();
    };
    let changed = members.iter().map(|(key, value)| {
        let new = match (key.as_ref(), value) {
            ("observationId" | "claimId", Value::String(text)) => change(text),
            _ => None,
        };
        let value = new.map_or_else(|| value.clone(), |new| Value::String(Cow::Owned(new)));
        (key.clone(), value)
    });
    Value::Object(changed.collect())
}

/// `assertIds`: of two neighbours in a group, the second is the one at fault.
fn ids(scenario: &Scenario, world: &World, found: &mut Vec<Difference>) {
    let mut check = |groups: &[Vec<Ref>], field: &str, holds: fn(Id, Id) -> bool| {
        for (first, second) in groups
            .iter()
            .flat_map(|group| group.iter().zip(group.iter().skip(1)))
        {
            let (Some(a), Some(b)) = (world.id_of(first), world.id_of(second)) else {
                continue;
            };
            if !holds(a, b) {
                found.push(Difference {
                    name: RefName::Row(second.clone()),
                    field: field.to_owned(),
                    expected: text(&format!("{field} {a}")),
                    actual: text_or_null(Some(b)),
                });
            }
        }
    };
    check(&scenario.assert_ids.equal, "assertIds.equal", |a, b| a == b);
    let ascending = &scenario.assert_ids.ascending;
    check(ascending, "assertIds.ascending", |a, b| a < b);
}
