//! Small crowded worlds: everything one batch is handed, drawn so that claims
//! and observations stand within a millisecond of each other's edges.

mod maker;
mod subjects;
mod surroundings;
mod texts;
mod views;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use attest_canon::Id;
use attest_grading::decide::{BatchInput, PreAssignment};
use attest_grading::model::{
    Activity, Claim, Coverage, Grant, ModelScore, Observation, canonical_text,
};
use attest_grading::policy::Policy;

use crate::policies;

/// Everything a batch is handed.
#[derive(Clone)]
pub struct World {
    pub claims: Vec<Claim>,
    pub observations: Vec<Observation>,
    pub grants: Vec<Grant>,
    pub policy: Policy,
    pub coverage: Coverage,
    pub activity: Activity,
    pub history: Vec<Claim>,
    pub fixed: Vec<PreAssignment>,
    pub model_scores: BTreeMap<Id, Vec<ModelScore>>,
}

impl World {
    pub fn input(&self) -> BatchInput<'_> {
        BatchInput {
            claims: self.claims.iter().collect(),
            observations: self.observations.iter().collect(),
            grants: self.grants.iter().collect(),
            policy: &self.policy,
            coverage: &self.coverage,
            activity: &self.activity,
            history: self.history.iter().collect(),
            fixed: &self.fixed,
            model_scores: &self.model_scores,
        }
    }

    /// The world as text, for a failing test.
    pub fn describe(&self) -> String {
        let mut out = String::new();
        let mut list = |name: &str, lines: Vec<String>| {
            for line in lines {
                writeln!(out, "{name} {line}").unwrap();
            }
        };
        list("claim", self.claims.iter().map(canonical_text).collect());
        list(
            "observation",
            self.observations.iter().map(canonical_text).collect(),
        );
        list("grant", self.grants.iter().map(canonical_text).collect());
        list("history", self.history.iter().map(canonical_text).collect());
        list(
            "fixed",
            self.fixed.iter().map(|pair| format!("{pair:?}")).collect(),
        );
        list(
            "modelScores",
            self.model_scores
                .iter()
                .map(|scores| format!("{scores:?}"))
                .collect(),
        );
        list("coverage", vec![canonical_text(&self.coverage)]);
        list("activity", vec![canonical_text(&self.activity)]);
        list(
            "policy",
            vec![if self.policy == policies::default_policy() {
                "shipped".to_owned()
            } else {
                self.policy.canonical().to_owned()
            }],
        );
        out
    }
}

/// The world of a seed; every entity in it is one that a ledger may hold.
pub fn world(seed: u64) -> World {
    let world = maker::Maker::new(seed).world();
    for claim in world.claims.iter().chain(&world.history) {
        assert_eq!(claim.problem(), None, "seed {seed}");
    }
    for row in &world.observations {
        assert_eq!(row.problem(), None, "seed {seed}");
    }
    for entry in &world.coverage.observers {
        assert_eq!(entry.problem(), None, "seed {seed}");
    }
    world
}
