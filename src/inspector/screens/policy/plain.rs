//! The lines of the screen: what draws them, and what prints them without a terminal.

use std::collections::BTreeMap;

use ratatui::text::{Line, Span};

use super::document::{Document, PolicyLine, Proposal, outcome_word};
use super::preview::{Change, Outcome, Preview, preview_watched, word};
use crate::inspector::look::{Look, grade_role};
use crate::inspector::panes::Pane;
use crate::inspector::panes::tabs::write::Page;
use crate::inspector::screens::Facts;
use crate::inspector::screens::reading::plain_lines;
use crate::inspector::screens::replay;
use crate::inspector::text::{Align, count, counted, fit, width};
use crate::inspector::theme::Role;

/// Cells of a rule's id, or of a number's or list's name.
const NAME: usize = 34;
/// Cells of a verdict.
const VERDICT: usize = 12;

/// A line of the policy, cut to the width; a number that was changed says so.
pub fn line(of: &PolicyLine, changed: bool, room: usize, look: &Look) -> Line<'static> {
    let cut = look.glyphs.cut;
    let name_cells = NAME.min(room / 2);
    match of {
        PolicyLine::Heading(text) => Line::styled(*text, look.style(Role::Heading)),
        PolicyLine::Rule {
            place,
            id,
            when,
            then,
        } => {
            let role = match then {
                attest_grading::model::Outcome::Pending => Role::Checking,
                outcome => grade_role(outcome.grade()),
            };
            let when = if when.is_empty() {
                "always".to_owned()
            } else {
                when.join(", ")
            };
            let id_cells = name_cells.saturating_sub(5).min(24);
            Line::from(vec![
                look.span(Role::Muted, format!("{place:>3}  ")),
                look.span(Role::Text, fit(id, id_cells, Align::Left, cut)),
                Span::raw(" "),
                look.span(role, format!("{:<VERDICT$} ", outcome_word(*then))),
                look.span(Role::Muted, when),
            ])
        }
        PolicyLine::Number {
            path,
            written,
            unit,
        } => {
            // The heading says the section.
            let name = path.split_once('.').map_or(path.as_str(), |(_, name)| name);
            let (mark, role) = if changed {
                (look.glyphs.overridden, Role::Preview)
            } else {
                (" ", Role::Text)
            };
            Line::from(vec![
                look.span(Role::Preview, format!("  {mark}  ")),
                look.span(
                    Role::Muted,
                    fit(name, name_cells.saturating_sub(5), Align::Left, cut),
                ),
                Span::raw(" "),
                look.span(role, written.clone()),
                look.span(Role::Muted, format!(" {unit}")),
            ])
        }
        PolicyLine::List { name, members } => Line::from(vec![
            Span::raw("     "),
            look.span(
                Role::Muted,
                fit(name, name_cells.saturating_sub(5), Align::Left, cut),
            ),
            Span::raw(" "),
            look.span(Role::Text, members.clone()),
        ]),
    }
}

/// A rule or a list with everything it says, then a text.
pub fn whole(of: Option<&PolicyLine>, text: &str, pane: &Pane<'_>) -> Vec<Line<'static>> {
    let mut page = Page::new(pane);
    match of {
        Some(PolicyLine::Rule { id, when, then, .. }) => {
            let when = match when.is_empty() {
                true => "always".to_owned(),
                false => when.join(", "),
            };
            page.pair(outcome_word(*then), Role::Text, id);
            page.pair("when", Role::Text, &when);
            page.gap();
        }
        Some(PolicyLine::List { name, members }) => {
            page.pair(name, Role::Text, members);
            page.gap();
        }
        Some(PolicyLine::Heading(_) | PolicyLine::Number { .. }) | None => {}
    }
    page.text(Role::Muted, text);
    page.finish()
}

/// A receipt that would change: what it says, what it would say, who and what, the rules.
pub fn change(of: &Change, room: usize, look: &Look) -> Line<'static> {
    let role = |verdict: Option<&super::preview::Verdict>| match verdict {
        Some(verdict) => verdict.grade.map_or(Role::Checking, grade_role),
        None => Role::Muted,
    };
    let side = |verdict: Option<&super::preview::Verdict>| {
        look.span(role(verdict), format!("{:<VERDICT$}", word(verdict)))
    };
    let (before, after) = (of.before.as_ref(), of.after.as_ref());
    let mut spans = vec![
        side(before),
        look.span(Role::Preview, format!(" {} ", look.glyphs.arrow)),
        side(after),
        Span::raw("  "),
        look.span(Role::Text, of.label.clone()),
    ];
    if of.is_overridden {
        spans.push(look.span(Role::Overridden, "  a person's word stands"));
    }
    let rules = |verdict: Option<&super::preview::Verdict>| {
        verdict
            .map_or("none", |verdict| verdict.rule.as_str())
            .to_owned()
    };
    let rules = format!("  {} {} {}", rules(before), look.glyphs.arrow, rules(after));
    let used: usize = spans.iter().map(|span| width(&span.content)).sum();
    if used + width(&rules) <= room {
        spans.push(look.span(Role::Muted, rules));
    }
    Line::from(spans)
}

