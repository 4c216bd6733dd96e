//! A person's word on a receipt, saving, travelling in time: what is asked before each step, and
//! what is said after it.

use std::path::PathBuf;
use std::sync::Arc;

use attest_canon::Id;
use attest_grading::ledger::EventKind;
use attest_grading::ledger::state::knows;
use attest_grading::model::limits::OVERRIDE_REASON;
use attest_grading::model::time::{MS_PER_DAY, MS_PER_HOUR, MS_PER_MINUTE};
use attest_grading::model::{IsoTs, OverrideGrade, Receipt};
use attest_grading::text::has_visible;

use super::export;
use super::overlay::{Button, Dialog, LineAsked, Overlay, Purpose, Step};
use super::state::{App, Effect, Tab};
use super::update::show_tab;
use crate::inspector::action::Action;
use crate::inspector::look::grade_word;
use crate::inspector::panes::tabs::format::Clock;
use crate::inspector::row::{Row, Standing};
use crate::inspector::text::{counted, shown};
use crate::inspector::theme::Role;
use crate::inspector::widgets::cursor::Scroll;
use crate::inspector::widgets::edit::Edit;
use crate::inspector::work::{Deed, Done, Preview, Request};

/// The most events of an earlier run that are listed.
const MOST_LISTED: usize = 8;

/// What a person's word says of a receipt (§8): of a claim's, whether it happened; of an UNASKED
/// one, whether an agent did it.
pub const fn word(grade: OverrideGrade, is_orphan: bool) -> &'static str {
    match (grade, is_orphan) {
        (OverrideGrade::Verified, false) => "it happened",
        (OverrideGrade::NotFound, false) => "it did not happen",
        (OverrideGrade::Verified, true) => "an agent did it",
        (OverrideGrade::NotFound, true) => "no agent did it",
    }
}

/// A receipt as a question names it.
fn named(row: &Row) -> String {
    let likely = if row.is_orphan { "likely " } else { "" };
    let action = row.action_word();
    let mut text = format!("{}: {likely}{}, {action}", row.verdict(), row.agent);
    for part in [&row.who, &row.what] {
        if !part.is_empty() {
            text.push_str(", ");
            text.push_str(part);
        }
    }
    text
}

/// Why nothing can be changed now, if nothing can.
fn fixed(app: &App) -> Option<String> {
    let opened = app.list.opened();
    let back = app.settings.keymap.keys(Action::Now).first();
    let back = back.map_or_else(String::new, |key| format!("; {key} shows what stands"));
    match (&opened.preview, &opened.read_only) {
        (Some(_), _) => Some(format!("a preview is never changed{back}")),
        (None, Some(why)) => Some(format!("read only: {why}")),
        (None, None) => None,
    }
}

fn ask(deed: Deed) -> Vec<Effect> {
    vec![Effect::Ask(Request::Do(deed))]
}

/// The chosen receipt's row and id, unless nothing can be changed.
fn subject(app: &mut App) -> Option<(Row, Id)> {
    if let Some(why) = fixed(app) {
        app.tell(Role::Warning, why);
        return None;
    }
    let chosen = app.list.chosen().cloned();
    let found = chosen.and_then(|row| Id::parse(&row.id).map(|id| (row, id)));
    if found.is_none() {
        app.tell(Role::Warning, "no receipt is chosen");
    }
    found
}

/// Why the state machine refuses an event on a receipt, as far as the receipt is known here.
fn refused(app: &App, id: Id, kind: EventKind) -> Option<String> {
    let (_, explained) = app
        .detail
        .explained
        .as_ref()
        .filter(|(known, _)| *known == id)?;
    if !explained.is_stored {
        let key = app.settings.keymap.keys(Action::StoreBatch).first();
        let key = key.map_or_else(String::new, |key| format!(": {key} stores its batch"));
        return Some(format!("it is graded now and not stored yet{key}"));
    }
    knows(&explained.receipt, kind)
        .err()
        .map(|error| error.to_string())
}

