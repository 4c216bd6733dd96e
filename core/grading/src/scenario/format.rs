//! What a scenario file holds (§15 with readings 21–28). Rows name each other
//! by short refs; texts that become hashes are still labels.

use attest_canon::json::Value;

use crate::model::{
    ActionType, AdapterSync, AgentId, BasisPoints, Cents, Currency, Entry, Grade, Idle, IsoTs,
    OverrideGrade, Precision, ReasonCode, ReceiptState, Repair, Session, Source, Token,
};

/// A short name inside a file.
pub type Ref = Box<str>;

/// One scenario file.
#[derive(Clone, PartialEq, Debug)]
pub struct Scenario {
    /// What it shows.
    pub name: Box<str>,
    /// What it proves.
    pub covers: Vec<Box<str>>,
    /// How it is graded.
    pub mode: Mode,
    /// RFC 7396 patch on the shipped policy.
    pub policy_patch: Option<Value<'static>>,
    /// The hand computation, a step per line.
    pub notes: Vec<Box<str>>,
    /// What is graded.
    pub input: Input,
    /// What happens to the receipts afterwards, in order.
    pub events: Vec<Event>,
    /// Ids that are equal, and ids that ascend.
    pub assert_ids: AssertIds,
    /// What the receipts must be; empty expects nothing.
    pub expect: Vec<Expect>,
}

/// How a scenario is graded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// `gradeBatch`
    Batch,
    /// `grade`, once
    Grade,
}

/// What is graded.
#[derive(Clone, PartialEq, Debug)]
pub struct Input {
    /// The batch's instant.
    pub evaluated_at: IsoTs,
    /// The claims.
    pub claims: Vec<ClaimRow>,
    /// The observations.
    pub observations: Vec<ObservationRow>,
    /// The grants; agents without one get the default.
    pub grants: Vec<GrantRow>,
    /// The views.
    pub coverage: Vec<CoverageRow>,
    /// The clock repairs.
    pub repairs: Vec<Repair>,
    /// What attribution reads.
    pub activity: ActivityRows,
    /// Pairs fixed since a day before.
    pub fixed: Vec<FixedRow>,
    /// The model's scores.
    pub model_scores: Vec<ModelScoreRow>,
    /// What grade mode grades.
    pub grade: Option<GradeRow>,
}

/// A claim, by its fields.
#[derive(Clone, PartialEq, Debug)]
pub struct ClaimRow {
    /// Its name in the file.
    pub name: Ref,
    /// Who.
    pub agent: AgentId,
    /// What.
    pub action: ActionType,
    /// With whom.
    pub counterparty: Option<Box<str>>,
    /// How much.
    pub amount: Option<Cents>,
    /// In which currency.
    pub currency: Option<Currency>,
    /// About what.
    pub subject_hint: Option<Box<str>>,
    /// When.
    pub claimed_at: IsoTs,
    /// How exactly; `minute` when absent.
    pub precision: Option<Precision>,
    /// Until when.
    pub claimed_at_end: Option<IsoTs>,
    /// The event meant.
    pub target_at: Option<IsoTs>,
    /// When stored; `claimedAt` when absent.
    pub observed_at: Option<IsoTs>,
    /// Kind of page; `activity_view` when absent.
    pub source_kind: Option<Token>,
    /// The claim's own text, hashed into its id.
    pub text: Option<Box<str>>,
    /// A label that makes like claims two.
    pub row_key: Option<Box<str>>,
}

/// An observation, by its fields.
#[derive(Clone, PartialEq, Debug)]
pub struct ObservationRow {
    /// Its name in the file.
    pub name: Ref,
    /// Where seen.
    pub source: Source,
    /// What happened.
    pub action: ActionType,
    /// With whom.
    pub counterparty: Option<Box<str>>,
    /// From which merchant.
    pub merchant: Option<Box<str>>,
    /// How much.
    pub amount: Option<Cents>,
    /// In which currency.
    pub currency: Option<Currency>,
    /// About what.
    pub subject_hint: Option<Box<str>>,
    /// When.
    pub occurred_at: IsoTs,
    /// When stored; `occurredAt` when absent, `evaluatedAt` for a calendar row.
    pub observed_at: Option<IsoTs>,
    /// A label that makes like rows two.
    pub row_key: Option<Box<str>>,
}

/// A grant, by its fields.
#[derive(Clone, PartialEq, Debug)]
pub struct GrantRow {
    /// Its name in the file.
    pub name: Option<Ref>,
    /// Whose.
    pub agent: AgentId,
    /// Types allowed; all when absent.
    pub allowed_types: Option<Vec<ActionType>>,
    /// Counterparties allowed.
    pub counterparty_allowlist: Vec<Box<str>>,
    /// The ceiling.
    pub spend_ceiling: Option<Cents>,
    /// Its currency.
    pub spend_currency: Option<Currency>,
    /// Scopes declared.
    pub declared_scopes: Vec<Box<str>>,
    /// Scopes observed.
    pub observed_scopes: Vec<Box<str>>,
    /// Account labels per source.
    pub accounts: Vec<(Source, Vec<Box<str>>)>,
    /// In force since; 30 days before when absent.
    pub updated_at: Option<IsoTs>,
}

