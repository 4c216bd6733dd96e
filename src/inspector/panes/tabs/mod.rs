//! The tabs of a receipt's detail, each a list of lines made from the receipt and its trace.

mod write;

use ratatui::text::Line;

use super::Pane;
use crate::inspector::app::state::Tab;
use crate::inspector::work::Explained;
use write::Page;

/// The lines of a tab.
pub fn lines(pane: &Pane<'_>, tab: Tab, explained: &Explained) -> Vec<Line<'static>> {
    let mut page = Page::new(pane);
    match tab {
        _ => page.text(
            crate::inspector::theme::Role::Muted,
            &explained.receipt.id.to_string(),
        ),
    }
    page.finish()
}
