//! Policies to grade worlds by: the shipped document with some of its parts
//! replaced, each read by the loader.

use attest_grading::policy::{DEFAULT_POLICY, Policy, load_policy};

use crate::random::Random;

const DEFAULT_RULES: &[&str] = &[
    r#"{"id":"unasked","when":{"unaskedLikely":true},"then":"UNASKED"}"#,
    r#"{"id":"over_scope_observed","when":{"observedScopeExceedsDeclared":true},"then":"OVER_SCOPE"}"#,
    r#"{"id":"over_scope","when":{"typeNotInGrant":true},"then":"OVER_SCOPE"}"#,
    r#"{"id":"over_allowlist","when":{"counterpartyNotAllowed":true},"then":"OVER_SCOPE"}"#,
    r#"{"id":"over_ceiling","when":{"amountAboveCeiling":true},"then":"OVER_SCOPE"}"#,
    r#"{"id":"over_ceiling_cumulative","when":{"cumulativeAboveCeiling":true},"then":"OVER_SCOPE"}"#,
    r#"{"id":"no_target","when":{"targetMissing":true},"then":"UNVERIFIABLE"}"#,
    r#"{"id":"underspecified","when":{"underspecified":true},"then":"UNVERIFIABLE"}"#,
    r#"{"id":"no_coverage","when":{"coverage":"none"},"then":"UNVERIFIABLE"}"#,
    r#"{"id":"verified","when":{"bestScoreGte":"verified"},"then":"VERIFIED"}"#,
    r#"{"id":"partial","when":{"bestScoreGte":"partial"},"then":"PARTIAL"}"#,
    r#"{"id":"pending","when":{"graceElapsed":false},"then":"PENDING"}"#,
    r#"{"id":"partial_coverage","when":{"coverage":"partial","bestScoreLt":"partial"},"then":"UNVERIFIABLE"}"#,
    r#"{"id":"not_found","when":{"graceElapsed":true,"coverage":"full","bestScoreLt":"partial"},"then":"NOT_FOUND"}"#,
];

/// Rules no shipped policy has: conditions asked for the other way, several in
/// one rule, outcomes under other conditions.
const OTHER_RULES: &[&str] = &[
    r#"{"id":"any","when":{},"then":"UNVERIFIABLE"}"#,
    r#"{"id":"type_early","when":{"typeNotInGrant":true,"graceElapsed":false},"then":"OVER_SCOPE"}"#,
    r#"{"id":"type_vague","when":{"underspecified":true,"targetMissing":true,"typeNotInGrant":true,"coverage":"none"},"then":"UNVERIFIABLE"}"#,
    r#"{"id":"allowed_unseen","when":{"counterpartyNotAllowed":false,"coverage":"none"},"then":"UNVERIFIABLE"}"#,
    r#"{"id":"within_ceiling","when":{"amountAboveCeiling":false,"bestScoreLt":"verified"},"then":"UNVERIFIABLE"}"#,
    r#"{"id":"within_all","when":{"cumulativeAboveCeiling":false,"coverage":"partial"},"then":"UNVERIFIABLE"}"#,
    r#"{"id":"both_ceilings","when":{"amountAboveCeiling":true,"cumulativeAboveCeiling":true},"then":"OVER_SCOPE"}"#,
    r#"{"id":"ceiling_partial","when":{"amountAboveCeiling":true,"coverage":"partial"},"then":"OVER_SCOPE"}"#,
    r#"{"id":"allowlist_type","when":{"counterpartyNotAllowed":true,"typeNotInGrant":true},"then":"OVER_SCOPE"}"#,
    r#"{"id":"verified_early","when":{"bestScoreGte":"verified","graceElapsed":false},"then":"PARTIAL"}"#,
    r#"{"id":"verified_full","when":{"bestScoreGte":"verified","coverage":"full"},"then":"VERIFIED"}"#,
    r#"{"id":"verified_seen_some","when":{"bestScoreGte":"verified","coverage":"partial"},"then":"VERIFIED"}"#,
    r#"{"id":"not_likely","when":{"unaskedLikely":false},"then":"UNVERIFIABLE"}"#,
    r#"{"id":"declared","when":{"observedScopeExceedsDeclared":false},"then":"UNVERIFIABLE"}"#,
    r#"{"id":"likely_unverifiable","when":{"unaskedLikely":true},"then":"UNVERIFIABLE"}"#,
    r#"{"id":"waiting","when":{"graceElapsed":false,"coverage":"partial"},"then":"UNVERIFIABLE"}"#,
    r#"{"id":"waiting_low","when":{"graceElapsed":false,"bestScoreLt":"partial"},"then":"UNVERIFIABLE"}"#,
    r#"{"id":"specific","when":{"targetMissing":false,"underspecified":false,"coverage":"none"},"then":"UNVERIFIABLE"}"#,
    r#"{"id":"not_found_allowed","when":{"graceElapsed":true,"coverage":"full","bestScoreLt":"partial","typeNotInGrant":false},"then":"NOT_FOUND"}"#,
    r#"{"id":"pending","when":{"coverage":"none"},"then":"PENDING"}"#,
    r#"{"id":"pending","when":{"coverage":"partial","bestScoreLt":"verified"},"then":"PENDING"}"#,
    r#"{"id":"pending","when":{},"then":"PENDING"}"#,
    r#"{"id":"scored","when":{"bestScoreLt":"verified"},"then":"UNVERIFIABLE"}"#,
    r#"{"id":"unasked_too","when":{"unaskedLikely":true,"coverage":"none"},"then":"UNASKED"}"#,
];

