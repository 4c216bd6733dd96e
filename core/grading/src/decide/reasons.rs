//! Which reasons a receipt carries, and in which order (§6.4, §15).

use attest_canon::sha256;

use crate::model::reason::Params;
use crate::model::{Feature, Outcome, Reason, ReasonCode};
use crate::policy::{Condition, Level, Rule};

use super::conditions::{Finding, Judge, NotApplicable, Subject};
use super::features::AddressMatch;

/// The reasons of a grade: the rule's own, then `allowlist.unchecked`, then
/// coverage, then match and counterparty, each group in §15's order.
/// `address` is how the best candidate's address compares with the claim's.
#[must_use]
pub(crate) fn reasons(
    judge: &Judge<'_>,
    outcome: Outcome,
    rule: Option<&Rule>,
    is_final: bool,
    address: Option<AddressMatch>,
) -> Vec<Reason> {
    let mut own = rule
        .map(|rule| own_reasons(judge, outcome, rule, is_final))
        .unwrap_or_default();
    sort(&mut own);
    let Subject::Claim { .. } = judge.input().subject else {
        return own;
    };
    own.extend(unchecked(judge, outcome));
    let mut coverage = coverage_reasons(judge, outcome, rule);
    sort(&mut coverage);
    own.append(&mut coverage);
    own.append(&mut match_reasons(judge, address));
    own
}

/// In table order; equal codes keep the policy's source order.
fn sort(reasons: &mut [Reason]) {
    reasons.sort_by_key(Reason::code);
}

fn plain(code: ReasonCode) -> Option<Reason> {
    Reason::new(code, Params::None)
}

/// The codes of the conditions the rule names that held.
fn own_reasons(judge: &Judge<'_>, outcome: Outcome, rule: &Rule, is_final: bool) -> Vec<Reason> {
    let input = judge.input();
    let mut reasons = Vec::new();
    for condition in &rule.when {
        let finding = judge.find(*condition, input.assigned());
        match (condition, finding) {
            (Condition::Coverage(level), _) => reasons.extend(level_reasons(judge, *level)),
            (Condition::TypeNotInGrant(true), Finding::Type { action, .. }) => {
                reasons.extend(Reason::new(
                    ReasonCode::ScopeTypeNotAllowed,
                    Params::Type { action },
                ));
            }
            (Condition::CounterpartyNotAllowed(true), _) => {
                reasons.extend(plain(ReasonCode::ScopeCounterpartyNotAllowed));
            }
            (Condition::AmountAboveCeiling(true), Finding::Amount(amount)) => {
                // A currency that differs speaks for itself; the ceiling is
                // named beside it only when it is also exceeded (§6.1).
                if let Some(counted) = amount.counted.filter(|_| amount.exceeds()) {
                    let params = Params::Ceiling {
                        amount_cents: counted.get(),
                        ceiling_cents: amount.ceiling.get(),
                    };
                    reasons.extend(Reason::new(ReasonCode::CeilingExceeded, params));
                }
                if let Some(currency) = amount.mismatch {
                    let params = Params::Currencies {
                        currency,
                        spend_currency: amount.spend_currency,
                    };
                    reasons.extend(Reason::new(ReasonCode::CeilingCurrencyMismatch, params));
                }
            }
            (
                Condition::CumulativeAboveCeiling(true),
                Finding::Cumulative {
                    prior,
                    amount,
                    ceiling,
                },
            ) => {
                let params = Params::Cumulative {
                    prior_spend_cents: prior,
                    amount_cents: amount.get(),
                    ceiling_cents: ceiling.get(),
                };
                reasons.extend(Reason::new(ReasonCode::CeilingCumulativeExceeded, params));
            }
            (Condition::ObservedScopeExceedsDeclared(true), _) => {
                if let Some(scope) = &input.context.scope {
                    let scope_hash = sha256(scope.as_bytes());
                    reasons.extend(Reason::new(
                        ReasonCode::ScopeObservedNotDeclared,
                        Params::Scope { scope_hash },
                    ));
                }
            }
            (Condition::TargetMissing(true), _) => reasons.extend(plain(ReasonCode::ClaimNoTarget)),
            (Condition::Underspecified(true), _) => {
                reasons.extend(plain(ReasonCode::ClaimTooVague))
            }
            (Condition::GraceElapsed(false), Finding::Grace { waiting, .. }) if !is_final => {
                let wait =
                    |source| Reason::new(ReasonCode::GraceWaiting, Params::Source { source });
                reasons.extend(waiting.into_iter().filter_map(wait));
            }
            (Condition::UnaskedLikely(true), _) => {
                if let Some(attribution) = &input.context.attribution {
                    let agent = attribution.agent;
                    let fired = |code| Reason::new(code, Params::Agent { agent });
                    reasons.extend(
                        attribution
                            .signals
                            .iter()
                            .filter_map(|signal| fired(signal.reason())),
                    );
                }
            }
            _ => {}
        }
    }
    // The wait ended without an answer: its own code, in place of waiting.
    if outcome == Outcome::Pending && is_final {
        reasons.extend(plain(ReasonCode::CoverageNeverCompleted));
    }
    reasons
}

