//! One claim and one observation: applicable features, values, the score with
//! its content gate, and the `cp.*` reasons (§5).

use attest_grading::model::{Claim, Feature, Observation, ReasonCode};
use attest_grading::policy::Policy;
use attest_grading::text::{
    Address, Counterparty, Tokens, ascii_lower, counterparty, email, merchant, name_tokens,
    subject_tokens, words,
};

use super::rational::Rational;
use super::time;

pub struct Scored {
    pub features: Vec<(Feature, Rational)>,
    pub score: Rational,
    pub address_reason: Option<ReasonCode>,
}

/// The claim's counterparty, where it is an address.
pub fn claim_address(claim: &Claim) -> Option<Address> {
    match counterparty(claim.counterparty.as_deref()?) {
        Ok(Counterparty::Address(address)) => Some(address),
        _ => None,
    }
}

pub fn row_address(row: &Observation) -> Option<Address> {
    email(row.counterparty.as_deref()?)
}

fn claim_name(claim: &Claim) -> Option<Tokens> {
    match counterparty(claim.counterparty.as_deref()?) {
        Ok(Counterparty::Name(text)) => Some(name_tokens(text)),
        _ => None,
    }
}

fn claim_subject(claim: &Claim, policy: &Policy) -> Option<Tokens> {
    let text = claim.subject_hint.as_deref()?;
    Some(subject_tokens(text, policy.stop_words()))
}

/// The normalised merchant a text names; none when it is rejected.
fn merchant_of(text: Option<&str>) -> Option<String> {
    merchant(text?)
}

/// Whether the claim alone has what the feature compares (§5.2).
fn applies(feature: Feature, claim: &Claim, policy: &Policy) -> bool {
    match feature {
        Feature::TimeProximity => true,
        Feature::CounterpartyExact | Feature::CounterpartyDomain => claim_address(claim).is_some(),
        Feature::CounterpartyName => claim_name(claim).is_some_and(|tokens| !tokens.is_empty()),
        Feature::SubjectOverlap => {
            claim_subject(claim, policy).is_some_and(|tokens| !tokens.is_empty())
        }
        Feature::AmountExact => claim.amount.is_some(),
        Feature::MerchantMatch => {
            merchant_of(claim.counterparty.as_deref()).is_some_and(|name| !words(&name).is_empty())
        }
        Feature::ModelScore => false,
    }
}

pub fn applicable(claim: &Claim, policy: &Policy) -> Vec<Feature> {
    let listed = policy.features(claim.action).iter().copied();
    listed
        .filter(|feature| applies(*feature, claim, policy))
        .collect()
}

pub fn is_underspecified(claim: &Claim, policy: &Policy) -> bool {
    let identity = policy.identity_features(claim.action);
    let known = applicable(claim, policy);
    !identity.is_empty() && !identity.iter().any(|feature| known.contains(feature))
}

/// Whether the claim is ever scored against observations (§4.3).
pub fn is_assignable(claim: &Claim, policy: &Policy) -> bool {
    let targetless = claim.action.is_calendar() && claim.target_at.is_none();
    let sourceless = policy.sources(claim.action).is_empty();
    !targetless && !sourceless && !is_underspecified(claim, policy)
}

fn jaccard(a: &Tokens, b: &Tokens) -> Rational {
    let both = a
        .iter()
        .filter(|word| b.iter().any(|other| other == *word))
        .count();
    let all = a.len() + b.len() - both;
    if b.is_empty() {
        return Rational::zero();
    }
    Rational::new(both as i64, all as i64)
}

fn yes(holds: bool) -> Rational {
    if holds {
        Rational::one()
    } else {
        Rational::zero()
    }
}

fn time_proximity(claim: &Claim, row: &Observation, policy: &Policy) -> Rational {
    let windows = policy.windows();
    let at = time::ms(row.occurred_at);
    let (distance, edge) = if claim.action.is_calendar() {
        let target = time::ms(claim.target_at.unwrap());
        ((at - target).abs(), windows.calendar_ms)
    } else {
        let unit = time::unit(claim);
        let edge = if at < unit.0 {
            windows.before_claim_ms
        } else {
            windows.after_claim_ms
        };
        (time::distance(unit, at), edge)
    };
    if distance <= windows.tolerance_ms {
        Rational::one()
    } else {
        Rational::new(edge - distance, edge - windows.tolerance_ms)
    }
}

