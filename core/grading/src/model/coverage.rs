//! Coverage: what the observers looked at, and when.

use attest_canon::Digest;
use attest_canon::jcs::Writer;

use super::canonical::{Canonical, member, member_if};
use super::closed::Source;
use super::decode::{Decoder, Read, object};
use super::limits;
use super::primitives::Token;
use super::problem::ProblemKind;
use super::time::{Interval, IsoTs};

/// One view: a source looked at over a window, synced at an instant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ObserverCoverage {
    /// Which observer.
    pub observer_id: Token,
    /// Which source.
    pub source: Source,
    /// When it last synced.
    pub last_sync_at: IsoTs,
    /// First instant of the window seen.
    pub window_start: IsoTs,
    /// Last instant of the window seen; never before `window_start`.
    pub window_end: IsoTs,
    /// The account seen, when known.
    pub account_hash: Option<Digest>,
    /// Whether every calendar was shown (`gcal.event`).
    pub all_calendars: Option<bool>,
    /// Since when the view followed changes (`gcal.event`); never after
    /// `last_sync_at`. Only the orphan rule reads it (§3).
    pub changes_since: Option<IsoTs>,
}

impl ObserverCoverage {
    /// Reads an entry.
    pub fn decode(d: &mut Decoder<'_>) -> Read<Self> {
        object!(d, {
            observer_id: required "observerId" = Decoder::token,
            source: required "source" = Decoder::source,
            last_sync_at: required "lastSyncAt" = Decoder::instant,
            window_start: required "windowStart" = Decoder::instant,
            window_end: required "windowEnd" = Decoder::instant,
            account_hash: optional "accountHash" = Decoder::digest,
            all_calendars: optional "allCalendars" = Decoder::boolean,
            changes_since: optional "changesSince" = Decoder::instant,
        });
        let entry = Self {
            observer_id,
            source,
            last_sync_at,
            window_start,
            window_end,
            account_hash,
            all_calendars,
            changes_since,
        };
        if let Some((key, kind)) = entry.problem() {
            d.note_member(key, kind);
            return Ok(None);
        }
        Ok(Some(entry))
    }

    /// What the fields contradict about each other, if anything.
    #[must_use]
    pub fn problem(&self) -> Option<(&'static str, ProblemKind)> {
        if self.window_end.instant() < self.window_start.instant() {
            return Some(("windowEnd", ProblemKind::MustBe("at or after windowStart")));
        }
        if self.source != Source::GcalEvent {
            if self.all_calendars.is_some() {
                return Some(("allCalendars", ProblemKind::NotAllowedHere));
            }
            if self.changes_since.is_some() {
                return Some(("changesSince", ProblemKind::NotAllowedHere));
            }
        }
        let after_sync = |since: IsoTs| since.instant() > self.last_sync_at.instant();
        if self.changes_since.is_some_and(after_sync) {
            return Some((
                "changesSince",
                ProblemKind::MustBe("at or before lastSyncAt"),
            ));
        }
        None
    }

    /// The window seen.
    #[must_use]
    pub fn window(&self) -> Interval {
        Interval {
            from: self.window_start.instant(),
            to: self.window_end.instant(),
        }
    }
}

impl Canonical for ObserverCoverage {
    fn write(&self, out: &mut Writer) {
        out.begin_object();
        member_if(out, "accountHash", self.account_hash.as_ref());
        member_if(out, "allCalendars", self.all_calendars.as_ref());
        member_if(out, "changesSince", self.changes_since.as_ref());
        member(out, "lastSyncAt", &self.last_sync_at);
        member(out, "observerId", &self.observer_id);
        member(out, "source", &self.source);
        member(out, "windowEnd", &self.window_end);
        member(out, "windowStart", &self.window_start);
        out.end_object();
    }
}

/// A span a clock that was wrong may have stamped (§3 Clock safety).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Repair {
    /// The clock's now when the ledger found it behind.
    pub from: IsoTs,
    /// The ledger's high water.
    pub to: IsoTs,
}

impl Repair {
    /// Reads a span. One that ends before it begins is data that matches
    /// nothing (readings 54).
    pub fn decode(d: &mut Decoder<'_>) -> Read<Self> {
        object!(d, {
            from: required "from" = Decoder::instant,
            to: required "to" = Decoder::instant,
        });
        Ok(Some(Self { from, to }))
    }

    /// The span as an interval.
    #[must_use]
    pub fn interval(&self) -> Interval {
        Interval {
            from: self.from.instant(),
            to: self.to.instant(),
        }
    }
}

impl Canonical for Repair {
    fn write(&self, out: &mut Writer) {
        out.begin_object();
        member(out, "from", &self.from);
        member(out, "to", &self.to);
        out.end_object();
    }
}

/// Everything a batch knows about what was looked at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Coverage {
    /// The batch's instant.
    pub evaluated_at: IsoTs,
    /// The views.
    pub observers: Vec<ObserverCoverage>,
    /// The clock repairs kept; an empty list is the same as none.
    pub repairs: Vec<Repair>,
}

impl Coverage {
    /// Reads a coverage.
    pub fn decode(d: &mut Decoder<'_>) -> Read<Self> {
        object!(d, {
            evaluated_at: required "evaluatedAt" = Decoder::instant,
            observers: required "observers" = |d: &mut Decoder<'_>| d.list(limits::GRADING_INPUT, ObserverCoverage::decode),
            repairs: defaulted "repairs" = |d: &mut Decoder<'_>| d.any_list(Repair::decode),
        });
        Ok(Some(Self {
            evaluated_at,
            observers,
            repairs,
        }))
    }
}

impl Canonical for Coverage {
    fn write(&self, out: &mut Writer) {
        out.begin_object();
        member(out, "evaluatedAt", &self.evaluated_at);
        member(out, "observers", self.observers.as_slice());
        if !self.repairs.is_empty() {
            member(out, "repairs", self.repairs.as_slice());
        }
        out.end_object();
    }
}
