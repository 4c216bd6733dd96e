//! What an event of a worked example does to its receipt (§8).

use attest_grading::model::{Receipt, ReceiptState};
use attest_grading::reason_text::reason_text;
use attest_grading::scenario::format::{Event, EventKind};

use super::pages::Example;
use crate::inspector::look::{grade_role, grade_word};
use crate::inspector::panes::tabs::write::Page;
use crate::inspector::text::shown;
use crate::inspector::theme::Role;

/// Writes the page of an event.
pub fn write(page: &mut Page<'_>, example: &Example<'_>, place: usize) {
    let events = &example.scenario.events;
    let (Some(event), Some(applied)) = (events.get(place), example.walk.outcome.events.get(place))
    else {
        return;
    };
    page.pair(
        "event",
        Role::Text,
        &format!("{} of {}", place + 1, events.len()),
    );
    page.pair("receipt of", Role::Text, &shown(&event.name));
    for (name, text) in told(example, event) {
        page.pair(name, Role::Text, &text);
    }
    page.gap();
    let glyphs = page.glyphs();
    match (applied.refused, event.rejected) {
        (None, _) => page.item(Role::Good, glyphs.yes, Role::Text, "accepted"),
        (Some(code), true) => {
            let text = format!("refused, as it must be: {code}");
            page.item(Role::Good, glyphs.no, Role::Text, &text);
        }
        (Some(code), false) => {
            let text = format!("refused: {code}");
            page.item(Role::Bad, glyphs.no, Role::Text, &text);
        }
    }
    if applied.before == applied.after {
        page.heading("The receipt, unchanged");
        match &applied.after {
            Some(receipt) => write_receipt(page, example, receipt),
            None => page.text(Role::Muted, "There is none."),
        }
        return;
    }
    for (title, receipt) in [("Before", &applied.before), ("After", &applied.after)] {
        page.heading(title);
        match receipt {
            Some(receipt) => write_receipt(page, example, receipt),
            None => page.text(Role::Muted, "There is no receipt."),
        }
    }
}

/// What the file says of an event.
fn told(example: &Example<'_>, event: &Event) -> Vec<(&'static str, String)> {
    let clock = example.clock();
    match &event.kind {
        EventKind::Override { grade, reason, at } => vec![
            ("override", grade_word(grade.grade()).to_owned()),
            ("reason", shown(reason).into_owned()),
            ("at", clock.at(at.instant())),
        ],
        EventKind::Revert { at } => vec![("revert at", clock.at(at.instant()))],
        EventKind::Supersede { claim } => vec![("superseded by", shown(claim).into_owned())],
        EventKind::Regrade { at, deleted } => {
            let mut told = vec![("next batch at", clock.at(at.instant()))];
            if *deleted {
                told.push(("", "which no longer yields the receipt".to_owned()));
            }
            told
        }
    }
}

/// Writes a receipt as it stands. A placeholder is no grade (§2).
pub fn write_receipt(page: &mut Page<'_>, example: &Example<'_>, receipt: &Receipt) {
    let clock = example.clock();
    match receipt.state {
        ReceiptState::Pending => page.pair("grade", Role::Checking, "checking"),
        _ => {
            let grade = receipt.counted_grade().unwrap_or(receipt.grade);
            let role = grade_role(grade);
            page.pair("grade", role, grade_word(grade));
        }
    }
    page.pair("rule", Role::Text, &shown(receipt.rule_id.as_str()));
    page.pair("state", Role::Text, receipt.state.as_str());
    let evidence: Vec<String> = receipt
        .observation_ids
        .iter()
        .map(|id| example.name(*id))
        .collect();
    let evidence = if evidence.is_empty() {
        "none".to_owned()
    } else {
        evidence.join(", ")
    };
    page.pair("evidence", Role::Text, &evidence);
    if let Some(from) = &receipt.final_from {
        page.pair("final from", Role::Text, &clock.at(from.instant()));
    }
    if let Some(user) = &receipt.user_override {
        let text = format!(
            "{} at {}: {}",
            grade_word(user.grade.grade()),
            clock.at(user.at.instant()),
            shown(&user.reason)
        );
        page.pair("override", Role::Overridden, &text);
    }
    for entry in &receipt.reverted {
        let text = format!(
            "{}, taken back {}",
            grade_word(entry.grade.grade()),
            clock.at(entry.reverted_at.instant())
        );
        page.pair("reverted", Role::Muted, &text);
    }
    if let Some(claim) = receipt.superseded_by {
        page.pair("superseded by", Role::Warning, &example.name(claim));
    }
    for reason in &receipt.reasons {
        let text = format!(
            "{}: {}",
            reason.code(),
            reason_text(reason, receipt.claim_id.is_some())
        );
        page.pair("reason", Role::Muted, &text);
    }
}
