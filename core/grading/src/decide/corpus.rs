//! The observations a batch or a ledger holds, indexed (§4.1, §4.2).
//!
//! Every read is bounded in time. A claim's pairs are found through what they
//! share: two rows that share no content with a claim both score 0, so those
//! pairs are never formed.

use std::collections::BTreeMap;

use attest_canon::hash::sha256_of_digests;
use attest_canon::{Digest, Id};

use crate::model::hashes::ref_hash;
use crate::model::{ActionType, Claim, Feature, Instant, Interval, Observation};
use crate::policy::Policy;

use super::facts::{ClaimFacts, Party, RowFacts, Word, Words};
use super::features::{PairScore, edge_ms, score, score_reaching};
use super::ratio::Ratio;

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

/// What a pair can share, as the key of a posting list.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Key {
    Mailbox(Word),
    Domain(Word),
    LocalWord(Word),
    Subject(Word),
    Amount(i64, [u8; 3]),
    Merchant(Word),
}

/// The relevant rows of one type, in (occurredAt, id, contentHash) order.
#[derive(Debug, Default)]
struct TypeIndex {
    rows: Vec<RowIx>,
    occurred: Vec<Instant>,
    /// The rows in id order, for the Merkle step of `candidatesHash`.
    by_id: Vec<RowIx>,
    /// Rows by what they hold; each list in `rows` order.
    postings: BTreeMap<Key, Vec<RowIx>>,
}

