//! Everything one grade looked at (§4–§8), made by the code that grades. The
//! receipt is a projection of it; every view reads it and computes nothing.
//!
//! A trace is made when asked for, one receipt at a time: it lists every
//! candidate and every coverage entry, which a whole batch could not hold.

use attest_canon::{Digest, Id};

use crate::model::{
    AgentId, BasisPoints, Cents, Claim, Currency, Feature, GradeContext, Grant, Instant, Interval,
    IsoTs, Observation, ObserverCoverage, Outcome, Receipt, Repair, Source,
};
use crate::policy::{Condition, Level, Policy, Threshold, Windows};
use crate::text;

use super::assign::Holder;
use super::attribution::AttributionTrace;
use super::batch::Batch;
use super::conditions::{Finding, Judge};
use super::coverage::{Cap, Ineligible, first_gap};
use super::error::GradingError;
use super::facts::ClaimFacts;
use super::features::{AddressMatch, PairScore, Value, address_match, value};
use super::finality::Finality;
use super::grade::{decide, receipt};
use super::orphans::{NoOrphan, OrphanRule};
use super::raise::Raise;
use super::ratio::Ratio;
use super::scene::{Prepared, Scene};
use super::window::Deadlines;

/// Everything one grade looked at, and the receipt that follows.
#[derive(Clone, PartialEq, Debug)]
pub struct Trace {
    /// The receipt, as this grading makes it.
    pub receipt: Receipt,
    /// What was graded.
    pub subject: TraceSubject,
    /// The batch's instant.
    pub evaluated_at: IsoTs,
    /// The grant in force.
    pub grant: Grant,
    /// The context.
    pub context: GradeContext,
    /// The clock repairs the coverage carries.
    pub repairs: Vec<Repair>,
    /// Every rule, in policy order.
    pub rules: Vec<RuleTrace>,
    /// The place of the rule that matched; none for the terminal rule.
    pub matched: Option<usize>,
    /// What it concludes.
    pub outcome: Outcome,
    /// Whether yet.
    pub finality: Finality,
    /// The policy's numbers that the arithmetic reads.
    pub numbers: Numbers,
    /// The hashes that bind it.
    pub hashes: Hashes,
}

/// What was graded.
#[derive(Clone, PartialEq, Debug)]
pub enum TraceSubject {
    /// A claim.
    Claim(Box<ClaimTrace>),
    /// An observation nobody claimed.
    Orphan(Box<OrphanTrace>),
    /// A permission an agent was seen to hold.
    Scope {
        /// The agent.
        agent: AgentId,
        /// The scope.
        scope: Box<str>,
    },
}

/// Policy numbers beside a trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Numbers {
    /// `thresholds.verified`
    pub verified: BasisPoints,
    /// `thresholds.partial`
    pub partial: BasisPoints,
    /// `unasked.threshold`
    pub unasked: BasisPoints,
    /// λ, the weight of the model's score.
    pub lambda: BasisPoints,
    /// The windows.
    pub windows: Windows,
    /// Reach of a session ping, in milliseconds.
    pub session_ms: i64,
    /// How long the person must have been away, in milliseconds.
    pub idle_ms: i64,
    /// Reach of a log entry, in milliseconds.
    pub adjacent_ms: i64,
}

/// The hashes that bind a grade.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hashes {
    /// Of the candidates handed to the grade.
    pub candidates: Digest,
    /// Of the grant.
    pub grant: Digest,
    /// Of the coverage.
    pub coverage: Digest,
    /// Of the policy.
    pub policy: Digest,
    /// Of everything together.
    pub inputs: Digest,
}

/// A claim, as it was graded.
#[derive(Clone, PartialEq, Debug)]
pub struct ClaimTrace {
    /// The claim.
    pub claim: Claim,
    /// Its precision unit.
    pub unit: Interval,
    /// Its window; none for a calendar claim without a target.
    pub window: Option<Interval>,
    /// The instants it waits for.
    pub deadlines: Deadlines,
    /// No identity feature applies.
    pub underspecified: bool,
    /// It is scored against observations.
    pub assignable: bool,
    /// The features that apply, with their weights, in policy order.
    pub applicable: Vec<(Feature, BasisPoints)>,
    /// The features the type lists that do not apply to this claim.
    pub not_applicable: Vec<Feature>,
    /// D: the sum of the applicable weights.
    pub total_weight: u32,
    /// Every row in the window, the best first, then those others hold.
    pub candidates: Vec<CandidateTrace>,
    /// The best candidate's place in `candidates`.
    pub best: Option<usize>,
    /// What the model's score did to the best candidate's.
    pub raise: Option<Raise>,
    /// The smallest single change that crosses the next threshold.
    pub counterfactual: Option<Counterfactual>,
    /// How much of the window was seen.
    pub level: Level,
    /// Source by source.
    pub sources: Vec<SourceTrace>,
    /// Every coverage entry of the batch.
    pub entries: Vec<EntryTrace>,
}

