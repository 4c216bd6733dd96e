//! Who held what in a stored batch, solved only where asked.
//!
//! The greedy assignment of §4.3 never looks beyond the claims and rows that
//! pairs connect, so a question about one row is answered by assigning its
//! connected part alone.

use std::cell::{OnceCell, RefCell};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use attest_canon::Id;

use crate::decide::assign::{Assignment, Contender, Holder, Holders, assign};
use crate::decide::corpus::RowIx;
use crate::decide::fixed::{PreAssignment, fixed_in_force, held_out_at};
use crate::decide::ratio::Ratio;
use crate::model::{Instant, Receipt};

use super::world::{ClaimIx, Pairs, World};

/// The pre-assignments of a ledger, by what they name, so that a batch asks
/// only about the rows and claims it meets.
#[derive(Debug, Default)]
pub(super) struct FixedPairs {
    pairs: Vec<PreAssignment>,
    by_observation: BTreeMap<Id, Vec<usize>>,
    by_claim: BTreeMap<Id, Vec<usize>>,
    /// Pairs that share an observation or a claim with a different pair: the
    /// only ones that can fail to be one-to-one.
    contested: Vec<usize>,
}

impl FixedPairs {
    pub(super) fn new(pairs: Vec<PreAssignment>) -> Self {
        let mut by_observation: BTreeMap<Id, Vec<usize>> = BTreeMap::new();
        let mut by_claim: BTreeMap<Id, Vec<usize>> = BTreeMap::new();
        for (place, pair) in pairs.iter().enumerate() {
            by_observation
                .entry(pair.observation_id)
                .or_default()
                .push(place);
            if let Some(claim) = pair.claim_id {
                by_claim.entry(claim).or_default().push(place);
            }
        }
        let mut fixed = Self {
            pairs,
            by_observation,
            by_claim,
            contested: Vec::new(),
        };
        let lists = fixed.by_observation.values().chain(fixed.by_claim.values());
        let contested: BTreeSet<usize> = lists
            .filter(|list| list.len() > 1)
            .flatten()
            .copied()
            .filter(|place| {
                fixed
                    .pairs
                    .get(*place)
                    .is_some_and(|pair| pair.claim_id.is_some())
            })
            .collect();
        fixed.contested = contested.into_iter().collect();
        fixed
    }

    fn in_force<'f>(
        &'f self,
        list: Option<&'f Vec<usize>>,
        at: Instant,
    ) -> impl Iterator<Item = &'f PreAssignment> {
        let pairs = list
            .into_iter()
            .flatten()
            .filter_map(|place| self.pairs.get(*place));
        pairs.filter(move |pair| pair.in_force_at(at))
    }

    /// Who holds an observation in a batch: a claim before "taken" (§4.3).
    fn holder(&self, observation: Id, at: Instant) -> Option<Holder> {
        let mut holder = None;
        for pair in self.in_force(self.by_observation.get(&observation), at) {
            match pair.claim_id {
                Some(claim) => return Some(Holder::Fixed(claim)),
                None => holder = Some(Holder::Taken),
            }
        }
        holder
    }

    fn fixes_claim(&self, claim: Id, at: Instant) -> bool {
        self.in_force(self.by_claim.get(&claim), at)
            .next()
            .is_some()
    }

    /// Whether the pairs in force in a batch are one-to-one.
    fn is_one_to_one(&self, at: Instant) -> bool {
        let mut of_observation = BTreeMap::new();
        let mut of_claim = BTreeMap::new();
        self.in_force(Some(&self.contested), at).all(|pair| {
            let (claim, observation) = (pair.claim_id, pair.observation_id);
            *of_observation.entry(observation).or_insert(claim) == claim
                && *of_claim.entry(claim).or_insert(observation) == observation
        })
    }
}

/// The holders of one batch.
pub(super) struct Held<'w, 'a> {
    world: &'w World<'a>,
    at: Instant,
    receipts: &'w BTreeMap<Id, &'a Receipt>,
    fixed: &'w FixedPairs,
    solved: RefCell<Solved>,
    /// Without kept pairs: the whole batch, assigned at once.
    whole: OnceCell<Option<Assignment>>,
}

/// What has been solved so far.
#[derive(Default)]
struct Solved {
    claims: BTreeMap<ClaimIx, Option<(RowIx, Ratio)>>,
    rows: BTreeMap<RowIx, Option<Id>>,
}

impl<'w, 'a> Held<'w, 'a> {
    /// The batch at an instant.
    pub(super) fn new(
        world: &'w World<'a>,
        at: Instant,
        fixed: &'w FixedPairs,
        receipts: &'w BTreeMap<Id, &'a Receipt>,
    ) -> Self {
        Self {
            world,
            at,
            receipts,
            fixed,
            solved: RefCell::default(),
            whole: OnceCell::new(),
        }
    }

    /// Whether the fixed pairs are not one-to-one.
    pub(super) fn is_corrupt(&self) -> bool {
        !self.fixed.is_one_to_one(self.at)
    }