/// Asks what a person says of the chosen receipt.
pub fn begin_override(app: &mut App) -> Vec<Effect> {
    let Some((row, id)) = subject(app) else {
        return Vec::new();
    };
    if let Some(why) = refused(app, id, EventKind::Override) {
        app.tell(Role::Warning, why);
        return Vec::new();
    }
    let button = |grade: OverrideGrade| Button {
        label: format!(
            "{}: it counts as {}",
            word(grade, row.is_orphan),
            grade_word(grade.grade())
        ),
        step: Some(Step::Reason(id, grade)),
    };
    let effect = "Your word counts at once, in place of the grade, until you take it back.";
    app.overlays.push(Overlay::Dialog(Dialog {
        title: "Say what it really is".to_owned(),
        lines: vec![
            (Role::Text, named(&row)),
            (Role::Muted, row.id),
            (Role::Text, effect.to_owned()),
        ],
        buttons: vec![
            Button::cancel("leave it as it is"),
            button(OverrideGrade::Verified),
            button(OverrideGrade::NotFound),
        ],
        at: 0,
        scroll: Scroll::default(),
    }));
    Vec::new()
}

/// Asks for a person's word, this one, on the chosen receipt.
pub fn decide(app: &mut App, grade: OverrideGrade) -> Vec<Effect> {
    match subject(app) {
        Some((row, _)) if row.standing == Standing::Overridden => {
            app.tell(Role::Warning, "you decided already; take that back first");
            Vec::new()
        }
        Some((_, id)) => ask_reason(app, id, grade),
        None => Vec::new(),
    }
}

/// Asks why a person says so.
pub fn ask_reason(app: &mut App, receipt: Id, grade: OverrideGrade) -> Vec<Effect> {
    if let Some(why) = fixed(app).or_else(|| refused(app, receipt, EventKind::Override)) {
        app.tell(Role::Warning, why);
        return Vec::new();
    }
    let id = receipt.to_string();
    let is_orphan = app
        .list
        .chosen()
        .is_some_and(|row| row.is_orphan && row.id == id);
    app.overlays.push(Overlay::Line(LineAsked {
        title: format!("Why: {}", word(grade, is_orphan)),
        note: format!("it counts as {} at once", grade_word(grade.grade())),
        problem: None,
        edit: Edit::default(),
        purpose: Purpose::Reason { receipt, grade },
    }));
    Vec::new()
}

/// What is wrong with a reason, if something is (§8).
fn reason_problem(reason: &str) -> Option<String> {
    let length = reason.chars().count();
    if !has_visible(reason) {
        Some("a reason must show something".to_owned())
    } else if length > OVERRIDE_REASON {
        Some(format!(
            "{length} characters; a reason has at most {OVERRIDE_REASON}"
        ))
    } else {
        None
    }
}

/// Takes a line that was typed; gives it back with the problem where there is one.
pub fn typed(app: &mut App, mut line: LineAsked) -> Vec<Effect> {
    let text = line.edit.text().to_owned();
    let outcome = match line.purpose {
        // What a screen asked never comes here.
        Purpose::Screen(_) => return Vec::new(),
        Purpose::Reason { receipt, grade } => match reason_problem(&text) {
            Some(problem) => Err(problem),
            None => Ok(Deed::Override {
                receipt,
                grade,
                reason: text,
            }),
        },
        Purpose::SaveAs if text.trim().is_empty() => Err("a name is needed".to_owned()),
        Purpose::SaveAs => Ok(Deed::SaveAs(PathBuf::from(text.trim()))),
        Purpose::Export(ref filter) => export::deed(filter.clone(), &text),
        Purpose::Travel => instant(app, &text).map(|at| Deed::Travel(Some(at))),
    };
    match outcome {
        Ok(deed) => ask(deed),
        Err(problem) => {
            line.problem = Some(problem);
            app.overlays.push(Overlay::Line(line));
            Vec::new()
        }
    }
}

/// Asks the desk what taking back the word on the chosen receipt would do.
pub fn begin_revert(app: &mut App) -> Vec<Effect> {
    let Some((_, id)) = subject(app) else {
        return Vec::new();
    };
    match refused(app, id, EventKind::Revert) {
        Some(why) => {
            app.tell(Role::Warning, why);
            Vec::new()
        }
        None => ask(Deed::AskRevert(id)),
    }
}

