//! Faults this comparison found, each as the least world that shows it.

use std::collections::BTreeMap;

use attest_canon::{Id, sha256};
use attest_grading::decide::{PreAssignment, grade_batch};
use attest_grading::model::{
    ActionType, Activity, AgentId, Cents, Claim, Coverage, Grant, Instant, IsoTs, Precision, Token,
};

use crate::policies;
use crate::world::World;

fn at(text: &str) -> IsoTs {
    IsoTs::parse(text).unwrap()
}

/// A batch at 20:00 of the shipped policy, with one grant and nothing else.
fn blank() -> World {
    World {
        claims: Vec::new(),
        observations: Vec::new(),
        grants: vec![Grant {
            agent: AgentId::Muse,
            allowed_types: ActionType::ALL.to_vec(),
            counterparty_allowlist: Vec::new(),
            spend_ceiling: None,
            spend_currency: None,
            declared_scopes: Vec::new(),
            observed_scopes: Vec::new(),
            accounts: None,
            updated_at: at("2026-10-01T00:00:00Z"),
        }],
        policy: policies::default_policy(),
        coverage: Coverage {
            evaluated_at: at("2026-10-06T20:00:00Z"),
            observers: Vec::new(),
            repairs: Vec::new(),
        },
        activity: Activity::default(),
        history: Vec::new(),
        fixed: Vec::new(),
        model_scores: BTreeMap::new(),
    }
}

fn purchase(label: &str, cents: i64, claimed: &str) -> Claim {
    let raw_hash = sha256(label.as_bytes());
    Claim {
        id: Id::from_digest(&raw_hash),
        request_id: None,
        agent: AgentId::Muse,
        action: ActionType::PurchaseMade,
        counterparty: None,
        amount: Cents::new(cents),
        currency: None,
        subject_hint: None,
        claimed_at: at(claimed),
        precision: Precision::Minute,
        claimed_at_end: None,
        target_at: None,
        observed_at: at("2026-10-06T19:00:00Z"),
        source_kind: Token::parse("activity_view").unwrap(),
        extractor: None,
        raw_hash,
    }
}

fn prior_spends(world: &World) -> Vec<i64> {
    let graded = grade_batch(world.input()).unwrap();
    graded
        .iter()
        .map(|one| one.context.prior_spend_cents)
        .collect()
}

/// §6.3: no copy of a claim is its own earlier spend, wherever the copy stands
/// among other claims.
#[test]
fn an_earlier_copy_of_a_claim_is_never_its_prior_spend() {
    let claim = purchase("claim", 700, "2026-10-06T10:00:50Z");
    let copy = purchase("claim", 700, "2026-10-06T10:00:10Z");
    let before = purchase("before", 30, "2026-10-06T09:00:00Z");
    let between = purchase("between", 4, "2026-10-06T10:00:30Z");
    for history in [
        vec![copy.clone()],
        vec![before.clone(), copy.clone()],
        vec![copy.clone(), between.clone()],
        vec![before.clone(), copy.clone(), between.clone()],
    ] {
        let others = history.iter().filter(|other| other.id != claim.id);
        let expected: i64 = others
            .filter_map(|other| other.amount)
            .map(Cents::get)
            .sum();
        let world = World {
            claims: vec![claim.clone()],
            history,
            ..blank()
        };
        assert_eq!(prior_spends(&world), [expected]);
    }
}

/// A copy of a claim that was stored after the batch's instant.
fn later_copy(claim: &Claim) -> Claim {
    Claim {
        observed_at: at("2026-10-06T20:00:00.001Z"),
        ..claim.clone()
    }
}

/// §3: entries are filtered before use, so a copy that is ignored does not
/// stand for the claim.
#[test]
fn a_copy_stored_later_never_hides_a_claim_that_is_graded() {
    let claim = purchase("claim", 700, "2026-10-06T10:00:00Z");
    let claims = vec![later_copy(&claim), claim];
    let world = World { claims, ..blank() };
    assert_eq!(grade_batch(world.input()).unwrap().len(), 1);
}

/// §3: the history lists a claim only by a copy that the batch sees; a graded
/// claim it does not list is added.
#[test]
fn a_copy_stored_later_never_keeps_a_graded_claim_out_of_the_history() {
    let first = purchase("first", 700, "2026-10-06T10:00:00Z");
    let second = purchase("second", 5, "2026-10-06T11:00:00Z");
    let history = vec![later_copy(&first)];
    let world = World {
        claims: vec![first, second],
        history,
        ..blank()
    };
    assert_eq!(prior_spends(&world), [0, 700]);
}

/// §3: `claim_fixed` is about a claim that is graded.
#[test]
fn a_claim_that_is_not_graded_is_never_claim_fixed() {
    let claim = purchase("claim", 700, "2026-10-06T10:00:00Z");
    let fixed = vec![PreAssignment {
        observation_id: Id::from_digest(&sha256(b"row")),
        claim_id: Some(claim.id),
        after: at("2026-10-06T12:00:00Z").instant(),
        until: None::<Instant>,
        released: Vec::new(),
    }];
    let world = World {
        claims: vec![later_copy(&claim)],
        fixed: fixed.clone(),
        ..blank()
    };
    assert_eq!(grade_batch(world.input()).unwrap().len(), 0);
    let world = World {
        claims: vec![claim],
        fixed,
        ..blank()
    };
    let refused = grade_batch(world.input()).unwrap_err();
    assert_eq!(refused.code(), ("BatchError", "claim_fixed"));
}
