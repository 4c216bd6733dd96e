//! The canonical bundle: manifest and events verified as one reading
//! (foreign shapes §1).

use std::borrow::Cow;
use std::collections::BTreeMap;

use attest_canon::Digest;
use sha2::{Digest as _, Sha256};

use super::bundle_archive::{self, Members};
use super::bundle_event::{self, Expected, PackCoverage};
use super::fields::{Checked, preflight, require};
use super::{Admitted, Content, Format, Record, Seen, Source};
use crate::grammar::{Instant, Surface, SurfaceSet};
use crate::json::{Bounds, Fault, Strict};
use crate::limits::{Limit, Meter};
use crate::reason::Reason;

/// A verified bundle.
pub(crate) struct Bundle {
    /// The events member, whole.
    pub(crate) events: String,
    /// Its digest.
    pub(crate) events_sha256: Digest,
    /// The run.
    pub(crate) run_id: String,
    /// The bundle's id, which is its run root.
    pub(crate) bundle_id: String,
    /// Producer name, version and git.
    pub(crate) producer: (String, String, Option<String>),
    /// Events per type.
    pub(crate) histogram: BTreeMap<String, u64>,
    /// Least and greatest event time.
    pub(crate) window: (Instant, Instant),
    /// Ordinals of `assay.profile.finished` and `assay.sandbox.summary` events.
    pub(crate) summaries: Vec<(&'static str, usize)>,
    /// Whether the sandbox says it was degraded.
    pub(crate) degraded: bool,
    /// What evidence packs say of coverage.
    pub(crate) packs: Vec<(Surface, PackCoverage)>,
}

impl Bundle {
    /// The surfaces whose emptiness a summary in this bundle enumerates
    /// (package readings 14).
    pub(crate) fn enumerated(&self) -> SurfaceSet {
        let mut set = Vec::new();
        for (name, _) in &self.summaries {
            set.extend([Surface::Filesystem, Surface::Process]);
            if *name == bundle_event::PROFILE_FINISHED {
                set.push(Surface::Network);
            }
        }
        set.into_iter().collect()
    }
}

/// Phase 3's question stops the reading at once; everything else is a fault.
enum Broken {
    UnknownType,
    Fault(Fault),
}

impl From<Fault> for Broken {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

/// Admits a bundle's bytes, whose length was charged.
pub(super) fn admit<'a>(
    bytes: &'a [u8],
    meter: &mut Meter,
    length: u64,
) -> Result<Admitted<'a>, Reason> {
    let mut records = Vec::new();
    let read = bundle_archive::read(bytes, meter)
        .map_err(Broken::Fault)
        .and_then(|members| read_members(members, meter, &mut records));
    let seen = Seen {
        surfaces: records.iter().filter_map(|record| record.surface).collect(),
    };
    match read {
        Ok(bundle) => Ok(Admitted {
            identity: Ok(()),
            source: Ok(Source {
                text: Cow::Borrowed(""),
                length,
                format: Format::Bundle,
                records,
                content: Content::Bundle(Box::new(bundle)),
            }),
        }),
        Err(Broken::Fault(Fault::Resource(reason))) => Err(reason),
        Err(Broken::Fault(Fault::Shape)) => Ok(Admitted {
            identity: Ok(()),
            source: Err(seen),
        }),
        Err(Broken::UnknownType) => Ok(Admitted {
            identity: Err(Reason::UnknownFormat),
            source: Err(seen),
        }),
    }
}

