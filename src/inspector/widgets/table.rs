//! Columns of cells: which are shown in a given width, and how wide.

use crate::inspector::text::Align;

/// A column of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ColumnSpec {
    /// Its heading.
    pub heading: &'static str,
    /// The cells it needs.
    pub least: u16,
    /// The cells it has before any column that may go is shown.
    pub wants: u16,
    /// The cells it can use; [`u16::MAX`] takes what is left.
    pub most: u16,
    /// How soon it goes where there is no room: the greatest first; 0 never goes.
    pub goes: u8,
    /// Where its cells stand.
    pub align: Align,
}

/// The columns shown in `width` cells with one cell between: their places in `columns`, and their
/// widths, which with the cells between fill `width` where a column takes what is left.
pub fn fit_columns(columns: &[ColumnSpec], width: u16) -> Vec<(usize, u16)> {
    let mut shown: Vec<usize> = (0..columns.len()).collect();
    let needed = |shown: &[usize], cells: fn(&ColumnSpec) -> u16| -> u32 {
        let all: u32 = shown
            .iter()
            .filter_map(|at| columns.get(*at))
            .map(|column| u32::from(cells(column)))
            .sum();
        all + u32::try_from(shown.len().saturating_sub(1)).unwrap_or(0)
    };
    while needed(&shown, |column| column.wants) > u32::from(width) {
        let goes = |at: usize| columns.get(at).map_or(0, |column| column.goes);
        let Some(first) = (0..shown.len())
            .filter(|at| goes(shown[*at]) > 0)
            .max_by_key(|at| goes(shown[*at]))
        else {
            break;
        };
        shown.remove(first);
    }
    let least = needed(&shown, |column| column.least);
    let mut left = width.saturating_sub(u16::try_from(least).unwrap_or(width));
    let mut widths: Vec<(usize, u16)> = shown
        .into_iter()
        .filter_map(|at| Some((at, columns.get(at)?.least)))
        .collect();
    // Bounded columns grow first, from left to right; the others share the rest.
    for (at, cells) in &mut widths {
        if let Some(column) = columns.get(*at).filter(|column| column.most != u16::MAX) {
            let more = column.most.saturating_sub(*cells).min(left);
            *cells += more;
            left -= more;
        }
    }
    let open = widths
        .iter()
        .filter(|(at, _)| columns.get(*at).is_some_and(|c| c.most == u16::MAX))
        .count();
    let mut open_left = u16::try_from(open).unwrap_or(0);
    for (at, cells) in &mut widths {
        if columns
            .get(*at)
            .is_some_and(|column| column.most == u16::MAX)
        {
            let share = left / open_left.max(1);
            *cells += share;
            left -= share;
            open_left -= 1;
        }
    }
    widths
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn column(least: u16, most: u16, goes: u8) -> ColumnSpec {
        wanting(least, least, most, goes)
    }

    const fn wanting(least: u16, wants: u16, most: u16, goes: u8) -> ColumnSpec {
        ColumnSpec {
            wants,
            heading: "",
            least,
            most,
            goes,
            align: Align::Left,
        }
    }

    #[test]
    fn columns_go_grow_and_fill() {
        let columns = [
            column(2, 2, 0),
            column(5, 10, 2),
            column(4, u16::MAX, 0),
            column(6, 6, 1),
        ];
        for (width, expected) in [
            (20, vec![(0, 2), (1, 5), (2, 4), (3, 6)]),
            (23, vec![(0, 2), (1, 8), (2, 4), (3, 6)]),
            (40, vec![(0, 2), (1, 10), (2, 19), (3, 6)]),
            (19, vec![(0, 2), (2, 9), (3, 6)]),
            (13, vec![(0, 2), (2, 10)]),
            (3, vec![(0, 2), (2, 4)]),
        ] {
            assert_eq!(fit_columns(&columns, width), expected, "{width}");
        }
        // What may go makes room for what is wanted, not only for what is needed.
        let wanting = [wanting(4, 10, u16::MAX, 0), column(6, 6, 1)];
        assert_eq!(fit_columns(&wanting, 16), [(0, 16)]);
        assert_eq!(fit_columns(&wanting, 17), [(0, 10), (1, 6)]);
        assert_eq!(fit_columns(&wanting, 7), [(0, 7)]);
        let two = [column(1, u16::MAX, 0), column(1, u16::MAX, 0)];
        assert_eq!(fit_columns(&two, 10), [(0, 4), (1, 5)]);
    }
}
