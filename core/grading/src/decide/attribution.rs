//! Which agent likely did an unclaimed action (§7). "Likely" is all this ever says.

use std::collections::BTreeMap;

use crate::model::activity::Idle;
use crate::model::{
    ActionType, Activity, AgentId, Attribution, BasisPoints, Claim, Instant, Interval, IsoTs,
    Observation, UnaskedSignal,
};
use crate::policy::Policy;
use crate::text::ascii_lower;

use super::facts::ClaimFacts;

/// Activity, indexed for many orphans (`attributor`).
#[derive(Debug)]
pub struct Attributor<'a> {
    policy: &'a Policy,
    sessions: BTreeMap<AgentId, Vec<Instant>>,
    entries: BTreeMap<AgentId, Vec<Instant>>,
    idle: Spans,
    syncs: BTreeMap<AgentId, IsoTs>,
    /// Units of assignable claims, by agent and type: what silences adjacency.
    claimed: BTreeMap<(AgentId, ActionType), Spans>,
}

/// Intervals by their start, with the latest end so far, so that those near an
/// instant are found without reading the rest.
#[derive(Debug, Default)]
struct Spans {
    spans: Vec<Interval>,
    latest_end: Vec<Instant>,
}

impl Spans {
    fn new(mut spans: Vec<Interval>) -> Self {
        spans.sort_by_key(|span| span.from);
        let mut latest: Option<Instant> = None;
        let latest_end = spans
            .iter()
            .map(|span| *latest.insert(latest.map_or(span.to, |held| held.max(span.to))))
            .collect();
        Self { spans, latest_end }
    }

    /// The spans that share an instant with an interval.
    fn overlapping(&self, near: Interval) -> impl Iterator<Item = Interval> + '_ {
        let until = self.spans.partition_point(|span| span.from <= near.to);
        let from = self.latest_end.partition_point(|end| *end < near.from);
        let run = self.spans.get(from..until).unwrap_or_default();
        run.iter().copied().filter(move |span| span.overlaps(near))
    }
}

/// What speaks for one agent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AgentCase {
    /// The agent.
    pub agent: AgentId,
    /// The signals that fired, in set order, `userIdle` included.
    pub signals: Vec<UnaskedSignal>,
    /// Their weights together, at most 10,000.
    pub score: BasisPoints,
    /// Session pings within reach.
    pub sessions: Vec<Instant>,
    /// Log entries within reach.
    pub entries: Vec<Instant>,
    /// The signature of the agent that the subject holds.
    pub signature: Option<Box<str>>,
    /// Claims of the agent that silenced its log entries: their units.
    pub silenced_by: Vec<Interval>,
    /// A signal that fired but says the same fact as another (v1.17).
    pub same_fact: Option<UnaskedSignal>,
}

/// Everything attribution looked at for one orphan.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AttributionTrace {
    /// The instant every reach is measured from.
    pub anchor: Instant,
    /// The times away that cover the moments before the anchor.
    pub idle: Vec<Interval>,
    /// One case per agent, in id order.
    pub cases: Vec<AgentCase>,
    /// The likely agent, when any agent's own signal fired.
    pub attribution: Option<Attribution>,
}

