//! JSON numbers read and written without binary floating point (supplement C).
//!
//! Every number that grading hashes is an integer within ±(2^53−1) or a short
//! decimal. For those the RFC 8785 text (the shortest text that reads back as
//! the same double) is the number's own digits, so it can be written exactly:
//! distinct decimals of at most 15 significant digits are distinct doubles,
//! and every integer of that range is a double.

use core::fmt;

/// The largest integer all JSON readers agree on: 2^53 − 1.
pub const MAX_SAFE_INTEGER: i64 = 9_007_199_254_740_991;

/// Most significant digits a non-integer may have.
const MAX_DIGITS: usize = 15;
/// Beyond these decimal exponents a number is no ledger number; the bound also
/// keeps a hostile exponent from ever being expanded.
const EXPONENT_BOUND: i32 = 300;

/// An exact decimal number: `±digits × 10^exponent`, digits without trailing
/// zeros, zero written as `0 × 10^0` and never negative (`-0` is `0`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Decimal {
    negative: bool,
    digits: u64,
    exponent: i32,
}

impl Decimal {
    /// Reads a JSON number's text. `None` when it has more than 15 significant
    /// digits and is not an integer within ±(2^53−1), or when its exponent is
    /// beyond ±300. The text must already be a JSON number.
    #[must_use]
    pub fn parse(lexeme: &str) -> Option<Self> {
        let (negative, rest) = match lexeme.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, lexeme),
        };
        let (mantissa, exponent) = match rest.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent),
            None => (rest, "0"),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));

        let all = || whole.bytes().chain(fraction.bytes());
        let leading_zeros = all().take_while(|&b| b == b'0').count();
        let length = whole.len().checked_add(fraction.len())?;
        let trailing_zeros = all().rev().take_while(|&b| b == b'0').count();
        if leading_zeros == length {
            return Some(Self {
                negative: false,
                digits: 0,
                exponent: 0,
            });
        }
        let significant = length
            .checked_sub(leading_zeros)?
            .checked_sub(trailing_zeros)?;
        if significant > 19 {
            return None;
        }
        let mut digits = 0u64;
        for byte in all().skip(leading_zeros).take(significant) {
            let digit = u64::from(byte.checked_sub(b'0').filter(|d| *d <= 9)?);
            digits = digits.checked_mul(10)?.checked_add(digit)?;
        }
        let written = written_exponent(exponent)?;
        let exponent = written
            .checked_sub(i64::try_from(fraction.len()).ok()?)?
            .checked_add(i64::try_from(trailing_zeros).ok()?)?;
        let exponent = i32::try_from(exponent)
            .ok()
            .filter(|e| e.abs() <= EXPONENT_BOUND)?;
        let decimal = Self {
            negative,
            digits,
            exponent,
        };
        if significant <= MAX_DIGITS || decimal.as_integer().is_some() {
            Some(decimal)
        } else {
            None
        }
    }

    /// The number `value / 10^places`, exactly.
    #[must_use]
    pub fn from_scaled(value: i64, places: u8) -> Self {
        let mut digits = value.unsigned_abs();
        let mut exponent = i32::from(places).saturating_neg();
        if digits == 0 {
            return Self {
                negative: false,
                digits: 0,
                exponent: 0,
            };
        }
        while digits.is_multiple_of(10) {
            digits /= 10;
            exponent = exponent.saturating_add(1);
        }
        Self {
            negative: value < 0,
            digits,
            exponent,
        }
    }

    /// `self × 10^places` when that is an integer within ±(2^53−1).
    #[must_use]
    pub fn scaled(&self, places: u8) -> Option<i64> {
        let shift = self.exponent.checked_add(i32::from(places))?;
        let shift = u32::try_from(shift).ok()?;
        let magnitude = match self.digits {
            0 => 0,
            digits => digits.checked_mul(10u64.checked_pow(shift)?)?,
        };
        let magnitude = i64::try_from(magnitude)
            .ok()
            .filter(|m| *m <= MAX_SAFE_INTEGER)?;
        Some(if self.negative {
            magnitude.checked_neg()?
        } else {
            magnitude
        })
    }

    /// The integer this number is, when it is one within ±(2^53−1). `5.0` and
    /// `5e0` are the integer 5.
    #[must_use]
    pub fn as_integer(&self) -> Option<i64> {
        self.scaled(0)
    }
}

