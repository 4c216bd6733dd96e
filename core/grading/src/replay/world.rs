//! Claims and observations of a ledger under one policy, and the pairs of them
//! that could be evidence, whatever the instant.

use std::collections::BTreeMap;

use attest_canon::Id;

use crate::decide::assign::Contender;
use crate::decide::conditions::Subject;
use crate::decide::corpus::{Corpus, RowIx};
use crate::decide::facts::ClaimFacts;
use crate::decide::ratio::Ratio;
use crate::decide::retrieval::{Marks, Visitor};
use crate::decide::scene::{Prepared, Scene};
use crate::model::{Claim, Instant, Receipt};
use crate::policy::Policy;

use super::Snapshot;
use super::compare::Mismatch;

/// A claim's place in its world.
pub(super) type ClaimIx = u32;

/// A ledger under one policy.
#[derive(Debug)]
pub(super) struct World<'a> {
    pub(super) corpus: Corpus<'a>,
    pub(super) claims: Vec<(&'a Claim, ClaimFacts)>,
    by_id: BTreeMap<Id, ClaimIx>,
    /// The rows whose content no longer has its hash, in id order.
    edited: Vec<RowIx>,
    /// The pairs that can be assigned, or none when there are too many to
    /// keep: then each batch is assigned as a whole.
    pub(super) pairs: Option<Pairs>,
}

/// Pairs at or above the partial threshold.
#[derive(Debug)]
pub(super) struct Pairs {
    /// Each claim's rows.
    pub(super) of_claim: Vec<Vec<(Ratio, RowIx)>>,
    /// Each row's claims.
    pub(super) of_row: Vec<Vec<ClaimIx>>,
}

/// Most pairs kept per claim and row; a crowd in which everything matches
/// everything must not make memory grow with its square.
const PAIRS_PER_ENTRY: usize = 32;

impl<'a> World<'a> {
    /// Reads a ledger's claims and observations under a policy.
    pub(super) fn new(snapshot: Snapshot<'a>, policy: &'a Policy) -> Self {
        let mut corpus = Corpus::new(policy, snapshot.observations, None);
        let claims: Vec<(&'a Claim, ClaimFacts)> = snapshot
            .claims
            .iter()
            .map(|claim| (claim, corpus.read_claim(claim)))
            .collect();
        let by_id = (0..)
            .zip(&claims)
            .map(|(ix, (claim, _))| (claim.id, ix))
            .collect();
        let pairs = Pairs::find(&corpus, &claims);
        let mut edited: Vec<(Id, RowIx)> = corpus
            .iter()
            .map(|(ix, row)| (row.observation, ix))
            .filter(|(row, _)| row.content_hash != row.computed_content_hash())
            .map(|(row, ix)| (row.id, ix))
            .collect();
        edited.sort_unstable();
        Self {
            edited: edited.into_iter().map(|(_, ix)| ix).collect(),
            corpus,
            claims,
            by_id,
            pairs,
        }
    }

    /// A claim's place.
    pub(super) fn find(&self, id: Id) -> Option<ClaimIx> {
        self.by_id.get(&id).copied()
    }

    /// A claim with what it says.
    pub(super) fn claim(&self, id: Id) -> Option<(&'a Claim, &ClaimFacts)> {
        self.get(self.find(id)?)
    }

    /// A claim by its place.
    pub(super) fn get(&self, ix: ClaimIx) -> Option<(&'a Claim, &ClaimFacts)> {
        let at = usize::try_from(ix).ok()?;
        self.claims.get(at).map(|(claim, facts)| (*claim, facts))
    }

    /// Every observation a grade is handed whose content no longer has its
    /// hash (§9).
    pub(super) fn edited_evidence(
        &self,
        scene: &Scene<'_>,
        receipt: &Receipt,
        prepared: &Prepared<'_>,
    ) -> Vec<Mismatch> {
        let handed = |ix: &RowIx| match prepared.subject {
            Subject::Claim { claim, facts } => {
                self.corpus.is_candidate(claim, facts, *ix, scene.at())
                    && scene.holders.open_to(*ix, claim.id)
            }
            Subject::Orphan { orphan } => self.corpus.find(orphan.id) == Some(*ix),
            Subject::Scope { .. } => false,
        };
        let rows = self.edited.iter().copied().filter(handed);
        rows.filter_map(|ix| self.corpus.row(ix))
            .map(|row| {
                let stored = row.observation.content_hash;
                Mismatch::content(receipt, stored, row.observation.computed_content_hash())
            })
            .collect()
    }
}

impl Pairs {
    fn find(corpus: &Corpus<'_>, claims: &[(&Claim, ClaimFacts)]) -> Option<Self> {
        let most = claims
            .len()
            .saturating_add(corpus.len())
            .saturating_mul(PAIRS_PER_ENTRY)
            .max(1 << 16);
        let mut marks = Marks::new(corpus.len());
        let mut of_claim = Vec::with_capacity(claims.len());
        let mut of_row: Vec<Vec<ClaimIx>> = corpus.iter().map(|_| Vec::new()).collect();
        let mut count = 0usize;
        let partial = Ratio::from_basis_points(corpus.policy().thresholds().partial);
        let ever = Instant::from_ms(i64::MAX);
        for (ix, (claim, facts)) in (0..).zip(claims) {
            let contender = Contender { claim, facts };
            let mut found = Found {
                corpus,
                contender,
                partial,
                rows: Vec::new(),
            };
            if facts.assignable {
                corpus.visit_sharing(claim, facts, ever, &mut marks, &mut found);
            }
            count = count.saturating_add(found.rows.len());
            if count > most {
                return None;
            }
            for (_, row) in &found.rows {
                if let Some(list) = usize::try_from(*row).ok().and_then(|at| of_row.get_mut(at)) {
                    list.push(ix);
                }
            }
            of_claim.push(found.rows);
        }
        Some(Self { of_claim, of_row })
    }
}

/// Collects a claim's pairs at or above partial.
struct Found<'c, 'a> {
    corpus: &'c Corpus<'a>,
    contender: Contender<'c>,
    partial: Ratio,
    rows: Vec<(Ratio, RowIx)>,
}

impl Visitor for Found<'_, '_> {
    fn wanted(&self) -> Ratio {
        self.partial
    }

    fn visit(&mut self, ix: RowIx) {
        let score = self
            .corpus
            .score_reaching(self.contender.facts, ix, self.partial);
        self.rows.extend(score.map(|score| (score, ix)));
    }
}
