//! What the fuzz targets of `fuzz/` call: the private readers, one function
//! each, with what must hold of every input. The tests run them over the saved
//! corpus.

#![allow(
    missing_docs,
    clippy::missing_panics_doc,
    reason = "a target's name says what it reads, and a panic is what it is for"
)]

use std::io::Write as _;

use attest_canon::{Digest, sha256};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::{Signer as _, SigningKey};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;

use crate::build::{BuildInput, BuildSpec, Treatment, TreatmentRule};
use crate::container::{self, Admission, Archive, BLOCK};
use crate::document::{ContextInput, Report};
use crate::format::{self, Content, Envelope, Format, Source, verify_attestation};
use crate::grammar::{Id, Locator};
use crate::json::{Bounds, Fault, Json, NumberKind, Strict, canonical, classify};
use crate::limits::{Limits, Meter};
use crate::reason::{Outcome, Reason};
use crate::{Dialect, build, verify};

/// A target: its name, which is its corpus' too, and what it does with bytes.
pub type Target = (&'static str, fn(&[u8]));

/// Every target.
pub const TARGETS: [Target; 15] = [
    ("container", container),
    ("strict_json", strict_json),
    ("bundle", bundle),
    ("health", |data| format(Format::Health, data)),
    ("coverage", |data| format(Format::Coverage, data)),
    ("context", |data| format(Format::Context, data)),
    ("results", |data| format(Format::Results, data)),
    ("public_key", public_key),
    ("proxy_decision", |data| format(Format::ProxyDecision, data)),
    ("policy", |data| format(Format::Policy, data)),
    ("attestation", attestation),
    ("attestation_report", |data| {
        format(Format::AttestationReport, data);
    }),
    ("inspector", |data| format(Format::Inspector, data)),
    ("verify", verify_any),
    ("builder", build_any),
];

/// Runs the target of a name.
pub fn run(name: &str, data: &[u8]) {
    let target = TARGETS.iter().find(|(known, _)| *known == name);
    assert!(target.is_some(), "no target {name}");
    if let Some((_, target)) = target {
        target(data);
    }
}

struct Everything;

impl Admission for Everything {
    fn inventory(&mut self, _: &[u8]) -> Result<(), Reason> {
        Ok(())
    }

    fn keeps(&mut self, _: Digest) -> bool {
        true
    }
}

/// An archive that is accepted is the one its members are written as.
fn written_again(data: &[u8]) {
    let Ok(archive) = Archive::read(data, &Limits::default(), &mut Everything) else {
        return;
    };
    let objects: Vec<(Digest, &[u8])> = archive
        .objects
        .iter()
        .map(|(digest, bytes)| (*digest, bytes.as_slice()))
        .collect();
    let written = container::archive(&archive.inventory, &archive.assessment, &objects);
    assert_eq!(written.as_deref(), Some(data));
}

/// The bytes as an archive whose headers have the checksum they should have,
/// which bytes cannot guess.
fn sealed(data: &[u8]) -> Vec<u8> {
    let mut data = data.to_vec();
    let mut at = 0usize;
    while let Some(block) = data.get_mut(at..at.saturating_add(BLOCK)) {
        let size = block
            .get(124..135)
            .and_then(|digits| core::str::from_utf8(digits).ok())
            .and_then(|digits| usize::from_str_radix(digits, 8).ok());
        if let Some(size) = size {
            if let Some(field) = block.get_mut(148..156) {
                field.fill(b' ');
            }
            let sum = block
                .iter()
                .fold(0u32, |sum, byte| sum.saturating_add(u32::from(*byte)));
            let sum = format!("{sum:06o}\0 ");
            for (slot, byte) in block.iter_mut().skip(148).zip(sum.bytes()) {
                *slot = byte;
            }
            at = at.saturating_add(size.div_ceil(BLOCK).saturating_mul(BLOCK));
        }
        at = at.saturating_add(BLOCK);
    }
    data
}

/// The bytes as they are, and with right checksums.
fn container(data: &[u8]) {
    written_again(data);
    written_again(&sealed(data));
}

fn tree_of(text: &str) -> Result<Json<'_>, Fault> {
    let mut reader = Strict::new(text, Bounds::package(&Limits::default()));
    let tree = reader.tree(None)?;
    reader.finish()?;
    Ok(tree)
}

