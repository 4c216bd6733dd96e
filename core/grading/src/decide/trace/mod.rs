//! Everything one grade looked at (§4–§8), made by the code that grades. The
//! receipt is a projection of it; every view reads it and computes nothing.
//!
//! A trace is made when asked for, one receipt at a time: it lists every
//! candidate and every coverage entry, which a whole batch could not hold.
//!
//! This file holds what a trace shows; [`make`] makes it, [`counterfactual`]
//! finds what would change a score, [`rows`] says what became of each row.

mod counterfactual;
mod make;
mod rows;

use attest_canon::{Digest, Id};

use crate::model::{
    AgentId, BasisPoints, Cents, Claim, Currency, Feature, GradeContext, Grant, Instant, Interval,
    IsoTs, Observation, ObserverCoverage, Outcome, Receipt, Repair, Source, UnaskedSignal,
};
use crate::policy::{Condition, Level, Threshold, Windows};

use super::attribution::AttributionTrace;
use super::conditions::Finding;
use super::coverage::{Cap, Ineligible};
use super::features::{AddressMatch, PairScore, Value};
use super::finality::Finality;
use super::orphans::NoOrphan;
use super::raise::Raise;
use super::ratio::Ratio;
use super::window::Deadlines;

pub use rows::RowFate;

/// Everything one grade looked at, and the receipt that follows.
#[derive(Clone, PartialEq, Debug)]
pub struct Trace {
    /// The receipt, as this grading makes it.
    pub receipt: Receipt,
    /// What was graded.
    pub subject: TraceSubject,
    /// The batch's instant.
    pub evaluated_at: IsoTs,
    /// The grant in force.
    pub grant: Grant,
    /// The context.
    pub context: GradeContext,
    /// The clock repairs the coverage carries.
    pub repairs: Vec<Repair>,
    /// Every rule, in policy order.
    pub rules: Vec<RuleTrace>,
    /// The place of the rule that matched; none for the terminal rule.
    pub matched: Option<usize>,
    /// What it concludes.
    pub outcome: Outcome,
    /// Whether yet.
    pub finality: Finality,
    /// The policy's numbers that the arithmetic reads.
    pub numbers: Numbers,
    /// The hashes that bind it.
    pub hashes: Hashes,
}

/// What was graded.
#[derive(Clone, PartialEq, Debug)]
pub enum TraceSubject {
    /// A claim.
    Claim(Box<ClaimTrace>),
    /// An observation nobody claimed.
    Orphan(Box<OrphanTrace>),
    /// A permission an agent was seen to hold.
    Scope {
        /// The agent.
        agent: AgentId,
        /// The scope.
        scope: Box<str>,
    },
}

/// Policy numbers beside a trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Numbers {
    /// `thresholds.verified`
    pub verified: BasisPoints,
    /// `thresholds.partial`
    pub partial: BasisPoints,
    /// `unasked.threshold`
    pub unasked: BasisPoints,
    /// `unasked.signals`, in the set's order.
    pub signals: [BasisPoints; UnaskedSignal::ALL.len()],
    /// λ, the weight of the model's score.
    pub lambda: BasisPoints,
    /// The windows.
    pub windows: Windows,
    /// Reach of a session ping, in milliseconds.
    pub session_ms: i64,
    /// How long the person must have been away, in milliseconds.
    pub idle_ms: i64,
    /// Reach of a log entry, in milliseconds.
    pub adjacent_ms: i64,
}

impl Numbers {
    /// What a signal that fires adds to an agent's score (§7).
    #[must_use]
    pub fn signal(&self, signal: UnaskedSignal) -> BasisPoints {
        self.signals
            .get(signal.index())
            .copied()
            .unwrap_or_default()
    }
}

/// The hashes that bind a grade.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hashes {
    /// Of the candidates handed to the grade.
    pub candidates: Digest,
    /// Of the grant.
    pub grant: Digest,
    /// Of the coverage.
    pub coverage: Digest,
    /// Of the policy.
    pub policy: Digest,
    /// Of everything together.
    pub inputs: Digest,
}

/// A claim, as it was graded.
#[derive(Clone, PartialEq, Debug)]
pub struct ClaimTrace {
    /// The claim.
    pub claim: Claim,
    /// Its precision unit.
    pub unit: Interval,
    /// Its window; none for a calendar claim without a target.
    pub window: Option<Interval>,
    /// The instants it waits for.
    pub deadlines: Deadlines,
    /// No identity feature applies.
    pub underspecified: bool,
    /// It is scored against observations.
    pub assignable: bool,
    /// The features that apply, with their weights, in policy order.
    pub applicable: Vec<(Feature, BasisPoints)>,
    /// The features the type lists that do not apply to this claim.
    pub not_applicable: Vec<Feature>,
    /// D: the sum of the applicable weights.
    pub total_weight: u32,
    /// Every row in the window, the best first, then those others hold.
    pub candidates: Vec<CandidateTrace>,
    /// The best candidate's place in `candidates`.
    pub best: Option<usize>,
    /// What the model's score did to the best candidate's.
    pub raise: Option<Raise>,
    /// The smallest single change that crosses the next threshold.
    pub counterfactual: Option<Counterfactual>,
    /// How much of the window was seen.
    pub level: Level,
    /// Source by source.
    pub sources: Vec<SourceTrace>,
    /// Every coverage entry of the batch.
    pub entries: Vec<EntryTrace>,
}

