//! The observations a batch or a ledger holds, indexed (§4.1, §4.2).
//!
//! Every read is bounded in time. Which rows share something with a claim is
//! [`retrieval`](super::retrieval)'s to find.

use std::ops::Range;

use attest_canon::hash::sha256_of_digests;
use attest_canon::{Digest, Id};

use crate::model::hashes::ref_hash;
use crate::model::{ActionType, Claim, Instant, Interval, Observation};
use crate::policy::Policy;

use super::facts::{ClaimFacts, RowFacts};
use super::features::{PairScore, score, score_reaching};
use super::postings::Postings;
use super::ratio::Ratio;
use super::words::Words;

/// A row's place in its corpus.
pub type RowIx = u32;

/// One prepared observation.
#[derive(Debug)]
pub struct Row<'a> {
    /// The observation.
    pub observation: &'a Observation,
    pub(crate) facts: RowFacts,
    pub(crate) ref_hash: Digest,
    /// Its source is one the policy lists for its type (`fromRelevantSource`).
    pub(crate) relevant: bool,
}

/// Rows of one type, in (occurredAt, id, contentHash) order.
#[derive(Debug, Default)]
struct Rows {
    in_time: Vec<RowIx>,
    occurred: Vec<Instant>,
    /// The rows in id order, for the Merkle step of `candidatesHash`.
    by_id: Vec<RowIx>,
}

/// The relevant rows of one type.
#[derive(Debug, Default)]
struct TypeIndex {
    rows: Rows,
    postings: Postings,
}

/// The relevant rows nobody holds, by type.
#[derive(Debug)]
pub struct FreeRows(Vec<Rows>);

/// Prepared claims and rows under one policy.
#[derive(Debug)]
pub struct Corpus<'a> {
    policy: &'a Policy,
    rows: Vec<Row<'a>>,
    /// When each row occurred, ascending, and was observed, and its id: dense,
    /// because every visit asks.
    occurred: Vec<Instant>,
    observed: Vec<Instant>,
    ids: Vec<Id>,
    /// Every row in id order.
    by_id: Vec<(Id, RowIx)>,
    types: Vec<TypeIndex>,
    words: Words,
}

impl<'a> Corpus<'a> {
    /// Prepares rows. Of rows that share an id (one content hash), only the
    /// representative is kept: the one first seen earliest, then observed
    /// earliest, then by the smaller texts (§4.1). Rows observed after
    /// `horizon` do not exist for it.
    #[must_use]
    pub fn new(
        policy: &'a Policy,
        observations: impl IntoIterator<Item = &'a Observation>,
        horizon: Option<Instant>,
    ) -> Self {
        let mut ordered = representatives(observations, horizon);
        // Their ids differ, so the content hash never has to decide.
        ordered.sort_unstable_by_key(|Keyed { id, occurred, .. }| (*occurred, *id));

        let mut words = Words::default();
        let mut rows = Vec::with_capacity(ordered.len());
        let mut by_id = Vec::with_capacity(ordered.len());
        let mut types: Vec<TypeIndex> = ActionType::ALL
            .iter()
            .map(|_| TypeIndex::default())
            .collect();
        for (
            ix,
            Keyed {
                id, observation, ..
            },
        ) in (0..).zip(&ordered)
        {
            let facts = RowFacts::read(observation, policy, &mut words);
            let relevant = from_relevant_source(observation, policy);
            if relevant && let Some(index) = types.get_mut(observation.action.index()) {
                index.rows.add(ix, facts.occurred);
            }
            by_id.push((*id, ix));
            rows.push(Row {
                observation,
                ref_hash: ref_hash(observation),
                facts,
                relevant,
            });
        }
        for index in &mut types {
            let of_type = index.rows.in_time.iter();
            index.postings =
                Postings::new(of_type.filter_map(|ix| Some((*ix, &row(&rows, *ix)?.facts))));
        }
        by_id.sort_unstable();
        for (_, ix) in &by_id {
            if let Some(row) = row(&rows, *ix)
                && row.relevant
                && let Some(index) = types.get_mut(row.observation.action.index())
            {
                index.rows.by_id.push(*ix);
            }
        }
        Self {
            policy,
            occurred: ordered.iter().map(|row| row.occurred).collect(),
            observed: rows.iter().map(|row| row.facts.observed).collect(),
            ids: ordered.iter().map(|row| row.id).collect(),
            rows,
            by_id,
            types,
            words,
        }
    }

