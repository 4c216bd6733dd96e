//! A receipt's tabs as plain lines: the same writers, without a terminal.

use super::app::state::Tab;
use super::glyphs::Glyphs;
use super::keymap::Keymap;
use super::look::Look;
use super::panes::{Pane, detail};
use super::theme::{Depth, Palette, Theme};
use super::work::Explained;

/// What a page makes, at a width in cells, with a theme and the default keys.
pub fn on_page<T>(
    theme: &Theme,
    glyphs: &'static Glyphs,
    width: usize,
    make: impl FnOnce(&Pane<'_>) -> T,
) -> T {
    let look = Look {
        palette: Palette::new(theme, Depth::None),
        glyphs,
    };
    let keymap = Keymap::default();
    make(&Pane {
        look: &look,
        width,
        unfolded: true,
        keymap: &keymap,
    })
}

/// Every tab's title and lines, at a width in cells.
#[must_use]
pub fn tabs(
    explained: &Explained,
    theme: &Theme,
    glyphs: &'static Glyphs,
    width: usize,
) -> Vec<(&'static str, Vec<String>)> {
    on_page(theme, glyphs, width, |pane| every_tab(pane, explained))
}

fn every_tab(pane: &Pane<'_>, explained: &Explained) -> Vec<(&'static str, Vec<String>)> {
    Tab::ALL
        .iter()
        .map(|tab| {
            let lines = detail(pane, *tab, explained);
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
