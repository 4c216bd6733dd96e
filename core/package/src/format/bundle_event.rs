//! Canonical events: envelope, content hash, population and examination
//! (§4, foreign shapes §1 and §5).

use attest_canon::{Digest, sha256};

use super::decision;
use super::fields::{Checked, Fields, U53, require, strings};
use crate::grammar::{Instant, Surface};
use crate::json::{Fault, Json, canonical_into};

/// The action types and their populations.
const ACTIONS: [(&str, Surface); 6] = [
    ("assay.tool.decision", Surface::ToolCall),
    ("assay.fs.access", Surface::Filesystem),
    ("assay.sandbox.fs", Surface::Filesystem),
    ("assay.net.connect", Surface::Network),
    ("assay.process.exec", Surface::Process),
    ("assay.sandbox.exec", Surface::Process),
];

/// The context types.
pub(super) const PROFILE_STARTED: &str = "assay.profile.started";
pub(super) const PROFILE_FINISHED: &str = "assay.profile.finished";
pub(super) const SANDBOX_SUMMARY: &str = "assay.sandbox.summary";
pub(super) const SANDBOX_DEGRADED: &str = "assay.sandbox.degraded";
pub(super) const EVIDENCE_PACK: &str = "assay.coding_agent.evidence_pack.v0";
const CONTEXT: [&str; 5] = [
    PROFILE_STARTED,
    PROFILE_FINISHED,
    SANDBOX_SUMMARY,
    SANDBOX_DEGRADED,
    EVIDENCE_PACK,
];

/// The population of a type: `Some(None)` is context, `None` is unknown.
pub(super) fn population(event_type: &str) -> Option<Option<Surface>> {
    if CONTEXT.contains(&event_type) {
        return Some(None);
    }
    ACTIONS
        .iter()
        .find(|(name, _)| *name == event_type)
        .map(|(_, surface)| Some(*surface))
}

/// What an event must agree with.
pub(super) struct Expected<'e> {
    pub(super) run_id: &'e str,
    pub(super) sequence: u64,
    /// The source of the first event, once there is one.
    pub(super) source: Option<&'e str>,
}

/// What an event's envelope says.
pub(super) struct Envelope<'v> {
    pub(super) event_type: &'v str,
    pub(super) source: &'v str,
    pub(super) content_hash: &'v str,
    pub(super) time: Instant,
}

/// The type alone, which phase 3 asks before anything else of the event.
pub(super) fn event_type<'v>(event: &'v Json<'_>) -> Checked<&'v str> {
    Fields::of(event)?.string("type")
}

/// Checks an envelope and its content hash.
pub(super) fn check<'v>(
    event: &'v Json<'_>,
    expected: &Expected<'_>,
    buffer: &mut String,
) -> Checked<Envelope<'v>> {
    let fields = Fields::of(event)?;
    require(fields.string("specversion")? == "1.0")?;
    let event_type = fields.string("type")?;
    let content_hash = fields.string("assaycontenthash")?;
    let hashed = hash_content(fields, buffer)?;
    require(content_hash.strip_prefix("sha256:") == Some(hashed.to_string().as_str()))?;
    require(fields.unsigned("assayseq", U53)? == expected.sequence)?;
    let run_id = fields.string("assayrunid")?;
    require(run_id == expected.run_id && !run_id.contains(':'))?;
    let source = fields.string("source")?;
    require(expected.source.is_none_or(|first| first == source))?;
    require(source.find(':').is_some_and(|at| at > 0))?;
    require(fields.string("id")? == format!("{run_id}:{}", expected.sequence))?;
    let time = Instant::parse(fields.string("time")?).ok_or(Fault::Shape)?;
    for key in [
        "datacontenttype",
        "assayproducer",
        "assayproducerversion",
        "assaygit",
    ] {
        fields.string(key)?;
    }
    for key in ["assaypii", "assaysecrets"] {
        fields.boolean(key)?;
    }
    for key in [
        "subject",
        "traceparent",
        "tracestate",
        "assaypolicyid",
        "assaysemanticdigest",
        "assaydigestprofile",
    ] {
        fields.optional_string(key)?;
    }
    Ok(Envelope {
        event_type,
        source,
        content_hash,
        time,
    })
}

