//! Instants: the package's own Time (§7) and foreign RFC 3339 timestamps.

/// A point in time, in nanoseconds since 1970-01-01T00:00:00Z.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Instant(i128);

/// A package Time: `YYYY-MM-DDTHH:MM:SS[.fraction]Z`, 1 to 9 fractional
/// digits, a valid Gregorian date, no second 60 (§7). It keeps its text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Time {
    text: String,
    instant: Instant,
}

impl Time {
    /// Reads a Time.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let parsed = Rfc3339::parse(text)?;
        let plain = parsed.offset == Offset::Z && parsed.fraction_digits <= 9;
        plain.then(|| Self {
            text: text.to_owned(),
            instant: parsed.instant,
        })
    }

    /// The text as it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The point in time.
    #[must_use]
    pub fn instant(&self) -> Instant {
        self.instant
    }
}

const NANOS: i128 = 1_000_000_000;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Offset {
    Z,
    /// Minutes east of UTC, and whether it was written with `-`.
    Minutes(i32, bool),
}

struct Rfc3339 {
    instant: Instant,
    offset: Offset,
    fraction_digits: usize,
}

impl Rfc3339 {
    /// `YYYY-MM-DDTHH:MM:SS[.digits](Z|±HH:MM)`, upper case, no second 60.
    /// Digits after the ninth do not reach the instant.
    fn parse(text: &str) -> Option<Self> {
        let (head, tail) = text.split_at_checked(19)?;
        let bytes = head.as_bytes();
        let punctuation = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':')];
        if punctuation
            .iter()
            .any(|(at, mark)| bytes.get(*at) != Some(mark))
        {
            return None;
        }
        let year = digits(head.get(0..4)?)?;
        let month = digits(head.get(5..7)?)?;
        let day = digits(head.get(8..10)?)?;
        let hour = digits(head.get(11..13)?).filter(|hour| *hour < 24)?;
        let minute = digits(head.get(14..16)?).filter(|minute| *minute < 60)?;
        let second = digits(head.get(17..19)?).filter(|second| *second < 60)?;
        let days = days_from_civil(year, month, day)?;

        let (fraction, zone) = match tail.strip_prefix('.') {
            None => ("", tail),
            Some(rest) => {
                let length = rest.bytes().take_while(u8::is_ascii_digit).count();
                if length == 0 {
                    return None;
                }
                rest.split_at_checked(length)?
            }
        };
        let mut nanos = 0i64;
        for at in 0..9 {
            let digit = fraction
                .as_bytes()
                .get(at)
                .map_or(0, |byte| byte.saturating_sub(b'0'));
            nanos = nanos.saturating_mul(10).saturating_add(i64::from(digit));
        }
        let offset = offset(zone)?;
        let east = match offset {
            Offset::Z => 0,
            Offset::Minutes(minutes, _) => i64::from(minutes).saturating_mul(60),
        };
        let seconds = days
            .saturating_mul(86_400)
            .saturating_add(hour.saturating_mul(3600))
            .saturating_add(minute.saturating_mul(60))
            .saturating_add(second)
            .saturating_sub(east);
        Some(Self {
            instant: Instant(
                i128::from(seconds)
                    .saturating_mul(NANOS)
                    .saturating_add(i128::from(nanos)),
            ),
            offset,
            fraction_digits: fraction.len(),
        })
    }
}

fn offset(zone: &str) -> Option<Offset> {
    if zone == "Z" {
        return Some(Offset::Z);
    }
    let negative = match zone.as_bytes().first()? {
        b'+' => false,
        b'-' => true,
        _ => return None,
    };
    if zone.len() != 6 || zone.get(3..4) != Some(":") {
        return None;
    }
    let hours = digits(zone.get(1..3)?).filter(|hours| *hours < 24)?;
    let minutes = digits(zone.get(4..6)?).filter(|minutes| *minutes < 60)?;
    let total = i32::try_from(hours.saturating_mul(60).saturating_add(minutes)).ok()?;
    Some(Offset::Minutes(
        if negative {
            total.saturating_neg()
        } else {
            total
        },
        negative,
    ))
}

fn digits(text: &str) -> Option<i64> {
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        text.parse().ok()
    } else {
        None
    }
}

/// Days from 1970-01-01 to a proleptic Gregorian date; `None` when there is no such date.
#[expect(
    clippy::arithmetic_side_effects,
    reason = "years are 0..=9999, so nothing here leaves i64"
)]
fn days_from_civil(year: i64, month: i64, day: i64) -> Option<i64> {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => return None,
    };
    if day < 1 || day > length {
        return None;
    }
    let shifted = if month <= 2 { year - 1 } else { year };
    let era = shifted.div_euclid(400);
    let year_of_era = shifted.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    Some(era * 146_097 + day_of_era - 719_468)
}

