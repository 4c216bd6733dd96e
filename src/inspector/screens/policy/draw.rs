//! How the policy looks, and what is tried out.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::plain::{change, is_changed, line, whole};
use super::{Outcome, State};
use crate::inspector::action::Action;
use crate::inspector::app::layout::{ROOM, inner, split, stacked};
use crate::inspector::app::state::Focus;
use crate::inspector::panes::Pane;
use crate::inspector::panes::receipts::centered_text;
use crate::inspector::screens::Scene;
use crate::inspector::screens::reading::page_lines;
use crate::inspector::text::{cut_middle, wrap};
use crate::inspector::theme::Role;
use crate::inspector::widgets::panel::{Panel, draw_line, draw_lines, draw_scroll_bar, paint};

/// The fewest lines the changes have below what was looked at.
const CHANGES: u16 = 3;

/// Lines that say how something is tried out and show the chosen line whole, with their frame.
const HELP: u16 = 10;

/// Where the changes stand within the frame of a preview: below what was looked at and a gap.
pub fn change_rows(state: &State, area: Rect) -> Rect {
    let lines = page_lines(area);
    let summary = u16::try_from(state.summary.len()).unwrap_or(u16::MAX);
    let most = lines.height.saturating_sub(CHANGES).max(lines.height / 2);
    let above = summary.saturating_add(1).min(most);
    Rect {
        y: lines.y + above,
        height: lines.height - above,
        ..lines
    }
}

/// Where the policy and what is tried out stand. Where they stand one above the other, the policy
/// has nearly all while nothing is tried out.
pub fn places(state: &State, area: Rect) -> (Option<Rect>, Option<Rect>) {
    match split(area, ROOM, usize::MAX, state.focus) {
        (Some(list), Some(page)) if page.y > list.y => {
            let upper = if state.proposal.is_empty() {
                area.height - HELP
            } else {
                area.height / 2
            };
            let (list, page) = stacked(area, upper);
            (Some(list), Some(page))
        }
        places => places,
    }
}

/// Draws the screen.
pub fn draw(state: &State, scene: &Scene<'_>, buffer: &mut Buffer) {
    let look = scene.look;
    let (list, page) = places(state, scene.area);
    if let Some(area) = list {
        draw_policy(state, scene, area, buffer);
    }
    if let Some(area) = page {
        let title = if state.proposal.is_empty() {
            vec![look.span(Role::Heading, "What if")]
        } else {
            vec![
                look.span(Role::Preview, "Preview  "),
                look.span(Role::Text, state.proposal.text()),
            ]
        };
        let panel = Panel {
            title: Line::from(title),
            note: Line::styled("never stored", look.style(Role::Preview)),
            focused: scene.focused && state.focus == Focus::Detail,
        };
        panel.draw(look, area, buffer);
        draw_outcome(state, scene, area, buffer);
    }
}

fn draw_policy(state: &State, scene: &Scene<'_>, area: Rect, buffer: &mut Buffer) {
    let look = scene.look;
    let mut title = vec![look.span(Role::Heading, "Policy")];
    if !state.proposal.is_empty() {
        let text = match state.outcome.as_deref() {
            Some(Outcome::Refused(_)) => "  what is tried out is refused",
            Some(Outcome::Failed(_)) => "  what is tried out is not known",
            Some(Outcome::Preview(_)) => "  as tried out",
            None => "  trying it out",
        };
        title.push(look.span(Role::Preview, text));
    }
    let hash = state.document().map_or("", |document| &document.hash);
    let panel = Panel {
        title: Line::from(title),
        note: Line::styled(
            cut_middle(hash, 17, look.glyphs.cut).into_owned(),
            look.style(Role::Muted),
        ),
        focused: scene.focused && state.focus == Focus::List,
    };
    let within = panel.draw(look, area, buffer);
    if state.document().is_none() {
        let (role, text) = match &state.failure {
            Some(why) => (Role::Bad, why.as_str()),
            None => (Role::Checking, "the policy is loaded"),
        };
        centered_text(look, role, text, within, buffer);
        return;
    }
    let lines = state.lines();
    let height = usize::from(within.height);
    for (y, place) in (within.y..within.bottom()).zip(state.cursor.view(lines.len(), height)) {
        let Some(of) = lines.get(place) else { continue };
        let chosen = place == state.cursor.at;
        let cursor = if chosen { look.glyphs.cursor } else { " " };
        let mut spans = vec![look.span(Role::Accent, cursor)];
        let room = usize::from(within.width).saturating_sub(1);
        let changed = is_changed(of, &state.proposal);
        let made = line(of, changed, room, look);
        let style = made.style;
        spans.extend(
            made.spans
                .into_iter()
                .map(|span| Span::styled(span.content, style.patch(span.style))),
        );
        let row = Rect::new(within.x, y, within.width, 1);
        draw_line(&Line::from(spans), look, row, buffer);
        if chosen {
            let role = if scene.focused && state.focus == Focus::List {
                Role::Selection
            } else {
                Role::SelectionIdle
            };
            paint(role, look, row, buffer);
        }
    }
    draw_scroll_bar(state.cursor.top, lines.len(), height, look, area, buffer);
}

