//! What a ledger's stored receipts would be under another policy: each batch
//! derived again on its stored inputs (claims, observations, grant, coverage,
//! context, pre-assignments) with the policy alone replaced. Nothing of it is
//! ever stored.
//!
//! A stored context keeps who likely did an unclaimed action, with the score it
//! was given then, not the activity it was made from; so that attribution is an
//! input here, and other signal weights or reaches change nothing in it.

use std::cell::RefCell;
use std::collections::BTreeMap;

use attest_canon::{Digest, Id};

use crate::decide::conditions::Subject;
use crate::decide::grants::InForce;
use crate::decide::orphans::OrphanRule;
use crate::decide::scene::{Scene, Scratch};
use crate::model::{Instant, Outcome, Receipt};
use crate::policy::Policy;

use super::compare::Field;
use super::held::Held;
use super::world::World;
use super::{Replayer, prepare};

/// A stored receipt and what it would be.
#[derive(Clone, PartialEq, Debug)]
pub struct Under {
    /// The stored receipt.
    pub receipt_id: Id,
    /// What its batch would make of its subject.
    pub rederived: Rederived,
}

/// What a batch would make of a stored receipt's subject.
#[derive(Clone, PartialEq, Debug)]
pub enum Rederived {
    /// This receipt. Its lifecycle is empty: events are no grading.
    Receipt(Box<Receipt>),
    /// None: what nobody claimed is no orphan then, or not likely an agent's; a
    /// permission exceeds nothing.
    Nothing,
    /// It cannot be derived; the field says why, as a replay would.
    Underivable(Field),
}

impl<'a> Replayer<'a> {
    /// Derives the stored receipts that `wanted` picks under `policy`, in the
    /// ledger's order within each batch. After each, `go_on` is told how many
    /// are done; `None` when it says to stop.
    pub fn under(
        &self,
        policy: &Policy,
        wanted: impl Fn(&Receipt) -> bool,
        mut go_on: impl FnMut(usize) -> bool,
    ) -> Option<Vec<Under>> {
        let mut found = Vec::new();
        let mut batches: BTreeMap<(Instant, Digest), Vec<&'a Receipt>> = BTreeMap::new();
        for receipt in self.snapshot.receipts.iter().filter(|one| wanted(one)) {
            match self.snapshot.inputs.get(&receipt.inputs_hash) {
                Some(inputs) if self.snapshot.coverages.contains_key(&inputs.coverage_hash) => {
                    let key = (receipt.computed_at.instant(), inputs.coverage_hash);
                    batches.entry(key).or_default().push(receipt);
                }
                _ => found.push(Under {
                    receipt_id: receipt.id,
                    rederived: Rederived::Underivable(Field::ReceiptInputs),
                }),
            }
        }
        if !go_on(found.len()) {
            return None;
        }
        let world = World::new(self.snapshot, policy);
        let scratch = RefCell::new(Scratch::new(world.corpus.len()));
        for ((at, coverage_hash), receipts) in batches {
            let Some(coverage) = self.snapshot.coverages.get(&coverage_hash) else {
                continue;
            };
            let held = Held::new(&world, at, &self.fixed, &self.receipts_by_claim);
            let corrupt = held.is_corrupt();
            let rule = OrphanRule::new(coverage);
            scratch.borrow_mut().next_instant();
            let scene = Scene {
                corpus: &world.corpus,
                holders: &held,
                coverage,
                coverage_hash,
                scratch: &scratch,
            };
            let mut grants: BTreeMap<*const crate::model::Grant, InForce<'_>> = BTreeMap::new();
            for receipt in &receipts {
                if let Some(inputs) = self.snapshot.inputs.get(&receipt.inputs_hash) {
                    let grant = inputs.grant.as_ref();
                    grants
                        .entry(core::ptr::from_ref(grant))
                        .or_insert_with(|| InForce::new(grant, coverage));
                }
            }
            for receipt in receipts {
                let inputs = self.snapshot.inputs.get(&receipt.inputs_hash);
                let held_by = inputs.and_then(|inputs| {
                    let grant = grants.get(&core::ptr::from_ref(inputs.grant.as_ref()))?;
                    Some((inputs, grant))
                });
                let rederived = match held_by {
                    _ if corrupt => Rederived::Underivable(Field::Error),
                    None => Rederived::Underivable(Field::ReceiptInputs),
                    Some((inputs, in_force)) => {
                        match prepare(&scene, &world, receipt, inputs, in_force, Some(&rule)) {
                            Ok(prepared) => {
                                let (graded, outcome) = scene.finish(&prepared);
                                let made = match prepared.subject {
                                    Subject::Claim { .. } => true,
                                    Subject::Orphan { .. } => outcome == Outcome::Unasked,
                                    Subject::Scope { .. } => outcome == Outcome::OverScope,
                                };
                                if made {
                                    Rederived::Receipt(Box::new(graded.receipt))
                                } else {
                                    Rederived::Nothing
                                }
                            }
                            Err(mismatch) if mismatch.field == Field::Orphan => Rederived::Nothing,
                            Err(mismatch) => Rederived::Underivable(mismatch.field),
                        }
                    }
                };
                found.push(Under {
                    receipt_id: receipt.id,
                    rederived,
                });
                if !go_on(found.len()) {
                    return None;
                }
            }
        }
        Some(found)
    }
}
