//! Optional: ledgers written by an independent implementation load, replay
//! whole and are written back equal. Looks for them under `ATTEST_SHARED`, or
//! beside the repository, and says when it is skipped.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a test stops at the first thing it cannot read"
)]

use std::path::PathBuf;

use attest_grading::ledger::Ledger;
use attest_grading::replay::Replayer;

fn shared() -> Option<PathBuf> {
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let root = std::env::var_os("ATTEST_SHARED").map_or(beside, PathBuf::from);
    let ledgers = root.join("conformance/ledgers");
    ledgers.is_dir().then_some(ledgers)
}

#[test]
fn sample_ledgers_load_replay_and_round_trip() {
    let Some(folder) = shared() else {
        println!("skipped: no sample ledgers beside the repository");
        return;
    };
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    let mut faults = Vec::new();
    for file in &files {
        let text = std::fs::read_to_string(file).unwrap();
        let ledger = match Ledger::read(&text) {
            Ok(ledger) => ledger,
            Err(error) => {
                faults.push(format!("{}: {error}", file.display()));
                continue;
            }
        };
        let report = Replayer::new(ledger.snapshot()).report();
        println!(
            "{}: {} of {} reproduced",
            file.display(),
            report.reproduced,
            report.receipts
        );
        for mismatch in &report.mismatches {
            faults.push(format!("{}: {mismatch:?}", file.display()));
        }
        let written = ledger.to_text();
        let again = Ledger::read(&written).map(|ledger| ledger.to_text());
        if again.as_ref() != Ok(&written) {
            faults.push(format!("{}: is not written back equal", file.display()));
        }
    }
    println!("{} ledgers tried", files.len());
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
