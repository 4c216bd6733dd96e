//! The file format of §15 with readings 21–28, closed at every level. Rows
//! name each other by short refs; texts that become hashes are still labels.

use attest_canon::json::{Kind, Value};

use crate::model::decode::{member_of, object};
use crate::model::{
    ActionType, AdapterSync, AgentId, BasisPoints, Cents, Currency, Decoder, Entry, Grade, Idle,
    IsoTs, OverrideGrade, Precision, ProblemKind, Problems, Read, ReasonCode, ReceiptState, Repair,
    Session, Source, Token, limits,
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

/// Longest name of a scenario (§15).
const NAME: usize = 120;

impl Scenario {
    /// Reads a scenario file.
    ///
    /// # Errors
    ///
    /// Every problem, with its path.
    pub fn read(text: &str) -> Result<Self, Problems> {
        Decoder::read_document(text, Self::decode)
    }

    fn decode(d: &mut Decoder<'_>) -> Read<Self> {
        object!(d, {
            name: required "name" = |d: &mut Decoder<'_>| d.text(NAME),
            covers: required "covers" = |d: &mut Decoder<'_>| d.any_list(long_text),
            mode: required "mode" = |d: &mut Decoder<'_>| d.parsed("batch or grade", |text| match text {
                "batch" => Some(Mode::Batch),
                "grade" => Some(Mode::Grade),
                _ => None,
            }),
            policy_patch: optional "policyPatch" = read_patch,
            notes: defaulted "notes" = read_notes,
            input: required "input" = Input::decode,
            events: defaulted "events" = |d: &mut Decoder<'_>| d.any_list(Event::decode),
            assert_ids: defaulted "assertIds" = AssertIds::decode,
            expect: required "expect" = |d: &mut Decoder<'_>| d.any_list(Expect::decode),
        });
        let scenario = Self {
            name,
            covers,
            mode,
            policy_patch,
            notes,
            input,
            events,
            assert_ids,
            expect,
        };
        if let Some(path) = scenario.out_of_mode() {
            d.note_at(path, ProblemKind::NotAllowedHere);
            return Ok(None);
        }
        Ok(Some(scenario))
    }

    /// What belongs to the other mode (readings 22).
    fn out_of_mode(&self) -> Option<String> {
        match self.mode {
            Mode::Batch => self.input.grade.as_ref().map(|_| "input.grade".to_owned()),
            Mode::Grade => {
                let regrade = |event: &Event| matches!(event.kind, EventKind::Regrade { .. });
                if !self.input.fixed.is_empty() {
                    return Some("input.fixed".to_owned());
                }
                if self.input.grade.is_none() {
                    return Some("input.grade".to_owned());
                }
                if let Some(at) = self.events.iter().position(regrade) {
                    return Some(format!("events[{at}]"));
                }
                let at = self
                    .expect
                    .iter()
                    .position(|expect| expect.inputs.is_some())?;
                Some(format!("expect[{at}].inputs"))
            }
        }
    }
}

fn read_ref(d: &mut Decoder<'_>) -> Read<Ref> {
    d.text(limits::ID)
}

fn read_refs(d: &mut Decoder<'_>) -> Read<Vec<Ref>> {
    d.any_list(read_ref)
}

fn long_text(d: &mut Decoder<'_>) -> Read<Box<str>> {
    d.text(1 << 16)
}

fn read_notes(d: &mut Decoder<'_>) -> Read<Vec<Box<str>>> {
    if d.reader().peek()? == Kind::String {
        return Ok(long_text(d)?.map(|line| vec![line]));
    }
    d.any_list(long_text)
}

