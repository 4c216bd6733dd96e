//! Units and what is disclosed of them (§7.2).

use std::borrow::Cow;

use attest_canon::Digest;
use attest_canon::jcs::Writer;

use super::{Result, nullable, surface};
use crate::Dialect;
use crate::document::{Disclosed, digest, need, reference, tokens, write_null};
use crate::grammar::{Ref, Surface};
use crate::json::{Fault, Strict};
use crate::limits::Meter;

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

pub(super) fn read_units<'a>(
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

fn nullable_digest(reader: &mut Strict<'_>) -> Result<Option<Digest>> {
    if reader.null()? {
        Ok(None)
    } else {
        digest(reader).map(Some)
    }
}

fn read_disclosure<'a>(reader: &mut Strict<'a>, meter: &mut Meter) -> Result<Disclosure<'a>> {
    let (mut mode, mut target, mut value) = (None, None, None);
    reader.object(|reader, key| {
        match key {
            "mode" => mode = Some(reader.string()?),
            "target" => target = Some(reference(reader, meter)?),
            "value" => value = Some(Disclosed::read(reader, meter)?),
            _ => return Err(Fault::Shape),
        }
        Ok(())
    })?;
    match (need(mode)?.as_ref(), target, value) {
        ("inline", None, Some(inline)) => Ok(Disclosure::Inline {
            operation: inline.operation,
            source: inline.source,
            value: Cow::Borrowed(inline.value),
        }),
        ("reference", Some(target), None) => Ok(Disclosure::Reference(target)),
        _ => Err(Fault::Shape),
    }
}

pub(super) fn write_unit(writer: &mut Writer, unit: &Unit<'_>) {
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
