//! Making traces, with the code that grades.

use std::collections::BTreeSet;

use attest_canon::{Digest, Id};

use crate::decide::assign::Holder;
use crate::decide::batch::{Batch, Graded};
use crate::decide::conditions::Judge;
use crate::decide::corpus::Row;
use crate::decide::coverage::first_gap;
use crate::decide::error::GradingError;
use crate::decide::facts::ClaimFacts;
use crate::decide::features::{AddressMatch, Value, address_match, edge_ms, value};
use crate::decide::grade::{decide, receipt};
use crate::decide::orphans::OrphanRule;
use crate::decide::ratio::Ratio;
use crate::decide::scene::{Prepared, Scene};
use crate::model::{AgentId, BasisPoints, Claim, Feature, Interval, Source, UnaskedSignal};
use crate::policy::Policy;
use crate::text;

use super::counterfactual::counterfactual;
use super::{
    AccountTrace, Because, CandidateTrace, ClaimTrace, ConditionTrace, EntryTrace, Fate,
    FeatureTrace, Hashes, Numbers, OrphanTrace, RuleStatus, RuleTrace, SourceTrace, Trace,
    TraceSubject,
};

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

    /// The trace of a receipt this batch made; `None` when its subject is not of
    /// the batch.
    ///
    /// # Errors
    ///
    /// As the batch's own grading.
    pub fn trace_of(&self, graded: &Graded) -> Result<Option<Trace>, GradingError> {
        let receipt = &graded.receipt;
        let row = receipt.observation_ids.first();
        match (receipt.claim_id, graded.context.scope.as_deref(), row) {
            (Some(claim), ..) => self.trace_claim(claim),
            (None, Some(scope), _) => self.trace_scope(receipt.agent, scope).map(Some),
            (None, None, Some(row)) => self.trace_orphan(*row),
            (None, None, None) => Ok(None),
        }
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
                accounts: account_traces(&entries, seen.source, facts.window, prepared),
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
    uncapped(entries, source).map(|one| one.entry.window())
}

/// A source's eligible, uncapped views.
fn uncapped(entries: &[EntryTrace], source: Source) -> impl Iterator<Item = &EntryTrace> {
    entries.iter().filter(move |one| {
        one.entry.source == source && one.verdict.as_ref().is_ok_and(Vec::is_empty)
    })
}

/// What each account saw where a grant binds two or more to a source.
fn account_traces(
    entries: &[EntryTrace],
    source: Source,
    window: Option<Interval>,
    prepared: &Prepared<'_>,
) -> Vec<AccountTrace> {
    let bound = prepared.in_force.grant.bound_accounts(source);
    let accounts: BTreeSet<Digest> = bound.into_iter().flatten().copied().collect();
    if accounts.len() < 2 {
        return Vec::new();
    }
    let own = |account: Digest| {
        let of_account = move |one: &&EntryTrace| one.entry.account_hash == Some(account);
        uncapped(entries, source)
            .filter(of_account)
            .map(|one| one.entry.window())
    };
    let trace = |account: Digest| AccountTrace {
        account,
        gap: window.and_then(|window| first_gap(window, own(account))),
    };
    accounts.into_iter().map(trace).collect()
}

fn numbers(policy: &Policy) -> Numbers {
    let unasked = policy.unasked();
    Numbers {
        verified: policy.thresholds().verified,
        partial: policy.thresholds().partial,
        unasked: unasked.threshold,
        signals: core::array::from_fn(|at| {
            let signal = UnaskedSignal::ALL.get(at);
            signal.map_or(BasisPoints::default(), |signal| unasked.weight(*signal))
        }),
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
    row: &Row<'_>,
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
                edge_ms: edge_ms(facts, earlier, policy),
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