fn read_patch(d: &mut Decoder<'_>) -> Read<Value<'static>> {
    if d.reader().peek()? != Kind::Object {
        d.note(ProblemKind::MustBe("an object"));
        d.reader().skip()?;
        return Ok(None);
    }
    Ok(Some(Value::read(d.reader())?.into_owned()))
}

/// A ref or `null`.
fn nullable_ref(d: &mut Decoder<'_>) -> Read<Option<Ref>> {
    if d.reader().peek()? == Kind::Null {
        d.reader().null()?;
        return Ok(Some(None));
    }
    Ok(read_ref(d)?.map(Some))
}

impl Input {
    fn decode(d: &mut Decoder<'_>) -> Read<Self> {
        object!(d, {
            evaluated_at: required "evaluatedAt" = Decoder::instant,
            claims: defaulted "claims" = |d: &mut Decoder<'_>| d.any_list(ClaimRow::decode),
            observations: defaulted "observations" = |d: &mut Decoder<'_>| d.any_list(ObservationRow::decode),
            grants: defaulted "grants" = |d: &mut Decoder<'_>| d.any_list(GrantRow::decode),
            coverage: defaulted "coverage" = |d: &mut Decoder<'_>| d.any_list(CoverageRow::decode),
            repairs: defaulted "repairs" = |d: &mut Decoder<'_>| d.any_list(Repair::decode),
            activity: defaulted "activity" = ActivityRows::decode,
            fixed: defaulted "fixed" = |d: &mut Decoder<'_>| d.any_list(FixedRow::decode),
            model_scores: defaulted "modelScores" = |d: &mut Decoder<'_>| d.any_list(ModelScoreRow::decode),
            grade: optional "grade" = GradeRow::decode,
        });
        Ok(Some(Self {
            evaluated_at,
            claims,
            observations,
            grants,
            coverage,
            repairs,
            activity,
            fixed,
            model_scores,
            grade,
        }))
    }
}

impl ClaimRow {
    fn decode(d: &mut Decoder<'_>) -> Read<Self> {
        object!(d, {
            name: required "ref" = read_ref,
            agent: required "agent" = Decoder::agent,
            action: required "type" = Decoder::action,
            counterparty: optional "counterparty" = Decoder::counterparty,
            amount: optional "amountCents" = Decoder::cents,
            currency: optional "currency" = Decoder::currency,
            subject_hint: optional "subjectHint" = Decoder::subject_hint,
            claimed_at: required "claimedAt" = Decoder::instant,
            precision: optional "claimedAtPrecision" = member_of!(Precision, "minute, hour or day"),
            claimed_at_end: optional "claimedAtEnd" = Decoder::instant,
            target_at: optional "targetAt" = Decoder::instant,
            observed_at: optional "observedAt" = Decoder::instant,
            source_kind: optional "sourceKind" = Decoder::token,
            text: optional "text" = long_text,
            row_key: optional "rowKey" = long_text,
        });
        Ok(Some(Self {
            name,
            agent,
            action,
            counterparty,
            amount,
            currency,
            subject_hint,
            claimed_at,
            precision,
            claimed_at_end,
            target_at,
            observed_at,
            source_kind,
            text,
            row_key,
        }))
    }
}

impl ObservationRow {
    fn decode(d: &mut Decoder<'_>) -> Read<Self> {
        object!(d, {
            name: required "ref" = read_ref,
            source: required "source" = Decoder::source,
            action: required "type" = Decoder::action,
            counterparty: optional "counterparty" = Decoder::counterparty,
            merchant: optional "merchant" = Decoder::merchant,
            amount: optional "amountCents" = Decoder::cents,
            currency: optional "currency" = Decoder::currency,
            subject_hint: optional "subjectHint" = Decoder::subject_hint,
            occurred_at: required "occurredAt" = Decoder::instant,
            observed_at: optional "observedAt" = Decoder::instant,
            row_key: optional "rowKey" = long_text,
        });
        let row = Self {
            name,
            source,
            action,
            counterparty,
            merchant,
            amount,
            currency,
            subject_hint,
            occurred_at,
            observed_at,
            row_key,
        };
        if let Some(key) = row.foreign_field() {
            d.note_member(key, ProblemKind::NotAllowedHere);
            return Ok(None);
        }
        Ok(Some(row))
    }

    /// A field another source's rows hold (§15).
    fn foreign_field(&self) -> Option<&'static str> {
        let receipt = self.source == Source::GmailReceipt;
        [
            ("counterparty", self.counterparty.is_some() && receipt),
            ("merchant", self.merchant.is_some() && !receipt),
            ("amountCents", self.amount.is_some() && !receipt),
            ("currency", self.currency.is_some() && !receipt),
        ]
        .into_iter()
        .find(|(_, foreign)| *foreign)
        .map(|(key, _)| key)
    }
}

impl GrantRow {
    fn decode(d: &mut Decoder<'_>) -> Read<Self> {
        object!(d, {
            name: optional "ref" = read_ref,
            agent: required "agent" = Decoder::agent,
            allowed_types: optional "allowedTypes" = |d: &mut Decoder<'_>| d.any_list(Decoder::action),
            counterparty_allowlist: defaulted "counterpartyAllowlist" = |d: &mut Decoder<'_>| d.any_list(Decoder::scope),
            spend_ceiling: optional "spendCeilingCents" = Decoder::cents,
            spend_currency: optional "spendCurrency" = Decoder::currency,
            declared_scopes: defaulted "declaredScopes" = |d: &mut Decoder<'_>| d.any_list(Decoder::scope),
            observed_scopes: defaulted "observedScopes" = |d: &mut Decoder<'_>| d.any_list(Decoder::scope),
            accounts: defaulted "accounts" = accounts_of,
            updated_at: optional "updatedAt" = Decoder::instant,
        });
        if spend_ceiling.is_some() && spend_currency.is_none() {
            d.note_member("spendCurrency", ProblemKind::Missing);
            return Ok(None);
        }
        Ok(Some(Self {
            name,
            agent,
            allowed_types,
            counterparty_allowlist,
            spend_ceiling,
            spend_currency,
            declared_scopes,
            observed_scopes,
            accounts,
            updated_at,
        }))
    }
}

