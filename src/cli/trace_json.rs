//! A trace as JSON: everything a grade looked at, in the words of the policy
//! and the reference. Exact numbers are `"n/d"`, weights and thresholds basis
//! points, instants UTC, lengths milliseconds; what is not there is null.

use attest_canon::json::Value;
use attest_grading::decide::attribution::{AgentCase, AttributionTrace};
use attest_grading::decide::conditions::{Finding, NotApplicable};
use attest_grading::decide::coverage::{Cap, Ineligible};
use attest_grading::decide::features::AddressMatch;
use attest_grading::decide::finality::Waiting;
use attest_grading::decide::orphans::NoOrphan;
use attest_grading::decide::trace::{
    AccountTrace, Because, CandidateTrace, ClaimTrace, ConditionTrace, Counterfactual, EntryTrace,
    Fate, FeatureTrace, Hashes, OrphanTrace, RuleStatus, RuleTrace, SourceTrace, Trace,
    TraceSubject,
};
use attest_grading::model::{BasisPoints, Instant, Interval, IsoTs, Receipt, UnaskedSignal};
use attest_grading::policy::Windows;

use super::json::{Json, entity, list, number, object, or_null, ratio, text};

/// A receipt with its trace.
pub(super) fn explained(receipt: &Receipt, trace: &Trace) -> Json {
    let (claim, orphan, scope) = match &trace.subject {
        TraceSubject::Claim(claim) => (claim_json(claim), Value::Null, Value::Null),
        TraceSubject::Orphan(orphan) => (Value::Null, orphan_json(orphan), Value::Null),
        TraceSubject::Scope { agent, scope } => {
            let scope = object([("agent", text(agent)), ("scope", text(scope))]);
            (Value::Null, Value::Null, scope)
        }
    };
    let matched = trace.matched.and_then(|at| trace.rules.get(at));
    object([
        ("claim", claim),
        ("context", entity(&trace.context)),
        ("evaluatedAt", text(trace.evaluated_at)),
        ("finality", finality(trace)),
        ("grant", entity(&trace.grant)),
        ("hashes", hashes(&trace.hashes)),
        ("matchedRule", or_null(matched, |rule| text(&rule.id))),
        ("numbers", numbers(trace)),
        ("orphan", orphan),
        ("outcome", text(trace.outcome)),
        ("receipt", entity(receipt)),
        ("repairs", list(trace.repairs.iter().map(entity))),
        ("rules", list(trace.rules.iter().map(rule))),
        ("scope", scope),
    ])
}

fn instant(at: Instant) -> Json {
    text(IsoTs::computed(at, 0))
}

fn interval(interval: Interval) -> Json {
    object([
        ("from", instant(interval.from)),
        ("to", instant(interval.to)),
    ])
}

fn points(points: BasisPoints) -> Json {
    number(points.get())
}

fn hashes(hashes: &Hashes) -> Json {
    object([
        ("candidates", text(hashes.candidates)),
        ("coverage", text(hashes.coverage)),
        ("grant", text(hashes.grant)),
        ("inputs", text(hashes.inputs)),
        ("policy", text(hashes.policy)),
    ])
}

fn numbers(trace: &Trace) -> Json {
    let numbers = &trace.numbers;
    object([
        ("adjacentMs", number(numbers.adjacent_ms)),
        ("idleMs", number(numbers.idle_ms)),
        ("lambdaBp", points(numbers.lambda)),
        ("partialBp", points(numbers.partial)),
        ("sessionMs", number(numbers.session_ms)),
        (
            "signals",
            list(UnaskedSignal::ALL.iter().map(|signal| {
                object([
                    ("signal", text(signal)),
                    ("weightBp", points(numbers.signal(*signal))),
                ])
            })),
        ),
        ("unaskedBp", points(numbers.unasked)),
        ("verifiedBp", points(numbers.verified)),
        ("windows", windows(&numbers.windows)),
    ])
}

