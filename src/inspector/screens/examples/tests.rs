//! The examples walked through by keys.

use std::sync::Arc;

use super::*;
use crate::config::built_in;
use crate::inspector::app::state::{App, Effect, Message, ScreenName};
use crate::inspector::app::tests::{empty_app, screen, type_keys};
use crate::inspector::app::update;
use crate::inspector::glyphs::UNICODE;
use crate::inspector::look::Look;
use crate::inspector::theme::Palette;
use crate::inspector::work::{Request, Told};

/// A look to write pages with.
pub fn look() -> Look {
    Look {
        palette: Palette::new(&built_in("dark").unwrap(), Depth::True),
        glyphs: &UNICODE,
    }
}

/// Types keys and answers what the screen asks, as the work thread would.
fn press(app: &mut App, keys: &str) {
    for key in keys.split(' ') {
        let effects = type_keys(app, key);
        serve(app, effects);
    }
}

fn serve(app: &mut App, effects: Vec<Effect>) {
    for effect in effects {
        let Effect::Ask(Request::Query(AnyQuery::Examples(query))) = effect else {
            continue;
        };
        let answer = match query {
            Query::List => Answer::List(Arc::new(catalogue::entries())),
            Query::Walk(number) => Answer::Walk(Arc::new(open(number).unwrap())),
        };
        let told = Told::Answered(ScreenName::Examples, Box::new(Ok(Any::Examples(answer))));
        let effects = update(app, Message::Told(told));
        serve(app, effects);
    }
}

fn app(columns: u16, lines: u16) -> App {
    let mut app = empty_app(columns, lines);
    press(&mut app, "6");
    app
}

/// The list with example 12 chosen.
fn at_twelve(columns: u16, lines: u16) -> App {
    let mut app = app(columns, lines);
    for _ in 0..11 {
        press(&mut app, "j");
    }
    app
}

#[test]
fn the_list() {
    for (columns, lines) in [(120, 40), (80, 24), (60, 15)] {
        let app = at_twelve(columns, lines);
        insta::assert_snapshot!(format!("list-{columns}x{lines}"), screen(&app));
    }
}

/// At 60 columns no figure, no bar and no answer of worked example 12 is cut; N is the sum over the
/// common denominator, 2500·43 + 6500·44 = 393500 forty-fourths.
#[test]
fn the_arithmetic_is_whole_at_sixty_columns() {
    for columns in [60, 64, 72, 80, 96, 120] {
        let mut app = at_twelve(columns, 60);
        press(&mut app, "enter space space");
        let text = screen(&app);
        for whole in [
            "787/792 = 0.9937",
            "timeProximity        2500  43/44  2443.18…  ███",
            "counterpartyExact    3500      1      3500  ████",
            "subjectOverlap       1500      1      1500  ██",
            "N / D                9000  393500/44 ÷ 9000 = 787/792 ",
            "10000·N = 89431818.18… ≥ 8500·D = 76500000 ",
            "10000·N = 89431818.18… ≥ 5000·D = 45000000 ",
        ] {
            assert!(text.contains(whole), "{whole} at {columns}:\n{text}");
        }
        assert_eq!(text.matches(" yes ").count(), 2, "{text}");
        assert!(!text.contains("█…"), "{text}");
    }
}

/// Every stage of worked example 12, in order, and that each figure of its hand computation is on
/// the page where it belongs.
#[test]
fn example_twelve_step_by_step() {
    let mut app = at_twelve(120, 60);
    press(&mut app, "enter");
    let expected: [(&str, &[&str]); 8] = [
        ("world", &["2026-10-07 01:00", "23:58", "00:01"]),
        ("retrieval", &["23:56", "00:44", "2m before", "45m after"]),
        (
            "scoring",
            &["787/792", "43/44", "2500", "3500", "1500", "9000", "0.9937"],
        ),
        ("assignment", &["787/792", "assigned to this claim"]),
        ("coverage", &["full", "00:50"]),
        ("rules", &["verified", "787/792"]),
        ("finality", &["00:29", "FINAL", "VERIFIED"]),
        (
            "result",
            &["787/792", "Every receipt is what was computed by hand"],
        ),
    ];
    for (place, (stage, figures)) in expected.iter().enumerate() {
        let walking = app.screens.examples.walking.as_ref().unwrap();
        assert_eq!(walking.steps[walking.at].stage.title(), *stage);
        let page: Vec<String> = walking.page.lines.iter().map(ToString::to_string).collect();
        let page = page.join("\n");
        for figure in *figures {
            assert!(page.contains(figure), "{stage}: {figure} in\n{page}");
        }
        if place + 1 < expected.len() {
            press(&mut app, "space");
        }
    }
    // Past the last step is nothing, and back is the way it came.
    press(&mut app, "space");
    assert!(app.notice.is_some());
    press(&mut app, "left backspace");
    let walking = app.screens.examples.walking.as_ref().unwrap();
    assert_eq!(walking.steps[walking.at].stage.title(), "rules");
}

