//! The place in a list: which row is chosen and which is the first in view.

use std::ops::Range;

/// Rows kept in view above and below the chosen one, where there are so many.
const MARGIN: usize = 2;

/// A place in a list of rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Cursor {
    /// The chosen row.
    pub at: usize,
    /// The first row in view.
    pub top: usize,
}

impl Cursor {
    /// Moves by a number of rows and stays within `len`.
    pub fn step(&mut self, by: isize, len: usize) {
        self.at = self.at.saturating_add_signed(by).min(len.saturating_sub(1));
    }

    /// Keeps the chosen row within `len` rows and in view in `height` of them.
    pub fn settle(&mut self, len: usize, height: usize) {
        self.at = self.at.min(len.saturating_sub(1));
        let margin = MARGIN.min(height.saturating_sub(1) / 2);
        let last_top = (self.at + margin + 1).saturating_sub(height);
        self.top = self
            .top
            .clamp(last_top, self.at.saturating_sub(margin).max(last_top));
        self.top = self.top.min(len.saturating_sub(height));
    }

    /// The rows in view.
    pub fn view(&self, len: usize, height: usize) -> Range<usize> {
        self.top..(self.top + height).min(len)
    }
}

/// The place in a text that is read, without a chosen line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Scroll {
    /// The first line in view.
    pub top: usize,
}

impl Scroll {
    /// Moves by a number of lines.
    pub fn step(&mut self, by: isize) {
        self.top = self.top.saturating_add_signed(by);
    }

    /// Keeps the view full, where there is enough to fill it.
    pub fn settle(&mut self, len: usize, height: usize) {
        self.top = self.top.min(len.saturating_sub(height));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_chosen_row_is_in_view(
            steps in prop::collection::vec(-30isize..30, 0..20),
            len in 0usize..60,
            height in 1usize..20,
        ) {
            let mut cursor = Cursor::default();
            for step in steps {
                cursor.step(step, len);
                cursor.settle(len, height);
                let view = cursor.view(len, height);
                prop_assert!(len == 0 || view.contains(&cursor.at));
                // No empty rows while rows are out of view.
                prop_assert_eq!(view.len(), len.min(height));
            }
        }

        #[test]
        fn rows_are_kept_around_the_chosen_one(at in 0usize..100, height in 5usize..20) {
            let mut cursor = Cursor { at, top: 0 };
            cursor.settle(100, height);
            let view = cursor.view(100, height);
            prop_assert!(at < MARGIN || view.start + MARGIN <= at);
            prop_assert!(at + MARGIN >= 100 || at + MARGIN < view.end);
        }
    }

    #[test]
    fn scrolling_stops_where_everything_is_seen() {
        let mut scroll = Scroll { top: 50 };
        scroll.settle(30, 10);
        assert_eq!(scroll.top, 20);
        scroll.settle(5, 10);
        assert_eq!(scroll.top, 0);
        scroll.step(-3);
        assert_eq!(scroll.top, 0);
    }
}
