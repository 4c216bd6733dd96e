//! The strict reader: every fault is the reason it has at this charge.

use std::borrow::Cow;
use std::collections::BTreeSet;

use attest_canon::json::{
    JsonError, JsonErrorKind, Kind, Limits as JsonLimits, LoneSurrogates, Reader,
};
use attest_canon::{double, jcs};

use super::number::{NumberKind, classify};
use crate::limits::{Limit, Limits, ScanBound};
use crate::reason::Reason;

/// Why a text is not what was asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fault {
    /// Malformed, or not of the expected shape.
    Shape,
    /// A charge crossed a limit: one of the two resource reasons.
    Resource(Reason),
}

impl Fault {
    /// The reason, where a malformed text has the given one.
    pub(crate) fn or(self, shape: Reason) -> Reason {
        match self {
            Self::Shape => shape,
            Self::Resource(reason) => reason,
        }
    }
}

impl From<Reason> for Fault {
    fn from(reason: Reason) -> Self {
        match reason {
            Reason::ResourceHard | Reason::ResourceSelected => Self::Resource(reason),
            _ => Self::Shape,
        }
    }
}

type Result<T> = core::result::Result<T, Fault>;

/// The JSON bounds of one document.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    depth: ScanBound,
    key: ScanBound,
    string: ScanBound,
    payload: ScanBound,
}

impl Bounds {
    /// The package's budgets.
    pub(crate) fn package(limits: &Limits) -> Self {
        Self {
            depth: limits.scan(Limit::JsonDepth),
            key: limits.scan(Limit::JsonKeyBytes),
            string: limits.scan(Limit::NonPayloadStringBytes),
            payload: limits.scan(Limit::PayloadStringBytes),
        }
    }

    /// No package budgets: a signed statement's own reader (foreign shapes §6).
    pub(crate) fn inner() -> Self {
        let bound = |most| ScanBound {
            most,
            crossed: Reason::ResourceHard,
        };
        Self {
            depth: bound(64),
            key: bound(1 << 20),
            string: bound(1 << 20),
            payload: bound(1 << 20),
        }
    }
}

impl Bounds {
    /// No bounds: a text that was admitted under its bounds before.
    pub(crate) fn admitted() -> Self {
        let bound = ScanBound {
            most: usize::MAX,
            crossed: Reason::ResourceHard,
        };
        Self {
            depth: bound,
            key: bound,
            string: bound,
            payload: bound,
        }
    }
}

/// A pull reader over one JSON text.
pub(crate) struct Strict<'a> {
    text: &'a str,
    reader: Reader<'a>,
    bounds: Bounds,
    canonical: bool,
    in_payload: bool,
    /// Where the record being read must have ended.
    end: usize,
    /// Keys of the open objects, innermost last.
    keys: Vec<Cow<'a, str>>,
}

/// From this many keys on an object's keys are kept in a set.
const FEW: usize = 16;

impl<'a> Strict<'a> {
    /// A reader over original bytes, which need not be canonical.
    pub(crate) fn new(text: &'a str, bounds: Bounds) -> Self {
        Self::with(text, bounds, false)
    }

    /// A reader over a package document: JCS and one final LF (§2). The bytes
    /// must be UTF-8; every departure from the canonical form refuses.
    pub(crate) fn canonical(bytes: &'a [u8], bounds: Bounds) -> Result<Self> {
        let text = core::str::from_utf8(bytes).map_err(|_| Fault::Shape)?;
        let text = text.strip_suffix('\n').ok_or(Fault::Shape)?;
        Ok(Self::with(text, bounds, true))
    }

    fn with(text: &'a str, bounds: Bounds, canonical: bool) -> Self {
        let limits = JsonLimits {
            depth: bounds.depth.most,
            string: bounds.string.most,
            key: bounds.key.most,
            lone_surrogates: LoneSurrogates::Refuse,
            white_space: !canonical,
        };
        Self {
            text,
            reader: Reader::new(text, limits),
            bounds,
            canonical,
            in_payload: false,
            end: usize::MAX,
            keys: Vec::new(),
        }
    }

    fn fault(&self, error: &JsonError) -> Fault {
        match error.kind {
            JsonErrorKind::TooDeep => Fault::Resource(self.bounds.depth.crossed),
            JsonErrorKind::KeyTooLong => Fault::Resource(self.bounds.key.crossed),
            JsonErrorKind::StringTooLong if self.in_payload => {
                Fault::Resource(self.bounds.payload.crossed)
            }
            JsonErrorKind::StringTooLong => Fault::Resource(self.bounds.string.crossed),
            _ => Fault::Shape,
        }
    }

    /// Bytes read so far.
    pub(crate) fn position(&self) -> usize {
        self.reader.position()
    }

