//! Sets of words: what names, subjects and local parts are compared by (§5.1, §11).

use super::name::name;

/// Distinct words, sorted by code point.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tokens(Vec<Box<str>>);

impl Tokens {
    /// The words in order, each once.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(AsRef::as_ref)
    }

    /// The words as a sorted slice.
    pub fn as_slice(&self) -> &[Box<str>] {
        &self.0
    }

    /// How many words there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no word.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether `word`, code point for code point, is one of them.
    pub fn contains(&self, word: &str) -> bool {
        self.0
            .binary_search_by(|token| token.as_ref().cmp(word))
            .is_ok()
    }

    /// Whether each word is also one of `other`. The empty set is a subset of every set.
    pub fn is_subset_of(&self, other: &Self) -> bool {
        self.iter().all(|word| other.contains(word))
    }

    /// The sizes of the intersection and the union with `other`: the two terms of Jaccard's
    /// measure. The union is 0 only where both sets are empty.
    pub fn jaccard(&self, other: &Self) -> (usize, usize) {
        let common = self.iter().filter(|word| other.contains(word)).count();
        (
            common,
            self.len()
                .saturating_add(other.len())
                .saturating_sub(common),
        )
    }
}

impl<'a> FromIterator<&'a str> for Tokens {
    fn from_iter<I: IntoIterator<Item = &'a str>>(words: I) -> Self {
        let mut words: Vec<&str> = words.into_iter().collect();
        words.sort_unstable();
        words.dedup();
        Self(words.into_iter().map(Box::from).collect())
    }
}

/// The distinct words of `named`, a text that [`name`] gave.
pub fn words(named: &str) -> Tokens {
    spaced(named).collect()
}

/// The distinct words of `name(text)`.
pub fn name_tokens(text: &str) -> Tokens {
    words(&name(text))
}

/// The distinct words of `name(text)` that are no stop words.
pub fn subject_tokens(text: &str, stop_words: &StopWords) -> Tokens {
    spaced(&name(text))
        .filter(|word| !stop_words.0.contains(word))
        .collect()
}

fn spaced(named: &str) -> impl Iterator<Item = &str> {
    named.split(' ').filter(|word| !word.is_empty())
}

/// The words a subject is read without, each by its own [`name`].
///
/// A stop word whose name is empty or holds several words stops nothing: no token equals it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StopWords(Tokens);

impl<'a> FromIterator<&'a str> for StopWords {
    fn from_iter<I: IntoIterator<Item = &'a str>>(words: I) -> Self {
        let names: Vec<String> = words.into_iter().map(name).collect();
        Self(names.iter().map(String::as_str).collect())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn list(tokens: &Tokens) -> Vec<&str> {
        tokens.iter().collect()
    }

    #[test]
    fn tokens_are_distinct_and_sorted() {
        assert_eq!(
            list(&name_tokens("Pay Rent: pay RENT, B\u{f6}b!")),
            ["bob", "pay", "rent"]
        );
        assert!(name_tokens(" -- ").is_empty());
    }

    #[test]
    fn stop_words_are_compared_by_their_name() {
        let stop: StopWords = ["The", "\u{ff4f}f", "d\u{e9}", "to be", "!"]
            .into_iter()
            .collect();
        let tokens = subject_tokens("The end of the De-facto plan to be", &stop);
        assert_eq!(list(&tokens), ["be", "end", "facto", "plan", "to"]);
    }

    #[test]
    fn jaccard_counts() {
        let set = |text: &str| name_tokens(text);
        assert_eq!(set("a b c").jaccard(&set("b c d e")), (2, 5));
        assert_eq!(set("a b").jaccard(&set("b a a")), (2, 2));
        assert_eq!(set("a").jaccard(&set("")), (0, 1));
        assert_eq!(set("").jaccard(&set("")), (0, 0));
    }

    #[test]
    fn subsets() {
        let set = |text: &str| name_tokens(text);
        assert!(set("jane doe").is_subset_of(&set("doe jane q")));
        assert!(!set("jane doe").is_subset_of(&set("janedoe")));
        assert!(set("").is_subset_of(&set("")));
    }

    proptest! {
        #[test]
        fn set_operations_are_those_of_a_set(
            a in prop::collection::vec("[a-d]{1,2}", 0..8),
            b in prop::collection::vec("[a-d]{1,2}", 0..8),
        ) {
            let tokens = |words: &[String]| words.iter().map(String::as_str).collect::<Tokens>();
            let set = |words: &[String]| words.iter().cloned().collect::<BTreeSet<_>>();
            let (left, right) = (tokens(&a), tokens(&b));
            let (x, y) = (set(&a), set(&b));
            prop_assert_eq!(left.jaccard(&right), (x.intersection(&y).count(), x.union(&y).count()));
            prop_assert_eq!(left.is_subset_of(&right), x.is_subset(&y));
            prop_assert!(left.iter().eq(x.iter().map(String::as_str)));
        }

        #[test]
        fn the_words_of_a_name_are_its_tokens(text in any::<String>()) {
            prop_assert_eq!(name_tokens(&name(&text)), name_tokens(&text));
        }
    }
}