/// An address without its +tag, and whether it may pass for another, read from
/// the text (§11).
fn without_tag(address: &Address) -> String {
    let (local, domain) = address.as_str().rsplit_once('@').unwrap();
    let local = local.split('+').next().unwrap();
    format!("{local}@{domain}")
}

pub fn is_confusable(address: &Address) -> bool {
    let domain = address.as_str().rsplit_once('@').unwrap().1;
    !address.as_str().is_ascii() || domain.split('.').any(|label| label.starts_with("xn--"))
}

struct Addresses {
    exact: bool,
    domain: bool,
    reason: Option<ReasonCode>,
}

fn compare_addresses(claimed: &Address, seen: Option<&Address>, policy: &Policy) -> Addresses {
    let Some(seen) = seen else {
        return Addresses {
            exact: false,
            domain: false,
            reason: None,
        };
    };
    let exact = claimed.as_str() == seen.as_str();
    let confusable = is_confusable(claimed) || is_confusable(seen);
    let tag_only = !exact && without_tag(claimed) == without_tag(seen);
    let reason = if exact && confusable {
        Some(ReasonCode::CpNonAscii)
    } else if confusable {
        Some(ReasonCode::CpConfusable)
    } else if tag_only {
        Some(ReasonCode::CpPlusTag)
    } else {
        None
    };
    let host = |address: &Address| address.as_str().rsplit_once('@').unwrap().1.to_owned();
    let same_domain = host(claimed) == host(seen);
    let domain = exact
        || (same_domain
            && !confusable
            && (!policy.is_common_domain(&ascii_lower(&host(claimed))) || tag_only));
    Addresses {
        exact,
        domain,
        reason,
    }
}

fn name_in_address(claim: &Claim, row: &Observation) -> bool {
    let Some(address) = row_address(row) else {
        return false;
    };
    let untagged = without_tag(&address);
    let local = untagged.rsplit_once('@').unwrap().0;
    let parts: Vec<&str> = local
        .split(['.', '_', '-'])
        .filter(|part| !part.is_empty())
        .collect();
    claim_name(claim)
        .unwrap()
        .iter()
        .all(|token| parts.contains(&token))
}

fn merchants_match(claim: &Claim, row: &Observation) -> Rational {
    let claimed = merchant_of(claim.counterparty.as_deref()).unwrap();
    let Some(seen) = merchant_of(row.merchant.as_deref()) else {
        return Rational::zero();
    };
    if claimed == seen {
        return Rational::one();
    }
    jaccard(&words(&claimed), &words(&seen))
}

fn same_amount(claim: &Claim, row: &Observation) -> bool {
    claim.amount == row.amount && claim.currency.is_some() && claim.currency == row.currency
}

pub fn score(claim: &Claim, row: &Observation, policy: &Policy) -> Scored {
    let seen = row_address(row);
    let addresses =
        claim_address(claim).map(|claimed| compare_addresses(&claimed, seen.as_ref(), policy));
    let mut features = Vec::new();
    for feature in applicable(claim, policy) {
        let value = match feature {
            Feature::TimeProximity => time_proximity(claim, row, policy),
            Feature::CounterpartyExact => yes(addresses.as_ref().unwrap().exact),
            Feature::CounterpartyDomain => yes(addresses.as_ref().unwrap().domain),
            Feature::CounterpartyName => yes(name_in_address(claim, row)),
            Feature::SubjectOverlap => {
                let text = row.subject_hint.as_deref().unwrap_or("");
                let theirs = subject_tokens(text, policy.stop_words());
                jaccard(&claim_subject(claim, policy).unwrap(), &theirs)
            }
            Feature::AmountExact => yes(same_amount(claim, row)),
            Feature::MerchantMatch => merchants_match(claim, row),
            Feature::ModelScore => unreachable!("never a pair feature"),
        };
        features.push((feature, value));
    }
    let mut sum = Rational::zero();
    let mut weights = Rational::zero();
    for (feature, value) in &features {
        let weight = Rational::of(policy.weight(*feature));
        sum = sum.plus(&weight.times(value));
        weights = weights.plus(&weight);
    }
    let content = features
        .iter()
        .any(|(feature, value)| *feature != Feature::TimeProximity && !value.is_zero());
    let score = if content {
        sum.over(&weights)
    } else {
        Rational::zero()
    };
    let exact_is_listed = policy
        .features(claim.action)
        .contains(&Feature::CounterpartyExact);
    let reason = addresses.and_then(|addresses| addresses.reason);
    Scored {
        features,
        score,
        address_reason: reason.filter(|_| exact_is_listed),
    }
}
