//! The hard maxima: at each, whatever ends the verification is no resource
//! reason; one beyond refuses `resource_hard` under the default context.

use attest_canon::sha256;
use attest_package::build::JoinSpec;
use attest_package::document::{
    ContextInput, Fact, FactKind, FactReason, JoinKey, Proposition, PropositionKind, Scalar, Scope,
};
use attest_package::grammar::Surface;
use attest_package::limits::Limit;
use attest_package::{Format, build};

use crate::archives::*;
use crate::support::*;

const MIB: usize = 1 << 20;

/// What is verified: an archive, and under what.
type Case = (Vec<u8>, ContextInput);

/// How the hard maximum of a dimension is met.
enum Row {
    /// A case of exactly this amount, with how it ends, and of one more. The
    /// last is the reason where one less than the maximum is selected besides:
    /// an amount that is declared crosses both at once, one that is counted up
    /// crosses the smaller first.
    Crossed(fn(u64) -> Case, &'static str, &'static str),
    /// No package can cross it, and why.
    Never(&'static str),
}
use Row::{Crossed, Never};

const DECLARED: &str = "resource_hard";
const COUNTED: &str = "resource_selected";
/// The assessment names another context, and a refusal's report is not resized.
const RECORDED: &str = "stale_assessment";

fn row(limit: Limit) -> Row {
    match limit {
        Limit::OuterBytes => Crossed(outer_bytes, "input_shape", COUNTED),
        Limit::Members => Crossed(outer_members, "input_shape", COUNTED),
        Limit::OuterPathBytes => Crossed(outer_path, "input_shape", DECLARED),
        Limit::ObjectBytesTotal => Crossed(object_bytes, "verified", DECLARED),
        Limit::Inputs => Crossed(inputs, "verified", COUNTED),
        Limit::InnerCompressedBytes => Crossed(inner_compressed, "input_shape", DECLARED),
        Limit::DecodedBytesTotal => Crossed(decoded_total, "verified", COUNTED),
        Limit::NestedArchiveDepth => Never("no archive inside a bundle is opened"),
        Limit::InventoryBytes => Crossed(inventory_bytes, "verified", DECLARED),
        Limit::AssessmentBytes => Crossed(assessment_bytes, "verified", DECLARED),
        Limit::PolicyBytes => Crossed(policy_bytes, "verified", DECLARED),
        Limit::TranscriptBytes => Crossed(transcript_bytes, "verified", DECLARED),
        Limit::HealthBytes => Crossed(health_bytes, "verified", DECLARED),
        Limit::EnvelopeBytes => Crossed(envelope_bytes, "verified", DECLARED),
        Limit::KeyBytes => Crossed(key_bytes, "verified", DECLARED),
        Limit::RetainedReportBytes => Crossed(retained_report, "verified", DECLARED),
        Limit::InnerManifestBytes => Crossed(inner_manifest, "verified", DECLARED),
        Limit::InnerEventsBytes => Crossed(inner_events, "input_shape", DECLARED),
        Limit::Records => Crossed(records, "verified", COUNTED),
        Limit::RecordBytes => Crossed(record_bytes, "verified", COUNTED),
        Limit::InnerPathBytes => Never("the name field of a ustar header holds 100 bytes"),
        Limit::JsonDepth => Crossed(json_depth, "verified", COUNTED),
        Limit::JsonKeyBytes => Crossed(json_key, "verified", COUNTED),
        Limit::NonPayloadStringBytes => Crossed(non_payload_string, "verified", COUNTED),
        Limit::PayloadStringBytes => Crossed(payload_string, "verified", COUNTED),
        Limit::References => Crossed(references, "stale_assessment", COUNTED),
        Limit::ReferenceDepth => Never("what a reference may select holds none that is followed"),
        Limit::DiagnosticBytes => {
            Never("the library writes no diagnostics; the program is held to it")
        }
        Limit::FreshResultBytes => Crossed(fresh_result, "verified", RECORDED),
    }
}

#[test]
fn budget_parity_at_every_hard_maximum_and_one_more() {
    let mut wrong = Vec::new();
    let mut never = Vec::new();
    for limit in Limit::all() {
        let key = limit.key();
        let (case, end, both) = match row(limit) {
            Never(why) => {
                never.push((key, why));
                continue;
            }
            Crossed(case, end, both) => (case, end, both),
        };
        let (archive, context) = case(limit.hard());
        let at = verdict(&archive, &context);
        let (archive, context) = case(limit.hard() + 1);
        let over = verdict(&archive, &context);
        let mut less = context;
        assert!(less.limits.select(limit, limit.hard() - 1));
        let selected = verdict(&archive, &less);
        if (at, over, selected) != (end, "resource_hard", both) {
            wrong.push(format!("{key}: {at}, {over}, {selected}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(never.len(), 4, "{never:?}");
}

fn under_a1(archive: Vec<u8>) -> Case {
    (archive, a1())
}

/// An object no input declares fills the archive up; a byte too many stands
/// after its end.
fn outer_bytes(size: u64) -> Case {
    let limit = 256 * MIB;
    let mut members = small(Format::Inspector, b"[]\n");
    members[2] = ("objects/".to_owned() + &"e".repeat(64), Vec::new());
    let overhead = archive(&members).len();
    members[2].1 = vec![0; limit - overhead];
    let mut archive = archive(&members);
    assert_eq!(archive.len(), limit);
    archive.resize(usize::try_from(size).unwrap(), 0);
    under_a1(archive)
}

fn outer_members(count: u64) -> Case {
    let mut members = small(Format::Inspector, b"[]\n");
    members.truncate(2);
    members.extend((2..count).map(|n| (format!("objects/{n:064x}"), Vec::new())));
    under_a1(archive(&members))
}

fn outer_path(length: u64) -> Case {
    let mut members = small(Format::Inspector, b"[]\n");
    members[2].0 = "objects/".to_owned() + &"a".repeat(usize::try_from(length).unwrap() - 8);
    under_a1(archive(&members))
}

/// Fifteen occurrences of one object of 16 MiB are 240 MiB.
fn object_bytes(total: u64) -> Case {
    let large = padded(b"[]", 16 * MIB);
    let more = padded(b"[]", 16);
    let labels: Vec<String> = (0..15).map(|n| format!("input-{n:02}")).collect();
    let mut inputs: Vec<_> = labels
        .iter()
        .map(|label| input(label, Format::Inspector, &large))
        .collect();
    assert_eq!(15 * large.len() as u64, Limit::ObjectBytesTotal.hard());
    let built = built(&spec(inputs.clone()));
    if total == 15 * large.len() as u64 {
        return under_a1(built.archive);
    }
    inputs.push(input("input-15", Format::Inspector, &more));
    assert_eq!(
        build(&spec(inputs), &a1()).unwrap_err().reason.token(),
        "resource_hard"
    );
    // The same declared in the inventory alone: the last is one byte larger.
    let last = format!(
        "\"bytes\":{},\"format\":\"inspector-protocol-793d103\",\"id\":\"input-14\"",
        large.len()
    );
    let larger = last.replace(&large.len().to_string(), &(large.len() + 1).to_string());
    under_a1(tampered(&built.archive, &[(&last, &larger)], &[]))
}

fn inputs(count: u64) -> Case {
    let labels: Vec<String> = (0..64).map(|n| format!("input-{n:02}")).collect();
    let inputs = labels
        .iter()
        .map(|label| input(label, Format::Policy, b"p"))
        .collect();
    let archive = built(&spec(inputs)).archive;
    if count == 64 {
        return under_a1(archive);
    }
    let first = format!(
        "{{\"binding\":null,\"bytes\":1,\"format\":\"policy-bytes\",\"id\":\"input-\",\"sha256\":\"{}\",\"surfaces\":[]}},",
        sha256(b"p")
    );
    let longer = format!("\"inputs\":[{first}");
    under_a1(tampered(&archive, &[("\"inputs\":[", &longer)], &[]))
}

/// Bytes that are no gzip, so what is at the limit fails its format.
fn inner_compressed(size: u64) -> Case {
    let bundle = bundle("run-1", &[CONTEXT_EVENT]);
    let zeros = vec![0; usize::try_from(size).unwrap()];
    under_a1(swapped(Format::Bundle, &bundle, &zeros))
}

fn decoded_total(size: u64) -> Case {
    let sized = |zeros| Sized { manifest: 0, zeros }.bundle();
    under_a1(swapped(
        Format::Bundle,
        &sized(0),
        &sized(usize::try_from(size).unwrap()),
    ))
}

fn inventory_bytes(size: u64) -> Case {
    let history = b"[]\n";
    let with = |value: usize| {
        let mut spec = spec(vec![input("only", Format::Policy, history)]);
        spec.facts.set(
            FactKind::Custody,
            Fact {
                value: Some("v".repeat(value)),
                reason: FactReason::Stated,
                refs: vec![reference("only", history, "bytes:0:3")],
            },
        );
        build(&spec, &a1())
    };
    let overhead = members(&with(1).unwrap().archive)[0].1.len() - 1;
    let value = usize::try_from(size).unwrap() - overhead;
    under_a1(with(value).map_or_else(
        |error| {
            assert_eq!(error.reason.token(), "resource_hard");
            declares("inventory.json", size)
        },
        |built| built.archive,
    ))
}

/// Notes of a join fill the assessment.
fn assessment_bytes(size: u64) -> Case {
    let history = b1();
    let with = |notes: Vec<String>| {
        let mut spec = spec(vec![input("history", Format::Inspector, &history)]);
        spec.joins.push(JoinSpec {
            id: id("join"),
            left: reference("history", &history, "json:/0"),
            right: Some(reference("history", &history, "json:/0")),
            join_key: JoinKey::SessionId,
            scope: Scope::Session,
            proposition: Proposition {
                kind: PropositionKind::EqualRetainedValue,
                left_pointer: "/id".to_owned(),
                right_pointer: "/id".to_owned(),
                expected: Scalar::Null,
                surface: Surface::TranscriptJoin,
            },
            evidence: Vec::new(),
            notes,
        });
        build(&spec, &a1())
    };
    let length = |notes: Vec<String>| members(&with(notes).unwrap().archive)[1].1.len();
    let overhead = length(Vec::new());
    // Each note costs its quotes and, but for the first, a comma.
    let whole = 65_536 + 3;
    let room = usize::try_from(size).unwrap() + 1 - overhead;
    let mut notes = vec!["n".repeat(65_536); room / whole];
    notes.push("n".repeat(room % whole - 3));
    under_a1(with(notes).map_or_else(
        |error| {
            assert_eq!(error.reason.token(), "resource_hard");
            let mut archive = small_head();
            archive.extend_from_slice(&declares("assessment.json", size));
            archive
        },
        |built| {
            assert_eq!(members(&built.archive)[1].1.len() as u64, size);
            built.archive
        },
    ))
}

/// The inventory's part of a small archive.
fn small_head() -> Vec<u8> {
    let mut members = small(Format::Inspector, b"[]\n");
    members.truncate(1);
    let mut archive = archive(&members);
    archive.truncate(archive.len() - 1024);
    archive
}

fn sized(format: Format, text: &[u8], size: u64) -> Case {
    let other = padded(text, usize::try_from(size).unwrap());
    under_a1(swapped(format, text, &other))
}

fn policy_bytes(size: u64) -> Case {
    sized(Format::Policy, b"p", size)
}

fn transcript_bytes(size: u64) -> Case {
    sized(Format::Inspector, b"[]", size)
}

fn health_bytes(size: u64) -> Case {
    sized(Format::Context, &notes(), size)
}

fn retained_report(size: u64) -> Case {
    sized(
        Format::Results,
        b"{\"results\":[],\"schema\":\"assay.incident.results.v1\"}",
        size,
    )
}

/// Text may stand before the key's block.
fn key_bytes(size: u64) -> Case {
    let pem = pem(&signing_key());
    let mut other = vec![b'-'; usize::try_from(size).unwrap() - pem.len() - 1];
    other.push(b'\n');
    other.extend_from_slice(&pem);
    under_a1(swapped(Format::PublicKey, &pem, &other))
}

/// A bundle, a key and an attestation whose statement and envelope have white
/// space after them.
fn attested(statement_size: usize, envelope_size: usize) -> Case {
    let pem = pem(&signing_key());
    let archive = bundle("run-1", &[CONTEXT_EVENT]);
    let window = ("2026-09-08T00:00:00Z", "2026-09-08T00:00:00Z");
    let statement = statement(&archive, "run-1", 1, window, None);
    let package = |statement_size: usize, envelope_size: usize| {
        let statement = padded(statement.as_bytes(), statement_size.max(statement.len()));
        let envelope = envelope(&signing_key(), std::str::from_utf8(&statement).unwrap());
        let envelope = padded(&envelope, envelope_size.max(envelope.len()));
        (sha256(&envelope), envelope)
    };
    let ((small, small_envelope), (large, envelope)) =
        (package(0, 0), package(statement_size, envelope_size));
    let mut context = a1();
    context.keys = vec![sha256(&pem)];
    let spec = spec(vec![
        input("bundle", Format::Bundle, &archive),
        input("key", Format::PublicKey, &pem),
        bound(
            input("signed", Format::DsseAttestation, &small_envelope),
            "bundle",
            "key",
            None,
        ),
    ]);
    let built = build(&spec, &context).unwrap();
    let mut parts = members(&built.archive);
    let inventory = String::from_utf8(parts[0].1.clone()).unwrap();
    parts[0].1 = inventory
        .replace(&small.to_string(), &large.to_string())
        .replace(
            &format!("\"bytes\":{},", small_envelope.len()),
            &format!("\"bytes\":{},", envelope.len()),
        )
        .into_bytes();
    parts.retain(|(name, _)| *name != format!("objects/{small}"));
    parts.push((format!("objects/{large}"), envelope));
    parts[2..].sort();
    (crate::archives::archive(&parts), context)
}

fn envelope_bytes(size: u64) -> Case {
    attested(0, usize::try_from(size).unwrap())
}

/// Base64 comes in fours, so one more is four more.
fn payload_string(size: u64) -> Case {
    let statement = usize::try_from(size).unwrap() / 4 * 3 + usize::from(!size.is_multiple_of(4));
    attested(statement, 0)
}

fn inner_manifest(size: u64) -> Case {
    let sized = |manifest| Sized { manifest, zeros: 0 }.bundle();
    under_a1(swapped(
        Format::Bundle,
        &sized(0),
        &sized(usize::try_from(size).unwrap()),
    ))
}

/// Only declared: what is at the limit breaks off.
fn inner_events(size: u64) -> Case {
    let bundle = bundle("run-1", &[CONTEXT_EVENT]);
    under_a1(swapped(
        Format::Bundle,
        &bundle,
        &bundle_declaring("events.ndjson", size),
    ))
}

fn records(count: u64) -> Case {
    let entry = r#"{"id":"e","timestamp":"2026-09-08T00:00:00Z","direction":"notification","message":{"jsonrpc":"2.0","method":"m"}}"#;
    let entries = vec![entry; usize::try_from(count).unwrap()].join(",");
    under_a1(swapped(
        Format::Inspector,
        b"[]",
        format!("[{entries}]").as_bytes(),
    ))
}

/// One entry, the brackets around it apart.
fn record_bytes(size: u64) -> Case {
    let entry = response("1", "");
    let spaces = usize::try_from(size).unwrap() - (entry.len() - 2);
    under_a1(swapped(
        Format::Inspector,
        b"[]",
        &response(&format!("{}1", " ".repeat(spaces)), ""),
    ))
}

/// The array, the entry and the message are three.
fn json_depth(depth: u64) -> Case {
    let nested = usize::try_from(depth).unwrap() - 3;
    let result = "[".repeat(nested) + &"]".repeat(nested);
    under_a1(swapped(Format::Inspector, b"[]", &response(&result, "")))
}

fn json_key(length: u64) -> Case {
    let key = "k".repeat(usize::try_from(length).unwrap());
    under_a1(swapped(
        Format::Inspector,
        b"[]",
        &response(&format!("{{\"{key}\":1}}"), ""),
    ))
}

fn non_payload_string(length: u64) -> Case {
    let text = "s".repeat(usize::try_from(length).unwrap());
    under_a1(swapped(
        Format::Inspector,
        b"[]",
        &response("1", &format!(",\"clientError\":\"{text}\"")),
    ))
}

/// One basis repeated: what is recorded is then not what is recomputed.
fn references(count: u64) -> Case {
    let notes = notes();
    let basis = reference("context", &notes, "json:/entries/0");
    let context = adequate(Surface::TranscriptJoin, vec![basis]);
    let spec = spec(vec![
        input("context", Format::Context, &notes),
        input("history", Format::Inspector, b"[]\n"),
    ]);
    let built = build(&spec, &context).unwrap();
    let one = format!(
        "{{\"input_id\":\"context\",\"locator\":\"json:/entries/0\",\"sha256\":\"{}\"}}",
        sha256(&notes)
    );
    let all = vec![one.as_str(); usize::try_from(count).unwrap()].join(",");
    (tampered(&built.archive, &[], &[(&one, &all)]), context)
}

/// The context, which the report holds, has many options.
fn fresh_result(size: u64) -> Case {
    report_of(size, &a1())
}

fn report_of(size: u64, selected: &ContextInput) -> Case {
    let package = spec(vec![input("history", Format::Inspector, b"[]\n")]);
    let under = |options: Vec<String>| {
        let mut context = selected.clone();
        context.invocation.options = options;
        context
    };
    let built = build(&package, &under(vec!["o".to_owned()])).unwrap();
    let overhead = built.report.to_bytes().len() - "\"o\"".len();
    let whole = 65_536 + 3;
    let room = usize::try_from(size).unwrap() + 1 - overhead;
    let mut options = vec!["o".repeat(65_536); room / whole];
    options.push("o".repeat(room % whole - 3));
    let large = under(options);
    let (small, digest) = (
        under(vec!["o".to_owned()]).digest().to_string(),
        large.digest().to_string(),
    );
    let archive = tampered(&built.archive, &[], &[(small.as_str(), digest.as_str())]);
    (archive, large)
}

/// A report's size is known before it is written, so it crosses both at once.
#[test]
fn a_report_beyond_both_limits_is_hard() {
    let limit = Limit::FreshResultBytes;
    let mut selected = a1();
    assert!(selected.limits.select(limit, limit.hard() - 1));
    for (size, reason) in [
        (limit.hard() - 1, "verified"),
        (limit.hard(), "resource_selected"),
        (limit.hard() + 1, "resource_hard"),
    ] {
        let (archive, context) = report_of(size, &selected);
        assert_eq!(verdict(&archive, &context), reason, "{size}");
    }
}

/// What no budget can allow is refused by its own rule (§9): nothing follows a
/// reference to a reference, and an archive in a bundle is only bytes.
#[test]
fn one_level_is_all_there_is() {
    let notes = notes();
    let chained = format!(
        r#"{{"schema":"assay.incident.context.v1","entries":[{{"kind":"clock","value":"v","source_refs":[{{"input_id":"notes","sha256":"{}","locator":"json:/entries/0"}}]}}]}}"#,
        sha256(&notes)
    );
    let package = spec(vec![
        input("chained", Format::Context, chained.as_bytes()),
        input("notes", Format::Context, &notes),
    ]);
    let refused = build(&package, &a1()).unwrap_err();
    assert_eq!(refused.reason.token(), "locator");

    let inner = bundle("run-1", &[CONTEXT_EVENT]);
    let nested = gzip(&tar(&[
        ("manifest.json", &inner),
        ("events.ndjson", &inner),
    ]));
    let (archive, context) = under_a1(swapped(Format::Bundle, &inner, &nested));
    assert_eq!(verdict(&archive, &context), "input_shape");
}
