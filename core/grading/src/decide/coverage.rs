//! How much of a claim's window was seen (§6.1).
//!
//! Which entries are eligible depends on the grant alone and is shared by a
//! batch; what caps an entry for a claim's own sake is asked per claim.

use std::collections::{BTreeMap, BTreeSet};

use attest_canon::Digest;

use crate::model::{
    ActionType, Coverage, Grant, Instant, Interval, ObserverCoverage, ReasonCode, Source,
};
use crate::policy::{Level, Policy};

use super::facts::ClaimFacts;

/// Why an entry counts at most as partial: the cap codes of §15.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Cap {
    /// Some calendars were not shown.
    CalendarsHidden,
    /// A `calendar.created` claim's view was synced before its grace sync.
    ChangesUnfollowed,
    /// A calendar change can never be ruled out.
    ChangeUnprovable,
    /// The claim's first-seen bound lies in a clock repair's span.
    ClockRepaired,
    /// A Sent list was synced before the claim's grace sync.
    ListUnsettled,
    /// The source was seen with two or more accounts and none is bound.
    MultipleAccounts,
    /// No account is bound and the entry names none.
    NoAccount,
    /// No parser can read the receipt this claim would leave.
    NoParser,
}

impl Cap {
    /// Every cap, in §15's order.
    pub const ALL: &'static [Self] = &[
        Self::CalendarsHidden,
        Self::ChangesUnfollowed,
        Self::ChangeUnprovable,
        Self::ClockRepaired,
        Self::ListUnsettled,
        Self::MultipleAccounts,
        Self::NoAccount,
        Self::NoParser,
    ];

    /// The reason that names the cap.
    #[must_use]
    pub const fn reason(self) -> ReasonCode {
        match self {
            Self::CalendarsHidden => ReasonCode::CoverageCalendarsHidden,
            Self::ChangesUnfollowed => ReasonCode::CoverageChangesUnfollowed,
            Self::ChangeUnprovable => ReasonCode::CoverageChangeUnprovable,
            Self::ClockRepaired => ReasonCode::CoverageClockRepaired,
            Self::ListUnsettled => ReasonCode::CoverageListUnsettled,
            Self::MultipleAccounts => ReasonCode::CoverageMultipleAccounts,
            Self::NoAccount => ReasonCode::CoverageNoAccount,
            Self::NoParser => ReasonCode::CoverageNoParser,
        }
    }

    /// Whether the cap says the view was synced too early (v1.10, v1.14).
    #[must_use]
    pub const fn is_early(self) -> bool {
        matches!(self, Self::ChangesUnfollowed | Self::ListUnsettled)
    }
}

/// Why an entry is not eligible for a claim.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ineligible {
    /// The policy does not list its source for the claim's type.
    OtherSource,
    /// It synced after the batch.
    SyncedLater,
    /// The grant binds accounts for the source, and this is none of them.
    OtherAccount,
}

/// The entries of one source that a grant makes eligible.
#[derive(Debug, Default)]
struct Eligible<'a> {
    /// By window start, then by place in the coverage.
    entries: Vec<EligibleEntry<'a>>,
    /// For each place, the latest window end up to it.
    latest_end: Vec<Instant>,
    /// The latest sync of any of them.
    last_sync: Option<Instant>,
    /// The distinct bound accounts, when there are two or more.
    bound: Option<BTreeSet<Digest>>,
}

#[derive(Debug)]
struct EligibleEntry<'a> {
    entry: &'a ObserverCoverage,
    /// Caps that hold whatever the claim.
    caps: Vec<Cap>,
}

/// A coverage as claims under one grant may use it.
#[derive(Debug)]
pub struct GrantCoverage<'a> {
    coverage: &'a Coverage,
    sources: Vec<Eligible<'a>>,
    /// Clock repairs found by the batch's instant.
    repairs: Vec<Interval>,
}

