//! `golden run PATH… [--json]`.

use std::path::{Path, PathBuf};

use attest_grading::scenario::{self, Scenario, ScenarioError};
use attest_grading::text::escaped;

use crate::store;

use super::{Outcome, print};

/// Runs scenarios: 0 when all pass, 1 at a mismatch, 2 when one does not load.
pub(super) fn run(paths: &[PathBuf], json: bool) -> Outcome {
    let mut worst = 0;
    let (mut passed, mut failed) = (0usize, 0usize);
    for file in files(paths)? {
        let shown = escaped(&file.to_string_lossy()).into_owned();
        let text = match store::read(&file) {
            Ok(text) => text,
            Err(error) => {
                eprintln!("attest-tui: {error}");
                worst = 2;
                continue;
            }
        };
        let read = Scenario::read(text.as_str()).map_err(ScenarioError::Format);
        let name = read.as_ref().ok().map(|scenario| scenario.name.to_string());
        let result = read.and_then(|scenario| scenario::run(&scenario));
        let code = match &result {
            Ok(outcome) if outcome.differences.is_empty() => 0,
            Ok(_) => 1,
            Err(error) if error.is_load_error() => 2,
            Err(_) => 1,
        };
        worst = worst.max(code);
        if code == 0 {
            passed = passed.saturating_add(1);
        } else {
            failed = failed.saturating_add(1);
        }
        if json {
            print(&format!(
                "{}\n",
                scenario::report_line(&shown, name.as_deref(), &result)
            ));
            continue;
        }
        match &result {
            Ok(outcome) if outcome.differences.is_empty() => print(&format!("pass  {shown}\n")),
            Ok(outcome) => {
                print(&format!("FAIL  {shown}\n"));
                for difference in &outcome.differences {
                    print(&format!("      {difference}\n"));
                }
            }
            Err(error) => {
                for line in error.to_string().lines() {
                    print(&format!("error {shown}: {line}\n"));
                }
            }
        }
    }
    if !json {
        print(&format!("{passed} passed, {failed} failed\n"));
    }
    Ok(worst)
}

/// The files named, and every `*.json` of the folders named, in order.
fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let refuse = |error: std::io::Error| {
            format!("{}: {}", escaped(&path.to_string_lossy()), error.kind())
        };
        let mut found = Vec::new();
        for entry in std::fs::read_dir(path).map_err(refuse)? {
            found.push(entry.map_err(refuse)?.path());
        }
        found.retain(|file: &PathBuf| is_json(file));
        found.sort();
        files.append(&mut found);
    }
    Ok(files)
}

fn is_json(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "json")
}
