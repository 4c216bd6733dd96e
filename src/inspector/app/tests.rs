//! The inspector driven by actions and keys, without a terminal.

use std::sync::Arc;

use attest_grading::model::Grade;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

use super::state::{Focus, Tab};
use super::*;
use crate::config::{Borders, Settings};
use crate::inspector::action::Action;
use crate::inspector::key::Key;
use crate::inspector::row::tests::{rehash, row};
use crate::inspector::row::{Column, Row, Standing};
use crate::inspector::theme::{Background, Depth};
use crate::inspector::work::{Opened, Request, Told};

/// The rows of no real ledger: enough of them to sort, filter and scroll.
fn rows() -> Vec<Row> {
    let id = |n: u32| format!("{n:026}");
    let mut rows = vec![
        row(
            &id(1),
            Some(Grade::Verified),
            "2026-10-06T14:02:00-04:00",
            "priya@company.com",
            "Q3 deck",
        ),
        row(
            &id(2),
            Some(Grade::NotFound),
            "2026-10-06T13:00:00-04:00",
            "Standup",
            "\u{6f22}\u{5b57} notes",
        ),
        row(
            &id(3),
            Some(Grade::Unasked),
            "2026-10-05T09:30:00-04:00",
            "sam@company.com",
            "a\u{202e}b",
        ),
        row(
            &id(4),
            None,
            "2026-10-04T09:30:00-04:00",
            "lee@company.com",
            "Lunch \u{1f600}",
        ),
        row(
            &id(5),
            Some(Grade::Verified),
            "2026-10-03T08:00:00Z",
            "acme",
            "order 12",
        ),
    ];
    rows[2].is_orphan = true;
    rows[4].standing = Standing::Overridden;
    rows.iter_mut().for_each(rehash);
    rows
}

/// The inspector before anything was read.
pub fn empty_app(columns: u16, lines: u16) -> App {
    let environment = Environment {
        depth: Depth::True,
        background: Background::Dark,
        config: None,
    };
    App::new(
        "demo.json",
        Settings::default(),
        environment,
        (columns, lines),
    )
}

fn app_at(columns: u16, lines: u16) -> App {
    let mut app = empty_app(columns, lines);
    let opened = Opened {
        rows: rows(),
        ..Opened::default()
    };
    update(&mut app, Message::Told(Told::Opened(Arc::new(opened))));
    app
}

pub fn type_keys(app: &mut App, keys: &str) -> Vec<Effect> {
    let mut effects = Vec::new();
    for key in keys.split(' ') {
        effects.extend(update(app, Message::Key(Key::parse(key).unwrap())));
    }
    effects
}

fn chosen(app: &App) -> u32 {
    app.list.chosen().map_or(0, |row| row.id.parse().unwrap())
}

pub fn screen(app: &App) -> String {
    let mut terminal = Terminal::new(TestBackend::new(app.size.0, app.size.1)).unwrap();
    terminal.draw(|frame| draw(app, frame)).unwrap();
    terminal.backend().to_string()
}

#[test]
fn moving_and_choosing() {
    let mut app = app_at(120, 40);
    assert_eq!(chosen(&app), 1);
    type_keys(&mut app, "j down");
    assert_eq!(chosen(&app), 3);
    type_keys(&mut app, "G");
    assert_eq!(chosen(&app), 5);
    type_keys(&mut app, "n");
    assert_eq!(chosen(&app), 1);
    type_keys(&mut app, "N k");
    assert_eq!(chosen(&app), 4);
    type_keys(&mut app, "g");
    assert_eq!(chosen(&app), 4);
    type_keys(&mut app, "g");
    assert_eq!(chosen(&app), 1);
    // A sequence that comes to nothing does nothing.
    type_keys(&mut app, "g j");
    assert_eq!(chosen(&app), 1);
}

#[test]
fn every_chosen_receipt_is_asked_for_once() {
    let mut app = app_at(120, 40);
    let asked = |effects: Vec<Effect>| {
        effects
            .iter()
            .filter(|effect| matches!(effect, Effect::Ask(Request::Explain(_))))
            .count()
    };
    assert_eq!(asked(type_keys(&mut app, "j")), 1);
    assert_eq!(asked(type_keys(&mut app, "] [ enter")), 0);
}

#[test]
fn focus_and_tabs() {
    let mut app = app_at(80, 24);
    type_keys(&mut app, "enter");
    assert_eq!((app.focus, app.detail.tab), (Focus::Detail, Tab::Why));
    type_keys(&mut app, "l");
    assert_eq!(app.detail.tab, Tab::Arithmetic);
    type_keys(&mut app, "left left");
    assert_eq!((app.focus, app.detail.tab), (Focus::List, Tab::Why));
    type_keys(&mut app, "tab n esc");
    assert_eq!((app.focus, chosen(&app)), (Focus::List, 2));
}

