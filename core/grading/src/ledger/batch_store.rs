//! Writing a batch's results into a ledger (§3 Background obligations, §7, §9).

use std::collections::{BTreeMap, BTreeSet};

use attest_canon::{Digest, Id};

use crate::decide::Graded;
use crate::model::hashes::coverage_hash;
use crate::model::{Coverage, Grade, Receipt, ReceiptState};
use crate::policy::Policy;
use crate::replay::StoredInputs;

use super::export::Ledger;
use super::state::{Event, transition};

/// A batch at or before the last recorded one (`batch_out_of_order`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BatchOutOfOrder;

impl core::fmt::Display for BatchOutOfOrder {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("the batch is not after the last one")
    }
}

impl core::error::Error for BatchOutOfOrder {}

/// What storing a batch changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stored {
    /// Receipts that were not there before.
    pub added: usize,
    /// PENDING receipts graded anew.
    pub regraded: usize,
    /// PENDING claim-less receipts no batch produces any more.
    pub deleted: usize,
    /// UNASKED receipts a FINAL claim now explains.
    pub superseded: usize,
}

impl Ledger {
    /// Stores what a batch graded, with the inputs replay will need. A FINAL or
    /// overridden receipt is never replaced; a PENDING claim-less one that the
    /// batch no longer produces is deleted unless it holds reverted overrides.
    ///
    /// # Errors
    ///
    /// The batch is not after the last one; nothing was changed.
    pub fn store_batch(
        &mut self,
        coverage: &Coverage,
        policy: &Policy,
        graded: Vec<Graded>,
    ) -> Result<Stored, BatchOutOfOrder> {
        let at = coverage.evaluated_at;
        if !self.is_after_last_batch(at.instant()) {
            return Err(BatchOutOfOrder);
        }
        self.meta.last_batch_instant = Some(at);
        let mut stored = Stored::default();
        let mut places: BTreeMap<Id, usize> = self
            .receipts
            .iter()
            .zip(0..)
            .map(|(receipt, place)| (receipt.id, place))
            .collect();
        let produced: BTreeSet<Id> = graded.iter().map(|one| one.receipt.id).collect();
        let hash = coverage_hash(coverage);
        let mut used = false;
        for Graded {
            receipt,
            grant,
            context,
            ..
        } in graded
        {
            let held = places
                .get(&receipt.id)
                .and_then(|place| self.receipts.get_mut(*place));
            let inputs_hash = receipt.inputs_hash;
            match held {
                None => {
                    places.insert(receipt.id, self.receipts.len());
                    self.receipts.push(receipt);
                    stored.added = stored.added.saturating_add(1);
                }
                Some(held) => match transition(held, Event::Regrade(Box::new(receipt))) {
                    Ok(next) => {
                        *held = next;
                        stored.regraded = stored.regraded.saturating_add(1);
                    }
                    // The stored row stands: FINAL, overridden, superseded, held.
                    Err(_) => continue,
                },
            }
            used = true;
            let inputs = StoredInputs {
                coverage_hash: hash,
                grant,
                context,
                policy_hash: policy.hash(),
            };
            self.receipt_inputs.insert(inputs_hash, inputs);
        }
        if used {
            self.batch_coverages.insert(hash, coverage.clone());
            self.policies
                .entry(policy.hash())
                .or_insert_with(|| policy.clone());
        }
        let before = self.receipts.len();
        self.receipts
            .retain(|receipt| produced.contains(&receipt.id) || !is_stale(receipt));
        stored.deleted = before.saturating_sub(self.receipts.len());
        stored.superseded = self.supersede();
        self.drop_unused_inputs();
        Ok(stored)
    }

    /// A FINAL claim that holds an UNASKED receipt's observation supersedes it
    /// (§7, §8), whatever the receipt's state.
    fn supersede(&mut self) -> usize {
        let mut explained: BTreeMap<Id, Id> = BTreeMap::new();
        for receipt in self
            .receipts
            .iter()
            .filter(|receipt| receipt.state == ReceiptState::Final)
        {
            if let (Some(claim), Some(observation)) =
                (receipt.claim_id, receipt.observation_ids.first())
            {
                explained.insert(*observation, claim);
            }
        }
        let mut count = 0usize;
        for receipt in self
            .receipts
            .iter_mut()
            .filter(|receipt| receipt.grade == Grade::Unasked)
        {
            let claim = receipt
                .observation_ids
                .first()
                .and_then(|id| explained.get(id));
            let Some(claim_id) = claim.filter(|claim| receipt.superseded_by != Some(**claim))
            else {
                continue;
            };
            if let Ok(next) = transition(
                receipt,
                Event::Supersede {
                    claim_id: *claim_id,
                },
            ) {
                *receipt = next;
                count = count.saturating_add(1);
            }
        }
        count
    }

    /// Deletes inputs and coverages no receipt names any more (§9).
    pub(super) fn drop_unused_inputs(&mut self) {
        let named: BTreeSet<Digest> = self
            .receipts
            .iter()
            .map(|receipt| receipt.inputs_hash)
            .collect();
        self.receipt_inputs.retain(|hash, _| named.contains(hash));
        let seen: BTreeSet<Digest> = self
            .receipt_inputs
            .values()
            .map(|inputs| inputs.coverage_hash)
            .collect();
        self.batch_coverages.retain(|hash, _| seen.contains(hash));
    }
}

/// A PENDING claim-less row that holds nothing a batch must remember (§7, §8).
fn is_stale(receipt: &Receipt) -> bool {
    receipt.state == ReceiptState::Pending
        && receipt.claim_id.is_none()
        && receipt.reverted.is_empty()
}