fn accounts_of(d: &mut Decoder<'_>) -> Read<Vec<(Source, Vec<Box<str>>)>> {
    let mut accounts = Vec::new();
    let read = d.map(|d, key| {
        let Some(source) = Source::parse(key) else {
            d.unknown_member()?;
            return Ok(None);
        };
        Ok(d.any_list(long_text)?
            .map(|labels| accounts.push((source, labels))))
    })?;
    Ok(read.map(|()| accounts))
}

impl CoverageRow {
    fn decode(d: &mut Decoder<'_>) -> Read<Self> {
        object!(d, {
            observer_id: optional "observerId" = Decoder::token,
            source: required "source" = Decoder::source,
            last_sync_at: required "lastSyncAt" = Decoder::instant,
            window_start: required "windowStart" = Decoder::instant,
            window_end: required "windowEnd" = Decoder::instant,
            account: optional "accountHash" = long_text,
            all_calendars: optional "allCalendars" = Decoder::boolean,
            changes_since: optional "changesSince" = Decoder::instant,
        });
        let row = Self {
            observer_id,
            source,
            last_sync_at,
            window_start,
            window_end,
            account,
            all_calendars,
            changes_since,
        };
        if let Some((key, kind)) = super::build::view(&row).problem() {
            d.note_member(key, kind);
            return Ok(None);
        }
        Ok(Some(row))
    }
}

impl ActivityRows {
    fn decode(d: &mut Decoder<'_>) -> Read<Self> {
        object!(d, {
            sessions: defaulted "sessions" = |d: &mut Decoder<'_>| d.any_list(Session::decode),
            idle: defaulted "idle" = |d: &mut Decoder<'_>| d.any_list(Idle::decode),
            entries: defaulted "entries" = |d: &mut Decoder<'_>| d.any_list(Entry::decode),
            adapter_syncs: defaulted "adapterSyncs" = |d: &mut Decoder<'_>| d.any_list(AdapterSync::decode),
            claims: defaulted "claims" = read_refs,
        });
        Ok(Some(Self {
            sessions,
            idle,
            entries,
            adapter_syncs,
            claims,
        }))
    }
}

impl FixedRow {
    fn decode(d: &mut Decoder<'_>) -> Read<Self> {
        object!(d, {
            claim: required "claim" = nullable_ref,
            observation: required "observation" = read_ref,
        });
        Ok(Some(Self { claim, observation }))
    }
}

impl ModelScoreRow {
    fn decode(d: &mut Decoder<'_>) -> Read<Self> {
        object!(d, {
            claim: required "claim" = read_ref,
            scores: required "scores" = |d: &mut Decoder<'_>| d.any_list(model_score),
        });
        Ok(Some(Self { claim, scores }))
    }
}

fn model_score(d: &mut Decoder<'_>) -> Read<(Ref, BasisPoints)> {
    object!(d, {
        observation: required "observation" = read_ref,
        score: required "score" = Decoder::basis_points,
    });
    Ok(Some((observation, score)))
}

impl GradeRow {
    fn decode(d: &mut Decoder<'_>) -> Read<Self> {
        object!(d, {
            claim: required "claim" = nullable_ref,
            candidates: defaulted "candidates" = read_refs,
            agent: optional "agent" = Decoder::agent,
            prior_spend_cents: defaulted "priorSpendCents" = Decoder::natural,
            scope: optional "scope" = Decoder::scope,
        });
        Ok(Some(Self {
            claim,
            candidates,
            agent,
            prior_spend_cents,
            scope,
        }))
    }
}

