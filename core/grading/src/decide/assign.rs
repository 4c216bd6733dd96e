//! One observation verifies at most one claim (§4.3).
//!
//! The greedy order is: best score first, then the earlier `claimedAt`, then
//! the smaller claim id, then the smaller observation id. Each claim keeps a
//! short list of its best rows; the claim whose best is the greatest of all
//! goes first. A list that runs dry is filled again from what is still free,
//! so memory stays linear however many pairs there are.

use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BinaryHeap};

use attest_canon::Id;
use indexmap::IndexMap;
use smallvec::SmallVec;

use crate::model::{Claim, Instant};

use super::corpus::{Corpus, FreeRows, RowIx};
use super::facts::ClaimFacts;
use super::ratio::Ratio;
use super::retrieval::{Marks, Visitor};
use super::words::Unseeded;

/// Fixed pairs that are not one-to-one (`not_one_to_one`, §4.3).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CandidatesError;

impl core::fmt::Display for CandidatesError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("fixed pairs are not one-to-one")
    }
}

impl core::error::Error for CandidatesError {}

/// Who holds each row of a corpus in one batch.
#[derive(Debug)]
pub struct Assignment {
    holders: Vec<Holder>,
    by_claim: IndexMap<Id, (RowIx, Ratio), Unseeded>,
    free: Option<FreeRows>,
}

/// Who holds a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Holder {
    /// Nobody: an orphan, if nothing else forbids it.
    Free,
    /// A claim graded before this batch.
    Fixed(Id),
    /// An overridden UNASKED receipt.
    Taken,
    /// A claim of this batch.
    Claim(Id),
}

/// Who holds the rows of a corpus at one instant.
pub trait Holders {
    /// Who holds a row.
    fn holder(&self, ix: RowIx) -> Holder;

    /// The row assigned to a claim of the batch, and the pair's score.
    fn assigned(&self, claim: Id) -> Option<(RowIx, Ratio)>;

    /// The rows nobody holds, where they are known as a whole.
    fn free_rows(&self) -> Option<&FreeRows> {
        None
    }

    /// Whether a claim may have a row as its candidate: nobody else holds it.
    fn open_to(&self, ix: RowIx, claim: Id) -> bool {
        match self.holder(ix) {
            Holder::Free => true,
            Holder::Claim(holder) => holder == claim,
            Holder::Fixed(_) | Holder::Taken => false,
        }
    }
}

impl Holders for Assignment {
    fn holder(&self, ix: RowIx) -> Holder {
        let at = usize::try_from(ix).ok();
        at.and_then(|at| self.holders.get(at))
            .copied()
            .unwrap_or(Holder::Free)
    }

    fn assigned(&self, claim: Id) -> Option<(RowIx, Ratio)> {
        self.by_claim.get(&claim).copied()
    }

    fn free_rows(&self) -> Option<&FreeRows> {
        self.free.as_ref()
    }
}

impl Assignment {
    /// The assignment, with the rows nobody holds indexed for many questions.
    #[must_use]
    pub fn with_free_rows(mut self, corpus: &Corpus<'_>) -> Self {
        self.free = Some(corpus.free_rows(|ix| self.holder(ix) == Holder::Free));
        self
    }

    fn take(&mut self, ix: RowIx, holder: Holder) {
        if let Some(slot) = usize::try_from(ix)
            .ok()
            .and_then(|at| self.holders.get_mut(at))
        {
            *slot = holder;
        }
    }
}

/// A pair fixed before the batch: an observation and its claim, or `None` for
/// one that is taken.
pub type FixedPair = (Id, Option<Id>);

/// One claim of the batch, prepared.
#[derive(Clone, Copy, Debug)]
pub struct Contender<'c> {
    /// The claim.
    pub claim: &'c Claim,
    /// What it says.
    pub facts: &'c ClaimFacts,
}

/// First length of a claim's list of best rows, and the most it grows to.
const SHORT: usize = 1;
const LONG: usize = 256;

