//! What is said of one receipt of the queue.

use attest_grading::decide::attribution::AgentCase;
use attest_grading::decide::finality::Waiting;
use attest_grading::decide::trace::Trace;
use attest_grading::model::{BasisPoints, Instant, Interval, OverrideGrade, UnaskedSignal};
use attest_grading::reason_text::source_text;
use ratatui::text::{Line, Span};

use super::Fate;
use super::axis::Axis;
use super::case::{Case, Unasked};
use crate::inspector::action::{Action, Context};
use crate::inspector::app::events::word;
use crate::inspector::app::state::Tab;
use crate::inspector::panes::tabs::format::{Clock, length, points};
use crate::inspector::panes::tabs::write::Page;
use crate::inspector::panes::{Pane, detail};
use crate::inspector::row::Row;
use crate::inspector::screens::Scene;
use crate::inspector::text::{Align, fit};
use crate::inspector::theme::Role;

/// Cells of a score's bar.
const BAR: usize = 16;
/// Cells of the names beside the time axis.
const NAME: usize = 17;

/// The lines of a case.
pub fn of(
    scene: &Scene<'_>,
    width: u16,
    row: &Row,
    fate: Fate,
    case: Result<&Case, &String>,
) -> Vec<Line<'static>> {
    let pane = Pane {
        look: scene.look,
        width: usize::from(width),
        unfolded: false,
        keymap: scene.keymap,
    };
    let mut page = Page::new(&pane);
    let case = match case {
        Ok(case) => case,
        Err(why) => {
            page.text(Role::Warning, why);
            return page.finish();
        }
    };
    write_question(&mut page, row, fate);
    let trace = case.explained.trace.as_ref();
    if let (Ok(trace), Some(unasked)) = (trace, &case.unasked) {
        write_unasked(&mut page, trace, unasked);
        return page.finish();
    }
    page.gap();
    let mut lines = page.finish();
    lines.extend(detail(&pane, Tab::Why, &case.explained));
    lines
}

/// What is asked of the person, and with which keys.
fn write_question(page: &mut Page<'_>, row: &Row, fate: Fate) {
    let look = page.look();
    match fate {
        Fate::Decided => {
            let text = format!("You decided: it counts as {}.", row.verdict());
            page.item(Role::Overridden, look.glyphs.overridden, Role::Text, &text);
            return;
        }
        Fate::Skipped => page.text(Role::Muted, "You put it off."),
        Fate::Waiting => {}
    }
    let question = if row.is_orphan {
        "Did an agent do it?"
    } else {
        "Did it happen?"
    };
    let mut spans = vec![look.span(Role::Heading, question)];
    for (action, grade) in [
        (Action::Confirm, OverrideGrade::Verified),
        (Action::Deny, OverrideGrade::NotFound),
    ] {
        let stack = [Context::List, Context::Review, Context::Global];
        if let Some(key) = page.pane.keymap.shown(&stack, action) {
            spans.push(Span::raw("  "));
            spans.push(look.span(Role::Key, key.to_string()));
            spans.push(look.span(Role::Text, format!(" {}", word(grade, row.is_orphan))));
        }
    }
    page.line(spans);
}

fn write_unasked(page: &mut Page<'_>, trace: &Trace, unasked: &Unasked) {
    let row = &unasked.observation;
    let clock = Clock::of(&row.occurred_at);
    let anchor = unasked.found.anchor;
    page.gap();
    let text = format!(
        "{} shows it at {} {}, and nobody claimed it.",
        source_text(row.source),
        clock.at(row.occurred_at.instant()),
        clock.zone()
    );
    page.text(Role::Text, &text);
    if anchor != row.occurred_at.instant() {
        let text = format!(
            "It was first seen at {}: from there it is measured.",
            clock.at(anchor)
        );
        page.text(Role::Text, &text);
    }
    if unasked.differs {
        page.text(
            Role::Warning,
            "The ledger's activity changed since the receipt was graded: what follows is what it says now.",
        );
    }
    write_winner(page, trace, unasked);
    // The likely agent first, then those that anything of their own speaks for.
    let likely = unasked.found.attribution.as_ref().map(|found| found.agent);
    let mut cases: Vec<&AgentCase> = unasked.found.cases.iter().collect();
    cases.sort_by_key(|case| likely != Some(case.agent));
    let (spoken, silent): (Vec<&AgentCase>, Vec<&AgentCase>) =
        cases.into_iter().partition(|case| has_own(case));
    for case in spoken {
        write_case(page, trace, unasked, case, clock);
    }
    write_silent(page, trace, &silent);
    write_axis(page, trace, unasked, clock);
    write_deadline(page, trace, clock);
}

