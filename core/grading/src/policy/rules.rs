//! Rules and their conditions as data (§6); what they mean on an input is
//! decided in `decide`.

use crate::model::{Outcome, Token};

/// One rule: when every condition holds, this is the outcome.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rule {
    /// The name receipts carry.
    pub id: Token,
    /// The conditions, in §6.1's order whatever the document's: an object's
    /// members have none that means anything. No condition means always.
    pub when: Vec<Condition>,
    /// What the rule concludes.
    pub then: Outcome,
}

/// One condition of §6.1, with the value asked for. Their order is that of
/// §6.1's table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Condition {
    /// `coverage`
    Coverage(Level),
    /// `typeNotInGrant`
    TypeNotInGrant(bool),
    /// `counterpartyNotAllowed`
    CounterpartyNotAllowed(bool),
    /// `amountAboveCeiling`
    AmountAboveCeiling(bool),
    /// `cumulativeAboveCeiling`
    CumulativeAboveCeiling(bool),
    /// `observedScopeExceedsDeclared`
    ObservedScopeExceedsDeclared(bool),
    /// `targetMissing`
    TargetMissing(bool),
    /// `underspecified`
    Underspecified(bool),
    /// `bestScoreGte`
    BestScoreGte(Threshold),
    /// `bestScoreLt`
    BestScoreLt(Threshold),
    /// `graceElapsed`
    GraceElapsed(bool),
    /// `unaskedLikely`
    UnaskedLikely(bool),
}

/// How much of a claim's window was seen.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Level {
    /// Nothing of it.
    None,
    /// Some of it.
    Partial,
    /// All of it.
    Full,
}

/// A score threshold, by name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Threshold {
    /// `thresholds.verified`
    Verified,
    /// `thresholds.partial`
    Partial,
}

impl Condition {
    /// The condition's key in a policy document.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::Coverage(_) => "coverage",
            Self::TypeNotInGrant(_) => "typeNotInGrant",
            Self::CounterpartyNotAllowed(_) => "counterpartyNotAllowed",
            Self::AmountAboveCeiling(_) => "amountAboveCeiling",
            Self::CumulativeAboveCeiling(_) => "cumulativeAboveCeiling",
            Self::ObservedScopeExceedsDeclared(_) => "observedScopeExceedsDeclared",
            Self::TargetMissing(_) => "targetMissing",
            Self::Underspecified(_) => "underspecified",
            Self::BestScoreGte(_) => "bestScoreGte",
            Self::BestScoreLt(_) => "bestScoreLt",
            Self::GraceElapsed(_) => "graceElapsed",
            Self::UnaskedLikely(_) => "unaskedLikely",
        }
    }

    /// The value asked for, as the document writes it (without quotes).
    #[must_use]
    pub const fn wanted(self) -> &'static str {
        match self {
            Self::Coverage(level) => level.as_str(),
            Self::BestScoreGte(threshold) | Self::BestScoreLt(threshold) => threshold.as_str(),
            Self::TypeNotInGrant(wanted)
            | Self::CounterpartyNotAllowed(wanted)
            | Self::AmountAboveCeiling(wanted)
            | Self::CumulativeAboveCeiling(wanted)
            | Self::ObservedScopeExceedsDeclared(wanted)
            | Self::TargetMissing(wanted)
            | Self::Underspecified(wanted)
            | Self::GraceElapsed(wanted)
            | Self::UnaskedLikely(wanted) => {
                if wanted {
                    "true"
                } else {
                    "false"
                }
            }
        }
    }
}

impl Level {
    /// Every level.
    pub const ALL: &'static [Self] = &[Self::None, Self::Partial, Self::Full];

    /// The level written so.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|level| level.as_str() == text)
    }

    /// The level's word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Partial => "partial",
            Self::Full => "full",
        }
    }
}

impl Threshold {
    /// Every threshold.
    pub const ALL: &'static [Self] = &[Self::Verified, Self::Partial];

    /// The threshold written so.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|threshold| threshold.as_str() == text)
    }

    /// The threshold's key.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Verified => "verified",
            Self::Partial => "partial",
        }
    }
}
