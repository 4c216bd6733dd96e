//! A package that holds every format of §3, and what the text says each
//! dimension of §8 is charged for it, counted here from its bytes alone.

use attest_canon::{Digest, sha256};
use attest_package::build::{BuildSpec, ClaimSpec, JoinSpec, Treatment, TreatmentRule};
use attest_package::document::{
    ClaimKind, ContextInput, Fact, FactKind, FactReason, JoinKey, Proposition, PropositionKind,
    Scalar, Scope,
};
use attest_package::grammar::Surface;
use attest_package::limits::Limit;
use attest_package::{Format, build};
use serde_json::Value;

use crate::support::*;

/// The longest string of the package outside payloads.
const METHOD: usize = 3000;

/// The parts whose sizes are charged, and the package of them.
pub struct Whole {
    bundle: Vec<u8>,
    manifest: String,
    events: String,
    health: Vec<u8>,
    coverage: Vec<u8>,
    context: Vec<u8>,
    results: Vec<u8>,
    key: Vec<u8>,
    proxy: Vec<u8>,
    policy: Vec<u8>,
    envelope: Vec<u8>,
    report: Vec<u8>,
    history: Vec<u8>,
    pub context_input: ContextInput,
    pub archive: Vec<u8>,
    inventory: Vec<u8>,
    assessment: Vec<u8>,
    result: Vec<u8>,
}

fn size(bytes: &[u8]) -> u64 {
    bytes.len() as u64
}

fn json(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).unwrap()
}

