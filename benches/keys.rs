//! What a key costs on every screen over 100,000 receipts: the state changed and
//! the frame drawn. Run: `cargo bench --bench keys`. A key must show its effect
//! within 16 ms. What the work thread does is done before the clock runs.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a benchmark's world is built from small known numbers"
)]

use std::sync::Arc;

use attest_canon::{Id, sha256};
use attest_grading::ledger::Ledger;
use attest_grading::model::{ActionType, AgentId, DisplayNumber, Instant, IsoTs, Receipt};
use attest_grading::policy::{DEFAULT_POLICY, load_policy};
use attest_grading::scenario::Scenario;
use attest_grading::scenario::build::World;
use attest_tui::config::Settings;
use attest_tui::desk::DEMO;
use attest_tui::inspector::app::draw::draw_in;
use attest_tui::inspector::app::{App, Effect, Environment, Message, update};
use attest_tui::inspector::key::Key;
use attest_tui::inspector::row::{Row, Subject};
use attest_tui::inspector::screens::{Explainer, Facts, Query};
use attest_tui::inspector::theme::{Background, Depth};
use attest_tui::inspector::work::{Explained, Opened, Progress, Request, Told};
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
    let saved = ("late".to_owned(), "grade:unasked score<0.5 dck".to_owned());
    let settings = Settings {
        filters: [saved].into_iter().collect(),
        ..Settings::default()
    };
    let mut app = App::new("bench.json", settings, environment, SIZE);
    let opened = Opened {
        rows: rows(),
        ..Opened::default()
    };
    update(&mut app, Message::Told(Told::Opened(Arc::new(opened))));
    app
}

/// The demo's claims, rows and receipts over and over, two seconds apart: nothing
/// of them derives again, so that every one is listed as it is.
fn ledger() -> Ledger {
    let mut ledger = Ledger::read(DEMO).unwrap();
    let id = |kind: &str, n: usize| Id::from_digest(&sha256(format!("{kind} {n}").as_bytes()));
    let later = |at: IsoTs, n: usize| {
        let ms = at.instant().ms() + i64::try_from(n).unwrap() * 2000;
        IsoTs::computed(Instant::from_ms(ms), 0)
    };
    let (claims, rows) = (ledger.claims.clone(), ledger.observations.clone());
    let receipts = ledger.receipts.clone();
    for n in 0..RECEIPTS {
        let mut claim = claims[n % claims.len()].clone();
        (claim.id, claim.claimed_at) = (id("claim", n), later(claim.claimed_at, n));
        let mut row = rows[n % rows.len()].clone();
        (row.id, row.occurred_at) = (id("row", n), later(row.occurred_at, n));
        let mut receipt = receipts[n % receipts.len()].clone();
        receipt.id = id("receipt", n);
        receipt.claim_id = receipt.claim_id.map(|_| claim.id);
        receipt.computed_at = later(receipt.computed_at, n / 100 * 100);
        ledger.claims.push(claim);
        ledger.observations.push(row);
        ledger.receipts.push(receipt);
    }
    ledger
}

/// A scenario whose one claim is open, with as many of it as there are receipts.
fn open_claims() -> World {
    let scenario = include_str!("../golden/03-pending-grace-not-elapsed.json");
    let mut world = World::build(&Scenario::read(scenario).unwrap()).unwrap();
    let claim = world.claims[0].clone();
    for n in 1..RECEIPTS {
        let mut claim = claim.clone();
        claim.id = Id::from_digest(&sha256(&n.to_be_bytes()));
        world.claims.push(claim);
    }
    world
}

/// Explains nothing: an explanation is asked for and never waited for.
#[derive(Debug)]
struct Nobody;

impl Explainer for Nobody {
    fn explain(&self, _receipt: Id) -> Result<Explained, String> {
        Err(String::new())
    }
}

/// What the work thread answers.
enum Work {
    Nothing,
    Ledger(Box<Ledger>),
    World(Box<World>),
}

