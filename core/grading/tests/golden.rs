//! Every golden scenario of the repository holds.
#![allow(
    clippy::unwrap_used,
    reason = "a test stops at the first thing it cannot read"
)]

use std::path::PathBuf;

use attest_grading::scenario::{self, Scenario};

fn files() -> Vec<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../golden");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "json"))
        .collect();
    files.sort();
    files
}

#[test]
fn every_golden_scenario_holds() {
    let mut faults = Vec::new();
    let files = files();
    for file in &files {
        let name = file.file_name().unwrap().to_string_lossy();
        let text = std::fs::read_to_string(file).unwrap();
        match Scenario::read(&text).map_err(scenario::ScenarioError::Format) {
            Err(error) => faults.push(format!("{name}: {error}")),
            Ok(golden) => match scenario::run(&golden) {
                Err(error) => faults.push(format!("{name}: {error}")),
                Ok(outcome) => {
                    for found in &outcome.differences {
                        faults.push(format!("{name}: {found}"));
                    }
                }
            },
        }
    }
    assert!(files.len() >= 115, "only {} golden scenarios", files.len());
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}
