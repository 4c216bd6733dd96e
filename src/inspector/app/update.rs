//! `update(state, message) → effects`.

use std::sync::Arc;

use super::layout::{areas, detail_lines, list_rows};
use super::mouse;
use super::overlay::{Button, Choice, Chooser, Dialog, Item, Overlay, Purpose};
use super::screen;
use super::settle::settle;
use super::state::{App, Effect, Focus, Message, Notice, ScreenName, Tab, Work};
use super::{events, export};
use attest_grading::model::OverrideGrade;

use crate::config::{ThemeChoice, theme_names};
use crate::inspector::action::Action;
use crate::inspector::filter::complete::complete;
use crate::inspector::key::Key;
use crate::inspector::keymap::Press;
use crate::inspector::panes;
use crate::inspector::row::Sort;
use crate::inspector::theme::Role;
use crate::inspector::widgets::cursor::Scroll;
use crate::inspector::widgets::edit::Edit;
use crate::inspector::work::{Cancelled, Request, Told};

/// Changes the state by one message and says what has to be done outside.
pub fn update(app: &mut App, message: Message) -> Vec<Effect> {
    app.dirty = true;
    let mut effects = match message {
        Message::Key(key) => press(app, key),
        Message::Paste(text) => paste(app, &text),
        Message::Mouse(event) => mouse::update(app, event),
        Message::Resize(columns, rows) => {
            app.size = (columns, rows);
            vec![Effect::Redraw]
        }
        Message::Background(background) => {
            app.dirty = app.environment.background != background;
            app.environment.background = background;
            app.restyle();
            Vec::new()
        }
        Message::Action(action) => perform(app, action),
        Message::Told(told) => hear(app, told),
        Message::InputLost => vec![Effect::Quit(1)],
        Message::End(code) => vec![Effect::Quit(code)],
    };
    effects.append(&mut settle(app));
    effects
}

fn press(app: &mut App, key: Key) -> Vec<Effect> {
    let contexts = app.contexts();
    let press = app.settings.keymap.press(&contexts, app.pending, key);
    let was_pending = app.pending.take().is_some();
    let had_notice = app.notice.take().is_some();
    match press {
        Press::Action(action) => perform(app, action),
        Press::Begins => {
            app.pending = Some(key);
            Vec::new()
        }
        Press::Nothing => {
            match key.typed() {
                Some(c) if contexts.iter().any(|context| context.takes_text()) => {
                    edit(app, |edit| edit.insert(c.encode_utf8(&mut [0; 4])));
                }
                _ => app.dirty = was_pending || had_notice,
            }
            Vec::new()
        }
    }
}

fn paste(app: &mut App, text: &str) -> Vec<Effect> {
    if app
        .overlays
        .last()
        .is_some_and(|overlay| overlay.context().takes_text())
    {
        edit(app, |edit| edit.insert(text));
    } else {
        // Pasted text is never taken for keys.
        app.tell(
            Role::Warning,
            "paste works where text is typed: press / first",
        );
    }
    Vec::new()
}

/// Changes the line being typed, and what follows from it.
fn edit(app: &mut App, change: impl FnOnce(&mut Edit)) {
    match app.overlays.last_mut() {
        Some(Overlay::Chooser(chooser)) => {
            change(&mut chooser.edit);
            chooser.narrow();
        }
        Some(Overlay::Line(line)) => {
            change(&mut line.edit);
            line.problem = None;
        }
        Some(Overlay::Filter {
            edit, completing, ..
        }) => {
            change(edit);
            *completing = None;
            let text = edit.text().to_owned();
            if text != app.list.filter_text() {
                app.list.set_filter(&text);
            }
        }
        _ => {}
    }
}

/// Does what was asked for.
pub fn perform(app: &mut App, action: Action) -> Vec<Effect> {
    if app.overlays.is_empty() {
        let screen = ScreenName::ALL
            .iter()
            .find(|screen| screen.action() == action);
        if let Some(&screen) = screen {
            return screen::show(app, screen);
        }
        if !screen::concerns_program(action) && app.screens.of(app.screen).is_some() {
            return screen::update(app, action);
        }
        perform_on_screen(app, action)
    } else {
        perform_on_overlay(app, action)
    }
}

