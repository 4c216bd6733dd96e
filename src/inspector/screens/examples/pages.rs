//! The page of each step: what the grading looked at, from its trace.

use std::collections::BTreeMap;

use attest_canon::Id;
use attest_grading::decide::orphans::NoOrphan;
use attest_grading::decide::trace::{
    CandidateTrace, ClaimTrace, Fate, OrphanTrace, RowFate, Trace,
};
use attest_grading::decide::{Ratio, TraceSubject};
use attest_grading::model::{Claim, Observation, Precision};
use attest_grading::scenario::{Scenario, Walk};
use ratatui::text::{Line, Span};

use super::steps::Stage;
use crate::inspector::panes::Pane;
use crate::inspector::panes::tabs::arithmetic;
use crate::inspector::panes::tabs::format::{Clock, fraction, length, money, points, unit};
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

/// A claim on one line.
fn claim_text(claim: &Claim, clock: Clock) -> String {
    let mut parts = vec![claim.agent.to_string(), claim.action.to_string()];
    parts.extend(
        claim
            .counterparty
            .as_deref()
            .map(|who| shown(who).into_owned()),
    );
    parts.extend(
        claim
            .subject_hint
            .as_deref()
            .map(|what| format!("\"{}\"", shown(what))),
    );
    parts.extend(claim.amount.map(|cents| money(cents.get(), claim.currency)));
    let mut at = clock.at(claim.claimed_at.instant());
    if let Some(end) = claim.claimed_at_end {
        at.push_str(&format!(" until {}", clock.at(end.instant())));
    }
    if claim.precision != Precision::Minute {
        at.push_str(&format!(" to {}", unit(claim.precision)));
    }
    parts.push(at);
    if let Some(target) = claim.target_at {
        parts.push(format!("event {}", clock.at(target.instant())));
    }
    parts.join("  ")
}

/// A row on one line.
fn row_text(row: &Observation, clock: Clock) -> String {
    let mut parts = vec![row.source.to_string(), row.action.to_string()];
    let texts = [&row.counterparty, &row.merchant, &row.subject_hint];
    parts.extend(
        texts
            .into_iter()
            .filter_map(|text| Some(shown(text.as_deref()?).into_owned())),
    );
    parts.extend(row.amount.map(|cents| money(cents.get(), row.currency)));
    parts.push(clock.at(row.occurred_at.instant()));
    if row.observed_at.instant() != row.occurred_at.instant() {
        parts.push(format!("seen {}", clock.at(row.observed_at.instant())));
    }
    parts.join("  ")
}

fn write_world(page: &mut Page<'_>, example: &Example<'_>) {
    let world = &example.walk.world;
    let clock = example.clock();
    let at = world.coverage.evaluated_at.instant();
    page.pair(
        "batch at",
        Role::Text,
        &format!("{} {}", clock.at(at), clock.zone()),
    );
    if example.scenario.policy_patch.is_some() {
        page.pair(
            "policy",
            Role::Warning,
            "the shipped one, patched by the file",
        );
    } else {
        page.pair("policy", Role::Text, "the shipped one");
    }
    page.heading("Claims");
    for claim in &world.claims {
        page.pair(
            &example.name(claim.id),
            Role::Text,
            &claim_text(claim, Clock::of(&claim.claimed_at)),
        );
    }
    if world.claims.is_empty() {
        page.text(Role::Muted, "Nobody claimed anything.");
    }
    page.heading("Rows");
    for row in &world.observations {
        page.pair(
            &example.name(row.id),
            Role::Text,
            &row_text(row, Clock::of(&row.occurred_at)),
        );
    }
    if world.observations.is_empty() {
        page.text(Role::Muted, "Nothing was seen.");
    }
    page.heading("Looked at");
    for view in &world.coverage.observers {
        let text = format!(
            "{}  synced {}",
            clock.span(view.window()),
            clock.at(view.last_sync_at.instant())
        );
        page.pair(view.source.as_str(), Role::Text, &text);
    }
    if world.coverage.observers.is_empty() {
        page.text(Role::Muted, "Nobody looked.");
    }
    for repair in &world.coverage.repairs {
        page.pair(
            "clock repair",
            Role::Warning,
            &clock.span(repair.interval()),
        );
    }
    let activity = &world.activity;
    let mut seen: Vec<(String, String)> = Vec::new();
    seen.extend(activity.sessions.iter().map(|one| {
        let text = format!("session at {}", clock.at(one.at.instant()));
        (one.agent.to_string(), text)
    }));
    seen.extend(activity.idle.iter().map(|one| {
        let text = format!("away {}", clock.span(one.interval()));
        ("the person".to_owned(), text)
    }));
    seen.extend(activity.entries.iter().map(|one| {
        let action = one.action.map_or("no type", |action| action.as_str());
        let text = format!("log entry at {}, {action}", clock.at(one.at.instant()));
        (one.agent.to_string(), text)
    }));
    seen.extend(activity.adapter_syncs.iter().map(|one| {
        let text = format!("log imported {}", clock.at(one.last_sync_at.instant()));
        (one.agent.to_string(), text)
    }));
    if !seen.is_empty() {
        page.heading("Activity");
        for (who, text) in seen {
            page.pair(&who, Role::Text, &text);
        }
    }
    if !world.fixed.is_empty() {
        page.heading("Graded before");
        for pair in &world.fixed {
            let row = example.name(pair.observation_id);
            let text = match pair.claim_id {
                Some(claim) => format!("evidence of {}", example.name(claim)),
                None => "taken: a person decided about it".to_owned(),
            };
            page.pair(&row, Role::Text, &text);
        }
    }
    write_fates(page, example);
}

/// What became of every row of the batch.
fn write_fates(page: &mut Page<'_>, example: &Example<'_>) {
    if example.walk.rows.is_empty() {
        return;
    }
    page.heading("What becomes of the rows");
    for (id, fate) in &example.walk.rows {
        let (role, text) = match fate {
            RowFate::Unseen => (
                Role::Muted,
                "not seen: stored after the batch, or one fact with another".to_owned(),
            ),
            RowFate::Held(claim) => (Role::Good, format!("held by {}", example.name(*claim))),
            RowFate::Fixed(claim) => (
                Role::Warning,
                format!("already evidence of {}", example.name(*claim)),
            ),
            RowFate::Taken => (Role::Warning, "taken: a person decided about it".to_owned()),
            RowFate::NoOrphan(why) => (
                Role::Muted,
                format!("nobody's, and no orphan: {}", no_orphan(*why)),
            ),
            RowFate::Unattributed => (
                Role::Muted,
                "an orphan; no agent's own signal fired".to_owned(),
            ),
            RowFate::Unlikely => (
                Role::Muted,
                "an orphan; likely of no agent, below the threshold".to_owned(),
            ),
            RowFate::Unasked => (Role::Unasked, "unasked: likely an agent's".to_owned()),
        };
        page.pair(&example.name(*id), role, &text);
    }
}

const fn no_orphan(why: NoOrphan) -> &'static str {
    match why {
        NoOrphan::OtherSource => "the policy reads its type from another source",
        NoOrphan::NotCovered => "no view of its source saw the moment it happened",
        NoOrphan::NotFollowed => "no view followed changes from before it was first seen",
        NoOrphan::FirstLook => "a view may have found it already there",
    }
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