impl Event {
    fn decode(d: &mut Decoder<'_>) -> Read<Self> {
        object!(d, {
            event: required "event" = |d: &mut Decoder<'_>| d.parsed("override, revert, supersede or regrade", |text| {
                ["override", "revert", "supersede", "regrade"].into_iter().find(|kind| *kind == text)
            }),
            name: required "ref" = read_ref,
            grade: optional "grade" = member_of!(OverrideGrade, "VERIFIED or NOT_FOUND"),
            reason: optional "reason" = |d: &mut Decoder<'_>| d.text(limits::OVERRIDE_REASON),
            at: optional "at" = Decoder::instant,
            claim: optional "claim" = read_ref,
            evaluated_at: optional "evaluatedAt" = Decoder::instant,
            deleted: optional "deleted" = Decoder::boolean,
            rejected: defaulted "rejected" = Decoder::boolean,
        });
        // Each kind has its own members, and no others.
        let kind = match (event, grade, reason, at, claim, evaluated_at, deleted) {
            ("override", Some(grade), Some(reason), Some(at), None, None, None) => {
                EventKind::Override { grade, reason, at }
            }
            ("revert", None, None, Some(at), None, None, None) => EventKind::Revert { at },
            ("supersede", None, None, None, Some(claim), None, None) => {
                EventKind::Supersede { claim }
            }
            ("regrade", None, None, None, None, Some(at), deleted) => EventKind::Regrade {
                at,
                deleted: deleted.unwrap_or(false),
            },
            _ => {
                d.note(ProblemKind::MustBe("an event with the members of its kind"));
                return Ok(None);
            }
        };
        Ok(Some(Self {
            name,
            kind,
            rejected,
        }))
    }
}

impl AssertIds {
    fn decode(d: &mut Decoder<'_>) -> Read<Self> {
        object!(d, {
            equal: defaulted "equal" = |d: &mut Decoder<'_>| d.any_list(read_refs),
            ascending: defaulted "ascending" = |d: &mut Decoder<'_>| d.any_list(read_refs),
        });
        Ok(Some(Self { equal, ascending }))
    }
}

impl Expect {
    fn decode(d: &mut Decoder<'_>) -> Read<Self> {
        object!(d, {
            row: optional "ref" = read_ref,
            scope: optional "scope" = scope_subject,
            grade: optional "grade" = member_of!(Grade, "a known grade"),
            rule_id: optional "ruleId" = Decoder::token,
            state: optional "state" = member_of!(ReceiptState, "a known state"),
            observation_refs: optional "observationRefs" = read_refs,
            score: optional "score" = fraction,
            raised_score: optional "raisedScore" = fraction,
            reason_codes: optional "reasonCodes" = |d: &mut Decoder<'_>| d.any_list(member_of!(ReasonCode, "a known reason code")),
            reason_params: defaulted "reasonParams" = read_params,
            agent: optional "agent" = Decoder::agent,
            inputs: optional "inputs" = ExpectInputs::decode,
            attribution_score: optional "attributionScore" = fraction,
            user_override: optional "override" = member_of!(OverrideGrade, "VERIFIED or NOT_FOUND"),
            previous_state: optional "previousState" = member_of!(ReceiptState, "a known state"),
            superseded_by: optional "supersededBy" = read_ref,
            final_from: optional "finalFrom" = Decoder::instant,
        });
        let subject = match (row, scope) {
            (Some(row), None) => ExpectSubject::Row(row),
            (None, Some((agent, scope))) => ExpectSubject::Scope { agent, scope },
            _ => {
                d.note(ProblemKind::MustBe("an entry with either a ref or a scope"));
                return Ok(None);
            }
        };
        Ok(Some(Self {
            subject,
            grade,
            rule_id,
            state,
            observation_refs,
            score,
            raised_score,
            reason_codes,
            reason_params,
            agent,
            inputs,
            attribution_score,
            user_override,
            previous_state,
            superseded_by,
            final_from,
        }))
    }
}

/// A reduced fraction `n/d`, as text.
fn fraction(d: &mut Decoder<'_>) -> Read<Box<str>> {
    d.parsed("a reduced fraction n/d", |text| {
        let (numerator, denominator) = text.split_once('/')?;
        let ratio = crate::decide::Ratio::new(numerator.parse().ok()?, denominator.parse().ok()?)?;
        (ratio.to_string() == text).then(|| text.into())
    })
}

fn scope_subject(d: &mut Decoder<'_>) -> Read<(AgentId, Box<str>)> {
    object!(d, {
        agent: required "agent" = Decoder::agent,
        scope: required "scope" = Decoder::scope,
    });
    Ok(Some((agent, scope)))
}

fn read_params(d: &mut Decoder<'_>) -> Read<Vec<(ReasonCode, Value<'static>)>> {
    let mut params = Vec::new();
    let read = d.map(|d, key| {
        let Some(code) = ReasonCode::parse(key) else {
            d.unknown_member()?;
            return Ok(None);
        };
        params.push((code, Value::read(d.reader())?.into_owned()));
        Ok(Some(()))
    })?;
    Ok(read.map(|()| params))
}

impl ExpectInputs {
    fn decode(d: &mut Decoder<'_>) -> Read<Self> {
        object!(d, {
            grant: optional "grant" = read_ref,
            prior_spend_cents: optional "priorSpendCents" = Decoder::natural,
            scope: optional "scope" = Decoder::scope,
        });
        Ok(Some(Self {
            grant,
            prior_spend_cents,
            scope,
        }))
    }
}
