//! Stored batches derived again under another policy (`Replayer::under`).
//! Figures are worked out by hand beside each case.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "worlds are built from the golden files"
)]

use attest_canon::json::{Limits, Value};
use attest_grading::decide::grade_batch;
use attest_grading::ledger::Ledger;
use attest_grading::model::Grade;
use attest_grading::policy::{DEFAULT_POLICY, Policy, load_policy, load_policy_value};
use attest_grading::replay::{Rederived, Replayer, Under};
use attest_grading::scenario::Scenario;
use attest_grading::scenario::build::World;
use attest_grading::scenario::walk;

const MIDNIGHT: &str = include_str!("../../../golden/12-timezone-midnight-edge.json");
const UNASKED: &str = include_str!("../../../golden/07-unasked-attribution-0-7.json");
const CEILING: &str = include_str!("../../../golden/09-amount-above-ceiling.json");
const SCOPES: &str = include_str!("../../../golden/50-observed-scope-not-declared.json");

/// The ledger a scenario's one batch leaves.
fn ledger(scenario: &str) -> Ledger {
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

fn patched(patch: &str) -> Policy {
    let patch = Value::parse(patch, Limits::LEDGER).unwrap();
    let document = Value::parse(DEFAULT_POLICY, Limits::LEDGER).unwrap();
    load_policy_value(&document.merged(patch)).unwrap()
}

fn under(ledger: &Ledger, policy: &Policy) -> Vec<Under> {
    Replayer::new(ledger.snapshot())
        .under(policy, |_| true, |_| true)
        .unwrap()
}

fn grades(ledger: &Ledger, policy: &Policy) -> Vec<Option<Grade>> {
    let grade = |one: &Under| match &one.rederived {
        Rederived::Receipt(receipt) => Some(receipt.grade),
        Rederived::Nothing => None,
        Rederived::Underivable(field) => panic!("{field}"),
    };
    under(ledger, policy).iter().map(grade).collect()
}

/// Under its own policy every receipt is what it was: the same as a replay.
#[test]
fn its_own_policy_changes_nothing() {
    let shipped = load_policy(DEFAULT_POLICY).unwrap();
    for scenario in [MIDNIGHT, UNASKED, CEILING, SCOPES] {
        let ledger = ledger(scenario);
        assert!(!ledger.receipts.is_empty());
        let found = under(&ledger, &shipped);
        assert_eq!(found.len(), ledger.receipts.len());
        for one in found {
            let mut stored = ledger.receipts.iter();
            let stored = stored.find(|receipt| receipt.id == one.receipt_id).unwrap();
            assert_eq!(one.rederived, Rederived::Receipt(Box::new(stored.clone())));
        }
    }
}

/// 787/792 is at or above 0.9936 (10000 · 787 = 7870000 ≥ 9936 · 792 = 7869312) and below 0.9937
/// (9937 · 792 = 7870104).
#[test]
fn a_threshold_on_either_side_of_the_score() {
    let ledger = ledger(MIDNIGHT);
    for (verified, grade) in [("0.9936", Grade::Verified), ("0.9937", Grade::Partial)] {
        let policy = patched(&format!(r#"{{"thresholds":{{"verified":{verified}}}}}"#));
        assert_eq!(grades(&ledger, &policy), [Some(grade)], "{verified}");
    }
}

/// The likely agent is at 0.7: at a threshold of 0.7 the receipt stands, at 0.7001 there is none.
#[test]
fn an_unasked_action_that_is_no_longer_likely() {
    let ledger = ledger(UNASKED);
    for (threshold, there) in [("0.7", true), ("0.7001", false)] {
        let policy = patched(&format!(r#"{{"unasked":{{"threshold":{threshold}}}}}"#));
        let found = grades(&ledger, &policy);
        assert_eq!(found[0].is_some(), there, "{threshold}: {found:?}");
    }
}

/// Without the rule that reads it, a permission beyond what was declared makes no receipt.
#[test]
fn a_policy_without_the_rule_makes_no_scope_receipt() {
    let ledger = ledger(SCOPES);
    let scopes = ledger.receipts.iter().filter(|one| one.claim_id.is_none());
    assert!(scopes.clone().count() > 0);
    let policy = patched(
        r#"{"rules":[{"id":"no_coverage","when":{"coverage":"none"},"then":"UNVERIFIABLE"}]}"#,
    );
    let found = under(&ledger, &policy);
    for receipt in scopes {
        let one = found.iter().find(|one| one.receipt_id == receipt.id);
        assert_eq!(one.unwrap().rederived, Rederived::Nothing);
    }
}

#[test]
fn it_stops_when_told_to() {
    let ledger = ledger(MIDNIGHT);
    let replayer = Replayer::new(ledger.snapshot());
    let shipped = load_policy(DEFAULT_POLICY).unwrap();
    assert_eq!(replayer.under(&shipped, |_| true, |_| false), None);
    assert_eq!(replayer.report_watched(|_| false), None);
    // Nothing is wanted, nothing is derived.
    assert_eq!(
        replayer.under(&shipped, |_| false, |_| true),
        Some(Vec::new())
    );
}

/// Every scenario can be walked through: a trace for each receipt of its first grading, an entry
/// for each event, and what became of each row.
#[test]
fn every_scenario_can_be_walked_through() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../golden");
    let mut walked = 0;
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_none_or(|end| end != "json") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let scenario = Scenario::read(&text).unwrap();
        let walk = walk(&scenario).unwrap();
        let name = path.display();
        assert_eq!(walk.outcome.differences, [], "{name}");
        assert_eq!(walk.outcome.events.len(), scenario.events.len(), "{name}");
        for (event, applied) in scenario.events.iter().zip(&walk.outcome.events) {
            assert_eq!(event.rejected, applied.refused.is_some(), "{name}");
        }
        // A receipt no event touched is what its trace says.
        for stored in &walk.outcome.receipts {
            let subject = walk
                .subjects
                .iter()
                .find(|(subject, _)| *subject == stored.name);
            let touched = scenario
                .events
                .iter()
                .any(|event| walk.world.receipt_id_of(&event.name) == Some(stored.receipt.id));
            if !touched {
                assert_eq!(subject.unwrap().1.receipt, stored.receipt, "{name}");
            }
        }
        walked += 1;
    }
    assert!(walked >= 115, "{walked}");
}
