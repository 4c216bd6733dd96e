//! Free words: as they stand, or with letters left out.

use std::ops::Range;

use memchr::memmem::Finder;

/// A word to look for.
///
/// It is found where it stands, whatever its case. A word of three letters or more is also found
/// where its letters stand in order, from the start of a word, within twice its length and on one
/// line: `q3dk` finds "Q3 deck", and one letter left out or a space forgotten never hides a row,
/// while far-apart letters do not find everything.
#[derive(Clone, Debug)]
pub struct Needle {
    whole: Finder<'static>,
    letters: Vec<char>,
}

impl PartialEq for Needle {
    fn eq(&self, other: &Self) -> bool {
        self.letters == other.letters
    }
}

impl Eq for Needle {}

/// The shortest word that letters may be left out of.
const FUZZY_FROM: usize = 3;

impl Needle {
    /// A word to look for.
    pub fn new(word: &str) -> Self {
        let lower = word.to_lowercase();
        Self {
            whole: Finder::new(&lower).into_owned(),
            letters: lower.chars().collect(),
        }
    }

    /// Where it first stands in a text of lower case, in bytes: whole if it does anywhere.
    pub fn find(&self, lower: &str) -> Option<Range<usize>> {
        if let Some(start) = self.whole.find(lower.as_bytes()) {
            return Some(start..start + self.whole.needle().len());
        }
        // Letters left out never make a text shorter than the word.
        if self.letters.len() < FUZZY_FROM || self.letters.len() > lower.len() {
            return None;
        }
        if lower.is_ascii() {
            return self.find_spread(lower.as_bytes());
        }
        let first = *self.letters.first()?;
        for (start, _) in lower.match_indices(first) {
            let (before, from) = lower.split_at(start);
            if !before.ends_with(char::is_alphanumeric)
                && let Some(length) = self.spread(from)
            {
                return Some(start..start + length);
            }
        }
        None
    }

    /// Whether [`Self::find`] finds it in a text whose words begin so.
    pub fn is_found(&self, lower: &str, starts: Starts) -> bool {
        if self.is_in(lower) {
            return true;
        }
        // The rest of the search is for words that begin with its first letter.
        let first = self.letters.first();
        first.is_some_and(|first| starts.may_hold(*first)) && self.find(lower).is_some()
    }

    /// Whether it stands whole in a text of lower case.
    pub fn is_in(&self, lower: &str) -> bool {
        self.whole.find(lower.as_bytes()).is_some()
    }

    /// Where the letters first stand in order in a text of ASCII alone, a byte to each character.
    fn find_spread(&self, text: &[u8]) -> Option<Range<usize>> {
        let word = self.whole.needle();
        if !word.is_ascii() {
            return None;
        }
        let (first, others) = word.split_first()?;
        for start in memchr::memchr_iter(*first, text) {
            let before = start.checked_sub(1).and_then(|at| text.get(at));
            if before.is_some_and(u8::is_ascii_alphanumeric) {
                continue;
            }
            let end = text.len().min(start + 2 * word.len());
            let mut left = others.iter();
            let mut next = left.next();
            for (at, byte) in (start + 1..).zip(text.get(start + 1..end).unwrap_or_default()) {
                if *byte == b'\n' {
                    break;
                }
                if Some(byte) == next {
                    next = left.next();
                    if next.is_none() {
                        return Some(start..at + 1);
                    }
                }
            }
        }
        None
    }

    /// How many bytes from its start the letters take to stand in order.
    fn spread(&self, text: &str) -> Option<usize> {
        let mut letters = self.letters.iter().copied().peekable();
        for (at, c) in text.char_indices().take(2 * self.letters.len()) {
            if c == '\n' {
                return None;
            }
            if letters.peek() == Some(&c) {
                letters.next();
                if letters.peek().is_none() {
                    return Some(at + c.len_utf8());
                }
            }
        }
        None
    }
}

/// Which letters of ASCII the words of a text begin with: a bit for each.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Starts(u128);

impl Starts {
    /// The beginnings of a text's words.
    pub fn of(text: &str) -> Self {
        let mut starts = 0;
        let mut within = false;
        for byte in text.bytes() {
            // After a letter beyond ASCII a word may seem to begin: one bit too many.
            if !within && byte.is_ascii() {
                starts |= 1 << byte;
            }
            within = byte.is_ascii_alphanumeric();
        }
        Self(starts)
    }

    /// Whether a word may begin with this letter; true of any beyond ASCII.
    fn may_hold(self, letter: char) -> bool {
        !letter.is_ascii() || self.0 >> u32::from(letter) & 1 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        /// The way by bytes finds what the way by characters finds.
        #[test]
        fn both_ways_find_the_same(word in "[abc. ]{3,6}", text in "[abcd. \n]{0,30}") {
            let needle = Needle::new(&word);
            let by_characters = needle.whole.find(text.as_bytes()).map(|at| at..at + word.len());
            let by_characters = by_characters.or_else(|| {
                text.match_indices(needle.letters[0]).find_map(|(start, _)| {
                    let (before, from) = text.split_at(start);
                    let length = needle.spread(from).filter(|_| !before.ends_with(char::is_alphanumeric))?;
                    Some(start..start + length)
                })
            });
            proptest::prop_assert_eq!(needle.find(&text), by_characters);
        }

        /// What the beginnings rule out is nowhere.
        #[test]
        fn the_beginnings_rule_out_only_what_is_not_there(
            word in "[abé. ]{3,5}",
            text in "[abcdé. \n]{0,30}",
        ) {
            let needle = Needle::new(&word);
            let found = needle.is_found(&text, Starts::of(&text));
            proptest::prop_assert_eq!(found, needle.find(&text).is_some());
        }
    }

    #[test]
    fn finds() {
        for (word, text, found) in [
            ("deck", "the q3 deck", Some(7..11)),
            ("DECK", "the q3 deck", Some(7..11)),
            ("q3dk", "the q3 deck", Some(4..11)),
            ("prya", "priya@company.com", Some(0..5)),
            // Whole before fuzzy, though fuzzy stands first.
            ("deck", "dxeck deck", Some(6..10)),
            ("riya", "priya", Some(1..5)),
            // Not from the start of a word.
            ("rya", "priya", None),
            // Too far apart.
            ("pcm", "priya@company.com", None),
            // Two letters only as they stand.
            ("pa", "priya", None),
            // Never across lines.
            ("abc", "ab\nc", None),
            ("", "", Some(0..0)),
            // A word longer than its text, and one of letters the text cannot hold.
            ("deckdeckdeck", "deck", None),
            ("d\u{e9}k", "the deck", None),
            ("\u{e9}t\u{e9}s", "les \u{e9}xt\u{e9}s", Some(4..11)),
        ] {
            assert_eq!(Needle::new(word).find(text), found, "{word} in {text}");
        }
    }
}
