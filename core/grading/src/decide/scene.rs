//! One instant of one corpus, with who holds what: everything a single grade
//! is made in. A batch makes one; replay makes one per stored batch.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use attest_canon::hash::sha256_of_digests;
use attest_canon::{Digest, sha256};

use crate::model::{
    ActionType, Claim, Coverage, GradeContext, Instant, Observation, Outcome, ReceiptSignal,
    Signals,
};

use super::assign::{Contender, Holders, best_candidate};
use super::batch::Graded;
use super::conditions::{Best, GradeInput, Judge, Subject};
use super::corpus::{Corpus, RowIx};
use super::facts::ClaimFacts;
use super::features::{AddressMatch, address_match, value};
use super::grade::{InputHashes, decide, receipt};
use super::grants::InForce;
use super::raise::{Raise, raise};
use super::ratio::Ratio;
use super::retrieval::Marks;

/// Buffers reused from grade to grade within one corpus and instant.
#[derive(Debug)]
pub(crate) struct Scratch {
    marks: Marks,
    rows: Vec<RowIx>,
    /// The candidates of claims that hold no row, by their window: their hash
    /// and the one of smallest id.
    shared: BTreeMap<WindowKey, (Digest, Option<RowIx>)>,
}

/// Type, window and first-seen bound: claims that share these share their
/// candidates.
type WindowKey = (ActionType, Instant, Instant, Instant);

impl Scratch {
    /// Buffers for a corpus of this many rows.
    pub(crate) fn new(rows: usize) -> Self {
        Self {
            marks: Marks::new(rows),
            rows: Vec::new(),
            shared: BTreeMap::new(),
        }
    }

    /// Forgets what held at one instant only.
    pub(crate) fn next_instant(&mut self) {
        self.shared.clear();
    }
}

/// A corpus at an instant.
#[derive(Clone, Copy)]
pub(crate) struct Scene<'s> {
    pub(crate) corpus: &'s Corpus<'s>,
    pub(crate) holders: &'s dyn Holders,
    pub(crate) coverage: &'s Coverage,
    pub(crate) coverage_hash: Digest,
    pub(crate) scratch: &'s RefCell<Scratch>,
}

/// What one claim, orphan or scope is graded with.
pub(crate) struct Prepared<'s> {
    pub(crate) subject: Subject<'s>,
    pub(crate) in_force: &'s InForce<'s>,
    pub(crate) context: GradeContext,
    pub(crate) best: Option<(RowIx, Ratio, Raise)>,
    pub(crate) candidates_hash: Digest,
}

impl<'s> Scene<'s> {
    /// The batch's instant.
    pub(crate) fn at(&self) -> Instant {
        self.coverage.evaluated_at.instant()
    }

