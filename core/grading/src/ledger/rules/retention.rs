//! Retention (§3, §9): after 90 days receipts go with their evidence and
//! inputs, so that what stays replays as before.

use std::collections::{BTreeMap, BTreeSet};

use attest_canon::Id;

use crate::decide::window::claim_window;
use crate::decide::{PreAssignment, pre_assignments};
use crate::ledger::export::Ledger;
use crate::model::time::MS_PER_DAY;
use crate::model::{Claim, Instant, Interval, IsoTs, Observation, Receipt};
use crate::policy::Policy;

use super::Keeper;
use super::clock::drop_where;

/// How long anything is kept, in days.
pub const RETENTION_DAYS: i64 = 90;

/// What a purge took, in counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Purged {
    /// Receipts, with their inputs.
    pub receipts: usize,
    /// Claims, each with its receipt.
    pub claims: usize,
    /// Observations.
    pub observations: usize,
    /// Coverage entries and activity rows.
    pub current: usize,
    /// Clock repairs.
    pub repairs: usize,
}

impl Keeper {
    /// Purges what is older than 90 days before now.
    pub fn purge(&mut self, now: IsoTs) -> Purged {
        let days = RETENTION_DAYS.saturating_mul(MS_PER_DAY);
        self.purge_before(now.instant().minus(days))
    }

    pub(super) fn purge_before(&mut self, cutoff: Instant) -> Purged {
        let purged = self.ledger.purge_before(cutoff);
        self.records
            .retain(|record| record.read_at.instant() >= cutoff);
        let held: BTreeSet<Id> = self.ledger.claims.iter().map(|claim| claim.id).collect();
        self.asked.retain(|claim| held.contains(claim));
        self.index();
        purged
    }
}

impl Ledger {
    /// Purges what is older than a cutoff.
    ///
    /// A receipt computed before it goes, with its claim, its inputs and its
    /// evidence: whatever else stays never saw that evidence free. Where that is
    /// not so (a person's word released it, or took it, between batches whose
    /// receipts stay) the receipt stays too. A row nobody held goes when it
    /// happened and was stored before the cutoff and lies in the window of no
    /// claim that stays.
    pub(super) fn purge_before(&mut self, cutoff: Instant) -> Purged {
        let Plan { stays, goes, named } = Plan::of(self, cutoff);
        let mut purged_claims = BTreeSet::new();
        let mut evidence = BTreeSet::new();
        let going = self
            .receipts
            .iter()
            .zip(&stays)
            .filter(|(_, stays)| !**stays);
        for (receipt, _) in going {
            purged_claims.extend(receipt.claim_id);
            evidence.extend(names(receipt));
        }
        let mut keep = stays.iter();
        let receipts = drop_where(&mut self.receipts, |_| keep.next() == Some(&false));
        let claims = drop_where(&mut self.claims, |claim| purged_claims.contains(&claim.id));
        let windows = Windows::of(&self.claims, self.policies.values());
        let observations = drop_where(&mut self.observations, |row| {
            let old = row.occurred_at.instant() < cutoff && row.observed_at.instant() < cutoff;
            let looked_at = || windows.holds(row.action.index(), row.occurred_at.instant());
            goes.contains(&row.id)
                || (!named.contains(&row.id) && (old || evidence.contains(&row.id)) && !looked_at())
        });
        if let Some(scores) = &mut self.model_scores {
            scores.retain(|claim, _| !purged_claims.contains(claim));
        }
        let before = self.meta.repairs.len();
        self.meta
            .repairs
            .retain(|_, repair| repair.to.instant() >= cutoff);
        let repairs = before.saturating_sub(self.meta.repairs.len());
        let current = self.purge_current(cutoff);
        self.drop_unused_inputs();
        Purged {
            receipts,
            claims,
            observations,
            current,
            repairs,
        }
    }

    /// Coverage and activity that say nothing of what is kept. An agent's last
    /// import stays: it is a state, not an event.
    fn purge_current(&mut self, cutoff: Instant) -> usize {
        let old = |at: IsoTs| at.instant() < cutoff;
        let mut count = drop_where(&mut self.coverage, |entry| {
            old(entry.window_end) && old(entry.last_sync_at)
        });
        if let Some(activity) = &mut self.activity {
            let sessions = drop_where(&mut activity.sessions, |ping| old(ping.at));
            let idle = drop_where(&mut activity.idle, |away| old(away.to));
            let entries = drop_where(&mut activity.entries, |entry| old(entry.at));
            for more in [sessions, idle, entries] {
                count = count.saturating_add(more);
            }
        }
        count
    }
}

/// Every observation a receipt held, under a grading that stands or one before.
fn names(receipt: &Receipt) -> impl Iterator<Item = Id> + '_ {
    let before = receipt
        .reverted
        .iter()
        .flat_map(|entry| &entry.observation_ids);
    receipt.observation_ids.iter().chain(before).copied()
}

/// What a purge leaves and takes.
struct Plan {
    /// Per receipt, whether it stays.
    stays: Vec<bool>,
    /// Evidence in a window that stays, held by a receipt that goes in every
    /// batch that stays: it goes with it.
    goes: BTreeSet<Id>,
    /// Rows that receipts that stay name.
    named: BTreeSet<Id>,
}

/// Whether receipts that go held a row in the batches that stay.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Held {
    Never,
    Always,
    Sometimes,
}

