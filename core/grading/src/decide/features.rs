//! Features of a (claim, observation) pair and its exact score (§5.1–§5.3).

use core::cmp::Ordering;

use crate::model::{Feature, ReasonCode};
use crate::policy::Policy;

use super::facts::{ClaimFacts, MerchantFacts, Party, RowFacts};
use super::ratio::Ratio;
use super::words::Word;

/// A feature's value: `numerator / denominator` in [0, 1].
///
/// The bounds that keep [`score`] within 128 bits: a time denominator is below
/// 2^53 (windows are safe integers), a subject's below 2^8 (80 characters a
/// side), a merchant's below 2^9 (200 a side), every other is 1; eight weights
/// of at most 10^4 sum below 2^17. So a numerator stays below 2^87.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Value {
    /// At most the denominator.
    pub numerator: u64,
    /// At least 1.
    pub denominator: u64,
}

impl Value {
    const ZERO: Self = Self {
        numerator: 0,
        denominator: 1,
    };
    const ONE: Self = Self {
        numerator: 1,
        denominator: 1,
    };

    fn of(held: bool) -> Self {
        if held { Self::ONE } else { Self::ZERO }
    }

    /// The value as a rational.
    #[must_use]
    pub fn ratio(self) -> Ratio {
        Ratio::new(u128::from(self.numerator), u128::from(self.denominator)).unwrap_or(Ratio::ZERO)
    }
}

/// What comparing two addresses found (§5.1).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AddressMatch {
    /// The row names no address.
    NoAddress,
    /// Identical, plain ASCII.
    Identical,
    /// Identical, with characters that could be look-alikes (`cp.non_ascii`).
    IdenticalConfusable,
    /// Not identical, and one of them could be a look-alike (`cp.confusable`).
    Confusable,
    /// They differ only by a +tag (`cp.plus_tag`).
    PlusTag,
    /// Different addresses.
    Different,
}

impl AddressMatch {
    /// The `cp.*` reason this gives, if any.
    #[must_use]
    pub const fn reason(self) -> Option<ReasonCode> {
        match self {
            Self::IdenticalConfusable => Some(ReasonCode::CpNonAscii),
            Self::Confusable => Some(ReasonCode::CpConfusable),
            Self::PlusTag => Some(ReasonCode::CpPlusTag),
            Self::NoAddress | Self::Identical | Self::Different => None,
        }
    }
}

/// Compares the claim's address with the row's; `None` when the claim names no
/// address.
pub(crate) fn address_match(claim: &ClaimFacts, row: &RowFacts) -> Option<AddressMatch> {
    let Party::Address(ours) = &claim.party else {
        return None;
    };
    let Some(theirs) = &row.address else {
        return Some(AddressMatch::NoAddress);
    };
    let confusable = ours.confusable || theirs.confusable;
    Some(match (ours.whole == theirs.whole, confusable) {
        (true, true) => AddressMatch::IdenticalConfusable,
        (true, false) => AddressMatch::Identical,
        (false, true) => AddressMatch::Confusable,
        (false, false) if ours.mailbox == theirs.mailbox => AddressMatch::PlusTag,
        (false, false) => AddressMatch::Different,
    })
}

/// The value of one feature that applies to the claim.
pub(crate) fn value(
    feature: Feature,
    claim: &ClaimFacts,
    row: &RowFacts,
    policy: &Policy,
) -> Value {
    match feature {
        Feature::TimeProximity => time_proximity(claim, row, policy),
        Feature::CounterpartyExact => Value::of(matches!(
            address_match(claim, row),
            Some(AddressMatch::Identical | AddressMatch::IdenticalConfusable)
        )),
        Feature::CounterpartyDomain => Value::of(domain_matches(claim, row)),
        Feature::CounterpartyName => match &claim.party {
            Party::Name(words) => Value::of(is_subset(words, &row.local_words)),
            _ => Value::ZERO,
        },
        Feature::SubjectOverlap => jaccard(&claim.subject, &row.subject),
        Feature::AmountExact => Value::of(
            claim.amount.is_some()
                && claim.amount == row.amount
                && claim.currency.is_some()
                && claim.currency == row.currency,
        ),
        Feature::MerchantMatch => merchant_match(claim.merchant.as_ref(), row.merchant.as_ref()),
        Feature::ModelScore => Value::ZERO,
    }
}

/// 1 up to the tolerance, then falling to 0 at the window's edge on that side.
fn time_proximity(claim: &ClaimFacts, row: &RowFacts, policy: &Policy) -> Value {
    let windows = policy.windows();
    let distance = claim.time_to.distance(row.occurred);
    if distance <= windows.tolerance_ms {
        return Value::ONE;
    }
    let edge = edge_ms(claim, row.occurred < claim.time_to.from, policy);
    let left = u64::try_from(edge.saturating_sub(distance)).unwrap_or(0);
    let whole = u64::try_from(edge.saturating_sub(windows.tolerance_ms)).unwrap_or(0);
    // The loader keeps the tolerance below every edge, so `whole` is positive.
    if whole == 0 {
        Value::ZERO
    } else {
        Value {
            numerator: left.min(whole),
            denominator: whole,
        }
    }
}

/// How far off the value falls to 0, in milliseconds: the window's edge on
/// that side.
pub(crate) fn edge_ms(claim: &ClaimFacts, earlier: bool, policy: &Policy) -> i64 {
    let windows = policy.windows();
    if claim.is_calendar {
        windows.calendar_ms
    } else if earlier {
        windows.before_claim_ms
    } else {
        windows.after_claim_ms
    }
}