impl Whole {
    pub fn new() -> Self {
        let events = [
            Event(
                "assay.fs.access",
                Some("f"),
                r#"{"hits":1,"file":"/tmp/x"}"#,
            ),
            Event("assay.net.connect", Some("n"), r#"{"hits":2}"#),
        ];
        let (manifest, lines) = bundle_members("run-1", &events);
        let bundle = bundle("run-1", &events);
        let key = pem(&signing_key());
        let window = ("2026-09-08T00:00:00Z", "2026-09-08T00:00:01Z");
        let envelope = envelope(
            &signing_key(),
            &statement(&bundle, "run-1", 2, window, None),
        );
        let report = canonical(&format!(
            r#"{{"schema":"assay.evidence.attestation.verify.v1","outcome":"attestation_verified","signature_verified":true,"subject_matched":true,"artifact_sha256":"{}","predicate_type":"https://docs.getassay.dev/attestation/evidence-bundle/v1","subject_name":"{}","extent_stated":false,"extent":null}}"#,
            sha256(&bundle),
            run_root(&bundle)
        ));
        let call = keyed_call("entry-1", "k-1");
        let history = format!("[{call}]\n").into_bytes();
        let source = |bytes: &[u8], id: &str, locator: &str| {
            format!(
                r#"{{"input_id":"{id}","sha256":"{}","locator":"{locator}"}}"#,
                sha256(bytes)
            )
        };
        let results = format!(
            r#"{{"schema":"assay.incident.results.v1","results":[{{"operation":"inspector-protocol-793d103","source":{},"value":{call}}}]}}"#,
            source(&history, "history", "json:/0")
        );
        let policy = b"allow list_files\n".to_vec();
        let context = format!(
            r#"{{"schema":"assay.incident.context.v1","entries":[{{"kind":"retention","value":"kept","source_refs":[{}]}},{{"kind":"clock","value":"ntp","source_refs":[]}}]}}"#,
            source(&policy, "policy", &format!("bytes:0:{}", policy.len()))
        );
        let mut whole = Self {
            manifest,
            events: lines,
            health: observation_health().into_bytes(),
            coverage: coverage("filesystem", &"m".repeat(METHOD)).into_bytes(),
            context: context.into_bytes(),
            results: results.into_bytes(),
            proxy: format!("{}\n{}\r\n", decision("k-1"), decision("k-2")).into_bytes(),
            report: report.into_bytes(),
            policy,
            history,
            envelope,
            key,
            bundle,
            context_input: ContextInput::example_a1(),
            archive: Vec::new(),
            inventory: Vec::new(),
            assessment: Vec::new(),
            result: Vec::new(),
        };
        whole.context_input = adequate(
            Surface::TranscriptJoin,
            vec![reference("context", &whole.context, "json:/entries/0")],
        );
        whole.context_input.keys = vec![sha256(&whole.key)];
        let built = build(&whole.spec(), &whole.context_input).unwrap();
        whole.result = built.report.to_bytes();
        whole.archive = built.archive;
        let members = members(&whole.archive);
        whole.inventory = members[0].1.clone();
        whole.assessment = members[1].1.clone();
        whole
    }

    /// Every format, the bundle twice.
    fn spec(&self) -> BuildSpec<'_> {
        let mut spec = spec(vec![
            input("bundle", Format::Bundle, &self.bundle),
            input("bundle-again", Format::Bundle, &self.bundle),
            input("health", Format::Health, &self.health),
            input("coverage", Format::Coverage, &self.coverage),
            input("context", Format::Context, &self.context),
            input("results", Format::Results, &self.results),
            input("key", Format::PublicKey, &self.key),
            input("proxy", Format::ProxyDecision, &self.proxy),
            input("policy", Format::Policy, &self.policy),
            input("history", Format::Inspector, &self.history),
            bound(
                input("attestation", Format::DsseAttestation, &self.envelope),
                "bundle",
                "key",
                None,
            ),
            bound(
                input("report", Format::AttestationReport, &self.report),
                "bundle",
                "key",
                Some("attestation"),
            ),
        ]);
        spec.treatments.push(TreatmentRule {
            input_id: id("history"),
            locator: None,
            treatment: Treatment::Reference,
        });
        spec.facts.set(
            FactKind::Custody,
            Fact {
                value: Some("operator".to_owned()),
                reason: FactReason::Stated,
                refs: vec![reference(
                    "policy",
                    &self.policy,
                    &format!("bytes:0:{}", self.policy.len()),
                )],
            },
        );
        let left = reference("proxy", &self.proxy, &line(0, 0, decision("k-1").len()));
        spec.joins.push(JoinSpec {
            id: id("join"),
            left: left.clone(),
            right: Some(reference("history", &self.history, "json:/0")),
            join_key: JoinKey::ToolCallId,
            scope: Scope::ToolCall,
            proposition: Proposition {
                kind: PropositionKind::EqualRetainedValue,
                left_pointer: "/data/tool_call_id".to_owned(),
                right_pointer: "/message/params/arguments/_meta/tool_call_id".to_owned(),
                expected: Scalar::Null,
                surface: Surface::TranscriptJoin,
            },
            evidence: Vec::new(),
            notes: Vec::new(),
        });
        spec.claims.push(ClaimSpec {
            id: id("claim"),
            kind: ClaimKind::PositivePresence,
            surface: Surface::TranscriptJoin,
            proposition: id("join"),
            evidence_refs: vec![left],
        });
        spec
    }

    /// The package as it would be recorded under another context: the same but
    /// for the context's digest, which is as long as any other.
    pub fn under(&self, context: &ContextInput) -> Vec<u8> {
        let text = |digest: Digest| digest.to_string();
        tampered(
            &self.archive,
            &[],
            &[(
                text(self.context_input.digest()).as_str(),
                text(context.digest()).as_str(),
            )],
        )
    }

