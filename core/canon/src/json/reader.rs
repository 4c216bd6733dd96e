//! The pull reader.

use std::borrow::Cow;

use super::error::{JsonError, JsonErrorKind};
use super::path::{Segment, push_index, push_key};

/// What kind of value comes next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// `null`
    Null,
    /// `true` or `false`
    Bool,
    /// A number.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

/// How half of a surrogate pair in an escape is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LoneSurrogates {
    /// As U+FFFD: ledgers, policies and goldens (supplement C).
    Replace,
    /// Not at all: incident packages.
    Refuse,
}

/// Bounds a text must keep, checked while it is read.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Deepest nesting of arrays and objects; a scalar document has depth 0.
    /// Stops stack exhaustion in anything that walks the document.
    pub depth: usize,
    /// Longest string, in bytes of its decoded UTF-8. Stops one value from
    /// holding the whole budget of a file.
    pub string: usize,
    /// Longest key, in bytes of its decoded UTF-8.
    pub key: usize,
    /// How lone surrogates are read.
    pub lone_surrogates: LoneSurrogates,
    /// Whether white space may stand between tokens. Where it may not (canonical
    /// documents), it is refused as [`JsonErrorKind::UnexpectedByte`].
    pub white_space: bool,
}

impl Limits {
    /// A ledger, policy or golden file: 64 deep, strings of at most 1 MiB
    /// (supplement D), lone surrogates read as U+FFFD (supplement C).
    pub const LEDGER: Self = Self {
        depth: 64,
        string: 1 << 20,
        key: 1 << 20,
        lone_surrogates: LoneSurrogates::Replace,
        white_space: true,
    };
}

#[derive(Debug)]
struct Frame<'a> {
    at: Segment<'a>,
    /// True until the first member or element was read.
    fresh: bool,
}

/// Reads one JSON text, value by value, in document order. After an error the
/// reader's position is unspecified, except after [`JsonErrorKind::Expected`]:
/// the unexpected value has not been read, so the caller may [`Reader::skip`] it.
#[derive(Debug)]
pub struct Reader<'a> {
    text: &'a str,
    position: usize,
    stack: Vec<Frame<'a>>,
    limits: Limits,
}

type Result<T> = core::result::Result<T, JsonError>;

impl<'a> Reader<'a> {
    /// A reader over a text. Refuses a byte order mark when first used.
    #[must_use]
    pub fn new(text: &'a str, limits: Limits) -> Self {
        Self {
            text,
            position: 0,
            stack: Vec::new(),
            limits,
        }
    }

    /// A reader over bytes, which must be UTF-8 as a whole. The error names
    /// the path at which the first bad byte stands.
    pub fn from_bytes(bytes: &'a [u8], limits: Limits) -> Result<Self> {
        match core::str::from_utf8(bytes) {
            Ok(text) => Ok(Self::new(text, limits)),
            Err(error) => {
                let good = bytes.get(..error.valid_up_to()).unwrap_or_default();
                let prefix = core::str::from_utf8(good).unwrap_or_default();
                let mut reader = Self::new(prefix, limits);
                let fault = reader.skip().err();
                Err(JsonError {
                    kind: JsonErrorKind::InvalidUtf8,
                    path: fault.map(|fault| fault.path).unwrap_or_default(),
                    offset: error.valid_up_to(),
                })
            }
        }
    }

    /// The path of the value that is read next, or was read last.
    #[must_use]
    pub fn path(&self) -> String {
        let mut path = String::new();
        for frame in &self.stack {
            match &frame.at {
                Segment::Key(key) => push_key(&mut path, key),
                Segment::Index(index) => push_index(&mut path, *index),
            }
        }
        path
    }

    /// Bytes of the text read so far.
    #[must_use]
    pub fn position(&self) -> usize {
        self.position
    }

