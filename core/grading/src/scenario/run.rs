//! Running a scenario: the first grading, then its events in order.

use std::collections::{BTreeMap, BTreeSet};

use attest_canon::Id;
use attest_canon::json::Value;

use crate::decide::attribution::{AttributionTrace, Attributor};
use crate::decide::corpus::Corpus;
use crate::decide::fixed::graded_at;
use crate::decide::grants::Grants;
use crate::decide::single::orphan_of;
use crate::decide::{GradeError, Graded, GradingError, grade, grade_batch, pre_assignments};
use crate::ledger::state::{Event as StateEvent, EventKind as StateEventKind, knows, transition};
use crate::model::{
    AgentId, Claim, Coverage, GradeContext, Grant, Instant, IsoTs, Observation, ProblemKind,
    Problems, Receipt, ReceiptState,
};

use super::ScenarioError;
use super::build::World;
use super::compare::{Difference, compare};
use super::format::{Event, EventKind, GradeRow, Mode, Ref, Scenario};
use super::names::Place;

/// The event names a claim or observation that has no receipt.
const NO_RECEIPT: &str = "no_receipt";

/// Whose receipt, by the names of the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RefName {
    /// A claim's or an orphan's.
    Row(Ref),
    /// A scope's.
    Scope {
        /// The agent.
        agent: AgentId,
        /// The scope.
        scope: Box<str>,
    },
}

impl core::fmt::Display for RefName {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Row(name) => f.write_str(name),
            Self::Scope { agent, scope } => write!(f, "{agent}'s {scope}"),
        }
    }
}

/// A receipt as the scenario leaves it.
#[derive(Clone, PartialEq, Debug)]
pub struct StoredReceipt {
    /// Whose.
    pub name: RefName,
    /// The receipt, with its events.
    pub receipt: Receipt,
    /// Its last grading.
    pub graded: Graded,
}

/// What a scenario came to.
#[derive(Debug)]
pub struct Outcome {
    /// Its receipts, in the order the first grading returns them; then those
    /// a regrade made, in the order of the events.
    pub receipts: Vec<StoredReceipt>,
    /// Where they differ from what was expected.
    pub differences: Vec<Difference>,
    /// What became of each event of the file, in order.
    pub events: Vec<Applied>,
}

/// One event of the file and what it did.
#[derive(Clone, PartialEq, Debug)]
pub struct Applied {
    /// The code of its refusal.
    pub refused: Option<&'static str>,
    /// Its receipt before it; none where there was none.
    pub before: Option<Receipt>,
    /// Its receipt after it; none where there is none.
    pub after: Option<Receipt>,
}

/// Runs a scenario and compares.
///
/// # Errors
///
/// A file that does not build, or an input that grading refuses.
pub fn run(scenario: &Scenario) -> Result<Outcome, ScenarioError> {
    let world = World::build(scenario).map_err(ScenarioError::Policy)?;
    let mut runner = Runner {
        scenario,
        world: &world,
        receipts: Vec::new(),
        differences: Vec::new(),
        applied: Vec::new(),
    };
    runner.first_grading()?;
    runner.events()?;
    let Runner {
        receipts,
        mut differences,
        applied: events,
        ..
    } = runner;
    differences.extend(compare(scenario, &world, &receipts));
    Ok(Outcome {
        receipts,
        differences,
        events,
    })
}

/// What grade mode hands to `grade` (§15): the grant is the file's agent's, else
/// the claim's, else the likely one's (readings 28).
pub(super) struct Alone<'w> {
    pub(super) claim: Option<&'w Claim>,
    pub(super) candidates: Vec<&'w Observation>,
    pub(super) grant: &'w Grant,
    pub(super) context: GradeContext,
    /// What spoke for whom, where an orphan is graded.
    pub(super) attribution: Option<AttributionTrace>,
}

impl<'w> Alone<'w> {
    pub(super) fn new(world: &'w World, row: &GradeRow) -> Result<Self, ScenarioError> {
        let at = world.coverage.evaluated_at.instant();
        let claim = row.claim.as_deref().and_then(|name| world.claim(name));
        let candidates: Vec<&Observation> = row
            .candidates
            .iter()
            .filter_map(|name| world.observation(name))
            .collect();
        let orphan = match (claim, &row.scope) {
            (None, None) => {
                let orphan = orphan_of(&candidates, &world.policy, at);
                Some(orphan.ok_or(GradingError::Grade(GradeError::ClaimlessSubject))?)
            }
            _ => None,
        };
        let attribution = orphan.map(|orphan| attribute(world, orphan));
        let context = GradeContext {
            prior_spend_cents: row.prior_spend_cents,
            attribution: attribution
                .as_ref()
                .and_then(|found| found.attribution.clone()),
            scope: row.scope.clone(),
            model_scores: claim.and_then(|claim| world.model_scores.get(&claim.id).cloned()),
        };
        let likely = context.attribution.as_ref().map(|found| found.agent);
        let Some(agent) = row.agent.or(claim.map(|claim| claim.agent)).or(likely) else {
            let mut problems = Problems::default();
            problems.add("input.grade.agent".to_owned(), ProblemKind::Missing);
            return Err(ScenarioError::Format(problems));
        };
        let theirs = world.grants.iter().filter(|grant| grant.agent == agent);
        let grants = Grants::new(theirs, &world.coverage).map_err(GradingError::Batch)?;
        let grant = grants.of(agent).map_err(GradingError::Batch)?.grant;
        Ok(Self {
            claim,
            candidates,
            grant,
            context,
            attribution,
        })
    }
}

