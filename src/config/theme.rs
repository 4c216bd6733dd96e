//! Theme files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ratatui::style::Modifier;
use toml::de::DeTable;

use super::document::{Document, Value, nearest};
use super::error::{ConfigError, Problem};
use crate::inspector::theme::{BUILT_IN, Background, Role, RoleStyle, Theme, ThemeColor};

const SETTINGS: &[&str] = &["background", "inherits", "roles"];
const ROLE_SETTINGS: &[&str] = &[
    "fg",
    "bg",
    "fg16",
    "bg16",
    "bold",
    "dim",
    "italic",
    "underline",
    "reverse",
];

/// Whether a text can be a theme's name, and so part of a file's: no path comes of it.
pub(super) fn is_name(name: &str) -> bool {
    let allowed = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    !name.is_empty() && name.len() <= 64 && name.bytes().all(allowed)
}

/// The theme built in under this name.
pub fn built_in(name: &str) -> Option<Theme> {
    let (name, text) = BUILT_IN.iter().find(|(of, _)| *of == name)?;
    parse(Path::new(name), name, text, false).ok()
}

/// The names of the themes there are: those built in, then the user's.
pub(super) fn names(directory: Option<&Path>) -> Vec<String> {
    let mut names: Vec<String> = BUILT_IN
        .iter()
        .map(|(name, _)| (*name).to_owned())
        .collect();
    for name in directory.map(user_names).unwrap_or_default() {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// The names of the theme files in a config directory, in order. Files whose names no theme can
/// have are none.
pub(super) fn user_names(directory: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(directory.join("themes")) else {
        return Vec::new();
    };
    let name = |path: PathBuf| {
        let is_toml = path
            .extension()
            .is_some_and(|extension| extension == "toml");
        path.file_stem()
            .and_then(|stem| stem.to_str())
            .map(ToOwned::to_owned)
            .filter(|_| is_toml)
    };
    let mut names: Vec<String> = entries
        .filter_map(|entry| name(entry.ok()?.path()))
        .filter(|name| is_name(name))
        .collect();
    names.sort();
    names
}

/// The theme of this name: the user's file before one built in.
pub(super) fn find(directory: Option<&Path>, name: &str) -> Result<Theme, Vec<ConfigError>> {
    let error = |problem| {
        vec![ConfigError {
            file: PathBuf::from(name),
            line: 0,
            problem,
        }]
    };
    if !is_name(name) {
        return Err(error(Problem::BadThemeName(name.to_owned())));
    }
    if let Some(directory) = directory {
        let path = directory.join("themes").join(format!("{name}.toml"));
        if let Some(text) = super::read(&path).map_err(|error| vec![error])? {
            return parse(&path, name, &text, true);
        }
    }
    built_in(name).ok_or_else(|| {
        error(Problem::UnknownTheme(
            name.to_owned(),
            names(directory).join(", "),
        ))
    })
}

/// The theme a file's text gives: its background, what it inherits, and how its roles look.
///
/// A theme that inherits starts from one built in and may leave roles out; one that does not has
/// them all. Those built in stand on their own (`may_inherit` is false), so inheriting always ends.
pub(super) fn parse(
    path: &Path,
    name: &str,
    text: &str,
    may_inherit: bool,
) -> Result<Theme, Vec<ConfigError>> {
    let mut document = Document::new(path, text);
    let mut background = None;
    let mut base = None;
    let mut roles = BTreeMap::new();
    if let Some(table) = document.table() {
        for (key, value) in &table {
            match key.get_ref().as_ref() {
                "background" => {
                    let wanted = "\"dark\", \"light\" or \"any\"";
                    background = document.parsed("background", value, wanted, Background::parse);
                }
                "inherits" if may_inherit => base = inherited(&mut document, value),
                "roles" => {
                    if let Some(table) = document.subtable("roles", value) {
                        read_roles(&mut document, &mut roles, table);
                    }
                }
                _ => document.unknown(key, SETTINGS),
            }
        }
        let has = |name: &str| table.iter().any(|(key, _)| key.get_ref() == name);
        if !has("inherits") {
            if !has("background") {
                document.report_line(0, Problem::Missing("background"));
            }
            if !has("roles") {
                document.report_line(0, Problem::Missing("[roles]"));
            } else {
                for role in Role::ALL.iter().filter(|role| !roles.contains_key(role)) {
                    document.report_line(0, Problem::MissingRole(*role));
                }
            }
        }
    }
    document.errors.sort_by_key(|error| error.line);
    if !document.errors.is_empty() {
        return Err(document.errors);
    }
    if let Some(base) = &base {
        for role in Role::ALL {
            roles.entry(*role).or_insert_with(|| Some(base.role(*role)));
        }
    }
    let background = background
        .or(base.map(|base| base.background))
        .unwrap_or(Background::Any);
    let roles = roles
        .into_iter()
        .filter_map(|(role, style)| Some((role, style?)))
        .collect();
    Ok(Theme::new(name.to_owned(), background, roles))
}

fn inherited<'a>(document: &mut Document<'a>, value: &Value<'a>) -> Option<Theme> {
    let name = document.string("inherits", value)?;
    let base = built_in(&name);
    if base.is_none() {
        document.report(value.span(), Problem::Inherits(name));
    }
    base
}

fn read_roles<'a>(
    document: &mut Document<'a>,
    roles: &mut BTreeMap<Role, Option<RoleStyle>>,
    table: &DeTable<'a>,
) {
    let names: Vec<&'static str> = Role::ALL.iter().map(|role| role.name()).collect();
    for (key, value) in table {
        let name = key.get_ref();
        let Some(role) = Role::parse(name) else {
            let problem = Problem::UnknownRole(name.to_string(), nearest(name, &names));
            document.report(key.span(), problem);
            continue;
        };
        let style = document
            .subtable(name, value)
            .map(|table| style(document, table));
        roles.insert(role, style);
    }
}

fn style<'a>(document: &mut Document<'a>, table: &DeTable<'a>) -> RoleStyle {
    let mut style = RoleStyle::default();
    for (key, value) in table {
        let name = key.get_ref().as_ref();
        let slot = match name {
            "fg" => &mut style.fg,
            "bg" => &mut style.bg,
            "fg16" => &mut style.fg16,
            "bg16" => &mut style.bg16,
            _ => {
                let modifier = match name {
                    "bold" => Modifier::BOLD,
                    "dim" => Modifier::DIM,
                    "italic" => Modifier::ITALIC,
                    "underline" => Modifier::UNDERLINED,
                    "reverse" => Modifier::REVERSED,
                    _ => {
                        document.unknown(key, ROLE_SETTINGS);
                        continue;
                    }
                };
                let on = document.boolean(name, value).unwrap_or(false);
                style.modifiers.set(modifier, on);
                continue;
            }
        };
        let wanted = "\"default\", one of the sixteen names such as \"bright-red\", or \"#rrggbb\"";
        *slot = document.parsed(name, value, wanted, ThemeColor::parse);
    }
    style
}