    /// What the text of §8 charges to a dimension; `None` for the one that
    /// only a program with diagnostics charges.
    pub fn charge(&self, limit: Limit) -> Option<u64> {
        let members = members(&self.archive);
        let longest = |sizes: &[&[u8]]| sizes.iter().map(|bytes| size(bytes)).max().unwrap();
        Some(match limit {
            Limit::OuterBytes => size(&self.archive),
            Limit::Members => size_of(&members),
            Limit::OuterPathBytes => longest(
                &members
                    .iter()
                    .map(|(name, _)| name.as_bytes())
                    .collect::<Vec<_>>(),
            ),
            // Each declared occurrence, the bundle's object twice.
            Limit::ObjectBytesTotal => {
                size(&self.bundle)
                    + members[2..]
                        .iter()
                        .map(|(_, bytes)| size(bytes))
                        .sum::<u64>()
            }
            Limit::Inputs => size_of(json(&self.inventory)["inputs"].as_array().unwrap()),
            Limit::InnerCompressedBytes => size(&self.bundle),
            Limit::DecodedBytesTotal => {
                let block = |bytes: &str| 512 + (bytes.len() as u64).next_multiple_of(512);
                2 * (block(&self.manifest) + block(&self.events) + 1024)
            }
            // No archive within the bundle is opened; nothing refers to a reference.
            Limit::NestedArchiveDepth | Limit::ReferenceDepth => 1,
            Limit::InventoryBytes => size(&self.inventory),
            Limit::AssessmentBytes => size(&self.assessment),
            Limit::PolicyBytes => size(&self.policy),
            Limit::TranscriptBytes => longest(&[&self.proxy, &self.history]),
            Limit::HealthBytes => longest(&[&self.health, &self.coverage, &self.context]),
            Limit::EnvelopeBytes => size(&self.envelope),
            Limit::KeyBytes => size(&self.key),
            Limit::RetainedReportBytes => longest(&[&self.results, &self.report]),
            Limit::InnerManifestBytes => size(self.manifest.as_bytes()),
            Limit::InnerEventsBytes => size(self.events.as_bytes()),
            // Two bundles of two events, two lines, one call, two context
            // entries, one result, one health and one coverage document.
            Limit::Records => 4 + 2 + 1 + 2 + 1 + 2,
            Limit::RecordBytes => size(&self.coverage),
            Limit::InnerPathBytes => size(b"manifest.json"),
            Limit::JsonDepth => self.trees().iter().map(depth).max().unwrap(),
            Limit::JsonKeyBytes => self.trees().iter().map(longest_key).max().unwrap(),
            Limit::NonPayloadStringBytes => METHOD as u64,
            Limit::PayloadStringBytes => {
                size(json(&self.envelope)["payload"].as_str().unwrap().as_bytes())
            }
            Limit::References => self.trees().iter().map(references).sum(),
            // The report holds the context and so this very limit, here with
            // eight digits and where it is selected with four.
            Limit::FreshResultBytes => size(&self.result) - 4,
            Limit::DiagnosticBytes => return None,
        })
    }

    /// Every JSON text of the package.
    fn trees(&self) -> Vec<Value> {
        let lines = self.events.lines().map(str::to_owned);
        let proxy = String::from_utf8(self.proxy.clone()).unwrap();
        let proxy: Vec<String> = proxy.lines().map(str::to_owned).collect();
        [
            &self.inventory,
            &self.assessment,
            &self.health,
            &self.coverage,
            &self.context,
            &self.results,
            &self.envelope,
            &self.report,
            &self.history,
        ]
        .into_iter()
        .map(|bytes| json(bytes))
        .chain(
            lines
                .chain(proxy)
                .chain([self.manifest.clone()])
                .map(|line| json(line.as_bytes())),
        )
        .collect()
    }
}

fn size_of<T>(rows: &[T]) -> u64 {
    rows.len() as u64
}

/// Objects and arrays count, empty ones too; a scalar is 0 deep.
fn depth(value: &Value) -> u64 {
    match value {
        Value::Array(elements) => 1 + elements.iter().map(depth).max().unwrap_or(0),
        Value::Object(members) => 1 + members.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

fn longest_key(value: &Value) -> u64 {
    match value {
        Value::Array(elements) => elements.iter().map(longest_key).max().unwrap_or(0),
        Value::Object(members) => members
            .iter()
            .map(|(key, member)| size(key.as_bytes()).max(longest_key(member)))
            .max()
            .unwrap_or(0),
        _ => 0,
    }
}

/// Every `{input_id, sha256, locator}`, and the strings of a join contract's
/// `evidence_refs`; a claim's are of the first kind.
fn references(value: &Value) -> u64 {
    match value {
        Value::Array(elements) => elements.iter().map(references).sum(),
        Value::Object(members) => {
            let is_reference = members.len() == 3 && members.contains_key("locator");
            let texts = members
                .get("evidence_refs")
                .and_then(Value::as_array)
                .map_or(0, |refs| {
                    size_of(
                        &refs
                            .iter()
                            .filter(|text| text.is_string())
                            .collect::<Vec<_>>(),
                    )
                });
            u64::from(is_reference) + texts + members.values().map(references).sum::<u64>()
        }
        _ => 0,
    }
}
