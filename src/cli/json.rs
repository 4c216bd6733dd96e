//! JSON that `--json` prints: one line, canonical (RFC 8785), so that equal
//! answers are equal bytes.

use std::borrow::Cow;

use attest_canon::jcs::{Numbers, to_canonical};
use attest_canon::json::{Limits, Value};
use attest_grading::decide::Ratio;
use attest_grading::model::Canonical;

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
    let mut line = to_canonical(value, Numbers::Exact).unwrap_or_default();
    line.push('\n');
    line
}
