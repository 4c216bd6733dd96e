//! Amounts of money as text writes them (§11).

use super::baseline::{is_white_space, trim};
use super::currency::{SIGNS, known};

/// The largest amount, in minor units of its currency (§13: 10^12).
pub const MAX_AMOUNT_CENTS: u64 = 1_000_000_000_000;

/// An amount in minor units of its currency: cents of a dollar, whole yen, thousandths of a dinar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Amount {
    /// Minor units, 0 to [`MAX_AMOUNT_CENTS`].
    pub amount_cents: u64,
    /// The ISO 4217 code.
    pub currency: &'static str,
}

/// The amount that the whole of `text` writes, or none where it writes none or more than one could
/// be meant.
///
/// A number has a currency on one side or both, with White_Space between allowed: a sign, or an ISO
/// 4217 code in capitals (in small letters `all 5` or `top 10` would be amounts). A code beside a
/// sign decides, where the sign may stand for it. Text without a currency, or with anything else in
/// it, a minus sign included, gives none.
///
/// Digits are ASCII. Thousands may be grouped by comma, full stop, apostrophe or space; a fraction
/// follows a comma or full stop and has at most as many digits as the currency's minor unit. Where
/// a separator may be either, as in `KWD 1.234`, the text is ambiguous; `$1,234` and `€1.234` are
/// not, since no cent has three digits.
pub fn amount(text: &str) -> Option<Amount> {
    let text = trim(text);
    let first = text.find(|c: char| c.is_ascii_digit())?;
    let last = text.rfind(|c: char| c.is_ascii_digit())?;
    let number = text.get(first..=last)?;
    let before = text.get(..first)?;
    let after = text.get(last..)?.get(1..)?;

    let currency = currency(trim(before), trim(after))?;
    let (currency, digits) = known(currency)?;
    let amount_cents = minor_units(number, digits)?;
    (amount_cents <= MAX_AMOUNT_CENTS).then_some(Amount {
        amount_cents,
        currency,
    })
}

/// The one code that what stands before and after the number names.
fn currency(before: &str, after: &str) -> Option<&'static str> {
    let marks = |side: &str| -> Option<Vec<Mark>> {
        side.split(is_white_space)
            .filter(|part| !part.is_empty())
            .map(Mark::read)
            .collect()
    };
    let mut all = marks(before)?;
    all.extend(marks(after)?);
    match all.as_slice() {
        [Mark::Code(code)] => Some(code),
        [Mark::Sign { alone, .. }] => *alone,
        [Mark::Code(code), Mark::Sign { alone, beside }]
        | [Mark::Sign { alone, beside }, Mark::Code(code)] => {
            (*alone == Some(*code) || beside.contains(code)).then_some(*code)
        }
        _ => None,
    }
}

/// One naming of a currency.
enum Mark {
    Code(&'static str),
    Sign {
        alone: Option<&'static str>,
        beside: &'static [&'static str],
    },
}

impl Mark {
    fn read(text: &str) -> Option<Self> {
        if let Some((code, _)) = known(text) {
            return Some(Self::Code(code));
        }
        SIGNS
            .iter()
            .find(|sign| sign.text == text)
            .map(|sign| Self::Sign {
                alone: sign.alone,
                beside: sign.beside,
            })
    }
}

/// The value of `number` in units of 10^-`digits`, when exactly one reading of its separators
/// gives one.
fn minor_units(number: &str, digits: u32) -> Option<u64> {
    let whole = grouped(number).and_then(|integer| scaled(&integer, "", digits));
    let split = number.rfind([',', '.']).and_then(|at| {
        Some((
            number.get(..at)?,
            number.get(at..)?.get(1..)?,
            number.get(at..)?,
        ))
    });
    let fractional = split.and_then(|(integer, fraction, rest)| {
        // The separator of the fraction is not also one of the thousands.
        let separator = rest.chars().next()?;
        if integer.contains(separator) {
            return None;
        }
        scaled(&grouped(integer)?, fraction, digits)
    });
    match (whole, fractional) {
        (Some(value), None) | (None, Some(value)) => Some(value),
        _ => None,
    }
}

/// The digits of an integer written plainly or in groups of three with one separator throughout. A
/// grouped integer does not begin with zero.
fn grouped(text: &str) -> Option<String> {
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let Some(separator) = text.chars().find(|c| !c.is_ascii_digit()) else {
        return is_digits(text).then(|| text.to_owned());
    };
    if !matches!(
        separator,
        ',' | '.' | '\'' | '\u{2019}' | ' ' | '\u{a0}' | '\u{202f}'
    ) {
        return None;
    }
    let mut groups = text.split(separator);
    let first = groups.next()?;
    let is_grouped = is_digits(first)
        && first.len() <= 3
        && !first.starts_with('0')
        && groups.all(|group| is_digits(group) && group.len() == 3);
    is_grouped.then(|| text.split(separator).collect())
}

