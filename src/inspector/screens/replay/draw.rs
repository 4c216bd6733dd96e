//! How the replay looks.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::plain::{by_field, figures, nothing, row};
use super::report::Item;
use super::{Replayed, State};
use crate::inspector::action::Action;
use crate::inspector::app::layout::list_rows;
use crate::inspector::app::state::Focus;
use crate::inspector::panes::receipts::centered_text;
use crate::inspector::screens::Scene;
use crate::inspector::theme::Role;
use crate::inspector::widgets::panel::{Panel, draw_line, draw_scroll_bar, paint};

/// Draws the screen.
pub fn draw(state: &State, scene: &Scene<'_>, buffer: &mut Buffer) {
    let look = scene.look;
    let replayed = state.replayed.as_deref();
    let (role, text) = match (&state.failure, replayed) {
        (Some(why), _) => (Role::Bad, why.clone()),
        (None, None) => (Role::Checking, working(scene)),
        (None, Some(replayed)) => match nothing(replayed) {
            Some(why) => (Role::Muted, why.to_owned()),
            None => {
                draw_found(state, replayed, scene, buffer);
                return;
            }
        },
    };
    let panel = Panel {
        title: Line::styled("Replay", look.style(Role::Heading)),
        note: Line::default(),
        focused: scene.focused,
    };
    let within = panel.draw(look, scene.area, buffer);
    centered_text(look, role, &text, within, buffer);
}

/// What is said while nothing was heard: the header shows how far it is.
fn working(scene: &Scene<'_>) -> String {
    let key = |action: Action| {
        let first = scene.keymap.keys(action).first();
        first.map_or_else(|| action.name().to_owned(), ToString::to_string)
    };
    format!(
        "every stored receipt is derived again; {} stops, {} begins anew",
        key(Action::CancelWork),
        key(Action::RunReplay)
    )
}

fn draw_found(state: &State, replayed: &Replayed, scene: &Scene<'_>, buffer: &mut Buffer) {
    let look = scene.look;
    let (list, page) = state.places(scene.area);
    if let Some(area) = list {
        let mut title = vec![look.span(Role::Heading, "Replay  ")];
        title.extend(figures(replayed, look).spans);
        let panel = Panel {
            title: Line::from(title),
            note: Line::default(),
            focused: scene.focused && state.focus == Focus::List,
        };
        let within = panel.draw(look, area, buffer);
        let mut head = vec![Span::raw("  ")];
        head.extend(by_field(replayed, look).spans);
        let first = Rect {
            height: 1,
            ..within
        };
        let head = Line::from(head).style(look.style(Role::Muted));
        draw_line(&head, look, first, buffer);
        draw_rows(state, scene, area, buffer);
    }
    if let Some(area) = page {
        let title = match state.items().get(state.cursor.at) {
            Some(Item::Receipt(_)) => "Stored beside replayed",
            _ => "Batch",
        };
        let note = match state.items().get(state.cursor.at) {
            Some(Item::Receipt(_)) => {
                let key = scene.keymap.keys(Action::Open).first();
                key.map_or_else(String::new, |key| format!("{key} opens its arithmetic"))
            }
            _ => String::new(),
        };
        let panel = Panel {
            title: Line::styled(title, look.style(Role::Heading)),
            note: Line::styled(note, look.style(Role::Muted)),
            focused: scene.focused && state.focus == Focus::Detail,
        };
        state.page.draw(&panel, look, area, buffer);
    }
}

fn draw_rows(state: &State, scene: &Scene<'_>, area: Rect, buffer: &mut Buffer) {
    let look = scene.look;
    let rows = list_rows(area);
    let len = state.items().len();
    let height = usize::from(rows.height);
    for (y, place) in (rows.y..rows.bottom()).zip(state.cursor.view(len, height)) {
        let Some(item) = state.items().get(place) else {
            continue;
        };
        let chosen = place == state.cursor.at;
        let cursor = if chosen { look.glyphs.cursor } else { " " };
        let mut spans = vec![look.span(Role::Accent, format!("{cursor} "))];
        spans.extend(row(item, look).spans);
        let line = Rect::new(rows.x, y, rows.width, 1);
        draw_line(&Line::from(spans), look, line, buffer);
        if chosen {
            let role = if scene.focused && state.focus == Focus::List {
                Role::Selection
            } else {
                Role::SelectionIdle
            };
            paint(role, look, line, buffer);
        }
    }
    draw_scroll_bar(state.cursor.top, len, height, look, area, buffer);
}