    /// The kind of the next value.
    pub(crate) fn peek(&mut self) -> Result<Kind> {
        self.reader.peek().map_err(|error| self.fault(&error))
    }

    /// Reads with the payload's string bound in force (§8).
    pub(crate) fn payload<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let outer = core::mem::replace(&mut self.in_payload, true);
        self.reader.limits_mut().string = self.bounds.payload.most;
        let value = read(self)?;
        self.in_payload = outer;
        if !outer {
            self.reader.limits_mut().string = self.bounds.string.most;
        }
        Ok(value)
    }

    /// Reads a string.
    pub(crate) fn string(&mut self) -> Result<Cow<'a, str>> {
        self.peek()?;
        let start = self.position();
        // Decoding never lengthens, so no more of a record's budget is kept.
        let room = self.end.saturating_sub(start);
        let most = self.reader.limits_mut().string;
        self.reader.limits_mut().string = most.min(room);
        let text = self.reader.string();
        self.reader.limits_mut().string = most;
        let text = text.map_err(|error| self.fault(&error))?;
        if self.canonical
            && let Cow::Owned(decoded) = &text
        {
            let mut shortest = String::new();
            jcs::write_string(&mut shortest, decoded);
            if shortest != self.reader.text_since(start) {
                return Err(Fault::Shape);
            }
        }
        Ok(text)
    }

    /// Reads a string, or `null` as `None`.
    pub(crate) fn nullable_string(&mut self) -> Result<Option<Cow<'a, str>>> {
        if self.null()? {
            Ok(None)
        } else {
            self.string().map(Some)
        }
    }

    /// Reads a number of the domain of §2 and gives its text.
    pub(crate) fn number(&mut self) -> Result<&'a str> {
        let lexeme = self.reader.number().map_err(|error| self.fault(&error))?;
        let kind = classify(lexeme);
        if self.canonical {
            let same = match kind {
                // RFC 8259 allows no leading zero, so the digits are the shortest.
                NumberKind::Integer(_) => lexeme != "-0" && !lexeme.contains(['.', 'e', 'E']),
                NumberKind::Fraction => double::canonical_lexeme(lexeme).as_deref() == Some(lexeme),
                NumberKind::Refused => false,
            };
            if !same {
                return Err(Fault::Shape);
            }
        }
        if kind == NumberKind::Refused {
            Err(Fault::Shape)
        } else {
            Ok(lexeme)
        }
    }

    /// Reads a Count: an integer token in 0..=2^53−1, without coercion.
    pub(crate) fn count(&mut self) -> Result<u64> {
        let lexeme = self.number()?;
        lexeme
            .parse()
            .ok()
            .filter(|_| !lexeme.starts_with('-'))
            .ok_or(Fault::Shape)
    }

    /// Reads `true` or `false`.
    pub(crate) fn boolean(&mut self) -> Result<bool> {
        self.reader.boolean().map_err(|error| self.fault(&error))
    }

    /// Reads a `null` if one comes next.
    pub(crate) fn null(&mut self) -> Result<bool> {
        let is_null = self.peek()? == Kind::Null;
        if is_null {
            self.reader.null().map_err(|error| self.fault(&error))?;
        }
        Ok(is_null)
    }

    /// Reads an object, giving each key to `member`, which reads its value.
    /// Refuses duplicate keys, and in a canonical document keys out of order.
    pub(crate) fn object(
        &mut self,
        mut member: impl FnMut(&mut Self, &str) -> Result<()>,
    ) -> Result<()> {
        self.reader
            .begin_object()
            .map_err(|error| self.fault(&error))?;
        let base = self.keys.len();
        let mut many = BTreeSet::new();
        loop {
            self.within_record()?;
            let before = self.position();
            let key = self.reader.next_key().map_err(|error| self.fault(&error))?;
            let Some(key) = key else { break };
            if self.canonical {
                self.check_canonical_key(before, &key, matches!(key, Cow::Owned(_)), base)?;
                self.keys.truncate(base);
            } else {
                let seen = self.keys.get(base..).unwrap_or_default();
                if seen.contains(&key) || (seen.len() >= FEW && !many.insert(key.clone())) {
                    return Err(Fault::Shape);
                }
            }
            if self.canonical || self.keys.len().saturating_sub(base) < FEW {
                self.keys.push(key.clone());
            }
            member(self, &key)?;
        }
        self.keys.truncate(base);
        Ok(())
    }

    fn check_canonical_key(
        &self,
        before: usize,
        key: &str,
        escaped: bool,
        base: usize,
    ) -> Result<()> {
        if let Some(last) = self.keys.get(base)
            && jcs::utf16_order(last, key).is_ge()
        {
            return Err(Fault::Shape);
        }
        if escaped {
            let mut shortest = String::new();
            jcs::write_string(&mut shortest, key);
            let written = self.reader.text_since(before);
            let written = written.strip_prefix(',').unwrap_or(written);
            if written.strip_suffix(':') != Some(shortest.as_str()) {
                return Err(Fault::Shape);
            }
        }
        Ok(())
    }

    /// Reads an array, giving each index to `element`, which reads the value.
    pub(crate) fn array(
        &mut self,
        mut element: impl FnMut(&mut Self, usize) -> Result<()>,
    ) -> Result<()> {
        self.reader
            .begin_array()
            .map_err(|error| self.fault(&error))?;
        let mut index = 0usize;
        self.within_record()?;
        while self
            .reader
            .next_element()
            .map_err(|error| self.fault(&error))?
        {
            element(self, index)?;
            index = index.saturating_add(1);
            self.within_record()?;
        }
        Ok(())
    }

    /// Reads past one value, checking all of it, and gives its text.
    pub(crate) fn skip(&mut self) -> Result<&'a str> {
        let kind = self.peek()?;
        let start = self.position();
        match kind {
            Kind::Null => {
                self.null()?;
            }
            Kind::Bool => {
                self.boolean()?;
            }
            Kind::Number => {
                self.number()?;
            }
            Kind::String => {
                self.string()?;
            }
            Kind::Array => self.array(|reader, _| reader.skip().map(drop))?,
            Kind::Object => self.object(|reader, _| reader.skip().map(drop))?,
        }
        Ok(self.reader.text_since(start))
    }

    /// Reads one value whose raw bytes are bounded. The bound comes before
    /// whatever else is wrong in it, and before it is kept (§8): reading stops
    /// at the first token beyond.
    pub(crate) fn bounded<T>(
        &mut self,
        bound: ScanBound,
        read: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        self.peek()?;
        let (start, depth) = (self.position(), self.reader.depth());
        let outer = core::mem::replace(&mut self.end, start.saturating_add(bound.most));
        let value = read(self);
        self.end = outer;
        let text = self.text.get(start..).unwrap_or_default();
        let longer = match value {
            Ok(_) => self.position().saturating_sub(start) > bound.most,
            Err(_) => is_longer(text, bound.most),
        };
        match value {
            _ if longer => Err(Fault::Resource(bound.crossed)),
            Err(Fault::Shape) => Err(self.budgets_of(text, depth)),
            value => value,
        }
    }

    /// The fault of a value that is not of its shape: the budgets of depth,
    /// keys and strings are asked of all of it before its shape is (§3). Where
    /// its payload stands is not known, so strings have the payload's.
    fn budgets_of(&self, text: &'a str, depth: usize) -> Fault {
        let mut reader = Self::with(text, self.bounds, false);
        reader.reader.limits_mut().depth = self.bounds.depth.most.saturating_sub(depth);
        reader
            .payload(|reader| reader.skip().map(drop))
            .err()
            .unwrap_or(Fault::Shape)
    }

    /// Ends the reading of a record beyond its bound; [`Strict::bounded`] then
    /// says why.
    fn within_record(&self) -> Result<()> {
        if self.position() > self.end {
            Err(Fault::Shape)
        } else {
            Ok(())
        }
    }

    /// Refuses anything but white space after the one value.
    pub(crate) fn finish(&mut self) -> Result<()> {
        self.reader.finish().map_err(|error| self.fault(&error))
    }
}

