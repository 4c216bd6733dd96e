//! Conditions, the rule that matches, reasons and finality of one subject (§6, §8).

use attest_grading::model::reason::Params;
use attest_grading::model::{
    Claim, Coverage, Feature, Grade, GradeContext, Grant, IsoTs, Observation, Outcome, Reason,
    ReasonCode, UnaskedSignal,
};
use attest_grading::policy::{Condition, Level, Policy, Rule};
use attest_grading::text::{ascii_lower, email};

use super::attribute;
use super::pair::{self, Scored};
use super::rational::Rational;
use super::sight::{self, SourceSight};
use super::time;

pub struct Best<'a> {
    pub row: &'a Observation,
    pub scored: Scored,
    /// After the model's raise (§5.4).
    pub raised: Rational,
}

/// What a claim's conditions read.
pub struct ClaimView<'a> {
    pub claim: &'a Claim,
    pub grant: &'a Grant,
    pub policy: &'a Policy,
    pub context: &'a GradeContext,
    pub sights: Vec<SourceSight>,
    pub best: Option<Best<'a>>,
    pub assigned: Option<&'a Observation>,
}

/// What a claim-less grade reads.
pub struct ClaimlessView<'a> {
    pub grant: &'a Grant,
    pub policy: &'a Policy,
    pub context: &'a GradeContext,
    pub orphan: Option<&'a Observation>,
}

/// The spend conditions' findings.
struct Spend {
    exceeded: Option<i64>,
    mismatch: bool,
}

impl<'a> ClaimView<'a> {
    /// True, false, or not applicable.
    fn holds(&self, condition: Condition, assigned: Option<&Observation>) -> Option<bool> {
        let asked = |value: Option<bool>, wanted: bool| value.map(|value| value == wanted);
        match condition {
            Condition::Coverage(level) => Some(sight::level(&self.sights) == level),
            Condition::TypeNotInGrant(wanted) => {
                let allowed = self.grant.allowed_types.contains(&self.claim.action);
                Some(allowed != wanted)
            }
            Condition::CounterpartyNotAllowed(wanted) => {
                asked(self.counterparty_not_allowed(assigned), wanted)
            }
            Condition::AmountAboveCeiling(wanted) => {
                let spend = self.spend(assigned);
                asked(
                    spend.map(|spend| spend.exceeded.is_some() || spend.mismatch),
                    wanted,
                )
            }
            Condition::CumulativeAboveCeiling(wanted) => asked(self.cumulative(), wanted),
            Condition::ObservedScopeExceedsDeclared(_) | Condition::UnaskedLikely(_) => None,
            Condition::TargetMissing(wanted) => {
                let missing = self.claim.action.is_calendar() && self.claim.target_at.is_none();
                Some(missing == wanted)
            }
            Condition::Underspecified(wanted) => {
                Some(pair::is_underspecified(self.claim, self.policy) == wanted)
            }
            Condition::BestScoreGte(threshold) => self.score_reaches(threshold),
            Condition::BestScoreLt(threshold) => {
                self.score_reaches(threshold).map(|reaches| !reaches)
            }
            Condition::GraceElapsed(wanted) => {
                Some(self.sights.iter().all(|sight| sight.grace) == wanted)
            }
        }
    }

    fn score_reaches(&self, threshold: attest_grading::policy::Threshold) -> Option<bool> {
        if !pair::is_assignable(self.claim, self.policy) {
            return None;
        }
        let threshold = self.policy.threshold(threshold);
        Some(
            self.best
                .as_ref()
                .is_some_and(|best| best.raised.at_least(threshold)),
        )
    }

    fn counterparty_not_allowed(&self, assigned: Option<&Observation>) -> Option<bool> {
        let list = &self.grant.counterparty_allowlist;
        if !self.policy.is_allowlist_type(self.claim.action) || list.is_empty() {
            return Some(false);
        }
        let known: Vec<_> = pair::claim_address(self.claim)
            .into_iter()
            .chain(assigned.and_then(pair::row_address))
            .collect();
        if known.is_empty() {
            return None;
        }
        let allowed = |address: &attest_grading::text::Address| {
            let domain = address.as_str().rsplit_once('@').unwrap().1;
            let domain = ascii_lower(domain);
            !pair::is_confusable(address)
                && list.iter().any(|entry| {
                    if entry.contains('@') {
                        email(entry).is_some_and(|entry| entry.as_str() == address.as_str())
                    } else {
                        let entry = ascii_lower(entry);
                        domain == entry || domain.ends_with(&format!(".{entry}"))
                    }
                })
        };
        Some(!known.iter().all(allowed))
    }

