//! The closed formats of §3: what each admits, and the records it holds.

mod bundle;
mod bundle_archive;
mod bundle_event;
mod context_document;
mod coverage;
mod decision;
mod dsse;
mod extent;
mod fields;
mod health;
mod inspector;
mod kernel;
mod lines;
mod results_document;
mod retained_report;

pub(crate) use bundle::Bundle;
pub(crate) use bundle_event::PackCoverage;
pub use context_document::{ContextDocument, Entry};
pub(crate) use coverage::Coverage;
pub(crate) use dsse::{Attested, Envelope, verify_attestation};
pub(crate) use health::{CaptureOrigin, Correlation, Health, KernelLayer};
pub(crate) use results_document::ResultsDocument;
pub(crate) use retained_report::RetainedReport;

use std::borrow::Cow;

use crate::Dialect;
use crate::grammar::{Instant, Locator, Surface, SurfaceSet, percent_run_id};
use crate::json::{Bounds, Fault, Json, Strict};
use crate::limits::{Limit, Meter};
use crate::reason::Reason;

/// A format token of §3, and the two that only the dialect admits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Format {
    /// `assay-bundle-v1`
    Bundle,
    /// `assay-health-json`
    Health,
    /// `assay-coverage-json`
    Coverage,
    /// `incident-context-v1`
    Context,
    /// `incident-results-v1`
    Results,
    /// `ed25519-public-key-pem`
    PublicKey,
    /// `proxy-decision-ndjson`
    ProxyDecision,
    /// `policy-bytes`
    Policy,
    /// `dsse-attestation`
    DsseAttestation,
    /// `attestation-report`
    AttestationReport,
    /// `inspector-protocol-793d103`
    Inspector,
    /// `runner-kernel-ndjson-v0`, of the dialect only
    KernelV0,
    /// `runner-kernel-ndjson-v1`, of the dialect only
    KernelV1,
}

impl Format {
    /// Every format of the contract, in the order of §3.
    pub const CONTRACT: [Self; 11] = [
        Self::Bundle,
        Self::Health,
        Self::Coverage,
        Self::Context,
        Self::Results,
        Self::PublicKey,
        Self::ProxyDecision,
        Self::Policy,
        Self::DsseAttestation,
        Self::AttestationReport,
        Self::Inspector,
    ];

