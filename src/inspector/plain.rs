//! A receipt's tabs as plain lines: the same writers, without a terminal.

use super::app::state::Tab;
use super::glyphs::Glyphs;
use super::keymap::Keymap;
use super::look::Look;
use super::panes::{Pane, detail};
use super::theme::{Depth, Palette, Theme};
use super::work::Explained;

/// Every tab's title and lines, at a width in cells.
#[must_use]
pub fn tabs(
    explained: &Explained,
    theme: &Theme,
    glyphs: &'static Glyphs,
    width: usize,
) -> Vec<(&'static str, Vec<String>)> {
    let look = Look {
        palette: Palette::new(theme, Depth::None),
        glyphs,
    };
    let keymap = Keymap::default();
    let pane = Pane {
        look: &look,
        width,
        unfolded: true,
        keymap: &keymap,
    };
    Tab::ALL
        .iter()
        .map(|tab| {
            let lines = detail(&pane, *tab, explained);
            let text = |line: ratatui::text::Line<'_>| {
                line.spans
                    .iter()
                    .map(|span| span.content.as_ref())
                    .collect::<String>()
                    .trim_end()
                    .to_owned()
            };
            (tab.title(), lines.into_iter().map(text).collect())
        })
        .collect()
}