    /// The Amount and what it breaks; none where the guard does not hold.
    fn spend(&self, assigned: Option<&Observation>) -> Option<Spend> {
        let claim = self.claim;
        let ceiling = self.grant.spend_ceiling?.get();
        let currency = self.grant.spend_currency?;
        let seen = assigned.and_then(|row| row.amount);
        if !self.policy.is_spend_type(claim.action) || (claim.amount.is_none() && seen.is_none()) {
            return None;
        }
        let ours = claim.currency.is_none_or(|own| own == currency);
        let theirs = assigned.and_then(|row| row.currency);
        let claimed = claim.amount.filter(|_| ours);
        let received = seen.filter(|_| theirs == Some(currency));
        let amount = claimed
            .into_iter()
            .chain(received)
            .map(|cents| cents.get())
            .max();
        Some(Spend {
            exceeded: amount.filter(|amount| *amount > ceiling),
            mismatch: !ours || theirs.is_some_and(|theirs| theirs != currency),
        })
    }

    fn cumulative(&self) -> Option<bool> {
        let ceiling = self.grant.spend_ceiling?.get();
        let amount = self.claim.amount?.get();
        let counted =
            self.claim.currency.is_none() || self.claim.currency == self.grant.spend_currency;
        if !self.policy.is_spend_type(self.claim.action) || !counted {
            return None;
        }
        Some(i128::from(self.context.prior_spend_cents) + i128::from(amount) > i128::from(ceiling))
    }

