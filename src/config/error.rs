//! What can be wrong with a config or theme file.

use std::fmt;
use std::io;
use std::path::PathBuf;

use attest_grading::text::{escaped, quoted};

use crate::inspector::action::Action;
use crate::inspector::filter::FilterProblem;
use crate::inspector::key::{KeyError, KeySequence};
use crate::inspector::theme::Role;

/// One thing wrong with a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConfigError {
    /// Which file.
    pub file: PathBuf,
    /// The line, from 1; 0 where it is about the whole file.
    pub line: usize,
    /// What is wrong.
    pub problem: Problem,
}

/// The kinds of problems.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Problem {
    /// The file cannot be read.
    Unreadable(io::ErrorKind),
    /// The file is larger than [`super::MAX_FILE`].
    TooLarge,
    /// The file is not UTF-8.
    NotUtf8,
    /// The file is not TOML.
    Syntax(String),
    /// A setting nobody knows, and the one it may have meant.
    UnknownSetting(String, Option<&'static str>),
    /// A setting whose value is of another type.
    WrongType(String, &'static str),
    /// A setting whose value is none of its own.
    BadValue(String, String, String),
    /// No theme has this name; the names there are.
    UnknownTheme(String, String),
    /// A theme name that cannot be a file's.
    BadThemeName(String),
    /// An action nobody knows, and the one it may have meant.
    UnknownAction(String, Option<&'static str>),
    /// A key that is none.
    BadKey(Action, String, KeyError),
    /// A key that types a character, for an action that works only where text is typed.
    TypingKey(Action, KeySequence),
    /// A key two actions would have; whether the other has it from the defaults.
    Clash(Action, KeySequence, Action, KeySequence, bool),
    /// A saved filter that does not read.
    BadFilter(String, FilterProblem),
    /// A saved filter without a name.
    EmptyFilterName,
    /// A theme without a setting it needs.
    Missing(&'static str),
    /// A role nobody knows, and the one it may have meant.
    UnknownRole(String, Option<&'static str>),
    /// A role the theme neither has nor inherits.
    MissingRole(Role),
    /// A theme that inherits from itself, or from one that does not stand on its own.
    Inherits(String),
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", escaped(&self.file.to_string_lossy()))?;
        if self.line > 0 {
            write!(f, ":{}", self.line)?;
        }
        write!(f, ": {}", self.problem)
    }
}

impl std::error::Error for ConfigError {}

/// Writes `; did you mean …?` where a nearest name is known.
fn meant(f: &mut fmt::Formatter<'_>, nearest: Option<&str>) -> fmt::Result {
    nearest.map_or(Ok(()), |name| write!(f, "; did you mean {name}?"))
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(kind) => write!(f, "cannot be read: {kind}"),
            Self::TooLarge => write!(f, "is larger than {} bytes", super::MAX_FILE),
            Self::NotUtf8 => f.write_str("not UTF-8"),
            Self::Syntax(message) => write!(f, "not TOML: {}", escaped(message)),
            Self::UnknownSetting(name, nearest) => {
                write!(f, "unknown setting {}", quoted(name))?;
                meant(f, *nearest)
            }
            Self::WrongType(name, wanted) => write!(f, "{} takes {wanted}", escaped(name)),
            Self::BadValue(name, value, wanted) => {
                write!(f, "{} takes {wanted}, not {}", escaped(name), quoted(value))
            }
            Self::UnknownTheme(name, names) => {
                write!(
                    f,
                    "no theme is named {}; there are {}",
                    quoted(name),
                    escaped(names)
                )
            }
            Self::BadThemeName(name) => {
                write!(
                    f,
                    "{} is no theme name: lower-case letters, digits and - make one",
                    quoted(name)
                )
            }
            Self::UnknownAction(name, nearest) => {
                write!(f, "unknown action {}", quoted(name))?;
                meant(f, *nearest)
            }
            Self::BadKey(action, key, error) => {
                write!(f, "{}: {}: {error}", action.name(), quoted(key))
            }
            Self::TypingKey(action, keys) => write!(
                f,
                "{}: {} types a character where {} works",
                action.name(),
                quoted(&keys.to_string()),
                action.name()
            ),
            Self::Clash(action, keys, other, other_keys, is_default) => {
                if action == other {
                    return write!(
                        f,
                        "{} has the key {} twice",
                        action.name(),
                        quoted(&keys.to_string())
                    );
                }
                let default = if *is_default { " by default" } else { "" };
                let (is, keys) = (quoted(&keys.to_string()), (keys, other_keys));
                let how = match keys {
                    (keys, other) if keys == other => "is".to_owned(),
                    (keys, other) if keys.second.is_none() => {
                        format!("begins {},", quoted(&other.to_string()))
                    }
                    (_, other) => format!("begins with {},", quoted(&other.to_string())),
                };
                write!(
                    f,
                    "{}: {is} {how} a key of {}{default}; give {} other keys",
                    action.name(),
                    other.name(),
                    other.name()
                )
            }
            Self::BadFilter(name, problem) => write!(f, "filter {}: {problem}", quoted(name)),
            Self::EmptyFilterName => f.write_str("a saved filter needs a name"),
            Self::Missing(name) => write!(f, "{name} is missing"),
            Self::UnknownRole(name, nearest) => {
                write!(f, "unknown role {}", quoted(name))?;
                meant(f, *nearest)
            }
            Self::MissingRole(role) => {
                write!(f, "role {} is missing; give it, or inherit it", role.name())
            }
            Self::Inherits(name) => {
                write!(f, "cannot inherit {}: only a theme built in", quoted(name))
            }
        }
    }
}
