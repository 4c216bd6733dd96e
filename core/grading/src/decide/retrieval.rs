//! Which candidates can score above 0 with a claim (§4.2).
//!
//! A pair is found through what it shares: rows that share no content with a
//! claim all score 0, so those pairs are never formed. Nor are pairs that share
//! too little to reach what is asked for.

use std::ops::Range;

use crate::model::{Claim, Feature, Instant, Interval};

use super::corpus::{Corpus, RowIx};
use super::facts::{ClaimFacts, Party};
use super::features::edge_ms;
use super::postings::{Kind, Postings};
use super::ratio::Ratio;
use super::words::{Word, WordSet};

/// What a visit does with the rows it meets.
pub(crate) trait Visitor {
    /// The least score that is still worth meeting.
    fn wanted(&self) -> Ratio;
    /// Takes one row.
    fn visit(&mut self, ix: RowIx);
}

/// A posting list to look through. Sums of weights are in parts of
/// [`Probes::whole`].
struct Probe<'i> {
    rows: &'i [RowIx],
    /// The most a row that stands in no earlier list can add up to.
    bound: u128,
    /// What standing in this list adds at most.
    adds: u128,
}

/// The posting lists to look through, in order.
struct Probes<'i> {
    lists: Vec<Probe<'i>>,
    /// What a row that stands in none adds up to at most: its time.
    alone: u128,
    /// What a score of 1 adds up to.
    whole: u128,
}

impl Probes<'_> {
    /// The least sum that reaches a score; 0, which leaves nothing out, where
    /// it cannot be told in 128 bits.
    fn least(&self, wanted: Ratio) -> u128 {
        let scaled = wanted.numerator().checked_mul(self.whole);
        scaled.map_or(0, |scaled| scaled.div_ceil(wanted.denominator()))
    }
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

/// The part of an ascending list that lies in a range of places.
fn within<'l>(list: &'l [RowIx], places: &Range<RowIx>) -> &'l [RowIx] {
    let from = list.partition_point(|ix| *ix < places.start);
    let to = list.partition_point(|ix| *ix < places.end);
    list.get(from..to).unwrap_or_default()
}

/// Calls `found` for each row of one ascending list that stands in another,
/// with its place in the first.
fn common(a: &[RowIx], mut b: &[RowIx], mut found: impl FnMut(usize)) {
    // In a list not much longer every place is looked at; in a longer one
    // doubling steps find where to look.
    let leaps = b.len() / 8 > a.len();
    for (place, ix) in a.iter().enumerate() {
        if leaps {
            let mut step = 1usize;
            while b.get(step).is_some_and(|at| at < ix) {
                step = step.saturating_mul(2);
            }
            let near = b.get(..=step).unwrap_or(b);
            let skip = near.partition_point(|at| at < ix);
            b = b.get(skip..).unwrap_or_default();
        }
        while let [first, rest @ ..] = b {
            if first >= ix {
                break;
            }
            b = rest;
        }
        match b.first() {
            Some(first) if first == ix => found(place),
            Some(_) => {}
            None => return,
        }
    }
}