/// The value of one top-level member of the shipped document, as text.
fn shipped(key: &str) -> String {
    let start = DEFAULT_POLICY.find(&format!("\n  \"{key}\": ")).unwrap();
    let value = &DEFAULT_POLICY[start + key.len() + 7..];
    let end = value
        .find("\n  \"")
        .unwrap_or_else(|| value.rfind('}').unwrap());
    value[..end].trim().trim_end_matches(',').to_owned()
}

const KEYS: &[&str] = &[
    "version",
    "windows",
    "thresholds",
    "features",
    "sourcesByType",
    "featuresByType",
    "identityFeatures",
    "allowlistTypes",
    "spendTypes",
    "commonDomains",
    "receiptMerchants",
    "normalize",
    "rules",
    "unasked",
    "allowlistedFields",
];

pub fn default_policy() -> Policy {
    load_policy(DEFAULT_POLICY).unwrap()
}

/// The rules of a document in this order, the rest as given.
pub fn with_rules(policy: &Policy, rules: &[String]) -> Option<Policy> {
    let canonical = policy.canonical();
    let start = canonical.find("\"rules\":[").unwrap() + 9;
    let end = start + canonical[start..].find("],\"sourcesByType\"").unwrap();
    let text = format!(
        "{}{}{}",
        &canonical[..start],
        rules.join(","),
        &canonical[end..]
    );
    load_policy(&text).ok()
}

/// The rules of a loaded policy, each as text.
pub fn rules_of(policy: &Policy) -> Vec<String> {
    let canonical = policy.canonical();
    let start = canonical.find("\"rules\":[").unwrap() + 9;
    let end = start + canonical[start..].find("],\"sourcesByType\"").unwrap();
    let mut rules = Vec::new();
    for piece in canonical[start..end].split("},{\"id\"") {
        let mut rule = piece.to_owned();
        if !rule.starts_with('{') {
            rule.insert_str(0, "{\"id\"");
        }
        if !rule.ends_with("}}") {
            rule.push('}');
        }
        rules.push(rule);
    }
    rules
}

fn windows(random: &mut Random) -> String {
    let tolerance = *random.pick(&[1, 0]);
    format!(
        r#"{{"beforeClaimMin":{},"afterClaimMin":{},"graceMin":{},"calendarDays":{},"toleranceMin":{tolerance},"spendWindowDays":{},"finalizeUnverifiableHours":{}}}"#,
        random.pick(&[2, 2, 3, 60]),
        random.pick(&[45, 45, 30, 29, 2, 100_000_007]),
        random.pick(&[30, 30, 45, 0, 60]),
        random.pick(&[3, 3, 1, 36_523]),
        random.pick(&[30, 1, 0]),
        random.pick(&[24, 1, 0]),
    )
}

fn decimal(points: usize) -> String {
    format!("{}.{:04}", points / 10_000, points % 10_000)
}

fn weights(random: &mut Random) -> String {
    let mut next = |low: usize| {
        let light = random.percent(15);
        decimal(if light {
            low
        } else {
            random.between(low, 10_000)
        })
    };
    format!(
        r#"{{"timeProximity":{},"counterpartyExact":{},"counterpartyDomain":{},"counterpartyName":{},"subjectOverlap":{},"amountExact":{},"merchantMatch":{},"modelScore":{}}}"#,
        next(0),
        next(1),
        next(0),
        next(1),
        next(1),
        next(1),
        next(1),
        decimal(*random.pick(&[0, 1, 1500, 3333, 6999])),
    )
}

/// One list per type.
fn by_type(random: &mut Random, options: [&[&str]; 9]) -> String {
    let types = [
        "email.sent",
        "calendar.created",
        "calendar.updated",
        "calendar.deleted",
        "purchase.made",
        "subscription.changed",
        "listing.posted",
        "message.sent",
        "other",
    ];
    let members: Vec<String> = types
        .iter()
        .zip(options)
        .map(|(action, options)| format!("\"{action}\":[{}]", random.pick(options)))
        .collect();
    format!("{{{}}}", members.join(","))
}

