//! The inventory (§7.1) with its nineteen context facts (§9).

use attest_canon::Digest;
use attest_canon::jcs::Writer;

use super::{
    NON_CLAIMS, digest, finish, id, need, references, tokens, write_count, write_non_claims,
    write_null, write_refs,
};
use crate::Dialect;
use crate::format::Format;
use crate::grammar::{Id, Ref, Surface, SurfaceSet};
use crate::json::{Bounds, Fault, Strict};
use crate::limits::{Limit, Meter};

/// Its schema identity.
const SCHEMA: &str = "assay.incident.inventory.v1";

tokens! {
    /// The nineteen disclosure obligations, alphabetically.
    FactKind {
        /// Who acted.
        Actor = "actor",
        /// Gaps in chains.
        ChainGaps = "chain_gaps",
        /// Clocks.
        Clock = "clock",
        /// Where context comes from.
        ContextProvenance = "context_provenance",
        /// Correlation.
        Correlation = "correlation",
        /// Custody.
        Custody = "custody",
        /// Denominators.
        Denominator = "denominator",
        /// What is missing.
        MissingEvidence = "missing_evidence",
        /// Offline verification.
        OfflineVerification = "offline_verification",
        /// Digests of originals.
        OriginalDigests = "original_digests",
        /// Policies in force.
        PolicyActivation = "policy_activation",
        /// How the producer was invoked.
        ProducerInvocation = "producer_invocation",
        /// Recoverability.
        Recoverability = "recoverability",
        /// Effects on resources.
        ResourceEffects = "resource_effects",
        /// Retention.
        Retention = "retention",
        /// Schema versions.
        SchemaVersions = "schema_versions",
        /// What signatures rest on.
        SignatureBasis = "signature_basis",
        /// Windows.
        Windows = "windows",
        /// Withheld material and derivatives.
        WithholdingDerivatives = "withholding_derivatives",
    }
}

impl FactKind {
    /// All nineteen, alphabetically, which is their canonical order.
    pub const ALL: [Self; 19] = [
        Self::Actor,
        Self::ChainGaps,
        Self::Clock,
        Self::ContextProvenance,
        Self::Correlation,
        Self::Custody,
        Self::Denominator,
        Self::MissingEvidence,
        Self::OfflineVerification,
        Self::OriginalDigests,
        Self::PolicyActivation,
        Self::ProducerInvocation,
        Self::Recoverability,
        Self::ResourceEffects,
        Self::Retention,
        Self::SchemaVersions,
        Self::SignatureBasis,
        Self::Windows,
        Self::WithholdingDerivatives,
    ];
}

tokens! {
    /// Whether a fact is stated.
    FactReason {
        /// With a value and at least one reference.
        Stated = "stated",
        /// Not to be had.
        NotAvailable = "not_available",
        /// Does not apply.
        NotApplicable = "not_applicable",
    }
}

/// One fact of the inventory's context.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fact {
    /// The stated text; `None` unless stated.
    pub value: Option<String>,
    /// Whether it is stated.
    pub reason: FactReason,
    /// What it rests on.
    pub refs: Vec<Ref>,
}

impl Default for Fact {
    /// `not_available`, without references.
    fn default() -> Self {
        Self {
            value: None,
            reason: FactReason::NotAvailable,
            refs: Vec::new(),
        }
    }
}

/// The nineteen facts.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Facts([Fact; 19]);

impl Facts {
    /// One fact.
    #[must_use]
    pub fn get(&self, kind: FactKind) -> Option<&Fact> {
        self.0.get(kind as usize)
    }

    /// Replaces one fact.
    pub fn set(&mut self, kind: FactKind, fact: Fact) {
        if let Some(slot) = self.0.get_mut(kind as usize) {
            *slot = fact;
        }
    }

    /// All facts, alphabetically by kind.
    pub fn iter(&self) -> impl Iterator<Item = (FactKind, &Fact)> {
        FactKind::ALL.into_iter().zip(&self.0)
    }
}

/// What an attestation or its report is bound to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Binding {
    /// The attested bundle.
    pub bundle_input: Id,
    /// The key.
    pub key_input: Id,
    /// The attestation a report is about; `None` for an attestation.
    pub attestation_input: Option<Id>,
}

/// One declared occurrence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Input {
    /// Its label.
    pub id: Id,
    /// Digest of its original bytes.
    pub sha256: Digest,
    /// Their number.
    pub bytes: u64,
    /// The format token as written.
    pub token: String,
    /// The format, `None` when the token is not one of this dialect's.
    pub format: Option<Format>,
    /// Declared surfaces.
    pub surfaces: SurfaceSet,
    /// The binding.
    pub binding: Option<Binding>,
}

/// The closed list of declared inputs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Inventory {
    /// Digest of `assessment.json`.
    pub assessment_sha256: Digest,
    /// Occurrences, ascending by id.
    pub inputs: Vec<Input>,
    /// The context facts.
    pub context: Facts,
}

