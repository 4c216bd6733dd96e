//! The recorded assessment (§7.2, §7.3): its grammar. What it must say is
//! recomputed in `account`.

use std::borrow::Cow;

use attest_canon::Digest;
use attest_canon::jcs::Writer;
use attest_canon::json::Kind;

use super::context_input::Window;
use super::{
    digest, finish, id, need, reference, references, tokens, write_count, write_null, write_refs,
};
use crate::Dialect;
use crate::grammar::{Id, Ref, Surface};
use crate::json::{Bounds, Fault, Strict};
use crate::limits::Meter;

/// Its schema identity.
const SCHEMA: &str = "assay.incident.assessment.v1";

/// The identity of the foreign join contract.
const JOIN_SCHEMA: &str = "assay.observability.join_result.v0";

tokens! {
    /// What became of a unit (§6).
    Disposition {
        /// Its result is disclosed.
        Examined = "examined",
        /// Does not apply.
        NotApplicable = "not_applicable",
        /// Switched off by policy.
        DisabledByPolicy = "disabled_by_policy",
        /// A known unit whose examination is not supported.
        UnsupportedInput = "unsupported_input",
        /// Ran out of resources.
        ResourceExhausted = "resource_exhausted",
        /// Its examination failed.
        Failed = "failed",
        /// Not available.
        Unavailable = "unavailable",
        /// Out of scope.
        OutOfScope = "out_of_scope",
        /// Its result is bound by digest and not disclosed.
        Withheld = "withheld",
    }
}

tokens! {
    /// How far a surface was observed (§7.2).
    Observation {
        /// Not known.
        Unknown = "unknown",
        /// With limits.
        Limited = "limited",
        /// Adequately.
        Adequate = "adequate",
    }
}

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

tokens! {
    /// What a claim says.
    ClaimKind {
        /// Something is there.
        PositivePresence = "positive_presence",
        /// Something is not there, within a window.
        BoundedNegative = "bounded_negative",
        /// Everything is there.
        ExhaustiveSet = "exhaustive_set",
    }
}

tokens! {
    /// Whether a claim stands.
    Decision {
        /// It stands.
        Supported = "supported",
        /// Not fully.
        Degraded = "degraded",
        /// It does not.
        Blocked = "blocked",
    }
}

/// How an examined unit's result is disclosed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Disclosure<'a> {
    /// In the assessment itself.
    Inline {
        /// The format token examined under.
        operation: Cow<'a, str>,
        /// The unit's source.
        source: Ref,
        /// The value's canonical text.
        value: Cow<'a, str>,
    },
    /// In a result document of the package.
    Reference(Ref),
}

/// One eligible action occurrence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unit<'a> {
    /// SHA-256 of the source.
    pub id: Digest,
    /// Where the record stands.
    pub source: Ref,
    /// Its population.
    pub surface: Surface,
    /// What became of it.
    pub disposition: Disposition,
    /// Its result when examined.
    pub result: Option<Disclosure<'a>>,
    /// The digest of a withheld result.
    pub withheld_digest: Option<Digest>,
}

/// One surface's observation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SurfaceResult {
    /// The surface.
    pub name: Surface,
    /// Inputs that supply it, ascending.
    pub source_inputs: Vec<Id>,
    /// How far it was observed.
    pub observation: Observation,
    /// What that rests on.
    pub basis_refs: Vec<Ref>,
    /// For which window.
    pub window: Option<Window>,
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

/// A surface-scoped claim.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    /// Its id.
    pub id: Id,
    /// What it says.
    pub kind: ClaimKind,
    /// On which surface.
    pub surface: Surface,
    /// The CAP-1 stratum it cites.
    pub stratum: Id,
    /// The join it rests on.
    pub proposition: Id,
    /// Its evidence.
    pub evidence_refs: Vec<Ref>,
    /// Whether it stands.
    pub decision: Decision,
}

/// A recorded assessment, grammar only.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assessment<'a> {
    /// Digest of the context it was made under.
    pub verification_context_sha256: Digest,
    /// Units, ascending by id.
    pub units: Vec<Unit<'a>>,
    /// The five surfaces, in order.
    pub surfaces: Vec<SurfaceResult>,
    /// The canonical text of the CAP-1 document.
    pub cap1: Option<Cow<'a, str>>,
    /// Joins, ascending by id.
    pub joins: Vec<Join>,
    /// Claims, ascending by id.
    pub claims: Vec<Claim>,
    /// Resolved result targets.
    pub resolved_results: Vec<Ref>,
}

