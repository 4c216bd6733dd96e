//! The conditions of §6.1: each looks at its inputs and says what it found.

use std::cell::OnceCell;

use attest_canon::Id;

use crate::model::{
    ActionType, AgentId, BasisPoints, Cents, Claim, Currency, GradeContext, Grant, Instant, IsoTs,
    Observation, Source,
};
use crate::policy::{Condition, Level, Policy, Rule};
use crate::text::{self, Address, Counterparty};

use super::coverage::{ClaimCoverage, GrantCoverage};
use super::facts::ClaimFacts;
use super::permits::Permits;
use super::ratio::Ratio;

/// What is graded.
#[derive(Clone, Copy, Debug)]
pub enum Subject<'a> {
    /// A claim.
    Claim {
        /// The claim.
        claim: &'a Claim,
        /// What it says.
        facts: &'a ClaimFacts,
    },
    /// An observation nobody claimed.
    Orphan {
        /// The observation.
        orphan: &'a Observation,
    },
    /// A permission an agent was seen to hold.
    Scope {
        /// The agent.
        agent: AgentId,
        /// The scope, as stored.
        scope: &'a str,
    },
}

/// The best candidate of a claim.
#[derive(Clone, Copy, Debug)]
pub struct Best<'a> {
    /// The candidate.
    pub observation: &'a Observation,
    /// Its floor score, by which it was chosen and assigned.
    pub floor: Ratio,
    /// The score the rules read (§5.4).
    pub score: Ratio,
}

/// Everything one grade reads.
#[derive(Debug)]
pub struct GradeInput<'a> {
    /// What is graded.
    pub subject: Subject<'a>,
    /// The grant in force.
    pub grant: &'a Grant,
    /// What it permits.
    pub permits: &'a Permits<'a>,
    /// The policy.
    pub policy: &'a Policy,
    /// What was looked at, under the grant.
    pub coverage: &'a GrantCoverage<'a>,
    /// The batch's instant.
    pub evaluated_at: IsoTs,
    /// Spend, attribution, scope, model scores.
    pub context: &'a GradeContext,
    /// The best candidate, for a claim that is scored.
    pub best: Option<Best<'a>>,
}

impl<'a> GradeInput<'a> {
    /// The evidence: the best candidate when its floor is at least partial.
    #[must_use]
    pub fn assigned(&self) -> Option<&'a Observation> {
        let partial = self.policy.thresholds().partial;
        self.best
            .filter(|best| best.floor.at_least(partial))
            .map(|best| best.observation)
    }
}

/// Why a condition does not apply.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NotApplicable {
    /// It asks about a claim, and there is none.
    NoClaim,
    /// It asks about a claim-less subject, and there is a claim.
    IsClaim,
    /// No address is known to check against the allowlist.
    NoAddress,
    /// Ceilings do not bind the type.
    NoSpendType,
    /// The grant sets no ceiling.
    NoCeiling,
    /// No amount is known.
    NoAmount,
    /// The amount is not counted in the ceiling's currency.
    OtherCurrency,
    /// The claim is never scored against observations (§4.3).
    NeverScored,
    /// The subject is no scope.
    NoScope,
    /// No agent's own signal fired.
    NoAttribution,
}

