//! What must be refused, each case by the name the contract's kind gives it.
//! `limits`, `memory`, `precedence` and `contract_examples` hold the rest.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "tests"
)]

mod support;

use attest_canon::sha256;
use attest_package::build::{BuildInput, BuildSpec, ClaimSpec, JoinSpec, Treatment, TreatmentRule};
use attest_package::document::{
    ClaimKind, ContextInput, Decision, Expectation, Fact, FactKind, FactReason, JoinKey,
    JoinResult, Observation, Proposition, PropositionKind, Scalar, Scope,
};
use attest_package::grammar::{Ref, Surface};
use attest_package::{Dialect, Format, PackageView, build, inspect};
use support::parts::Parts;
use support::*;

fn a1() -> ContextInput {
    ContextInput::example_a1()
}

fn parts(spec: &BuildSpec<'_>, context: &ContextInput) -> Parts {
    let built = build(spec, context).unwrap();
    let parts = Parts::of(&built.archive, context);
    assert_eq!(parts.verdict(), "verified");
    parts
}

/// A fault put into a copy of a package that verifies.
fn with(parts: &Parts, fault: impl FnOnce(&mut Parts)) -> &'static str {
    let mut parts = parts.clone();
    fault(&mut parts);
    parts.verdict()
}

fn opened(spec: &BuildSpec<'_>, context: &ContextInput) -> PackageView {
    let built = build(spec, context).unwrap();
    inspect(built.archive.as_slice(), context, Dialect::Contract).unwrap()
}

fn everything(input_id: &str, treatment: Treatment) -> TreatmentRule {
    TreatmentRule {
        input_id: id(input_id),
        locator: None,
        treatment,
    }
}

fn proxy(keys: &[&str]) -> Vec<u8> {
    let lines: Vec<String> = keys.iter().map(|key| decision(key) + "\n").collect();
    lines.concat().into_bytes()
}

