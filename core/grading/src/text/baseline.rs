//! The Unicode 15.0.0 baseline: classes and sets of code points (§11, §14 item 8).

use super::tables::{CLASS_STARTS, CLASSES, DEFAULT_IGNORABLE, WHITE_SPACE};

/// The version of Unicode that all text is read by.
pub const UNICODE_VERSION: (u8, u8, u8) = (15, 0, 0);

/// What a code point is, as far as any rule asks: its General_Category, with the kinds of letter,
/// number, punctuation and symbol put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Cn: not assigned by 15.0.0, noncharacters included.
    Unassigned,
    /// Cc: a control, line feed and tab included.
    Control,
    /// Cf: an invisible format character.
    Format,
    /// Co: private use.
    PrivateUse,
    /// L: a letter of any kind.
    Letter,
    /// Mn: a nonspacing mark.
    NonspacingMark,
    /// Mc: a spacing mark.
    SpacingMark,
    /// Me: an enclosing mark.
    EnclosingMark,
    /// N: a number of any kind.
    Number,
    /// P: punctuation.
    Punctuation,
    /// S: a symbol.
    Symbol,
    /// Zs: a space.
    Space,
    /// Zl: U+2028.
    LineSeparator,
    /// Zp: U+2029.
    ParagraphSeparator,
}

/// The class of `c` in Unicode 15.0.0.
pub fn class(c: char) -> Class {
    if c.is_ascii() {
        return ascii_class(c);
    }
    let point = u32::from(c);
    let after = CLASS_STARTS.partition_point(|&start| start >> 4 <= point);
    after
        .checked_sub(1)
        .and_then(|run| CLASS_STARTS.get(run))
        .and_then(|start| usize::try_from(start & 0xF).ok())
        .and_then(|digit| CLASSES.get(digit))
        .copied()
        .unwrap_or(Class::Unassigned)
}

/// [`class`] for ASCII without the table.
const fn ascii_class(c: char) -> Class {
    match c {
        'a'..='z' | 'A'..='Z' => Class::Letter,
        '0'..='9' => Class::Number,
        ' ' => Class::Space,
        '$' | '+' | '<' | '=' | '>' | '^' | '`' | '|' | '~' => Class::Symbol,
        '!'..='~' => Class::Punctuation,
        _ => Class::Control,
    }
}

/// Whether `c` has the property White_Space.
pub fn is_white_space(c: char) -> bool {
    match c {
        ' ' | '\t'..='\r' => true,
        _ => !c.is_ascii() && in_ranges(&WHITE_SPACE, c),
    }
}

/// Whether `c` is assigned and has the property Default_Ignorable_Code_Point: nothing is drawn for
/// it. Of an unassigned code point nothing is known, so it never is.
pub fn is_default_ignorable(c: char) -> bool {
    !c.is_ascii() && in_ranges(&DEFAULT_IGNORABLE, c) && class(c) != Class::Unassigned
}

/// `text` without White_Space at either end.
pub fn trim(text: &str) -> &str {
    text.trim_matches(is_white_space)
}

/// Whether `text` holds no control (Cc), U+2028 or U+2029. Format characters are allowed (§13).
pub fn is_one_line(text: &str) -> bool {
    !text.chars().any(|c| {
        matches!(
            class(c),
            Class::Control | Class::LineSeparator | Class::ParagraphSeparator
        )
    })
}

/// Whether `text` holds a letter, number, punctuation or symbol: something a person can see.
///
/// The class alone decides, so the Hangul fillers, letters that draw nothing, count.
pub fn has_visible(text: &str) -> bool {
    text.chars().any(|c| {
        matches!(
            class(c),
            Class::Letter | Class::Number | Class::Punctuation | Class::Symbol
        )
    })
}

