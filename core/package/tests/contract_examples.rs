//! The examples of §12: every document has the digest the text states.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

mod support;

use attest_canon::sha256;
use attest_package::build::{Treatment, TreatmentRule};
use attest_package::document::{AttestationCheck, ContextInput, Report};
use attest_package::{Dialect, Format, Reason, build, verify};
use support::*;

/// A1–A3: the complete present-empty selection.
#[test]
fn a1_to_a3_build_into_an_archive_that_verifies() {
    let context = ContextInput::example_a1();
    let built = build(
        &spec(vec![input("empty-history", Format::Inspector, b"[]\n")]),
        &context,
    )
    .unwrap();
    assert_eq!(
        sha256(&built.context).to_string(),
        "919787b66b4dc0688944d7c76218c6da168890f8251985ccfb12e2a92cfcb814"
    );
    let members = members(&built.archive);
    let names: Vec<&str> = members.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        [
            "inventory.json",
            "assessment.json",
            "objects/37517e5f3dc66819f61f5a7bb8ace1921282415f10551d2defa5c3eb0985b570"
        ]
    );
    assert_eq!(
        sha256(&members[0].1).to_string(),
        "747ae82961390332a1a203d8a6f7d8ffc3d7ecee77825c5c470dca627138e99b"
    );
    assert_eq!(
        sha256(&members[1].1).to_string(),
        "921dda0ca89d242f89ed1450748a3934335103cc4fdb34dc731969f53bd7397c"
    );
    assert_eq!(
        built.report,
        verify(built.archive.as_slice(), &built.context, Dialect::Contract)
    );
}

/// D1: the projection of a verified present-empty package.
#[test]
fn d1_is_the_report_over_the_present_empty_package() {
    let built = built(&spec(vec![input(
        "empty-history",
        Format::Inspector,
        b"[]\n",
    )]));
    let context = String::from_utf8(built.context.clone()).unwrap();
    let expected = canonical(&format!(
        r#"{{"schema":"assay.incident.verify.v1","outcome":"package_verified","reason":null,"artifact_sha256":"{}","inventory_sha256":"747ae82961390332a1a203d8a6f7d8ffc3d7ecee77825c5c470dca627138e99b","assessment_sha256":"921dda0ca89d242f89ed1450748a3934335103cc4fdb34dc731969f53bd7397c","expectation":"not_requested","attestations":[],"verification_context":{},"verification_context_sha256":"919787b66b4dc0688944d7c76218c6da168890f8251985ccfb12e2a92cfcb814","resolved_results":[],"counts":{{"inputs":1,"objects":1,"units":0,"examined":0,"withheld":0,"resolved_result_count":0}},"non_claims":["no_activity_completeness","no_provider_outcome","no_automatic_trust"]}}"#,
        sha256(&built.archive),
        context.trim_end(),
    ));
    assert_eq!(
        String::from_utf8(built.report.to_bytes()).unwrap(),
        format!("{expected}\n")
    );
}

/// C and D2: a refusal and an unavailable verification release nothing.
#[test]
fn c_and_d2_release_nothing() {
    for (reason, outcome) in [
        (Reason::UnknownFormat, "package_refused"),
        (Reason::IoUnavailable, "verification_unavailable"),
    ] {
        let expected = canonical(&format!(
            r#"{{"schema":"assay.incident.verify.v1","outcome":"{outcome}","reason":"{reason}","artifact_sha256":null,"inventory_sha256":null,"assessment_sha256":null,"expectation":"not_evaluated","attestations":[],"verification_context":null,"verification_context_sha256":null,"resolved_results":[],"counts":null,"non_claims":["no_activity_completeness","no_provider_outcome","no_automatic_trust"]}}"#
        ));
        let report = Report::refused(reason, None);
        assert_eq!(
            String::from_utf8(report.to_bytes()).unwrap(),
            format!("{expected}\n")
        );
    }
    struct Failing;
    impl std::io::Read for Failing {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("gone"))
        }
    }
    let report = verify(
        Failing,
        &ContextInput::example_a1().to_bytes(),
        Dialect::Contract,
    );
    assert_eq!(report, Report::refused(Reason::IoUnavailable, None));
}

