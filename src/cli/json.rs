//! JSON that `--json` prints: one line, canonical (RFC 8785) but for the
//! characters a terminal acts on or hides, which stand as escapes. Equal answers
//! are equal bytes.

use std::borrow::Cow;

use attest_canon::jcs::{Numbers, to_canonical};
use attest_canon::json::{Limits, Value};
use attest_grading::decide::Ratio;
use attest_grading::model::Canonical;
use attest_grading::text::is_plain;

/// A JSON value that borrows nothing but names.
pub(super) type Json = Value<'static>;

/// An object; members need no order.
pub(super) fn object<const N: usize>(members: [(&'static str, Json); N]) -> Json {
    Value::Object(
        members
            .into_iter()
            .map(|(key, value)| (Cow::Borrowed(key), value))
            .collect(),
    )
}

/// A list.
pub(super) fn list(elements: impl IntoIterator<Item = Json>) -> Json {
    Value::Array(elements.into_iter().collect())
}

/// A text.
pub(super) fn text(text: impl ToString) -> Json {
    Value::String(Cow::Owned(text.to_string()))
}

/// A whole number.
pub(super) fn number(number: impl ToString) -> Json {
    Value::Number(Cow::Owned(number.to_string()))
}

/// A count.
pub(super) fn count(count: usize) -> Json {
    number(count)
}

/// An exact rational, `"n/d"` in lowest terms.
pub(super) fn ratio(ratio: Ratio) -> Json {
    text(ratio)
}

/// A value, or null.
pub(super) fn or_null<T>(value: Option<T>, write: impl FnOnce(T) -> Json) -> Json {
    value.map_or(Value::Null, write)
}

/// An entity of a ledger, as a ledger writes it.
pub(super) fn entity(entity: &(impl Canonical + ?Sized)) -> Json {
    let mut out = attest_canon::jcs::Writer::new();
    entity.write(&mut out);
    // What was just written always reads.
    Value::parse(out.text(), Limits::LEDGER).map_or(Value::Null, Value::into_owned)
}

/// One line.
pub(super) fn line(value: &Json) -> String {
    // Whole numbers and display numbers always have a canonical text.
    let line = to_canonical(value, Numbers::Exact).unwrap_or_default();
    format!("{}\n", shown(&line))
}

/// A JSON text as a terminal may show it. RFC 8785 writes a bidirectional
/// override or an invisible character as it is; in JSON its escape is the same
/// value (§9). Outside of strings there is nothing to escape.
pub(super) fn shown(json: &str) -> Cow<'_, str> {
    if json.chars().all(is_plain) {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if is_plain(c) {
            out.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            out.push_str(&format!("\\u{unit:04x}"));
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_a_terminal_acts_on_is_printed_and_the_value_is_the_same() {
        let said = "plain é 😀 \u{202e}x\u{9b}\u{1b}[2J\u{e0001}\u{feff}\u{10ffff}";
        let printed = line(&object([("a", text(said))]));
        assert_eq!(
            printed,
            "{\"a\":\"plain é 😀 \\u202ex\\u009b\\u001b[2J\\udb40\\udc01\\ufeff\\udbff\\udfff\"}\n"
        );
        let read: serde_json::Value = serde_json::from_str(&printed).unwrap();
        assert_eq!(read["a"], said);
    }
}