/// Assigns the rows of a corpus at an instant.
///
/// # Errors
///
/// [`CandidatesError`] when the fixed pairs give one observation to two claims
/// or one claim two observations.
pub fn assign(
    corpus: &Corpus<'_>,
    contenders: &[Contender<'_>],
    fixed: &[FixedPair],
    at: Instant,
) -> Result<Assignment, CandidatesError> {
    let mut assignment = Assignment {
        holders: vec![Holder::Free; corpus.len()],
        by_claim: IndexMap::default(),
        free: None,
    };
    fix(corpus, fixed, &mut assignment)?;

    // Of equal scores the earlier claim goes first, then the smaller id.
    let mut order: Vec<(Instant, Id, Contender<'_>)> = contenders
        .iter()
        .filter(|contender| contender.facts.assignable)
        .map(|held| (held.claim.claimed_at.instant(), held.claim.id, *held))
        .collect();
    order.sort_by_key(|(claimed_at, id, _)| (*claimed_at, *id));
    let bids = order.into_iter().map(|(.., contender)| Bid::new(contender));
    let mut bids: Vec<Bid<'_>> = bids.collect();
    let mut marks = Marks::new(corpus.len());
    let mut heap = BinaryHeap::with_capacity(bids.len());
    for (place, bid) in bids.iter_mut().enumerate() {
        bid.fill(corpus, &assignment, at, &mut marks);
        heap.extend(bid.score().map(|score| (score, Reverse(place))));
    }
    while let Some((score, Reverse(place))) = heap.pop() {
        let Some(bid) = bids.get_mut(place) else {
            continue;
        };
        let Some((_, ix)) = bid.best.pop() else {
            continue;
        };
        if assignment.holder(ix) == Holder::Free {
            let claim = bid.contender.claim.id;
            assignment.take(ix, Holder::Claim(claim));
            assignment.by_claim.insert(claim, (ix, score));
            continue;
        }
        if bid.best.is_empty() && !bid.whole {
            bid.length = bid.length.saturating_mul(2).min(LONG);
            bid.fill(corpus, &assignment, at, &mut marks);
        }
        heap.extend(bid.score().map(|score| (score, Reverse(place))));
    }
    Ok(assignment)
}

/// Enters the fixed pairs. One observation fixed to a claim and taken stays
/// with the claim (§4.3).
fn fix(
    corpus: &Corpus<'_>,
    fixed: &[FixedPair],
    assignment: &mut Assignment,
) -> Result<(), CandidatesError> {
    let mut of_observation: BTreeMap<Id, Id> = BTreeMap::new();
    let mut of_claim: BTreeMap<Id, Id> = BTreeMap::new();
    for (observation, claim) in fixed {
        let Some(claim) = claim else {
            continue;
        };
        let same = |held: Option<Id>, new: Id| held.is_none_or(|held| held == new);
        if !same(of_observation.insert(*observation, *claim), *claim)
            || !same(of_claim.insert(*claim, *observation), *observation)
        {
            return Err(CandidatesError);
        }
    }
    for (observation, _) in fixed {
        if let Some(ix) = corpus.find(*observation) {
            let holder = of_observation
                .get(observation)
                .map_or(Holder::Taken, |claim| Holder::Fixed(*claim));
            assignment.take(ix, holder);
        }
    }
    Ok(())
}

/// Rows with their scores; one, as most claims have, is held in place.
type Best = SmallVec<[(Ratio, RowIx); 1]>;

/// A claim with the best rows it can still have.
struct Bid<'c> {
    contender: Contender<'c>,
    /// Its best free rows when last filled, the best last.
    best: Best,
    /// Whether `best` held every row it could have.
    whole: bool,
    length: usize,
}

impl<'c> Bid<'c> {
    fn new(contender: Contender<'c>) -> Self {
        Self {
            contender,
            best: Best::new(),
            whole: false,
            length: SHORT,
        }
    }

    /// Fills the list with the best free rows at or above the partial threshold.
    fn fill(
        &mut self,
        corpus: &Corpus<'_>,
        assignment: &Assignment,
        at: Instant,
        marks: &mut Marks,
    ) {
        let Contender { claim, facts } = self.contender;
        let mut list = ShortList {
            corpus,
            assignment,
            facts,
            least: Ratio::from_basis_points(corpus.policy().thresholds().partial),
            length: self.length,
            best: Best::new(),
            whole: true,
        };
        corpus.visit_sharing(claim, facts, at, marks, &mut list);
        list.cut();
        self.best = list.best;
        self.best.reverse();
        self.whole = list.whole;
    }

    /// The score of its best row.
    fn score(&self) -> Option<Ratio> {
        self.best.last().map(|(score, _)| *score)
    }
}

/// The best free rows of one claim at or above the partial threshold.
struct ShortList<'c, 'a> {
    corpus: &'c Corpus<'a>,
    assignment: &'c Assignment,
    facts: &'c ClaimFacts,
    /// What a row must score to be kept: the partial threshold, or more once
    /// the list is full.
    least: Ratio,
    length: usize,
    best: Best,
    /// Whether every row there is was kept.
    whole: bool,
}

impl ShortList<'_, '_> {
    /// Sorts best first (score, then the smaller observation id) and keeps the
    /// first `length`.
    fn cut(&mut self) {
        let id = |ix: RowIx| self.corpus.id(ix);
        self.best.sort_unstable_by(|(a, a_ix), (b, b_ix)| {
            b.cmp(a).then_with(|| id(*a_ix).cmp(&id(*b_ix)))
        });
        self.best.truncate(self.length);
        if let Some((score, _)) = self.best.get(self.length.saturating_sub(1)) {
            self.least = *score;
            self.whole = false;
        }
    }
}

impl Visitor for ShortList<'_, '_> {
    fn wanted(&self) -> Ratio {
        // At an equal score a smaller id may still come before the last.
        self.least
    }

    fn visit(&mut self, ix: RowIx) {
        if self.assignment.holder(ix) != Holder::Free {
            return;
        }
        if let Some(score) = self.corpus.score_reaching(self.facts, ix, self.least) {
            self.best.push((score, ix));
            let held = self.best.len();
            if held == self.length || held >= self.length.saturating_mul(2) {
                self.cut();
            }
        }
    }
}

/// A claim's best remaining candidate (§8): the highest score, ties by the
/// smaller observation id. Where none shares content with the claim all score
/// 0, and the smallest id among them is the best (readings 12).
pub(crate) fn best_candidate(
    corpus: &Corpus<'_>,
    contender: Contender<'_>,
    holders: &dyn Holders,
    at: Instant,
    smallest_id: Option<RowIx>,
    marks: &mut Marks,
) -> Option<(RowIx, Ratio)> {
    let Contender { claim, facts } = contender;
    if !facts.assignable {
        return None;
    }
    if let Some(assigned) = holders.assigned(claim.id) {
        return Some(assigned);
    }
    let mut best = BestOpen {
        corpus,
        holders,
        contender,
        best: None,
    };
    corpus.visit_sharing(claim, facts, at, marks, &mut best);
    best.best
        .or_else(|| smallest_id.map(|ix| (ix, Ratio::ZERO)))
}

/// The best row a claim could still have, of those that share content with it.
struct BestOpen<'c, 'a> {
    corpus: &'c Corpus<'a>,
    holders: &'c dyn Holders,
    contender: Contender<'c>,
    best: Option<(RowIx, Ratio)>,
}

impl Visitor for BestOpen<'_, '_> {
    fn wanted(&self) -> Ratio {
        // At an equal score a smaller id may still win.
        self.best.map_or(Ratio::ZERO, |(_, score)| score)
    }

    fn visit(&mut self, ix: RowIx) {
        if !self.holders.open_to(ix, self.contender.claim.id) {
            return;
        }
        let Some(score) = self
            .corpus
            .score_reaching(self.contender.facts, ix, self.wanted())
        else {
            return;
        };
        let id = |ix: RowIx| self.corpus.id(ix);
        let better = self.best.is_none_or(|(held, best)| match score.cmp(&best) {
            Ordering::Greater => true,
            Ordering::Equal => id(ix) < id(held),
            Ordering::Less => false,
        });
        if better {
            self.best = Some((ix, score));
        }
    }
}
