//! The lines of the screen: what draws them, and what prints them without a terminal.

use std::collections::BTreeSet;

use ratatui::text::Line;

use super::catalogue::{Entry, entries};
use super::figures;
use super::pages::{Example, lines};
use super::steps::{Stage, Step, steps};
use super::{Opened, open};
use crate::inspector::panes::Pane;
use crate::inspector::panes::tabs::write::Page;
use crate::inspector::screens::reading::plain_lines;
use crate::inspector::text::{shown, width};
use crate::inspector::theme::Role;

/// Cells of an example's number in the list.
pub const NUMBER: usize = 4;

/// The two panes of a step.
pub struct Made {
    /// What was computed.
    pub page: Vec<Line<'static>>,
    /// The hand computation.
    pub notes: Vec<Line<'static>>,
    /// The line of the notes with the most figures of the page.
    pub notes_at: usize,
    /// The line of the page that decided: the rule that matched; else the first.
    pub page_at: usize,
}

/// Makes the panes of a step. The figures both have are marked in both.
pub fn step(opened: &Opened, step: Option<Step>, page: &Pane<'_>, notes: &Pane<'_>) -> Made {
    let example = Example::new(&opened.scenario, &opened.walk);
    let computed = step.map_or_else(Vec::new, |step| {
        lines(page, &example, step.subject, step.stage)
    });
    let texts: Vec<String> = opened
        .scenario
        .notes
        .iter()
        .map(|note| shown(note).into_owned())
        .collect();
    let decided = |line: &Line<'_>| line.to_string().starts_with(page.look.glyphs.yes);
    let page_at = match step.map(|step| step.stage) {
        Some(Stage::Rules) => computed.iter().position(decided).unwrap_or_default(),
        _ => 0,
    };
    let of_page = figures::of_lines(&computed);
    let of_notes = figures::of_texts(&texts);
    let both: BTreeSet<String> = of_page.intersection(&of_notes).cloned().collect();
    let mut most = (0, 0);
    let mut by_hand = Page::new(notes);
    let mut made = 0;
    for text in &texts {
        let shared = figures::shared(text, &both);
        let shares = shared > 0;
        let glyphs = notes.look.glyphs;
        let (role, mark) = if shares {
            (Role::Accent, glyphs.folded)
        } else {
            (Role::Muted, glyphs.dot)
        };
        let text_role = if shares { Role::Text } else { Role::Muted };
        by_hand.item(role, mark, text_role, text);
        if shared > most.0 {
            most = (shared, made);
        }
        made = by_hand.len();
    }
    if texts.is_empty() {
        by_hand.text(Role::Muted, "The file holds no hand computation.");
    }
    let mark = |pane: &Pane<'_>, lines: Vec<Line<'static>>| {
        lines
            .into_iter()
            .map(|line| figures::marked(pane.look, line, &both))
            .collect()
    };
    Made {
        page: mark(page, computed),
        notes: mark(notes, by_hand.finish()),
        notes_at: most.1,
        page_at,
    }
}

/// What an example covers, and its notes.
pub fn about(entry: &Entry, pane: &Pane<'_>) -> Vec<Line<'static>> {
    let mut page = Page::new(pane);
    page.text(Role::Heading, &entry.title);
    page.gap();
    let mark = pane.look.glyphs.dot;
    for covered in &entry.covers {
        page.item(Role::Muted, mark, Role::Text, covered);
    }
    page.heading("By hand");
    for note in &entry.notes {
        page.item(Role::Muted, mark, Role::Muted, note);
    }
    page.finish()
}

/// The examples, a line each; of one, by its number, every step.
///
/// # Errors
/// There is no such example.
pub fn plain(number: Option<u32>, pane: &Pane<'_>) -> Result<Vec<String>, String> {
    let Some(number) = number else {
        let line = |entry: &Entry| {
            let sections = entry.sections.join(" ");
            format!("{:>3}  {}  {sections}", entry.number, entry.title)
        };
        return Ok(entries().iter().map(line).collect());
    };
    let opened = open(number)?;
    let mut out = vec![format!("{number}  {}", shown(&opened.scenario.name))];
    let all = steps(&opened.scenario, &opened.walk);
    for (place, one) in all.iter().enumerate() {
        let made = step(&opened, Some(*one), pane, pane);
        if place == 0 {
            out.push(String::new());
            out.push("By hand".to_owned());
            out.extend(plain_lines(made.notes));
        }
        let heading = heading(&opened, *one);
        out.push(String::new());
        out.push(pane.look.glyphs.rule.repeat(width(&heading)));
        out.push(heading);
        out.push(String::new());
        out.extend(plain_lines(made.page));
    }
    Ok(out)
}

/// What a step is about, as a title.
pub fn heading(opened: &Opened, step: Step) -> String {
    let of = step
        .subject
        .and_then(|at| opened.walk.subjects.get(at))
        .map(|(name, _)| format!("{}: ", shown(&name.to_string())));
    format!(
        "{}{} {}",
        of.unwrap_or_default(),
        step.stage.title(),
        step.stage.section()
    )
}
