//! The context document (§9).

use super::fields::Checked;
use crate::document::{FactKind, references};
use crate::grammar::Ref;
use crate::json::{Bounds, Fault, Strict};
use crate::limits::{Limit, Meter};

/// Its schema identity.
pub(super) const SCHEMA: &str = "assay.incident.context.v1";

/// One operator-supplied entry.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// Which obligation it answers.
    pub kind: FactKind,
    /// What it says.
    pub value: String,
    /// Original inputs it rests on; may be none.
    pub source_refs: Vec<Ref>,
}

/// A context document's entries, in order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ContextDocument {
    /// The entries.
    pub entries: Vec<Entry>,
}

/// Reads a context document, charging entries and references.
pub(super) fn read(text: &str, meter: &mut Meter) -> Checked<ContextDocument> {
    let mut reader = Strict::new(text, Bounds::package(&meter.limits));
    let (mut schema, mut entries) = (None, None);
    let bound = meter.limits.scan(Limit::RecordBytes);
    reader.object(|reader, key| {
        match key {
            "schema" => schema = Some(reader.string()?.into_owned()),
            "entries" => {
                let mut list = Vec::new();
                reader.array(|reader, _| {
                    reader.peek()?;
                    meter.record()?;
                    let entry = reader.bounded(bound, |reader| read_entry(reader, meter))?;
                    list.push(entry);
                    Ok(())
                })?;
                entries = Some(list);
            }
            _ => return Err(Fault::Shape),
        }
        Ok(())
    })?;
    reader.finish()?;
    if schema.as_deref() != Some(SCHEMA) {
        return Err(Fault::Shape);
    }
    Ok(ContextDocument {
        entries: entries.ok_or(Fault::Shape)?,
    })
}

fn read_entry(reader: &mut Strict<'_>, meter: &mut Meter) -> Checked<Entry> {
    let (mut kind, mut value, mut source_refs) = (None, None, None);
    reader.object(|reader, key| {
        match key {
            "kind" => kind = Some(FactKind::read(reader)?),
            "value" => value = Some(reader.string()?.into_owned()),
            "source_refs" => source_refs = Some(references(reader, meter)?),
            _ => return Err(Fault::Shape),
        }
        Ok(())
    })?;
    Ok(Entry {
        kind: kind.ok_or(Fault::Shape)?,
        value: value.ok_or(Fault::Shape)?,
        source_refs: source_refs.ok_or(Fault::Shape)?,
    })
}