/// One row of the window.
#[derive(Clone, PartialEq, Debug)]
pub struct CandidateTrace {
    /// The row.
    pub observation: Observation,
    /// Feature by feature, in policy order; empty for a claim never scored.
    pub features: Vec<FeatureTrace>,
    /// The mean and the score; none for a claim never scored.
    pub score: Option<PairScore>,
    /// Who holds it.
    pub fate: Fate,
}

/// Who holds a candidate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// This claim.
    Assigned,
    /// Nobody.
    Open,
    /// Another claim of the batch, at this score.
    Other {
        /// The claim.
        claim: Id,
        /// Its score with the row.
        score: Ratio,
    },
    /// A claim graded before.
    Fixed(Id),
    /// An overridden UNASKED receipt.
    Taken,
}

/// One feature of one pair.
#[derive(Clone, PartialEq, Debug)]
pub struct FeatureTrace {
    /// The feature.
    pub feature: Feature,
    /// Its weight.
    pub weight: BasisPoints,
    /// Its value.
    pub value: Value,
    /// Weight times value: what it adds to N.
    pub adds: Ratio,
    /// Why it has that value.
    pub because: Because,
}

/// Why a feature has its value.
#[derive(Clone, PartialEq, Debug)]
pub enum Because {
    /// `timeProximity`
    Time {
        /// How far off, in milliseconds; 0 inside the unit.
        distance_ms: i64,
        /// The row is earlier than what it is measured to.
        earlier: bool,
        /// Up to here the value is 1.
        tolerance_ms: i64,
        /// Here it is 0.
        edge_ms: i64,
    },
    /// `counterpartyExact`, `counterpartyDomain`
    Address {
        /// How the addresses compare.
        found: AddressMatch,
        /// The domain is one many people share.
        common_domain: bool,
    },
    /// `counterpartyName`, `subjectOverlap`, `merchantMatch`: the claim's words
    /// and the row's.
    Words {
        /// The claim's.
        claim: Vec<Box<str>>,
        /// The row's.
        row: Vec<Box<str>>,
        /// The whole texts are equal, whatever their words.
        equal: bool,
    },
    /// `amountExact`
    Amount {
        /// The claim's amount and currency.
        claim: (Option<Cents>, Option<Currency>),
        /// The row's.
        row: (Option<Cents>, Option<Currency>),
    },
}

/// The smallest single change of a feature that would cross a threshold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Counterfactual {
    /// The threshold crossed.
    pub threshold: Threshold,
    /// The feature that would have to change.
    pub feature: Feature,
    /// Its value now.
    pub from: Ratio,
    /// The least value that crosses.
    pub needed: Ratio,
}

/// One relevant source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceTrace {
    /// The source.
    pub source: Source,
    /// How much of the window it saw.
    pub level: Level,
    /// Only several bound accounts' views together hold the window.
    pub account_partial: bool,
    /// The caps worth naming.
    pub caps: Vec<Cap>,
    /// The first stretch of the window no uncapped view saw.
    pub gap: Option<Interval>,
    /// Its latest eligible sync.
    pub last_sync: Option<Instant>,
}

/// One coverage entry, judged for the claim.
#[derive(Clone, PartialEq, Debug)]
pub struct EntryTrace {
    /// The entry.
    pub entry: ObserverCoverage,
    /// Why it is not eligible, or its caps.
    pub verdict: Result<Vec<Cap>, Ineligible>,
    /// It shares an instant with the claim's window.
    pub overlaps: bool,
    /// It contains the whole window.
    pub contains: bool,
}

/// An orphan, as it was graded.
#[derive(Clone, PartialEq, Debug)]
pub struct OrphanTrace {
    /// The observation.
    pub observation: Observation,
    /// Whether it is an orphan, or why not.
    pub orphan: Result<(), NoOrphan>,
    /// What spoke for whom; none for a stored receipt, whose batch keeps the
    /// attribution but not the activity it was made from.
    pub attribution: Option<AttributionTrace>,
}

/// One rule.
#[derive(Clone, PartialEq, Debug)]
pub struct RuleTrace {
    /// Its id.
    pub id: Box<str>,
    /// What it concludes.
    pub then: Outcome,
    /// Its conditions, each with what was found.
    pub conditions: Vec<ConditionTrace>,
    /// What became of it.
    pub status: RuleStatus,
}

