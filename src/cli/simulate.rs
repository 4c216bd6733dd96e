//! `simulate --seed N --days D [--claims-per-day N] [--faults WHAT]
//! [--truth FILE]`: a seeded world's ledger on standard output.

use attest_grading::simulate::{Fault, Faults, Settings, simulate};

use super::arguments::Simulate;
use super::{Outcome, print, shown};

/// Simulates a world and prints its ledger.
pub(super) fn run(arguments: &Simulate) -> Outcome {
    let mut settings = Settings::new(arguments.seed, arguments.days);
    settings.claims_per_day = arguments.claims_per_day;
    settings.faults = Faults::parse(&arguments.faults).ok_or_else(|| {
        let names: Vec<&str> = Fault::ALL.iter().map(|fault| fault.as_str()).collect();
        format!(
            "--faults: must be none, some, many, or of {}",
            names.join(",")
        )
    })?;
    let world = simulate(&settings);
    if let Some(path) = &arguments.truth {
        let truth = world.truth.to_text(&world.ledger, &settings);
        std::fs::write(path, truth)
            .map_err(|error| format!("{}: {}", shown(path), error.kind()))?;
    }
    print(&world.ledger.to_text())
}