fn read_members(
    members: Members,
    meter: &mut Meter,
    records: &mut Vec<Record>,
) -> Result<Bundle, Broken> {
    let manifest = core::str::from_utf8(&members.manifest).map_err(|_| Fault::Shape)?;
    preflight(manifest, &meter.limits, None)?;
    let manifest = Manifest::read(&mut Strict::new(manifest, Bounds::admitted()))?;
    // UTF-8 is asked line by line, so that what stands before a bad byte counts.
    let (valid, whole) = match core::str::from_utf8(&members.events) {
        Ok(text) => (text, true),
        Err(error) => {
            let good = members
                .events
                .get(..error.valid_up_to())
                .unwrap_or_default();
            let text = core::str::from_utf8(good).unwrap_or_default();
            (text.rsplit_once('\n').map_or("", |(lines, _)| lines), false)
        }
    };
    let read = read_events(valid, &manifest, meter, records)?;
    require(whole)?;
    let root = format!("sha256:{}", read.root);
    let length = u64::try_from(members.events.len()).map_err(|_| Fault::Shape)?;
    let stated = manifest
        .events_sha256
        .strip_prefix("sha256:")
        .unwrap_or(&manifest.events_sha256);
    require(manifest.events_bytes == length && stated == members.events_sha256.to_string())?;
    require(u64::try_from(records.len()) == Ok(manifest.event_count))?;
    require(manifest.run_root == root && manifest.bundle_id == root)?;
    let window = read.window.ok_or(Fault::Shape)?;
    Ok(Bundle {
        events_sha256: members.events_sha256,
        run_id: manifest.run_id,
        bundle_id: manifest.bundle_id,
        producer: manifest.producer,
        histogram: read.histogram,
        window,
        summaries: read.summaries,
        degraded: read.degraded,
        packs: read.packs,
        events: String::from_utf8(members.events).map_err(|_| Fault::Shape)?,
    })
}

struct Manifest {
    run_id: String,
    run_root: String,
    bundle_id: String,
    event_count: u64,
    producer: (String, String, Option<String>),
    events_bytes: u64,
    events_sha256: String,
}

impl Manifest {
    fn read(reader: &mut Strict<'_>) -> Checked<Self> {
        let (mut version, mut algorithms) = (None, None);
        let (mut run_id, mut run_root, mut bundle_id) = (None, None, None);
        let (mut event_count, mut producer, mut events) = (None, None, None);
        reader.object(|reader, key| {
            match key {
                "schema_version" => version = Some(require(reader.count()? == 1)?),
                "algorithms" => algorithms = Some(read_algorithms(reader)?),
                "producer" => producer = Some(read_producer(reader)?),
                "files" => events = Some(read_files(reader)?),
                "run_id" => run_id = Some(reader.string()?.into_owned()),
                "run_root" => run_root = Some(reader.string()?.into_owned()),
                "bundle_id" => bundle_id = Some(reader.string()?.into_owned()),
                "event_count" => event_count = Some(reader.count()?),
                _ => drop(reader.skip()?),
            }
            Ok(())
        })?;
        needed(version)?;
        needed(algorithms)?;
        let (events_bytes, events_sha256) = needed(needed(events)?)?;
        Ok(Self {
            run_id: needed(run_id)?,
            run_root: needed(run_root)?,
            bundle_id: needed(bundle_id)?,
            event_count: needed(event_count)?,
            producer: needed(producer)?,
            events_bytes,
            events_sha256,
        })
    }
}

fn needed<T>(member: Option<T>) -> Checked<T> {
    member.ok_or(Fault::Shape)
}

/// Its three names are required, whatever they are.
fn read_algorithms(reader: &mut Strict<'_>) -> Checked<()> {
    let mut seen = 0usize;
    reader.object(|reader, key| {
        if ["canon", "hash", "root"].contains(&key) {
            seen = seen.saturating_add(1);
            reader.string().map(drop)
        } else {
            reader.skip().map(drop)
        }
    })?;
    require(seen == 3)
}

fn read_producer(reader: &mut Strict<'_>) -> Checked<(String, String, Option<String>)> {
    let (mut name, mut version, mut git) = (None, None, None);
    reader.object(|reader, key| {
        match key {
            "name" => name = Some(reader.string()?.into_owned()),
            "version" => version = Some(reader.string()?.into_owned()),
            "git" => git = reader.nullable_string()?.map(Cow::into_owned),
            _ => drop(reader.skip()?),
        }
        Ok(())
    })?;
    Ok((needed(name)?, needed(version)?, git))
}