    fn rule(&self, assigned: Option<&Observation>) -> Option<&'a Rule> {
        self.policy.rules().iter().find(|rule| {
            rule.when
                .iter()
                .all(|condition| self.holds(*condition, assigned) == Some(true))
        })
    }

    pub fn matched(&self) -> Option<&'a Rule> {
        self.rule(self.assigned)
    }

    /// Whether an OVER_SCOPE outcome is one only because of the evidence.
    fn rests_on_evidence(&self) -> bool {
        let alone = self.rule(None).map(|rule| rule.then);
        self.assigned.is_some() && alone != Some(Outcome::OverScope)
    }

    /// Whether the outcome is final, and else from when it can be.
    pub fn finality(&self, rule: Option<&Rule>, evaluated: i64) -> Result<(), i64> {
        let outcome = rule.map_or(Outcome::Unverifiable, |rule| rule.then);
        let grace = || {
            let elapsed = self.sights.iter().all(|sight| sight.grace);
            if elapsed {
                Ok(())
            } else {
                Err(time::grace_from(self.claim, self.policy))
            }
        };
        let deadline = time::unit(self.claim).1 + self.policy.windows().finalize_unverifiable_ms;
        match outcome {
            Outcome::Verified => {
                if self.sights.iter().all(|sight| sight.verified) {
                    Ok(())
                } else {
                    Err(time::verified_from(self.claim, self.policy))
                }
            }
            Outcome::Partial | Outcome::NotFound => grace(),
            Outcome::OverScope => {
                if self.rests_on_evidence() {
                    grace()
                } else {
                    Ok(())
                }
            }
            Outcome::Unasked => unreachable!("a claim is never UNASKED"),
            Outcome::Pending => {
                if evaluated >= deadline {
                    Ok(())
                } else {
                    Err(time::grace_from(self.claim, self.policy))
                }
            }
            Outcome::Unverifiable => {
                let intrinsic = rule.is_some_and(|rule| {
                    rule.when.contains(&Condition::TargetMissing(true))
                        || rule.when.contains(&Condition::Underspecified(true))
                });
                let sourceless = self.policy.sources(self.claim.action).is_empty();
                if intrinsic || sourceless || evaluated >= deadline {
                    Ok(())
                } else {
                    Err(deadline)
                }
            }
        }
    }

    /// The reasons, in §15's order.
    pub fn reasons(&self, rule: Option<&Rule>, is_final: bool) -> Vec<Reason> {
        let outcome = rule.map_or(Outcome::Unverifiable, |rule| rule.then);
        let when: &[Condition] = rule.map_or(&[], |rule| &rule.when);
        let mut own = Vec::new();
        let mut coverage = Vec::new();
        for condition in when {
            self.own_reasons(*condition, is_final, &mut own);
            if *condition == Condition::Coverage(Level::Partial) {
                for sight in &self.sights {
                    for cap in &sight.caps {
                        coverage.push(of_source(*cap, sight));
                    }
                }
            }
        }
        if outcome == Outcome::Pending && is_final {
            own.push(plain(ReasonCode::CoverageNeverCompleted));
        }
        if outcome == Outcome::NotFound {
            for sight in &self.sights {
                if self
                    .grant
                    .accounts
                    .as_ref()
                    .is_none_or(|all| !all.contains_key(&sight.source))
                {
                    coverage.push(of_source(ReasonCode::CoverageAccountUnbound, sight));
                }
            }
        }
        let mut unchecked = Vec::new();
        if self.counterparty_not_allowed(self.assigned).is_none() && outcome != Outcome::OverScope {
            unchecked.push(plain(ReasonCode::AllowlistUnchecked));
        }
        let mut matching = Vec::new();
        match &self.best {
            None => matching.push(plain(ReasonCode::MatchNone)),
            Some(best) => {
                let observation_id = best.row.id;
                matching.push(reason(
                    ReasonCode::MatchBest,
                    Params::Observation { observation_id },
                ));
                matching.extend(best.scored.address_reason.map(plain));
            }
        }
        // Each group in table order; within one code, the policy's source order.
        [own, unchecked, coverage, matching]
            .into_iter()
            .flat_map(|mut group| {
                group.sort_by_key(|reason| reason.code());
                group
            })
            .collect()
    }

    fn own_reasons(&self, condition: Condition, is_final: bool, own: &mut Vec<Reason>) {
        match condition {
            Condition::Coverage(Level::None) => {
                if self.sights.is_empty() {
                    own.push(plain(ReasonCode::CoverageNone));
                }
                own.extend(
                    self.sights
                        .iter()
                        .map(|sight| of_source(ReasonCode::CoverageNone, sight)),
                );
            }
            Condition::Coverage(Level::Partial) => {
                // Each source that is not full (readings 50).
                own.extend(
                    self.sights
                        .iter()
                        .filter(|sight| sight.level != Level::Full)
                        .map(|sight| of_source(ReasonCode::CoveragePartial, sight)),
                );
            }
            Condition::TypeNotInGrant(true) => own.push(reason(
                ReasonCode::ScopeTypeNotAllowed,
                Params::Type {
                    action: self.claim.action,
                },
            )),
            Condition::CounterpartyNotAllowed(true) => {
                own.push(plain(ReasonCode::ScopeCounterpartyNotAllowed));
            }
            Condition::AmountAboveCeiling(true) => {
                let spend = self.spend(self.assigned).unwrap();
                let spend_currency = self.grant.spend_currency.unwrap();
                if let Some(amount_cents) = spend.exceeded {
                    own.push(reason(
                        ReasonCode::CeilingExceeded,
                        Params::Ceiling {
                            amount_cents,
                            ceiling_cents: self.grant.spend_ceiling.unwrap().get(),
                        },
                    ));
                }
                if spend.mismatch {
                    let claimed = self.claim.currency.filter(|own| *own != spend_currency);
                    let currency = claimed
                        .or(self.assigned.and_then(|row| row.currency))
                        .unwrap();
                    own.push(reason(
                        ReasonCode::CeilingCurrencyMismatch,
                        Params::Currencies {
                            currency,
                            spend_currency,
                        },
                    ));
                }
            }
            Condition::CumulativeAboveCeiling(true) => own.push(reason(
                ReasonCode::CeilingCumulativeExceeded,
                Params::Cumulative {
                    prior_spend_cents: self.context.prior_spend_cents,
                    amount_cents: self.claim.amount.unwrap().get(),
                    ceiling_cents: self.grant.spend_ceiling.unwrap().get(),
                },
            )),
            Condition::TargetMissing(true) => own.push(plain(ReasonCode::ClaimNoTarget)),
            Condition::Underspecified(true) => own.push(plain(ReasonCode::ClaimTooVague)),
            Condition::GraceElapsed(false) if !is_final => own.extend(
                self.sights
                    .iter()
                    .filter(|sight| !sight.grace)
                    .map(|sight| of_source(ReasonCode::GraceWaiting, sight)),
            ),
            _ => {}
        }
    }

    pub fn confidence(&self, grade: Grade) -> Rational {
        match (grade, &self.best) {
            (Grade::Verified | Grade::Partial, Some(best)) => best.raised.clone(),
            (Grade::NotFound | Grade::OverScope, _) => Rational::one(),
            _ => Rational::zero(),
        }
    }
}