/// Prepared claims and rows under one policy.
#[derive(Debug)]
pub struct Corpus<'a> {
    policy: &'a Policy,
    rows: Vec<Row<'a>>,
    by_id: BTreeMap<Id, RowIx>,
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
        let mut kept: BTreeMap<Id, &'a Observation> = BTreeMap::new();
        for row in observations {
            if horizon.is_some_and(|horizon| row.observed_at.instant() > horizon) {
                continue;
            }
            kept.entry(row.id)
                .and_modify(|held| {
                    if representative_key(row) < representative_key(held) {
                        *held = row;
                    }
                })
                .or_insert(row);
        }
        let mut ordered: Vec<&'a Observation> = kept.into_values().collect();
        ordered.sort_by_key(|row| (row.occurred_at.instant(), row.id, row.content_hash));

        let mut words = Words::default();
        let mut rows = Vec::with_capacity(ordered.len());
        let mut by_id = BTreeMap::new();
        let mut types: Vec<TypeIndex> = ActionType::ALL
            .iter()
            .map(|_| TypeIndex::default())
            .collect();
        for observation in ordered {
            let ix = RowIx::try_from(rows.len()).unwrap_or(RowIx::MAX);
            let facts = RowFacts::read(observation, policy, &mut words);
            let relevant = from_relevant_source(observation, policy);
            by_id.insert(observation.id, ix);
            if relevant && let Some(index) = types.get_mut(observation.action.index()) {
                index.add(ix, &facts);
            }
            rows.push(Row {
                observation,
                ref_hash: ref_hash(observation),
                facts,
                relevant,
            });
        }
        let mut corpus = Self {
            policy,
            rows,
            by_id,
            types,
            words,
        };
        for index in &mut corpus.types {
            let rows = &corpus.rows;
            index.by_id = index.rows.clone();
            index.by_id.sort_by_key(|ix| row_id(rows, *ix));
        }
        corpus
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
        self.rows.get(usize::try_from(ix).ok()?)
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
        let rows = self.by_id.values().filter_map(|ix| self.row(*ix));
        sha256_of_digests(rows.map(|row| &row.ref_hash))
    }

    /// The place of an observation.
    #[must_use]
    pub fn find(&self, id: Id) -> Option<RowIx> {
        self.by_id.get(&id).copied()
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
            .flat_map(move |index| index.within(window))
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
        let Some(index) = self.types.get(claim.action.index()) else {
            return;
        };
        let within = index.within(facts.window);
        // A window that holds most of the type's rows is read off the id order;
        // a narrow one is sorted by itself.
        if within.len().saturating_mul(8) > index.rows.len() {
            out.extend(
                index
                    .by_id
                    .iter()
                    .copied()
                    .filter(|ix| self.is_candidate(claim, facts, *ix, at)),
            );
        } else {
            out.extend(
                within
                    .iter()
                    .copied()
                    .filter(|ix| self.passes(claim, facts, *ix, at)),
            );
            out.sort_unstable_by_key(|ix| row_id(&self.rows, *ix));
        }
    }

    /// The part of [`Self::is_candidate`] that the index does not already give.
    fn passes(&self, claim: &Claim, facts: &ClaimFacts, ix: RowIx, at: Instant) -> bool {
        self.row(ix).is_some_and(|row| {
            row.facts.observed <= at && passes_first_seen(claim.action, facts, row)
        })
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

    /// Visits each candidate that shares content with the claim once: every
    /// candidate that can score above 0 and reach what the visitor wants. The
    /// most a row not met so far can score falls from list to list, which ends
    /// the visit early, and falls with distance in time, which narrows each
    /// list. `marks` belongs to this corpus.
    pub(crate) fn visit_sharing<V>(
        &self,
        claim: &Claim,
        facts: &ClaimFacts,
        at: Instant,
        marks: &mut Marks,
        visitor: &mut V,
    ) where
        V: Visitor,
    {
        let (Some(index), Some(window)) = (self.types.get(claim.action.index()), facts.window)
        else {
            return;
        };
        marks.next();
        for probe in self.probes(index, facts) {
            let Some(reach) = self.reach(facts, window, probe.bound, visitor.wanted()) else {
                return;
            };
            for ix in self.within(probe.rows, reach) {
                if marks.mark(*ix) && self.passes(claim, facts, *ix, at) {
                    visitor.visit(*ix);
                }
            }
        }
    }

    /// The part of the window in which a row of this bound can still reach a
    /// score; `None` when none can. The bound counts time as 1; a row that
    /// needs time `1 − slack/weight` lies within that share of the way from the
    /// tolerance to the edge.
    fn reach(
        &self,
        facts: &ClaimFacts,
        window: Interval,
        bound: Ratio,
        wanted: Ratio,
    ) -> Option<Interval> {
        if bound < wanted {
            return None;
        }
        let total = u128::from(facts.total_weight);
        let weight = u128::from(self.policy.weight(Feature::TimeProximity).get());
        if weight == 0 || !facts.applicable.contains(&Feature::TimeProximity) {
            return Some(window);
        }
        // slack / weight, rounded up, as millionths: what time may lose.
        let scale = 1_000_000u128;
        let of = |ratio: Ratio| {
            let scaled = ratio.numerator().checked_mul(total)?.checked_mul(scale)?;
            scaled.checked_div(ratio.denominator())
        };
        let lost = of(bound)
            .zip(of(wanted))
            .and_then(|(bound, wanted)| {
                bound
                    .checked_sub(wanted)?
                    .checked_add(1)?
                    .checked_div(weight)
            })
            .and_then(|lost| i64::try_from(lost.saturating_add(1)).ok())
            .filter(|lost| *lost < 1_000_000);
        let Some(lost) = lost else {
            return Some(window);
        };
        let tolerance = self.policy.windows().tolerance_ms;
        let far = |earlier: bool| {
            let slope = edge_ms(facts, earlier, self.policy).saturating_sub(tolerance);
            // Divided first, so that no product overflows; one more is added.
            let share = slope
                .div_euclid(1_000_000)
                .saturating_add(1)
                .saturating_mul(lost);
            tolerance.saturating_add(share).saturating_add(1)
        };
        Some(Interval {
            from: window.from.max(facts.time_to.from.minus(far(true))),
            to: window.to.min(facts.time_to.to.plus(far(false))),
        })
    }

    /// The posting lists a claim's candidates stand in, with the most a row
    /// that stands in none of those before can score. What identifies comes
    /// first, then words, the rarest first: a row that holds none of a set's
    /// rarer words shares at most the others.
    fn probes<'i>(&self, index: &'i TypeIndex, facts: &ClaimFacts) -> Vec<Probe<'i>> {
        let weight = |feature: Feature| {
            let applies = facts.applicable.contains(&feature);
            if applies {
                u64::from(self.policy.weight(feature).get())
            } else {
                0
            }
        };
        let total = u64::from(facts.total_weight);
        let rows = |key: Key| {
            index
                .postings
                .get(&key)
                .map(Vec::as_slice)
                .unwrap_or_default()
        };
        let bound = |left: u64, lost: u64, of: u64| {
            Ratio::new(
                u128::from(left.saturating_mul(of).saturating_sub(lost)),
                u128::from(total.saturating_mul(of)),
            )
            .unwrap_or(Ratio::ZERO)
        };
        let mut probes = Vec::new();
        let mut left = total;
        match &facts.party {
            Party::Address(address) => {
                probes.push(Probe {
                    rows: rows(Key::Mailbox(address.mailbox)),
                    bound: bound(left, 0, 1),
                });
                left = left.saturating_sub(weight(Feature::CounterpartyExact));
                probes.push(Probe {
                    rows: rows(Key::Domain(address.domain)),
                    bound: bound(left, 0, 1),
                });
                left = left.saturating_sub(weight(Feature::CounterpartyDomain));
            }
            Party::Name(words) => {
                // All of a name's words must be there, so its rarest finds them.
                let rarest = words
                    .iter()
                    .map(|word| rows(Key::LocalWord(*word)))
                    .min_by_key(|rows| rows.len());
                probes.extend(rarest.map(|rows| Probe {
                    rows,
                    bound: bound(left, 0, 1),
                }));
                left = left.saturating_sub(weight(Feature::CounterpartyName));
            }
            Party::None => {}
        }
        if let (Some(amount), Some(currency)) = (facts.amount, facts.currency)
            && let Some(key) = amount_key(amount.get(), currency.as_str())
        {
            probes.push(Probe {
                rows: rows(key),
                bound: bound(left, 0, 1),
            });
        }
        left = left.saturating_sub(weight(Feature::AmountExact));
        let mut words = |words: &[Word], key: fn(Word) -> Key, weight: u64| {
            let mut lists: Vec<&'i [RowIx]> = words.iter().map(|word| rows(key(*word))).collect();
            lists.sort_by_key(|rows| rows.len());
            let of = u64::try_from(lists.len()).unwrap_or(u64::MAX);
            for (met, rows) in (0u64..).zip(lists) {
                probes.push(Probe {
                    rows,
                    bound: bound(left, weight.saturating_mul(met), of),
                });
            }
            left = left.saturating_sub(weight);
        };
        if let Some(merchant) = &facts.merchant {
            words(
                &merchant.words,
                Key::Merchant,
                weight(Feature::MerchantMatch),
            );
        }
        words(
            &facts.subject,
            Key::Subject,
            weight(Feature::SubjectOverlap),
        );
        probes
    }

    /// The part of a posting list that occurred within a window.
    fn within<'l>(&self, list: &'l [RowIx], window: Interval) -> &'l [RowIx] {
        let occurred = |ix: &RowIx| self.row(*ix).map(|row| row.facts.occurred);
        let from = list.partition_point(|ix| occurred(ix) < Some(window.from));
        let to = list.partition_point(|ix| occurred(ix) <= Some(window.to));
        list.get(from..to).unwrap_or_default()
    }
}

