//! The last line: the filter being typed, what came of something, or the keys that matter here.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};

use crate::inspector::action::Action;
use crate::inspector::app::App;
use crate::inspector::app::overlay::Overlay;
use crate::inspector::text::{Align, fit, width};
use crate::inspector::theme::Role;
use crate::inspector::widgets::edit::Edit;
use crate::inspector::widgets::panel::draw_line;

/// Draws the line; where the cursor stands, when the filter is typed there.
pub fn draw(app: &App, area: Rect, buffer: &mut Buffer) -> Option<Position> {
    if let Some(Overlay::Filter { edit, .. }) = app.overlays.last() {
        return Some(filter(app, edit, area, buffer));
    }
    let look = &app.look;
    let line = match (&app.notice, app.pending) {
        (Some(notice), _) => Line::from(vec![
            Span::raw(" "),
            look.span(notice.role, notice.text.clone()),
        ]),
        (None, Some(key)) => Line::from(vec![
            Span::raw(" "),
            look.span(Role::Key, key.to_string()),
            look.span(Role::Muted, " …"),
        ]),
        (None, None) => hints(app, usize::from(area.width)),
    };
    draw_line(&line, look, area, buffer);
    None
}

/// The keys of where one is, then of everywhere, as many as fit; help and quit always.
fn hints(app: &App, room: usize) -> Line<'static> {
    let contexts = app.contexts();
    let keymap = &app.settings.keymap;
    let look = &app.look;
    let always = [
        Action::Palette,
        Action::Help,
        Action::Quit,
        Action::Accept,
        Action::Cancel,
    ];
    let reads_only = app.overlays.last().is_some_and(Overlay::asks_nothing);
    let hint = |action: Action| {
        let key = keymap.shown(&contexts, action)?;
        let hint = match action {
            Action::Cancel if reads_only => "close",
            action => action.hint(),
        };
        (!hint.is_empty()).then(|| (key.to_string(), hint))
    };
    let cells = |(key, hint): &(String, &str)| width(key) + hint.len() + 3;
    let last: Vec<_> = always.into_iter().filter_map(hint).collect();
    let mut left = room.saturating_sub(2 + last.iter().map(cells).sum::<usize>());
    let mut shown = Vec::new();
    for context in &contexts {
        for &action in Action::ALL {
            if always.contains(&action) || action.contexts().first() != Some(context) {
                continue;
            }
            let Some(hint) = hint(action) else { continue };
            let Some(rest) = left.checked_sub(cells(&hint)) else {
                continue;
            };
            left = rest;
            shown.push(hint);
        }
    }
    let mut spans = vec![Span::raw(" ")];
    for (key, hint) in shown.into_iter().chain(last) {
        spans.push(look.span(Role::Key, key));
        spans.push(look.span(Role::Muted, format!(" {hint}  ")));
    }
    Line::from(spans)
}

fn filter(app: &App, edit: &Edit, area: Rect, buffer: &mut Buffer) -> Position {
    let look = &app.look;
    let error = app.list.errors().first();
    let said = match error {
        Some(error) => error.problem.to_string(),
        None => format!("{} of {}", app.list.len(), app.list.total()),
    };
    let room = usize::from(area.width).saturating_sub(2);
    // What is said has what the typed text leaves, and a third of the line in any case.
    let typed = width(&crate::inspector::text::shown(edit.text())) + 1;
    let typed_room = typed.max(20).min(room * 2 / 3);
    let (text, cursor) = edit.view(typed_room);
    let role = if error.is_some() {
        Role::Bad
    } else {
        Role::Muted
    };
    let gap = " ".repeat(typed_room.saturating_sub(width(&text)));
    let said_room = room.saturating_sub(typed_room + 1);
    let said = fit(&said, said_room, Align::Right, look.glyphs.cut);
    let line = Line::from(vec![
        look.span(Role::Key, "/"),
        look.span(Role::Input, text),
        Span::raw(gap),
        Span::raw("  "),
        look.span(role, said),
    ]);
    draw_line(&line, look, area, buffer);
    Position::new(area.x + 1 + u16::try_from(cursor).unwrap_or(0), area.y)
}
