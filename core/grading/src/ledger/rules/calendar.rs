//! Calendar views (§3, §10, v1.9–v1.13): what changed is read by comparing a
//! view with the one before it. A pass is stored all or none.
//!
//! Every row is stored as a first sighting with its first-look marker (v1.12):
//! a snapshot cannot tell the account's own changes from other people's, so no
//! Calendar row ever accuses an agent.

use std::collections::{BTreeMap, BTreeSet};

use attest_canon::{Digest, Id};

use crate::model::problem::ProblemKind;
use crate::model::time::MS_PER_DAY;
use crate::model::{ActionType, IsoTs, Observation, ObserverCoverage, Source, Token};

use super::coverage::check_entry;
use super::error::WriteError;
use super::{Keeper, no_earlier};

/// Most `calendar.updated` rows of one event on one day: a page that changes
/// an event again and again must not fill the ledger (v1.12).
pub const UPDATES_PER_DAY: usize = 20;

/// One event as a view shows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CalendarEvent {
    /// SHA-256 of the event's own id.
    pub row_key_hash: Digest,
    /// When it starts.
    pub starts_at: IsoTs,
    /// Its title, at most 80 characters.
    pub subject_hint: Option<Box<str>>,
    /// A guest.
    pub counterparty: Option<Box<str>>,
}

/// A look at a range of a calendar page.
#[derive(Clone, PartialEq, Debug)]
pub struct CalendarView {
    /// Which observer.
    pub observer_id: Token,
    /// The account looked at, when known.
    pub account_hash: Option<Digest>,
    /// Whether every calendar was shown.
    pub all_calendars: Option<bool>,
    /// Which calendars were shown, as a hash of their set, when known.
    pub shown: Option<Digest>,
    /// When it was read.
    pub read_at: IsoTs,
    /// The runs of days it saw whole; what lies outside may still show events.
    pub windows: Vec<(IsoTs, IsoTs)>,
    /// Every event it showed.
    pub events: Vec<CalendarEvent>,
}

/// What a range showed when it was last read: the base the next view of it is
/// compared with.
#[derive(Clone, Debug)]
pub(super) struct CalendarRecord {
    view: ViewKey,
    pub(super) read_at: IsoTs,
    /// Since when views of it followed one another.
    followed_since: IsoTs,
    events: BTreeMap<Digest, CalendarEvent>,
    /// Events of the base this view did not show: gone only when the next one
    /// does not show them either.
    absent: BTreeSet<Digest>,
}

/// Views that can be compared. Another set of calendars shown is another view:
/// what appears or goes with it is no change.
#[derive(Clone, PartialEq, Eq, Debug)]
struct ViewKey {
    observer_id: Token,
    account_hash: Option<Digest>,
    all_calendars: Option<bool>,
    shown: Option<Digest>,
    windows: Vec<(i64, i64)>,
}

/// What became of a view.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CalendarStored {
    /// Rows stored, each with its first-look marker.
    pub stored: usize,
    /// Rows the ledger held.
    pub unchanged: usize,
    /// Rows of events that changed too often that day, held back; the windows
    /// then follow no changes and the observer is degraded
    /// (`ledger.event_churn`).
    pub held_back: usize,
    /// Events that were not shown for the first time: the view vouches for no
    /// window until the next one settles whether they are gone.
    pub waiting: usize,
}

impl Keeper {
    /// Stores a view: the rows it shows against the range's base, their markers
    /// and its windows, all or none.
    ///
    /// # Errors
    ///
    /// `clock_behind` for a view read after now; `late_sighting` or
    /// `id_conflict` of any row; a window or event its schema refuses.
    pub fn store_calendar_view(
        &mut self,
        view: CalendarView,
        now: IsoTs,
    ) -> Result<CalendarStored, WriteError> {
        self.open(now);
        if view.read_at.instant() > now.instant() {
            return Err(WriteError::ClockBehind);
        }
        let events = by_key(&view)?;
        let key = view.key();
        let place = self.records.iter().position(|held| held.view == key);
        let base = place.and_then(|place| self.records.get(place));
        // A view read no later than its base was overtaken by it: there is
        // nothing it can be compared with.
        let overtaken = base.is_some_and(|held| held.read_at.instant() >= view.read_at.instant());
        let base = base.filter(|_| !overtaken);
        let difference = Difference::between(base, &events);

        let mut done = CalendarStored {
            waiting: difference.absent.len(),
            ..CalendarStored::default()
        };
        let mut rows = Vec::new();
        let mut updated: BTreeMap<Digest, usize> = BTreeMap::new();
        for (action, event) in difference.changes {
            let row = view.row(action, &event);
            match self.plan(row, now)? {
                None => done.unchanged = done.unchanged.saturating_add(1),
                Some(row) => {
                    if action == ActionType::CalendarUpdated {
                        let count = updated
                            .entry(event.row_key_hash)
                            .or_insert_with(|| self.updates_of(event.row_key_hash, view.read_at));
                        if *count >= UPDATES_PER_DAY {
                            done.held_back = done.held_back.saturating_add(1);
                            continue;
                        }
                        *count = count.saturating_add(1);
                    }
                    rows.push(row);
                }
            }
        }
        let followed_since = base
            .filter(|_| done.held_back == 0)
            .map(|held| no_earlier(held.followed_since, self.floor()));
        let follows = followed_since.filter(|since| since.instant() <= view.read_at.instant());
        let mut entries: Vec<ObserverCoverage> = rows.iter().map(|row| view.marker(row)).collect();
        if done.waiting == 0 {
            for window in &view.windows {
                let entry = view.entry(*window, follows);
                check_entry(&entry, now)?;
                entries.push(entry);
            }
        } else {
            // Not vouched for, but held to the same shape.
            for window in &view.windows {
                check_entry(&view.entry(*window, None), now)?;
            }
        }

        done.stored = rows.len();
        let mut facts = u64::try_from(rows.len()).unwrap_or(u64::MAX);
        for row in rows {
            self.push(row);
        }
        facts = facts.saturating_add(self.add_coverage(entries));
        if !overtaken {
            // An event that may be gone stays in the base until that is settled.
            let absent = difference.absent.keys().copied().collect();
            let mut shown = events;
            shown.extend(difference.absent);
            let record = CalendarRecord {
                view: key,
                read_at: view.read_at,
                followed_since: followed_since.unwrap_or(view.read_at),
                events: shown,
                absent,
            };
            match place.and_then(|place| self.records.get_mut(place)) {
                Some(held) => *held = record,
                None => self.records.push(record),
            }
        }
        // The read itself is a fact (§3).
        self.stored(facts.saturating_add(1), now);
        Ok(done)
    }

