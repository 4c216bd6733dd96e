//! Joins: the foreign contract and the package's proposition (§7.3).

use std::borrow::Cow;

use attest_canon::jcs::Writer;
use attest_canon::json::Kind;

use super::{Result, each, nullable, surface};
use crate::Dialect;
use crate::document::{id, need, reference, tokens, write_count, write_null};
use crate::grammar::{Id, Ref, Surface};
use crate::json::{Fault, Strict};
use crate::limits::Meter;

/// The identity of the foreign join contract.
const JOIN_SCHEMA: &str = "assay.observability.join_result.v0";

tokens! {
    /// The outcome of a join (§7.3).
    JoinResult {
        /// It holds.
        Confirmed = "confirmed",
        /// It does not.
        Contradicted = "contradicted",
        /// It cannot be told.
        Unobservable = "unobservable",
    }
}

tokens! {
    /// A side's role in the foreign contract.
    Role {
        /// A trace family.
        OtelFamilyTrace = "otel_family_trace",
        /// A canonical bundle.
        MeasuredRunArchive = "measured_run_archive",
        /// Already joined.
        JoinedArtifacts = "joined_artifacts",
        /// Any other input.
        ExternalReceipt = "external_receipt",
    }
}

tokens! {
    /// The key a join runs over.
    JoinKey {
        /// A tool call's id.
        ToolCallId = "tool_call_id",
        /// A run's id.
        RunId = "run_id",
        /// A session's id.
        SessionId = "session_id",
        /// A trace span's id.
        TraceSpanId = "trace_span_id",
        /// Time or order.
        TimestampOrOrder = "timestamp_or_order",
    }
}

tokens! {
    /// How strong a join is.
    Grade {
        /// A unique, exact key.
        Strong = "strong",
        /// Less.
        Weak = "weak",
        /// For diagnosis only.
        Diagnostic = "diagnostic",
        /// No counterpart.
        Failed = "failed",
    }
}

tokens! {
    /// Where a join's key is unique.
    Scope {
        /// One tool call.
        ToolCall = "tool_call",
        /// One run.
        Run = "run",
        /// One session.
        Session = "session",
        /// One trace.
        TraceLocal = "trace_local",
        /// For diagnosis only.
        Diagnostic = "diagnostic",
    }
}

tokens! {
    /// What a proposition says.
    PropositionKind {
        /// Two retained values are equal.
        EqualRetainedValue = "equal_retained_value",
        /// A counterpart with the key exists.
        CounterpartPresent = "counterpart_present",
    }
}

/// A JSON scalar a proposition expects.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Scalar {
    /// `null`
    Null,
    /// A boolean.
    Bool(bool),
    /// A Count.
    Count(u64),
    /// A string.
    Text(String),
}

/// What a join proposes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proposition {
    /// Which of the two kinds.
    pub kind: PropositionKind,
    /// RFC 6901 pointer into the left record.
    pub left_pointer: String,
    /// RFC 6901 pointer into the right record, or into candidates.
    pub right_pointer: String,
    /// The expected key of a counterpart.
    pub expected: Scalar,
    /// The surface searched.
    pub surface: Surface,
}

/// The foreign join contract, its schema identity apart.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JoinContract {
    /// The left side's role.
    pub left_artifact_role: Role,
    /// The right side's role.
    pub right_artifact_role: Role,
    /// The key.
    pub join_key: JoinKey,
    /// Its value.
    pub join_value: Option<String>,
    /// The grade.
    pub join_grade: Grade,
    /// The scope.
    pub scope: Scope,
    /// Whether the key is unique in it.
    pub unique_within_scope: bool,
    /// Whether a fallback key was used.
    pub fallback_used: bool,
    /// `input_id#locator` of the evidence, never empty.
    pub evidence_refs: Vec<String>,
    /// Notes.
    pub notes: Vec<String>,
}

