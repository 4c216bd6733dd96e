//! What a ledger would say at another instant: above the State of a receipt, marked as a preview.

use std::collections::BTreeMap;

use attest_grading::model::Receipt;

use super::format::Clock;
use super::write::Page;
use crate::inspector::action::Action;
use crate::inspector::row::Row;
use crate::inspector::theme::Role;
use crate::inspector::work::{Flip, Opened, Preview, Verdict};

/// The most receipts listed that say something else at another instant.
const MOST_FLIPS: usize = 200;

/// Where the ledger is shown at another instant: that it is a preview, and what would flip.
pub fn write(page: &mut Page<'_>, receipt: &Receipt, opened: &Opened, preview: &Preview) {
    let clock = Clock::of(&preview.at);
    let text = format!(
        "Preview at {} {}: nothing here stands, and nothing of it is saved.",
        clock.at(preview.at.instant()),
        clock.zone()
    );
    page.text(Role::Warning, &text);
    let key = page.pane.keymap.keys(Action::Now).first();
    if let Some(key) = key {
        page.text(Role::Muted, &format!("{key} shows what stands."));
    }
    let count = preview.flips.len();
    if count == 0 {
        page.text(Role::Text, "No receipt says anything else then.");
        page.gap();
        return;
    }
    page.heading(&format!("What would flip: {count}"));
    let rows: BTreeMap<&str, &Row> = opened
        .rows
        .iter()
        .map(|row| (row.id.as_str(), row))
        .collect();
    let own = receipt.id.to_string();
    let (first, rest): (Vec<&Flip>, Vec<&Flip>) =
        preview.flips.iter().partition(|flip| flip.id == own);
    for flip in first.into_iter().chain(rest).take(MOST_FLIPS) {
        write_flip(
            page,
            flip,
            rows.get(flip.id.as_str()).copied(),
            flip.id == own,
        );
    }
    if count > MOST_FLIPS {
        page.text(Role::Muted, &format!("and {} more", count - MOST_FLIPS));
    }
    page.gap();
}

fn write_flip(page: &mut Page<'_>, flip: &Flip, row: Option<&Row>, is_own: bool) {
    let glyphs = page.glyphs();
    let word = |verdict: Option<Verdict>| verdict.map_or("not there", Verdict::word);
    let name = row.map_or_else(
        || flip.id.clone(),
        |row| {
            let action = row.action_word();
            let likely = if row.is_orphan { "likely " } else { "" };
            format!("{likely}{} {action} {}", row.agent, row.who)
        },
    );
    let text = format!(
        "{} {} {}  {name}",
        word(flip.now),
        glyphs.arrow,
        word(flip.then)
    );
    let mark = if is_own { glyphs.cursor } else { glyphs.dot };
    let role = if is_own { Role::Accent } else { Role::Muted };
    page.item(role, mark, Role::Text, &text);
}
