//! Reads typed, closed objects from JSON and lists every problem by its path.
//!
//! A syntax fault ends the reading; anything else is noted, its value passed
//! over, and the reading goes on, so that one run shows all that is wrong.

use attest_canon::json::{JsonError, JsonErrorKind, Limits, Reader, push_key};
use attest_canon::{Decimal, Digest, Id};

use super::closed::{ActionType, AgentId, Source};
use super::limits;
use super::primitives::{BasisPoints, Cents, Currency, DisplayNumber, Token};
use super::problem::{ProblemKind, Problems};
use super::time::IsoTs;

/// What reading a value gives: the value, `None` when a problem was noted, or
/// a syntax fault after which nothing more can be read.
pub type Read<T> = Result<Option<T>, JsonError>;

/// A reader that notes problems.
#[derive(Debug)]
pub struct Decoder<'a> {
    reader: Reader<'a>,
    problems: Problems,
}

impl<'a> Decoder<'a> {
    /// A decoder over a ledger, policy or golden text.
    #[must_use]
    pub fn new(text: &'a str) -> Self {
        Self {
            reader: Reader::new(text, Limits::LEDGER),
            problems: Problems::default(),
        }
    }

    /// Reads a whole text as one value; the problems when there is any.
    pub fn read_document<T>(
        text: &'a str,
        read: impl FnOnce(&mut Self) -> Read<T>,
    ) -> Result<T, Problems> {
        let mut decoder = Self::new(text);
        let value = read(&mut decoder).and_then(|value| {
            decoder.reader.finish()?;
            Ok(value)
        });
        match value {
            Ok(Some(value)) if decoder.problems.is_empty() => Ok(value),
            Ok(_) => Err(decoder.problems),
            Err(fault) => {
                decoder.fault(fault);
                Err(decoder.problems)
            }
        }
    }

