//! The page of each step: what the grading looked at, from its trace.

use std::collections::BTreeMap;

use attest_canon::Id;
use attest_grading::decide::trace::{CandidateTrace, ClaimTrace, Fate, OrphanTrace, Trace};
use attest_grading::decide::{Ratio, TraceSubject};
use attest_grading::model::Observation;
use attest_grading::scenario::{Scenario, Walk};
use ratatui::text::{Line, Span};

use super::steps::Stage;
use super::world::{claim_text, no_orphan, row_text, write_fates, write_world};
use crate::inspector::panes::Pane;
use crate::inspector::panes::tabs::arithmetic;
use crate::inspector::panes::tabs::format::{Clock, fraction, length, points};
use crate::inspector::panes::tabs::rules;
use crate::inspector::panes::tabs::why::waits;
use crate::inspector::panes::tabs::write::Page;
use crate::inspector::text::{cut_middle, shown, width};
use crate::inspector::theme::Role;

/// Cells that the arithmetic gives an id.
const SHORT_ID: usize = 11;

/// An example with what its file calls things.
pub struct Example<'a> {
    /// The file.
    pub scenario: &'a Scenario,
    /// Its grading.
    pub walk: &'a Walk,
    names: BTreeMap<Id, String>,
}

impl<'a> Example<'a> {
    /// An example whose rows go by their names in the file.
    pub fn new(scenario: &'a Scenario, walk: &'a Walk) -> Self {
        let input = &scenario.input;
        let claims = input.claims.iter().map(|row| &row.name);
        let rows = input.observations.iter().map(|row| &row.name);
        let ids = walk.world.claims.iter().map(|claim| claim.id);
        let row_ids = walk.world.observations.iter().map(|row| row.id);
        let mut names: BTreeMap<Id, String> = BTreeMap::new();
        // Rows that are one fact share an id: every name they have is said.
        for (id, name) in ids.zip(claims).chain(row_ids.zip(rows)) {
            let name = shown(name);
            names
                .entry(id)
                .and_modify(|held| {
                    held.push('=');
                    held.push_str(&name);
                })
                .or_insert_with(|| name.into_owned());
        }
        Self {
            scenario,
            walk,
            names,
        }
    }

    /// What the file calls a claim or a row.
    pub fn name(&self, id: Id) -> String {
        let name = self.names.get(&id).cloned();
        name.unwrap_or_else(|| id.to_string())
    }

    /// A line with the file's names in place of ids, whole or cut.
    fn named(&self, line: Line<'static>, cut: &str) -> Line<'static> {
        let mut gone = 0;
        let rename = |span: Span<'static>| {
            let mut text = span.content.into_owned();
            if gone > 0 && !text.is_empty() && text.chars().all(|c| c == ' ') {
                text.push_str(&" ".repeat(gone));
                gone = 0;
            }
            for (id, name) in &self.names {
                let whole = id.to_string();
                for id in [cut_middle(&whole, SHORT_ID, cut).into_owned(), whole] {
                    if text.contains(&id) {
                        gone += width(&id).saturating_sub(width(name));
                        text = text.replace(&id, name);
                    }
                }
            }
            Span::styled(text, span.style)
        };
        Line::from(line.spans.into_iter().map(rename).collect::<Vec<_>>()).style(line.style)
    }

    /// The clock of the example's batch.
    pub fn clock(&self) -> Clock {
        Clock::of(&self.walk.world.coverage.evaluated_at)
    }
}