/// What a condition found. Its value is compared with the one the rule asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Finding {
    /// The condition has no value here; a rule that names it does not match.
    NotApplicable(NotApplicable),
    /// `coverage`
    Coverage {
        /// How much of the window was seen.
        level: Level,
    },
    /// `typeNotInGrant`
    Type {
        /// The claim's type.
        action: ActionType,
        /// It is one the grant allows.
        allowed: bool,
    },
    /// `counterpartyNotAllowed`
    Counterparty {
        /// The allowlist binds the claim: its type is listed and it is not empty.
        bound: bool,
        /// Whether the claim's own address is allowed, when it has one.
        claim: Option<bool>,
        /// Whether the evidence's address is allowed, when there is one.
        evidence: Option<bool>,
    },
    /// `amountAboveCeiling`
    Amount(Amount),
    /// `cumulativeAboveCeiling`
    Cumulative {
        /// Earlier spend that counts, in cents.
        prior: i64,
        /// The claim's amount, in cents.
        amount: Cents,
        /// The ceiling, in cents.
        ceiling: Cents,
    },
    /// `observedScopeExceedsDeclared`
    Scope {
        /// The scope is none of the declared ones.
        exceeds: bool,
    },
    /// `targetMissing`
    Target {
        /// A calendar claim without its event's time.
        missing: bool,
    },
    /// `underspecified`
    Identity {
        /// No identity feature applies.
        underspecified: bool,
    },
    /// `bestScoreGte`, `bestScoreLt`
    Score {
        /// The score the rules read; none without candidates.
        score: Option<Ratio>,
    },
    /// `graceElapsed`
    Grace {
        /// The instant every relevant source must have synced at or after.
        needed: Instant,
        /// The sources that have not.
        waiting: Vec<Source>,
    },
    /// `unaskedLikely`
    Likely {
        /// The likely agent's score.
        score: BasisPoints,
        /// The policy's threshold.
        threshold: BasisPoints,
    },
}

/// What the amounts say (§6.1).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Amount {
    /// The larger of the amounts counted in the ceiling's currency, in cents;
    /// none when no amount is.
    pub counted: Option<Cents>,
    /// The ceiling, in cents.
    pub ceiling: Cents,
    /// The ceiling's currency.
    pub spend_currency: Currency,
    /// A currency that differs: the claim's, else the evidence's.
    pub mismatch: Option<Currency>,
}

impl Amount {
    /// The counted amount is above the ceiling.
    #[must_use]
    pub fn exceeds(&self) -> bool {
        self.counted.is_some_and(|counted| counted > self.ceiling)
    }
}

impl Finding {
    /// Whether a condition with this finding holds; `None` when it does not
    /// apply.
    #[must_use]
    pub fn holds(&self, condition: Condition, policy: &Policy) -> Option<bool> {
        let is = |value: bool, wanted: bool| Some(value == wanted);
        match (condition, self) {
            (Condition::Coverage(wanted), Self::Coverage { level }) => Some(*level == wanted),
            (Condition::TypeNotInGrant(wanted), Self::Type { allowed, .. }) => is(!allowed, wanted),
            (
                Condition::CounterpartyNotAllowed(wanted),
                Self::Counterparty {
                    bound,
                    claim,
                    evidence,
                },
            ) => is(
                *bound && (*claim == Some(false) || *evidence == Some(false)),
                wanted,
            ),
            (Condition::AmountAboveCeiling(wanted), Self::Amount(amount)) => {
                is(amount.exceeds() || amount.mismatch.is_some(), wanted)
            }
            (
                Condition::CumulativeAboveCeiling(wanted),
                Self::Cumulative {
                    prior,
                    amount,
                    ceiling,
                },
            ) => is(prior.saturating_add(amount.get()) > ceiling.get(), wanted),
            (Condition::ObservedScopeExceedsDeclared(wanted), Self::Scope { exceeds }) => {
                is(*exceeds, wanted)
            }
            (Condition::TargetMissing(wanted), Self::Target { missing }) => is(*missing, wanted),
            (Condition::Underspecified(wanted), Self::Identity { underspecified }) => {
                is(*underspecified, wanted)
            }
            (Condition::BestScoreGte(threshold), Self::Score { score }) => {
                Some(score.is_some_and(|score| score.at_least(policy.threshold(threshold))))
            }
            (Condition::BestScoreLt(threshold), Self::Score { score }) => {
                Some(!score.is_some_and(|score| score.at_least(policy.threshold(threshold))))
            }
            (Condition::GraceElapsed(wanted), Self::Grace { waiting, .. }) => {
                is(waiting.is_empty(), wanted)
            }
            (Condition::UnaskedLikely(wanted), Self::Likely { score, threshold }) => {
                is(score >= threshold, wanted)
            }
            _ => None,
        }
    }
}

