//! The first line: the ledger, the screens, and what is being worked on.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::inspector::app::App;
use crate::inspector::app::state::ScreenName;
use crate::inspector::panes::tabs::format::Clock;
use crate::inspector::text::{count, cut_middle, width};
use crate::inspector::theme::Role;
use crate::inspector::widgets::panel::draw_line;

const PROGRAM: &str = "attest-tui";
/// Cells the ledger's name has in any case.
const NAME_ROOM: usize = 14;

/// The screens with their keys.
fn tabs(app: &App, named: bool) -> Vec<Span<'static>> {
    let look = &app.look;
    let mut spans = Vec::new();
    for (place, screen) in ScreenName::ALL.iter().enumerate() {
        let shown = *screen == app.screen;
        if let Some(key) = app.settings.keymap.keys(screen.action()).first() {
            spans.push(look.span(Role::Key, key.to_string()));
            spans.push(Span::raw(if named || shown { " " } else { "" }));
        }
        if named || shown {
            let role = if shown { Role::Accent } else { Role::Muted };
            spans.push(look.span(role, screen.title()));
        }
        let last = place + 1 == ScreenName::ALL.len();
        spans.push(Span::raw(if last { " " } else { "  " }));
    }
    spans
}

/// What a person should know of the ledger now.
fn notes(app: &App) -> Vec<Span<'static>> {
    let look = &app.look;
    let mut notes = Vec::new();
    let opened = app.list.opened();
    if let Some(preview) = &opened.preview {
        let clock = Clock::of(&preview.at);
        let text = format!("  preview {}", clock.at(preview.at.instant()));
        notes.push(look.span(Role::Warning, text));
    } else if opened.read_only.is_some() {
        notes.push(look.span(Role::Warning, "  read only"));
    } else if opened.is_unsaved {
        notes.push(look.span(Role::Warning, "  unsaved"));
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
    notes
}

/// Draws the line.
pub fn draw(app: &App, area: Rect, buffer: &mut Buffer) {
    let look = &app.look;
    let room = usize::from(area.width);
    let mut notes = notes(app);
    let cells =
        |spans: &[Span<'_>]| -> usize { spans.iter().map(|span| width(&span.content)).sum() };
    let named = tabs(app, true);
    // Where there is little room only the screen shown keeps its name.
    let right = if cells(&named) + cells(&notes) + NAME_ROOM <= room {
        named
    } else {
        tabs(app, false)
    };
    let right_width = cells(&right);
    let mut left = vec![Span::raw(" ")];
    if right_width + cells(&notes) + NAME_ROOM + PROGRAM.len() + 2 <= room {
        left.push(look.span(Role::Heading, PROGRAM));
        left.push(Span::raw("  "));
    }
    let used: usize = left
        .iter()
        .chain(&notes)
        .map(|span| width(&span.content))
        .sum();
    let name_room = room.saturating_sub(used + right_width + 2);
    let name = cut_middle(&app.name, name_room, look.glyphs.cut).into_owned();
    // Where there is no room for the name, there is none for the gap after it.
    if let (true, Some(first)) = (name.is_empty(), notes.first_mut()) {
        left.clear();
        first.content = format!(" {}", first.content.trim_start()).into();
    }
    left.push(look.span(Role::Text, name));
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
