//! Writes a long ledger for the replay benchmark (`benches/replay.sh`): 90 days,
//! a batch an hour, four agents, more than 100,000 receipts.
//!
//! The days are simulated in parts, each on its own, and put together; what
//! meets across a seam (a calendar event of the next part, seen before it began)
//! is left out, so that every receipt replays.
//!
//! `long_ledger [CLAIMS_PER_DAY] [PARTS]`; 1400 claims and 18 parts by default.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::arithmetic_side_effects,
    reason = "a tool for a benchmark, with known small numbers"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::sync::Mutex;

use attest_canon::Id;
use attest_grading::ledger::Ledger;
use attest_grading::model::{Activity, Receipt};
use attest_grading::replay::Replayer;
use attest_grading::simulate::{START, Settings, simulate};

const DAYS: u32 = 90;
const DAY_MS: i64 = 86_400_000;

fn main() {
    let mut arguments = std::env::args().skip(1).map(|text| text.parse::<u32>());
    let claims = arguments
        .next()
        .map_or(1400, |number| number.expect("a number"));
    let parts = arguments
        .next()
        .map_or(18, |number| number.expect("a number"));
    let days = DAYS / parts;
    let done = Mutex::new(BTreeMap::new());
    let next = Mutex::new(0..parts);
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                while let Some(part) = { next.lock().unwrap().next() } {
                    let mut settings = Settings::new(u64::from(part), days);
                    settings.claims_per_day = claims;
                    settings.start = START.plus(i64::from(part * days) * DAY_MS);
                    let ledger = simulate(&settings).ledger;
                    eprintln!("part {part}: {} receipts", ledger.receipts.len());
                    done.lock().unwrap().insert(part, ledger);
                }
            });
        }
    });
    let mut whole = Ledger::default();
    for (_, part) in done.into_inner().unwrap() {
        append(&mut whole, part);
    }
    loop {
        let report = Replayer::new(whole.snapshot()).report();
        eprintln!(
            "{} receipts in {} batches, {} at a seam",
            report.receipts, report.batches, report.mismatched
        );
        if report.mismatched == 0 {
            break;
        }
        let gone: BTreeSet<Id> = report.mismatches.iter().map(|one| one.receipt_id).collect();
        let is_gone = |receipt: &&Receipt| gone.contains(&receipt.id);
        let claims: BTreeSet<Id> = whole
            .receipts
            .iter()
            .filter(is_gone)
            .filter_map(|receipt| receipt.claim_id)
            .collect();
        whole.receipts.retain(|receipt| !gone.contains(&receipt.id));
        whole.claims.retain(|claim| !claims.contains(&claim.id));
    }
    let named: BTreeSet<_> = whole.receipts.iter().map(|held| held.inputs_hash).collect();
    whole.receipt_inputs.retain(|hash, _| named.contains(hash));
    let used: BTreeSet<_> = whole
        .receipt_inputs
        .values()
        .map(|held| held.coverage_hash)
        .collect();
    whole.batch_coverages.retain(|hash, _| used.contains(hash));
    std::io::stdout()
        .write_all(whole.to_text().as_bytes())
        .unwrap();
}

fn append(whole: &mut Ledger, part: Ledger) {
    let held: BTreeSet<Id> = whole.receipts.iter().map(|receipt| receipt.id).collect();
    let rows: BTreeSet<Id> = whole.observations.iter().map(|row| row.id).collect();
    // An agent's permission has one receipt, whichever part made it.
    let receipts = part.receipts.into_iter();
    whole
        .receipts
        .extend(receipts.filter(|one| !held.contains(&one.id)));
    whole.claims.extend(part.claims);
    let observations = part.observations.into_iter();
    whole
        .observations
        .extend(observations.filter(|row| !rows.contains(&row.id)));
    whole.grants = part.grants;
    whole.coverage.extend(part.coverage);
    let activity = whole.activity.get_or_insert_with(Activity::default);
    let more = part.activity.unwrap_or_default();
    activity.sessions.extend(more.sessions);
    activity.idle.extend(more.idle);
    activity.entries.extend(more.entries);
    activity.adapter_syncs = more.adapter_syncs;
    let scores = whole.model_scores.get_or_insert_default();
    scores.extend(part.model_scores.unwrap_or_default());
    whole.meta.last_batch_instant = part.meta.last_batch_instant;
    whole.meta.repairs.extend(part.meta.repairs);
    whole.receipt_inputs.extend(part.receipt_inputs);
    whole.batch_coverages.extend(part.batch_coverages);
    whole.policies.extend(part.policies);
}
