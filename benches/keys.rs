//! What a key costs on a ledger of 100,000 receipts: the state changed and the
//! frame drawn. Run: `cargo bench --bench keys`. A key must show its effect
//! within 16 ms.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a benchmark's world is built from small known numbers"
)]

use std::sync::Arc;

use attest_canon::{Id, sha256};
use attest_grading::ledger::Ledger;
use attest_grading::model::{ActionType, AgentId, DisplayNumber, IsoTs, Receipt};
use attest_tui::config::Settings;
use attest_tui::desk::DEMO;
use attest_tui::inspector::app::draw::draw_in;
use attest_tui::inspector::app::{App, Environment, Message, update};
use attest_tui::inspector::key::Key;
use attest_tui::inspector::row::{Row, Subject};
use attest_tui::inspector::theme::{Background, Depth};
use attest_tui::inspector::work::{Opened, Told};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

const RECEIPTS: usize = 100_000;
const SIZE: (u16, u16) = (120, 40);
const WORDS: [&str; 12] = [
    "deck", "budget", "review", "invoice", "offer", "launch", "roadmap", "hiring", "contract",
    "travel", "design", "metrics",
];

fn main() {
    divan::main();
}

/// The demo's receipts over and over, each with an id, a person and a subject
/// of its own.
fn rows() -> Vec<Row> {
    let ledger = Ledger::read(DEMO).unwrap();
    let receipts: Vec<&Receipt> = ledger.receipts.iter().collect();
    (0..RECEIPTS)
        .map(|n| {
            let mut receipt = receipts[n % receipts.len()].clone();
            receipt.id = Id::from_digest(&sha256(&n.to_be_bytes()));
            receipt.agent = AgentId::ALL[n % AgentId::ALL.len()];
            let who = format!("person{}@company{}.example", n % 997, n % 89);
            let what = format!("{} {} {n}", WORDS[n % 12], WORDS[n / 12 % 12]);
            let score = u16::try_from(n % 10_001).ok().and_then(DisplayNumber::new);
            let (hour, minute, second) = (n / 3600 % 24, n / 60 % 60, n % 60);
            let at = IsoTs::parse(&format!(
                "2026-10-0{}T{hour:02}:{minute:02}:{second:02}Z",
                1 + n / 86_400
            ))
            .unwrap();
            Row::new(
                &receipt,
                &Subject {
                    action: Some(ActionType::EmailSent),
                    is_withheld: false,
                    at,
                    who: &who,
                    what: &what,
                    score,
                },
            )
        })
        .collect()
}

fn app() -> App {
    let environment = Environment {
        depth: Depth::True,
        background: Background::Dark,
        config: None,
    };
    let mut app = App::new("bench.json", Settings::default(), environment, SIZE);
    let opened = Opened {
        rows: rows(),
        ..Opened::default()
    };
    update(&mut app, Message::Told(Told::Opened(Arc::new(opened))));
    app
}

/// Presses keys, one frame after each.
fn press(app: &mut App, keys: &[&str]) {
    let area = Rect::new(0, 0, SIZE.0, SIZE.1);
    let mut buffer = Buffer::empty(area);
    for key in keys {
        update(app, Message::Key(Key::parse(key).unwrap()));
        buffer.reset();
        draw_in(app, area, &mut buffer);
    }
}

/// Measures the last of the keys, with those before it pressed first.
fn last(bencher: divan::Bencher, keys: &[&str]) {
    let (key, before) = keys.split_last().unwrap();
    let mut fresh = app();
    press(&mut fresh, before);
    bencher
        .with_inputs(|| fresh.clone())
        .bench_local_refs(|app| press(app, &[key]));
}

#[divan::bench(sample_count = 20, sample_size = 1)]
fn down(bencher: divan::Bencher) {
    last(bencher, &["j"]);
}

#[divan::bench(sample_count = 20, sample_size = 1)]
fn to_the_end(bencher: divan::Bencher) {
    last(bencher, &["G"]);
}

#[divan::bench(sample_count = 20, sample_size = 1)]
fn next_tab(bencher: divan::Bencher) {
    last(bencher, &["]"]);
}

#[divan::bench(sample_count = 20, sample_size = 1)]
fn another_order(bencher: divan::Bencher) {
    last(bencher, &["s"]);
}

/// The first letter of a filter looks through everything.
#[divan::bench(sample_count = 20, sample_size = 1)]
fn first_letter_of_a_filter(bencher: divan::Bencher) {
    last(bencher, &["/", "d"]);
}

#[divan::bench(sample_count = 20, sample_size = 1)]
fn fourth_letter_of_a_filter(bencher: divan::Bencher) {
    last(bencher, &["/", "d", "e", "c", "k"]);
}

#[divan::bench(sample_count = 20, sample_size = 1)]
fn letter_of_a_filter_taken_back(bencher: divan::Bencher) {
    last(bencher, &["/", "d", "e", "c", "k", "backspace"]);
}
