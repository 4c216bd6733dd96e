//! Instants, and the text they were read from (supplement B, readings 1).

use core::fmt;

/// Milliseconds in a minute.
pub const MS_PER_MINUTE: i64 = 60_000;
/// Milliseconds in an hour.
pub const MS_PER_HOUR: i64 = 3_600_000;
/// Milliseconds in a fixed 24-hour day.
pub const MS_PER_DAY: i64 = 86_400_000;

/// An instant: milliseconds since 1970-01-01T00:00:00Z, without leap seconds.
/// Every instant read from text lies in the years 0001–9999 of its own offset;
/// sums saturate far outside them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Instant(i64);

impl Instant {
    /// The instant this many milliseconds after the epoch.
    #[must_use]
    pub const fn from_ms(ms: i64) -> Self {
        Self(ms)
    }

    /// Milliseconds since the epoch.
    #[must_use]
    pub const fn ms(self) -> i64 {
        self.0
    }

    /// The instant `ms` milliseconds later (earlier when negative).
    #[must_use]
    pub const fn plus(self, ms: i64) -> Self {
        Self(self.0.saturating_add(ms))
    }

    /// The instant `ms` milliseconds earlier.
    #[must_use]
    pub const fn minus(self, ms: i64) -> Self {
        Self(self.0.saturating_sub(ms))
    }

    /// Milliseconds from `earlier` to this instant, negative when it is later.
    #[must_use]
    pub const fn since(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0)
    }
}

/// A closed interval of time. Empty (it matches nothing) when `from > to`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Interval {
    /// First instant inside.
    pub from: Instant,
    /// Last instant inside.
    pub to: Instant,
}

impl Interval {
    /// Whether the instant lies inside, ends included.
    #[must_use]
    pub fn holds(self, at: Instant) -> bool {
        self.from <= at && at <= self.to
    }

    /// Whether the two share at least one instant (readings 2).
    #[must_use]
    pub fn overlaps(self, other: Self) -> bool {
        self.from <= other.to && other.from <= self.to
    }

    /// Whether `other` lies wholly inside.
    #[must_use]
    pub fn contains(self, other: Self) -> bool {
        self.from <= other.from && other.to <= self.to
    }

    /// Milliseconds from the instant to the nearest end, 0 inside.
    #[must_use]
    pub fn distance(self, at: Instant) -> i64 {
        if at < self.from {
            self.from.since(at)
        } else {
            at.since(self.to).max(0)
        }
    }
}

/// How an offset was written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum OffsetForm {
    /// `Z`
    Zulu,
    /// `+HH:MM` or `-HH:MM` of a nonzero offset, or `+00:00`.
    Signed,
    /// `-00:00`
    NegativeZero,
}

/// An instant together with the exact text it was read from: RFC 3339 with a
/// mandatory offset, seconds, and an optional fraction of 1–3 digits. Equality
/// is equality of the text; compare [`IsoTs::instant`]s for order in time.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct IsoTs {
    instant: Instant,
    offset_minutes: i16,
    fraction_digits: u8,
    form: OffsetForm,
}

