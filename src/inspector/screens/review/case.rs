//! Everything known about one receipt of the queue, found on the work thread.

use std::sync::Arc;

use attest_grading::decide::attribution::AttributionTrace;
use attest_grading::decide::{Batch, BatchInput, Trace, TraceSubject};
use attest_grading::ledger::Ledger;
use attest_grading::model::{Activity, BasisPoints, Coverage, Observation, UnaskedSignal};
use attest_grading::policy::Policy;

use super::{Answer, Query};
use crate::inspector::screens::Facts;
use crate::inspector::work::{Explained, Progress};

/// Everything known about one receipt.
#[derive(Clone, Debug)]
pub struct Case {
    /// The receipt and its trace.
    pub explained: Explained,
    /// Of an action nobody claimed, what spoke for whom.
    pub unasked: Option<Unasked>,
}

/// What spoke for whom.
#[derive(Clone, Debug)]
pub struct Unasked {
    /// The action.
    pub observation: Observation,
    /// Every agent's case.
    pub found: AttributionTrace,
    /// What each signal weighs.
    pub weights: Vec<(UnaskedSignal, BasisPoints)>,
    /// The stored batch says another agent or another score: the ledger's activity changed since.
    pub differs: bool,
}

/// Does a job of the screen's.
///
/// # Errors
/// Why it cannot be done.
pub fn answer(query: &Query, facts: &Facts<'_>, _progress: &Progress) -> Result<Answer, String> {
    let Query::Case(id) = query;
    let case = facts.explainer.explain(*id).map(|explained| {
        let unasked = explained
            .trace
            .as_ref()
            .ok()
            .and_then(|trace| unasked(trace, facts));
        Arc::new(Case { explained, unasked })
    });
    Ok(Answer { id: *id, case })
}

/// What spoke for whom: the trace's own where the receipt is graded now, found again by the same
/// code where its batch keeps the outcome alone.
fn unasked(trace: &Trace, facts: &Facts<'_>) -> Option<Unasked> {
    let TraceSubject::Orphan(orphan) = &trace.subject else {
        return None;
    };
    let stored = facts
        .ledger
        .and_then(|ledger| ledger.policies.get(&trace.receipt.policy_hash));
    let policy = stored.unwrap_or(facts.policy);
    let found = match (&orphan.attribution, facts.ledger) {
        (Some(found), _) => found.clone(),
        (None, Some(ledger)) => found_again(trace, &orphan.observation, ledger, policy)?,
        (None, None) => return None,
    };
    let held = trace.context.attribution.as_ref();
    let differs = held.map(|held| (held.agent, held.score, &held.signals))
        != found
            .attribution
            .as_ref()
            .map(|found| (found.agent, found.score, &found.signals));
    Some(Unasked {
        observation: orphan.observation.clone(),
        found,
        weights: UnaskedSignal::ALL
            .iter()
            .map(|signal| (*signal, policy.unasked().weight(*signal)))
            .collect(),
        differs,
    })
}

/// The attribution of a stored receipt, from the activity the ledger holds: a batch of nothing but
/// the action, at its receipt's instant. Only claims of its own type can silence a log entry (§7).
fn found_again(
    trace: &Trace,
    observation: &Observation,
    ledger: &Ledger,
    policy: &Policy,
) -> Option<AttributionTrace> {
    let none = Activity::default();
    let inputs = ledger.receipt_inputs.get(&trace.receipt.inputs_hash);
    let observers = inputs
        .and_then(|inputs| ledger.batch_coverages.get(&inputs.coverage_hash))
        .map_or_else(Vec::new, |coverage| coverage.observers.clone());
    let coverage = Coverage {
        evaluated_at: trace.receipt.computed_at,
        observers,
        repairs: trace.repairs.clone(),
    };
    let at = coverage.evaluated_at.instant();
    let history = ledger.claims.iter();
    let history = history
        .filter(|claim| claim.action == observation.action && claim.observed_at.instant() <= at);
    let no_scores = std::collections::BTreeMap::new();
    let batch = Batch::new(BatchInput {
        claims: Vec::new(),
        observations: vec![observation],
        grants: ledger.grants.iter().collect(),
        policy,
        coverage: &coverage,
        activity: ledger.activity.as_ref().unwrap_or(&none),
        history: history.collect(),
        fixed: &[],
        model_scores: &no_scores,
    })
    .ok()?;
    let trace = batch.trace_orphan(observation.id).ok()??;
    match trace.subject {
        TraceSubject::Orphan(orphan) => orphan.attribution,
        _ => None,
    }
}