    /// The token inventories use.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::Bundle => "assay-bundle-v1",
            Self::Health => "assay-health-json",
            Self::Coverage => "assay-coverage-json",
            Self::Context => "incident-context-v1",
            Self::Results => "incident-results-v1",
            Self::PublicKey => "ed25519-public-key-pem",
            Self::ProxyDecision => "proxy-decision-ndjson",
            Self::Policy => "policy-bytes",
            Self::DsseAttestation => "dsse-attestation",
            Self::AttestationReport => "attestation-report",
            Self::Inspector => "inspector-protocol-793d103",
            Self::KernelV0 => "runner-kernel-ndjson-v0",
            Self::KernelV1 => "runner-kernel-ndjson-v1",
        }
    }

    /// The format a token names in a dialect.
    #[must_use]
    pub fn parse(token: &str, dialect: Dialect) -> Option<Self> {
        let kernel = [Self::KernelV0, Self::KernelV1];
        let extra: &[Self] = if dialect == Dialect::Assay621 {
            &kernel
        } else {
            &[]
        };
        Self::CONTRACT
            .iter()
            .chain(extra)
            .copied()
            .find(|format| format.token() == token)
    }

    /// The per-object budget, charged before parsing (§8, §9).
    pub(crate) fn byte_limit(self) -> Limit {
        match self {
            Self::Bundle => Limit::InnerCompressedBytes,
            Self::Health | Self::Coverage | Self::Context => Limit::HealthBytes,
            Self::Results | Self::AttestationReport => Limit::RetainedReportBytes,
            Self::PublicKey => Limit::KeyBytes,
            Self::Policy => Limit::PolicyBytes,
            Self::DsseAttestation => Limit::EnvelopeBytes,
            Self::ProxyDecision | Self::Inspector | Self::KernelV0 | Self::KernelV1 => {
                Limit::TranscriptBytes
            }
        }
    }

    /// Whether a locator is of the form that this format's have (§3).
    fn takes(self, locator: &Locator, length: u64) -> bool {
        match locator {
            Locator::Document => matches!(
                self,
                Self::Health | Self::Coverage | Self::DsseAttestation | Self::AttestationReport
            ),
            Locator::Element(_) => self == Self::Inspector,
            Locator::Entry(_) => self == Self::Context,
            Locator::Result(_) => self == Self::Results,
            Locator::Line { .. } => {
                matches!(self, Self::ProxyDecision | Self::KernelV0 | Self::KernelV1)
            }
            Locator::Event { .. } => self == Self::Bundle,
            Locator::Bytes(bytes) => {
                matches!(self, Self::PublicKey | Self::Policy) && *bytes == length
            }
        }
    }

    /// Whether records of this format may be units (§3).
    fn is_action(self) -> bool {
        matches!(
            self,
            Self::Bundle | Self::ProxyDecision | Self::Inspector | Self::KernelV0 | Self::KernelV1
        )
    }

    /// Whether a document's identity is found by phase 3's first pass, with
    /// the format itself, rather than its second.
    pub(crate) fn is_bundle(self) -> bool {
        self == Self::Bundle
    }

    /// Whether its identity is a `schema` member that phase 3 reads.
    pub(crate) fn is_sidecar(self) -> bool {
        matches!(
            self,
            Self::Health
                | Self::Coverage
                | Self::Context
                | Self::Results
                | Self::AttestationReport
                | Self::KernelV0
                | Self::KernelV1
        )
    }
}

/// One record of an action format, found while its input was admitted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record {
    /// Offset of its text in the input's record text.
    pub(crate) start: usize,
    /// Bytes of its text.
    pub(crate) length: usize,
    /// Array index, line ordinal or event sequence number.
    pub(crate) ordinal: u64,
    /// Its population; `None` for context.
    pub(crate) surface: Option<Surface>,
    /// When it says it happened.
    pub(crate) time: Option<Instant>,
    /// Whether its examination succeeds (§4).
    pub(crate) examined: bool,
}

/// What an input turned out to hold.
pub(crate) enum Content<'a> {
    /// Inspector entries, proxy lines or kernel lines: records only.
    Records,
    /// A canonical bundle.
    Bundle(Box<Bundle>),
    /// A health document.
    Health(Health),
    /// A coverage descriptor.
    Coverage(Coverage),
    /// A context document.
    Context(ContextDocument),
    /// Disclosed results.
    Results(ResultsDocument<'a>),
    /// A retained attestation report.
    Report(RetainedReport<'a>),
    /// A policy, key or envelope: nothing is read from it here.
    Opaque,
    /// Bytes that fail their format. What refers to them is checked as far as
    /// the format alone tells, before they are refused themselves (§10).
    Malformed,
}

/// An admitted input.
pub(crate) struct Source<'a> {
    /// Its original bytes, when they are text.
    text: Cow<'a, str>,
    /// Its length in bytes.
    pub(crate) length: u64,
    /// Its format.
    pub(crate) format: Format,
    /// Its records, by ascending ordinal.
    pub(crate) records: Vec<Record>,
    /// What it holds besides.
    pub(crate) content: Content<'a>,
}

impl<'a> Source<'a> {
    /// The surfaces its records stand on.
    pub(crate) fn surfaces(&self) -> SurfaceSet {
        self.records
            .iter()
            .filter_map(|record| record.surface)
            .collect()
    }

    /// The stand-in of an input that fails its format.
    pub(crate) fn malformed(format: Format, length: u64) -> Self {
        Self {
            text: Cow::Borrowed(""),
            length,
            format,
            records: Vec::new(),
            content: Content::Malformed,
        }
    }

