//! `demo SCENARIO`: the ledger a batch scenario would leave, as a file.

use std::path::Path;

use attest_grading::decide::grade_batch;
use attest_grading::ledger::Ledger;

use crate::store::{self, Source};

use super::{Outcome, print};

/// Writes the ledger of a scenario's one batch to standard output.
pub(super) fn run(path: &Path) -> Outcome {
    let (opened, _) = store::open(path).map_err(|error| error.to_string())?;
    let Source::Scenario(world) = &opened.source else {
        return Err("the demo is made from a golden scenario".to_owned());
    };
    let mut ledger = Ledger {
        exported_at: Some(world.coverage.evaluated_at),
        claims: world.claims.clone(),
        observations: world.observations.clone(),
        grants: world.grants.clone(),
        coverage: world.coverage.observers.clone(),
        activity: Some(world.activity.clone()),
        ..Ledger::default()
    };
    let next = opened
        .next_batch(world.coverage.evaluated_at)
        .map_err(|error| error.to_string())?;
    let graded = grade_batch(next.input(&world.policy)).map_err(|error| error.to_string())?;
    ledger
        .store_batch(&world.coverage, &world.policy, graded)
        .map_err(|error| error.to_string())?;
    print(&ledger.to_text())
}
