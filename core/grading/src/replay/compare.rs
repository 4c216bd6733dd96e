//! Comparing a stored receipt with its derivation (§9). Ids, hashes, grades,
//! rule ids and states; never content.

use attest_canon::{Digest, Id, sha256};

use crate::model::canonical::{Canonical, canonical_text};
use crate::model::receipt::lifecycle_reasons;
use crate::model::{Reason, Receipt};

/// What differs, or why a receipt could not be graded again, in the
/// reference's order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Field {
    /// `id`
    Id,
    /// `inputsHash`
    InputsHash,
    /// `grade`
    Grade,
    /// `ruleId`
    RuleId,
    /// `state`, before any override
    State,
    /// `agent`
    Agent,
    /// `claimId`
    ClaimId,
    /// `observationIds`
    ObservationIds,
    /// `requestId`
    RequestId,
    /// `confidence`
    Confidence,
    /// `reasons`, less the lifecycle's, as a hash
    Reasons,
    /// `signals`, as a hash
    Signals,
    /// `policyHash`
    PolicyHash,
    /// `attribution`
    Attribution,
    /// `computedAt`
    ComputedAt,
    /// `finalAt`
    FinalAt,
    /// `finalFrom`
    FinalFrom,
    /// The inputs are not in the ledger.
    ReceiptInputs,
    /// The policy is not in the ledger, or not the inputs' own.
    Policy,
    /// The subject is not in the ledger.
    Subject,
    /// The observation is no orphan of the batch.
    Orphan,
    /// An observation it was graded with was edited in place.
    ContentHash,
    /// Grading it again is refused.
    Error,
}

impl Field {
    /// Every field, in order (`REPLAY_FIELDS`).
    pub const ALL: &'static [Self] = &[
        Self::Id,
        Self::InputsHash,
        Self::Grade,
        Self::RuleId,
        Self::State,
        Self::Agent,
        Self::ClaimId,
        Self::ObservationIds,
        Self::RequestId,
        Self::Confidence,
        Self::Reasons,
        Self::Signals,
        Self::PolicyHash,
        Self::Attribution,
        Self::ComputedAt,
        Self::FinalAt,
        Self::FinalFrom,
        Self::ReceiptInputs,
        Self::Policy,
        Self::Subject,
        Self::Orphan,
        Self::ContentHash,
        Self::Error,
    ];

    /// The field's name in reports.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Id => "id",
            Self::InputsHash => "inputsHash",
            Self::Grade => "grade",
            Self::RuleId => "ruleId",
            Self::State => "state",
            Self::Agent => "agent",
            Self::ClaimId => "claimId",
            Self::ObservationIds => "observationIds",
            Self::RequestId => "requestId",
            Self::Confidence => "confidence",
            Self::Reasons => "reasons",
            Self::Signals => "signals",
            Self::PolicyHash => "policyHash",
            Self::Attribution => "attribution",
            Self::ComputedAt => "computedAt",
            Self::FinalAt => "finalAt",
            Self::FinalFrom => "finalFrom",
            Self::ReceiptInputs => "receiptInputs",
            Self::Policy => "policy",
            Self::Subject => "subject",
            Self::Orphan => "orphan",
            Self::ContentHash => "contentHash",
            Self::Error => "error",
        }
    }
}

impl core::fmt::Display for Field {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.pad(self.as_str())
    }
}

/// One difference. A value that is not there is `None`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mismatch {
    /// The stored receipt.
    pub receipt_id: Id,
    /// What differs.
    pub field: Field,
    /// What the ledger holds.
    pub stored: Option<String>,
    /// What was derived.
    pub replayed: Option<String>,
}

impl Mismatch {
    pub(super) fn absent(receipt: &Receipt, field: Field) -> Self {
        Self {
            receipt_id: receipt.id,
            field,
            stored: None,
            replayed: None,
        }
    }

    pub(super) fn policy(receipt: &Receipt, inputs: Digest) -> Self {
        Self {
            receipt_id: receipt.id,
            field: Field::Policy,
            stored: Some(receipt.policy_hash.to_string()),
            replayed: Some(inputs.to_string()),
        }
    }

