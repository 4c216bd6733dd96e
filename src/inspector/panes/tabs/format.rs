//! How exact things are written: instants, lengths of time, rationals, money, ids.

use attest_grading::decide::Ratio;
use attest_grading::model::time::{MS_PER_DAY, MS_PER_HOUR, MS_PER_MINUTE};
use attest_grading::model::{BasisPoints, Cents, Currency, Instant, Interval, IsoTs, Precision};
use attest_grading::text::minor_unit_digits;

use crate::inspector::text::shown;

const MS_PER_SECOND: i64 = 1000;

/// The clock instants are read on: the offset from UTC of the ledger's own text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clock(pub i16);

impl Clock {
    /// The clock a text was written with.
    pub const fn of(at: &IsoTs) -> Self {
        Self(at.offset_minutes())
    }

    /// An instant: `2026-10-06 14:02`, with seconds and milliseconds where it has any.
    pub fn at(self, instant: Instant) -> String {
        let written = IsoTs::computed(instant, self.0).to_string();
        let day = written.get(..10).unwrap_or_default();
        format!("{day} {}", time_of(&written))
    }

    /// The time of day of an instant.
    pub fn time(self, instant: Instant) -> String {
        time_of(&IsoTs::computed(instant, self.0).to_string()).to_owned()
    }

    /// An interval, both ends inside; the second day only where it is another.
    pub fn span(self, interval: Interval) -> String {
        let (from, to) = (self.at(interval.from), self.at(interval.to));
        let same_day = from.get(..10) == to.get(..10);
        format!(
            "{from} to {}",
            if same_day { self.time(interval.to) } else { to }
        )
    }

    /// An instant with its offset: `2026-10-06 14:02 -04:00`.
    pub fn stamp(self, instant: Instant) -> String {
        format!("{} {}", self.at(instant), self.zone())
    }

    /// The offset, as instants are written: `-04:00`, `UTC`.
    pub fn zone(self) -> String {
        if self.0 == 0 {
            return "UTC".to_owned();
        }
        let sign = if self.0 < 0 { '-' } else { '+' };
        format!(
            "{sign}{:02}:{:02}",
            self.0.unsigned_abs() / 60,
            self.0.unsigned_abs() % 60
        )
    }
}

/// The time of day of a written instant, without seconds that are none.
fn time_of(written: &str) -> &str {
    let end = written
        .find(['Z', '+'])
        .or_else(|| written.rfind('-'))
        .unwrap_or(written.len());
    let time = written.get(11..end).unwrap_or_default();
    time.strip_suffix(":00")
        .filter(|short| short.len() == 5)
        .unwrap_or(time)
}

/// A length of time, exactly: `2m`, `1h 5m`, `3d`, `1.250s`.
pub fn length(ms: i64) -> String {
    let mut rest = ms.saturating_abs();
    let mut parts = Vec::new();
    for (unit, name) in [(MS_PER_DAY, 'd'), (MS_PER_HOUR, 'h'), (MS_PER_MINUTE, 'm')] {
        if rest >= unit {
            parts.push(format!("{}{name}", rest / unit));
            rest %= unit;
        }
    }
    if rest % MS_PER_SECOND != 0 {
        parts.push(format!(
            "{}.{:03}s",
            rest / MS_PER_SECOND,
            rest % MS_PER_SECOND
        ));
    } else if rest > 0 || parts.is_empty() {
        parts.push(format!("{}s", rest / MS_PER_SECOND));
    }
    parts.join(" ")
}

/// A rational in lowest terms: a whole number without its denominator.
pub fn fraction(ratio: Ratio) -> String {
    let reduced = ratio.reduced();
    if reduced.denominator() == 1 {
        reduced.numerator().to_string()
    } else {
        reduced.to_string()
    }
}

/// A score: exactly, and rounded as receipts show it where that is written otherwise.
pub fn score(ratio: Ratio) -> String {
    let (exact, shown) = (fraction(ratio), ratio.display().to_string());
    if exact == shown {
        exact
    } else {
        format!("{exact} = {shown}")
    }
}

/// A rational to at most two decimals, with `…` where that is not all of it. For reading; nothing
/// is compared by it.
pub fn decimal(ratio: Ratio, cut: &str) -> String {
    const PLACES: u128 = 100;
    let (n, d) = (ratio.numerator(), ratio.denominator());
    let (whole, rest) = (n / d, n % d);
    let Some(scaled) = rest.checked_mul(PLACES) else {
        return fraction(ratio);
    };
    let (hundredths, left) = (scaled / d, scaled % d);
    let mut out = match hundredths {
        0 if left == 0 => whole.to_string(),
        tenths if tenths % 10 == 0 && left == 0 => format!("{whole}.{}", tenths / 10),
        _ => format!("{whole}.{hundredths:02}"),
    };
    if left != 0 {
        out.push_str(cut);
    }
    out
}

