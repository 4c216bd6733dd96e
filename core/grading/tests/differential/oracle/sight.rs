//! What was looked at: eligible entries, caps, levels and grace (§6.1).

use std::collections::BTreeSet;

use attest_grading::model::{
    ActionType, Claim, Coverage, Grant, ObserverCoverage, ReasonCode, Source,
};
use attest_grading::policy::{Level, Policy};
use attest_grading::text::merchant;

use super::time::{self, Span};

/// One relevant source of a claim.
pub struct SourceSight {
    pub source: Source,
    pub level: Level,
    /// Of its eligible capped entries that overlap the window (readings 9).
    pub caps: BTreeSet<ReasonCode>,
    /// Synced at or after the claim's grace with the whole window seen.
    pub grace: bool,
    /// Synced at or after end + grace.
    pub verified: bool,
}

struct Capped<'a> {
    entry: &'a ObserverCoverage,
    caps: BTreeSet<ReasonCode>,
    /// Capped for having been synced too early.
    early: bool,
}

fn window_of(entry: &ObserverCoverage) -> Span {
    (time::ms(entry.window_start), time::ms(entry.window_end))
}

fn has_parser(claim: &Claim, policy: &Policy) -> bool {
    let name = claim.counterparty.as_deref().and_then(merchant);
    name.is_some_and(|name| policy.has_parser(&name))
}

/// Where a `calendar.created` claim's first-seen bound lies in a clock repair.
fn is_repaired(claim: &Claim, coverage: &Coverage, policy: &Policy) -> bool {
    let bound = time::unit(claim).0 - policy.windows().before_claim_ms;
    let evaluated = time::ms(coverage.evaluated_at);
    coverage
        .repairs
        .iter()
        .filter(|repair| time::ms(repair.from) <= evaluated)
        .any(|repair| time::holds((time::ms(repair.from), time::ms(repair.to)), bound))
}

fn eligible<'a>(
    claim: &Claim,
    source: Source,
    grant: &Grant,
    coverage: &'a Coverage,
    policy: &Policy,
) -> Vec<Capped<'a>> {
    let evaluated = time::ms(coverage.evaluated_at);
    let seen: Vec<&ObserverCoverage> = coverage
        .observers
        .iter()
        .filter(|entry| entry.source == source && time::ms(entry.last_sync_at) <= evaluated)
        .collect();
    let bound = grant
        .accounts
        .as_ref()
        .and_then(|accounts| accounts.get(&source));
    let hashes: BTreeSet<String> = seen
        .iter()
        .filter_map(|entry| Some(entry.account_hash?.to_string()))
        .collect();
    let mut out = Vec::new();
    for entry in seen {
        if let Some(bound) = bound
            && !entry.account_hash.is_some_and(|hash| bound.contains(&hash))
        {
            continue;
        }
        let mut caps = BTreeSet::new();
        if bound.is_none() {
            if entry.account_hash.is_none() {
                caps.insert(ReasonCode::CoverageNoAccount);
            }
            if hashes.len() >= 2 {
                caps.insert(ReasonCode::CoverageMultipleAccounts);
            }
        }
        if source == Source::GcalEvent && entry.all_calendars != Some(true) {
            caps.insert(ReasonCode::CoverageCalendarsHidden);
        }
        if source == Source::GmailReceipt && !has_parser(claim, policy) {
            caps.insert(ReasonCode::CoverageNoParser);
        }
        let synced = time::ms(entry.last_sync_at);
        let end = time::unit(claim).1;
        let after_grace = end + policy.windows().grace_ms;
        let after_window = end + policy.windows().after_claim_ms;
        let mut early = false;
        if source == Source::GcalEvent {
            match claim.action {
                ActionType::CalendarUpdated | ActionType::CalendarDeleted => {
                    caps.insert(ReasonCode::CoverageChangeUnprovable);
                }
                ActionType::CalendarCreated => {
                    if synced < after_grace {
                        early = true;
                        caps.insert(ReasonCode::CoverageChangesUnfollowed);
                    }
                    if is_repaired(claim, coverage, policy) {
                        caps.insert(ReasonCode::CoverageClockRepaired);
                    }
                }
                _ => {}
            }
        }
        if source == Source::GmailSent && synced < after_grace.max(after_window) {
            early = true;
            caps.insert(ReasonCode::CoverageListUnsettled);
        }
        out.push(Capped { entry, caps, early });
    }
    out
}

fn look(
    claim: &Claim,
    source: Source,
    grant: &Grant,
    coverage: &Coverage,
    policy: &Policy,
) -> SourceSight {
    let entries = eligible(claim, source, grant, coverage, policy);
    let synced_from = |from: i64| {
        entries
            .iter()
            .any(|capped| time::ms(capped.entry.last_sync_at) >= from)
    };
    let mut sight = SourceSight {
        source,
        level: Level::None,
        caps: BTreeSet::new(),
        grace: synced_from(time::grace_from(claim, policy)),
        verified: synced_from(time::verified_from(claim, policy)),
    };
    let Some(window) = time::window(claim, policy) else {
        return sight;
    };
    let overlapping: Vec<&Capped<'_>> = entries
        .iter()
        .filter(|capped| time::overlap(window_of(capped.entry), window))
        .collect();
    if overlapping.is_empty() {
        return sight;
    }
    let uncapped: Vec<&ObserverCoverage> = entries
        .iter()
        .filter(|capped| capped.caps.is_empty())
        .map(|capped| capped.entry)
        .collect();
    let spans = |wanted: &dyn Fn(&ObserverCoverage) -> bool| -> Vec<Span> {
        uncapped
            .iter()
            .filter(|entry| wanted(entry))
            .map(|entry| window_of(entry))
            .collect()
    };
    let together = time::covers(&spans(&|_| true), window);
    let mut accounts = grant
        .accounts
        .as_ref()
        .and_then(|accounts| accounts.get(&source))
        .cloned()
        .unwrap_or_default();
    accounts.sort_by_key(ToString::to_string);
    accounts.dedup();
    let each = accounts.len() < 2
        || accounts.iter().all(|account| {
            time::covers(
                &spans(&|entry| entry.account_hash == Some(*account)),
                window,
            )
        });
    sight.level = if together && each {
        Level::Full
    } else {
        Level::Partial
    };
    if together && !each {
        sight.caps.insert(ReasonCode::CoverageAccountPartial);
    }
    let on_time: Vec<Span> = entries
        .iter()
        .filter(|capped| !capped.early)
        .map(|capped| window_of(capped.entry))
        .collect();
    for capped in overlapping {
        let seen = window_of(capped.entry);
        let shared = (seen.0.max(window.0), seen.1.min(window.1));
        let superseded = time::covers(&on_time, shared);
        for cap in &capped.caps {
            let for_time = matches!(
                cap,
                ReasonCode::CoverageChangesUnfollowed | ReasonCode::CoverageListUnsettled
            );
            if !(for_time && superseded) {
                sight.caps.insert(*cap);
            }
        }
    }
    sight
}

/// Every relevant source of the claim, in the policy's order.
pub fn sights(
    claim: &Claim,
    grant: &Grant,
    coverage: &Coverage,
    policy: &Policy,
) -> Vec<SourceSight> {
    let sources = policy.sources(claim.action).iter();
    sources
        .map(|source| look(claim, *source, grant, coverage, policy))
        .collect()
}

pub fn level(sights: &[SourceSight]) -> Level {
    if sights.iter().all(|sight| sight.level == Level::None) {
        Level::None
    } else if sights.iter().all(|sight| sight.level == Level::Full) {
        Level::Full
    } else {
        Level::Partial
    }
}
