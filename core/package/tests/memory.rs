//! A refusal comes before what it refuses is read or allocated (§8): a reader
//! counts the bytes that were taken, the allocator those that were asked for.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "tests"
)]

mod support;

use std::alloc::System;
use std::io::{self, Read};
use std::sync::{Mutex, MutexGuard};

use attest_canon::sha256;
use attest_package::document::ContextInput;
use attest_package::limits::Limit;
use attest_package::{Dialect, Format, verify_under};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use support::parts::Parts;
use support::*;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

const MIB: usize = 1 << 20;
/// Buffers, decoder windows and the documents' small parts.
const SLACK: usize = 512 << 10;

/// The allocator counts for the whole process, so tests take turns.
fn alone() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// What a verification came to and what it took for it.
#[derive(Debug)]
struct Spent {
    reason: &'static str,
    /// Bytes taken from the reader.
    taken: usize,
    /// Bytes allocated in all, whether freed again or not.
    allocated: usize,
}

/// Counts what is taken from a reader.
struct Counting<R> {
    inner: R,
    taken: usize,
}

impl<R: Read> Read for Counting<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.taken += count;
        Ok(count)
    }
}

fn spend(archive: impl Read, context: &ContextInput) -> Spent {
    let mut source = Counting {
        inner: archive,
        taken: 0,
    };
    let region = Region::new(ALLOCATOR);
    let report = verify_under(&mut source, context, Dialect::Contract);
    let allocated = region.change().bytes_allocated;
    Spent {
        reason: report.reason.map_or("verified", |reason| reason.token()),
        taken: source.taken,
        allocated,
    }
}

fn selecting(limit: Limit, budget: u64) -> ContextInput {
    let mut context = ContextInput::example_a1();
    assert!(context.limits.select(limit, budget));
    context
}

/// A member's header, its data left to the test.
fn header(name: &str, size: u64) -> Vec<u8> {
    let mut header = tar(&[(name, b"")]);
    header.truncate(512);
    header[124..136].copy_from_slice(format!("{size:011o}\0").as_bytes());
    seal(&mut header);
    header
}

/// The archive of a package over one input whose object is another: read and
/// framed as it stands, whatever is recorded of it.
fn holding(format: Format, bytes: &[u8], object: &[u8]) -> (Vec<u8>, usize) {
    let mut members = members(&built(&spec(vec![input("only", format, bytes)])).archive);
    let inventory = String::from_utf8(members[0].1.clone()).unwrap();
    members[0].1 = inventory
        .replace(&sha256(bytes).to_string(), &sha256(object).to_string())
        .replace(
            &format!("\"bytes\":{},", bytes.len()),
            &format!("\"bytes\":{},", object.len()),
        )
        .into_bytes();
    members[2] = (format!("objects/{}", sha256(object)), object.to_vec());
    let kept = members.iter().map(|(_, bytes)| bytes.len()).sum();
    let parts: Vec<(&str, &[u8])> = members
        .iter()
        .map(|(name, bytes)| (name.as_str(), bytes.as_slice()))
        .collect();
    (tar(&parts), kept)
}

/// The inventory and the assessment of a small package, as an archive's head.
fn head() -> Vec<u8> {
    let members = members(&built(&spec(vec![input("only", Format::Policy, b"p")])).archive);
    let parts: Vec<(&str, &[u8])> = members[..2]
        .iter()
        .map(|(name, bytes)| (name.as_str(), bytes.as_slice()))
        .collect();
    let mut head = tar(&parts);
    head.truncate(head.len() - 1024);
    head
}

/// A header that declares too much is the last that is read.
#[test]
fn a_declared_size_is_refused_by_its_header_alone() {
    let _turn = alone();
    let context = ContextInput::example_a1();
    let head = head();
    let inventory_end = 512 + members(&[head.clone(), vec![0; 1024]].concat())[0].1.len();
    let before_assessment = inventory_end.next_multiple_of(512);
    for (before, name, size) in [
        (
            0,
            "inventory.json".to_owned(),
            Limit::InventoryBytes.hard() + 1,
        ),
        (0, "inventory.json".to_owned(), 0o77_777_777_777),
        (
            before_assessment,
            "assessment.json".to_owned(),
            Limit::AssessmentBytes.hard() + 1,
        ),
        (
            head.len(),
            format!("objects/{}", "a".repeat(64)),
            Limit::OuterBytes.hard(),
        ),
    ] {
        let archive = [&head[..before], &header(&name, size)].concat();
        let spent = spend(archive.as_slice().chain(io::repeat(0)), &context);
        assert_eq!(spent.reason, "resource_hard", "{name} {size}");
        assert_eq!(spent.taken, before + 512, "{name} {size}");
        assert!(spent.allocated <= SLACK, "{name}: {spent:?}");
    }
}

