//! Running a scenario: the first grading, then its events in order.

use std::collections::BTreeMap;

use attest_canon::Id;

use crate::decide::attribution::Attributor;
use crate::decide::corpus::Corpus;
use crate::decide::fixed::graded_at;
use crate::decide::{
    BatchInput, Graded, GradingError, PreAssignment, grade, grade_batch, pre_assignments,
};
use crate::ledger::state::{self, Event as StateEvent};
use crate::model::hashes::{claim_receipt_id, unasked_receipt_id};
use crate::model::{
    AgentId, Claim, Coverage, Grade, GradeContext, Instant, IsoTs, Observation, Receipt,
    ReceiptState,
};

use super::ScenarioError;
use super::build::World;
use super::compare::{Difference, compare};
use super::format::{Event, EventKind, GradeRow, Mode, Ref, Scenario};

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
    /// Its receipts, in the order a batch returns them.
    pub receipts: Vec<StoredReceipt>,
    /// Where they differ from what was expected.
    pub differences: Vec<Difference>,
}

/// Runs a scenario and compares.
///
/// # Errors
///
/// A file that does not build, or an input that grading refuses.
pub fn run(scenario: &Scenario) -> Result<Outcome, ScenarioError> {
    let world = World::build(scenario)?;
    let mut runner = Runner {
        scenario,
        world: &world,
        receipts: Vec::new(),
        differences: Vec::new(),
    };
    runner.first_grading().map_err(ScenarioError::Grading)?;
    runner.events();
    let Runner {
        receipts,
        mut differences,
        ..
    } = runner;
    differences.extend(compare(scenario, &world, &receipts));
    Ok(Outcome {
        receipts,
        differences,
    })
}

struct Runner<'s> {
    scenario: &'s Scenario,
    world: &'s World,
    receipts: Vec<StoredReceipt>,
    differences: Vec<Difference>,
}

