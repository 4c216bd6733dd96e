//! `--plain`: every receipt and why, as text: for screen readers and pipes.

use std::collections::BTreeSet;

use attest_canon::Id;
use attest_grading::decide::grade_batch;
use attest_grading::model::Receipt;
use attest_grading::reason_text::reason_text;

use crate::desk::Job;

use super::grade::verdict;
use super::{Outcome, complain, print};

/// Prints the stored receipts as they stand, and those the next batch would
/// add. A stored receipt stands as it is stored, also while it is checking.
pub(super) fn run(job: &Job) -> Outcome {
    let opened = job.open()?;
    let ready = job.prepare(&opened)?;
    for warning in ready.next.warnings() {
        complain(&format!("{}: {warning}", job.name()));
    }
    let graded = grade_batch(ready.next.input(&ready.policy))
        .map_err(|error| format!("{}: {error}", job.name()))?;
    let stored = opened.receipts();
    let ids: BTreeSet<Id> = stored.iter().map(|receipt| receipt.id).collect();
    let mut out = String::new();
    for receipt in stored {
        write(&mut out, receipt, "");
    }
    for one in graded.iter().filter(|one| !ids.contains(&one.receipt.id)) {
        write(&mut out, &one.receipt, ", graded now and not stored");
    }
    print(&out)
}

fn write(out: &mut String, receipt: &Receipt, note: &str) {
    let (id, agent, rule) = (receipt.id, receipt.agent, &receipt.rule_id);
    let verdict = verdict(receipt);
    out.push_str(&format!("{id}: {verdict}, {agent}, by rule {rule}{note}\n"));
    let claimed = receipt.claim_id.is_some();
    for reason in &receipt.reasons {
        out.push_str(&format!("  {}\n", reason_text(reason, claimed)));
    }
}