/// A size within its limit commits no memory before its bytes arrive.
#[test]
fn a_declared_size_commits_nothing_until_bytes_arrive() {
    let _turn = alone();
    let head = head();
    let object = header(&format!("objects/{}", sha256(b"p")), 200 << 20);
    let archive = [head, object, vec![7; 1000]].concat();
    let spent = spend(archive.as_slice(), &ContextInput::example_a1());
    assert_eq!(spent.reason, "input_shape");
    assert!(spent.allocated <= archive.len() + SLACK, "{spent:?}");
}

/// A stream without an end is left at the limit, and what no input declares is
/// not kept.
#[test]
fn outer_bytes_and_members_end_an_endless_stream() {
    let _turn = alone();
    let head = head();
    let member = |n: usize| {
        let mut bytes = header(&format!("objects/{n:064x}"), MIB as u64);
        bytes.resize(512 + MIB, 0);
        bytes
    };
    let all: Vec<u8> = head
        .iter()
        .copied()
        .chain((0..20).flat_map(member))
        .collect();
    let selected = selecting(Limit::OuterBytes, 10 << 20);
    let spent = spend(all.as_slice().chain(io::repeat(1)), &selected);
    assert_eq!(spent.reason, "resource_selected");
    assert!(spent.taken <= 10 << 20, "{spent:?}");
    // The header that crosses the limit is read, its data is not.
    assert_eq!((spent.taken - head.len()) % (512 + MIB), 512);
    assert!(spent.allocated <= head.len() + 20 * SLACK, "{spent:?}");

    let empty: Vec<u8> = (0..200)
        .flat_map(|n| header(&format!("objects/{n:064x}"), 0))
        .collect();
    let archive = [head.clone(), empty].concat();
    let spent = spend(archive.as_slice(), &ContextInput::example_a1());
    assert_eq!(
        (spent.reason, spent.taken),
        ("resource_hard", head.len() + (129 - 2) * 512)
    );
}

/// What the inventory declares is charged when the inventory was read, before
/// any object is.
#[test]
fn inputs_and_object_bytes_are_charged_before_objects_are_read() {
    let _turn = alone();
    let large = vec![b'p'; MIB];
    let labels: Vec<String> = (0..5).map(|n| format!("input-{n}")).collect();
    let inputs = labels
        .iter()
        .map(|label| input(label, Format::Policy, &large))
        .collect();
    let archive = built(&spec(inputs)).archive;
    let inventory = members(&archive)[0].1.len();
    let read = (512 + inventory).next_multiple_of(512);
    for (limit, budget) in [
        (Limit::ObjectBytesTotal, 5 * (MIB as u64) - 1),
        (Limit::Inputs, 4),
    ] {
        let spent = spend(archive.as_slice(), &selecting(limit, budget));
        assert_eq!(spent.reason, "resource_selected", "{}", limit.key());
        assert_eq!(spent.taken, read, "{}", limit.key());
        assert!(spent.allocated <= SLACK, "{spent:?}");
    }
}

/// A bundle that decodes to far more than it holds.
fn bomb(events: usize) -> Vec<u8> {
    let (manifest, _) = bundle_members("run-1", &[EVENT]);
    let mut decoded = tar(&[("manifest.json", manifest.as_bytes())]);
    decoded.truncate(decoded.len() - 1024);
    decoded.extend_from_slice(&header("events.ndjson", events as u64));
    decoded.resize(decoded.len() + events, b' ');
    gzip(&decoded)
}

const EVENT: Event<'static> = Event("assay.profile.started", None, "{}");

#[test]
fn a_gzip_bomb_is_left_at_its_budget() {
    let _turn = alone();
    let bundle = bundle("run-1", &[EVENT]);
    let bomb = bomb(64 * MIB);
    let (archive, kept) = holding(Format::Bundle, &bundle, &bomb);
    for (limit, budget, decoded) in [
        (Limit::DecodedBytesTotal, MIB as u64, MIB),
        (Limit::InnerEventsBytes, MIB as u64, 0),
        (Limit::InnerManifestBytes, 1, 0),
        (Limit::InnerPathBytes, 1, 0),
        (Limit::InnerCompressedBytes, bomb.len() as u64 - 1, 0),
    ] {
        let spent = spend(archive.as_slice(), &selecting(limit, budget));
        assert_eq!(spent.reason, "resource_selected", "{}", limit.key());
        assert!(
            spent.allocated <= kept + 2 * decoded + SLACK,
            "{}: {spent:?}",
            limit.key()
        );
    }
    // A line is measured before it is read, here one of 64 MiB.
    let spent = spend(archive.as_slice(), &ContextInput::example_a1());
    assert_eq!(spent.reason, "resource_hard");
}

