//! Replay: proving stored receipts by deriving them again (§9).
//!
//! Receipts are grouped by `computedAt`. For each group the candidates and the
//! assignment are rebuilt from claims and observations as they were then, with
//! the pre-assignments in force then; coverage, grant and context come from
//! the stored inputs; `grade` runs; and every computed field is compared.
//!
//! Scores of pairs do not depend on the instant, so they are made once
//! ([`world`]); who holds what at an instant is solved only around what a
//! stored receipt asks about ([`held`]).

mod compare;
mod held;
mod under;
mod world;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use attest_canon::{Digest, Id};

use crate::decide::fixed::pre_assignments;
use crate::decide::grants::InForce;
use crate::decide::orphans::OrphanRule;
use crate::decide::scene::{Prepared, Scene, Scratch};
use crate::decide::trace::{OrphanTrace, Trace, TraceSubject};
use crate::model::{
    AgentId, Claim, Coverage, Grade, GradeContext, Grant, Instant, Observation, Receipt,
};
use crate::policy::Policy;

pub use compare::{Field, Mismatch};
use held::{FixedPairs, Held};
pub use under::{Rederived, Under};
use world::World;

/// The inputs a receipt was graded with, beside its claim and candidates.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredInputs {
    /// The coverage of its batch, by hash.
    pub coverage_hash: Digest,
    /// The grant in force.
    pub grant: Arc<Grant>,
    /// Its context.
    pub context: GradeContext,
    /// The policy, by hash.
    pub policy_hash: Digest,
}

/// What replay reads of a ledger (`LedgerSnapshot`).
#[derive(Clone, Copy, Debug)]
pub struct Snapshot<'a> {
    /// Every claim.
    pub claims: &'a [Claim],
    /// Every observation.
    pub observations: &'a [Observation],
    /// Every receipt.
    pub receipts: &'a [Receipt],
    /// The inputs of receipts, by `inputsHash`.
    pub inputs: &'a BTreeMap<Digest, StoredInputs>,
    /// Each batch's coverage, by hash.
    pub coverages: &'a BTreeMap<Digest, Coverage>,
    /// The policies, by hash; each was loaded, so none can be refused here.
    pub policies: &'a BTreeMap<Digest, Policy>,
}

/// What replay found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ReplayReport {
    /// Receipts looked at.
    pub receipts: usize,
    /// Distinct batch instants among them.
    pub batches: usize,
    /// Receipts derived again exactly.
    pub reproduced: usize,
    /// Receipts that differ in some field, or could not be graded again.
    pub mismatched: usize,
    /// Every mismatch, by batch instant, then in the ledger's order.
    pub mismatches: Vec<Mismatch>,
}

impl ReplayReport {
    /// How many mismatches each field has, in the reference's field order.
    #[must_use]
    pub fn by_field(&self) -> Vec<(Field, usize)> {
        let mut counts: BTreeMap<Field, usize> = BTreeMap::new();
        for mismatch in &self.mismatches {
            let count = counts.entry(mismatch.field).or_default();
            *count = count.saturating_add(1);
        }
        counts.into_iter().collect()
    }
}

/// A snapshot prepared for deriving receipts again.
#[derive(Debug)]
pub struct Replayer<'a> {
    snapshot: Snapshot<'a>,
    worlds: BTreeMap<Digest, World<'a>>,
    fixed: FixedPairs,
    receipts_by_claim: BTreeMap<Id, &'a Receipt>,
}

/// The receipts of one batch: one instant, policy and coverage.
type BatchKey = (Instant, Digest, Digest);

impl<'a> Replayer<'a> {
    /// Prepares a snapshot: reads every claim and observation once per policy.
    #[must_use]
    pub fn new(snapshot: Snapshot<'a>) -> Self {
        let named: BTreeSet<Digest> = snapshot
            .receipts
            .iter()
            .map(|receipt| receipt.policy_hash)
            .collect();
        let worlds = snapshot
            .policies
            .iter()
            .filter(|(hash, _)| named.contains(*hash))
            .map(|(hash, policy)| (*hash, World::new(snapshot, policy)))
            .collect();
        let by_claim = snapshot
            .receipts
            .iter()
            .filter_map(|receipt| Some((receipt.claim_id?, receipt)));
        Self {
            worlds,
            fixed: FixedPairs::new(pre_assignments(snapshot.receipts)),
            receipts_by_claim: by_claim.collect(),
            snapshot,
        }
    }

    /// Derives every receipt again and compares (`replay`).
    #[must_use]
    pub fn report(&self) -> ReplayReport {
        self.report_watched(|_| true).unwrap_or_default()
    }