impl<'a> GrantCoverage<'a> {
    /// Sorts out what is eligible under a grant.
    #[must_use]
    pub fn new(coverage: &'a Coverage, grant: &Grant) -> Self {
        let at = coverage.evaluated_at.instant();
        let mut accounts: BTreeMap<Source, BTreeSet<Digest>> = BTreeMap::new();
        for entry in synced_by(coverage, at) {
            accounts
                .entry(entry.source)
                .or_default()
                .extend(entry.account_hash);
        }
        let sources = Source::ALL.iter().map(|source| {
            let bound = grant.bound_accounts(*source);
            let many = accounts.get(source).is_some_and(|seen| seen.len() >= 2);
            let mut entries: Vec<EligibleEntry<'a>> = synced_by(coverage, at)
                .filter(|entry| entry.source == *source && account_is_bound(entry, bound))
                .map(|entry| EligibleEntry {
                    entry,
                    caps: standing_caps(entry, bound.is_none(), many),
                })
                .collect();
            entries.sort_by_key(|eligible| eligible.entry.window_start.instant());
            let mut latest: Option<Instant> = None;
            let latest_end = entries.iter().map(|eligible| {
                let end = eligible.entry.window_end.instant();
                *latest.insert(latest.map_or(end, |held| held.max(end)))
            });
            Eligible {
                latest_end: latest_end.collect(),
                last_sync: entries
                    .iter()
                    .map(|eligible| eligible.entry.last_sync_at.instant())
                    .max(),
                bound: bound
                    .map(|accounts| accounts.iter().copied().collect::<BTreeSet<_>>())
                    .filter(|accounts| accounts.len() >= 2),
                entries,
            }
        });
        Self {
            coverage,
            sources: sources.collect(),
            repairs: coverage
                .repairs
                .iter()
                .filter(|repair| repair.from.instant() <= at)
                .map(|repair| repair.interval())
                .collect(),
        }
    }