    /// The text of a record.
    pub(crate) fn text_of(&self, record: &Record) -> &str {
        let text = match &self.content {
            Content::Bundle(bundle) => bundle.events.as_str(),
            _ => self.text.as_ref(),
        };
        let end = record.start.saturating_add(record.length);
        text.get(record.start..end).unwrap_or_default()
    }

    /// The tree of a record, which was admitted already.
    pub(crate) fn tree_of(&self, record: &Record) -> Result<Json<'_>, Fault> {
        Strict::new(self.text_of(record), Bounds::admitted()).tree(None)
    }

    /// The locator text of a record.
    pub(crate) fn locator_of(&self, record: &Record) -> String {
        match &self.content {
            Content::Bundle(bundle) => format!(
                "event:{}:{}",
                percent_run_id(&bundle.run_id),
                record.ordinal
            ),
            _ if self.format == Format::Inspector => format!("json:/{}", record.ordinal),
            _ => format!("line:{}:{}:{}", record.ordinal, record.start, record.length),
        }
    }

    /// The record a locator selects.
    pub(crate) fn record_at(&self, locator: &Locator) -> Option<(usize, &Record)> {
        let ordinal = match (locator, &self.content) {
            (Locator::Element(index), Content::Records) if self.format == Format::Inspector => {
                *index
            }
            (Locator::Line { ordinal, .. }, Content::Records)
                if self.format != Format::Inspector =>
            {
                *ordinal
            }
            (Locator::Event { run_id, sequence }, Content::Bundle(bundle))
                if *run_id == percent_run_id(&bundle.run_id) =>
            {
                *sequence
            }
            _ => return None,
        };
        // Ordinals are 0, 1, 2, … in each of the three.
        let position = usize::try_from(ordinal).ok()?;
        let record = self.records.get(position)?;
        if let Locator::Line { start, length, .. } = locator {
            let same = |number: usize, written: u64| u64::try_from(number) == Ok(written);
            if !same(record.start, *start) || !same(record.length, *length) {
                return None;
            }
        }
        Some((position, record))
    }

    /// Whether a locator selects an action record here; in a malformed input,
    /// whether it could.
    pub(crate) fn has_action(&self, locator: &Locator) -> bool {
        match self.content {
            Content::Malformed => {
                self.format.is_action() && self.format.takes(locator, self.length)
            }
            _ => self
                .record_at(locator)
                .is_some_and(|(_, record)| record.surface.is_some()),
        }
    }

    /// Whether a locator selects something that exists here; in a malformed
    /// input, whether it is of the format's form.
    pub(crate) fn has(&self, locator: &Locator) -> bool {
        let below =
            |index: u64, length: usize| usize::try_from(index).is_ok_and(|index| index < length);
        match (locator, &self.content) {
            (Locator::Document, Content::Health(_) | Content::Coverage(_) | Content::Report(_)) => {
                true
            }
            (Locator::Document, Content::Opaque) => self.format == Format::DsseAttestation,
            (Locator::Entry(index), Content::Context(document)) => {
                below(*index, document.entries.len())
            }
            (Locator::Result(index), Content::Results(document)) => {
                below(*index, document.results.len())
            }
            (Locator::Bytes(length), Content::Opaque) => {
                self.format != Format::DsseAttestation && *length == self.length
            }
            (_, Content::Malformed) => self.format.takes(locator, self.length),
            _ => self.record_at(locator).is_some(),
        }
    }
}

/// What admitting one input established: phase 3 asks its identity, phase 5
/// whether it is well formed.
pub(crate) struct Admitted<'a> {
    /// `unknown_format` or `unknown_schema`.
    pub(crate) identity: Result<(), Reason>,
    /// Surfaces of the action events seen, even when the rest is malformed.
    pub(crate) source: Result<Source<'a>, Seen>,
}

/// What a malformed input showed before it broke off.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen {
    /// Surfaces of its action records.
    pub(crate) surfaces: crate::grammar::SurfaceSet,
}