    /// The underlying reader.
    pub fn reader(&mut self) -> &mut Reader<'a> {
        &mut self.reader
    }

    /// The problems noted so far.
    #[must_use]
    pub fn into_problems(self) -> Problems {
        self.problems
    }

    /// Notes a syntax fault as the last problem.
    pub fn fault(&mut self, fault: JsonError) {
        self.problems.add(fault.path, ProblemKind::Json(fault.kind));
    }

    /// Notes a problem at the reader's place.
    pub fn note(&mut self, kind: ProblemKind) {
        let path = self.reader.path();
        self.problems.add(path, kind);
    }

    /// Notes a problem at a member of the object at the reader's place.
    pub fn note_member(&mut self, key: &str, kind: ProblemKind) {
        let mut path = self.reader.path();
        push_key(&mut path, key);
        self.problems.add(path, kind);
    }

    /// Notes a problem at a path.
    pub fn note_at(&mut self, path: String, kind: ProblemKind) {
        self.problems.add(path, kind);
    }

    /// Whether nothing has been noted.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.problems.is_empty()
    }

    /// Turns "another kind of value than asked for" into a problem and passes
    /// over that value; lets every other outcome through.
    fn tolerate<T>(&mut self, outcome: Result<T, JsonError>) -> Read<T> {
        match outcome {
            Ok(value) => Ok(Some(value)),
            Err(JsonError {
                kind: JsonErrorKind::Expected(what),
                path,
                ..
            }) => {
                self.problems.add(path, ProblemKind::MustBe(what));
                self.reader.skip()?;
                Ok(None)
            }
            Err(fault) => Err(fault),
        }
    }

    /// Enters an object; `None` when the value is something else.
    pub fn begin_object(&mut self) -> Read<()> {
        let outcome = self.reader.begin_object();
        self.tolerate(outcome)
    }

    /// Reads an array element by element, at most `most` of them.
    pub fn list<T>(
        &mut self,
        most: usize,
        mut read: impl FnMut(&mut Self) -> Read<T>,
    ) -> Read<Vec<T>> {
        let outcome = self.reader.begin_array();
        if self.tolerate(outcome)?.is_none() {
            return Ok(None);
        }
        let mut elements = Vec::new();
        let mut whole = true;
        let mut count = 0usize;
        while self.reader.next_element()? {
            count = count.saturating_add(1);
            if count > most {
                self.reader.skip()?;
                continue;
            }
            match read(self)? {
                Some(element) => elements.push(element),
                None => whole = false,
            }
        }
        if count > most {
            self.note(ProblemKind::TooMany(most));
            return Ok(None);
        }
        Ok(whole.then_some(elements))
    }

    /// Reads an array of any length.
    pub fn any_list<T>(&mut self, read: impl FnMut(&mut Self) -> Read<T>) -> Read<Vec<T>> {
        self.list(usize::MAX, read)
    }

    /// Reads an object as a map: each key and value through `read`. Duplicate
    /// keys are problems.
    pub fn map(&mut self, mut read: impl FnMut(&mut Self, &str) -> Read<()>) -> Read<()> {
        if self.begin_object()?.is_none() {
            return Ok(None);
        }
        let mut keys = std::collections::BTreeSet::new();
        let mut whole = true;
        while let Some(key) = self.reader.next_key()? {
            if !keys.insert(key.clone()) {
                return Err(self.reader.error(JsonErrorKind::DuplicateKey));
            }
            whole &= read(self, &key)?.is_some();
        }
        Ok(whole.then_some(()))
    }

    /// Reads a string and what it stands for; a problem when `read` gives none.
    pub fn parsed<T>(
        &mut self,
        what: &'static str,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Read<T> {
        let outcome = self.reader.string();
        let Some(text) = self.tolerate(outcome)? else {
            return Ok(None);
        };
        let value = read(&text);
        if value.is_none() {
            self.note(ProblemKind::MustBe(what));
        }
        Ok(value)
    }

    /// Reads a text of at most `most` characters.
    pub fn text(&mut self, most: usize) -> Read<Box<str>> {
        let outcome = self.reader.string();
        let Some(text) = self.tolerate(outcome)? else {
            return Ok(None);
        };
        if text.len() > most && text.chars().count() > most {
            self.note(ProblemKind::TooLong(most));
            return Ok(None);
        }
        Ok(Some(text.into()))
    }

    /// Reads a text of one line: no control, U+2028 or U+2029 (§13).
    pub fn one_line(&mut self, most: usize) -> Read<Box<str>> {
        let Some(text) = self.text(most)? else {
            return Ok(None);
        };
        if !crate::text::is_one_line(&text) {
            self.note(ProblemKind::NotOneLine);
            return Ok(None);
        }
        Ok(Some(text))
    }

    /// Reads a number.
    pub fn decimal(&mut self, what: &'static str) -> Read<Decimal> {
        let outcome = self.reader.number();
        let Some(lexeme) = self.tolerate(outcome)? else {
            return Ok(None);
        };
        let decimal = Decimal::parse(lexeme);
        if decimal.is_none() {
            self.note(ProblemKind::MustBe(what));
        }
        Ok(decimal)
    }

    fn number<T>(
        &mut self,
        what: &'static str,
        read: impl FnOnce(Decimal) -> Option<T>,
    ) -> Read<T> {
        let Some(decimal) = self.decimal(what)? else {
            return Ok(None);
        };
        let value = read(decimal);
        if value.is_none() {
            self.note(ProblemKind::MustBe(what));
        }
        Ok(value)
    }

    /// Reads `true` or `false`.
    pub fn boolean(&mut self) -> Read<bool> {
        let outcome = self.reader.boolean();
        self.tolerate(outcome)
    }

    /// Reads an id: 26 characters of Crockford base32.
    pub fn id(&mut self) -> Read<Id> {
        self.parsed("an id of 26 base32 characters", Id::parse)
    }

    /// Reads 64 lowercase hexadecimal digits.
    pub fn digest(&mut self) -> Read<Digest> {
        self.parsed("a sha-256 of 64 lowercase hex digits", Digest::parse)
    }

    /// Reads an instant with its offset.
    pub fn instant(&mut self) -> Read<IsoTs> {
        self.parsed("an instant with an offset", IsoTs::parse)
    }

    /// Reads a short token.
    pub fn token(&mut self) -> Read<Token> {
        self.parsed("a short token", Token::parse)
    }

    /// Reads a currency code.
    pub fn currency(&mut self) -> Read<Currency> {
        self.parsed("a currency code of three capitals", Currency::parse)
    }

    /// Reads an amount in cents.
    pub fn cents(&mut self) -> Read<Cents> {
        self.number("an integer from 0 to 1000000000000", |n| {
            Cents::new(n.as_integer()?)
        })
    }

    /// Reads an integer that is not negative, within 2^53 − 1.
    pub fn natural(&mut self) -> Read<i64> {
        self.number("an integer that is not negative", |n| {
            n.as_integer().filter(|n| *n >= 0)
        })
    }

    /// Reads a whole number of basis points.
    pub fn basis_points(&mut self) -> Read<BasisPoints> {
        self.number("an integer from 0 to 10000", |n| {
            BasisPoints::new(n.as_integer()?)
        })
    }

    /// Reads a display number.
    pub fn display_number(&mut self) -> Read<DisplayNumber> {
        self.number(
            "a number from 0 to 1 of at most four decimals",
            DisplayNumber::from_decimal,
        )
    }

    /// Reads a counterparty text.
    pub fn counterparty(&mut self) -> Read<Box<str>> {
        self.one_line(limits::COUNTERPARTY)
    }

    /// Reads a merchant text.
    pub fn merchant(&mut self) -> Read<Box<str>> {
        self.one_line(limits::MERCHANT)
    }

    /// Reads a subject hint.
    pub fn subject_hint(&mut self) -> Read<Box<str>> {
        self.one_line(limits::SUBJECT_HINT)
    }

    /// Reads a scope or an allowlist entry.
    pub fn scope(&mut self) -> Read<Box<str>> {
        self.one_line(limits::SCOPE)
    }

    /// Reads an agent id.
    pub fn agent(&mut self) -> Read<AgentId> {
        self.parsed("a known agent", AgentId::parse)
    }

    /// Reads an action type.
    pub fn action(&mut self) -> Read<ActionType> {
        self.parsed("a known action type", ActionType::parse)
    }

    /// Reads an observation source.
    pub fn source(&mut self) -> Read<Source> {
        self.parsed("a known source", Source::parse)
    }

    /// Notes and passes over a member that is not part of the shape.
    pub fn unknown_member(&mut self) -> Result<(), JsonError> {
        self.note(ProblemKind::UnknownMember);
        self.reader.skip().map(|_| ())
    }
}

