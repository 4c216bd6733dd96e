//! `policy check FILE`.

use std::path::Path;

use attest_grading::policy::{Policy, load_policy};
use attest_grading::text::escaped;

use crate::store;

use super::{Outcome, print};

/// Lists every problem of a policy file.
pub(super) fn check(file: &Path) -> Outcome {
    let policy = load(file)?;
    let name = file.to_string_lossy();
    print(&format!(
        "{}: no problems, hash {}\n",
        escaped(&name),
        policy.hash()
    ));
    Ok(0)
}

/// Loads a policy file.
pub(super) fn load(file: &Path) -> Result<Policy, String> {
    let text = store::read(file).map_err(|error| error.to_string())?;
    load_policy(text.as_str()).map_err(|error| error.to_string())
}
