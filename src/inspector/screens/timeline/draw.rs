//! How the timeline looks.

use attest_grading::model::Grade;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::axis::View;
use super::model::{Kind, Lane, Mark, Model};
use super::{Scene, State};
use crate::inspector::app::layout::{inner, stacked};
use crate::inspector::look::{Look, grade_role, grade_word};
use crate::inspector::panes::receipts::centered_text;
use crate::inspector::panes::tabs::format::length;
use crate::inspector::row::Standing;
use crate::inspector::screens::reading::page_lines;
use crate::inspector::text::{Align, count, cut_middle, fit};
use crate::inspector::theme::Role;
use crate::inspector::widgets::panel::{Panel, draw_lines, draw_scroll_bar, paint};

/// Where the parts stand.
pub struct Places {
    /// The upper frame.
    upper: Rect,
    /// The lanes, a row each, names included.
    pub lanes: Rect,
    /// The first column of time.
    pub time_x: u16,
    /// How many columns of time there are.
    pub cells: usize,
    /// What is under the cursor.
    under: Rect,
}

/// The parts of a body.
pub fn places(area: Rect) -> Places {
    let under_height = match area.height {
        0..=15 => 4,
        16..=26 => 7,
        _ => 11,
    };
    let (upper, under) = stacked(area, area.height.saturating_sub(under_height));
    let within = inner(upper);
    // Two lines of ticks stand above the lanes.
    let lanes = Rect {
        y: within.y + 2,
        height: within.height.saturating_sub(2),
        ..within
    };
    let name = match area.width {
        0..=69 => 14,
        70..=109 => 20,
        _ => 26,
    };
    let time_x = lanes.x + name;
    Places {
        upper,
        lanes,
        time_x,
        cells: usize::from(lanes.right().saturating_sub(time_x)).max(1),
        under,
    }
}

/// Draws the screen.
pub fn draw(state: &State, scene: &Scene<'_>, buffer: &mut Buffer) {
    let look = scene.look;
    let (Some(model), Some(view)) = (&state.model, state.view) else {
        let (role, text) = match (&state.failure, &state.model) {
            (Some(why), _) => (Role::Bad, why.as_str()),
            (None, Some(_)) => (Role::Muted, "the ledger holds nothing that happened"),
            (None, None) => (
                Role::Checking,
                "the ledger is laid out over time; enter begins anew",
            ),
        };
        let panel = Panel {
            title: Line::styled("Timeline", look.style(Role::Heading)),
            note: Line::default(),
            focused: scene.focused,
        };
        let within = panel.draw(look, scene.area, buffer);
        centered_text(look, role, text, within, buffer);
        return;
    };
    let places = places(scene.area);
    let clock = model.clock;
    let cursor = view.readable(view.cursor, places.cells);
    let shown = length(view.length(places.cells));
    let panel = Panel {
        title: Line::from(vec![
            look.span(Role::Heading, "Timeline  "),
            look.span(Role::Text, clock.stamp(cursor)),
        ]),
        note: Line::styled(format!("{shown} in view"), look.style(Role::Muted)),
        focused: scene.focused,
    };
    panel.draw(look, places.upper, buffer);
    draw_ticks(model, &view, &places, look, buffer);
    let height = usize::from(places.lanes.height);
    let rows = state.lane.view(model.lanes.len(), height);
    for (y, place) in (places.lanes.y..places.lanes.bottom()).zip(rows) {
        let Some(lane) = model.lanes.get(place) else {
            continue;
        };
        draw_lane(lane, &view, &places, y, look, buffer);
        if place == state.lane.at {
            let row = Rect::new(places.lanes.x, y, places.lanes.width, 1);
            buffer.set_string(row.x, y, look.glyphs.cursor, look.style(Role::Accent));
            paint(Role::SelectionIdle, look, row, buffer);
        }
    }
    draw_cursor(state, &view, &places, scene, buffer);
    draw_scroll_bar(
        state.lane.top,
        model.lanes.len(),
        height,
        look,
        places.upper,
        buffer,
    );
    draw_under(state, &places, look, buffer);
}

