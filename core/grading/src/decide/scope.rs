//! Spend that counts, and permissions nobody declared (§6.1, §6.3).

use std::collections::BTreeMap;

use attest_canon::Id;
use attest_canon::decimal::MAX_SAFE_INTEGER;
use attest_canon::jcs::utf16_order;

use crate::model::{AgentId, Claim, Currency, Grant, Instant};
use crate::policy::Policy;

/// Earlier spend per agent (`spendIndex`).
#[derive(Debug)]
pub struct SpendIndex {
    window_ms: i64,
    agents: BTreeMap<AgentId, AgentSpend>,
}

#[derive(Debug, Default)]
struct AgentSpend {
    /// Claims whose id stands once, per currency, in (claimedAt, id) order.
    single: BTreeMap<Option<Currency>, Vec<Running>>,
    /// The same claims by id.
    by_id: BTreeMap<Id, Spend>,
    /// Copies of the ids that stand at several instants (readings 44).
    repeated: BTreeMap<Id, Vec<Spend>>,
}

#[derive(Clone, Copy, Debug)]
struct Spend {
    at: Instant,
    id: Id,
    cents: i64,
    currency: Option<Currency>,
}

/// A claim and the total of its currency up to and with it.
#[derive(Debug)]
struct Running {
    spend: Spend,
    total: i64,
}

impl AgentSpend {
    fn new(mut all: Vec<Spend>) -> Self {
        let mut spend = Self::default();
        all.sort_by_key(|entry| (entry.id, entry.at));
        all.dedup_by_key(|entry| (entry.id, entry.at));
        for copies in all.chunk_by(|a, b| a.id == b.id) {
            match copies {
                [one] => {
                    spend.by_id.insert(one.id, *one);
                }
                [first, ..] => {
                    spend.repeated.insert(first.id, copies.to_vec());
                }
                [] => {}
            }
        }
        let mut once: Vec<Spend> = spend.by_id.values().copied().collect();
        once.sort_by_key(|entry| (entry.at, entry.id));
        for entry in once {
            let list = spend.single.entry(entry.currency).or_default();
            let before = list.last().map_or(0, |last| last.total);
            list.push(Running {
                spend: entry,
                total: before.saturating_add(entry.cents),
            });
        }
        spend
    }

    /// The cents of one currency's single claims from an instant on that come
    /// before a place in (claimedAt, id) order.
    fn sum(&self, currency: Option<Currency>, from: Instant, before: (Instant, Id)) -> i64 {
        let Some(list) = self.single.get(&currency) else {
            return 0;
        };
        let total_until = |end: usize| {
            let last = end.checked_sub(1).and_then(|last| list.get(last));
            last.map_or(0, |last| last.total)
        };
        let begin = list.partition_point(|entry| entry.spend.at < from);
        let end = list.partition_point(|entry| (entry.spend.at, entry.spend.id) < before);
        total_until(end).saturating_sub(total_until(begin.min(end)))
    }
}

impl SpendIndex {
    /// Indexes the claims of the history whose type is a spend type and whose
    /// amount is known.
    #[must_use]
    pub fn new<'c>(history: impl IntoIterator<Item = &'c Claim>, policy: &Policy) -> Self {
        let mut agents: BTreeMap<AgentId, Vec<Spend>> = BTreeMap::new();
        for claim in history {
            if !policy.is_spend_type(claim.action) {
                continue;
            }
            let Some(amount) = claim.amount else {
                continue;
            };
            agents.entry(claim.agent).or_default().push(Spend {
                at: claim.claimed_at.instant(),
                id: claim.id,
                cents: amount.get(),
                currency: claim.currency,
            });
        }
        Self {
            window_ms: policy.windows().spend_window_ms,
            agents: agents
                .into_iter()
                .map(|(agent, all)| (agent, AgentSpend::new(all)))
                .collect(),
        }
    }

    /// What the agent spent before a claim, in cents of the claim's currency,
    /// where a missing currency reads as the grant's (`priorSpendCents`, §6.3):
    /// claims in `[t − spendWindowDays, t]` that come strictly before it in
    /// (claimedAt, id) order, each id once, never its own. The sum is 0 for a
    /// type that is no spend type, which the index does not hold, and ends at
    /// the largest integer a document holds, which is beyond every ceiling.
    #[must_use]
    pub fn prior(&self, claim: &Claim, policy: &Policy, spend_currency: Option<Currency>) -> i64 {
        if !policy.is_spend_type(claim.action) {
            return 0;
        }
        let Some(spend) = self.agents.get(&claim.agent) else {
            return 0;
        };
        let before = (claim.claimed_at.instant(), claim.id);
        let from = before.0.minus(self.window_ms);
        let ours = claim.currency.or(spend_currency);
        let mut total = spend.sum(ours, from, before);
        if ours.is_some() && ours == spend_currency {
            total = total.saturating_add(spend.sum(None, from, before));
        }
        let counts = |entry: &&Spend| {
            entry.currency.or(spend_currency) == ours
                && entry.at >= from
                && (entry.at, entry.id) < before
        };
        if let Some(own) = spend.by_id.get(&claim.id).filter(counts) {
            total = total.saturating_sub(own.cents);
        }
        for (id, copies) in &spend.repeated {
            if *id != claim.id
                && let Some(copy) = copies.iter().find(counts)
            {
                total = total.saturating_add(copy.cents);
            }
        }
        total.min(MAX_SAFE_INTEGER)
    }
}

/// The observed scopes of a grant, each once, in UTF-16 order
/// (`scopeSubjects`): each is a subject of its own.
#[must_use]
pub fn scope_subjects(grant: &Grant) -> Vec<&str> {
    let mut scopes: Vec<&str> = grant.observed_scopes.iter().map(AsRef::as_ref).collect();
    scopes.sort_by(|a, b| utf16_order(a, b));
    scopes.dedup();
    scopes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Decoder;
    use crate::policy::{DEFAULT_POLICY, load_policy};
    use attest_canon::sha256;

    /// Purchases of the largest amount, one a claim, at one instant.
    fn purchases(count: usize) -> Vec<Claim> {
        let hash = sha256(b"");
        let text = format!(
            r#"{{"agent":"muse","amountCents":1000000000000,"claimedAt":"2026-10-06T14:02:00Z","claimedAtPrecision":"minute","currency":"USD","id":"{}","observedAt":"2026-10-06T14:02:00Z","rawHash":"{hash}","sourceKind":"activity_view","type":"purchase.made"}}"#,
            Id::from_digest(&hash)
        );
        let one = Decoder::read_document(&text, Claim::decode).unwrap();
        let numbered = (0..count).map(|number| {
            let mut claim = one.clone();
            claim.id = Id::from_digest(&sha256(&number.to_be_bytes()));
            claim
        });
        let mut all: Vec<Claim> = numbered.collect();
        all.sort_by_key(|claim| claim.id);
        all
    }

    /// A ledger must be able to hold what a batch makes of it: 9007 × 10^12 is
    /// below 2^53 − 1 = 9007199254740991, and 9008 × 10^12 above.
    #[test]
    fn spend_ends_at_what_a_document_holds() {
        let policy = load_policy(DEFAULT_POLICY).unwrap();
        let claims = purchases(9009);
        let index = SpendIndex::new(&claims, &policy);
        let prior = |nth: usize| {
            let claim = claims.get(nth).unwrap();
            index.prior(claim, &policy, claim.currency)
        };
        assert_eq!(prior(2), 2_000_000_000_000);
        assert_eq!(prior(9007), 9_007_000_000_000_000);
        assert_eq!(prior(9008), 9_007_199_254_740_991);
    }
}
