//! `draw(state)`: the frame of a state. It reads the state and the receipt's trace; it decides
//! nothing.

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::Line;
use ratatui::widgets::{Clear, Widget};

use super::layout::{LEAST, areas, body};
use super::overlay::Overlay;
use super::screen::scene;
use super::state::{App, ScreenName};
use crate::inspector::panes;
use crate::inspector::theme::Role;

/// Draws a frame.
pub fn draw(app: &App, frame: &mut Frame<'_>) {
    let area = frame.area();
    let cursor = draw_in(app, area, frame.buffer_mut());
    if let Some(cursor) = cursor {
        frame.set_cursor_position(cursor);
    }
}

/// Draws into a buffer; where the cursor stands, when something is typed.
pub fn draw_in(app: &App, area: Rect, buffer: &mut Buffer) -> Option<Position> {
    buffer.set_style(
        area,
        app.look
            .style(Role::Canvas)
            .patch(app.look.style(Role::Text)),
    );
    // The buffer is the terminal's; the state may not have heard of a new size yet.
    let (width, height) = (app.size.0.min(area.width), app.size.1.min(area.height));
    let Some(areas) = areas(app).filter(|_| (width, height) == app.size) else {
        too_small(app, area, buffer);
        return None;
    };
    panes::header::draw(app, areas.header, buffer);
    let screen = app.screens.of(app.screen);
    if app.screen != ScreenName::Examples && !app.is_open {
        // Without a ledger every other screen says why there is none.
        panes::receipts::draw(app, body(app), buffer);
    } else if let Some(screen) = screen {
        screen.draw(&scene(app), buffer);
    } else {
        if let Some(area) = areas.list {
            panes::receipts::draw(app, area, buffer);
        }
        if let Some(area) = areas.detail {
            panes::draw_detail(app, area, buffer);
        }
    }
    let mut cursor = panes::footer::draw(app, areas.footer, buffer);
    if let Some(overlay) = app.overlays.last() {
        match overlay {
            Overlay::Help { of, scroll } => panes::help::draw(app, of, *scroll, buffer),
            Overlay::Chooser(chooser) => cursor = Some(panes::chooser::draw(app, chooser, buffer)),
            Overlay::Line(line) => cursor = Some(panes::line::draw(app, line, buffer)),
            Overlay::Filter { .. } => {}
        }
    }
    cursor
}

/// Clears what is under a box.
pub fn clear(app: &App, area: Rect, buffer: &mut Buffer) {
    Clear.render(area, buffer);
    buffer.set_style(
        area,
        app.look
            .style(Role::Canvas)
            .patch(app.look.style(Role::Text)),
    );
}

fn too_small(app: &App, area: Rect, buffer: &mut Buffer) {
    let texts = [
        format!("{}×{} is too small", area.width, area.height),
        format!("{}×{} is enough", LEAST.0, LEAST.1),
        "q quits".to_owned(),
    ];
    let lines = texts.map(|text| Line::styled(text, app.look.style(Role::Text)));
    let first = area.y + area.height.saturating_sub(3) / 2;
    for (y, line) in (first..area.bottom()).zip(lines.iter()) {
        let width = u16::try_from(line.width()).unwrap_or(0).min(area.width);
        let x = area.x + (area.width - width) / 2;
        crate::inspector::widgets::panel::draw_line(
            line,
            &app.look,
            Rect::new(x, y, width, 1),
            buffer,
        );
    }
}
