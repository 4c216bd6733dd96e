//! Text in terminal cells: measured, cut, padded and wrapped by what it occupies.
//!
//! A width is a number of cells. Every function takes text that is already fit for a terminal: the
//! program's own, or a file's after [`attest_grading::text::escaped`]. Nothing here can bring a
//! control character in.

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// A file's text, fit for a terminal: the one way such text comes to a pane.
pub fn shown(text: &str) -> Cow<'_, str> {
    attest_grading::text::escaped(text)
}

/// The cells a text occupies, counted as the terminal library counts them: each user-perceived
/// character by itself.
pub fn width(text: &str) -> usize {
    if text.is_ascii() {
        text.len()
    } else {
        text.graphemes(true).map(UnicodeWidthStr::width).sum()
    }
}

/// Where a text stands in cells wider than it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Align {
    /// At the left edge.
    Left,
    /// At the right edge.
    Right,
    /// In the middle, a cell to the left where it cannot be exact.
    Center,
}

/// The text cut to at most `cells`, with `mark` at the end of what was cut.
///
/// A wide character that does not fit is cut whole. Where not even the mark fits there is nothing.
pub fn cut<'a>(text: &'a str, cells: usize, mark: &str) -> Cow<'a, str> {
    if width(text) <= cells {
        return Cow::Borrowed(text);
    }
    let Some(room) = cells.checked_sub(width(mark)) else {
        return Cow::Borrowed("");
    };
    let mut out = String::with_capacity(text.len());
    let mut used = 0;
    for grapheme in text.graphemes(true) {
        used += grapheme.width();
        if used > room {
            break;
        }
        out.push_str(grapheme);
    }
    out.push_str(mark);
    Cow::Owned(out)
}

/// The text cut in its middle to at most `cells`, for ids and hashes, whose ends tell them apart.
pub fn cut_middle<'a>(text: &'a str, cells: usize, mark: &str) -> Cow<'a, str> {
    if width(text) <= cells {
        return Cow::Borrowed(text);
    }
    let Some(room) = cells.checked_sub(width(mark)).filter(|room| *room >= 2) else {
        return cut(text, cells, mark);
    };
    let tail_room = room / 2;
    let graphemes: Vec<&str> = text.graphemes(true).collect();
    let take = |parts: &mut dyn Iterator<Item = &&'a str>, room: usize| {
        let mut used = 0;
        let mut count = 0;
        for grapheme in parts {
            used += grapheme.width();
            if used > room {
                break;
            }
            count += 1;
        }
        count
    };
    let head = take(&mut graphemes.iter(), room - tail_room);
    let tail = take(&mut graphemes.iter().rev(), tail_room);
    let mut out: String = graphemes.iter().take(head).copied().collect();
    out.push_str(mark);
    out.extend(graphemes.iter().skip(graphemes.len() - tail).copied());
    Cow::Owned(out)
}

/// The text in exactly `cells`: cut with `mark`, or padded with spaces.
pub fn fit(text: &str, cells: usize, align: Align, mark: &str) -> String {
    let cut = cut(text, cells, mark);
    let missing = cells.saturating_sub(width(&cut));
    let before = match align {
        Align::Left => 0,
        Align::Right => missing,
        Align::Center => missing / 2,
    };
    let mut out = String::with_capacity(cut.len() + missing);
    out.extend(std::iter::repeat_n(' ', before));
    out.push_str(&cut);
    out.extend(std::iter::repeat_n(' ', missing - before));
    out
}

/// The text in lines of at most `cells`: broken after spaces, and inside a word only where the word
/// alone is too wide. A character wider than `cells` has a line of its own.
///
/// Only the spaces a break falls on are dropped. An empty text is one empty line.
pub fn wrap(text: &str, cells: usize) -> Vec<String> {
    let cells = cells.max(1);
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut used = 0;
    for word in text.split_inclusive(' ') {
        let bare = word.trim_end_matches(' ');
        if used > 0 && used + width(bare) > cells {
            lines.push(take_line(&mut line, &mut used));
        }
        for grapheme in word.graphemes(true) {
            let wide = grapheme.width();
            if used + wide > cells && used > 0 {
                if grapheme == " " {
                    continue;
                }
                lines.push(take_line(&mut line, &mut used));
            }
            line.push_str(grapheme);
            used += wide;
        }
    }
    if !line.is_empty() || lines.is_empty() {
        lines.push(line);
    }
    lines
}

fn take_line(line: &mut String, used: &mut usize) -> String {
    *used = 0;
    let mut line = std::mem::take(line);
    line.truncate(line.trim_end_matches(' ').len());
    line
}

