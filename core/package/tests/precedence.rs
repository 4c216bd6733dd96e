//! Reason precedence (§10): a package with several faults ends with the first
//! of the listed order, whatever else is wrong with it.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "tests"
)]

mod support;

use attest_canon::sha256;
use attest_package::build::{ClaimSpec, JoinSpec};
use attest_package::document::{
    AttestationCheck, ClaimKind, ContextInput, Expectation, Fact, FactKind, FactReason, JoinKey,
    Proposition, PropositionKind, Scalar, Scope,
};
use attest_package::grammar::Surface;
use attest_package::limits::Limit;
use attest_package::{Format, build};
use support::parts::Parts;
use support::*;

/// The package the faults are put into: it verifies.
struct Base {
    health: Vec<u8>,
    proxy: Vec<u8>,
    envelopes: [Vec<u8>; 2],
    wrongly_signed: Vec<u8>,
    policy: Vec<u8>,
    coverage: Vec<u8>,
    parts: Parts,
}

impl Base {
    fn new() -> Self {
        let archive = bundle("run-1", &[Event("assay.profile.started", None, "{}")]);
        let key = pem(&signing_key());
        let window = ("2026-09-08T00:00:00Z", "2026-09-08T00:00:00Z");
        let statement = statement(&archive, "run-1", 1, window, None);
        let sign = |seed: u8, space: &str| {
            let key = ed25519_dalek::SigningKey::from_bytes(&[seed; 32]);
            let mut bytes = envelope(&key, &statement);
            bytes.extend_from_slice(space.as_bytes());
            bytes
        };
        let (health, coverage) = (
            observation_health().into_bytes(),
            coverage("filesystem", "m").into_bytes(),
        );
        let proxy = format!("{}\n", decision("k-1")).into_bytes();
        let history = format!("[{}]", keyed_call("entry-1", "k-1")).into_bytes();
        let policy = b"allow list_files\n".to_vec();
        let envelopes = [sign(7, ""), sign(7, " ")];
        let mut package = spec(vec![
            input("bundle", Format::Bundle, &archive),
            input("health", Format::Health, &health),
            input("coverage", Format::Coverage, &coverage),
            input("key", Format::PublicKey, &key),
            input("proxy", Format::ProxyDecision, &proxy),
            input("policy", Format::Policy, &policy),
            input("history", Format::Inspector, &history),
            bound(
                input("signed-a", Format::DsseAttestation, &envelopes[0]),
                "bundle",
                "key",
                None,
            ),
            bound(
                input("signed-b", Format::DsseAttestation, &envelopes[1]),
                "bundle",
                "key",
                None,
            ),
        ]);
        let stated = |refs| Fact {
            value: Some("stated".to_owned()),
            reason: FactReason::Stated,
            refs,
        };
        let whole = format!("bytes:0:{}", policy.len());
        package.facts.set(
            FactKind::PolicyActivation,
            stated(vec![reference("policy", &policy, &whole)]),
        );
        package.facts.set(
            FactKind::Clock,
            stated(vec![reference("coverage", &coverage, "json:")]),
        );
        let left = reference("history", &history, "json:/0");
        package.joins.push(JoinSpec {
            id: id("join"),
            left: left.clone(),
            right: Some(reference("proxy", &proxy, &line(0, 0, proxy.len() - 1))),
            join_key: JoinKey::ToolCallId,
            scope: Scope::ToolCall,
            proposition: Proposition {
                kind: PropositionKind::EqualRetainedValue,
                left_pointer: "/message/params/arguments/_meta/tool_call_id".to_owned(),
                right_pointer: "/data/tool_call_id".to_owned(),
                expected: Scalar::Null,
                surface: Surface::ToolCall,
            },
            evidence: Vec::new(),
            notes: Vec::new(),
        });
        package.claims.push(ClaimSpec {
            id: id("claim"),
            kind: ClaimKind::PositivePresence,
            surface: Surface::ToolCall,
            proposition: id("join"),
            evidence_refs: vec![left],
        });
        let mut context = ContextInput::example_a1();
        context.keys = vec![sha256(&key)];
        let archive = build(&package, &context).unwrap().archive;
        let parts = Parts::of(&archive, &context);
        Self {
            wrongly_signed: sign(8, ""),
            health,
            proxy,
            envelopes,
            policy,
            coverage,
            parts,
        }
    }

    fn verdict(&self, faults: &[&Fault]) -> &'static str {
        let mut parts = self.parts.clone();
        for fault in faults {
            (fault.put)(&mut parts, self);
        }
        parts.verdict()
    }
}

/// A fault that alone ends a verification with its reason.
struct Fault {
    phase: u8,
    reason: &'static str,
    put: fn(&mut Parts, &Base),
}

