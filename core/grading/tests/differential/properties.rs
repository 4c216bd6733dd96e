//! What holds of every batch, whatever it is handed.

use std::collections::BTreeMap;

use attest_grading::decide::{GradeError, Graded, grade, grade_batch};
use attest_grading::model::{
    BasisPoints, Claim, Grade, GradeContext, ModelScore, Observation, ReceiptSignal, ReceiptState,
};

use crate::compare::text;
use crate::oracle::{self, Expected};
use crate::policies;
use crate::random::Random;
use crate::world::{World, world};

fn texts(graded: &[Graded]) -> Vec<String> {
    graded.iter().map(|one| text(&one.receipt)).collect()
}

/// Worlds a batch accepts, with the reference's reading of them.
fn graded_worlds(from: u64) -> impl Iterator<Item = (u64, World, Vec<Expected>)> {
    (from..).filter_map(|seed| {
        let world = world(seed);
        let expected = oracle::grade_batch(&world).ok()?;
        Some((seed, world, expected))
    })
}

fn claim_of<'w>(world: &'w World, one: &Expected) -> Option<&'w Claim> {
    let id = one.receipt.claim_id?;
    let at = world.coverage.evaluated_at.instant();
    world
        .claims
        .iter()
        .find(|claim| claim.id == id && claim.observed_at.instant() <= at)
}

#[test]
fn the_order_of_inputs_and_the_thread_change_no_byte() {
    for seed in 0..1000 {
        let world = world(seed);
        let mut random = Random::new(seed);
        let mut shuffled = world.clone();
        random.shuffle(&mut shuffled.observations);
        random.shuffle(&mut shuffled.grants);
        random.shuffle(&mut shuffled.coverage.observers);
        random.shuffle(&mut shuffled.coverage.repairs);
        random.shuffle(&mut shuffled.activity.sessions);
        random.shuffle(&mut shuffled.activity.idle);
        random.shuffle(&mut shuffled.activity.entries);
        random.shuffle(&mut shuffled.activity.adapter_syncs);
        random.shuffle(&mut shuffled.history);
        random.shuffle(&mut shuffled.fixed);
        for grant in &mut shuffled.grants {
            random.shuffle(&mut grant.allowed_types);
            random.shuffle(&mut grant.counterparty_allowlist);
            random.shuffle(&mut grant.declared_scopes);
            random.shuffle(&mut grant.observed_scopes);
            for list in grant.accounts.iter_mut().flat_map(BTreeMap::values_mut) {
                random.shuffle(list);
            }
        }
        let result = |world: &World| grade_batch(world.input()).map(|graded| texts(&graded));
        let plain = result(&world);
        let other = std::thread::scope(|scope| scope.spawn(|| result(&shuffled)).join().unwrap());
        match (&plain, &other) {
            (Ok(plain), Ok(other)) => assert_eq!(plain, other, "seed {seed}"),
            (plain, other) => assert_eq!(plain.is_err(), other.is_err(), "seed {seed}"),
        }
        // Claims come back in their own order; a claim handed in twice is its
        // first copy, so only single ones may change places.
        let mut ids: Vec<_> = world.claims.iter().map(|claim| claim.id).collect();
        ids.sort();
        ids.dedup();
        if let (Ok(mut plain), true) = (plain, ids.len() == world.claims.len()) {
            random.shuffle(&mut shuffled.claims);
            let mut other = result(&shuffled).unwrap();
            plain.sort();
            other.sort();
            assert_eq!(plain, other, "seed {seed}");
        }
    }
}

/// One grade with every candidate scored alike by the model, or by none.
fn scored_alike(world: &World, one: &Expected, points: Option<i64>) -> Graded {
    let model_scores = points.map(|points| {
        let mut rows: Vec<_> = one.candidates.iter().map(|row| row.id).collect();
        rows.sort();
        let score = BasisPoints::new(points).unwrap();
        rows.into_iter()
            .map(|observation_id| ModelScore {
                observation_id,
                score,
            })
            .collect()
    });
    let context = GradeContext {
        model_scores,
        ..one.context.clone()
    };
    let candidates: Vec<&Observation> = one.candidates.iter().collect();
    let claim = claim_of(world, one);
    grade(
        claim,
        &candidates,
        &one.grant,
        &world.policy,
        &world.coverage,
        &context,
    )
    .unwrap()
}

