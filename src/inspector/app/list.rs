//! The receipts list: its rows sorted and filtered, and the place in them.

use std::sync::Arc;

use attest_grading::model::Grade;

use crate::inspector::filter::{Filter, FilterError, Passing};
use crate::inspector::row::{Column, Row, Sort, Standing};
use crate::inspector::widgets::cursor::Cursor;
use crate::inspector::work::Opened;

/// How many of the rows shown count as what.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// By grade; overridden receipts by their override, checking ones in none (§2, §8).
    pub grades: [usize; Grade::ALL.len()],
    /// Still checking.
    pub checking: usize,
    /// Kept only for their reverted overrides.
    pub kept: usize,
}

/// The list.
#[derive(Clone, Debug, Default)]
pub struct List {
    opened: Arc<Opened>,
    /// Places in the rows, sorted.
    sorted: Vec<u32>,
    /// Those that pass the filter, in the same order.
    shown: Vec<u32>,
    /// Where the cursor is among those shown.
    pub cursor: Cursor,
    sort: Sort,
    filter_text: String,
    filter: Filter,
    /// What is known of the rows by the filter's tests.
    passing: Passing,
    errors: Vec<FilterError>,
    counts: Counts,
    /// A receipt a person just changed: it stays in view until they filter otherwise.
    pinned: Option<String>,
}

impl List {
    /// An empty list with this sort.
    pub fn new(sort: Sort) -> Self {
        Self {
            sort,
            ..Self::default()
        }
    }

    /// Takes the rows of a ledger in place of those there were.
    pub fn set_rows(&mut self, opened: Arc<Opened>) {
        let chosen = self.chosen().map(|row| row.id.clone());
        self.opened = opened;
        self.passing.forget();
        self.resort();
        let chosen = chosen.and_then(|id| self.opened.rows.iter().position(|row| row.id == id));
        self.refilter(chosen.and_then(|place| u32::try_from(place).ok()));
    }

    /// Puts a row in place of the one of its receipt.
    pub fn replace(&mut self, row: Row) {
        let chosen = self.shown.get(self.cursor.at).copied();
        let opened = Arc::make_mut(&mut self.opened);
        if let Some(held) = opened.rows.iter_mut().find(|held| held.id == row.id) {
            self.pinned = Some(row.id.clone());
            *held = row;
        }
        self.passing.forget();
        self.resort();
        self.refilter(chosen);
    }

    /// Says whether the file holds everything.
    pub fn set_unsaved(&mut self, is_unsaved: bool) {
        Arc::make_mut(&mut self.opened).is_unsaved = is_unsaved;
    }

    /// The ledger the rows are of.
    pub fn opened(&self) -> &Opened {
        &self.opened
    }

    /// How many rows there are.
    pub fn total(&self) -> usize {
        self.opened.rows.len()
    }

    /// How many are shown.
    pub fn len(&self) -> usize {
        self.shown.len()
    }

    /// Whether none is shown.
    pub fn is_empty(&self) -> bool {
        self.shown.is_empty()
    }

    /// The row at a place among those shown.
    pub fn row(&self, place: usize) -> Option<&Row> {
        let at = *self.shown.get(place)?;
        self.opened.rows.get(usize::try_from(at).ok()?)
    }

    /// The row the cursor is on.
    pub fn chosen(&self) -> Option<&Row> {
        self.row(self.cursor.at)
    }

    /// Puts the cursor on the receipt of this id; whether it is shown.
    pub fn choose(&mut self, id: &str) -> bool {
        let found = (0..self.len()).find(|place| self.row(*place).is_some_and(|row| row.id == id));
        if let Some(place) = found {
            self.cursor.at = place;
        }
        found.is_some()
    }

    /// What the rows shown count as.
    pub const fn counts(&self) -> &Counts {
        &self.counts
    }

    /// How the list is sorted.
    pub const fn sort(&self) -> Sort {
        self.sort
    }

    /// Sorts the list anew, the cursor staying on its receipt.
    pub fn set_sort(&mut self, sort: Sort) {
        let chosen = self.shown.get(self.cursor.at).copied();
        self.sort = sort;
        self.resort();
        self.refilter(chosen);
    }

    /// Sorts by the next column; a column's natural first is the latest time and the highest score.
    pub fn sort_by_next(&mut self) {
        let at = Column::ALL
            .iter()
            .position(|column| *column == self.sort.column)
            .unwrap_or(0);
        let column = Column::ALL
            .get(at + 1)
            .or(Column::ALL.first())
            .copied()
            .unwrap_or(Column::Time);
        let descending = matches!(column, Column::Time | Column::Score);
        self.set_sort(Sort { column, descending });
    }

    /// The filter as it was typed.
    pub fn filter_text(&self) -> &str {
        &self.filter_text
    }

    /// The filter.
    pub const fn filter(&self) -> &Filter {
        &self.filter
    }

    /// What is wrong with it.
    pub fn errors(&self) -> &[FilterError] {
        &self.errors
    }

    /// Filters the list anew, the cursor staying on its receipt where that is still shown.
    pub fn set_filter(&mut self, text: &str) {
        let chosen = self.shown.get(self.cursor.at).copied();
        self.pinned = None;
        (self.filter, self.errors) = Filter::parse(text);
        text.clone_into(&mut self.filter_text);
        self.refilter(chosen);
    }

    fn resort(&mut self) {
        // Each row is looked at once; only rows whose keys tie are looked at again.
        let sort = self.sort;
        let rows = &self.opened.rows;
        let mut keyed: Vec<_> = rows
            .iter()
            .zip(0u32..)
            .map(|(row, place)| (sort.key(row), place))
            .collect();
        let row = |place: u32| usize::try_from(place).ok().and_then(|at| rows.get(at));
        keyed.sort_unstable_by(|(a_key, a), (b_key, b)| {
            a_key.cmp(b_key).then_with(|| match (row(*a), row(*b)) {
                (Some(a), Some(b)) => sort.compare(a, b),
                _ => a.cmp(b),
            })
        });
        self.sorted = keyed.into_iter().map(|(_, place)| place).collect();
    }

    /// Filters anew, the cursor on the row of this place where it is shown.
    fn refilter(&mut self, chosen: Option<u32>) {
        self.counts = Counts::default();
        // In the order the rows lie in memory; the order they are shown in comes after.
        let mut passes = self.passing.of(&self.filter, &self.opened.rows);
        for (row, passes) in self.opened.rows.iter().zip(&mut passes) {
            if let Some(pinned) = &self.pinned {
                *passes |= *pinned == row.id;
            }
            if !*passes {
                continue;
            }
            match (row.grade, row.standing) {
                (Some(grade), _) => {
                    if let Some(count) = self.counts.grades.get_mut(grade.index()) {
                        *count += 1;
                    }
                }
                (None, Standing::Kept) => self.counts.kept += 1,
                (None, _) => self.counts.checking += 1,
            }
        }
        let is_shown = |place: &u32| {
            let at = usize::try_from(*place).ok();
            at.and_then(|at| passes.get(at)).copied().unwrap_or(false)
        };
        self.shown.clear();
        self.shown
            .extend(self.sorted.iter().copied().filter(is_shown));
        let at = chosen.and_then(|chosen| self.shown.iter().position(|at| *at == chosen));
        self.cursor.at = at.unwrap_or(0);
    }
}
