//! The config file's settings.

use std::collections::BTreeMap;
use std::path::Path;

use toml::de::DeTable;

use super::document::{Document, Value, nearest};
use super::error::{ConfigError, Problem};
use super::theme;
use crate::inspector::action::Action;
use crate::inspector::filter::Filter;
use crate::inspector::glyphs::{self, Glyphs};
use crate::inspector::key::KeySequence;
use crate::inspector::keymap::Keymap;
use crate::inspector::row::{Column, Sort};
use crate::inspector::theme::Depth;

/// Which theme to show.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum ThemeChoice {
    /// `dark` or `light` after the terminal's background; `monochrome` where there are no colours.
    #[default]
    Auto,
    /// The theme of this name.
    Named(String),
}

/// What frames and symbols are drawn with.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Borders {
    /// Unicode.
    #[default]
    Unicode,
    /// ASCII.
    Ascii,
}

impl Borders {
    /// The characters to draw with.
    pub const fn glyphs(self) -> &'static Glyphs {
        match self {
            Self::Unicode => &glyphs::UNICODE,
            Self::Ascii => &glyphs::ASCII,
        }
    }

    /// The name the config file writes.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unicode => "unicode",
            Self::Ascii => "ascii",
        }
    }
}

/// Everything the config file can set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// `theme`
    pub theme: ThemeChoice,
    /// `colors`: how many to use; none asks the environment.
    pub colors: Option<Depth>,
    /// `borders`
    pub borders: Borders,
    /// `mouse`: whether the mouse is the inspector's or the terminal's.
    pub mouse: bool,
    /// `sort`: how the receipts list is sorted at first.
    pub sort: Sort,
    /// `[filters]`: saved filters by name.
    pub filters: BTreeMap<String, String>,
    /// `[keys]`: the keys of every action.
    pub keymap: Keymap,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            theme: ThemeChoice::Auto,
            colors: None,
            borders: Borders::Unicode,
            mouse: true,
            sort: Sort::default(),
            filters: BTreeMap::new(),
            keymap: Keymap::default(),
        }
    }
}

const SETTINGS: &[&str] = &[
    "theme", "colors", "borders", "mouse", "sort", "filters", "keys",
];

/// The settings a file's text gives.
pub(super) fn parse(
    path: &Path,
    text: &str,
    directory: &Path,
) -> Result<Settings, Vec<ConfigError>> {
    let mut document = Document::new(path, text);
    let mut settings = Settings::default();
    if let Some(table) = document.table() {
        read(&mut document, &mut settings, &table, directory);
    }
    document.errors.sort_by_key(|error| error.line);
    if document.errors.is_empty() {
        Ok(settings)
    } else {
        Err(document.errors)
    }
}

fn read<'a>(
    document: &mut Document<'a>,
    settings: &mut Settings,
    table: &DeTable<'a>,
    directory: &Path,
) {
    for (key, value) in table {
        match key.get_ref().as_ref() {
            "theme" => {
                if let Some(choice) = theme_choice(document, value, directory) {
                    settings.theme = choice;
                }
            }
            "colors" => {
                let read = |text: &str| match text {
                    "auto" => Some(None),
                    text => Depth::parse(text).map(Some),
                };
                let wanted = "\"auto\", \"none\", \"16\", \"256\" or \"true\"";
                if let Some(depth) = document.parsed("colors", value, wanted, read) {
                    settings.colors = depth;
                }
            }
            "borders" => {
                let read = |text: &str| match text {
                    "unicode" => Some(Borders::Unicode),
                    "ascii" => Some(Borders::Ascii),
                    _ => None,
                };
                let wanted = "\"unicode\" or \"ascii\"";
                if let Some(borders) = document.parsed("borders", value, wanted, read) {
                    settings.borders = borders;
                }
            }
            "mouse" => {
                if let Some(mouse) = document.boolean("mouse", value) {
                    settings.mouse = mouse;
                }
            }
            "sort" => {
                let names: Vec<&str> = Column::ALL.iter().map(|column| column.name()).collect();
                let wanted = format!(
                    "one of {}, after - for the greatest first",
                    names.join(", ")
                );
                if let Some(sort) = document.parsed("sort", value, &wanted, Sort::parse) {
                    settings.sort = sort;
                }
            }
            "filters" => filters(document, settings, value),
            "keys" => keys(document, settings, value),
            _ => document.unknown(key, SETTINGS),
        }
    }
}