/// What became of a rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RuleStatus {
    /// The first whose conditions all hold.
    Matched,
    /// This condition, the first to, did not hold.
    Failed(usize),
    /// This condition, the first to fail, does not apply.
    NotApplicable(usize),
    /// An earlier rule matched.
    NotReached {
        /// It would have matched.
        would_match: bool,
    },
}

/// One condition of one rule.
#[derive(Clone, PartialEq, Debug)]
pub struct ConditionTrace {
    /// The condition, with the value asked for.
    pub condition: Condition,
    /// What was found.
    pub finding: Finding,
    /// Whether it holds; none when it does not apply.
    pub holds: Option<bool>,
}

impl Batch<'_> {
    /// The trace of a claim of this batch; `None` for any other claim.
    ///
    /// # Errors
    ///
    /// None once the batch is prepared.
    pub fn trace_claim(&self, id: Id) -> Result<Option<Trace>, GradingError> {
        let Some(held) = self.claims.iter().find(|held| held.claim.id == id) else {
            return Ok(None);
        };
        let prepared = self.prepare_claim(held)?;
        let subject = TraceSubject::Claim(Box::new(self.scene().claim_trace(
            held.claim,
            &held.facts,
            &prepared,
        )));
        Ok(Some(self.scene().trace(&prepared, subject)))
    }

    /// The trace of an observation of this batch as an orphan; `None` when it
    /// is not there or no agent's own signal fired.
    ///
    /// # Errors
    ///
    /// `missing_grant` for the agent of its attribution.
    pub fn trace_orphan(&self, id: Id) -> Result<Option<Trace>, GradingError> {
        let Some(row) = self.corpus.find(id).and_then(|ix| self.corpus.row(ix)) else {
            return Ok(None);
        };
        let Some(prepared) = self.prepare_orphan(row.observation)? else {
            return Ok(None);
        };
        let subject = TraceSubject::Orphan(Box::new(OrphanTrace {
            observation: row.observation.clone(),
            orphan: OrphanRule::new(self.input.coverage).check(row.observation, self.input.policy),
            attribution: Some(self.attributor().trace(row.observation)),
        }));
        Ok(Some(self.scene().trace(&prepared, subject)))
    }

    /// The trace of an observed scope.
    ///
    /// # Errors
    ///
    /// `missing_grant` when the agent has no grant in force.
    pub fn trace_scope<'b>(
        &'b self,
        agent: AgentId,
        scope: &'b str,
    ) -> Result<Trace, GradingError> {
        let prepared = self.prepare_scope(self.grants.of(agent)?, scope);
        let subject = TraceSubject::Scope {
            agent,
            scope: scope.into(),
        };
        Ok(self.scene().trace(&prepared, subject))
    }
}

impl<'s> Scene<'s> {
    /// The trace of what was prepared.
    pub(crate) fn trace(&self, prepared: &Prepared<'s>, subject: TraceSubject) -> Trace {
        let (input, address, signals) = self.grade_input(prepared);
        let judge = Judge::new(&input);
        let decision = decide(&judge);
        let hashes = self.hashes(prepared);
        let receipt = receipt(&judge, &decision, &hashes, address, signals);
        let rules = rule_traces(&judge);
        let matched = rules
            .iter()
            .position(|rule| rule.status == RuleStatus::Matched);
        Trace {
            hashes: Hashes {
                candidates: hashes.candidates,
                grant: hashes.grant,
                coverage: hashes.coverage,
                policy: self.corpus.policy().hash(),
                inputs: receipt.inputs_hash,
            },
            receipt,
            subject,
            evaluated_at: self.coverage.evaluated_at,
            grant: prepared.in_force.grant.clone(),
            context: prepared.context.clone(),
            repairs: self.coverage.repairs.clone(),
            rules,
            matched,
            outcome: decision.outcome,
            finality: decision.finality,
            numbers: numbers(self.corpus.policy()),
        }
    }