/// The floor's best candidate with its score raised as §5.4 allows.
pub fn raise<'a>(
    row: &'a Observation,
    scored: Scored,
    context: &GradeContext,
    policy: &Policy,
) -> Best<'a> {
    let model = model_score(row, context);
    let mut raised = scored.score.clone();
    if let Some(model) = model
        && scored.score.at_least(policy.thresholds().partial)
    {
        let lambda = Rational::of(policy.weight(Feature::ModelScore));
        let kept = Rational::one().minus(&lambda).times(&scored.score);
        let mixed = kept.plus(&lambda.times(&model));
        raised = raised.max(mixed);
    }
    Best {
        row,
        scored,
        raised,
    }
}

pub fn model_score(row: &Observation, context: &GradeContext) -> Option<Rational> {
    let scores = context.model_scores.as_ref()?;
    let score = scores.iter().find(|score| score.observation_id == row.id)?;
    Some(Rational::of(score.score))
}

impl<'a> ClaimlessView<'a> {
    fn holds(&self, condition: Condition) -> Option<bool> {
        match condition {
            Condition::UnaskedLikely(wanted) => {
                let attribution = self.context.attribution.as_ref()?;
                let likely = attribution.score >= self.policy.unasked().threshold;
                Some(likely == wanted)
            }
            Condition::ObservedScopeExceedsDeclared(wanted) => {
                let scope = self.context.scope.as_ref()?;
                let declared = self.grant.declared_scopes.contains(scope);
                Some(declared != wanted)
            }
            _ => None,
        }
    }

    pub fn matched(&self) -> Option<&'a Rule> {
        self.policy.rules().iter().find(|rule| {
            rule.when
                .iter()
                .all(|condition| self.holds(*condition) == Some(true))
        })
    }

    /// Whether an UNASKED outcome is final, and else from when it can be (§7).
    pub fn unasked_finality(&self, coverage: &Coverage) -> Result<(), i64> {
        let windows = self.policy.windows();
        let anchor = attribute::anchor(self.orphan.unwrap());
        let synced_from = anchor + windows.before_claim_ms + windows.grace_ms;
        let deadline = anchor + windows.finalize_unverifiable_ms;
        let synced: Option<IsoTs> = self
            .context
            .attribution
            .as_ref()
            .and_then(|who| who.adapter_last_sync_at);
        let done = synced.is_some_and(|at| time::ms(at) >= synced_from)
            || time::ms(coverage.evaluated_at) >= deadline;
        if done {
            Ok(())
        } else {
            Err(synced_from.min(deadline))
        }
    }

    pub fn unasked_reasons(&self) -> Vec<Reason> {
        let attribution = self.context.attribution.as_ref().unwrap();
        let agent = attribution.agent;
        [
            (
                UnaskedSignal::AgentSessionActive,
                ReasonCode::UnaskedSession,
            ),
            (UnaskedSignal::UserIdle, ReasonCode::UnaskedIdle),
            (UnaskedSignal::AgentSignature, ReasonCode::UnaskedSignature),
            (
                UnaskedSignal::ActivityLogAdjacent,
                ReasonCode::UnaskedAdjacent,
            ),
        ]
        .into_iter()
        .filter(|(signal, _)| attribution.signals.contains(signal))
        .map(|(_, code)| reason(code, Params::Agent { agent }))
        .collect()
    }
}

pub fn reason(code: ReasonCode, params: Params) -> Reason {
    Reason::new(code, params).unwrap()
}

fn plain(code: ReasonCode) -> Reason {
    reason(code, Params::None)
}

fn of_source(code: ReasonCode, sight: &SourceSight) -> Reason {
    reason(
        code,
        Params::Source {
            source: sight.source,
        },
    )
}