/// Answers conditions about one subject.
#[derive(Debug)]
pub struct Judge<'a> {
    input: &'a GradeInput<'a>,
    coverage: OnceCell<ClaimCoverage>,
}

impl<'a> Judge<'a> {
    /// A judge of one grade's inputs.
    #[must_use]
    pub fn new(input: &'a GradeInput<'a>) -> Self {
        Self {
            input,
            coverage: OnceCell::new(),
        }
    }

    /// What it judges.
    #[must_use]
    pub const fn input(&self) -> &'a GradeInput<'a> {
        self.input
    }

    /// What was seen of the claim's window; `None` without a claim.
    pub fn coverage(&self) -> Option<&ClaimCoverage> {
        let Subject::Claim { claim, facts } = self.input.subject else {
            return None;
        };
        Some(self.coverage.get_or_init(|| {
            self.input
                .coverage
                .of_claim(facts, claim.action, self.input.policy)
        }))
    }

    /// The first rule that matches, in policy order (§6). `evidence` is the
    /// assigned candidate, or none to ask what the claim alone would give.
    pub fn first_match(&self, evidence: Option<&Observation>) -> Option<&'a Rule> {
        self.input
            .policy
            .rules()
            .iter()
            .find(|rule| self.matches(rule, evidence))
    }

    /// Whether every condition of a rule holds.
    pub fn matches(&self, rule: &Rule, evidence: Option<&Observation>) -> bool {
        rule.when.iter().all(|condition| {
            self.find(*condition, evidence)
                .holds(*condition, self.input.policy)
                == Some(true)
        })
    }

    /// What a condition finds.
    pub fn find(&self, condition: Condition, evidence: Option<&Observation>) -> Finding {
        match self.input.subject {
            Subject::Claim { claim, facts } => self.of_claim(condition, claim, facts, evidence),
            Subject::Orphan { .. } => self.claimless(condition),
            Subject::Scope { .. } => self.claimless(condition),
        }
    }

    /// Without a claim only two conditions have a value (§6.1).
    fn claimless(&self, condition: Condition) -> Finding {
        let context = self.input.context;
        match condition {
            Condition::UnaskedLikely(_) => match &context.attribution {
                Some(attribution) => Finding::Likely {
                    score: attribution.score,
                    threshold: self.input.policy.unasked().threshold,
                },
                None => Finding::NotApplicable(NotApplicable::NoAttribution),
            },
            Condition::ObservedScopeExceedsDeclared(_) => match &context.scope {
                Some(scope) => Finding::Scope {
                    exceeds: self.input.permits.exceeds_declared(scope),
                },
                None => Finding::NotApplicable(NotApplicable::NoScope),
            },
            _ => Finding::NotApplicable(NotApplicable::NoClaim),
        }
    }

    fn of_claim(
        &self,
        condition: Condition,
        claim: &Claim,
        facts: &ClaimFacts,
        evidence: Option<&Observation>,
    ) -> Finding {
        let input = self.input;
        match condition {
            Condition::UnaskedLikely(_) | Condition::ObservedScopeExceedsDeclared(_) => {
                Finding::NotApplicable(NotApplicable::IsClaim)
            }
            Condition::Coverage(_) => Finding::Coverage {
                level: self
                    .coverage()
                    .map_or(Level::None, |coverage| coverage.level),
            },
            Condition::TypeNotInGrant(_) => Finding::Type {
                action: claim.action,
                allowed: input.grant.allowed_types.contains(&claim.action),
            },
            Condition::CounterpartyNotAllowed(_) => self.counterparty(claim, evidence),
            Condition::AmountAboveCeiling(_) => self.amount(claim, evidence),
            Condition::CumulativeAboveCeiling(_) => self.cumulative(claim),
            Condition::TargetMissing(_) => Finding::Target {
                missing: claim.action.is_calendar() && claim.target_at.is_none(),
            },
            Condition::Underspecified(_) => Finding::Identity {
                underspecified: facts.underspecified,
            },
            Condition::BestScoreGte(_) | Condition::BestScoreLt(_) => {
                if facts.assignable {
                    Finding::Score {
                        score: input.best.map(|best| best.score),
                    }
                } else {
                    Finding::NotApplicable(NotApplicable::NeverScored)
                }
            }
            Condition::GraceElapsed(_) => {
                let needed = facts.deadlines.whole_window;
                let sources = input.policy.sources(claim.action);
                Finding::Grace {
                    needed,
                    waiting: input.coverage.waiting_for(sources, needed).collect(),
                }
            }
        }
    }

    fn counterparty(&self, claim: &Claim, evidence: Option<&Observation>) -> Finding {
        let allowlist = &self.input.grant.counterparty_allowlist;
        // With the guard open the condition is false, not without value
        // (readings 4).
        if !self.input.policy.is_allowlist_type(claim.action) || allowlist.is_empty() {
            return Finding::Counterparty {
                bound: false,
                claim: None,
                evidence: None,
            };
        }
        let allowed = |address: Address| self.input.permits.allows(&address);
        let ours = match claim.counterparty.as_deref().map(text::counterparty) {
            Some(Ok(Counterparty::Address(address))) => Some(allowed(address)),
            _ => None,
        };
        let theirs = evidence
            .and_then(|row| row.counterparty.as_deref())
            .and_then(text::email)
            .map(allowed);
        if ours.is_none() && theirs.is_none() {
            return Finding::NotApplicable(NotApplicable::NoAddress);
        }
        Finding::Counterparty {
            bound: true,
            claim: ours,
            evidence: theirs,
        }
    }

    /// The ceiling that binds a claim, and its currency.
    fn ceiling(&self, claim: &Claim) -> Result<(Cents, Currency), NotApplicable> {
        if !self.input.policy.is_spend_type(claim.action) {
            return Err(NotApplicable::NoSpendType);
        }
        let grant = self.input.grant;
        grant
            .spend_ceiling
            .zip(grant.spend_currency)
            .ok_or(NotApplicable::NoCeiling)
    }

    fn amount(&self, claim: &Claim, evidence: Option<&Observation>) -> Finding {
        let (ceiling, spend_currency) = match self.ceiling(claim) {
            Ok(ceiling) => ceiling,
            Err(why) => return Finding::NotApplicable(why),
        };
        let theirs = evidence.and_then(|row| row.amount);
        if claim.amount.is_none() && theirs.is_none() {
            return Finding::NotApplicable(NotApplicable::NoAmount);
        }
        let their_currency = evidence.and_then(|row| row.currency);
        let ours = claim
            .amount
            .filter(|_| counted_in(claim.currency, spend_currency));
        let theirs = theirs.filter(|_| their_currency == Some(spend_currency));
        let differs = |currency: &Currency| *currency != spend_currency;
        Finding::Amount(Amount {
            counted: ours.max(theirs),
            ceiling,
            spend_currency,
            mismatch: claim
                .currency
                .filter(differs)
                .or(their_currency.filter(differs)),
        })
    }

    fn cumulative(&self, claim: &Claim) -> Finding {
        let (ceiling, spend_currency) = match self.ceiling(claim) {
            Ok(ceiling) => ceiling,
            Err(why) => return Finding::NotApplicable(why),
        };
        let Some(amount) = claim.amount else {
            return Finding::NotApplicable(NotApplicable::NoAmount);
        };
        if !counted_in(claim.currency, spend_currency) {
            return Finding::NotApplicable(NotApplicable::OtherCurrency);
        }
        Finding::Cumulative {
            prior: self.input.context.prior_spend_cents,
            amount,
            ceiling,
        }
    }
}

/// A missing currency reads as the ceiling's.
fn counted_in(currency: Option<Currency>, spend_currency: Currency) -> bool {
    currency.is_none_or(|currency| currency == spend_currency)
}

/// The id of the best candidate.
impl Best<'_> {
    /// The candidate's id.
    #[must_use]
    pub const fn id(&self) -> Id {
        self.observation.id
    }
}