impl Corpus<'_> {
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
        let (Some(postings), Some(window)) = (self.postings(claim.action), facts.window) else {
            return;
        };
        marks.next();
        let probes = self.probes(postings, facts);
        let score = |sum: u128| Ratio::new(sum, probes.whole).unwrap_or(Ratio::ZERO);
        let mut rest = probes.lists.as_slice();
        while let [probe, later @ ..] = rest {
            rest = later;
            let wanted = visitor.wanted();
            let least = probes.least(wanted);
            let Some(reach) = self.reach(facts, window, score(probe.bound), wanted) else {
                return;
            };
            let reach = self.places(reach);
            let mut meet = |ix: RowIx| {
                if marks.mark(ix) && self.passes(claim, facts, ix, at) {
                    visitor.visit(ix);
                }
            };
            let rows = within(probe.rows, &reach);
            let alone = probes.alone.saturating_add(probe.adds);
            if alone < least {
                // No row reaches it by this alone: what else it shares is read
                // off the lists before any pair is formed.
                let mut sums = vec![alone; rows.len()];
                for other in later {
                    common(rows, within(other.rows, &reach), |place| {
                        if let Some(sum) = sums.get_mut(place) {
                            *sum = sum.saturating_add(other.adds);
                        }
                    });
                }
                let reaching = rows.iter().zip(sums);
                reaching
                    .filter(|(_, sum)| *sum >= least)
                    .for_each(|(ix, _)| meet(*ix));
            } else {
                rows.iter().copied().for_each(meet);
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
        let weight = u128::from(self.policy().weight(Feature::TimeProximity).get());
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
        let tolerance = self.policy().windows().tolerance_ms;
        let far = |earlier: bool| {
            let slope = edge_ms(facts, earlier, self.policy()).saturating_sub(tolerance);
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
    /// that stands in none of those before can score. Who it is about comes
    /// first, then the amount and the words, the rarest first: a row that holds
    /// none of a set's rarer words shares at most the others.
    fn probes<'i>(&self, postings: &'i Postings, facts: &ClaimFacts) -> Probes<'i> {
        let merchant_words = facts.merchant.as_ref().map(|merchant| &merchant.words);
        let merchant_words = merchant_words.map(WordSet::as_slice).unwrap_or_default();
        let count = |words: &[Word]| u128::try_from(words.len()).unwrap_or(1).max(1);
        let (merchants, subjects) = (count(merchant_words), count(&facts.subject));
        // One part is a basis point, divided so that each word's share is whole.
        let parts = merchants.saturating_mul(subjects);
        let weight = |feature: Feature| {
            let applies = facts.applicable.contains(&feature);
            let weight = if applies {
                self.policy().weight(feature).get()
            } else {
                0
            };
            u128::from(weight).saturating_mul(parts)
        };
        // A row shares at least as many words with the union as with the claim,
        // so each adds at most its share of the claim's own set.
        let share = |feature: Feature, words: u128| weight(feature).checked_div(words).unwrap_or(0);
        let merchant_word = share(Feature::MerchantMatch, merchants);
        let subject_word = share(Feature::SubjectOverlap, subjects);

        let whole = u128::from(facts.total_weight).saturating_mul(parts);
        let mut lists = Vec::new();
        let mut left = whole;
        let mut probe = |rows: &'i [RowIx], adds: u128, spends: u128| {
            lists.push(Probe {
                rows,
                bound: left,
                adds,
            });
            left = left.saturating_sub(spends);
        };
        match &facts.party {
            Party::Address(address) => {
                let exact = weight(Feature::CounterpartyExact);
                let domain = weight(Feature::CounterpartyDomain);
                let both = exact.saturating_add(domain);
                probe(postings.list(Kind::Mailbox, address.mailbox), both, exact);
                probe(postings.list(Kind::Domain, address.domain), domain, domain);
            }
            Party::Name(words) => {
                // All of a name's words must be there, so its rarest finds them.
                let rarest = words
                    .iter()
                    .map(|word| postings.list(Kind::LocalWord, *word))
                    .min_by_key(|rows| rows.len())
                    .unwrap_or_default();
                let name = weight(Feature::CounterpartyName);
                probe(rarest, name, name);
            }
            Party::None => {}
        }
        let amount = weight(Feature::AmountExact);
        let same_amount = facts
            .amount
            .zip(facts.currency)
            .map(|(amount, currency)| postings.of_amount(amount.get(), currency.as_str()))
            .unwrap_or_default();
        let merchant = merchant_words
            .iter()
            .map(|word| (postings.list(Kind::Merchant, *word), merchant_word));
        let subject = facts
            .subject
            .iter()
            .map(|word| (postings.list(Kind::Subject, *word), subject_word));
        let mut others: Vec<(&'i [RowIx], u128)> = merchant.chain(subject).collect();
        others.push((same_amount, amount));
        others.sort_by_key(|(rows, _)| rows.len());
        for (rows, adds) in others {
            probe(rows, adds, adds);
        }
        Probes {
            lists,
            alone: left,
            whole,
        }
    }
}

#[cfg(test)]
#[allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "tests state small known worlds"
)]
mod tests {
    use std::collections::BTreeSet;

    use attest_canon::{Digest, Id, sha256};
    use proptest::prelude::*;

    use super::*;
    use crate::model::{
        ActionType, AgentId, Cents, Currency, IsoTs, Observation, Precision, Source, Token,
    };
    use crate::policy::{DEFAULT_POLICY, Policy, load_policy};

    /// What a claim and a row both tell: who, which words, how much, and when
    /// in minutes after 14:00.
    type Told = (usize, Vec<usize>, Vec<usize>, i64, u8);

    const PARTIES: [&str; 8] = [
        "ann@acme.example",
        "ann+list@acme.example",
        "bob@acme.example",
        "ann@gmail.com",
        "ann.lee@other.example",
        "Ann Lee",
        "Lee",
        "Bob",
    ];
    const WORDS: [&str; 6] = ["deck", "budget", "q3", "review", "offer", "rare"];

    fn told() -> impl Strategy<Value = Told> {
        let words = || proptest::collection::vec(0..WORDS.len(), 0..4);
        (0..PARTIES.len(), words(), words(), 1..4i64, 0..50u8)
    }

    fn words(places: &[usize]) -> String {
        let words: Vec<&str> = places.iter().map(|place| WORDS[*place]).collect();
        words.join(" ")
    }

    fn at(minute: u8) -> IsoTs {
        IsoTs::parse(&format!("2026-10-06T14:{minute:02}:00Z")).unwrap()
    }

