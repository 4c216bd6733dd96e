//! The relying party's context (§9): everything here is chosen outside the package.

use attest_canon::jcs::Writer;
use attest_canon::{Digest, sha256};

use super::{SCHEMA_PIN, digest, finish, id, need, plain_reference, tokens, write_refs};
use crate::grammar::{Id, Instant, Ref, Surface, Time};
use crate::json::{Bounds, Fault, Strict};
use crate::limits::{LIMITS, Limit, Limits};
use crate::reason::Reason;

/// Most bytes of a context file; it is embedded whole in the report, whose
/// budget this is.
const FILE_BYTES: usize = 16 << 20;

tokens! {
    /// How far coverage or retention is justified.
    Extent3 {
        /// Justified.
        Adequate = "adequate",
        /// In part.
        Limited = "limited",
        /// Not known.
        Unknown = "unknown",
    }
}

tokens! {
    /// How records correspond to actions.
    Correspondence {
        /// One to one.
        Unique = "unique",
        /// Not one to one.
        Ambiguous = "ambiguous",
        /// Not known.
        Unknown = "unknown",
    }
}

/// A digest an input must have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expectation {
    /// The input.
    pub input_id: Id,
    /// Its digest.
    pub sha256: Digest,
    /// Whether every unit of it must be examined.
    pub require_disclosure: bool,
}

/// `{start, end, clock_basis}`, start not after end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Window {
    /// First instant.
    pub start: Time,
    /// Last instant.
    pub end: Time,
    /// What the clock rests on.
    pub clock_basis: String,
}

impl Window {
    /// Whether it has an extent: its start before its end.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.start.instant() < self.end.instant()
    }

    /// Whether an instant lies in a window that has an extent, ends included.
    #[must_use]
    pub fn contains(&self, instant: Instant) -> bool {
        self.is_open() && self.start.instant() <= instant && instant <= self.end.instant()
    }

    pub(super) fn read(reader: &mut Strict<'_>) -> Result<Self, Fault> {
        let (mut start, mut end, mut clock_basis) = (None, None, None);
        reader.object(|reader, key| {
            match key {
                "start" => start = Some(time(reader)?),
                "end" => end = Some(time(reader)?),
                "clock_basis" => clock_basis = Some(reader.string()?.into_owned()),
                _ => return Err(Fault::Shape),
            }
            Ok(())
        })?;
        let window = Self {
            start: need(start)?,
            end: need(end)?,
            clock_basis: need(clock_basis)?,
        };
        if window.start.instant() <= window.end.instant() {
            Ok(window)
        } else {
            Err(Fault::Shape)
        }
    }

    pub(super) fn write(&self, writer: &mut Writer) {
        writer.begin_object();
        writer.key("clock_basis");
        writer.string(&self.clock_basis);
        writer.key("end");
        writer.string(self.end.as_str());
        writer.key("start");
        writer.string(self.start.as_str());
        writer.end_object();
    }
}

fn time(reader: &mut Strict<'_>) -> Result<Time, Fault> {
    Time::parse(&reader.string()?).ok_or(Fault::Shape)
}

/// How far one surface's observation is justified.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Applicability {
    /// The surface.
    pub surface: Surface,
    /// Retained context that supports it.
    pub input_refs: Vec<Ref>,
    /// The window it holds for.
    pub window: Window,
    /// Capture coverage.
    pub coverage: Extent3,
    /// Retention.
    pub retention: Extent3,
    /// Correspondence.
    pub correspondence: Correspondence,
    /// The stated source class.
    pub source_class: String,
}

/// The source classes of §9.
const SOURCE_CLASSES: [&str; 7] = [
    "boundary_observed",
    "independently_observed",
    "third_party_observed",
    "producer_reported",
    "issuer_attested",
    "receiver_receipt",
    "unknown",
];

/// What tool asked for the verification.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Invocation {
    /// Its name.
    pub tool: String,
    /// Its version.
    pub version: String,
    /// Its options.
    pub options: Vec<String>,
}

/// A valid `ContextInput`: one that exists keeps every rule of §9.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ContextInput {
    /// Selected budgets.
    pub limits: Limits,
    /// Digests of the selected Ed25519 PEM keys, ascending.
    pub keys: Vec<Digest>,
    /// Expectations, ascending by input.
    pub expectations: Vec<Expectation>,
    /// At most one row per surface, in surface order.
    pub applicability: Vec<Applicability>,
    /// The instant of interest.
    pub as_of: Time,
    /// From when the context is valid.
    pub valid_from: Time,
    /// Until when it is.
    pub valid_until: Time,
    /// The invocation.
    pub invocation: Invocation,
}

