//! Reads a policy document (§12) and refuses, all at once, whatever §3, §5.2,
//! §5.3, §5.4, §6 and §12 forbid. The only way to a [`Policy`].
//!
//! Where the reference is open:
//! - Every object is closed at every level, and every key of §12 must be
//!   there: all nine types, three sources, eight features, four signals and
//!   four agents (readings 47).
//! - Texts (`commonDomains`, `receiptMerchants`, `stopWords`, signatures) may
//!   be any string, distinct as written: one that can match nothing is legal,
//!   one that would match everything, the empty signature, is not.
//! - A type without sources may list no features, or no identity; one with
//!   sources needs both. What it lists must keep the other rules either way.
//! - An identity feature need not be listed in `featuresByType`: unlisted, it
//!   is never applicable (§5.2), so the claim is underspecified, not misjudged.

use attest_canon::jcs::{Numbers, to_canonical};
use attest_canon::json::{Limits, Value};
use attest_canon::sha256;

use crate::model::time::{MS_PER_DAY, MS_PER_HOUR, MS_PER_MINUTE};
use crate::model::{ActionType, AgentId, BasisPoints, Feature, Source, UnaskedSignal};
use crate::text::ascii_lower;

use super::problem::{PolicyError, Refusal};
use super::rule_reader::read_rules;
use super::spot::Spot;
use super::{Field, Policy, Thresholds, Unasked, Windows};

/// The version of the document's shape (§12).
const VERSION: i64 = 2;

type PerType<T> = [T; ActionType::ALL.len()];
type Weights = [Option<BasisPoints>; Feature::ALL.len()];

/// Loads a policy from its JSON text.
///
/// # Errors
///
/// Everything that is wrong with it. Text that is not JSON is one problem,
/// since nothing more can be read then.
pub fn load_policy(text: &str) -> Result<Policy, PolicyError> {
    load_policy_value(&Value::parse(text, Limits::LEDGER)?)
}

/// Loads a policy from its document, as it stands after any merge patch; the
/// hash is of this document.
///
/// # Errors
///
/// Everything that is wrong with it.
pub fn load_policy_value(value: &Value<'_>) -> Result<Policy, PolicyError> {
    let mut faults = PolicyError::default();
    match read_policy(value, &mut faults) {
        Some(policy) if faults.is_empty() => Ok(policy),
        _ => Err(faults),
    }
}

/// The policy, or `None` after noting a problem. A policy returned beside a
/// problem is not valid.
fn read_policy(value: &Value<'_>, faults: &mut PolicyError) -> Option<Policy> {
    let [
        version,
        windows,
        thresholds,
        features,
        sources_by_type,
        features_by_type,
        identity_features,
        allowlist_types,
        spend_types,
        common_domains,
        receipt_merchants,
        normalize,
        rules,
        unasked,
        allowlisted_fields,
    ] = Spot::document(value).members(
        [
            "version",
            "windows",
            "thresholds",
            "features",
            "sourcesByType",
            "featuresByType",
            "identityFeatures",
            "allowlistTypes",
            "spendTypes",
            "commonDomains",
            "receiptMerchants",
            "normalize",
            "rules",
            "unasked",
            "allowlistedFields",
        ],
        faults,
    );
    let version = version.and_then(|at| {
        at.number(Refusal::Version, faults, |number| {
            number.as_integer().filter(|version| *version == VERSION)
        })
    });
    let windows = windows.and_then(|at| read_windows(&at, faults));
    let thresholds = thresholds.and_then(|at| read_thresholds(&at, faults));
    let weights = features.map_or([None; Feature::ALL.len()], |at| {
        read_weights(&at, thresholds, faults)
    });
    let sources: PerType<Option<Vec<Source>>> =
        per_type(sources_by_type, faults, |_, at, faults| {
            at.list(faults, |at, faults| {
                at.word(Refusal::NotSource, faults, Source::parse)
            })
        });
    let has_sources = sources
        .each_ref()
        .map(|list| list.as_ref().map(|list| !list.is_empty()));
    let has_sources = |action: ActionType| has_sources.get(action.index()).copied().flatten();
    let features = per_type(features_by_type, faults, |action, at, faults| {
        read_features(at, &weights, has_sources(action), faults)
    });
    let identity = per_type(identity_features, faults, |action, at, faults| {
        read_identity(at, &weights, has_sources(action), faults)
    });
    let allowlist_types = allowlist_types.and_then(|at| read_types(&at, faults));
    let spend_types = spend_types.and_then(|at| read_types(&at, faults));
    let common_domains = common_domains.and_then(|at| at.list(faults, Spot::text));
    let receipt_merchants = receipt_merchants.and_then(|at| at.list(faults, Spot::text));
    let stop_words = normalize.and_then(|at| {
        let [stop_words] = at.members(["stopWords"], faults);
        stop_words.and_then(|at| at.list(faults, Spot::text))
    });
    let rules = rules.and_then(|at| read_rules(&at, faults));
    let unasked = unasked.and_then(|at| read_unasked(&at, faults));
    let allowlisted_fields = allowlisted_fields.and_then(|at| {
        whole(
            at.table(Source::ALL, Source::as_str, faults, |_, at, faults| {
                read_fields(at, faults)
            }),
        )
    });

    version?;
    let canonical = to_canonical(value, Numbers::Exact).ok()?;
    Some(Policy {
        hash: sha256(canonical.as_bytes()),
        canonical: canonical.into(),
        windows: windows?,
        thresholds: thresholds?,
        weights: whole(weights)?,
        sources: whole(sources)?,
        features: whole(features)?,
        identity: whole(identity)?,
        allowlist_types: allowlist_types?.into_iter().collect(),
        spend_types: spend_types?.into_iter().collect(),
        common_domains: common_domains?
            .into_iter()
            .map(|text| ascii_lower(text).into())
            .collect(),
        receipt_merchants: receipt_merchants?.into_iter().map(Box::from).collect(),
        stop_words: stop_words?.into_iter().collect(),
        rules: rules?,
        unasked: unasked?,
        allowlisted_fields: allowlisted_fields?.map(|list| list.into_iter().collect()),
    })
}

