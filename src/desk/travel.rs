//! A ledger at another instant, as far as it remembers. It is made for looking
//! at and never saved.

use std::collections::{BTreeMap, BTreeSet};

use attest_canon::Id;
use attest_grading::ledger::rules::coverage::add;
use attest_grading::ledger::{Ledger, Meta};
use attest_grading::model::receipt::{Override, lifecycle_reasons};
use attest_grading::model::{
    Activity, BaseState, Grade, Instant, IsoTs, ReasonCode, Receipt, ReceiptState,
};

use crate::inspector::row::{Row, Standing};
use crate::inspector::work::{Flip, Verdict};

/// What stands in place of a reason that is not kept: a revert forgets it (§8).
const FORGOTTEN: &str = "the reason was forgotten when it was taken back";

/// The ledger as it was known at an instant: facts stored and receipts computed
/// after it are left out, and a person's later words are taken off.
///
/// A ledger keeps the latest view of each range. What the last batch before the
/// instant was handed is kept whole (§9), so the coverage is that batch's and
/// whatever was synced by the instant.
pub fn known_at(ledger: &Ledger, at: IsoTs) -> Ledger {
    let by = |other: &IsoTs| other.instant() <= at.instant();
    let receipts = receipts_at(&ledger.receipts, at.instant());
    let last_batch = ledger
        .batch_coverages
        .values()
        .filter(|coverage| by(&coverage.evaluated_at))
        .max_by_key(|coverage| coverage.evaluated_at.instant());
    let mut coverage = last_batch.map_or_else(Vec::new, |batch| batch.observers.clone());
    for entry in ledger.coverage.iter().filter(|row| by(&row.last_sync_at)) {
        add(&mut coverage, entry.clone());
    }
    Ledger {
        exported_at: ledger.exported_at.filter(by),
        requests: ledger.requests.clone(),
        claims: kept(&ledger.claims, |row| by(&row.observed_at)),
        observations: kept(&ledger.observations, |row| by(&row.observed_at)),
        grants: kept(&ledger.grants, |grant| by(&grant.updated_at)),
        receipts,
        adapter_health: ledger.adapter_health.clone(),
        coverage,
        activity: ledger.activity.as_ref().map(|held| Activity {
            sessions: kept(&held.sessions, |one| by(&one.at)),
            idle: kept(&held.idle, |one| by(&one.to)),
            entries: kept(&held.entries, |one| by(&one.at)),
            adapter_syncs: kept(&held.adapter_syncs, |one| by(&one.last_sync_at)),
        }),
        model_scores: ledger.model_scores.clone(),
        meta: Meta {
            last_batch_instant: last_batch.map(|batch| batch.evaluated_at),
            repairs: ledger
                .meta
                .repairs
                .iter()
                .filter(|(_, repair)| by(&repair.from))
                .map(|(key, repair)| (key.clone(), *repair))
                .collect(),
            other: ledger.meta.other.clone(),
        },
        receipt_inputs: ledger.receipt_inputs.clone(),
        batch_coverages: ledger.batch_coverages.clone(),
        policies: ledger.policies.clone(),
    }
}

fn kept<T: Clone>(rows: &[T], by: impl Fn(&T) -> bool) -> Vec<T> {
    rows.iter().filter(|row| by(row)).cloned().collect()
}

/// The receipts that were computed by an instant, as they stood then.
fn receipts_at(receipts: &[Receipt], at: Instant) -> Vec<Receipt> {
    let known: Vec<&Receipt> = receipts
        .iter()
        .filter(|receipt| receipt.computed_at.instant() <= at)
        .collect();
    let decided: BTreeSet<Id> = known
        .iter()
        .filter(|receipt| receipt.base_state() == BaseState::Final)
        .filter_map(|receipt| receipt.claim_id)
        .collect();
    known
        .into_iter()
        .map(|receipt| {
            let mut receipt = stood_at(receipt, at);
            // A claim explains an action from its own final batch on (§7).
            receipt.superseded_by = receipt
                .superseded_by
                .filter(|claim| decided.contains(claim));
            renew_reasons(&mut receipt);
            receipt
        })
        .collect()
}

/// A receipt without what a person said or took back after an instant.
fn stood_at(receipt: &Receipt, at: Instant) -> Receipt {
    let mut receipt = receipt.clone();
    if let Some(user) = &receipt.user_override
        && user.at.instant() > at
    {
        receipt.state = user.previous_state.state();
        receipt.user_override = None;
    }
    while let Some(last) = receipt.reverted.last()
        && last.reverted_at.instant() > at
    {
        if last.at.instant() <= at {
            receipt.state = ReceiptState::UserOverridden;
            receipt.user_override = Some(Override {
                grade: last.grade,
                reason: FORGOTTEN.into(),
                at: last.at,
                previous_state: last.previous_state,
            });
        }
        receipt.reverted.pop();
    }
    receipt
}

fn renew_reasons(receipt: &mut Receipt) {
    receipt.reasons.retain(|reason| {
        !matches!(
            reason.code(),
            ReasonCode::OverrideUser | ReasonCode::Superseded
        )
    });
    let events = lifecycle_reasons(receipt.user_override.as_ref(), receipt.superseded_by);
    receipt.reasons.extend(events);
}

/// What each receipt says now, by id.
pub type Verdicts = BTreeMap<String, Verdict>;

/// What the rows say.
pub fn verdicts(rows: &[Row]) -> Verdicts {
    rows.iter()
        .map(|row| (row.id.clone(), Verdict::of(row)))
        .collect()
}

/// What is said otherwise at another instant, in the order of the rows; what is
/// not there at that instant comes last.
pub fn flips(now: &Verdicts, then: &[Row]) -> Vec<Flip> {
    let mut gone = now.clone();
    let mut flips = Vec::new();
    for row in then {
        let before = gone.remove(&row.id);
        let after = Some(Verdict::of(row));
        if before != after {
            flips.push(Flip {
                id: row.id.clone(),
                now: before,
                then: after,
            });
        }
    }
    flips.extend(gone.into_iter().map(|(id, verdict)| Flip {
        id,
        now: Some(verdict),
        then: None,
    }));
    flips
}

impl Verdict {
    /// What a row says.
    pub fn of(row: &Row) -> Self {
        Self {
            standing: row.standing,
            grade: row.grade,
        }
    }

    /// The word for it.
    pub fn word(self) -> &'static str {
        self.grade.map_or(self.standing.word(), Grade::as_str)
    }

    /// Whether it is a person's word.
    pub fn is_persons(self) -> bool {
        self.standing == Standing::Overridden
    }
}