fn canonical_of(text: &str) -> Result<String, Fault> {
    canonical(&tree_of(text)?)
}

/// Whether a fraction is so large that its double is an integer beyond the
/// domain of §2: admitted as what it is, refused as what it is written as.
fn rounds_out(tree: &Json<'_>) -> bool {
    match tree {
        Json::Number(_) => {
            let written = canonical(tree).unwrap_or_default();
            classify(&written) == NumberKind::Refused
        }
        Json::Array(elements) => elements.iter().any(rounds_out),
        Json::Object(members) => members.iter().any(|(_, value)| rounds_out(value)),
        _ => false,
    }
}

/// Whether two trees of another reader are the same: numbers by their double.
fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => left.as_f64() == right.as_f64(),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(a, b)| same(a, b))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .all(|(key, value)| right.get(key).is_some_and(|other| same(value, other)))
        }
        _ => left == right,
    }
}

/// What is accepted, another reader accepts too and reads as its canonical
/// text is read; that text stays as it is, and is read where only such is.
fn strict_json(data: &[u8]) {
    let Ok(text) = core::str::from_utf8(data) else {
        return;
    };
    let Ok(tree) = tree_of(text) else {
        return;
    };
    let theirs = serde_json::from_str::<Value>(text);
    assert!(theirs.is_ok(), "{text}");
    let Ok(first) = canonical(&tree) else {
        return;
    };
    let again = serde_json::from_str::<Value>(&first);
    let alike = theirs.is_ok_and(|theirs| again.is_ok_and(|again| same(&theirs, &again)));
    assert!(alike, "{text}");
    if rounds_out(&tree) {
        assert!(canonical_of(&first).is_err(), "{first}");
        return;
    }
    assert_eq!(canonical_of(&first).ok().as_ref(), Some(&first));
    let document = format!("{first}\n");
    let strict = Strict::canonical(document.as_bytes(), Bounds::package(&Limits::default()))
        .and_then(|mut reader| {
            reader.skip()?;
            reader.finish()
        });
    assert!(strict.is_ok(), "{first}");
}

/// What a source says of itself.
fn outline(source: &Source<'_>) -> String {
    format!("{} {:?}", source.length, source.records)
}

/// Every record is named by one locator, and is what it names.
fn format(format: Format, data: &[u8]) {
    let admit = || format::admit(format, data, &mut Meter::new(Limits::default()));
    let (first, second) = (admit(), admit());
    let (Ok(first), Ok(second)) = (&first, &second) else {
        assert_eq!(first.err(), second.err());
        return;
    };
    assert_eq!(first.identity, second.identity);
    let (Ok(first), Ok(second)) = (&first.source, &second.source) else {
        assert_eq!(first.source.is_ok(), second.source.is_ok());
        return;
    };
    assert_eq!(outline(first), outline(second));
    for (place, record) in first.records.iter().enumerate() {
        let text = first.locator_of(record);
        let locator = Locator::parse(&text);
        assert!(locator.is_some(), "{text}");
        let found = locator.and_then(|locator| {
            assert!(first.has(&locator), "{text}");
            first.record_at(&locator).map(|(place, _)| place)
        });
        assert_eq!(found, Some(place), "{text}");
        assert_eq!(first.text_of(record).len(), record.length, "{text}");
        assert!(first.tree_of(record).is_ok(), "{text}");
    }
}

fn public_key(data: &[u8]) {
    if format::is_public_key(data) {
        assert!(core::str::from_utf8(data).is_ok_and(|text| text.contains("PUBLIC KEY")));
    }
    format(Format::PublicKey, data);
}