/// `integer.fraction` in units of 10^-`digits`; none when the fraction is longer or the value does
/// not fit.
fn scaled(integer: &str, fraction: &str, digits: u32) -> Option<u64> {
    let given = u32::try_from(fraction.len()).ok()?;
    let missing = digits.checked_sub(given)?;
    let all = format!("{integer}{fraction}");
    if !all.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    all.parse::<u64>()
        .ok()?
        .checked_mul(10_u64.checked_pow(missing)?)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn amounts_that_are_read() {
        for (text, cents, currency) in [
            ("$1,234.50", 123_450, "USD"),
            ("USD 12", 1_200, "USD"),
            ("\u{20ac}9,99", 999, "EUR"),
            ("9,99 \u{20ac}", 999, "EUR"),
            ("12USD", 1_200, "USD"),
            (" $ 0.05 ", 5, "USD"),
            ("$0", 0, "USD"),
            ("$9.5", 950, "USD"),
            ("\u{a3}1,000,000", 100_000_000, "GBP"),
            ("1.234.567,89 EUR", 123_456_789, "EUR"),
            ("1\u{202f}234,50\u{a0}\u{20ac}", 123_450, "EUR"),
            ("CHF 1'234.50", 123_450, "CHF"),
            ("CHF 1\u{2019}234.50", 123_450, "CHF"),
            // Three digits are no cents, so they are thousands.
            ("$1,234", 123_400, "USD"),
            ("\u{20ac}1.234", 123_400, "EUR"),
            // By the currency's minor units.
            ("JPY 1,200", 1_200, "JPY"),
            ("\u{a5}500 JPY", 500, "JPY"),
            ("KWD 1.23", 1_230, "KWD"),
            ("KWD 0.123", 123, "KWD"),
            ("KWD 1,234.567", 1_234_567, "KWD"),
            // A code beside a sign decides.
            ("$12.00 USD", 1_200, "USD"),
            ("CAD $12.00", 1_200, "CAD"),
            ("$12.00 MXN", 1_200, "MXN"),
            ("120 kr SEK", 12_000, "SEK"),
            ("R$ 10,00", 1_000, "BRL"),
            ("US$5", 500, "USD"),
            ("USD 10000000000.00", 1_000_000_000_000, "USD"),
        ] {
            let expected = Some(Amount {
                amount_cents: cents,
                currency,
            });
            assert_eq!(amount(text), expected, "{text:?}");
        }
    }

    #[test]
    fn text_that_gives_none() {
        for text in [
            "",
            "$",
            "USD",
            "12",
            "1,234.50",
            "about $12",
            "$12 and more",
            "$12 $13",
            "$12-13",
            "-$12",
            "$-12",
            "($12)",
            // Which currency?
            "\u{a5}500",
            "12 kr",
            "usd 12",
            "all 5",
            "XYZ 12",
            "\u{20ac}12 USD",
            "USD 12 EUR",
            "USD 12 USD",
            // Which value?
            "KWD 1.234",
            "KWD 1,234",
            "$1.2345",
            "$1,23,456",
            "$1,2345",
            "$12,34.50",
            "$1.234,567",
            "$1.234.50",
            "$1,234,50",
            "$0,123",
            "$.50",
            "$1 .50",
            "$1  234",
            "$12.",
            "JPY 1.5",
            "JPY 1,200.00",
            // Digits of other scripts; more than any amount.
            "$\u{661}\u{662}",
            "$\u{ff11}\u{ff12}",
            "USD 10000000000.01",
            "$99999999999999999999999999",
        ] {
            assert_eq!(amount(text), None, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn a_plainly_written_amount_is_read_back(cents in 0..=MAX_AMOUNT_CENTS) {
            let expected = Some(Amount { amount_cents: cents, currency: "USD" });
            let (dollars, rest) = (cents / 100, cents % 100);
            prop_assert_eq!(amount(&format!("${dollars}.{rest:02}")), expected);
            prop_assert_eq!(amount(&format!("{dollars},{rest:02} USD")), expected);
        }

        #[test]
        fn any_text_is_read(text in any::<String>(), number in "[0-9.,' ]{0,12}") {
            let _ = amount(&text);
            let _ = amount(&format!("${number}"));
        }
    }
}
