//! Typed members of foreign objects, without coercion: unknown members are
//! the caller's to ignore, optional means absent or null.

use attest_canon::json::Kind;

use crate::json::{Bounds, Fault, Json, Strict};
use crate::limits::Limits;

pub(super) type Checked<T> = Result<T, Fault>;

/// An object's members.
#[derive(Clone, Copy)]
pub(super) struct Fields<'v, 'a>(&'v Json<'a>);

impl<'v, 'a> Fields<'v, 'a> {
    /// The members of an object.
    pub(super) fn of(value: &'v Json<'a>) -> Checked<Self> {
        match value {
            Json::Object(_) => Ok(Self(value)),
            _ => Err(Fault::Shape),
        }
    }

    /// A member, present even when null.
    pub(super) fn present(self, key: &str) -> Option<&'v Json<'a>> {
        self.0.get(key)
    }

    /// A member that is neither absent nor null.
    pub(super) fn some(self, key: &str) -> Option<&'v Json<'a>> {
        self.0.get(key).filter(|value| **value != Json::Null)
    }

    /// A required member of any type.
    pub(super) fn any(self, key: &str) -> Checked<&'v Json<'a>> {
        self.present(key).ok_or(Fault::Shape)
    }

    /// A required string.
    pub(super) fn string(self, key: &str) -> Checked<&'v str> {
        self.any(key)?.as_str().ok_or(Fault::Shape)
    }

    /// An optional string.
    pub(super) fn optional_string(self, key: &str) -> Checked<Option<&'v str>> {
        self.some(key)
            .map(|value| value.as_str().ok_or(Fault::Shape))
            .transpose()
    }

    /// A required boolean.
    pub(super) fn boolean(self, key: &str) -> Checked<bool> {
        as_bool(self.any(key)?)
    }

    /// An optional boolean.
    pub(super) fn optional_boolean(self, key: &str) -> Checked<Option<bool>> {
        self.some(key).map(as_bool).transpose()
    }

    /// A required unsigned integer token, at most `most`.
    pub(super) fn unsigned(self, key: &str, most: u64) -> Checked<u64> {
        unsigned(self.any(key)?, most)
    }

    /// A required list of strings.
    pub(super) fn strings(self, key: &str) -> Checked<Vec<&'v str>> {
        strings(self.any(key)?)
    }

    /// A string that must be one of these.
    pub(super) fn one_of(self, key: &str, allowed: &[&str]) -> Checked<&'v str> {
        let text = self.string(key)?;
        if allowed.contains(&text) {
            Ok(text)
        } else {
            Err(Fault::Shape)
        }
    }
}

/// Reads past one whole text for its syntax and its budgets, which come before
/// its shape (§3); members under `payload_key` are payload.
pub(super) fn preflight(text: &str, limits: &Limits, payload_key: Option<&str>) -> Checked<()> {
    let mut reader = Strict::new(text, Bounds::package(limits));
    if reader.peek()? == Kind::Object {
        reader.object(|reader, key| {
            if payload_key == Some(key) {
                reader.payload(Strict::skip).map(drop)
            } else {
                reader.skip().map(drop)
            }
        })?;
    } else {
        reader.skip()?;
    }
    reader.finish()
}

/// Refuses unless a rule holds.
pub(super) fn require(holds: bool) -> Checked<()> {
    if holds { Ok(()) } else { Err(Fault::Shape) }
}

pub(super) fn as_bool(value: &Json<'_>) -> Checked<bool> {
    match value {
        Json::Bool(truth) => Ok(*truth),
        _ => Err(Fault::Shape),
    }
}

/// An unsigned integer token (no `1.0`, no `1e3`), at most `most`.
pub(super) fn unsigned(value: &Json<'_>, most: u64) -> Checked<u64> {
    let Json::Number(lexeme) = value else {
        return Err(Fault::Shape);
    };
    let plain = lexeme.bytes().all(|byte| byte.is_ascii_digit());
    let number: u64 = if plain {
        lexeme.parse().map_err(|_| Fault::Shape)?
    } else {
        return Err(Fault::Shape);
    };
    if number <= most {
        Ok(number)
    } else {
        Err(Fault::Shape)
    }
}

/// A signed integer token.
pub(super) fn is_signed(value: &Json<'_>) -> bool {
    matches!(value, Json::Number(lexeme) if lexeme.strip_prefix('-').unwrap_or(lexeme).bytes().all(|b| b.is_ascii_digit()))
}

pub(super) fn strings<'v>(value: &'v Json<'_>) -> Checked<Vec<&'v str>> {
    match value {
        Json::Array(elements) => elements
            .iter()
            .map(|element| element.as_str().ok_or(Fault::Shape))
            .collect(),
        _ => Err(Fault::Shape),
    }
}

/// 2^53 − 1, where every count of the package ends (§2).
pub(super) const U53: u64 = 9_007_199_254_740_991;
