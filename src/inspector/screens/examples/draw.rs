//! How the examples look: the list, and a step with its two panes.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::plain::{NUMBER, heading};
use super::steps::Stage;
use super::{Side, State, Walking};
use crate::inspector::app::layout::{ROOM, beside, list_rows, split, stacked};
use crate::inspector::app::state::Focus;
use crate::inspector::panes::receipts::centered_text;
use crate::inspector::screens::Scene;
use crate::inspector::screens::reading::page_lines;
use crate::inspector::text::{Align, fit, shown, width};
use crate::inspector::theme::Role;
use crate::inspector::widgets::panel::{Panel, draw_line, draw_scroll_bar, paint};

/// From this width on, page and notes stand side by side.
const SIDE_BY_SIDE: u16 = 170;
/// From this height on, they stand one above the other.
const ABOVE: u16 = 18;
/// Lines of the notes where they stand below the page: at most these parts of ten.
const NOTES_TENTHS: u16 = 4;
/// From this width on, the list shows sections.
const WITH_SECTIONS: usize = 70;

/// Where the list stands, and what the chosen example covers, where there is room.
pub fn list_area(area: Rect) -> (Rect, Option<Rect>) {
    match split(area, ROOM, usize::MAX, Focus::List) {
        (Some(list), about) => (list, about),
        (None, _) => (area, None),
    }
}

/// Where the parts of a step stand.
pub struct Places {
    /// The line of steps.
    pub strip: Rect,
    /// What was computed.
    pub page: Option<Rect>,
    /// The hand computation.
    pub notes: Option<Rect>,
}

/// Where the parts of a step stand in a body.
pub fn places(area: Rect, walking: &Walking) -> Places {
    let strip = Rect {
        height: area.height.min(1),
        ..area
    };
    let rest = Rect {
        y: area.y + strip.height,
        height: area.height - strip.height,
        ..area
    };
    let (page, notes) = if rest.width >= SIDE_BY_SIDE {
        let (page, notes) = beside(rest, rest.width * 3 / 5);
        (Some(page), Some(notes))
    } else if rest.height >= ABOVE {
        let lines = walking.notes.lines.len().max(1);
        let wanted = u16::try_from(lines).unwrap_or(u16::MAX).saturating_add(2);
        let most = rest.height * NOTES_TENTHS / 10;
        let (page, notes) = stacked(rest, rest.height - wanted.clamp(3, most.max(3)));
        (Some(page), Some(notes))
    } else {
        match walking.side {
            Side::Page => (Some(rest), None),
            Side::Notes => (None, Some(rest)),
        }
    };
    Places { strip, page, notes }
}

/// Draws the list.
pub fn list(state: &State, scene: &Scene<'_>, buffer: &mut Buffer) {
    let look = scene.look;
    let (area, about) = list_area(scene.area);
    let len = state.entries.len();
    let mut title = vec![look.span(Role::Heading, "Examples")];
    if len > 0 {
        title.push(look.span(Role::Text, format!(" {len}")));
    }
    let panel = Panel {
        title: Line::from(title),
        note: Line::styled("the worked examples and edges", look.style(Role::Muted)),
        focused: scene.focused,
    };
    let inner = panel.draw(look, area, buffer);
    if len == 0 {
        let (role, text) = match &state.failure {
            Some(why) => (Role::Bad, why.as_str()),
            None => (Role::Checking, "reading the examples"),
        };
        centered_text(look, role, text, inner, buffer);
        return;
    }
    let rows = list_rows(area);
    let cells = usize::from(rows.width.saturating_sub(3));
    let sections = if cells >= WITH_SECTIONS { cells / 4 } else { 0 };
    let title_cells = cells.saturating_sub(NUMBER + sections + if sections > 0 { 2 } else { 0 });
    let heads = Line::from(vec![
        look.span(Role::Muted, format!("  {:>3}  ", "no")),
        look.span(
            Role::Muted,
            fit("what it shows", title_cells, Align::Left, look.glyphs.cut),
        ),
        look.span(Role::Muted, if sections > 0 { " covers" } else { "" }),
    ]);
    draw_line(&heads, look, Rect { height: 1, ..inner }, buffer);
    let height = usize::from(rows.height);
    for (y, place) in (rows.y..rows.bottom()).zip(state.cursor.view(len, height)) {
        let Some(entry) = state.entries.get(place) else {
            continue;
        };
        let chosen = place == state.cursor.at;
        let cursor = if chosen { look.glyphs.cursor } else { " " };
        let line = Line::from(vec![
            look.span(Role::Accent, cursor),
            look.span(Role::Key, format!(" {:>3}  ", entry.number)),
            look.span(
                Role::Text,
                fit(&entry.title, title_cells, Align::Left, look.glyphs.cut),
            ),
            Span::raw(" "),
            look.span(
                Role::Muted,
                fit(
                    &entry.sections.join(" "),
                    sections,
                    Align::Left,
                    look.glyphs.cut,
                ),
            ),
        ]);
        let row = Rect::new(rows.x, y, rows.width, 1);
        draw_line(&line, look, row, buffer);
        if chosen {
            let role = if scene.focused {
                Role::Selection
            } else {
                Role::SelectionIdle
            };
            paint(role, look, row, buffer);
        }
    }
    draw_scroll_bar(state.cursor.top, len, height, look, area, buffer);
    if let Some(area) = about {
        let panel = Panel {
            title: Line::styled("What it covers", look.style(Role::Heading)),
            note: state.entry().map_or_else(Line::default, |entry| {
                Line::styled(entry.file, look.style(Role::Muted))
            }),
            focused: false,
        };
        state.about.draw(&panel, look, area, buffer);
    }
}

