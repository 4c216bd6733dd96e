//! The first inputs of the fuzz targets, made from this crate's own fixtures.

#![allow(
    clippy::unwrap_used,
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "tests"
)]

mod support;

use std::fs;
use std::path::Path;

use attest_canon::sha256;
use attest_package::document::ContextInput;
use attest_package::{Format, build};
use support::*;

const EXTENT: &str =
    r#"{"retained_events_by_type":{"assay.fs.access":1},"observed":{"basis":"not_stated"}}"#;

const OBSERVATION: &str = r#"{"schema":"assay.runner.observation_health.v0","run_id":"run-1","platform":"linux","kernel_layer":"partial_ringbuf_drops","ringbuf_drops":3,"policy_layer":"present","sdk_layer":"self_reported","cgroup_correlation":"partial","capture_origin":"third_party","notes":["dropped"]}"#;
const ENFORCEMENT: &str = r#"{"schema":"assay.enforcement_health.v0","scope":"ipv4_tcp_connect","network_enforcement":"active","enforcement_class":"strong","attach_confirmed":true,"blocked_count":1,"allowed_count":2}"#;
const COVERAGE: &str = r#"{"schema":"assay.runner.coverage_descriptor.v0","dimension":"network","method":"tracepoint","observes":["connect"],"completeness":"connect_only","known_blind_spots":["io_uring"]}"#;

fn events() -> Vec<u8> {
    bundle(
        "run-1",
        &[Event(
            "assay.fs.access",
            Some("file-1"),
            r#"{"hits":1,"file":"/tmp/x"}"#,
        )],
    )
}

/// A package as the parts that `verify` assembles: each object's digest and
/// length, and the assessment's digest, by their signs.
fn template(archive: &[u8]) -> Vec<u8> {
    let members = members(archive);
    let context = ContextInput::example_a1().digest().to_string();
    let sign = |bytes: &[u8]| {
        let mut text = String::from_utf8(bytes.to_vec()).unwrap();
        for (place, (_, object)) in members[2..].iter().enumerate() {
            text = text.replace(&sha256(object).to_string(), &format!("@{place}"));
            text = text.replace(
                &format!("\"bytes\":{}", object.len()),
                &format!("\"bytes\":#{place}"),
            );
        }
        text.replace(&context, "@c")
            .replace(&sha256(&members[1].1).to_string(), "@a")
    };
    let mut parts = vec![
        sign(&members[0].1).into_bytes(),
        sign(&members[1].1).into_bytes(),
    ];
    parts.extend(members[2..].iter().map(|(_, object)| object.clone()));
    parts.join(&0x1e)
}

