//! One line of text being typed.

use unicode_segmentation::UnicodeSegmentation;

use crate::inspector::text::{shown, width};

/// A line of text and the cursor in it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Edit {
    text: String,
    /// A byte offset, always between user-perceived characters.
    cursor: usize,
}

impl Edit {
    /// A line that begins with this text, the cursor at its end.
    pub fn new(text: &str) -> Self {
        let mut edit = Self::default();
        edit.insert(text);
        edit
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The cursor, as a byte offset.
    pub const fn cursor(&self) -> usize {
        self.cursor
    }

    /// Puts a text in at the cursor. What ends a line becomes a space: it is one line.
    pub fn insert(&mut self, text: &str) {
        let line: String = text
            .chars()
            .map(|c| if is_line_end(c) { ' ' } else { c })
            .collect();
        self.text.insert_str(self.cursor, &line);
        self.cursor = self.boundary(self.cursor + line.len());
    }

    /// Puts a text in place of a part of this one, and the cursor behind it.
    pub fn replace(&mut self, at: std::ops::Range<usize>, text: &str) {
        if self.text.get(at.clone()).is_some() {
            self.text.replace_range(at.clone(), text);
            self.cursor = self.boundary(at.start + text.len());
        }
    }

    /// One character left.
    pub fn left(&mut self) {
        self.cursor = self.before();
    }

    /// One character right.
    pub fn right(&mut self) {
        self.cursor = self.after();
    }

    /// To the start.
    pub fn start(&mut self) {
        self.cursor = 0;
    }

    /// To the end.
    pub fn end(&mut self) {
        self.cursor = self.text.len();
    }

    /// Deletes the character before the cursor; whether there was one.
    pub fn delete_back(&mut self) -> bool {
        let from = self.before();
        self.delete(from)
    }

    /// Deletes the character after the cursor.
    pub fn delete_forward(&mut self) {
        let to = self.after();
        self.text.replace_range(self.cursor..to, "");
    }

    /// Deletes the word before the cursor, and the spaces after it.
    pub fn delete_word(&mut self) {
        let before = self.text.get(..self.cursor).unwrap_or_default().trim_end();
        let from = before.rfind(char::is_whitespace).map_or(0, |at| {
            at + before
                .get(at..)
                .and_then(|rest| rest.chars().next())
                .map_or(0, char::len_utf8)
        });
        self.delete(from);
    }

    /// Deletes everything before the cursor.
    pub fn delete_to_start(&mut self) {
        self.delete(0);
    }

    /// Deletes everything after the cursor.
    pub fn delete_to_end(&mut self) {
        self.text.truncate(self.cursor);
    }

    /// What is shown in `cells`, and in which of them the cursor stands: the part of the line
    /// around the cursor, fit for a terminal.
    pub fn view(&self, cells: usize) -> (String, usize) {
        let before = shown(self.text.get(..self.cursor).unwrap_or_default());
        let after = shown(self.text.get(self.cursor..).unwrap_or_default());
        let room = cells.saturating_sub(1);
        let mut parts: Vec<&str> = Vec::new();
        let mut used = 0;
        for grapheme in before.graphemes(true).rev() {
            used += width(grapheme);
            if used > room {
                break;
            }
            parts.push(grapheme);
        }
        parts.reverse();
        let mut line: String = parts.concat();
        let cursor = width(&line);
        for grapheme in after.graphemes(true) {
            if width(&line) + width(grapheme) > room {
                break;
            }
            line.push_str(grapheme);
        }
        (line, cursor)
    }

    fn delete(&mut self, from: usize) -> bool {
        let deleted = from < self.cursor;
        self.text.replace_range(from..self.cursor, "");
        self.cursor = from;
        deleted
    }

    fn before(&self) -> usize {
        let text = self.text.get(..self.cursor).unwrap_or_default();
        text.grapheme_indices(true)
            .next_back()
            .map_or(0, |(at, _)| at)
    }

    fn after(&self) -> usize {
        let text = self.text.get(self.cursor..).unwrap_or_default();
        self.cursor + text.graphemes(true).next().map_or(0, str::len)
    }

    /// The first place between characters at or after `at`.
    fn boundary(&self, at: usize) -> usize {
        self.text
            .grapheme_indices(true)
            .map(|(place, _)| place)
            .find(|place| *place >= at)
            .unwrap_or(self.text.len())
    }
}

const fn is_line_end(c: char) -> bool {
    matches!(
        c,
        '\n' | '\r' | '\t' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}'
    )
}

#[cfg(test)]
mod tests {
    use attest_grading::text::is_plain;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn editing() {
        let mut edit = Edit::new("grade:partial  agent:muse");
        edit.delete_word();
        assert_eq!(edit.text(), "grade:partial  ");
        edit.delete_word();
        assert_eq!((edit.text(), edit.cursor()), ("", 0));
        assert!(!edit.delete_back());
        edit.insert("cafe\u{301}s");
        edit.left();
        assert!(edit.delete_back());
        assert_eq!(edit.text(), "cafs");
        edit.start();
        edit.delete_forward();
        edit.end();
        edit.insert("\nx");
        assert_eq!(edit.text(), "afs x");
        edit.left();
        edit.delete_to_end();
        assert_eq!(edit.text(), "afs ");
        edit.delete_to_start();
        assert_eq!(edit.text(), "");
    }

    #[test]
    fn the_view_follows_the_cursor() {
        let mut edit = Edit::new("0123456789");
        assert_eq!(edit.view(6), ("56789".to_owned(), 5));
        edit.start();
        assert_eq!(edit.view(6), ("01234".to_owned(), 0));
        assert_eq!(Edit::new("\u{202e}").view(20), (r"\u{202e}".to_owned(), 8));
    }

    proptest! {
        #[test]
        fn nothing_typed_breaks_it(keys in prop::collection::vec((0u8..11, any::<char>()), 0..60), cells in 0usize..20) {
            let mut edit = Edit::default();
            for (key, c) in keys {
                match key {
                    0..=3 => edit.insert(&c.to_string()),
                    4 => edit.left(),
                    5 => edit.right(),
                    6 => { edit.delete_back(); }
                    7 => edit.delete_forward(),
                    8 => edit.delete_word(),
                    9 => edit.insert("e\u{301}"),
                    _ => edit.replace(0..edit.cursor(), "\u{301}x"),
                }
                prop_assert!(edit.text().is_char_boundary(edit.cursor()));
                let (line, cursor) = edit.view(cells);
                prop_assert!(line.chars().all(is_plain));
                prop_assert!(cursor < cells.max(1));
                prop_assert!(width(&line) <= cells);
            }
        }
    }
}