/// Writes the page of a step.
pub fn lines(
    pane: &Pane<'_>,
    example: &Example<'_>,
    subject: Option<usize>,
    stage: Stage,
) -> Vec<Line<'static>> {
    let mut page = Page::new(pane);
    let trace = subject.and_then(|at| example.walk.subjects.get(at));
    match (stage, trace.map(|(_, trace)| trace)) {
        (Stage::World, _) => write_world(&mut page, example),
        (Stage::Event(place), _) => super::events::write(&mut page, example, place),
        (Stage::Result, _) => super::result::write(&mut page, example),
        (Stage::Rules, Some(trace)) => rules::write_rules(&mut page, trace),
        (Stage::Finality, Some(trace)) => write_finality(&mut page, example, trace),
        (stage, Some(trace)) => match (&trace.subject, stage) {
            (TraceSubject::Claim(claim), Stage::Retrieval) => {
                write_retrieval(&mut page, example, trace, claim);
            }
            (TraceSubject::Claim(_), Stage::Scoring) => arithmetic::write(&mut page, trace),
            (TraceSubject::Claim(claim), Stage::Assignment) => {
                write_assignment(&mut page, example, trace, claim);
            }
            (TraceSubject::Claim(claim), Stage::Coverage) => {
                rules::write_coverage(&mut page, claim, Clock::of(&trace.evaluated_at));
            }
            (TraceSubject::Orphan(orphan), Stage::Orphan) => {
                write_orphan(&mut page, example, orphan);
            }
            (TraceSubject::Orphan(_), Stage::Attribution) => arithmetic::write(&mut page, trace),
            _ => {}
        },
        (_, None) => {}
    }
    let lines = page.finish();
    lines
        .into_iter()
        .map(|line| example.named(line, pane.look.glyphs.cut))
        .collect()
}

fn write_retrieval(page: &mut Page<'_>, example: &Example<'_>, trace: &Trace, claim: &ClaimTrace) {
    let clock = Clock::of(&claim.claim.claimed_at);
    let windows = &trace.numbers.windows;
    page.pair("claim", Role::Text, &claim_text(&claim.claim, clock));
    page.pair(
        "unit",
        Role::Text,
        &format!("{} {}", clock.span(claim.unit), clock.zone()),
    );
    match claim.window {
        Some(window) => {
            page.pair("window", Role::Accent, &clock.span(window));
            let how = if claim.claim.action.is_calendar() {
                format!(
                    "{} on either side of the event",
                    length(windows.calendar_ms)
                )
            } else {
                format!(
                    "{} before the unit, {} after it; both ends belong",
                    length(windows.before_claim_ms),
                    length(windows.after_claim_ms)
                )
            };
            page.pair("", Role::Muted, &how);
        }
        None => page.pair(
            "window",
            Role::Warning,
            "none: a calendar claim without the event's time",
        ),
    }
    if claim.underspecified {
        page.text(
            Role::Warning,
            "It names nothing that tells one action from another: it is never scored.",
        );
    }
    page.heading("Candidates");
    let mut listed = Vec::new();
    for one in &claim.candidates {
        let mark = page.glyphs().yes;
        let row = &one.observation;
        listed.push(row.id);
        let text = format!("{}  {}", example.name(row.id), row_text(row, clock));
        page.item(Role::Good, mark, Role::Text, &text);
    }
    if claim.candidates.is_empty() {
        page.text(Role::Muted, "No row of its type lies in the window.");
    }
    let others: Vec<&Observation> = example
        .walk
        .world
        .observations
        .iter()
        .filter(|row| !listed.contains(&row.id))
        .collect();
    if !others.is_empty() {
        page.heading("Other rows");
        for row in others {
            let mark = page.glyphs().not_reached;
            let text = format!("{}  {}", example.name(row.id), row_text(row, clock));
            page.item(Role::Muted, mark, Role::Muted, &text);
        }
    }
}

fn score_of(one: &CandidateTrace) -> String {
    one.score.map_or_else(
        || "not scored".to_owned(),
        |pair| {
            let gate = if pair.gated { ", time alone" } else { "" };
            format!("{} = {}{gate}", exact(pair.score), pair.score.display())
        },
    )
}

/// A rational as the files write it, always with its denominator.
pub fn exact(ratio: Ratio) -> String {
    ratio.reduced().to_string()
}

