//! What follows from a change, before the next frame: cursors within their lists, the detail's
//! receipt asked for, its lines made.

use attest_canon::Id;

use super::layout::{areas, detail_lines, list_rows};
use super::overlay::Overlay;
use super::screen;
use super::state::{App, Effect, MadeFor};
use crate::inspector::panes;
use crate::inspector::work::Request;

/// Makes the state whole again.
pub fn settle(app: &mut App) -> Vec<Effect> {
    let mut effects = Vec::new();
    let areas = areas(app);
    let rows = areas
        .and_then(|areas| areas.list)
        .map_or(0, |area| list_rows(area).height);
    let len = app.list.len();
    app.list.cursor.settle(len, usize::from(rows).max(1));

    let chosen = app.list.chosen().and_then(|row| Id::parse(&row.id));
    if chosen != app.detail.asked {
        app.detail.asked = chosen;
        app.detail.scrolls = Default::default();
        app.detail.unfolded = false;
        if let Some(id) = chosen {
            effects.push(Effect::Ask(Request::Explain(id)));
        }
    }
    if let Some(area) = areas.and_then(|areas| areas.detail) {
        let lines = detail_lines(area);
        let explained = app
            .detail
            .explained
            .as_ref()
            .filter(|(id, _)| Some(*id) == chosen);
        let made_for = MadeFor {
            receipt: chosen,
            explained: explained.is_some(),
            tab: app.detail.tab,
            width: lines.width,
            unfolded: app.detail.unfolded,
            palette: (app.look.palette.name.clone(), app.look.palette.depth),
            preview: app.list.opened().preview.as_ref().map(|preview| preview.at),
        };
        if app.detail.made_for.as_ref() != Some(&made_for) {
            let made = explained.map(|(_, explained)| {
                let pane = panes::Pane {
                    look: &app.look,
                    width: usize::from(lines.width),
                    unfolded: app.detail.unfolded,
                    keymap: &app.settings.keymap,
                };
                panes::detail_of(&pane, app.detail.tab, explained, app.list.opened())
            });
            app.detail.lines = made.unwrap_or_default();
            app.detail.made_for = Some(made_for);
        }
        let count = app.detail.lines.len();
        if let Some(scroll) = app.detail.scroll_mut() {
            scroll.settle(count, usize::from(lines.height));
        }
    }
    effects.append(&mut screen::settle(app));
    let height = usize::from(app.size.1);
    for overlay in &mut app.overlays {
        match overlay {
            Overlay::Chooser(chooser) => {
                chooser
                    .cursor
                    .settle(chooser.shown.len(), panes::chooser::rows(height));
            }
            Overlay::Help { of, scroll } => {
                let lines = panes::help::entries(&app.settings.keymap, of).len();
                scroll.settle(lines, panes::help::rows(height));
            }
            Overlay::Dialog(dialog) => {
                let (lines, room) = panes::dialog::lines_and_room(app.size, dialog);
                dialog.scroll.settle(lines, room);
            }
            Overlay::Line(_) | Overlay::Filter { .. } => {}
        }
    }
    effects
}
