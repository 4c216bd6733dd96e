//! The closed correlation keys (§7.3), extracted once per record.

use std::collections::BTreeMap;

use super::{Package, Place};
use crate::document::{JoinKey, Scope, Window};
use crate::format::{Content, Record, Source};
use crate::grammar::{Instant, Surface};
use crate::json::{Json, pointer};
use crate::{Format, reason::Reason};

/// Which of the two strong keys a pointer reaches.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum KeyPath {
    /// A tool call's id.
    ToolCall,
    /// A verified canonical run id.
    Run,
}

impl KeyPath {
    /// The key a pointer reaches in a record, by the exact admitted paths.
    pub(super) fn of(source: &Source<'_>, record: &Record, path: &str) -> Option<Self> {
        let tool_call = match &source.content {
            Content::Bundle(_) if path == "/assayrunid" => return Some(Self::Run),
            Content::Bundle(_) if record.surface == Some(Surface::ToolCall) => "/data/tool_call_id",
            Content::Records if source.format == Format::ProxyDecision => "/data/tool_call_id",
            Content::Records if source.format == Format::Inspector => {
                "/message/params/arguments/_meta/tool_call_id"
            }
            _ => return None,
        };
        (path == tool_call).then_some(Self::ToolCall)
    }

    /// Whether a contract's key and scope are this key's.
    pub(super) fn serves(self, key: JoinKey, scope: Scope) -> bool {
        match self {
            Self::ToolCall => key == JoinKey::ToolCallId && scope == Scope::ToolCall,
            Self::Run => key == JoinKey::RunId && scope == Scope::Run,
        }
    }
}

/// Whether a key's value correlates: not empty, and no id that a proxy made
/// up when a call carried none, wherever its record was retained.
pub(super) fn is_propagated(path: KeyPath, value: &str) -> bool {
    let made_up =
        path == KeyPath::ToolCall && (value.starts_with("req_") || value.starts_with("gen_"));
    !value.is_empty() && !made_up
}

/// One record that has a key.
#[derive(Clone, Copy, Debug)]
pub(super) struct Keyed {
    pub(super) place: Place,
    pub(super) surface: Surface,
    pub(super) time: Option<Instant>,
    pub(super) eligible: bool,
}

impl Keyed {
    pub(super) fn inside(&self, window: Option<&Window>) -> bool {
        is_inside(self.time, window)
    }
}

/// Whether an instant is known and inside a window.
pub(super) fn is_inside(time: Option<Instant>, window: Option<&Window>) -> bool {
    matches!((time, window), (Some(time), Some(window)) if window.contains(time))
}

/// All records by key and value.
pub(super) struct KeyIndex(BTreeMap<(KeyPath, String), Vec<Keyed>>);

impl KeyIndex {
    /// An index for no question.
    pub(super) fn empty() -> Self {
        Self(BTreeMap::new())
    }

    /// Reads every action record once.
    pub(super) fn build(package: &Package<'_, '_>) -> Result<Self, Reason> {
        let mut index: BTreeMap<(KeyPath, String), Vec<Keyed>> = BTreeMap::new();
        for (input, source) in package.sources.iter().enumerate() {
            let paths: &[&str] = match &source.content {
                Content::Bundle(_) => &["/data/tool_call_id", "/assayrunid"],
                Content::Records if source.format == Format::Inspector => {
                    &["/message/params/arguments/_meta/tool_call_id"]
                }
                Content::Records => &["/data/tool_call_id"],
                _ => continue,
            };
            for (record, found) in source.records.iter().enumerate() {
                let Some(surface) = found.surface else {
                    continue;
                };
                let tree = source.tree_of(found).map_err(|_| Reason::InputShape)?;
                for path in paths {
                    let Some(key) = KeyPath::of(source, found, path) else {
                        continue;
                    };
                    let Some(value) = pointer(&tree, path).and_then(Json::as_str) else {
                        continue;
                    };
                    index
                        .entry((key, value.to_owned()))
                        .or_default()
                        .push(Keyed {
                            place: Place { input, record },
                            surface,
                            time: found.time,
                            eligible: is_propagated(key, value),
                        });
                }
            }
        }
        Ok(Self(index))
    }

    /// The records that have a value at a key.
    pub(super) fn with(&self, key: KeyPath, value: &str) -> &[Keyed] {
        self.0
            .get(&(key, value.to_owned()))
            .map_or(&[], Vec::as_slice)
    }
}