/// A bundle from a manifest and events, with what the bytes cannot guess
/// filled in: `@s` is an event's place and `@h` its content's hash; in the
/// manifest `@r` is the run root, `@e` the events' digest, `#e` their length
/// and `#n` their number.
fn bundled(data: &[u8]) -> Option<Vec<u8>> {
    let parts = parts(data);
    let [manifest, events @ ..] = parts.as_slice() else {
        return None;
    };
    let (mut lines, mut hashes) = (String::new(), String::new());
    for (place, event) in events.iter().enumerate() {
        let line = core::str::from_utf8(event).ok()?;
        let line = line.replace("@s", &place.to_string());
        let hash = content_hash(&line).unwrap_or_default();
        lines.push_str(&line.replace("@h", &hash));
        lines.push('\n');
        hashes.push_str(&hash);
        hashes.push('\n');
    }
    let manifest = core::str::from_utf8(manifest)
        .ok()?
        .replace("@r", &format!("sha256:{}", sha256(hashes.as_bytes())))
        .replace("@e", &sha256(lines.as_bytes()).to_string())
        .replace("#e", &lines.len().to_string())
        .replace("#n", &events.len().to_string());
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    for (name, member) in [("manifest.json", manifest), ("events.ndjson", lines)] {
        let size = u64::try_from(member.len()).ok()?;
        encoder.write_all(&container::encode(name, size)?).ok()?;
        encoder.write_all(member.as_bytes()).ok()?;
        let padding = member.len().next_multiple_of(BLOCK);
        let padding = padding.saturating_sub(member.len());
        encoder.write_all(&vec![0; padding]).ok()?;
    }
    encoder.write_all(&[0; 2 * BLOCK]).ok()?;
    encoder.finish().ok()
}

/// An event's hash over the members that are its content (foreign shapes §1).
fn content_hash(line: &str) -> Option<String> {
    let Json::Object(members) = tree_of(line).ok()? else {
        return None;
    };
    let content = members
        .into_iter()
        .filter(|(key, value)| match key.as_ref() {
            "data" | "datacontenttype" | "specversion" | "type" => true,
            "subject" => *value != Json::Null,
            _ => false,
        })
        .collect();
    let content = canonical(&Json::Object(content)).ok()?;
    Some(format!("sha256:{}", sha256(content.as_bytes())))
}

/// The bytes as a bundle, and as a bundle's manifest and events.
fn bundle(data: &[u8]) {
    format(Format::Bundle, data);
    if let Some(bundle) = bundled(data) {
        format(Format::Bundle, &bundle);
    }
}

/// The bundle that attestations are tried on.
const BUNDLE: &[u8] = include_bytes!("../../../fuzz/bundle.tar.gz");

fn signed(statement: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let key = SigningKey::from_bytes(&[7; 32]);
    let kind = "application/vnd.in-toto+json";
    let mut message = format!("DSSEv1 {} {kind} {} ", kind.len(), statement.len()).into_bytes();
    message.extend_from_slice(statement);
    let signature = STANDARD.encode(key.sign(&message).to_bytes());
    let payload = STANDARD.encode(statement);
    let envelope = format!(
        r#"{{"payload":"{payload}","payloadType":"{kind}","signatures":[{{"keyid":"k","sig":"{signature}"}}]}}"#
    );
    let mut der = vec![
        0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00,
    ];
    der.extend_from_slice(key.verifying_key().as_bytes());
    let pem = format!(
        "-----BEGIN PUBLIC KEY-----\n{}\n-----END PUBLIC KEY-----\n",
        STANDARD.encode(der)
    );
    (envelope.into_bytes(), pem.into_bytes())
}

/// The bytes as an envelope, and as a statement that the bound key signed.
fn attestation(data: &[u8]) {
    let limits = Limits::default();
    let (envelope, pem) = signed(data);
    let Ok(admitted) = format::admit(Format::Bundle, BUNDLE, &mut Meter::new(limits.clone()))
    else {
        return;
    };
    let Ok(source) = admitted.source else {
        return;
    };
    let Content::Bundle(bundle) = &source.content else {
        return;
    };
    let subject = (bundle.as_ref(), source.records.as_slice(), sha256(BUNDLE));
    let own = Envelope::read(&envelope, &limits);
    assert!(own.is_ok() || data.len() > 1 << 19);
    for envelope in [own, Envelope::read(data, &limits)].into_iter().flatten() {
        let attested = verify_attestation(&envelope, &pem, subject);
        assert!(attested.is_none_or(|attested| attested.artifact_sha256 == subject.2));
    }
    format(Format::DsseAttestation, data);
}

/// What stands between the parts of an input that has several.
const BETWEEN: u8 = 0x1e;

