//! A scenario walked through: what its grading looked at, subject by subject,
//! then what each event did. For showing; [`super::run`] alone judges.

use attest_canon::Id;

use crate::decide::single;
use crate::decide::trace::{RowFate, Trace, TraceSubject};
use crate::decide::{Batch, GradingError};

use super::ScenarioError;
use super::build::World;
use super::format::{Mode, Scenario};
use super::run::{Alone, Outcome, RefName, name, run};

/// A scenario, graded and traced.
#[derive(Debug)]
pub struct Walk {
    /// Its objects.
    pub world: World,
    /// The traces of its first grading, in the order its receipts come back.
    pub subjects: Vec<(RefName, Trace)>,
    /// What became of each observation, in file order; empty in grade mode,
    /// which assigns nothing.
    pub rows: Vec<(Id, RowFate)>,
    /// Its receipts, its events, and where it differs from what was expected.
    pub outcome: Outcome,
}

/// Walks through a scenario.
///
/// # Errors
///
/// As [`run`].
pub fn walk(scenario: &Scenario) -> Result<Walk, ScenarioError> {
    let outcome = run(scenario)?;
    let world = World::build(scenario).map_err(ScenarioError::Policy)?;
    let mut rows = Vec::new();
    let subjects = match (scenario.mode, &scenario.input.grade) {
        (Mode::Grade, Some(row)) => {
            let alone = Alone::new(&world, row)?;
            let mut trace = single::trace(
                alone.claim,
                &alone.candidates,
                alone.grant,
                &world.policy,
                &world.coverage,
                &alone.context,
            )
            .map_err(GradingError::Grade)?;
            if let TraceSubject::Orphan(orphan) = &mut trace.subject {
                orphan.attribution = alone.attribution;
            }
            vec![trace]
        }
        _ => {
            let batch = Batch::new(world.batch_input(&world.policy, &world.coverage))?;
            for row in &world.observations {
                rows.push((row.id, batch.row_fate(row.id)?));
            }
            batch
                .grade()?
                .iter()
                .map(|graded| batch.trace_of(graded))
                .filter_map(Result::transpose)
                .collect::<Result<Vec<Trace>, GradingError>>()?
        }
    };
    let subjects = subjects
        .into_iter()
        .map(|trace| {
            let scope = trace.context.scope.as_deref();
            (name(scenario, &world, &trace.receipt, scope), trace)
        })
        .collect();
    Ok(Walk {
        world,
        subjects,
        rows,
        outcome,
    })
}