impl Inventory {
    /// The position of an input.
    #[must_use]
    pub fn position(&self, id: &Id) -> Option<usize> {
        self.inputs.binary_search_by(|input| input.id.cmp(id)).ok()
    }

    /// Reads `inventory.json`, charging inputs, their bytes and references.
    /// In the dialect inputs may stand in any order; they are sorted here.
    pub(crate) fn parse(bytes: &[u8], meter: &mut Meter, dialect: Dialect) -> Result<Self, Fault> {
        let mut reader = Strict::canonical(bytes, Bounds::package(&meter.limits))?;
        let (mut schema, mut assessment, mut inputs, mut context, mut non_claims) =
            (None, None, None, None, None);
        reader.object(|reader, key| {
            match key {
                "schema" => schema = Some(reader.string()?.into_owned()),
                "assessment_sha256" => assessment = Some(digest(reader)?),
                "inputs" => inputs = Some(read_inputs(reader, meter, dialect)?),
                "context" => context = Some(read_facts(reader, meter, dialect)?),
                "non_claims" => non_claims = Some(read_non_claims(reader)?),
                _ => return Err(Fault::Shape),
            }
            Ok(())
        })?;
        reader.finish()?;
        let inventory = Self {
            assessment_sha256: need(assessment)?,
            inputs: need(inputs)?,
            context: need(context)?,
        };
        need(non_claims)?;
        if need(schema)? != SCHEMA {
            return Err(Fault::Shape);
        }
        for input in &inventory.inputs {
            meter.object_bytes(input.bytes)?;
        }
        Ok(inventory)
    }

    /// The canonical bytes of `inventory.json`.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut writer = Writer::new();
        writer.begin_object();
        writer.key("assessment_sha256");
        writer.token(&self.assessment_sha256);
        writer.key("context");
        writer.begin_object();
        for (kind, fact) in self.context.iter() {
            writer.key(kind.token());
            writer.begin_object();
            writer.key("reason");
            writer.string(fact.reason.token());
            writer.key("refs");
            write_refs(&mut writer, &fact.refs);
            writer.key("value");
            match &fact.value {
                Some(value) => writer.string(value),
                None => write_null(&mut writer),
            }
            writer.end_object();
        }
        writer.end_object();
        writer.key("inputs");
        writer.begin_array();
        for input in &self.inputs {
            writer.element();
            input.write(&mut writer);
        }
        writer.end_array();
        writer.key("non_claims");
        write_non_claims(&mut writer);
        writer.key("schema");
        writer.string(SCHEMA);
        writer.end_object();
        finish(writer)
    }
}

impl Input {
    fn write(&self, writer: &mut Writer) {
        writer.begin_object();
        writer.key("binding");
        match &self.binding {
            None => write_null(writer),
            Some(binding) => {
                writer.begin_object();
                writer.key("attestation_input");
                match &binding.attestation_input {
                    Some(id) => writer.token(id),
                    None => write_null(writer),
                }
                writer.key("bundle_input");
                writer.token(&binding.bundle_input);
                writer.key("key_input");
                writer.token(&binding.key_input);
                writer.end_object();
            }
        }
        writer.key("bytes");
        write_count(writer, self.bytes);
        writer.key("format");
        writer.string(&self.token);
        writer.key("id");
        writer.token(&self.id);
        writer.key("sha256");
        writer.token(&self.sha256);
        writer.key("surfaces");
        writer.begin_array();
        for surface in self.surfaces.iter() {
            writer.element();
            writer.string(surface.name());
        }
        writer.end_array();
        writer.end_object();
    }
}

fn read_inputs(
    reader: &mut Strict<'_>,
    meter: &Meter,
    dialect: Dialect,
) -> Result<Vec<Input>, Fault> {
    let mut inputs = Vec::new();
    reader.array(|reader, index| {
        meter
            .limits
            .check_len(Limit::Inputs, index.saturating_add(1))?;
        inputs.push(read_input(reader, dialect)?);
        Ok(())
    })?;
    if dialect == Dialect::Assay621 {
        inputs.sort_by(|a: &Input, b| a.id.cmp(&b.id));
    }
    if inputs.is_sorted_by(|a, b| a.id < b.id) {
        Ok(inputs)
    } else {
        Err(Fault::Shape)
    }
}