impl Work {
    /// Answers what was asked for, and what that asks for.
    fn serve(&self, app: &mut App, effects: Vec<Effect>) {
        for effect in effects {
            let Effect::Ask(Request::Query(query)) = effect else {
                continue;
            };
            if matches!(query, Query::Review(_)) {
                continue;
            }
            let policy = load_policy(DEFAULT_POLICY).unwrap();
            let (ledger, scenario, at) = match self {
                Self::Nothing => (None, None, None),
                Self::Ledger(ledger) => (Some(&**ledger), None, ledger.default_instant()),
                Self::World(world) => (None, Some(&**world), Some(world.coverage.evaluated_at)),
            };
            let facts = Facts {
                path: None,
                ledger,
                scenario,
                policy: &policy,
                at: at.unwrap_or(IsoTs::parse("2026-10-06T14:02:00Z").unwrap()),
                explainer: &Nobody,
            };
            let answer = query.answer(Some(&facts), &Progress::silent());
            let told = Told::Answered(query.screen(), Box::new(answer));
            let effects = update(app, Message::Told(told));
            self.serve(app, effects);
        }
    }
}

/// Presses keys, one frame after each.
fn press(app: &mut App, work: &Work, keys: &[&str]) {
    let area = Rect::new(0, 0, SIZE.0, SIZE.1);
    let mut buffer = Buffer::empty(area);
    for key in keys {
        let effects = update(app, Message::Key(Key::parse(key).unwrap()));
        buffer.reset();
        draw_in(app, area, &mut buffer);
        work.serve(app, effects);
    }
}

/// Measures the last of the keys, with those before it pressed first.
fn last(bencher: divan::Bencher, work: &Work, keys: &str) {
    let keys: Vec<&str> = keys.split(' ').collect();
    let (key, before) = keys.split_last().unwrap();
    let mut fresh = app();
    press(&mut fresh, work, before);
    one(bencher, &fresh, key);
}

/// Measures one key.
fn one(bencher: divan::Bencher, app: &App, key: &str) {
    bencher
        .with_inputs(|| app.clone())
        .bench_local_refs(|app| press(app, &Work::Nothing, &[key]));
}

#[divan::bench(
    sample_count = 20,
    sample_size = 1,
    args = ["j", "G", "pagedown", "]", "tab", "n", "/", "F", ":", "?"]
)]
fn receipts(bencher: divan::Bencher, keys: &str) {
    last(bencher, &Work::Nothing, keys);
}

/// By the next column: agent, action, who, score, rule, state, grade, time; and
/// the other way round.
#[divan::bench(
    sample_count = 20,
    sample_size = 1,
    args = [
        "s", "s s", "s s s", "s s s s", "s s s s s", "s s s s s s", "s s s s s s s",
        "s s s s s s s s", "S", "s s s S", "s s s s S",
    ]
)]
fn sorting(bencher: divan::Bencher, keys: &str) {
    last(bencher, &Work::Nothing, keys);
}

/// The first letter of a filter looks through everything; letters may be left
/// out of a word; `F enter` is a saved filter.
#[divan::bench(
    sample_count = 20,
    sample_size = 1,
    args = [
        "/ d", "/ d e", "/ d c k", "/ d e c k", "/ d e c k backspace", "/ d e c k esc",
        "/ x q z", "/ p r s n 1 2", "/ - d", "/ w h o : p", "/ w h a t : b u d",
        "/ g r a d e : u n a s k e d", "/ s c o r e < 0 . 5", "/ d space b space i space o",
        "F enter",
    ]
)]
fn filtering(bencher: divan::Bencher, keys: &str) {
    last(bencher, &Work::Nothing, keys);
}