fn sources(random: &mut Random) -> String {
    let calendar: &[&str] = &[
        r#""gcal.event""#,
        r#""gcal.event""#,
        r#""gcal.event","gmail.sent""#,
    ];
    let receipt: &[&str] = &[
        r#""gmail.receipt""#,
        r#""gmail.receipt","gmail.sent""#,
        r#""gmail.sent""#,
        r#""gmail.sent","gcal.event","gmail.receipt""#,
    ];
    by_type(
        random,
        [
            &[
                r#""gmail.sent""#,
                r#""gmail.sent","gcal.event""#,
                r#""gcal.event""#,
            ],
            calendar,
            calendar,
            calendar,
            receipt,
            receipt,
            receipt,
            &[""],
            &["", r#""gmail.sent""#],
        ],
    )
}

fn features(random: &mut Random) -> String {
    let named: &[&str] = &[
        r#""timeProximity","counterpartyExact","counterpartyDomain","counterpartyName","subjectOverlap""#,
        r#""counterpartyDomain","counterpartyName","timeProximity","subjectOverlap""#,
        r#""subjectOverlap","counterpartyExact","counterpartyName","merchantMatch","amountExact""#,
    ];
    let bought: &[&str] = &[
        r#""timeProximity","amountExact","merchantMatch","subjectOverlap""#,
        r#""amountExact","merchantMatch","counterpartyExact","timeProximity""#,
    ];
    let rest: &[&str] = &[r#""subjectOverlap","timeProximity""#];
    by_type(
        random,
        [
            named, named, named, named, bought, bought, bought, rest, rest,
        ],
    )
}

fn identity(random: &mut Random) -> String {
    let named: &[&str] = &[
        r#""counterpartyName","subjectOverlap""#,
        r#""subjectOverlap""#,
    ];
    let bought: &[&str] = &[r#""amountExact","merchantMatch""#, r#""merchantMatch""#];
    let rest: &[&str] = &[r#""subjectOverlap""#];
    by_type(
        random,
        [
            named, named, named, named, bought, bought, bought, rest, rest,
        ],
    )
}

fn unasked(random: &mut Random) -> String {
    let mut weight = || *random.pick(&["0.4", "0.3", "0.5", "0.6", "0", "1", "0.2999"]);
    let signals = format!(
        r#"{{"agentSessionActive":{},"userIdle":{},"agentSignature":{},"activityLogAdjacent":{}}}"#,
        weight(),
        weight(),
        weight(),
        weight()
    );
    format!(
        r#"{{"signals":{signals},"threshold":{},"windows":{{"sessionMin":{},"idleMin":{},"adjacentMin":{}}},"signatures":{{"muse":["Sent by MUSE"],"chatgpt":[],"dots":["deck"],"claude":["deck","q3"]}}}}"#,
        random.pick(&["0.6", "0.0001", "1", "0.3"]),
        random.pick(&[10, 2, 0]),
        random.pick(&[2, 0, 5]),
        random.pick(&[2, 10, 0]),
    )
}

/// A reordering of the default rules, or default and other rules mixed.
fn rules(random: &mut Random) -> String {
    let mut rules: Vec<&str> = DEFAULT_RULES.to_vec();
    match random.below(4) {
        0 => {
            let (a, b) = (random.below(rules.len()), random.below(rules.len()));
            rules.swap(a, b);
        }
        1 => random.shuffle(&mut rules),
        2 => {
            for _ in 0..random.between(1, 4) {
                rules.remove(random.below(rules.len()));
            }
        }
        _ => {}
    }
    if random.percent(60) {
        for _ in 0..random.between(1, 3) {
            let rule = *random.pick(OTHER_RULES);
            let id = |rule: &str| rule.split('"').nth(3).map(str::to_owned);
            rules.retain(|other| id(other) != id(rule));
            rules.insert(random.below(rules.len() + 1), rule);
        }
    }
    format!("[{}]", rules.join(","))
}

/// A policy the loader accepts; the shipped one half of the time.
pub fn policy(random: &mut Random) -> Policy {
    if random.percent(35) {
        return default_policy();
    }
    for _ in 0..20 {
        let mut members = Vec::new();
        let lists = random.percent(15);
        let all = random.percent(20);
        for key in KEYS {
            let change = |random: &mut Random, chance: u64| all || random.percent(chance);
            let value = match *key {
                "windows" if change(random, 25) => windows(random),
                "thresholds" if change(random, 15) => (*random.pick(&[
                    r#"{"verified":0.7,"partial":0.3}"#,
                    r#"{"verified":1,"partial":0.0001}"#,
                    r#"{"verified":0.5,"partial":0.25}"#,
                    r#"{"verified":0.9,"partial":0.6}"#,
                ]))
                .to_owned(),
                "features" if change(random, 25) => weights(random),
                "sourcesByType" if change(random, 25) => sources(random),
                "featuresByType" if lists => features(random),
                "identityFeatures" if lists => identity(random),
                "receiptMerchants" if change(random, 60) => {
                    r#"["acme","stripe","priya company com"]"#.to_owned()
                }
                "rules" if change(random, 40) => rules(random),
                "unasked" if change(random, 40) => unasked(random),
                "spendTypes" if change(random, 10) => {
                    r#"["purchase.made","email.sent","listing.posted"]"#.to_owned()
                }
                "allowlistTypes" if change(random, 10) => {
                    r#"["email.sent","purchase.made"]"#.to_owned()
                }
                other => shipped(other),
            };
            members.push(format!("\"{key}\":{value}"));
        }
        if let Ok(policy) = load_policy(&format!("{{{}}}", members.join(","))) {
            return policy;
        }
    }
    default_policy()
}
