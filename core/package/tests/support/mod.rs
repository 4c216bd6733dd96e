//! Fixtures that tests make for themselves: bundles, keys, attestations,
//! proxy and Inspector records, and packages of them.

#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "tests"
)]

pub mod parts;

use std::io::Write;

use attest_canon::json::{Limits, Value};
use attest_canon::{Digest, jcs, sha256};
use attest_package::build::{BuildInput, BuildSpec, Built};
use attest_package::document::{
    Applicability, Binding, ContextInput, Correspondence, Extent3, Window,
};
use attest_package::grammar::{Id, Ref, Surface, Time};
use attest_package::{Dialect, Format, build, verify};
use base64::Engine as _;
use ed25519_dalek::{Signer as _, SigningKey};

pub fn id(text: &str) -> Id {
    Id::parse(text).unwrap()
}

pub fn canonical(text: &str) -> String {
    let value = Value::parse(text, Limits::LEDGER).unwrap();
    jcs::to_canonical(&value, jcs::Numbers::Double).unwrap()
}

/// Example B1 of §12 as canonical JSON and LF.
pub fn b1() -> Vec<u8> {
    format!("[{}]\n", inspector_call("entry-1", "rpc-1", "{}")).into_bytes()
}

pub fn inspector_call(entry: &str, rpc: &str, arguments: &str) -> String {
    canonical(&format!(
        r#"{{"id":"{entry}","timestamp":"2026-09-08T00:00:00Z","direction":"request","origin":"client","message":{{"jsonrpc":"2.0","id":"{rpc}","method":"tools/call","params":{{"name":"list_files","arguments":{arguments}}}}}}}"#
    ))
}

/// An Inspector call that carries a correlation key.
pub fn keyed_call(entry: &str, key: &str) -> String {
    inspector_call(
        entry,
        entry,
        &format!(r#"{{"_meta":{{"tool_call_id":"{key}"}}}}"#),
    )
}

/// A proxy decision line without its end.
pub fn decision(key: &str) -> String {
    format!(
        r#"{{"data":{{"decision":"allow","reason_code":"allowed","tool":"list_files","tool_call_id":"{key}"}},"id":"d-{key}","source":"urn:test","specversion":"1.0","time":"2026-09-08T00:00:01Z","type":"assay.tool.decision"}}"#
    )
}

/// One canonical event: type, subject and data.
pub struct Event<'e>(pub &'e str, pub Option<&'e str>, pub &'e str);

