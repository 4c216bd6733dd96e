//! What the mouse does: it chooses rows, tabs and panes, and scrolls what is under it.

use ratatui::crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::{Position, Rect};

use super::layout::{areas, inner, list_rows};
use super::screen;
use super::state::{App, Effect, Focus};
use super::update::show_tab;
use crate::inspector::panes::receipts;

/// Rows one turn of the wheel scrolls.
const WHEEL: isize = 3;

/// Changes the state by a mouse event.
pub fn update(app: &mut App, event: MouseEvent) -> Vec<Effect> {
    let at = Position::new(event.column, event.row);
    if app.overlays.is_empty() && app.screens.of(app.screen).is_some() {
        return screen::mouse(app, event);
    }
    app.dirty = match event.kind {
        MouseEventKind::ScrollDown => scroll(app, at, WHEEL),
        MouseEventKind::ScrollUp => scroll(app, at, -WHEEL),
        MouseEventKind::Down(MouseButton::Left) => click(app, at),
        _ => false,
    };
    Vec::new()
}

fn within(area: Option<Rect>, at: Position) -> Option<Rect> {
    area.filter(|area| area.contains(at))
}

fn scroll(app: &mut App, at: Position, by: isize) -> bool {
    if let Some(overlay) = app.overlays.last_mut() {
        match overlay {
            super::overlay::Overlay::Help { scroll, .. } => scroll.step(by),
            super::overlay::Overlay::Chooser(chooser) => {
                chooser.cursor.step(by, chooser.shown.len())
            }
            super::overlay::Overlay::Line(_) => {}
            super::overlay::Overlay::Filter { .. } => app.list.cursor.step(by, app.list.len()),
        }
        return true;
    }
    let Some(areas) = areas(app) else {
        return false;
    };
    if within(areas.list, at).is_some() {
        app.list.cursor.step(by, app.list.len());
        true
    } else if within(areas.detail, at).is_some() {
        if let Some(scroll) = app.detail.scroll_mut() {
            scroll.step(by);
        }
        true
    } else {
        false
    }
}

fn click(app: &mut App, at: Position) -> bool {
    // A click beside what lies over the screen is no answer to it.
    if !app.overlays.is_empty() {
        return false;
    }
    let Some(areas) = areas(app) else {
        return false;
    };
    if let Some(area) = within(areas.list, at) {
        app.focus = Focus::List;
        let rows = list_rows(area);
        if rows.contains(at) {
            let place = app.list.cursor.top + usize::from(at.y - rows.y);
            if place < app.list.len() {
                app.list.cursor.at = place;
            }
        } else if at.y + 1 == rows.y
            && let Some(column) = receipts::column_at(inner(area), at.x)
        {
            let sort = app.list.sort();
            let descending = sort.column == column && !sort.descending;
            app.list
                .set_sort(crate::inspector::row::Sort { column, descending });
        }
        return true;
    }
    if let Some(area) = within(areas.detail, at) {
        app.focus = Focus::Detail;
        let tabs = inner(area);
        if at.y == tabs.y
            && let Some(tab) = crate::inspector::panes::tab_at(tabs, at.x)
        {
            show_tab(app, tab);
        }
        return true;
    }
    false
}