fn windows(windows: &Windows) -> Json {
    object([
        ("afterClaimMs", number(windows.after_claim_ms)),
        ("beforeClaimMs", number(windows.before_claim_ms)),
        ("calendarMs", number(windows.calendar_ms)),
        (
            "finalizeUnverifiableMs",
            number(windows.finalize_unverifiable_ms),
        ),
        ("graceMs", number(windows.grace_ms)),
        ("spendWindowMs", number(windows.spend_window_ms)),
        ("toleranceMs", number(windows.tolerance_ms)),
    ])
}

fn finality(trace: &Trace) -> Json {
    let finality = &trace.finality;
    let (waits_for, at, deadline) = match finality.waiting {
        Waiting::Nothing => ("nothing", None, None),
        Waiting::Sync(at) => ("sync", Some(at), None),
        Waiting::Time(at) => ("time", Some(at), None),
        Waiting::Import { adapter, deadline } => ("import", Some(adapter), Some(deadline)),
    };
    object([
        ("at", or_null(at, instant)),
        ("deadline", or_null(deadline, instant)),
        ("final", Value::Bool(finality.is_final)),
        ("finalFrom", or_null(finality.final_from, instant)),
        ("waitsFor", text(waits_for)),
    ])
}

fn claim_json(claim: &ClaimTrace) -> Json {
    let applicable = claim.applicable.iter().map(|(feature, weight)| {
        object([("feature", text(feature)), ("weightBp", points(*weight))])
    });
    let best = claim.best.and_then(|at| claim.candidates.get(at));
    object([
        ("applicable", list(applicable)),
        ("assignable", Value::Bool(claim.assignable)),
        ("best", or_null(best, |best| text(best.observation.id))),
        ("candidates", list(claim.candidates.iter().map(candidate))),
        ("claim", entity(&claim.claim)),
        (
            "counterfactual",
            or_null(claim.counterfactual, counterfactual),
        ),
        (
            "coverage",
            object([
                ("entries", list(claim.entries.iter().map(entry))),
                ("level", text(claim.level.as_str())),
                ("sources", list(claim.sources.iter().map(source))),
            ]),
        ),
        (
            "deadlines",
            object([
                ("firstSeenFrom", instant(claim.deadlines.first_seen_from)),
                ("giveUp", instant(claim.deadlines.give_up)),
                ("grace", instant(claim.deadlines.grace)),
                ("sentList", instant(claim.deadlines.sent_list)),
                ("wholeWindow", instant(claim.deadlines.whole_window)),
            ]),
        ),
        ("notApplicable", list(claim.not_applicable.iter().map(text))),
        (
            "raise",
            or_null(claim.raise, |raise| {
                object([
                    ("modelBp", or_null(raise.model, points)),
                    ("score", ratio(raise.score)),
                ])
            }),
        ),
        ("totalWeightBp", number(claim.total_weight)),
        ("underspecified", Value::Bool(claim.underspecified)),
        ("unit", interval(claim.unit)),
        ("window", or_null(claim.window, interval)),
    ])
}

fn candidate(one: &CandidateTrace) -> Json {
    let (held, claim, score) = match one.fate {
        Fate::Assigned => ("assigned", None, None),
        Fate::Open => ("open", None, None),
        Fate::Other { claim, score } => ("other", Some(claim), Some(score)),
        Fate::Fixed(claim) => ("fixed", Some(claim), None),
        Fate::Taken => ("taken", None, None),
    };
    object([
        (
            "fate",
            object([
                ("claimId", or_null(claim, text)),
                ("held", text(held)),
                ("score", or_null(score, ratio)),
            ]),
        ),
        ("features", list(one.features.iter().map(feature))),
        ("gated", or_null(one.score, |pair| Value::Bool(pair.gated))),
        ("mean", or_null(one.score, |pair| ratio(pair.mean))),
        ("observation", entity(&one.observation)),
        ("score", or_null(one.score, |pair| ratio(pair.score))),
    ])
}

