//! The palette and the other lists to choose from.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};

use crate::inspector::app::App;
use crate::inspector::app::draw::clear;
use crate::inspector::app::layout::centered;
use crate::inspector::app::overlay::Chooser;
use crate::inspector::text::{Align, count, fit, width};
use crate::inspector::theme::Role;
use crate::inspector::widgets::panel::{Panel, draw_line, draw_scroll_bar, paint};

/// The most items in view.
const MOST: usize = 16;

/// The items in view on a terminal of this height.
pub fn rows(height: usize) -> usize {
    height.saturating_sub(7).clamp(1, MOST)
}

/// Draws the chooser; where the cursor stands.
pub fn draw(app: &App, chooser: &Chooser, buffer: &mut Buffer) -> Position {
    let look = &app.look;
    let rows = rows(usize::from(app.size.1));
    let area = centered(app, 92, u16::try_from(rows + 3).unwrap_or(u16::MAX));
    clear(app, area, buffer);
    let panel = Panel {
        title: Line::styled(chooser.title, look.style(Role::Heading)),
        note: Line::styled(
            format!(
                "{} of {}",
                count(chooser.shown.len()),
                count(chooser.items.len())
            ),
            look.style(Role::Muted),
        ),
        focused: true,
    };
    let inner = panel.draw(look, area, buffer);
    let (text, cursor) = chooser
        .edit
        .view(usize::from(inner.width).saturating_sub(3));
    let prompt = Line::from(vec![
        look.span(Role::Key, " : "),
        look.span(Role::Input, text),
    ]);
    draw_line(&prompt, look, Rect { height: 1, ..inner }, buffer);
    let list = Rect {
        y: inner.y + 1,
        height: inner.height.saturating_sub(1),
        ..inner
    };
    let name_width = chooser
        .items
        .iter()
        .map(|item| width(&item.name))
        .max()
        .unwrap_or(0)
        .min(28);
    for (y, place) in (list.y..list.bottom()).zip(chooser.cursor.view(chooser.shown.len(), rows)) {
        let Some(item) = chooser
            .shown
            .get(place)
            .and_then(|at| chooser.items.get(*at))
        else {
            continue;
        };
        let key = item.key.map(|key| key.to_string()).unwrap_or_default();
        let room = usize::from(list.width).saturating_sub(name_width + 16);
        let line = Line::from(vec![
            Span::raw(if place == chooser.cursor.at {
                look.glyphs.cursor
            } else {
                " "
            }),
            Span::raw(" "),
            look.span(
                Role::Text,
                fit(&item.name, name_width, Align::Left, look.glyphs.cut),
            ),
            Span::raw("  "),
            look.span(
                Role::Muted,
                fit(&item.about, room, Align::Left, look.glyphs.cut),
            ),
            Span::raw(" "),
            look.span(Role::Key, fit(&key, 10, Align::Right, look.glyphs.cut)),
        ]);
        let row = Rect {
            y,
            height: 1,
            ..list
        };
        draw_line(&line, look, row, buffer);
        if place == chooser.cursor.at {
            paint(Role::Selection, look, row, buffer);
        }
    }
    draw_scroll_bar(
        chooser.cursor.top,
        chooser.shown.len(),
        rows,
        look,
        area,
        buffer,
    );
    Position::new(inner.x + 3 + u16::try_from(cursor).unwrap_or(0), inner.y)
}