fn draw_ticks(model: &Model, view: &View, places: &Places, look: &Look, buffer: &mut Buffer) {
    let within = inner(places.upper);
    let cells = places.cells;
    let rule = look.glyphs.rule.repeat(cells);
    buffer.set_string(places.time_x, within.y + 1, rule, look.style(Role::Border));
    for (cell, label) in view.ticks(cells, model.clock) {
        let x = places.time_x + u16::try_from(cell).unwrap_or(0);
        let room = usize::from(within.right().saturating_sub(x));
        buffer.set_stringn(x, within.y, &label, room, look.style(Role::Muted));
        buffer.set_string(
            x,
            within.y + 1,
            look.glyphs.vertical,
            look.style(Role::Border),
        );
    }
    // The day the first cell is on, for the times that follow.
    let first = model.clock.at(view.readable(view.from, cells));
    let day = fit(
        first.get(..10).unwrap_or_default(),
        usize::from(places.time_x - within.x).saturating_sub(2),
        Align::Left,
        look.glyphs.cut,
    );
    buffer.set_string(within.x + 1, within.y, day, look.style(Role::Muted));
}

fn draw_lane(lane: &Lane, view: &View, places: &Places, y: u16, look: &Look, buffer: &mut Buffer) {
    let name_cells = usize::from(places.time_x - places.lanes.x).saturating_sub(2);
    // Both ends of a name tell lanes apart: the source, and the account.
    let name = lane.kind.name(look.glyphs.cut);
    let name = cut_middle(&name, name_cells, look.glyphs.cut);
    buffer.set_string(places.lanes.x + 1, y, name, look.style(Role::Muted));
    for cell in 0..places.cells {
        let at = i64::try_from(cell).unwrap_or(i64::MAX);
        let held = view.holds(at, places.cells);
        let (role, glyph) = if lane.kind.is_spans() {
            if !lane.covers(held) {
                continue;
            }
            let role = match lane.kind {
                Kind::Repairs => Role::Warning,
                Kind::Idle => Role::Muted,
                _ => Role::Bar,
            };
            (role, look.glyphs.span.to_owned())
        } else {
            match lane.count(held) {
                (0, _) => continue,
                (1, Some(mark)) => (role(lane.kind, mark), glyph(lane.kind, mark, look)),
                (n @ 2..=9, _) => (Role::Accent, n.to_string()),
                (_, _) => (Role::Accent, "+".to_owned()),
            }
        };
        let x = places.time_x + u16::try_from(cell).unwrap_or(0);
        buffer.set_string(x, y, glyph, look.style(role));
    }
}

/// The role of a mark: its receipt's verdict, where it has one.
fn role(kind: Kind, mark: &Mark) -> Role {
    match (&mark.verdict, kind) {
        (Some((_, word)), _) => Grade::ALL
            .iter()
            .find(|grade| grade_word(**grade) == word)
            .map_or(Role::Checking, |grade| grade_role(*grade)),
        (None, Kind::Batches) => Role::Heading,
        (None, Kind::Claims(_)) => Role::Text,
        (None, _) => Role::Muted,
    }
}

/// The glyph of a mark: how its receipt stands, where it has one.
fn glyph(kind: Kind, mark: &Mark, look: &Look) -> String {
    let glyphs = look.glyphs;
    match (&mark.verdict, kind) {
        (Some((standing, _)), _) => look.standing(*standing),
        (None, Kind::Batches) => glyphs.vertical,
        (None, _) => glyphs.dot,
    }
    .to_owned()
}

