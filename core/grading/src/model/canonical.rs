//! Writing entities as canonical JSON (supplement C): absent members dropped,
//! keys sorted, arrays in stored order. What a hash sorts it sorts itself.

use attest_canon::jcs::Writer;

/// A value with one canonical text.
pub trait Canonical {
    /// Writes the value.
    fn write(&self, out: &mut Writer);
}

/// The canonical text of a value.
#[must_use]
pub fn canonical_text(value: &impl Canonical) -> String {
    let mut out = Writer::new();
    value.write(&mut out);
    out.into_text()
}

impl<T: Canonical> Canonical for [T] {
    fn write(&self, out: &mut Writer) {
        out.begin_array();
        for element in self {
            out.element();
            element.write(out);
        }
        out.end_array();
    }
}

impl Canonical for Box<str> {
    fn write(&self, out: &mut Writer) {
        out.string(self);
    }
}

/// Implements [`Canonical`] for types whose [`core::fmt::Display`] is their
/// text and holds nothing JSON escapes.
macro_rules! canonical_tokens {
    ($($type:ty),+ $(,)?) => {
        $(impl Canonical for $type {
            fn write(&self, out: &mut Writer) {
                out.token(self);
            }
        })+
    };
}

canonical_tokens!(
    attest_canon::Id,
    super::primitives::Token,
    super::primitives::Currency,
    super::closed::AgentId,
    super::closed::ActionType,
    super::closed::Precision,
    super::closed::Grade,
    super::closed::OverrideGrade,
    super::closed::ReceiptState,
    super::closed::BaseState,
    super::closed::UnaskedSignal,
    super::closed::ReasonCode,
    super::closed::ReceiptSignal,
);

// What coverage is full of is written without a formatter.

impl Canonical for attest_canon::Digest {
    fn write(&self, out: &mut Writer) {
        out.plain(core::str::from_utf8(&self.hex()).unwrap_or_default());
    }
}

impl Canonical for super::time::IsoTs {
    fn write(&self, out: &mut Writer) {
        out.plain(self.text().as_str());
    }
}

impl Canonical for super::closed::Source {
    fn write(&self, out: &mut Writer) {
        out.plain(self.as_str());
    }
}

impl Canonical for super::primitives::Cents {
    fn write(&self, out: &mut Writer) {
        out.integer(self.get());
    }
}

impl Canonical for super::primitives::BasisPoints {
    fn write(&self, out: &mut Writer) {
        out.integer(i64::from(self.get()));
    }
}

impl Canonical for super::primitives::DisplayNumber {
    fn write(&self, out: &mut Writer) {
        out.decimal(self.decimal());
    }
}

impl Canonical for bool {
    fn write(&self, out: &mut Writer) {
        out.boolean(*self);
    }
}

impl Canonical for i64 {
    fn write(&self, out: &mut Writer) {
        out.integer(*self);
    }
}

/// Writes a member.
pub(crate) fn member(out: &mut Writer, key: &str, value: &(impl Canonical + ?Sized)) {
    out.key(key);
    value.write(out);
}

/// Writes a member when it is there.
pub(crate) fn member_if(out: &mut Writer, key: &str, value: Option<&(impl Canonical + ?Sized)>) {
    if let Some(value) = value {
        member(out, key, value);
    }
}
