//! The DecisionEvent that proxies log and canonical bundles carry (foreign
//! shapes §2): its members and their types, as one table.

use super::fields::{Checked, Fields, U53, as_bool, require, strings, unsigned};
use crate::json::{Fault, Json};

/// What a member of `data` must be when it is there.
enum Kind {
    /// A list of strings that refuses null.
    Strings,
    /// A string or null.
    OptString,
    /// A list of strings or null.
    OptStrings,
    /// A boolean or null.
    OptBool,
    /// A u32 or null.
    OptU32,
    /// An unsigned integer or null.
    OptU64,
    /// One of these strings, or null.
    OptOneOf(&'static [&'static str]),
    /// Anything.
    Any,
}

use Kind::{Any, OptBool, OptOneOf, OptString, OptStrings, OptU32, OptU64, Strings};

const MEMBERS: &[(&str, Kind)] = &[
    ("tool_classes", Strings),
    ("matched_tool_classes", Strings),
    ("required_consumer_fields", Strings),
    ("required_context_fields", Strings),
    ("missing_context_fields", Strings),
    ("match_basis", OptString),
    ("matched_rule", OptString),
    ("policy_version", OptString),
    ("policy_digest", OptString),
    ("policy_snapshot_digest", OptString),
    ("policy_snapshot_digest_alg", OptString),
    ("policy_snapshot_canonicalization", OptString),
    ("policy_snapshot_schema", OptString),
    ("tool_definition_digest", OptString),
    ("tool_definition_digest_alg", OptString),
    ("tool_definition_canonicalization", OptString),
    ("tool_definition_schema", OptString),
    ("tool_definition_source", OptString),
    ("approval_state", OptString),
    ("approval_id", OptString),
    ("approval_bound_tool", OptString),
    ("approval_bound_resource", OptString),
    ("approval_artifact_digest", OptString),
    ("approval_artifact_digest_alg", OptString),
    ("approval_artifact_digest_profile", OptString),
    ("approval_retained_view", OptString),
    ("approval_failure_reason", OptString),
    ("approver", OptString),
    ("issued_at", OptString),
    ("expires_at", OptString),
    ("scope", OptString),
    ("scope_type", OptString),
    ("scope_value", OptString),
    ("scope_match_mode", OptString),
    ("scope_evaluation_state", OptString),
    ("scope_failure_reason", OptString),
    ("restrict_scope_target", OptString),
    ("restrict_scope_reason", OptString),
    ("redaction_target", OptString),
    ("redaction_mode", OptString),
    ("redaction_scope", OptString),
    ("redaction_applied_state", OptString),
    ("redaction_reason", OptString),
    ("redaction_failure_reason", OptString),
    ("redact_args_target", OptString),
    ("redact_args_mode", OptString),
    ("redact_args_result", OptString),
    ("redact_args_reason", OptString),
    ("decision_basis_version", OptString),
    ("replay_diff_reason", OptString),
    ("decision_consumer_contract_version", OptString),
    ("decision_context_contract_version", OptString),
    ("deny_precedence_version", OptString),
    ("deny_convergence_reason", OptString),
    ("lane", OptString),
    ("principal", OptString),
    ("auth_context_summary", OptString),
    ("auth_scheme", OptString),
    ("auth_issuer", OptString),
    ("delegated_from", OptString),
    ("reason", OptString),
    ("mandate_id", OptString),
    ("use_id", OptString),
    ("approval_retention_non_claims", OptStrings),
    ("restrict_scope_present", OptBool),
    ("restrict_scope_match", OptBool),
    ("redact_args_present", OptBool),
    ("compat_fallback_applied", OptBool),
    ("legacy_shape_detected", OptBool),
    ("consumer_fallback_applied", OptBool),
    ("policy_deny", OptBool),
    ("fail_closed_deny", OptBool),
    ("enforcement_deny", OptBool),
    ("deny_legacy_fallback_applied", OptBool),
    ("obligation_applied_present", OptBool),
    ("obligation_skipped_present", OptBool),
    ("obligation_error_present", OptBool),
    ("mandate_scope_match", OptBool),
    ("mandate_kind_match", OptBool),
    ("transaction_ref_match", OptBool),
    ("delegation_depth", OptU32),
    ("use_count", OptU32),
    ("authz_latency_ms", OptU64),
    ("store_latency_ms", OptU64),
    ("request_id", Any),
    (
        "typed_decision",
        OptOneOf(&["allow", "allow_with_obligations", "deny", "deny_with_alert"]),
    ),
    (
        "approval_freshness",
        OptOneOf(&["fresh", "stale", "expired", "unknown"]),
    ),
    (
        "decision_outcome_kind",
        OptOneOf(&[
            "policy_deny",
            "fail_closed_deny",
            "enforcement_deny",
            "obligation_applied",
            "obligation_skipped",
            "obligation_error",
        ]),
    ),
    (
        "decision_origin",
        OptOneOf(&[
            "policy_engine",
            "fail_closed_matrix",
            "runtime_enforcement",
            "obligation_executor",
        ]),
    ),
    (
        "outcome_compat_state",
        OptOneOf(&["legacy_fields_preserved"]),
    ),
    (
        "fulfillment_decision_path",
        OptOneOf(&[
            "policy_allow",
            "policy_deny",
            "fail_closed_deny",
            "decision_error",
        ]),
    ),
    (
        "classification_source",
        OptOneOf(&["converged_outcome", "fulfillment_path", "legacy_fallback"]),
    ),
    (
        "consumer_read_path",
        OptOneOf(&[
            "converged_decision",
            "compatibility_markers",
            "legacy_decision",
        ]),
    ),
    (
        "consumer_payload_state",
        OptOneOf(&["converged", "compatibility_fallback", "legacy_base"]),
    ),
    (
        "context_payload_state",
        OptOneOf(&["complete_envelope", "partial_envelope", "absent_envelope"]),
    ),
    (
        "deny_classification_source",
        OptOneOf(&[
            "outcome_kind",
            "origin_context",
            "fulfillment_path",
            "legacy_decision",
            "not_deny",
        ]),
    ),
];

