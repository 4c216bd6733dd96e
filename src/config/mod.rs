//! The config file and user themes: read whole, checked whole, never written.
//!
//! Everything lives in one directory: `config.toml` and `themes/NAME.toml`. A file that is not
//! there means the defaults. A setting nobody knows, a value that is none of the setting's, two
//! actions on one key: each is an error with its file and line, and all are reported at once.

mod document;
mod error;
mod settings;
mod show;
mod theme;

use std::io::Read;
use std::path::{Path, PathBuf};

pub use error::{ConfigError, Problem};
pub use settings::{Borders, Settings, ThemeChoice};
pub use show::show;
pub use theme::built_in;

use crate::inspector::theme::Theme;

/// The largest config or theme file read, in bytes.
pub const MAX_FILE: u64 = 1 << 20;

/// The directory of the config file and themes; none where the system has no home for it.
pub fn directory() -> Option<PathBuf> {
    directories::ProjectDirs::from("", "", "attest-tui").map(|dirs| dirs.config_dir().to_owned())
}

/// The config file in `directory`.
pub fn file(directory: &Path) -> PathBuf {
    directory.join("config.toml")
}

/// The settings in `directory`, or the defaults where there is no file.
///
/// # Errors
/// Everything wrong with the file, by line; nothing of it is used then.
pub fn load(directory: &Path) -> Result<Settings, Vec<ConfigError>> {
    let path = file(directory);
    match read(&path) {
        Ok(None) => Ok(Settings::default()),
        Ok(Some(text)) => settings::parse(&path, &text, directory),
        Err(error) => Err(vec![error]),
    }
}

/// The theme of this name: the user's, or one built in.
///
/// # Errors
/// A user's theme that does not read, or a name of none.
pub fn theme(directory: Option<&Path>, name: &str) -> Result<Theme, Vec<ConfigError>> {
    theme::find(directory, name)
}

/// The names of the themes there are: those built in, then the user's in the order of their names.
pub fn theme_names(directory: Option<&Path>) -> Vec<String> {
    theme::names(directory)
}

/// Checks the config file and every theme in `directory`: all that is wrong, by file and line.
pub fn check(directory: &Path) -> Vec<ConfigError> {
    let mut errors = load(directory).err().unwrap_or_default();
    for name in theme::user_names(directory) {
        errors.extend(
            theme::find(Some(directory), &name)
                .err()
                .unwrap_or_default(),
        );
    }
    let mut seen = Vec::with_capacity(errors.len());
    for error in errors {
        if !seen.contains(&error) {
            seen.push(error);
        }
    }
    seen
}

/// A file's text; none where there is no file.
fn read(path: &Path) -> Result<Option<String>, ConfigError> {
    let error = |problem| ConfigError {
        file: path.to_owned(),
        line: 0,
        problem,
    };
    let file = match std::fs::File::open(path) {
        Ok(file) => file,
        Err(failure) if failure.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(failure) => return Err(error(Problem::Unreadable(failure.kind()))),
    };
    let mut bytes = Vec::new();
    let read = file.take(MAX_FILE + 1).read_to_end(&mut bytes);
    read.map_err(|failure| error(Problem::Unreadable(failure.kind())))?;
    if bytes.len() as u64 > MAX_FILE {
        return Err(error(Problem::TooLarge));
    }
    String::from_utf8(bytes).map(Some).map_err(|failure| {
        let good = failure.utf8_error().valid_up_to();
        let before = failure
            .as_bytes()
            .iter()
            .take(good)
            .filter(|byte| **byte == b'\n')
            .count();
        ConfigError {
            file: path.to_owned(),
            line: before + 1,
            problem: Problem::NotUtf8,
        }
    })
}

#[cfg(test)]
mod tests;