/// Why 787/792: the page and the notes side by side, with what both have marked in both.
#[test]
fn why_787_of_792() {
    for (columns, lines) in [(200, 50), (120, 40), (80, 24), (60, 15)] {
        let mut app = at_twelve(columns, lines);
        press(&mut app, "enter space space");
        insta::assert_snapshot!(format!("twelve-scoring-{columns}x{lines}"), screen(&app));
    }
    let mut app = at_twelve(120, 40);
    press(&mut app, "enter space space");
    let walking = app.screens.examples.walking.as_ref().unwrap();
    let found = look().style(Role::Found);
    for lines in [&walking.page.lines, &walking.notes.lines] {
        let marked = lines
            .iter()
            .flat_map(|line| &line.spans)
            .any(|span| span.content == "787/792" && span.style == span.style.patch(found));
        assert!(marked);
    }
}

#[test]
fn every_stage_at_eighty_columns() {
    let mut app = at_twelve(80, 24);
    press(&mut app, "enter");
    for stage in [
        "world",
        "retrieval",
        "scoring",
        "assignment",
        "coverage",
        "rules",
        "finality",
        "result",
    ] {
        insta::assert_snapshot!(format!("twelve-{stage}-80x24"), screen(&app));
        press(&mut app, "space");
    }
}

/// An override, a revert and what the state machine refuses, event by event.
#[test]
fn events_step_by_step() {
    let mut app = app(120, 40);
    press(&mut app, "G");
    for _ in 0..117 {
        if app.screens.examples.entry().unwrap().number == 94 {
            break;
        }
        press(&mut app, "k");
    }
    press(&mut app, "enter J J J J J J");
    let walking = app.screens.examples.walking.as_ref().unwrap();
    assert_eq!(walking.steps[walking.at].stage, steps::Stage::Event(0));
    insta::assert_snapshot!("events-first-120x40", screen(&app));
    // The third event of the file must be refused.
    press(&mut app, "space space");
    assert!(screen(&app).contains("refused, as it must be"));
    insta::assert_snapshot!("events-refused-120x40", screen(&app));
}

#[test]
fn an_unasked_action_has_its_own_stages() {
    let mut app = app(120, 40);
    press(&mut app, "j j j j j j enter");
    let walking = app.screens.examples.walking.as_ref().unwrap();
    let stages: Vec<&str> = walking
        .steps
        .iter()
        .map(|step| step.stage.title())
        .collect();
    assert_eq!(
        stages,
        [
            "world",
            "orphan",
            "attribution",
            "rules",
            "finality",
            "result"
        ]
    );
    press(&mut app, "space space");
    let text = screen(&app);
    assert!(text.contains("likely"), "{text}");
    insta::assert_snapshot!("unasked-attribution-120x40", text);
}

/// Every example opens, every step has a page, at any size.
#[test]
fn every_step_of_every_example() {
    for (columns, lines) in [(120, 40), (60, 15)] {
        let mut app = app(columns, lines);
        let count = app.screens.examples.entries.len();
        press(&mut app, "enter");
        for place in 0..count {
            let steps = app.screens.examples.walking.as_ref().unwrap().steps.len();
            for _ in 0..steps {
                let walking = app.screens.examples.walking.as_ref().unwrap();
                let step = walking.steps[walking.at];
                assert!(!walking.page.lines.is_empty(), "{place} {step:?}");
                press(&mut app, "space");
            }
            press(&mut app, "]");
        }
        let walking = app.screens.examples.walking.as_ref().unwrap();
        assert_eq!(usize::try_from(walking.opened.number).unwrap(), count);
    }
}

#[test]
fn keys_move_between_list_steps_and_panes() {
    let mut app = at_twelve(80, 24);
    press(&mut app, "enter l l tab j");
    let walking = app.screens.examples.walking.as_ref().unwrap();
    assert_eq!((walking.at, walking.side), (2, Side::Notes));
    // The next example, then back to the list, on it.
    press(&mut app, "] esc");
    assert!(app.screens.examples.walking.is_none());
    assert_eq!(app.screens.examples.entry().unwrap().number, 13);
    press(&mut app, "home k");
    assert_eq!(app.screens.examples.cursor.at, 0);
    // Leaving and coming back keeps the place.
    press(&mut app, "j 1 6");
    assert_eq!(app.screens.examples.cursor.at, 1);
}

#[test]
fn printed_without_a_terminal() {
    let look = look();
    let keymap = crate::inspector::keymap::Keymap::default();
    let pane = Pane {
        look: &look,
        width: 78,
        unfolded: true,
        keymap: &keymap,
    };
    let list = plain(None, &pane).unwrap();
    assert_eq!(list.len(), catalogue::entries().len());
    let twelve = plain(Some(12), &pane).unwrap().join("\n");
    assert!(twelve.contains("787/792"));
    assert!(plain(Some(0), &pane).is_err());
    insta::assert_snapshot!("plain-twelve", twelve);
}