    /// [`Self::report`], telling after each receipt how many are done; `None`
    /// when `go_on` says to stop.
    #[must_use]
    pub fn report_watched(&self, mut go_on: impl FnMut(usize) -> bool) -> Option<ReplayReport> {
        let mut done = 0usize;
        let mut report = ReplayReport {
            receipts: self.snapshot.receipts.len(),
            ..ReplayReport::default()
        };
        let instants: BTreeSet<Instant> = self
            .snapshot
            .receipts
            .iter()
            .map(|receipt| receipt.computed_at.instant())
            .collect();
        report.batches = instants.len();

        let mut batches: BTreeMap<BatchKey, Vec<&'a Receipt>> = BTreeMap::new();
        let mut found: Vec<(Instant, Mismatch)> = Vec::new();
        for receipt in self.snapshot.receipts {
            let at = receipt.computed_at.instant();
            match self.stored(receipt) {
                Ok((inputs, ..)) => {
                    let key = (at, inputs.policy_hash, inputs.coverage_hash);
                    batches.entry(key).or_default().push(receipt);
                }
                Err(mismatch) => found.push((at, mismatch)),
            }
        }
        let mut scratches = BTreeMap::new();
        for ((at, policy, coverage), receipts) in &batches {
            let (Some(world), Some(coverage)) = (
                self.worlds.get(policy),
                self.snapshot
                    .coverages
                    .get(coverage)
                    .map(|seen| (seen, *coverage)),
            ) else {
                continue;
            };
            let scratch = scratches
                .entry(*policy)
                .or_insert_with(|| RefCell::new(Scratch::new(world.corpus.len())));
            let mut batch = Vec::new();
            let mut watch = || {
                done = done.saturating_add(1);
                go_on(done)
            };
            let watch = &mut watch;
            self.replay_batch(world, *at, coverage, receipts, scratch, &mut batch, watch)?;
            found.extend(batch.into_iter().map(|mismatch| (*at, mismatch)));
        }
        found.sort_by_key(|(at, _)| *at);
        report.mismatches = found.into_iter().map(|(_, mismatch)| mismatch).collect();
        let mismatched: BTreeSet<Id> = report
            .mismatches
            .iter()
            .map(|mismatch| mismatch.receipt_id)
            .collect();
        report.mismatched = mismatched.len();
        report.reproduced = report.receipts.saturating_sub(report.mismatched);
        Some(report)
    }

    /// The stored inputs, world and coverage of a receipt, or why there are none.
    fn stored(
        &self,
        receipt: &Receipt,
    ) -> Result<(&'a StoredInputs, &World<'a>, &'a Coverage), Mismatch> {
        let inputs = self
            .snapshot
            .inputs
            .get(&receipt.inputs_hash)
            .ok_or_else(|| Mismatch::absent(receipt, Field::ReceiptInputs))?;
        let world = self
            .worlds
            .get(&receipt.policy_hash)
            .filter(|_| inputs.policy_hash == receipt.policy_hash)
            .ok_or_else(|| Mismatch::policy(receipt, inputs.policy_hash))?;
        let coverage = self
            .snapshot
            .coverages
            .get(&inputs.coverage_hash)
            .ok_or_else(|| Mismatch::absent(receipt, Field::ReceiptInputs))?;
        Ok((inputs, world, coverage))
    }