/// A canonical bundle archive of events, with the manifest's text.
pub fn bundle(run_id: &str, events: &[Event<'_>]) -> Vec<u8> {
    let (manifest, lines) = bundle_members(run_id, events);
    gzip(&tar(&[
        ("manifest.json", manifest.as_bytes()),
        ("events.ndjson", lines.as_bytes()),
    ]))
}

pub fn bundle_members(run_id: &str, events: &[Event<'_>]) -> (String, String) {
    let mut lines = String::new();
    let mut roots = String::new();
    for (sequence, Event(kind, subject, data)) in events.iter().enumerate() {
        let subject = subject.map_or(String::new(), |subject| {
            format!("\"subject\":\"{subject}\",")
        });
        let hashed = canonical(&format!(
            r#"{{"specversion":"1.0","type":"{kind}","datacontenttype":"application/json",{subject}"data":{data}}}"#
        ));
        let hash = format!("sha256:{}", sha256(hashed.as_bytes()));
        roots.push_str(&hash);
        roots.push('\n');
        let event = canonical(&format!(
            r#"{{"specversion":"1.0","type":"{kind}","source":"urn:test","id":"{run_id}:{sequence}","time":"2026-09-08T00:00:0{}Z","datacontenttype":"application/json","assayrunid":"{run_id}","assayseq":{sequence},"assayproducer":"test","assayproducerversion":"1","assaygit":"unknown","assaypii":false,"assaysecrets":false,{subject}"data":{data},"assaycontenthash":"{hash}"}}"#,
            sequence % 10
        ));
        lines.push_str(&event);
        lines.push('\n');
    }
    let root = format!("sha256:{}", sha256(roots.as_bytes()));
    let manifest = canonical(&format!(
        r#"{{"schema_version":1,"bundle_id":"{root}","run_root":"{root}","run_id":"{run_id}","event_count":{},"producer":{{"name":"test","version":"1"}},"algorithms":{{"canon":"c","hash":"h","root":"r"}},"files":{{"events.ndjson":{{"path":"events.ndjson","sha256":"{}","bytes":{}}}}}}}"#,
        events.len(),
        sha256(lines.as_bytes()),
        lines.len()
    ));
    (manifest, lines)
}

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A plain ustar archive, as a bundle holds it.
pub fn tar(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut out = Vec::new();
    for (name, bytes) in members {
        let mut header = [0u8; 512];
        header[..name.len()].copy_from_slice(name.as_bytes());
        header[100..108].copy_from_slice(b"0000644\0");
        header[108..116].copy_from_slice(b"0000000\0");
        header[116..124].copy_from_slice(b"0000000\0");
        header[124..136].copy_from_slice(format!("{:011o}\0", bytes.len()).as_bytes());
        header[136..148].copy_from_slice(b"00000000000\0");
        header[156] = b'0';
        header[257..265].copy_from_slice(b"ustar\x0000");
        seal(&mut header);
        out.extend_from_slice(&header);
        out.extend_from_slice(bytes);
        out.resize(out.len().next_multiple_of(512), 0);
    }
    out.extend_from_slice(&[0; 1024]);
    out
}

/// Writes a header's checksum.
pub fn seal(header: &mut [u8]) {
    header[148..156].copy_from_slice(b"        ");
    let sum: u32 = header[..512].iter().map(|byte| u32::from(*byte)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
}

pub fn signing_key() -> SigningKey {
    SigningKey::from_bytes(&[7; 32])
}

/// The SubjectPublicKeyInfo PEM of a key (RFC 8410).
pub fn pem(key: &SigningKey) -> Vec<u8> {
    let mut der = vec![
        0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00,
    ];
    der.extend_from_slice(key.verifying_key().as_bytes());
    let text = base64::engine::general_purpose::STANDARD.encode(der);
    format!("-----BEGIN PUBLIC KEY-----\n{text}\n-----END PUBLIC KEY-----\n").into_bytes()
}

/// The statement that attests a bundle of [`bundle`], with an optional extent.
pub fn statement(
    archive: &[u8],
    run_id: &str,
    count: usize,
    window: (&str, &str),
    extent: Option<&str>,
) -> String {
    let root = run_root(archive);
    let extent = extent.map_or(String::new(), |extent| format!(",\"extent\":{extent}"));
    format!(
        r#"{{"_type":"https://in-toto.io/Statement/v1","subject":[{{"name":"{root}","digest":{{"sha256":"{}"}}}}],"predicateType":"https://docs.getassay.dev/attestation/evidence-bundle/v1","predicate":{{"schema_version":1,"semantic_equivalence":{{"algorithm":"assay-run-root-v1","value":"{root}"}},"run":{{"run_id":"{run_id}","event_count":{count},"producer":{{"name":"test","version":"1","git":""}},"time_window":{{"start":"{}","end":"{}"}}}}{extent}}}}}"#,
        sha256(archive),
        window.0,
        window.1,
    )
}

/// The run root that a bundle's manifest states.
pub fn run_root(archive: &[u8]) -> String {
    use std::io::Read as _;
    let mut text = Vec::new();
    flate2::read::GzDecoder::new(archive)
        .read_to_end(&mut text)
        .unwrap();
    let text = String::from_utf8_lossy(&text).into_owned();
    let at = text.find("\"bundle_id\":\"").unwrap() + 13;
    text[at..at + 71].to_owned()
}

/// A DSSE envelope over a statement.
pub fn envelope(key: &SigningKey, statement: &str) -> Vec<u8> {
    let kind = "application/vnd.in-toto+json";
    let signed = format!(
        "DSSEv1 {} {kind} {} {statement}",
        kind.len(),
        statement.len()
    );
    let base64 = base64::engine::general_purpose::STANDARD;
    let signature = base64.encode(key.sign(signed.as_bytes()).to_bytes());
    format!(
        r#"{{"payload":"{}","payloadType":"{kind}","signatures":[{{"keyid":"k","sig":"{signature}"}}]}}"#,
        base64.encode(statement)
    )
    .into_bytes()
}

pub fn input<'b>(label: &str, format: Format, bytes: &'b [u8]) -> BuildInput<'b> {
    BuildInput {
        id: id(label),
        format,
        bytes,
        surfaces: None,
        binding: None,
    }
}

pub fn bound<'b>(
    mut input: BuildInput<'b>,
    bundle: &str,
    key: &str,
    attestation: Option<&str>,
) -> BuildInput<'b> {
    input.binding = Some(Binding {
        bundle_input: id(bundle),
        key_input: id(key),
        attestation_input: attestation.map(id),
    });
    input
}

