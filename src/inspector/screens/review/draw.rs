//! How the review is drawn.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::{Fate, State};
use crate::inspector::app::layout::{Room, inner, split};
use crate::inspector::app::state::Focus;
use crate::inspector::panes::receipts::centered_text;
use crate::inspector::panes::tabs::format::Clock;
use crate::inspector::row::Row;
use crate::inspector::screens::Scene;
use crate::inspector::text::{Align, count, counted, fit};
use crate::inspector::theme::Role;
use crate::inspector::widgets::panel::{Panel, draw_line, draw_lines, draw_scroll_bar, paint};

/// The room that queue and case need.
const ROOM: Room = Room {
    beside: 130,
    stacked: (0, 30),
    tenths: 3,
};

/// Where the panes stand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Areas {
    /// The queue, where it is shown.
    pub list: Option<Rect>,
    /// The case, where it is shown.
    pub detail: Option<Rect>,
}

impl Areas {
    /// The panes of an area, with so many receipts in the queue.
    pub fn of(area: Rect, queued: usize, focus: Focus) -> Self {
        let (list, detail) = split(area, ROOM, queued, focus);
        Self { list, detail }
    }

    /// The rows of the queue.
    pub fn rows(self) -> Option<Rect> {
        self.list.map(inner)
    }

    /// The lines of the case, a cell from either edge.
    pub fn text(self) -> Option<Rect> {
        let inner = inner(self.detail?);
        Some(Rect {
            x: inner.x + 1,
            width: inner.width.saturating_sub(2),
            ..inner
        })
    }

    /// How far a page goes in a pane.
    pub fn page(self, focus: Focus) -> isize {
        let height = match focus {
            Focus::List => self.rows(),
            Focus::Detail => self.text(),
        };
        let rows = height.map_or(1, |area| area.height.saturating_sub(1).max(1));
        isize::try_from(rows).unwrap_or(1)
    }
}

/// Draws the screen.
pub fn draw(state: &State, scene: &Scene<'_>, buffer: &mut Buffer) {
    let areas = Areas::of(scene.area, state.len(), state.focus);
    if let Some(area) = areas.list {
        draw_queue(state, scene, area, buffer);
    }
    if let Some(area) = areas.detail {
        draw_case(state, scene, area, buffer);
    }
}

fn progress(state: &State, scene: &Scene<'_>) -> Line<'static> {
    let progress = state.progress(scene.opened);
    let left = progress.of - progress.decided - progress.skipped;
    let mut text = counted(left, "waits", "wait");
    for (number, what) in [(progress.decided, "decided"), (progress.skipped, "skipped")] {
        if number > 0 {
            text.push_str(&format!("  {} {what}", count(number)));
        }
    }
    Line::styled(text, scene.look.style(Role::Muted))
}

fn draw_queue(state: &State, scene: &Scene<'_>, area: Rect, buffer: &mut Buffer) {
    let look = scene.look;
    let focused = state.focus == Focus::List && scene.focused;
    let inner = Panel {
        title: Line::styled("Review", look.style(Role::Heading)),
        note: progress(state, scene),
        focused,
    }
    .draw(look, area, buffer);
    if state.len() == 0 {
        let text = "nothing needs you: no UNASKED, NOT FOUND, OVER SCOPE or PARTIAL receipt waits";
        centered_text(look, Role::Good, text, inner, buffer);
        return;
    }
    let height = usize::from(inner.height);
    for (y, place) in (inner.y..inner.bottom()).zip(state.cursor.view(state.len(), height)) {
        let Some(row) = state.row(scene.opened, place) else {
            continue;
        };
        let area = Rect {
            y,
            height: 1,
            ..inner
        };
        let chosen = place == state.cursor.at;
        draw_line(&queue_line(state, scene, row, chosen), look, area, buffer);
        if chosen {
            let role = match focused {
                true => Role::Selection,
                false => Role::SelectionIdle,
            };
            paint(role, look, area, buffer);
        }
    }
    draw_scroll_bar(state.cursor.top, state.len(), height, look, area, buffer);
}

fn queue_line(state: &State, scene: &Scene<'_>, row: &Row, chosen: bool) -> Line<'static> {
    let look = scene.look;
    let (role, mark) = match state.fate(row) {
        Fate::Waiting => (Role::Muted, " "),
        Fate::Skipped => (Role::Muted, look.glyphs.not_applicable),
        Fate::Decided => (Role::Overridden, look.glyphs.overridden),
    };
    let cells = |text: &str, cells: usize| fit(text, cells, Align::Left, look.glyphs.cut);
    let likely = if row.is_orphan { "likely " } else { "" };
    let clock = Clock::of(&row.at);
    let when = clock.at(row.at.instant());
    let action = row.action_word();
    Line::from(vec![
        Span::raw(if chosen { look.glyphs.cursor } else { " " }),
        look.span(role, mark),
        Span::raw(" "),
        look.span(
            look.verdict(row),
            cells(crate::inspector::panes::receipts::verdict(row), 11),
        ),
        look.span(Role::Muted, cells(when.get(5..16).unwrap_or(&when), 12)),
        look.span(Role::Text, cells(&format!("{likely}{}", row.agent), 15)),
        look.span(Role::Muted, cells(action, 17)),
        look.span(Role::Text, format!("{}  {}", row.who, row.what)),
    ])
}

fn draw_case(state: &State, scene: &Scene<'_>, area: Rect, buffer: &mut Buffer) {
    let look = scene.look;
    let chosen = state.current(scene.opened);
    let title = chosen.map_or_else(Line::default, |row| {
        let action = row.action_word();
        let place = format!("{} of {}  ", state.cursor.at + 1, state.len());
        Line::from(vec![
            look.span(Role::Muted, place),
            look.span(
                look.verdict(row),
                crate::inspector::panes::receipts::verdict(row),
            ),
            Span::raw("  "),
            look.span(Role::Muted, action),
            Span::raw("  "),
            look.span(Role::Text, format!("{}  {}", row.who, row.what)),
        ])
    });
    Panel {
        title,
        note: Line::default(),
        focused: state.focus == Focus::Detail && scene.focused,
    }
    .draw(look, area, buffer);
    let Some(text) = Areas::of(scene.area, state.len(), state.focus).text() else {
        return;
    };
    if chosen.is_some() && state.lines.is_empty() {
        centered_text(
            look,
            Role::Checking,
            "re-deriving the receipt",
            text,
            buffer,
        );
    }
    let top = state.scroll.top;
    draw_lines(&state.lines, top, look, text, buffer);
    draw_scroll_bar(
        top,
        state.lines.len(),
        usize::from(text.height),
        look,
        area,
        buffer,
    );
}
