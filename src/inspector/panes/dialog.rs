//! A question with a few answers, one a line, the harmless one chosen first.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::inspector::app::App;
use crate::inspector::app::draw::clear;
use crate::inspector::app::layout::centered;
use crate::inspector::app::overlay::Dialog;
use crate::inspector::text::wrap;
use crate::inspector::theme::Role;
use crate::inspector::widgets::panel::{Panel, draw_line, draw_lines, draw_scroll_bar, paint};

/// Cells a question has at most.
const WIDTH: u16 = 78;

/// Everything said, wrapped for a terminal of this size.
fn wrapped(size: (u16, u16), dialog: &Dialog) -> Vec<(Role, String)> {
    let room = usize::from(WIDTH.min(size.0.saturating_sub(4)).saturating_sub(4)).max(1);
    dialog
        .lines
        .iter()
        .flat_map(|(role, text)| wrap(text, room).into_iter().map(|line| (*role, line)))
        .collect()
}

/// The answers of a question, as lines.
fn answers(dialog: &Dialog) -> u16 {
    u16::try_from(dialog.buttons.len()).unwrap_or(1)
}

/// How many lines are said, and how many of them have room: the answers have it first.
pub fn lines_and_room(size: (u16, u16), dialog: &Dialog) -> (usize, usize) {
    let height = size.1.saturating_sub(2);
    let room = height.saturating_sub(answers(dialog).saturating_add(3));
    (wrapped(size, dialog).len(), usize::from(room))
}

/// Draws the question.
pub fn draw(app: &App, dialog: &Dialog, buffer: &mut Buffer) {
    let look = &app.look;
    let lines: Vec<Line<'_>> = wrapped(app.size, dialog)
        .into_iter()
        .map(|(role, line)| Line::styled(line, look.style(role)))
        .collect();
    let answers = answers(dialog);
    let said = u16::try_from(lines.len()).unwrap_or(u16::MAX);
    let area = centered(app, WIDTH, said.saturating_add(answers + 3));
    clear(app, area, buffer);
    let inner = Panel {
        title: Line::styled(dialog.title.clone(), look.style(Role::Heading)),
        note: Line::default(),
        focused: true,
    }
    .draw(look, area, buffer);
    let first = inner.bottom().saturating_sub(answers);
    let text = Rect {
        x: inner.x + 1,
        width: inner.width.saturating_sub(2),
        height: first.saturating_sub(inner.y + 1),
        ..inner
    };
    draw_lines(&lines, dialog.scroll.top, look, text, buffer);
    draw_scroll_bar(
        dialog.scroll.top,
        lines.len(),
        usize::from(text.height),
        look,
        Rect {
            height: text.height + 2,
            ..area
        },
        buffer,
    );
    for ((place, button), y) in dialog.buttons.iter().enumerate().zip(first..inner.bottom()) {
        let chosen = place == dialog.at;
        let row = Rect {
            y,
            height: 1,
            ..inner
        };
        let line = Line::from(vec![
            Span::raw(if chosen { look.glyphs.cursor } else { " " }),
            Span::raw(" "),
            look.span(Role::Text, button.label.clone()),
        ]);
        draw_line(&line, look, row, buffer);
        if chosen {
            paint(Role::Selection, look, row, buffer);
        }
    }
}