/// One row of the window.
#[derive(Clone, PartialEq, Debug)]
pub struct CandidateTrace {
    /// The row.
    pub observation: Observation,
    /// Feature by feature, in policy order; empty for a claim never scored.
    pub features: Vec<FeatureTrace>,
    /// The mean and the score; none for a claim never scored.
    pub score: Option<PairScore>,
    /// Who holds it.
    pub fate: Fate,
}

/// Who holds a candidate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// This claim.
    Assigned,
    /// Nobody.
    Open,
    /// Another claim of the batch, at this score.
    Other {
        /// The claim.
        claim: Id,
        /// Its score with the row.
        score: Ratio,
    },
    /// A claim graded before.
    Fixed(Id),
    /// An overridden UNASKED receipt.
    Taken,
}

/// One feature of one pair.
#[derive(Clone, PartialEq, Debug)]
pub struct FeatureTrace {
    /// The feature.
    pub feature: Feature,
    /// Its weight.
    pub weight: BasisPoints,
    /// Its value.
    pub value: Value,
    /// Weight times value: what it adds to N.
    pub adds: Ratio,
    /// Why it has that value.
    pub because: Because,
}

/// Why a feature has its value.
#[derive(Clone, PartialEq, Debug)]
pub enum Because {
    /// `timeProximity`
    Time {
        /// How far off, in milliseconds; 0 inside the unit.
        distance_ms: i64,
        /// The row is earlier than what it is measured to.
        earlier: bool,
        /// Up to here the value is 1.
        tolerance_ms: i64,
        /// Here it is 0.
        edge_ms: i64,
    },
    /// `counterpartyExact`, `counterpartyDomain`
    Address {
        /// How the addresses compare.
        found: AddressMatch,
        /// The domain is one many people share.
        common_domain: bool,
    },
    /// `counterpartyName`, `subjectOverlap`, `merchantMatch`: the claim's words
    /// and the row's.
    Words {
        /// The claim's.
        claim: Vec<Box<str>>,
        /// The row's.
        row: Vec<Box<str>>,
        /// The whole texts are equal, whatever their words.
        equal: bool,
    },
    /// `amountExact`
    Amount {
        /// The claim's amount and currency.
        claim: (Option<Cents>, Option<Currency>),
        /// The row's.
        row: (Option<Cents>, Option<Currency>),
    },
}

/// The smallest single change of a feature that would cross a threshold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Counterfactual {
    /// The threshold crossed.
    pub threshold: Threshold,
    /// The feature that would have to change.
    pub feature: Feature,
    /// Its value now.
    pub from: Ratio,
    /// The least value that crosses.
    pub needed: Ratio,
}

/// One relevant source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceTrace {
    /// The source.
    pub source: Source,
    /// How much of the window it saw.
    pub level: Level,
    /// Only several bound accounts' views together hold the window.
    pub account_partial: bool,
    /// The caps worth naming.
    pub caps: Vec<Cap>,
    /// The first stretch of the window no uncapped view saw.
    pub gap: Option<Interval>,
    /// Each account the grant binds, when it binds two or more: the source is
    /// full only when every one's own views hold the window (v1.11).
    pub accounts: Vec<AccountTrace>,
    /// Its latest eligible sync.
    pub last_sync: Option<Instant>,
}

/// What the views of one bound account saw.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AccountTrace {
    /// The account.
    pub account: Digest,
    /// The first stretch of the window none of its uncapped views saw.
    pub gap: Option<Interval>,
}

/// One coverage entry, judged for the claim.
#[derive(Clone, PartialEq, Debug)]
pub struct EntryTrace {
    /// The entry.
    pub entry: ObserverCoverage,
    /// Why it is not eligible, or its caps.
    pub verdict: Result<Vec<Cap>, Ineligible>,
    /// It shares an instant with the claim's window.
    pub overlaps: bool,
    /// It contains the whole window.
    pub contains: bool,
}

/// An orphan, as it was graded.
#[derive(Clone, PartialEq, Debug)]
pub struct OrphanTrace {
    /// The observation.
    pub observation: Observation,
    /// Whether it is an orphan, or why not.
    pub orphan: Result<(), NoOrphan>,
    /// What spoke for whom; none for a stored receipt, whose batch keeps the
    /// attribution but not the activity it was made from.
    pub attribution: Option<AttributionTrace>,
}

/// One rule.
#[derive(Clone, PartialEq, Debug)]
pub struct RuleTrace {
    /// Its id.
    pub id: Box<str>,
    /// What it concludes.
    pub then: Outcome,
    /// Its conditions, each with what was found.
    pub conditions: Vec<ConditionTrace>,
    /// What became of it.
    pub status: RuleStatus,
}

/// What became of a rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RuleStatus {
    /// The first whose conditions all hold.
    Matched,
    /// This condition, the first to, did not hold.
    Failed(usize),
    /// This condition, the first to fail, does not apply.
    NotApplicable(usize),
    /// An earlier rule matched.
    NotReached {
        /// It would have matched.
        would_match: bool,
    },
}

/// One condition of one rule.
#[derive(Clone, PartialEq, Debug)]
pub struct ConditionTrace {
    /// The condition, with the value asked for.
    pub condition: Condition,
    /// What was found.
    pub finding: Finding,
    /// Whether it holds; none when it does not apply.
    pub holds: Option<bool>,
}
