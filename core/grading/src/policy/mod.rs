//! The policy: every number grading uses (§12). A [`Policy`] that exists was
//! loaded: it satisfies every refusal of §3, §5.2, §5.3, §5.4, §6 and §12, and
//! nothing but the loader makes one, so `policy_not_loaded` cannot arise.

mod loader;
mod problem;
mod rule_reader;
mod rules;
mod spot;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use attest_canon::Digest;

use crate::model::{ActionType, AgentId, BasisPoints, Feature, Source, UnaskedSignal};
use crate::text::StopWords;

pub use loader::{load_policy, load_policy_value};
pub use problem::{PolicyError, PolicyProblem, Refusal};
pub use rules::{Condition, Level, Rule, Threshold};

/// The shipped policy document (§12), for [`load_policy`].
pub const DEFAULT_POLICY: &str = include_str!("../../../../policy/default.json");

/// A loaded policy: immutable, valid, with its hash.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Policy {
    hash: Digest,
    canonical: Box<str>,
    windows: Windows,
    thresholds: Thresholds,
    weights: [BasisPoints; Feature::ALL.len()],
    sources: [Vec<Source>; ActionType::ALL.len()],
    features: [Vec<Feature>; ActionType::ALL.len()],
    identity: [Vec<Feature>; ActionType::ALL.len()],
    allowlist_types: BTreeSet<ActionType>,
    spend_types: BTreeSet<ActionType>,
    common_domains: BTreeSet<Box<str>>,
    receipt_merchants: BTreeSet<Box<str>>,
    stop_words: StopWords,
    rules: Vec<Rule>,
    unasked: Unasked,
    allowlisted_fields: [BTreeSet<Field>; Source::ALL.len()],
}

/// The policy's windows, in milliseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Windows {
    /// Before a claim's unit (`beforeClaimMin`).
    pub before_claim_ms: i64,
    /// After a claim's unit (`afterClaimMin`).
    pub after_claim_ms: i64,
    /// The grace after a claim's unit (`graceMin`).
    pub grace_ms: i64,
    /// Either side of a calendar claim's target (`calendarDays`).
    pub calendar_ms: i64,
    /// How far off is still on time (`toleranceMin`).
    pub tolerance_ms: i64,
    /// How far back spend counts (`spendWindowDays`).
    pub spend_window_ms: i64,
    /// When waiting ends (`finalizeUnverifiableHours`).
    pub finalize_unverifiable_ms: i64,
}

/// The score thresholds; `0 < partial < verified`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Thresholds {
    /// At or above: VERIFIED.
    pub verified: BasisPoints,
    /// At or above: evidence.
    pub partial: BasisPoints,
}

/// What attribution uses (§7).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unasked {
    signals: [BasisPoints; UnaskedSignal::ALL.len()],
    /// At or above: an agent likely did it; at least 1 bp.
    pub threshold: BasisPoints,
    /// Reach of a session ping, in milliseconds (`sessionMin`).
    pub session_ms: i64,
    /// How long the person must have been away, in milliseconds (`idleMin`).
    pub idle_ms: i64,
    /// Reach of a log entry, in milliseconds (`adjacentMin`).
    pub adjacent_ms: i64,
    signatures: [Vec<Box<str>>; AgentId::ALL.len()],
}

/// A field a source's rows may hold (`allowlistedFields`, §12): a content field
/// a raw row may supply, or a derived marker. `id`, `source`, `type` and
/// `observedAt` are computed for every row, so no list names them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Field {
    /// `counterparty`
    Counterparty,
    /// `merchant`
    Merchant,
    /// `amountCents`
    AmountCents,
    /// `currency`
    Currency,
    /// `subjectHint`
    SubjectHint,
    /// `occurredAt`
    OccurredAt,
    /// `rowKeyHash`
    RowKeyHash,
    /// `contentHash`
    ContentHash,
}

