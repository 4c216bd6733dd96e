//! The number domain of §2, judged by exact decimal value.

use attest_canon::{Decimal, double};

/// What a JSON number's text is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NumberKind {
    /// An integer within ±(2^53−1), however it was written (`1.0`, `1e3`, `-0`).
    Integer(i64),
    /// Not an integer, and a finite double.
    Fraction,
    /// An integer beyond the domain, or beyond every finite double.
    Refused,
}

/// Longest run of digits that cannot leave the domain.
const SURELY_INSIDE: usize = 15;

/// Classifies the text of a JSON number.
pub(crate) fn classify(lexeme: &str) -> NumberKind {
    let digits = lexeme.strip_prefix('-').unwrap_or(lexeme);
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
    if plain && digits.len() <= SURELY_INSIDE {
        return lexeme
            .parse()
            .map_or(NumberKind::Refused, NumberKind::Integer);
    }
    if let Some(integer) = Decimal::parse(lexeme).and_then(|decimal| decimal.as_integer()) {
        return NumberKind::Integer(integer);
    }
    if is_integer(lexeme) || double::parse(lexeme).is_none() {
        NumberKind::Refused
    } else {
        NumberKind::Fraction
    }
}

/// Whether the exact value of a number that is not zero is an integer: its
/// last significant digit stands at or before the decimal point.
fn is_integer(lexeme: &str) -> bool {
    let (mantissa, exponent) = lexeme.split_once(['e', 'E']).unwrap_or((lexeme, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let kept = fraction.trim_end_matches('0');
    // Digits after the point before the exponent moves it; negative when the
    // whole part ends in zeros.
    let places = if kept.is_empty() {
        let zeros = whole
            .len()
            .saturating_sub(whole.trim_end_matches('0').len());
        i64::try_from(zeros).unwrap_or(i64::MAX).saturating_neg()
    } else {
        i64::try_from(kept.len()).unwrap_or(i64::MAX)
    };
    // An exponent too long for i64 is beyond every mantissa a text can hold.
    let exponent: i64 = exponent.parse().unwrap_or(if exponent.starts_with('-') {
        i64::MIN
    } else {
        i64::MAX
    });
    exponent >= places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_domain_is_judged_by_exact_value() {
        use NumberKind::{Fraction, Integer, Refused};
        for (text, kind) in [
            ("0", Integer(0)),
            ("-0", Integer(0)),
            ("0.0", Integer(0)),
            ("0e999999999999999999999", Integer(0)),
            ("1.0", Integer(1)),
            ("1e3", Integer(1000)),
            ("1200e-2", Integer(12)),
            ("-32700", Integer(-32700)),
            ("9007199254740991", Integer(9_007_199_254_740_991)),
            ("-9007199254740991", Integer(-9_007_199_254_740_991)),
            ("9007199254740991.000", Integer(9_007_199_254_740_991)),
            ("9007199254740992", Refused),
            ("-9007199254740992", Refused),
            ("9007199254740993", Refused),
            ("9007199254740992.0", Refused),
            ("18446744073709551616", Refused),
            ("1e16", Refused),
            ("1e999", Refused),
            ("1e99999999999999999999999", Refused),
            ("1.5", Fraction),
            ("9007199254740992.5", Fraction),
            ("0.1234567890123456789", Fraction),
            ("123456789012345678901234567890e-20", Fraction),
            ("100000000000000000000e-20", Integer(1)),
            ("1e-400", Fraction),
            ("1e-99999999999999999999999", Fraction),
        ] {
            assert_eq!(classify(text), kind, "{text}");
        }
    }
}
