//! A calendar and its page: what stood on it, and what a look shows.

use attest_canon::{Digest, sha256};

use crate::ledger::rules::{CalendarEvent, CalendarView};
use crate::model::time::MS_PER_DAY;
use crate::model::{ActionType, Instant, IsoTs, Observation, Source, Token};

use super::mailbox::row;
use super::truth::Facts;

/// An event through its life.
#[derive(Clone, Debug)]
pub(super) struct Event {
    /// Its id.
    pub(super) key: String,
    /// Whether a crowded day leaves it out.
    pub(super) last_to_fit: bool,
    /// On a calendar that is not always shown.
    pub(super) secondary: bool,
    /// What it was from when on, in milliseconds since the world began; `None`
    /// once it is gone. Never empty.
    pub(super) versions: Vec<(i64, Option<Facts>)>,
    /// The deed that made it.
    pub(super) creator: usize,
}

impl Event {
    /// What it is at a time.
    pub(super) fn at(&self, when: i64) -> Option<&Facts> {
        let versions = self.versions.iter().rev();
        let last = versions.into_iter().find(|(since, _)| *since <= when);
        last.and_then(|(_, facts)| facts.as_ref())
    }

    /// What it is in the end.
    pub(super) fn last(&self) -> Option<&Facts> {
        self.versions.last().and_then(|(_, facts)| facts.as_ref())
    }

    /// The row of a kind that a look at some facts of it can give.
    pub(super) fn row(&self, action: ActionType, facts: &Facts) -> Option<Observation> {
        let starts = facts.target?;
        Some(row(
            Source::GcalEvent,
            action,
            &self.key,
            starts,
            facts,
            starts,
        ))
    }
}

/// The calendars of one account.
#[derive(Clone, Debug, Default)]
pub(super) struct Calendar {
    pub(super) events: Vec<Event>,
    /// Up to when an open tab has shown them: it never shows less again.
    shown: i64,
}

/// How a look is taken.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look {
    pub(super) account: Digest,
    /// The tab shows what was so up to then.
    pub(super) as_of: i64,
    pub(super) read: IsoTs,
    /// First and last day of the range, at midnight.
    pub(super) from: IsoTs,
    pub(super) to: IsoTs,
    /// A day whose events do not all fit, by its midnight.
    pub(super) crowded: Option<Instant>,
    /// Whether every calendar is shown.
    pub(super) whole: bool,
}

impl Calendar {
    /// What a look shows.
    pub(super) fn look(&mut self, look: Look) -> CalendarView {
        self.shown = self.shown.max(look.as_of);
        let (from, to) = (look.from.instant(), look.to.instant());
        let crowded = look.crowded.filter(|day| from <= *day && *day < to);
        let end_of = |day: Instant| day.plus(MS_PER_DAY);
        let on_crowded = |at: Instant| crowded.is_some_and(|day| day <= at && at < end_of(day));
        let mut events = Vec::new();
        for event in &self.events {
            let Some(facts) = event.at(self.shown) else {
                continue;
            };
            let Some(starts) = facts.target.filter(|at| {
                let at = at.instant();
                from <= at && at <= to && (look.whole || !event.secondary)
            }) else {
                continue;
            };
            // A crowded day shows some of its events, always the same.
            if on_crowded(starts.instant()) && event.last_to_fit {
                continue;
            }
            events.push(CalendarEvent {
                row_key_hash: sha256(event.key.as_bytes()),
                starts_at: starts,
                subject_hint: facts.subject.as_deref().map(Into::into),
                counterparty: facts.counterparty.as_deref().map(Into::into),
            });
        }
        let write = |at: Instant| IsoTs::computed(at, look.read.offset_minutes());
        // A crowded day is in no window.
        let runs = match crowded {
            None => vec![(from, to)],
            Some(day) => vec![(from, day.minus(1)), (end_of(day), to)],
        };
        let long = |(from, to): &(Instant, Instant)| to.since(*from) >= MS_PER_DAY;
        CalendarView {
            observer_id: Token::of_source(Source::GcalEvent),
            account_hash: Some(look.account),
            all_calendars: Some(look.whole),
            shown: Some(sha256(if look.whole { b"all" } else { b"own" })),
            read_at: look.read,
            windows: runs
                .into_iter()
                .filter(long)
                .map(|(from, to)| (write(from), write(to)))
                .collect(),
            events,
        }
    }
}