type Result<T> = core::result::Result<T, Fault>;

/// A nullable member: required by the contract, optional in the dialect.
fn nullable<T>(member: Option<Option<T>>, dialect: Dialect) -> Result<Option<T>> {
    match member {
        None if dialect == Dialect::Assay621 => Ok(None),
        member => need(member),
    }
}

impl<'a> Assessment<'a> {
    /// Reads `assessment.json`, charging references.
    pub(crate) fn parse(bytes: &'a [u8], meter: &mut Meter, dialect: Dialect) -> Result<Self> {
        let mut reader = Strict::canonical(bytes, Bounds::package(&meter.limits))?;
        let (mut schema, mut context, mut units, mut surfaces, mut cap1) =
            (None, None, None, None, None);
        let (mut joins, mut claims, mut resolved_results) = (None, None, None);
        reader.object(|reader, key| {
            match key {
                "schema" => schema = Some(reader.string()?.into_owned()),
                "verification_context_sha256" => context = Some(digest(reader)?),
                "units" => units = Some(read_units(reader, meter, dialect)?),
                "surfaces" => surfaces = Some(read_surfaces(reader, meter, dialect)?),
                "cap1" => {
                    cap1 = Some(if reader.null()? {
                        None
                    } else {
                        Some(Cow::Borrowed(reader.skip()?))
                    });
                }
                "joins" => {
                    joins = Some(sorted(
                        reader,
                        |reader| read_join(reader, meter, dialect),
                        |join| &join.id,
                    )?)
                }
                "claims" => {
                    claims = Some(sorted(
                        reader,
                        |reader| read_claim(reader, meter),
                        |claim| &claim.id,
                    )?)
                }
                "resolved_results" => resolved_results = Some(references(reader, meter)?),
                _ => return Err(Fault::Shape),
            }
            Ok(())
        })?;
        reader.finish()?;
        if need(schema)? != SCHEMA {
            return Err(Fault::Shape);
        }
        let assessment = Self {
            verification_context_sha256: need(context)?,
            units: need(units)?,
            surfaces: need(surfaces)?,
            cap1: nullable(cap1, dialect)?,
            joins: need(joins)?,
            claims: need(claims)?,
            resolved_results: need(resolved_results)?,
        };
        let ordered = assessment
            .resolved_results
            .is_sorted_by(|a, b| a.order(b).is_lt());
        if ordered {
            Ok(assessment)
        } else {
            Err(Fault::Shape)
        }
    }

    /// The canonical bytes of `assessment.json`.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut writer = Writer::new();
        writer.begin_object();
        writer.key("cap1");
        writer.canonical(self.cap1.as_deref().unwrap_or("null"));
        writer.key("claims");
        each(&mut writer, &self.claims, write_claim);
        writer.key("joins");
        each(&mut writer, &self.joins, write_join);
        writer.key("resolved_results");
        write_refs(&mut writer, &self.resolved_results);
        writer.key("schema");
        writer.string(SCHEMA);
        writer.key("surfaces");
        each(&mut writer, &self.surfaces, write_surface);
        writer.key("units");
        each(&mut writer, &self.units, write_unit);
        writer.key("verification_context_sha256");
        writer.token(&self.verification_context_sha256);
        writer.end_object();
        finish(writer)
    }
}

fn each<T>(writer: &mut Writer, rows: &[T], write: impl Fn(&mut Writer, &T)) {
    writer.begin_array();
    for row in rows {
        writer.element();
        write(writer, row);
    }
    writer.end_array();
}

fn sorted<'a, T>(
    reader: &mut Strict<'a>,
    mut read: impl FnMut(&mut Strict<'a>) -> Result<T>,
    id: impl Fn(&T) -> &Id,
) -> Result<Vec<T>> {
    let mut rows: Vec<T> = Vec::new();
    reader.array(|reader, _| {
        rows.push(read(reader)?);
        Ok(())
    })?;
    if rows.is_sorted_by(|a, b| id(a) < id(b)) {
        Ok(rows)
    } else {
        Err(Fault::Shape)
    }
}

fn surface(reader: &mut Strict<'_>) -> Result<Surface> {
    Surface::parse(&reader.string()?).ok_or(Fault::Shape)
}