/// Bytes and digest of the events; every other file is of the same shape.
fn read_files(reader: &mut Strict<'_>) -> Checked<Option<(u64, String)>> {
    let mut events = None;
    reader.object(|reader, name| {
        let (mut path, mut bytes, mut sha256) = (None, None, None);
        reader.object(|reader, key| {
            match key {
                "path" => path = Some(reader.string().map(drop)?),
                "bytes" => bytes = Some(reader.count()?),
                "sha256" => sha256 = Some(reader.string()?),
                _ => drop(reader.skip()?),
            }
            Ok(())
        })?;
        needed(path)?;
        let file = (needed(bytes)?, needed(sha256)?);
        if name == "events.ndjson" {
            events = Some((file.0, file.1.into_owned()));
        }
        Ok(())
    })?;
    Ok(events)
}

struct Events {
    root: Digest,
    histogram: BTreeMap<String, u64>,
    window: Option<(Instant, Instant)>,
    summaries: Vec<(&'static str, usize)>,
    degraded: bool,
    packs: Vec<(Surface, PackCoverage)>,
}

fn read_events(
    text: &str,
    manifest: &Manifest,
    meter: &mut Meter,
    records: &mut Vec<Record>,
) -> Result<Events, Broken> {
    if text.starts_with('\u{feff}') {
        return Err(Fault::Shape.into());
    }
    let bound = meter.limits.scan(Limit::RecordBytes);
    let bounds = Bounds::package(&meter.limits);
    let mut root = Sha256::new();
    let mut events = Events {
        root: Digest::from_bytes([0; 32]),
        histogram: BTreeMap::new(),
        window: None,
        summaries: Vec::new(),
        degraded: false,
        packs: Vec::new(),
    };
    let mut source: Option<String> = None;
    let mut buffer = String::new();
    let mut start = 0usize;
    while let Some(rest) = text.get(start..).filter(|rest| !rest.is_empty()) {
        let (line, next) = match rest.split_once('\n') {
            Some((line, _)) => (line, line.len().saturating_add(1)),
            None => (rest, rest.len()),
        };
        bound.check(line.len()).map_err(Fault::from)?;
        meter.record().map_err(Fault::from)?;
        let line = line.strip_suffix('\r').unwrap_or(line);
        let mut reader = Strict::new(line, bounds);
        let event = reader.tree(Some("data"))?;
        reader.finish()?;
        let event_type = bundle_event::event_type(&event)?;
        let surface = bundle_event::population(event_type).ok_or(Broken::UnknownType)?;
        let position = records.len();
        let expected = Expected {
            run_id: &manifest.run_id,
            sequence: u64::try_from(position).map_err(|_| Fault::Shape)?,
            source: source.as_deref(),
        };
        let envelope = bundle_event::check(&event, &expected, &mut buffer)?;
        root.update(envelope.content_hash.as_bytes());
        root.update(b"\n");
        let time = envelope.time;
        events.window = Some(events.window.map_or((time, time), |(least, most)| {
            (least.min(time), most.max(time))
        }));
        match event_type {
            bundle_event::PROFILE_FINISHED => events
                .summaries
                .push((bundle_event::PROFILE_FINISHED, position)),
            bundle_event::SANDBOX_SUMMARY => events
                .summaries
                .push((bundle_event::SANDBOX_SUMMARY, position)),
            bundle_event::SANDBOX_DEGRADED => events.degraded = true,
            bundle_event::EVIDENCE_PACK => events.packs.extend(bundle_event::read_pack(&event)?),
            _ => {}
        }
        records.push(Record {
            start,
            length: line.len(),
            ordinal: expected.sequence,
            surface,
            time: Some(time),
            examined: surface.is_some() && bundle_event::examine(&event, envelope.event_type),
        });
        let count = events.histogram.entry(event_type.to_owned()).or_insert(0);
        *count = count.saturating_add(1);
        if source.is_none() {
            source = Some(envelope.source.to_owned());
        }
        start = start.saturating_add(next);
    }
    events.root = Digest::from_bytes(root.finalize().into());
    Ok(events)
}