/// Does what was asked for on the receipts screen, or of the program.
pub fn perform_on_screen(app: &mut App, action: Action) -> Vec<Effect> {
    match action {
        Action::Down => step(app, 1),
        Action::Up => step(app, -1),
        Action::PageDown => step(app, page(app)),
        Action::PageUp => step(app, -page(app)),
        Action::First => step(app, isize::MIN / 2),
        Action::Last => step(app, isize::MAX / 2),
        Action::Right => match app.focus {
            Focus::List => app.focus = Focus::Detail,
            Focus::Detail => step_tab(app, 1),
        },
        Action::Left => {
            if app.focus == Focus::Detail && app.detail.tab.step(-1).is_none() {
                app.focus = Focus::List;
            } else if app.focus == Focus::Detail {
                step_tab(app, -1);
            }
        }
        Action::Open => match app.focus {
            Focus::List => app.focus = Focus::Detail,
            Focus::Detail if app.detail.tab.unfolds() => {
                app.detail.unfolded = !app.detail.unfolded;
            }
            Focus::Detail => app.tell(Role::Muted, "nothing unfolds here"),
        },
        Action::NextTab => turn_tab(app, 1),
        Action::PreviousTab => turn_tab(app, -1),
        Action::NextMatch => step_match(app, 1),
        Action::PreviousMatch => step_match(app, -1),
        Action::FocusNext | Action::FocusPrevious => {
            app.focus = match app.focus {
                Focus::List => Focus::Detail,
                Focus::Detail => Focus::List,
            };
        }
        Action::Back => {
            if app.focus == Focus::Detail {
                app.focus = Focus::List;
            } else if !app.list.filter_text().is_empty() {
                app.list.set_filter("");
            } else {
                app.tell(Role::Muted, "nothing is open, and no filter hides a row");
            }
        }
        Action::Filter => {
            let before = app.list.filter_text().to_owned();
            let edit = Edit::new(&before);
            app.overlays.push(Overlay::Filter {
                edit,
                before,
                completing: None,
            });
        }
        Action::SavedFilter => {
            let items: Vec<Item> = app
                .settings
                .filters
                .iter()
                .map(|(name, filter)| Item {
                    name: crate::inspector::text::shown(name).into_owned(),
                    about: crate::inspector::text::shown(filter).into_owned(),
                    key: None,
                    choice: Choice::Filter(filter.clone()),
                })
                .collect();
            if items.is_empty() {
                app.tell(
                    Role::Warning,
                    "no filters are saved: the config file's [filters] names them",
                );
            } else {
                app.overlays
                    .push(Overlay::Chooser(Chooser::new("Saved filters", items)));
            }
        }
        Action::ClearFilter => {
            app.list.set_filter("");
            app.tell(Role::Muted, "every row is shown");
        }
        Action::SortNext => {
            app.list.sort_by_next();
            tell_sort(app);
        }
        Action::SortReverse => {
            let sort = app.list.sort();
            app.list.set_sort(Sort {
                descending: !sort.descending,
                ..sort
            });
            tell_sort(app);
        }
        Action::CopyId => return copy_id(app),
        Action::CopyExplanation => return copy_explanation(app),
        Action::Help => {
            let of = app.contexts();
            app.overlays.push(Overlay::Help {
                of,
                scroll: Scroll::default(),
            });
        }
        Action::Facts => show_facts(app),
        Action::Palette => {
            let palette = Chooser::palette(&app.settings.keymap, &app.contexts());
            app.overlays.push(Overlay::Chooser(palette));
        }
        Action::CancelWork => {
            return match app.work {
                Some(_) => vec![Effect::CancelWork],
                None => {
                    app.tell(Role::Muted, "nothing is being worked on");
                    Vec::new()
                }
            };
        }
        Action::NextTheme => {
            let names = theme_names(app.environment.config.as_deref());
            let at = names.iter().position(|name| *name == app.look.palette.name);
            let next = at.map_or(0, |at| (at + 1) % names.len().max(1));
            if let Some(name) = names.into_iter().nth(next) {
                app.tell(Role::Muted, format!("theme {name}"));
                app.theme = ThemeChoice::Named(name);
                app.restyle();
            }
        }
        Action::ToggleMouse => {
            app.mouse = !app.mouse;
            let text = if app.mouse {
                "the mouse is the inspector's"
            } else {
                "the mouse is the terminal's"
            };
            app.tell(Role::Muted, text);
            return vec![Effect::Mouse(app.mouse)];
        }
        Action::Redraw => return vec![Effect::Redraw],
        Action::Suspend => return vec![Effect::Suspend],
        Action::Override => return events::begin_override(app),
        Action::Confirm => return events::decide(app, OverrideGrade::Verified),
        Action::Deny => return events::decide(app, OverrideGrade::NotFound),
        Action::Revert => return events::begin_revert(app),
        Action::StoreBatch => return events::begin_store(app),
        Action::Travel => return events::begin_travel(app),
        Action::Now => return events::now(app),
        Action::Export => return export::begin(app),
        Action::Save => return events::save(app),
        Action::Reload => {
            if app.list.opened().is_unsaved {
                app.tell(
                    Role::Warning,
                    "save first: reading anew would set changes aside",
                );
                return Vec::new();
            }
            return vec![Effect::Ask(Request::Open)];
        }
        Action::Quit => return events::quit(app),
        Action::QuitNow => return vec![Effect::Quit(0)],
        _ => {}
    }
    Vec::new()
}