impl<'a> Attributor<'a> {
    /// Indexes what a batch at an instant sees: nothing after it, and no time
    /// away that had not ended by then (§3, readings 19). `claims` are the
    /// history with what each says.
    #[must_use]
    pub fn new<'c>(
        policy: &'a Policy,
        activity: &Activity,
        claims: impl IntoIterator<Item = (&'c Claim, &'c ClaimFacts)>,
        at: Instant,
    ) -> Self {
        let mut sessions: BTreeMap<AgentId, Vec<Instant>> = BTreeMap::new();
        for session in activity
            .sessions
            .iter()
            .filter(|session| session.at.instant() <= at)
        {
            sessions
                .entry(session.agent)
                .or_default()
                .push(session.at.instant());
        }
        let mut entries: BTreeMap<AgentId, Vec<Instant>> = BTreeMap::new();
        for entry in activity
            .entries
            .iter()
            .filter(|entry| entry.at.instant() <= at)
        {
            entries
                .entry(entry.agent)
                .or_default()
                .push(entry.at.instant());
        }
        sessions
            .values_mut()
            .chain(entries.values_mut())
            .for_each(|instants| instants.sort_unstable());
        let idle = activity
            .idle
            .iter()
            .map(Idle::interval)
            .filter(|idle| idle.to <= at);
        let mut syncs: BTreeMap<AgentId, IsoTs> = BTreeMap::new();
        for sync in activity
            .adapter_syncs
            .iter()
            .filter(|sync| sync.last_sync_at.instant() <= at)
        {
            let latest = syncs.entry(sync.agent).or_insert(sync.last_sync_at);
            // Two syncs at one instant: the greater text (readings 32).
            let order = |at: &IsoTs| (at.instant(), at.to_string());
            if order(&sync.last_sync_at) > order(latest) {
                *latest = sync.last_sync_at;
            }
        }
        let mut claimed: BTreeMap<(AgentId, ActionType), Vec<Interval>> = BTreeMap::new();
        for (claim, facts) in claims {
            // A vague claim cannot silence anything (§7).
            if facts.assignable {
                claimed
                    .entry((claim.agent, claim.action))
                    .or_default()
                    .push(facts.unit);
            }
        }
        Self {
            policy,
            sessions,
            entries,
            idle: Spans::new(idle.collect()),
            syncs,
            claimed: claimed
                .into_iter()
                .map(|(key, units)| (key, Spans::new(units)))
                .collect(),
        }
    }

    /// Who likely did it, if any agent's own signal fired (`attribute`).
    #[must_use]
    pub fn attribute(&self, orphan: &Observation) -> Option<Attribution> {
        self.trace(orphan).attribution
    }

    /// Everything looked at for one orphan.
    #[must_use]
    pub fn trace(&self, orphan: &Observation) -> AttributionTrace {
        let anchor = orphan.anchor();
        let unasked = self.policy.unasked();
        let before = Interval {
            from: anchor.minus(unasked.idle_ms),
            to: anchor,
        };
        let idle: Vec<Interval> = self
            .idle
            .overlapping(before)
            .filter(|idle| idle.contains(before))
            .collect();
        let mut agents = AgentId::ALL.to_vec();
        agents.sort_by_key(|agent| agent.as_str());
        let cases: Vec<AgentCase> = agents
            .into_iter()
            .map(|agent| self.case(agent, orphan, anchor, !idle.is_empty()))
            .collect();

        // The highest score; then the most signals; then the lowest agent id,
        // which is the first of the cases.
        let own = |case: &&AgentCase| {
            case.signals
                .iter()
                .any(|signal| *signal != UnaskedSignal::UserIdle)
        };
        let mut likely: Option<&AgentCase> = None;
        for case in cases.iter().filter(own) {
            let rank = |case: &AgentCase| (case.score, case.signals.len());
            if likely.is_none_or(|held| rank(case) > rank(held)) {
                likely = Some(case);
            }
        }
        let attribution = likely.map(|case| Attribution {
            agent: case.agent,
            signals: case.signals.clone(),
            score: case.score,
            adapter_last_sync_at: self.syncs.get(&case.agent).copied(),
        });
        AttributionTrace {
            anchor,
            idle,
            cases,
            attribution,
        }
    }

    fn case(&self, agent: AgentId, orphan: &Observation, anchor: Instant, idle: bool) -> AgentCase {
        let unasked = self.policy.unasked();
        let reach = |ms: i64| Interval {
            from: anchor.minus(ms),
            to: anchor.plus(ms),
        };
        let sessions = within(self.sessions.get(&agent), reach(unasked.session_ms));
        let entries = within(self.entries.get(&agent), reach(unasked.adjacent_ms));
        let silenced_by: Vec<Interval> = self
            .claimed
            .get(&(agent, orphan.action))
            .map(|units| units.overlapping(reach(unasked.adjacent_ms)).collect())
            .unwrap_or_default();
        let adjacent = !entries.is_empty() && silenced_by.is_empty();
        // One fact (v1.17): when every ping in reach is an entry that fires
        // adjacency, only the heavier of the two signals counts.
        let one_fact = adjacent
            && !sessions.is_empty()
            && sessions
                .iter()
                .all(|ping| entries.binary_search(ping).is_ok());
        let same_fact = one_fact.then(|| {
            let session = unasked.weight(UnaskedSignal::AgentSessionActive);
            if session > unasked.weight(UnaskedSignal::ActivityLogAdjacent) {
                UnaskedSignal::ActivityLogAdjacent
            } else {
                UnaskedSignal::AgentSessionActive
            }
        });
        let signature = self.signature(agent, orphan);
        let fires = |signal: &UnaskedSignal| {
            same_fact != Some(*signal)
                && match signal {
                    UnaskedSignal::AgentSessionActive => !sessions.is_empty(),
                    UnaskedSignal::UserIdle => idle,
                    UnaskedSignal::AgentSignature => signature.is_some(),
                    UnaskedSignal::ActivityLogAdjacent => adjacent,
                }
        };
        let signals: Vec<UnaskedSignal> =
            UnaskedSignal::ALL.iter().copied().filter(fires).collect();
        let sum = signals
            .iter()
            .map(|signal| i64::from(unasked.weight(*signal).get()))
            .fold(0, i64::saturating_add);
        let score = BasisPoints::new(sum).unwrap_or(BasisPoints::ONE);
        AgentCase {
            agent,
            signals,
            score,
            sessions,
            entries,
            signature: signature.map(Box::from),
            silenced_by,
            same_fact,
        }
    }

    /// The first of the agent's signatures that the subject holds.
    fn signature(&self, agent: AgentId, orphan: &Observation) -> Option<&'a str> {
        let subject = ascii_lower(orphan.subject_hint.as_deref()?);
        let signatures = self.policy.unasked().signatures(agent).iter();
        signatures
            .map(AsRef::as_ref)
            .find(|signature| subject.contains(*signature))
    }
}

/// The instants of a sorted list that lie in an interval.
fn within(instants: Option<&Vec<Instant>>, reach: Interval) -> Vec<Instant> {
    let Some(instants) = instants else {
        return Vec::new();
    };
    let from = instants.partition_point(|at| *at < reach.from);
    let until = instants.partition_point(|at| *at <= reach.to);
    instants.get(from..until).unwrap_or_default().to_vec()
}