/// All of the values, when none is missing.
fn whole<T, const N: usize>(values: [Option<T>; N]) -> Option<[T; N]> {
    let values: Vec<T> = values.into_iter().collect::<Option<_>>()?;
    values.try_into().ok()
}

fn per_type<'v, T>(
    at: Option<Spot<'v>>,
    faults: &mut PolicyError,
    read: impl FnMut(ActionType, &Spot<'v>, &mut PolicyError) -> Option<T>,
) -> PerType<Option<T>> {
    match at {
        Some(at) => at.table(ActionType::ALL, ActionType::as_str, faults, read),
        None => [const { None }; ActionType::ALL.len()],
    }
}

/// Whole minutes, hours or days; the tolerance below every edge that
/// `timeProximity` falls to (§5.1, §5.3).
fn read_windows(at: &Spot<'_>, faults: &mut PolicyError) -> Option<Windows> {
    let windows = at.members(
        [
            "beforeClaimMin",
            "afterClaimMin",
            "graceMin",
            "calendarDays",
            "toleranceMin",
            "spendWindowDays",
            "finalizeUnverifiableHours",
        ],
        faults,
    );
    let units = [
        MS_PER_MINUTE,
        MS_PER_MINUTE,
        MS_PER_MINUTE,
        MS_PER_DAY,
        MS_PER_MINUTE,
        MS_PER_DAY,
        MS_PER_HOUR,
    ];
    let mut read = windows
        .into_iter()
        .zip(units)
        .map(|(at, unit_ms)| at.and_then(|at| at.window(unit_ms, faults)));
    let [before, after, grace, calendar, tolerance, spend, finalize] =
        core::array::from_fn(|_| read.next().flatten());
    let tolerance_ms = tolerance?;
    for (edge, refusal) in [
        (before, Refusal::ToleranceReachesBefore),
        (after, Refusal::ToleranceReachesAfter),
        (calendar, Refusal::ToleranceReachesCalendar),
    ] {
        if edge.is_some_and(|edge_ms| tolerance_ms >= edge_ms) {
            at.refuse_member("toleranceMin", refusal, faults);
        }
    }
    Some(Windows {
        before_claim_ms: before?,
        after_claim_ms: after?,
        grace_ms: grace?,
        calendar_ms: calendar?,
        tolerance_ms,
        spend_window_ms: spend?,
        finalize_unverifiable_ms: finalize?,
    })
}

/// `0 < partial < verified` (§5.3).
fn read_thresholds(at: &Spot<'_>, faults: &mut PolicyError) -> Option<Thresholds> {
    let [verified, partial_at] = at.members(["verified", "partial"], faults);
    let verified = verified.and_then(|at| at.basis_points(faults));
    let partial_at = partial_at?;
    let partial = read_threshold(&partial_at, faults)?;
    let verified = verified?;
    if partial >= verified {
        partial_at.refuse(Refusal::PartialNotBelowVerified, faults);
    }
    Some(Thresholds { verified, partial })
}

/// A threshold of at least 1 bp: a score of 0 is no evidence (§5.3).
fn read_threshold(at: &Spot<'_>, faults: &mut PolicyError) -> Option<BasisPoints> {
    let threshold = at.basis_points(faults)?;
    if threshold == BasisPoints::default() {
        at.refuse(Refusal::NotAboveZero, faults);
    }
    Some(threshold)
}

/// The weights, with λ held below the cap of §5.4:
/// `λ·(1 − partial) < verified − partial`, exact in basis points.
fn read_weights(
    at: &Spot<'_>,
    thresholds: Option<Thresholds>,
    faults: &mut PolicyError,
) -> Weights {
    at.table(
        Feature::ALL,
        Feature::as_str,
        faults,
        |feature, at, faults| {
            let weight = at.basis_points(faults)?;
            // Thresholds out of order are their own fault, and admit no λ at all.
            if let Some(Thresholds { verified, partial }) = thresholds
                && feature == Feature::ModelScore
                && partial < verified
            {
                let one = u64::from(BasisPoints::ONE.get());
                let [weight, verified, partial] =
                    [weight, verified, partial].map(|value| u64::from(value.get()));
                let raised = weight.saturating_mul(one.saturating_sub(partial));
                if raised >= verified.saturating_sub(partial).saturating_mul(one) {
                    at.refuse(Refusal::ModelVerifiesAlone, faults);
                }
            }
            Some(weight)
        },
    )
}

