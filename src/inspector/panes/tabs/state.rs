//! *State*: the machine a receipt lives in (§8), its place there, what happened to it, and what
//! each event would do now.

use attest_grading::ledger::state::{EventKind, knows};
use attest_grading::model::limits;
use attest_grading::model::{BaseState, Instant, OverrideGrade, Receipt, ReceiptState};

use super::format::Clock;
use super::why::waits;
use super::write::Page;
use crate::inspector::action::Action;
use crate::inspector::look::grade_word;
use crate::inspector::row::Standing;
use crate::inspector::text::shown;
use crate::inspector::theme::Role;
use crate::inspector::work::Explained;

/// Cells from one column of the drawing to the next.
const COLUMN: usize = 30;

/// Writes the tab.
pub fn write(page: &mut Page<'_>, explained: &Explained) {
    let receipt = &explained.receipt;
    draw_machine(page, receipt);
    write_place(page, explained);
    write_history(page, receipt);
    write_events(page, receipt);
}

/// The states, each after the cursor's mark where the receipt is.
fn draw_machine(page: &mut Page<'_>, receipt: &Receipt) {
    let look = page.look();
    let glyphs = page.glyphs();
    let (state, base) = (receipt.state, receipt.base_state());
    let overridden = state == ReceiptState::UserOverridden;
    let at = |here: bool, mark: &str, name: &str| {
        let cursor = if here { glyphs.cursor } else { " " };
        let role = if here { Role::Accent } else { Role::Muted };
        (role, format!("{cursor} {mark} {name}"))
    };
    let pending = at(
        state == ReceiptState::Pending,
        glyphs.checking,
        ReceiptState::Pending.as_str(),
    );
    let settled = at(
        state == ReceiptState::Final,
        glyphs.settled,
        ReceiptState::Final.as_str(),
    );
    let name = ReceiptState::UserOverridden.as_str();
    let from_pending = at(
        overridden && base == BaseState::Pending,
        glyphs.overridden,
        name,
    );
    let from_final = at(
        overridden && base == BaseState::Final,
        glyphs.overridden,
        name,
    );

    let (role, text) = pending;
    let used = text.chars().count();
    let graded = " regrade ";
    let lines = COLUMN.saturating_sub(used + graded.len() + 4);
    let road = format!(
        " {}{graded}{}{} ",
        glyphs.rule.repeat(lines / 2),
        glyphs.rule.repeat(lines - lines / 2),
        glyphs.arrow
    );
    let gap = COLUMN.saturating_sub(used + road.chars().count());
    page.line(vec![
        look.span(role, text),
        look.span(Role::Border, format!("{road}{}", " ".repeat(gap))),
        look.span(settled.0, settled.1),
    ]);
    let pair = |text: String| format!("{text:<COLUMN$}{text}");
    for text in [
        format!("  {}         {}", glyphs.vertical, glyphs.ascending),
        "  override  revert".to_owned(),
        format!("  {}         {}", glyphs.descending, glyphs.vertical),
    ] {
        page.line(vec![look.span(Role::Border, pair(text))]);
    }
    let (role, text) = from_pending;
    page.line(vec![
        look.span(role, format!("{text:<COLUMN$}")),
        look.span(from_final.0, from_final.1),
    ]);
}

fn write_place(page: &mut Page<'_>, explained: &Explained) {
    let receipt = &explained.receipt;
    let clock = Clock::of(&receipt.computed_at);
    page.gap();
    let standing = Standing::of(receipt);
    match standing {
        Standing::Checking => {
            page.text(Role::Checking, "It is checking, and has no grade yet.");
            let waiting = explained.trace.as_ref().ok().map(|trace| trace.finality.waiting);
            for text in waits(receipt, waiting, clock) {
                page.text(Role::Text, &text);
            }
        }
        Standing::Kept => page.text(
            Role::Text,
            "It is kept: no batch grades it any more, and it stays for the overrides that were taken back.",
        ),
        Standing::Final => page.text(
            Role::Text,
            &format!("It is final, as {}.", grade_word(receipt.grade)),
        ),
        Standing::Overridden => {
            if let Some(user) = &receipt.user_override {
                let back = user.previous_state.state();
                let text = format!(
                    "Your word stands: it counts as {}. Taken back, it is {} again.",
                    grade_word(user.grade.grade()),
                    back.as_str()
                );
                page.text(Role::Text, &text);
            }
            if let Some(from) = &receipt.final_from {
                let text = format!(
                    "After that a grading can make it final from {} {}.",
                    clock.at(from.instant()),
                    clock.zone()
                );
                page.text(Role::Text, &text);
            }
        }
    }
    if let Some(claim) = receipt.superseded_by {
        let mark = page.glyphs().yes;
        let text = format!("superseded: claim {claim} explains the action after all");
        page.item(Role::Warning, mark, Role::Text, &text);
    }
}