/// `coverage.none` or `coverage.partial`: once per source that is at fault
/// (readings 10, 50); without params for a type with no sources.
fn level_reasons(judge: &Judge<'_>, level: Level) -> Vec<Reason> {
    let code = match level {
        Level::None => ReasonCode::CoverageNone,
        Level::Partial => ReasonCode::CoveragePartial,
        Level::Full => return Vec::new(),
    };
    let Some(coverage) = judge.coverage() else {
        return Vec::new();
    };
    if coverage.sources.is_empty() {
        return plain(code).into_iter().collect();
    }
    let at_fault = coverage
        .sources
        .iter()
        .filter(|seen| seen.level != Level::Full);
    at_fault
        .filter_map(|seen| {
            Reason::new(
                code,
                Params::Source {
                    source: seen.source,
                },
            )
        })
        .collect()
}

/// Said whenever the allowlist could not be checked and the outcome is not
/// OVER_SCOPE, whether or not a rule names it (readings 51).
fn unchecked(judge: &Judge<'_>, outcome: Outcome) -> Option<Reason> {
    let finding = judge.find(
        Condition::CounterpartyNotAllowed(true),
        judge.input().assigned(),
    );
    let not_applicable = finding == Finding::NotApplicable(NotApplicable::NoAddress);
    plain(ReasonCode::AllowlistUnchecked)
        .filter(|_| not_applicable && outcome != Outcome::OverScope)
}

/// Caps beside a `coverage: partial` that held; unbound accounts on NOT_FOUND.
fn coverage_reasons(judge: &Judge<'_>, outcome: Outcome, rule: Option<&Rule>) -> Vec<Reason> {
    let input = judge.input();
    let mut reasons = Vec::new();
    let names_partial =
        rule.is_some_and(|rule| rule.when.contains(&Condition::Coverage(Level::Partial)));
    for seen in judge
        .coverage()
        .map(|coverage| coverage.sources.as_slice())
        .unwrap_or_default()
    {
        let source = seen.source;
        let of_source = |code| Reason::new(code, Params::Source { source });
        if names_partial {
            reasons.extend(seen.caps.iter().filter_map(|cap| of_source(cap.reason())));
            if seen.account_partial {
                reasons.extend(of_source(ReasonCode::CoverageAccountPartial));
            }
        }
        if outcome == Outcome::NotFound && input.grant.bound_accounts(source).is_none() {
            reasons.extend(of_source(ReasonCode::CoverageAccountUnbound));
        }
    }
    reasons
}

/// `match.best` or `match.none`, and the best candidate's `cp.*`.
fn match_reasons(judge: &Judge<'_>, address: Option<AddressMatch>) -> Vec<Reason> {
    let input = judge.input();
    let Some(best) = input.best else {
        return plain(ReasonCode::MatchNone).into_iter().collect();
    };
    let observation = Params::Observation {
        observation_id: best.id(),
    };
    let compares = match input.subject {
        Subject::Claim { claim, .. } => input
            .policy
            .features(claim.action)
            .contains(&Feature::CounterpartyExact),
        _ => false,
    };
    let cp = address
        .filter(|_| compares)
        .and_then(AddressMatch::reason)
        .and_then(plain);
    Reason::new(ReasonCode::MatchBest, observation)
        .into_iter()
        .chain(cp)
        .collect()
}