impl IsoTs {
    /// Reads a text; `None` for anything but the grammar above, a real
    /// Gregorian date in the years 0001–9999 and an offset within ±23:59.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        let (date_time, rest) = bytes.split_at_checked(19)?;
        let [
            y1,
            y2,
            y3,
            y4,
            b'-',
            mo1,
            mo2,
            b'-',
            d1,
            d2,
            b'T',
            h1,
            h2,
            b':',
            mi1,
            mi2,
            b':',
            s1,
            s2,
        ] = *date_time
        else {
            return None;
        };
        let year = two(y1, y2)?.checked_mul(100)?.checked_add(two(y3, y4)?)?;
        let (month, day) = (two(mo1, mo2)?, two(d1, d2)?);
        let (hour, minute, second) = (two(h1, h2)?, two(mi1, mi2)?, two(s1, s2)?);
        if year == 0 || !(1..=12).contains(&month) || day == 0 || day > days_in_month(year, month) {
            return None;
        }
        if hour > 23 || minute > 59 || second > 59 {
            return None;
        }
        let (milliseconds, fraction_digits, rest) = fraction(rest)?;
        let (offset_minutes, form) = offset(rest)?;
        let days = days_from_civil(year, month, day);
        let wall = days
            .checked_mul(MS_PER_DAY)?
            .checked_add(hour.checked_mul(MS_PER_HOUR)?)?
            .checked_add(minute.checked_mul(MS_PER_MINUTE)?)?
            .checked_add(second.checked_mul(1000)?)?
            .checked_add(milliseconds)?;
        let instant =
            Instant(wall.checked_sub(i64::from(offset_minutes).checked_mul(MS_PER_MINUTE)?)?);
        Some(Self {
            instant,
            offset_minutes,
            fraction_digits,
            form,
        })
    }

    /// Writes a computed instant in an offset: the fraction (three digits)
    /// only when it is not zero, `Z` for offset zero (readings 1). An instant
    /// outside the years 0001–9999 of that offset becomes their nearest end.
    #[must_use]
    pub fn computed(instant: Instant, offset_minutes: i16) -> Self {
        let shift = i64::from(offset_minutes).saturating_mul(MS_PER_MINUTE);
        let first = days_from_civil(1, 1, 1).saturating_mul(MS_PER_DAY);
        let last = days_from_civil(10_000, 1, 1)
            .saturating_mul(MS_PER_DAY)
            .saturating_sub(1);
        let wall = instant.0.saturating_add(shift).clamp(first, last);
        Self {
            instant: Instant(wall.saturating_sub(shift)),
            offset_minutes,
            fraction_digits: if wall.rem_euclid(1000) == 0 { 0 } else { 3 },
            form: if offset_minutes == 0 {
                OffsetForm::Zulu
            } else {
                OffsetForm::Signed
            },
        }
    }

    /// The instant.
    #[must_use]
    pub const fn instant(&self) -> Instant {
        self.instant
    }

    /// The written offset from UTC, in minutes, −1439…1439.
    #[must_use]
    pub const fn offset_minutes(&self) -> i16 {
        self.offset_minutes
    }

    /// Milliseconds of the wall clock at the written offset, as if it were UTC.
    #[must_use]
    pub fn wall_ms(&self) -> i64 {
        let shift = i64::from(self.offset_minutes).saturating_mul(MS_PER_MINUTE);
        self.instant.0.saturating_add(shift)
    }
}

impl fmt::Display for IsoTs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text().as_str())
    }
}

impl IsoTs {
    /// The text, byte by byte: hashing a coverage writes thousands of instants.
    pub(super) fn text(&self) -> AsciiText {
        let mut text = AsciiText::default();
        let wall = self.wall_ms();
        let (year, month, day) = civil_from_days(wall.div_euclid(MS_PER_DAY));
        let of_day = wall.rem_euclid(MS_PER_DAY);
        let part = |unit: i64, modulus: i64| of_day.div_euclid(unit).rem_euclid(modulus);
        text.two(year.div_euclid(100));
        text.two(year.rem_euclid(100));
        for (mark, number) in [
            (b'-', month),
            (b'-', day),
            (b'T', part(MS_PER_HOUR, 24)),
            (b':', part(MS_PER_MINUTE, 60)),
            (b':', part(1000, 60)),
        ] {
            text.byte(mark);
            text.two(number);
        }
        let milliseconds = of_day.rem_euclid(1000);
        if self.fraction_digits > 0 {
            text.byte(b'.');
            text.digit(milliseconds.div_euclid(100));
        }
        if self.fraction_digits > 1 {
            text.digit(milliseconds.div_euclid(10));
        }
        if self.fraction_digits > 2 {
            text.digit(milliseconds);
        }
        let magnitude = i64::from(self.offset_minutes.unsigned_abs());
        let sign = match self.form {
            OffsetForm::Zulu => b'Z',
            OffsetForm::Signed if self.offset_minutes >= 0 => b'+',
            OffsetForm::Signed | OffsetForm::NegativeZero => b'-',
        };
        text.byte(sign);
        if self.form != OffsetForm::Zulu {
            text.two(magnitude.div_euclid(60));
            text.byte(b':');
            text.two(magnitude.rem_euclid(60));
        }
        text
    }
}

/// An instant's text as it is written: at most 29 characters.
#[derive(Default)]
pub(super) struct AsciiText {
    bytes: [u8; 29],
    length: usize,
}

impl AsciiText {
    fn byte(&mut self, byte: u8) {
        if let Some(slot) = self.bytes.get_mut(self.length) {
            *slot = byte;
            self.length = self.length.saturating_add(1);
        }
    }

    /// The last decimal digit of a number.
    fn digit(&mut self, number: i64) {
        let digit = u8::try_from(number.rem_euclid(10)).unwrap_or(0);
        self.byte(b'0' | digit);
    }

    /// The last two.
    fn two(&mut self, number: i64) {
        self.digit(number.div_euclid(10));
        self.digit(number);
    }

    pub(super) fn as_str(&self) -> &str {
        let written = self.bytes.get(..self.length).unwrap_or_default();
        core::str::from_utf8(written).unwrap_or_default()
    }
}

impl fmt::Debug for IsoTs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

fn digit(ascii: u8) -> Option<i64> {
    ascii
        .checked_sub(b'0')
        .filter(|digit| *digit <= 9)
        .map(i64::from)
}

