//! Which of a ledger's receipts a package carries: those a filter of the
//! inspector's language passes, in (computedAt, id) order.

use std::fmt;

use attest_canon::Digest;
use attest_grading::ledger::Ledger;
use attest_grading::model::Receipt;

use crate::desk::Texts;
use crate::inspector::filter::{Filter, FilterError};

/// A ledger, and what binds it: its file's bytes as they were loaded.
#[derive(Clone, Copy, Debug)]
pub struct LedgerFile<'a> {
    /// The ledger.
    pub ledger: &'a Ledger,
    /// The file's length in bytes.
    pub bytes: u64,
    /// The file's SHA-256.
    pub sha256: Digest,
}

/// What a selection of every receipt is called.
const ALL: &str = "all";

/// A filter by its text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Selection {
    text: String,
    filter: Filter,
}

impl Selection {
    /// Every receipt.
    #[must_use]
    pub fn all() -> Self {
        Self {
            text: ALL.to_owned(),
            filter: Filter::default(),
        }
    }

    /// The receipts a filter passes. A filter without terms passes all. White
    /// space around it means nothing and is not kept; the word `all`, which
    /// would be taken for every receipt, is kept in quotation marks.
    ///
    /// # Errors
    ///
    /// The terms that are not well formed.
    pub fn of_filter(text: &str) -> Result<Self, BadFilter> {
        let text = text.trim();
        let (filter, errors) = Filter::parse(text);
        if !errors.is_empty() {
            return Err(BadFilter(errors));
        }
        if filter.is_empty() {
            return Ok(Self::all());
        }
        let text = match text {
            ALL => format!("\"{ALL}\""),
            text => text.to_owned(),
        };
        Ok(Self { text, filter })
    }

    /// The selection a package states.
    ///
    /// # Errors
    ///
    /// The terms that are not well formed.
    pub fn stated(text: &str) -> Result<Self, BadFilter> {
        match text {
            ALL => Ok(Self::all()),
            text => Self::of_filter(text),
        }
    }

    /// The filter's text, or `all`.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The receipts selected, by the instant of their batch, then by id.
    #[must_use]
    pub fn choose<'l>(&self, ledger: &'l Ledger) -> Vec<&'l Receipt> {
        let mut chosen: Vec<&Receipt> = if self.filter.is_empty() {
            ledger.receipts.iter().collect()
        } else {
            let texts = Texts::new(&ledger.claims, &ledger.observations);
            let passes = |receipt: &&Receipt| self.filter.matches(&texts.row(receipt));
            ledger.receipts.iter().filter(passes).collect()
        };
        chosen.sort_by_key(|receipt| (receipt.computed_at.instant(), receipt.id));
        chosen
    }
}

/// A filter that cannot be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadFilter(Vec<FilterError>);

impl fmt::Display for BadFilter {
    /// A line per term, each by the bytes it stands at.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, error) in self.0.iter().enumerate() {
            if place > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{}: {}", error.at.start, error.problem)?;
        }
        Ok(())
    }
}

impl std::error::Error for BadFilter {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_no_filter_is_all() {
        for text in ["", " ", "\t"] {
            assert_eq!(Selection::of_filter(text), Ok(Selection::all()));
        }
        for (text, kept) in [
            ("all", "\"all\""),
            (" all ", "\"all\""),
            ("\"all\"", "\"all\""),
            ("-all", "-all"),
            (" grade:unasked  x ", "grade:unasked  x"),
        ] {
            let selection = Selection::of_filter(text).unwrap();
            assert_eq!(selection.text(), kept);
            assert_ne!(selection.filter, Filter::default());
        }
        let bad = Selection::of_filter("grade:maybe state:").unwrap_err();
        assert_eq!(bad.to_string().lines().count(), 2);
    }

    proptest! {
        /// What a package states selects what was asked for.
        #[test]
        fn what_is_stated_is_what_was_asked(
            text in "( |all|\"|-|grade:|unasked|,|agent:muse|score<0\\.5|[a-z\u{a0}\u{e9}]){0,6}"
        ) {
            if let Ok(selection) = Selection::of_filter(&text) {
                let (asked, _) = Filter::parse(&text);
                prop_assert_eq!(&selection.filter, &asked);
                prop_assert_eq!(Selection::stated(selection.text()), Ok(selection));
            }
        }
    }
}