    fn claim(action: ActionType, n: usize, (who, subject, shop, cents, minute): &Told) -> Claim {
        let spend = action == ActionType::PurchaseMade;
        let raw_hash = sha256(format!("claim {n}").as_bytes());
        let party = if spend {
            words(shop)
        } else {
            PARTIES[*who].into()
        };
        Claim {
            id: Id::from_digest(&raw_hash),
            request_id: None,
            agent: AgentId::ALL[0],
            action,
            counterparty: (!party.is_empty()).then(|| party.into()),
            amount: spend.then(|| Cents::new(*cents).unwrap()),
            currency: spend.then(|| Currency::parse("USD").unwrap()),
            subject_hint: (!subject.is_empty()).then(|| words(subject).into()),
            claimed_at: at(*minute),
            precision: Precision::Minute,
            claimed_at_end: None,
            target_at: None,
            observed_at: at(*minute),
            source_kind: Token::parse("activity_view").unwrap(),
            extractor: None,
            raw_hash,
        }
    }

    fn row(
        action: ActionType,
        n: usize,
        (who, subject, shop, cents, minute): &Told,
    ) -> Observation {
        let spend = action == ActionType::PurchaseMade;
        let mut row = Observation {
            id: Id::from_digest(&Digest::from_bytes([0; 32])),
            source: if spend {
                Source::GmailReceipt
            } else {
                Source::GmailSent
            },
            action,
            occurred_at: at(*minute),
            observed_at: at(*minute),
            sighted_at: None,
            counterparty: (!spend).then(|| PARTIES[*who].into()),
            merchant: (spend && !shop.is_empty()).then(|| words(shop).into()),
            amount: spend.then(|| Cents::new(*cents).unwrap()),
            currency: spend.then(|| Currency::parse("USD").unwrap()),
            subject_hint: (!subject.is_empty()).then(|| words(subject).into()),
            row_key_hash: Some(sha256(format!("row {n}").as_bytes())),
            content_hash: Digest::from_bytes([0; 32]),
        };
        row.content_hash = row.computed_content_hash();
        row.id = Id::from_digest(&row.content_hash);
        row
    }

    /// Collects what is met and reaches `wanted`.
    struct Met<'c, 'a> {
        corpus: &'c Corpus<'a>,
        facts: &'c ClaimFacts,
        wanted: Ratio,
        rows: Vec<RowIx>,
    }

    impl Visitor for Met<'_, '_> {
        fn wanted(&self) -> Ratio {
            self.wanted
        }

        fn visit(&mut self, ix: RowIx) {
            let score = self.corpus.score(self.facts, ix).unwrap().score;
            if !score.is_zero() && score >= self.wanted {
                self.rows.push(ix);
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// Every pair that reaches what is wanted is met, and once.
        #[test]
        fn no_pair_that_reaches_is_missed(
            spend: bool,
            claimed in told(),
            seen in proptest::collection::vec(told(), 1..30),
            wanted in 0..=10_000u128,
            weights in proptest::collection::vec(1..=10_000u32, 7),
        ) {
            let policy = reweighed(&weights);
            let action = if spend { ActionType::PurchaseMade } else { ActionType::EmailSent };
            let rows: Vec<Observation> =
                seen.iter().enumerate().map(|(n, told)| row(action, n, told)).collect();
            let claim = claim(action, 0, &claimed);
            let mut corpus = Corpus::new(&policy, &rows, None);
            let facts = corpus.read_claim(&claim);
            let ever = at(59).instant();
            let wanted = Ratio::new(wanted, 10_000).unwrap();
            let reaches = |ix: &RowIx| {
                let score = corpus.score(&facts, *ix).unwrap().score;
                !score.is_zero() && score >= wanted
            };
            let every: BTreeSet<RowIx> =
                corpus.candidates(&claim, &facts, ever).filter(reaches).collect();
            let mut met = Met { corpus: &corpus, facts: &facts, wanted, rows: Vec::new() };
            corpus.visit_sharing(&claim, &facts, ever, &mut Marks::new(corpus.len()), &mut met);
            let once: BTreeSet<RowIx> = met.rows.iter().copied().collect();
            prop_assert_eq!(once.len(), met.rows.len());
            prop_assert_eq!(once, every);
        }
    }

    /// The default policy with other weights.
    fn reweighed(weights: &[u32]) -> Policy {
        let names = [
            "timeProximity",
            "counterpartyExact",
            "counterpartyDomain",
            "counterpartyName",
            "subjectOverlap",
            "amountExact",
            "merchantMatch",
        ];
        let mut text = DEFAULT_POLICY.to_owned();
        for (name, weight) in names.iter().zip(weights) {
            let at = text.find(&format!("\"{name}\": 0.")).unwrap() + name.len() + 4;
            let end = at
                + text[at..]
                    .find(|c: char| !c.is_ascii_digit() && c != '.')
                    .unwrap();
            text.replace_range(
                at..end,
                &format!("{}.{:04}", weight / 10_000, weight % 10_000),
            );
        }
        load_policy(&text).unwrap()
    }
}