    /// Derives one batch again; `None` when `watch`, asked after each receipt,
    /// says to stop.
    #[expect(
        clippy::too_many_arguments,
        reason = "a batch is its world, instant, coverage and receipts"
    )]
    fn replay_batch(
        &self,
        world: &World<'a>,
        at: Instant,
        (coverage, coverage_hash): (&'a Coverage, Digest),
        receipts: &[&'a Receipt],
        scratch: &RefCell<Scratch>,
        found: &mut Vec<Mismatch>,
        watch: &mut dyn FnMut() -> bool,
    ) -> Option<()> {
        let held = Held::new(world, at, &self.fixed, &self.receipts_by_claim);
        if held.is_corrupt() {
            let corrupt =
                |receipt: &&Receipt| Mismatch::error(receipt, "CandidatesError not_one_to_one");
            found.extend(receipts.iter().map(corrupt));
            return Some(());
        }
        // One view of the coverage per distinct grant.
        let mut grants: Vec<&'a Grant> = receipts
            .iter()
            .filter_map(|receipt| self.snapshot.inputs.get(&receipt.inputs_hash))
            .map(|inputs| inputs.grant.as_ref())
            .collect();
        grants.sort_by_key(|grant| core::ptr::from_ref(*grant));
        grants.dedup_by_key(|grant| core::ptr::from_ref(*grant));
        let in_force: Vec<InForce<'_>> = grants
            .iter()
            .map(|grant| InForce::new(grant, coverage))
            .collect();
        let rule = OrphanRule::new(coverage);
        scratch.borrow_mut().next_instant();
        let scene = Scene {
            corpus: &world.corpus,
            holders: &held,
            coverage,
            coverage_hash,
            scratch,
        };
        for receipt in receipts {
            if !watch() {
                return None;
            }
            let Some(inputs) = self.snapshot.inputs.get(&receipt.inputs_hash) else {
                continue;
            };
            let wanted: *const Grant = Arc::as_ptr(&inputs.grant);
            let place = grants.binary_search_by_key(&wanted, |grant| core::ptr::from_ref(*grant));
            let Some(in_force) = place.ok().and_then(|place| in_force.get(place)) else {
                continue;
            };
            match prepare(&scene, world, receipt, inputs, in_force, Some(&rule)) {
                Ok(prepared) => {
                    found.extend(world.edited_evidence(&scene, receipt, &prepared));
                    let (graded, _) = scene.finish(&prepared);
                    compare::differences(receipt, &graded.receipt, found);
                }
                Err(mismatch) => found.push(mismatch),
            }
        }
        Some(())
    }

    /// The trace of a stored receipt, from its batch derived again.
    ///
    /// # Errors
    ///
    /// Why it cannot be derived: inputs purged, policy not there, subject not
    /// in the ledger, a corrupt batch.
    pub fn trace(&self, receipt: &'a Receipt) -> Result<Trace, Mismatch> {
        let (inputs, world, coverage) = self.stored(receipt)?;
        let at = receipt.computed_at.instant();
        let held = Held::new(world, at, &self.fixed, &self.receipts_by_claim);
        if held.is_corrupt() {
            return Err(Mismatch::error(receipt, "CandidatesError not_one_to_one"));
        }
        let in_force = InForce::new(&inputs.grant, coverage);
        let scratch = RefCell::new(Scratch::new(world.corpus.len()));
        let coverage_hash = inputs.coverage_hash;
        let scene = Scene {
            corpus: &world.corpus,
            holders: &held,
            coverage,
            coverage_hash,
            scratch: &scratch,
        };
        let prepared = prepare(&scene, world, receipt, inputs, &in_force, None)?;
        let subject = match prepared.subject {
            crate::decide::conditions::Subject::Claim { claim, facts } => {
                TraceSubject::Claim(Box::new(scene.claim_trace(claim, facts, &prepared)))
            }
            crate::decide::conditions::Subject::Orphan { orphan } => {
                TraceSubject::Orphan(Box::new(OrphanTrace {
                    observation: orphan.clone(),
                    orphan: OrphanRule::new(coverage).check(orphan, world.corpus.policy()),
                    attribution: None,
                }))
            }
            crate::decide::conditions::Subject::Scope { agent, scope } => TraceSubject::Scope {
                agent,
                scope: scope.into(),
            },
        };
        Ok(scene.trace(&prepared, subject))
    }
}

/// Finds a receipt's subject and prepares its grade. With a rule, an UNASKED
/// receipt's observation must also be an orphan of the batch (§9).
fn prepare<'s>(
    scene: &Scene<'s>,
    world: &'s World<'_>,
    receipt: &Receipt,
    inputs: &'s StoredInputs,
    in_force: &'s InForce<'s>,
    rule: Option<&OrphanRule>,
) -> Result<Prepared<'s>, Mismatch> {
    use crate::decide::assign::Holder;
    let context = inputs.context.clone();
    if let Some(id) = receipt.claim_id {
        let (claim, facts) = world
            .claim(id)
            .ok_or_else(|| Mismatch::absent(receipt, Field::Subject))?;
        agent_is(receipt, in_force.grant.agent, claim.agent)?;
        return Ok(scene.prepare_claim(claim, facts, in_force, context));
    }
    if let Some(scope) = inputs.context.scope.as_deref() {
        return Ok(scene.prepare_scope(scope, in_force, context));
    }
    if receipt.grade != Grade::Unasked && context.attribution.is_none() {
        return Err(Mismatch::absent(receipt, Field::Subject));
    }
    let orphan = receipt
        .observation_ids
        .first()
        .and_then(|id| scene.corpus.find(*id));
    let row = orphan.and_then(|ix| Some((ix, scene.corpus.row(ix)?)));
    let Some((ix, row)) =
        row.filter(|(_, row)| row.observation.observed_at.instant() <= scene.at())
    else {
        return Err(Mismatch::absent(receipt, Field::Subject));
    };
    if let Some(rule) = rule
        && (scene.holders.holder(ix) != Holder::Free
            || rule.check(row.observation, scene.corpus.policy()).is_err())
    {
        return Err(Mismatch::absent(receipt, Field::Orphan));
    }
    if let Some(attribution) = &context.attribution {
        agent_is(receipt, in_force.grant.agent, attribution.agent)?;
    }
    Ok(scene.prepare_orphan(row.observation, in_force, context))
}

/// The stored grant must be the subject's (`agent_mismatch`, §13).
fn agent_is(receipt: &Receipt, grant: AgentId, subject: AgentId) -> Result<(), Mismatch> {
    if grant == subject {
        Ok(())
    } else {
        Err(Mismatch::error(receipt, "GradeError agent_mismatch"))
    }
}
