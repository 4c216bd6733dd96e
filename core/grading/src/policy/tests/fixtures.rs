//! Policies that are refused, with their lines, and their legal neighbours.

use attest_canon::json::Value;

use super::super::{DEFAULT_POLICY, Refusal, load_policy};
use super::{lines, parsed, patched};

/// A patched policy and the lines it is refused with, in order.
type Fixture = (&'static str, &'static [&'static str]);

const REFUSED: &[Fixture] = &[
    // Shape (readings 47). Every place of the document is swept below.
    (r#"{"windows": null}"#, &["windows: missing"]),
    (
        r#"{"unasked": {"signatures": {"dots": null}}}"#,
        &["unasked.signatures.dots: missing"],
    ),
    (
        r#"{"sourcesByType": {"other": null}}"#,
        &[r#"sourcesByType.other: missing"#],
    ),
    (
        r#"{"sourcesByType": {"fax.sent": []}}"#,
        &[r#"sourcesByType["fax.sent"]: unknown member"#],
    ),
    (
        r#"{"unasked": {"signatures": {"gpt": []}}}"#,
        &["unasked.signatures.gpt: unknown member"],
    ),
    (
        r#"{"features": {"score": 0.1}}"#,
        &["features.score: unknown member"],
    ),
    (
        r#"{"\u001b[2J\nversion: 2": 1}"#,
        &[r#"["\u{1b}[2J\u{a}version: 2"]: unknown member"#],
    ),
    (r#"{"windows": [2, 45]}"#, &["windows: must be an object"]),
    (r#"{"spendTypes": {}}"#, &["spendTypes: must be an array"]),
    (
        r#"{"commonDomains": "gmail.com"}"#,
        &["commonDomains: must be an array"],
    ),
    (
        r#"{"receiptMerchants": ["acme", 7]}"#,
        &["receiptMerchants[1]: must be a string"],
    ),
    (r#"{"version": 1}"#, &["version: must be 2"]),
    (r#"{"version": 3}"#, &["version: must be 2"]),
    (r#"{"version": "2"}"#, &["version: must be 2"]),
    // Weights and thresholds (§5.3).
    (
        r#"{"features": {"amountExact": 0.25005}}"#,
        &["features.amountExact: must be a multiple of 0.0001 from 0 to 1"],
    ),
    (
        r#"{"features": {"amountExact": 1.0001, "merchantMatch": -0.0001, "subjectOverlap": "0.15"}}"#,
        &[
            "features.subjectOverlap: must be a multiple of 0.0001 from 0 to 1",
            "features.amountExact: must be a multiple of 0.0001 from 0 to 1",
            "features.merchantMatch: must be a multiple of 0.0001 from 0 to 1",
        ],
    ),
    (
        r#"{"features": {"amountExact": 0.25000000000000001, "merchantMatch": 1e999999999999}}"#,
        &[
            "features.amountExact: must be a multiple of 0.0001 from 0 to 1",
            "features.merchantMatch: must be a multiple of 0.0001 from 0 to 1",
        ],
    ),
    (
        r#"{"thresholds": {"partial": 0.50005}}"#,
        &["thresholds.partial: must be a multiple of 0.0001 from 0 to 1"],
    ),
    (
        r#"{"thresholds": {"verified": 1.0001}}"#,
        &["thresholds.verified: must be a multiple of 0.0001 from 0 to 1"],
    ),
    (
        r#"{"unasked": {"signals": {"userIdle": 0.00001}, "threshold": 1.1}}"#,
        &[
            "unasked.signals.userIdle: must be a multiple of 0.0001 from 0 to 1",
            "unasked.threshold: must be a multiple of 0.0001 from 0 to 1",
        ],
    ),
    (
        r#"{"thresholds": {"partial": 0}}"#,
        &["thresholds.partial: must be > 0"],
    ),
    (
        r#"{"unasked": {"threshold": 0}}"#,
        &["unasked.threshold: must be > 0"],
    ),
    (
        r#"{"unasked": {"threshold": -0.0}}"#,
        &["unasked.threshold: must be > 0"],
    ),
    (
        r#"{"thresholds": {"partial": 0.85}}"#,
        &["thresholds.partial: must be < thresholds.verified"],
    ),
    (
        r#"{"thresholds": {"verified": 0.4999}}"#,
        &["thresholds.partial: must be < thresholds.verified"],
    ),
    (
        r#"{"thresholds": {"partial": 0, "verified": 0}}"#,
        &[
            "thresholds.partial: must be > 0",
            "thresholds.partial: must be < thresholds.verified",
        ],
    ),
    // Windows (§5.3): integers >= 0, at most 2^53 - 1 ms.
    (
        r#"{"windows": {"graceMin": -1, "spendWindowDays": 0.5, "finalizeUnverifiableHours": "24"}}"#,
        &[
            "windows.graceMin: must be an integer >= 0 that is safe in milliseconds",
            "windows.spendWindowDays: must be an integer >= 0 that is safe in milliseconds",
            "windows.finalizeUnverifiableHours: must be an integer >= 0 that is safe in milliseconds",
        ],
    ),
    (
        r#"{"windows": {"graceMin": 150119987580}}"#,
        &["windows.graceMin: must be an integer >= 0 that is safe in milliseconds"],
    ),
    (
        r#"{"windows": {"spendWindowDays": 104249992}}"#,
        &["windows.spendWindowDays: must be an integer >= 0 that is safe in milliseconds"],
    ),
    (
        r#"{"windows": {"finalizeUnverifiableHours": 2501999793}}"#,
        &[
            "windows.finalizeUnverifiableHours: must be an integer >= 0 that is safe in milliseconds",
        ],
    ),
    (
        r#"{"unasked": {"windows": {"sessionMin": 1e18, "idleMin": 9007199254740993, "adjacentMin": true}}}"#,
        &[
            "unasked.windows.sessionMin: must be an integer >= 0 that is safe in milliseconds",
            "unasked.windows.idleMin: must be an integer >= 0 that is safe in milliseconds",
            "unasked.windows.adjacentMin: must be an integer >= 0 that is safe in milliseconds",
        ],
    ),
    // The tolerance below every edge (§5.1).
    (
        r#"{"windows": {"toleranceMin": 2}}"#,
        &["windows.toleranceMin: must be shorter than windows.beforeClaimMin"],
    ),
    (
        r#"{"windows": {"beforeClaimMin": 0, "toleranceMin": 0}}"#,
        &["windows.toleranceMin: must be shorter than windows.beforeClaimMin"],
    ),
    (
        r#"{"windows": {"afterClaimMin": 1}}"#,
        &["windows.toleranceMin: must be shorter than windows.afterClaimMin"],
    ),
    (
        r#"{"windows": {"beforeClaimMin": 9000, "afterClaimMin": 9000, "toleranceMin": 4320}}"#,
        &["windows.toleranceMin: must be shorter than windows.calendarDays"],
    ),
    (
        r#"{"windows": {"toleranceMin": 4321}}"#,
        &[
            "windows.toleranceMin: must be shorter than windows.beforeClaimMin",
            "windows.toleranceMin: must be shorter than windows.afterClaimMin",
            "windows.toleranceMin: must be shorter than windows.calendarDays",
        ],
    ),
    // The cap on λ (§5.4): (0.85 - 0.5) / (1 - 0.5) = 0.7 under the shipped thresholds.
    (
        r#"{"features": {"modelScore": 0.7}}"#,
        &["features.modelScore: must be < (verified - partial) / (1 - partial) of the thresholds"],
    ),
    // 0.2 / 0.7 lies between 0.2857 and 0.2858.
    (
        r#"{"thresholds": {"verified": 0.5, "partial": 0.3}, "features": {"modelScore": 0.2858}}"#,
        &["features.modelScore: must be < (verified - partial) / (1 - partial) of the thresholds"],
    ),
    (
        r#"{"thresholds": {"verified": 1}, "features": {"modelScore": 1}}"#,
        &["features.modelScore: must be < (verified - partial) / (1 - partial) of the thresholds"],
    ),
    // The shipped λ of 0.15 under thresholds as near as they can be.
    (
        r#"{"thresholds": {"partial": 0.8499}}"#,
        &["features.modelScore: must be < (verified - partial) / (1 - partial) of the thresholds"],
    ),
    // Closed sets and repeated members.
    (
        r#"{"sourcesByType": {"email.sent": ["gmail.sent", "gmail.draft"]}}"#,
        &[r#"sourcesByType["email.sent"][1]: must be a known source"#],
    ),
    (
        r#"{"sourcesByType": {"email.sent": ["gmail.sent", "gmail.sent"]}}"#,
        &[r#"sourcesByType["email.sent"][1]: must not be listed twice"#],
    ),
    (
        r#"{"allowlistTypes": ["email.sent", "Email.sent"], "spendTypes": ["purchase"]}"#,
        &[
            "allowlistTypes[1]: must be a known action type",
            "spendTypes[0]: must be a known action type",
        ],
    ),
    (
        r#"{"commonDomains": ["a.example", "b.example", "a.example", "a.example"]}"#,
        &[
            "commonDomains[2]: must not be listed twice",
            "commonDomains[3]: must not be listed twice",
        ],
    ),
    // Features of a type (§5.3, §5.4).
    (
        r#"{"featuresByType": {"email.sent": ["timeProximity", "mood"]}}"#,
        &[r#"featuresByType["email.sent"][1]: must be a known feature"#],
    ),
    (
        r#"{"featuresByType": {"email.sent": [
            "timeProximity", "counterpartyExact", "counterpartyDomain", "counterpartyName", "subjectOverlap",
            "modelScore"
        ]}}"#,
        &[r#"featuresByType["email.sent"][5]: must not be "modelScore""#],
    ),
    (
        r#"{"featuresByType": {"email.sent": []}}"#,
        &[r#"featuresByType["email.sent"]: must list features whose weights sum to > 0"#],
    ),
    // A type without sources may list none, but not some that weigh nothing.
    (
        r#"{"features": {"counterpartyDomain": 0}, "featuresByType": {"other": ["counterpartyDomain"]}}"#,
        &["featuresByType.other: must list features whose weights sum to > 0"],
    ),
    // Identity features (§5.2, §5.3).
    (
        r#"{"identityFeatures": {"email.sent": ["counterpartyExact", "timeProximity"], "other": ["timeProximity"]}}"#,
        &[
            r#"identityFeatures["email.sent"][1]: must not be "timeProximity""#,
            r#"identityFeatures.other[0]: must not be "timeProximity""#,
        ],
    ),
    (
        r#"{"identityFeatures": {"purchase.made": ["modelScore"]}}"#,
        &[r#"identityFeatures["purchase.made"][0]: must not be "modelScore""#],
    ),
    (
        r#"{"features": {"amountExact": 0}}"#,
        &[
            r#"identityFeatures["purchase.made"][0]: must be a feature with a weight > 0"#,
            r#"identityFeatures["subscription.changed"][0]: must be a feature with a weight > 0"#,
            r#"identityFeatures["listing.posted"][0]: must be a feature with a weight > 0"#,
        ],
    ),
    (
        r#"{"identityFeatures": {"calendar.deleted": []}}"#,
        &[r#"identityFeatures["calendar.deleted"]: must not be empty when the type has sources"#],
    ),
    (
        r#"{"sourcesByType": {"message.sent": ["gmail.sent"]}}"#,
        &[
            r#"featuresByType["message.sent"]: must list features whose weights sum to > 0"#,
            r#"identityFeatures["message.sent"]: must not be empty when the type has sources"#,
        ],
    ),
    // Fields of rows (§12).
    (
        r#"{"allowlistedFields": {"gmail.sent": ["occurredAt", "id", "source", "type", "observedAt", "sightedAt"]}}"#,
        &[
            r#"allowlistedFields["gmail.sent"][1]: must be a field that a row may hold"#,
            r#"allowlistedFields["gmail.sent"][2]: must be a field that a row may hold"#,
            r#"allowlistedFields["gmail.sent"][3]: must be a field that a row may hold"#,
            r#"allowlistedFields["gmail.sent"][4]: must be a field that a row may hold"#,
            r#"allowlistedFields["gmail.sent"][5]: must be a field that a row may hold"#,
        ],
    ),
    (
        r#"{"allowlistedFields": {"gcal.event": ["subjectHint"]}}"#,
        &[r#"allowlistedFields["gcal.event"]: must list "occurredAt""#],
    ),
    (
        r#"{"unasked": {"signatures": {"claude": ["by Claude", ""]}}}"#,
        &["unasked.signatures.claude[1]: must not be empty"],
    ),
    // Rules (§5.3, §6).
    (
        r#"{"rules": [{"id": "a b", "when": {}, "then": "UNVERIFIABLE"}]}"#,
        &["rules[0].id: must be a short token"],
    ),
    (
        r#"{"rules": [
            {"id": "a", "when": {}, "then": "UNVERIFIABLE"},
            {"id": "b", "when": {}, "then": "UNVERIFIABLE"},
            {"id": "a", "when": {"targetMissing": true}, "then": "UNVERIFIABLE"}
        ]}"#,
        &["rules[2].id: must not be the id of an earlier rule"],
    ),
    (
        r#"{"rules": [{"id": "default_unverifiable", "when": {}, "then": "UNVERIFIABLE"}]}"#,
        &[r#"rules[0].id: must not be "default_unverifiable""#],
    ),
    (
        r#"{"rules": [{"id": "a", "when": {}, "then": "FINE"}]}"#,
        &[r#"rules[0].then: must be a grade or "PENDING""#],
    ),
    (
        r#"{"rules": [{"id": "a", "when": {"graceElapsed": false}, "then": "PENDING"}]}"#,
        &[r#"rules[0].then: must not be "PENDING" unless id is "pending""#],
    ),
    (
        r#"{"rules": [{"id": "a", "then": "UNVERIFIABLE", "note": ""}]}"#,
        &["rules[0].note: unknown member", "rules[0].when: missing"],
    ),
    (
        r#"{"rules": [{"id": "a", "when": {"coverage": "most", "targetMissing": "true", "bestScoreGte": 0.5,
            "bestScoreLt": "full", "weekday": true}, "then": "UNVERIFIABLE"}]}"#,
        &[
            r#"rules[0].when.coverage: must be "none", "partial" or "full""#,
            "rules[0].when.targetMissing: must be true or false",
            r#"rules[0].when.bestScoreGte: must be "verified" or "partial""#,
            r#"rules[0].when.bestScoreLt: must be "verified" or "partial""#,
            "rules[0].when.weekday: unknown member",
        ],
    ),
    (
        r#"{"rules": [
            {"id": "no_target", "when": {"targetMissing": true}, "then": "UNVERIFIABLE"},
            {"id": "underspecified", "when": {"underspecified": true}, "then": "UNVERIFIABLE"},
            {"id": "no_coverage", "when": {"coverage": "none"}, "then": "UNVERIFIABLE"},
            {"id": "verified", "when": {"bestScoreGte": "partial"}, "then": "VERIFIED"}
        ]}"#,
        &[r#"rules[3].when.bestScoreGte: must be "verified" when then is "VERIFIED""#],
    ),
    (
        r#"{"rules": [{"id": "v", "when": {"coverage": "full", "graceElapsed": true}, "then": "VERIFIED"}]}"#,
        &[r#"rules[0].when.bestScoreGte: must be "verified" when then is "VERIFIED""#],
    ),
    (
        r#"{"rules": [{"id": "p", "when": {"bestScoreLt": "verified"}, "then": "PARTIAL"}]}"#,
        &[r#"rules[0].when.bestScoreGte: must be "verified" or "partial" when then is "PARTIAL""#],
    ),
    (
        r#"{"rules": [{"id": "n", "when": {"graceElapsed": false, "coverage": "partial", "bestScoreLt": "verified"},
            "then": "NOT_FOUND"}]}"#,
        &[
            r#"rules[0].when.graceElapsed: must be true when then is "NOT_FOUND""#,
            r#"rules[0].when.coverage: must be "full" when then is "NOT_FOUND""#,
            r#"rules[0].when.bestScoreLt: must be "partial" when then is "NOT_FOUND""#,
        ],
    ),
    (
        r#"{"rules": [{"id": "u", "when": {"unaskedLikely": false}, "then": "UNASKED"}]}"#,
        &[r#"rules[0].when.unaskedLikely: must be true when then is "UNASKED""#],
    ),
    (
        r#"{"rules": [{"id": "o", "when": {"typeNotInGrant": false, "underspecified": true}, "then": "OVER_SCOPE"}]}"#,
        &[
            "rules[0].when: must set observedScopeExceedsDeclared, typeNotInGrant, counterpartyNotAllowed, \
           amountAboveCeiling or cumulativeAboveCeiling to true when then is \"OVER_SCOPE\"",
        ],
    ),
    // Whatever its place and id, a rule without conditions names no evidence.
    (
        r#"{"rules": [
            {"id": "verified", "when": {}, "then": "VERIFIED"}, {"id": "partial", "when": {}, "then": "PARTIAL"},
            {"id": "not_found", "when": {}, "then": "NOT_FOUND"}, {"id": "unasked", "when": {}, "then": "UNASKED"}
        ]}"#,
        &[
            r#"rules[0].when.bestScoreGte: must be "verified" when then is "VERIFIED""#,
            r#"rules[1].when.bestScoreGte: must be "verified" or "partial" when then is "PARTIAL""#,
            r#"rules[2].when.graceElapsed: must be true when then is "NOT_FOUND""#,
            r#"rules[2].when.coverage: must be "full" when then is "NOT_FOUND""#,
            r#"rules[2].when.bestScoreLt: must be "partial" when then is "NOT_FOUND""#,
            r#"rules[3].when.unaskedLikely: must be true when then is "UNASKED""#,
        ],
    ),
    // Faults of every part at once.
    (
        r#"{
            "version": 7,
            "windows": {"toleranceMin": 3, "graceMin": 1.5},
            "thresholds": {"partial": 0},
            "features": {"merchantMatch": 2},
            "sourcesByType": {"other": ["fax"]},
            "featuresByType": {"other": ["modelScore"]},
            "identityFeatures": {"email.sent": []},
            "spendTypes": ["other", "other"],
            "normalize": {"stopWords": null},
            "rules": [{"id": "pending", "when": {"graceElapsed": 0}, "then": "PENDING"}],
            "unasked": {"threshold": 0},
            "allowlistedFields": {"gmail.receipt": []},
            "comment": ""
        }"#,
        &[
            "comment: unknown member",
            "version: must be 2",
            "windows.graceMin: must be an integer >= 0 that is safe in milliseconds",
            "windows.toleranceMin: must be shorter than windows.beforeClaimMin",
            "thresholds.partial: must be > 0",
            "features.merchantMatch: must be a multiple of 0.0001 from 0 to 1",
            "sourcesByType.other[0]: must be a known source",
            r#"featuresByType.other[0]: must not be "modelScore""#,
            r#"identityFeatures["email.sent"]: must not be empty when the type has sources"#,
            "spendTypes[1]: must not be listed twice",
            "normalize.stopWords: missing",
            "rules[0].when.graceElapsed: must be true or false",
            "unasked.threshold: must be > 0",
            r#"allowlistedFields["gmail.receipt"]: must list "occurredAt""#,
        ],
    ),
];

/// Legal policies, most of them next to a refusal above.
const ACCEPTED: &[&str] = &[
    "{}",
    r#"{"version": 2.0}"#,
    r#"{"thresholds": {"partial": 0.0001}}"#,
    r#"{"thresholds": {"partial": 0.8499}, "features": {"modelScore": 0}}"#,
    r#"{"thresholds": {"verified": 1}}"#,
    r#"{"features": {"timeProximity": 1, "counterpartyDomain": -0}}"#,
    r#"{"features": {"timeProximity": 2.5e-1, "amountExact": 0.00010000000000000000}}"#,
    r#"{"features": {"modelScore": 0.6999}}"#,
    r#"{"thresholds": {"verified": 0.5, "partial": 0.3}, "features": {"modelScore": 0.2857}}"#,
    r#"{"thresholds": {"verified": 1}, "features": {"modelScore": 0.9999}}"#,
    r#"{"unasked": {"threshold": 0.0001}}"#,
    r#"{"unasked": {"threshold": 1, "signals": {"userIdle": 0, "agentSignature": 1}}}"#,
    r#"{"windows": {"graceMin": 150119987579, "spendWindowDays": 104249991, "finalizeUnverifiableHours": 2501999792}}"#,
    r#"{"windows": {"graceMin": 0, "spendWindowDays": 0, "finalizeUnverifiableHours": 0}}"#,
    r#"{"windows": {"beforeClaimMin": 1, "toleranceMin": 0}}"#,
    r#"{"windows": {"beforeClaimMin": 9000, "afterClaimMin": 9000, "toleranceMin": 4319}}"#,
    r#"{"unasked": {"windows": {"sessionMin": 0, "idleMin": 0, "adjacentMin": 0}}}"#,
    // A type that loses its sources may keep its lists, or lose them.
    r#"{"sourcesByType": {"email.sent": []}}"#,
    r#"{"sourcesByType": {"email.sent": []}, "featuresByType": {"email.sent": []}, "identityFeatures": {"email.sent": []}}"#,
    r#"{"sourcesByType": {"purchase.made": ["gmail.receipt", "gmail.sent"]}}"#,
    r#"{"featuresByType": {"email.sent": ["timeProximity"]}}"#,
    // Weight 0 where no identity rests on it (readings 30).
    r#"{"features": {"timeProximity": 0, "counterpartyDomain": 0}}"#,
    r#"{"allowlistTypes": [], "spendTypes": [], "commonDomains": [], "normalize": {"stopWords": []}}"#,
    // Texts as written: no fold makes two of them one.
    r#"{"commonDomains": ["gmail.com", "GMAIL.com", ""], "receiptMerchants": ["Acme, Inc.", "acme inc"]}"#,
    r#"{"normalize": {"stopWords": ["the", "The", "to be", "!"]}}"#,
    r#"{"unasked": {"signatures": {"muse": ["sent by muse", "Sent by Muse"], "dots": ["sent by muse"]}}}"#,
    r#"{"allowlistedFields": {"gmail.sent": ["occurredAt"]}}"#,
    r#"{"rules": []}"#,
    r#"{"rules": [{"id": "a", "when": {}, "then": "UNVERIFIABLE"}, {"id": "pending", "when": {}, "then": "PENDING"}]}"#,
    r#"{"rules": [{"id": "pending", "when": {}, "then": "UNVERIFIABLE"}]}"#,
    r#"{"rules": [{"id": "p", "when": {"bestScoreGte": "verified"}, "then": "PARTIAL"}]}"#,
    r#"{"rules": [{"id": "v", "when": {"bestScoreGte": "verified", "coverage": "none"}, "then": "VERIFIED"}]}"#,
    r#"{"rules": [{"id": "o", "when": {"typeNotInGrant": false, "amountAboveCeiling": true}, "then": "OVER_SCOPE"}]}"#,
];

#[test]
fn every_fixture_is_refused_with_its_lines() {
    for (patch, expected) in REFUSED {
        assert_eq!(lines(&patched(patch)), *expected, "{patch}");
    }
}

#[test]
fn every_legal_neighbour_is_accepted() {
    for patch in ACCEPTED {
        assert_eq!(lines(&patched(patch)), [""; 0], "{patch}");
    }
}

#[test]
fn every_refusal_has_a_fixture() {
    let met: Vec<Refusal> = REFUSED
        .iter()
        .filter_map(|(patch, _)| patched(patch).err())
        .flat_map(|error| error.problems().to_vec())
        .map(|problem| problem.problem)
        .collect();
    for refusal in Refusal::ALL {
        assert!(met.contains(refusal), "no fixture: {refusal:?}");
    }
}

#[test]
fn each_over_scope_condition_is_evidence_when_true_only() {
    let rule = |key: &str, wanted: bool| {
        let patch = format!(
            r#"{{"rules": [{{"id": "o", "when": {{"{key}": {wanted}}}, "then": "OVER_SCOPE"}}]}}"#
        );
        patched(&patch).is_ok()
    };
    for key in [
        "observedScopeExceedsDeclared",
        "typeNotInGrant",
        "counterpartyNotAllowed",
        "amountAboveCeiling",
        "cumulativeAboveCeiling",
    ] {
        assert!(rule(key, true) && !rule(key, false), "{key}");
    }
    for key in [
        "targetMissing",
        "underspecified",
        "graceElapsed",
        "unaskedLikely",
    ] {
        assert!(!rule(key, true), "{key}");
    }
}

#[test]
fn text_that_is_no_policy() {
    for (text, expected) in [
        ("", "unexpected end of the text"),
        (
            "{\"windows\": {\"graceMin\": 3",
            "windows.graceMin: unexpected end of the text",
        ),
        ("{\"rules\": [], \"rules\": []}", "rules: duplicate key"),
        (
            "{\"normalize\": {\"stopWords\": [1,]}}",
            "normalize.stopWords[1]: not valid json",
        ),
        ("null", "must be an object"),
        ("[]", "must be an object"),
        ("2", "must be an object"),
    ] {
        let outcome = load_policy(text);
        assert_eq!(lines(&outcome), [expected], "{text}");
        assert_eq!(
            outcome.unwrap_err().code(),
            ("PolicyError", "invalid_policy")
        );
    }
    let keys = parsed(DEFAULT_POLICY);
    let Value::Object(members) = &keys else {
        panic!("an object")
    };
    let missing: Vec<String> = members
        .iter()
        .map(|(key, _)| format!("{key}: missing"))
        .collect();
    assert_eq!(lines(&load_policy("{}")), missing);
}

#[test]
fn a_hostile_document_has_a_bounded_report() {
    let twice = vec!["\"other\""; 2500].join(",");
    let error = patched(&format!("{{\"spendTypes\": [{twice}]}}")).unwrap_err();
    // All but the first are repeated.
    assert_eq!((error.problems().len(), error.beyond()), (1000, 1499));
    assert!(
        error
            .to_string()
            .ends_with("\nspendTypes[1000]: must not be listed twice\nand 1499 more")
    );
}
