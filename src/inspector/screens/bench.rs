//! A ledger and the inspector on it, driven by keys, the work done at once: for the screens' tests.

use std::collections::BTreeMap;
use std::sync::Arc;

use attest_grading::decide::grade_batch;
use attest_grading::ledger::Ledger;
use attest_grading::policy::{DEFAULT_POLICY, Policy, load_policy};
use attest_grading::scenario::Scenario;
use attest_grading::scenario::build::World;

use super::Facts;
use crate::inspector::app::state::{App, Effect, Message};
use crate::inspector::app::tests::{empty_app, screen, type_keys};
use crate::inspector::app::update;
use crate::inspector::row::{Row, Subject};
use crate::inspector::work::{Opened, Progress, Request, Told};

/// The ledger a scenario's one batch leaves.
pub fn ledger(scenario: &str) -> Ledger {
    let scenario = Scenario::read(scenario).unwrap();
    let world = World::build(&scenario).unwrap();
    let mut ledger = Ledger {
        exported_at: Some(world.coverage.evaluated_at),
        claims: world.claims.clone(),
        observations: world.observations.clone(),
        grants: world.grants.clone(),
        coverage: world.coverage.observers.clone(),
        activity: Some(world.activity.clone()),
        ..Ledger::default()
    };
    let graded = grade_batch(world.batch_input(&world.policy, &world.coverage)).unwrap();
    ledger
        .store_batch(&world.coverage, &world.policy, graded)
        .unwrap();
    ledger
}

/// The demo ledger.
pub fn demo() -> Ledger {
    Ledger::read(crate::desk::DEMO).unwrap()
}

/// The rows of a ledger's stored receipts.
pub fn rows(ledger: &Ledger) -> Vec<Row> {
    let claims: BTreeMap<_, _> = ledger.claims.iter().map(|one| (one.id, one)).collect();
    let seen: BTreeMap<_, _> = ledger
        .observations
        .iter()
        .map(|one| (one.id, one))
        .collect();
    let row = |receipt: &attest_grading::model::Receipt| {
        let claim = receipt.claim_id.and_then(|id| claims.get(&id));
        let orphan = receipt.observation_ids.first().and_then(|id| seen.get(id));
        let subject = Subject {
            action: claim.map(|one| one.action).or(orphan.map(|one| one.action)),
            is_withheld: false,
            at: claim.map_or_else(
                || orphan.map_or(receipt.computed_at, |one| one.occurred_at),
                |one| one.claimed_at,
            ),
            who: claim
                .and_then(|one| one.counterparty.as_deref())
                .unwrap_or_default(),
            what: claim
                .and_then(|one| one.subject_hint.as_deref())
                .unwrap_or_default(),
            score: None,
        };
        Row::new(receipt, &subject)
    };
    ledger.receipts.iter().map(row).collect()
}

/// The inspector on a ledger.
pub struct Bench {
    pub app: App,
    pub ledger: Option<Ledger>,
    pub world: Option<World>,
    policy: Policy,
}

impl Bench {
    pub fn new(ledger: Ledger, columns: u16, lines: u16) -> Self {
        let rows = rows(&ledger);
        Self::open(Some(ledger), None, rows, columns, lines)
    }

    /// On a golden scenario, which stores nothing.
    pub fn scenario(scenario: &str, columns: u16, lines: u16) -> Self {
        let world = World::build(&Scenario::read(scenario).unwrap()).unwrap();
        Self::open(None, Some(world), Vec::new(), columns, lines)
    }

    fn open(
        ledger: Option<Ledger>,
        world: Option<World>,
        rows: Vec<Row>,
        columns: u16,
        lines: u16,
    ) -> Self {
        let mut bench = Self {
            app: empty_app(columns, lines),
            ledger,
            world,
            policy: load_policy(DEFAULT_POLICY).unwrap(),
        };
        let opened = Opened {
            rows,
            ..Opened::default()
        };
        let told = Message::Told(Told::Opened(Arc::new(opened)));
        let effects = update(&mut bench.app, told);
        bench.serve(effects);
        bench
    }

    pub fn facts(&self) -> Facts<'_> {
        let at = match (&self.ledger, &self.world) {
            (Some(ledger), _) => ledger.default_instant(),
            (None, Some(world)) => Some(world.coverage.evaluated_at),
            (None, None) => None,
        };
        Facts {
            path: None,
            ledger: self.ledger.as_ref(),
            scenario: self.world.as_ref(),
            policy: &self.policy,
            at: at.unwrap(),
            explainer: &Nobody,
        }
    }

    /// Types keys; what the screen asks is answered at once.
    pub fn press(&mut self, keys: &str) {
        for key in keys.split(' ') {
            let effects = type_keys(&mut self.app, key);
            self.serve(effects);
        }
    }

    fn serve(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            let Effect::Ask(Request::Query(query)) = effect else {
                continue;
            };
            let answer = query.answer(Some(&self.facts()), &Progress::silent());
            let told = Told::Answered(query.screen(), Box::new(answer));
            let effects = update(&mut self.app, Message::Told(told));
            self.serve(effects);
        }
    }

    pub fn screen(&self) -> String {
        screen(&self.app)
    }
}

/// Explains nothing: what these screens show they derive themselves.
#[derive(Debug)]
struct Nobody;

impl super::Explainer for Nobody {
    fn explain(
        &self,
        _receipt: attest_canon::Id,
    ) -> Result<crate::inspector::work::Explained, String> {
        Err("nothing is explained here".to_owned())
    }
}
