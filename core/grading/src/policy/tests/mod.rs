//! The loader against the reference: one fixture or more for every refusal and
//! the edges from both sides ([`fixtures`]), what the shipped policy holds
//! ([`shipped`]), and every place of the document ([`sweeps`]).

#![expect(clippy::arithmetic_side_effects, reason = "an overflow fails the test")]

mod fixtures;
mod shipped;
mod sweeps;

use attest_canon::json::{Limits, Value};

use super::{DEFAULT_POLICY, Policy, PolicyError, load_policy_value};

fn parsed(text: &str) -> Value<'_> {
    Value::parse(text, Limits::LEDGER).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn shipped_document() -> Value<'static> {
    parsed(DEFAULT_POLICY)
}

/// The shipped policy after a merge patch, loaded.
fn patched(patch: &str) -> Result<Policy, PolicyError> {
    load_policy_value(&shipped_document().merged(parsed(patch)))
}

fn lines(outcome: &Result<Policy, PolicyError>) -> Vec<String> {
    match outcome {
        Ok(_) => Vec::new(),
        Err(error) => error.to_string().lines().map(str::to_owned).collect(),
    }
}