    fn floor(&self) -> Option<crate::model::Instant> {
        self.books.clock_floor.map(|floor| floor.instant())
    }

    /// How many `calendar.updated` rows of an event were first seen on the day
    /// of an instant, each day as its own text writes it.
    fn updates_of(&self, event: Digest, at: IsoTs) -> usize {
        let day = |at: IsoTs| at.wall_ms().div_euclid(MS_PER_DAY);
        let of_day = |row: &&Observation| {
            row.action == ActionType::CalendarUpdated
                && row.row_key_hash == Some(event)
                && day(row.first_seen_at()) == day(at)
        };
        self.ledger.observations.iter().filter(of_day).count()
    }
}

/// A view's events by their key. Two events under one key are refused: a page
/// read that way was not read.
fn by_key(view: &CalendarView) -> Result<BTreeMap<Digest, CalendarEvent>, WriteError> {
    let mut events = BTreeMap::new();
    for event in &view.events {
        if events.insert(event.row_key_hash, event.clone()).is_some() {
            return Err(WriteError::invalid("events", ProblemKind::DuplicateId));
        }
    }
    Ok(events)
}

/// What a view shows that its base does not, and the other way round.
struct Difference {
    changes: Vec<(ActionType, CalendarEvent)>,
    /// Not shown for the first time.
    absent: BTreeMap<Digest, CalendarEvent>,
}

impl Difference {
    /// Against no base every event is a first sighting. An event is gone when
    /// two views after one another do not show it.
    fn between(base: Option<&CalendarRecord>, events: &BTreeMap<Digest, CalendarEvent>) -> Self {
        let mut changes = Vec::new();
        let mut absent = BTreeMap::new();
        for (key, event) in events {
            match base.and_then(|base| base.events.get(key)) {
                None => changes.push((ActionType::CalendarCreated, event.clone())),
                Some(held) if held != event => {
                    changes.push((ActionType::CalendarUpdated, event.clone()));
                }
                Some(_) => {}
            }
        }
        for (key, event) in base.iter().flat_map(|base| &base.events) {
            if events.contains_key(key) {
                continue;
            }
            if base.is_some_and(|base| base.absent.contains(key)) {
                changes.push((ActionType::CalendarDeleted, event.clone()));
            } else {
                absent.insert(*key, event.clone());
            }
        }
        Self { changes, absent }
    }
}

impl CalendarView {
    fn key(&self) -> ViewKey {
        let ms = |(from, to): &(IsoTs, IsoTs)| (from.instant().ms(), to.instant().ms());
        ViewKey {
            observer_id: self.observer_id.clone(),
            account_hash: self.account_hash,
            all_calendars: self.all_calendars,
            shown: self.shown,
            windows: self.windows.iter().map(ms).collect(),
        }
    }

    fn row(&self, action: ActionType, event: &CalendarEvent) -> Observation {
        let mut row = Observation {
            id: Id::from_digest(&event.row_key_hash),
            source: Source::GcalEvent,
            action,
            occurred_at: event.starts_at,
            observed_at: self.read_at,
            sighted_at: None,
            counterparty: event.counterparty.clone(),
            merchant: None,
            amount: None,
            currency: None,
            subject_hint: event.subject_hint.clone(),
            row_key_hash: Some(event.row_key_hash),
            content_hash: event.row_key_hash,
        };
        row.content_hash = row.computed_content_hash();
        row.id = Id::from_digest(&row.content_hash);
        row
    }

    fn entry(&self, (from, to): (IsoTs, IsoTs), changes_since: Option<IsoTs>) -> ObserverCoverage {
        ObserverCoverage {
            observer_id: self.observer_id.clone(),
            source: Source::GcalEvent,
            last_sync_at: self.read_at,
            window_start: from,
            window_end: to,
            account_hash: self.account_hash,
            all_calendars: self.all_calendars,
            changes_since,
        }
    }

    /// The first-look marker of a row: a point at its start that began
    /// comparing when the row was first seen (v1.10).
    fn marker(&self, row: &Observation) -> ObserverCoverage {
        let first_seen = row.first_seen_at();
        ObserverCoverage {
            last_sync_at: first_seen,
            changes_since: Some(first_seen),
            ..self.entry((row.occurred_at, row.occurred_at), None)
        }
    }
}
