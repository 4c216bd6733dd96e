//! The result document (§7.2).

use std::borrow::Cow;

use super::fields::Checked;
use crate::document::reference;
use crate::grammar::Ref;
use crate::json::{Bounds, Fault, Json, Strict, canonical};
use crate::limits::{Limit, Meter};

/// Its schema identity.
pub(super) const SCHEMA: &str = "assay.incident.results.v1";

/// One ExaminationResult.
#[derive(Debug)]
pub(crate) struct DisclosedResult<'a> {
    /// The format token it was examined under.
    pub(crate) operation: Cow<'a, str>,
    /// The unit it is about.
    pub(crate) source: Ref,
    /// Its value's text as written.
    value: &'a str,
}

impl DisclosedResult<'_> {
    /// The canonical text of its value, which was admitted already.
    pub(crate) fn canonical_value(&self) -> Checked<String> {
        let value: Json<'_> = Strict::new(self.value, Bounds::admitted()).tree(None)?;
        canonical(&value)
    }
}

/// A result document's results, in order.
#[derive(Debug)]
pub(crate) struct ResultsDocument<'a> {
    /// The results.
    pub(crate) results: Vec<DisclosedResult<'a>>,
}

/// Reads a result document, charging results and references.
pub(super) fn read<'a>(text: &'a str, meter: &mut Meter) -> Checked<ResultsDocument<'a>> {
    let mut reader = Strict::new(text, Bounds::package(&meter.limits));
    let (mut schema, mut results) = (None, None);
    let bound = meter.limits.scan(Limit::RecordBytes);
    reader.object(|reader, key| {
        match key {
            "schema" => schema = Some(reader.string()?.into_owned()),
            "results" => {
                let mut list = Vec::new();
                reader.array(|reader, _| {
                    reader.peek()?;
                    meter.record()?;
                    list.push(reader.bounded(bound, |reader| read_result(reader, meter))?);
                    Ok(())
                })?;
                results = Some(list);
            }
            _ => return Err(Fault::Shape),
        }
        Ok(())
    })?;
    reader.finish()?;
    if schema.as_deref() != Some(SCHEMA) {
        return Err(Fault::Shape);
    }
    Ok(ResultsDocument {
        results: results.ok_or(Fault::Shape)?,
    })
}

fn read_result<'a>(reader: &mut Strict<'a>, meter: &mut Meter) -> Checked<DisclosedResult<'a>> {
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
    Ok(DisclosedResult {
        operation: operation.ok_or(Fault::Shape)?,
        source: source.ok_or(Fault::Shape)?,
        value: value.ok_or(Fault::Shape)?,
    })
}