impl ContextInput {
    /// Reads a context file, which need not be canonical. Every fault is
    /// `trust_input`; a file beyond 16 MiB is `resource_hard`.
    pub fn parse(bytes: &[u8]) -> Result<Self, Reason> {
        if bytes.len() > FILE_BYTES {
            return Err(Reason::ResourceHard);
        }
        Self::read(bytes).map_err(|_| Reason::TrustInput)
    }

    fn read(bytes: &[u8]) -> Result<Self, Fault> {
        let text = core::str::from_utf8(bytes).map_err(|_| Fault::Shape)?;
        let mut reader = Strict::new(text, Bounds::package(&Limits::default()));
        let (mut pin, mut limits, mut keys, mut expectations) = (None, None, None, None);
        let (mut applicability, mut invocation) = (None, None);
        let (mut as_of, mut valid_from, mut valid_until) = (None, None, None);
        reader.object(|reader, key| {
            match key {
                "schema_pin" => pin = Some(digest(reader)?),
                "limits" => limits = Some(read_limits(reader)?),
                "keys" => keys = Some(list(reader, digest)?),
                "expectations" => expectations = Some(list(reader, read_expectation)?),
                "applicability" => applicability = Some(list(reader, read_applicability)?),
                "as_of" => as_of = Some(time(reader)?),
                "valid_from" => valid_from = Some(time(reader)?),
                "valid_until" => valid_until = Some(time(reader)?),
                "invocation" => invocation = Some(read_invocation(reader)?),
                _ => return Err(Fault::Shape),
            }
            Ok(())
        })?;
        reader.finish()?;
        let context = Self {
            limits: need(limits)?,
            keys: need(keys)?,
            expectations: need(expectations)?,
            applicability: need(applicability)?,
            as_of: need(as_of)?,
            valid_from: need(valid_from)?,
            valid_until: need(valid_until)?,
            invocation: need(invocation)?,
        };
        let pinned = need(pin)?.to_string() == SCHEMA_PIN;
        if pinned && context.is_valid() {
            Ok(context)
        } else {
            Err(Fault::Shape)
        }
    }

    /// The rules of §9 that types do not hold: order, uniqueness, validity.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        let instant = |time: &Time| time.instant();
        self.keys.is_sorted_by(|a, b| a < b)
            && self
                .expectations
                .is_sorted_by(|a, b| a.input_id < b.input_id)
            && self
                .applicability
                .is_sorted_by(|a, b| a.surface < b.surface)
            && self
                .applicability
                .iter()
                .all(|row| SOURCE_CLASSES.contains(&row.source_class.as_str()))
            && instant(&self.valid_from) <= instant(&self.as_of)
            && instant(&self.as_of) <= instant(&self.valid_until)
    }

    /// The applicability row of a surface.
    #[must_use]
    pub fn applicability_of(&self, surface: Surface) -> Option<&Applicability> {
        self.applicability.iter().find(|row| row.surface == surface)
    }

    /// The canonical bytes that `verification_context_sha256` binds.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut writer = Writer::new();
        self.write(&mut writer);
        finish(writer)
    }

    /// SHA-256 of [`ContextInput::to_bytes`].
    #[must_use]
    pub fn digest(&self) -> Digest {
        sha256(&self.to_bytes())
    }

    pub(super) fn write(&self, writer: &mut Writer) {
        writer.begin_object();
        writer.key("applicability");
        writer.begin_array();
        for row in &self.applicability {
            writer.element();
            row.write(writer);
        }
        writer.end_array();
        writer.key("as_of");
        writer.string(self.as_of.as_str());
        writer.key("expectations");
        writer.begin_array();
        for expectation in &self.expectations {
            writer.element();
            writer.begin_object();
            writer.key("input_id");
            writer.token(&expectation.input_id);
            writer.key("require_disclosure");
            writer.boolean(expectation.require_disclosure);
            writer.key("sha256");
            writer.token(&expectation.sha256);
            writer.end_object();
        }
        writer.end_array();
        writer.key("invocation");
        writer.begin_object();
        writer.key("options");
        writer.begin_array();
        for option in &self.invocation.options {
            writer.element();
            writer.string(option);
        }
        writer.end_array();
        writer.key("tool");
        writer.string(&self.invocation.tool);
        writer.key("version");
        writer.string(&self.invocation.version);
        writer.end_object();
        writer.key("keys");
        writer.begin_array();
        for key in &self.keys {
            writer.element();
            writer.token(key);
        }
        writer.end_array();
        writer.key("limits");
        writer.begin_object();
        let mut limits: Vec<Limit> = Limit::all().collect();
        limits.sort_by_key(|limit| limit.key());
        for limit in limits {
            writer.key(limit.key());
            super::write_count(writer, self.limits.get(limit));
        }
        writer.end_object();
        writer.key("schema_pin");
        writer.string(SCHEMA_PIN);
        writer.key("valid_from");
        writer.string(self.valid_from.as_str());
        writer.key("valid_until");
        writer.string(self.valid_until.as_str());
        writer.end_object();
    }

    /// Example A1 of §12: the context of a verification that names none.
    #[must_use]
    #[expect(clippy::expect_used, reason = "three literals, which a test reads")]
    pub fn example_a1() -> Self {
        let time = |text: &str| Time::parse(text).expect("a literal Time");
        Self {
            limits: Limits::default(),
            keys: Vec::new(),
            expectations: Vec::new(),
            applicability: Vec::new(),
            as_of: time("2026-09-08T00:00:00Z"),
            valid_from: time("2026-09-08T00:00:00Z"),
            valid_until: time("2026-09-09T00:00:00Z"),
            invocation: Invocation {
                tool: "illustrative-reader".to_owned(),
                version: "example-only".to_owned(),
                options: Vec::new(),
            },
        }
    }
}