/// An Inspector export of one response that holds a result.
fn response(result: &str, more: &str) -> Vec<u8> {
    format!(
        r#"[{{"id":"e","timestamp":"2026-09-08T00:00:00Z","direction":"response","message":{{"jsonrpc":"2.0","id":1,"result":{result}}}{more}}}]"#
    )
    .into_bytes()
}

/// A budget, and an object of a format that crosses it, in place of a small one.
type Case<'c> = (Limit, u64, Format, &'c [u8], Vec<u8>);

/// Objects that would take many times their size to hold as a tree, or a copy
/// as large as themselves.
#[test]
fn json_is_charged_before_it_is_kept() {
    let _turn = alone();
    let escaped = "\\n".repeat(400 << 10);
    let numbers = vec!["0"; 400 << 10].join(",");
    let array = format!("[{numbers}]");
    let entry = r#"{"id":"e","timestamp":"2026-09-08T00:00:00Z","direction":"notification","message":{"jsonrpc":"2.0","method":"m"}}"#;
    let line = format!(
        r#"{{"data":{{"x":{array}}},"id":"d","source":"s","specversion":"1.0","time":"t","type":"assay.tool.decision"}}"#
    );
    let source = format!(
        r#"{{"input_id":"x","sha256":"{}","locator":"json:/0"}}"#,
        "0".repeat(64)
    );
    let results = |sources: &str, value: &str| {
        format!(
            r#"{{"schema":"assay.incident.results.v1","results":[{{"operation":"o",{sources}"value":{value}}}]}}"#
        )
        .into_bytes()
    };
    let empty_results = b"{\"results\":[],\"schema\":\"assay.incident.results.v1\"}";
    let refs = vec![source.as_str(); 4000].join(",");
    let context = format!(
        r#"{{"schema":"assay.incident.context.v1","entries":[{{"kind":"clock","source_refs":[{refs}],"value":"v"}}]}}"#
    );
    let health = observation_health().replace("\"notes\":[]", &format!("\"notes\":{array}"));
    let deep = "[".repeat(MIB / 2);
    let (small_health, small_notes) = (observation_health(), notes());
    let cases: Vec<Case> = vec![
        (
            Limit::PayloadStringBytes,
            1000,
            Format::Inspector,
            b"[]",
            response(&format!("\"{escaped}\""), ""),
        ),
        (
            Limit::NonPayloadStringBytes,
            1000,
            Format::Inspector,
            b"[]",
            response("1", &format!(",\"clientError\":\"{escaped}\"")),
        ),
        (
            Limit::JsonKeyBytes,
            100,
            Format::Inspector,
            b"[]",
            response(&format!("{{\"{escaped}\":1}}"), ""),
        ),
        (
            Limit::JsonDepth,
            64,
            Format::Inspector,
            b"[]",
            response(&deep, ""),
        ),
        (
            Limit::Records,
            10,
            Format::Inspector,
            b"[]",
            format!("[{}]", vec![entry; 8000].join(",")).into_bytes(),
        ),
        (
            Limit::RecordBytes,
            1000,
            Format::Inspector,
            b"[]",
            response("1", &format!(",\"clientError\":\"{escaped}\"")),
        ),
        (
            Limit::RecordBytes,
            1000,
            Format::ProxyDecision,
            b"",
            line.into_bytes(),
        ),
        (
            Limit::RecordBytes,
            1000,
            Format::Health,
            small_health.as_bytes(),
            health.into_bytes(),
        ),
        (
            Limit::RecordBytes,
            1000,
            Format::Context,
            &small_notes,
            context.clone().into_bytes(),
        ),
        (
            Limit::References,
            10,
            Format::Context,
            &small_notes,
            context.clone().into_bytes(),
        ),
        (
            Limit::RecordBytes,
            1000,
            Format::Results,
            empty_results,
            results(&format!("\"source\":{source},"), &array),
        ),
        (
            Limit::HealthBytes,
            1000,
            Format::Context,
            &small_notes,
            context.into_bytes(),
        ),
        (
            Limit::RetainedReportBytes,
            1000,
            Format::Results,
            empty_results,
            results("", &array),
        ),
        (
            Limit::TranscriptBytes,
            1000,
            Format::Inspector,
            b"[]",
            response(&array, ""),
        ),
    ];
    let mut wrong = Vec::new();
    for (limit, budget, format, bytes, object) in cases {
        let (archive, kept) = holding(format, bytes, &object);
        let spent = spend(archive.as_slice(), &selecting(limit, budget));
        // What is refused early is no more than the archive's own bytes and the
        // budget; the rest is the margin of the small documents.
        let allowed = kept + (32 << 10);
        let hard = limit == Limit::JsonDepth;
        let reason = if hard {
            "resource_hard"
        } else {
            "resource_selected"
        };
        if spent.reason != reason || spent.allocated > allowed {
            wrong.push(format!(
                "{} {}: {spent:?}, allowed {allowed}",
                limit.key(),
                format.token()
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Objects of which only a few members are read take no more than those.
#[test]
fn what_is_not_read_is_not_kept() {
    let _turn = alone();
    let array = format!("[{}]", vec!["0"; 2 * MIB].join(","));
    let pem = pem(&signing_key());
    let good = bundle("run-1", &[EVENT]);
    let envelope = format!(
        r#"{{"payload":"","payloadType":"","signatures":[{{"keyid":"","sig":""}}],"x":{array}}}"#
    );
    let report = format!(r#"{{"schema":"assay.evidence.attestation.verify.v1","x":{array}}}"#);
    let (manifest, events) = bundle_members("run-1", &[EVENT]);
    let manifest = manifest.replacen('{', &format!("{{\"x\":{array},"), 1);
    let dense = gzip(&tar(&[
        ("manifest.json", manifest.as_bytes()),
        ("events.ndjson", events.as_bytes()),
    ]));
    let mut context = ContextInput::example_a1();
    context.keys = vec![sha256(&pem)];
    let window = ("2026-09-08T00:00:00Z", "2026-09-08T00:00:00Z");
    let signed = support::envelope(&signing_key(), &statement(&good, "run-1", 1, window, None));
    let verified = format!(
        r#"{{"schema":"assay.evidence.attestation.verify.v1","outcome":"attestation_verified","signature_verified":true,"subject_matched":true,"artifact_sha256":"{}","predicate_type":"https://docs.getassay.dev/attestation/evidence-bundle/v1","subject_name":"{}","extent_stated":false,"extent":null}}"#,
        sha256(&good),
        run_root(&good)
    );
    let package = spec(vec![
        input("bundle", Format::Bundle, &good),
        input("key", Format::PublicKey, &pem),
        bound(
            input("report", Format::AttestationReport, verified.as_bytes()),
            "bundle",
            "key",
            Some("signed"),
        ),
        bound(
            input("signed", Format::DsseAttestation, &signed),
            "bundle",
            "key",
            None,
        ),
    ]);
    let archive = attest_package::build(&package, &context).unwrap().archive;
    let base = Parts::of(&archive, &context);
    for (old, new, decoded, reason) in [
        (
            signed.as_slice(),
            envelope.as_bytes(),
            0,
            "attestation_verification",
        ),
        (
            verified.as_bytes(),
            report.as_bytes(),
            0,
            "stale_assessment",
        ),
        (
            good.as_slice(),
            dense.as_slice(),
            manifest.len(),
            "attestation_verification",
        ),
    ] {
        let mut parts = base.clone();
        parts.object(old, new);
        let archive = parts.seal();
        let spent = spend(archive.as_slice(), &context);
        assert_eq!(spent.reason, reason);
        assert!(
            spent.allocated <= archive.len() + decoded + SLACK,
            "{spent:?}, archive {}",
            archive.len()
        );
    }
    let history = spec(vec![input("history", Format::Inspector, b"[]\n")]);
    let mut parts = Parts::of(&built(&history).archive, &ContextInput::example_a1());
    let strata = parts.assessment.find("\"strata\":[").unwrap() + 10;
    parts
        .assessment
        .insert_str(strata, &array[1..array.len() - 1]);
    parts.assessment.insert(strata + array.len() - 2, ',');
    let archive = parts.seal();
    let spent = spend(archive.as_slice(), &ContextInput::example_a1());
    assert_eq!(spent.reason, "cap1_shape");
    assert!(spent.allocated <= archive.len() + SLACK, "{spent:?}");
}
