//! Who likely did an unclaimed action (§7), and which observations are orphans (§3).

use std::collections::BTreeMap;

use attest_grading::model::{
    Activity, AgentId, Attribution, BasisPoints, Claim, Coverage, IsoTs, Observation, Source,
    UnaskedSignal,
};
use attest_grading::policy::Policy;
use attest_grading::text::ascii_lower;

use super::{pair, time};

/// When the row was first seen, and what its windows are measured from.
pub fn first_seen(row: &Observation) -> i64 {
    time::ms(row.sighted_at.unwrap_or(row.observed_at))
}

pub fn anchor(row: &Observation) -> i64 {
    if row.action.is_calendar() {
        first_seen(row)
    } else {
        time::ms(row.occurred_at)
    }
}

/// Whether a view could vouch that the row happened, and for a Calendar row
/// that a view followed the change and none found it already there.
pub fn is_orphan(row: &Observation, coverage: &Coverage, policy: &Policy) -> bool {
    if !policy.sources(row.action).contains(&row.source) {
        return false;
    }
    let at = time::ms(row.occurred_at);
    let evaluated = time::ms(coverage.evaluated_at);
    let mut over = coverage.observers.iter().filter(|entry| {
        entry.source == row.source
            && time::ms(entry.last_sync_at) <= evaluated
            && time::holds(
                (time::ms(entry.window_start), time::ms(entry.window_end)),
                at,
            )
    });
    if row.source != Source::GcalEvent {
        return over.next().is_some();
    }
    let over: Vec<_> = over.collect();
    let seen = first_seen(row);
    let followed = over.iter().any(|entry| {
        entry
            .changes_since
            .is_some_and(|since| time::ms(since) < seen)
            && seen <= time::ms(entry.last_sync_at)
    });
    let found_there = over.iter().any(|entry| match entry.changes_since {
        Some(since) => time::ms(since) == seen,
        None => time::ms(entry.last_sync_at) >= seen,
    });
    followed && !found_there
}

pub fn attribute(
    row: &Observation,
    activity: &Activity,
    history: &[&Claim],
    policy: &Policy,
    evaluated: i64,
) -> Option<Attribution> {
    let unasked = policy.unasked();
    let anchor = anchor(row);
    let near =
        |at: IsoTs, reach: i64| time::ms(at) <= evaluated && (time::ms(at) - anchor).abs() <= reach;
    let idle = activity.idle.iter().any(|idle| {
        let span = (time::ms(idle.from), time::ms(idle.to));
        span.1 <= evaluated && span.0 <= anchor - unasked.idle_ms && anchor <= span.1
    });
    let mut scored: BTreeMap<String, (AgentId, Vec<UnaskedSignal>, u32)> = BTreeMap::new();
    for agent in AgentId::ALL {
        let pings: Vec<i64> = activity
            .sessions
            .iter()
            .filter(|ping| ping.agent == *agent && near(ping.at, unasked.session_ms))
            .map(|ping| time::ms(ping.at))
            .collect();
        let entries: Vec<i64> = activity
            .entries
            .iter()
            .filter(|entry| entry.agent == *agent && near(entry.at, unasked.adjacent_ms))
            .map(|entry| time::ms(entry.at))
            .collect();
        let explained = history.iter().any(|claim| {
            claim.agent == *agent
                && claim.action == row.action
                && pair::is_assignable(claim, policy)
                && time::distance(time::unit(claim), anchor) <= unasked.adjacent_ms
        });
        let subject = row.subject_hint.as_deref().unwrap_or("");
        let signed = unasked
            .signatures(*agent)
            .iter()
            .any(|signature| ascii_lower(subject).contains(ascii_lower(signature).as_ref()));
        let mut session = !pings.is_empty();
        let mut adjacent = !entries.is_empty() && !explained;
        if session && adjacent && pings.iter().all(|ping| entries.contains(ping)) {
            let heavier = unasked.weight(UnaskedSignal::AgentSessionActive)
                > unasked.weight(UnaskedSignal::ActivityLogAdjacent);
            session = heavier;
            adjacent = !heavier;
        }
        if !(session || signed || adjacent) {
            continue;
        }
        let fired: Vec<UnaskedSignal> = [
            (session, UnaskedSignal::AgentSessionActive),
            (idle, UnaskedSignal::UserIdle),
            (signed, UnaskedSignal::AgentSignature),
            (adjacent, UnaskedSignal::ActivityLogAdjacent),
        ]
        .into_iter()
        .filter_map(|(fires, signal)| fires.then_some(signal))
        .collect();
        let weight: u32 = fired
            .iter()
            .map(|signal| unasked.weight(*signal).get())
            .sum();
        scored.insert(agent.to_string(), (*agent, fired, weight.min(10_000)));
    }
    // By agent id: a later agent wins only when it is strictly better.
    let mut best: Option<(AgentId, Vec<UnaskedSignal>, u32)> = None;
    for candidate in scored.into_values() {
        let better = best.as_ref().is_none_or(|(_, fired, score)| {
            (candidate.2, candidate.1.len()) > (*score, fired.len())
        });
        if better {
            best = Some(candidate);
        }
    }
    let (agent, signals, score) = best?;
    let adapter_last_sync_at = activity
        .adapter_syncs
        .iter()
        .filter(|sync| sync.agent == agent && time::ms(sync.last_sync_at) <= evaluated)
        .map(|sync| sync.last_sync_at)
        .max_by_key(|at| (time::ms(*at), at.to_string()));
    Some(Attribution {
        agent,
        signals,
        score: BasisPoints::new(score.into()).unwrap(),
        adapter_last_sync_at,
    })
}
