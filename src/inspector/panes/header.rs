//! The first line: the ledger, the screens, and what is being worked on.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::inspector::app::App;
use crate::inspector::app::state::ScreenName;
use crate::inspector::text::{count, cut_middle, width};
use crate::inspector::theme::Role;
use crate::inspector::widgets::panel::draw_line;

/// Draws the line.
pub fn draw(app: &App, area: Rect, buffer: &mut Buffer) {
    let look = &app.look;
    let room = usize::from(area.width);
    let mut right: Vec<Span<'_>> = Vec::new();
    for (place, screen) in ScreenName::ALL.iter().enumerate() {
        let role = if *screen == app.screen {
            Role::Accent
        } else {
            Role::Muted
        };
        let key = app.settings.keymap.keys(screen.action()).first();
        if let Some(key) = key {
            right.push(look.span(Role::Key, key.to_string()));
            right.push(Span::raw(" "));
        }
        // Where there is little room only the screen shown keeps its name.
        if room >= 80 || *screen == app.screen {
            right.push(look.span(role, screen.title()));
        }
        right.push(Span::raw(if place + 1 < ScreenName::ALL.len() {
            "  "
        } else {
            " "
        }));
    }
    let right_width: usize = right.iter().map(|span| width(&span.content)).sum();
    let mut left = vec![
        Span::raw(" "),
        look.span(Role::Heading, "attest-tui"),
        Span::raw("  "),
    ];
    let mut notes = Vec::new();
    if app.list.opened().read_only {
        notes.push(look.span(Role::Warning, "  read only"));
    }
    if let Some(work) = app.work {
        let text = if work.of > 0 {
            format!("  {} {} of {}", work.what, count(work.done), count(work.of))
        } else if work.done > 0 {
            format!("  {} {}", work.what, count(work.done))
        } else {
            format!("  {}", work.what)
        };
        notes.push(look.span(Role::Checking, text));
    }
    let used: usize = left
        .iter()
        .chain(&notes)
        .map(|span| width(&span.content))
        .sum();
    let name_room = room.saturating_sub(used + right_width + 2);
    left.push(look.span(
        Role::Text,
        cut_middle(&app.name, name_room, look.glyphs.cut).into_owned(),
    ));
    left.extend(notes);
    let left = Line::from(left);
    let left_room = area
        .width
        .saturating_sub(u16::try_from(right_width).unwrap_or(area.width));
    draw_line(
        &left,
        look,
        Rect {
            width: left_room,
            ..area
        },
        buffer,
    );
    let x = area.x + left_room;
    draw_line(
        &Line::from(right),
        look,
        Rect {
            x,
            width: area.width - left_room,
            ..area
        },
        buffer,
    );
}
