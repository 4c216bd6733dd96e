//! *Timeline*, a tab of a receipt's detail: the instants its grading read, on one axis, and each
//! with its time.

use attest_grading::decide::trace::{ClaimTrace, OrphanTrace, Trace, TraceSubject};
use attest_grading::model::{Instant, Interval};
use ratatui::text::Span;

use super::axis::View;
use crate::inspector::panes::tabs::format::Clock;
use crate::inspector::panes::tabs::write::Page;
use crate::inspector::text::{Align, fit};
use crate::inspector::theme::Role;

/// Cells of a name.
const NAME: usize = 18;
/// Most views and rows shown each; a crowd is counted.
const MOST: usize = 12;

/// One line of the axis.
struct Track {
    name: String,
    at: Interval,
    role: Role,
    text: String,
}

/// Writes the tab.
pub fn write(page: &mut Page<'_>, trace: &Trace) {
    let clock = Clock::of(&trace.evaluated_at);
    let mut tracks = Vec::new();
    let hidden = match &trace.subject {
        TraceSubject::Claim(claim) => of_claim(&mut tracks, claim, clock),
        TraceSubject::Orphan(orphan) => of_orphan(&mut tracks, trace, orphan, clock),
        TraceSubject::Scope { .. } => 0,
    };
    let at = trace.evaluated_at.instant();
    instant(&mut tracks, "batch", at, Role::Heading, clock);
    if let Some(from) = trace.finality.final_from {
        instant(&mut tracks, "final from", from, Role::Checking, clock);
    }
    for repair in &trace.repairs {
        span(
            &mut tracks,
            "clock repair".to_owned(),
            repair.interval(),
            Role::Warning,
            clock,
        );
    }
    draw(page, &tracks, clock);
    if hidden > 0 {
        page.gap();
        page.text(
            Role::Muted,
            &format!("and {hidden} more that are not drawn"),
        );
    }
}

fn instant(tracks: &mut Vec<Track>, name: &str, at: Instant, role: Role, clock: Clock) {
    tracks.push(Track {
        name: name.to_owned(),
        at: Interval { from: at, to: at },
        role,
        text: clock.at(at),
    });
}

fn span(tracks: &mut Vec<Track>, name: String, at: Interval, role: Role, clock: Clock) {
    tracks.push(Track {
        name,
        at,
        role,
        text: clock.span(at),
    });
}

/// The instants a claim's grade read; how many are left out.
fn of_claim(tracks: &mut Vec<Track>, claim: &ClaimTrace, clock: Clock) -> usize {
    span(
        tracks,
        "claimed".to_owned(),
        claim.unit,
        Role::Accent,
        clock,
    );
    if let Some(target) = &claim.claim.target_at {
        instant(tracks, "event", target.instant(), Role::Text, clock);
    }
    if let Some(window) = claim.window {
        span(tracks, "window".to_owned(), window, Role::Text, clock);
    }
    let mut hidden = 0;
    for (place, one) in claim.candidates.iter().enumerate() {
        if place >= MOST {
            hidden += 1;
            continue;
        }
        let best = Some(place) == claim.best;
        let (name, role) = if best {
            ("best candidate", Role::Good)
        } else {
            ("candidate", Role::Muted)
        };
        let at = one.observation.occurred_at.instant();
        instant(tracks, name, at, role, clock);
    }
    let read = claim.entries.iter().filter(|one| one.verdict.is_ok());
    for (place, one) in read.enumerate() {
        if place >= MOST {
            hidden += 1;
            continue;
        }
        let role = match &one.verdict {
            Ok(caps) if caps.is_empty() => Role::Bar,
            _ => Role::Warning,
        };
        let name = format!("seen {}", one.entry.source);
        span(tracks, name, one.entry.window(), role, clock);
        let synced = one.entry.last_sync_at.instant();
        instant(tracks, "  synced", synced, Role::Muted, clock);
    }
    let deadlines = &claim.deadlines;
    instant(tracks, "grace until", deadlines.grace, Role::Muted, clock);
    if deadlines.whole_window != deadlines.grace {
        let at = deadlines.whole_window;
        instant(tracks, "window seen", at, Role::Muted, clock);
    }
    instant(tracks, "gives up", deadlines.give_up, Role::Muted, clock);
    hidden
}

