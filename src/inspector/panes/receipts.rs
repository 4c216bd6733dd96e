//! The receipts list.

use attest_grading::model::Grade;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::inspector::app::App;
use crate::inspector::app::layout::list_rows;
use crate::inspector::app::state::Focus;
use crate::inspector::look::{Look, grade_role, grade_word};
use crate::inspector::row::{Column, Row, Standing};
use crate::inspector::text::{Align, count, cut, fit, width, wrap};
use crate::inspector::theme::Role;
use crate::inspector::widgets::panel::{Panel, draw_line, draw_lines, draw_scroll_bar, paint};
use crate::inspector::widgets::table::{ColumnSpec, fit_columns};

const COLUMNS: [(Column, ColumnSpec); 8] = [
    (Column::State, spec("", 1, 1, 0, Align::Left)),
    (Column::Grade, spec("grade", 12, 12, 0, Align::Left)),
    (Column::Time, spec("time", 11, 11, 0, Align::Left)),
    (Column::Agent, spec("agent", 14, 14, 3, Align::Left)),
    (Column::Action, spec("action", 20, 20, 4, Align::Left)),
    (
        Column::Who,
        ColumnSpec {
            wants: 22,
            ..spec("who, what", 14, u16::MAX, 0, Align::Left)
        },
    ),
    (Column::Score, spec("score", 6, 6, 1, Align::Right)),
    (Column::Rule, spec("rule", 23, 23, 5, Align::Left)),
];

/// From this many cells on, times have their year.
const WITH_YEAR: u16 = 100;

/// A year and its hyphen.
const YEAR: u16 = 5;

const fn spec(heading: &'static str, least: u16, most: u16, goes: u8, align: Align) -> ColumnSpec {
    ColumnSpec {
        heading,
        least,
        wants: least,
        most,
        goes,
        align,
    }
}

/// The columns shown in an area: what they hold, from which cell, how wide.
fn columns(area: Rect) -> Vec<(Column, ColumnSpec, u16, u16)> {
    let specs = COLUMNS.map(|(column, spec)| match column {
        Column::Time if area.width >= WITH_YEAR => {
            let cells = spec.least + YEAR;
            ColumnSpec {
                least: cells,
                wants: cells,
                most: cells,
                ..spec
            }
        }
        _ => spec,
    });
    // The cursor and a space stand before the first column.
    let mut x = area.x + 2;
    let mut columns = Vec::new();
    for (at, cells) in fit_columns(&specs, area.width.saturating_sub(3)) {
        if let Some((column, spec)) = COLUMNS.get(at) {
            columns.push((*column, *spec, x, cells));
        }
        x += cells + 1;
    }
    columns
}

/// The column whose heading stands at a cell of the area within the frame.
pub fn column_at(area: Rect, x: u16) -> Option<Column> {
    columns(area)
        .into_iter()
        .find(|(_, _, from, cells)| (*from..=from + cells).contains(&x))
        .map(|(column, ..)| column)
}

/// Draws the list.
pub fn draw(app: &App, area: Rect, buffer: &mut Buffer) {
    let look = &app.look;
    let focused = app.focus == Focus::List && app.overlays.is_empty();
    let panel = Panel {
        title: title(app, usize::from(area.width)),
        note: note(app),
        focused,
    };
    let inner = panel.draw(look, area, buffer);
    let rows = list_rows(area);
    if app.list.is_empty() {
        empty(app, inner, buffer);
        return;
    }
    let columns = columns(inner);
    let sort = app.list.sort();
    for (column, spec, x, cells) in &columns {
        let is_sorted = sort.column == *column;
        let mark = match (is_sorted, sort.descending) {
            (false, _) => "",
            (true, true) => look.glyphs.descending,
            (true, false) => look.glyphs.ascending,
        };
        let role = if is_sorted { Role::Accent } else { Role::Muted };
        let text = fit(
            &format!("{}{mark}", spec.heading),
            usize::from(*cells),
            spec.align,
            look.glyphs.cut,
        );
        buffer.set_string(*x, inner.y, text, look.style(role));
    }
    let height = usize::from(rows.height);
    for (y, place) in (rows.y..rows.bottom()).zip(app.list.cursor.view(app.list.len(), height)) {
        let Some(row) = app.list.row(place) else {
            continue;
        };
        for (column, spec, x, cells) in &columns {
            draw_cell(
                app,
                row,
                *column,
                *spec,
                Rect::new(*x, y, *cells, 1),
                buffer,
            );
        }
        if place == app.list.cursor.at {
            buffer.set_string(rows.x, y, look.glyphs.cursor, look.style(Role::Accent));
            let role = if focused {
                Role::Selection
            } else {
                Role::SelectionIdle
            };
            paint(role, look, Rect::new(rows.x, y, rows.width, 1), buffer);
        }
    }
    draw_scroll_bar(
        app.list.cursor.top,
        app.list.len(),
        height,
        look,
        area,
        buffer,
    );
}

fn draw_cell(
    app: &App,
    row: &Row,
    column: Column,
    spec: ColumnSpec,
    area: Rect,
    buffer: &mut Buffer,
) {
    let look = &app.look;
    let cells = usize::from(area.width);
    let (role, text) = match column {
        Column::State => (look.verdict(row), look.standing(row.standing).to_owned()),
        Column::Grade => (look.verdict(row), row.verdict().to_owned()),
        Column::Time => (Role::Text, time(row, cells)),
        Column::Agent => (Role::Text, agent(row)),
        Column::Action => (Role::Muted, row.action_word().to_owned()),
        Column::Who => {
            draw_line(&who(app, row, cells), look, area, buffer);
            return;
        }
        Column::Score => (
            Role::Text,
            row.score.map(|score| score.to_string()).unwrap_or_default(),
        ),
        Column::Rule => (Role::Muted, row.rule.clone()),
    };
    buffer.set_string(
        area.x,
        area.y,
        fit(&text, cells, spec.align, look.glyphs.cut),
        look.style(role),
    );
}

