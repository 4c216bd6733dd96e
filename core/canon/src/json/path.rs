//! JSON paths as text: `claims[3].counterparty`, and brackets with quotes for
//! a key that is no plain word: `featuresByType["email.sent"][5]` (readings 29).

use std::borrow::Cow;
use std::fmt::Write as _;

/// Longest part of a key a path repeats, in characters; keys come from files.
const KEY_SHOWN: usize = 64;

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Segment<'a> {
    /// A member of an object.
    Key(Cow<'a, str>),
    /// An element of an array, from 0.
    Index(usize),
}

/// Appends `[index]` to a path.
pub fn push_index(path: &mut String, index: usize) {
    // Writing to a String cannot fail.
    let _ = write!(path, "[{index}]");
}

/// Appends a member's key to a path. Everything but printable ASCII is written
/// as `\u{…}`, so a crafted key can neither drive a terminal nor pass for
/// another one; a very long key is cut.
pub fn push_key(path: &mut String, key: &str) {
    let plain = key.bytes().enumerate().all(|(at, byte)| {
        byte == b'_'
            || byte == b'$'
            || byte.is_ascii_alphabetic()
            || (at > 0 && byte.is_ascii_digit())
    });
    if plain && !key.is_empty() && key.len() <= KEY_SHOWN {
        if !path.is_empty() {
            path.push('.');
        }
        path.push_str(key);
        return;
    }
    path.push_str("[\"");
    for (at, c) in key.chars().enumerate() {
        if at == KEY_SHOWN {
            path.push('…');
            break;
        }
        match c {
            '"' | '\\' => {
                path.push('\\');
                path.push(c);
            }
            ' '..='~' => path.push(c),
            other => {
                let _ = write!(path, "\\u{{{:x}}}", u32::from(other));
            }
        }
    }
    path.push_str("\"]");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_indices() {
        for (keys, text) in [
            (vec!["claims"], "claims"),
            (
                vec!["featuresByType", "email.sent"],
                "featuresByType[\"email.sent\"]",
            ),
            (vec!["a", "9lives"], "a[\"9lives\"]"),
            (vec!["", "x"], "[\"\"].x"),
            (vec!["\u{1b}[2J\"\\é"], "[\"\\u{1b}[2J\\\"\\\\\\u{e9}\"]"),
        ] {
            let mut path = String::new();
            for key in keys {
                push_key(&mut path, key);
            }
            assert_eq!(path, text);
        }
        let mut path = String::new();
        push_key(&mut path, &"k".repeat(65));
        assert_eq!(path, format!("[\"{}…\"]", "k".repeat(64)));
        push_index(&mut path, 7);
        assert!(path.ends_with("[7]"));
    }
}
