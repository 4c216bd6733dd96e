//! Names: the fold that makes two spellings one, and what is left of a text as words (§11).

use unicode_normalization::UnicodeNormalization;

use super::baseline::{Class, class, is_default_ignorable};
use super::case::lower;

/// `text` without compatibility forms, nonspacing marks, invisible characters and case: NFKD, less
/// Mn, Cf and other assigned Default_Ignorable code points, in lower case, then NFC.
///
/// Folding twice is folding once.
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let kept: String = text.nfkd().filter(|&c| !is_folded_away(c)).collect();
    lower(&kept).nfc().collect()
}

fn is_folded_away(c: char) -> bool {
    matches!(class(c), Class::NonspacingMark | Class::Format) || is_default_ignorable(c)
}

/// The words of `text`, one space between them: [`fold`], then every run of characters that are no
/// letter, number, spacing mark or enclosing mark becomes one space, and none is left at the ends.
///
/// An unassigned code point is none of these, so it parts words. Naming twice is naming once.
pub fn name(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    if text.is_ascii() {
        push_words(&mut out, text.chars().map(|c| c.to_ascii_lowercase()));
    } else {
        push_words(&mut out, fold(text).chars());
    }
    out
}

fn push_words(out: &mut String, folded: impl Iterator<Item = char>) {
    let mut parted = false;
    for c in folded {
        if !is_of_word(c) {
            parted = true;
            continue;
        }
        if parted && !out.is_empty() {
            out.push(' ');
        }
        parted = false;
        out.push(c);
    }
}

fn is_of_word(c: char) -> bool {
    matches!(
        class(c),
        Class::Letter | Class::Number | Class::SpacingMark | Class::EnclosingMark
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn fold_of_chosen_text() {
        for (text, expected) in [
            ("", ""),
            ("Plain ASCII, 12!", "plain ascii, 12!"),
            ("Caf\u{e9}", "cafe"),
            ("Cafe\u{301}", "cafe"),
            // Compatibility forms: full width, ligature, circled digit, superscript.
            ("\u{ff21}\u{ff42} \u{fb01} \u{2460} \u{b2}", "ab fi 1 2"),
            ("STRA\u{1e9e}E stra\u{df}e", "stra\u{df}e stra\u{df}e"),
            ("\u{130}stanbul", "istanbul"),
            ("\u{131}", "\u{131}"),
            // Ohm and Kelvin signs are their letters.
            ("\u{2126}\u{212a}", "\u{3c9}k"),
            // Soft hyphen, zero-width joiner, byte order mark, variation selector, Hangul fillers.
            (
                "a\u{ad}b\u{200d}c\u{feff}d\u{fe0f}e\u{3164}f\u{ffa0}g\u{115f}",
                "abcdefg",
            ),
            // A mark between them does not hide that a sigma ends its word.
            ("\u{39f}\u{3a3}\u{301}", "\u{3bf}\u{3c2}"),
            ("\u{39f}\u{3a3}\u{200b}\u{391}", "\u{3bf}\u{3c3}\u{3b1}"),
            // Hangul: syllables come back together.
            ("\u{d55c}\u{1112}\u{1161}\u{11ab}", "\u{d55c}\u{d55c}"),
            // A spacing mark stays and composes again: Bengali vowel sign O.
            ("\u{995}\u{9c7}\u{9be}", "\u{995}\u{9cb}"),
            // Nonspacing Devanagari vowel sign I is spacing, E is not.
            ("\u{915}\u{93f}\u{947}", "\u{915}\u{93f}"),
            ("\u{430}\u{488}", "\u{430}\u{488}"),
            // Unassigned passes through, even where it is Default_Ignorable or has case later on.
            (
                "a\u{2065}b\u{fff0}c\u{e0fff}\u{1c89}",
                "a\u{2065}b\u{fff0}c\u{e0fff}\u{1c89}",
            ),
            ("\u{e000}\u{ffff}\u{fffd}", "\u{e000}\u{ffff}\u{fffd}"),
        ] {
            assert_eq!(fold(text), expected, "{text:?}");
        }
    }

    #[test]
    fn name_of_chosen_text() {
        for (text, expected) in [
            ("", ""),
            ("  ", ""),
            ("!?\u{20ac}", ""),
            ("Jane  Q. Doe", "jane q doe"),
            ("O'Brien & Sons, Inc.", "o brien sons inc"),
            ("--Acme--", "acme"),
            ("Z\u{fc}rich\u{a0}Caf\u{e9}", "zurich cafe"),
            ("a_b\tc\nd", "a b c d"),
            ("\u{2122}Brand\u{ae}", "tmbrand"),
            ("1\u{bd}", "11 2"),
            // An invisible character joins, an unassigned or private one parts.
            ("a\u{200b}b", "ab"),
            ("a\u{2ffc}b", "a b"),
            ("a\u{e000}b", "a b"),
            ("a\u{1c89}b", "a b"),
            (
                "\u{430}\u{488}.\u{915}\u{93f}",
                "\u{430}\u{488} \u{915}\u{93f}",
            ),
        ] {
            assert_eq!(name(text), expected, "{text:?}");
        }
    }

    #[test]
    fn folding_any_code_point_twice_is_folding_it_once() {
        for c in '\0'..=char::MAX {
            let once = fold(&c.to_string());
            assert_eq!(fold(&once), once, "{}", c.escape_unicode());
            if class(c) == Class::Unassigned {
                assert_eq!(once, c.to_string(), "{}", c.escape_unicode());
            }
        }
    }

    /// Text rich in marks, sigmas and characters that compose.
    fn text() -> impl Strategy<Value = String> {
        let c = prop_oneof![
            any::<char>(),
            prop::char::range('\0', '\u{3ff}'),
            prop::char::range('\u{900}', '\u{dff}'),
            prop::char::range('\u{1100}', '\u{11ff}'),
            prop::sample::select(vec!['\u{3a3}', '\u{130}', '\u{1e9e}', '\u{345}', '\'', ' ']),
        ];
        prop::collection::vec(c, 0..24).prop_map(String::from_iter)
    }

    proptest! {
        #[test]
        fn fold_is_idempotent(text in text()) {
            let once = fold(&text);
            prop_assert_eq!(fold(&once), once);
        }

        #[test]
        fn name_is_idempotent_and_single_spaced(text in text()) {
            let once = name(&text);
            prop_assert_eq!(name(&once), once.clone());
            prop_assert!(once.is_empty() || once.split(' ').all(|word| !word.is_empty()));
            prop_assert!(once.chars().all(|c| c == ' ' || is_of_word(c)));
        }

        #[test]
        fn composed_and_decomposed_text_has_one_name(text in text()) {
            prop_assert_eq!(name(&text.nfd().collect::<String>()), name(&text));
            prop_assert_eq!(name(&text.nfkc().collect::<String>()), name(&text));
        }

        #[test]
        fn ascii_takes_the_path_of_all_text(text in "[ -~]{0,24}") {
            let mut slow = String::new();
            push_words(&mut slow, lower(&text).nfc());
            prop_assert_eq!(name(&text), slow);
        }
    }
}