/// Says what taking a word back does, first of all that another claim holds the evidence.
fn confirm_revert(app: &mut App, receipt: &Receipt, holder: Option<Id>) {
    let row = app
        .list
        .opened()
        .rows
        .iter()
        .find(|row| row.id == receipt.id.to_string());
    let mut lines = Vec::new();
    if let Some(claim) = holder {
        let text = format!(
            "Claim {claim} holds its evidence by now. Taken back, this receipt names the same evidence again, and two claims stand on it."
        );
        lines.push((Role::Warning, text));
    }
    lines.extend(row.map(|row| (Role::Text, named(row))));
    lines.push((Role::Muted, receipt.id.to_string()));
    if let Some(user) = &receipt.user_override {
        let is_orphan = receipt.claim_id.is_none();
        let text = format!(
            "You said that {}: {}",
            word(user.grade, is_orphan),
            shown(&user.reason)
        );
        lines.push((Role::Text, text));
        let back = user.previous_state.state();
        let text = format!(
            "It is {} again at once. That you said so stays on record; your reason is forgotten.",
            back.as_str()
        );
        lines.push((Role::Text, text));
    }
    app.overlays.push(Overlay::Dialog(Dialog {
        title: "Take your word back".to_owned(),
        lines,
        buttons: vec![
            Button::cancel("keep it"),
            Button {
                label: if holder.is_some() {
                    "take it back all the same".to_owned()
                } else {
                    "take it back".to_owned()
                },
                step: Some(Step::Do(Deed::Revert {
                    receipt: receipt.id,
                    told: holder.is_some(),
                })),
            },
        ],
        at: 0,
        scroll: Scroll::default(),
    }));
}

/// Asks before the batch whose receipts are shown is stored.
pub fn begin_store(app: &mut App) -> Vec<Effect> {
    if let Some(why) = fixed(app) {
        app.tell(Role::Warning, why);
        return Vec::new();
    }
    let at = app.list.opened().at;
    let at = at.map_or_else(String::new, |at| format!(" of {at}"));
    app.overlays.push(Overlay::Dialog(Dialog {
        title: "Store the batch".to_owned(),
        lines: vec![
            (
                Role::Text,
                format!("The batch{at} becomes the ledger's last one, with the receipts shown."),
            ),
            (
                Role::Text,
                "The ledger's file is written at once. What is final then is never graded again."
                    .to_owned(),
            ),
        ],
        buttons: vec![
            Button::cancel("store nothing"),
            Button {
                label: "store it".to_owned(),
                step: Some(Step::Do(Deed::StoreBatch)),
            },
        ],
        at: 0,
        scroll: Scroll::default(),
    }));
    Vec::new()
}

/// Writes the ledger.
pub fn save(app: &mut App) -> Vec<Effect> {
    if let Some(why) = fixed(app) {
        app.tell(Role::Warning, why);
        return Vec::new();
    }
    if !app.list.opened().is_unsaved {
        app.tell(Role::Muted, "the file holds everything already");
        return Vec::new();
    }
    ask(Deed::Save)
}

/// Asks for another name to save under.
pub fn ask_name(app: &mut App) -> Vec<Effect> {
    let stem = app.name.strip_suffix(".json").unwrap_or(&app.name);
    app.overlays.push(Overlay::Line(LineAsked {
        title: "Save under another name".to_owned(),
        note: "a file that is there already is never replaced".to_owned(),
        problem: None,
        edit: Edit::new(&format!("{stem}-mine.json")),
        purpose: Purpose::SaveAs,
    }));
    Vec::new()
}

/// Leaves, after asking where something is not saved.
pub fn quit(app: &mut App) -> Vec<Effect> {
    let opened = app.list.opened();
    if !opened.is_unsaved {
        return vec![Effect::Quit(0)];
    }
    let (kept, leave) = if opened.has_journal {
        (
            "They are in the journal: the next start on this ledger offers them.",
            "leave, and keep them in the journal",
        )
    } else {
        (
            "The ledger has no file: left now, they are gone.",
            "leave, and forget them",
        )
    };
    app.overlays.push(Overlay::Dialog(Dialog {
        title: "Leave".to_owned(),
        lines: vec![
            (
                Role::Warning,
                "The ledger's file does not hold your last changes.".to_owned(),
            ),
            (Role::Text, kept.to_owned()),
        ],
        buttons: vec![
            Button::cancel("stay"),
            Button {
                label: "save and leave".to_owned(),
                step: Some(Step::SaveAndQuit),
            },
            Button {
                label: leave.to_owned(),
                step: Some(Step::Quit),
            },
        ],
        at: 0,
        scroll: Scroll::default(),
    }));
    Vec::new()
}