fn write_assignment(page: &mut Page<'_>, example: &Example<'_>, trace: &Trace, claim: &ClaimTrace) {
    page.text(
        Role::Muted,
        &format!(
            "Pairs from {} on are assigned, the best first; then what is left is each claim's own.",
            points(trace.numbers.partial)
        ),
    );
    page.gap();
    for (place, one) in claim.candidates.iter().enumerate() {
        let name = example.name(one.observation.id);
        let glyphs = page.glyphs();
        let (role, mark, fate) = match one.fate {
            Fate::Assigned => (Role::Good, glyphs.yes, "assigned to this claim".to_owned()),
            Fate::Open => (Role::Muted, glyphs.dot, "free, and not assigned".to_owned()),
            Fate::Other { claim, score } => (
                Role::Warning,
                glyphs.no,
                format!("held by {} at {}", example.name(claim), exact(score)),
            ),
            Fate::Fixed(claim) => (
                Role::Warning,
                glyphs.no,
                format!("already evidence of {}", example.name(claim)),
            ),
            Fate::Taken => (
                Role::Warning,
                glyphs.no,
                "taken: a person decided about it".to_owned(),
            ),
        };
        let best = if Some(place) == claim.best {
            "  the best it has"
        } else {
            ""
        };
        let text = format!("{name}  {}  {fate}{best}", score_of(one));
        page.item(role, mark, Role::Text, &text);
    }
    if claim.candidates.is_empty() {
        page.text(Role::Text, "There is nothing to assign.");
    }
    if claim.best.is_none() && !claim.candidates.is_empty() {
        page.text(
            Role::Text,
            "Nothing of it is this claim's to be scored with.",
        );
    }
    write_fates(page, example);
}

fn write_orphan(page: &mut Page<'_>, example: &Example<'_>, orphan: &OrphanTrace) {
    let row = &orphan.observation;
    let clock = Clock::of(&row.occurred_at);
    page.pair(&example.name(row.id), Role::Text, &row_text(row, clock));
    page.gap();
    let glyphs = page.glyphs();
    match orphan.orphan {
        Ok(()) => page.item(
            Role::Good,
            glyphs.yes,
            Role::Text,
            "an orphan: nobody holds it, its source is read for its type, and a view saw the moment",
        ),
        Err(why) => page.item(Role::Bad, glyphs.no, Role::Text, no_orphan(why)),
    }
    write_fates(page, example);
}

fn write_finality(page: &mut Page<'_>, example: &Example<'_>, trace: &Trace) {
    let clock = Clock::of(&trace.evaluated_at);
    let finality = &trace.finality;
    if let TraceSubject::Claim(claim) = &trace.subject {
        let deadlines = &claim.deadlines;
        page.pair("grace until", Role::Text, &clock.at(deadlines.grace));
        page.pair("window seen", Role::Text, &clock.at(deadlines.whole_window));
        page.pair("gives up", Role::Text, &clock.at(deadlines.give_up));
        for source in &claim.sources {
            let synced = source
                .last_sync
                .map_or_else(|| "never".to_owned(), |at| clock.at(at));
            page.pair("synced", Role::Text, &format!("{} {synced}", source.source));
        }
        page.gap();
    }
    let glyphs = page.glyphs();
    if finality.is_final {
        page.item(Role::Good, glyphs.settled, Role::Text, "FINAL");
    } else {
        page.item(Role::Checking, glyphs.checking, Role::Text, "PENDING");
    }
    for text in waits(&trace.receipt, Some(finality.waiting), clock) {
        let text = if finality.is_final {
            text.replace("It waits", "It waited")
        } else {
            text
        };
        page.indented(2, Role::Muted, &text);
    }
    page.heading("Receipt");
    super::events::write_receipt(page, example, &trace.receipt);
    if let Some(score) = score_read(trace) {
        page.pair("score", Role::Accent, &score);
    }
}

/// The score the rules read.
fn score_read(trace: &Trace) -> Option<String> {
    let TraceSubject::Claim(claim) = &trace.subject else {
        return None;
    };
    let best = claim.candidates.get(claim.best?)?;
    let score = claim.raise.map_or(best.score?.score, |raise| raise.score);
    Some(format!("{} = {}", fraction(score), score.display()))
}