/// The instants an orphan's grade read; how many are left out.
fn of_orphan(tracks: &mut Vec<Track>, trace: &Trace, orphan: &OrphanTrace, clock: Clock) -> usize {
    let at = orphan.observation.occurred_at.instant();
    instant(tracks, "happened", at, Role::Unasked, clock);
    let mut hidden = 0;
    if let Some(found) = &orphan.attribution {
        if found.anchor != at {
            instant(tracks, "first seen", found.anchor, Role::Text, clock);
        }
        for idle in &found.idle {
            span(tracks, "away".to_owned(), *idle, Role::Muted, clock);
        }
        let mut drawn = 0;
        for case in &found.cases {
            let pings = case.sessions.iter().map(|at| ("session", *at));
            let logged = case.entries.iter().map(|at| ("log", *at));
            for (what, at) in pings.chain(logged) {
                drawn += 1;
                if drawn > MOST {
                    hidden += 1;
                    continue;
                }
                let name = format!("{what} {}", case.agent);
                instant(tracks, &name, at, Role::Accent, clock);
            }
        }
    }
    let imported = trace.context.attribution.as_ref();
    if let Some(sync) = imported.and_then(|found| found.adapter_last_sync_at) {
        instant(tracks, "log imported", sync.instant(), Role::Muted, clock);
    }
    hidden
}

/// Each line's name, its place on the axis, its time.
fn draw(page: &mut Page<'_>, tracks: &[Track], clock: Clock) {
    let from = tracks.iter().map(|track| track.at.from).min();
    let to = tracks.iter().map(|track| track.at.to).max();
    let Some(whole) = from.zip(to).map(|(from, to)| Interval { from, to }) else {
        return;
    };
    let look = page.look();
    let glyphs = page.glyphs();
    let longest = tracks.iter().map(|track| track.text.len()).max();
    let text_cells = longest.unwrap_or(0).min(40);
    let wide = page.pane.width >= NAME + text_cells + 32;
    let across = if wide {
        page.pane.width.saturating_sub(NAME + text_cells + 3)
    } else {
        page.pane.width.saturating_sub(NAME + 1)
    };
    let across = across.max(8);
    let view = View::whole(whole, across);
    let mut ticks = String::new();
    for (cell, label) in view.ticks(across, clock) {
        let gap = cell.saturating_sub(ticks.len());
        ticks.push_str(&" ".repeat(gap));
        ticks.push_str(&label);
    }
    page.line(vec![
        look.span(
            Role::Muted,
            fit(&clock.zone(), NAME, Align::Left, glyphs.cut),
        ),
        Span::raw(" "),
        look.span(Role::Muted, fit(&ticks, across, Align::Left, glyphs.cut)),
    ]);
    for track in tracks {
        let first = view.cell(track.at.from.ms(), across);
        let last = view.cell(track.at.to.ms(), across);
        let place = |cell: i64| usize::try_from(cell).unwrap_or(0).min(across - 1);
        // A span that ends before it begins is legal data and matches nothing
        // (readings 54): it is drawn over what lies between its ends.
        let (first, last) = (place(first.min(last)), place(first.max(last)));
        let drawn = if track.at.from == track.at.to {
            glyphs.instant.to_owned()
        } else {
            glyphs.span.repeat(last - first + 1)
        };
        let mut spans = vec![
            look.span(Role::Muted, fit(&track.name, NAME, Align::Left, glyphs.cut)),
            look.span(Role::Track, format!(" {}", " ".repeat(first))),
            look.span(track.role, drawn),
        ];
        if wide {
            spans.push(Span::raw(" ".repeat(across - 1 - last + 2)));
            spans.push(look.span(Role::Text, track.text.clone()));
            page.line(spans);
        } else {
            page.line(spans);
            page.indented(NAME + 1, Role::Muted, &track.text);
        }
    }
}