/// One fault for each reason of each phase, in the order of §10.
const FAULTS: [Fault; 18] = [
    Fault {
        phase: 1,
        reason: "trust_input",
        put: |parts, _| parts.context_fault = Some(("\"schema_pin\":\"4", "\"schema_pin\":\"5")),
    },
    Fault {
        phase: 2,
        reason: "input_shape",
        put: |parts, _| parts.inventory("no_automatic_trust", "no_trust"),
    },
    Fault {
        phase: 3,
        reason: "unknown_format",
        put: |parts, _| {
            parts.inventory(
                "\"format\":\"inspector-protocol-793d103\"",
                "\"format\":\"inspector\"",
            )
        },
    },
    Fault {
        phase: 3,
        reason: "unknown_schema",
        put: |parts, base| {
            let other = String::from_utf8(base.health.clone())
                .unwrap()
                .replace("health.v0", "health.v9");
            parts.object(&base.health, other.as_bytes());
        },
    },
    Fault {
        phase: 3,
        reason: "mapping",
        put: |parts, base| {
            let row = |surfaces: &str| {
                format!(
                    "\"id\":\"coverage\",\"sha256\":\"{}\",\"surfaces\":[{surfaces}]",
                    sha256(&base.coverage)
                )
            };
            parts.inventory(&row(""), &row("\"filesystem\""));
        },
    },
    Fault {
        phase: 4,
        reason: "digest",
        put: |parts, _| parts.misnamed = true,
    },
    Fault {
        phase: 4,
        reason: "policy_binding",
        put: |parts, base| {
            parts.inventory(
                &format!("\"locator\":\"bytes:0:{}\"", base.policy.len()),
                "\"locator\":\"bytes:0:1\"",
            );
        },
    },
    Fault {
        phase: 5,
        reason: "locator",
        put: |parts, _| {
            parts.inventory(
                "\"input_id\":\"coverage\",\"locator\":\"json:\"",
                "\"input_id\":\"coverage\",\"locator\":\"json:/0\"",
            );
        },
    },
    Fault {
        phase: 5,
        reason: "input_shape",
        put: |parts, base| {
            let broken = [base.proxy.as_slice(), b"!"].concat();
            parts.object(&base.proxy, &broken);
        },
    },
    Fault {
        phase: 6,
        reason: "trust_input",
        put: |parts, _| parts.context.keys = Vec::new(),
    },
    Fault {
        phase: 6,
        reason: "input_shape",
        put: |parts, base| parts.object(&base.envelopes[1], b"{}"),
    },
    Fault {
        phase: 6,
        reason: "attestation_verification",
        put: |parts, base| parts.object(&base.envelopes[0], &base.wrongly_signed),
    },
    Fault {
        phase: 7,
        reason: "disclosure",
        put: |parts, _| parts.assessment("\"tool\":\"list_files\"", "\"tool\":\"list_other\""),
    },
    Fault {
        phase: 8,
        reason: "cap1_shape",
        put: |parts, _| parts.assessment("\"profile\":\"cap/1\"", "\"profile\":\"cap/2\""),
    },
    Fault {
        phase: 8,
        reason: "cap1_rules",
        put: |parts, _| parts.assessment("\"complete\":true", "\"complete\":false"),
    },
    Fault {
        phase: 9,
        reason: "claim_boundary",
        put: |parts, _| parts.assessment("\"decision\":\"blocked\"", "\"decision\":\"supported\""),
    },
    Fault {
        phase: 10,
        reason: "expectation_mismatch",
        put: |parts, _| {
            parts.context.expectations.push(Expectation {
                input_id: id("absent"),
                sha256: sha256(b""),
                require_disclosure: false,
            });
        },
    },
    Fault {
        phase: 11,
        reason: "stale_assessment",
        put: |parts, _| {
            parts.assessment("\"observation\":\"unknown\"", "\"observation\":\"limited\"")
        },
    },
];