fn parts(data: &[u8]) -> Vec<&[u8]> {
    data.split(|byte| *byte == BETWEEN).collect()
}

/// An archive from an inventory, an assessment and objects, with what the
/// bytes cannot guess filled in: `@0` is the digest of the first object, `#0`
/// its length, `@a` the assessment's digest, `@c` the context's.
fn assembled(data: &[u8], context: &ContextInput) -> Option<Vec<u8>> {
    let parts = parts(data);
    let [inventory, assessment, objects @ ..] = parts.as_slice() else {
        return None;
    };
    let text = |bytes: &[u8]| core::str::from_utf8(bytes).ok().map(str::to_owned);
    let filled = |mut text: String| {
        for (place, object) in objects.iter().enumerate().take(10) {
            text = text.replace(&format!("@{place}"), &sha256(object).to_string());
            text = text.replace(&format!("#{place}"), &object.len().to_string());
        }
        text.replace("@c", &context.digest().to_string())
    };
    let assessment = filled(text(assessment)?);
    let digest = sha256(assessment.as_bytes()).to_string();
    let inventory = filled(text(inventory)?).replace("@a", &digest);
    let mut objects: Vec<(Digest, &[u8])> = objects
        .iter()
        .map(|object| (sha256(object), *object))
        .collect();
    objects.sort_unstable();
    objects.dedup();
    container::archive(inventory.as_bytes(), assessment.as_bytes(), &objects)
}

/// The members of a report (§7.4), in canonical order.
const REPORT: [&str; 13] = [
    "artifact_sha256",
    "assessment_sha256",
    "attestations",
    "counts",
    "expectation",
    "inventory_sha256",
    "non_claims",
    "outcome",
    "reason",
    "resolved_results",
    "schema",
    "verification_context",
    "verification_context_sha256",
];

/// A report's bytes, read back: closed, canonical, and saying what it holds;
/// a refusal releases nothing (§7.4).
fn report_again(report: &Report) {
    let bytes = report.to_bytes();
    let text = bytes.strip_suffix(b"\n").unwrap_or_default();
    let text = core::str::from_utf8(text).unwrap_or_default();
    assert_eq!(canonical_of(text).ok().as_deref(), Some(text));
    let Ok(Json::Object(members)) = tree_of(text) else {
        unreachable!("a report is an object: {text}");
    };
    let keys: Vec<&str> = members.iter().map(|(key, _)| key.as_ref()).collect();
    assert_eq!(keys, REPORT, "{text}");
    let read = serde_json::from_str::<Value>(text).unwrap_or_default();
    let of = |key: &str| read.get(key).and_then(Value::as_str);
    assert_eq!(of("schema"), Some("assay.incident.verify.v1"));
    assert_eq!(of("outcome"), Some(report.outcome().token()));
    assert_eq!(of("reason"), report.reason.map(Reason::token));
    let verified = report.outcome() == Outcome::Verified;
    assert_eq!(verified, report.established.is_some());
    for released in [
        "artifact_sha256",
        "assessment_sha256",
        "counts",
        "inventory_sha256",
        "verification_context",
        "verification_context_sha256",
    ] {
        let null = read.get(released).is_none_or(Value::is_null);
        assert_eq!(null, !verified, "{released}: {text}");
    }
    if let Some(facts) = &report.established {
        let digest = facts.artifact_sha256.to_string();
        assert_eq!(of("artifact_sha256"), Some(digest.as_str()));
    }
}

/// A report is the same again, and reads back as what it is.
fn verify_bytes(archive: &[u8], context: &[u8]) {
    for dialect in [Dialect::Contract, Dialect::Assay621] {
        let report = verify(archive, context, dialect);
        assert_eq!(report, verify(archive, context, dialect));
        report_again(&report);
    }
}

/// A context that stands before the rest, and the rest.
fn under(data: &[u8]) -> Option<(ContextInput, &[u8])> {
    let at = data.iter().position(|byte| *byte == BETWEEN)?;
    let context = ContextInput::parse(data.get(..at)?).ok()?;
    Some((context, data.get(at.saturating_add(1)..)?))
}

