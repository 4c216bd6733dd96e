//! A small time axis: instants and spans in so many cells.

use attest_grading::model::{Instant, Interval};

/// A stretch of time over a row of cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Axis {
    /// What is drawn.
    pub span: Interval,
    /// The cells there are, at least one.
    pub cells: usize,
}

impl Axis {
    /// The cell of an instant; none outside.
    pub fn cell(self, at: Instant) -> Option<usize> {
        if !self.span.holds(at) {
            return None;
        }
        let length = i128::from(self.span.to.since(self.span.from)).max(1);
        let last = self.cells.saturating_sub(1);
        let into = i128::from(at.since(self.span.from));
        // To the nearest cell, so that what is in the middle is drawn there.
        let last_wide = i128::try_from(last).unwrap_or(0);
        let cell = (into * last_wide * 2 + length) / (length * 2);
        Some(usize::try_from(cell).unwrap_or(0).min(last))
    }

    /// The cells of a span, both ends inside; none where it lies outside.
    pub fn cells_of(self, span: Interval) -> Option<(usize, usize)> {
        if !self.span.overlaps(span) {
            return None;
        }
        let from = self.cell(span.from.max(self.span.from))?;
        let to = self.cell(span.to.min(self.span.to))?;
        Some((from, to))
    }

    /// A row of cells with spans drawn under instants.
    pub fn row(
        self,
        spans: &[Interval],
        span: &str,
        instants: &[Instant],
        instant: &str,
    ) -> String {
        let mut row: Vec<&str> = vec![" "; self.cells];
        for (from, to) in spans.iter().filter_map(|one| self.cells_of(*one)) {
            for cell in row.iter_mut().take(to + 1).skip(from) {
                *cell = span;
            }
        }
        for at in instants.iter().filter_map(|at| self.cell(*at)) {
            if let Some(cell) = row.get_mut(at) {
                *cell = instant;
            }
        }
        row.concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: i64) -> Instant {
        Instant::from_ms(ms)
    }

    fn span(from: i64, to: i64) -> Interval {
        Interval {
            from: at(from),
            to: at(to),
        }
    }

    #[test]
    fn instants_and_spans_have_their_cells() {
        let axis = Axis {
            span: span(0, 100),
            cells: 11,
        };
        for (ms, cell) in [
            (0, Some(0)),
            (4, Some(0)),
            (5, Some(1)),
            (50, Some(5)),
            (100, Some(10)),
            (-1, None),
            (101, None),
        ] {
            assert_eq!(axis.cell(at(ms)), cell, "{ms}");
        }
        assert_eq!(axis.cells_of(span(-50, 20)), Some((0, 2)));
        assert_eq!(axis.cells_of(span(95, 500)), Some((10, 10)));
        assert_eq!(axis.cells_of(span(101, 500)), None);
        let row = axis.row(&[span(20, 40)], "-", &[at(30), at(100)], "x");
        assert_eq!(row, "  -x-     x");
    }

    #[test]
    fn no_length_and_one_cell_still_draw() {
        let axis = Axis {
            span: span(7, 7),
            cells: 1,
        };
        assert_eq!(axis.row(&[], "-", &[at(7)], "x"), "x");
        let axis = Axis {
            span: span(i64::MIN / 2, i64::MAX / 2),
            cells: 3,
        };
        assert_eq!(axis.cell(at(0)), Some(1));
    }
}