/// Reads one input's original bytes. The error is a resource reason; whatever
/// else is wrong is in the result.
pub(crate) fn admit<'a>(
    format: Format,
    bytes: &'a [u8],
    meter: &mut Meter,
) -> Result<Admitted<'a>, Reason> {
    meter.limits.check_len(format.byte_limit(), bytes.len())?;
    let length = u64::try_from(bytes.len()).map_err(|_| Reason::ResourceHard)?;
    if format == Format::Bundle {
        return bundle::admit(bytes, meter, length);
    }
    let malformed = Seen {
        surfaces: crate::grammar::SurfaceSet::default(),
    };
    if matches!(format, Format::PublicKey | Format::DsseAttestation) {
        return Ok(Admitted {
            identity: Ok(()),
            source: Ok(Source {
                text: Cow::Borrowed(""),
                length,
                format,
                records: Vec::new(),
                content: Content::Opaque,
            }),
        });
    }
    let Ok(text) = core::str::from_utf8(bytes) else {
        return Ok(Admitted {
            identity: Ok(()),
            source: Err(malformed),
        });
    };
    let mut records = Vec::new();
    let content = match format {
        Format::Health => health::read(text, meter).map(Content::Health),
        Format::Coverage => coverage::read(text, meter).map(Content::Coverage),
        Format::Context => context_document::read(text, meter).map(Content::Context),
        Format::Results => results_document::read(text, meter).map(Content::Results),
        Format::AttestationReport => retained_report::read(text, meter).map(Content::Report),
        Format::Inspector => inspector::read(text, meter, &mut records).map(|()| Content::Records),
        Format::ProxyDecision => {
            lines::read_proxy(text, meter, &mut records).map(|()| Content::Records)
        }
        Format::KernelV0 => kernel::read(text, meter, 0, &mut records).map(|()| Content::Records),
        Format::KernelV1 => kernel::read(text, meter, 1, &mut records).map(|()| Content::Records),
        Format::Policy | Format::Bundle | Format::PublicKey | Format::DsseAttestation => {
            Ok(Content::Opaque)
        }
    };
    match content {
        Ok(content) => Ok(Admitted {
            identity: Ok(()),
            source: Ok(Source {
                text: Cow::Borrowed(text),
                length,
                format,
                records,
                content,
            }),
        }),
        Err(Fault::Resource(reason)) => Err(reason),
        Err(Fault::Shape) => Ok(Admitted {
            identity: match format {
                Format::KernelV0 => kernel::identity(text, meter, 0),
                Format::KernelV1 => kernel::identity(text, meter, 1),
                _ => sidecar_identity(format, text, meter),
            },
            source: Err(malformed),
        }),
    }
}

/// The identity of a sidecar that does not read as its format: a `schema` of
/// another identity is what phase 3 reports, anything else is for phase 5.
fn sidecar_identity(format: Format, text: &str, meter: &Meter) -> Result<(), Reason> {
    let known: &[&str] = match format {
        Format::Health => &health::SCHEMAS,
        Format::Coverage => &[coverage::SCHEMA],
        Format::Context => &[context_document::SCHEMA],
        Format::Results => &[results_document::SCHEMA],
        Format::AttestationReport => &[retained_report::SCHEMA],
        _ => return Ok(()),
    };
    let mut schema = None;
    let mut reader = Strict::new(text, Bounds::package(&meter.limits));
    // Stops silently at the first malformed byte.
    let _ = reader.object(|reader, key| {
        if key == "schema" {
            schema = Some(reader.string()?.into_owned());
        } else {
            reader.payload(|reader| reader.skip().map(drop))?;
        }
        Ok(())
    });
    match schema {
        Some(schema) if !known.contains(&schema.as_str()) => Err(Reason::UnknownSchema),
        _ => Ok(()),
    }
}

/// Checks a key that no binding names (§3); a bound one is phase 6's.
pub(crate) fn is_public_key(bytes: &[u8]) -> bool {
    dsse::public_key(bytes).is_some()
}
