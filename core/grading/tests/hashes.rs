//! Ids and hashes against canonical JSON written out by hand (§3, §10,
//! supplement C and I).
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at the first thing it cannot read"
)]

use attest_canon::{Id, sha256, sha256_hex};
use attest_grading::decide::{Batch, Trace};
use attest_grading::scenario::Scenario;
use attest_grading::scenario::build::World;

const VIEW: &str = r#"{"lastSyncAt":"2026-10-06T14:50:00-04:00","observerId":"gmail.sent","source":"gmail.sent","windowEnd":"2026-10-06T14:50:00-04:00","windowStart":"2026-10-06T14:00:00-04:00"}"#;
const EARLIER: &str = r#"{"lastSyncAt":"2026-10-06T14:10:00-04:00","observerId":"gmail.sent","source":"gmail.sent","windowEnd":"2026-10-06T14:10:00-04:00","windowStart":"2026-10-06T13:00:00-04:00"}"#;
const EMPTY: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

fn world(observations: &str, coverage: &[&str], repairs: &str) -> World {
    let coverage = coverage.join(",");
    let text = format!(
        r#"{{"name":"hashes","covers":["contract:§10"],"mode":"batch","input":{{
        "evaluatedAt":"2026-10-06T15:00:00-04:00",
        "claims":[{{"ref":"c1","agent":"muse","type":"email.sent","counterparty":"priya@company.com",
          "subjectHint":"Q3 deck","claimedAt":"2026-10-06T14:02:00-04:00"}}],
        "observations":[{observations}],
        "grants":[{{"agent":"muse","allowedTypes":["other","email.sent","other"],
          "declaredScopes":["b","a","b"],"updatedAt":"2026-09-06T15:00:00-04:00"}}],
        "coverage":[{coverage}]{repairs}}},"expect":[]}}"#
    );
    World::build(&Scenario::read(&text).unwrap()).unwrap()
}

fn trace(world: &World) -> Trace {
    let batch = Batch::new(world.batch_input(&world.policy, &world.coverage)).unwrap();
    let id = world.id_of("c1").unwrap();
    batch.trace_claim(id).unwrap().unwrap()
}

const ROW: &str = r#"{"ref":"o1","source":"gmail.sent","type":"email.sent","counterparty":"priya@company.com","subjectHint":"Q3 deck","occurredAt":"2026-10-06T14:02:00-04:00","observedAt":"2026-10-06T14:05:00-04:00"}"#;

#[test]
fn an_observation_is_its_content() {
    let world = world(ROW, &[VIEW], "");
    let row = &world.observations[0];
    let content = r#"{"counterparty":"priya@company.com","occurredAt":"2026-10-06T14:02:00-04:00","source":"gmail.sent","subjectHint":"Q3 deck","type":"email.sent"}"#;
    assert_eq!(row.content_hash.to_string(), sha256_hex(content));
    assert_eq!(row.id, Id::from_digest(&sha256(content.as_bytes())));
}

#[test]
fn candidates_are_bound_by_the_hash_of_their_references() {
    let world = world(ROW, &[VIEW], "");
    let row = &world.observations[0];
    let reference = format!(
        r#"{{"contentHash":"{}","id":"{}","observedAt":"2026-10-06T14:05:00-04:00"}}"#,
        row.content_hash, row.id
    );
    let digest = sha256(reference.as_bytes());
    let trace = trace(&world);
    assert_eq!(trace.hashes.candidates, sha256(digest.as_bytes()));
    // The empty list hashes the empty byte string.
    let none = self::trace(&self::world("", &[VIEW], ""));
    assert_eq!(none.hashes.candidates.to_string(), EMPTY);
}

/// Whatever their order and however often each stands there.
#[test]
fn lists_that_are_sets_are_hashed_as_sets() {
    let expected =
        format!(r#"{{"evaluatedAt":"2026-10-06T15:00:00-04:00","observers":[{EARLIER},{VIEW}]}}"#);
    let coverage = |views: &[&str], repairs: &str| {
        let trace = trace(&world("", views, repairs));
        trace.hashes.coverage.to_string()
    };
    assert_eq!(coverage(&[EARLIER, VIEW], ""), sha256_hex(&expected));
    assert_eq!(coverage(&[VIEW, EARLIER, VIEW], ""), sha256_hex(&expected));
    // An empty list of repairs hashes as none.
    let none = r#","repairs":[]"#;
    assert_eq!(coverage(&[VIEW, EARLIER], none), sha256_hex(&expected));
    let span = r#"{"from":"2026-10-06T09:00:00-04:00","to":"2026-10-06T12:00:00-04:00"}"#;
    let with = expected.replace("]}", &format!(r#"],"repairs":[{span}]}}"#));
    let twice = format!(r#","repairs":[{span},{span}]"#);
    assert_eq!(coverage(&[VIEW, EARLIER], &twice), sha256_hex(&with));

    let grant = r#"{"agent":"muse","allowedTypes":["email.sent","other"],"counterpartyAllowlist":[],"declaredScopes":["a","b"],"observedScopes":[],"updatedAt":"2026-09-06T15:00:00-04:00"}"#;
    let trace = trace(&world("", &[VIEW], ""));
    assert_eq!(trace.hashes.grant.to_string(), sha256_hex(grant));
}

#[test]
fn a_receipt_is_named_by_its_subject_and_binds_every_input() {
    let world = world("", &[VIEW], "");
    let trace = trace(&world);
    let claim = world.claim("c1").unwrap();
    let name = format!(r#"{{"claimId":"{}","k":"claim"}}"#, claim.id);
    assert_eq!(trace.receipt.id, Id::from_digest(&sha256(name.as_bytes())));
    assert_eq!(claim.id, Id::from_digest(&claim.raw_hash));
    let text = format!(
        r#"{{"agent":"muse","claimedAt":"2026-10-06T14:02:00-04:00","claimedAtPrecision":"minute","counterparty":"priya@company.com","id":"{}","observedAt":"2026-10-06T14:02:00-04:00","rawHash":"{}","sourceKind":"activity_view","subjectHint":"Q3 deck","type":"email.sent"}}"#,
        claim.id, claim.raw_hash
    );
    let inputs = format!(
        r#"{{"candidatesHash":"{EMPTY}","claim":{text},"context":{{"priorSpendCents":0}},"coverageHash":"{}","grantHash":"{}","policyHash":"{}"}}"#,
        trace.hashes.coverage, trace.hashes.grant, trace.hashes.policy
    );
    assert_eq!(trace.receipt.inputs_hash.to_string(), sha256_hex(&inputs));
    assert_eq!(trace.hashes.policy, trace.receipt.policy_hash);
}