fn perform_on_overlay(app: &mut App, action: Action) -> Vec<Effect> {
    match action {
        Action::QuitNow => return vec![Effect::Quit(0)],
        Action::Cancel | Action::CloseHelp => {
            if let Some(Overlay::Filter { before, .. }) = app.overlays.pop() {
                app.list.set_filter(&before);
            }
            app.is_leaving = false;
        }
        Action::Accept => return accept(app),
        Action::Complete => complete_word(app),
        Action::FocusNext => step_overlay(app, 1),
        Action::FocusPrevious => step_overlay(app, -1),
        Action::Down => step_overlay(app, 1),
        Action::Up => step_overlay(app, -1),
        Action::PageDown => page_overlay(app, 1),
        Action::PageUp => page_overlay(app, -1),
        Action::First => step_overlay(app, isize::MIN / 2),
        Action::Last => step_overlay(app, isize::MAX / 2),
        Action::CharLeft => move_cursor(app, Edit::left),
        Action::CharRight => move_cursor(app, Edit::right),
        Action::LineStart => move_cursor(app, Edit::start),
        Action::LineEnd => move_cursor(app, Edit::end),
        Action::DeleteBack => {
            let empty = match app.overlays.last() {
                Some(Overlay::Chooser(chooser)) => chooser.edit.text().is_empty(),
                Some(Overlay::Filter { edit, .. }) => edit.text().is_empty(),
                Some(Overlay::Line(line)) => line.edit.text().is_empty(),
                _ => false,
            };
            if empty {
                app.overlays.pop();
            } else {
                edit(app, |edit| {
                    edit.delete_back();
                });
            }
        }
        Action::DeleteForward => edit(app, Edit::delete_forward),
        Action::DeleteWord => edit(app, Edit::delete_word),
        Action::DeleteToStart => edit(app, Edit::delete_to_start),
        Action::DeleteToEnd => edit(app, Edit::delete_to_end),
        _ => {}
    }
    Vec::new()
}

fn move_cursor(app: &mut App, change: impl FnOnce(&mut Edit)) {
    match app.overlays.last_mut() {
        Some(Overlay::Chooser(chooser)) => change(&mut chooser.edit),
        Some(Overlay::Line(line)) => change(&mut line.edit),
        Some(Overlay::Filter { edit, .. }) => change(edit),
        _ => {}
    }
}

fn accept(app: &mut App) -> Vec<Effect> {
    match app.overlays.pop() {
        Some(Overlay::Chooser(chooser)) => match chooser.chosen().map(|item| item.choice.clone()) {
            Some(Choice::Action(action)) => perform(app, action),
            Some(Choice::Filter(filter)) => {
                app.list.set_filter(&filter);
                Vec::new()
            }
            Some(Choice::Screen(tag, place)) => screen::chosen(app, tag, place),
            None => {
                app.overlays.push(Overlay::Chooser(chooser));
                Vec::new()
            }
        },
        Some(Overlay::Line(line)) => match line.purpose {
            Purpose::Screen(tag) => screen::typed(app, tag, line.edit.text()),
            _ => events::typed(app, line),
        },
        Some(Overlay::Dialog(dialog)) => {
            let button = dialog.buttons.into_iter().nth(dialog.at);
            button
                .and_then(|button| button.step)
                .map_or_else(Vec::new, |step| events::step(app, step))
        }
        _ => Vec::new(),
    }
}

