//! Units, windows and the instants measured from them (§4.1, supplement B).

use crate::model::time::{MS_PER_DAY, MS_PER_HOUR, MS_PER_MINUTE};
use crate::model::{Claim, Instant, Interval, IsoTs, Precision};
use crate::policy::Windows;

/// Length of a precision's unit, in milliseconds.
#[must_use]
pub const fn unit_ms(precision: Precision) -> i64 {
    match precision {
        Precision::Minute => MS_PER_MINUTE,
        Precision::Hour => MS_PER_HOUR,
        Precision::Day => MS_PER_DAY,
    }
}

/// Start of the unit that holds an instant, on the wall clock of its own
/// written offset.
fn unit_start(at: IsoTs, precision: Precision) -> Instant {
    let into = at.wall_ms().rem_euclid(unit_ms(precision));
    at.instant().minus(into)
}

/// The claim's precision unit `[start(p,t), end(p,t)]`, both ends inside. With
/// `claimedAtEnd` it ends with the unit that holds that instant.
#[must_use]
pub fn claim_unit(claim: &Claim) -> Interval {
    let from = unit_start(claim.claimed_at, claim.precision);
    let last = claim
        .claimed_at_end
        .map_or(from, |end| unit_start(end, claim.precision));
    Interval {
        from,
        to: last.plus(unit_ms(claim.precision)),
    }
}

/// The claim window, both ends inside; `None` for a calendar claim without a
/// target, which has nothing to look around.
#[must_use]
pub fn claim_window(claim: &Claim, windows: &Windows) -> Option<Interval> {
    if claim.action.is_calendar() {
        let target = claim.target_at?.instant();
        Some(Interval {
            from: target.minus(windows.calendar_ms),
            to: target.plus(windows.calendar_ms),
        })
    } else {
        let unit = claim_unit(claim);
        Some(Interval {
            from: unit.from.minus(windows.before_claim_ms),
            to: unit.to.plus(windows.after_claim_ms),
        })
    }
}

/// The instants from which a claim's receipt can be decided (§6.1, §8).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Deadlines {
    /// `end(p,t) + graceMin`: positive evidence needs no longer wait.
    pub grace: Instant,
    /// The grace sync: for non-calendar types also `end(p,t) + afterClaimMin`,
    /// when the whole window has had time to happen.
    pub whole_window: Instant,
    /// The grace sync of a Sent list: both bounds, whatever the type (v1.14).
    pub sent_list: Instant,
    /// `end(p,t) + finalizeUnverifiableHours`: waiting ends.
    pub give_up: Instant,
    /// `start(p,t) − beforeClaimMin`: the first-seen bound of `calendar.created`.
    pub first_seen_from: Instant,
}

/// The deadlines of a claim.
#[must_use]
pub fn deadlines(claim: &Claim, windows: &Windows) -> Deadlines {
    let unit = claim_unit(claim);
    let grace = unit.to.plus(windows.grace_ms);
    let sent_list = grace.max(unit.to.plus(windows.after_claim_ms));
    Deadlines {
        grace,
        whole_window: if claim.action.is_calendar() {
            grace
        } else {
            sent_list
        },
        sent_list,
        give_up: unit.to.plus(windows.finalize_unverifiable_ms),
        first_seen_from: unit.from.minus(windows.before_claim_ms),
    }
}
