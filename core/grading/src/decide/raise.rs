//! The advisory model's score of the best candidate (§5.4).

use attest_canon::Id;

use crate::model::{BasisPoints, Feature, GradeContext};
use crate::policy::Policy;

use super::ratio::Ratio;

/// What the model's score did to the best candidate's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Raise {
    /// The model's score, when the context holds one for the candidate.
    pub model: Option<BasisPoints>,
    /// The score the rules read: the floor, or the raised one.
    pub score: Ratio,
}

/// Raises a floor score (`raisedBest`): at or above partial it becomes
/// `max(S, (1 − λ)·S + λ·m)`; below, or without a model score, it stays.
#[must_use]
pub fn raise(candidate: Id, floor: Ratio, context: &GradeContext, policy: &Policy) -> Raise {
    let model = context.model_score(candidate);
    let score = match model {
        Some(model) if floor.at_least(policy.thresholds().partial) => {
            floor.max(blend(floor, model, policy.weight(Feature::ModelScore)))
        }
        _ => floor,
    };
    Raise { model, score }
}

/// `(1 − λ)·S + λ·m`. A reduced pair score has terms below 2^87, so nothing
/// here exceeds 2^116.
fn blend(floor: Ratio, model: BasisPoints, lambda: BasisPoints) -> Ratio {
    let floor = floor.reduced();
    let one = u128::from(BasisPoints::ONE.get());
    let (model, lambda) = (u128::from(model.get()), u128::from(lambda.get()));
    let kept = one
        .saturating_sub(lambda)
        .saturating_mul(one)
        .saturating_mul(floor.numerator());
    let added = lambda
        .saturating_mul(model)
        .saturating_mul(floor.denominator());
    let denominator = floor.denominator().saturating_mul(one).saturating_mul(one);
    Ratio::new(kept.saturating_add(added), denominator).unwrap_or(floor)
}
