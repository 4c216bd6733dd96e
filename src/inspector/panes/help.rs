//! The keys of where one is, from the registry.

use ratatui::buffer::Buffer;
use ratatui::text::{Line, Span};

use crate::inspector::action::{Action, Context};
use crate::inspector::app::App;
use crate::inspector::app::draw::clear;
use crate::inspector::app::layout::centered;
use crate::inspector::keymap::Keymap;
use crate::inspector::text::{Align, fit};
use crate::inspector::theme::Role;
use crate::inspector::widgets::cursor::Scroll;
use crate::inspector::widgets::panel::{Panel, draw_lines, draw_scroll_bar};

/// One line of the help.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Entry {
    /// The heading of a context.
    Heading(&'static str),
    /// An action with its keys; none where it has no key here.
    Action(Action, String),
    /// An empty line.
    Gap,
}

/// The help of a stack of contexts: each with its actions, those of several contexts in the first.
pub fn entries(keymap: &Keymap, of: &[Context]) -> Vec<Entry> {
    let mut entries = Vec::new();
    for (place, context) in of.iter().enumerate() {
        let actions: Vec<Action> = Action::ALL
            .iter()
            .copied()
            .filter(|action| of.iter().position(|at| action.contexts().contains(at)) == Some(place))
            .collect();
        if actions.is_empty() {
            continue;
        }
        if !entries.is_empty() {
            entries.push(Entry::Gap);
        }
        entries.push(Entry::Heading(context.title()));
        for action in actions {
            let keys: Vec<String> = keymap
                .keys(action)
                .iter()
                .filter(|keys| !context.takes_text() || keys.first.typed().is_none())
                .map(ToString::to_string)
                .collect();
            entries.push(Entry::Action(action, keys.join("  ")));
        }
    }
    entries
}

/// The lines of help in view on a terminal of this height.
pub fn rows(height: usize) -> usize {
    height.saturating_sub(6).max(1)
}

/// Draws the help.
pub fn draw(app: &App, of: &[Context], scroll: Scroll, buffer: &mut Buffer) {
    let look = &app.look;
    let entries = entries(&app.settings.keymap, of);
    let rows = rows(usize::from(app.size.1)).min(entries.len());
    let area = centered(app, 92, u16::try_from(rows + 2).unwrap_or(u16::MAX));
    clear(app, area, buffer);
    let panel = Panel {
        title: Line::styled("Keys", look.style(Role::Heading)),
        note: Line::from(vec![
            look.span(Role::Key, ": "),
            look.span(Role::Muted, "finds every action"),
        ]),
        focused: true,
    };
    let mut inner = panel.draw(look, area, buffer);
    inner.x += 1;
    inner.width = inner.width.saturating_sub(2);
    let lines: Vec<Line<'_>> = entries
        .iter()
        .map(|entry| match entry {
            Entry::Gap => Line::default(),
            Entry::Heading(title) => Line::styled(*title, look.style(Role::Heading)),
            Entry::Action(action, keys) => Line::from(vec![
                Span::raw("  "),
                look.span(Role::Key, fit(keys, 20, Align::Left, look.glyphs.cut)),
                Span::raw(" "),
                look.span(Role::Text, action.about()),
                look.span(Role::Muted, format!("  {}", action.name())),
            ]),
        })
        .collect();
    draw_lines(&lines, scroll.top, look, inner, buffer);
    draw_scroll_bar(
        scroll.top,
        lines.len(),
        usize::from(inner.height),
        look,
        area,
        buffer,
    );
}