/// `n` with spaces between its thousands, as counts are shown.
pub fn count(n: usize) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(' ');
        }
        out.push(digit);
    }
    out
}

/// A number of things, in words.
pub fn counted(n: usize, one: &str, many: &str) -> String {
    format!("{} {}", count(n), if n == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use attest_grading::text::is_plain;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn widths() {
        for (text, cells) in [
            ("", 0),
            ("abc", 3),
            ("\u{fc}ber", 4),
            ("cafe\u{301}", 4),
            ("\u{6f22}\u{5b57}", 4),
            ("\u{1f600}", 2),
            ("\u{d55c}", 2),
        ] {
            assert_eq!(width(text), cells, "{text}");
        }
    }

    #[test]
    fn cutting() {
        for (text, cells, expected) in [
            ("receipt", 7, "receipt"),
            ("receipt", 6, "recei…"),
            ("receipt", 1, "…"),
            ("receipt", 0, ""),
            ("\u{6f22}\u{5b57}\u{6f22}", 5, "\u{6f22}\u{5b57}…"),
            ("\u{6f22}\u{5b57}\u{6f22}", 4, "\u{6f22}…"),
            ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"),
        ] {
            assert_eq!(cut(text, cells, "…"), expected, "{text} in {cells}");
        }
        assert_eq!(cut("receipt", 6, "..."), "rec...");
        assert_eq!(cut("receipt", 2, "..."), "");
        assert_eq!(cut_middle("0123456789", 7, "…"), "012…789");
        assert_eq!(cut_middle("0123456789", 6, "…"), "012…89");
        assert_eq!(cut_middle("0123456789", 2, "…"), "0…");
    }

    #[test]
    fn fitting() {
        assert_eq!(fit("ab", 5, Align::Left, "…"), "ab   ");
        assert_eq!(fit("ab", 5, Align::Right, "…"), "   ab");
        assert_eq!(fit("ab", 5, Align::Center, "…"), " ab  ");
        assert_eq!(fit("\u{6f22}\u{5b57}", 3, Align::Left, "…"), "\u{6f22}…");
        assert_eq!(fit("\u{6f22}\u{5b57}a", 4, Align::Right, "…"), " \u{6f22}…");
    }

    #[test]
    fn wrapping() {
        for (text, cells, lines) in [
            ("", 5, &[""][..]),
            ("one two three", 7, &["one two", "three"]),
            ("one two three", 8, &["one two", "three"]),
            ("abcdefgh ij", 4, &["abcd", "efgh", "ij"]),
            ("a  b", 10, &["a  b"]),
            (
                "\u{6f22}\u{5b57}\u{6f22}",
                4,
                &["\u{6f22}\u{5b57}", "\u{6f22}"],
            ),
            ("\u{6f22}", 1, &["\u{6f22}"]),
            ("ab cd", 2, &["ab", "cd"]),
        ] {
            assert_eq!(wrap(text, cells), lines, "{text} in {cells}");
        }
    }

    #[test]
    fn counts() {
        for (n, text) in [
            (0, "0"),
            (999, "999"),
            (1000, "1 000"),
            (1_234_567, "1 234 567"),
        ] {
            assert_eq!(count(n), text);
        }
    }

    fn file_text() -> impl Strategy<Value = String> {
        let c = prop_oneof![
            any::<char>(),
            prop::sample::select(vec![
                ' ',
                'a',
                '\u{301}',
                '\u{6f22}',
                '\u{1f600}',
                '\u{200d}',
                '\u{202e}'
            ]),
        ];
        prop::collection::vec(c, 0..40).prop_map(String::from_iter)
    }

    proptest! {
        #[test]
        fn whatever_a_file_holds_keeps_its_columns(text in file_text(), cells in 0usize..30) {
            let text = shown(&text);
            for align in [Align::Left, Align::Right, Align::Center] {
                let fitted = fit(&text, cells, align, "…");
                prop_assert_eq!(width(&fitted), cells);
                prop_assert!(fitted.chars().all(is_plain));
            }
            prop_assert!(width(&cut_middle(&text, cells, "…")) <= cells);
            for line in wrap(&text, cells) {
                prop_assert!(width(&line) <= cells.max(2));
                prop_assert!(line.chars().all(is_plain));
            }
        }

        #[test]
        fn wrapping_drops_nothing_but_spaces(text in file_text(), cells in 1usize..30) {
            let text = shown(&text);
            let squeezed = |text: &str| text.chars().filter(|c| *c != ' ').collect::<String>();
            prop_assert_eq!(squeezed(&wrap(&text, cells).concat()), squeezed(&text));
        }
    }
}
