//! A TOML document whose every value knows its line.

use std::ops::Range;
use std::path::Path;

use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use super::error::{ConfigError, Problem};

/// Reads a file's settings and gathers what is wrong with them.
pub(super) struct Document<'a> {
    path: &'a Path,
    text: &'a str,
    pub(super) errors: Vec<ConfigError>,
}

/// A value with where it stands.
pub(super) type Value<'a> = Spanned<DeValue<'a>>;

impl<'a> Document<'a> {
    pub(super) const fn new(path: &'a Path, text: &'a str) -> Self {
        Self {
            path,
            text,
            errors: Vec::new(),
        }
    }

    /// The document's table; nothing, and an error, where it is not TOML.
    pub(super) fn table(&mut self) -> Option<DeTable<'a>> {
        match DeTable::parse(self.text) {
            Ok(table) => Some(table.into_inner()),
            Err(error) => {
                let message = error
                    .message()
                    .lines()
                    .next()
                    .unwrap_or_default()
                    .to_owned();
                let at = error.span().unwrap_or(self.text.len()..self.text.len());
                self.report(at, Problem::Syntax(message));
                None
            }
        }
    }

    /// Notes what is wrong with a part of the text.
    pub(super) fn report(&mut self, at: Range<usize>, problem: Problem) {
        let line = self.line(at.start);
        self.report_line(line, problem);
    }

    /// Notes what is wrong with a line.
    pub(super) fn report_line(&mut self, line: usize, problem: Problem) {
        self.errors.push(ConfigError {
            file: self.path.to_owned(),
            line,
            problem,
        });
    }

    /// The line of a place in the text, from 1.
    pub(super) fn line(&self, at: usize) -> usize {
        self.text
            .bytes()
            .take(at)
            .filter(|byte| *byte == b'\n')
            .count()
            + 1
    }

    /// The text of a setting.
    pub(super) fn string(&mut self, name: &str, value: &Value<'a>) -> Option<String> {
        let text = value.get_ref().as_str().map(ToOwned::to_owned);
        self.typed(name, value, text, "a text")
    }

    /// The yes or no of a setting.
    pub(super) fn boolean(&mut self, name: &str, value: &Value<'a>) -> Option<bool> {
        self.typed(name, value, value.get_ref().as_bool(), "true or false")
    }

    /// The table of a setting.
    pub(super) fn subtable<'v>(
        &mut self,
        name: &str,
        value: &'v Value<'a>,
    ) -> Option<&'v DeTable<'a>> {
        self.typed(name, value, value.get_ref().as_table(), "a table")
    }

    /// The text of a setting read by `read`.
    pub(super) fn parsed<T>(
        &mut self,
        name: &str,
        value: &Value<'a>,
        wanted: &str,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Option<T> {
        let text = self.string(name, value)?;
        let parsed = read(&text);
        if parsed.is_none() {
            self.report(
                value.span(),
                Problem::BadValue(name.to_owned(), text, wanted.to_owned()),
            );
        }
        parsed
    }

    /// Notes a setting nobody knows.
    pub(super) fn unknown(&mut self, key: &Spanned<DeString<'a>>, known: &[&'static str]) {
        let name = key.get_ref();
        let problem = Problem::UnknownSetting(name.to_string(), nearest(name, known));
        self.report(key.span(), problem);
    }

    fn typed<T>(
        &mut self,
        name: &str,
        value: &Value<'a>,
        read: Option<T>,
        wanted: &'static str,
    ) -> Option<T> {
        if read.is_none() {
            self.report(value.span(), Problem::WrongType(name.to_owned(), wanted));
        }
        read
    }
}

/// The known name an unknown one may have meant: at most three letters from it, and nearer than
/// half of it.
pub(super) fn nearest(name: &str, known: &[&'static str]) -> Option<&'static str> {
    let most = (name.chars().count() / 2).min(3);
    known
        .iter()
        .map(|known| (strsim::osa_distance(known, name), *known))
        .filter(|(distance, _)| *distance <= most)
        .min()
        .map(|(_, known)| known)
}
