//! The line `golden run --json` prints for a file.

use attest_canon::jcs::Writer;
use attest_canon::json::Value;

use crate::decide::Ratio;
use crate::model::canonical::canonical_text;

use super::ScenarioError;
use super::compare::{Difference, attribution_score, json};
use super::run::{Outcome, RefName, StoredReceipt};

/// The line of one file, as canonical JSON without a line end:
///
/// `{"error"?: {"code", "type"}, "file", "mismatches": [{"actual", "expected",
/// "field", "ref"}], "name", "pass", "receipts": [{"attributionScore",
/// "raisedScore", "receipt", "ref", "score"}]}`
///
/// Scores are `"n/d"` in lowest terms or null. `ref` is the name of a claim or
/// an observation, or `{"agent", "scope"}`. `name` is the scenario's, empty for
/// a file that could not be read.
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
    let (receipts, differences) = result.as_ref().map_or((&[][..], &[][..]), |outcome| {
        (&outcome.receipts[..], &outcome.differences[..])
    });
    out.begin_array();
    for difference in differences {
        out.element();
        mismatch(&mut out, difference);
    }
    out.end_array();
    text(&mut out, "name", name.unwrap_or_default());
    out.key("pass");
    out.boolean(result.is_ok() && differences.is_empty());
    out.key("receipts");
    out.begin_array();
    for stored in receipts {
        out.element();
        receipt(&mut out, stored);
    }
    out.end_array();
    out.end_object();
    out.into_text()
}

fn mismatch(out: &mut Writer, difference: &Difference) {
    out.begin_object();
    value(out, "actual", &difference.actual);
    value(out, "expected", &difference.expected);
    text(out, "field", &difference.field);
    whose(out, &difference.name);
    out.end_object();
}

fn receipt(out: &mut Writer, stored: &StoredReceipt) {
    out.begin_object();
    ratio(out, "attributionScore", attribution_score(stored));
    ratio(out, "raisedScore", stored.graded.score);
    out.key("receipt");
    out.canonical(&canonical_text(&stored.receipt));
    whose(out, &stored.name);
    ratio(out, "score", stored.graded.floor);
    out.end_object();
}

fn text(out: &mut Writer, key: &str, value: &str) {
    out.key(key);
    out.string(value);
}

fn value(out: &mut Writer, key: &str, value: &Value<'_>) {
    out.key(key);
    out.canonical(&json(value));
}

fn ratio(out: &mut Writer, key: &str, value: Option<Ratio>) {
    out.key(key);
    match value {
        Some(ratio) => out.string(&ratio.to_string()),
        None => out.canonical("null"),
    }
}

fn whose(out: &mut Writer, name: &RefName) {
    match name {
        RefName::Row(name) => text(out, "ref", name),
        RefName::Scope { agent, scope } => {
            out.key("ref");
            out.begin_object();
            text(out, "agent", agent.as_str());
            text(out, "scope", scope);
            out.end_object();
        }
    }
}
