//! Spend that counts, and permissions nobody declared (§6.1, §6.3).

use std::collections::{BTreeMap, BTreeSet};

use attest_canon::Id;
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
    /// Every counted claim: one entry per copy, in (claimedAt, id) order.
    claims: Vec<Spend>,
    /// Where each id stands in `claims` (the last copy, when it stands twice).
    places: BTreeMap<Id, usize>,
    /// Whether running totals are exact: one currency, no id that stands twice
    /// with different instants (readings 44).
    uniform: bool,
}

#[derive(Clone, Copy, Debug)]
struct Spend {
    at: Instant,
    id: Id,
    cents: i64,
    currency: Option<Currency>,
    /// The total up to and with this claim, where totals are exact.
    running: i64,
}

impl SpendIndex {
    /// Indexes the claims of the history whose type is a spend type and whose
    /// amount is known.
    #[must_use]
    pub fn new<'c>(history: impl IntoIterator<Item = &'c Claim>, policy: &Policy) -> Self {
        let mut agents: BTreeMap<AgentId, AgentSpend> = BTreeMap::new();
        for claim in history {
            if !policy.is_spend_type(claim.action) {
                continue;
            }
            let Some(amount) = claim.amount else {
                continue;
            };
            agents.entry(claim.agent).or_default().claims.push(Spend {
                at: claim.claimed_at.instant(),
                id: claim.id,
                cents: amount.get(),
                currency: claim.currency,
                running: 0,
            });
        }
        for spend in agents.values_mut() {
            spend.claims.sort_by_key(|entry| (entry.at, entry.id));
            spend.claims.dedup_by_key(|entry| (entry.at, entry.id));
            let ids = spend.claims.iter().map(|entry| entry.id);
            spend.places = ids.zip(0..).collect();
            let currencies: BTreeSet<Option<Currency>> =
                spend.claims.iter().map(|entry| entry.currency).collect();
            spend.uniform = spend.places.len() == spend.claims.len() && currencies.len() <= 1;
            let mut total = 0i64;
            for entry in &mut spend.claims {
                total = total.saturating_add(entry.cents);
                entry.running = total;
            }
        }
        Self {
            window_ms: policy.windows().spend_window_ms,
            agents,
        }
    }

    /// What the agent spent before a claim, in cents of the claim's currency,
    /// where a missing currency reads as the grant's (`priorSpendCents`, §6.3):
    /// claims in `[t − spendWindowDays, t]` that come strictly before it in
    /// (claimedAt, id) order, each id once, never its own. The sum is 0 for a
    /// type that is no spend type, which the index does not hold.
    #[must_use]
    pub fn prior(&self, claim: &Claim, policy: &Policy, spend_currency: Option<Currency>) -> i64 {
        if !policy.is_spend_type(claim.action) {
            return 0;
        }
        let Some(spend) = self.agents.get(&claim.agent) else {
            return 0;
        };
        let at = claim.claimed_at.instant();
        let from = at.minus(self.window_ms);
        let begin = spend.claims.partition_point(|entry| entry.at < from);
        let end = spend
            .claims
            .partition_point(|entry| (entry.at, entry.id) < (at, claim.id));
        let Some(run) = spend.claims.get(begin..end) else {
            return 0;
        };
        let ours = claim.currency.or(spend_currency);
        if !spend.uniform {
            let counts =
                |entry: &&Spend| entry.currency.or(spend_currency) == ours && entry.id != claim.id;
            let mut counted = BTreeSet::new();
            return run
                .iter()
                .filter(counts)
                .filter(|entry| counted.insert(entry.id))
                .fold(0i64, |total, entry| total.saturating_add(entry.cents));
        }
        // One currency: all of the run counts or none of it, less a copy of the claim itself.
        let (Some(first), Some(last)) = (run.first(), run.last()) else {
            return 0;
        };
        if first.currency.or(spend_currency) != ours {
            return 0;
        }
        let own = spend
            .places
            .get(&claim.id)
            .filter(|place| (begin..end).contains(place))
            .and_then(|place| spend.claims.get(*place))
            .map_or(0, |entry| entry.cents);
        last.running
            .saturating_sub(first.running)
            .saturating_add(first.cents)
            .saturating_sub(own)
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

/// Whether an observed scope is none of the declared ones: exact text, case
/// included (readings 18).
#[must_use]
pub fn exceeds_declared(scope: &str, grant: &Grant) -> bool {
    !grant
        .declared_scopes
        .iter()
        .any(|declared| declared.as_ref() == scope)
}