fn nullable_digest(reader: &mut Strict<'_>) -> Result<Option<Digest>> {
    if reader.null()? {
        Ok(None)
    } else {
        digest(reader).map(Some)
    }
}

fn read_units<'a>(
    reader: &mut Strict<'a>,
    meter: &mut Meter,
    dialect: Dialect,
) -> Result<Vec<Unit<'a>>> {
    let mut units: Vec<Unit<'a>> = Vec::new();
    reader.array(|reader, _| {
        units.push(read_unit(reader, meter, dialect)?);
        Ok(())
    })?;
    if units.is_sorted_by(|a, b| a.id < b.id) {
        Ok(units)
    } else {
        Err(Fault::Shape)
    }
}

fn read_unit<'a>(reader: &mut Strict<'a>, meter: &mut Meter, dialect: Dialect) -> Result<Unit<'a>> {
    let (mut unit_id, mut source, mut name, mut disposition) = (None, None, None, None);
    let (mut result, mut withheld_digest) = (None, None);
    reader.object(|reader, key| {
        match key {
            "id" => unit_id = Some(digest(reader)?),
            "source" => source = Some(reference(reader, meter)?),
            "surface" => name = Some(surface(reader)?),
            "disposition" => disposition = Some(Disposition::read(reader)?),
            "result" => {
                result = Some(if reader.null()? {
                    None
                } else {
                    Some(read_disclosure(reader, meter)?)
                })
            }
            "withheld_digest" => withheld_digest = Some(nullable_digest(reader)?),
            _ => return Err(Fault::Shape),
        }
        Ok(())
    })?;
    Ok(Unit {
        id: need(unit_id)?,
        source: need(source)?,
        surface: need(name)?,
        disposition: need(disposition)?,
        result: nullable(result, dialect)?,
        withheld_digest: nullable(withheld_digest, dialect)?,
    })
}

fn read_disclosure<'a>(reader: &mut Strict<'a>, meter: &mut Meter) -> Result<Disclosure<'a>> {
    let (mut mode, mut target, mut value) = (None, None, None);
    reader.object(|reader, key| {
        match key {
            "mode" => mode = Some(reader.string()?),
            "target" => target = Some(reference(reader, meter)?),
            "value" => value = Some(read_inline(reader, meter)?),
            _ => return Err(Fault::Shape),
        }
        Ok(())
    })?;
    match (need(mode)?.as_ref(), target, value) {
        ("inline", None, Some(inline)) => Ok(inline),
        ("reference", Some(target), None) => Ok(Disclosure::Reference(target)),
        _ => Err(Fault::Shape),
    }
}

fn read_inline<'a>(reader: &mut Strict<'a>, meter: &mut Meter) -> Result<Disclosure<'a>> {
    let (mut operation, mut source, mut value) = (None, None, None);
    reader.object(|reader, key| {
        match key {
            "operation" => operation = Some(reader.string()?),
            "source" => source = Some(reference(reader, meter)?),
            "value" => value = Some(reader.payload(Strict::skip)?),
            _ => return Err(Fault::Shape),
        }
        Ok(())
    })?;
    Ok(Disclosure::Inline {
        operation: need(operation)?,
        source: need(source)?,
        value: Cow::Borrowed(need(value)?),
    })
}

fn read_surfaces(
    reader: &mut Strict<'_>,
    meter: &mut Meter,
    dialect: Dialect,
) -> Result<Vec<SurfaceResult>> {
    let mut rows: Vec<SurfaceResult> = Vec::new();
    reader.array(|reader, index| {
        let row = read_surface(reader, meter, dialect)?;
        if Surface::ALL.get(index) != Some(&row.name) {
            return Err(Fault::Shape);
        }
        rows.push(row);
        Ok(())
    })?;
    if rows.len() == Surface::ALL.len() {
        Ok(rows)
    } else {
        Err(Fault::Shape)
    }
}

fn read_surface(
    reader: &mut Strict<'_>,
    meter: &mut Meter,
    dialect: Dialect,
) -> Result<SurfaceResult> {
    let (mut name, mut source_inputs, mut observation, mut basis_refs, mut window) =
        (None, None, None, None, None);
    reader.object(|reader, key| {
        match key {
            "name" => name = Some(surface(reader)?),
            "source_inputs" => source_inputs = Some(sorted(reader, id, |id| id)?),
            "observation" => observation = Some(Observation::read(reader)?),
            "basis_refs" => basis_refs = Some(references(reader, meter)?),
            "window" => {
                window = Some(if reader.null()? {
                    None
                } else {
                    Some(Window::read(reader)?)
                })
            }
            _ => return Err(Fault::Shape),
        }
        Ok(())
    })?;
    Ok(SurfaceResult {
        name: need(name)?,
        source_inputs: need(source_inputs)?,
        observation: need(observation)?,
        basis_refs: need(basis_refs)?,
        window: nullable(window, dialect)?,
    })
}

