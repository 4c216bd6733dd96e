//! `golden run PATH… [--json]`.

use std::path::{Path, PathBuf};

use attest_canon::json::JsonErrorKind;
use attest_grading::model::{ProblemKind, Problems};
use attest_grading::scenario::{self, Outcome as Ran, Scenario, ScenarioError};

use crate::store::{self, Problem};

use super::{Outcome, complain, json, print, shown};

/// Runs scenarios: 0 when all pass, 1 at a mismatch or where grading refuses,
/// 2 when one does not load; of several files the worst.
pub(super) fn run(paths: &[PathBuf], as_json: bool) -> Outcome {
    let mut worst = 0;
    let (mut passed, mut failed) = (0usize, 0usize);
    for file in files(paths)? {
        let name = shown(&file);
        let (title, result) = one(&file);
        let code = match &result {
            Ok(outcome) if outcome.differences.is_empty() => 0,
            Err(error) if error.is_load_error() => 2,
            _ => 1,
        };
        worst = worst.max(code);
        let count = if code == 0 { &mut passed } else { &mut failed };
        *count = count.saturating_add(1);
        if as_json {
            let line = scenario::report_line(&name, title.as_deref(), &result);
            print(&format!("{}\n", json::shown(&line)))?;
        } else {
            print(&report(&name, &result))?;
        }
    }
    if !as_json {
        print(&format!("{passed} passed, {failed} failed\n"))?;
    }
    Ok(worst)
}

/// Runs one file; its scenario's name where it could be read. A file that
/// cannot be read is a scenario that does not load.
fn one(file: &Path) -> (Option<String>, Result<Ran, ScenarioError>) {
    let read = store::read(file).map_err(|error| {
        complain(&error.to_string());
        let mut problems = Problems::default();
        let kind = match error.problem {
            Problem::NotUtf8(_) => ProblemKind::Json(JsonErrorKind::InvalidUtf8),
            _ => ProblemKind::MustBe("a file that can be read"),
        };
        problems.add(String::new(), kind);
        problems
    });
    match read.and_then(|text| Scenario::read(text.as_str())) {
        Ok(scenario) => (Some(scenario.name.to_string()), scenario::run(&scenario)),
        Err(problems) => (None, Err(ScenarioError::Format(problems))),
    }
}

fn report(name: &str, result: &Result<Ran, ScenarioError>) -> String {
    match result {
        Ok(outcome) if outcome.differences.is_empty() => format!("pass  {name}\n"),
        Ok(outcome) => {
            let mut out = format!("FAIL  {name}\n");
            for difference in &outcome.differences {
                out.push_str(&format!("      {difference}\n"));
            }
            out
        }
        Err(error) => {
            let (kind, code) = error.code();
            let mut out = format!("FAIL  {name}: {kind} {code}\n");
            for line in error.to_string().lines() {
                out.push_str(&format!("      {line}\n"));
            }
            out
        }
    }
}

/// The files named, and every `*.json` of the folders named, in order.
fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let refuse = |error: std::io::Error| format!("{}: {}", shown(path), error.kind());
        let mut found = Vec::new();
        for entry in std::fs::read_dir(path).map_err(refuse)? {
            found.push(entry.map_err(refuse)?.path());
        }
        found.retain(|file| file.extension().is_some_and(|end| end == "json"));
        if found.is_empty() {
            return Err(format!("{}: holds no scenario", shown(path)));
        }
        found.sort();
        files.append(&mut found);
    }
    Ok(files)
}
