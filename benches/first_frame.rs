//! How long the inspector takes to its first frame and to its receipts, in a
//! real terminal: `cargo bench --bench first_frame -- [FILE…]`; the embedded
//! demo is measured too. `benches/first_frame.sh` makes ledgers of 50, 100 and
//! 200 MB for it. Wanted: a first frame within 50 ms of start, whatever the
//! file.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a benchmark stops at the first thing that is not as it must be"
)]

use std::io::Read as _;
use std::num::NonZero;
use std::time::{Duration, Instant};

use portable_pty::{CommandBuilder, PtySize, native_pty_system};

const SIZE: PtySize = PtySize {
    rows: 40,
    cols: 120,
    pixel_width: 0,
    pixel_height: 0,
};
const ROUNDS: usize = 7;

/// When, after the start, something was there.
struct Times {
    frame: Duration,
    receipts: Duration,
}

fn start(file: Option<&str>) -> Times {
    let home = tempfile::tempdir().unwrap();
    let pair = native_pty_system().openpty(SIZE).unwrap();
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_attest-tui"));
    command.args(file);
    command.cwd(home.path());
    command.env_clear();
    command.env("HOME", home.path());
    command.env("TERM", "xterm-256color");
    // Said in the environment, so that the terminal is not asked.
    command.env("COLORFGBG", "15;0");
    let mut reader = pair.master.try_clone_reader().unwrap();
    let began = Instant::now();
    let mut child = pair.slave.spawn_command(command).unwrap();
    drop(pair.slave);
    let cells = |count| NonZero::new(count).expect("a size");
    let mut parser = vt100::Parser::new(cells(SIZE.rows), cells(SIZE.cols), 0);
    let mut frame = None;
    let mut bytes = [0; 65_536];
    let receipts = loop {
        let count = reader.read(&mut bytes).expect("the program draws");
        assert!(count > 0, "the program ended");
        parser.process(&bytes[..count]);
        let screen = parser.screen().contents();
        // The footer is drawn last.
        if frame.is_none() && screen.contains("q quit") {
            frame = Some(began.elapsed());
        }
        if screen.contains("Receipts ") && screen.contains("grade") {
            break began.elapsed();
        }
    };
    child.kill().unwrap();
    child.wait().unwrap();
    Times {
        frame: frame.expect("a frame before the receipts"),
        receipts,
    }
}

fn main() {
    // Cargo adds its own options.
    let files = std::env::args()
        .skip(1)
        .filter(|text| !text.starts_with('-'));
    let files: Vec<Option<String>> = std::iter::once(None).chain(files.map(Some)).collect();
    for file in &files {
        let mut times: Vec<Times> = (0..ROUNDS).map(|_| start(file.as_deref())).collect();
        let size = file
            .as_ref()
            .map_or(0, |file| std::fs::metadata(file).unwrap().len());
        let mut median = |of: fn(&Times) -> Duration| {
            times.sort_by_key(of);
            of(&times[ROUNDS / 2]).as_secs_f64() * 1000.0
        };
        println!(
            "{:>4} MB: first frame {:>5.1} ms, receipts {:>7.1} ms",
            size / 1_000_000,
            median(|one| one.frame),
            median(|one| one.receipts)
        );
    }
}
