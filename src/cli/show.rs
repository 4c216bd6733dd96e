//! `attest-tui [LEDGER]`: the inspector.

use std::io::IsTerminal as _;

use crate::config::{self, Settings};
use crate::desk::{Job, LedgerDesk};
use crate::inspector;
use crate::inspector::app::state::ScreenName;

use super::Outcome;

/// Opens the inspector on a ledger, at a screen.
pub(super) fn run(job: Job, screen: ScreenName) -> Outcome {
    if !std::io::stdout().is_terminal() || !std::io::stdin().is_terminal() {
        return Err("the inspector needs a terminal; --plain prints without one".to_owned());
    }
    let directory = config::directory();
    let settings = match &directory {
        Some(directory) => {
            config::load(directory).map_err(|errors| super::config::lines(&errors))?
        }
        None => Settings::default(),
    };
    let environment = inspector::run::environment(directory);
    let name = job.name();
    let desk = LedgerDesk::new(job);
    inspector::run::run(&name, settings, environment, desk, screen)
        .map_err(|error| format!("terminal: {}", error.kind()))
}
