//! Reads a scenario file, closed at every level (§15): an unknown key, a
//! duplicate one or a value outside its grammar is a problem with its path.

use attest_canon::json::{Kind, Value};

use crate::model::decode::{member_of, object};
use crate::model::{
    AdapterSync, AgentId, BasisPoints, Decoder, Entry, Idle, ProblemKind, Problems, Read,
    ReasonCode, Repair, Session, Source, limits,
};

use super::format::{
    ActivityRows, AssertIds, ClaimRow, CoverageRow, Event, EventKind, Expect, ExpectInputs,
    ExpectSubject, FixedRow, GradeRow, GrantRow, Input, Mode, ModelScoreRow, ObservationRow, Ref,
    Scenario,
};
use super::{build, names};

/// Longest name of a scenario (§15).
const NAME: usize = 120;

impl Scenario {
    /// Reads a scenario file.
    ///
    /// # Errors
    ///
    /// Every problem of its shape, with its path; else every name that stands
    /// twice or names nothing.
    pub fn read(text: &str) -> Result<Self, Problems> {
        let scenario = Decoder::read_document(text, Self::decode)?;
        let problems = names::check(&scenario);
        if problems.is_empty() {
            Ok(scenario)
        } else {
            Err(problems)
        }
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
        let row = Self {
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
        };
        if let Some((key, kind)) = build::claim(&row).problem() {
            d.note_member(key, kind);
            return Ok(None);
        }
        Ok(Some(row))
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
        if let Some((key, kind)) = build::view(&row).problem() {
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