fn domain_matches(claim: &ClaimFacts, row: &RowFacts) -> bool {
    match address_match(claim, row) {
        Some(
            AddressMatch::Identical | AddressMatch::IdenticalConfusable | AddressMatch::PlusTag,
        ) => true,
        Some(AddressMatch::Different) => match (&claim.party, &row.address) {
            (Party::Address(ours), Some(theirs)) => {
                ours.domain == theirs.domain && !ours.common_domain
            }
            _ => false,
        },
        Some(AddressMatch::NoAddress | AddressMatch::Confusable) | None => false,
    }
}

fn merchant_match(claim: Option<&MerchantFacts>, row: Option<&MerchantFacts>) -> Value {
    match (claim, row) {
        (Some(ours), Some(theirs)) if ours.name == theirs.name => Value::ONE,
        (Some(ours), Some(theirs)) => jaccard(&ours.words, &theirs.words),
        _ => Value::ZERO,
    }
}

/// |A∩B| / |A∪B| of two ascending sets; 0 when either is empty.
fn jaccard(a: &[Word], b: &[Word]) -> Value {
    let common = common(a, b);
    let union = a.len().saturating_add(b.len()).saturating_sub(common);
    match (u64::try_from(common), u64::try_from(union)) {
        (Ok(numerator @ 1..), Ok(denominator)) => Value {
            numerator,
            denominator,
        },
        _ => Value::ZERO,
    }
}

/// How many words two ascending sets share.
fn common(mut a: &[Word], mut b: &[Word]) -> usize {
    let mut shared = 0usize;
    while let ([x, rest_a @ ..], [y, rest_b @ ..]) = (a, b) {
        match x.cmp(y) {
            Ordering::Less => a = rest_a,
            Ordering::Greater => b = rest_b,
            Ordering::Equal => {
                shared = shared.saturating_add(1);
                (a, b) = (rest_a, rest_b);
            }
        }
    }
    shared
}

fn is_subset(a: &[Word], b: &[Word]) -> bool {
    common(a, b) == a.len()
}

/// A pair's weighted mean and its score after the content gate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PairScore {
    /// The weighted mean of the applicable features.
    pub mean: Ratio,
    /// The mean, or 0 when nothing but time matches (§5.3, content gate).
    pub score: Ratio,
    /// Whether the gate is what made the score 0.
    pub gated: bool,
}

/// What the content features of a pair add up to: `numerator / denominator` of
/// the sum of weight times value.
struct Content {
    numerator: u128,
    denominator: u128,
    any: bool,
}

fn content(claim: &ClaimFacts, row: &RowFacts, policy: &Policy) -> Content {
    let mut sum = Content {
        numerator: 0,
        denominator: 1,
        any: false,
    };
    for feature in claim
        .applicable
        .iter()
        .filter(|feature| feature.is_content())
    {
        let value = value(*feature, claim, row, policy);
        if value.numerator == 0 {
            continue;
        }
        sum.any = true;
        let weighted =
            u128::from(policy.weight(*feature).get()).saturating_mul(u128::from(value.numerator));
        let scale = u128::from(value.denominator);
        let added = weighted.saturating_mul(sum.denominator);
        sum.numerator = sum.numerator.saturating_mul(scale).saturating_add(added);
        sum.denominator = sum.denominator.saturating_mul(scale);
    }
    sum
}

impl Content {
    /// The weighted mean, with time at this value.
    fn mean(&self, claim: &ClaimFacts, time_weight: u32, time: Value) -> Ratio {
        let scale = u128::from(time.denominator);
        let weighted = u128::from(time_weight).saturating_mul(u128::from(time.numerator));
        let numerator = self
            .numerator
            .saturating_mul(scale)
            .saturating_add(weighted.saturating_mul(self.denominator));
        let denominator = self
            .denominator
            .saturating_mul(scale)
            .saturating_mul(u128::from(claim.total_weight));
        Ratio::new(numerator, denominator).unwrap_or(Ratio::ZERO)
    }
}

fn time_weight(claim: &ClaimFacts, policy: &Policy) -> u32 {
    let applies = claim.applicable.contains(&Feature::TimeProximity);
    if applies {
        policy.weight(Feature::TimeProximity).get()
    } else {
        0
    }
}

/// Scores a pair. The claim must be assignable, which gives it a positive sum
/// of weights; a sum of 0 has no mean (`zero_weight_sum`) and scores 0 here.
pub(crate) fn score(claim: &ClaimFacts, row: &RowFacts, policy: &Policy) -> PairScore {
    let content = content(claim, row, policy);
    let time = time_proximity(claim, row, policy);
    let mean = content.mean(claim, time_weight(claim, policy), time);
    PairScore {
        mean,
        score: if content.any { mean } else { Ratio::ZERO },
        gated: !content.any,
    }
}

/// The pair's score when it is above 0 and at least `wanted`. Time is asked
/// only of pairs whose content could reach that.
pub(crate) fn score_reaching(
    claim: &ClaimFacts,
    row: &RowFacts,
    policy: &Policy,
    wanted: Ratio,
) -> Option<Ratio> {
    let content = content(claim, row, policy);
    let weight = time_weight(claim, policy);
    if !content.any || content.mean(claim, weight, Value::ONE) < wanted {
        return None;
    }
    let score = content.mean(claim, weight, time_proximity(claim, row, policy));
    (score >= wanted && !score.is_zero()).then_some(score)
}