    fn source(&self, source: Source) -> Option<&Eligible<'a>> {
        self.sources.get(source.index())
    }

    /// The latest sync of a source's eligible entries (§6.1 graceElapsed, §8).
    #[must_use]
    pub fn last_sync(&self, source: Source) -> Option<Instant> {
        self.source(source)?.last_sync
    }

    /// Whether every relevant source synced at or after an instant; true for a
    /// type with no sources.
    #[must_use]
    pub fn all_synced_by(&self, sources: &[Source], instant: Instant) -> bool {
        self.waiting_for(sources, instant).next().is_none()
    }

    /// The sources that have not synced at or after an instant.
    pub fn waiting_for<'s>(
        &'s self,
        sources: &'s [Source],
        instant: Instant,
    ) -> impl Iterator<Item = Source> + 's {
        sources
            .iter()
            .copied()
            .filter(move |source| self.last_sync(*source).is_none_or(|sync| sync < instant))
    }

    /// The claim's caps of an entry beyond those that hold for every claim.
    fn claim_caps(
        &self,
        claim: &ClaimFacts,
        action: ActionType,
        entry: &ObserverCoverage,
    ) -> Vec<Cap> {
        let synced = entry.last_sync_at.instant();
        let mut caps = Vec::new();
        match entry.source {
            Source::GcalEvent if action == ActionType::CalendarCreated => {
                if synced < claim.deadlines.grace {
                    caps.push(Cap::ChangesUnfollowed);
                }
                if self
                    .repairs
                    .iter()
                    .any(|span| span.holds(claim.deadlines.first_seen_from))
                {
                    caps.push(Cap::ClockRepaired);
                }
            }
            Source::GcalEvent if action.is_calendar_change() => caps.push(Cap::ChangeUnprovable),
            Source::GmailSent if synced < claim.deadlines.sent_list => {
                caps.push(Cap::ListUnsettled)
            }
            Source::GmailReceipt if !claim.has_parser => caps.push(Cap::NoParser),
            _ => {}
        }
        caps
    }

    /// What was seen of a claim's window.
    #[must_use]
    pub fn of_claim(
        &self,
        claim: &ClaimFacts,
        action: ActionType,
        policy: &Policy,
    ) -> ClaimCoverage {
        let sources: Vec<SourceCoverage> = policy
            .sources(action)
            .iter()
            .map(|source| self.of_source(*source, claim, action))
            .collect();
        let all = |level: Level| sources.iter().all(|source| source.level == level);
        let level = if sources.is_empty() || all(Level::None) {
            Level::None
        } else if all(Level::Full) {
            Level::Full
        } else {
            Level::Partial
        };
        ClaimCoverage { level, sources }
    }

    fn of_source(&self, source: Source, claim: &ClaimFacts, action: ActionType) -> SourceCoverage {
        let nothing = SourceCoverage {
            source,
            level: Level::None,
            account_partial: false,
            caps: Vec::new(),
        };
        let (Some(eligible), Some(window)) = (self.source(source), claim.window) else {
            return nothing;
        };
        let seen: Vec<(&ObserverCoverage, Vec<Cap>)> = eligible
            .overlapping(window)
            .map(|held| {
                let mut caps = held.caps.clone();
                caps.extend(self.claim_caps(claim, action, held.entry));
                (held.entry, caps)
            })
            .collect();
        if seen.is_empty() {
            return nothing;
        }
        let uncapped = || {
            seen.iter()
                .filter(|(_, caps)| caps.is_empty())
                .map(|(entry, _)| *entry)
        };
        let union_holds = contained(window, uncapped().map(ObserverCoverage::window));
        let each_account_holds = eligible.bound.as_ref().is_none_or(|accounts| {
            accounts.iter().all(|account| {
                let own = uncapped().filter(|entry| entry.account_hash == Some(*account));
                contained(window, own.map(ObserverCoverage::window))
            })
        });
        SourceCoverage {
            source,
            level: if union_holds && each_account_holds {
                Level::Full
            } else {
                Level::Partial
            },
            account_partial: union_holds && !each_account_holds,
            caps: named_caps(window, &seen),
        }
    }

    /// Every entry of the coverage, judged for a claim: for the trace.
    pub fn judge<'s>(
        &'s self,
        claim: &'s ClaimFacts,
        action: ActionType,
        grant: &'s Grant,
        policy: &'s Policy,
    ) -> impl Iterator<Item = (&'s ObserverCoverage, Result<Vec<Cap>, Ineligible>)> + 's {
        let at = self.coverage.evaluated_at.instant();
        self.coverage.observers.iter().map(move |entry| {
            let verdict = if !policy.sources(action).contains(&entry.source) {
                Err(Ineligible::OtherSource)
            } else if entry.last_sync_at.instant() > at {
                Err(Ineligible::SyncedLater)
            } else if !account_is_bound(entry, grant.bound_accounts(entry.source)) {
                Err(Ineligible::OtherAccount)
            } else {
                let held = self.source(entry.source).and_then(|eligible| {
                    eligible
                        .entries
                        .iter()
                        .find(|held| core::ptr::eq(held.entry, entry))
                });
                let mut caps = held.map(|held| held.caps.clone()).unwrap_or_default();
                caps.extend(self.claim_caps(claim, action, entry));
                Ok(caps)
            };
            (entry, verdict)
        })
    }
}

impl<'a> Eligible<'a> {
    /// The entries whose window shares an instant with this one (readings 2).
    fn overlapping(&self, window: Interval) -> impl Iterator<Item = &EligibleEntry<'a>> {
        let until = self
            .entries
            .partition_point(|held| held.entry.window_start.instant() <= window.to);
        let from = self.latest_end.partition_point(|end| *end < window.from);
        let run = self.entries.get(from..until).unwrap_or_default();
        run.iter()
            .filter(move |held| held.entry.window().overlaps(window))
    }
}

/// The entries a batch sees: those synced by its instant (§3).
pub(crate) fn synced_by(
    coverage: &Coverage,
    at: Instant,
) -> impl Iterator<Item = &ObserverCoverage> {
    coverage
        .observers
        .iter()
        .filter(move |entry| entry.last_sync_at.instant() <= at)
}

/// A source whose accounts are bound is read only in those; an empty list
/// binds none (readings 41).
fn account_is_bound(entry: &ObserverCoverage, bound: Option<&[Digest]>) -> bool {
    bound.is_none_or(|bound| {
        entry
            .account_hash
            .is_some_and(|account| bound.contains(&account))
    })
}