/// What speaks for whom, by the history the file lists.
fn attribute(world: &World, orphan: &Observation) -> AttributionTrace {
    let at = world.coverage.evaluated_at.instant();
    let mut corpus = Corpus::new(&world.policy, [], None);
    let listed = world.history.iter();
    let seen = listed
        .filter_map(|place| world.claims.get(*place))
        .filter(|claim| claim.observed_at.instant() <= at);
    let read: Vec<_> = seen
        .map(|claim| (claim, corpus.read_claim(claim)))
        .collect();
    let claims = read.iter().map(|(claim, facts)| (*claim, facts));
    Attributor::new(&world.policy, &world.activity, claims, at).trace(orphan)
}

/// What the file calls a receipt's subject.
pub(super) fn name(
    scenario: &Scenario,
    world: &World,
    receipt: &Receipt,
    scope: Option<&str>,
) -> RefName {
    if let (Some(scope), None) = (scope, receipt.claim_id) {
        return RefName::Scope {
            agent: receipt.agent,
            scope: scope.into(),
        };
    }
    let input = &scenario.input;
    let name = match world.subject(receipt.id, receipt.computed_at.instant()) {
        Some(Place::Claim(nth)) => input.claims.get(nth).map(|row| &row.name),
        Some(Place::Observation(nth)) => input.observations.get(nth).map(|row| &row.name),
        None => None,
    };
    RefName::Row(name.cloned().unwrap_or_default())
}

struct Runner<'s> {
    scenario: &'s Scenario,
    world: &'s World,
    receipts: Vec<StoredReceipt>,
    differences: Vec<Difference>,
    applied: Vec<Applied>,
}