/// A view, by its fields.
#[derive(Clone, PartialEq, Debug)]
pub struct CoverageRow {
    /// Which observer; the source's name when absent.
    pub observer_id: Option<Token>,
    /// Which source.
    pub source: Source,
    /// When synced.
    pub last_sync_at: IsoTs,
    /// First instant seen.
    pub window_start: IsoTs,
    /// Last instant seen.
    pub window_end: IsoTs,
    /// The account's label.
    pub account: Option<Box<str>>,
    /// Every calendar shown.
    pub all_calendars: Option<bool>,
    /// Since when changes were followed.
    pub changes_since: Option<IsoTs>,
}

/// What attribution reads; claims by ref.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ActivityRows {
    /// Session pings.
    pub sessions: Vec<Session>,
    /// Times away.
    pub idle: Vec<Idle>,
    /// Log entries.
    pub entries: Vec<Entry>,
    /// Log imports.
    pub adapter_syncs: Vec<AdapterSync>,
    /// Claims in the history.
    pub claims: Vec<Ref>,
}

/// A fixed pair.
#[derive(Clone, PartialEq, Debug)]
pub struct FixedRow {
    /// The claim; `None` for an observation that is taken.
    pub claim: Option<Ref>,
    /// The observation.
    pub observation: Ref,
}

/// The model's scores of one claim.
#[derive(Clone, PartialEq, Debug)]
pub struct ModelScoreRow {
    /// The claim.
    pub claim: Ref,
    /// Each observation's score.
    pub scores: Vec<(Ref, BasisPoints)>,
}

/// What grade mode grades.
#[derive(Clone, PartialEq, Debug)]
pub struct GradeRow {
    /// The claim; `None` for a claim-less grade.
    pub claim: Option<Ref>,
    /// The candidates handed over.
    pub candidates: Vec<Ref>,
    /// Whose grant.
    pub agent: Option<AgentId>,
    /// Earlier spend.
    pub prior_spend_cents: i64,
    /// The observed scope.
    pub scope: Option<Box<str>>,
}

/// Something that happens after the first grading.
#[derive(Clone, PartialEq, Debug)]
pub struct Event {
    /// The receipt's claim or observation.
    pub name: Ref,
    /// What happens.
    pub kind: EventKind,
    /// It must be refused.
    pub rejected: bool,
}

/// What happens.
#[derive(Clone, PartialEq, Debug)]
pub enum EventKind {
    /// A person says otherwise.
    Override {
        /// What they say.
        grade: OverrideGrade,
        /// Why.
        reason: Box<str>,
        /// When.
        at: IsoTs,
    },
    /// They take it back.
    Revert {
        /// When.
        at: IsoTs,
    },
    /// A claim explains it.
    Supersede {
        /// The claim.
        claim: Ref,
    },
    /// The ledger's next batch, of which this receipt is kept.
    Regrade {
        /// Its instant.
        at: IsoTs,
        /// It no longer yields the receipt.
        deleted: bool,
    },
}

/// What must hold between ids.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct AssertIds {
    /// Groups of one id.
    pub equal: Vec<Vec<Ref>>,
    /// Runs of ascending ids.
    pub ascending: Vec<Vec<Ref>>,
}

/// What one receipt must be. A key left out is not compared, but `score`,
/// which is left out where nothing was scored.
#[derive(Clone, PartialEq, Debug)]
pub struct Expect {
    /// Whose receipt.
    pub subject: ExpectSubject,
    /// Its grade.
    pub grade: Option<Grade>,
    /// Its rule.
    pub rule_id: Option<Token>,
    /// Its state.
    pub state: Option<ReceiptState>,
    /// Its evidence.
    pub observation_refs: Option<Vec<Ref>>,
    /// The floor score, `n/d`.
    pub score: Option<Box<str>>,
    /// The score the rules read, `n/d`.
    pub raised_score: Option<Box<str>>,
    /// Its reasons, exactly.
    pub reason_codes: Option<Vec<ReasonCode>>,
    /// Parameters of some of them; observations and claims by ref.
    pub reason_params: Vec<(ReasonCode, Value<'static>)>,
    /// Its agent.
    pub agent: Option<AgentId>,
    /// What it was graded with.
    pub inputs: Option<ExpectInputs>,
    /// Who likely did it, `n/d`.
    pub attribution_score: Option<Box<str>>,
    /// The override that stands.
    pub user_override: Option<OverrideGrade>,
    /// The state before it.
    pub previous_state: Option<ReceiptState>,
    /// The claim that explains it.
    pub superseded_by: Option<Ref>,
    /// From when it can be final.
    pub final_from: Option<IsoTs>,
}

/// Whose receipt.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExpectSubject {
    /// A claim's or an orphan's.
    Row(Ref),
    /// A scope's.
    Scope {
        /// The agent.
        agent: AgentId,
        /// The scope.
        scope: Box<str>,
    },
}

/// What a receipt was graded with.
#[derive(Clone, PartialEq, Debug)]
pub struct ExpectInputs {
    /// The grant's name.
    pub grant: Option<Ref>,
    /// Earlier spend.
    pub prior_spend_cents: Option<i64>,
    /// The observed scope.
    pub scope: Option<Box<str>>,
}

impl EventKind {
    /// The kind's word in a file.
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Override { .. } => "override",
            Self::Revert { .. } => "revert",
            Self::Supersede { .. } => "supersede",
            Self::Regrade { .. } => "regrade",
        }
    }
}