fn b2() -> Vec<u8> {
    let call = inspector_call("entry-1", "rpc-1", "{}");
    let text = canonical(&format!(
        r#"{{"schema":"assay.incident.results.v1","results":[{{"operation":"inspector-protocol-793d103","source":{{"input_id":"one-history","sha256":"{}","locator":"json:/0"}},"value":{call}}}]}}"#,
        sha256(&b1())
    ));
    format!("{text}\n").into_bytes()
}

/// B1–B3: a result disclosed by reference.
#[test]
fn b1_to_b3_disclose_by_reference_and_b4_refuses() {
    let (history, results) = (b1(), b2());
    assert_eq!(
        sha256(&history).to_string(),
        "bdcc86fa294237f869226095e26769922719ecccf5d159101b95f447dca5c9e8"
    );
    assert_eq!(
        sha256(&results).to_string(),
        "2e5e9cc3b58dd7a6dda803c2e89e9b7a05b361da5d0bf3dff3792c276044add7"
    );
    let mut spec = spec(vec![
        input("one-history", Format::Inspector, &history),
        input("disclosed-results", Format::Results, &results),
    ]);
    spec.treatments.push(TreatmentRule {
        input_id: id("one-history"),
        locator: None,
        treatment: Treatment::Reference,
    });
    let built = built(&spec);
    let assessment = String::from_utf8(members(&built.archive)[1].1.clone()).unwrap();
    let b3 = canonical(
        r#"{"id":"6b79921c1021c5ba3e32b5cb5a739c0f7374ba16e0e4f9324b00b0aa485e0985","source":{"input_id":"one-history","sha256":"bdcc86fa294237f869226095e26769922719ecccf5d159101b95f447dca5c9e8","locator":"json:/0"},"surface":"transcript_join","disposition":"examined","result":{"mode":"reference","target":{"input_id":"disclosed-results","sha256":"2e5e9cc3b58dd7a6dda803c2e89e9b7a05b361da5d0bf3dff3792c276044add7","locator":"json:/results/0"}},"withheld_digest":null}"#,
    );
    assert!(assessment.contains(&b3), "{assessment}");
    let established = built.report.established.as_ref().unwrap();
    assert_eq!(
        (
            established.counts.examined,
            established.counts.resolved_result_count
        ),
        (1, 1)
    );
    assert_eq!(
        established.resolved_results,
        [reference("disclosed-results", &results, "json:/results/0")]
    );

    let context = ContextInput::example_a1();
    for (from, to) in [
        (
            "\"locator\":\"json:/results/0\",\"sha256\":\"2e5e9cc3b58dd7a6dda803c2e89e9b7a05b361da5d0bf3dff3792c276044add7\"}}",
            "\"locator\":\"json:/results/1\",\"sha256\":\"2e5e9cc3b58dd7a6dda803c2e89e9b7a05b361da5d0bf3dff3792c276044add7\"}}",
        ),
        (
            "\"withheld_digest\":null",
            "\"withheld_digest\":\"2e5e9cc3b58dd7a6dda803c2e89e9b7a05b361da5d0bf3dff3792c276044add7\"",
        ),
    ] {
        // resolved_results stands before units, so the unit's own is replaced last.
        let assessment = String::from_utf8(members(&built.archive)[1].1.clone()).unwrap();
        assert!(assessment.contains(from));
        assert_eq!(
            verdict(&tampered(&built.archive, &[], &[(from, to)]), &context),
            "disclosure",
            "{to}"
        );
    }
}

