//! The settings in force, written as a config file would set them.

use std::fmt::Write;

use super::settings::{Settings, ThemeChoice};
use crate::inspector::action::Action;
use crate::inspector::theme::Depth;

/// Every setting in force, as TOML that reads back the same.
pub fn show(settings: &Settings) -> String {
    let mut out = String::new();
    let theme = match &settings.theme {
        ThemeChoice::Auto => "auto",
        ThemeChoice::Named(name) => name,
    };
    let colors = settings.colors.map_or("auto", Depth::name);
    // Writing to a `String` never fails.
    let _ = writeln!(out, "theme = {}", text(theme));
    let _ = writeln!(out, "colors = {}", text(colors));
    let _ = writeln!(out, "borders = {}", text(settings.borders.name()));
    let _ = writeln!(out, "mouse = {}", settings.mouse);
    let _ = writeln!(out, "sort = {}", text(&settings.sort.to_string()));
    if !settings.filters.is_empty() {
        let _ = writeln!(out, "\n[filters]");
        for (name, filter) in &settings.filters {
            let _ = writeln!(out, "{} = {}", text(name), text(filter));
        }
    }
    let _ = writeln!(out, "\n[keys]");
    for &action in Action::ALL {
        let keys = settings
            .keymap
            .keys(action)
            .iter()
            .map(|keys| text(&keys.to_string()));
        let _ = writeln!(
            out,
            "{} = [{}]",
            action.name(),
            keys.collect::<Vec<_>>().join(", ")
        );
    }
    out
}

/// A TOML basic string. Whatever a terminal would not show as it stands is escaped.
fn text(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            c if attest_grading::text::is_plain(c) => out.push(c),
            c => {
                let _ = write!(out, "\\U{:08X}", u32::from(c));
            }
        }
    }
    out.push('"');
    out
}