#[test]
fn filtering_as_it_is_typed() {
    let mut app = app_at(80, 24);
    type_keys(&mut app, "/ g r a d e : v e r");
    assert_eq!(app.list.errors().len(), 1);
    assert_eq!(app.list.len(), 5);
    type_keys(&mut app, "tab");
    assert_eq!(app.list.filter_text(), "grade:verified");
    assert_eq!(app.list.len(), 2);
    type_keys(&mut app, "down enter");
    assert!(app.overlays.is_empty());
    assert_eq!(chosen(&app), 5);
    // Cancelling brings back what was.
    type_keys(&mut app, "/ space a c m e");
    assert_eq!(app.list.len(), 1);
    type_keys(&mut app, "esc");
    assert_eq!(
        (app.list.filter_text(), app.list.len()),
        ("grade:verified", 2)
    );
    type_keys(&mut app, "esc");
    assert_eq!((app.list.len(), chosen(&app)), (5, 5));
    // The last character deleted once more closes the line.
    type_keys(&mut app, "/ x backspace backspace");
    assert!(app.overlays.is_empty());
}

#[test]
fn counts_leave_out_what_is_checking_and_take_the_override() {
    let app = app_at(120, 40);
    let counts = app.list.counts();
    assert_eq!(counts.grades[Grade::Verified.index()], 2);
    assert_eq!(counts.checking, 1);
    assert_eq!(counts.grades.iter().sum::<usize>() + counts.checking, 5);
}

#[test]
fn sorting_keeps_the_cursor_on_its_receipt() {
    let mut app = app_at(120, 40);
    type_keys(&mut app, "j S");
    assert_eq!(chosen(&app), 2);
    assert_eq!(app.list.row(0).unwrap().id, format!("{:026}", 5));
    type_keys(&mut app, "s");
    assert_eq!((app.list.sort().column, chosen(&app)), (Column::Agent, 2));
}

#[test]
fn the_palette_does_what_it_names() {
    let mut app = app_at(120, 40);
    type_keys(&mut app, ": n e x t - t h e");
    type_keys(&mut app, "enter");
    assert!(app.overlays.is_empty());
    assert_eq!(app.look.palette.name, "light");
    assert_eq!(type_keys(&mut app, ": z z z z enter"), []);
    assert_eq!(app.overlays.len(), 1);
    type_keys(&mut app, "esc");
    // The help says what works where it was opened.
    type_keys(&mut app, "enter ?");
    assert!(screen(&app).contains("In the detail"));
    type_keys(&mut app, "q");
    assert!(app.overlays.is_empty());
}

/// Whatever is offered where one is does something: it changes the frame or asks for something.
#[test]
fn nothing_offered_does_nothing() {
    for focus in [Focus::List, Focus::Detail] {
        for &action in Action::ALL {
            let mut app = app_at(80, 24);
            app.focus = focus;
            // A place from where every move can be made: a row in the middle, a filter set.
            app.list.set_filter("a");
            app.list.cursor.at = 1;
            app.detail.tab = Tab::Rules;
            update(&mut app, Message::Action(Action::Redraw));
            let offered = action
                .contexts()
                .iter()
                .any(|context| app.contexts().contains(context));
            // The detail has no lines here to scroll.
            let scrolls = focus == Focus::Detail
                && matches!(
                    action,
                    Action::Down
                        | Action::Up
                        | Action::PageDown
                        | Action::PageUp
                        | Action::First
                        | Action::Last
                );
            if !offered || scrolls || action == Action::ScreenReceipts {
                continue;
            }
            let before = (screen(&app), app.detail.unfolded);
            let effects = update(&mut app, Message::Action(action));
            let after = (screen(&app), app.detail.unfolded);
            assert!(
                before != after || !effects.is_empty(),
                "{} with {focus:?}",
                action.name()
            );
        }
    }
}

#[test]
fn leaving() {
    let mut app = app_at(120, 40);
    assert_eq!(type_keys(&mut app, "q"), [Effect::Quit(0)]);
    assert_eq!(type_keys(&mut app, "/ q"), []);
    assert_eq!(type_keys(&mut app, "ctrl-c"), [Effect::Quit(0)]);
    assert_eq!(update(&mut app, Message::End(143)), [Effect::Quit(143)]);
}