/// Completes the word being typed; again for the next choice.
fn complete_word(app: &mut App) {
    let rules = app.list.opened().rules.clone();
    match app.overlays.last_mut() {
        Some(Overlay::Filter {
            edit, completing, ..
        }) => {
            let (text, cursor, turn) = match completing.take() {
                Some((text, cursor, turn)) => (text, cursor, turn + 1),
                None => (edit.text().to_owned(), edit.cursor(), 0),
            };
            let completion = complete(&text, cursor, &rules);
            if completion.choices.is_empty() {
                return;
            }
            let choice = completion
                .choices
                .get(turn % completion.choices.len())
                .cloned();
            let mut completed = Edit::new(&text);
            completed.replace(completion.at, &choice.unwrap_or_default());
            *edit = completed;
            *completing = Some((text, cursor, turn));
            let text = edit.text().to_owned();
            app.list.set_filter(&text);
        }
        Some(Overlay::Chooser(chooser)) => {
            if let Some(name) = chooser.chosen().map(|item| item.name.clone()) {
                chooser.edit = Edit::new(&name);
                chooser.narrow();
            }
        }
        _ => {}
    }
}

/// Moves by a page; of a question what is said moves, not the answer.
fn page_overlay(app: &mut App, by: isize) {
    if let Some(Overlay::Dialog(dialog)) = app.overlays.last_mut() {
        let (_, room) = panes::dialog::lines_and_room(app.size, dialog);
        let page = isize::try_from(room.saturating_sub(1).max(1)).unwrap_or(1);
        dialog.scroll.step(by.saturating_mul(page));
    } else {
        step_overlay(app, by * 10);
    }
}

fn step_overlay(app: &mut App, by: isize) {
    match app.overlays.last_mut() {
        Some(Overlay::Help { scroll, .. }) => scroll.step(by),
        Some(Overlay::Chooser(chooser)) => chooser.cursor.step(by, chooser.shown.len()),
        Some(Overlay::Filter { .. }) => app.list.cursor.step(by, app.list.len()),
        // With one answer there is nothing to choose: what is said moves.
        Some(Overlay::Dialog(dialog)) if dialog.buttons.len() < 2 => dialog.scroll.step(by),
        Some(Overlay::Dialog(dialog)) => dialog.step(by),
        Some(Overlay::Line(_)) | None => {}
    }
}

/// Moves in the pane with the focus.
pub fn step(app: &mut App, by: isize) {
    match app.focus {
        Focus::List => app.list.cursor.step(by, app.list.len()),
        Focus::Detail => {
            if let Some(scroll) = app.detail.scroll_mut() {
                scroll.step(by);
            }
        }
    }
}

fn step_match(app: &mut App, by: isize) {
    let len = app.list.len();
    if len == 0 {
        return;
    }
    // Past the last comes the first again.
    app.list.cursor.at = match by {
        1.. if app.list.cursor.at + 1 >= len => 0,
        ..=-1 if app.list.cursor.at == 0 => len - 1,
        by => app.list.cursor.at.saturating_add_signed(by),
    };
}

fn step_tab(app: &mut App, by: isize) {
    if let Some(tab) = app.detail.tab.step(by) {
        show_tab(app, tab);
    }
}

/// Turns to another tab from anywhere. Where there is room for one pane alone, the detail becomes
/// it: no tab is ever turned unseen.
fn turn_tab(app: &mut App, by: isize) {
    step_tab(app, by);
    if areas(app).is_some_and(|areas| areas.detail.is_none()) {
        app.focus = Focus::Detail;
    }
}

/// Shows a tab of the detail.
pub fn show_tab(app: &mut App, tab: Tab) {
    app.detail.tab = tab;
    app.detail.unfolded = false;
}

fn page(app: &App) -> isize {
    let rows = areas(app).and_then(|areas| match app.focus {
        Focus::List => areas.list.map(|area| list_rows(area).height),
        Focus::Detail => areas.detail.map(|area| detail_lines(area).height),
    });
    isize::try_from(rows.unwrap_or(1).saturating_sub(1).max(1)).unwrap_or(1)
}

fn tell_sort(app: &mut App) {
    let sort = app.list.sort();
    let order = if sort.descending {
        "the greatest first"
    } else {
        "the least first"
    };
    app.tell(
        Role::Muted,
        format!("sorted by {}, {order}", sort.column.name()),
    );
}