fn theme_choice<'a>(
    document: &mut Document<'a>,
    value: &Value<'a>,
    directory: &Path,
) -> Option<ThemeChoice> {
    let name = document.string("theme", value)?;
    if name == "auto" {
        return Some(ThemeChoice::Auto);
    }
    if !theme::is_name(&name) {
        document.report(value.span(), Problem::BadThemeName(name));
        return None;
    }
    let names = theme::names(Some(directory));
    if !names.contains(&name) {
        document.report(value.span(), Problem::UnknownTheme(name, names.join(", ")));
        return None;
    }
    match theme::find(Some(directory), &name) {
        Ok(_) => Some(ThemeChoice::Named(name)),
        Err(errors) => {
            document.errors.extend(errors);
            None
        }
    }
}

fn filters<'a>(document: &mut Document<'a>, settings: &mut Settings, value: &Value<'a>) {
    let Some(table) = document.subtable("filters", value) else {
        return;
    };
    for (key, value) in table {
        let name = key.get_ref().to_string();
        if name.trim().is_empty() {
            document.report(key.span(), Problem::EmptyFilterName);
            continue;
        }
        let Some(text) = document.string(&name, value) else {
            continue;
        };
        for error in Filter::parse(&text).1 {
            document.report(
                value.span(),
                Problem::BadFilter(name.clone(), error.problem),
            );
        }
        settings.filters.insert(name, text);
    }
}

fn keys<'a>(document: &mut Document<'a>, settings: &mut Settings, value: &Value<'a>) {
    let Some(table) = document.subtable("keys", value) else {
        return;
    };
    let names: Vec<&'static str> = Action::ALL.iter().map(|action| action.name()).collect();
    // The line of every action the file sets, for the clashes that are found at the end.
    let mut lines = BTreeMap::new();
    for (key, value) in table {
        let name = key.get_ref();
        let Some(action) = Action::parse(name) else {
            let problem = Problem::UnknownAction(name.to_string(), nearest(name, &names));
            document.report(key.span(), problem);
            continue;
        };
        let Some(list) = value.get_ref().as_array() else {
            document.report(
                value.span(),
                Problem::WrongType(name.to_string(), "a list of keys"),
            );
            continue;
        };
        lines.insert(action, document.line(key.span().start));
        let mut keys = Vec::new();
        for value in list.iter() {
            let Some(text) = document.string(name, value) else {
                continue;
            };
            match KeySequence::parse(&text) {
                Ok(read) if types_only(action, read) => {
                    document.report(value.span(), Problem::TypingKey(action, read));
                }
                Ok(read) => keys.push(read),
                Err(error) => document.report(value.span(), Problem::BadKey(action, text, error)),
            }
        }
        settings.keymap.set(action, keys);
    }
    for clash in settings.keymap.clashes() {
        // Said of the action the file sets; of the later line where it sets both.
        let (of, other) = (lines.get(&clash.action), lines.get(&clash.other));
        let (line, problem) = if of > other {
            let is_default = other.is_none();
            (
                of,
                Problem::Clash(
                    clash.action,
                    clash.keys,
                    clash.other,
                    clash.other_keys,
                    is_default,
                ),
            )
        } else {
            let is_default = of.is_none();
            (
                other,
                Problem::Clash(
                    clash.other,
                    clash.other_keys,
                    clash.action,
                    clash.keys,
                    is_default,
                ),
            )
        };
        document.report_line(line.copied().unwrap_or(0), problem);
    }
}

/// Whether a key would only type a character wherever the action works.
fn types_only(action: Action, keys: KeySequence) -> bool {
    keys.first.typed().is_some() && action.contexts().iter().all(|context| context.takes_text())
}