/// A correlation of two records.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Join {
    /// Its id.
    pub id: Id,
    /// The left record.
    pub left: Ref,
    /// The right record.
    pub right: Option<Ref>,
    /// The foreign contract.
    pub contract: JoinContract,
    /// What is proposed.
    pub proposition: Proposition,
    /// What was found.
    pub result: JoinResult,
}

pub(super) fn read_join(
    reader: &mut Strict<'_>,
    meter: &mut Meter,
    dialect: Dialect,
) -> Result<Join> {
    let (mut join_id, mut left, mut right, mut contract) = (None, None, None, None);
    let (mut proposition, mut result) = (None, None);
    reader.object(|reader, key| {
        match key {
            "id" => join_id = Some(id(reader)?),
            "left" => left = Some(reference(reader, meter)?),
            "right" => {
                right = Some(if reader.null()? {
                    None
                } else {
                    Some(reference(reader, meter)?)
                })
            }
            "contract" => contract = Some(read_contract(reader, meter, dialect)?),
            "proposition" => proposition = Some(read_proposition(reader)?),
            "result" => result = Some(JoinResult::read(reader)?),
            _ => return Err(Fault::Shape),
        }
        Ok(())
    })?;
    Ok(Join {
        id: need(join_id)?,
        left: need(left)?,
        // Its producer writes this one even when null (foreign shapes §9).
        right: need(right)?,
        contract: need(contract)?,
        proposition: need(proposition)?,
        result: need(result)?,
    })
}

fn read_contract(
    reader: &mut Strict<'_>,
    meter: &mut Meter,
    dialect: Dialect,
) -> Result<JoinContract> {
    let (mut schema, mut left, mut right, mut join_key, mut join_value) =
        (None, None, None, None, None);
    let (mut grade, mut scope, mut unique, mut fallback) = (None, None, None, None);
    let (mut evidence_refs, mut notes) = (None, None);
    reader.object(|reader, key| {
        match key {
            "schema" => schema = Some(reader.string()?.into_owned()),
            "left_artifact_role" => left = Some(Role::read(reader)?),
            "right_artifact_role" => right = Some(Role::read(reader)?),
            "join_key" => join_key = Some(JoinKey::read(reader)?),
            "join_value" => join_value = Some(reader.nullable_string()?.map(Cow::into_owned)),
            "join_grade" => grade = Some(Grade::read(reader)?),
            "scope" => scope = Some(Scope::read(reader)?),
            "unique_within_scope" => unique = Some(reader.boolean()?),
            "fallback_used" => fallback = Some(reader.boolean()?),
            "evidence_refs" => {
                let mut refs = Vec::new();
                reader.array(|reader, _| {
                    meter.reference()?;
                    refs.push(non_empty(reader)?);
                    Ok(())
                })?;
                evidence_refs = Some(refs);
            }
            "notes" => {
                let mut texts = Vec::new();
                reader.array(|reader, _| {
                    texts.push(non_empty(reader)?);
                    Ok(())
                })?;
                notes = Some(texts);
            }
            _ => return Err(Fault::Shape),
        }
        Ok(())
    })?;
    if need(schema)? != JOIN_SCHEMA {
        return Err(Fault::Shape);
    }
    let contract = JoinContract {
        left_artifact_role: need(left)?,
        right_artifact_role: need(right)?,
        join_key: need(join_key)?,
        join_value: nullable(join_value, dialect)?,
        join_grade: need(grade)?,
        scope: need(scope)?,
        unique_within_scope: need(unique)?,
        fallback_used: need(fallback)?,
        evidence_refs: need(evidence_refs)?,
        notes: need(notes)?,
    };
    if contract.evidence_refs.is_empty() {
        Err(Fault::Shape)
    } else {
        Ok(contract)
    }
}

fn non_empty(reader: &mut Strict<'_>) -> Result<String> {
    let text = reader.string()?;
    if text.is_empty() {
        Err(Fault::Shape)
    } else {
        Ok(text.into_owned())
    }
}