/// The caps that follow from the grant and the entry alone.
fn standing_caps(entry: &ObserverCoverage, unbound: bool, many_accounts: bool) -> Vec<Cap> {
    let mut caps = Vec::new();
    if entry.source == Source::GcalEvent && entry.all_calendars != Some(true) {
        caps.push(Cap::CalendarsHidden);
    }
    if unbound && many_accounts {
        caps.push(Cap::MultipleAccounts);
    }
    if unbound && entry.account_hash.is_none() {
        caps.push(Cap::NoAccount);
    }
    caps
}

/// Which caps are worth naming: all of them, but "too early" only for a view
/// that saw some part of the window no view capped by time did not see
/// (v1.14, readings 8).
fn named_caps(window: Interval, seen: &[(&ObserverCoverage, Vec<Cap>)]) -> Vec<Cap> {
    let is_early = |caps: &Vec<Cap>| caps.iter().any(|cap| cap.is_early());
    let later = || {
        seen.iter()
            .filter(|(_, caps)| !is_early(caps))
            .map(|(entry, _)| entry.window())
    };
    let mut named = BTreeSet::new();
    for (entry, caps) in seen {
        let part = Interval {
            from: entry.window_start.instant().max(window.from),
            to: entry.window_end.instant().min(window.to),
        };
        let told = |cap: &&Cap| !cap.is_early() || !contained(part, later());
        named.extend(caps.iter().filter(told).copied());
    }
    named.into_iter().collect()
}

/// Whether the union of closed intervals contains an interval. Between two
/// intervals that share no end lies an open stretch of time that neither holds.
#[must_use]
pub fn contained(target: Interval, intervals: impl Iterator<Item = Interval>) -> bool {
    first_gap(target, intervals).is_none()
}

/// The first stretch of an interval that the union of closed intervals leaves
/// open, if any.
#[must_use]
pub fn first_gap(target: Interval, intervals: impl Iterator<Item = Interval>) -> Option<Interval> {
    let mut sorted: Vec<Interval> = intervals
        .filter(|interval| interval.overlaps(target))
        .collect();
    sorted.sort_by_key(|interval| interval.from);
    let mut reached: Option<Instant> = None;
    for interval in sorted {
        match reached {
            None if interval.from > target.from => {
                return Some(Interval {
                    from: target.from,
                    to: interval.from,
                });
            }
            Some(end) if interval.from > end => {
                return Some(Interval {
                    from: end,
                    to: interval.from,
                });
            }
            _ => {}
        }
        reached = Some(reached.map_or(interval.to, |end| end.max(interval.to)));
        if reached >= Some(target.to) {
            return None;
        }
    }
    Some(Interval {
        from: reached.unwrap_or(target.from),
        to: target.to,
    })
}

/// What was seen of a claim's window, over all its relevant sources.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClaimCoverage {
    /// Full when every source is, none when every source is (or there is
    /// none), else partial.
    pub level: Level,
    /// Source by source, in policy order.
    pub sources: Vec<SourceCoverage>,
}

/// What one source saw.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceCoverage {
    /// The source.
    pub source: Source,
    /// How much.
    pub level: Level,
    /// Only several bound accounts' views together hold the window (v1.11).
    pub account_partial: bool,
    /// The caps worth naming, in §15's order.
    pub caps: Vec<Cap>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(from: i64, to: i64) -> Interval {
        Interval {
            from: Instant::from_ms(from),
            to: Instant::from_ms(to),
        }
    }

    #[test]
    fn containment_of_closed_intervals() {
        let target = span(10, 20);
        for (parts, gap) in [
            (vec![], Some(span(10, 20))),
            (vec![span(10, 20)], None),
            (vec![span(0, 30)], None),
            (vec![span(11, 20)], Some(span(10, 11))),
            (vec![span(10, 19)], Some(span(19, 20))),
            (vec![span(10, 15), span(15, 20)], None),
            (vec![span(15, 20), span(10, 15)], None),
            (vec![span(10, 15), span(16, 20)], Some(span(15, 16))),
            (vec![span(0, 12), span(5, 25), span(13, 14)], None),
            (
                vec![span(10, 15), span(15, 15), span(16, 20)],
                Some(span(15, 16)),
            ),
        ] {
            assert_eq!(first_gap(target, parts.iter().copied()), gap, "{parts:?}");
        }
        assert!(contained(span(5, 5), [span(5, 5)].into_iter()));
    }
}
