//! A tree for documents whose shape is not fixed: policies, merge patches,
//! foreign payloads.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::error::{JsonError, JsonErrorKind};
use super::reader::{Kind, Limits, Reader};

/// A JSON value. Numbers keep their text; objects keep their members' order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value<'a> {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number, as it was written.
    Number(Cow<'a, str>),
    /// A string, decoded.
    String(Cow<'a, str>),
    /// An array.
    Array(Vec<Value<'a>>),
    /// An object: distinct keys in document order.
    Object(Vec<(Cow<'a, str>, Value<'a>)>),
}

/// The keys of one object, for refusing a second copy. Small objects compare
/// in a row; large ones use a set, so a hostile object stays near-linear.
#[derive(Default)]
pub(super) struct Keys<'a> {
    few: Vec<Cow<'a, str>>,
    many: BTreeSet<Cow<'a, str>>,
}

const FEW: usize = 16;

impl<'a> Keys<'a> {
    /// Adds a key; `false` when it is there already.
    pub(super) fn insert(&mut self, key: Cow<'a, str>) -> bool {
        if self.few.len() < FEW {
            if self.few.contains(&key) {
                return false;
            }
            self.few.push(key);
            true
        } else {
            !self.few.contains(&key) && self.many.insert(key)
        }
    }
}

impl<'a> Value<'a> {
    /// Reads a whole text as one value.
    pub fn parse(text: &'a str, limits: Limits) -> Result<Self, JsonError> {
        let mut reader = Reader::new(text, limits);
        let value = Self::read(&mut reader)?;
        reader.finish()?;
        Ok(value)
    }

    /// Reads the reader's next value.
    pub fn read(reader: &mut Reader<'a>) -> Result<Self, JsonError> {
        Ok(match reader.peek()? {
            Kind::Null => {
                reader.null()?;
                Self::Null
            }
            Kind::Bool => Self::Bool(reader.boolean()?),
            Kind::Number => Self::Number(Cow::Borrowed(reader.number()?)),
            Kind::String => Self::String(reader.string()?),
            Kind::Array => {
                reader.begin_array()?;
                let mut elements = Vec::new();
                while reader.next_element()? {
                    elements.push(Self::read(reader)?);
                }
                Self::Array(elements)
            }
            Kind::Object => {
                reader.begin_object()?;
                let mut members = Vec::new();
                let mut seen = Keys::default();
                while let Some(key) = reader.next_key()? {
                    if !seen.insert(key.clone()) {
                        return Err(reader.error(JsonErrorKind::DuplicateKey));
                    }
                    members.push((key, Self::read(reader)?));
                }
                Self::Object(members)
            }
        })
    }

    /// The same value, holding its own texts.
    #[must_use]
    pub fn into_owned(self) -> Value<'static> {
        let own = |text: Cow<'a, str>| Cow::Owned(text.into_owned());
        match self {
            Self::Null => Value::Null,
            Self::Bool(value) => Value::Bool(value),
            Self::Number(text) => Value::Number(own(text)),
            Self::String(text) => Value::String(own(text)),
            Self::Array(elements) => {
                Value::Array(elements.into_iter().map(Value::into_owned).collect())
            }
            Self::Object(members) => Value::Object(
                members
                    .into_iter()
                    .map(|(key, value)| (own(key), value.into_owned()))
                    .collect(),
            ),
        }
    }

    /// An object's member, `None` when absent or when this is no object.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value<'a>> {
        match self {
            Self::Object(members) => members
                .iter()
                .find(|(k, _)| k == key)
                .map(|(_, value)| value),
            _ => None,
        }
    }

    /// The text of a string.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// RFC 7396 JSON merge patch: `self` after `patch`.
    #[must_use]
    pub fn merged(self, patch: Value<'a>) -> Value<'a> {
        let Value::Object(changes) = patch else {
            return patch;
        };
        let mut members = match self {
            Value::Object(members) => members,
            _ => Vec::new(),
        };
        for (key, change) in changes {
            let at = members.iter().position(|(k, _)| *k == key);
            if change == Value::Null {
                if let Some(at) = at {
                    members.remove(at);
                }
                continue;
            }
            match at.and_then(|at| members.get_mut(at)) {
                Some((_, old)) => {
                    let target = core::mem::replace(old, Value::Null);
                    *old = target.merged(change);
                }
                None => members.push((key, Value::Null.merged(change))),
            }
        }
        Value::Object(members)
    }
}

#[cfg(test)]
mod tests {
    use super::super::reader::LoneSurrogates;
    use super::*;
    use proptest::prelude::*;