pub fn reference(label: &str, bytes: &[u8], locator: &str) -> Ref {
    Ref {
        input_id: id(label),
        sha256: sha256(bytes),
        locator: locator.to_owned(),
    }
}

/// A context that holds one surface adequate, resting on these references.
pub fn adequate(surface: Surface, refs: Vec<Ref>) -> ContextInput {
    let mut context = ContextInput::example_a1();
    context.applicability.push(Applicability {
        surface,
        input_refs: refs,
        window: Window {
            start: Time::parse("2026-09-08T00:00:00Z").unwrap(),
            end: Time::parse("2026-09-08T00:00:10Z").unwrap(),
            clock_basis: "operator clock".to_owned(),
        },
        coverage: Extent3::Adequate,
        retention: Extent3::Adequate,
        correspondence: Correspondence::Unique,
        source_class: "boundary_observed".to_owned(),
    });
    context
}

/// A context document with one retention entry.
pub fn notes() -> Vec<u8> {
    b"{\"entries\":[{\"kind\":\"retention\",\"source_refs\":[],\"value\":\"retained for the whole window\"}],\"schema\":\"assay.incident.context.v1\"}".to_vec()
}

pub fn spec(inputs: Vec<BuildInput<'_>>) -> BuildSpec<'_> {
    BuildSpec {
        inputs,
        ..BuildSpec::default()
    }
}

pub fn built(spec: &BuildSpec<'_>) -> Built {
    build(spec, &ContextInput::example_a1()).unwrap()
}

/// The members of an archive, in order.
pub fn members(archive: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut out = Vec::new();
    let mut at = 0;
    while archive[at] != 0 {
        let header = &archive[at..at + 512];
        let end = header.iter().position(|byte| *byte == 0).unwrap();
        let name = String::from_utf8(header[..end].to_vec()).unwrap();
        let size =
            usize::from_str_radix(std::str::from_utf8(&header[124..135]).unwrap(), 8).unwrap();
        at += 512;
        out.push((name, archive[at..at + size].to_vec()));
        at = (at + size).next_multiple_of(512);
    }
    out
}

/// An archive with some texts of its inventory or assessment replaced, its
/// digests, lengths and object paths left as they are but for the assessment's.
pub fn tampered(
    archive: &[u8],
    inventory: &[(&str, &str)],
    assessment: &[(&str, &str)],
) -> Vec<u8> {
    let mut members = members(archive);
    let replace = |bytes: &mut Vec<u8>, pairs: &[(&str, &str)]| {
        let mut text = String::from_utf8(bytes.clone()).unwrap();
        for (from, to) in pairs {
            assert!(text.contains(from), "{from} is not in {text}");
            text = text.replacen(from, to, 1);
        }
        *bytes = text.into_bytes();
    };
    let before = sha256(&members[1].1).to_string();
    replace(&mut members[1].1, assessment);
    let after = sha256(&members[1].1).to_string();
    replace(&mut members[0].1, &[(before.as_str(), after.as_str())]);
    replace(&mut members[0].1, inventory);
    let parts: Vec<(&str, &[u8])> = members
        .iter()
        .map(|(name, bytes)| (name.as_str(), bytes.as_slice()))
        .collect();
    tar(&parts)
}

/// The reason a package is refused for, or `verified`.
pub fn verdict(archive: &[u8], context: &ContextInput) -> &'static str {
    let report = verify(archive, &context.to_bytes(), Dialect::Contract);
    report.reason.map_or("verified", |reason| reason.token())
}

pub fn digest(text: &str) -> Digest {
    Digest::parse(text).unwrap()
}

/// An observation health document without drops.
pub fn observation_health() -> String {
    r#"{"schema":"assay.runner.observation_health.v0","run_id":"run-1","platform":"linux","kernel_layer":"complete","ringbuf_drops":0,"policy_layer":"present","sdk_layer":"present","cgroup_correlation":"clean","notes":[]}"#.to_owned()
}

/// A complete coverage descriptor of one dimension.
pub fn coverage(dimension: &str, method: &str) -> String {
    format!(
        r#"{{"schema":"assay.runner.coverage_descriptor.v0","dimension":"{dimension}","method":"{method}","observes":[],"completeness":"full","known_blind_spots":[]}}"#
    )
}

/// The locator of a line.
pub fn line(ordinal: usize, start: usize, length: usize) -> String {
    format!("line:{ordinal}:{start}:{length}")
}