/// Whether `c` lies in one of the sorted, inclusive `ranges`.
pub(super) fn in_ranges(ranges: &[(u32, u32)], c: char) -> bool {
    let point = u32::from(c);
    let at = ranges.partition_point(|&(_, last)| last < point);
    ranges.get(at).is_some_and(|&(first, _)| first <= point)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_normal_forms_and_the_tables_are_of_one_version() {
        assert_eq!(unicode_normalization::UNICODE_VERSION, UNICODE_VERSION);
    }

    #[test]
    fn ascii_has_the_classes_of_the_table() {
        for c in '\0'..='\x7f' {
            let after = CLASS_STARTS.partition_point(|&start| start >> 4 <= u32::from(c));
            let digit = CLASS_STARTS[after - 1] & 0xF;
            assert_eq!(class(c), CLASSES[digit as usize], "{c:?}");
            assert_eq!(is_white_space(c), in_ranges(&WHITE_SPACE, c), "{c:?}");
        }
    }

    #[test]
    fn classes_of_chosen_code_points() {
        for (c, expected) in [
            ('\u{7f}', Class::Control),
            ('\u{85}', Class::Control),
            ('\u{a0}', Class::Space),
            ('\u{ad}', Class::Format),
            ('\u{e9}', Class::Letter),
            ('\u{301}', Class::NonspacingMark),
            ('\u{488}', Class::EnclosingMark),
            ('\u{903}', Class::SpacingMark),
            ('\u{2028}', Class::LineSeparator),
            ('\u{2029}', Class::ParagraphSeparator),
            ('\u{20ac}', Class::Symbol),
            ('\u{3164}', Class::Letter),
            ('\u{e000}', Class::PrivateUse),
            ('\u{fffd}', Class::Symbol),
            ('\u{ffff}', Class::Unassigned),
            // Assigned by 15.0, 15.1 and 16.0 in turn.
            ('\u{1fae8}', Class::Symbol),
            ('\u{2ffc}', Class::Unassigned),
            ('\u{1c89}', Class::Unassigned),
            ('\u{10ffff}', Class::Unassigned),
            ('\u{10fffd}', Class::PrivateUse),
        ] {
            assert_eq!(class(c), expected, "{}", c.escape_unicode());
        }
    }

    #[test]
    fn an_unassigned_code_point_is_never_ignorable() {
        assert!(is_default_ignorable('\u{200b}'));
        assert!(is_default_ignorable('\u{3164}'));
        assert!(is_default_ignorable('\u{e0001}'));
        // Default_Ignorable_Code_Point, but unassigned.
        assert!(!is_default_ignorable('\u{2065}'));
        assert!(!is_default_ignorable('\u{fff0}'));
        assert!(!is_default_ignorable('\u{e0fff}'));
    }

    #[test]
    fn trims_white_space_only() {
        assert_eq!(trim(" \t\u{85}\u{3000}a b\u{a0}\u{2029}\n"), "a b");
        // Zero-width space and byte order mark are format characters, not White_Space.
        assert_eq!(trim("\u{200b}a\u{feff}"), "\u{200b}a\u{feff}");
    }

    #[test]
    fn one_line_allows_format_characters() {
        for text in ["", "a b", "a\u{200d}b", "a\u{a0}b", "\u{fffd}"] {
            assert!(is_one_line(text), "{text:?}");
        }
        for text in [
            "a\nb",
            "\t",
            "a\r",
            "\0",
            "\u{85}",
            "\u{9b}31m",
            "a\u{2028}b",
            "\u{2029}",
        ] {
            assert!(!is_one_line(text), "{text:?}");
        }
    }

    #[test]
    fn visible_is_a_letter_number_punctuation_or_symbol() {
        for text in ["a", " 1", "\u{200b}.", "$", "\u{3164}"] {
            assert!(has_visible(text), "{text:?}");
        }
        for text in [
            "",
            " ",
            "\u{200b}\u{ad}",
            "\u{301}\u{903}\u{488}",
            "\u{e000}",
            "\u{2ffc}",
        ] {
            assert!(!has_visible(text), "{text:?}");
        }
    }
}
