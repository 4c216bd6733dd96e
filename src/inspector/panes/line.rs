//! A line being typed for something.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};

use crate::inspector::app::App;
use crate::inspector::app::draw::clear;
use crate::inspector::app::layout::centered;
use crate::inspector::app::overlay::LineAsked;
use crate::inspector::text::wrap;
use crate::inspector::theme::Role;
use crate::inspector::widgets::panel::{Panel, draw_line};

/// Draws the line; where the cursor stands.
pub fn draw(app: &App, line: &LineAsked, buffer: &mut Buffer) -> Position {
    let look = &app.look;
    let (role, said) = match &line.problem {
        Some(problem) => (Role::Bad, problem),
        None => (Role::Muted, &line.note),
    };
    let room = usize::from(centered(app, 92, 3).width).saturating_sub(8);
    let said = match said.is_empty() {
        true => Vec::new(),
        false => wrap(said, room),
    };
    let height = u16::try_from(said.len()).unwrap_or(u16::MAX);
    let area = centered(app, 92, height.saturating_add(3));
    clear(app, area, buffer);
    let panel = Panel {
        title: Line::styled(line.title.clone(), look.style(Role::Heading)),
        note: Line::default(),
        focused: true,
    };
    let inner = panel.draw(look, area, buffer);
    let (text, cursor) = line.edit.view(usize::from(inner.width).saturating_sub(3));
    let prompt = Line::from(vec![
        look.span(Role::Key, " > "),
        look.span(Role::Input, text),
    ]);
    draw_line(&prompt, look, Rect { height: 1, ..inner }, buffer);
    for (y, text) in (inner.y + 1..inner.bottom()).zip(said) {
        let row = Rect {
            y,
            height: 1,
            ..inner
        };
        let said = Line::from(vec![Span::raw("   "), look.span(role, text)]);
        draw_line(&said, look, row, buffer);
    }
    Position::new(inner.x + 3 + u16::try_from(cursor).unwrap_or(0), inner.y)
}