fn feature(one: &FeatureTrace) -> Json {
    let because = match &one.because {
        Because::Time {
            distance_ms,
            earlier,
            tolerance_ms,
            edge_ms,
        } => object([
            ("distanceMs", number(distance_ms)),
            ("earlier", Value::Bool(*earlier)),
            ("edgeMs", number(edge_ms)),
            ("toleranceMs", number(tolerance_ms)),
        ]),
        Because::Address {
            found,
            common_domain,
        } => object([
            ("addresses", text(address(*found))),
            ("commonDomain", Value::Bool(*common_domain)),
        ]),
        Because::Words { claim, row, equal } => object([
            ("claim", list(claim.iter().map(text))),
            ("equal", Value::Bool(*equal)),
            ("observation", list(row.iter().map(text))),
        ]),
        Because::Amount { claim, row } => {
            let amount = |(cents, currency): &(Option<_>, Option<_>)| {
                object([
                    ("amountCents", or_null(*cents, number)),
                    ("currency", or_null(*currency, text)),
                ])
            };
            object([("claim", amount(claim)), ("observation", amount(row))])
        }
    };
    object([
        ("adds", ratio(one.adds)),
        ("because", because),
        ("feature", text(one.feature)),
        ("value", ratio(one.value.ratio())),
        ("weightBp", points(one.weight)),
    ])
}

const fn address(found: AddressMatch) -> &'static str {
    match found {
        AddressMatch::NoAddress => "noAddress",
        AddressMatch::Identical => "identical",
        AddressMatch::IdenticalConfusable => "identicalConfusable",
        AddressMatch::Confusable => "confusable",
        AddressMatch::PlusTag => "plusTag",
        AddressMatch::Different => "different",
    }
}

fn counterfactual(change: Counterfactual) -> Json {
    object([
        ("feature", text(change.feature)),
        ("from", ratio(change.from)),
        ("needed", ratio(change.needed)),
        ("threshold", text(change.threshold.as_str())),
    ])
}

fn caps(caps: &[Cap]) -> Json {
    list(caps.iter().map(|cap| text(cap.reason())))
}

fn source(one: &SourceTrace) -> Json {
    let account = |one: &AccountTrace| {
        object([
            ("account", text(one.account)),
            ("gap", or_null(one.gap, interval)),
        ])
    };
    object([
        ("accountPartial", Value::Bool(one.account_partial)),
        ("accounts", list(one.accounts.iter().map(account))),
        ("caps", caps(&one.caps)),
        ("gap", or_null(one.gap, interval)),
        ("lastSync", or_null(one.last_sync, instant)),
        ("level", text(one.level.as_str())),
        ("source", text(one.source)),
    ])
}

fn entry(one: &EntryTrace) -> Json {
    let why = one.verdict.as_ref().err().map(|why| match why {
        Ineligible::OtherSource => "otherSource",
        Ineligible::SyncedLater => "syncedLater",
        Ineligible::OtherAccount => "otherAccount",
    });
    object([
        ("caps", or_null(one.verdict.as_deref().ok(), caps)),
        ("contains", Value::Bool(one.contains)),
        ("entry", entity(&one.entry)),
        ("ineligible", or_null(why, text)),
        ("overlaps", Value::Bool(one.overlaps)),
    ])
}

fn orphan_json(orphan: &OrphanTrace) -> Json {
    let why = orphan.orphan.err().map(|why| match why {
        NoOrphan::OtherSource => "otherSource",
        NoOrphan::NotCovered => "notCovered",
        NoOrphan::NotFollowed => "notFollowed",
        NoOrphan::FirstLook => "firstLook",
    });
    object([
        (
            "attribution",
            or_null(orphan.attribution.as_ref(), attribution),
        ),
        ("noOrphan", or_null(why, text)),
        ("observation", entity(&orphan.observation)),
    ])
}

fn attribution(found: &AttributionTrace) -> Json {
    let likely = found.attribution.as_ref();
    object([
        ("anchor", instant(found.anchor)),
        ("cases", list(found.cases.iter().map(case))),
        ("idle", list(found.idle.iter().copied().map(interval))),
        ("likely", or_null(likely, |found| text(found.agent))),
    ])
}