/// A rational times a whole number, for showing both sides of a comparison.
pub fn times(ratio: Ratio, by: u128) -> Option<Ratio> {
    let reduced = ratio.reduced();
    Ratio::new(reduced.numerator().checked_mul(by)?, reduced.denominator()).map(Ratio::reduced)
}

/// Basis points as the decimal a policy writes: `0.85`.
pub fn points(points: BasisPoints) -> String {
    let text = format!("{}.{:04}", points.get() / 10_000, points.get() % 10_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// An amount in its currency's units: `49.99 USD`; in cents where no currency is given.
pub fn money(cents: i64, currency: Option<Currency>) -> String {
    let Some(currency) = currency else {
        return match cents {
            1 | -1 => format!("{cents} cent"),
            _ => format!("{cents} cents"),
        };
    };
    let digits = minor_unit_digits(currency.as_str()).unwrap_or(2) as usize;
    let sign = if cents < 0 { "-" } else { "" };
    let mut amount = format!("{:0>width$}", cents.unsigned_abs(), width = digits + 1);
    if digits > 0 {
        amount.insert(amount.len() - digits, '.');
    }
    format!("{sign}{amount} {currency}")
}

/// An amount that may lack its currency, or be missing.
pub fn amount((cents, currency): (Option<Cents>, Option<Currency>)) -> String {
    cents.map_or_else(
        || "no amount".to_owned(),
        |cents| money(cents.get(), currency),
    )
}

/// Words of a file in braces: `{q3, deck}`.
pub fn words(words: &[Box<str>]) -> String {
    let words: Vec<String> = words.iter().map(|word| shown(word).into_owned()).collect();
    format!("{{{}}}", words.join(", "))
}

/// What a precision calls its unit.
pub const fn unit(precision: Precision) -> &'static str {
    match precision {
        Precision::Minute => "the minute",
        Precision::Hour => "the hour",
        Precision::Day => "the day",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants() {
        let at = |text| IsoTs::parse(text).unwrap();
        for (text, expected) in [
            ("2026-10-06T14:02:00-04:00", "2026-10-06 14:02"),
            ("2026-10-06T14:02:00+05:45", "2026-10-06 14:02"),
            ("2026-10-06T14:02:07Z", "2026-10-06 14:02:07"),
            ("2026-10-06T14:00:00Z", "2026-10-06 14:00"),
            ("2026-10-06T14:02:00.120-04:00", "2026-10-06 14:02:00.120"),
        ] {
            assert_eq!(
                Clock::of(&at(text)).at(at(text).instant()),
                expected,
                "{text}"
            );
        }
        let interval = Interval {
            from: at("2026-10-06T23:56:00-04:00").instant(),
            to: at("2026-10-07T00:44:00-04:00").instant(),
        };
        assert_eq!(
            Clock(-240).span(interval),
            "2026-10-06 23:56 to 2026-10-07 00:44"
        );
        assert_eq!(Clock(0).span(interval), "2026-10-07 03:56 to 04:44");
        assert_eq!(
            (Clock(-240).zone(), Clock(345).zone()),
            ("-04:00".to_owned(), "+05:45".to_owned())
        );
    }

    #[test]
    fn lengths() {
        for (ms, text) in [
            (0, "0s"),
            (120_000, "2m"),
            (3_900_000, "1h 5m"),
            (259_200_000, "3d"),
            (1250, "1.250s"),
            (61_000, "1m 1s"),
            (-120_000, "2m"),
        ] {
            assert_eq!(length(ms), text);
        }
    }

    #[test]
    fn rationals() {
        let ratio = |n, d| Ratio::new(n, d).unwrap();
        for (n, d, fractional, decimals) in [
            (787, 792, "787/792", "0.99…"),
            (107_500, 44, "26875/11", "2443.18…"),
            (3500, 1, "3500", "3500"),
            (1, 2, "1/2", "0.5"),
            (9, 4, "9/4", "2.25"),
            (100, 99, "100/99", "1.01…"),
            (1, 1000, "1/1000", "0.00…"),
        ] {
            assert_eq!(fraction(ratio(n, d)), fractional);
            assert_eq!(decimal(ratio(n, d), "…"), decimals);
        }
        // Worked example 12, both sides of its comparison.
        let n = times(ratio(787, 792), 9000).unwrap();
        assert_eq!(n, ratio(393_500, 44));
        assert_eq!(decimal(times(n, 10_000).unwrap(), "…"), "89431818.18…");
    }

    #[test]
    fn amounts() {
        let currency = |text| Currency::parse(text);
        for (cents, code, text) in [
            (4999, "USD", "49.99 USD"),
            (5, "USD", "0.05 USD"),
            (500, "JPY", "500 JPY"),
            (1234, "KWD", "1.234 KWD"),
        ] {
            assert_eq!(money(cents, currency(code)), text);
        }
        assert_eq!(money(4999, None), "4999 cents");
        assert_eq!(points(BasisPoints::new(8500).unwrap()), "0.85");
        assert_eq!(points(BasisPoints::new(10_000).unwrap()), "1");
    }
}