fn read_proposition(reader: &mut Strict<'_>) -> Result<Proposition> {
    let (mut kind, mut left, mut right, mut expected, mut name) = (None, None, None, None, None);
    reader.object(|reader, key| {
        match key {
            "kind" => kind = Some(PropositionKind::read(reader)?),
            "left_pointer" => left = Some(read_pointer(reader)?),
            "right_pointer" => right = Some(read_pointer(reader)?),
            "expected" => expected = Some(read_scalar(reader)?),
            "surface" => name = Some(surface(reader)?),
            _ => return Err(Fault::Shape),
        }
        Ok(())
    })?;
    Ok(Proposition {
        kind: need(kind)?,
        left_pointer: need(left)?,
        right_pointer: need(right)?,
        expected: need(expected)?,
        surface: need(name)?,
    })
}

/// A pointer to a scalar is never the root's, so it begins with a slash.
fn read_pointer(reader: &mut Strict<'_>) -> Result<String> {
    let text = reader.string()?;
    if text.starts_with('/') {
        Ok(text.into_owned())
    } else {
        Err(Fault::Shape)
    }
}

fn read_scalar(reader: &mut Strict<'_>) -> Result<Scalar> {
    Ok(match reader.peek()? {
        Kind::Null => {
            reader.null()?;
            Scalar::Null
        }
        Kind::Bool => Scalar::Bool(reader.boolean()?),
        Kind::Number => Scalar::Count(reader.count()?),
        Kind::String => Scalar::Text(reader.string()?.into_owned()),
        Kind::Array | Kind::Object => return Err(Fault::Shape),
    })
}

pub(super) fn write_join(writer: &mut Writer, join: &Join) {
    writer.begin_object();
    writer.key("contract");
    write_contract(writer, &join.contract);
    writer.key("id");
    writer.token(&join.id);
    writer.key("left");
    join.left.write(writer);
    writer.key("proposition");
    writer.begin_object();
    writer.key("expected");
    match &join.proposition.expected {
        Scalar::Null => write_null(writer),
        Scalar::Bool(truth) => writer.boolean(*truth),
        Scalar::Count(count) => write_count(writer, *count),
        Scalar::Text(text) => writer.string(text),
    }
    writer.key("kind");
    writer.string(join.proposition.kind.token());
    writer.key("left_pointer");
    writer.string(&join.proposition.left_pointer);
    writer.key("right_pointer");
    writer.string(&join.proposition.right_pointer);
    writer.key("surface");
    writer.string(join.proposition.surface.name());
    writer.end_object();
    writer.key("result");
    writer.string(join.result.token());
    writer.key("right");
    match &join.right {
        Some(right) => right.write(writer),
        None => write_null(writer),
    }
    writer.end_object();
}

fn write_contract(writer: &mut Writer, contract: &JoinContract) {
    writer.begin_object();
    writer.key("evidence_refs");
    each(writer, &contract.evidence_refs, |writer, text| {
        writer.string(text)
    });
    writer.key("fallback_used");
    writer.boolean(contract.fallback_used);
    writer.key("join_grade");
    writer.string(contract.join_grade.token());
    writer.key("join_key");
    writer.string(contract.join_key.token());
    writer.key("join_value");
    match &contract.join_value {
        Some(value) => writer.string(value),
        None => write_null(writer),
    }
    writer.key("left_artifact_role");
    writer.string(contract.left_artifact_role.token());
    writer.key("notes");
    each(writer, &contract.notes, |writer, text| writer.string(text));
    writer.key("right_artifact_role");
    writer.string(contract.right_artifact_role.token());
    writer.key("schema");
    writer.string(JOIN_SCHEMA);
    writer.key("scope");
    writer.string(contract.scope.token());
    writer.key("unique_within_scope");
    writer.boolean(contract.unique_within_scope);
    writer.end_object();
}