impl Plan {
    fn of(ledger: &Ledger, cutoff: Instant) -> Self {
        let receipts = &ledger.receipts;
        let rows: BTreeMap<Id, &Observation> = ledger
            .observations
            .iter()
            .map(|row| (row.id, row))
            .collect();
        let mut naming: BTreeMap<Id, Vec<usize>> = BTreeMap::new();
        for (place, receipt) in receipts.iter().enumerate() {
            for id in names(receipt) {
                naming.entry(id).or_default().push(place);
            }
        }
        let mut pairs: BTreeMap<Id, Vec<PreAssignment>> = BTreeMap::new();
        for pair in pre_assignments(receipts) {
            pairs.entry(pair.observation_id).or_default().push(pair);
        }
        let mut stays: Vec<bool> = receipts
            .iter()
            .map(|receipt| receipt.computed_at.instant() >= cutoff)
            .collect();
        loop {
            let staying = || {
                let zipped = receipts.iter().zip(&stays);
                zipped.filter(|(_, stays)| **stays).map(|(one, _)| one)
            };
            let named: BTreeSet<Id> = staying().flat_map(names).collect();
            let going_claims: BTreeSet<Id> = receipts
                .iter()
                .zip(&stays)
                .filter(|(_, stays)| !**stays)
                .filter_map(|(receipt, _)| receipt.claim_id)
                .collect();
            let windows = Windows::of(
                ledger
                    .claims
                    .iter()
                    .filter(|claim| !going_claims.contains(&claim.id)),
                ledger.policies.values(),
            );
            // The batches that stay, and every later one.
            let mut instants: Vec<Instant> = staying()
                .map(|receipt| receipt.computed_at.instant())
                .chain([Instant::from_ms(i64::MAX)])
                .collect();
            instants.sort_unstable();
            instants.dedup();

            let mut goes = BTreeSet::new();
            let mut also = Vec::new();
            for (id, places) in &naming {
                let going = |place: &&usize| stays.get(**place) == Some(&false);
                let by: Vec<&Receipt> = places
                    .iter()
                    .filter(going)
                    .filter_map(|place| receipts.get(*place))
                    .collect();
                let Some(row) = rows.get(id).filter(|_| !by.is_empty()) else {
                    continue;
                };
                let is_named = named.contains(id);
                if !is_named && !windows.holds(row.action.index(), row.occurred_at.instant()) {
                    continue;
                }
                let seen = instants.partition_point(|at| *at < row.observed_at.instant());
                let seen = instants.get(seen..).unwrap_or_default();
                let pairs = pairs.get(id).map(Vec::as_slice).unwrap_or_default();
                match held_by(&by, pairs, seen) {
                    Held::Never => {}
                    Held::Always if !is_named => {
                        goes.insert(*id);
                    }
                    _ => also.extend(places.iter().copied()),
                }
            }
            if also.is_empty() {
                return Self { stays, goes, named };
            }
            for place in also {
                if let Some(mark) = stays.get_mut(place) {
                    *mark = true;
                }
            }
        }
    }
}

/// Whether receipts that go held a row in the batches at these instants. One
/// that was graded again later may have held it, or not: it is asked to stay.
fn held_by(going: &[&Receipt], pairs: &[PreAssignment], instants: &[Instant]) -> Held {
    let holder = |pair: &&PreAssignment| match pair.claim_id {
        Some(claim) => going.iter().any(|receipt| receipt.claim_id == Some(claim)),
        None => going.iter().any(|receipt| receipt.claim_id.is_none()),
    };
    let pairs: Vec<&PreAssignment> = pairs.iter().filter(holder).collect();
    let mut held = None;
    for at in instants {
        let graded_later =
            |receipt: &&Receipt| receipt.claim_id.is_some() && receipt.computed_at.instant() > *at;
        if going.iter().any(graded_later) {
            return Held::Sometimes;
        }
        let graded_then = going.iter().any(|receipt| {
            receipt.claim_id.is_some()
                && receipt.computed_at.instant() == *at
                && !receipt.observation_ids.is_empty()
        });
        let now = graded_then || pairs.iter().any(|pair| pair.in_force_at(*at));
        match held {
            Some(before) if before != now => return Held::Sometimes,
            _ => held = Some(now),
        }
    }
    match held {
        Some(true) => Held::Always,
        _ => Held::Never,
    }
}

/// The claim windows of the claims that stay, by action type, each list merged
/// and sorted, under every policy a receipt names: a window a policy widens
/// still keeps its rows.
struct Windows(BTreeMap<usize, Vec<Interval>>);

impl Windows {
    fn of<'c>(
        claims: impl IntoIterator<Item = &'c Claim>,
        policies: impl Iterator<Item = &'c Policy>,
    ) -> Self {
        let shipped = crate::policy::load_policy(crate::policy::DEFAULT_POLICY).ok();
        let mut all: Vec<&crate::policy::Windows> = policies.map(Policy::windows).collect();
        all.extend(shipped.as_ref().map(Policy::windows));
        let mut by_action: BTreeMap<usize, Vec<Interval>> = BTreeMap::new();
        for claim in claims {
            for windows in &all {
                if let Some(window) = claim_window(claim, windows) {
                    by_action
                        .entry(claim.action.index())
                        .or_default()
                        .push(window);
                }
            }
        }
        for list in by_action.values_mut() {
            list.sort_unstable_by_key(|window| window.from);
            let mut merged: Vec<Interval> = Vec::new();
            for window in list.drain(..) {
                match merged.last_mut() {
                    Some(last) if window.from <= last.to => last.to = last.to.max(window.to),
                    _ => merged.push(window),
                }
            }
            *list = merged;
        }
        Self(by_action)
    }

    fn holds(&self, action: usize, at: Instant) -> bool {
        let list = self.0.get(&action).map(Vec::as_slice).unwrap_or_default();
        let after = list.partition_point(|window| window.from <= at);
        after
            .checked_sub(1)
            .and_then(|place| list.get(place))
            .is_some_and(|window| window.holds(at))
    }
}
