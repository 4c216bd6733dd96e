//! Where everything stands on a terminal of a given size.

use ratatui::layout::Rect;

use super::state::{App, Focus};

/// The smallest terminal the inspector can be used on: columns and rows.
pub const LEAST: (u16, u16) = (60, 15);

/// From which size of an area on a list and what it leads to are both shown.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    /// Side by side from this width on.
    pub beside: u16,
    /// One above the other from this width and height on.
    pub stacked: (u16, u16),
    /// The most of the height the list then takes, in tenths.
    pub tenths: u16,
}

/// The room a list needs as a rule.
pub const ROOM: Room = Room {
    beside: 170,
    stacked: (90, 28),
    tenths: 4,
};

/// Rows of a list that stands above what it leads to, at the least.
const FEW: u16 = 5;

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
    // By every row there is: a filter that is being typed moves nothing.
    let (list, detail) = split(body, ROOM, app.list.total(), app.focus);
    Some(Areas {
        header,
        list,
        detail,
        footer,
    })
}

/// Where a list of so many rows and what it leads to stand in an area; with
/// little room only the one with the focus. Above the other, the list is no
/// taller than its rows need.
pub fn split(area: Rect, room: Room, rows: usize, focus: Focus) -> (Option<Rect>, Option<Rect>) {
    let (width, height) = room.stacked;
    let both = if area.width >= room.beside {
        beside(area, area.width * 2 / 5)
    } else if area.width >= width && area.height >= height {
        // Its frame, and the headings.
        let around = 3;
        let most = (area.height * room.tenths / 10).saturating_sub(around);
        let rows = u16::try_from(rows).unwrap_or(u16::MAX);
        stacked(area, rows.min(most).max(FEW) + around)
    } else {
        return match focus {
            Focus::List => (Some(area), None),
            Focus::Detail => (None, Some(area)),
        };
    };
    (Some(both.0), Some(both.1))
}

/// Two parts side by side, the left one so wide.
pub const fn beside(area: Rect, left: u16) -> (Rect, Rect) {
    (
        Rect {
            width: left,
            ..area
        },
        Rect {
            x: area.x + left,
            width: area.width.saturating_sub(left),
            ..area
        },
    )
}

/// Two parts one above the other, the upper one so high.
pub const fn stacked(area: Rect, upper: u16) -> (Rect, Rect) {
    (
        Rect {
            height: upper,
            ..area
        },
        Rect {
            y: area.y + upper,
            height: area.height.saturating_sub(upper),
            ..area
        },
    )
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_above_is_no_taller_than_its_rows_need() {
        let area = Rect::new(0, 1, 120, 38);
        let height = |rows| {
            let (list, detail) = split(area, ROOM, rows, Focus::List);
            let (list, detail) = (list.unwrap(), detail.unwrap());
            assert_eq!(list.height + detail.height, area.height);
            assert_eq!(detail.y, list.y + list.height);
            list.height
        };
        assert_eq!(height(0), 8);
        assert_eq!(height(5), 8);
        assert_eq!(height(9), 12);
        assert_eq!(height(12), 15);
        assert_eq!(height(usize::MAX), 15);
    }

    #[test]
    fn with_little_room_only_the_one_with_the_focus_is_shown() {
        let area = Rect::new(0, 1, 80, 22);
        let list = split(area, ROOM, 3, Focus::List);
        assert_eq!(list, (Some(area), None));
        let detail = split(area, ROOM, 3, Focus::Detail);
        assert_eq!(detail, (None, Some(area)));
    }
}
