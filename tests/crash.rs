//! Killed at any instant: the ledger is the old or the new one, whole, and no
//! event that was acknowledged is lost.
#![cfg(unix)]

mod common;

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;
use std::time::Duration;

use common::{Desk, receipt_of};

/// How often the program is killed.
const TRIES: u64 = 300;
/// After how many the instants begin anew.
const SWEEP: u64 = 30;

/// Overrides and reverts of one receipt, each killed a little later than the
/// one before, from before the program has begun to after it is done.
#[test]
fn killed_at_any_instant_nothing_acknowledged_is_lost() {
    let desk = Desk::new();
    desk.demo();
    let id = receipt_of("NOT_FOUND");
    // How long an undisturbed run takes sets the range of instants to kill at.
    let began = std::time::Instant::now();
    let first = desk.run(&["override", "demo.json", &id, "VERIFIED", "--reason", "seen"]);
    assert_eq!(first.code, Some(0), "{first:?}");
    let mut whole = began.elapsed();
    let (mut killed, mut acknowledged, mut taken_up) = (0, 0, 0);
    let mut overridden = true;
    let mut reverts = 0;
    for tries in 0..TRIES {
        // At most 64 reverted overrides are kept: begin anew before that.
        if reverts == 60 {
            desk.demo();
            (overridden, reverts) = (false, 0);
        }
        let arguments: &[&str] = if overridden {
            &["revert", "demo.json", &id]
        } else {
            &["override", "demo.json", &id, "VERIFIED", "--reason", "seen"]
        };
        let before = desk.read("demo.json");
        let mut child = desk
            .command(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Ten sweeps over the run, from its first instant to after its last.
        let part = (tries % SWEEP) as f64 / SWEEP as f64;
        let wait = whole.mul_f64(1.3 * part);
        std::thread::sleep(wait.max(Duration::from_micros(1)));
        // Already done is as good an instant as any.
        let _ = child.kill();
        let mut said = String::new();
        let out = child.stdout.take().unwrap();
        BufReader::new(out).read_line(&mut said).unwrap();
        let status = child.wait().unwrap();
        let cut_off = status.code().is_none();
        killed += i32::from(cut_off);
        // Disks differ from one moment to the next: the range follows.
        if cut_off && wait > whole {
            whole = whole.mul_f64(1.5);
        } else if !cut_off && wait < whole {
            whole = wait.max(Duration::from_millis(1));
        }

        // Whole: it loads and replays, whichever of the two it is.
        let replay = desk.run(&["replay", "demo.json"]);
        assert_eq!(replay.code, Some(0), "{replay:?}");
        let after = desk.read("demo.json");
        if said.ends_with('\n') {
            acknowledged += 1;
            assert_ne!(after, before, "acknowledged and lost, try {tries}");
        }
        // What was accepted and not saved is offered, and comes through.
        let waiting = desk.run(&["journal", "demo.json"]);
        assert_eq!(waiting.code, Some(0), "{waiting:?}");
        if waiting.out.contains("--apply") {
            assert_eq!(after, before, "offered although it is saved, try {tries}");
            let apply = desk.run(&["journal", "demo.json", "--apply"]);
            assert_eq!(apply.code, Some(0), "{apply:?}");
            assert!(apply.out.contains("1 of 1 event saved"), "{apply:?}");
            taken_up += 1;
        }
        if desk.read("demo.json") != before {
            reverts += i32::from(overridden);
            overridden = !overridden;
        }
        // A name left beside the ledger is never taken for it.
        for (name, _) in desk.files() {
            assert!(
                name == "demo.json" || name.starts_with(".demo.json."),
                "{name}"
            );
        }
    }
    println!("{killed} killed, {acknowledged} acknowledged, {taken_up} taken up after a crash");
    assert!(
        killed > 0 && acknowledged > 0,
        "the instants missed the run"
    );
}

/// A second writer is told so, and changes nothing.
#[test]
fn one_writer_at_a_time() {
    let desk = Desk::new();
    desk.demo();
    let id = receipt_of("NOT_FOUND");
    let children: Vec<_> = (0..8)
        .map(|_| {
            desk.command(&["override", "demo.json", &id, "VERIFIED", "--reason", "seen"])
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap()
        })
        .collect();
    let runs: Vec<_> = children
        .into_iter()
        .map(|child| common::Run::of(child.wait_with_output().unwrap()))
        .collect();
    let done = runs.iter().filter(|run| run.code == Some(0)).count();
    assert_eq!(done, 1, "{runs:?}");
    for run in runs.iter().filter(|run| run.code != Some(0)) {
        assert_eq!(run.code, Some(2));
        let told = run.err.contains("is open in another attest-tui")
            || run.err.contains("it is overridden already");
        assert!(told, "{run:?}");
    }
}