fn two(tens: u8, ones: u8) -> Option<i64> {
    digit(tens)?.checked_mul(10)?.checked_add(digit(ones)?)
}

/// Reads an optional fraction: its milliseconds, its digits, and what follows.
fn fraction(rest: &[u8]) -> Option<(i64, u8, &[u8])> {
    match *rest {
        [b'.', a, b, c, ref rest @ ..] if b.is_ascii_digit() && c.is_ascii_digit() => {
            Some((two(a, b)?.checked_mul(10)?.checked_add(digit(c)?)?, 3, rest))
        }
        [b'.', a, b, ref rest @ ..] if b.is_ascii_digit() => {
            Some((two(a, b)?.checked_mul(10)?, 2, rest))
        }
        [b'.', a, ref rest @ ..] => Some((digit(a)?.checked_mul(100)?, 1, rest)),
        _ => Some((0, 0, rest)),
    }
}

fn offset(rest: &[u8]) -> Option<(i16, OffsetForm)> {
    if rest == b"Z" {
        return Some((0, OffsetForm::Zulu));
    }
    let [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2] = *rest else {
        return None;
    };
    let (hours, minutes) = (two(h1, h2)?, two(m1, m2)?);
    if hours > 23 || minutes > 59 {
        return None;
    }
    let magnitude = i16::try_from(hours.checked_mul(60)?.checked_add(minutes)?).ok()?;
    Some(match sign {
        b'-' if magnitude == 0 => (0, OffsetForm::NegativeZero),
        b'-' => (magnitude.checked_neg()?, OffsetForm::Signed),
        _ => (magnitude, OffsetForm::Signed),
    })
}

const fn is_leap(year: i64) -> bool {
    year.rem_euclid(4) == 0 && (year.rem_euclid(100) != 0 || year.rem_euclid(400) == 0)
}

const fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days from 1970-01-01 to a date of the proleptic Gregorian calendar, by
/// counting days of 400-year cycles from 1 March of year 0.
const fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 {
        year.saturating_sub(1)
    } else {
        year
    };
    let cycle = year.div_euclid(400);
    let of_cycle = year.rem_euclid(400);
    let month_from_march = month.saturating_add(9).rem_euclid(12);
    let of_year = month_from_march
        .saturating_mul(153)
        .saturating_add(2)
        .div_euclid(5)
        .saturating_add(day)
        .saturating_sub(1);
    let days = of_cycle
        .saturating_mul(365)
        .saturating_add(of_cycle.div_euclid(4))
        .saturating_sub(of_cycle.div_euclid(100))
        .saturating_add(of_year);
    cycle
        .saturating_mul(146_097)
        .saturating_add(days)
        .saturating_sub(719_468)
}

