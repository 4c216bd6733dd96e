//! `override`, `revert` and `journal`: a person's events on a stored ledger.

use std::path::Path;

use attest_canon::Id;
use attest_grading::ledger::Event;
use attest_grading::model::{OverrideGrade, Receipt};

use crate::inspector::text::counted;
use crate::store::{EventError, Session, StoredEvent};

use super::json::{entity, line};
use super::{Outcome, complain, now, print, receipt_ids, shown};

/// Says what a receipt really is, and saves.
pub(super) fn say(
    ledger: &Path,
    name: &str,
    grade: OverrideGrade,
    reason: &str,
    json: bool,
) -> Outcome {
    let mut session = open(ledger)?;
    let id = find(&session, ledger, name)?;
    let outcome = session.say(id, grade, reason, now());
    settle(
        session,
        ledger,
        id,
        outcome.map(|at| format!("{grade} since {at}")),
        json,
    )
}

/// Takes a person's word back, and saves.
pub(super) fn take_back(ledger: &Path, name: &str, even_if_held: bool, json: bool) -> Outcome {
    let mut session = open(ledger)?;
    let id = find(&session, ledger, name)?;
    let outcome = session.take_back(id, even_if_held, now());
    settle(
        session,
        ledger,
        id,
        outcome.map(|at| format!("reverted at {at}")),
        json,
    )
}

/// Shows, saves or gives up what an earlier run left behind.
pub(super) fn journal(ledger: &Path, apply: bool, discard: bool) -> Outcome {
    let mut session = open(ledger)?;
    let name = shown(ledger);
    if session.left().is_empty() {
        return print(&format!("{name}: no events wait\n"));
    }
    if discard {
        let count = session.left().len();
        session.give_up().map_err(|error| error.to_string())?;
        return print(&format!(
            "{name}: {} given up\n",
            counted(count, "event", "events")
        ));
    }
    if apply {
        let count = session.left().len();
        let refused = session.take_up().map_err(|error| error.to_string())?;
        for error in &refused {
            complain(&format!("{name}: {error}"));
        }
        session.save().map_err(|error| error.to_string())?;
        let taken = count.saturating_sub(refused.len());
        return print(&format!(
            "{name}: {taken} of {} saved\n",
            counted(count, "event", "events")
        ));
    }
    let mut out = String::new();
    for StoredEvent { receipt, event } in session.left() {
        let what = match event {
            Event::Override { grade, at, .. } => format!("override {grade} at {at}"),
            Event::Revert { at } => format!("revert at {at}"),
            Event::Regrade(_) | Event::Supersede { .. } => continue,
        };
        out.push_str(&format!("{receipt}  {what}\n"));
    }
    if !session.left_fits() {
        complain(&format!(
            "{name}: was changed since these events were accepted"
        ));
    }
    out.push_str("save them with --apply, give them up with --discard\n");
    print(&out)
}

fn open(ledger: &Path) -> Result<Session, String> {
    Session::open(ledger).map_err(|error| error.to_string())
}

/// The stored receipt a name means.
fn find(session: &Session, ledger: &Path, name: &str) -> Result<Id, String> {
    let ids = Id::parse(name).map(receipt_ids);
    let held = |receipt: &&Receipt| ids.is_some_and(|ids| ids.contains(&receipt.id));
    let found = session.ledger().receipts.iter().find(held);
    found
        .map(|receipt| receipt.id)
        .ok_or_else(|| format!("{}: no such receipt is stored", shown(ledger)))
}

/// Saves what was accepted; says what was refused, and how to go on.
fn settle(
    mut session: Session,
    ledger: &Path,
    id: Id,
    outcome: Result<String, EventError>,
    json: bool,
) -> Outcome {
    let name = shown(ledger);
    let said = outcome.map_err(|error| {
        let way = match error {
            EventError::Waiting(_) => "; see attest-tui journal",
            EventError::EvidenceHeld(..) => "; --even-if-held reverts all the same",
            _ => "",
        };
        format!("{name}: {error}{way}")
    })?;
    session.save().map_err(|error| error.to_string())?;
    if !json {
        return print(&format!("{id}  {said}\n"));
    }
    let receipts = &session.ledger().receipts;
    let receipt = receipts.iter().find(|receipt| receipt.id == id);
    print(&receipt.map_or_else(String::new, |receipt| line(&entity(receipt))))
}
