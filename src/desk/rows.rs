//! Receipts as rows, with the texts of what they are about.

use std::collections::BTreeMap;

use attest_canon::Id;
use attest_grading::model::{Claim, DisplayNumber, Observation, Receipt, ReceiptSignal};

use crate::inspector::row::{Row, Subject};
use crate::store::View;

/// The row of one receipt.
pub fn row(view: View<'_>, receipt: &Receipt) -> Row {
    let claim = receipt.claim_id;
    let claim = claim.and_then(|id| view.claims().iter().find(|row| row.id == id));
    let orphan = receipt.observation_ids.first();
    let orphan = orphan.and_then(|id| view.observations().iter().find(|row| row.id == *id));
    of(receipt, claim, orphan)
}

/// The texts rows show beside their receipts.
#[derive(Debug)]
pub struct Texts<'o> {
    claims: BTreeMap<Id, &'o Claim>,
    observations: BTreeMap<Id, &'o Observation>,
}

impl<'o> Texts<'o> {
    /// The texts of these rows.
    #[must_use]
    pub fn new(claims: &'o [Claim], observations: &'o [Observation]) -> Self {
        Self {
            claims: claims.iter().map(|claim| (claim.id, claim)).collect(),
            observations: observations.iter().map(|row| (row.id, row)).collect(),
        }
    }

    /// A receipt's row: what a list shows and a filter asks.
    #[must_use]
    pub fn row(&self, receipt: &Receipt) -> Row {
        let claim = receipt.claim_id.and_then(|id| self.claims.get(&id));
        let orphan = receipt.observation_ids.first();
        let orphan = orphan.and_then(|id| self.observations.get(id));
        of(receipt, claim.copied(), orphan.copied())
    }
}

fn of(receipt: &Receipt, claim: Option<&Claim>, orphan: Option<&Observation>) -> Row {
    let score = score(receipt);
    let subject = match (claim, orphan) {
        (Some(claim), _) => Subject {
            action: Some(claim.action),
            is_withheld: false,
            at: claim.claimed_at,
            who: claim.counterparty.as_deref().unwrap_or_default(),
            what: claim.subject_hint.as_deref().unwrap_or_default(),
            score,
        },
        (None, Some(row)) => Subject {
            action: Some(row.action),
            is_withheld: false,
            at: row.occurred_at,
            who: row
                .counterparty
                .as_deref()
                .or(row.merchant.as_deref())
                .unwrap_or_default(),
            what: row.subject_hint.as_deref().unwrap_or_default(),
            score,
        },
        (None, None) => Subject {
            action: None,
            is_withheld: false,
            at: receipt.computed_at,
            who: "",
            what: "a permission",
            score,
        },
    };
    Row::new(receipt, &subject)
}

/// The row of a receipt whose claim and rows are not there.
pub fn alone(receipt: &Receipt) -> Row {
    let subject = Subject {
        action: None,
        is_withheld: receipt.claim_id.is_some() || !receipt.observation_ids.is_empty(),
        at: receipt.computed_at,
        who: "",
        what: "",
        score: score(receipt),
    };
    Row::new(receipt, &subject)
}

fn score(receipt: &Receipt) -> Option<DisplayNumber> {
    match receipt.attribution_likely {
        true => Some(receipt.confidence),
        false => receipt.signals.get(ReceiptSignal::Score),
    }
}
