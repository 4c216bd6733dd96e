//! Where everything stands on a terminal of a given size.

use ratatui::layout::Rect;

use super::state::{App, Focus};

/// The smallest terminal the inspector can be used on: columns and rows.
pub const LEAST: (u16, u16) = (60, 15);

/// From this size on, list and detail stand one above the other.
const STACKED: (u16, u16) = (90, 30);
/// From this width on, they stand side by side.
const BESIDE: u16 = 170;

/// The parts of a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Areas {
    /// The first line: the ledger and the screens.
    pub header: Rect,
    /// The list, where it is shown.
    pub list: Option<Rect>,
    /// The detail, where it is shown.
    pub detail: Option<Rect>,
    /// The last line: what came of something, or the keys.
    pub footer: Rect,
}

/// The parts of a frame; none where the terminal is too small.
pub fn areas(app: &App) -> Option<Areas> {
    let (width, height) = app.size;
    if width < LEAST.0 || height < LEAST.1 {
        return None;
    }
    let header = Rect::new(0, 0, width, 1);
    let footer = Rect::new(0, height - 1, width, 1);
    let body = Rect::new(0, 1, width, height - 2);
    let (list, detail) = if width >= BESIDE {
        let left = body.width * 2 / 5;
        (
            Some(Rect {
                width: left,
                ..body
            }),
            Some(Rect {
                x: left,
                width: body.width - left,
                ..body
            }),
        )
    } else if width >= STACKED.0 && height >= STACKED.1 {
        let upper = (body.height * 2 / 5).max(8);
        (
            Some(Rect {
                height: upper,
                ..body
            }),
            Some(Rect {
                y: body.y + upper,
                height: body.height - upper,
                ..body
            }),
        )
    } else {
        match app.focus {
            Focus::List => (Some(body), None),
            Focus::Detail => (None, Some(body)),
        }
    };
    Some(Areas {
        header,
        list,
        detail,
        footer,
    })
}

/// Everything between header and footer; empty where the terminal is too small.
pub fn body(app: &App) -> Rect {
    let (width, height) = app.size;
    if width < LEAST.0 || height < LEAST.1 {
        return Rect::default();
    }
    Rect::new(0, 1, width, height - 2)
}

/// What is within a frame.
pub const fn inner(area: Rect) -> Rect {
    Rect {
        x: area.x + 1,
        y: area.y + 1,
        width: area.width.saturating_sub(2),
        height: area.height.saturating_sub(2),
    }
}

/// The rows of the list within its frame, under the headings.
pub const fn list_rows(area: Rect) -> Rect {
    let inner = inner(area);
    Rect {
        y: inner.y + 1,
        height: inner.height.saturating_sub(1),
        ..inner
    }
}

/// The lines of the detail within its frame, under the tabs, a cell from either edge.
pub const fn detail_lines(area: Rect) -> Rect {
    let inner = inner(area);
    Rect {
        x: inner.x + 1,
        y: inner.y + 2,
        width: inner.width.saturating_sub(2),
        height: inner.height.saturating_sub(2),
    }
}

/// A box in the middle of the screen, at most this large.
pub fn centered(app: &App, width: u16, height: u16) -> Rect {
    let width = width.min(app.size.0.saturating_sub(4));
    let height = height.min(app.size.1.saturating_sub(2));
    Rect {
        x: (app.size.0 - width) / 2,
        y: (app.size.1 - height) / 3,
        width,
        height,
    }
}
