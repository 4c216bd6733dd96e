//! Time in cells: the stretch that is shown, zooming and panning in it, and the ticks under it.

use attest_grading::model::time::{MS_PER_DAY, MS_PER_HOUR, MS_PER_MINUTE};
use attest_grading::model::{Instant, Interval};

use crate::inspector::panes::tabs::format::Clock;

/// Cells a tick's label needs, and a space.
const LABEL: usize = 14;

/// The steps between ticks, in milliseconds.
const STEPS: &[i64] = &[
    1,
    10,
    100,
    1000,
    5 * 1000,
    15 * 1000,
    30 * 1000,
    MS_PER_MINUTE,
    5 * MS_PER_MINUTE,
    15 * MS_PER_MINUTE,
    30 * MS_PER_MINUTE,
    MS_PER_HOUR,
    3 * MS_PER_HOUR,
    6 * MS_PER_HOUR,
    12 * MS_PER_HOUR,
    MS_PER_DAY,
    2 * MS_PER_DAY,
    7 * MS_PER_DAY,
    14 * MS_PER_DAY,
    30 * MS_PER_DAY,
    90 * MS_PER_DAY,
    365 * MS_PER_DAY,
];

/// The stretch of time that is shown, and the cursor in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct View {
    /// The first millisecond shown.
    pub from: i64,
    /// How many milliseconds the cells hold; at least one a cell.
    pub span: i64,
    /// The millisecond the cursor is on.
    pub cursor: i64,
}

impl View {
    /// All of it, with a little room on either side.
    pub fn whole(of: Interval, cells: usize) -> Self {
        let (from, to) = (of.from.ms(), of.to.ms());
        let length = to.saturating_sub(from).max(MS_PER_MINUTE);
        let room = length / 40 + 1;
        Self {
            from: from.saturating_sub(room),
            span: length.saturating_add(room.saturating_mul(2)),
            cursor: from,
        }
        .within(cells)
    }

    /// At least a millisecond a cell.
    fn within(self, cells: usize) -> Self {
        let least = i64::try_from(cells).unwrap_or(i64::MAX).max(1);
        Self {
            span: self.span.max(least),
            ..self
        }
    }

    /// The cell of a millisecond; negative or past the last where it is out of view.
    pub fn cell(&self, at: i64, cells: usize) -> i64 {
        let into = i128::from(at) - i128::from(self.from);
        let cell = (into * cells as i128).div_euclid(i128::from(self.span.max(1)));
        i64::try_from(cell).unwrap_or(if cell < 0 { i64::MIN } else { i64::MAX })
    }

    /// What a cell holds: every millisecond whose cell it is.
    pub fn holds(&self, cell: i64, cells: usize) -> Interval {
        let cells = (cells as i128).max(1);
        // The least millisecond whose cell is this one, or a later one.
        let first = |cell: i64| {
            let over = i128::from(cell) * i128::from(self.span);
            let into = -(-over).div_euclid(cells);
            let at = i128::from(self.from) + into;
            i64::try_from(at).unwrap_or(if at < 0 { i64::MIN } else { i64::MAX })
        };
        Interval {
            from: Instant::from_ms(first(cell)),
            to: Instant::from_ms(first(cell.saturating_add(1)).saturating_sub(1)),
        }
    }

    /// Twice as near, or half; the cursor keeps its cell.
    pub fn zoom(&mut self, nearer: bool, most: i64, cells: usize) {
        let cell = self.cell(self.cursor, cells);
        let span = if nearer {
            self.span / 2
        } else {
            self.span.saturating_mul(2).min(most)
        };
        self.span = span;
        *self = self.within(cells);
        let into = i128::from(cell) * i128::from(self.span) / (cells as i128).max(1);
        let into = i64::try_from(into).unwrap_or_default();
        self.from = self.cursor.saturating_sub(into);
    }

    /// Moves the cursor by cells; the view follows it.
    pub fn step(&mut self, by: i64, cells: usize) {
        let cell = self.cell(self.cursor, cells);
        let at = self.holds(cell.saturating_add(by), cells);
        self.cursor = at.from.ms();
        self.follow(cells);
    }

    /// Moves what is shown by cells, the cursor with it.
    pub fn pan(&mut self, by: i64, cells: usize) {
        let ms = i128::from(by) * i128::from(self.span) / (cells as i128).max(1);
        let ms = i64::try_from(ms).unwrap_or_default();
        self.from = self.from.saturating_add(ms);
        self.cursor = self.cursor.saturating_add(ms);
    }

    /// Keeps the cursor in view.
    pub fn follow(&mut self, cells: usize) {
        let cell = self.cell(self.cursor, cells);
        let last = i64::try_from(cells).unwrap_or(i64::MAX).saturating_sub(1);
        let beyond = if cell < 0 {
            cell
        } else {
            cell.saturating_sub(last).max(0)
        };
        if beyond != 0 {
            let ms = i128::from(beyond) * i128::from(self.span) / (cells as i128).max(1);
            let ms = i64::try_from(ms).unwrap_or_default();
            // Rounded outward, so that the cursor's cell is in view and not beside it.
            let more = (self.span / i64::try_from(cells.max(1)).unwrap_or(1)).max(1);
            let more = if beyond < 0 { -more } else { more };
            self.from = self.from.saturating_add(ms).saturating_add(more);
        }
    }

    /// Keeps the view near what there is: at least a cell of it is shown.
    pub fn near(&mut self, whole: Interval) {
        let (first, last) = (whole.from.ms(), whole.to.ms());
        let least = first.saturating_sub(self.span);
        self.from = self.from.clamp(least.min(last), last);
        self.cursor = self.cursor.clamp(
            self.from,
            self.from.saturating_add(self.span).saturating_sub(1),
        );
    }

