//! The review without a terminal: every receipt that needs a person, with what is said of it.

use attest_canon::Id;
use ratatui::layout::Rect;

use super::{Fate, Query, State, answer, lines};
use crate::inspector::panes::Pane;
use crate::inspector::row::Row;
use crate::inspector::screens::reading::plain_lines;
use crate::inspector::screens::{Facts, Scene};
use crate::inspector::text::counted;
use crate::inspector::work::{Opened, Progress};

/// The screen as lines. `rows` are the list's.
pub fn plain(facts: &Facts<'_>, rows: &[Row], pane: &Pane<'_>) -> Vec<String> {
    let opened = Opened {
        rows: rows.to_vec(),
        ..Opened::default()
    };
    let scene = Scene {
        look: pane.look,
        keymap: pane.keymap,
        opened: &opened,
        is_open: true,
        focused: false,
        area: Rect::default(),
    };
    let mut state = State::default();
    state.make_queue(&opened);
    let mut out = vec![format!(
        "{} for a person",
        counted(state.len(), "waits", "wait")
    )];
    for place in 0..state.len() {
        let Some(row) = state.row(&opened, place) else {
            continue;
        };
        out.push(String::new());
        out.push(format!(
            "{}  {}  {}  {}",
            row.id,
            row.verdict(),
            row.who,
            row.what
        ));
        let case = Id::parse(&row.id)
            .ok_or_else(|| "the receipt has no id".to_owned())
            .and_then(|id| answer(&Query::Case(id), facts, &Progress::silent()))
            .and_then(|answer| answer.case);
        let width = u16::try_from(pane.width).unwrap_or(u16::MAX);
        let said = lines::of(&scene, width, row, Fate::Waiting, case.as_deref());
        out.extend(plain_lines(said));
    }
    out
}
