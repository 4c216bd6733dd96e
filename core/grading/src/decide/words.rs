//! Texts as numbers, so that comparing two costs a comparison of integers.

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use hashbrown::HashTable;
use smallvec::SmallVec;

use crate::text::Tokens;

/// A text's number. Equal numbers, equal texts.
pub(crate) type Word = u32;

/// A set of words, ascending. Most are short: they lie in the facts themselves,
/// so that comparing a pair follows no pointer.
pub(crate) type WordSet = SmallVec<[Word; 4]>;

/// Hashes without a seed. Nothing reads an order of hashes.
pub(crate) type Unseeded = BuildHasherDefault<DefaultHasher>;

/// Numbers texts in the order they are first met. Only equality is ever read
/// from the numbers, so the order decides nothing.
#[derive(Debug, Default)]
pub(crate) struct Words {
    table: HashTable<Met>,
    /// Every text, end to end, and where each ends.
    texts: String,
    ends: Vec<usize>,
}

/// A text met before. Half its hash is kept, which tells most others apart
/// without reading them.
#[derive(Clone, Copy, Debug)]
struct Met {
    half: u32,
    word: Word,
}

impl Met {
    /// Half a hash as a whole one: the table reads both ends of it.
    fn hash(half: u32) -> u64 {
        u64::from(half) << 32 | u64::from(half)
    }
}

impl Words {
    /// The number of a text.
    pub(crate) fn number(&mut self, text: &str) -> Word {
        let half = Unseeded::default().hash_one(text) & u64::from(u32::MAX);
        let half = u32::try_from(half).unwrap_or_default();
        let same =
            |met: &Met| met.half == half && text_of(&self.texts, &self.ends, met.word) == text;
        if let Some(met) = self.table.find(Met::hash(half), same) {
            return met.word;
        }
        let word = Word::try_from(self.ends.len()).unwrap_or(Word::MAX);
        self.texts.push_str(text);
        self.ends.push(self.texts.len());
        let hash = |met: &Met| Met::hash(met.half);
        self.table
            .insert_unique(Met::hash(half), Met { half, word }, hash);
        word
    }

    /// The numbers of a set of words, ascending.
    pub(crate) fn set(&mut self, tokens: &Tokens) -> WordSet {
        let mut numbers: WordSet = tokens.iter().map(|word| self.number(word)).collect();
        numbers.sort_unstable();
        numbers
    }
}

fn text_of<'t>(texts: &'t str, ends: &[usize], word: Word) -> &'t str {
    let place = usize::try_from(word).unwrap_or(usize::MAX);
    let begin = place.checked_sub(1).and_then(|before| ends.get(before));
    let end = ends.get(place).copied().unwrap_or_default();
    texts
        .get(begin.copied().unwrap_or_default()..end)
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn numbers_are_equal_where_texts_are() {
        let mut words = Words::default();
        let mut told = BTreeMap::new();
        let text = |n: u32| format!("{}{}", "é".repeat(n as usize % 3), n % 700);
        for n in 0..3000 {
            let number = words.number(&text(n));
            assert_eq!(*told.entry(text(n)).or_insert(number), number);
        }
        let distinct: std::collections::BTreeSet<Word> = told.values().copied().collect();
        assert_eq!(distinct.len(), told.len());
        assert_eq!(words.number(""), words.number(""));
    }
}