    /// The policy the corpus was prepared under.
    #[must_use]
    pub const fn policy(&self) -> &'a Policy {
        self.policy
    }

    /// Reads a claim against this corpus' word numbers.
    pub fn read_claim(&mut self, claim: &Claim) -> ClaimFacts {
        ClaimFacts::read(claim, self.policy, &mut self.words)
    }

    /// A row.
    #[must_use]
    pub fn row(&self, ix: RowIx) -> Option<&Row<'a>> {
        row(&self.rows, ix)
    }

    /// How many rows there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Every row with its place, in (occurredAt, id, contentHash) order.
    pub fn iter(&self) -> impl Iterator<Item = (RowIx, &Row<'a>)> {
        (0..).zip(&self.rows)
    }

    /// The `candidatesHash` of every row: their reference hashes in id order.
    pub(crate) fn hash_of_all(&self) -> Digest {
        let rows = self.by_id.iter().filter_map(|(_, ix)| self.row(*ix));
        sha256_of_digests(rows.map(|row| &row.ref_hash))
    }

    /// The places of the rows that occurred within an interval.
    pub(super) fn places(&self, within: Interval) -> Range<RowIx> {
        let place = |count: usize| RowIx::try_from(count).unwrap_or(RowIx::MAX);
        let from = self.occurred.partition_point(|at| *at < within.from);
        let to = self.occurred.partition_point(|at| *at <= within.to);
        place(from)..place(to)
    }

    /// The place of an observation.
    #[must_use]
    pub fn find(&self, id: Id) -> Option<RowIx> {
        let place = self.by_id.binary_search_by_key(&id, |(id, _)| *id).ok()?;
        self.by_id.get(place).map(|(_, ix)| *ix)
    }

    /// The id of a row's observation.
    pub(super) fn id(&self, ix: RowIx) -> Option<Id> {
        self.ids.get(usize::try_from(ix).ok()?).copied()
    }

    /// What the relevant rows of a type hold.
    pub(super) fn postings(&self, action: ActionType) -> Option<&Postings> {
        self.types.get(action.index()).map(|index| &index.postings)
    }

    /// Whether a row is a candidate of a claim at an instant (§4.1): of its
    /// type, from a relevant source, in its window, stored by then and, for
    /// `calendar.created`, not seen before the claim could have made it.
    #[must_use]
    pub fn is_candidate(&self, claim: &Claim, facts: &ClaimFacts, ix: RowIx, at: Instant) -> bool {
        self.row(ix).is_some_and(|row| {
            row.relevant
                && row.observation.action == claim.action
                && row.facts.observed <= at
                && facts
                    .window
                    .is_some_and(|window| window.holds(row.facts.occurred))
                && passes_first_seen(claim.action, facts, row)
        })
    }

    /// The claim's candidates at an instant, in (occurredAt, id, contentHash)
    /// order.
    pub fn candidates<'c>(
        &'c self,
        claim: &'c Claim,
        facts: &'c ClaimFacts,
        at: Instant,
    ) -> impl Iterator<Item = RowIx> + 'c {
        let index = self.types.get(claim.action.index());
        let window = facts.window;
        index
            .into_iter()
            .flat_map(move |index| index.rows.within(window))
            .copied()
            .filter(move |ix| self.passes(claim, facts, *ix, at))
    }

    /// The claim's candidates at an instant, in id order.
    pub(crate) fn candidates_by_id(
        &self,
        claim: &Claim,
        facts: &ClaimFacts,
        at: Instant,
        out: &mut Vec<RowIx>,
    ) {
        out.clear();
        if let Some(index) = self.types.get(claim.action.index()) {
            self.collect(claim, facts, at, &index.rows, out);
        }
    }

    /// Those of the claim's candidates that nobody holds, and `own`, which the
    /// claim itself holds; in id order.
    pub(crate) fn free_candidates_by_id(
        &self,
        claim: &Claim,
        facts: &ClaimFacts,
        at: Instant,
        (free, own): (&FreeRows, Option<RowIx>),
        out: &mut Vec<RowIx>,
    ) {
        out.clear();
        if let Some(rows) = free.0.get(claim.action.index()) {
            self.collect(claim, facts, at, rows, out);
        }
        if let Some(own) = own {
            let id = self.id(own);
            let place = out.partition_point(|ix| self.id(*ix) < id);
            out.insert(place, own);
        }
    }

    /// Adds those of one type's rows that are the claim's candidates, in id order.
    fn collect(
        &self,
        claim: &Claim,
        facts: &ClaimFacts,
        at: Instant,
        rows: &Rows,
        out: &mut Vec<RowIx>,
    ) {
        let within = rows.within(facts.window);
        // A window that holds most of the type's rows is read off the id order;
        // a narrow one is sorted by itself.
        if within.len().saturating_mul(8) > rows.in_time.len() {
            let all = rows.by_id.iter().copied();
            out.extend(all.filter(|ix| self.is_candidate(claim, facts, *ix, at)));
        } else {
            let within = within.iter().copied();
            out.extend(within.filter(|ix| self.passes(claim, facts, *ix, at)));
            out.sort_unstable_by_key(|ix| self.id(*ix));
        }
    }

    /// The relevant rows of which this holds.
    pub(crate) fn free_rows(&self, is_free: impl Fn(RowIx) -> bool) -> FreeRows {
        let of_type = |index: &TypeIndex| {
            let mut free = Rows::default();
            for (ix, occurred) in index.rows.in_time.iter().zip(&index.rows.occurred) {
                if is_free(*ix) {
                    free.add(*ix, *occurred);
                }
            }
            let by_id = index.rows.by_id.iter().copied();
            free.by_id = by_id.filter(|ix| is_free(*ix)).collect();
            free
        };
        FreeRows(self.types.iter().map(of_type).collect())
    }

    /// The part of [`Self::is_candidate`] that the index does not already give.
    pub(super) fn passes(&self, claim: &Claim, facts: &ClaimFacts, ix: RowIx, at: Instant) -> bool {
        let observed = usize::try_from(ix)
            .ok()
            .and_then(|at| self.observed.get(at));
        observed.is_some_and(|observed| *observed <= at)
            && (claim.action != ActionType::CalendarCreated
                || self
                    .row(ix)
                    .is_some_and(|row| passes_first_seen(claim.action, facts, row)))
    }

    /// The exact score of a pair.
    #[must_use]
    pub fn score(&self, facts: &ClaimFacts, ix: RowIx) -> Option<PairScore> {
        Some(score(facts, &self.row(ix)?.facts, self.policy))
    }

    /// The exact score of a pair when it is above 0 and at least `wanted`.
    pub(crate) fn score_reaching(
        &self,
        facts: &ClaimFacts,
        ix: RowIx,
        wanted: Ratio,
    ) -> Option<Ratio> {
        score_reaching(facts, &self.row(ix)?.facts, self.policy, wanted)
    }
}