fn read_input(reader: &mut Strict<'_>, dialect: Dialect) -> Result<Input, Fault> {
    let (mut input_id, mut sha256, mut bytes, mut token) = (None, None, None, None);
    let (mut surfaces, mut binding) = (None, None);
    reader.object(|reader, key| {
        match key {
            "id" => input_id = Some(id(reader)?),
            "sha256" => sha256 = Some(digest(reader)?),
            "bytes" => bytes = Some(reader.count()?),
            "format" => token = Some(reader.string()?.into_owned()),
            "surfaces" => surfaces = Some(read_surfaces(reader)?),
            "binding" => {
                binding = Some(if reader.null()? {
                    None
                } else {
                    Some(read_binding(reader, dialect)?)
                })
            }
            _ => return Err(Fault::Shape),
        }
        Ok(())
    })?;
    let token = need(token)?;
    let format = Format::parse(&token, dialect);
    let binding = match binding {
        None if dialect == Dialect::Assay621 => None,
        binding => need(binding)?,
    };
    let fits = match (format, &binding) {
        (Some(Format::DsseAttestation), Some(binding)) => binding.attestation_input.is_none(),
        (Some(Format::AttestationReport), Some(binding)) => binding.attestation_input.is_some(),
        (Some(Format::DsseAttestation | Format::AttestationReport), None) => false,
        // What an unknown format would bind is not this phase's question.
        (None, _) => true,
        (Some(_), binding) => binding.is_none(),
    };
    if !fits {
        return Err(Fault::Shape);
    }
    Ok(Input {
        id: need(input_id)?,
        sha256: need(sha256)?,
        bytes: need(bytes)?,
        token,
        format,
        surfaces: need(surfaces)?,
        binding,
    })
}

fn read_surfaces(reader: &mut Strict<'_>) -> Result<SurfaceSet, Fault> {
    let mut set = SurfaceSet::default();
    reader.array(|reader, _| {
        let surface = Surface::parse(&reader.string()?).ok_or(Fault::Shape)?;
        if set.push(surface) {
            Ok(())
        } else {
            Err(Fault::Shape)
        }
    })?;
    Ok(set)
}

fn read_binding(reader: &mut Strict<'_>, dialect: Dialect) -> Result<Binding, Fault> {
    let (mut bundle_input, mut key_input, mut attestation_input) = (None, None, None);
    reader.object(|reader, key| {
        match key {
            "bundle_input" => bundle_input = Some(id(reader)?),
            "key_input" => key_input = Some(id(reader)?),
            "attestation_input" => {
                attestation_input = Some(if reader.null()? {
                    None
                } else {
                    Some(id(reader)?)
                })
            }
            _ => return Err(Fault::Shape),
        }
        Ok(())
    })?;
    Ok(Binding {
        bundle_input: need(bundle_input)?,
        key_input: need(key_input)?,
        attestation_input: match attestation_input {
            None if dialect == Dialect::Assay621 => None,
            member => need(member)?,
        },
    })
}

fn read_facts(
    reader: &mut Strict<'_>,
    meter: &mut Meter,
    dialect: Dialect,
) -> Result<Facts, Fault> {
    let mut facts = Facts::default();
    let mut seen = 0usize;
    reader.object(|reader, key| {
        let kind = FactKind::parse(key).ok_or(Fault::Shape)?;
        facts.set(kind, read_fact(reader, meter, dialect)?);
        seen = seen.saturating_add(1);
        Ok(())
    })?;
    // Keys are distinct and known, so as many as there are is all of them.
    if seen == FactKind::ALL.len() {
        Ok(facts)
    } else {
        Err(Fault::Shape)
    }
}

fn read_fact(reader: &mut Strict<'_>, meter: &mut Meter, dialect: Dialect) -> Result<Fact, Fault> {
    let (mut value, mut reason, mut refs) = (None, None, None);
    reader.object(|reader, key| {
        match key {
            "value" => {
                let text = reader.payload(Strict::nullable_string)?;
                value = Some(text.map(std::borrow::Cow::into_owned));
            }
            "reason" => reason = Some(FactReason::read(reader)?),
            "refs" => refs = Some(references(reader, meter)?),
            _ => return Err(Fault::Shape),
        }
        Ok(())
    })?;
    let fact = Fact {
        value: match value {
            None if dialect == Dialect::Assay621 => None,
            member => need(member)?,
        },
        reason: need(reason)?,
        refs: need(refs)?,
    };
    let consistent = match fact.reason {
        FactReason::Stated => fact.value.is_some() && !fact.refs.is_empty(),
        FactReason::NotAvailable | FactReason::NotApplicable => fact.value.is_none(),
    };
    if consistent {
        Ok(fact)
    } else {
        Err(Fault::Shape)
    }
}

fn read_non_claims(reader: &mut Strict<'_>) -> Result<(), Fault> {
    let mut count = 0usize;
    reader.array(|reader, index| {
        count = index.saturating_add(1);
        let claim = reader.string()?;
        if NON_CLAIMS.get(index) == Some(&claim.as_ref()) {
            Ok(())
        } else {
            Err(Fault::Shape)
        }
    })?;
    if count == NON_CLAIMS.len() {
        Ok(())
    } else {
        Err(Fault::Shape)
    }
}
