//! Values of foreign records: a tree, its canonical text, and pointers into it.

use std::borrow::Cow;

use attest_canon::double;
use attest_canon::jcs::{self, Numbers};
use attest_canon::json::{Kind, Value};

use super::number::{NumberKind, classify};
use super::strict::{Fault, Strict};

/// A tree whose numbers are all within the domain of §2.
pub(crate) type Json<'a> = Value<'a>;

impl<'a> Strict<'a> {
    /// Reads the next value as a tree; members under `payload_key` of the
    /// value itself are payload (§8).
    pub(crate) fn tree(&mut self, payload_key: Option<&str>) -> Result<Json<'a>, Fault> {
        Ok(match self.peek()? {
            Kind::Null => {
                self.null()?;
                Value::Null
            }
            Kind::Bool => Value::Bool(self.boolean()?),
            Kind::Number => Value::Number(Cow::Borrowed(self.number()?)),
            Kind::String => Value::String(self.string()?),
            Kind::Array => {
                let mut elements = Vec::new();
                self.array(|reader, _| {
                    elements.push(reader.tree(None)?);
                    Ok(())
                })?;
                Value::Array(elements)
            }
            Kind::Object => {
                let mut members = Vec::new();
                self.object(|reader, key| {
                    let value = if payload_key == Some(key) {
                        reader.payload(|reader| reader.tree(None))?
                    } else {
                        reader.tree(None)?
                    };
                    members.push((Cow::Owned(key.to_owned()), value));
                    Ok(())
                })?;
                Value::Object(members)
            }
        })
    }
}

/// Appends the canonical text of a value. Every integer of the domain of §2 is
/// its own shortest double, so integers are written exactly.
pub(crate) fn canonical_into(value: &Json<'_>, out: &mut String) -> Result<(), Fault> {
    jcs::write_canonical(value, Numbers::Double, out).map_err(|_| Fault::Shape)
}

/// The canonical text of a value.
pub(crate) fn canonical(value: &Json<'_>) -> Result<String, Fault> {
    let mut out = String::new();
    canonical_into(value, &mut out)?;
    Ok(out)
}

/// The value an RFC 6901 pointer selects; `None` when it selects nothing or is
/// malformed. Array indices have no leading zeros.
pub(crate) fn pointer<'v, 'a>(value: &'v Json<'a>, pointer: &str) -> Option<&'v Json<'a>> {
    if pointer.is_empty() {
        return Some(value);
    }
    pointer
        .strip_prefix('/')?
        .split('/')
        .try_fold(value, |value, token| {
            let token = unescape(token)?;
            match value {
                Value::Object(_) => value.get(&token),
                Value::Array(elements) => elements.get(array_index(&token)?),
                _ => None,
            }
        })
}

/// An array index as RFC 6901 writes it: no sign, no leading zero.
fn array_index(token: &str) -> Option<usize> {
    let plain = token.bytes().all(|byte| byte.is_ascii_digit());
    let minimal = token == "0" || !token.starts_with('0');
    if plain && minimal {
        token.parse().ok()
    } else {
        None
    }
}

fn unescape(token: &str) -> Option<Cow<'_, str>> {
    if !token.contains('~') {
        return Some(Cow::Borrowed(token));
    }
    let mut out = String::new();
    let mut rest = token;
    while let Some((before, after)) = rest.split_once('~') {
        out.push_str(before);
        let (escape, after) = after.split_at_checked(1)?;
        out.push(match escape {
            "0" => '~',
            "1" => '/',
            _ => return None,
        });
        rest = after;
    }
    out.push_str(rest);
    Some(Cow::Owned(out))
}

/// A scalar as text: a string as it is, a number or boolean canonically;
/// `None` for null, arrays and objects.
pub(crate) fn scalar_text(value: &Json<'_>) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone().into_owned()),
        Value::Number(lexeme) => match classify(lexeme) {
            NumberKind::Integer(integer) => Some(integer.to_string()),
            NumberKind::Fraction => double::canonical_lexeme(lexeme),
            NumberKind::Refused => None,
        },
        Value::Bool(truth) => Some(truth.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Bounds;
    use crate::limits::Limits;

    fn read(text: &str) -> Json<'_> {
        Strict::new(text, Bounds::package(&Limits::default()))
            .tree(None)
            .unwrap()
    }

    /// The example document of RFC 6901 §5.
    #[test]
    fn rfc_6901_pointers() {
        let text = r#"{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8}"#;
        let value = read(text);
        for (at, found) in [
            ("/foo/0", Some("\"bar\"")),
            ("/", Some("0")),
            ("/a~1b", Some("1")),
            ("/c%d", Some("2")),
            ("/m~0n", Some("8")),
            ("/foo/00", None),
            ("/foo/2", None),
            ("/foo/-", None),
            ("/foo/+1", None),
            ("foo", None),
            ("/m~n", None),
            ("/m~2n", None),
            ("/foo/0/x", None),
        ] {
            let got = pointer(&value, at).map(|value| canonical(value).unwrap());
            assert_eq!(got.as_deref(), found, "{at}");
        }
        assert_eq!(pointer(&value, ""), Some(&value));
    }

    #[test]
    fn integers_are_written_exactly() {
        for (text, written) in [
            (
                "[1.0,1e3,-0,9007199254740991,-9007199254740991]",
                "[1,1000,0,9007199254740991,-9007199254740991]",
            ),
            ("{\"b\":0.10,\"a\":1.5e-7}", "{\"a\":1.5e-7,\"b\":0.1}"),
        ] {
            assert_eq!(canonical(&read(text)).unwrap(), written);
        }
    }
}