/// Whose action. Of an action nobody claimed it is never more than likely.
pub fn agent(row: &Row) -> String {
    let is_unasked = row.grade == Some(Grade::Unasked) || row.is_orphan;
    if is_unasked {
        format!("likely {}", row.agent)
    } else {
        row.agent.to_string()
    }
}

/// The time on the wall clock it was written with: without the year where there is little room.
fn time(row: &Row, cells: usize) -> String {
    let written = row.at.to_string();
    let part = |range: std::ops::Range<usize>| written.get(range).unwrap_or_default();
    if cells >= 16 {
        format!("{} {}", part(0..10), part(11..16))
    } else {
        format!("{} {}", part(5..10), part(11..16))
    }
}

/// Who and what, with what the filter found marked.
fn who(app: &App, row: &Row, cells: usize) -> Line<'static> {
    let look = &app.look;
    let who_cells = if row.what.is_empty() {
        cells
    } else {
        // What it is about has at least a third of the cell.
        width(&row.who).min(cells.saturating_sub(2 + cells / 3))
    };
    let mut spans = marked(app, Role::Text, &cut(&row.who, who_cells, look.glyphs.cut));
    if !row.what.is_empty() {
        if !row.who.is_empty() {
            spans.push(Span::raw("  "));
        }
        spans.extend(marked(app, Role::Muted, &row.what));
    }
    Line::from(spans)
}

fn marked(app: &App, role: Role, text: &str) -> Vec<Span<'static>> {
    let look = &app.look;
    let mut spans = Vec::new();
    let mut from = 0;
    for found in app.list.filter().found(text) {
        spans.push(look.span(
            role,
            text.get(from..found.start).unwrap_or_default().to_owned(),
        ));
        let style = look.style(role).patch(look.style(Role::Found));
        spans.push(Span::styled(
            text.get(found.clone()).unwrap_or_default().to_owned(),
            style,
        ));
        from = found.end;
    }
    spans.push(look.span(role, text.get(from..).unwrap_or_default().to_owned()));
    spans
}

/// How many are shown, and what they count as.
fn title(app: &App, room: usize) -> Line<'static> {
    let look = &app.look;
    let mut spans = vec![look.span(Role::Heading, "Receipts")];
    if !app.is_open {
        return Line::from(spans);
    }
    let number = if app.list.len() == app.list.total() {
        format!(" {}", count(app.list.total()))
    } else {
        format!(" {} of {}", count(app.list.len()), count(app.list.total()))
    };
    spans.push(look.span(Role::Text, number));
    let counts = app.list.counts();
    let grades = Grade::ALL.iter().filter_map(|grade| {
        let n = *counts.grades.get(grade.index())?;
        Some((grade_role(*grade), n, grade_word(*grade).to_lowercase()))
    });
    let others = [
        (
            Role::Checking,
            counts.checking,
            Standing::Checking.word().to_owned(),
        ),
        (Role::Muted, counts.kept, Standing::Kept.word().to_owned()),
    ];
    for (role, n, word) in grades.chain(others).filter(|(_, n, _)| *n > 0) {
        let text = format!("  {} {word}", count(n));
        let used: usize = spans.iter().map(|span| width(&span.content)).sum();
        if used + width(&text) + 4 > room {
            break;
        }
        spans.push(look.span(role, text));
    }
    Line::from(spans)
}

fn note(app: &App) -> Line<'static> {
    if app.list.filter_text().is_empty() {
        return Line::default();
    }
    let look = &app.look;
    let text = crate::inspector::text::shown(app.list.filter_text()).into_owned();
    let role = if app.list.errors().is_empty() {
        Role::Found
    } else {
        Role::Bad
    };
    Line::from(vec![look.span(Role::Key, "/"), look.span(role, text)])
}

/// What stands where there are no rows.
fn empty(app: &App, area: Rect, buffer: &mut Buffer) {
    let look = &app.look;
    let (role, text) = match (&app.failure, app.is_open) {
        (Some(failure), _) => (Role::Bad, failure.clone()),
        (None, false) => (Role::Checking, "opening the file".to_owned()),
        (None, true) if app.list.total() == 0 => {
            let what = match app.list.opened().facts {
                Some(_) => "the package carries no receipts of a ledger",
                None => "the ledger holds no receipts",
            };
            (Role::Muted, what.to_owned())
        }
        (None, true) => (
            Role::Muted,
            "no receipt passes the filter; esc shows all".to_owned(),
        ),
    };
    centered_text(look, role, &text, area, buffer);
}

/// A text in the middle of an area.
pub fn centered_text(look: &Look, role: Role, text: &str, area: Rect, buffer: &mut Buffer) {
    let room = usize::from(area.width.saturating_sub(4)).max(1);
    let lines: Vec<Line<'_>> = text
        .lines()
        .flat_map(|line| wrap(line, room))
        .map(|line| {
            let line = fit(&line, room, Align::Center, look.glyphs.cut);
            look.span(role, line).into()
        })
        .collect();
    let first = area
        .height
        .saturating_sub(u16::try_from(lines.len()).unwrap_or(0))
        / 2;
    let area = Rect {
        x: area.x + 2,
        y: area.y + first,
        width: area.width.saturating_sub(4),
        height: area.height - first,
    };
    draw_lines(&lines, 0, look, area, buffer);
}
