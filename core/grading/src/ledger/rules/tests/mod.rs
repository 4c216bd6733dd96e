#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects
)]

mod calendar;
mod clock;
mod coverage;
mod lifecycle;
mod rows;
mod worlds;

use attest_canon::{Digest, Id, sha256};

use super::{CalendarEvent, CalendarView, GrantChoice, Keeper, MailPass};
use crate::ledger::Ledger;
use crate::model::{
    ActionType, AgentId, Claim, Instant, IsoTs, Observation, ObserverCoverage, Precision, Source,
    Token,
};

pub(in crate::ledger) const MINUTE: i64 = 60_000;
pub(in crate::ledger) const DAY: i64 = 1440 * MINUTE;
/// 2026-10-06T14:00:00-04:00
const START: i64 = 1_791_309_600_000;

/// An instant some minutes after the start of every test.
pub(in crate::ledger) fn at(minutes: i64) -> IsoTs {
    ms(minutes * MINUTE)
}

/// An instant some milliseconds after the start of every test.
pub(in crate::ledger) fn ms(milliseconds: i64) -> IsoTs {
    IsoTs::computed(Instant::from_ms(START + milliseconds), -240)
}

pub(in crate::ledger) fn hash(name: &str) -> Digest {
    sha256(name.as_bytes())
}

pub(in crate::ledger) fn claim(name: &str, sighted: IsoTs) -> Claim {
    let raw_hash = hash(name);
    Claim {
        id: Id::from_digest(&raw_hash),
        request_id: None,
        agent: AgentId::Muse,
        action: ActionType::EmailSent,
        counterparty: Some("priya@company.com".into()),
        amount: None,
        currency: None,
        subject_hint: Some(name.into()),
        claimed_at: sighted,
        precision: Precision::Minute,
        claimed_at_end: None,
        target_at: None,
        observed_at: sighted,
        source_kind: Token::activity_view(),
        extractor: None,
        raw_hash,
    }
}

pub(in crate::ledger) fn sent(name: &str, occurred: IsoTs, sighted: IsoTs) -> Observation {
    hashed(Observation {
        id: Id::from_digest(&hash(name)),
        source: Source::GmailSent,
        action: ActionType::EmailSent,
        occurred_at: occurred,
        observed_at: sighted,
        sighted_at: None,
        counterparty: Some("priya@company.com".into()),
        merchant: None,
        amount: None,
        currency: None,
        subject_hint: Some(name.into()),
        row_key_hash: Some(hash(name)),
        content_hash: hash(name),
    })
}

pub(in crate::ledger) fn hashed(mut row: Observation) -> Observation {
    row.content_hash = row.computed_content_hash();
    row.id = Id::from_digest(&row.content_hash);
    row
}

/// The head of a sent list.
pub(in crate::ledger) fn head(from: IsoTs, synced: IsoTs) -> ObserverCoverage {
    ObserverCoverage {
        observer_id: Token::of_source(Source::GmailSent),
        source: Source::GmailSent,
        last_sync_at: synced,
        window_start: from,
        window_end: synced,
        account_hash: Some(hash("acct-a")),
        all_calendars: None,
        changes_since: None,
    }
}

pub(in crate::ledger) fn mail(rows: Vec<Observation>, coverage: Vec<ObserverCoverage>) -> MailPass {
    MailPass {
        source: Source::GmailSent,
        rows,
        coverage,
    }
}

pub(in crate::ledger) fn event(name: &str, starts_at: IsoTs) -> CalendarEvent {
    CalendarEvent {
        row_key_hash: hash(name),
        starts_at,
        subject_hint: Some(name.into()),
        counterparty: None,
    }
}

/// A look at the week around the start.
pub(in crate::ledger) fn look(read_at: IsoTs, events: Vec<CalendarEvent>) -> CalendarView {
    CalendarView {
        observer_id: Token::of_source(Source::GcalEvent),
        account_hash: Some(hash("acct-a")),
        all_calendars: Some(true),
        shown: None,
        read_at,
        windows: vec![(ms(-3 * DAY), ms(4 * DAY))],
        events,
    }
}

pub(in crate::ledger) fn anything() -> GrantChoice {
    GrantChoice {
        allowed_types: ActionType::ALL.to_vec(),
        counterparty_allowlist: Vec::new(),
        spend_ceiling: None,
        declared_scopes: Vec::new(),
    }
}

/// A keeper whose agent has a grant.
pub(in crate::ledger) fn keeper() -> Keeper {
    let mut keeper = Keeper::new(Ledger::default());
    keeper
        .save_grant(AgentId::Muse, anything(), at(-60))
        .unwrap();
    keeper
}

/// Runs what must be refused, and checks that the ledger is byte-identical.
pub(in crate::ledger) fn refused<T: core::fmt::Debug, E: core::fmt::Debug>(
    keeper: &mut Keeper,
    run: impl FnOnce(&mut Keeper) -> Result<T, E>,
) -> E {
    let before = keeper.ledger().to_text();
    let error = run(keeper).unwrap_err();
    assert_eq!(keeper.ledger().to_text(), before, "{error:?}");
    error
}
