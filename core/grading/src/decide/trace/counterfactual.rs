//! The counterfactual: what is the least that would have to be otherwise.

use crate::model::{BasisPoints, Feature};
use crate::policy::{Policy, Threshold};

use super::super::facts::ClaimFacts;
use super::super::ratio::Ratio;
use super::{CandidateTrace, Counterfactual, FeatureTrace};

/// The smallest single change of one feature of a candidate that crosses the
/// next threshold above its score, when there is one. An identical address has
/// its domain too, so raising one raises both (§5.1).
pub(super) fn counterfactual(
    best: &CandidateTrace,
    facts: &ClaimFacts,
    policy: &Policy,
) -> Option<Counterfactual> {
    let pair = best.score?;
    let threshold = [Threshold::Partial, Threshold::Verified]
        .into_iter()
        .find(|threshold| !pair.score.at_least(policy.threshold(*threshold)))?;
    let wanted = policy.threshold(threshold);
    let mut smallest: Option<(Ratio, Counterfactual)> = None;
    for one in best.features.iter().filter(|one| one.weight.get() > 0) {
        // Time alone never opens the content gate.
        if one.value.ratio() == Ratio::ONE || (pair.gated && !one.feature.is_content()) {
            continue;
        }
        let Some(needed) = needed_value(one, best, facts, wanted) else {
            continue;
        };
        let Some(change) = difference(needed, one.value.ratio()) else {
            continue;
        };
        if smallest.as_ref().is_none_or(|(held, _)| change < *held) {
            let found = Counterfactual {
                threshold,
                feature: one.feature,
                from: one.value.ratio(),
                needed,
            };
            smallest = Some((change, found));
        }
    }
    smallest.map(|(_, found)| found)
}

/// The least value of a feature that lifts the mean to a threshold, within
/// what the feature can be: any fraction for time and words, else only 1.
fn needed_value(
    one: &FeatureTrace,
    best: &CandidateTrace,
    facts: &ClaimFacts,
    wanted: BasisPoints,
) -> Option<Ratio> {
    let with_domain = one.feature == Feature::CounterpartyExact;
    let raised = |other: &FeatureTrace| {
        other.feature == one.feature
            || (with_domain && other.feature == Feature::CounterpartyDomain)
    };
    let kept = best.features.iter().filter(|other| !raised(other));
    let rest = kept.map(|other| other.adds).fold(Ratio::ZERO, sum);
    let lifted: u32 = best
        .features
        .iter()
        .filter(|other| raised(other))
        .map(|other| other.weight.get())
        .sum();
    // N must reach T · D / 10000.
    let target = Ratio::new(
        u128::from(wanted.get()).checked_mul(u128::from(facts.total_weight))?,
        u128::from(BasisPoints::ONE.get()),
    )?;
    let missing = difference(target, rest)?;
    let needed = Ratio::new(
        missing.numerator(),
        missing.denominator().checked_mul(u128::from(lifted))?,
    )?
    .reduced();
    if needed > Ratio::ONE {
        return None;
    }
    let fractional = matches!(
        one.feature,
        Feature::TimeProximity | Feature::SubjectOverlap | Feature::MerchantMatch
    );
    Some(if fractional { needed } else { Ratio::ONE })
}

fn sum(a: Ratio, b: Ratio) -> Ratio {
    let (a, b) = (a.reduced(), b.reduced());
    let numerator = a
        .numerator()
        .saturating_mul(b.denominator())
        .saturating_add(b.numerator().saturating_mul(a.denominator()));
    Ratio::new(numerator, a.denominator().saturating_mul(b.denominator()))
        .map_or(Ratio::ZERO, Ratio::reduced)
}

/// `a − b`; none when that is negative.
fn difference(a: Ratio, b: Ratio) -> Option<Ratio> {
    let (a, b) = (a.reduced(), b.reduced());
    let left = a.numerator().checked_mul(b.denominator())?;
    let right = b.numerator().checked_mul(a.denominator())?;
    Ratio::new(
        left.checked_sub(right)?,
        a.denominator().checked_mul(b.denominator())?,
    )
    .map(Ratio::reduced)
}
