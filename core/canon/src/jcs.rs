//! RFC 8785 (JCS) writing: no white space, keys by UTF-16 code units, shortest
//! escapes (supplement C).

use core::fmt::{self, Write as _};

use crate::decimal::Decimal;
use crate::double;
use crate::json::Value;

/// Writes canonical JSON member by member, for types whose keys are known: the
/// caller emits keys in ascending order, which debug builds check.
#[derive(Default, Debug)]
pub struct Writer {
    out: String,
    /// Whether a comma is due before the next key or element, per open container.
    due: Vec<bool>,
    #[cfg(debug_assertions)]
    last_keys: Vec<String>,
}

impl Writer {
    /// An empty writer.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The text written so far.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.out
    }

    /// Forgets the text, keeping the buffer.
    pub fn clear(&mut self) {
        self.out.clear();
        self.due.clear();
        #[cfg(debug_assertions)]
        self.last_keys.clear();
    }

    /// The text written.
    #[must_use]
    pub fn into_text(self) -> String {
        self.out
    }

    fn separate(&mut self) {
        if let Some(due) = self.due.last_mut() {
            if *due {
                self.out.push(',');
            }
            *due = true;
        }
    }

    /// Opens an object as the next value.
    pub fn begin_object(&mut self) {
        self.out.push('{');
        self.due.push(false);
        #[cfg(debug_assertions)]
        self.last_keys.push(String::new());
    }

    /// Closes the innermost object.
    pub fn end_object(&mut self) {
        self.due.pop();
        #[cfg(debug_assertions)]
        self.last_keys.pop();
        self.out.push('}');
    }

    /// Writes a member's key; its value must follow.
    pub fn key(&mut self, key: &str) {
        #[cfg(debug_assertions)]
        if let Some(last) = self.last_keys.last_mut() {
            let first = self.due.last() == Some(&false);
            debug_assert!(
                first || utf16_order(last, key).is_lt(),
                "canonical keys out of order: {last:?} then {key:?}"
            );
            key.clone_into(last);
        }
        self.separate();
        write_string(&mut self.out, key);
        self.out.push(':');
    }

    /// Opens an array as the next value.
    pub fn begin_array(&mut self) {
        self.out.push('[');
        self.due.push(false);
        #[cfg(debug_assertions)]
        self.last_keys.push(String::new());
    }

    /// Announces an array's next element; its value must follow.
    pub fn element(&mut self) {
        self.separate();
    }

    /// Closes the innermost array.
    pub fn end_array(&mut self) {
        self.due.pop();
        #[cfg(debug_assertions)]
        self.last_keys.pop();
        self.out.push(']');
    }

    /// Writes a string value.
    pub fn string(&mut self, text: &str) {
        write_string(&mut self.out, text);
    }

    /// Writes a string value that holds no character JSON escapes: hexadecimal
    /// digits, ids, instants, enum words.
    pub fn token(&mut self, token: &dyn fmt::Display) {
        // Writing to a String cannot fail.
        let _ = write!(self.out, "\"{token}\"");
    }

    /// Writes a string value, as [`Writer::token`] does, from its text.
    pub fn plain(&mut self, text: &str) {
        debug_assert!(
            !text
                .bytes()
                .any(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1F)),
            "a plain text holds what JSON escapes"
        );
        self.out.push('"');
        self.out.push_str(text);
        self.out.push('"');
    }

    /// Writes an integer value.
    pub fn integer(&mut self, value: i64) {
        let _ = write!(self.out, "{value}");
    }

    /// Writes an exact decimal value.
    pub fn decimal(&mut self, value: Decimal) {
        let _ = write!(self.out, "{value}");
    }

    /// Writes `true` or `false`.
    pub fn boolean(&mut self, value: bool) {
        self.out.push_str(if value { "true" } else { "false" });
    }

    /// Writes a text that already is canonical JSON.
    pub fn canonical(&mut self, text: &str) {
        self.out.push_str(text);
    }
}

/// Orders keys as RFC 8785 does: by UTF-16 code units. Differs from the order
/// of UTF-8 bytes only where a surrogate pair meets U+E000–U+FFFF.
#[must_use]
pub fn utf16_order(a: &str, b: &str) -> core::cmp::Ordering {
    if a.is_ascii() && b.is_ascii() {
        a.cmp(b)
    } else {
        a.encode_utf16().cmp(b.encode_utf16())
    }
}

/// Appends a JSON string with the shortest escapes.
pub fn write_string(out: &mut String, text: &str) {
    out.push('"');
    let mut plain = 0;
    for (at, byte) in text.bytes().enumerate() {
        let escape = match byte {
            b'"' => "\\\"",
            b'\\' => "\\\\",
            0x08 => "\\b",
            0x09 => "\\t",
            0x0A => "\\n",
            0x0C => "\\f",
            0x0D => "\\r",
            0x00..=0x1F => "",
            _ => continue,
        };
        out.push_str(text.get(plain..at).unwrap_or_default());
        if escape.is_empty() {
            let _ = write!(out, "\\u{byte:04x}");
        } else {
            out.push_str(escape);
        }
        plain = at.saturating_add(1);
    }
    out.push_str(text.get(plain..).unwrap_or_default());
    out.push('"');
}

/// How a tree's numbers become text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Numbers {
    /// As exact decimals: everything grading hashes.
    Exact,
    /// Through IEEE 754 doubles, as RFC 8785 defines: foreign payloads.
    Double,
}

