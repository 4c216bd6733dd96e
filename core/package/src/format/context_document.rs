//! The context document (§9).

use attest_canon::jcs::Writer;

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

impl ContextDocument {
    /// The document's bytes: JCS and one LF.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut writer = Writer::new();
        writer.begin_object();
        writer.key("entries");
        writer.begin_array();
        for entry in &self.entries {
            writer.element();
            writer.begin_object();
            writer.key("kind");
            writer.string(entry.kind.token());
            writer.key("source_refs");
            writer.begin_array();
            for reference in &entry.source_refs {
                writer.element();
                reference.write(&mut writer);
            }
            writer.end_array();
            writer.key("value");
            writer.string(&entry.value);
            writer.end_object();
        }
        writer.end_array();
        writer.key("schema");
        writer.string(SCHEMA);
        writer.end_object();
        let mut bytes = writer.into_text().into_bytes();
        bytes.push(b'\n');
        bytes
    }
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