/// Offers what an earlier run left.
pub fn offer_left(app: &mut App) {
    let Some(left) = app.list.opened().left.clone() else {
        return;
    };
    let count = left.lines.len();
    let mut lines = vec![(
        Role::Text,
        format!(
            "An earlier run accepted {} and ended before {} saved:",
            counted(count, "event", "events"),
            if count == 1 { "it was" } else { "they were" }
        ),
    )];
    let listed = left.lines.iter().take(MOST_LISTED);
    lines.extend(listed.map(|line| (Role::Muted, line.clone())));
    if count > MOST_LISTED {
        lines.push((Role::Muted, format!("and {} more", count - MOST_LISTED)));
    }
    if !left.fits {
        let text = "The file was changed since. What its receipts still take is taken, the rest is refused.";
        lines.push((Role::Warning, text.to_owned()));
    }
    app.overlays.push(Overlay::Dialog(Dialog {
        title: "Events that were not saved".to_owned(),
        lines,
        buttons: vec![
            Button::cancel("decide later; nothing can be changed until then"),
            Button {
                label: "take them up".to_owned(),
                step: Some(Step::Do(Deed::TakeUp)),
            },
            Button {
                label: "give them up for good".to_owned(),
                step: Some(Step::Do(Deed::GiveUp)),
            },
        ],
        at: 0,
        scroll: Scroll::default(),
    }));
}

/// Does what a button of a dialog says.
pub fn step(app: &mut App, step: Step) -> Vec<Effect> {
    match step {
        Step::Reason(receipt, grade) => ask_reason(app, receipt, grade),
        Step::Do(deed) => ask(deed),
        Step::AskName => ask_name(app),
        Step::ExportName(filter) => {
            export::ask_name(app, filter, None);
            Vec::new()
        }
        Step::SaveAndQuit => {
            app.is_leaving = true;
            ask(Deed::Save)
        }
        Step::Quit => vec![Effect::Quit(0)],
    }
}

/// What came of a deed.
pub fn hear(app: &mut App, done: Done) -> Vec<Effect> {
    app.work = None;
    let leaving = std::mem::take(&mut app.is_leaving);
    match done {
        Done::Changed { row, receipt, text } => {
            app.list.replace(*row);
            if let Some((id, explained)) = &mut app.detail.explained
                && *id == receipt.id
            {
                Arc::make_mut(explained).receipt = *receipt;
                app.detail.made_for = None;
            }
            app.list.set_unsaved(true);
            app.tell(Role::Good, text);
        }
        Done::MayExport(offers) => export::offer(app, offers),
        Done::NotExported { filter, text } => export::ask_name(app, filter, Some(text)),
        Done::MayRevert { receipt, holder } => confirm_revert(app, &receipt, holder),
        Done::Told(text) if text.is_empty() => {}
        Done::Told(text) => app.tell(Role::Good, text),
        Done::Saved => {
            app.list.set_unsaved(false);
            app.tell(Role::Good, format!("{} is saved", app.name));
            if leaving {
                return vec![Effect::Quit(0)];
            }
        }
        Done::SavedAs(name) => {
            app.name = name;
            app.list.set_unsaved(false);
            app.tell(Role::Good, format!("saved; {} is open now", app.name));
            if leaving {
                return vec![Effect::Quit(0)];
            }
        }
        Done::NotSaved { unnamed: true, .. } => {
            app.is_leaving = leaving;
            return ask_name(app);
        }
        Done::NotSaved { text, .. } => {
            let kept = if app.list.opened().has_journal {
                "Nothing is lost: the journal holds your events."
            } else {
                "Nothing is lost as long as the program runs."
            };
            app.overlays.push(Overlay::Dialog(Dialog {
                title: "It is not saved".to_owned(),
                lines: vec![(Role::Bad, text), (Role::Text, kept.to_owned())],
                buttons: vec![
                    Button::cancel("leave it"),
                    Button {
                        label: "save under another name".to_owned(),
                        step: Some(Step::AskName),
                    },
                ],
                at: 0,
                scroll: Scroll::default(),
            }));
        }
        Done::Refused(why) => app.tell(Role::Bad, why),
    }
    Vec::new()
}