impl Field {
    /// Every field, in the order of §12.
    pub const ALL: &'static [Self] = &[
        Self::Counterparty,
        Self::Merchant,
        Self::AmountCents,
        Self::Currency,
        Self::SubjectHint,
        Self::OccurredAt,
        Self::RowKeyHash,
        Self::ContentHash,
    ];

    /// The field's key in a row.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Counterparty => "counterparty",
            Self::Merchant => "merchant",
            Self::AmountCents => "amountCents",
            Self::Currency => "currency",
            Self::SubjectHint => "subjectHint",
            Self::OccurredAt => "occurredAt",
            Self::RowKeyHash => "rowKeyHash",
            Self::ContentHash => "contentHash",
        }
    }

    /// The field whose key this is.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|field| field.as_str() == text)
    }
}

impl Policy {
    /// SHA-256 of the canonical document (`policyHash`).
    #[must_use]
    pub const fn hash(&self) -> Digest {
        self.hash
    }

    /// The canonical JSON of the document.
    #[must_use]
    pub fn canonical(&self) -> &str {
        &self.canonical
    }

    /// The windows.
    #[must_use]
    pub const fn windows(&self) -> &Windows {
        &self.windows
    }

    /// The score thresholds.
    #[must_use]
    pub const fn thresholds(&self) -> Thresholds {
        self.thresholds
    }

    /// A threshold by name.
    #[must_use]
    pub const fn threshold(&self, threshold: Threshold) -> BasisPoints {
        match threshold {
            Threshold::Verified => self.thresholds.verified,
            Threshold::Partial => self.thresholds.partial,
        }
    }

    /// A feature's weight; of `modelScore`, the λ of §5.4.
    #[must_use]
    pub fn weight(&self, feature: Feature) -> BasisPoints {
        self.weights
            .get(feature.index())
            .copied()
            .unwrap_or_default()
    }

    /// The relevant sources of a type, in policy order (`sourcesByType`).
    #[must_use]
    pub fn sources(&self, action: ActionType) -> &[Source] {
        self.sources.get(action.index()).map_or(&[], Vec::as_slice)
    }

    /// The features of a type, in policy order (`featuresByType`).
    #[must_use]
    pub fn features(&self, action: ActionType) -> &[Feature] {
        self.features.get(action.index()).map_or(&[], Vec::as_slice)
    }

    /// The features that say which action is meant (`identityFeatures`).
    #[must_use]
    pub fn identity_features(&self, action: ActionType) -> &[Feature] {
        self.identity.get(action.index()).map_or(&[], Vec::as_slice)
    }

    /// Whether allowlists bind claims of the type.
    #[must_use]
    pub fn is_allowlist_type(&self, action: ActionType) -> bool {
        self.allowlist_types.contains(&action)
    }

    /// Whether ceilings bind claims of the type.
    #[must_use]
    pub fn is_spend_type(&self, action: ActionType) -> bool {
        self.spend_types.contains(&action)
    }

    /// Whether a domain, ASCII-lowercased, says nothing about identity.
    #[must_use]
    pub fn is_common_domain(&self, domain: &str) -> bool {
        self.common_domains.contains(domain)
    }

    /// Whether a parser reads receipts of this normalised merchant name.
    #[must_use]
    pub fn has_parser(&self, merchant: &str) -> bool {
        self.receipt_merchants.contains(merchant)
    }

    /// The words subjects are compared without.
    #[must_use]
    pub const fn stop_words(&self) -> &StopWords {
        &self.stop_words
    }

    /// The rules, in order; the first that matches decides (§6).
    #[must_use]
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// What attribution uses.
    #[must_use]
    pub const fn unasked(&self) -> &Unasked {
        &self.unasked
    }

    /// Whether a source's rows may hold a field.
    #[must_use]
    pub fn allows_field(&self, source: Source, field: Field) -> bool {
        self.allowlisted_fields
            .get(source.index())
            .is_some_and(|fields| fields.contains(&field))
    }
}

impl Unasked {
    /// A signal's weight.
    #[must_use]
    pub fn weight(&self, signal: UnaskedSignal) -> BasisPoints {
        self.signals
            .get(signal.index())
            .copied()
            .unwrap_or_default()
    }

    /// An agent's signatures, ASCII-lowercased, none empty.
    #[must_use]
    pub fn signatures(&self, agent: AgentId) -> &[Box<str>] {
        self.signatures
            .get(agent.index())
            .map_or(&[], Vec::as_slice)
    }
}