/// §5.4: nothing changes but PARTIAL to VERIFIED, from a floor at or above partial.
fn assert_monotone(world: &World, low: &Graded, high: &Graded, what: &str) -> bool {
    assert_eq!(
        low.receipt.observation_ids, high.receipt.observation_ids,
        "{what}"
    );
    assert_eq!(low.floor, high.floor, "{what}");
    assert!(low.score <= high.score, "{what}");
    let rules = (low.receipt.rule_id.as_str(), high.receipt.rule_id.as_str());
    if rules.0 == rules.1 {
        assert_eq!(low.receipt.grade, high.receipt.grade, "{what}");
        return false;
    }
    assert_eq!(rules, ("partial", "verified"), "{what}");
    assert_eq!(low.receipt.grade, Grade::Partial, "{what}");
    assert_eq!(high.receipt.grade, Grade::Verified, "{what}");
    let partial = world.policy.thresholds().partial;
    assert!(
        low.floor.is_some_and(|floor| floor.at_least(partial)),
        "{what}"
    );
    true
}

fn has_shipped_rules(world: &World) -> bool {
    world.policy.rules() == policies::default_policy().rules()
}

#[test]
fn the_model_only_ever_turns_partial_into_verified() {
    let (mut inputs, mut raised) = (0, 0);
    for (seed, world, expected) in graded_worlds(1_000_000) {
        if inputs >= 20_000 {
            break;
        }
        if !has_shipped_rules(&world) {
            continue;
        }
        for one in expected.iter().filter(|one| one.receipt.claim_id.is_some()) {
            let none = scored_alike(&world, one, None);
            let low = scored_alike(&world, one, Some(0));
            let high = scored_alike(&world, one, Some(10_000));
            let what = format!("seed {seed}, claim {:?}", one.receipt.claim_id);
            assert_eq!(none.score, low.score, "{what}");
            assert_eq!(none.receipt.rule_id, low.receipt.rule_id, "{what}");
            raised += usize::from(assert_monotone(&world, &low, &high, &what));
            inputs += 1;
        }
    }
    assert!(raised > 20, "raised {raised}");
}

#[test]
fn the_model_only_ever_turns_partial_into_verified_in_batches() {
    let (mut inputs, mut raised) = (0, 0);
    for (seed, world, _) in graded_worlds(2_000_000) {
        if inputs >= 20_000 {
            break;
        }
        if !has_shipped_rules(&world) {
            continue;
        }
        let alike = |points: i64| {
            let mut ids: Vec<_> = world.observations.iter().map(|row| row.id).collect();
            ids.sort();
            ids.dedup();
            let score = BasisPoints::new(points).unwrap();
            let list: Vec<ModelScore> = ids
                .into_iter()
                .map(|observation_id| ModelScore {
                    observation_id,
                    score,
                })
                .collect();
            let mut world = world.clone();
            world.model_scores = world
                .claims
                .iter()
                .map(|claim| (claim.id, list.clone()))
                .collect();
            grade_batch(world.input()).unwrap()
        };
        let (low, high) = (alike(0), alike(10_000));
        assert_eq!(low.len(), high.len(), "seed {seed}");
        for (low, high) in low.iter().zip(&high) {
            assert_eq!(low.receipt.id, high.receipt.id, "seed {seed}");
            let what = format!("seed {seed}, receipt {}", low.receipt.id);
            raised += usize::from(assert_monotone(&world, low, high, &what));
            inputs += 1;
        }
    }
    assert!(raised > 20, "raised {raised}");
}

#[test]
fn a_rule_after_the_match_never_matters() {
    let mut compared = 0;
    for (seed, world, expected) in graded_worlds(3_000_000).take(1200) {
        let mut random = Random::new(seed);
        let rules = policies::rules_of(&world.policy);
        assert_eq!(rules.len(), world.policy.rules().len());
        for one in &expected {
            let matched = |id: &str| {
                world
                    .policy
                    .rules()
                    .iter()
                    .position(|rule| rule.id.as_str() == id)
            };
            let Some(at) = matched(one.receipt.rule_id.as_str()) else {
                continue;
            };
            let mut kept = rules[..=at].to_vec();
            let mut later = rules[at + 1..].to_vec();
            later.truncate(random.below(later.len() + 1));
            random.shuffle(&mut later);
            kept.append(&mut later);
            let policy = policies::with_rules(&world.policy, &kept).unwrap();
            let changed = World {
                policy,
                ..world.clone()
            };
            let id = one.receipt.id;
            let graded = grade_batch(changed.input()).unwrap();
            let mut other = graded
                .into_iter()
                .find(|one| one.receipt.id == id)
                .unwrap()
                .receipt;
            other.policy_hash = one.receipt.policy_hash;
            other.inputs_hash = one.receipt.inputs_hash;
            // Whether an OVER_SCOPE rests on its evidence is asked of all rules (§8).
            if one.receipt.grade == Grade::OverScope && !one.receipt.observation_ids.is_empty() {
                other.state = one.receipt.state;
                other.final_at = one.receipt.final_at;
                other.final_from = one.receipt.final_from;
                other.reasons.clone_from(&one.receipt.reasons);
            }
            assert_eq!(text(&other), text(&one.receipt), "seed {seed}");
            compared += 1;
        }
    }
    assert!(compared > 1000);
}