fn write_history(page: &mut Page<'_>, receipt: &Receipt) {
    page.heading("History");
    let clock = Clock::of(&receipt.computed_at);
    let mark = page.glyphs().dot;
    for (at, text) in history(receipt) {
        let text = format!("{} {}  {text}", clock.at(at), clock.zone());
        page.item(Role::Muted, mark, Role::Text, &text);
    }
    if receipt.superseded_by.is_some() {
        let text = "superseded by a claim; the receipt does not keep when";
        page.item(Role::Muted, mark, Role::Text, text);
    }
}

/// What happened to a receipt, as far as it remembers, the earliest first.
fn history(receipt: &Receipt) -> Vec<(Instant, String)> {
    let mut gradings: Vec<(Instant, String)> = Vec::new();
    let mut events: Vec<(Instant, String)> = Vec::new();
    let now = receipt.computed_at.instant();
    for entry in &receipt.reverted {
        let computed = entry.computed_at.instant();
        if computed != now && gradings.iter().all(|(at, _)| *at != computed) {
            let state = entry.previous_state.state().as_str();
            gradings.push((computed, format!("graded: {state}")));
        }
        let said = said(receipt, entry.grade);
        events.push((entry.at.instant(), format!("overridden: you said {said}")));
        events.push((
            entry.reverted_at.instant(),
            "reverted: you took it back".to_owned(),
        ));
    }
    gradings.push((
        now,
        match receipt.base_state() {
            BaseState::Pending if receipt.is_kept() => "graded: PENDING, now kept".to_owned(),
            BaseState::Pending => "graded: PENDING, checking".to_owned(),
            BaseState::Final => format!("graded: FINAL, {}", grade_word(receipt.grade)),
        },
    ));
    if let Some(user) = &receipt.user_override {
        let text = format!(
            "overridden: you said {}: {}",
            said(receipt, user.grade),
            shown(&user.reason)
        );
        events.push((user.at.instant(), text));
    }
    // At one instant the grading came first: an override is never before it (§8).
    gradings.extend(events);
    gradings.sort_by_key(|(at, _)| *at);
    gradings
}

/// What a person's word says of this receipt (§8).
const fn said(receipt: &Receipt, grade: OverrideGrade) -> &'static str {
    match (grade, receipt.claim_id.is_some()) {
        (OverrideGrade::Verified, true) => "that it happened",
        (OverrideGrade::NotFound, true) => "that it did not happen",
        (OverrideGrade::Verified, false) => "that an agent did it",
        (OverrideGrade::NotFound, false) => "that no agent did it",
    }
}

fn write_events(page: &mut Page<'_>, receipt: &Receipt) {
    page.heading("Events now");
    for &kind in EventKind::ALL {
        let refused = knows(receipt, kind).err().map(|error| error.to_string());
        let full = kind == EventKind::Revert && receipt.reverted.len() >= limits::REASONS;
        let refused = refused.or_else(|| {
            full.then(|| {
                format!(
                    "a receipt keeps at most {} reverted overrides",
                    limits::REASONS
                )
            })
        });
        let (role, mark, text) = match refused {
            None => (Role::Good, page.glyphs().yes, outcome(receipt, kind)),
            Some(why) => (Role::Bad, page.glyphs().no, why),
        };
        let action = match kind {
            EventKind::Override => Some(Action::Override),
            EventKind::Revert => Some(Action::Revert),
            // Batches bring these about, and no key.
            EventKind::Regrade | EventKind::Supersede => None,
        };
        let key = action.and_then(|action| page.pane.keymap.keys(action).first());
        let key = key.map(ToString::to_string).unwrap_or_default();
        let text = format!("{:<10} {key:<2} {text}", kind.as_str());
        page.item(role, mark, Role::Text, &text);
    }
}

/// What an event the state knows would do.
fn outcome(receipt: &Receipt, kind: EventKind) -> String {
    match kind {
        EventKind::Regrade if receipt.is_kept() => {
            "allowed, but no batch grades what is only kept".to_owned()
        }
        EventKind::Regrade if receipt.reverted.is_empty() => {
            "a later batch grades it: final, or still checking".to_owned()
        }
        EventKind::Regrade => {
            "a later batch grades it, at no instant an override held: final, or still checking"
                .to_owned()
        }
        EventKind::Override => format!(
            "you can say {}, or {}; it counts at once",
            said(receipt, OverrideGrade::Verified),
            said(receipt, OverrideGrade::NotFound)
        ),
        EventKind::Revert => format!(
            "the word no longer counts, and it is {} again",
            receipt.base_state().state().as_str()
        ),
        EventKind::Supersede => {
            "a final claim that explains the action marks it; the state stays".to_owned()
        }
    }
}
