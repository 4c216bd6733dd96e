//! Lines being written for a tab: headings, wrapped text, aligned pairs.

use ratatui::text::{Line, Span};

use crate::inspector::glyphs::Glyphs;
use crate::inspector::look::Look;
use crate::inspector::panes::Pane;
use crate::inspector::text::{Align, fit, wrap};
use crate::inspector::theme::Role;

/// Lines being written.
pub struct Page<'a> {
    /// What they are made with.
    pub pane: &'a Pane<'a>,
    lines: Vec<Line<'static>>,
}

/// Cells the names of pairs take.
const NAME: usize = 16;

impl<'a> Page<'a> {
    /// An empty page.
    pub const fn new(pane: &'a Pane<'a>) -> Self {
        Self {
            pane,
            lines: Vec::new(),
        }
    }

    /// How things look.
    pub const fn look(&self) -> &'a Look {
        self.pane.look
    }

    /// The glyphs.
    pub const fn glyphs(&self) -> &'static Glyphs {
        self.pane.look.glyphs
    }

    /// How many lines there are.
    pub const fn len(&self) -> usize {
        self.lines.len()
    }

    /// Whether there is none.
    pub const fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// The lines.
    pub fn finish(self) -> Vec<Line<'static>> {
        self.lines
    }

    /// A line of spans.
    pub fn line(&mut self, spans: Vec<Span<'static>>) {
        self.lines.push(Line::from(spans));
    }

    /// An empty line, never two and never first.
    pub fn gap(&mut self) {
        if self.lines.last().is_some_and(|line| !line.spans.is_empty()) {
            self.lines.push(Line::default());
        }
    }

    /// A heading with a line before it.
    pub fn heading(&mut self, text: &str) {
        self.gap();
        self.line(vec![self.look().span(Role::Heading, text.to_owned())]);
    }

    /// A text over as many lines as it takes.
    pub fn text(&mut self, role: Role, text: &str) {
        self.indented(0, role, text);
    }

    /// A text over as many lines as it takes, each after so many spaces.
    pub fn indented(&mut self, spaces: usize, role: Role, text: &str) {
        for line in wrap(text, self.pane.width.saturating_sub(spaces)) {
            self.line(vec![
                Span::raw(" ".repeat(spaces)),
                self.look().span(role, line),
            ]);
        }
    }

    /// A text after a mark, its further lines under its first.
    pub fn item(&mut self, mark_role: Role, mark: &str, role: Role, text: &str) {
        self.item_at(0, mark_role, mark, role, text);
    }

    /// A text after a mark after so many spaces, its further lines under its first.
    pub fn item_at(&mut self, spaces: usize, mark_role: Role, mark: &str, role: Role, text: &str) {
        let room = self.pane.width.saturating_sub(spaces + 2);
        for (place, line) in wrap(text, room).into_iter().enumerate() {
            let mark = if place == 0 {
                format!("{mark} ")
            } else {
                "  ".to_owned()
            };
            self.line(vec![
                Span::raw(" ".repeat(spaces)),
                self.look().span(mark_role, mark),
                self.look().span(role, line),
            ]);
        }
    }

    /// A name and its value, the value's further lines under its first.
    pub fn pair(&mut self, name: &str, role: Role, value: &str) {
        let name_cells = NAME.min(self.pane.width / 3);
        let room = self.pane.width.saturating_sub(name_cells);
        for (place, line) in wrap(value, room).into_iter().enumerate() {
            let name = fit(
                if place == 0 { name } else { "" },
                name_cells,
                Align::Left,
                self.glyphs().cut,
            );
            self.line(vec![
                self.look().span(Role::Muted, name),
                self.look().span(role, line),
            ]);
        }
    }
}
