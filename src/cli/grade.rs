//! `grade LEDGER [--at TIME] [--policy FILE] [--json]`.

use attest_canon::jcs::Writer;
use attest_grading::decide::grade_batch;
use attest_grading::model::{Canonical, Receipt, ReceiptState};

use crate::desk::Job;

use super::{Outcome, print};

/// Grades what the ledger's next batch would, and stores nothing.
pub(super) fn run(job: &Job, json: bool) -> Outcome {
    let opened = job.open()?;
    let ready = job.prepare(&opened)?;
    for warning in ready.next.warnings() {
        eprintln!("attest-tui: {warning}");
    }
    let input = ready.next.input(&ready.policy);
    let at = input.coverage.evaluated_at;
    let graded = grade_batch(input).map_err(|error| format!("{}: {error}", job.name()))?;
    if json {
        let mut out = Writer::new();
        out.begin_object();
        out.key("evaluatedAt");
        out.token(&at);
        out.key("receipts");
        out.begin_array();
        for one in &graded {
            out.element();
            one.receipt.write(&mut out);
        }
        out.end_array();
        out.end_object();
        print(&format!("{}\n", out.text()));
        return Ok(0);
    }
    let mut text = format!("{} receipts at {at}\n", graded.len());
    for one in &graded {
        let receipt = &one.receipt;
        let score = one
            .score
            .map_or_else(|| "-".to_owned(), |score| score.to_string());
        text.push_str(&format!(
            "{}  {:<12}  {:<7}  {:<18}  {score}\n",
            receipt.id,
            verdict(receipt),
            receipt.agent,
            receipt.rule_id
        ));
    }
    print(&text);
    Ok(0)
}

/// A receipt's verdict in a word: a pending one is checking, never its
/// placeholder grade (§2).
fn verdict(receipt: &Receipt) -> String {
    match receipt.state {
        ReceiptState::Pending => "checking".to_owned(),
        _ => receipt
            .counted_grade()
            .map(|grade| grade.to_string())
            .unwrap_or_default(),
    }
}
