//! The screens beside the receipts and the rest of the program: what reaches them, and what they
//! ask for.

use attest_canon::Id;
use ratatui::crossterm::event::{MouseButton, MouseEvent, MouseEventKind};

use super::layout::body;
use super::overlay::{Choice, Chooser, Item, LineAsked, Overlay, Purpose};
use super::state::{App, Effect, Focus, ScreenName};
use super::update::{perform_on_screen, show_tab};
use crate::inspector::action::{Action, Context};
use crate::inspector::screens::{Answer, Scene, Screen, Want};
use crate::inspector::theme::Role;
use crate::inspector::widgets::edit::Edit;
use crate::inspector::work::Request;

/// Whether an action is the program's own, whatever screen is shown.
pub const fn concerns_program(action: Action) -> bool {
    matches!(
        action,
        Action::Help
            | Action::Palette
            | Action::CancelWork
            | Action::NextTheme
            | Action::ToggleMouse
            | Action::Redraw
            | Action::Suspend
            | Action::Save
            | Action::Export
            | Action::Facts
            | Action::Reload
            | Action::Now
            | Action::Quit
            | Action::QuitNow
    )
}

/// What the screen shown sees of the program.
pub fn scene(app: &App) -> Scene<'_> {
    Scene {
        look: &app.look,
        keymap: &app.settings.keymap,
        opened: app.list.opened(),
        is_open: app.is_open,
        focused: app.overlays.is_empty(),
        area: body(app),
    }
}

/// Lets a screen do something, and does what it asks for. Nothing where it is the receipts.
fn with(
    app: &mut App,
    name: ScreenName,
    change: impl FnOnce(&mut dyn Screen, &Scene<'_>) -> Vec<Want>,
) -> Vec<Effect> {
    let area = body(app);
    let scene = Scene {
        look: &app.look,
        keymap: &app.settings.keymap,
        opened: app.list.opened(),
        is_open: app.is_open,
        focused: app.overlays.is_empty(),
        area,
    };
    let wants = app
        .screens
        .of_mut(name)
        .map_or_else(Vec::new, |screen| change(screen, &scene));
    wants
        .into_iter()
        .flat_map(|want| grant(app, want))
        .collect()
}

fn grant(app: &mut App, want: Want) -> Vec<Effect> {
    match want {
        Want::Ask(query) => return vec![Effect::Ask(Request::Query(query))],
        Want::Cancel => return vec![Effect::CancelWork],
        Want::Tell(role, text) => app.tell(role, text),
        Want::Copy(text) => return vec![Effect::Copy(text)],
        Want::Receipt(id, tab) => {
            if Id::parse(&id).is_none() || !show_receipt(app, &id) {
                app.tell(Role::Warning, "there is no such receipt in the list");
                return Vec::new();
            }
            show_tab(app, tab);
            app.focus = Focus::Detail;
        }
        Want::Line { tag, title, text } => app.overlays.push(Overlay::Line(LineAsked {
            title,
            note: String::new(),
            problem: None,
            edit: Edit::new(&text),
            purpose: Purpose::Screen(tag),
        })),
        Want::Choose { tag, title, items } => {
            let items = items
                .into_iter()
                .enumerate()
                .map(|(place, (name, about))| Item {
                    name,
                    about,
                    key: None,
                    choice: Choice::Screen(tag, place),
                })
                .collect();
            app.overlays
                .push(Overlay::Chooser(Chooser::new(title, items)));
        }
        Want::Event(action, id) => {
            // The receipts screen's own choice follows, so that it is the one in view there.
            if choose(app, &id) {
                return perform_on_screen(app, action);
            }
        }
    }
    Vec::new()
}

/// Shows a receipt on the receipts screen; a filter that hides it is cleared.
fn show_receipt(app: &mut App, id: &str) -> bool {
    let is_there = choose(app, id);
    if is_there {
        app.screen = ScreenName::Receipts;
    }
    is_there
}

/// Chooses a receipt in the list; a filter that hides it is cleared.
fn choose(app: &mut App, id: &str) -> bool {
    if !app.list.choose(id) {
        let before = app.list.filter_text().to_owned();
        app.list.set_filter("");
        if !app.list.choose(id) {
            app.list.set_filter(&before);
            return false;
        }
    }
    true
}

/// Shows a screen.
pub fn show(app: &mut App, name: ScreenName) -> Vec<Effect> {
    app.screen = name;
    if name == ScreenName::Receipts {
        app.focus = Focus::List;
    }
    with(app, name, |screen, scene| screen.enter(scene))
}

/// An action for the screen shown.
pub fn update(app: &mut App, action: Action) -> Vec<Effect> {
    let here = [
        Context::List,
        Context::Detail,
        Context::Global,
        app.screen.context(),
    ];
    let works = action.contexts().iter().any(|at| here.contains(at));
    if !works {
        let of: Vec<&str> = action.contexts().iter().map(|at| at.title()).collect();
        app.tell(
            Role::Warning,
            format!("{} works here: {}", action.name(), of.join(", ")),
        );
        return Vec::new();
    }
    with(app, app.screen, |screen, scene| {
        screen.update(action, scene)
    })
}

/// The mouse over the screen shown.
pub fn mouse(app: &mut App, event: MouseEvent) -> Vec<Effect> {
    let moved = matches!(event.kind, MouseEventKind::Moved | MouseEventKind::Up(_));
    app.dirty = !moved;
    if moved || matches!(event.kind, MouseEventKind::Down(button) if button != MouseButton::Left) {
        return Vec::new();
    }
    with(app, app.screen, |screen, scene| screen.mouse(event, scene))
}

/// A line typed for the screen shown.
pub fn typed(app: &mut App, tag: u8, text: &str) -> Vec<Effect> {
    with(app, app.screen, |screen, scene| {
        screen.typed(tag, text, scene)
    })
}

/// An item chosen for the screen shown.
pub fn chosen(app: &mut App, tag: u8, place: usize) -> Vec<Effect> {
    with(app, app.screen, |screen, scene| {
        screen.chosen(tag, place, scene)
    })
}

/// What the work thread answers to a screen, shown or not.
pub fn hear(app: &mut App, name: ScreenName, answer: Result<Answer, String>) -> Vec<Effect> {
    with(app, name, |screen, scene| screen.hear(answer, scene))
}

/// The ledger is another: every screen forgets what it derived, and the one shown begins anew.
pub fn changed(app: &mut App) -> Vec<Effect> {
    for &name in ScreenName::ALL {
        if let Some(screen) = app.screens.of_mut(name) {
            screen.forget();
        }
    }
    with(app, app.screen, |screen, scene| screen.enter(scene))
}

/// What follows from a change on the screen shown.
pub fn settle(app: &mut App) -> Vec<Effect> {
    with(app, app.screen, |screen, scene| screen.settle(scene))
}