/// SHA-256 of the JCS of {data, datacontenttype, specversion, subject, type},
/// subject only when not null.
fn hash_content(fields: Fields<'_, '_>, buffer: &mut String) -> Checked<Digest> {
    buffer.clear();
    let mut separator = '{';
    for key in ["data", "datacontenttype", "specversion", "subject", "type"] {
        let value = if key == "subject" {
            fields.some(key)
        } else {
            Some(fields.any(key)?)
        };
        let Some(value) = value else { continue };
        buffer.push(separator);
        separator = ',';
        buffer.push('"');
        buffer.push_str(key);
        buffer.push_str("\":");
        canonical_into(value, buffer)?;
    }
    buffer.push('}');
    Ok(sha256(buffer.as_bytes()))
}

/// Whether the examination of an action event succeeds.
pub(super) fn examine(event: &Json<'_>, event_type: &str) -> bool {
    try_examine(event, event_type).is_ok()
}

fn try_examine(event: &Json<'_>, event_type: &str) -> Checked<()> {
    if event_type == "assay.tool.decision" {
        return decision::check(event).map(drop);
    }
    let fields = Fields::of(event)?;
    let data = Fields::of(fields.any("data")?)?;
    // A named optional that is null fails.
    let profile = |name: &str| -> Checked<()> {
        require(!fields.string("subject")?.is_empty())?;
        data.unsigned("hits", U53)?;
        require(
            data.present(name)
                .is_none_or(|value| value.as_str().is_some()),
        )
    };
    match event_type {
        "assay.fs.access" => profile("file"),
        "assay.net.connect" => profile("host"),
        "assay.process.exec" => profile("cmd"),
        "assay.sandbox.fs" => ["op", "path", "backend"]
            .iter()
            .try_for_each(|key| data.string(key).map(drop)),
        "assay.sandbox.exec" => {
            data.string("argv0")?;
            data.unsigned("hits", U53).map(drop)
        }
        _ => Err(Fault::Shape),
    }
}

/// How a coding agent's evidence pack says one surface was covered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PackCoverage {
    Observed,
    PartialOrReported,
    AbsentOrUnavailable,
}

/// Reads an evidence pack: the coverage of filesystem, process, network and
/// tool calls. Its payload must be whole.
pub(super) fn read_pack(event: &Json<'_>) -> Checked<[(Surface, PackCoverage); 4]> {
    let data = Fields::of(Fields::of(event)?.any("data")?)?;
    let scope = Fields::of(data.any("declared_scope")?)?;
    for key in ["allowed_files", "allowed_commands", "allowed_mcp_tools"] {
        scope.strings(key)?;
    }
    scope.one_of("network", &["allowed", "denied"])?;
    scope.optional_string("expected_test_command")?;
    scope.boolean("authorized")?;
    let effects = Fields::of(data.any("observed_effects")?)?;
    for key in [
        "files_changed",
        "commands_executed",
        "network_attempts",
        "mcp_tool_calls",
    ] {
        strings(effects.any(key)?)?;
    }
    effects.boolean("test_observed")?;
    data.one_of(
        "source_class",
        &[
            "boundary_observed",
            "independently_observed",
            "third_party_observed",
            "producer_reported",
            "issuer_attested",
            "receiver_receipt",
        ],
    )?;
    data.strings("non_claims")?;
    let coverage = Fields::of(data.any("coverage")?)?;
    let read = |key: &str| match coverage.string(key)? {
        "observed" => Ok(PackCoverage::Observed),
        "partial" | "self_reported" => Ok(PackCoverage::PartialOrReported),
        "absent" | "unavailable" => Ok(PackCoverage::AbsentOrUnavailable),
        _ => Err(Fault::Shape),
    };
    read("test")?;
    Ok([
        (Surface::Filesystem, read("files")?),
        (Surface::Process, read("commands")?),
        (Surface::Network, read("network")?),
        (Surface::ToolCall, read("mcp_tools")?),
    ])
}
