//! How text from a file is written where a terminal shows it (§9).
//!
//! Nothing else may put such text on a terminal. What a terminal would act on, drop or draw as
//! nothing is written `\u{…}`, with the code point in lower-case hexadecimal and no leading zeros.
//! A backslash of the text is written `\\`, so every backslash of the result begins an escape, each
//! text has one written form and no two texts share one.
//!
//! Letters that look alike, and text that runs from right to left, are shown as they are.

use std::borrow::Cow;
use std::fmt::Write;

use super::baseline::{Class, class, is_default_ignorable};

/// Whether `c` may stand for itself on a terminal: a letter, mark, number, punctuation or symbol
/// that Unicode 15.0.0 assigns and that draws something, or U+0020.
///
/// Controls, format characters, every other separator, private use, unassigned code points and
/// Default_Ignorable ones are not plain.
pub fn is_plain(c: char) -> bool {
    if c.is_ascii() {
        return matches!(c, ' '..='~');
    }
    let draws = match class(c) {
        Class::Letter
        | Class::NonspacingMark
        | Class::SpacingMark
        | Class::EnclosingMark
        | Class::Number
        | Class::Punctuation
        | Class::Symbol => true,
        Class::Unassigned
        | Class::Control
        | Class::Format
        | Class::PrivateUse
        | Class::Space
        | Class::LineSeparator
        | Class::ParagraphSeparator => false,
    };
    draws && !is_default_ignorable(c)
}

/// `text` for a terminal, borrowed where it is shown as it stands.
///
/// A mark with nothing before it to sit on, at the start or after an escape, is escaped as well:
/// it would change what the program draws around the text.
pub fn escaped(text: &str) -> Cow<'_, str> {
    if text
        .bytes()
        .all(|byte| matches!(byte, b' '..=b'~') && byte != b'\\')
    {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    push_escaped(&mut out, text, None);
    if out == text {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(out)
    }
}

/// `text` in quotation marks, for a key in a path or a value in a message: [`escaped`], with `"`
/// written `\"`.
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len().saturating_add(2));
    out.push('"');
    push_escaped(&mut out, text, Some('"'));
    out.push('"');
    out
}

fn push_escaped(out: &mut String, text: &str, delimiter: Option<char>) {
    let mut has_base = false;
    for c in text.chars() {
        if c == '\\' || Some(c) == delimiter {
            out.push('\\');
            out.push(c);
            has_base = true;
        } else if is_plain(c) && (has_base || !is_mark(c)) {
            out.push(c);
            has_base = true;
        } else {
            // Writing to a `String` never fails.
            let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            has_base = false;
        }
    }
}

