//! The core against the reference written a second time, the slow and obvious
//! way ([`oracle`]), over crowded random worlds ([`world`]): whole receipts,
//! errors and pre-assignments; and the properties that hold of every batch.
//!
//! More worlds than a normal run grades:
//! `cargo test -p attest-grading --test differential -- --ignored`; from another
//! seed, or more of them: `DIFFERENTIAL_SEED=1000000 DIFFERENTIAL_WORLDS=500000`
//! before it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    missing_docs,
    reason = "test support: a broken assumption fails the test that made it"
)]

mod compare;
mod faults;
mod oracle;
mod policies;
mod properties;
mod random;
mod receipts;
mod shrink;
mod world;

use std::collections::BTreeMap;

use attest_grading::decide::grade_batch;
use attest_grading::model::ReasonCode;

use world::world;

/// Grades the worlds of the seeds both ways; panics with the first that
/// differs, shrunken. Counts what the worlds hit.
fn compare_worlds(seeds: std::ops::Range<u64>) -> BTreeMap<String, usize> {
    let mut hits = BTreeMap::new();
    for seed in seeds {
        let world = world(seed);
        if let Err(difference) = compare::compare(&world) {
            let smallest = shrink::shrink(&world, |world| compare::compare(world).is_err());
            let shrunken = compare::compare(&smallest).err().unwrap_or(difference);
            panic!("seed {seed}:\n{shrunken}\n{}", smallest.describe());
        }
        match grade_batch(world.input()) {
            Ok(graded) => {
                for one in graded {
                    let receipt = one.receipt;
                    let result = format!("{} {}", receipt.grade, receipt.state);
                    *hits.entry(result).or_default() += 1;
                    *hits.entry(receipt.rule_id.to_string()).or_default() += 1;
                    for reason in &receipt.reasons {
                        *hits.entry(reason.code().to_string()).or_default() += 1;
                    }
                }
            }
            Err(error) => *hits.entry(error.code().1.to_owned()).or_default() += 1,
        }
    }
    hits
}

/// Every reason grading gives, every refusal of a batch, every grade and every
/// shipped rule, often.
fn assert_crowded(hits: &BTreeMap<String, usize>, least: usize) {
    let lifecycle = [ReasonCode::OverrideUser, ReasonCode::Superseded];
    let reasons = ReasonCode::ALL
        .iter()
        .filter(|code| !lifecycle.contains(code))
        .map(|code| code.as_str());
    let others = [
        "stale_evaluated_at",
        "claim_fixed",
        "ambiguous_grant",
        "missing_grant",
        "not_one_to_one",
        "VERIFIED FINAL",
        "VERIFIED PENDING",
        "PARTIAL FINAL",
        "PARTIAL PENDING",
        "NOT_FOUND FINAL",
        "UNASKED FINAL",
        "UNASKED PENDING",
        "OVER_SCOPE FINAL",
        "OVER_SCOPE PENDING",
        "UNVERIFIABLE FINAL",
        "UNVERIFIABLE PENDING",
        "unasked",
        "over_scope_observed",
        "over_scope",
        "over_allowlist",
        "over_ceiling",
        "over_ceiling_cumulative",
        "no_target",
        "underspecified",
        "no_coverage",
        "verified",
        "partial",
        "pending",
        "partial_coverage",
        "not_found",
        "default_unverifiable",
    ];
    let rare: Vec<_> = reasons
        .chain(others)
        .map(|what| (what, hits.get(what).copied().unwrap_or(0)))
        .filter(|(_, times)| *times < least)
        .collect();
    assert!(rare.is_empty(), "rarely hit: {rare:?}");
}

#[test]
fn receipts_and_refusals_are_those_of_the_reference() {
    let hits = compare_worlds(0..6000);
    println!("{hits:#?}");
    assert_crowded(&hits, 8);
}

#[test]
#[ignore = "minutes; the command is at the head of this file"]
fn receipts_and_refusals_are_those_of_the_reference_over_many_worlds() {
    let number = |name: &str, otherwise: u64| {
        std::env::var(name).map_or(otherwise, |text| text.parse().unwrap())
    };
    let from = number("DIFFERENTIAL_SEED", 100_000);
    compare_worlds(from..from + number("DIFFERENTIAL_WORLDS", 200_000));
}