/// The column of the cursor, over everything.
fn draw_cursor(
    state: &State,
    view: &View,
    places: &Places,
    scene: &Scene<'_>,
    buffer: &mut Buffer,
) {
    let look = scene.look;
    let Ok(cell) = u16::try_from(view.cell(view.cursor, places.cells)) else {
        return;
    };
    let x = places.time_x + cell;
    if x >= places.lanes.right() {
        return;
    }
    let ruler = Rect::new(x, places.lanes.y.saturating_sub(1), 1, 1);
    buffer.set_string(x, ruler.y, look.glyphs.descending, look.style(Role::Accent));
    let column = Rect {
        x,
        width: 1,
        ..places.lanes
    };
    paint(Role::SelectionIdle, look, column, buffer);
    let row = state.lane.at.saturating_sub(state.lane.top);
    if let Ok(row) = u16::try_from(row)
        && row < places.lanes.height
    {
        let here = Rect::new(x, places.lanes.y + row, 1, 1);
        let role = if scene.focused {
            Role::Selection
        } else {
            Role::SelectionIdle
        };
        paint(role, look, here, buffer);
    }
}

/// What is under the cursor in its lane.
fn draw_under(state: &State, places: &Places, look: &Look, buffer: &mut Buffer) {
    let marks = state.under_cursor(places.cells);
    let lane = state.lane();
    let name = lane.map_or_else(String::new, |lane| lane.kind.name(look.glyphs.cut));
    let total = lane.map_or(0, |lane| lane.marks.len());
    let panel = Panel {
        title: Line::from(vec![
            look.span(Role::Heading, name),
            look.span(
                Role::Text,
                format!("  {} of {} here", count(marks.len()), count(total)),
            ),
        ]),
        note: Line::styled(
            lane.map_or("", |lane| lane.kind.about()),
            look.style(Role::Muted),
        ),
        focused: false,
    };
    panel.draw(look, places.under, buffer);
    let area = page_lines(places.under);
    let height = usize::from(area.height);
    let mut lines: Vec<Line<'_>> = Vec::new();
    for (kind, mark) in marks
        .iter()
        .filter_map(|mark| Some((lane?.kind, *mark)))
        .take(height)
    {
        lines.push(line(kind, mark, look));
    }
    if marks.len() > height {
        let more = format!(
            "and {} more; + shows them apart",
            count(marks.len() - height + 1)
        );
        lines.truncate(height.saturating_sub(1));
        lines.push(Line::styled(more, look.style(Role::Muted)));
    }
    if marks.is_empty() {
        let text = "nothing here; n and N go to what is";
        lines.push(Line::styled(text, look.style(Role::Muted)));
    }
    draw_lines(&lines, 0, look, area, buffer);
}

/// A mark as a line: how it stands, what its receipt says, what it is.
pub fn line(kind: Kind, mark: &Mark, look: &Look) -> Line<'static> {
    let role = role(kind, mark);
    let mut spans = vec![look.span(role, glyph(kind, mark, look)), Span::raw(" ")];
    if let Some((standing, word)) = &mark.verdict {
        let word = match standing {
            Standing::Checking | Standing::Kept => standing.word().to_owned(),
            _ => word.replace('_', " "),
        };
        spans.push(look.span(role, format!("{word:<12} ")));
    }
    spans.push(look.span(Role::Text, mark.text.clone()));
    Line::from(spans)
}

/// One lane as a line of cells, for where there is no terminal.
pub fn cells(lane: &Lane, view: &View, cells: usize, look: &Look) -> String {
    let mut line = String::new();
    for cell in 0..cells {
        let held = view.holds(i64::try_from(cell).unwrap_or(i64::MAX), cells);
        let glyph = if lane.kind.is_spans() {
            let covered = lane.covers(held);
            if covered { look.glyphs.span } else { " " }.to_owned()
        } else {
            match lane.count(held) {
                (0, _) => " ".to_owned(),
                (1, Some(mark)) => glyph(lane.kind, mark, look),
                (n @ 2..=9, _) => n.to_string(),
                _ => "+".to_owned(),
            }
        };
        line.push_str(&glyph);
    }
    line
}
