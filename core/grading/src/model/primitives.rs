//! Small values with one meaning each.

use core::fmt;

use attest_canon::Decimal;

use super::closed::Source;
use super::limits;

/// One ten-thousandth; weights, thresholds and scores of signals.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct BasisPoints(u32);

impl BasisPoints {
    /// The whole: 10,000 basis points.
    pub const ONE: Self = Self(10_000);

    /// A number of basis points, 0–10,000; `None` beyond.
    #[must_use]
    pub fn new(value: i64) -> Option<Self> {
        let value = u32::try_from(value).ok()?;
        (value <= Self::ONE.0).then_some(Self(value))
    }

    /// The basis points of a decimal in [0, 1] that is a multiple of 0.0001.
    #[must_use]
    pub fn from_decimal(decimal: Decimal) -> Option<Self> {
        Self::new(decimal.scaled(4)?)
    }

    /// How many, 0–10,000.
    #[must_use]
    pub const fn get(self) -> u32 {
        self.0
    }
}

impl fmt::Display for BasisPoints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// An amount of money in minor units of its currency, 0–10^12.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Cents(i64);

impl Cents {
    /// An amount; `None` when negative or above 10^12.
    #[must_use]
    pub fn new(value: i64) -> Option<Self> {
        (0..=limits::AMOUNT_CENTS)
            .contains(&value)
            .then_some(Self(value))
    }

    /// Minor units.
    #[must_use]
    pub const fn get(self) -> i64 {
        self.0
    }
}

impl fmt::Display for Cents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// A currency code: three ASCII capitals.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Currency([u8; 3]);

impl Currency {
    /// Reads three ASCII capitals.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let bytes: [u8; 3] = text.as_bytes().try_into().ok()?;
        bytes
            .iter()
            .all(u8::is_ascii_uppercase)
            .then_some(Self(bytes))
    }

    /// The code.
    #[must_use]
    pub fn as_str(&self) -> &str {
        core::str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl fmt::Display for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A short token (ComponentId): an ASCII letter or digit, then letters,
/// digits, `.`, `_`, `+` or `-`; 1–64 characters. Never text.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Token(Box<str>);

impl Token {
    /// Reads a token.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let inner = |byte: &u8| byte.is_ascii_alphanumeric() || b"._+-".contains(byte);
        let good = text.len() <= limits::ID
            && text
                .as_bytes()
                .first()
                .is_some_and(u8::is_ascii_alphanumeric)
            && text.as_bytes().iter().all(inner);
        good.then(|| Self(text.into()))
    }

    /// The id of the terminal rule, which no policy lists (§6).
    #[must_use]
    pub fn default_unverifiable() -> Self {
        Self("default_unverifiable".into())
    }

    /// The kind of page a golden's claims are read from (supplement G).
    #[must_use]
    pub fn activity_view() -> Self {
        Self("activity_view".into())
    }

    /// A source's own name, as an observer's id (supplement G).
    #[must_use]
    pub fn of_source(source: Source) -> Self {
        Self(source.as_str().into())
    }

    /// The token's text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A number for display: an exact rational in [0, 1] rounded half up to four
/// decimals. Never compared, never used to decide (§5.3).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct DisplayNumber(u16);

impl DisplayNumber {
    /// 0
    pub const ZERO: Self = Self(0);
    /// 1
    pub const ONE: Self = Self(10_000);

    /// The number `ten_thousandths / 10,000`; `None` beyond 1.
    #[must_use]
    pub fn new(ten_thousandths: u16) -> Option<Self> {
        (ten_thousandths <= Self::ONE.0).then_some(Self(ten_thousandths))
    }

    /// Reads a decimal in [0, 1] of at most four places.
    #[must_use]
    pub fn from_decimal(decimal: Decimal) -> Option<Self> {
        Self::new(u16::try_from(decimal.scaled(4)?).ok()?)
    }

    /// How many ten-thousandths.
    #[must_use]
    pub const fn ten_thousandths(self) -> u16 {
        self.0
    }

    /// The exact decimal.
    #[must_use]
    pub fn decimal(self) -> Decimal {
        Decimal::from_scaled(i64::from(self.0), 4)
    }
}

impl fmt::Display for DisplayNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.decimal().to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_from_both_sides() {
        assert_eq!(BasisPoints::new(10_000), Some(BasisPoints::ONE));
        assert_eq!(
            (BasisPoints::new(10_001), BasisPoints::new(-1)),
            (None, None)
        );
        assert_eq!(
            Cents::new(limits::AMOUNT_CENTS).map(Cents::get),
            Some(limits::AMOUNT_CENTS)
        );
        assert_eq!(
            (Cents::new(limits::AMOUNT_CENTS + 1), Cents::new(-1)),
            (None, None)
        );
        assert_eq!(
            Token::parse(&"a".repeat(64)).map(|t| t.as_str().len()),
            Some(64)
        );
        for bad in ["", ".a", "a b", "é", "a/b", &"a".repeat(65)] {
            assert_eq!(Token::parse(bad), None, "{bad:?}");
        }
        for bad in ["usd", "US", "USDD", "ÜS"] {
            assert_eq!(Currency::parse(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn display_numbers_have_four_decimals_at_most() {
        let read = |text| Decimal::parse(text).and_then(DisplayNumber::from_decimal);
        assert_eq!(
            read("0.9937").map(|n| n.to_string()).as_deref(),
            Some("0.9937")
        );
        assert_eq!(read("1.0"), Some(DisplayNumber::ONE));
        assert_eq!(
            (read("0.99375"), read("1.0001"), read("-0.1")),
            (None, None, None)
        );
    }
}
