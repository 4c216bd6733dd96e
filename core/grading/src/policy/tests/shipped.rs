//! What a loaded policy holds.

use attest_canon::json::Value;

use super::super::*;
use super::{patched, shipped_document};
use crate::model::time::{MS_PER_DAY, MS_PER_HOUR, MS_PER_MINUTE};
use crate::model::{Outcome, Token};

/// The figures of §12, one by one.
#[test]
fn the_shipped_policy() {
    let policy = load_policy(DEFAULT_POLICY).unwrap();
    // Computed by another program from the published document.
    assert_eq!(
        policy.hash().to_string(),
        "0376cdaca496bc938a4d9ef774b947c9495b007c13212697cba471ddceb652b1"
    );
    assert_eq!(
        attest_canon::sha256(policy.canonical().as_bytes()),
        policy.hash()
    );
    assert_eq!(
        *policy.windows(),
        Windows {
            before_claim_ms: 2 * MS_PER_MINUTE,
            after_claim_ms: 45 * MS_PER_MINUTE,
            grace_ms: 30 * MS_PER_MINUTE,
            calendar_ms: 3 * MS_PER_DAY,
            tolerance_ms: MS_PER_MINUTE,
            spend_window_ms: 30 * MS_PER_DAY,
            finalize_unverifiable_ms: 24 * MS_PER_HOUR,
        }
    );
    assert_eq!(policy.threshold(Threshold::Verified).get(), 8500);
    assert_eq!(policy.threshold(Threshold::Partial).get(), 5000);
    let weights: Vec<u32> = Feature::ALL
        .iter()
        .map(|f| policy.weight(*f).get())
        .collect();
    assert_eq!(weights, [2500, 3500, 1500, 2500, 1500, 2500, 2000, 1500]);

    use ActionType as T;
    use Feature::{
        AmountExact, CounterpartyDomain, CounterpartyExact, CounterpartyName, MerchantMatch,
        SubjectOverlap, TimeProximity,
    };
    let receipt = (
        &[Source::GmailReceipt][..],
        &[TimeProximity, AmountExact, MerchantMatch, SubjectOverlap][..],
        &[AmountExact, MerchantMatch][..],
    );
    let calendar = (
        &[Source::GcalEvent][..],
        &[
            TimeProximity,
            SubjectOverlap,
            CounterpartyExact,
            CounterpartyDomain,
            CounterpartyName,
        ][..],
        &[SubjectOverlap, CounterpartyExact, CounterpartyName][..],
    );
    let email = (
        &[Source::GmailSent][..],
        &[
            TimeProximity,
            CounterpartyExact,
            CounterpartyDomain,
            CounterpartyName,
            SubjectOverlap,
        ][..],
        &[CounterpartyExact, CounterpartyName][..],
    );
    for (action, lists, allowlist, spend) in [
        (T::EmailSent, email, true, false),
        (T::CalendarCreated, calendar, true, false),
        (T::CalendarUpdated, calendar, true, false),
        (T::CalendarDeleted, calendar, true, false),
        (T::PurchaseMade, receipt, false, true),
        (T::SubscriptionChanged, receipt, false, true),
        (T::ListingPosted, receipt, false, false),
        (T::MessageSent, (&[][..], &[][..], &[][..]), false, false),
        (T::Other, (&[][..], &[][..], &[][..]), false, false),
    ] {
        assert_eq!(
            (
                policy.sources(action),
                policy.features(action),
                policy.identity_features(action)
            ),
            lists,
            "{action}"
        );
        assert_eq!(policy.is_allowlist_type(action), allowlist, "{action}");
        assert_eq!(policy.is_spend_type(action), spend, "{action}");
    }

    assert!(policy.is_common_domain("protonmail.com") && !policy.is_common_domain("acme.example"));
    assert!(!policy.has_parser("acme"));
    let unasked = policy.unasked();
    let signals: Vec<u32> = UnaskedSignal::ALL
        .iter()
        .map(|s| unasked.weight(*s).get())
        .collect();
    assert_eq!(signals, [4000, 3000, 5000, 4000]);
    assert_eq!(unasked.threshold.get(), 6000);
    assert_eq!(
        (unasked.session_ms, unasked.idle_ms, unasked.adjacent_ms),
        (10 * MS_PER_MINUTE, 2 * MS_PER_MINUTE, 2 * MS_PER_MINUTE)
    );
    assert!(
        AgentId::ALL
            .iter()
            .all(|agent| unasked.signatures(*agent).is_empty())
    );

    use Field::*;
    for (source, refused) in [
        (Source::GmailSent, &[Merchant, AmountCents, Currency][..]),
        (Source::GmailReceipt, &[Counterparty][..]),
        (Source::GcalEvent, &[Merchant, AmountCents, Currency][..]),
    ] {
        for field in Field::ALL {
            assert_eq!(
                policy.allows_field(source, *field),
                !refused.contains(field),
                "{source} {field:?}"
            );
        }
    }
}

