//! `attest-tui [FILE]`: the inspector.

use std::io::IsTerminal as _;
use std::path::Path;

use crate::config::{self, Settings};
use crate::desk::package::PackageDesk;
use crate::desk::{Job, LedgerDesk};
use crate::inspector;
use crate::inspector::app::state::ScreenName;
use crate::inspector::work::Desk;

use super::{Outcome, Verified, shown};

/// Opens the inspector on a ledger, at a screen.
pub(super) fn run(job: Job, screen: ScreenName) -> Outcome {
    let name = job.name();
    on(&name, LedgerDesk::new(job), screen)
}

/// Opens the inspector on a package.
pub(super) fn package(path: &Path, verified: Verified, screen: ScreenName) -> Outcome {
    let dialect = verified.dialect.dialect();
    let desk = PackageDesk::new(path.to_owned(), verified.context, dialect);
    on(&shown(path), desk, screen)
}

fn on(name: &str, desk: impl Desk, screen: ScreenName) -> Outcome {
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
    inspector::run::run(name, settings, environment, desk, screen)
        .map_err(|error| format!("terminal: {}", error.kind()))
}
