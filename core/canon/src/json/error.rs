//! What a strict reader refuses.

use core::fmt;

/// Why a text is not the JSON that was asked for. Closed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum JsonErrorKind {
    /// The text ended inside a value.
    UnexpectedEnd,
    /// A byte no JSON grammar rule allows here.
    UnexpectedByte,
    /// Something follows the one value a text holds.
    TrailingData,
    /// The bytes are not UTF-8.
    InvalidUtf8,
    /// A byte order mark begins the text.
    ByteOrderMark,
    /// A raw control character inside a string.
    ControlInString,
    /// An escape JSON does not know.
    InvalidEscape,
    /// Half of a surrogate pair, where it is not read as U+FFFD.
    LoneSurrogate,
    /// A number not written as RFC 8259 asks.
    InvalidNumber,
    /// A key that stands twice in one object.
    DuplicateKey,
    /// Arrays and objects nested deeper than the limit.
    TooDeep,
    /// A string longer than the limit.
    StringTooLong,
    /// A key longer than the limit.
    KeyTooLong,
    /// A value of another kind than the one expected.
    Expected(&'static str),
}

impl fmt::Display for JsonErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::UnexpectedEnd => "unexpected end of the text",
            Self::UnexpectedByte => "not valid json",
            Self::TrailingData => "data after the end of the document",
            Self::InvalidUtf8 => "not valid utf-8",
            Self::ByteOrderMark => "begins with a byte order mark",
            Self::ControlInString => "control character in a string",
            Self::InvalidEscape => "invalid escape in a string",
            Self::LoneSurrogate => "lone surrogate in a string",
            Self::InvalidNumber => "invalid number",
            Self::DuplicateKey => "duplicate key",
            Self::TooDeep => "nested too deeply",
            Self::StringTooLong => "string too long",
            Self::KeyTooLong => "key too long",
            Self::Expected(what) => return write!(f, "must be {what}"),
        })
    }
}

/// A refusal with the place it stands at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JsonError {
    /// Why.
    pub kind: JsonErrorKind,
    /// The JSON path, empty at the document itself.
    pub path: String,
    /// The byte offset from the start of the text.
    pub offset: usize,
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            write!(f, "{} (byte {})", self.kind, self.offset)
        } else {
            write!(f, "{}: {} (byte {})", self.path, self.kind, self.offset)
        }
    }
}

impl core::error::Error for JsonError {}