    /// How many arrays and objects are open.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.stack.len()
    }

    /// An error of this kind at the reader's place.
    #[must_use]
    pub fn error(&self, kind: JsonErrorKind) -> JsonError {
        JsonError {
            kind,
            path: self.path(),
            offset: self.position,
        }
    }

    /// The bounds in force, for a caller whose documents allow more in one
    /// place than in another.
    pub fn limits_mut(&mut self) -> &mut Limits {
        &mut self.limits
    }

    /// The text from a byte offset to the reader's place; empty when the offset
    /// lies beyond it or inside a character.
    #[must_use]
    pub fn text_since(&self, start: usize) -> &'a str {
        self.text.get(start..self.position).unwrap_or_default()
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.position).copied()
    }

    fn advance(&mut self, by: usize) {
        self.position = self.position.saturating_add(by);
    }

    fn white_space(&mut self) {
        if !self.limits.white_space {
            return;
        }
        while let Some(b' ' | b'\n' | b'\t' | b'\r') = self.byte() {
            self.advance(1);
        }
    }

    fn unexpected(&self) -> JsonError {
        self.error(match self.byte() {
            None => JsonErrorKind::UnexpectedEnd,
            Some(0xEF) if self.position == 0 && self.text.starts_with('\u{feff}') => {
                JsonErrorKind::ByteOrderMark
            }
            Some(_) => JsonErrorKind::UnexpectedByte,
        })
    }

    /// The kind of the next value, which is not read.
    pub fn peek(&mut self) -> Result<Kind> {
        self.white_space();
        match self.byte() {
            Some(b'{') => Ok(Kind::Object),
            Some(b'[') => Ok(Kind::Array),
            Some(b'"') => Ok(Kind::String),
            Some(b't' | b'f') => Ok(Kind::Bool),
            Some(b'n') => Ok(Kind::Null),
            Some(b'-' | b'0'..=b'9') => Ok(Kind::Number),
            _ => Err(self.unexpected()),
        }
    }

    fn expect(&mut self, kind: Kind, what: &'static str) -> Result<()> {
        if self.peek()? == kind {
            Ok(())
        } else {
            Err(self.error(JsonErrorKind::Expected(what)))
        }
    }

    fn open(&mut self, at: Segment<'a>) -> Result<()> {
        if self.stack.len() >= self.limits.depth {
            return Err(self.error(JsonErrorKind::TooDeep));
        }
        self.advance(1);
        self.stack.push(Frame { at, fresh: true });
        Ok(())
    }

    /// Enters an object; read it with [`Reader::next_key`].
    pub fn begin_object(&mut self) -> Result<()> {
        self.expect(Kind::Object, "an object")?;
        self.open(Segment::Key(Cow::Borrowed("")))
    }

    /// Enters an array; read it with [`Reader::next_element`].
    pub fn begin_array(&mut self) -> Result<()> {
        self.expect(Kind::Array, "an array")?;
        self.open(Segment::Index(0))
    }

    /// The key of the innermost object's next member, or `None` at its end,
    /// which leaves the object. The member's value must be read or skipped
    /// before the next call. Duplicates are the caller's to refuse.
    pub fn next_key(&mut self) -> Result<Option<Cow<'a, str>>> {
        self.white_space();
        let fresh = self.stack.last().is_none_or(|frame| frame.fresh);
        match (self.byte(), fresh) {
            (Some(b'}'), _) => {
                self.advance(1);
                self.stack.pop();
                return Ok(None);
            }
            (Some(b','), false) => {
                self.advance(1);
                self.white_space();
            }
            (Some(_), true) => {}
            _ => return Err(self.unexpected()),
        }
        if self.byte() != Some(b'"') {
            return Err(self.unexpected());
        }
        let key = self.string_body(self.limits.key, JsonErrorKind::KeyTooLong)?;
        if let Some(frame) = self.stack.last_mut() {
            frame.fresh = false;
            frame.at = Segment::Key(key.clone());
        }
        self.white_space();
        if self.byte() != Some(b':') {
            return Err(self.unexpected());
        }
        self.advance(1);
        Ok(Some(key))
    }

    /// Whether the innermost array has another element; `false` leaves the
    /// array. The element must be read or skipped before the next call.
    pub fn next_element(&mut self) -> Result<bool> {
        self.white_space();
        let byte = self.byte();
        match self.stack.last_mut() {
            Some(frame) if byte != Some(b']') => {
                if frame.fresh {
                    frame.fresh = false;
                    return match byte {
                        Some(_) => Ok(true),
                        None => Err(self.unexpected()),
                    };
                }
                if byte != Some(b',') {
                    return Err(self.unexpected());
                }
                if let Segment::Index(index) = &mut frame.at {
                    *index = index.saturating_add(1);
                }
                self.advance(1);
                Ok(true)
            }
            _ => {
                if byte != Some(b']') {
                    return Err(self.unexpected());
                }
                self.advance(1);
                self.stack.pop();
                Ok(false)
            }
        }
    }

    /// Reads a string.
    pub fn string(&mut self) -> Result<Cow<'a, str>> {
        self.expect(Kind::String, "a string")?;
        self.string_body(self.limits.string, JsonErrorKind::StringTooLong)
    }

    /// Reads a number and gives its text, which RFC 8259's grammar allows.
    pub fn number(&mut self) -> Result<&'a str> {
        self.expect(Kind::Number, "a number")?;
        let start = self.position;
        let bytes = self.text.as_bytes().get(start..).unwrap_or_default();
        let Some(length) = number_length(bytes) else {
            return Err(self.error(JsonErrorKind::InvalidNumber));
        };
        self.advance(length);
        Ok(self.text.get(start..self.position).unwrap_or_default())
    }

    /// Reads `true` or `false`.
    pub fn boolean(&mut self) -> Result<bool> {
        self.expect(Kind::Bool, "true or false")?;
        if self.byte() == Some(b't') {
            self.literal("true").map(|()| true)
        } else {
            self.literal("false").map(|()| false)
        }
    }

    /// Reads `null`.
    pub fn null(&mut self) -> Result<()> {
        self.expect(Kind::Null, "null")?;
        self.literal("null")
    }

    fn literal(&mut self, word: &'static str) -> Result<()> {
        let rest = self.text.get(self.position..).unwrap_or_default();
        if rest.starts_with(word) {
            self.advance(word.len());
            Ok(())
        } else if word.starts_with(rest) {
            Err(self.error(JsonErrorKind::UnexpectedEnd))
        } else {
            Err(self.error(JsonErrorKind::UnexpectedByte))
        }
    }

    /// Reads past one value of any kind, checking all of it, and gives its
    /// text as it stands in the document.
    pub fn skip(&mut self) -> Result<&'a str> {
        self.white_space();
        let start = self.position;
        match self.peek()? {
            Kind::Null => self.null()?,
            Kind::Bool => {
                self.boolean()?;
            }
            Kind::Number => {
                self.number()?;
            }
            Kind::String => {
                self.string()?;
            }
            Kind::Array => {
                self.begin_array()?;
                while self.next_element()? {
                    self.skip()?;
                }
            }
            Kind::Object => {
                self.begin_object()?;
                let mut seen = super::value::Keys::default();
                while let Some(key) = self.next_key()? {
                    if !seen.insert(key) {
                        return Err(self.error(JsonErrorKind::DuplicateKey));
                    }
                    self.skip()?;
                }
            }
        }
        Ok(self.text.get(start..self.position).unwrap_or_default())
    }

    /// Refuses anything but white space after the document's one value.
    pub fn finish(&mut self) -> Result<()> {
        self.white_space();
        if self.byte().is_some() {
            return Err(self.error(JsonErrorKind::TrailingData));
        }
        Ok(())
    }

    /// Reads a string whose opening quote is at the position.
    fn string_body(&mut self, limit: usize, over: JsonErrorKind) -> Result<Cow<'a, str>> {
        self.advance(1);
        let start = self.position;
        let plain = self.plain_run();
        if self.byte() == Some(b'"') {
            if plain > limit {
                return Err(self.error(over));
            }
            let text = self.text.get(start..self.position).unwrap_or_default();
            self.advance(1);
            return Ok(Cow::Borrowed(text));
        }
        self.escaped_string(start, limit, over).map(Cow::Owned)
    }

    /// Advances over bytes that need no decoding; gives how many.
    fn plain_run(&mut self) -> usize {
        let rest = self
            .text
            .as_bytes()
            .get(self.position..)
            .unwrap_or_default();
        let run = rest
            .iter()
            .position(|&byte| byte == b'"' || byte == b'\\' || byte < 0x20)
            .unwrap_or(rest.len());
        self.advance(run);
        run
    }

    fn escaped_string(
        &mut self,
        start: usize,
        limit: usize,
        over: JsonErrorKind,
    ) -> Result<String> {
        let mut out = String::new();
        let mut from = start;
        loop {
            let run = self.text.get(from..self.position).unwrap_or_default();
            if out.len().saturating_add(run.len()) > limit {
                return Err(self.error(over));
            }
            out.push_str(run);
            match self.byte() {
                Some(b'"') => {
                    self.advance(1);
                    return Ok(out);
                }
                Some(b'\\') => {
                    self.advance(1);
                    out.push(self.escape()?);
                }
                Some(_) => return Err(self.error(JsonErrorKind::ControlInString)),
                None => return Err(self.error(JsonErrorKind::UnexpectedEnd)),
            }
            from = self.position;
            self.plain_run();
        }
    }

    /// Reads what follows a backslash.
    fn escape(&mut self) -> Result<char> {
        let Some(letter) = self.byte() else {
            return Err(self.error(JsonErrorKind::UnexpectedEnd));
        };
        let simple = match letter {
            b'"' => '"',
            b'\\' => '\\',
            b'/' => '/',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                self.advance(1);
                return self.unicode_escape();
            }
            _ => return Err(self.error(JsonErrorKind::InvalidEscape)),
        };
        self.advance(1);
        Ok(simple)
    }

    fn unicode_escape(&mut self) -> Result<char> {
        let first = self.four_hex()?;
        if let Some(c) = char::from_u32(first) {
            return Ok(c);
        }
        // A surrogate: a high one joins the low one that directly follows.
        if (0xD800..0xDC00).contains(&first) {
            let after = self.position;
            let rest = self.text.as_bytes().get(after..).unwrap_or_default();
            if rest.starts_with(b"\\u") {
                self.advance(2);
                let second = self.four_hex()?;
                if let Some(low) = second.checked_sub(0xDC00).filter(|low| *low < 0x400) {
                    let high = first.wrapping_sub(0xD800);
                    let joined = 0x1_0000_u32.wrapping_add((high << 10) | low);
                    return char::from_u32(joined)
                        .ok_or_else(|| self.error(JsonErrorKind::InvalidEscape));
                }
                self.position = after;
            }
        }
        match self.limits.lone_surrogates {
            LoneSurrogates::Replace => Ok(char::REPLACEMENT_CHARACTER),
            LoneSurrogates::Refuse => Err(self.error(JsonErrorKind::LoneSurrogate)),
        }
    }

    fn four_hex(&mut self) -> Result<u32> {
        let mut value = 0u32;
        for _ in 0..4 {
            let digit = match self.byte() {
                Some(byte) => char::from(byte).to_digit(16),
                None => return Err(self.error(JsonErrorKind::UnexpectedEnd)),
            };
            let Some(digit) = digit else {
                return Err(self.error(JsonErrorKind::InvalidEscape));
            };
            value = (value << 4) | digit;
            self.advance(1);
        }
        Ok(value)
    }
}