    /// The ticks: their cells and labels.
    pub fn ticks(&self, cells: usize, clock: Clock) -> Vec<(usize, String)> {
        let wide = |step: i64| {
            let per = i128::from(step) * cells as i128 / i128::from(self.span.max(1));
            per >= LABEL as i128
        };
        let Some(step) = STEPS.iter().copied().find(|step| wide(*step)) else {
            return Vec::new();
        };
        let offset = i64::from(clock.0).saturating_mul(MS_PER_MINUTE);
        // Ticks stand on round times of the clock they are read on.
        let local = self.from.saturating_add(offset);
        let into = local.rem_euclid(step);
        let mut at = if into == 0 {
            self.from
        } else {
            self.from.saturating_add(step - into)
        };
        let mut ticks = Vec::new();
        while let Ok(cell) = usize::try_from(self.cell(at, cells))
            && cell < cells
        {
            let label = label(at, step, clock);
            // A label that would be cut says another time than it means.
            let fits = cell + label.len() <= cells;
            ticks.push((cell, if fits { label } else { String::new() }));
            at = at.saturating_add(step);
        }
        ticks
    }

    /// An instant as exactly as the cells tell it: to the minute where a cell holds minutes.
    pub fn readable(&self, at: i64, cells: usize) -> Instant {
        let per = self.span / i64::try_from(cells.max(1)).unwrap_or(i64::MAX).max(1);
        let unit = match per {
            MS_PER_MINUTE.. => MS_PER_MINUTE,
            1000.. => 1000,
            _ => 1,
        };
        Instant::from_ms(at.saturating_sub(at.rem_euclid(unit)))
    }

    /// How much time is shown, as exactly as the cells tell it.
    pub fn length(&self, cells: usize) -> i64 {
        self.readable(self.span, cells).ms()
    }
}

/// What a tick says: the day where one begins, else the time.
fn label(at: i64, step: i64, clock: Clock) -> String {
    let written = clock.at(Instant::from_ms(at));
    let (day, time) = written.split_once(' ').unwrap_or((&written, ""));
    let midnight = time == "00:00";
    if step >= 30 * MS_PER_DAY {
        day.to_owned()
    } else if midnight {
        day.get(5..).unwrap_or(day).to_owned()
    } else {
        time.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn instant(ms: i64) -> Instant {
        Instant::from_ms(ms)
    }

    proptest! {
        /// Cells share no millisecond and leave none out.
        #[test]
        fn every_millisecond_has_one_cell(
            from in -4_000_000_000_000i64..4_000_000_000_000,
            span in 1i64..400_000_000_000,
            cells in 1usize..300,
            cell in -50i64..350,
        ) {
            let view = View { from, span, cursor: from }.within(cells);
            let held = view.holds(cell, cells);
            prop_assert!(held.from <= held.to);
            prop_assert_eq!(view.cell(held.from.ms(), cells), cell);
            prop_assert_eq!(view.cell(held.to.ms(), cells), cell);
            prop_assert_eq!(view.holds(cell + 1, cells).from, held.to.plus(1));
        }

        /// Whatever is done, the cursor is in view and there is at least a millisecond a cell.
        #[test]
        fn the_cursor_is_in_view(
            moves in prop::collection::vec((0u8..6, -200i64..200), 0..40),
            cells in 1usize..200,
            length in 0i64..40_000_000_000,
        ) {
            let whole = Interval { from: instant(0), to: instant(length) };
            let first = View::whole(whole, cells);
            let mut view = first;
            for (what, by) in moves {
                match what {
                    0 => view.zoom(true, first.span, cells),
                    1 => view.zoom(false, first.span, cells),
                    2 => view.pan(by, cells),
                    _ => view.step(by, cells),
                }
                view.near(whole);
                let cell = view.cell(view.cursor, cells);
                prop_assert!((0..cells as i64).contains(&cell), "{view:?} {cell}");
                prop_assert!(view.span >= cells as i64 && view.span <= first.span.max(cells as i64));
            }
        }

        #[test]
        fn ticks_stand_apart(span in 1i64..400_000_000_000, cells in 20usize..200, offset in -720i16..840) {
            let view = View { from: 1_791_300_000_000, span, cursor: 0 }.within(cells);
            let ticks = view.ticks(cells, Clock(offset));
            for pair in ticks.windows(2) {
                prop_assert!(pair[0].0 + pair[0].1.len() < pair[1].0, "{ticks:?}");
            }
        }
    }

    #[test]
    fn zooming_keeps_the_cursors_cell() {
        let whole = Interval {
            from: instant(0),
            to: instant(86_400_000),
        };
        let mut view = View::whole(whole, 100);
        view.step(40, 100);
        let cell = view.cell(view.cursor, 100);
        view.zoom(true, i64::MAX, 100);
        assert!((view.cell(view.cursor, 100) - cell).abs() <= 1);
    }

    #[test]
    fn ticks_are_round_times_of_the_clock() {
        // 2026-10-06 is a day of -04:00: its midnight is 04:00Z.
        let midnight = 1_791_259_200_000;
        let view = View {
            from: midnight - 3 * MS_PER_HOUR,
            span: 12 * MS_PER_HOUR,
            cursor: midnight,
        };
        let labels: Vec<String> = view
            .ticks(60, Clock(-240))
            .into_iter()
            .map(|(_, label)| label)
            .collect();
        assert_eq!(labels, ["21:00", "10-06", "03:00", "06:00"]);
        // The cursor is read to the minute where a cell holds twelve of them.
        let odd = midnight + MS_PER_MINUTE + 1234;
        assert_eq!(view.readable(odd, 60), instant(midnight + MS_PER_MINUTE));
        assert_eq!(view.readable(odd, 400_000_000), instant(odd));
    }
}