/// A bundle as the parts that the target assembles.
fn bundle_template(events: &[Event<'_>]) -> Vec<u8> {
    let (manifest, lines) = bundle_members("run-1", events);
    let between = |text: &str, before: &str| {
        let (_, after) = text.split_once(before).unwrap();
        after.split('"').next().unwrap().to_owned()
    };
    let root = between(&manifest, r#""run_root":""#);
    let manifest = manifest
        .replace(&root, "@r")
        .replace(&sha256(lines.as_bytes()).to_string(), "@e")
        .replace(&format!("\"bytes\":{}", lines.len()), "\"bytes\":#e")
        .replace(
            &format!("\"event_count\":{}", events.len()),
            "\"event_count\":#n",
        );
    let mut parts = vec![manifest];
    for (place, line) in lines.lines().enumerate() {
        let hash = between(line, r#""assaycontenthash":""#);
        parts.push(
            line.replace(&hash, "@h")
                .replace(&format!("\"assayseq\":{place}"), "\"assayseq\":@s")
                .replace(&format!("\"run-1:{place}\""), "\"run-1:@s\""),
        );
    }
    parts.join("\u{1e}").into_bytes()
}

/// One event of every type, and one alone.
fn bundle_templates() -> [Vec<u8>; 2] {
    let decision: serde_json::Value = serde_json::from_str(&decision("call-1")).unwrap();
    let decision = decision["data"].to_string();
    let pack = r#"{"declared_scope":{"allowed_files":["a"],"allowed_commands":[],"allowed_mcp_tools":[],"network":"denied","expected_test_command":null,"authorized":true},"observed_effects":{"files_changed":["a"],"commands_executed":[],"network_attempts":[],"mcp_tool_calls":[],"test_observed":false},"coverage":{"files":"observed","commands":"partial","network":"absent","mcp_tools":"self_reported","test":"unavailable"},"source_class":"producer_reported","non_claims":["x"]}"#;
    let all = [
        Event("assay.profile.started", None, r#"{"profile_name":"p"}"#),
        Event("assay.tool.decision", Some("list_files"), &decision),
        Event(
            "assay.fs.access",
            Some("file-1"),
            r#"{"hits":1,"file":"/a"}"#,
        ),
        Event(
            "assay.sandbox.fs",
            None,
            r#"{"op":"read","path":"/a","backend":"landlock"}"#,
        ),
        Event(
            "assay.net.connect",
            Some("host-1"),
            r#"{"hits":2,"host":"h"}"#,
        ),
        Event(
            "assay.process.exec",
            Some("ls"),
            r#"{"hits":3,"cmd":"ls -l"}"#,
        ),
        Event("assay.sandbox.exec", None, r#"{"argv0":"ls","hits":4}"#),
        Event(
            "assay.sandbox.degraded",
            None,
            r#"{"reason_code":"policy_conflict"}"#,
        ),
        Event("assay.sandbox.summary", None, r#"{"fs_count":1}"#),
        Event("assay.coding_agent.evidence_pack.v0", None, pack),
        Event("assay.profile.finished", None, r#"{"files_count":1}"#),
    ];
    [bundle_template(&all), bundle_template(&all[2..3])]
}

/// Writes `fuzz/bundle.tar.gz` and `fuzz/seeds/TARGET/*`.
#[test]
#[ignore = "writes files"]
fn write_the_seeds() {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    let seeds = fuzz.join("seeds");
    let put = |target: &str, name: &str, bytes: &[u8]| {
        fs::create_dir_all(seeds.join(target)).unwrap();
        fs::write(seeds.join(target).join(name), bytes).unwrap();
    };
    let key = signing_key();
    let archive = events();
    fs::write(fuzz.join("bundle.tar.gz"), &archive).unwrap();
    put("bundle", "one-event", &archive);
    let (manifest, lines) = bundle_members("run-2", &[]);
    put(
        "bundle",
        "empty",
        &gzip(&tar(&[
            ("manifest.json", manifest.as_bytes()),
            ("events.ndjson", lines.as_bytes()),
        ])),
    );
    for (name, template) in ["every-type", "one"].into_iter().zip(bundle_templates()) {
        put("bundle", &format!("{name}-parts"), &template);
    }
    put("public_key", "ed25519", &pem(&key));
    let window = ("2026-09-08T00:00:00Z", "2026-09-08T00:00:00Z");
    for (name, extent) in [("plain", None), ("extent", Some(EXTENT))] {
        let statement = statement(&archive, "run-1", 1, window, extent);
        put("attestation", name, statement.as_bytes());
        put(
            "attestation",
            &format!("{name}-envelope"),
            &envelope(&key, &statement),
        );
    }
    put("inspector", "empty", b"[]\n");
    put("inspector", "one", &b1());
    let proxy = format!("{}\n{}\n", decision("call-1"), decision("call-2"));
    put("proxy_decision", "two", proxy.as_bytes());
    put("policy", "text", b"allow: [list_files]\n");
    put("context", "retention", &notes());
    put("health", "observation", OBSERVATION.as_bytes());
    put("health", "enforcement", ENFORCEMENT.as_bytes());
    put("coverage", "network", COVERAGE.as_bytes());
    let report = format!(
        r#"{{"artifact_sha256":"{}","extent":null,"extent_stated":false,"outcome":"attestation_verified","predicate_type":"https://docs.getassay.dev/attestation/evidence-bundle/v1","schema":"assay.evidence.attestation.verify.v1","signature_verified":true,"subject_matched":true,"subject_name":"{}"}}"#,
        sha256(&archive),
        run_root(&archive)
    );
    put("attestation_report", "verified", report.as_bytes());
    let results = format!(
        r#"{{"results":[{{"operation":"inspector-protocol-793d103","source":{{"input_id":"history","locator":"json:/0","sha256":"{}"}},"value":{}}}],"schema":"assay.incident.results.v1"}}"#,
        sha256(&b1()),
        inspector_call("entry-1", "rpc-1", "{}")
    );
    put(
        "results",
        "one",
        format!("{}\n", canonical(&results)).as_bytes(),
    );
    for (name, text) in [
        (
            "mixed",
            r#"{"a":[1,-2.5e3,"\u00e9\n",true,null],"b":{"c":{}}}"#,
        ),
        ("numbers", "[0,-0,1e2,9007199254740991,0.1]"),
        ("nested", "[[[[[[[[]]]]]]]]"),
    ] {
        put("strict_json", name, text.as_bytes());
    }
    let history = b1();
    let context = ContextInput::example_a1();
    let notes = notes();
    for (name, inputs) in [
        ("empty", vec![input("history", Format::Inspector, b"[]\n")]),
        ("one", vec![input("history", Format::Inspector, &history)]),
        (
            "several",
            vec![
                input("bundle", Format::Bundle, &archive),
                input("history", Format::Inspector, &history),
                input("notes", Format::Context, &notes),
                input("proxy", Format::ProxyDecision, proxy.as_bytes()),
            ],
        ),
    ] {
        let mut parts = Vec::new();
        for input in &inputs {
            let place = Format::CONTRACT.iter().position(|one| *one == input.format);
            let mut part = vec![b'a' + u8::try_from(place.unwrap()).unwrap(), b'i'];
            part.extend_from_slice(input.bytes);
            parts.push(part);
        }
        put("builder", name, &parts.join(&0x1e));
        let built = build(&spec(inputs), &context).unwrap();
        put("container", name, &built.archive);
        put("verify", name, &built.archive);
        let parts = template(&built.archive);
        put("verify", &format!("{name}-parts"), &parts);
        let under = [context.to_bytes(), parts].join(&0x1e);
        put("verify", &format!("{name}-under"), &under);
    }
    put("verify", "context", &context.to_bytes());
}