/// Length of the number that begins the bytes, or `None` when it is not one.
fn number_length(bytes: &[u8]) -> Option<usize> {
    let at = |index: usize| bytes.get(index).copied();
    let digits = |from: usize| {
        let run = bytes.get(from..).unwrap_or_default();
        run.iter().take_while(|byte| byte.is_ascii_digit()).count()
    };
    let mut end = usize::from(at(0) == Some(b'-'));
    match at(end)? {
        b'0' => end = end.checked_add(1)?,
        b'1'..=b'9' => end = end.checked_add(digits(end))?,
        _ => return None,
    }
    if at(end) == Some(b'.') {
        let fraction = digits(end.checked_add(1)?);
        if fraction == 0 {
            return None;
        }
        end = end.checked_add(1)?.checked_add(fraction)?;
    }
    if let Some(b'e' | b'E') = at(end) {
        let sign = usize::from(matches!(at(end.checked_add(1)?), Some(b'+' | b'-')));
        let from = end.checked_add(1)?.checked_add(sign)?;
        let exponent = digits(from);
        if exponent == 0 {
            return None;
        }
        end = from.checked_add(exponent)?;
    }
    match at(end) {
        // `01` is two numbers, which no grammar rule lets stand side by side.
        Some(byte) if byte.is_ascii_digit() => None,
        _ => Some(end),
    }
}
