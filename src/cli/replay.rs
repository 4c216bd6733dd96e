//! `replay LEDGER… [--json]` (§9): 0 when every receipt was reproduced, 1 at a
//! mismatch, 2 when a file does not load; of several files the worst.

use std::path::PathBuf;

use attest_canon::jcs::Writer;
use attest_grading::ledger::Ledger;
use attest_grading::replay::{Mismatch, ReplayReport, Replayer};
use attest_grading::text::escaped;

use crate::store;

use super::{Outcome, print};

/// Most mismatches listed per file (`LISTED_MISMATCHES`).
const LISTED: usize = 20;

/// What a replay cannot show: parts of a ledger no receipt binds.
const NOT_PROVEN: &str = "not proven: overrides, reverts and supersedes as events, rows no receipt saw, tables of current state";

/// Replays ledgers.
pub(super) fn run(ledgers: &[PathBuf], json: bool) -> Outcome {
    let mut worst = 0;
    for path in ledgers {
        let name = escaped(&path.to_string_lossy()).into_owned();
        let read = store::read(path)
            .map_err(|error| error.to_string())
            .and_then(|text| {
                Ledger::read(text.as_str()).map_err(|error| {
                    error
                        .to_string()
                        .lines()
                        .map(|line| format!("{name}: {line}"))
                        .collect::<Vec<_>>()
                        .join("\n")
                })
            });
        match read {
            Ok(ledger) => {
                let report = Replayer::new(ledger.snapshot()).report();
                worst = worst.max(u8::from(report.mismatched > 0));
                print(&if json {
                    json_line(&name, &report)
                } else {
                    summary(&name, &report)
                });
            }
            Err(problem) => {
                worst = 2;
                for line in problem.lines() {
                    eprintln!("attest-tui: {line}");
                }
            }
        }
    }
    Ok(worst)
}

fn summary(name: &str, report: &ReplayReport) -> String {
    let mut text = format!(
        "{name}\n{} receipts in {} batches: {} reproduced, {} mismatched\n",
        report.receipts, report.batches, report.reproduced, report.mismatched
    );
    for (field, count) in report.by_field() {
        text.push_str(&format!("  {field}: {count}\n"));
    }
    for mismatch in report.mismatches.iter().take(LISTED) {
        let Mismatch {
            receipt_id, field, ..
        } = mismatch;
        let (stored, replayed) = (
            side(mismatch.stored.as_deref()),
            side(mismatch.replayed.as_deref()),
        );
        text.push_str(&format!(
            "  {receipt_id}  {field}  stored {stored}  replayed {replayed}\n"
        ));
    }
    let more = report.mismatches.len().saturating_sub(LISTED);
    if more > 0 {
        text.push_str(&format!("  and {more} more\n"));
    }
    text.push_str(NOT_PROVEN);
    text.push('\n');
    text
}

fn side(value: Option<&str>) -> String {
    value.map_or_else(|| "nothing".to_owned(), |value| escaped(value).into_owned())
}

/// `{"batches","byField":{},"file","mismatched","mismatches":[{"field","receiptId","replayed","stored"}],"receipts","reproduced"}`
fn json_line(name: &str, report: &ReplayReport) -> String {
    let count = |value: usize| i64::try_from(value).unwrap_or(i64::MAX);
    let mut out = Writer::new();
    out.begin_object();
    out.key("batches");
    out.integer(count(report.batches));
    out.key("byField");
    out.begin_object();
    let mut fields = report.by_field();
    fields.sort_by_key(|(field, _)| field.as_str());
    for (field, number) in fields {
        out.key(field.as_str());
        out.integer(count(number));
    }
    out.end_object();
    out.key("file");
    out.string(name);
    out.key("mismatched");
    out.integer(count(report.mismatched));
    out.key("mismatches");
    out.begin_array();
    for mismatch in &report.mismatches {
        out.element();
        out.begin_object();
        out.key("field");
        out.string(mismatch.field.as_str());
        out.key("receiptId");
        out.token(&mismatch.receipt_id);
        for (key, value) in [
            ("replayed", &mismatch.replayed),
            ("stored", &mismatch.stored),
        ] {
            out.key(key);
            match value {
                Some(value) => out.string(value),
                None => out.canonical("null"),
            }
        }
        out.end_object();
    }
    out.end_array();
    out.key("receipts");
    out.integer(count(report.receipts));
    out.key("reproduced");
    out.integer(count(report.reproduced));
    out.end_object();
    format!("{}\n", out.text())
}
