//! Canonical JSON written the plain way, and what §3 and supplement C and I
//! hash: members named one by one here, not by the model's own writers.

use attest_canon::jcs::{utf16_order, write_string};
use attest_canon::{Digest, Id, sha256};
use attest_grading::model::{
    AgentId, Claim, Coverage, GradeContext, Grant, Observation, ObserverCoverage, Repair,
};

pub enum Json {
    Null,
    Integer(i64),
    Boolean(bool),
    Text(String),
    List(Vec<Json>),
    /// A list hashed sorted by canonical text, each text once.
    Set(Vec<Json>),
    /// Absent members are dropped.
    Object(Vec<(&'static str, Option<Json>)>),
}

impl Json {
    pub fn canonical(&self) -> String {
        match self {
            Self::Null => "null".to_owned(),
            Self::Integer(value) => value.to_string(),
            Self::Boolean(value) => value.to_string(),
            Self::Text(text) => {
                let mut out = String::new();
                write_string(&mut out, text);
                out
            }
            Self::List(items) => list(items.iter().map(Self::canonical).collect()),
            Self::Set(items) => {
                let mut texts: Vec<String> = items.iter().map(Self::canonical).collect();
                texts.sort_by(|a, b| utf16_order(a, b));
                texts.dedup();
                list(texts)
            }
            Self::Object(members) => {
                let mut present: Vec<(&str, String)> = members
                    .iter()
                    .filter_map(|(key, value)| Some((*key, value.as_ref()?.canonical())))
                    .collect();
                present.sort();
                let texts: Vec<String> = present
                    .iter()
                    .map(|(key, value)| format!("\"{key}\":{value}"))
                    .collect();
                format!("{{{}}}", texts.join(","))
            }
        }
    }

    pub fn hash(&self) -> Digest {
        sha256(self.canonical().as_bytes())
    }
}

fn list(texts: Vec<String>) -> String {
    format!("[{}]", texts.join(","))
}

fn text(value: impl ToString) -> Option<Json> {
    Some(Json::Text(value.to_string()))
}

fn maybe<T: ToString>(value: &Option<T>) -> Option<Json> {
    value.as_ref().map(|value| Json::Text(value.to_string()))
}

fn integer(value: i64) -> Option<Json> {
    Some(Json::Integer(value))
}

fn set<T: ToString>(items: &[T]) -> Json {
    Json::Set(
        items
            .iter()
            .map(|item| Json::Text(item.to_string()))
            .collect(),
    )
}

pub fn claim(claim: &Claim) -> Json {
    let extractor = claim.extractor.as_ref().map(|extractor| {
        Json::Object(vec![
            ("id", text(&extractor.id)),
            ("version", text(&extractor.version)),
        ])
    });
    Json::Object(vec![
        ("id", text(claim.id)),
        ("requestId", maybe(&claim.request_id)),
        ("agent", text(claim.agent)),
        ("type", text(claim.action)),
        ("counterparty", maybe(&claim.counterparty)),
        (
            "amountCents",
            claim.amount.map(|cents| Json::Integer(cents.get())),
        ),
        ("currency", maybe(&claim.currency)),
        ("subjectHint", maybe(&claim.subject_hint)),
        ("claimedAt", text(claim.claimed_at)),
        ("claimedAtPrecision", text(claim.precision)),
        ("claimedAtEnd", maybe(&claim.claimed_at_end)),
        ("targetAt", maybe(&claim.target_at)),
        ("observedAt", text(claim.observed_at)),
        ("sourceKind", text(&claim.source_kind)),
        ("extractor", extractor),
        ("rawHash", text(claim.raw_hash)),
    ])
}

/// The content an observation's `contentHash` binds.
pub fn content(row: &Observation) -> Json {
    Json::Object(vec![
        ("source", text(row.source)),
        ("type", text(row.action)),
        ("occurredAt", text(row.occurred_at)),
        ("counterparty", maybe(&row.counterparty)),
        ("merchant", maybe(&row.merchant)),
        (
            "amountCents",
            row.amount.map(|cents| Json::Integer(cents.get())),
        ),
        ("currency", maybe(&row.currency)),
        ("subjectHint", maybe(&row.subject_hint)),
        ("rowKeyHash", maybe(&row.row_key_hash)),
    ])
}

fn reference(row: &Observation) -> Json {
    Json::Object(vec![
        ("id", text(row.id)),
        ("contentHash", text(row.content_hash)),
        ("observedAt", text(row.observed_at)),
        ("sightedAt", maybe(&row.sighted_at)),
    ])
}

/// The digests of the candidates' references, joined in id order, hashed.
pub fn candidates_hash(candidates: &[&Observation]) -> Digest {
    let mut sorted = candidates.to_vec();
    sorted.sort_by_key(|row| row.id.to_string());
    let mut bytes = Vec::new();
    for row in sorted {
        bytes.extend_from_slice(reference(row).hash().as_bytes());
    }
    sha256(&bytes)
}

fn observer(entry: &ObserverCoverage) -> Json {
    Json::Object(vec![
        ("observerId", text(&entry.observer_id)),
        ("source", text(entry.source)),
        ("lastSyncAt", text(entry.last_sync_at)),
        ("windowStart", text(entry.window_start)),
        ("windowEnd", text(entry.window_end)),
        ("accountHash", maybe(&entry.account_hash)),
        ("allCalendars", entry.all_calendars.map(Json::Boolean)),
        ("changesSince", maybe(&entry.changes_since)),
    ])
}

fn repair(span: &Repair) -> Json {
    Json::Object(vec![("from", text(span.from)), ("to", text(span.to))])
}

pub fn coverage(coverage: &Coverage) -> Json {
    let repairs = (!coverage.repairs.is_empty())
        .then(|| Json::Set(coverage.repairs.iter().map(repair).collect()));
    Json::Object(vec![
        ("evaluatedAt", text(coverage.evaluated_at)),
        (
            "observers",
            Some(Json::Set(coverage.observers.iter().map(observer).collect())),
        ),
        ("repairs", repairs),
    ])
}

pub fn grant(grant: &Grant) -> Json {
    let accounts = grant.accounts.as_ref().map(|accounts| {
        let members = accounts
            .iter()
            .map(|(source, list)| (source.as_str(), Some(set(list))));
        Json::Object(members.collect())
    });
    Json::Object(vec![
        ("agent", text(grant.agent)),
        ("allowedTypes", Some(set(&grant.allowed_types))),
        (
            "counterpartyAllowlist",
            Some(set(&grant.counterparty_allowlist)),
        ),
        (
            "spendCeilingCents",
            grant.spend_ceiling.map(|cents| Json::Integer(cents.get())),
        ),
        ("spendCurrency", maybe(&grant.spend_currency)),
        ("declaredScopes", Some(set(&grant.declared_scopes))),
        ("observedScopes", Some(set(&grant.observed_scopes))),
        ("accounts", accounts),
        ("updatedAt", text(grant.updated_at)),
    ])
}

pub fn context(context: &GradeContext) -> Json {
    let attribution = context.attribution.as_ref().map(|attribution| {
        let signals = attribution.signals.iter();
        Json::Object(vec![
            ("agent", text(attribution.agent)),
            (
                "signals",
                Some(Json::List(
                    signals
                        .map(|signal| Json::Text(signal.to_string()))
                        .collect(),
                )),
            ),
            ("scoreBp", integer(attribution.score.get().into())),
            (
                "adapterLastSyncAt",
                maybe(&attribution.adapter_last_sync_at),
            ),
        ])
    });
    let scope = context
        .scope
        .as_ref()
        .map(|scope| Json::Object(vec![("observed", text(scope))]));
    let scores = context.model_scores.as_ref().map(|scores| {
        let each = scores.iter().map(|score| {
            Json::Object(vec![
                ("observationId", text(score.observation_id)),
                ("scoreBp", integer(score.score.get().into())),
            ])
        });
        Json::List(each.collect())
    });
    Json::Object(vec![
        ("priorSpendCents", integer(context.prior_spend_cents)),
        ("attribution", attribution),
        ("scope", scope),
        ("modelScores", scores),
    ])
}

/// `inputsHash` (supplement I).
pub fn inputs_hash(
    the_claim: Option<&Claim>,
    candidates: &[&Observation],
    the_grant: &Grant,
    policy_hash: Digest,
    the_coverage: &Coverage,
    the_context: &GradeContext,
) -> Digest {
    Json::Object(vec![
        ("claim", Some(the_claim.map_or(Json::Null, claim))),
        ("candidatesHash", text(candidates_hash(candidates))),
        ("grantHash", text(grant(the_grant).hash())),
        ("policyHash", text(policy_hash)),
        ("coverageHash", text(coverage(the_coverage).hash())),
        ("context", Some(context(the_context))),
    ])
    .hash()
}

/// A receipt's id, by its subject (§3).
pub fn claim_receipt(claim_id: Id) -> Id {
    id(vec![("k", text("claim")), ("claimId", text(claim_id))])
}

pub fn unasked_receipt(observation_id: Id) -> Id {
    id(vec![
        ("k", text("unasked")),
        ("observationId", text(observation_id)),
    ])
}

pub fn scope_receipt(agent: AgentId, scope: &str) -> Id {
    id(vec![
        ("k", text("scope")),
        ("agent", text(agent)),
        ("scope", text(scope)),
    ])
}

fn id(members: Vec<(&'static str, Option<Json>)>) -> Id {
    Id::from_digest(&Json::Object(members).hash())
}