/// The order and the conditions of §6.2.
#[test]
fn the_shipped_rules() {
    use Condition::*;
    let policy = load_policy(DEFAULT_POLICY).unwrap();
    let rules = [
        ("unasked", vec![UnaskedLikely(true)], Outcome::Unasked),
        (
            "over_scope_observed",
            vec![ObservedScopeExceedsDeclared(true)],
            Outcome::OverScope,
        ),
        ("over_scope", vec![TypeNotInGrant(true)], Outcome::OverScope),
        (
            "over_allowlist",
            vec![CounterpartyNotAllowed(true)],
            Outcome::OverScope,
        ),
        (
            "over_ceiling",
            vec![AmountAboveCeiling(true)],
            Outcome::OverScope,
        ),
        (
            "over_ceiling_cumulative",
            vec![CumulativeAboveCeiling(true)],
            Outcome::OverScope,
        ),
        (
            "no_target",
            vec![TargetMissing(true)],
            Outcome::Unverifiable,
        ),
        (
            "underspecified",
            vec![Underspecified(true)],
            Outcome::Unverifiable,
        ),
        (
            "no_coverage",
            vec![Coverage(Level::None)],
            Outcome::Unverifiable,
        ),
        (
            "verified",
            vec![BestScoreGte(Threshold::Verified)],
            Outcome::Verified,
        ),
        (
            "partial",
            vec![BestScoreGte(Threshold::Partial)],
            Outcome::Partial,
        ),
        ("pending", vec![GraceElapsed(false)], Outcome::Pending),
        (
            "partial_coverage",
            vec![Coverage(Level::Partial), BestScoreLt(Threshold::Partial)],
            Outcome::Unverifiable,
        ),
        (
            "not_found",
            // In §6.1's order, not the document's.
            vec![
                Coverage(Level::Full),
                BestScoreLt(Threshold::Partial),
                GraceElapsed(true),
            ],
            Outcome::NotFound,
        ),
    ]
    .map(|(id, when, then)| Rule {
        id: Token::parse(id).unwrap(),
        when,
        then,
    });
    assert_eq!(policy.rules(), rules);
}

/// Readings 36: domains and signatures compare in ASCII lower case, merchants
/// as written; a stop word by its own name (supplement F).
#[test]
fn texts_are_kept_as_they_are_compared() {
    let policy = patched(
        r#"{
            "commonDomains": ["COMPANY.com", "BÜCHER.example"],
            "receiptMerchants": ["acme inc", "Globex"],
            "normalize": {"stopWords": ["cafÉ"]},
            "unasked": {"signatures": {"muse": ["Q3 d", "É"]}}
        }"#,
    )
    .unwrap();
    assert!(policy.is_common_domain("company.com") && policy.is_common_domain("bÜcher.example"));
    assert!(!policy.is_common_domain("gmail.com"));
    assert!(policy.has_parser("acme inc") && policy.has_parser("Globex"));
    assert!(!policy.has_parser("globex"));
    let tokens = crate::text::subject_tokens("The Cafe menu", policy.stop_words());
    assert!(tokens.iter().eq(["menu", "the"]));
    let signatures: Vec<&str> = policy
        .unasked()
        .signatures(AgentId::Muse)
        .iter()
        .map(AsRef::as_ref)
        .collect();
    assert_eq!(signatures, ["q3 d", "É"]);
}

/// Supplement C: the hash is of the document after its patch, however its
/// numbers are written and its members ordered.
#[test]
fn the_hash_is_of_the_canonical_document() {
    let hash = |patch: &str| patched(patch).unwrap().hash();
    let same = hash("{}");
    assert_eq!(
        hash(r#"{"thresholds": {"partial": 5.0e-1}, "version": 2.0}"#),
        same
    );
    let Value::Object(mut members) = shipped_document() else {
        panic!("an object")
    };
    members.reverse();
    assert_eq!(
        load_policy_value(&Value::Object(members)).unwrap().hash(),
        same
    );
    // Computed by another program.
    assert_eq!(
        hash(r#"{"receiptMerchants": ["acme"]}"#).to_string(),
        "cac7ffe17c0856b997db0ebbab01385b7749f5b5983b6617420c8488aecdceed"
    );
}

/// A ledger keeps its policies canonical: with other member order, the same
/// policy.
#[test]
fn the_canonical_text_loads_as_the_same_policy() {
    let shipped = load_policy(DEFAULT_POLICY).unwrap();
    assert_eq!(load_policy(shipped.canonical()).unwrap(), shipped);
}