/// What was looked at, as a few lines.
pub fn summary(preview: &Preview, proposal: &Proposal, pane: &Pane<'_>) -> Vec<Line<'static>> {
    let mut page = Page::new(pane);
    let mut text = format!(
        "{} derived again, {} graded anew: {} would change",
        counted(preview.stored, "stored receipt", "stored receipts"),
        counted(preview.open, "open one", "open ones"),
        count(preview.changes.len())
    );
    if preview.other_score > 0 {
        text.push_str(&format!(
            ", {} would keep what they say at another score",
            count(preview.other_score)
        ));
    }
    text.push('.');
    page.text(Role::Text, &text);
    let mut kinds: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for change in &preview.changes {
        let kind = (word(change.before.as_ref()), word(change.after.as_ref()));
        *kinds.entry(kind).or_default() += 1;
    }
    let arrow = pane.look.glyphs.arrow;
    let kinds: Vec<String> = kinds
        .into_iter()
        .map(|((before, after), n)| format!("{} {before} {arrow} {after}", count(n)))
        .collect();
    if !kinds.is_empty() {
        page.text(Role::Preview, &kinds.join(", "));
    }
    for (field, n) in &preview.underivable {
        let text = format!(
            "{} cannot be derived: {}",
            count(*n),
            replay::no_side(*field)
        );
        page.text(Role::Warning, &text);
    }
    let of_signals = |path: &String| path.starts_with("unasked.") && path != "unasked.threshold";
    let touches = proposal.numbers.keys().any(of_signals) || proposal.file.is_some();
    if touches && preview.stored > 0 {
        page.text(
            Role::Muted,
            "Stored batches keep who likely did what, with its score: other signal weights and reaches show in open receipts alone.",
        );
    }
    page.finish()
}

/// The lines of a policy.
fn policy(document: &Document, proposal: &Proposal, pane: &Pane<'_>) -> Vec<String> {
    let mut out = vec![format!("policy {}", document.hash)];
    for of in &document.lines {
        if matches!(of, PolicyLine::Heading(_)) {
            out.push(String::new());
        }
        let changed = is_changed(of, proposal);
        let line = line(of, changed, pane.width, pane.look);
        out.extend(plain_lines(vec![line]));
    }
    out
}

/// Whether a line is a number that the proposal changes.
pub fn is_changed(of: &PolicyLine, proposal: &Proposal) -> bool {
    matches!(of, PolicyLine::Number { path, .. } if proposal.numbers.contains_key(path))
}

/// The screen as lines: the loaded policy; with a proposal, what it would change first.
///
/// # Errors
/// Grading refuses the ledger's open receipts.
pub fn plain(
    facts: &Facts<'_>,
    proposal: &Proposal,
    pane: &Pane<'_>,
) -> Result<Vec<String>, String> {
    if proposal.is_empty() {
        return Ok(policy(&Document::new(facts.policy), proposal, pane));
    }
    let outcome = preview_watched(proposal, facts, |_, _, _| true)?;
    let mut out = vec![format!(
        "preview of {}: nothing of it is stored",
        proposal.text()
    )];
    match outcome {
        Outcome::Refused(lines) => {
            out.push("the policy is refused:".to_owned());
            out.extend(lines.iter().map(|line| format!("  {line}")));
        }
        Outcome::Failed(why) => out.push(why),
        Outcome::Preview(preview) => {
            out.extend(plain_lines(summary(&preview, proposal, pane)));
            out.push(String::new());
            for of in &preview.changes {
                let line = change(of, usize::MAX, pane.look).to_string();
                out.push(format!("{}  {}", of.id, line.trim_end()));
            }
            out.push(String::new());
            out.extend(policy(&preview.document, proposal, pane));
        }
    }
    Ok(out)
}