fn read_join(reader: &mut Strict<'_>, meter: &mut Meter, dialect: Dialect) -> Result<Join> {
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

fn read_claim(reader: &mut Strict<'_>, meter: &mut Meter) -> Result<Claim> {
    let (mut claim_id, mut kind, mut name, mut stratum) = (None, None, None, None);
    let (mut proposition, mut evidence_refs, mut decision) = (None, None, None);
    reader.object(|reader, key| {
        match key {
            "id" => claim_id = Some(id(reader)?),
            "kind" => kind = Some(ClaimKind::read(reader)?),
            "surface" => name = Some(surface(reader)?),
            "stratum" => stratum = Some(id(reader)?),
            "proposition" => proposition = Some(id(reader)?),
            "evidence_refs" => evidence_refs = Some(references(reader, meter)?),
            "decision" => decision = Some(Decision::read(reader)?),
            _ => return Err(Fault::Shape),
        }
        Ok(())
    })?;
    Ok(Claim {
        id: need(claim_id)?,
        kind: need(kind)?,
        surface: need(name)?,
        stratum: need(stratum)?,
        proposition: need(proposition)?,
        evidence_refs: need(evidence_refs)?,
        decision: need(decision)?,
    })
}

fn write_unit(writer: &mut Writer, unit: &Unit<'_>) {
    writer.begin_object();
    writer.key("disposition");
    writer.string(unit.disposition.token());
    writer.key("id");
    writer.token(&unit.id);
    writer.key("result");
    match &unit.result {
        None => write_null(writer),
        Some(Disclosure::Reference(target)) => {
            writer.begin_object();
            writer.key("mode");
            writer.string("reference");
            writer.key("target");
            target.write(writer);
            writer.end_object();
        }
        Some(Disclosure::Inline {
            operation,
            source,
            value,
        }) => {
            writer.begin_object();
            writer.key("mode");
            writer.string("inline");
            writer.key("value");
            write_examination(writer, operation, source, value);
            writer.end_object();
        }
    }
    writer.key("source");
    unit.source.write(writer);
    writer.key("surface");
    writer.string(unit.surface.name());
    writer.key("withheld_digest");
    match &unit.withheld_digest {
        Some(digest) => writer.token(digest),
        None => write_null(writer),
    }
    writer.end_object();
}

/// Writes an ExaminationResult; `value` is canonical already.
pub(crate) fn write_examination(writer: &mut Writer, operation: &str, source: &Ref, value: &str) {
    writer.begin_object();
    writer.key("operation");
    writer.string(operation);
    writer.key("source");
    source.write(writer);
    writer.key("value");
    writer.canonical(value);
    writer.end_object();
}

fn write_surface(writer: &mut Writer, row: &SurfaceResult) {
    writer.begin_object();
    writer.key("basis_refs");
    write_refs(writer, &row.basis_refs);
    writer.key("name");
    writer.string(row.name.name());
    writer.key("observation");
    writer.string(row.observation.token());
    writer.key("source_inputs");
    each(writer, &row.source_inputs, |writer, id| writer.token(id));
    writer.key("window");
    match &row.window {
        Some(window) => window.write(writer),
        None => write_null(writer),
    }
    writer.end_object();
}

fn write_join(writer: &mut Writer, join: &Join) {
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

fn write_claim(writer: &mut Writer, claim: &Claim) {
    writer.begin_object();
    writer.key("decision");
    writer.string(claim.decision.token());
    writer.key("evidence_refs");
    write_refs(writer, &claim.evidence_refs);
    writer.key("id");
    writer.token(&claim.id);
    writer.key("kind");
    writer.string(claim.kind.token());
    writer.key("proposition");
    writer.token(&claim.proposition);
    writer.key("stratum");
    writer.token(&claim.stratum);
    writer.key("surface");
    writer.string(claim.surface.name());
    writer.end_object();
}