/// Checks a whole DecisionEvent: `specversion`, `id`, `type`, `source`, `time`
/// and `data`. Gives the time's text.
pub(super) fn check<'v>(event: &'v Json<'_>) -> Checked<&'v str> {
    let event = Fields::of(event)?;
    require(event.string("specversion")? == "1.0")?;
    event.string("id")?;
    require(event.string("type")? == "assay.tool.decision")?;
    event.string("source")?;
    let time = event.string("time")?;
    check_data(event.any("data")?)?;
    Ok(time)
}

fn check_data(data: &Json<'_>) -> Checked<()> {
    let fields = Fields::of(data)?;
    for key in ["tool", "reason_code", "tool_call_id"] {
        fields.string(key)?;
    }
    fields.one_of("decision", &["allow", "deny", "error"])?;
    for (key, kind) in MEMBERS {
        let Some(value) = fields.present(key) else {
            continue;
        };
        check_member(value, kind)?;
    }
    each(fields, "obligations", check_obligation)?;
    each(fields, "obligation_outcomes", check_outcome)?;
    if let Some(value) = fields.some("fail_closed") {
        check_fail_closed(Fields::of(value)?)?;
    }
    Ok(())
}

fn check_member(value: &Json<'_>, kind: &Kind) -> Checked<()> {
    if let Strings = kind {
        return strings(value).map(drop);
    }
    if *value == Json::Null {
        return Ok(());
    }
    match kind {
        OptString => require(value.as_str().is_some()),
        OptStrings | Strings => strings(value).map(drop),
        OptBool => as_bool(value).map(drop),
        OptU32 => unsigned(value, u64::from(u32::MAX)).map(drop),
        OptU64 => unsigned(value, U53).map(drop),
        OptOneOf(allowed) => require(value.as_str().is_some_and(|text| allowed.contains(&text))),
        Any => Ok(()),
    }
}

/// Checks each object of a list that defaults to empty and refuses null.
fn each<'v, 'a>(
    fields: Fields<'v, 'a>,
    key: &str,
    check: impl Fn(Fields<'v, 'a>) -> Checked<()>,
) -> Checked<()> {
    match fields.present(key) {
        None => Ok(()),
        Some(Json::Array(elements)) => elements
            .iter()
            .try_for_each(|element| check(Fields::of(element)?)),
        Some(_) => Err(Fault::Shape),
    }
}

fn check_obligation(obligation: Fields<'_, '_>) -> Checked<()> {
    obligation.string("type")?;
    obligation.optional_string("detail")?;
    for (key, members) in [
        (
            "restrict_scope",
            ["scope_type", "scope_value", "scope_match_mode"],
        ),
        (
            "redact_args",
            ["redaction_target", "redaction_mode", "redaction_scope"],
        ),
    ] {
        if let Some(value) = obligation.some(key) {
            let inner = Fields::of(value)?;
            for member in members {
                inner.string(member)?;
            }
        }
    }
    Ok(())
}

fn check_outcome(outcome: Fields<'_, '_>) -> Checked<()> {
    outcome.string("type")?;
    outcome.one_of("status", &["applied", "skipped", "error"])?;
    for key in [
        "reason",
        "reason_code",
        "enforcement_stage",
        "normalization_version",
    ] {
        outcome.optional_string(key)?;
    }
    Ok(())
}

fn check_fail_closed(fields: Fields<'_, '_>) -> Checked<()> {
    fields.one_of(
        "tool_risk_class",
        &["high_risk", "low_risk_read", "default"],
    )?;
    fields.one_of(
        "fail_closed_mode",
        &["fail_closed", "degrade_read_only", "fail_safe_allow"],
    )?;
    if fields.some("fail_closed_trigger").is_some() {
        fields.one_of(
            "fail_closed_trigger",
            &[
                "policy_engine_unavailable",
                "context_provider_unavailable",
                "runtime_dependency_error",
            ],
        )?;
    }
    fields.boolean("fail_closed_applied")?;
    fields.optional_string("fail_closed_error_code").map(drop)
}