/// The exponent as written, saturated far beyond every bound, so that an
/// exponent of any length costs nothing.
fn written_exponent(text: &str) -> Option<i64> {
    let (negative, digits) = match text.as_bytes() {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    let magnitude = digits.iter().try_fold(0i64, |value, byte| {
        let digit = byte.checked_sub(b'0').filter(|d| *d <= 9)?;
        Some(
            value
                .saturating_mul(10)
                .saturating_add(i64::from(digit))
                .min(1_000_000),
        )
    })?;
    Some(if negative {
        magnitude.checked_neg()?
    } else {
        magnitude
    })
}

/// The RFC 8785 text: plain digits for magnitudes in [1e-6, 1e21), else
/// `d.ddde±x`.
impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_shortest(f, self.negative, &self.digits.to_string(), self.exponent)
    }
}

/// Writes `±digits × 10^exponent` as ECMAScript's Number::toString does, which
/// RFC 8785 prescribes. `digits` has no leading or trailing zeros, or is `0`.
fn write_shortest(
    out: &mut impl fmt::Write,
    negative: bool,
    digits: &str,
    exponent: i32,
) -> fmt::Result {
    if negative {
        out.write_char('-')?;
    }
    let length = i32::try_from(digits.len()).map_err(|_| fmt::Error)?;
    // n: the decimal point stands after the n-th digit.
    let point = length.checked_add(exponent).ok_or(fmt::Error)?;
    if length <= point && point <= 21 {
        out.write_str(digits)?;
        (length..point).try_for_each(|_| out.write_char('0'))
    } else if 0 < point && point <= 21 {
        let (whole, fraction) = split_digits(digits, point);
        write!(out, "{whole}.{fraction}")
    } else if -6 < point && point <= 0 {
        out.write_str("0.")?;
        (point..0).try_for_each(|_| out.write_char('0'))?;
        out.write_str(digits)
    } else {
        let scientific = point.checked_sub(1).ok_or(fmt::Error)?;
        let sign = if scientific < 0 { '-' } else { '+' };
        let (first, rest) = split_digits(digits, 1);
        out.write_str(first)?;
        if !rest.is_empty() {
            write!(out, ".{rest}")?;
        }
        write!(out, "e{sign}{}", scientific.unsigned_abs())
    }
}

fn split_digits(digits: &str, at: i32) -> (&str, &str) {
    usize::try_from(at)
        .ok()
        .and_then(|at| digits.split_at_checked(at))
        .unwrap_or((digits, ""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reads_and_writes_the_canonical_text() {
        for (text, canonical) in [
            ("0", "0"),
            ("-0", "0"),
            ("0.000", "0"),
            ("0e99999999999999999999", "0"),
            ("5.0", "5"),
            ("500e-2", "5"),
            ("0.85", "0.85"),
            ("8.5e-1", "0.85"),
            ("-12.50", "-12.5"),
            ("9007199254740991", "9007199254740991"),
            ("1e20", "100000000000000000000"),
            ("1e21", "1e+21"),
            ("0.000001", "0.000001"),
            ("1e-7", "1e-7"),
            ("1.25e-7", "1.25e-7"),
        ] {
            assert_eq!(
                Decimal::parse(text).unwrap().to_string(),
                canonical,
                "{text}"
            );
        }
    }

    #[test]
    fn refuses_what_would_need_a_float_or_an_expansion() {
        for text in [
            "0.1234567890123456",
            "9007199254740993",
            "1e301",
            "1e-999999999999999999999",
            "1e999999999999999999999",
        ] {
            assert_eq!(Decimal::parse(text), None, "{text}");
        }
    }

    #[test]
    fn integers_and_scaled_values() {
        let read = |text| Decimal::parse(text).unwrap();
        assert_eq!(read("1e3").as_integer(), Some(1000));
        assert_eq!(read("1.5").as_integer(), None);
        assert_eq!(read("-7").as_integer(), Some(-7));
        assert_eq!(read("0.85").scaled(4), Some(8500));
        assert_eq!(read("0.00005").scaled(4), None);
        assert_eq!(read("1e300").scaled(4), None);
        assert_eq!(Decimal::from_scaled(9937, 4).to_string(), "0.9937");
        assert_eq!(Decimal::from_scaled(10000, 4).to_string(), "1");
        assert_eq!(Decimal::from_scaled(-5, 4).to_string(), "-0.0005");
    }

    proptest! {
        /// serde_json reads and writes doubles by the shortest form: an
        /// independent peer for every short decimal.
        #[test]
        fn agrees_with_a_shortest_double_writer(digits in -999_999_999_999_999i64..=999_999_999_999_999, places in 0u8..=9) {
            let ours = Decimal::from_scaled(digits, places);
            let peer: f64 = format!("{digits}e-{places}").parse().unwrap();
            prop_assert_eq!(ours.to_string(), crate::double::canonical(peer).unwrap());
            prop_assert_eq!(Decimal::parse(&ours.to_string()), Some(ours));
        }
    }
}
