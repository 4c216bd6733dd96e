//! `replay LEDGER… [--json]` (§9): 0 when every receipt was reproduced, 1 at a
//! mismatch, 2 when a file does not load; of several files the worst.

use std::path::PathBuf;

use attest_canon::json::Value;
use attest_grading::ledger::Ledger;
use attest_grading::replay::{Mismatch, ReplayReport, Replayer};
use attest_grading::text::escaped;

use crate::inspector::text::counted;
use crate::store::{self, OpenError};

use super::json::{count, line, list, object, or_null, text};
use super::{Outcome, complain, print, shown};

/// Most mismatches listed per file (`LISTED_MISMATCHES`).
const LISTED: usize = 20;

/// What a replay cannot show: the parts of a ledger no receipt binds (§9).
const NOT_PROVEN: [&str; 4] = [
    "overrides, reverts and supersedes as events",
    "rows no receipt was graded with",
    "tables of current state",
    "which receipts are missing",
];

/// Replays ledgers.
pub(super) fn run(ledgers: &[PathBuf], json: bool) -> Outcome {
    let mut worst = 0;
    for path in ledgers {
        let name = shown(path);
        let read = store::read(path).map_err(OpenError::from).and_then(|text| {
            let ledger = Ledger::read(text.as_str());
            ledger.map_err(|error| OpenError::Ledger(path.clone(), error))
        });
        match read {
            Ok(ledger) => {
                let report = Replayer::new(ledger.snapshot()).report();
                worst = worst.max(u8::from(report.mismatched > 0));
                print(&if json {
                    json_line(&name, &report)
                } else {
                    summary(&name, &report)
                })?;
            }
            Err(error) => {
                worst = 2;
                complain(&error.to_string());
            }
        }
    }
    Ok(worst)
}

fn summary(name: &str, report: &ReplayReport) -> String {
    let mut text = format!(
        "{name}\n{} in {}: {} reproduced, {} mismatched\n",
        counted(report.receipts, "receipt", "receipts"),
        counted(report.batches, "batch", "batches"),
        report.reproduced,
        report.mismatched
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
    text.push_str(&format!("not proven: {}\n", NOT_PROVEN.join(", ")));
    text
}

fn side(value: Option<&str>) -> String {
    value.map_or_else(|| "nothing".to_owned(), |value| escaped(value).into_owned())
}

/// `{"batches","byField":{field: count},"file","mismatched","mismatches":
/// [{"field","receiptId","replayed","stored"}],"notProven","receipts",
/// "reproduced"}`
fn json_line(name: &str, report: &ReplayReport) -> String {
    let by_field = report.by_field().into_iter();
    let by_field = by_field.map(|(field, number)| (field.as_str().into(), count(number)));
    let mismatches = report.mismatches.iter().map(|one| {
        object([
            ("field", text(one.field)),
            ("receiptId", text(one.receipt_id)),
            ("replayed", or_null(one.replayed.as_deref(), text)),
            ("stored", or_null(one.stored.as_deref(), text)),
        ])
    });
    line(&object([
        ("batches", count(report.batches)),
        ("byField", Value::Object(by_field.collect())),
        ("file", text(name)),
        ("mismatched", count(report.mismatched)),
        ("mismatches", list(mismatches)),
        ("notProven", list(NOT_PROVEN.iter().map(text))),
        ("receipts", count(report.receipts)),
        ("reproduced", count(report.reproduced)),
    ]))
}