impl Runner<'_> {
    fn first_grading(&mut self) -> Result<(), ScenarioError> {
        let world = self.world;
        let graded = match (self.scenario.mode, &self.scenario.input.grade) {
            (Mode::Grade, Some(row)) => vec![self.grade_alone(row)?],
            _ => grade_batch(world.batch_input(&world.policy, &world.coverage))?,
        };
        self.receipts = graded
            .into_iter()
            .map(|graded| self.stored(graded))
            .collect();
        Ok(())
    }

    fn grade_alone(&self, row: &GradeRow) -> Result<Graded, ScenarioError> {
        let world = self.world;
        let alone = Alone::new(world, row)?;
        let graded = grade(
            alone.claim,
            &alone.candidates,
            alone.grant,
            &world.policy,
            &world.coverage,
            &alone.context,
        );
        Ok(graded.map_err(GradingError::Grade)?)
    }

    /// A graded receipt under its name in the file.
    fn stored(&self, graded: Graded) -> StoredReceipt {
        let scope = graded.context.scope.as_deref();
        StoredReceipt {
            name: name(self.scenario, self.world, &graded.receipt, scope),
            receipt: graded.receipt.clone(),
            graded,
        }
    }

    /// The receipt of a claim or observation, whatever its name.
    fn find(&self, name: &str) -> Option<usize> {
        let id = self.world.receipt_id_of(name)?;
        self.receipts
            .iter()
            .position(|stored| stored.receipt.id == id)
    }

    /// Applies the events in order.
    fn events(&mut self) -> Result<(), GradingError> {
        let mut events = self.scenario.events.as_slice();
        while let Some((event, rest)) = events.split_first() {
            events = rest;
            let EventKind::Regrade { at, .. } = event.kind else {
                let before = self.receipt(&event.name);
                let outcome = self.apply(event);
                self.settle(event, before, outcome);
                continue;
            };
            // Regrades that follow one another at one instant are one batch
            // (readings 22).
            let same = |next: &&Event| matches!(&next.kind, EventKind::Regrade { at: other, .. } if other.instant() == at.instant());
            let more = events.iter().take_while(same).count();
            let (run, rest) = events.split_at_checked(more).unwrap_or((events, &[]));
            events = rest;
            let batch = self.next_batch(at);
            for event in core::iter::once(event).chain(run) {
                let before = self.receipt(&event.name);
                let outcome = match &batch {
                    Ok(batch) => self.regrade(event, batch),
                    Err(error) if event.rejected => Err(error.code().1),
                    // What grading throws is the scenario's outcome (supplement J).
                    Err(error) => return Err(*error),
                };
                self.settle(event, before, outcome);
            }
        }
        Ok(())
    }

    /// The receipt an event names, as it stands.
    fn receipt(&self, name: &str) -> Option<Receipt> {
        let stored = self.receipts.get(self.find(name)?)?;
        Some(stored.receipt.clone())
    }

    /// Notes what an event did, and one that was refused although it should
    /// not be, or the other way round.
    fn settle(
        &mut self,
        event: &Event,
        before: Option<Receipt>,
        outcome: Result<(), &'static str>,
    ) {
        self.applied.push(Applied {
            refused: outcome.err(),
            before,
            after: self.receipt(&event.name),
        });
        if outcome.is_err() != event.rejected {
            let expected = if event.rejected {
                "rejected"
            } else {
                "accepted"
            };
            self.differences.push(Difference {
                name: RefName::Row(event.name.clone()),
                field: format!("event {}", event.kind.as_str()),
                expected: Value::String(expected.into()),
                actual: Value::String(outcome.err().unwrap_or("accepted").into()),
            });
        }
    }

    /// Applies a person's or the ledger's event; the code of a refusal.
    fn apply(&mut self, event: &Event) -> Result<(), &'static str> {
        let what = match &event.kind {
            EventKind::Override { grade, reason, at } => StateEvent::Override {
                grade: *grade,
                reason: reason.clone(),
                at: *at,
            },
            EventKind::Revert { at } => StateEvent::Revert { at: *at },
            EventKind::Supersede { claim } => {
                let claim = self.world.claim(claim).ok_or(NO_RECEIPT)?;
                StateEvent::Supersede { claim_id: claim.id }
            }
            EventKind::Regrade { .. } => return Ok(()),
        };
        let place = self.find(&event.name).ok_or(NO_RECEIPT)?;
        let stored = self.receipts.get_mut(place).ok_or(NO_RECEIPT)?;
        stored.receipt = transition(&stored.receipt, what).map_err(|error| error.code())?;
        Ok(())
    }

    /// The ledger's next batch: open claims and claims first seen since, over
    /// the file's rows as seen then (readings 22).
    fn next_batch(&self, at: IsoTs) -> Result<Vec<Graded>, GradingError> {
        let coverage = Coverage {
            evaluated_at: at,
            ..self.world.coverage.clone()
        };
        let receipts: BTreeMap<Id, &Receipt> = self
            .receipts
            .iter()
            .filter_map(|stored| Some((stored.receipt.claim_id?, &stored.receipt)))
            .collect();
        let mut fixed = pre_assignments(self.receipts.iter().map(|stored| &stored.receipt));
        fixed.extend(self.world.fixed.iter().cloned());
        let mut input = self.world.batch_input(&self.world.policy, &coverage);
        input.fixed = &fixed;
        input.claims.retain(|claim| {
            let receipt = receipts.get(&claim.id);
            receipt.is_none_or(|receipt| graded_at(receipt, at.instant()))
        });
        // Every claim graded before is in the history.
        let listed: BTreeSet<Id> = input.history.iter().map(|claim| claim.id).collect();
        for (id, receipt) in receipts {
            let graded = receipt.computed_at.instant();
            if !listed.contains(&id)
                && let Some(Place::Claim(nth)) = self.world.subject(receipt.id, graded)
            {
                input.history.extend(self.world.claims.get(nth));
            }
        }
        grade_batch(input)
    }

    /// Replaces, makes or deletes the one receipt a regrade names; the code of
    /// a refusal.
    fn regrade(&mut self, event: &Event, batch: &[Graded]) -> Result<(), &'static str> {
        let EventKind::Regrade { deleted, at } = event.kind else {
            return Ok(());
        };
        let id = self.world.receipt_id_of(&event.name).ok_or(NO_RECEIPT)?;
        let graded = batch.iter().find(|graded| graded.receipt.id == id);
        let place = self.find(&event.name);
        if let Some(stored) = place.and_then(|place| self.receipts.get(place)) {
            knows(&stored.receipt, StateEventKind::Regrade).map_err(|error| error.code())?;
        }
        match (graded, deleted) {
            (Some(_), true) => Err("still_graded"),
            (None, false) => Err("not_graded"),
            (None, true) => {
                let place = place.filter(|place| self.is_deletable(*place, at.instant()));
                self.receipts.remove(place.ok_or("not_deletable")?);
                Ok(())
            }
            (Some(graded), false) => {
                let Some(stored) = place.and_then(|place| self.receipts.get_mut(place)) else {
                    let stored = self.stored(graded.clone());
                    self.receipts.push(stored);
                    return Ok(());
                };
                let regrade = StateEvent::Regrade(Box::new(graded.receipt.clone()));
                stored.receipt =
                    transition(&stored.receipt, regrade).map_err(|error| error.code())?;
                stored.graded = graded.clone();
                Ok(())
            }
        }
    }

    /// A PENDING claim-less row the batch no longer produces is deleted unless
    /// it holds reverted overrides (§7).
    fn is_deletable(&self, place: usize, at: Instant) -> bool {
        self.receipts.get(place).is_some_and(|stored| {
            stored.receipt.claim_id.is_none()
                && stored.receipt.state == ReceiptState::Pending
                && stored.receipt.reverted.is_empty()
                && stored.receipt.computed_at.instant() < at
        })
    }
}
