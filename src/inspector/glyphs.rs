//! The characters the inspector draws with: Unicode, or ASCII for terminals and fonts without them.

use ratatui::symbols::border;

/// A set of characters to draw with, each of one cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Glyphs {
    /// The frame around a pane.
    pub border: border::Set<'static>,
    /// What stands where text was cut.
    pub cut: &'static str,
    /// Before the selected row.
    pub cursor: &'static str,
    /// A condition or rule that held, a reproduced receipt.
    pub yes: &'static str,
    /// One that did not.
    pub no: &'static str,
    /// One that does not apply.
    pub not_applicable: &'static str,
    /// One that was not reached.
    pub not_reached: &'static str,
    /// A receipt still being checked.
    pub checking: &'static str,
    /// A final receipt.
    pub settled: &'static str,
    /// A receipt a person decided.
    pub overridden: &'static str,
    /// A receipt kept only for what a person once decided.
    pub kept: &'static str,
    /// A line that unfolds.
    pub folded: &'static str,
    /// One that is unfolded.
    pub unfolded: &'static str,
    /// Sorted with the least first.
    pub ascending: &'static str,
    /// Sorted with the greatest first.
    pub descending: &'static str,
    /// From one value to another.
    pub arrow: &'static str,
    /// Between parts of one line.
    pub dot: &'static str,
    /// A rule across a pane.
    pub rule: &'static str,
    /// A vertical line, and the part of a scroll bar that is out of view.
    pub vertical: &'static str,
    /// The part of a scroll bar that is in view.
    pub thumb: &'static str,
    /// A bar of eighths, from one to eight; eighths are whole cells in ASCII.
    pub eighths: [&'static str; 8],
    /// An instant on a time line.
    pub instant: &'static str,
    /// A span on a time line.
    pub span: &'static str,
    /// At or above.
    pub at_least: &'static str,
    /// Times.
    pub times: &'static str,
    /// Divided by.
    pub divided: &'static str,
    /// Minus.
    pub minus: &'static str,
}

/// Unicode line drawing and symbols, all of one cell in every terminal.
pub const UNICODE: Glyphs = Glyphs {
    border: border::ROUNDED,
    cut: "…",
    cursor: "▌",
    yes: "✔",
    no: "✗",
    not_applicable: "–",
    not_reached: "·",
    checking: "◌",
    settled: "●",
    overridden: "◆",
    kept: "◇",
    folded: "▸",
    unfolded: "▾",
    ascending: "▴",
    descending: "▾",
    arrow: "→",
    dot: "·",
    rule: "─",
    vertical: "│",
    thumb: "┃",
    eighths: ["▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"],
    instant: "◆",
    span: "━",
    at_least: "≥",
    times: "×",
    divided: "÷",
    minus: "−",
};

/// ASCII alone.
pub const ASCII: Glyphs = Glyphs {
    border: border::Set {
        top_left: "+",
        top_right: "+",
        bottom_left: "+",
        bottom_right: "+",
        vertical_left: "|",
        vertical_right: "|",
        horizontal_top: "-",
        horizontal_bottom: "-",
    },
    cut: "~",
    cursor: ">",
    yes: "+",
    no: "x",
    not_applicable: "-",
    not_reached: ".",
    checking: "o",
    settled: "*",
    overridden: "#",
    kept: "@",
    folded: ">",
    unfolded: "v",
    ascending: "^",
    descending: "v",
    arrow: ">",
    dot: "-",
    rule: "-",
    vertical: "|",
    thumb: "#",
    eighths: [" ", " ", " ", "=", "=", "=", "=", "="],
    instant: "*",
    span: "=",
    at_least: ">",
    times: "x",
    divided: "/",
    minus: "-",
};

impl Glyphs {
    /// A bar of `part` of `whole`, at most `cells` long, without padding.
    ///
    /// The length is rounded to the nearest eighth of a cell, but what is more than nothing shows.
    pub fn bar(&self, part: u64, whole: u64, cells: usize) -> String {
        let eighths = u128::from(part.min(whole)) * cells as u128 * 8;
        let rounded = (eighths + u128::from(whole) / 2)
            .checked_div(u128::from(whole))
            .unwrap_or(0);
        let eighths = if part > 0 { rounded.max(1) } else { 0 };
        let full = usize::try_from(eighths / 8).unwrap_or(cells).min(cells);
        let mut bar = self.eighths[7].repeat(full);
        if let Some(rest) = usize::try_from(eighths % 8)
            .ok()
            .and_then(|rest| rest.checked_sub(1))
        {
            bar.push_str(self.eighths[rest]);
        }
        bar
    }
}

#[cfg(test)]
mod tests {
    use attest_grading::text::is_plain;

    use super::*;
    use crate::inspector::text::width;

    fn all(glyphs: &Glyphs) -> Vec<&'static str> {
        let b = glyphs.border;
        let mut all = vec![
            b.top_left,
            b.top_right,
            b.bottom_left,
            b.bottom_right,
            b.vertical_left,
            b.vertical_right,
            b.horizontal_top,
            b.horizontal_bottom,
            glyphs.cut,
            glyphs.cursor,
            glyphs.yes,
            glyphs.no,
            glyphs.not_applicable,
            glyphs.not_reached,
            glyphs.checking,
            glyphs.settled,
            glyphs.overridden,
            glyphs.kept,
            glyphs.folded,
            glyphs.unfolded,
            glyphs.ascending,
            glyphs.descending,
            glyphs.arrow,
            glyphs.dot,
            glyphs.rule,
            glyphs.vertical,
            glyphs.thumb,
            glyphs.instant,
            glyphs.span,
            glyphs.at_least,
            glyphs.times,
            glyphs.divided,
            glyphs.minus,
        ];
        all.extend(glyphs.eighths);
        all
    }

    #[test]
    fn every_glyph_is_one_plain_cell() {
        for glyph in all(&UNICODE).into_iter().chain(all(&ASCII)) {
            assert_eq!(width(glyph), 1, "{glyph}");
            assert!(glyph.chars().all(is_plain), "{glyph}");
        }
        assert!(all(&ASCII).iter().all(|glyph| glyph.is_ascii()));
    }

    #[test]
    fn states_and_outcomes_differ_without_colour() {
        for glyphs in [UNICODE, ASCII] {
            let mut states = vec![
                glyphs.checking,
                glyphs.settled,
                glyphs.overridden,
                glyphs.kept,
            ];
            states.sort_unstable();
            states.dedup();
            assert_eq!(states.len(), 4);
            let mut outcomes = vec![
                glyphs.yes,
                glyphs.no,
                glyphs.not_applicable,
                glyphs.not_reached,
            ];
            outcomes.sort_unstable();
            outcomes.dedup();
            assert_eq!(outcomes.len(), 4);
        }
    }

    #[test]
    fn bars() {
        for (part, whole, bar) in [
            (0, 8, ""),
            (8, 8, "██"),
            (4, 8, "█"),
            (1, 8, "▎"),
            (5, 8, "█▎"),
            (1, 1000, "▏"),
            (9, 8, "██"),
            (0, 0, ""),
        ] {
            assert_eq!(UNICODE.bar(part, whole, 2), bar, "{part} of {whole}");
        }
        assert_eq!(ASCII.bar(5, 8, 2), "= ");
        assert_eq!(UNICODE.bar(u64::MAX, u64::MAX, 12), "█".repeat(12));
    }
}
