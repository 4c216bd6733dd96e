//! The result document (§7.2).

use super::fields::Checked;
use crate::document::Disclosed;
use crate::json::{Bounds, Fault, Strict};
use crate::limits::{Limit, Meter};

/// Its schema identity.
pub(super) const SCHEMA: &str = "assay.incident.results.v1";

/// A result document's results, in order.
#[derive(Debug)]
pub(crate) struct ResultsDocument<'a> {
    /// The results.
    pub(crate) results: Vec<Disclosed<'a>>,
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
                    list.push(reader.bounded(bound, |reader| Disclosed::read(reader, meter))?);
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
