//! One grade alone, without a batch around it (`grade`, §3, §13): what tests
//! and worked examples call.

use std::cell::RefCell;

use crate::model::hashes::coverage_hash;
use crate::model::{AgentId, Claim, Coverage, GradeContext, Grant, Instant, Observation, Outcome};
use crate::policy::Policy;

use super::assign::{Holder, Holders};
use super::batch::Graded;
use super::conditions::Subject;
use super::corpus::{Corpus, RowIx};
use super::error::GradeError;
use super::grants::InForce;
use super::orphans::OrphanRule;
use super::ratio::Ratio;
use super::scene::{Prepared, Scene, Scratch};
use super::trace::{OrphanTrace, Trace, TraceSubject};

/// Nobody holds anything: every candidate handed over is the claim's to have.
struct Unheld;

impl Holders for Unheld {
    fn holder(&self, _: RowIx) -> Holder {
        Holder::Free
    }

    fn assigned(&self, _: attest_canon::Id) -> Option<(RowIx, Ratio)> {
        None
    }
}

/// Grades one claim, or without a claim one orphan or scope.
///
/// Candidates stored after `evaluatedAt` are ignored before anything else is
/// asked of them (readings 45). A claim-less grade takes its scope from the
/// context, else its orphan from [`orphan_of`]. Whatever is graded, its
/// `candidatesHash` covers every candidate handed over and not ignored
/// (supplement I).
///
/// # Errors
///
/// `agent_mismatch`, `foreign_candidate`, `claimless_subject`,
/// `unasked_with_claim`.
pub fn grade(
    claim: Option<&Claim>,
    candidates: &[&Observation],
    grant: &Grant,
    policy: &Policy,
    coverage: &Coverage,
    context: &GradeContext,
) -> Result<Graded, GradeError> {
    let alone = Alone {
        claim,
        candidates,
        grant,
        policy,
        coverage,
        context,
    };
    let (graded, outcome) = alone.prepared(|scene, prepared| scene.finish(prepared))?;
    if outcome == Outcome::Unasked && claim.is_some() {
        return Err(GradeError::UnaskedWithClaim);
    }
    Ok(graded)
}

/// Everything [`grade`] looks at, for the same arguments. An orphan's trace
/// holds no attribution: the context brings it.
///
/// # Errors
///
/// As [`grade`].
pub fn trace(
    claim: Option<&Claim>,
    candidates: &[&Observation],
    grant: &Grant,
    policy: &Policy,
    coverage: &Coverage,
    context: &GradeContext,
) -> Result<Trace, GradeError> {
    let alone = Alone {
        claim,
        candidates,
        grant,
        policy,
        coverage,
        context,
    };
    alone.prepared(|scene, prepared| {
        let subject = match prepared.subject {
            Subject::Claim { claim, facts } => {
                TraceSubject::Claim(Box::new(scene.claim_trace(claim, facts, prepared)))
            }
            Subject::Orphan { orphan } => TraceSubject::Orphan(Box::new(OrphanTrace {
                observation: orphan.clone(),
                orphan: OrphanRule::new(coverage).check(orphan, policy),
                attribution: None,
            })),
            Subject::Scope { agent, scope } => TraceSubject::Scope {
                agent,
                scope: scope.into(),
            },
        };
        scene.trace(prepared, subject)
    })
}

/// What one grade alone is handed.
struct Alone<'a> {
    claim: Option<&'a Claim>,
    candidates: &'a [&'a Observation],
    grant: &'a Grant,
    policy: &'a Policy,
    coverage: &'a Coverage,
    context: &'a GradeContext,
}

impl Alone<'_> {
    /// Checks the arguments, prepares the grade, and does `then` with it.
    fn prepared<T>(
        &self,
        then: impl for<'s> FnOnce(&Scene<'s>, &Prepared<'s>) -> T,
    ) -> Result<T, GradeError> {
        let Self {
            claim,
            coverage,
            context,
            ..
        } = *self;
        let at = coverage.evaluated_at.instant();
        check_agent(claim.map(|claim| claim.agent), self.grant, context)?;
        let mut corpus = Corpus::new(self.policy, self.candidates.iter().copied(), Some(at));
        let facts = claim.map(|claim| (claim, corpus.read_claim(claim)));
        let in_force = InForce::new(self.grant, coverage);
        let scratch = RefCell::new(Scratch::new(corpus.len()));
        let scene = Scene {
            corpus: &corpus,
            holders: &Unheld,
            coverage,
            coverage_hash: coverage_hash(coverage),
            scratch: &scratch,
        };
        let prepared = match (&facts, &context.scope) {
            (Some((claim, facts)), _) => {
                check_candidates(&scene, claim, facts, at)?;
                scene.prepare_claim(claim, facts, &in_force, context.clone())
            }
            (None, scope) => {
                let mut prepared = match (scope, first(&corpus)) {
                    (Some(scope), _) => scene.prepare_scope(scope, &in_force, context.clone()),
                    (None, Some(orphan)) => {
                        scene.prepare_orphan(orphan, &in_force, context.clone())
                    }
                    (None, None) => return Err(GradeError::ClaimlessSubject),
                };
                prepared.candidates_hash = corpus.hash_of_all();
                prepared
            }
        };
        Ok(then(&scene, &prepared))
    }
}

/// The observation a claim-less grade without a scope is about: of the
/// candidates stored by the coverage's instant, the first in (occurredAt, id)
/// order, which is the order §4.1 gives candidates (§8, `candidates[0]`).
#[must_use]
pub fn orphan_of<'a>(
    candidates: &[&'a Observation],
    policy: &'a Policy,
    at: Instant,
) -> Option<&'a Observation> {
    first(&Corpus::new(policy, candidates.iter().copied(), Some(at)))
}

fn first<'a>(corpus: &Corpus<'a>) -> Option<&'a Observation> {
    corpus.iter().next().map(|(_, row)| row.observation)
}

fn check_agent(
    claim: Option<AgentId>,
    grant: &Grant,
    context: &GradeContext,
) -> Result<(), GradeError> {
    let subject = claim.or_else(|| context.attribution.as_ref().map(|found| found.agent));
    if subject.is_some_and(|agent| agent != grant.agent) {
        return Err(GradeError::AgentMismatch);
    }
    Ok(())
}

fn check_candidates(
    scene: &Scene<'_>,
    claim: &Claim,
    facts: &super::facts::ClaimFacts,
    at: Instant,
) -> Result<(), GradeError> {
    for (ix, row) in scene.corpus.iter() {
        if !scene.corpus.is_candidate(claim, facts, ix, at) {
            return Err(GradeError::ForeignCandidate(row.observation.id));
        }
    }
    Ok(())
}