    /// What a claim's grade looked at.
    pub(crate) fn claim_trace(
        &self,
        claim: &Claim,
        facts: &ClaimFacts,
        prepared: &Prepared<'s>,
    ) -> ClaimTrace {
        let policy = self.corpus.policy();
        let candidates = self.candidate_traces(claim, facts);
        let best_id = prepared
            .best
            .and_then(|(ix, ..)| self.corpus.row(ix))
            .map(|row| row.observation.id);
        let best = candidates
            .iter()
            .position(|one| Some(one.observation.id) == best_id);
        let listed = policy.features(claim.action).iter().copied();
        let coverage = prepared
            .in_force
            .coverage
            .of_claim(facts, claim.action, policy);
        let entries = self.entry_traces(claim, facts, prepared);
        let sources = coverage
            .sources
            .into_iter()
            .map(|seen| SourceTrace {
                source: seen.source,
                level: seen.level,
                account_partial: seen.account_partial,
                caps: seen.caps,
                gap: facts
                    .window
                    .and_then(|window| first_gap(window, whole_views(&entries, seen.source))),
                last_sync: prepared.in_force.coverage.last_sync(seen.source),
            })
            .collect();
        ClaimTrace {
            claim: claim.clone(),
            unit: facts.unit,
            window: facts.window,
            deadlines: facts.deadlines,
            underspecified: facts.underspecified,
            assignable: facts.assignable,
            applicable: facts
                .applicable
                .iter()
                .map(|feature| (*feature, policy.weight(*feature)))
                .collect(),
            not_applicable: listed
                .filter(|feature| !facts.applicable.contains(feature))
                .collect(),
            total_weight: facts.total_weight,
            counterfactual: best
                .and_then(|at| candidates.get(at))
                .and_then(|best| counterfactual(best, facts, policy)),
            candidates,
            best,
            raise: prepared.best.map(|(.., raise)| raise),
            level: coverage.level,
            sources,
            entries,
        }
    }

    /// Every row of the window: those the claim could still have, best first,
    /// then those that others hold.
    fn candidate_traces(&self, claim: &Claim, facts: &ClaimFacts) -> Vec<CandidateTrace> {
        let policy = self.corpus.policy();
        let mut candidates: Vec<CandidateTrace> = self
            .corpus
            .candidates(claim, facts, self.at())
            .filter_map(|ix| Some((ix, self.corpus.row(ix)?)))
            .map(|(ix, row)| CandidateTrace {
                observation: row.observation.clone(),
                features: if facts.assignable {
                    let one = |feature: &Feature| FeatureTrace {
                        feature: *feature,
                        weight: policy.weight(*feature),
                        value: value(*feature, facts, &row.facts, policy),
                        adds: adds(
                            policy.weight(*feature),
                            value(*feature, facts, &row.facts, policy),
                        ),
                        because: because(*feature, claim, facts, row, policy),
                    };
                    facts.applicable.iter().map(one).collect()
                } else {
                    Vec::new()
                },
                score: self.corpus.score(facts, ix).filter(|_| facts.assignable),
                fate: match self.holders.holder(ix) {
                    Holder::Free => Fate::Open,
                    Holder::Taken => Fate::Taken,
                    Holder::Fixed(by) => Fate::Fixed(by),
                    Holder::Claim(by) if by == claim.id => Fate::Assigned,
                    Holder::Claim(by) => Fate::Other {
                        claim: by,
                        score: self
                            .holders
                            .assigned(by)
                            .map_or(Ratio::ZERO, |(_, score)| score),
                    },
                },
            })
            .collect();
        let held_by_other = |one: &CandidateTrace| !matches!(one.fate, Fate::Assigned | Fate::Open);
        let score = |one: &CandidateTrace| one.score.map_or(Ratio::ZERO, |pair| pair.score);
        candidates.sort_by(|a, b| {
            held_by_other(a)
                .cmp(&held_by_other(b))
                .then_with(|| score(b).cmp(&score(a)))
                .then_with(|| a.observation.id.cmp(&b.observation.id))
        });
        candidates
    }

    fn entry_traces(
        &self,
        claim: &Claim,
        facts: &ClaimFacts,
        prepared: &Prepared<'s>,
    ) -> Vec<EntryTrace> {
        let in_force = prepared.in_force;
        in_force
            .coverage
            .judge(facts, claim.action, in_force.grant, self.corpus.policy())
            .map(|(entry, verdict)| EntryTrace {
                overlaps: facts
                    .window
                    .is_some_and(|window| entry.window().overlaps(window)),
                contains: facts
                    .window
                    .is_some_and(|window| entry.window().contains(window)),
                entry: entry.clone(),
                verdict,
            })
            .collect()
    }
}

/// The windows of a source's eligible, uncapped views.
fn whole_views(entries: &[EntryTrace], source: Source) -> impl Iterator<Item = Interval> + '_ {
    entries
        .iter()
        .filter(move |one| {
            one.entry.source == source && one.verdict.as_ref().is_ok_and(Vec::is_empty)
        })
        .map(|one| one.entry.window())
}