/// A filter of ten thousand characters, pasted: one word, many words, many terms,
/// and words of letters that cannot be told from the next.
#[divan::bench(
    sample_count = 20,
    sample_size = 1,
    args = [
        "word x", "words x", "words backspace", "words left", "words home", "words enter",
        "terms x", "wide x", "wide backspace", "wide left",
    ]
)]
fn long_filter(bencher: divan::Bencher, keys: &str) {
    let (text, key) = keys.split_once(' ').unwrap();
    let (part, times) = match text {
        "word" => ("d", 10_000),
        "words" => ("deck ", 2000),
        "terms" => ("who:p ", 1667),
        _ => ("\u{915}\u{94d}\u{937}", 3334),
    };
    let mut fresh = app();
    press(&mut fresh, &Work::Nothing, &["/"]);
    update(&mut fresh, Message::Paste(part.repeat(times)));
    one(bencher, &fresh, key);
}

#[divan::bench(
    sample_count = 20,
    sample_size = 1,
    args = [
        "2", "2 j", "2 G", "2 pagedown", "2 n", "2 s", "2 G s", "2 G space", "2 space", "2 tab", "2 1",
    ]
)]
fn review(bencher: divan::Bencher, keys: &str) {
    last(bencher, &Work::Nothing, keys);
}

#[divan::bench(
    sample_count = 20,
    sample_size = 1,
    args = ["3 1", "3 j", "3 G", "3 pagedown", "3 n", "3 G N", "3 G n", "3 tab", "3 tab j"]
)]
fn replay(bencher: divan::Bencher, keys: &str) {
    last(bencher, &Work::Ledger(Box::new(ledger())), keys);
}

#[divan::bench(
    sample_count = 20,
    sample_size = 1,
    args = [
        "4 j", "4 G", "4 +", "4 -", "4 + +", "4 + + + + + +", "4 + + -", "4 + + 0", "4 + + <",
        "4 + + >", "4 + + + + + + >", "4 n", "4 + + n", "4 G n", "4 enter", "4 tab",
    ]
)]
fn timeline(bencher: divan::Bencher, keys: &str) {
    last(bencher, &Work::Ledger(Box::new(ledger())), keys);
}

/// With windows of two minutes and no grace every open claim is decided: as many
/// changes as there are receipts.
#[divan::bench(
    sample_count = 20,
    sample_size = 1,
    args = ["j", "G", "n", "tab", "tab j", "tab G", "tab pagedown", "enter", "backspace"]
)]
fn policy(bencher: divan::Bencher, keys: &str) {
    let keys: Vec<&str> = keys.split(' ').collect();
    let (key, before) = keys.split_last().unwrap();
    let work = Work::World(Box::new(open_claims()));
    let mut fresh = app();
    press(&mut fresh, &work, &["5"]);
    for number in [("afterClaimMin", "2"), ("graceMin", "0")] {
        try_out(&mut fresh, &work, number);
    }
    press(&mut fresh, &work, before);
    one(bencher, &fresh, key);
}

/// Puts a number in place of the one of this name.
fn try_out(app: &mut App, work: &Work, (name, number): (&str, &str)) {
    press(app, work, &["home"]);
    for _ in 0..200 {
        press(app, work, &["n", "enter"]);
        let area = Rect::new(0, 0, SIZE.0, SIZE.1);
        let mut buffer = Buffer::empty(area);
        draw_in(app, area, &mut buffer);
        let text: String = buffer.content.iter().map(|cell| cell.symbol()).collect();
        if text.contains(&format!("what if windows.{name},")) {
            press(app, work, &["ctrl-u", number, "enter"]);
            return;
        }
        press(app, work, &["esc"]);
    }
    unreachable!("there is such a number");
}

#[divan::bench(
    sample_count = 20,
    sample_size = 1,
    args = [
        "6 j", "6 G", "6 pagedown", "6 enter space", "6 enter space space space",
        "6 enter space space p", "6 enter J", "6 enter tab", "6 enter ]", "6 enter j",
    ]
)]
fn examples(bencher: divan::Bencher, keys: &str) {
    last(bencher, &Work::Nothing, keys);
}