/// One member while its object is read.
#[derive(Debug)]
pub enum Slot<T> {
    /// Not met yet.
    Absent,
    /// Met, with a problem noted.
    Bad,
    /// Met and read.
    Good(T),
}

impl<T> Slot<T> {
    /// Reads the member's value; a second copy is a syntax fault.
    pub fn fill<'a>(
        &mut self,
        decoder: &mut Decoder<'a>,
        read: impl FnOnce(&mut Decoder<'a>) -> Read<T>,
    ) -> Result<(), JsonError> {
        if !matches!(self, Self::Absent) {
            return Err(decoder.reader.error(JsonErrorKind::DuplicateKey));
        }
        *self = read(decoder)?.map_or(Self::Bad, Self::Good);
        Ok(())
    }

    /// The value of a member that must be there.
    pub fn required(self, decoder: &mut Decoder<'_>, key: &str) -> Option<T> {
        match self {
            Self::Good(value) => Some(value),
            Self::Bad => None,
            Self::Absent => {
                decoder.note_member(key, ProblemKind::Missing);
                None
            }
        }
    }

    /// The value of a member that may be absent; `None` only after a problem.
    pub fn optional(self, _decoder: &mut Decoder<'_>, _key: &str) -> Option<Option<T>> {
        match self {
            Self::Good(value) => Some(Some(value)),
            Self::Bad => None,
            Self::Absent => Some(None),
        }
    }

    /// The value, or its type's default when absent.
    pub fn defaulted(self, _decoder: &mut Decoder<'_>, _key: &str) -> Option<T>
    where
        T: Default,
    {
        match self {
            Self::Good(value) => Some(value),
            Self::Bad => None,
            Self::Absent => Some(T::default()),
        }
    }
}

/// Reads a closed object in a function that returns [`Read`]: binds each field
/// to its value, or returns `Ok(None)` after noting every problem.
///
/// `object!(decoder, { field: required "key" = reader, … });`
macro_rules! object {
    ($d:ident, { $($field:ident : $need:ident $key:literal = $read:expr),+ $(,)? }) => {
        $(let mut $field = $crate::model::decode::Slot::Absent;)+
        if $d.begin_object()?.is_none() {
            return Ok(None);
        }
        while let Some(key) = $d.reader().next_key()? {
            match key.as_ref() {
                $($key => $field.fill($d, $read)?,)+
                _ => $d.unknown_member()?,
            }
        }
        $(let $field = $field.$need($d, $key);)+
        let ($(Some($field),)+) = ($($field,)+) else {
            return Ok(None);
        };
    };
}
pub(crate) use object;

/// Reads a member of a closed set.
macro_rules! member_of {
    ($set:ident, $what:literal) => {
        |d: &mut $crate::model::decode::Decoder<'_>| {
            d.parsed($what, $crate::model::closed::$set::parse)
        }
    };
}
pub(crate) use member_of;