/// Asks for the instant to travel to.
pub fn begin_travel(app: &mut App) -> Vec<Effect> {
    let Some(at) = app.list.opened().at else {
        app.tell(Role::Warning, "the ledger is not open");
        return Vec::new();
    };
    app.overlays.push(Overlay::Line(LineAsked {
        title: "Show the ledger at another instant".to_owned(),
        note: format!("from {at}: +1d, -2h, +30m, or 2026-10-07 15:00"),
        problem: None,
        edit: Edit::new("+1d"),
        purpose: Purpose::Travel,
    }));
    Vec::new()
}

/// Goes back to what stands.
pub fn now(app: &mut App) -> Vec<Effect> {
    if app.list.opened().preview.is_none() {
        app.tell(Role::Muted, "this is what stands");
        return Vec::new();
    }
    ask(Deed::Travel(None))
}

/// The instant a person means: a span from the one shown, or a day and a time on the ledger's
/// clock, or a whole timestamp.
fn instant(app: &App, text: &str) -> Result<IsoTs, String> {
    let shown = app.list.opened().at.ok_or("the ledger is not open")?;
    let text = text.trim();
    if let Some(at) = IsoTs::parse(text) {
        return Ok(at);
    }
    if let Some(ms) = span(text) {
        let at = shown.instant().ms().checked_add(ms);
        let at = at.map(attest_grading::model::Instant::from_ms);
        let at = at.map(|at| IsoTs::computed(at, shown.offset_minutes()));
        // What no calendar can write is moved to its nearest end; nobody meant that.
        return at
            .filter(|at| at.instant().since(shown.instant()) == ms)
            .ok_or_else(|| "that is beyond every calendar".to_owned());
    }
    let written = shown.to_string();
    let zone = written
        .get(written.len().saturating_sub(6)..)
        .unwrap_or("Z");
    let zone = if zone.starts_with(['+', '-']) {
        zone
    } else {
        "Z"
    };
    let (day, time) = text.split_once([' ', 'T']).unwrap_or((text, "00:00"));
    let seconds = if time.matches(':').count() == 1 {
        ":00"
    } else {
        ""
    };
    IsoTs::parse(&format!("{day}T{}{seconds}{zone}", time.trim()))
        .ok_or_else(|| "an instant is +1d, -2h, +30m, or 2026-10-07 15:00".to_owned())
}

/// A span of time with its sign, in milliseconds: `+1d`, `-2h`, `+30m`, `+1d 2h`.
fn span(text: &str) -> Option<i64> {
    let (sign, rest) = match text.split_at_checked(1)? {
        ("+", rest) => (1, rest),
        ("-", rest) => (-1, rest),
        _ => return None,
    };
    let mut total: i64 = 0;
    for part in rest.split_whitespace() {
        let (number, unit) = part.split_at_checked(part.len().checked_sub(1)?)?;
        let unit = match unit {
            "w" => 7 * MS_PER_DAY,
            "d" => MS_PER_DAY,
            "h" => MS_PER_HOUR,
            "m" => MS_PER_MINUTE,
            _ => return None,
        };
        if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        total = total.checked_add(number.parse::<i64>().ok()?.checked_mul(unit)?)?;
    }
    (rest.split_whitespace().next().is_some()).then_some(sign * total)
}

/// Says where one is, after travelling.
pub fn arrived(app: &mut App, preview: Option<&Preview>) {
    match preview {
        Some(preview) => {
            let at = Clock::of(&preview.at).stamp(preview.at.instant());
            let text = match preview.flips.len() {
                0 => format!("a preview at {at}: no receipt says anything else"),
                n => format!(
                    "a preview at {at}: {} something else",
                    counted(n, "receipt says", "receipts say")
                ),
            };
            app.tell(Role::Warning, text);
            show_tab(app, Tab::State);
        }
        None => app.tell(Role::Muted, "this is what stands"),
    }
}
