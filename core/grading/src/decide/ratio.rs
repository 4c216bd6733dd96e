//! Exact rationals (§5.3). No grade is decided by anything else.

use core::cmp::Ordering;
use core::fmt;

use num_bigint::BigUint;

use crate::model::{BasisPoints, DisplayNumber};

/// A rational that is not negative. Values compare exactly whatever their
/// size; equality is equality of the number, not of its terms.
#[derive(Clone, Copy, Debug)]
pub struct Ratio {
    numerator: u128,
    denominator: u128,
}

impl Ratio {
    /// 0/1
    pub const ZERO: Self = Self {
        numerator: 0,
        denominator: 1,
    };
    /// 1/1
    pub const ONE: Self = Self {
        numerator: 1,
        denominator: 1,
    };

    /// `numerator / denominator`; `None` when the denominator is 0.
    #[must_use]
    pub const fn new(numerator: u128, denominator: u128) -> Option<Self> {
        if denominator == 0 {
            None
        } else {
            Some(Self {
                numerator,
                denominator,
            })
        }
    }

    /// A number of basis points.
    #[must_use]
    pub fn from_basis_points(points: BasisPoints) -> Self {
        Self {
            numerator: u128::from(points.get()),
            denominator: u128::from(BasisPoints::ONE.get()),
        }
    }

    /// The numerator as it stands; the terms need not be reduced.
    #[must_use]
    pub const fn numerator(self) -> u128 {
        self.numerator
    }

    /// The denominator as it stands.
    #[must_use]
    pub const fn denominator(self) -> u128 {
        self.denominator
    }

    /// Whether the number is 0.
    #[must_use]
    pub const fn is_zero(self) -> bool {
        self.numerator == 0
    }

    /// The same number in lowest terms.
    #[must_use]
    pub const fn reduced(self) -> Self {
        let (mut a, mut b) = (self.numerator, self.denominator);
        while let Some(rest) = a.checked_rem(b) {
            (a, b) = (b, rest);
        }
        match (
            self.numerator.checked_div(a),
            self.denominator.checked_div(a),
        ) {
            (Some(numerator), Some(denominator)) => Self {
                numerator,
                denominator,
            },
            _ => self,
        }
    }

    /// `self ≥ points`, by cross-multiplication (`ratioGteBasisPoints`).
    #[must_use]
    pub fn at_least(self, points: BasisPoints) -> bool {
        self >= Self::from_basis_points(points)
    }

    /// Rounded half up to four decimals, for display only; 1 when above 1.
    #[must_use]
    #[expect(
        clippy::arithmetic_side_effects,
        reason = "big integers do not overflow, and a denominator is never 0"
    )]
    pub fn display(self) -> DisplayNumber {
        let scale = u128::from(DisplayNumber::ONE.ten_thousandths());
        let rounded = match (
            self.numerator.checked_mul(scale.saturating_mul(2)),
            self.denominator.checked_mul(2),
        ) {
            (Some(doubled), Some(divisor)) => doubled
                .checked_add(self.denominator)
                .and_then(|sum| sum.checked_div(divisor)),
            _ => None,
        };
        let rounded = rounded.or_else(|| {
            let doubled = BigUint::from(self.numerator) * scale * 2u8 + self.denominator;
            u128::try_from(doubled / (BigUint::from(self.denominator) * 2u8)).ok()
        });
        rounded
            .and_then(|value| u16::try_from(value).ok())
            .and_then(DisplayNumber::new)
            .unwrap_or(DisplayNumber::ONE)
    }
}

impl Ord for Ratio {
    #[expect(
        clippy::arithmetic_side_effects,
        reason = "big integers do not overflow"
    )]
    fn cmp(&self, other: &Self) -> Ordering {
        if self.denominator == other.denominator {
            return self.numerator.cmp(&other.numerator);
        }
        let left = self.numerator.checked_mul(other.denominator);
        let right = other.numerator.checked_mul(self.denominator);
        match (left, right) {
            (Some(left), Some(right)) => left.cmp(&right),
            // One product beyond 128 bits: both as big integers.
            _ => {
                let left = BigUint::from(self.numerator) * other.denominator;
                let right = BigUint::from(other.numerator) * self.denominator;
                left.cmp(&right)
            }
        }
    }
}

impl PartialOrd for Ratio {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Ratio {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Ratio {}

impl fmt::Display for Ratio {
    /// The reduced fraction `n/d`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reduced = self.reduced();
        f.pad(&format!("{}/{}", reduced.numerator, reduced.denominator))
    }
}

#[cfg(test)]
#[allow(
    clippy::arithmetic_side_effects,
    reason = "big integers do not overflow"
)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ratio(numerator: u128, denominator: u128) -> Ratio {
        Ratio::new(numerator, denominator).unwrap()
    }

    #[test]
    fn worked_example_12() {
        // (2500·43/44 + 3500 + 1500 + 1500) / 9000
        let score = ratio(393_500, 44 * 9000);
        assert_eq!(score.to_string(), "787/792");
        assert_eq!(score.display().to_string(), "0.9937");
        assert!(score.at_least(BasisPoints::new(8500).unwrap()));
    }

    #[test]
    fn thresholds_from_both_sides() {
        let half = BasisPoints::new(5000).unwrap();
        assert!(ratio(1, 2).at_least(half));
        assert!(!ratio(u128::MAX / 2 - 1, u128::MAX - 1).at_least(half));
        assert!(ratio(u128::MAX / 2 + 1, u128::MAX).at_least(half));
    }

    #[test]
    fn display_rounds_half_up() {
        for (n, d, text) in [
            (0, 1, "0"),
            (1, 1, "1"),
            (1, 3, "0.3333"),
            (2, 3, "0.6667"),
            (1, 20_000, "0.0001"),
            (1, 20_001, "0"),
            (19_999, 20_000, "1"),
        ] {
            assert_eq!(ratio(n, d).display().to_string(), text, "{n}/{d}");
        }
        assert_eq!(ratio(u128::MAX / 2, u128::MAX).display().to_string(), "0.5");
    }

    proptest! {
        /// Big integers by another route: differences instead of products.
        #[test]
        fn compares_exactly(a: u128, b in 1u128.., c: u128, d in 1u128..) {
            let big = |n: u128| num_bigint::BigInt::from(n);
            let difference = big(a) * big(d) - big(c) * big(b);
            prop_assert_eq!(ratio(a, b).cmp(&ratio(c, d)), difference.sign().cmp(&num_bigint::Sign::NoSign));
            prop_assert_eq!(ratio(a, b), ratio(a, b).reduced());
        }
    }
}