    /// Who holds a row by an earlier receipt.
    fn fixed_holder(&self, ix: RowIx) -> Option<Holder> {
        self.fixed
            .holder(self.world.corpus.row(ix)?.observation.id, self.at)
    }

    /// Whether the claim was in the batch (readings 56): stored by then, not
    /// fixed then, not held out then, and its receipt, if any, was made at or
    /// after it.
    fn in_batch(&self, ix: ClaimIx) -> bool {
        let Some((claim, _)) = self.world.get(ix) else {
            return false;
        };
        claim.observed_at.instant() <= self.at
            && !self.fixed.fixes_claim(claim.id, self.at)
            && self.receipts.get(&claim.id).is_none_or(|receipt| {
                receipt.computed_at.instant() >= self.at && !held_out_at(receipt, self.at)
            })
    }

    /// Whether a row can be assigned in the batch at all.
    fn is_open(&self, ix: RowIx) -> bool {
        self.fixed_holder(ix).is_none()
            && self
                .world
                .corpus
                .row(ix)
                .is_some_and(|row| row.observation.observed_at.instant() <= self.at)
    }

    /// Assigns the connected part that holds these claims.
    fn solve(&self, pairs: &Pairs, seeds: impl Iterator<Item = ClaimIx>) {
        let solved = &mut *self.solved.borrow_mut();
        let mut queue: Vec<ClaimIx> = Vec::new();
        let enter = |ix: ClaimIx, solved: &mut Solved, queue: &mut Vec<ClaimIx>| {
            if !solved.claims.contains_key(&ix) && self.in_batch(ix) {
                solved.claims.insert(ix, None);
                queue.push(ix);
            }
        };
        for seed in seeds {
            enter(seed, solved, &mut queue);
        }
        let mut edges: Vec<(Ratio, RowIx, ClaimIx)> = Vec::new();
        while let Some(claim) = queue.pop() {
            let rows = usize::try_from(claim)
                .ok()
                .and_then(|at| pairs.of_claim.get(at));
            for (score, row) in rows.into_iter().flatten() {
                if !self.is_open(*row) {
                    continue;
                }
                edges.push((*score, *row, claim));
                if solved.rows.insert(*row, None).is_none() {
                    let rivals = usize::try_from(*row)
                        .ok()
                        .and_then(|at| pairs.of_row.get(at));
                    for rival in rivals.into_iter().flatten() {
                        enter(*rival, solved, &mut queue);
                    }
                }
            }
        }
        // Greedy order (§4.3).
        edges.sort_by_cached_key(|(score, row, claim)| {
            let claim = self
                .world
                .get(*claim)
                .map(|(claim, _)| (claim.claimed_at.instant(), claim.id));
            let row = self.world.corpus.row(*row).map(|row| row.observation.id);
            (Reverse(*score), claim, row)
        });
        for (score, row, claim) in edges {
            let free =
                solved.rows.get(&row) == Some(&None) && solved.claims.get(&claim) == Some(&None);
            if let Some((held, _)) = self.world.get(claim).filter(|_| free) {
                solved.rows.insert(row, Some(held.id));
                solved.claims.insert(claim, Some((row, score)));
            }
        }
    }

    /// The whole batch at once, for a world whose pairs are too many to keep.
    fn whole(&self) -> Option<&Assignment> {
        self.whole
            .get_or_init(|| {
                let contenders: Vec<Contender<'_>> = (0..)
                    .zip(&self.world.claims)
                    .filter(|(ix, _)| self.in_batch(*ix))
                    .map(|(_, (claim, facts))| Contender { claim, facts })
                    .collect();
                let fixed = fixed_in_force(&self.fixed.pairs, self.at);
                assign(&self.world.corpus, &contenders, &fixed, self.at).ok()
            })
            .as_ref()
    }
}

impl Holders for Held<'_, '_> {
    fn holder(&self, ix: RowIx) -> Holder {
        if let Some(fixed) = self.fixed_holder(ix) {
            return fixed;
        }
        let Some(pairs) = &self.world.pairs else {
            return self.whole().map_or(Holder::Free, |whole| whole.holder(ix));
        };
        let known = self.solved.borrow().rows.get(&ix).copied();
        let holder = known.unwrap_or_else(|| {
            let rivals = usize::try_from(ix).ok().and_then(|at| pairs.of_row.get(at));
            if !self.is_open(ix) {
                return None;
            }
            self.solve(pairs, rivals.into_iter().flatten().copied());
            self.solved.borrow().rows.get(&ix).copied().flatten()
        });
        holder.map_or(Holder::Free, Holder::Claim)
    }

    fn assigned(&self, claim: Id) -> Option<(RowIx, Ratio)> {
        let Some(pairs) = &self.world.pairs else {
            return self.whole()?.assigned(claim);
        };
        let ix = self.world.find(claim)?;
        let known = self.solved.borrow().claims.get(&ix).copied();
        known.unwrap_or_else(|| {
            self.solve(pairs, core::iter::once(ix));
            self.solved.borrow().claims.get(&ix).copied().flatten()
        })
    }
}
