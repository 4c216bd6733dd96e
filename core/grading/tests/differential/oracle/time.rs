//! Units and windows in plain milliseconds (§4.1, supplement B).

use attest_grading::model::{Claim, IsoTs, Precision};
use attest_grading::policy::Policy;

/// First and last instant, both inside.
pub type Span = (i64, i64);

pub fn ms(at: IsoTs) -> i64 {
    at.instant().ms()
}

pub fn holds(span: Span, at: i64) -> bool {
    span.0 <= at && at <= span.1
}

pub fn overlap(a: Span, b: Span) -> bool {
    a.0 <= b.1 && b.0 <= a.1
}

/// How far an instant is from a span; 0 inside.
pub fn distance(span: Span, at: i64) -> i64 {
    if at < span.0 {
        span.0 - at
    } else if at > span.1 {
        at - span.1
    } else {
        0
    }
}

/// Whether the spans together hold every instant of `wanted`, taken as a
/// stretch of the real line: two spans leave a gap unless they touch (§6.1).
pub fn covers(spans: &[Span], wanted: Span) -> bool {
    let mut reached = wanted.0;
    loop {
        let furthest = spans
            .iter()
            .filter(|span| holds(**span, reached))
            .map(|span| span.1)
            .max();
        match furthest {
            Some(to) if to >= wanted.1 => return true,
            Some(to) if to > reached => reached = to,
            _ => return false,
        }
    }
}

fn unit_of(at: IsoTs, precision: Precision) -> Span {
    let length = match precision {
        Precision::Minute => 60_000,
        Precision::Hour => 3_600_000,
        Precision::Day => 86_400_000,
    };
    let shift = i64::from(at.offset_minutes()) * 60_000;
    let start = (ms(at) + shift).div_euclid(length) * length - shift;
    (start, start + length)
}

/// `[start(p,t), end(p,t)]`.
pub fn unit(claim: &Claim) -> Span {
    let first = unit_of(claim.claimed_at, claim.precision);
    let last = claim
        .claimed_at_end
        .map_or(first, |end| unit_of(end, claim.precision));
    (first.0, last.1)
}

/// The claim window; none for a calendar claim without its target.
pub fn window(claim: &Claim, policy: &Policy) -> Option<Span> {
    let windows = policy.windows();
    if claim.action.is_calendar() {
        let target = ms(claim.target_at?);
        return Some((target - windows.calendar_ms, target + windows.calendar_ms));
    }
    let (start, end) = unit(claim);
    Some((
        start - windows.before_claim_ms,
        end + windows.after_claim_ms,
    ))
}

/// From when a sync ends the grace of a VERIFIED claim.
pub fn verified_from(claim: &Claim, policy: &Policy) -> i64 {
    unit(claim).1 + policy.windows().grace_ms
}

/// From when a sync has seen the whole window: the `graceElapsed` instant.
pub fn grace_from(claim: &Claim, policy: &Policy) -> i64 {
    let after = unit(claim).1 + policy.windows().after_claim_ms;
    if claim.action.is_calendar() {
        verified_from(claim, policy)
    } else {
        verified_from(claim, policy).max(after)
    }
}
