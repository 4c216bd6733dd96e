//! Lower case by Unicode 15.0.0.

use std::borrow::Cow;

use super::baseline::in_ranges;
use super::tables::{CASE_IGNORABLE, CASED, LOWERCASE, LOWERCASE_FULL};

const CAPITAL_SIGMA: char = '\u{3a3}';
const SMALL_SIGMA: char = '\u{3c3}';
const FINAL_SIGMA: char = '\u{3c2}';

/// `text` with A–Z in lower case and nothing else changed (§11).
pub fn ascii_lower(text: &str) -> Cow<'_, str> {
    if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        Cow::Owned(text.to_ascii_lowercase())
    } else {
        Cow::Borrowed(text)
    }
}

/// `text` in lower case by the full mapping of Unicode 15.0.0, in no particular language, with
/// final sigma.
///
/// A capital sigma is final when, case-ignorable characters skipped, a cased character comes
/// before it and none comes after. A character that is both cased and case-ignorable is skipped.
pub fn lower(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let mut sigmas = finals(text).into_iter();
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c == CAPITAL_SIGMA {
            out.push(if sigmas.next() == Some(true) {
                FINAL_SIGMA
            } else {
                SMALL_SIGMA
            });
        } else if let Some(full) = full_lower(c) {
            out.push_str(full);
        } else {
            out.push(simple_lower(c));
        }
    }
    out
}

/// For each capital sigma of `text`, in order, whether it is final.
fn finals(text: &str) -> Vec<bool> {
    let mut out = Vec::new();
    if !text.contains(CAPITAL_SIGMA) {
        return out;
    }
    let mut cased_before = false;
    for c in text.chars() {
        if c == CAPITAL_SIGMA {
            out.push(cased_before);
        }
        if !is_case_ignorable(c) {
            cased_before = is_cased(c);
        }
    }
    let mut cased_after = false;
    let mut from_the_end = out.iter_mut().rev();
    for c in text.chars().rev() {
        if c == CAPITAL_SIGMA
            && let Some(is_final) = from_the_end.next()
        {
            *is_final = *is_final && !cased_after;
        }
        if !is_case_ignorable(c) {
            cased_after = is_cased(c);
        }
    }
    out
}

fn is_cased(c: char) -> bool {
    in_ranges(&CASED, c)
}

fn is_case_ignorable(c: char) -> bool {
    in_ranges(&CASE_IGNORABLE, c)
}

/// The lower case of `c` where it is not one code point.
fn full_lower(c: char) -> Option<&'static str> {
    LOWERCASE_FULL
        .iter()
        .find(|&&(point, _)| point == u32::from(c))
        .map(|&(_, text)| text)
}

/// The one code point that is the lower case of `c`, or `c`.
fn simple_lower(c: char) -> char {
    if c.is_ascii() {
        return c.to_ascii_lowercase();
    }
    let point = u32::from(c);
    let at = LOWERCASE.partition_point(|&(_, last, _, _)| last < point);
    LOWERCASE
        .get(at)
        .and_then(|&(first, _, step, lower)| {
            let offset = point.checked_sub(first)?;
            let is_member = offset.checked_rem(step)? == 0;
            is_member.then(|| lower.checked_add(offset)).flatten()
        })
        .and_then(char::from_u32)
        .unwrap_or(c)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::baseline::{Class, class};
    use super::*;

    #[test]
    fn ascii_lower_leaves_everything_else() {
        assert_eq!(
            ascii_lower("ABC-xyz-\u{c4}\u{212a}\u{130}"),
            "abc-xyz-\u{c4}\u{212a}\u{130}"
        );
        assert!(matches!(ascii_lower("abc\u{c4}"), Cow::Borrowed(_)));
    }

    #[test]
    fn lower_of_chosen_text() {
        for (text, expected) in [
            ("", ""),
            ("HELLO", "hello"),
            ("\u{c4}\u{d6}\u{dc}\u{1e9e}", "\u{e4}\u{f6}\u{fc}\u{df}"),
            ("\u{130}", "i\u{307}"),
            // Runs with step 2: the members change, those between do not.
            (
                "\u{100}\u{101}\u{12e}\u{12f}",
                "\u{101}\u{101}\u{12f}\u{12f}",
            ),
            ("\u{13a0}\u{10c80}\u{1e900}", "\u{ab70}\u{10cc0}\u{1e922}"),
            // Case pairs that Unicode 16.0 added.
            ("\u{1c89}\u{a7cb}\u{10d50}", "\u{1c89}\u{a7cb}\u{10d50}"),
        ] {
            assert_eq!(lower(text), expected, "{text:?}");
        }
    }

    #[test]
    fn final_sigma_skips_what_case_ignores() {
        for (text, expected) in [
            ("\u{3a3}", "\u{3c3}"),
            ("A\u{3a3}", "a\u{3c2}"),
            ("A\u{3a3}B", "a\u{3c3}b"),
            ("A\u{3a3} B", "a\u{3c2} b"),
            (
                "\u{39f}\u{394}\u{3a5}\u{3a3}\u{3a3}\u{395}\u{3a5}\u{3a3}",
                "\u{3bf}\u{3b4}\u{3c5}\u{3c3}\u{3c3}\u{3b5}\u{3c5}\u{3c2}",
            ),
            // Apostrophe, soft hyphen, combining acute: case-ignorable on either side.
            ("A'\u{3a3}'", "a'\u{3c2}'"),
            ("A\u{3a3}\u{ad}\u{301}B", "a\u{3c3}\u{ad}\u{301}b"),
            ("1\u{3a3}", "1\u{3c3}"),
            ("A1\u{3a3}", "a1\u{3c3}"),
            // U+02C0 is cased and case-ignorable, so it is skipped.
            ("\u{2c0}\u{3a3}", "\u{2c0}\u{3c3}"),
            ("A\u{3a3}\u{2c0}", "a\u{3c2}\u{2c0}"),
            // An unassigned code point is neither: it ends the search.
            ("A\u{2ffc}\u{3a3}", "a\u{2ffc}\u{3c3}"),
            ("A\u{3a3}\u{2ffc}B", "a\u{3c2}\u{2ffc}b"),
        ] {
            assert_eq!(lower(text), expected, "{text:?}");
        }
    }

    /// The standard library, of a later version, agrees wherever 15.0 assigns: case pairs are
    /// stable. Where it does not, lower case is the identity.
    #[test]
    fn every_code_point_against_the_standard_library() {
        for c in '\0'..=char::MAX {
            let expected = if class(c) == Class::Unassigned {
                c.to_string()
            } else {
                c.to_lowercase().collect()
            };
            assert_eq!(lower(&c.to_string()), expected, "{}", c.escape_unicode());
        }
    }

    /// Characters that matter to final sigma, and any others that 15.0 assigns.
    fn assigned() -> impl Strategy<Value = String> {
        let c = prop_oneof![
            3 => Just(CAPITAL_SIGMA),
            2 => prop::sample::select(vec!['a', 'B', '\'', '.', ' ', '\u{2c0}', '\u{345}', '\u{ad}']),
            1 => any::<char>().prop_filter("assigned", |&c| class(c) != Class::Unassigned),
        ];
        prop::collection::vec(c, 0..24).prop_map(String::from_iter)
    }

    proptest! {
        #[test]
        fn lower_agrees_with_the_standard_library(text in assigned()) {
            prop_assert_eq!(lower(&text), text.to_lowercase());
        }

        #[test]
        fn lower_is_idempotent(text in any::<String>()) {
            let once = lower(&text);
            prop_assert_eq!(lower(&once), once);
        }
    }
}