    pub(super) fn error(receipt: &Receipt, code: &str) -> Self {
        Self {
            receipt_id: receipt.id,
            field: Field::Error,
            stored: None,
            replayed: Some(code.to_owned()),
        }
    }

    pub(super) fn content(receipt: &Receipt, stored: Digest, computed: Digest) -> Self {
        Self {
            receipt_id: receipt.id,
            field: Field::ContentHash,
            stored: Some(stored.to_string()),
            replayed: Some(computed.to_string()),
        }
    }
}

/// Adds every compared field in which the two differ (`COMPARED_FIELDS`). The
/// lifecycle part records events, not grading, and is set aside.
pub(super) fn differences(stored: &Receipt, replayed: &Receipt, found: &mut Vec<Mismatch>) {
    let graded = graded_reasons(stored);
    if stored.id == replayed.id
        && stored.inputs_hash == replayed.inputs_hash
        && stored.base_state().state() == replayed.state
        && same_computed(stored, replayed)
        && graded == replayed.reasons
    {
        return;
    }
    let text = |value: &dyn core::fmt::Display| Some(value.to_string());
    let of = |value: Option<&dyn core::fmt::Display>| value.map(ToString::to_string);
    let hash = |canonical: String| Some(sha256(canonical.as_bytes()).to_string());
    let ids = |receipt: &Receipt| {
        let texts: Vec<String> = receipt
            .observation_ids
            .iter()
            .map(ToString::to_string)
            .collect();
        Some(texts.join(","))
    };
    let side = |receipt: &Receipt, field: Field, state: String, reasons: &[Reason]| match field {
        Field::Id => text(&receipt.id),
        Field::InputsHash => text(&receipt.inputs_hash),
        Field::Grade => text(&receipt.grade),
        Field::RuleId => text(&receipt.rule_id),
        Field::State => Some(state),
        Field::Agent => text(&receipt.agent),
        Field::ClaimId => of(receipt.claim_id.as_ref().map(|id| id as _)),
        Field::ObservationIds => ids(receipt),
        Field::RequestId => of(receipt.request_id.as_ref().map(|id| id as _)),
        Field::Confidence => text(&receipt.confidence),
        Field::Reasons => hash(reasons_text(reasons)),
        Field::Signals => hash(canonical_text(&receipt.signals)),
        Field::PolicyHash => text(&receipt.policy_hash),
        Field::Attribution => receipt.attribution_likely.then(|| "likely".to_owned()),
        Field::ComputedAt => text(&receipt.computed_at),
        Field::FinalAt => of(receipt.final_at.as_ref().map(|at| at as _)),
        Field::FinalFrom => of(receipt.final_from.as_ref().map(|at| at as _)),
        _ => None,
    };
    for field in Field::ALL {
        let before = side(stored, *field, stored.base_state().to_string(), graded);
        let after = side(
            replayed,
            *field,
            replayed.state.to_string(),
            &replayed.reasons,
        );
        if before != after {
            found.push(Mismatch {
                receipt_id: stored.id,
                field: *field,
                stored: before,
                replayed: after,
            });
        }
    }
}

fn same_computed(stored: &Receipt, replayed: &Receipt) -> bool {
    stored.grade == replayed.grade
        && stored.rule_id == replayed.rule_id
        && stored.agent == replayed.agent
        && stored.claim_id == replayed.claim_id
        && stored.observation_ids == replayed.observation_ids
        && stored.request_id == replayed.request_id
        && stored.confidence == replayed.confidence
        && stored.signals == replayed.signals
        && stored.policy_hash == replayed.policy_hash
        && stored.attribution_likely == replayed.attribution_likely
        && stored.computed_at == replayed.computed_at
        && stored.final_at == replayed.final_at
        && stored.final_from == replayed.final_from
}

/// A stored receipt's reasons, less those of its events, which stand last.
fn graded_reasons(receipt: &Receipt) -> &[Reason] {
    let events = lifecycle_reasons(receipt.user_override.as_ref(), receipt.superseded_by).len();
    let graded = receipt.reasons.len().saturating_sub(events);
    receipt.reasons.get(..graded).unwrap_or_default()
}

fn reasons_text(reasons: &[Reason]) -> String {
    let mut out = attest_canon::jcs::Writer::new();
    reasons.write(&mut out);
    out.into_text()
}