/// The bytes as an archive, as an archive's parts, either under a context that
/// stands before it, and as a context.
fn verify_any(data: &[u8]) {
    if let Ok(read) = ContextInput::parse(data) {
        let again = ContextInput::parse(&read.to_bytes());
        assert_eq!(again.as_ref(), Ok(&read));
    }
    let (context, data) = under(data).unwrap_or_else(|| (ContextInput::example_a1(), data));
    verify_bytes(data, &context.to_bytes());
    if let Some(archive) = assembled(data, &context) {
        verify_bytes(&archive, &context.to_bytes());
    }
}

/// What is built verifies, and its bytes are the same again.
fn build_any(data: &[u8]) {
    let context = ContextInput::example_a1();
    let mut spec = BuildSpec::default();
    for (place, part) in parts(data).into_iter().enumerate().take(8) {
        let [kind, treatment, bytes @ ..] = part else {
            return;
        };
        let format = Format::CONTRACT.get(usize::from(kind.wrapping_sub(b'a')));
        let (Some(format), Some(id)) = (format, Id::parse(&format!("input-{place}"))) else {
            return;
        };
        spec.inputs.push(BuildInput {
            id: id.clone(),
            format: *format,
            bytes,
            surfaces: None,
            binding: None,
        });
        let treatment = match treatment {
            b'w' => Treatment::Withheld,
            b'r' => Treatment::Reference,
            _ => continue,
        };
        spec.treatments.push(TreatmentRule {
            input_id: id,
            locator: None,
            treatment,
        });
    }
    let Ok(built) = build(&spec, &context) else {
        return;
    };
    assert_eq!(built.report.outcome(), Outcome::Verified);
    assert_eq!(
        verify(built.archive.as_slice(), &built.context, Dialect::Contract),
        built.report
    );
    spec.inputs.reverse();
    let again = build(&spec, &context).ok();
    assert_eq!(again.as_ref(), Some(&built));
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    /// Every input a fuzzer found worth keeping still holds.
    #[test]
    fn the_saved_corpus_holds() {
        let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
        for (name, target) in TARGETS {
            let mut seen = 0u32;
            for entry in fs::read_dir(corpus.join(name)).unwrap() {
                target(&fs::read(entry.unwrap().path()).unwrap());
                seen = seen.saturating_add(1);
            }
            assert!(seen > 0, "{name} has no corpus");
        }
    }

    const MANIFEST: &str = r##"{"schema_version":1,"bundle_id":"@r","run_root":"@r","run_id":"r","event_count":#n,"producer":{"name":"p","version":"1"},"algorithms":{"canon":"c","hash":"h","root":"r"},"files":{"events.ndjson":{"path":"events.ndjson","sha256":"@e","bytes":#e}}}"##;
    const EVENT: &str = r#"{"specversion":"1.0","type":"assay.sandbox.exec","source":"urn:test","id":"r:@s","time":"2026-09-08T00:00:00Z","datacontenttype":"application/json","assayrunid":"r","assayseq":@s,"assayproducer":"p","assayproducerversion":"1","assaygit":"g","assaypii":false,"assaysecrets":false,"subject":null,"data":{"argv0":"ls","hits":1},"assaycontenthash":"@h"}"#;

    /// The structured start reaches what stands behind every digest.
    #[test]
    fn a_bundle_of_parts_is_read_whole() {
        let data = [MANIFEST, EVENT, EVENT].join("\u{1e}");
        let bytes = bundled(data.as_bytes()).unwrap();
        let admitted =
            format::admit(Format::Bundle, &bytes, &mut Meter::new(Limits::default())).unwrap();
        let source = admitted.source.ok().unwrap();
        let examined: Vec<bool> = source.records.iter().map(|found| found.examined).collect();
        assert_eq!(examined, [true, true]);
    }

    /// Sealing gives a header its right checksum, and changes no right one.
    #[test]
    fn an_archive_is_sealed_as_it_was_written() {
        let archive = container::archive(b"{}\n", b"[]\n", &[(sha256(b"x"), b"x")]).unwrap();
        assert_eq!(sealed(&archive), archive);
        let mut other = archive.clone();
        if let Some(field) = other.get_mut(148..156) {
            field.fill(0);
        }
        assert_eq!(sealed(&other), archive);
    }
}