    pub(crate) fn prepare_claim(
        &self,
        claim: &'s Claim,
        facts: &'s ClaimFacts,
        in_force: &'s InForce<'s>,
        context: GradeContext,
    ) -> Prepared<'s> {
        let (candidates_hash, smallest) = self.candidates(claim, facts);
        let contender = Contender { claim, facts };
        let marks = &mut self.scratch.borrow_mut().marks;
        let best = best_candidate(
            self.corpus,
            contender,
            self.holders,
            self.at(),
            smallest,
            marks,
        );
        let best = best.and_then(|(ix, floor)| {
            let id = self.corpus.row(ix)?.observation.id;
            Some((ix, floor, raise(id, floor, &context, self.corpus.policy())))
        });
        Prepared {
            subject: Subject::Claim { claim, facts },
            in_force,
            context,
            best,
            candidates_hash,
        }
    }

    /// An orphan, with the attribution in its context.
    pub(crate) fn prepare_orphan(
        &self,
        orphan: &'s Observation,
        in_force: &'s InForce<'s>,
        context: GradeContext,
    ) -> Prepared<'s> {
        let row = self
            .corpus
            .find(orphan.id)
            .and_then(|ix| self.corpus.row(ix));
        Prepared {
            subject: Subject::Orphan { orphan },
            in_force,
            context,
            best: None,
            candidates_hash: sha256_of_digests(row.map(|row| &row.ref_hash)),
        }
    }

    /// A scope, named by its context.
    pub(crate) fn prepare_scope(
        &self,
        scope: &'s str,
        in_force: &'s InForce<'s>,
        context: GradeContext,
    ) -> Prepared<'s> {
        Prepared {
            subject: Subject::Scope {
                agent: in_force.grant.agent,
                scope,
            },
            in_force,
            context,
            best: None,
            candidates_hash: sha256(b""),
        }
    }

    /// The candidates handed to a claim's grade, in id order: its own, less
    /// those others hold (§4.3).
    pub(crate) fn open_candidates(&self, claim: &Claim, facts: &ClaimFacts, out: &mut Vec<RowIx>) {
        if let Some(free) = self.holders.free_rows() {
            let own = self.holders.assigned(claim.id).map(|(ix, _)| ix);
            self.corpus
                .free_candidates_by_id(claim, facts, self.at(), (free, own), out);
        } else {
            self.corpus.candidates_by_id(claim, facts, self.at(), out);
            out.retain(|ix| self.holders.open_to(*ix, claim.id));
        }
    }

    /// Their hash, and the one of smallest id.
    fn candidates(&self, claim: &Claim, facts: &ClaimFacts) -> (Digest, Option<RowIx>) {
        let holds_row = self.holders.assigned(claim.id).is_some();
        let key = facts.window.filter(|_| !holds_row).map(|window| {
            let created = claim.action == ActionType::CalendarCreated;
            let bound = if created {
                facts.deadlines.first_seen_from
            } else {
                window.from
            };
            (claim.action, window.from, window.to, bound)
        });
        let scratch = &mut *self.scratch.borrow_mut();
        if let Some(found) = key.and_then(|key| scratch.shared.get(&key)) {
            return *found;
        }
        self.open_candidates(claim, facts, &mut scratch.rows);
        let rows = scratch.rows.iter().filter_map(|ix| self.corpus.row(*ix));
        let found = (
            sha256_of_digests(rows.map(|row| &row.ref_hash)),
            scratch.rows.first().copied(),
        );
        if let Some(key) = key {
            scratch.shared.insert(key, found);
        }
        found
    }

    /// Grades what was prepared.
    pub(crate) fn finish(&self, prepared: &Prepared<'s>) -> (Graded, Outcome) {
        let (input, address, signals) = self.grade_input(prepared);
        let judge = Judge::new(&input);
        let decision = decide(&judge);
        let hashes = self.hashes(prepared);
        let graded = Graded {
            receipt: receipt(&judge, &decision, &hashes, address, signals),
            grant: Arc::clone(&prepared.in_force.kept),
            context: prepared.context.clone(),
            floor: prepared.best.map(|(_, floor, _)| floor),
            score: prepared.best.map(|(.., raise)| raise.score),
        };
        (graded, decision.outcome)
    }

    pub(crate) fn hashes(&self, prepared: &Prepared<'_>) -> InputHashes {
        InputHashes {
            candidates: prepared.candidates_hash,
            grant: prepared.in_force.hash,
            coverage: self.coverage_hash,
        }
    }

    /// The inputs of one grade, how the best candidate's address compares, and
    /// the signals to show.
    pub(crate) fn grade_input<'p>(
        &self,
        prepared: &'p Prepared<'s>,
    ) -> (GradeInput<'p>, Option<AddressMatch>, Signals)
    where
        's: 'p,
    {
        let policy = self.corpus.policy();
        let mut best = None;
        let mut address = None;
        let mut signals = Signals::default();
        if let (Subject::Claim { facts, .. }, Some((ix, floor, raise))) =
            (prepared.subject, prepared.best)
            && let Some(row) = self.corpus.row(ix)
        {
            best = Some(Best {
                observation: row.observation,
                floor,
                score: raise.score,
            });
            address = address_match(facts, &row.facts);
            for feature in &facts.applicable {
                let value = value(*feature, facts, &row.facts, policy);
                signals.set(feature.signal(), value.ratio().display());
            }
            if let Some(model) = raise.model {
                signals.set(
                    ReceiptSignal::ModelScore,
                    Ratio::from_basis_points(model).display(),
                );
            }
            signals.set(ReceiptSignal::Score, raise.score.display());
        }
        let input = GradeInput {
            subject: prepared.subject,
            grant: prepared.in_force.grant,
            permits: &prepared.in_force.permits,
            policy,
            coverage: &prepared.in_force.coverage,
            evaluated_at: self.coverage.evaluated_at,
            context: &prepared.context,
            best,
        };
        (input, address, signals)
    }
}