/// Whether there is anything of the agent's own to show, fired or not.
fn has_own(case: &AgentCase) -> bool {
    is_own(case) || !case.sessions.is_empty() || !case.entries.is_empty()
}

/// The agents nothing of their own speaks for, by their common score.
fn write_silent(page: &mut Page<'_>, trace: &Trace, silent: &[&AgentCase]) {
    if silent.is_empty() {
        return;
    }
    page.gap();
    let mut scores: Vec<BasisPoints> = silent.iter().map(|case| case.score).collect();
    scores.sort_unstable();
    scores.dedup();
    for score in scores.into_iter().rev() {
        let names: Vec<&str> = silent
            .iter()
            .filter(|case| case.score == score)
            .map(|case| case.agent.as_str())
            .collect();
        let away = if score > BasisPoints::default() {
            "only that you were away, which points at nobody"
        } else {
            "nothing"
        };
        let text = format!(
            "{}: {} of {}, {away}.",
            names.join(", "),
            points(score),
            points(trace.numbers.unasked)
        );
        page.item(
            Role::Muted,
            page.glyphs().not_applicable,
            Role::Muted,
            &text,
        );
    }
}

/// Who likely did it, and why that agent before the others.
fn write_winner(page: &mut Page<'_>, trace: &Trace, unasked: &Unasked) {
    page.heading("Who likely did it");
    let found = &unasked.found;
    let Some(likely) = &found.attribution else {
        page.text(
            Role::Text,
            "No agent's own signal fired, so nobody likely did it.",
        );
        return;
    };
    let agent = likely.agent;
    let rivals: Vec<&AgentCase> = found
        .cases
        .iter()
        .filter(|case| case.agent != agent && is_own(case))
        .collect();
    let ties = rivals.iter().filter(|case| case.score == likely.score);
    let because = match (rivals.is_empty(), ties.clone().count()) {
        (true, _) => "nothing of another agent's own speaks for that one".to_owned(),
        (false, 0) => "its score is the highest".to_owned(),
        (false, _)
            if ties
                .clone()
                .all(|case| case.signals.len() < likely.signals.len()) =>
        {
            "of the highest scores it has the most signals".to_owned()
        }
        _ => "of equal scores and signals it is the first by name".to_owned(),
    };
    let verdict = match likely.score >= trace.numbers.unasked {
        true => "at or above",
        false => "below",
    };
    let text = format!(
        "{agent} likely did it: {because}. {} is {verdict} the threshold {}.",
        points(likely.score),
        points(trace.numbers.unasked)
    );
    let mark = page.glyphs().arrow;
    page.item(Role::Unasked, mark, Role::Text, &text);
}

/// Whether a signal of the agent's own fired: being away alone points at nobody.
fn is_own(case: &AgentCase) -> bool {
    let away = UnaskedSignal::UserIdle;
    case.signals.iter().any(|signal| *signal != away)
}

fn write_case(
    page: &mut Page<'_>,
    trace: &Trace,
    unasked: &Unasked,
    case: &AgentCase,
    clock: Clock,
) {
    let look = page.look();
    let threshold = trace.numbers.unasked;
    let reaches = case.score >= threshold;
    let found = unasked.found.attribution.as_ref();
    let likely = found.is_some_and(|found| found.agent == case.agent);
    page.gap();
    let bar = page.glyphs().bar(
        u64::from(case.score.get()),
        u64::from(BasisPoints::ONE.get()),
        BAR,
    );
    let role = if likely { Role::Unasked } else { Role::Text };
    let sign = if reaches { look.glyphs.at_least } else { "<" };
    page.line(vec![
        look.span(role, format!("{:<10}", case.agent)),
        look.span(Role::Bar, fit(&bar, BAR, Align::Left, look.glyphs.cut)),
        Span::raw("  "),
        look.span(role, format!("{:<6}", points(case.score))),
        look.span(
            if reaches { Role::Good } else { Role::Muted },
            format!(" {sign} {}", points(threshold)),
        ),
        look.span(role, if likely { "  likely" } else { "" }),
    ]);
    let times = |all: &[Instant]| {
        let all: Vec<String> = all.iter().map(|at| clock.time(*at)).collect();
        all.join(", ")
    };
    let numbers = &trace.numbers;
    for &signal in UnaskedSignal::ALL {
        let fired = case.signals.contains(&signal);
        let text = match signal {
            UnaskedSignal::AgentSessionActive if case.sessions.is_empty() => continue,
            UnaskedSignal::AgentSessionActive => format!(
                "a session within {} of it: {}",
                length(numbers.session_ms),
                times(&case.sessions)
            ),
            UnaskedSignal::ActivityLogAdjacent if case.entries.is_empty() => continue,
            UnaskedSignal::ActivityLogAdjacent => format!(
                "its log within {} of it: {}",
                length(numbers.adjacent_ms),
                times(&case.entries)
            ),
            UnaskedSignal::UserIdle if !fired => continue,
            UnaskedSignal::UserIdle => {
                let spans: Vec<String> = unasked
                    .found
                    .idle
                    .iter()
                    .map(|span| clock.span(*span))
                    .collect();
                format!(
                    "you were away for the {} before: {}",
                    length(numbers.idle_ms),
                    spans.join(", ")
                )
            }
            UnaskedSignal::AgentSignature if !fired => continue,
            UnaskedSignal::AgentSignature => "the subject holds its signature".to_owned(),
        };
        let weight = unasked.weights.iter().find(|(one, _)| *one == signal);
        let weight = weight.map_or_else(String::new, |(_, weight)| points(*weight));
        if fired {
            let text = format!("likely, {weight}: {text}");
            page.item_at(2, Role::Good, page.glyphs().yes, Role::Text, &text);
        } else {
            page.item_at(
                2,
                Role::Muted,
                page.glyphs().not_applicable,
                Role::Muted,
                &text,
            );
        }
        if case.same_fact == Some(signal) {
            page.indented(
                4,
                Role::Warning,
                "every session is one of its log entries: one fact, of which only the heavier signal counts",
            );
        }
        if signal == UnaskedSignal::ActivityLogAdjacent {
            for claim in &case.silenced_by {
                let text = format!(
                    "its claim of the same type at {} speaks for these entries, so they accuse it of nothing",
                    clock.span(*claim)
                );
                page.indented(4, Role::Warning, &text);
            }
        }
    }
}

