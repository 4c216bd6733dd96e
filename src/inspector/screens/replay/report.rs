//! What a replay found, in the order the screen lists it: each batch, under it the receipts that
//! differ, each with both sides.

use std::collections::{BTreeMap, BTreeSet};

use attest_canon::{Digest, Id};
use attest_grading::model::{Claim, Instant, IsoTs, Observation, Receipt, ReceiptState};
use attest_grading::replay::{Field, Mismatch, ReplayReport, Replayer};

use crate::inspector::look::grade_word;
use crate::inspector::screens::Facts;
use crate::inspector::text::shown;

/// Most receipts whose two sides are kept; of more only the differing fields are.
const MOST_SIDES: usize = 500;

/// A row of the list.
#[derive(Clone, Debug)]
pub enum Item {
    /// A batch.
    Batch(Batch),
    /// A receipt of the batch above that differs.
    Receipt(Box<Differing>),
}

/// A batch.
#[derive(Clone, Debug)]
pub struct Batch {
    /// Its instant, as its receipts write it.
    pub at: IsoTs,
    /// The receipts it has.
    pub receipts: usize,
    /// How many of them differ.
    pub mismatched: usize,
    /// The policies they name.
    pub policies: BTreeSet<Digest>,
    /// How many say what: the grade of each that is decided, or that it is checking.
    pub verdicts: BTreeMap<&'static str, usize>,
}

/// A receipt that differs.
#[derive(Clone, Debug)]
pub struct Differing {
    /// The receipt.
    pub id: Id,
    /// Who and what, fit for a terminal.
    pub label: String,
    /// What differs.
    pub mismatches: Vec<Mismatch>,
    /// The stored receipt, and the one derived again or why there is none. Kept for the first
    /// few hundred.
    pub sides: Option<(Receipt, Result<Receipt, &'static str>)>,
}

/// What a replay found.
#[derive(Clone, Debug, Default)]
pub struct Replayed {
    /// The figures.
    pub report: ReplayReport,
    /// The list.
    pub items: Vec<Item>,
    /// Whether a golden scenario is open, which stores no receipts.
    pub is_scenario: bool,
}

/// Derives everything again. `go_on` is told how many of how many are done and says whether to go
/// on; what was stopped is not used by anybody.
pub fn run(facts: &Facts<'_>, mut go_on: impl FnMut(usize, usize) -> bool) -> Replayed {
    let Some(ledger) = facts.ledger else {
        return Replayed {
            is_scenario: true,
            ..Replayed::default()
        };
    };
    let of = ledger.receipts.len();
    if !go_on(0, of) {
        return Replayed::default();
    }
    let replayer = Replayer::new(ledger.snapshot());
    let Some(report) = replayer.report_watched(|done| go_on(done, of)) else {
        return Replayed::default();
    };
    let mut differing: BTreeMap<Id, Vec<Mismatch>> = BTreeMap::new();
    for mismatch in &report.mismatches {
        let list = differing.entry(mismatch.receipt_id).or_default();
        list.push(mismatch.clone());
    }
    let claims: BTreeMap<Id, &Claim> = ledger.claims.iter().map(|one| (one.id, one)).collect();
    let rows: BTreeMap<Id, &Observation> = ledger
        .observations
        .iter()
        .map(|one| (one.id, one))
        .collect();
    let mut batches: BTreeMap<Instant, (Batch, Vec<Item>)> = BTreeMap::new();
    let mut sides = 0;
    for receipt in &ledger.receipts {
        let (batch, below) = batches
            .entry(receipt.computed_at.instant())
            .or_insert_with(|| {
                let batch = Batch {
                    at: receipt.computed_at,
                    receipts: 0,
                    mismatched: 0,
                    policies: BTreeSet::new(),
                    verdicts: BTreeMap::new(),
                };
                (batch, Vec::new())
            });
        batch.receipts += 1;
        batch.policies.insert(receipt.policy_hash);
        *batch.verdicts.entry(verdict(receipt)).or_default() += 1;
        let Some(mismatches) = differing.remove(&receipt.id) else {
            continue;
        };
        batch.mismatched += 1;
        sides += 1;
        let both = (sides <= MOST_SIDES).then(|| {
            let replayed = replayer.trace(receipt);
            let replayed = replayed.map(|trace| trace.receipt);
            (receipt.clone(), replayed.map_err(|why| no_side(why.field)))
        });
        below.push(Item::Receipt(Box::new(Differing {
            id: receipt.id,
            label: label(receipt, &claims, &rows),
            mismatches,
            sides: both,
        })));
    }
    let items = batches.into_values().flat_map(|(batch, below)| {
        let mut items = vec![Item::Batch(batch)];
        items.extend(below);
        items
    });
    Replayed {
        items: items.collect(),
        report,
        is_scenario: false,
    }
}

/// The grade a receipt counts as, or that it has none (§2).
fn verdict(receipt: &Receipt) -> &'static str {
    match (receipt.state, receipt.counted_grade()) {
        (ReceiptState::Pending, _) if receipt.is_kept() => "kept",
        (ReceiptState::Pending, _) => "checking",
        (_, Some(grade)) => grade_word(grade),
        (_, None) => grade_word(receipt.grade),
    }
}

/// Who and what a receipt is about.
fn label(
    receipt: &Receipt,
    claims: &BTreeMap<Id, &Claim>,
    rows: &BTreeMap<Id, &Observation>,
) -> String {
    let claim = receipt.claim_id.and_then(|id| claims.get(&id));
    let row = receipt.observation_ids.first().and_then(|id| rows.get(id));
    let likely = if receipt.attribution_likely {
        "likely "
    } else {
        ""
    };
    let mut parts = vec![format!("{likely}{}", receipt.agent)];
    let (action, who, what) = match (claim, row) {
        (Some(claim), _) => (
            claim.action.as_str(),
            claim.counterparty.as_deref(),
            claim.subject_hint.as_deref(),
        ),
        (None, Some(row)) => (
            row.action.as_str(),
            row.counterparty.as_deref().or(row.merchant.as_deref()),
            row.subject_hint.as_deref(),
        ),
        (None, None) if receipt.claim_id.is_some() => ("a claim that is gone", None, None),
        (None, None) => ("a permission", None, None),
    };
    parts.push(action.to_owned());
    parts.extend(
        [who, what]
            .into_iter()
            .flatten()
            .map(|text| shown(text).into_owned()),
    );
    parts.join("  ")
}

/// Why a receipt cannot be derived again (§9).
pub const fn no_side(field: Field) -> &'static str {
    match field {
        Field::ReceiptInputs => "its inputs are not in the ledger any more",
        Field::Policy => "its policy is not in the ledger, or not the one its inputs name",
        Field::Subject => "what it is about is not in the ledger",
        Field::Orphan => "its row is no orphan of the batch",
        _ => "grading it again is refused",
    }
}