fn is_mark(c: char) -> bool {
    matches!(
        class(c),
        Class::NonspacingMark | Class::SpacingMark | Class::EnclosingMark
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn text_shown_as_it_stands() {
        for text in [
            "",
            "Jane Doe <jane@example.org> \"x\" {u}",
            "\u{dc}ber caf\u{e9} cafe\u{301}",
            "\u{6f22}\u{5b57} \u{d55c} \u{915}\u{93f} \u{5d0}\u{5d1}",
            "\u{1f600}\u{fffd}\u{20ac}",
        ] {
            assert!(
                matches!(escaped(text), Cow::Borrowed(same) if same == text),
                "{text:?}"
            );
        }
    }

    #[test]
    fn text_that_is_escaped() {
        for (text, expected) in [
            (
                "\0\t\n\r\u{1b}[31m\u{7f}",
                r"\u{0}\u{9}\u{a}\u{d}\u{1b}[31m\u{7f}",
            ),
            ("\u{9b}31m\u{85}", r"\u{9b}31m\u{85}"),
            (
                "a\u{ad}b\u{200b}c\u{200d}\u{feff}",
                r"a\u{ad}b\u{200b}c\u{200d}\u{feff}",
            ),
            // Bidirectional controls and tag characters.
            (
                "\u{202e}gpj\u{202c}\u{2066}",
                r"\u{202e}gpj\u{202c}\u{2066}",
            ),
            ("\u{e0041}", r"\u{e0041}"),
            (
                "a\u{a0}b\u{3000}c\u{2028}\u{2029}",
                r"a\u{a0}b\u{3000}c\u{2028}\u{2029}",
            ),
            ("\u{e000}\u{10fffd}", r"\u{e000}\u{10fffd}"),
            // Unassigned by 15.0, noncharacters and ignorables among them.
            (
                "\u{2ffc}\u{ffff}\u{2065}\u{1fae9}",
                r"\u{2ffc}\u{ffff}\u{2065}\u{1fae9}",
            ),
            // Default_Ignorable letters and marks.
            (
                "\u{3164}\u{115f}a\u{fe0f}\u{34f}",
                r"\u{3164}\u{115f}a\u{fe0f}\u{34f}",
            ),
            // A mark with no base; one on a space has the space.
            ("\u{301}a\u{301}", "\\u{301}a\u{301}"),
            ("\u{200b}\u{301}\u{301}a", r"\u{200b}\u{301}\u{301}a"),
            (" \u{301}", " \u{301}"),
            (r"a\b", r"a\\b"),
            (r"\u{1b}", r"\\u{1b}"),
        ] {
            assert_eq!(escaped(text), expected, "{text:?}");
        }
    }

    #[test]
    fn quoted_text() {
        for (text, expected) in [
            ("", r#""""#),
            ("email.sent", r#""email.sent""#),
            (r#"a"b\"#, r#""a\"b\\""#),
            ("\n\u{301}", r#""\u{a}\u{301}""#),
        ] {
            assert_eq!(quoted(text), expected, "{text:?}");
        }
    }

    /// Reads an escaped text back; none where it is not the one written form of a text.
    fn unescaped(written: &str) -> Option<String> {
        let mut out = String::new();
        let mut rest = written.chars();
        while let Some(c) = rest.next() {
            if c != '\\' {
                out.push(c);
                continue;
            }
            match rest.next()? {
                same @ ('\\' | '"') => out.push(same),
                'u' => {
                    let hex: String = rest.by_ref().skip(1).take_while(|&c| c != '}').collect();
                    out.push(char::from_u32(u32::from_str_radix(&hex, 16).ok()?)?);
                }
                _ => return None,
            }
        }
        Some(out)
    }

    /// What stands between the quotation marks.
    fn inside(quoted: &str) -> &str {
        quoted
            .strip_prefix('"')
            .and_then(|rest| rest.strip_suffix('"'))
            .unwrap()
    }

    #[test]
    fn every_code_point_is_shown_or_escaped_and_read_back() {
        for c in '\0'..=char::MAX {
            let written = escaped(&format!("a{c}")).into_owned();
            assert_eq!(unescaped(&written), Some(format!("a{c}")));
            assert!(written.chars().all(is_plain), "{}", c.escape_unicode());
        }
    }

    /// Text of what escapes are made of, and of what they are for.
    fn text() -> impl Strategy<Value = String> {
        let c = prop_oneof![
            any::<char>(),
            prop::sample::select(vec![
                '\\', '"', 'u', '{', '}', '1', 'b', '\u{1b}', '\u{301}', ' '
            ]),
        ];
        prop::collection::vec(c, 0..16).prop_map(String::from_iter)
    }

    proptest! {
        /// An inverse exists, so no two texts are written alike.
        #[test]
        fn escaping_is_injective(text in text()) {
            prop_assert_eq!(unescaped(&escaped(&text)), Some(text.clone()));
            prop_assert_eq!(unescaped(inside(&quoted(&text))), Some(text));
        }

        #[test]
        fn escaped_text_is_plain_and_begins_with_no_mark(text in text()) {
            let written = escaped(&text);
            prop_assert!(written.chars().all(is_plain));
            prop_assert!(!written.chars().next().is_some_and(is_mark));
        }

        #[test]
        fn a_quotation_mark_inside_never_ends_the_quotation(text in text()) {
            let quoted = quoted(&text);
            let mut is_escaped = false;
            for c in inside(&quoted).chars() {
                prop_assert!(is_escaped || c != '"');
                is_escaped = !is_escaped && c == '\\';
            }
            prop_assert!(!is_escaped);
        }
    }
}