/// §4: a type outside the contract refuses before anything is accounted, were
/// the accounting as wrong as it likes.
#[test]
fn unknown_format_before_accounting() {
    let archive = bundle(
        "run-1",
        &[Event("assay.fs.access", Some("f"), r#"{"hits":1}"#)],
    );
    let other = bundle("run-1", &[Event("assay.other", Some("f"), r#"{"hits":1}"#)]);
    let package = parts(
        &spec(vec![input("bundle", Format::Bundle, &archive)]),
        &a1(),
    );
    assert_eq!(
        with(&package, |parts| parts.object(&archive, &other)),
        "unknown_format"
    );
    // Never a unit that is called unsupported.
    assert_eq!(
        with(&package, |parts| {
            parts.object(&archive, &other);
            parts.assessment(
                "\"disposition\":\"examined\"",
                "\"disposition\":\"unsupported_input\"",
            );
        }),
        "unknown_format"
    );
    let unknown = "\"format\":\"runner-kernel-ndjson-v1\"";
    assert_eq!(
        with(&package, |parts| {
            parts.inventory("\"format\":\"assay-bundle-v1\"", unknown);
            parts.assessment("\"eligible\":1", "\"eligible\":2");
        }),
        "unknown_format"
    );
}

/// §4: a surface nobody supplied is unknown and has no stratum; one whose
/// source is present and empty has a stratum of none, and is unknown too.
#[test]
fn missing_source_is_not_empty() {
    let package = spec(vec![input("proxy", Format::ProxyDecision, b"")]);
    let view = opened(&package, &a1());
    let rows = &view.assessment.surfaces;
    assert!(
        rows.iter()
            .all(|row| row.observation == Observation::Unknown)
    );
    let supplied: Vec<Surface> = rows
        .iter()
        .filter(|row| !row.source_inputs.is_empty())
        .map(|row| row.name)
        .collect();
    assert_eq!(supplied, [Surface::ToolCall]);
    let cap1 = view.assessment.cap1.unwrap().into_owned();
    assert!(cap1.contains("\"eligible\":0") && cap1.contains("\"id\":\"tool_call\""));
    assert_eq!(cap1.matches("\"population\"").count(), 1);
    // A stratum for a source that is not there.
    let package = parts(&package, &a1());
    let stratum =
        &cap1[cap1.find("\"strata\":[").unwrap() + 10..cap1.find("],\"subject\"").unwrap()];
    let twice = format!(
        "{stratum},{}",
        stratum.replace("tool_call", "transcript_join")
    );
    assert_eq!(
        with(&package, |parts| parts.assessment(stratum, &twice)),
        "stale_assessment"
    );
    // Without any source there is no CAP-1 document at all, and none is made up.
    let none = spec(vec![input("policy", Format::Policy, b"p")]);
    assert_eq!(opened(&none, &a1()).assessment.cap1, None);
    assert_eq!(
        with(&parts(&none, &a1()), |parts| parts
            .assessment("\"cap1\":null", &format!("\"cap1\":{cap1}"))),
        "stale_assessment"
    );
}

/// A call, decisions without its key, and a context in which the absence of a
/// decision can be told.
struct Absence {
    notes: Vec<u8>,
    history: Vec<u8>,
    decisions: Vec<u8>,
    more: Vec<(&'static str, Format, Vec<u8>)>,
}

impl Absence {
    fn new() -> Self {
        Self {
            notes: notes(),
            history: format!("[{}]", keyed_call("entry-9", "k-9")).into_bytes(),
            decisions: proxy(&["k-1"]),
            more: Vec::new(),
        }
    }

    fn context(&self) -> ContextInput {
        adequate(
            Surface::ToolCall,
            vec![reference("notes", &self.notes, "json:/entries/0")],
        )
    }

    fn spec(&self) -> BuildSpec<'_> {
        let mut package = spec(vec![
            input("history", Format::Inspector, &self.history),
            input("notes", Format::Context, &self.notes),
            input("proxy", Format::ProxyDecision, &self.decisions),
        ]);
        for (label, format, bytes) in &self.more {
            package.inputs.push(input(label, *format, bytes));
        }
        let left = reference("history", &self.history, "json:/0");
        package.joins.push(counterpart(
            left.clone(),
            (
                "/message/params/arguments/_meta/tool_call_id",
                "/data/tool_call_id",
            ),
            "k-9",
            (JoinKey::ToolCallId, Scope::ToolCall, Surface::ToolCall),
        ));
        package.claims.push(absent(Surface::ToolCall, left));
        package
    }

    fn decided(&self) -> (JoinResult, Decision) {
        let view = opened(&self.spec(), &self.context());
        (
            view.assessment.joins[0].result,
            view.assessment.claims[0].decision,
        )
    }
}

fn counterpart(
    left: Ref,
    pointers: (&str, &str),
    expected: &str,
    (join_key, scope, surface): (JoinKey, Scope, Surface),
) -> JoinSpec {
    JoinSpec {
        id: id("join"),
        left,
        right: None,
        join_key,
        scope,
        proposition: Proposition {
            kind: PropositionKind::CounterpartPresent,
            left_pointer: pointers.0.to_owned(),
            right_pointer: pointers.1.to_owned(),
            expected: Scalar::Text(expected.to_owned()),
            surface,
        },
        evidence: Vec::new(),
        notes: Vec::new(),
    }
}

fn absent(surface: Surface, evidence: Ref) -> ClaimSpec {
    ClaimSpec {
        id: id("claim"),
        kind: ClaimKind::BoundedNegative,
        surface,
        proposition: id("join"),
        evidence_refs: vec![evidence],
    }
}

/// §7.2: nothing in a package makes an observation adequate.
#[test]
fn adequate_spoof() {
    let absence = Absence::new();
    assert_eq!(
        absence.decided(),
        (JoinResult::Contradicted, Decision::Supported)
    );
    // The same package under a context without applicability.
    let package = parts(&absence.spec(), &a1());
    let row = "\"name\":\"tool_call\",\"observation\":\"unknown\"";
    let adequate = row.replace("unknown", "adequate");
    assert_eq!(
        with(&package, |parts| parts.assessment(row, &adequate)),
        "stale_assessment"
    );
    // With the join and the claim that adequacy would allow, they fail first.
    assert_eq!(
        with(&package, |parts| {
            parts.assessment(row, &adequate);
            parts.assessment("\"result\":\"unobservable\"", "\"result\":\"contradicted\"");
            parts.assessment("\"decision\":\"blocked\"", "\"decision\":\"supported\"");
        }),
        "claim_boundary"
    );
    // A caller's flag without references, or with less than all three.
    for spoil in [
        (|context| context.applicability[0].input_refs.clear()) as fn(&mut ContextInput),
        |context| {
            context.applicability[0].window.end = context.applicability[0].window.start.clone()
        },
        |context| context.applicability[0].retention = attest_package::document::Extent3::Limited,
        |context| {
            context.applicability[0].correspondence =
                attest_package::document::Correspondence::Ambiguous;
        },
    ] {
        let mut context = absence.context();
        spoil(&mut context);
        let view = opened(&absence.spec(), &context);
        assert_ne!(
            view.assessment.surfaces[0].observation,
            Observation::Adequate
        );
        assert_eq!(view.assessment.claims[0].decision, Decision::Blocked);
    }
}

/// Of two packages with the same records one could not see: what the other
/// may say of absence it may not.
#[test]
fn blinded_twin() {
    let mut twin = Absence::new();
    assert_eq!(
        twin.decided(),
        (JoinResult::Contradicted, Decision::Supported)
    );
    let pack = r#"{"declared_scope":{"allowed_files":[],"allowed_commands":[],"allowed_mcp_tools":[],"network":"denied","authorized":true},"observed_effects":{"files_changed":[],"commands_executed":[],"network_attempts":[],"mcp_tool_calls":[],"test_observed":false},"coverage":{"files":"observed","commands":"observed","network":"observed","mcp_tools":"absent","test":"absent"},"source_class":"producer_reported","non_claims":[]}"#;
    let blind = bundle(
        "run-1",
        &[Event("assay.coding_agent.evidence_pack.v0", None, pack)],
    );
    twin.more.push(("pack", Format::Bundle, blind));
    assert_eq!(
        twin.decided(),
        (JoinResult::Unobservable, Decision::Blocked)
    );
    let package = parts(&twin.spec(), &twin.context());
    assert_eq!(
        with(&package, |parts| {
            parts.assessment("\"result\":\"unobservable\"", "\"result\":\"contradicted\"");
            parts.assessment("\"decision\":\"blocked\"", "\"decision\":\"supported\"");
        }),
        "claim_boundary"
    );
}

/// §7.3: two retained values that differ stay contradicted, whatever else is
/// retained beside them.
#[test]
fn conflict_not_erased() {
    let (notes, history) = (
        notes(),
        format!("[{}]", keyed_call("entry-1", "k-1")).into_bytes(),
    );
    let decisions = proxy(&["k-2"]);
    let context = adequate(
        Surface::ToolCall,
        vec![reference("notes", &notes, "json:/entries/0")],
    );
    let mut package = spec(vec![
        input("history", Format::Inspector, &history),
        input("notes", Format::Context, &notes),
        input("proxy", Format::ProxyDecision, &decisions),
    ]);
    let left = reference("history", &history, "json:/0");
    let mut join = counterpart(
        left,
        (
            "/message/params/arguments/_meta/tool_call_id",
            "/data/tool_call_id",
        ),
        "",
        (JoinKey::ToolCallId, Scope::ToolCall, Surface::ToolCall),
    );
    join.right = Some(reference(
        "proxy",
        &decisions,
        &line(0, 0, decisions.len() - 1),
    ));
    join.proposition.kind = PropositionKind::EqualRetainedValue;
    join.proposition.expected = Scalar::Null;
    package.joins.push(join);
    let package = parts(&package, &context);
    for other in ["confirmed", "unobservable"] {
        assert_eq!(
            with(&package, |parts| parts.assessment(
                "\"result\":\"contradicted\"",
                &format!("\"result\":\"{other}\"")
            )),
            "claim_boundary",
            "{other}"
        );
    }
}

/// §9, package readings 9: failed enforcement on the network blocks absence
/// there, even beside a context that holds everything adequate.
#[test]
fn failed_health_blocks_absence() {
    let left = bundle(
        "run-1",
        &[Event("assay.fs.access", Some("f"), r#"{"hits":1}"#)],
    );
    let net = bundle(
        "run-2",
        &[Event("assay.net.connect", Some("n"), r#"{"hits":1}"#)],
    );
    let notes = notes();
    let health = |status: &str, class: &str, attached: bool| {
        format!(
            r#"{{"schema":"assay.enforcement_health.v0","scope":"ipv4_tcp_connect","network_enforcement":"{status}","enforcement_class":"{class}","attach_confirmed":{attached},"blocked_count":0,"allowed_count":0}}"#
        )
        .into_bytes()
    };
    let context = adequate(
        Surface::Network,
        vec![reference("notes", &notes, "json:/entries/0")],
    );
    let run = |health: &[u8]| {
        let from = reference("fs", &left, "event:run-1:0");
        let mut package = spec(vec![
            input("fs", Format::Bundle, &left),
            input("health", Format::Health, health),
            input("net", Format::Bundle, &net),
            input("notes", Format::Context, &notes),
        ]);
        package.joins.push(counterpart(
            from.clone(),
            ("/assayrunid", "/assayrunid"),
            "run-1",
            (JoinKey::RunId, Scope::Run, Surface::Network),
        ));
        package.claims.push(absent(Surface::Network, from));
        let view = opened(&package, &context);
        let decided = view.assessment.claims[0].decision;
        (decided, parts(&package, &context))
    };
    assert_eq!(
        run(&health("active", "strong", true)).0,
        Decision::Supported
    );
    let (decided, package) = run(&health("failed", "basic", false));
    assert_eq!(decided, Decision::Blocked);
    assert_eq!(
        with(&package, |parts| parts.assessment(
            "\"decision\":\"blocked\"",
            "\"decision\":\"supported\""
        )),
        "claim_boundary"
    );
    // The health document itself was read: no unit of it failed.
    assert!(!package.assessment.contains("\"disposition\":\"failed\""));
}

/// §4: each supplied occurrence is its own, equal bytes or not.
#[test]
fn occurrence_accounting() {
    let decisions = proxy(&["k-1", "k-1"]);
    let package = spec(vec![
        input("one", Format::ProxyDecision, &decisions),
        input("two", Format::ProxyDecision, &decisions),
    ]);
    let built = build(&package, &a1()).unwrap();
    let counts = built.report.established.unwrap().counts;
    assert_eq!((counts.objects, counts.inputs, counts.units), (1, 2, 4));
    // One row less, the rest of the document following suit.
    let package = parts(&package, &a1());
    let start = package.assessment.find("\"units\":[").unwrap() + 9;
    let end = start
        + package.assessment[start..]
            .find("},{\"disposition\"")
            .unwrap()
        + 2;
    let row = package.assessment[start..end].to_owned();
    assert_eq!(
        with(&package, |parts| {
            parts.assessment(&row, "");
            parts.assessment("\"eligible\":4", "\"eligible\":3");
            parts.assessment("\"examined\":4", "\"examined\":3");
        }),
        "disclosure"
    );
    // One row twice.
    assert_eq!(
        with(&package, |parts| parts.assessment(&row, &row.repeat(2))),
        "input_shape"
    );
}

/// §7.2: withheld counts as withheld alone, under the digest of what is withheld.
#[test]
fn withholding_digest() {
    let decisions = proxy(&["k-1"]);
    let mut package = spec(vec![input("proxy", Format::ProxyDecision, &decisions)]);
    package
        .treatments
        .push(everything("proxy", Treatment::Withheld));
    let built = build(&package, &a1()).unwrap();
    let counts = built.report.established.as_ref().unwrap().counts;
    assert_eq!((counts.units, counts.examined, counts.withheld), (1, 0, 1));
    // SHA-256 of the canonical result, put together here by hand.
    let source = format!(
        "{{\"input_id\":\"proxy\",\"locator\":\"{}\",\"sha256\":\"{}\"}}",
        line(0, 0, decisions.len() - 1),
        sha256(&decisions)
    );
    let result = format!(
        "{{\"operation\":\"proxy-decision-ndjson\",\"source\":{source},\"value\":{}}}",
        canonical(&decision("k-1"))
    );
    let digest = format!("\"withheld_digest\":\"{}\"", sha256(result.as_bytes()));
    let package = parts(&package, &a1());
    assert_eq!(
        package.assessment.matches(&digest).count(),
        2,
        "unit and CAP-1"
    );
    let other = format!("\"withheld_digest\":\"{}\"", "0".repeat(64));
    assert_eq!(
        with(&package, |parts| {
            parts.assessment = parts.assessment.replace(&digest, &other);
        }),
        "disclosure"
    );
    // Withheld and examined at once.
    assert_eq!(
        with(&package, |parts| {
            let inline = format!("\"result\":{{\"mode\":\"inline\",\"value\":{result}}}");
            parts.assessment("\"result\":null", &inline);
        }),
        "disclosure"
    );
    // A relying party that requires disclosure.
    assert_eq!(
        with(&package, |parts| parts.context.expectations.push(
            Expectation {
                input_id: id("proxy"),
                sha256: sha256(&decisions),
                require_disclosure: true,
            }
        )),
        "expectation_mismatch"
    );
}

fn about_policy(policy: &[u8]) -> BuildSpec<'_> {
    let mut package = spec(vec![
        input("history", Format::Inspector, b"[]\n"),
        input("policy", Format::Policy, policy),
    ]);
    package.facts.set(
        FactKind::PolicyActivation,
        Fact {
            value: Some("in force".to_owned()),
            reason: FactReason::Stated,
            refs: vec![reference(
                "policy",
                policy,
                &format!("bytes:0:{}", policy.len()),
            )],
        },
    );
    package
}

#[test]
fn replaced_member_or_policy() {
    let policy = b"allow";
    let package = parts(&about_policy(policy), &a1());
    // Other bytes under the old name, as long as before.
    let archive = package.seal();
    let at = archive
        .windows(policy.len())
        .rposition(|window| window == policy)
        .unwrap();
    let mut replaced = archive.clone();
    replaced[at..at + policy.len()].copy_from_slice(b"grant");
    assert_eq!(verdict(&replaced, &a1()), "digest");
    // Another policy, declared as it is, but not the one that was referred to.
    let reference = format!(
        "\"locator\":\"bytes:0:5\",\"sha256\":\"{}\"",
        sha256(policy)
    );
    assert_eq!(
        with(&package, |parts| {
            parts.object(policy, b"grant");
            let new = reference.replace(&sha256(policy).to_string(), &sha256(b"grant").to_string());
            parts.inventory(&new, &reference);
        }),
        "policy_binding"
    );
}

/// A retained report or result that is no longer what a fresh one would be.
#[test]
fn stale_result() {
    let archive = bundle("run-1", &[Event("assay.profile.started", None, "{}")]);
    let pem = pem(&signing_key());
    let window = ("2026-09-08T00:00:00Z", "2026-09-08T00:00:00Z");
    let envelope = envelope(
        &signing_key(),
        &statement(&archive, "run-1", 1, window, None),
    );
    let retained = |artifact: &str, more: &str| {
        format!(
            r#"{{"schema":"assay.evidence.attestation.verify.v1","outcome":"attestation_verified","signature_verified":true,"subject_matched":true,"artifact_sha256":"{artifact}","predicate_type":"https://docs.getassay.dev/attestation/evidence-bundle/v1","subject_name":"{}","extent_stated":false,"extent":null{more}}}"#,
            run_root(&archive)
        )
        .into_bytes()
    };
    let mut context = a1();
    context.keys = vec![sha256(&pem)];
    let good = retained(&sha256(&archive).to_string(), "");
    let package = spec(vec![
        input("bundle", Format::Bundle, &archive),
        input("key", Format::PublicKey, &pem),
        bound(
            input("report", Format::AttestationReport, &good),
            "bundle",
            "key",
            Some("signed"),
        ),
        bound(
            input("signed", Format::DsseAttestation, &envelope),
            "bundle",
            "key",
            None,
        ),
    ]);
    let package = parts(&package, &context);
    for stale in [
        retained(&"0".repeat(64), ""),
        retained(&sha256(&archive).to_string(), ",\"note\":\"ok\""),
    ] {
        assert_eq!(
            with(&package, |parts| parts.object(&good, &stale)),
            "stale_assessment"
        );
    }
    // A stored list of resolved results is no evidence of a read.
    let policy = parts(&about_policy(b"allow"), &a1());
    let claimed = format!(
        "\"resolved_results\":[{{\"input_id\":\"policy\",\"locator\":\"bytes:0:5\",\"sha256\":\"{}\"}}]",
        sha256(b"allow")
    );
    assert_eq!(
        with(&policy, |parts| parts
            .assessment("\"resolved_results\":[]", &claimed)),
        "stale_assessment"
    );
}

#[test]
fn missing_or_surplus_member() {
    let package = parts(&about_policy(b"allow"), &a1());
    for at in 0..package.objects.len() {
        assert_eq!(
            with(&package, |parts| drop(parts.objects.remove(at))),
            "input_shape"
        );
    }
    assert_eq!(
        with(&package, |parts| parts.objects.push(b"surplus".to_vec())),
        "input_shape"
    );
}

#[test]
fn unresolved_reference() {
    let package = parts(&about_policy(b"allow"), &a1());
    let named = "\"input_id\":\"policy\",\"locator\":\"bytes:0:5\"";
    for (to, reason) in [
        (
            "\"input_id\":\"absent\",\"locator\":\"bytes:0:5\"",
            "locator",
        ),
        (
            "\"input_id\":\"history\",\"locator\":\"json:/0\"",
            "locator",
        ),
        (
            "\"input_id\":\"policy\",\"locator\":\"bytes:0:05\"",
            "policy_binding",
        ),
        (
            "\"input_id\":\"policy\",\"locator\":\"json:\"",
            "policy_binding",
        ),
    ] {
        assert_eq!(
            with(&package, |parts| parts.inventory(named, to)),
            reason,
            "{to}"
        );
    }
    // A unit's source that selects nothing, and a join's proposition.
    let decisions = proxy(&["k-1"]);
    let package = parts(
        &spec(vec![input("proxy", Format::ProxyDecision, &decisions)]),
        &a1(),
    );
    let place = format!("\"locator\":\"{}\"", line(0, 0, decisions.len() - 1));
    assert_eq!(
        with(&package, |parts| {
            parts.assessment = parts
                .assessment
                .replace(&place, "\"locator\":\"line:1:0:9\"");
        }),
        "locator"
    );
}

/// The CAP-1 schema, then R0–R8, then what claims and joins need.
#[test]
fn schema_then_rules_then_claims() {
    let absence = Absence::new();
    let package = parts(&absence.spec(), &absence.context());
    let shape =
        |parts: &mut Parts| parts.assessment("\"profile\":\"cap/1\"", "\"profile\":\"cap/9\"");
    let rules = |parts: &mut Parts| parts.assessment("\"eligible\":1", "\"eligible\":2");
    let claims = |parts: &mut Parts| {
        parts.assessment("\"decision\":\"supported\"", "\"decision\":\"degraded\"");
    };
    assert_eq!(with(&package, claims), "claim_boundary");
    assert_eq!(with(&package, rules), "cap1_rules");
    assert_eq!(with(&package, shape), "cap1_shape");
    assert_eq!(
        with(&package, |parts| {
            rules(parts);
            claims(parts);
        }),
        "cap1_rules"
    );
    assert_eq!(
        with(&package, |parts| {
            shape(parts);
            rules(parts);
            claims(parts);
        }),
        "cap1_shape"
    );
    // R8: a claim that cites a stratum without supports is the rules' already.
    assert_eq!(
        with(&package, |parts| parts.assessment(
            "\"supports\":[\"positive_presence\",\"bounded_negative\",\"exhaustive_set\"]",
            "\"supports\":[]"
        )),
        "cap1_rules"
    );
}

/// §6: the CAP-1 document is generated, each unit in it once; one that keeps
/// its schema and rules and is another is not accepted for it.
#[test]
fn exactly_once_generation() {
    let (one, two) = (proxy(&["k-1"]), proxy(&["k-2", "k-3"]));
    let mut package = spec(vec![
        input("one", Format::ProxyDecision, &one),
        input("two", Format::ProxyDecision, &two),
    ]);
    package
        .treatments
        .push(everything("two", Treatment::Withheld));
    let view = opened(&package, &a1());
    let cap1 = view.assessment.cap1.clone().unwrap().into_owned();
    for unit in &view.assessment.units {
        let listed = cap1.matches(&unit.id.to_string()).count();
        let withheld = usize::from(unit.source.input_id == id("two"));
        assert_eq!(listed, withheld);
    }
    assert!(cap1.contains("\"eligible\":3,\"examined\":1,"));
    let package = parts(&package, &a1());
    for (from, to, reason) in [
        ("\"integrity\":", "\"as_of\":\"now\",\"integrity\":", None),
        ("\"examined\":1,", "\"examined\":2,", Some("cap1_rules")),
        (
            "\"cap1\":{",
            "\"cap1\":null,\"claims\":[],\"joins\":[],\"x\":{",
            Some("input_shape"),
        ),
    ] {
        let reason = reason.unwrap_or("stale_assessment");
        assert_eq!(
            with(&package, |parts| parts.assessment(from, to)),
            reason,
            "{to}"
        );
    }
    // The unexamined list in another order.
    let list =
        &cap1[cap1.find("\"unexamined\":[").unwrap() + 14..cap1.rfind("]}],\"subject\"").unwrap()];
    let (first, second) = list.split_once("},").unwrap();
    assert_eq!(
        with(&package, |parts| parts
            .assessment(list, &format!("{second},{first}}}"))),
        "stale_assessment"
    );
}

/// §2: the same selection gives the same bytes, in whatever order it is named.
#[test]
fn determinism() {
    let decisions = proxy(&["k-1", "k-2"]);
    let history = format!("[{}]", keyed_call("entry-1", "k-1")).into_bytes();
    let notes = notes();
    let inputs: Vec<BuildInput<'_>> = vec![
        input("history", Format::Inspector, &history),
        input("notes", Format::Context, &notes),
        input("proxy", Format::ProxyDecision, &decisions),
        input("twice", Format::ProxyDecision, &decisions),
    ];
    let rules = [
        everything("twice", Treatment::Withheld),
        everything("proxy", Treatment::Inline),
    ];
    let make = |order: [usize; 4], reversed: bool| {
        let mut package = spec(order.iter().map(|at| inputs[*at].clone()).collect());
        package.treatments = rules.to_vec();
        if reversed {
            package.treatments.reverse();
        }
        built(&package)
    };
    let first = make([0, 1, 2, 3], false);
    for (order, reversed) in [
        ([3, 2, 1, 0], true),
        ([1, 3, 0, 2], false),
        ([0, 1, 2, 3], false),
    ] {
        assert_eq!(make(order, reversed), first, "{order:?}");
    }
    let again = Parts::of(&first.archive, &a1());
    assert_eq!(
        again.seal(),
        first.archive,
        "the archive is its parts alone"
    );
}