/// Shows what a package holds beside its receipts.
fn show_facts(app: &mut App) {
    let Some(facts) = app.list.opened().facts.clone() else {
        app.tell(
            Role::Muted,
            "only a package has them; the screens show everything of a ledger",
        );
        return;
    };
    let lines = facts.into_iter().map(|line| {
        let role = if line.starts_with(' ') {
            Role::Text
        } else {
            Role::Heading
        };
        (role, line)
    });
    app.overlays.push(Overlay::Dialog(Dialog {
        title: app.name.clone(),
        lines: lines.collect(),
        buttons: vec![Button::cancel("close")],
        at: 0,
        scroll: Scroll::default(),
    }));
}

fn copy_id(app: &mut App) -> Vec<Effect> {
    match app.list.chosen().map(|row| row.id.clone()) {
        Some(id) => vec![Effect::Copy(id)],
        None => {
            app.tell(Role::Warning, "no receipt is chosen");
            Vec::new()
        }
    }
}

/// The explanation copied is the text of the first tab, as it is shown: fit for a terminal.
fn copy_explanation(app: &mut App) -> Vec<Effect> {
    let Some((_, explained)) = app.detail.explained.clone() else {
        app.tell(Role::Warning, "the receipt is not explained yet");
        return Vec::new();
    };
    let pane = crate::inspector::panes::Pane {
        look: &app.look,
        width: 78,
        unfolded: true,
        keymap: &app.settings.keymap,
    };
    let lines = crate::inspector::panes::detail(&pane, Tab::Why, &explained);
    let text: Vec<String> = lines
        .iter()
        .map(|line| line.to_string().trim_end().to_owned())
        .collect();
    vec![Effect::Copy(text.join("\n"))]
}

/// Says what was cancelled and how it is asked for again, where a person looks for it.
fn cancelled(app: &mut App, what: &Cancelled) -> Vec<Effect> {
    app.work = None;
    let key = |action: Action| {
        let first = app.settings.keymap.keys(action).first();
        first.map_or_else(|| action.name().to_owned(), ToString::to_string)
    };
    let text = match what {
        Cancelled::Ledger => format!("cancelled; {} reads the ledger again", key(Action::Reload)),
        Cancelled::Travel(at) => format!(
            "cancelled: no preview at {at}; {} asks for it again",
            key(Action::Travel)
        ),
        Cancelled::Query(query) => {
            format!("cancelled; {} runs it again", key(query.screen().action()))
        }
    };
    let mut effects = Vec::new();
    match what {
        Cancelled::Ledger if !app.is_open => app.failure = Some(text.clone()),
        Cancelled::Ledger | Cancelled::Travel(_) => {}
        Cancelled::Query(query) => {
            let screen = app.screens.of(query.screen());
            if !screen.is_some_and(|screen| screen.waits_for(query)) {
                return effects;
            }
            effects = screen::hear(app, query.screen(), Err(text.clone()));
        }
    }
    app.tell(Role::Warning, text);
    effects
}

fn hear(app: &mut App, told: Told) -> Vec<Effect> {
    match told {
        Told::Progress { what, done, of } => app.work = Some(Work { what, done, of }),
        Told::Opened(opened) => {
            app.work = None;
            app.is_open = true;
            app.failure = None;
            let read_only = opened.read_only.as_ref();
            let read_only = read_only.map(|why| format!("read only: {why}"));
            if let Some(text) = opened.warnings.first().cloned().or(read_only) {
                let role = Role::Warning;
                app.notice = Some(Notice { role, text });
            }
            app.list.set_rows(opened);
            app.detail.asked = None;
            app.detail.explained = None;
            events::offer_left(app);
            return screen::changed(app);
        }
        Told::Renewed(opened) => {
            app.work = None;
            let travelled = app.list.opened().preview != opened.preview;
            app.list.set_rows(Arc::clone(&opened));
            if travelled {
                events::arrived(app, opened.preview.as_ref());
                app.detail.explained = None;
            }
            drop(opened);
            // What was explained stays in view until it is explained anew.
            app.detail.asked = None;
            app.detail.made_for = None;
            return screen::changed(app);
        }
        Told::Done(done) => return events::hear(app, *done),
        Told::Answered(screen, answer) => {
            app.work = None;
            return screen::hear(app, screen, *answer);
        }
        Told::Explained(id, explained) => {
            if app.detail.asked == Some(id) {
                app.detail.explained = Some((id, Arc::new(*explained)));
                app.detail.made_for = None;
            }
        }
        Told::Cancelled(what) => return cancelled(app, &what),
        Told::Failed(message) => {
            app.work = None;
            if app.is_open {
                app.tell(Role::Bad, message);
            } else {
                app.failure = Some(message);
            }
        }
    }
    Vec::new()
}