fn case(case: &AgentCase) -> Json {
    object([
        ("agent", text(case.agent)),
        ("entries", list(case.entries.iter().copied().map(instant))),
        ("sameFact", or_null(case.same_fact, text)),
        ("scoreBp", points(case.score)),
        ("sessions", list(case.sessions.iter().copied().map(instant))),
        ("signals", list(case.signals.iter().map(text))),
        ("signature", or_null(case.signature.as_deref(), text)),
        (
            "silencedBy",
            list(case.silenced_by.iter().copied().map(interval)),
        ),
    ])
}

fn rule(rule: &RuleTrace) -> Json {
    let (status, at, would_match) = match rule.status {
        RuleStatus::Matched => ("matched", None, None),
        RuleStatus::Failed(at) => ("failed", Some(at), None),
        RuleStatus::NotApplicable(at) => ("notApplicable", Some(at), None),
        RuleStatus::NotReached { would_match } => ("notReached", None, Some(would_match)),
    };
    object([
        ("conditions", list(rule.conditions.iter().map(condition))),
        ("failedCondition", or_null(at, number)),
        ("id", text(&rule.id)),
        ("status", text(status)),
        ("then", text(rule.then)),
        ("wouldMatch", or_null(would_match, Value::Bool)),
    ])
}

fn condition(one: &ConditionTrace) -> Json {
    object([
        ("condition", text(one.condition.key())),
        ("finding", finding(&one.finding)),
        ("holds", or_null(one.holds, Value::Bool)),
        ("wanted", text(one.condition.wanted())),
    ])
}

fn finding(finding: &Finding) -> Json {
    match finding {
        Finding::NotApplicable(why) => object([("notApplicable", text(not_applicable(*why)))]),
        Finding::Coverage { level } => object([("level", text(level.as_str()))]),
        Finding::Type { action, allowed } => {
            object([("allowed", Value::Bool(*allowed)), ("type", text(action))])
        }
        Finding::Counterparty {
            bound,
            claim,
            evidence,
        } => object([
            ("bound", Value::Bool(*bound)),
            ("claimAllowed", or_null(*claim, Value::Bool)),
            ("evidenceAllowed", or_null(*evidence, Value::Bool)),
        ]),
        Finding::Amount(amount) => object([
            ("amountCents", or_null(amount.counted, number)),
            ("ceilingCents", number(amount.ceiling)),
            ("currencyMismatch", or_null(amount.mismatch, text)),
            ("spendCurrency", text(amount.spend_currency)),
        ]),
        Finding::Cumulative {
            prior,
            amount,
            ceiling,
        } => object([
            ("amountCents", number(amount)),
            ("ceilingCents", number(ceiling)),
            ("priorSpendCents", number(prior)),
        ]),
        Finding::Scope { exceeds } => object([("exceeds", Value::Bool(*exceeds))]),
        Finding::Target { missing } => object([("missing", Value::Bool(*missing))]),
        Finding::Identity { underspecified } => {
            object([("underspecified", Value::Bool(*underspecified))])
        }
        Finding::Score { score } => object([("score", or_null(*score, ratio))]),
        Finding::Grace { needed, waiting } => object([
            ("needed", instant(*needed)),
            ("waiting", list(waiting.iter().map(text))),
        ]),
        Finding::Likely { score, threshold } => object([
            ("scoreBp", points(*score)),
            ("thresholdBp", points(*threshold)),
        ]),
    }
}

const fn not_applicable(why: NotApplicable) -> &'static str {
    match why {
        NotApplicable::NoClaim => "noClaim",
        NotApplicable::IsClaim => "isClaim",
        NotApplicable::NoAddress => "noAddress",
        NotApplicable::NoSpendType => "noSpendType",
        NotApplicable::NoCeiling => "noCeiling",
        NotApplicable::NoAmount => "noAmount",
        NotApplicable::OtherCurrency => "otherCurrency",
        NotApplicable::NeverScored => "neverScored",
        NotApplicable::NoScope => "noScope",
        NotApplicable::NoAttribution => "noAttribution",
    }
}
