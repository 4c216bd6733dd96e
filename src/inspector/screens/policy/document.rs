//! A loaded policy as the lines of the screen, and a changed one made of it. Every number and text
//! comes from the loaded document; a changed document goes through the loader like any other.

use std::borrow::Cow;
use std::collections::BTreeMap;

use attest_canon::json::{Limits, Value};
use attest_grading::model::Outcome;
use attest_grading::policy::{DEFAULT_POLICY, Policy, Rule, load_policy_value};

use crate::inspector::look::grade_word;
use crate::inspector::text::{count, shown};

/// The sections after the rules, as the screen orders them, with their headings.
const SECTIONS: &[(&str, &str)] = &[
    ("thresholds", "Thresholds"),
    ("features", "Weights"),
    ("windows", "Windows"),
    ("unasked", "Unasked actions"),
    ("sourcesByType", "Sources by type"),
    ("featuresByType", "Features by type"),
    ("identityFeatures", "Features that identify"),
    ("allowlistTypes", "Bound by allowlists"),
    ("spendTypes", "Bound by ceilings"),
    ("commonDomains", "Domains that many people share"),
    ("receiptMerchants", "Merchants whose receipts are read"),
    ("normalize", "Words left out of subjects"),
    ("allowlistedFields", "Fields rows may hold"),
];

/// Longest line a file's number may be typed as.
const MOST_TYPED: usize = 64;

/// A line of the screen. Its texts are fit for a terminal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PolicyLine {
    /// The heading of a section.
    Heading(&'static str),
    /// A rule: its place, its id, what it asks, what it concludes.
    Rule {
        /// The place in the policy, from 1.
        place: usize,
        /// Its id.
        id: String,
        /// Its conditions, each as `key: wanted`.
        when: Vec<String>,
        /// What it concludes.
        then: Outcome,
    },
    /// A number, which can be changed.
    Number {
        /// Where it stands, as `thresholds.verified`.
        path: String,
        /// As it is written.
        written: String,
        /// In what it is counted.
        unit: &'static str,
    },
    /// What a list holds.
    List {
        /// What it is the list of.
        name: String,
        /// Its members.
        members: String,
    },
}

/// A loaded policy.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Document {
    /// Its hash.
    pub hash: String,
    /// Its canonical text.
    pub canonical: String,
    /// The lines of the screen.
    pub lines: Vec<PolicyLine>,
}

/// What a preview changes: other numbers by their paths, and which file they stand in.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Proposal {
    /// The policy file to begin with; the loaded policy where there is none.
    pub file: Option<String>,
    /// The numbers, as they were typed.
    pub numbers: BTreeMap<String, String>,
}

impl Proposal {
    /// Whether it changes nothing.
    pub fn is_empty(&self) -> bool {
        self.file.is_none() && self.numbers.is_empty()
    }

    /// What it changes, on one line, fit for a terminal.
    pub fn text(&self) -> String {
        let mut parts: Vec<String> = Vec::new();
        parts.extend(self.file.as_deref().map(|file| shown(file).into_owned()));
        let numbers = self.numbers.iter();
        parts.extend(numbers.map(|(path, number)| format!("{path} {}", shown(number))));
        parts.join(", ")
    }
}

impl Document {
    /// The lines of a loaded policy.
    pub fn new(policy: &Policy) -> Self {
        let mut lines = vec![PolicyLine::Heading("Rules, the first that matches decides")];
        for (place, rule) in policy.rules().iter().enumerate() {
            lines.push(rule_line(place, rule));
        }
        // What was loaded always parses.
        let document = parse(policy.canonical());
        let shipped = parse(DEFAULT_POLICY);
        for (key, title) in SECTIONS {
            let (Some(section), Some(order)) = (document.get(key), shipped.get(key)) else {
                continue;
            };
            lines.push(PolicyLine::Heading(title));
            add(&mut lines, key, section, order);
        }
        Self {
            hash: policy.hash().to_string(),
            canonical: policy.canonical().to_owned(),
            lines,
        }
    }

    /// The policy that a proposal makes of a document's text.
    ///
    /// # Errors
    /// Every refusal of the loader, a line each.
    pub fn changed(text: &str, proposal: &Proposal) -> Result<Policy, Vec<String>> {
        let refuse = |error: String| -> Vec<String> {
            // A path can name a member of the file's own.
            error.lines().map(|line| shown(line).into_owned()).collect()
        };
        let base = Value::parse(text, Limits::LEDGER).map_err(|error| refuse(error.to_string()))?;
        let mut document = base;
        for (path, typed) in &proposal.numbers {
            // What is no number stays a text, for the loader to refuse at its path.
            let value = Value::parse(typed, Limits::LEDGER)
                .ok()
                .filter(|value| matches!(value, Value::Number(_)))
                .filter(|_| typed.len() <= MOST_TYPED)
                .unwrap_or(Value::String(Cow::Borrowed(typed)));
            document = document.merged(at_path(path, value));
        }
        load_policy_value(&document).map_err(|error| refuse(error.to_string()))
    }
}

fn parse(text: &str) -> Value<'_> {
    Value::parse(text, Limits::LEDGER).unwrap_or(Value::Null)
}

/// `{"a": {"b": value}}` of `a.b`.
fn at_path<'v>(path: &'v str, value: Value<'v>) -> Value<'v> {
    path.rsplit('.').fold(value, |inner, key| {
        Value::Object(vec![(Cow::Borrowed(key), inner)])
    })
}

fn rule_line(place: usize, rule: &Rule) -> PolicyLine {
    PolicyLine::Rule {
        place: place + 1,
        id: shown(rule.id.as_str()).into_owned(),
        when: rule
            .when
            .iter()
            .map(|condition| format!("{}: {}", condition.key(), condition.wanted()))
            .collect(),
        then: rule.then,
    }
}

/// What a rule concludes, as a word.
pub fn outcome_word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Pending => "checking",
        outcome => grade_word(outcome.grade()),
    }
}

/// The lines of a section, its members in the order of the shipped document.
fn add(lines: &mut Vec<PolicyLine>, path: &str, value: &Value<'_>, order: &Value<'_>) {
    match value {
        Value::Number(written) => lines.push(PolicyLine::Number {
            path: path.to_owned(),
            written: written.clone().into_owned(),
            unit: unit(path),
        }),
        Value::Array(members) => {
            let members: Vec<Cow<'_, str>> = members
                .iter()
                .filter_map(Value::as_str)
                .map(shown)
                .collect();
            let text = match members.len() {
                0 => "none".to_owned(),
                _ => members.join(", "),
            };
            let name = path.split_once('.').map_or("", |(_, name)| name);
            let name = match name {
                "" => format!("{} of them", count(members.len())),
                name => name.to_owned(),
            };
            lines.push(PolicyLine::List {
                name,
                members: text,
            });
        }
        Value::Object(_) => {
            let Value::Object(keys) = order else { return };
            for (key, order) in keys {
                if let Some(member) = value.get(key) {
                    add(lines, &format!("{path}.{key}"), member, order);
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

/// In what a number is counted, by the end of its name (§12).
fn unit(path: &str) -> &'static str {
    for (end, unit) in [("Min", "minutes"), ("Days", "days"), ("Hours", "hours")] {
        if path.ends_with(end) {
            return unit;
        }
    }
    ""
}