/// Everything that spoke, around the action.
fn write_axis(page: &mut Page<'_>, trace: &Trace, unasked: &Unasked, clock: Clock) {
    let cells = page.pane.width.saturating_sub(NAME);
    if cells < 20 {
        return;
    }
    let glyphs = page.glyphs();
    let numbers = &trace.numbers;
    let anchor = unasked.found.anchor;
    let widest = numbers
        .session_ms
        .max(numbers.adjacent_ms)
        .max(numbers.idle_ms);
    let around = |ms: i64| Interval {
        from: anchor.minus(ms),
        to: anchor.plus(ms),
    };
    let axis = Axis {
        span: around(widest),
        cells,
    };
    page.heading("When");
    let (first, last) = (clock.time(axis.span.from), clock.time(axis.span.to));
    let middle = clock.time(anchor);
    let gap = cells.saturating_sub(first.len() + middle.len() + last.len());
    let times = format!(
        "{first}{}{middle}{}{last}",
        " ".repeat(gap / 2),
        " ".repeat(gap - gap / 2)
    );
    let look = page.look();
    let line = |page: &mut Page<'_>, role: Role, name: &str, drawn: String| {
        let name = fit(name, NAME, Align::Left, glyphs.cut);
        page.line(vec![look.span(Role::Muted, name), look.span(role, drawn)]);
    };
    line(page, Role::Muted, "", times);
    let rule = axis.row(&[axis.span], glyphs.rule, &[anchor], glyphs.instant);
    line(page, Role::Accent, "the action", rule);
    if !unasked.found.idle.is_empty() {
        let row = axis.row(&unasked.found.idle, glyphs.span, &[], glyphs.instant);
        line(page, Role::Text, "you, away", row);
    }
    for case in &unasked.found.cases {
        for (what, instants, reach) in [
            ("session", &case.sessions, numbers.session_ms),
            ("log", &case.entries, numbers.adjacent_ms),
        ] {
            if !instants.is_empty() {
                let row = axis.row(&[around(reach)], glyphs.dot, instants, glyphs.instant);
                line(page, Role::Text, &format!("{} {what}", case.agent), row);
            }
        }
        if !case.silenced_by.is_empty() {
            let row = axis.row(&case.silenced_by, glyphs.span, &[], glyphs.instant);
            line(page, Role::Warning, &format!("{} claimed", case.agent), row);
        }
    }
}

/// Until when a late claim may explain it (§7).
fn write_deadline(page: &mut Page<'_>, trace: &Trace, clock: Clock) {
    page.heading("A late claim");
    if let Waiting::Import { adapter, deadline } = trace.finality.waiting {
        let text = format!(
            "It was open to one until the log of {} was imported at or after {}, or a batch ran at or after {} {}.",
            trace.receipt.agent,
            clock.at(adapter),
            clock.at(deadline),
            clock.zone()
        );
        page.text(Role::Text, &text);
    }
    page.text(
        Role::Text,
        "It is final now. A claim that becomes final with this action as its evidence still explains it.",
    );
}