#[test]
fn what_matches_on_time_alone_is_no_evidence() {
    let mut gated = 0;
    for (seed, world, _) in graded_worlds(4_000_000).take(4000) {
        for one in grade_batch(world.input()).unwrap() {
            let receipt = &one.receipt;
            let Some(floor) = one.floor else {
                continue;
            };
            let content = receipt.signals.iter().any(|(signal, value)| {
                let time = [
                    ReceiptSignal::TimeProximity,
                    ReceiptSignal::ModelScore,
                    ReceiptSignal::Score,
                ];
                !time.contains(&signal) && value.ten_thousandths() > 0
            });
            let evidence = matches!(receipt.grade, Grade::Verified | Grade::Partial)
                || !receipt.observation_ids.is_empty();
            if !content {
                assert!(
                    floor.is_zero() && !evidence,
                    "seed {seed}: {}",
                    text(receipt)
                );
                assert_eq!(one.score, Some(floor), "seed {seed}");
                gated += 1;
            }
            let partial = world.policy.thresholds().partial;
            assert_eq!(
                floor.at_least(partial),
                !receipt.observation_ids.is_empty(),
                "seed {seed}"
            );
        }
    }
    assert!(gated > 100, "gated {gated}");
}

#[test]
fn a_receipt_waits_or_is_final() {
    for (seed, world, _) in graded_worlds(5_000_000).take(4000) {
        for one in grade_batch(world.input()).unwrap() {
            let receipt = &one.receipt;
            assert_eq!(
                receipt.broken_invariant(),
                None,
                "seed {seed}: {}",
                text(receipt)
            );
            let is_final = receipt.state == ReceiptState::Final;
            assert_eq!(receipt.final_at.is_some(), is_final, "seed {seed}");
            assert_eq!(receipt.final_from.is_none(), is_final, "seed {seed}");
        }
    }
}

#[test]
fn grade_alone_gives_what_the_batch_gave() {
    for (seed, world, expected) in graded_worlds(6_000_000).take(3000) {
        for one in &expected {
            let candidates: Vec<&Observation> = one.candidates.iter().collect();
            let claim = claim_of(&world, one);
            let context = &one.context;
            let alone = grade(
                claim,
                &candidates,
                &one.grant,
                &world.policy,
                &world.coverage,
                context,
            );
            assert_eq!(
                text(&alone.unwrap().receipt),
                text(&one.receipt),
                "seed {seed}"
            );
        }
    }
}

#[test]
fn grade_alone_refuses_what_is_no_candidate() {
    let (mut refused, mut admitted) = (0, 0);
    for (seed, world, expected) in graded_worlds(7_000_000).take(1500) {
        let at = world.coverage.evaluated_at.instant();
        for one in &expected {
            let Some(claim) = claim_of(&world, one) else {
                continue;
            };
            for row in &world.observations {
                let foreign = row.observed_at.instant() <= at
                    && !oracle::is_candidate(claim, row, &world.policy);
                let result = grade(
                    Some(claim),
                    &[row],
                    &one.grant,
                    &world.policy,
                    &world.coverage,
                    &one.context,
                );
                if foreign {
                    assert_eq!(
                        result.err(),
                        Some(GradeError::ForeignCandidate(row.id)),
                        "seed {seed}"
                    );
                    refused += 1;
                } else {
                    assert!(result.is_ok(), "seed {seed}: {:?}", result.err());
                    admitted += 1;
                }
            }
        }
    }
    assert!(refused > 500 && admitted > 500);
}
