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
use crate::inspector::widgets::panel::{Panel, draw_line, draw_lines, paint};

/// Cells a question has at most.
const WIDTH: u16 = 78;

/// Draws the question. Where there is not room for all that is said, the answers have it first.
pub fn draw(app: &App, dialog: &Dialog, buffer: &mut Buffer) {
    let look = &app.look;
    let room = usize::from(WIDTH.min(app.size.0.saturating_sub(4)).saturating_sub(4)).max(1);
    let lines: Vec<Line<'_>> = dialog
        .lines
        .iter()
        .flat_map(|(role, text)| {
            wrap(text, room)
                .into_iter()
                .map(|line| Line::styled(line, look.style(*role)))
        })
        .collect();
    let answers = u16::try_from(dialog.buttons.len()).unwrap_or(1);
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
    draw_lines(&lines, 0, look, text, buffer);
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