/// The date (year, month, day) of a day counted from 1970-01-01.
const fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days.saturating_add(719_468);
    let cycle = days.div_euclid(146_097);
    let of_cycle = days.rem_euclid(146_097);
    let year_of_cycle = of_cycle
        .saturating_sub(of_cycle.div_euclid(1460))
        .saturating_add(of_cycle.div_euclid(36_524))
        .saturating_sub(of_cycle.div_euclid(146_096))
        .div_euclid(365);
    let before_year = year_of_cycle
        .saturating_mul(365)
        .saturating_add(year_of_cycle.div_euclid(4))
        .saturating_sub(year_of_cycle.div_euclid(100));
    let of_year = of_cycle.saturating_sub(before_year);
    let month_from_march = of_year.saturating_mul(5).saturating_add(2).div_euclid(153);
    let month_start = month_from_march
        .saturating_mul(153)
        .saturating_add(2)
        .div_euclid(5);
    let day = of_year.saturating_sub(month_start).saturating_add(1);
    let month = month_from_march
        .saturating_add(2)
        .rem_euclid(12)
        .saturating_add(1);
    let year = cycle.saturating_mul(400).saturating_add(year_of_cycle);
    (
        if month <= 2 {
            year.saturating_add(1)
        } else {
            year
        },
        month,
        day,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reads_known_instants() {
        for (text, ms) in [
            ("1970-01-01T00:00:00Z", 0),
            ("2026-10-06T14:02:00-04:00", 1_791_309_720_000),
            ("2026-10-06T18:02:00.5Z", 1_791_309_720_500),
            ("2026-10-06T18:02:00.05Z", 1_791_309_720_050),
            ("2026-10-06T18:02:00.005+00:00", 1_791_309_720_005),
            ("2024-02-29T23:59:59.999+23:59", 1_709_164_859_999),
            ("0001-01-01T00:00:00Z", -62_135_596_800_000),
            ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
        ] {
            let read = IsoTs::parse(text).unwrap();
            assert_eq!(read.instant().ms(), ms, "{text}");
            assert_eq!(read.to_string(), text);
        }
    }

    /// A fraction of any length beside an offset of any form: `.5-04:00` was
    /// once taken for three digits.
    #[test]
    fn every_fraction_beside_every_offset() {
        let whole = IsoTs::parse("2026-10-06T18:02:00Z").unwrap().instant();
        for (fraction, ms) in [
            ("", 0),
            (".5", 500),
            (".05", 50),
            (".50", 500),
            (".005", 5),
            (".500", 500),
        ] {
            for (offset, minutes) in [
                ("Z", 0),
                ("+00:00", 0),
                ("-00:00", 0),
                ("-04:00", -240),
                ("+05:45", 345),
                ("+23:59", 1439),
            ] {
                let text = format!("2026-10-06T18:02:00{fraction}{offset}");
                let read = IsoTs::parse(&text).unwrap();
                let expected = whole.plus(ms - minutes * MS_PER_MINUTE);
                assert_eq!((read.instant(), read.to_string()), (expected, text));
            }
        }
    }

    #[test]
    fn refuses_everything_else() {
        for text in [
            "",
            "2026-10-06",
            "2026-10-06T14:02:00",
            "2026-10-06T14:02Z",
            "2026-10-06 14:02:00Z",
            "2026-10-06t14:02:00Z",
            "2026-10-06T14:02:00z",
            "2026-10-06T14:02:60Z",
            "2026-10-06T24:00:00Z",
            "2026-10-06T14:60:00Z",
            "2026-02-29T00:00:00Z",
            "2026-13-01T00:00:00Z",
            "2026-00-01T00:00:00Z",
            "2026-01-00T00:00:00Z",
            "0000-01-01T00:00:00Z",
            "10000-01-01T00:00:00Z",
            "2026-10-06T14:02:00.Z",
            "2026-10-06T14:02:00.1234Z",
            "2026-10-06T14:02:00+0400",
            "2026-10-06T14:02:00+24:00",
            "2026-10-06T14:02:00+04:60",
            "2026-10-06T14:02:00Z ",
            "２026-10-06T14:02:00Z",
        ] {
            assert_eq!(IsoTs::parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn writes_computed_instants_in_the_offset_asked_for() {
        let at = IsoTs::parse("2026-10-06T14:02:00-04:00").unwrap().instant();
        for (ms, offset, text) in [
            (0, -240, "2026-10-06T14:02:00-04:00"),
            (1, -240, "2026-10-06T14:02:00.001-04:00"),
            (120, 0, "2026-10-06T18:02:00.120Z"),
            (0, 345, "2026-10-06T23:47:00+05:45"),
            (i64::MAX, 60, "9999-12-31T23:59:59.999+01:00"),
            (i64::MIN, 0, "0001-01-01T00:00:00Z"),
        ] {
            assert_eq!(IsoTs::computed(at.plus(ms), offset).to_string(), text);
        }
    }

    /// Every day of the years 0001–9999, in order, once: by counting.
    #[test]
    fn civil_dates_are_consecutive() {
        let mut expected = days_from_civil(1, 1, 1);
        for year in 1..=9999 {
            for month in 1..=12 {
                for day in 1..=days_in_month(year, month) {
                    assert_eq!(days_from_civil(year, month, day), expected);
                    assert_eq!(civil_from_days(expected), (year, month, day));
                    expected += 1;
                }
            }
        }
        assert_eq!(days_from_civil(1970, 1, 1), 0);
    }

    #[test]
    fn intervals() {
        let at = Instant::from_ms;
        let interval = Interval {
            from: at(10),
            to: at(20),
        };
        assert!(interval.holds(at(10)) && interval.holds(at(20)) && !interval.holds(at(21)));
        assert!(interval.overlaps(Interval {
            from: at(20),
            to: at(20)
        }));
        assert!(!interval.overlaps(Interval {
            from: at(21),
            to: at(30)
        }));
        for (ms, distance) in [(7, 3), (10, 0), (15, 0), (20, 0), (23, 3)] {
            assert_eq!(interval.distance(at(ms)), distance);
        }
    }

    proptest! {
        #[test]
        fn text_round_trips(ms in -62_135_000_000_000i64..253_402_000_000_000, offset in -1439i16..=1439) {
            let written = IsoTs::computed(Instant::from_ms(ms), offset);
            prop_assert_eq!(IsoTs::parse(&written.to_string()), Some(written));
        }

        #[test]
        fn any_text_is_read_back_as_it_stood(text in "[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-6][0-9](\\.[0-9]{1,4})?(Z|[+-][0-2][0-9]:[0-6][0-9])") {
            if let Some(read) = IsoTs::parse(&text) {
                prop_assert_eq!(read.to_string(), text);
            }
        }
    }
}