    fn parse(text: &str) -> Result<Value<'_>, JsonError> {
        Value::parse(text, Limits::LEDGER)
    }

    fn refused(text: &str) -> (JsonErrorKind, String) {
        let error = parse(text).expect_err(text);
        (error.kind, error.path)
    }

    #[test]
    fn refusals_name_their_kind_and_path() {
        use JsonErrorKind as K;
        for (text, kind, path) in [
            ("", K::UnexpectedEnd, ""),
            ("{\"a\":[1,2", K::UnexpectedEnd, "a[1]"),
            ("{\"a\":[1,2,]}", K::UnexpectedByte, "a[2]"),
            ("{\"a\":1,}", K::UnexpectedByte, "a"),
            ("{,}", K::UnexpectedByte, "[\"\"]"),
            ("[1 2]", K::UnexpectedByte, "[0]"),
            ("[,1]", K::UnexpectedByte, "[0]"),
            ("{\"a\" 1}", K::UnexpectedByte, "a"),
            ("1 1", K::TrailingData, ""),
            ("\u{feff}1", K::ByteOrderMark, ""),
            ("[\"a\nb\"]", K::ControlInString, "[0]"),
            ("[\"\\x\"]", K::InvalidEscape, "[0]"),
            ("[\"\\u12g4\"]", K::InvalidEscape, "[0]"),
            ("[01]", K::InvalidNumber, "[0]"),
            ("[1.]", K::InvalidNumber, "[0]"),
            ("[-]", K::InvalidNumber, "[0]"),
            ("[1e]", K::InvalidNumber, "[0]"),
            ("[+1]", K::UnexpectedByte, "[0]"),
            ("[NaN]", K::UnexpectedByte, "[0]"),
            ("[tru]", K::UnexpectedByte, "[0]"),
            ("[tru", K::UnexpectedEnd, "[0]"),
            ("{\"a\":{\"b\":1,\"\\u0062\":2}}", K::DuplicateKey, "a.b"),
        ] {
            assert_eq!(refused(text), (kind, path.to_owned()), "{text:?}");
        }
    }

    #[test]
    fn duplicate_keys_are_found_in_large_objects_too() {
        let members: Vec<String> = (0..100).map(|n| format!("\"k{n}\":{n}")).collect();
        assert!(parse(&format!("{{{}}}", members.join(","))).is_ok());
        for twice in [0, 15, 16, 99] {
            let text = format!("{{{},\"k{twice}\":0}}", members.join(","));
            assert_eq!(
                refused(&text),
                (JsonErrorKind::DuplicateKey, format!("k{twice}"))
            );
        }
    }

    #[test]
    fn depth_and_string_limits_accept_equality() {
        let nest = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(parse(&nest(64)).is_ok());
        assert_eq!(refused(&nest(65)).0, JsonErrorKind::TooDeep);
        assert_eq!(refused(&nest(100_000)).0, JsonErrorKind::TooDeep);

        let limits = Limits {
            string: 4,
            ..Limits::LEDGER
        };
        for (text, good) in [
            ("\"abcd\"", true),
            ("\"abcde\"", false),
            ("\"ab\\ncd\"", false),
            ("\"éé\"", true),
        ] {
            assert_eq!(Value::parse(text, limits).is_ok(), good, "{text}");
        }
    }

    #[test]
    fn keys_have_a_limit_of_their_own() {
        let limits = Limits {
            key: 2,
            string: 1,
            ..Limits::LEDGER
        };
        for (text, refusal) in [
            ("{\"ab\":\"c\"}", None),
            ("{\"\\u0061b\":\"c\"}", None),
            ("{\"é\":1}", None),
            ("{\"abc\":1}", Some(JsonErrorKind::KeyTooLong)),
            ("{\"\\u0061bc\":1}", Some(JsonErrorKind::KeyTooLong)),
            ("{\"a\":\"bc\"}", Some(JsonErrorKind::StringTooLong)),
        ] {
            let error = Value::parse(text, limits).err();
            assert_eq!(error.map(|error| error.kind), refusal, "{text}");
        }
    }

    #[test]
    fn white_space_can_be_refused() {
        let limits = Limits {
            white_space: false,
            ..Limits::LEDGER
        };
        assert!(Value::parse("{\"a\":[1,\" \",{}]}", limits).is_ok());
        for text in [
            " 1",
            "[ 1]",
            "[1 ]",
            "[1, 2]",
            "[1 ,2]",
            "{ \"a\":1}",
            "{\"a\" :1}",
            "{\"a\": 1}",
            "{\"a\":1 }",
            "{\"a\":1, \"b\":2}",
        ] {
            let error = Value::parse(text, limits).expect_err(text);
            assert_eq!(error.kind, JsonErrorKind::UnexpectedByte, "{text}");
        }
        assert!(Value::parse("1\n", limits).is_err());
    }

    #[test]
    fn surrogates() {
        for (text, read) in [
            ("\"\\ud83d\\ude00\"", "😀"),
            ("\"\\ud800\"", "\u{fffd}"),
            ("\"\\udc00x\"", "\u{fffd}x"),
            ("\"\\ud800\\ud800\\udc00\"", "\u{fffd}\u{10000}"),
            ("\"\\ud800\\u0041\"", "\u{fffd}A"),
            ("\"\\ud800\\n\"", "\u{fffd}\n"),
        ] {
            assert_eq!(parse(text).unwrap().as_str(), Some(read), "{text}");
        }
        let strict = Limits {
            lone_surrogates: LoneSurrogates::Refuse,
            ..Limits::LEDGER
        };
        let error = Value::parse("[\"\\ud800\"]", strict).expect_err("refused");
        assert_eq!(error.kind, JsonErrorKind::LoneSurrogate);
        assert!(Value::parse("\"\\ud83d\\ude00\"", strict).is_ok());
    }

    #[test]
    fn invalid_utf8_names_its_path() {
        let error = Reader::from_bytes(b"{\"claims\":[{\"id\":\"a\xff\"}]}", Limits::LEDGER)
            .expect_err("refused");
        assert_eq!(
            (error.kind, error.path.as_str()),
            (JsonErrorKind::InvalidUtf8, "claims[0].id")
        );
        assert_eq!(error.offset, 19);
    }

    #[test]
    fn an_unexpected_value_can_be_skipped() {
        let mut reader = Reader::new("{\"a\":{\"x\":[1]},\"b\":2}", Limits::LEDGER);
        reader.begin_object().unwrap();
        reader.next_key().unwrap();
        assert_eq!(
            reader.string().expect_err("an object").kind,
            JsonErrorKind::Expected("a string")
        );
        assert_eq!(reader.skip().unwrap(), "{\"x\":[1]}");
        assert_eq!(reader.next_key().unwrap().as_deref(), Some("b"));
        assert_eq!(reader.number().unwrap(), "2");
        assert_eq!(reader.next_key().unwrap(), None);
        reader.finish().unwrap();
    }

    /// RFC 7396, appendix A.
    #[test]
    fn merge_patch() {
        for (target, patch, result) in [
            (r#"{"a":"b"}"#, r#"{"a":"c"}"#, r#"{"a":"c"}"#),
            (r#"{"a":"b"}"#, r#"{"b":"c"}"#, r#"{"a":"b","b":"c"}"#),
            (r#"{"a":"b"}"#, r#"{"a":null}"#, "{}"),
            (r#"{"a":"b","b":"c"}"#, r#"{"a":null}"#, r#"{"b":"c"}"#),
            (r#"{"a":["b"]}"#, r#"{"a":"c"}"#, r#"{"a":"c"}"#),
            (r#"{"a":"c"}"#, r#"{"a":["b"]}"#, r#"{"a":["b"]}"#),
            (
                r#"{"a":{"b":"c"}}"#,
                r#"{"a":{"b":"d","c":null}}"#,
                r#"{"a":{"b":"d"}}"#,
            ),
            (r#"{"a":[{"b":"c"}]}"#, r#"{"a":[1]}"#, r#"{"a":[1]}"#),
            (r#"["a","b"]"#, r#"["c","d"]"#, r#"["c","d"]"#),
            (r#"{"a":"b"}"#, r#"["c"]"#, r#"["c"]"#),
            (r#"{"a":"foo"}"#, "null", "null"),
            (r#"{"a":"foo"}"#, "\"bar\"", "\"bar\""),
            (r#"{"e":null}"#, r#"{"a":1}"#, r#"{"e":null,"a":1}"#),
            ("[1,2]", r#"{"a":"b","c":null}"#, r#"{"a":"b"}"#),
            ("{}", r#"{"a":{"bb":{"ccc":null}}}"#, r#"{"a":{"bb":{}}}"#),
        ] {
            assert_eq!(
                parse(target).unwrap().merged(parse(patch).unwrap()),
                parse(result).unwrap(),
                "{target} {patch}"
            );
        }
    }

    proptest! {
        #[test]
        fn never_panics_and_accepts_only_what_a_peer_accepts(text in "[\\[\\]{}:,\"\\\\u0-9a-fdtrue.eE+ \\-]{0,40}") {
            let ours = parse(&text).is_ok();
            let peer = serde_json::from_str::<serde_json::Value>(&text).is_ok();
            // The peer alone accepts duplicate keys; we alone read lone surrogates.
            if ours && !text.contains("\\u") {
                prop_assert!(peer);
            }
            if peer && !ours {
                prop_assert_eq!(refused(&text).0, JsonErrorKind::DuplicateKey);
            }
        }

        #[test]
        fn arbitrary_bytes_never_panic(bytes: Vec<u8>) {
            if let Ok(mut reader) = Reader::from_bytes(&bytes, Limits::LEDGER) {
                let _ = reader.skip();
            }
        }
    }
}
