//! One file per pane. A pane draws state; it decides and computes nothing.

pub mod chooser;
pub mod dialog;
pub mod footer;
pub mod header;
pub mod help;
pub mod line;
pub mod receipts;
pub mod tabs;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::app::App;
use super::app::layout::{detail_lines, inner};
use super::app::state::{Focus, Tab};
use super::keymap::Keymap;
use super::look::Look;
use super::text::width;
use super::theme::Role;
use super::widgets::panel::{Panel, draw_line, draw_lines, draw_scroll_bar};
use super::work::{Explained, Opened};

/// What the lines of a detail are made with.
#[derive(Clone, Copy, Debug)]
pub struct Pane<'a> {
    /// How things look.
    pub look: &'a Look,
    /// The cells there are.
    pub width: usize,
    /// Whether what can be unfolded is.
    pub unfolded: bool,
    /// The keys, for what names them.
    pub keymap: &'a Keymap,
}

/// The lines of a tab.
pub fn detail(pane: &Pane<'_>, tab: Tab, explained: &Explained) -> Vec<Line<'static>> {
    tabs::lines(pane, tab, explained)
}

/// The lines of a tab of a ledger that is open: what it would say at another instant comes first,
/// where one is looked at.
pub fn detail_of(
    pane: &Pane<'_>,
    tab: Tab,
    explained: &Explained,
    opened: &Opened,
) -> Vec<Line<'static>> {
    let mut lines = match (tab, &opened.preview) {
        (Tab::State, Some(preview)) => tabs::preview(pane, explained, opened, preview),
        _ => Vec::new(),
    };
    lines.extend(detail(pane, tab, explained));
    lines
}

/// The tab whose name stands at a cell of the area within the detail's frame.
pub fn tab_at(area: Rect, x: u16) -> Option<Tab> {
    let mut from = area.x + 1;
    for &tab in Tab::ALL {
        let cells = u16::try_from(width(tab.title())).unwrap_or(0);
        if (from..from + cells + 1).contains(&x) {
            return Some(tab);
        }
        from += cells + 3;
    }
    None
}

/// Draws the detail of the chosen receipt.
pub fn draw_detail(app: &App, area: Rect, buffer: &mut Buffer) {
    let look = &app.look;
    let focused = app.focus == Focus::Detail && app.overlays.is_empty();
    let chosen = app.list.chosen();
    let title = chosen.map_or_else(Line::default, |row| {
        Line::from(vec![
            look.span(
                look.verdict(row),
                format!("{} ", look.standing(row.standing)),
            ),
            look.span(look.verdict(row), row.verdict()),
            Span::raw("  "),
            look.span(Role::Text, receipts::agent(row)),
            Span::raw("  "),
            look.span(Role::Muted, row.action_word()),
            Span::raw("  "),
            look.span(Role::Text, row.who.clone()),
        ])
    });
    let note = chosen.map_or_else(Line::default, |row| {
        Line::styled(row.id.clone(), look.style(Role::Muted))
    });
    let within = Panel {
        title,
        note,
        focused,
    }
    .draw(look, area, buffer);
    debug_assert_eq!(within, inner(area));
    let mut tabs = Vec::new();
    for (place, &tab) in Tab::ALL.iter().enumerate() {
        if place > 0 {
            tabs.push(look.span(Role::Border, format!(" {}", look.glyphs.vertical)));
        }
        // The tab shown is told by a mark too, not by its colour alone.
        let (role, mark) = if tab == app.detail.tab {
            (Role::Accent, look.glyphs.cursor)
        } else {
            (Role::Muted, " ")
        };
        tabs.push(look.span(role, mark));
        tabs.push(look.span(role, tab.title()));
    }
    draw_line(
        &Line::from(tabs),
        look,
        Rect {
            height: 1,
            ..within
        },
        buffer,
    );
    let rule = look.glyphs.rule.repeat(usize::from(within.width));
    if within.height > 1 {
        buffer.set_string(within.x, within.y + 1, rule, look.style(Role::Border));
    }
    let lines = detail_lines(area);
    if chosen.is_some() && app.detail.lines.is_empty() {
        receipts::centered_text(
            look,
            Role::Checking,
            "re-deriving the receipt",
            lines,
            buffer,
        );
    }
    let top = app.detail.scroll().top;
    draw_lines(&app.detail.lines, top, look, lines, buffer);
    draw_scroll_bar(
        top,
        app.detail.lines.len(),
        usize::from(lines.height),
        look,
        area,
        buffer,
    );
}
