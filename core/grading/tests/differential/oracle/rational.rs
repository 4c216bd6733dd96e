//! Exact rationals, the plain way: two big integers (§5.3).

use core::cmp::Ordering;

use attest_grading::decide::Ratio;
use attest_grading::model::{BasisPoints, DisplayNumber};
use num_bigint::BigInt;

/// `numerator / denominator`, denominator above 0, never reduced.
#[derive(Clone, Debug)]
pub struct Rational {
    pub numerator: BigInt,
    pub denominator: BigInt,
}

impl Rational {
    pub fn new(numerator: i64, denominator: i64) -> Self {
        assert!(denominator > 0);
        Self {
            numerator: numerator.into(),
            denominator: denominator.into(),
        }
    }

    pub fn zero() -> Self {
        Self::new(0, 1)
    }

    pub fn one() -> Self {
        Self::new(1, 1)
    }

    pub fn of(points: BasisPoints) -> Self {
        Self::new(i64::from(points.get()), 10_000)
    }

    pub fn of_ratio(ratio: Ratio) -> Self {
        Self {
            numerator: ratio.numerator().into(),
            denominator: ratio.denominator().into(),
        }
    }

    pub fn plus(&self, other: &Self) -> Self {
        Self {
            numerator: &self.numerator * &other.denominator + &other.numerator * &self.denominator,
            denominator: &self.denominator * &other.denominator,
        }
    }

    pub fn minus(&self, other: &Self) -> Self {
        Self {
            numerator: &self.numerator * &other.denominator - &other.numerator * &self.denominator,
            denominator: &self.denominator * &other.denominator,
        }
    }

    pub fn times(&self, other: &Self) -> Self {
        Self {
            numerator: &self.numerator * &other.numerator,
            denominator: &self.denominator * &other.denominator,
        }
    }

    /// `other` is above 0.
    pub fn over(&self, other: &Self) -> Self {
        Self {
            numerator: &self.numerator * &other.denominator,
            denominator: &self.denominator * &other.numerator,
        }
    }

    pub fn is_zero(&self) -> bool {
        self.numerator == BigInt::from(0)
    }

    pub fn at_least(&self, points: BasisPoints) -> bool {
        *self >= Self::of(points)
    }

    /// Rounded half up to four decimals (supplement D).
    pub fn display(&self) -> DisplayNumber {
        let doubled: BigInt = &self.numerator * 20_000 + &self.denominator;
        let rounded: BigInt = doubled / (&self.denominator * 2);
        DisplayNumber::new(u16::try_from(rounded).unwrap()).unwrap()
    }
}

impl PartialEq for Rational {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Rational {}

impl PartialOrd for Rational {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Rational {
    fn cmp(&self, other: &Self) -> Ordering {
        (&self.numerator * &other.denominator).cmp(&(&other.numerator * &self.denominator))
    }
}