/// A number has no canonical text in the form asked for: too precise or too
/// large to be exact, or no finite double.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnrepresentableNumber;

impl fmt::Display for UnrepresentableNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number has no canonical text")
    }
}

impl core::error::Error for UnrepresentableNumber {}

/// The canonical text of a tree.
pub fn to_canonical(value: &Value<'_>, numbers: Numbers) -> Result<String, UnrepresentableNumber> {
    let mut out = String::new();
    write_canonical(value, numbers, &mut out)?;
    Ok(out)
}

/// Appends the canonical text of a tree.
pub fn write_canonical(
    value: &Value<'_>,
    numbers: Numbers,
    out: &mut String,
) -> Result<(), UnrepresentableNumber> {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(lexeme) => match numbers {
            Numbers::Exact => {
                let decimal = Decimal::parse(lexeme).ok_or(UnrepresentableNumber)?;
                let _ = write!(out, "{decimal}");
            }
            Numbers::Double => {
                out.push_str(&double::canonical_lexeme(lexeme).ok_or(UnrepresentableNumber)?);
            }
        },
        Value::String(text) => write_string(out, text),
        Value::Array(elements) => {
            out.push('[');
            for (at, element) in elements.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                write_canonical(element, numbers, out)?;
            }
            out.push(']');
        }
        Value::Object(members) => {
            let mut sorted: Vec<_> = members.iter().collect();
            sorted.sort_by(|(a, _), (b, _)| utf16_order(a, b));
            out.push('{');
            for (at, (key, member)) in sorted.into_iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                write_string(out, key);
                out.push(':');
                write_canonical(member, numbers, out)?;
            }
            out.push('}');
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Limits;
    use proptest::prelude::*;

    fn canonical(text: &str) -> String {
        let value = Value::parse(text, Limits::LEDGER).unwrap();
        to_canonical(&value, Numbers::Double).unwrap()
    }

    /// The sample object of RFC 8785 §3.2.2 and §3.2.3.
    #[test]
    fn rfc_8785_sample() {
        let input = r#"{
            "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
            "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
            "literals": [null, true, false]
        }"#;
        let expected = "{\"literals\":[null,true,false],\"numbers\":[333333333.3333333,1e+30,4.5,0.002,1e-27],\
                        \"string\":\"€$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}";
        assert_eq!(canonical(input), expected);
    }

    /// The key order example of RFC 8785 §3.2.3.
    #[test]
    fn rfc_8785_key_order() {
        let input = r#"{"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh",
            "1":"One","\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis"}"#;
        let order: Vec<usize> = [
            "Carriage", "One", "Control", "Latin", "Euro", "Emoji", "Hebrew",
        ]
        .iter()
        .map(|word| canonical(input).find(word).unwrap())
        .collect();
        assert!(order.is_sorted(), "{order:?}");
    }

    #[test]
    fn every_control_takes_its_shortest_escape() {
        let mut out = String::new();
        write_string(&mut out, "\u{0}\u{8}\t\n\u{b}\u{c}\r\u{1f}\u{7f}\u{2028}/");
        assert_eq!(
            out,
            "\"\\u0000\\b\\t\\n\\u000b\\f\\r\\u001f\u{7f}\u{2028}/\""
        );
    }

    #[test]
    fn the_member_writer_writes_what_the_tree_writes() {
        let mut writer = Writer::new();
        writer.begin_object();
        writer.key("a");
        writer.begin_array();
        for n in [1, -2] {
            writer.element();
            writer.integer(n);
        }
        writer.end_array();
        writer.key("b");
        writer.begin_object();
        writer.end_object();
        writer.key("c");
        writer.string("q\"");
        writer.key("d");
        writer.decimal(Decimal::from_scaled(9937, 4));
        writer.key("e");
        writer.boolean(true);
        writer.end_object();
        let text = r#"{"a":[1,-2],"b":{},"c":"q\"","d":0.9937,"e":true}"#;
        assert_eq!(writer.text(), text);
        assert_eq!(canonical(text), text);
    }

    fn any_value() -> impl Strategy<Value = serde_json::Value> {
        let leaf = prop_oneof![
            Just(serde_json::Value::Null),
            any::<bool>().prop_map(serde_json::Value::from),
            any::<i32>().prop_map(serde_json::Value::from),
            any::<f64>()
                .prop_filter("finite", |f| f.is_finite())
                .prop_map(serde_json::Value::from),
            any::<String>().prop_map(serde_json::Value::from),
        ];
        leaf.prop_recursive(4, 40, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(serde_json::Value::from),
                prop::collection::btree_map(any::<String>(), inner, 0..6).prop_map(|map| {
                    serde_json::Value::from(map.into_iter().collect::<serde_json::Map<_, _>>())
                }),
            ]
        })
    }

    proptest! {
        #[test]
        fn agrees_with_a_published_jcs_crate(value in any_value()) {
            let text = serde_json::to_string(&value).unwrap();
            let peer = serde_json_canonicalizer::to_string(&value).unwrap();
            prop_assert_eq!(canonical(&text), peer.clone());
            prop_assert_eq!(canonical(&peer), peer);
        }

        #[test]
        fn exact_and_double_agree_on_ledger_numbers(scaled in -9_007_199_254_740_991i64..=9_007_199_254_740_991, places in 0u8..=4) {
            let text = Decimal::from_scaled(scaled, places).to_string();
            if let Some(exact) = Decimal::parse(&text) {
                prop_assert_eq!(Some(exact.to_string()), double::canonical_lexeme(&text));
            }
        }
    }
}