/// The single-change negatives that §12 names.
#[test]
fn the_named_single_changes_refuse() {
    let context = ContextInput::example_a1();
    let empty = built(&spec(vec![input(
        "empty-history",
        Format::Inspector,
        b"[]\n",
    )]))
    .archive;
    for (from, to, reason) in [
        ("\"complete\":true", "\"complete\":false", "cap1_rules"),
        (
            "\"cap1\":{\"integrity\"",
            "\"cap1\":{\"absence_assertions\":[{\"assertion\":\"a\",\"stratum\":\"filesystem\"}],\"integrity\"",
            "cap1_rules",
        ),
    ] {
        assert_eq!(
            verdict(&tampered(&empty, &[], &[(from, to)]), &context),
            reason
        );
    }
    // B2 with another retained method, its source reference kept.
    let (history, results) = (
        b1(),
        String::from_utf8(b2())
            .unwrap()
            .replace("tools/call", "tools/list"),
    );
    let mut changed = spec(vec![
        input("one-history", Format::Inspector, &history),
        input("disclosed-results", Format::Results, results.as_bytes()),
    ]);
    changed.treatments.push(TreatmentRule {
        input_id: id("one-history"),
        locator: None,
        treatment: Treatment::Reference,
    });
    assert_eq!(
        build(&changed, &context).unwrap_err().reason,
        Reason::Disclosure
    );
}

/// E: the rows of selected bindings, through actual signatures.
#[test]
fn attestation_projections_of_example_e() {
    let key = signing_key();
    let pem = pem(&key);
    let archive = bundle(
        "run-1",
        &[Event(
            "assay.fs.access",
            Some("file-1"),
            r#"{"hits":1,"file":"/tmp/x"}"#,
        )],
    );
    let window = ("2026-09-08T00:00:00Z", "2026-09-08T00:00:00Z");
    let good = statement(&archive, "run-1", 1, window, None);
    let extent =
        r#"{"retained_events_by_type":{"assay.fs.access":1},"observed":{"basis":"not_stated"}}"#;
    let stated = statement(&archive, "run-1", 1, window, Some(extent));
    let mut context = ContextInput::example_a1();
    context.keys = vec![sha256(&pem)];

    let package = |envelope: &[u8], context: &ContextInput| {
        let spec = spec(vec![
            input("bundle", Format::Bundle, &archive),
            input("key", Format::PublicKey, &pem),
            bound(
                input("selected-attestation", Format::DsseAttestation, envelope),
                "bundle",
                "key",
                None,
            ),
        ]);
        build(&spec, context)
    };
    for (envelope, extent) in [
        (envelope(&key, &good), None),
        (envelope(&key, &stated), Some(canonical(extent))),
    ] {
        let report = package(&envelope, &context).unwrap().report;
        let [row] = report.attestations.as_slice() else {
            panic!("one row")
        };
        assert_eq!(row.status.token(), "verified");
        assert_eq!(
            (row.artifact_sha256, row.extent.clone()),
            (Some(sha256(&archive)), extent)
        );
    }
    let other = ed25519_dalek::SigningKey::from_bytes(&[8; 32]);
    let conservative = AttestationCheck::failed(id("selected-attestation"), sha256(&pem));
    for (case, envelope, reason) in [
        (
            "signature",
            envelope(&other, &good),
            Reason::AttestationVerification,
        ),
        (
            "subject",
            envelope(
                &key,
                &good.replace("\"digest\":{\"sha256\":\"", "\"digest\":{\"sha256\":\"0"),
            ),
            Reason::AttestationVerification,
        ),
        (
            "extent",
            envelope(&key, &stated.replace("access\":1", "access\":2")),
            Reason::AttestationVerification,
        ),
        ("envelope", b"{}".to_vec(), Reason::InputShape),
    ] {
        let refused = package(&envelope, &context).unwrap_err();
        assert_eq!(refused.reason, reason, "{case}");
        // The row is in the report over the same archive.
        let report = refused.report.unwrap();
        assert_eq!(
            report.attestations,
            std::slice::from_ref(&conservative),
            "{case}"
        );
        assert!(report.established.is_none());
    }
    let unselected = package(&envelope(&key, &good), &ContextInput::example_a1()).unwrap_err();
    assert_eq!(unselected.reason, Reason::TrustInput);
    assert_eq!(unselected.report.unwrap().attestations, [conservative]);
}