#[test]
fn copying_and_the_mouse() {
    let mut app = app_at(120, 40);
    assert_eq!(
        type_keys(&mut app, "y"),
        [Effect::Copy(format!("{:026}", 1))]
    );
    assert_eq!(type_keys(&mut app, "M"), [Effect::Mouse(false)]);
    let mouse = |kind, column, row| MouseEvent {
        kind,
        column,
        row,
        modifiers: KeyModifiers::NONE,
    };
    let left = MouseEventKind::Down(MouseButton::Left);
    update(&mut app, Message::Mouse(mouse(left, 30, 5)));
    assert_eq!(chosen(&app), 3);
    update(&mut app, Message::Mouse(mouse(left, 30, 30)));
    assert_eq!(app.focus, Focus::Detail);
    update(
        &mut app,
        Message::Mouse(mouse(MouseEventKind::ScrollDown, 30, 5)),
    );
    assert_eq!((app.focus, chosen(&app)), (Focus::Detail, 5));
    // Mere movement changes nothing and draws nothing.
    update(&mut app, Message::Mouse(mouse(MouseEventKind::Moved, 3, 3)));
    assert!(!app.dirty);
}

#[test]
fn pasted_text_is_never_taken_for_keys() {
    let mut app = app_at(120, 40);
    assert_eq!(update(&mut app, Message::Paste("q\u{3}".to_owned())), []);
    type_keys(&mut app, "/");
    update(&mut app, Message::Paste("lu\nnch".to_owned()));
    assert_eq!(app.list.filter_text(), "lu nch");
}

#[test]
fn frames() {
    for (columns, lines) in [(120, 40), (80, 24), (60, 15), (59, 15), (10, 2), (200, 50)] {
        let app = app_at(columns, lines);
        insta::assert_snapshot!(format!("receipts-{columns}x{lines}"), screen(&app));
    }
    let mut app = app_at(80, 24);
    type_keys(&mut app, "?");
    insta::assert_snapshot!("help-80x24", screen(&app));
    type_keys(&mut app, "esc : s o r t");
    insta::assert_snapshot!("palette-80x24", screen(&app));
    type_keys(&mut app, "esc / g r a d : x");
    insta::assert_snapshot!("filter-80x24", screen(&app));
    let mut app = app_at(60, 15);
    app.settings.borders = Borders::Ascii;
    app.restyle();
    type_keys(&mut app, "/ l u n c h enter");
    insta::assert_snapshot!("ascii-60x15", screen(&app));
}

#[test]
fn every_size_draws() {
    let mut app = app_at(120, 40);
    for columns in [0, 1, 2, 30, 59, 60, 61, 89, 90, 91, 169, 170, 300] {
        for lines in [0, 1, 2, 14, 15, 16, 29, 30, 31, 80] {
            update(&mut app, Message::Resize(columns, lines));
            for keys in ["?", "esc", ":", "esc", "/", "esc", "tab"] {
                type_keys(&mut app, keys);
                let area = ratatui::layout::Rect::new(0, 0, columns, lines);
                super::draw::draw_in(&app, area, &mut ratatui::buffer::Buffer::empty(area));
            }
        }
    }
}

/// Whatever a file's texts hold, no cell holds what a terminal would act on, drop or draw as
/// nothing; and columns stay where they are.
#[test]
fn no_cell_ever_holds_a_control_or_a_hidden_character() {
    let mut characters = ('\0'..=char::MAX).peekable();
    let environment = Environment {
        depth: Depth::True,
        background: Background::Dark,
        config: None,
    };
    while characters.peek().is_some() {
        let rows = (0..4000)
            .map_while(|n| {
                let text: String = characters.by_ref().take(4).collect();
                (!text.is_empty()).then(|| {
                    row(
                        &format!("{n:026}"),
                        Some(Grade::Partial),
                        "2026-10-03T08:00:00Z",
                        &text,
                        &text,
                    )
                })
            })
            .collect::<Vec<_>>();
        let len = rows.len();
        let mut app = App::new(
            "n\u{1b}\u{202e}",
            Settings::default(),
            environment.clone(),
            (120, 4003),
        );
        let opened = Opened {
            rows,
            ..Opened::default()
        };
        update(&mut app, Message::Told(Told::Opened(Arc::new(opened))));
        // One tall frame shows them all.
        app.size = (89, u16::try_from(len + 5).unwrap());
        update(&mut app, Message::Action(Action::Redraw));
        let mut terminal = Terminal::new(TestBackend::new(app.size.0, app.size.1)).unwrap();
        terminal.draw(|frame| draw(&app, frame)).unwrap();
        let buffer = terminal.backend().buffer();
        for cell in buffer.content() {
            assert!(
                cell.symbol().chars().all(attest_grading::text::is_plain),
                "{:?}",
                cell.symbol()
            );
        }
        for y in 3..3 + u16::try_from(len).unwrap() {
            assert_eq!(buffer[(88, y)].symbol(), "│", "{y}");
        }
    }
}
