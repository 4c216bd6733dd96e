//! `config check|show|path`.

use crate::config::{self, Settings};

use super::arguments::Config;
use super::{Outcome, print, shown};

/// Looks at the settings.
pub(super) fn run(command: &Config) -> Outcome {
    let directory = config::directory();
    match (command, &directory) {
        (Config::Path, Some(directory)) => print(&format!("{}\n", shown(&config::file(directory)))),
        (Config::Path, None) => Err("the system has no directory for settings".to_owned()),
        (Config::Show, directory) => {
            let settings = match directory {
                Some(directory) => config::load(directory).map_err(|errors| lines(&errors))?,
                None => Settings::default(),
            };
            print(&config::show(&settings))
        }
        (Config::Check, None) => Ok(0),
        (Config::Check, Some(directory)) => {
            let errors = config::check(directory);
            if errors.is_empty() {
                return print(&format!("{}: no problems\n", shown(directory)));
            }
            print(&format!("{}\n", lines(&errors)))?;
            Ok(2)
        }
    }
}

/// One line a problem.
pub(super) fn lines(errors: &[config::ConfigError]) -> String {
    let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
    lines.join("\n")
}
