//! The enumeration of eligible action occurrences (§7.2).

use attest_canon::Digest;
use attest_canon::jcs::Writer;

use super::{Package, Place};
use crate::document::Input;
use crate::format::{Content, Source};
use crate::grammar::Ref;
use crate::json::{Fault, canonical_into};

/// One eligible unit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Eligible {
    /// Its unit id.
    pub(crate) id: Digest,
    /// Its record.
    pub(crate) place: Place,
}

/// Every action record of every occurrence, ascending by unit id.
pub(crate) fn enumerate(package: &Package<'_, '_>) -> Vec<Eligible> {
    let mut writer = Writer::new();
    let mut units = Vec::new();
    for (input, (declared, source)) in package
        .inventory
        .inputs
        .iter()
        .zip(package.sources)
        .enumerate()
    {
        for (record, found) in source.records.iter().enumerate() {
            if found.surface.is_some() {
                let locator = source.locator_of(found);
                let id =
                    crate::grammar::unit_id(&mut writer, &declared.id, declared.sha256, &locator);
                units.push(Eligible {
                    id,
                    place: Place { input, record },
                });
            }
        }
    }
    units.sort_unstable_by_key(|unit| unit.id);
    units
}

/// How a canonical event's value writes the events digest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum EventsDigest {
    /// 64 hexadecimal digits (package readings 2).
    Raw,
    /// With the `sha256:` prefix, in the dialect only.
    Prefixed,
}

/// Appends the canonical text of a unit's examination value: the whole record,
/// for a canonical event {event, events_sha256} (§7.2).
pub(crate) fn value_into(
    source: &Source<'_>,
    record: &crate::format::Record,
    digest: EventsDigest,
    out: &mut String,
) -> Result<(), Fault> {
    let tree = source.tree_of(record)?;
    let Content::Bundle(bundle) = &source.content else {
        return canonical_into(&tree, out);
    };
    out.push_str("{\"event\":");
    canonical_into(&tree, out)?;
    out.push_str(",\"events_sha256\":\"");
    if digest == EventsDigest::Prefixed {
        out.push_str("sha256:");
    }
    out.push_str(&bundle.events_sha256.to_string());
    out.push_str("\"}");
    Ok(())
}

/// SHA-256 of the canonical ExaminationResult of a unit, without a line end.
pub(crate) fn result_digest(input: &Input, reference: &Ref, value: &str) -> Digest {
    let mut writer = Writer::new();
    crate::document::write_examination(&mut writer, &input.token, reference, value);
    attest_canon::sha256(writer.text().as_bytes())
}