/// Draws a step.
pub fn walking(walking: &Walking, scene: &Scene<'_>, buffer: &mut Buffer) {
    let look = scene.look;
    let places = places(scene.area, walking);
    strip(walking, scene, places.strip, buffer);
    let Some(step) = walking.steps.get(walking.at).copied() else {
        return;
    };
    let focused = |side| scene.focused && walking.side == side;
    let (page, notes) = (places.page, places.notes);
    if let Some(area) = page {
        let title = heading(&walking.opened, step);
        let name = shown(&walking.opened.scenario.name);
        let panel = Panel {
            title: Line::from(vec![look.span(Role::Heading, title)]),
            note: Line::styled(
                format!("{}  {name}", walking.opened.number),
                look.style(Role::Muted),
            ),
            focused: focused(Side::Page),
        };
        walking.page.draw(&panel, look, area, buffer);
        if walking.page.lines.is_empty() {
            centered_text(
                look,
                Role::Muted,
                "nothing happens here",
                page_lines(area),
                buffer,
            );
        }
    }
    if let Some(area) = notes {
        let panel = Panel {
            title: Line::styled("By hand", look.style(Role::Heading)),
            note: Line::styled("figures that both have are marked", look.style(Role::Muted)),
            focused: focused(Side::Notes),
        };
        walking.notes.draw(&panel, look, area, buffer);
    }
}

/// The line of steps: every receipt by its name, the one shown with its stages.
fn strip(walking: &Walking, scene: &Scene<'_>, area: Rect, buffer: &mut Buffer) {
    let look = scene.look;
    let current = walking.steps.get(walking.at).copied();
    let mut parts: Vec<(Role, String)> = Vec::new();
    let mut here = 0;
    let mut last_subject = None;
    for (place, step) in walking.steps.iter().enumerate() {
        let is_current = place == walking.at;
        let same = current.is_some_and(|now| now.subject == step.subject);
        if let Some(subject) = step.subject {
            if last_subject != Some(subject) {
                let named = walking.opened.walk.subjects.get(subject);
                let name = named.map(|(name, _)| shown(&name.to_string()).into_owned());
                let role = if same { Role::Heading } else { Role::Muted };
                parts.push((role, name.unwrap_or_default()));
            }
            last_subject = Some(subject);
            if !same {
                continue;
            }
        }
        let text = match step.stage {
            Stage::Event(place) => format!("event {}", place + 1),
            stage => stage.title().to_owned(),
        };
        if is_current {
            here = parts.len();
            parts.push((Role::Accent, format!("{}{text}", look.glyphs.cursor)));
        } else {
            parts.push((Role::Muted, text));
        }
    }
    let place = format!(" {} of {} ", walking.at + 1, walking.steps.len());
    let room = usize::from(area.width).saturating_sub(width(&place) + 2);
    let cells =
        |parts: &[(Role, String)]| -> usize { parts.iter().map(|(_, text)| width(text) + 2).sum() };
    // What goes first is what lies furthest back; the step shown always stays.
    let mut from = 0;
    let until_here = |from: usize| cells(parts.get(from..=here).unwrap_or_default());
    while from < here
        && cells(parts.get(from..).unwrap_or_default()) > room
        && until_here(from) > room / 2
    {
        from += 1;
    }
    let mut spans = vec![Span::raw(" ")];
    if from > 0 {
        spans.push(look.span(Role::Muted, format!("{}  ", look.glyphs.cut)));
    }
    for (role, text) in parts.into_iter().skip(from) {
        spans.push(look.span(role, text));
        spans.push(Span::raw("  "));
    }
    let right = u16::try_from(width(&place)).unwrap_or(0);
    let (left, right) = beside(area, area.width.saturating_sub(right));
    draw_line(&Line::from(spans), look, left, buffer);
    draw_line(
        &Line::styled(place, look.style(Role::Key)),
        look,
        right,
        buffer,
    );
}
