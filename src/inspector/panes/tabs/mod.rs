//! The tabs of a receipt's detail, each a list of lines made from the receipt and its trace.

pub mod arithmetic;
pub mod format;
mod inputs;
mod preview;
pub mod rules;
mod state;
pub mod why;
pub mod write;

use ratatui::text::Line;

use super::Pane;
use crate::inspector::app::state::Tab;
use crate::inspector::screens::timeline::tab as timeline;
use crate::inspector::theme::Role;
use crate::inspector::work::{Explained, Opened, Preview};
use write::Page;

/// What a ledger would say at another instant.
pub fn preview(
    pane: &Pane<'_>,
    explained: &Explained,
    opened: &Opened,
    preview: &Preview,
) -> Vec<Line<'static>> {
    let mut page = Page::new(pane);
    preview::write(&mut page, &explained.receipt, opened, preview);
    page.finish()
}

/// The lines of a tab.
pub fn lines(pane: &Pane<'_>, tab: Tab, explained: &Explained) -> Vec<Line<'static>> {
    let mut page = Page::new(pane);
    match (&explained.trace, tab) {
        (_, Tab::Why) => why::write(&mut page, explained),
        (_, Tab::State) => state::write(&mut page, explained),
        (Ok(trace), Tab::Arithmetic) => arithmetic::write(&mut page, trace),
        (Ok(trace), Tab::Rules) => rules::write(&mut page, trace),
        (Ok(trace), Tab::Timeline) => timeline::write(&mut page, trace),
        (Ok(trace), Tab::Inputs) => inputs::write(&mut page, trace),
        (Err(why), _) => page.text(Role::Warning, why),
    }
    page.finish()
}