fn numbers(policy: &Policy) -> Numbers {
    let unasked = policy.unasked();
    Numbers {
        verified: policy.thresholds().verified,
        partial: policy.thresholds().partial,
        unasked: unasked.threshold,
        lambda: policy.weight(Feature::ModelScore),
        windows: *policy.windows(),
        session_ms: unasked.session_ms,
        idle_ms: unasked.idle_ms,
        adjacent_ms: unasked.adjacent_ms,
    }
}

fn rule_traces(judge: &Judge<'_>) -> Vec<RuleTrace> {
    let input = judge.input();
    let evidence = input.assigned();
    let mut matched = false;
    let mut rules = Vec::new();
    for rule in input.policy.rules() {
        let conditions: Vec<ConditionTrace> = rule
            .when
            .iter()
            .map(|condition| {
                let finding = judge.find(*condition, evidence);
                let holds = finding.holds(*condition, input.policy);
                ConditionTrace {
                    condition: *condition,
                    finding,
                    holds,
                }
            })
            .collect();
        let failed = conditions.iter().position(|one| one.holds != Some(true));
        let status = match failed {
            _ if matched => RuleStatus::NotReached {
                would_match: failed.is_none(),
            },
            None => RuleStatus::Matched,
            Some(at) if conditions.get(at).is_some_and(|one| one.holds.is_none()) => {
                RuleStatus::NotApplicable(at)
            }
            Some(at) => RuleStatus::Failed(at),
        };
        matched |= status == RuleStatus::Matched;
        rules.push(RuleTrace {
            id: rule.id.as_str().into(),
            then: rule.then,
            conditions,
            status,
        });
    }
    rules
}

/// Weight times value.
fn adds(weight: BasisPoints, value: Value) -> Ratio {
    let numerator = u128::from(weight.get()).saturating_mul(u128::from(value.numerator));
    Ratio::new(numerator, u128::from(value.denominator)).unwrap_or(Ratio::ZERO)
}

fn because(
    feature: Feature,
    claim: &Claim,
    facts: &ClaimFacts,
    row: &super::corpus::Row<'_>,
    policy: &Policy,
) -> Because {
    let counterparty = claim.counterparty.as_deref().unwrap_or_default();
    match feature {
        Feature::TimeProximity | Feature::ModelScore => {
            let windows = policy.windows();
            let earlier = row.facts.occurred < facts.time_to.from;
            Because::Time {
                distance_ms: facts.time_to.distance(row.facts.occurred),
                earlier,
                tolerance_ms: windows.tolerance_ms,
                edge_ms: super::features::edge_ms(facts, earlier, policy),
            }
        }
        Feature::CounterpartyExact | Feature::CounterpartyDomain => Because::Address {
            found: address_match(facts, &row.facts).unwrap_or(AddressMatch::NoAddress),
            common_domain: row
                .facts
                .address
                .as_ref()
                .is_some_and(|address| address.common_domain),
        },
        Feature::CounterpartyName => {
            let address = row
                .observation
                .counterparty
                .as_deref()
                .and_then(text::email);
            Because::Words {
                claim: text::name_tokens(counterparty).as_slice().to_vec(),
                row: address
                    .map(|address| address.local_part_tokens().as_slice().to_vec())
                    .unwrap_or_default(),
                equal: false,
            }
        }
        Feature::SubjectOverlap => {
            let tokens = |hint: Option<&str>| {
                hint.map(|hint| {
                    text::subject_tokens(hint, policy.stop_words())
                        .as_slice()
                        .to_vec()
                })
                .unwrap_or_default()
            };
            Because::Words {
                claim: tokens(claim.subject_hint.as_deref()),
                row: tokens(row.observation.subject_hint.as_deref()),
                equal: false,
            }
        }
        Feature::AmountExact => Because::Amount {
            claim: (claim.amount, claim.currency),
            row: (row.observation.amount, row.observation.currency),
        },
        Feature::MerchantMatch => {
            let read =
                |merchant: Option<&str>| merchant.and_then(text::merchant).unwrap_or_default();
            let (ours, theirs) = (
                read(claim.counterparty.as_deref()),
                read(row.observation.merchant.as_deref()),
            );
            Because::Words {
                claim: text::words(&ours).as_slice().to_vec(),
                row: text::words(&theirs).as_slice().to_vec(),
                equal: ours == theirs,
            }
        }
    }
}

/// The smallest single change of one feature of a candidate that crosses the
/// next threshold above its score, when there is one. An identical address has
/// its domain too, so raising one raises both (§5.1).
fn counterfactual(
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
