//! The evidence extent a bundle derives (foreign shapes §6).

use std::collections::BTreeMap;

use attest_canon::jcs::Writer;

use super::bundle_event::PROFILE_FINISHED;
use super::fields::{Checked, Fields, U53, require, unsigned};
use super::{Bundle, Record};
use crate::json::{Bounds, Fault, Json, Strict};

const MOST_KEYS: usize = 10_000;
const MOST_KEY_BYTES: usize = 1 << 20;

/// What was retained, and on what basis that is stated.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct Extent {
    retained: BTreeMap<String, u64>,
    /// The summary's type and its named counts.
    source: Option<(String, BTreeMap<String, u64>)>,
}

const NAMES: [(&str, &str); 4] = [
    ("files_count", "files"),
    ("network_count", "network"),
    ("processes_count", "processes"),
    ("sandbox_degradation_count", "sandbox_degradations"),
];

const SANDBOX_NAMES: [(&str, &str); 3] = [
    ("fs_count", "files"),
    ("exec_count", "processes"),
    ("degradation_count", "sandbox_degradations"),
];

impl Extent {
    /// Derives it from a verified bundle.
    pub(super) fn derive(bundle: &Bundle, records: &[Record]) -> Checked<Self> {
        let mut key_bytes = 0usize;
        for key in bundle.histogram.keys() {
            key_bytes = key_bytes.saturating_add(key.len());
        }
        require(bundle.histogram.len() <= MOST_KEYS && key_bytes <= MOST_KEY_BYTES)?;
        let mut found: BTreeMap<&str, BTreeMap<String, u64>> = BTreeMap::new();
        for (name, position) in &bundle.summaries {
            let record = records.get(*position).ok_or(Fault::Shape)?;
            let end = record.start.saturating_add(record.length);
            let line = bundle.events.get(record.start..end).unwrap_or_default();
            let event = Strict::new(line, Bounds::admitted()).tree(None)?;
            let data = Fields::of(Fields::of(&event)?.any("data")?)?;
            let counts = if *name == PROFILE_FINISHED {
                data.string("integrity_scope")?;
                counts(data, &NAMES)?
            } else {
                data.strings("command")?;
                data.strings("notes")?;
                let Json::Object(counters) = data.any("counters")? else {
                    return Err(Fault::Shape);
                };
                for (_, count) in counters {
                    unsigned(count, U53)?;
                }
                counts(data, &SANDBOX_NAMES)?
            };
            // The same summary twice is no summary.
            require(found.insert(name, counts).is_none())?;
        }
        let source = found
            .remove_entry(PROFILE_FINISHED)
            .or_else(|| found.pop_first())
            .map(|(name, counts)| (name.to_owned(), counts));
        Ok(Self {
            retained: bundle.histogram.clone(),
            source,
        })
    }

    /// Reads a stated extent; unknown members are ignored.
    pub(super) fn read(value: &Json<'_>) -> Checked<Self> {
        let fields = Fields::of(value)?;
        let retained = map_of_counts(fields.any("retained_events_by_type")?)?;
        let observed = Fields::of(fields.any("observed")?)?;
        let source = match observed.string("basis")? {
            "producer_reported" => {
                let name = observed.string("source_type")?.to_owned();
                let stated = Fields::of(observed.any("counts")?)?;
                let mut counts = BTreeMap::new();
                for (_, key) in NAMES {
                    match stated.some(key) {
                        Some(count) => drop(counts.insert(key.to_owned(), unsigned(count, U53)?)),
                        None => require(key == "network")?,
                    }
                }
                Some((name, counts))
            }
            "not_stated" => {
                require(
                    observed.some("source_type").is_none() && observed.some("counts").is_none(),
                )?;
                None
            }
            _ => return Err(Fault::Shape),
        };
        Ok(Self { retained, source })
    }

    /// Its canonical text.
    pub(super) fn to_canonical(&self) -> String {
        let mut writer = Writer::new();
        writer.begin_object();
        writer.key("observed");
        writer.begin_object();
        writer.key("basis");
        match &self.source {
            None => writer.string("not_stated"),
            Some((name, counts)) => {
                writer.string("producer_reported");
                writer.key("counts");
                write_counts(&mut writer, counts);
                writer.key("source_type");
                writer.string(name);
            }
        }
        writer.end_object();
        writer.key("retained_events_by_type");
        write_counts(&mut writer, &self.retained);
        writer.end_object();
        writer.into_text()
    }
}

/// Event types are ASCII, so byte order is canonical order.
fn write_counts(writer: &mut Writer, counts: &BTreeMap<String, u64>) {
    writer.begin_object();
    for (key, count) in counts {
        writer.key(key);
        writer.canonical(&count.to_string());
    }
    writer.end_object();
}

fn counts(data: Fields<'_, '_>, names: &[(&str, &str)]) -> Checked<BTreeMap<String, u64>> {
    names
        .iter()
        .map(|(member, name)| Ok(((*name).to_owned(), data.unsigned(member, U53)?)))
        .collect()
}

fn map_of_counts(value: &Json<'_>) -> Checked<BTreeMap<String, u64>> {
    let Json::Object(members) = value else {
        return Err(Fault::Shape);
    };
    members
        .iter()
        .map(|(key, count)| Ok((key.clone().into_owned(), unsigned(count, U53)?)))
        .collect()
}