/// Whether a feature's weight is 0, as far as it could be read.
fn is_weightless(weights: &Weights, feature: Feature) -> bool {
    weights.get(feature.index()) == Some(&Some(BasisPoints::default()))
}

/// The features of a type. Their weights sum to more than 0, except that a
/// type without sources, whose claims are never scored, may list none (§5.3).
fn read_features(
    at: &Spot<'_>,
    weights: &Weights,
    has_sources: Option<bool>,
    faults: &mut PolicyError,
) -> Option<Vec<Feature>> {
    let features = at.list(faults, |at, faults| {
        let feature = at.word(Refusal::NotFeature, faults, Feature::parse)?;
        if feature == Feature::ModelScore {
            at.refuse(Refusal::ModelScoreListed, faults);
        }
        Some(feature)
    })?;
    let may_be_empty = features.is_empty() && has_sources != Some(true);
    let is_weightless = |feature: &Feature| is_weightless(weights, *feature);
    if !may_be_empty && features.iter().all(is_weightless) {
        at.refuse(Refusal::WeightlessFeatures, faults);
    }
    Some(features)
}

/// The identity features of a type: never time (§5.2), never the model's
/// score (§5.4), each of a weight above 0, and at least one where the type has
/// sources (§5.3).
fn read_identity(
    at: &Spot<'_>,
    weights: &Weights,
    has_sources: Option<bool>,
    faults: &mut PolicyError,
) -> Option<Vec<Feature>> {
    let identity = at.list(faults, |at, faults| {
        let feature = at.word(Refusal::NotFeature, faults, Feature::parse)?;
        match feature {
            Feature::TimeProximity => at.refuse(Refusal::TimeIdentifies, faults),
            Feature::ModelScore => at.refuse(Refusal::ModelScoreListed, faults),
            _ if is_weightless(weights, feature) => {
                at.refuse(Refusal::WeightlessIdentity, faults);
            }
            _ => {}
        }
        Some(feature)
    })?;
    if identity.is_empty() && has_sources == Some(true) {
        at.refuse(Refusal::NoIdentity, faults);
    }
    Some(identity)
}

fn read_types(at: &Spot<'_>, faults: &mut PolicyError) -> Option<Vec<ActionType>> {
    at.list(faults, |at, faults| {
        at.word(Refusal::NotAction, faults, ActionType::parse)
    })
}

/// The fields of a source's rows; `occurredAt` among them (§12).
fn read_fields(at: &Spot<'_>, faults: &mut PolicyError) -> Option<Vec<Field>> {
    let fields = at.list(faults, |at, faults| {
        at.word(Refusal::NotField, faults, Field::parse)
    })?;
    if !fields.contains(&Field::OccurredAt) {
        at.refuse(Refusal::NoOccurredAt, faults);
    }
    Some(fields)
}

/// What attribution uses (§7).
fn read_unasked(at: &Spot<'_>, faults: &mut PolicyError) -> Option<Unasked> {
    let [signals, threshold, windows, signatures] =
        at.members(["signals", "threshold", "windows", "signatures"], faults);
    let signals = signals.and_then(|at| {
        whole(at.table(
            UnaskedSignal::ALL,
            UnaskedSignal::as_str,
            faults,
            |_, at, faults| at.basis_points(faults),
        ))
    });
    let threshold = threshold.and_then(|at| read_threshold(&at, faults));
    let windows = windows.and_then(|at| {
        let [session, idle, adjacent] = at
            .members(["sessionMin", "idleMin", "adjacentMin"], faults)
            .map(|at| at.and_then(|at| at.window(MS_PER_MINUTE, faults)));
        Some((session?, idle?, adjacent?))
    });
    let signatures = signatures.and_then(|at| {
        whole(
            at.table(AgentId::ALL, AgentId::as_str, faults, |_, at, faults| {
                read_signatures(at, faults)
            }),
        )
    });
    let (session_ms, idle_ms, adjacent_ms) = windows?;
    Some(Unasked {
        signals: signals?,
        threshold: threshold?,
        session_ms,
        idle_ms,
        adjacent_ms,
        signatures: signatures?,
    })
}

fn read_signatures(at: &Spot<'_>, faults: &mut PolicyError) -> Option<Vec<Box<str>>> {
    let texts = at.list(faults, |at, faults| {
        let text = at.text(faults)?;
        if text.is_empty() {
            at.refuse(Refusal::EmptySignature, faults);
        }
        Some(text)
    })?;
    Some(
        texts
            .into_iter()
            .map(|text| ascii_lower(text).into())
            .collect(),
    )
}