/// What a visit does with the rows it meets.
pub(crate) trait Visitor {
    /// The least score that is still worth meeting.
    fn wanted(&self) -> Ratio;
    /// Takes one row.
    fn visit(&mut self, ix: RowIx);
}

/// A posting list to look through.
struct Probe<'i> {
    rows: &'i [RowIx],
    /// The most a row that stands in no earlier list can score.
    bound: Ratio,
}

/// Which rows one visit has met: a stamp per row, so that clearing costs nothing.
#[derive(Debug)]
pub(crate) struct Marks {
    stamps: Vec<u32>,
    current: u32,
}

impl Marks {
    pub(crate) fn new(rows: usize) -> Self {
        Self {
            stamps: vec![0; rows],
            current: 0,
        }
    }

    fn next(&mut self) {
        self.current = self.current.checked_add(1).unwrap_or_else(|| {
            self.stamps.fill(0);
            1
        });
    }

    /// Marks a row; `false` when it was marked already.
    fn mark(&mut self, ix: RowIx) -> bool {
        let slot = usize::try_from(ix)
            .ok()
            .and_then(|at| self.stamps.get_mut(at));
        match slot {
            Some(stamp) if *stamp != self.current => {
                *stamp = self.current;
                true
            }
            _ => false,
        }
    }
}

impl TypeIndex {
    fn add(&mut self, ix: RowIx, facts: &RowFacts) {
        self.rows.push(ix);
        self.occurred.push(facts.occurred);
        let mut post = |key: Key| {
            let list = self.postings.entry(key).or_default();
            if list.last() != Some(&ix) {
                list.push(ix);
            }
        };
        if let Some(address) = &facts.address {
            post(Key::Mailbox(address.mailbox));
            if !address.common_domain {
                post(Key::Domain(address.domain));
            }
        }
        facts
            .local_words
            .iter()
            .for_each(|word| post(Key::LocalWord(*word)));
        facts
            .subject
            .iter()
            .for_each(|word| post(Key::Subject(*word)));
        if let Some(merchant) = &facts.merchant {
            merchant
                .words
                .iter()
                .for_each(|word| post(Key::Merchant(*word)));
        }
        if let (Some(amount), Some(currency)) = (facts.amount, facts.currency)
            && let Some(key) = amount_key(amount.get(), currency.as_str())
        {
            post(key);
        }
    }

    fn within(&self, window: Option<Interval>) -> &[RowIx] {
        let Some(window) = window else {
            return &[];
        };
        let from = self.occurred.partition_point(|at| *at < window.from);
        let to = self.occurred.partition_point(|at| *at <= window.to);
        self.rows.get(from..to).unwrap_or_default()
    }
}

fn amount_key(cents: i64, currency: &str) -> Option<Key> {
    Some(Key::Amount(cents, currency.as_bytes().try_into().ok()?))
}

fn row_id(rows: &[Row<'_>], ix: RowIx) -> Option<Id> {
    let at = usize::try_from(ix).ok()?;
    rows.get(at).map(|row| row.observation.id)
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