impl Runner<'_> {
    fn first_grading(&mut self) -> Result<(), GradingError> {
        let graded = match (self.scenario.mode, &self.scenario.input.grade) {
            (Mode::Grade, Some(row)) => vec![self.grade_alone(row)?],
            _ => {
                let open = |claim: &&Claim| !self.world.fixed_claims.contains(&claim.id);
                let claims = self.world.claims.iter().filter(open).collect();
                self.batch(&self.world.coverage, claims, &self.world.fixed)?
            }
        };
        self.receipts = graded
            .into_iter()
            .map(|graded| self.stored(graded))
            .collect();
        Ok(())
    }

    fn batch(
        &self,
        coverage: &Coverage,
        claims: Vec<&Claim>,
        fixed: &[PreAssignment],
    ) -> Result<Vec<Graded>, GradingError> {
        let world = self.world;
        grade_batch(BatchInput {
            claims,
            observations: world.observations.iter().collect(),
            grants: world.grants.iter().collect(),
            policy: &world.policy,
            coverage,
            activity: &world.activity,
            history: self.history(),
            fixed,
            model_scores: &world.model_scores,
        })
    }

    /// The claims `activity.claims` lists, and every claim graded before.
    fn history(&self) -> Vec<&Claim> {
        let mut history: Vec<&Claim> = self
            .world
            .history
            .iter()
            .filter_map(|place| self.world.claims.get(*place))
            .collect();
        for stored in &self.receipts {
            if let Some(id) = stored.receipt.claim_id
                && !history.iter().any(|claim| claim.id == id)
            {
                history.extend(self.world.claims.iter().find(|claim| claim.id == id));
            }
        }
        history
    }

    fn grade_alone(&self, row: &GradeRow) -> Result<Graded, GradingError> {
        let world = self.world;
        let claim = row.claim.as_deref().and_then(|name| world.claim(name));
        let candidates: Vec<&Observation> = row
            .candidates
            .iter()
            .filter_map(|name| world.observation(name))
            .collect();
        let mut context = GradeContext {
            prior_spend_cents: row.prior_spend_cents,
            scope: row.scope.clone(),
            model_scores: claim.and_then(|claim| world.model_scores.get(&claim.id).cloned()),
            ..GradeContext::default()
        };
        if claim.is_none() && row.scope.is_none() {
            context.attribution = candidates.first().and_then(|orphan| self.attribute(orphan));
        }
        let attributed = context.attribution.as_ref().map(|found| found.agent);
        let agent = row
            .agent
            .or(claim.map(|claim| claim.agent))
            .or(attributed)
            .unwrap_or(AgentId::Muse);
        let at = world.coverage.evaluated_at.instant();
        let in_force = world
            .grants
            .iter()
            .filter(|grant| grant.agent == agent && grant.updated_at.instant() <= at);
        let Some(grant) = in_force.max_by_key(|grant| grant.updated_at.instant()) else {
            return Err(crate::decide::BatchError::MissingGrant(agent).into());
        };
        Ok(grade(
            claim,
            &candidates,
            grant,
            &world.policy,
            &world.coverage,
            &context,
        )?)
    }

    fn attribute(&self, orphan: &Observation) -> Option<crate::model::Attribution> {
        let world = self.world;
        let at = world.coverage.evaluated_at.instant();
        let mut corpus = Corpus::new(&world.policy, [], None);
        let history = self.history();
        let seen = history
            .into_iter()
            .filter(|claim| claim.observed_at.instant() <= at);
        let read: Vec<_> = seen
            .map(|claim| (claim, corpus.read_claim(claim)))
            .collect();
        let claims = read.iter().map(|(claim, facts)| (*claim, facts));
        Attributor::new(&world.policy, &world.activity, claims, at).attribute(orphan)
    }

    /// A graded receipt under its name in the file.
    fn stored(&self, graded: Graded) -> StoredReceipt {
        let scenario = self.scenario;
        let claim = graded.receipt.claim_id.and_then(|id| {
            let place = self.world.claims.iter().position(|claim| claim.id == id)?;
            scenario.input.claims.get(place).map(|row| row.name.clone())
        });
        let orphan = || {
            let id = graded.receipt.id;
            let place = self
                .world
                .observations
                .iter()
                .position(|row| unasked_receipt_id(row.id) == id)?;
            scenario
                .input
                .observations
                .get(place)
                .map(|row| row.name.clone())
        };
        let name = match (&graded.context.scope, claim) {
            (Some(scope), None) => RefName::Scope {
                agent: graded.receipt.agent,
                scope: scope.clone(),
            },
            (_, Some(name)) => RefName::Row(name),
            (None, None) => RefName::Row(orphan().unwrap_or_default()),
        };
        StoredReceipt {
            name,
            receipt: graded.receipt.clone(),
            graded,
        }
    }

    /// The receipt of a claim or observation, whatever its name.
    fn find(&self, name: &str) -> Option<usize> {
        let id = self.receipt_id(name)?;
        self.receipts
            .iter()
            .position(|stored| stored.receipt.id == id)
    }

    fn receipt_id(&self, name: &str) -> Option<Id> {
        let claim = self
            .world
            .claim(name)
            .map(|claim| claim_receipt_id(claim.id));
        claim.or_else(|| {
            self.world
                .observation(name)
                .map(|row| unasked_receipt_id(row.id))
        })
    }

    fn events(&mut self) {
        let mut events = self.scenario.events.as_slice();
        while let Some((event, rest)) = events.split_first() {
            events = rest;
            match &event.kind {
                EventKind::Regrade { at, .. } => {
                    // Regrades that follow one another at one instant are one
                    // batch (readings 22).
                    let same = |next: &&Event| matches!(&next.kind, EventKind::Regrade { at: other, .. } if other.instant() == at.instant());
                    let more = events.iter().take_while(same).count();
                    let (run, rest) = events.split_at_checked(more).unwrap_or((events, &[]));
                    events = rest;
                    let batch = self.next_batch(*at);
                    for event in core::iter::once(event).chain(run) {
                        let outcome = self.regrade(event, batch.as_ref().ok());
                        self.settle(event, outcome);
                    }
                }
                _ => {
                    let outcome = self.apply(event);
                    self.settle(event, outcome);
                }
            }
        }
    }

    /// Notes an event that was refused although it should not be, or the other
    /// way round.
    fn settle(&mut self, event: &Event, outcome: Result<(), ()>) {
        if outcome.is_err() != event.rejected {
            let word = |rejected: bool| if rejected { "rejected" } else { "accepted" };
            self.differences.push(Difference {
                name: RefName::Row(event.name.clone()),
                field: "event",
                expected: word(event.rejected).to_owned(),
                actual: word(outcome.is_err()).to_owned(),
            });
        }
    }

    fn apply(&mut self, event: &Event) -> Result<(), ()> {
        let place = self.find(&event.name).ok_or(())?;
        let stored = self.receipts.get_mut(place).ok_or(())?;
        let what = match &event.kind {
            EventKind::Override { grade, reason, at } => StateEvent::Override {
                grade: *grade,
                reason: reason.clone(),
                at: *at,
            },
            EventKind::Revert { at } => StateEvent::Revert { at: *at },
            EventKind::Supersede { claim } => StateEvent::Supersede {
                claim_id: self.world.claim(claim).ok_or(())?.id,
            },
            EventKind::Regrade { .. } => return Err(()),
        };
        stored.receipt = state::transition(&stored.receipt, what).map_err(|_| ())?;
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
        let open = |claim: &&Claim| {
            !self.world.fixed_claims.contains(&claim.id)
                && receipts
                    .get(&claim.id)
                    .is_none_or(|receipt| graded_at(receipt, at.instant()))
        };
        let claims = self.world.claims.iter().filter(open).collect();
        let mut fixed = pre_assignments(self.receipts.iter().map(|stored| &stored.receipt));
        fixed.extend(self.world.fixed.iter().cloned());
        self.batch(&coverage, claims, &fixed)
    }

    /// Replaces, makes or deletes the one receipt a regrade names.
    fn regrade(&mut self, event: &Event, batch: Option<&Vec<Graded>>) -> Result<(), ()> {
        let EventKind::Regrade { deleted, at } = &event.kind else {
            return Err(());
        };
        let id = self.receipt_id(&event.name).ok_or(())?;
        let next = batch
            .ok_or(())?
            .iter()
            .find(|graded| graded.receipt.id == id);
        let place = self.find(&event.name);
        match (place, next) {
            (Some(place), None) if *deleted && self.is_deletable(place, at.instant()) => {
                self.receipts.remove(place);
                Ok(())
            }
            (_, None) => Err(()),
            (_, Some(_)) if *deleted => Err(()),
            (None, Some(graded)) => {
                let stored = self.stored(graded.clone());
                self.receipts.push(stored);
                Ok(())
            }
            (Some(place), Some(graded)) => {
                let stored = self.receipts.get_mut(place).ok_or(())?;
                let regrade = StateEvent::Regrade(Box::new(graded.receipt.clone()));
                stored.receipt = state::transition(&stored.receipt, regrade).map_err(|_| ())?;
                stored.graded = graded.clone();
                Ok(())
            }
        }
    }

    /// A PENDING claim-less row the batch no longer produces is deleted unless
    /// it holds reverted overrides (§7).
    fn is_deletable(&self, place: usize, at: Instant) -> bool {
        self.receipts.get(place).is_some_and(|stored| {
            stored.receipt.state == ReceiptState::Pending
                && stored.receipt.grade == Grade::Unasked
                && stored.receipt.reverted.is_empty()
                && stored.receipt.superseded_by.is_none()
                && stored.receipt.computed_at.instant() < at
        })
    }
}