impl Rows {
    fn add(&mut self, ix: RowIx, occurred: Instant) {
        self.in_time.push(ix);
        self.occurred.push(occurred);
    }

    fn within(&self, window: Option<Interval>) -> &[RowIx] {
        let Some(window) = window else {
            return &[];
        };
        let from = self.occurred.partition_point(|at| *at < window.from);
        let to = self.occurred.partition_point(|at| *at <= window.to);
        self.in_time.get(from..to).unwrap_or_default()
    }
}

fn row<'r, 'a>(rows: &'r [Row<'a>], ix: RowIx) -> Option<&'r Row<'a>> {
    rows.get(usize::try_from(ix).ok()?)
}

/// An observation with what orders it.
struct Keyed<'a> {
    id: Id,
    occurred: Instant,
    observation: &'a Observation,
}

/// One observation per id, in id order: of those that share one, the
/// representative (§4.1). Those observed after `horizon` are left out.
fn representatives<'a>(
    observations: impl IntoIterator<Item = &'a Observation>,
    horizon: Option<Instant>,
) -> Vec<Keyed<'a>> {
    let mut seen: Vec<Keyed<'a>> = observations
        .into_iter()
        .filter(|row| horizon.is_none_or(|horizon| row.observed_at.instant() <= horizon))
        .map(|observation| Keyed {
            id: observation.id,
            occurred: observation.occurred_at.instant(),
            observation,
        })
        .collect();
    seen.sort_by_key(|row| row.id);
    seen.dedup_by(|row, held| {
        let same = row.id == held.id;
        if same && representative_key(row.observation) < representative_key(held.observation) {
            core::mem::swap(row, held);
        }
        same
    });
    seen
}

/// Whether the row's source is one the policy lists for its type
/// (`fromRelevantSource`, §4.1): any other neither verifies a claim nor
/// accuses an agent.
#[must_use]
pub fn from_relevant_source(row: &Observation, policy: &Policy) -> bool {
    policy.sources(row.action).contains(&row.source)
}

/// `passesFirstSeen` (§4.1): an event seen before a `calendar.created` claim
/// could have made it is never created by it.
fn passes_first_seen(action: ActionType, claim: &ClaimFacts, row: &Row<'_>) -> bool {
    action != ActionType::CalendarCreated || row.facts.first_seen >= claim.deadlines.first_seen_from
}

/// What orders rows of one content hash (`representative`, §4.1).
fn representative_key(row: &Observation) -> (Instant, Instant, String, Option<String>) {
    (
        row.first_seen_at().instant(),
        row.observed_at.instant(),
        row.observed_at.to_string(),
        row.sighted_at.map(|at| at.to_string()),
    )
}