impl Instant {
    /// A foreign RFC 3339 timestamp of any offset, upper case, no second 60.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Rfc3339::parse(text).map(|parsed| parsed.instant)
    }

    /// A foreign RFC 3339 UTC timestamp: zone `Z` or `+00:00`.
    #[must_use]
    pub fn parse_utc(text: &str) -> Option<Self> {
        let parsed = Rfc3339::parse(text)?;
        let utc = matches!(parsed.offset, Offset::Z | Offset::Minutes(0, false));
        utc.then_some(parsed.instant)
    }

    /// The UTC text with `Z` and the fewest of 0, 3, 6 or 9 fractional digits
    /// that lose nothing (foreign shapes §6).
    #[must_use]
    #[expect(
        clippy::arithmetic_side_effects,
        reason = "an instant lies within years -1..=10000, far inside i128"
    )]
    pub fn to_utc_text(self) -> String {
        let seconds = self.0.div_euclid(NANOS);
        let nanos = self.0.rem_euclid(NANOS);
        let (days, of_day) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
        let shifted = days + 719_468;
        let era = shifted.div_euclid(146_097);
        let day_of_era = shifted.rem_euclid(146_097);
        let year_of_era =
            (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month_index = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * month_index + 2) / 5 + 1;
        let month = if month_index < 10 {
            month_index + 3
        } else {
            month_index - 9
        };
        let year = year_of_era + era * 400 + i128::from(month <= 2);
        let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
        let fraction = if nanos == 0 {
            String::new()
        } else if nanos % 1_000_000 == 0 {
            format!(".{:03}", nanos / 1_000_000)
        } else if nanos % 1000 == 0 {
            format!(".{:06}", nanos / 1000)
        } else {
            format!(".{nanos:09}")
        };
        format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{fraction}Z")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn package_time() {
        for good in [
            "2026-09-08T00:00:00Z",
            "2024-02-29T23:59:59.123456789Z",
            "0001-01-01T00:00:00.1Z",
        ] {
            assert_eq!(Time::parse(good).unwrap().as_str(), good);
        }
        for bad in [
            "2026-09-08T00:00:00",
            "2026-09-08T00:00:00z",
            "2026-09-08t00:00:00Z",
            "2026-09-08 00:00:00Z",
            "2026-09-08T00:00:60Z",
            "2026-09-08T24:00:00Z",
            "2026-02-29T00:00:00Z",
            "1900-02-29T00:00:00Z",
            "2026-13-01T00:00:00Z",
            "2026-00-01T00:00:00Z",
            "2026-01-00T00:00:00Z",
            "2026-04-31T00:00:00Z",
            "2026-09-08T00:00:00.Z",
            "2026-09-08T00:00:00.1234567890Z",
            "2026-09-08T00:00:00+00:00",
            "2026-9-08T00:00:00Z",
            "+026-09-08T00:00:00Z",
            "",
            "é026-09-08T00:00:00Z",
        ] {
            assert_eq!(Time::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn foreign_offsets() {
        let noon = Instant::parse("2026-09-08T12:00:00Z").unwrap();
        assert_eq!(Instant::parse("2026-09-08T14:00:00+02:00"), Some(noon));
        assert_eq!(Instant::parse("2026-09-08T06:30:00-05:30"), Some(noon));
        assert_eq!(Instant::parse_utc("2026-09-08T12:00:00+00:00"), Some(noon));
        for not_utc in [
            "2026-09-08T12:00:00-00:00",
            "2026-09-08T14:00:00+02:00",
            "2026-09-08T12:00:00",
        ] {
            assert_eq!(Instant::parse_utc(not_utc), None);
        }
        assert_eq!(Instant::parse("1970-01-01T00:00:00Z"), Some(Instant(0)));
        assert_eq!(
            Instant::parse("1969-12-31T23:59:59.5Z"),
            Some(Instant(-500_000_000))
        );
    }

    #[test]
    fn utc_text_takes_the_fewest_digits() {
        for (text, written) in [
            ("2026-09-08T00:00:00.500Z", "2026-09-08T00:00:00.500Z"),
            ("2026-09-08T00:00:00.5Z", "2026-09-08T00:00:00.500Z"),
            (
                "2026-09-08T02:00:00.000001+02:00",
                "2026-09-08T00:00:00.000001Z",
            ),
            (
                "2000-02-29T00:00:00.000000001Z",
                "2000-02-29T00:00:00.000000001Z",
            ),
            ("1999-12-31T23:59:59.000Z", "1999-12-31T23:59:59Z"),
        ] {
            assert_eq!(Instant::parse(text).unwrap().to_utc_text(), written);
        }
    }

    proptest! {
        #[test]
        fn text_and_instant_agree(days in -700_000i64..2_900_000, second in 0i64..86_400) {
            let instant = Instant(i128::from(days.saturating_mul(86_400).saturating_add(second)).saturating_mul(NANOS));
            prop_assert_eq!(Instant::parse(&instant.to_utc_text()), Some(instant));
        }
    }
}