/// Whether the value that a text begins with is longer than a bound, told by
/// brackets and quotes alone, so that it can be told of a malformed one.
fn is_longer(text: &str, most: usize) -> bool {
    let (mut depth, mut quoted, mut escaped) = (0usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        let ended = depth == 0
            && !quoted
            && at > 0
            && match byte {
                b',' | b']' | b'}' | b' ' | b'\n' | b'\t' | b'\r' => true,
                _ => matches!(
                    text.as_bytes().get(at.saturating_sub(1)),
                    Some(b'}' | b']' | b'"')
                ),
            };
        if ended {
            return false;
        }
        if at >= most {
            return true;
        }
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'{' | b'[' if !quoted => depth = depth.saturating_add(1),
            b'}' | b']' if !quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use attest_canon::json::Value;
    use proptest::prelude::*;

    fn skip(text: &str, limits: &Limits) -> Result<()> {
        let mut reader = Strict::new(text, Bounds::package(limits));
        reader.skip()?;
        reader.finish()
    }

    fn is_canonical(bytes: &[u8]) -> bool {
        Strict::canonical(bytes, Bounds::package(&Limits::default()))
            .and_then(|mut reader| {
                reader.skip()?;
                reader.finish()
            })
            .is_ok()
    }

    #[test]
    fn limits_accept_equality_and_name_who_refused() {
        let nest = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        let hard = Fault::Resource(Reason::ResourceHard);
        let selected = Fault::Resource(Reason::ResourceSelected);
        let mut small = Limits::default();
        assert!(small.select(Limit::JsonDepth, 3));
        assert!(small.select(Limit::JsonKeyBytes, 2));
        assert!(small.select(Limit::NonPayloadStringBytes, 4));
        for (text, limits, fault) in [
            (nest(64), &Limits::default(), None),
            (nest(65), &Limits::default(), Some(hard)),
            (nest(3), &small, None),
            (nest(4), &small, Some(selected)),
            ("{\"ab\":\"cdef\"}".to_owned(), &small, None),
            ("{\"abc\":1}".to_owned(), &small, Some(selected)),
            ("\"cdefg\"".to_owned(), &small, Some(selected)),
            (
                format!("\"{}\"", "x".repeat(65_536)),
                &Limits::default(),
                None,
            ),
            (
                format!("\"{}\"", "x".repeat(65_537)),
                &Limits::default(),
                Some(hard),
            ),
            (
                "{\"a\":1,\"\\u0061\":2}".to_owned(),
                &small,
                Some(Fault::Shape),
            ),
            ("\"\\ud800\"".to_owned(), &small, Some(Fault::Shape)),
            ("\u{feff}1".to_owned(), &small, Some(Fault::Shape)),
            ("1 2".to_owned(), &small, Some(Fault::Shape)),
            ("9007199254740992".to_owned(), &small, Some(Fault::Shape)),
        ] {
            assert_eq!(
                skip(&text, limits).err(),
                fault,
                "{}",
                text.get(..40).unwrap_or(&text)
            );
        }
    }

    #[test]
    fn a_value_is_as_long_as_its_brackets_and_quotes_say() {
        for (text, length) in [
            ("{\"a\":[1,\"}\"]},x", 13),
            ("\"a\\\"]\",x", 6),
            ("12,x", 2),
            ("12", 2),
            ("[] ]", 2),
            ("{!!!!!}}", 7),
            ("[[[", 3),
        ] {
            assert!(!is_longer(text, length), "{text}");
            assert!(is_longer(text, length - 1), "{text}");
        }
    }

    #[test]
    fn a_duplicate_is_found_in_large_and_nested_objects() {
        let object = |again: &str| {
            let members: Vec<String> = (0..40)
                .map(|n| format!("\"k{n}\":{{\"k{n}\":0}}"))
                .collect();
            format!("{{{},\"{again}\":1}}", members.join(","))
        };
        assert_eq!(skip(&object("other"), &Limits::default()), Ok(()));
        for again in ["k0", "k15", "k16", "k39"] {
            assert_eq!(
                skip(&object(again), &Limits::default()),
                Err(Fault::Shape),
                "{again}"
            );
        }
    }

    #[test]
    fn canonical_form_is_exact() {
        for good in [
            "{\"a\":1,\"b\":[true,null,1.5,\"\\n\"]}\n",
            "[]\n",
            "{\"\u{e000}\":1}\n",
        ] {
            assert!(is_canonical(good.as_bytes()), "{good}");
        }
        for bad in [
            "{}",
            "{}\n\n",
            " {}\n",
            "{ }\n",
            "{\"b\":1,\"a\":2}\n",
            "{\"a\":1,\"a\":2}\n",
            "[1.0]\n",
            "[-0]\n",
            "[1e3]\n",
            "[1.50]\n",
            "[\"\\u000a\"]\n",
            "[\"\\/\"]\n",
            "[\"\\u0061\"]\n",
            "{\"\\u0061\":1}\n",
            "\u{feff}{}\n",
            "{\"\u{e000}\":1,\"\u{10000}\":2}\n",
        ] {
            assert!(!is_canonical(bad.as_bytes()), "{bad}");
        }
    }

    proptest! {
        /// A text is accepted as canonical exactly when writing its value again gives it.
        #[test]
        fn canonical_reading_agrees_with_canonical_writing(text in "[\\[\\]{}:,\"\\\\u0-2anb.e +-]{0,24}") {
            let mut bytes = text.clone().into_bytes();
            bytes.push(b'\n');
            let strict = JsonLimits { lone_surrogates: LoneSurrogates::Refuse, ..JsonLimits::LEDGER };
            let rewritten = Value::parse(&text, strict).ok()
                .and_then(|value| jcs::to_canonical(&value, jcs::Numbers::Double).ok());
            let in_domain = skip(&text, &Limits::default()).is_ok();
            prop_assert_eq!(is_canonical(&bytes), in_domain && rewritten.as_deref() == Some(text.as_str()));
        }
    }
}