#[test]
fn reason_precedence_with_several_faults_at_once() {
    let base = Base::new();
    assert_eq!(base.verdict(&[]), "verified");
    let mut wrong = Vec::new();
    let mut expect = |faults: &[&Fault], reason: &str| {
        let got = base.verdict(faults);
        if got != reason {
            let names: Vec<String> = faults
                .iter()
                .map(|fault| format!("{} {}", fault.phase, fault.reason))
                .collect();
            wrong.push(format!("{}: {got}, expected {reason}", names.join(" + ")));
        }
    };
    for (at, first) in FAULTS.iter().enumerate() {
        expect(&[first], first.reason);
        for later in &FAULTS[at + 1..] {
            expect(&[first, later], first.reason);
        }
        let all: Vec<&Fault> = FAULTS[at..].iter().collect();
        expect(&all, first.reason);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(FAULTS.is_sorted_by_key(|fault| fault.phase));
}

/// A guard interrupts the phase whose charge it is: before that phase's own
/// faults, after those of earlier phases (§10).
#[test]
fn a_resource_guard_stands_where_its_charge_is_made() {
    let base = Base::new();
    let with = |limit: Limit, faults: &[usize]| {
        let mut parts = base.parts.clone();
        for fault in faults {
            (FAULTS[*fault].put)(&mut parts, &base);
        }
        assert!(parts.context.limits.select(limit, 1));
        parts.verdict()
    };
    for (limit, phase) in [
        (Limit::Members, 2),
        (Limit::Inputs, 2),
        (Limit::HealthBytes, 3),
        (Limit::InnerCompressedBytes, 3),
        (Limit::TranscriptBytes, 5),
        (Limit::EnvelopeBytes, 5),
        (Limit::FreshResultBytes, 12),
    ] {
        for (at, fault) in FAULTS.iter().enumerate() {
            // Phase 3 asks every token before it reads any object.
            let token = fault.reason == "unknown_format";
            let expected = if fault.phase < phase || (fault.phase == phase && token) {
                fault.reason
            } else {
                "resource_selected"
            };
            assert_eq!(
                with(limit, &[at]),
                expected,
                "{} and {} {}",
                limit.key(),
                fault.phase,
                fault.reason
            );
        }
    }
}

/// Within a phase the listed order comes before the inputs' (§10).
#[test]
fn a_malformed_source_does_not_hide_a_bad_locator_of_another() {
    let proxy = format!("{}\n", decision("k-1")).into_bytes();
    let broken = b"!\n";
    let policy = b"policy";
    let document = |locator: &str| {
        format!(
            r#"{{"schema":"assay.incident.context.v1","entries":[{{"kind":"clock","value":"v","source_refs":[{{"input_id":"policy","sha256":"{}","locator":"{locator}"}}]}}]}}"#,
            sha256(policy)
        )
        .into_bytes()
    };
    let (good, missing) = (document("bytes:0:6"), document("json:"));
    // A proxy line and a context document, one before and one after the other.
    for (first, second) in [("a-proxy", "z-context"), ("z-proxy", "a-context")] {
        let package = spec(vec![
            input(first, Format::ProxyDecision, &proxy),
            input(second, Format::Context, &good),
            input("policy", Format::Policy, policy),
        ]);
        let context = ContextInput::example_a1();
        let archive = build(&package, &context).unwrap().archive;
        let base = Parts::of(&archive, &context);
        let verdict = |faults: &[(&[u8], &[u8])]| {
            let mut parts = base.clone();
            for (old, new) in faults {
                parts.object(old, new);
            }
            parts.verdict()
        };
        let malformed = (proxy.as_slice(), broken.as_slice());
        assert_eq!(verdict(&[malformed]), "input_shape", "{first}");
        // A locator of a policy's is phase 4's, so the entry refers to another.
        let other = String::from_utf8(missing.clone())
            .unwrap()
            .replace("\"policy\"", "\"absent\"");
        let dangling = (good.as_slice(), other.as_bytes());
        assert_eq!(verdict(&[dangling]), "locator", "{first}");
        assert_eq!(verdict(&[malformed, dangling]), "locator", "{first}");
        // A reference into the malformed source: its records are not known, but
        // the form of their locators is.
        for (locator, reason) in [("line:9:9:9", "input_shape"), ("json:/0", "locator")] {
            let into = other
                .replace("\"absent\"", &format!("\"{first}\""))
                .replace(&sha256(policy).to_string(), &sha256(broken).to_string())
                .replace(
                    "\"locator\":\"json:\"",
                    &format!("\"locator\":\"{locator}\""),
                );
            let into = (good.as_slice(), into.as_bytes());
            assert_eq!(verdict(&[malformed, into]), reason, "{first} {locator}");
        }
    }
}

/// Phase 6 asks every key's selection, then every shape, then every signature;
/// the one row is that of the attestation that fails first so.
#[test]
fn attestations_fail_in_the_listed_order() {
    let archive = bundle("run-1", &[Event("assay.profile.started", None, "{}")]);
    let keys = [7u8, 8].map(|seed| ed25519_dalek::SigningKey::from_bytes(&[seed; 32]));
    let pems = [pem(&keys[0]), pem(&keys[1])];
    let window = ("2026-09-08T00:00:00Z", "2026-09-08T00:00:00Z");
    let statement = statement(&archive, "run-1", 1, window, None);
    let (good, malformed) = (envelope(&keys[0], &statement), b"{}".to_vec());
    let mut context = ContextInput::example_a1();
    context.keys = vec![sha256(&pems[0])];
    // The first is malformed or wrongly signed, the second's key not selected.
    for first in [&malformed, &envelope(&keys[1], &statement)] {
        let package = spec(vec![
            input("bundle", Format::Bundle, &archive),
            input("key-0", Format::PublicKey, &pems[0]),
            input("key-1", Format::PublicKey, &pems[1]),
            bound(
                input("signed-a", Format::DsseAttestation, first),
                "bundle",
                "key-0",
                None,
            ),
            bound(
                input("signed-b", Format::DsseAttestation, &good),
                "bundle",
                "key-1",
                None,
            ),
        ]);
        let report = build(&package, &context).unwrap_err().report.unwrap();
        assert_eq!(report.reason.unwrap().token(), "trust_input");
        assert_eq!(
            report.attestations,
            [AttestationCheck::failed(id("signed-b"), sha256(&pems[1]))]
        );
    }
}
