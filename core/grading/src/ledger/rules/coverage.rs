//! Coverage as a writer keeps it (§3, v1.9–v1.14): what an entry may be, and
//! when two become one.

use crate::model::problem::ProblemKind;
use crate::model::time::{MS_PER_DAY, MS_PER_HOUR};
use crate::model::{IsoTs, ObserverCoverage, Source};

use super::error::{WriteError, check};
use super::{Keeper, Kept};

/// Shortest Calendar window: a day less an hour, for the day a clock is put
/// forward.
const SHORTEST_CALENDAR_MS: i64 = MS_PER_DAY.saturating_sub(MS_PER_HOUR);
/// Longest Calendar window: six weeks and an hour.
const LONGEST_CALENDAR_MS: i64 = MS_PER_DAY.saturating_mul(42).saturating_add(MS_PER_HOUR);

/// Whether an entry covers one instant only: a receipt's, or a first-look
/// marker.
fn is_point(entry: &ObserverCoverage) -> bool {
    entry.window_start.instant() == entry.window_end.instant()
}

/// Refuses an entry its observer must not write. First-look markers are the
/// ledger's own and never pass here.
///
/// # Errors
///
/// `clock_behind` for one synced after now; the member at fault of a sent list
/// whose window does not end at its sync, a Calendar window shorter than a day
/// less an hour or longer than 42 days and an hour, a receipt that is no point,
/// or one that ends after its sync.
pub fn check_entry(entry: &ObserverCoverage, now: IsoTs) -> Result<(), WriteError> {
    check(entry, ObserverCoverage::decode)?;
    let synced = entry.last_sync_at.instant();
    if synced > now.instant() {
        return Err(WriteError::ClockBehind);
    }
    let refuse = |what| Err(WriteError::invalid("windowEnd", ProblemKind::MustBe(what)));
    let window = entry.window();
    match entry.source {
        Source::GmailSent if window.to != synced => refuse("lastSyncAt: the head of the list"),
        Source::GcalEvent
            if !(SHORTEST_CALENDAR_MS..=LONGEST_CALENDAR_MS)
                .contains(&window.to.since(window.from)) =>
        {
            refuse("a day less an hour to 42 days and an hour after windowStart")
        }
        Source::GmailReceipt if !is_point(entry) => refuse("windowStart: a receipt's instant"),
        Source::GmailReceipt if window.to > synced => refuse("at or before lastSyncAt"),
        _ => Ok(()),
    }
}

/// Two entries as one, when they may be: the same view of the same account,
/// windows that share an instant, and no sync carried over a span its pass did
/// not see, that is synced at one instant, or the earlier window inside the
/// later one. Points merge only with an equal point; a first-look marker also
/// only at its own sighting, which the orphan rule reads (§3).
#[must_use]
pub fn merged(held: &ObserverCoverage, next: &ObserverCoverage) -> Option<ObserverCoverage> {
    let same_view = held.observer_id == next.observer_id
        && held.source == next.source
        && held.account_hash == next.account_hash
        && held.all_calendars == next.all_calendars;
    if !same_view || !held.window().overlaps(next.window()) {
        return None;
    }
    let (a, b) = (held.last_sync_at.instant(), next.last_sync_at.instant());
    if is_point(held) || is_point(next) {
        let marker = held.source == Source::GcalEvent;
        let same_sighting = a == b && instant_of(held) == instant_of(next);
        if held.window() != next.window() || (marker && !same_sighting) {
            return None;
        }
    }
    if a == b {
        let (start, end) = (held.window_start, held.window_end);
        return Some(ObserverCoverage {
            window_start: earlier(start, next.window_start),
            window_end: later(end, next.window_end),
            changes_since: match (held.changes_since, next.changes_since) {
                (Some(a), Some(b)) => Some(later(a, b)),
                _ => None,
            },
            ..held.clone()
        });
    }
    let (before, after) = if a < b { (held, next) } else { (next, held) };
    after
        .window()
        .contains(before.window())
        .then(|| after.clone())
}

fn instant_of(entry: &ObserverCoverage) -> Option<crate::model::Instant> {
    entry.changes_since.map(|since| since.instant())
}

/// The earlier of two; of one instant, the first.
fn earlier(a: IsoTs, b: IsoTs) -> IsoTs {
    if b.instant() < a.instant() { b } else { a }
}

/// The later of two; of one instant, the first.
fn later(a: IsoTs, b: IsoTs) -> IsoTs {
    if b.instant() > a.instant() { b } else { a }
}

/// Adds an entry to a list, merging it with every one it may be merged with.
pub fn add(list: &mut Vec<ObserverCoverage>, entry: ObserverCoverage) -> Kept {
    let mut whole = entry;
    let mut place = None;
    loop {
        let found = list
            .iter()
            .zip(0..)
            .find_map(|(held, at): (_, usize)| Some((merged(held, &whole)?, at)));
        let Some((next, at)) = found else {
            break;
        };
        if place.is_none() && list.get(at) == Some(&next) {
            return Kept::Unchanged;
        }
        whole = next;
        list.remove(at);
        place = Some(place.map_or(at, |held: usize| held.min(at)));
    }
    list.insert(place.unwrap_or(list.len()), whole);
    Kept::New
}

impl Keeper {
    /// Adds checked entries; how many changed the table.
    pub(super) fn add_coverage(&mut self, entries: Vec<ObserverCoverage>) -> u64 {
        let mut changed = 0u64;
        for entry in entries {
            if add(&mut self.ledger.coverage, entry) == Kept::New {
                changed = changed.saturating_add(1);
            }
        }
        changed
    }
}
