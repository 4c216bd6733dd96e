//! `--plain`: every receipt and why, as text: for screen readers and pipes.

use std::collections::{BTreeMap, BTreeSet};

use attest_canon::Id;
use attest_grading::decide::grade_batch;
use attest_grading::model::Receipt;
use attest_grading::reason_text::reason_text;

use crate::config;
use crate::desk::{Job, look};
use crate::inspector::app::state::ScreenName;
use crate::inspector::glyphs::UNICODE;
use crate::inspector::panes::Pane;
use crate::inspector::screens::policy::Proposal;
use crate::inspector::theme::{Background, Theme};
use crate::inspector::{self, screens};

use super::grade::verdict;
use super::{Outcome, complain, print};

/// Prints the stored receipts as they stand, and those the next batch would
/// add. A stored receipt stands as it is stored, also while it is checking.
pub(super) fn run(job: &Job, screen: ScreenName) -> Outcome {
    if screen != ScreenName::Receipts {
        return page(job, screen);
    }
    let opened = job.open()?;
    let ready = job.prepare(&opened)?;
    for warning in ready.next.warnings() {
        complain(&format!("{}: {warning}", job.name()));
    }
    let graded = grade_batch(ready.next.input(&ready.policy))
        .map_err(|error| format!("{}: {error}", job.name()))?;
    let stored = opened.receipts();
    let ids: BTreeSet<Id> = stored.iter().map(|receipt| receipt.id).collect();
    let mut out = String::new();
    for receipt in stored {
        write(&mut out, receipt, "");
    }
    for one in graded.iter().filter(|one| !ids.contains(&one.receipt.id)) {
        write(&mut out, &one.receipt, ", graded now and not stored");
    }
    print(&out)
}

/// Cells of a page.
const WIDTH: usize = 100;

/// Prints another screen.
fn page(job: &Job, screen: ScreenName) -> Outcome {
    if screen == ScreenName::Examples {
        return examples(None);
    }
    let opened = job.open()?;
    let lines = look(job, &opened, |facts, rows| {
        on_page(|pane| match screen {
            ScreenName::Review => Ok(screens::review::plain(facts, rows, pane)),
            ScreenName::Replay => screens::replay::plain(facts, pane),
            ScreenName::Timeline => screens::timeline::plain(facts, rows, pane),
            ScreenName::Policy => screens::policy::plain(facts, &Proposal::default(), pane),
            ScreenName::Receipts | ScreenName::Examples => Ok(Vec::new()),
        })
    })?;
    print_lines(lines?)
}

/// Prints the worked examples; of one, by its number, every step.
pub(super) fn examples(number: Option<u32>) -> Outcome {
    print_lines(on_page(|pane| screens::examples::plain(number, pane))?)
}

fn on_page<T>(make: impl FnOnce(&Pane<'_>) -> T) -> T {
    // Drawn with this theme, a page holds no colour at all; it is built in.
    let theme = config::built_in("monochrome");
    let theme = theme
        .unwrap_or_else(|| Theme::new("monochrome".to_owned(), Background::Any, BTreeMap::new()));
    inspector::plain::on_page(&theme, &UNICODE, WIDTH, make)
}

fn print_lines(lines: Vec<String>) -> Outcome {
    let mut out = lines.join("\n");
    out.push('\n');
    print(&out)
}

fn write(out: &mut String, receipt: &Receipt, note: &str) {
    let (id, agent, rule) = (receipt.id, receipt.agent, &receipt.rule_id);
    let verdict = verdict(receipt);
    out.push_str(&format!("{id}: {verdict}, {agent}, by rule {rule}{note}\n"));
    let claimed = receipt.claim_id.is_some();
    for reason in &receipt.reasons {
        out.push_str(&format!("  {}\n", reason_text(reason, claimed)));
    }
}