impl Applicability {
    fn write(&self, writer: &mut Writer) {
        writer.begin_object();
        writer.key("correspondence");
        writer.string(self.correspondence.token());
        writer.key("coverage");
        writer.string(self.coverage.token());
        writer.key("input_refs");
        write_refs(writer, &self.input_refs);
        writer.key("retention");
        writer.string(self.retention.token());
        writer.key("source_class");
        writer.string(&self.source_class);
        writer.key("surface");
        writer.string(self.surface.name());
        writer.key("window");
        self.window.write(writer);
        writer.end_object();
    }
}

fn list<T>(
    reader: &mut Strict<'_>,
    mut read: impl FnMut(&mut Strict<'_>) -> Result<T, Fault>,
) -> Result<Vec<T>, Fault> {
    let mut out = Vec::new();
    reader.array(|reader, _| {
        out.push(read(reader)?);
        Ok(())
    })?;
    Ok(out)
}

fn read_limits(reader: &mut Strict<'_>) -> Result<Limits, Fault> {
    let mut limits = Limits::default();
    let mut seen = 0usize;
    reader.object(|reader, key| {
        let limit = Limit::from_key(key).ok_or(Fault::Shape)?;
        let value = reader.count()?;
        seen = seen.saturating_add(1);
        if limits.select(limit, value) {
            Ok(())
        } else {
            Err(Fault::Shape)
        }
    })?;
    // Keys are distinct and known, so as many as there are is all of them.
    if seen == LIMITS {
        Ok(limits)
    } else {
        Err(Fault::Shape)
    }
}

fn read_expectation(reader: &mut Strict<'_>) -> Result<Expectation, Fault> {
    let (mut input_id, mut sha256, mut require_disclosure) = (None, None, None);
    reader.object(|reader, key| {
        match key {
            "input_id" => input_id = Some(id(reader)?),
            "sha256" => sha256 = Some(digest(reader)?),
            "require_disclosure" => require_disclosure = Some(reader.boolean()?),
            _ => return Err(Fault::Shape),
        }
        Ok(())
    })?;
    Ok(Expectation {
        input_id: need(input_id)?,
        sha256: need(sha256)?,
        require_disclosure: need(require_disclosure)?,
    })
}

fn read_applicability(reader: &mut Strict<'_>) -> Result<Applicability, Fault> {
    let (mut surface, mut input_refs, mut window, mut source_class) = (None, None, None, None);
    let (mut coverage, mut retention, mut correspondence) = (None, None, None);
    reader.object(|reader, key| {
        match key {
            "surface" => surface = Some(Surface::parse(&reader.string()?).ok_or(Fault::Shape)?),
            "input_refs" => input_refs = Some(list(reader, plain_reference)?),
            "window" => window = Some(Window::read(reader)?),
            "coverage" => coverage = Some(Extent3::read(reader)?),
            "retention" => retention = Some(Extent3::read(reader)?),
            "correspondence" => correspondence = Some(Correspondence::read(reader)?),
            "source_class" => source_class = Some(reader.string()?.into_owned()),
            _ => return Err(Fault::Shape),
        }
        Ok(())
    })?;
    Ok(Applicability {
        surface: need(surface)?,
        input_refs: need(input_refs)?,
        window: need(window)?,
        coverage: need(coverage)?,
        retention: need(retention)?,
        correspondence: need(correspondence)?,
        source_class: need(source_class)?,
    })
}

fn read_invocation(reader: &mut Strict<'_>) -> Result<Invocation, Fault> {
    let (mut tool, mut version, mut options) = (None, None, None);
    reader.object(|reader, key| {
        match key {
            "tool" => tool = Some(reader.string()?.into_owned()),
            "version" => version = Some(reader.string()?.into_owned()),
            "options" => options = Some(list(reader, |reader| Ok(reader.string()?.into_owned()))?),
            _ => return Err(Fault::Shape),
        }
        Ok(())
    })?;
    Ok(Invocation {
        tool: need(tool)?,
        version: need(version)?,
        options: need(options)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn example_a1_has_the_digest_the_text_states() {
        let context = ContextInput::example_a1();
        assert_eq!(
            context.digest().to_string(),
            "919787b66b4dc0688944d7c76218c6da168890f8251985ccfb12e2a92cfcb814"
        );
        assert_eq!(ContextInput::parse(&context.to_bytes()), Ok(context));
    }

    fn mutated(from: &str, to: &str) -> Result<ContextInput, Reason> {
        let text = String::from_utf8(ContextInput::example_a1().to_bytes()).unwrap();
        assert!(text.contains(from), "{from}");
        ContextInput::parse(text.replacen(from, to, 1).as_bytes())
    }

    /// Every fault of the ContextInput is phase 1 (package readings 4).
    #[test]
    fn every_fault_is_trust_input() {
        assert!(
            mutated("\"keys\":[]", "\"keys\" : [ ]").is_ok(),
            "the file need not be canonical"
        );
        let a = "a".repeat(64);
        for (from, to) in [
            ("\"members\":128", "\"members\":129".to_owned()),
            ("\"members\":128", "\"members\":0".to_owned()),
            ("\"members\":128", "\"members\":128.0".to_owned()),
            ("\"members\":128", "\"members\":1e2".to_owned()),
            ("\"members\":128", "\"members\":\"128\"".to_owned()),
            ("\"members\":128,", String::new()),
            ("\"members\":128", "\"members\":128,\"extra\":1".to_owned()),
            ("\"keys\":[]", format!("\"keys\":[\"{a}\",\"{a}\"]")),
            (
                "\"keys\":[]",
                format!("\"keys\":[\"{}\"]", a.to_uppercase()),
            ),
            ("\"keys\":[]", "\"keys\":null".to_owned()),
            ("\"schema_pin\":\"4", "\"schema_pin\":\"5".to_owned()),
            (
                "\"as_of\":\"2026-09-08T00:00:00Z\"",
                "\"as_of\":\"2026-09-07T23:59:59Z\"".to_owned(),
            ),
            (
                "\"as_of\":\"2026-09-08T00:00:00Z\"",
                "\"as_of\":\"2026-09-09T00:00:00.1Z\"".to_owned(),
            ),
            (
                "\"as_of\":\"2026-09-08T00:00:00Z\"",
                "\"as_of\":\"2026-09-08T00:00:00.0000000000Z\"".to_owned(),
            ),
            ("\"options\":[]", "\"options\":[1]".to_owned()),
            ("\"options\":[],", String::new()),
            (
                "\"expectations\":[]",
                format!(
                    "\"expectations\":[{{\"input_id\":\"b\",\"require_disclosure\":false,\"sha256\":\"{a}\"}},{{\"input_id\":\"a\",\"require_disclosure\":false,\"sha256\":\"{a}\"}}]"
                ),
            ),
        ] {
            assert_eq!(
                mutated(from, &to),
                Err(Reason::TrustInput),
                "{from} -> {to}"
            );
        }
    }

    #[test]
    fn applicability_rows_are_ordered_and_closed() {
        let row = |surface: &str, class: &str, start: &str| {
            format!(
                "{{\"correspondence\":\"unique\",\"coverage\":\"adequate\",\"input_refs\":[],\"retention\":\"adequate\",\"source_class\":\"{class}\",\"surface\":\"{surface}\",\"window\":{{\"clock_basis\":\"c\",\"end\":\"2026-09-08T00:00:10Z\",\"start\":\"{start}\"}}}}"
            )
        };
        let good = "2026-09-08T00:00:00Z";
        let with = |rows: &[String]| {
            mutated(
                "\"applicability\":[]",
                &format!("\"applicability\":[{}]", rows.join(",")),
            )
        };
        let context = with(&[
            row("network", "unknown", good),
            row("process", "boundary_observed", good),
        ])
        .unwrap();
        assert_eq!(ContextInput::parse(&context.to_bytes()), Ok(context));
        for rows in [
            vec![
                row("process", "unknown", good),
                row("network", "unknown", good),
            ],
            vec![
                row("network", "unknown", good),
                row("network", "unknown", good),
            ],
            vec![row("network", "observed", good)],
            vec![row("network", "unknown", "2026-09-08T00:00:11Z")],
            vec![row("network", "unknown", good).replace("unique", "exact")],
        ] {
            assert_eq!(with(&rows), Err(Reason::TrustInput), "{rows:?}");
        }
    }
}