fn draw_outcome(state: &State, scene: &Scene<'_>, area: Rect, buffer: &mut Buffer) {
    let look = scene.look;
    let within = page_lines(area);
    let key = |action: Action| {
        let first = scene.keymap.keys(action).first();
        first.map_or_else(|| action.name().to_owned(), ToString::to_string)
    };
    match (state.proposal.is_empty(), state.outcome.as_deref()) {
        (true, _) => {
            let text = format!(
                "{} on a number changes it, {} picks another policy file. Every stored batch is then derived again with that policy alone replaced, and what is open is graded anew: here stands what would change. Nothing of it is ever stored.",
                key(Action::Open),
                key(Action::PickPolicy)
            );
            let pane = Pane {
                look,
                width: usize::from(within.width).max(1),
                unfolded: true,
                keymap: scene.keymap,
            };
            let chosen = state.lines().get(state.cursor.at);
            let lines = whole(chosen, &text, &pane);
            draw_lines(&lines, 0, look, within, buffer);
        }
        (false, None) => {
            let text = format!(
                "every receipt is derived again; {} stops, {} leaves it",
                key(Action::CancelWork),
                key(Action::DropWhatIf)
            );
            centered_text(look, Role::Checking, &text, within, buffer);
        }
        (false, Some(Outcome::Refused(refusals))) => {
            let mut lines = vec![
                Line::styled(
                    "The policy is refused; the loaded one is shown.",
                    look.style(Role::Bad),
                ),
                Line::default(),
            ];
            let room = usize::from(within.width).saturating_sub(2).max(1);
            for refusal in refusals.iter().skip(state.refusals.top) {
                for (place, text) in wrap(refusal, room).into_iter().enumerate() {
                    let mark = if place == 0 { look.glyphs.no } else { " " };
                    lines.push(Line::from(vec![
                        look.span(Role::Bad, format!("{mark} ")),
                        look.span(Role::Text, text),
                    ]));
                }
            }
            draw_lines(&lines, 0, look, within, buffer);
        }
        (false, Some(Outcome::Failed(why))) => {
            centered_text(look, Role::Warning, why, within, buffer);
        }
        (false, Some(Outcome::Preview(_))) => {
            draw_preview(state, scene, area, buffer);
        }
    }
}

fn draw_preview(state: &State, scene: &Scene<'_>, area: Rect, buffer: &mut Buffer) {
    let look = scene.look;
    let within = page_lines(area);
    let rows = change_rows(state, area);
    let above = Rect {
        height: rows.y - within.y,
        ..within
    };
    draw_lines(&state.summary, 0, look, above, buffer);
    let changes = state.changes();
    if changes.is_empty() {
        let text = "no receipt would say anything else";
        centered_text(look, Role::Good, text, rows, buffer);
        return;
    }
    let height = usize::from(rows.height);
    for (y, place) in (rows.y..rows.bottom()).zip(state.change.view(changes.len(), height)) {
        let Some(of) = changes.get(place) else {
            continue;
        };
        let chosen = place == state.change.at;
        let cursor = if chosen { look.glyphs.cursor } else { " " };
        let mut spans = vec![look.span(Role::Accent, format!("{cursor} "))];
        let room = usize::from(rows.width).saturating_sub(2);
        spans.extend(change(of, room, look).spans);
        let row = Rect::new(rows.x, y, rows.width, 1);
        draw_line(&Line::from(spans), look, row, buffer);
        if chosen {
            let role = if scene.focused && state.focus == Focus::Detail {
                Role::Selection
            } else {
                Role::SelectionIdle
            };
            paint(role, look, row, buffer);
        }
    }
    draw_scroll_bar(state.change.top, changes.len(), height, look, area, buffer);
    debug_assert!(inner(area).height >= rows.height);
}
