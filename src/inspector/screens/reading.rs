//! What most screens are made of: a list beside a page of lines, and the page itself.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;

use crate::inspector::app::layout::inner;
use crate::inspector::look::Look;
use crate::inspector::panes::tabs::write::Page;
use crate::inspector::text::{Align, fit, wrap};
use crate::inspector::theme::Role;
use crate::inspector::widgets::cursor::Scroll;
use crate::inspector::widgets::panel::{Panel, draw_lines, draw_scroll_bar};

/// Where the lines of a page stand within its frame: a cell from either edge.
pub const fn page_lines(area: Rect) -> Rect {
    let inner = inner(area);
    Rect {
        x: inner.x + 1,
        width: inner.width.saturating_sub(2),
        ..inner
    }
}

/// A page of lines and the place in it.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    /// The lines.
    pub lines: Vec<Line<'static>>,
    /// The first line in view.
    pub scroll: Scroll,
}

impl Reading {
    /// Other lines, read from their first.
    pub fn turn(&mut self, lines: Vec<Line<'static>>) {
        self.lines = lines;
        self.scroll = Scroll::default();
    }

    /// Moves by a number of lines.
    pub fn step(&mut self, by: isize) {
        self.scroll.step(by);
    }

    /// Keeps the view full.
    pub fn settle(&mut self, area: Rect) {
        let height = usize::from(page_lines(area).height);
        self.scroll.settle(self.lines.len(), height);
    }

    /// Draws the page in its frame.
    pub fn draw(&self, panel: &Panel<'_>, look: &Look, area: Rect, buffer: &mut Buffer) {
        panel.draw(look, area, buffer);
        let lines = page_lines(area);
        draw_lines(&self.lines, self.scroll.top, look, lines, buffer);
        draw_scroll_bar(
            self.scroll.top,
            self.lines.len(),
            usize::from(lines.height),
            look,
            area,
            buffer,
        );
    }
}

/// Two texts beside each other, after a mark and a name.
#[derive(Clone, Copy, Debug)]
pub struct Beside<'a> {
    /// The mark and its role.
    pub mark: (Role, &'a str),
    /// What the texts are.
    pub name: &'a str,
    /// The cells of the name.
    pub name_cells: usize,
    /// The role of the texts.
    pub role: Role,
    /// The left one.
    pub left: &'a str,
    /// The right one.
    pub right: &'a str,
}

/// Writes two texts beside each other, each over as many lines as it takes.
pub fn write_beside(page: &mut Page<'_>, of: &Beside<'_>) {
    let look = page.look();
    let cut = look.glyphs.cut;
    let room = page.pane.width.saturating_sub(of.name_cells + 3) / 2;
    let (left, right) = (wrap(of.left, room), wrap(of.right, room));
    for place in 0..left.len().max(right.len()) {
        let side = |side: &[String]| side.get(place).cloned().unwrap_or_default();
        let (mark, name) = if place == 0 {
            (of.mark.1, of.name)
        } else {
            (" ", "")
        };
        page.line(vec![
            look.span(of.mark.0, format!("{mark} ")),
            look.span(Role::Muted, fit(name, of.name_cells, Align::Left, cut)),
            look.span(of.role, fit(&side(&left), room, Align::Left, cut)),
            look.span(of.role, format!(" {}", side(&right))),
        ]);
    }
}

/// Lines as plain text, as they are printed without a terminal.
pub fn plain_lines(lines: Vec<Line<'_>>) -> Vec<String> {
    let text = |line: Line<'_>| line.to_string().trim_end().to_owned();
    lines.into_iter().map(text).collect()
}
