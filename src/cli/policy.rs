//! `policy check FILE`.

use std::path::Path;

use attest_grading::policy::{Policy, load_policy};

use crate::store;

use super::{Outcome, print, shown};

/// Lists every problem of a policy file on standard output, one
/// `FILE: path: problem` a line.
pub(super) fn check(file: &Path) -> Outcome {
    let text = store::read(file).map_err(|error| error.to_string())?;
    match read(file, text.as_str()) {
        Ok(policy) => print(&format!(
            "{}: no problems, hash {}\n",
            shown(file),
            policy.hash()
        )),
        Err(problems) => {
            print(&format!("{problems}\n"))?;
            Ok(2)
        }
    }
}

/// Loads a policy file.
pub(super) fn load(file: &Path) -> Result<Policy, String> {
    let text = store::read(file).map_err(|error| error.to_string())?;
    read(file, text.as_str())
}

fn read(file: &Path, text: &str) -> Result<Policy, String> {
    load_policy(text).map_err(|error| {
        let file = shown(file);
        let problems = error.to_string();
        let lines: Vec<String> = problems
            .lines()
            .map(|line| format!("{file}: {line}"))
            .collect();
        lines.join("\n")
    })
}
