//! Every pane of the demo as it is drawn: its text at four sizes, its styles at
//! three colour depths.

use std::fmt::Write as _;

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::style::Style;

use super::package::tests::Packed;
use super::tests::Bench;
use crate::config::Settings;
use crate::inspector::app::{App, Environment, draw};
use crate::inspector::theme::{Background, Depth};

const SIZES: [(u16, u16); 4] = [(200, 50), (120, 40), (80, 24), (60, 15)];
const DEPTHS: [Depth; 3] = [Depth::Ansi16, Depth::Ansi256, Depth::True];

/// The panes, and the keys that lead to each.
const PANES: [(&str, &str); 18] = [
    ("why", "enter"),
    ("arithmetic", "enter ]"),
    ("rules", "enter ] ]"),
    ("timeline-tab", "enter ] ] ]"),
    ("state", "enter ] ] ] ]"),
    ("inputs", "enter ] ] ] ] ]"),
    ("review", "2"),
    ("replay", "3"),
    ("timeline", "4"),
    ("policy", "5"),
    ("examples", "6"),
    ("example-step", "6 space space space"),
    ("help", "?"),
    ("palette", ":"),
    ("filter", "/ g r a d e"),
    ("override", "o"),
    ("travel", "t"),
    ("export", "x"),
];

fn drawn(app: &App) -> Buffer {
    let mut terminal = Terminal::new(TestBackend::new(app.size.0, app.size.1)).unwrap();
    terminal.draw(|frame| draw(app, frame)).unwrap();
    terminal.backend().buffer().clone()
}

fn text(buffer: &Buffer) -> String {
    let mut text = String::new();
    for line in buffer.content.chunks(usize::from(buffer.area.width)) {
        let cells: String = line.iter().map(ratatui::buffer::Cell::symbol).collect();
        writeln!(text, "{}", cells.trim_end()).unwrap();
    }
    text
}

/// The styles of a buffer: each with a letter, then each line as runs of letters.
fn styles(buffer: &Buffer) -> String {
    let mut known: Vec<Style> = Vec::new();
    let mut lines = String::new();
    for line in buffer.content.chunks(usize::from(buffer.area.width)) {
        for run in line.chunk_by(|a, b| a.style() == b.style()) {
            let style = run[0].style();
            let place = known.iter().position(|held| *held == style);
            let place = place.unwrap_or_else(|| {
                known.push(style);
                known.len() - 1
            });
            write!(
                lines,
                "{}{} ",
                char::from(b'A' + u8::try_from(place).unwrap()),
                run.len()
            )
            .unwrap();
        }
        lines.truncate(lines.trim_end().len());
        lines.push('\n');
    }
    let mut text = String::new();
    for (place, style) in known.iter().enumerate() {
        let letter = char::from(b'A' + u8::try_from(place).unwrap());
        let of =
            |color: Option<ratatui::style::Color>| color.map_or("-".to_owned(), |c| c.to_string());
        let (ink, paper) = (of(style.fg), of(style.bg));
        writeln!(text, "{letter}: {ink} on {paper} {:?}", style.add_modifier).unwrap();
    }
    text + &lines
}

fn demo(depth: Depth, size: (u16, u16), keys: &str) -> Buffer {
    let environment = Environment {
        depth,
        background: Background::Dark,
        config: None,
    };
    let app = App::new("demo.json", Settings::default(), environment, size);
    let mut bench = Bench::on(app, None);
    bench.keys(keys);
    drawn(&bench.app)
}

/// The panes of a package.
const PACKAGE: [(&str, &str); 3] = [
    ("package", "enter"),
    ("package-facts", "i"),
    ("package-review", "2"),
];

fn package(depth: Depth, size: (u16, u16), keys: &str) -> Buffer {
    let environment = Environment {
        depth,
        background: Background::Dark,
        config: None,
    };
    let app = App::new("evidence.tar", Settings::default(), environment, size);
    let mut bench = Bench::of(app, Packed::demo().desk());
    bench.keys(keys);
    drawn(&bench.app)
}

type Draw = fn(Depth, (u16, u16), &str) -> Buffer;

#[test]
fn every_pane_at_four_sizes_and_three_depths() {
    let ledger = PANES.map(|(name, keys)| (name, keys, demo as Draw));
    let package = PACKAGE.map(|(name, keys)| (name, keys, package as Draw));
    for (name, keys, draw) in ledger.into_iter().chain(package) {
        let mut picture = String::new();
        for size in SIZES {
            let (columns, lines) = size;
            for depth in DEPTHS {
                let buffer = draw(depth, size, keys);
                if depth == DEPTHS[0] {
                    writeln!(picture, "== {columns} x {lines}\n{}", text(&buffer)).unwrap();
                }
                writeln!(picture, "-- styles, {depth:?}\n{}", styles(&buffer)).unwrap();
            }
        }
        insta::assert_snapshot!(name, picture);
    }
}

/// Colour depth changes colours and never a text.
#[test]
fn no_depth_changes_a_text() {
    for (name, keys) in PANES {
        let plain = text(&demo(Depth::None, (120, 40), keys));
        for depth in DEPTHS {
            assert_eq!(text(&demo(depth, (120, 40), keys)), plain, "{name}");
        }
    }
}

/// The session the README shows: what is pressed, and whether a picture follows.
const SESSION: [(&str, bool); 8] = [
    ("2 enter", true),
    ("d I space s e n t space i t space m y s e l f enter", false),
    ("1 ] ] ] ]", true),
    ("u down enter", false),
    ("t ctrl-u + 1 d enter", false),
    ("T esc x", true),
    ("esc esc 6 tab j j j j j j j j j j j", false),
    ("space space space", true),
];

/// The README's pictures are what the program draws.
#[test]
fn the_readme_shows_the_session() {
    let environment = Environment {
        depth: Depth::True,
        background: Background::Dark,
        config: None,
    };
    let readme = include_str!("../../README.md");
    let app = App::new("demo", Settings::default(), environment.clone(), (110, 32));
    let first = text(&drawn(&Bench::on(app, None).app));
    println!("{first}");
    assert!(readme.contains(&first), "at the start:\n{first}");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("demo.json");
    std::fs::write(&path, super::DEMO).unwrap();
    let app = App::new("demo.json", Settings::default(), environment, (96, 26));
    let mut bench = Bench::on(app, Some(&path));
    for (keys, pictured) in SESSION {
        bench.keys(keys);
        let picture = text(&drawn(&bench.app));
        println!("{keys}\n{picture}");
        assert!(
            !pictured || readme.contains(&picture),
            "after {keys}:\n{picture}"
        );
    }
}
