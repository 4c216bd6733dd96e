//! The timeline by keys.

use attest_grading::ledger::Ledger;
use attest_grading::model::{IsoTs, Repair};

use super::*;
use crate::inspector::app::state::ScreenName;
use crate::inspector::keymap::Keymap;
use crate::inspector::panes::Pane;
use crate::inspector::screens::bench::{Bench, demo, ledger};

const DEMO_SCENARIO: &str = include_str!("../../../../golden/13-demo-section-2.json");
const SESSIONS: &str = include_str!("../../../../golden/79-session-and-idle-edges.json");

fn at(bench: &Bench) -> i64 {
    bench.app.screens.timeline.view.unwrap().cursor
}

fn lane_names(bench: &Bench) -> Vec<String> {
    let model = bench.app.screens.timeline.model.as_ref().unwrap();
    model.lanes.iter().map(|lane| lane.kind.name("~")).collect()
}

#[test]
fn the_whole_ledger() {
    for (columns, lines) in [(120, 40), (80, 24), (60, 15)] {
        let mut bench = Bench::new(ledger(DEMO_SCENARIO), columns, lines);
        bench.press("4");
        insta::assert_snapshot!(format!("whole-{columns}x{lines}"), bench.screen());
    }
    let mut bench = Bench::new(ledger(SESSIONS), 120, 40);
    bench.press("4");
    insta::assert_snapshot!("sessions-120x40", bench.screen());
}

/// Every kind of thing that happens has its lane.
#[test]
fn every_kind_has_a_lane() {
    let mut of = ledger(SESSIONS);
    let instant = |text| IsoTs::parse(text).unwrap();
    of.meta.repairs.insert(
        "1".into(),
        Repair {
            from: instant("2026-10-06T12:00:00-04:00"),
            to: instant("2026-10-06T12:30:00-04:00"),
        },
    );
    let mut bench = Bench::new(of, 120, 40);
    bench.press("4");
    let names = lane_names(&bench).join("\n");
    for kind in [
        "batches",
        "rows gmail",
        "gmail.sent 9",
        "session ",
        "away",
        "import ",
        "clock repairs",
    ] {
        assert!(names.contains(kind), "{kind} in\n{names}");
    }
    let mut bench = Bench::new(ledger(DEMO_SCENARIO), 120, 40);
    bench.press("4");
    assert!(lane_names(&bench).join("\n").contains("claims muse"));
}

#[test]
fn zoom_pan_and_back_to_all() {
    let mut bench = Bench::new(ledger(DEMO_SCENARIO), 80, 24);
    bench.press("4");
    // It begins on the first claim.
    assert!(bench.screen().contains("claims muse  2 of 2 here"));
    bench.press("home");
    let whole = bench.app.screens.timeline.view.unwrap();
    bench.press("l l l l l l l l");
    let moved = at(&bench);
    assert!(moved > whole.cursor);
    bench.press("+ + +");
    let near = bench.app.screens.timeline.view.unwrap();
    assert_eq!(near.span, whole.span / 8);
    assert_eq!(near.cursor, moved);
    insta::assert_snapshot!("near-80x24", bench.screen());
    bench.press("> <");
    let panned = bench.app.screens.timeline.view.unwrap();
    assert!((panned.from - near.from).abs() <= 1);
    bench.press("-");
    assert_eq!(
        bench.app.screens.timeline.view.unwrap().span,
        whole.span / 4
    );
    bench.press("0");
    let all = bench.app.screens.timeline.view.unwrap();
    assert_eq!((all.from, all.span), (whole.from, whole.span));
    // However near, there is a millisecond a cell; however far, all there is.
    for _ in 0..60 {
        bench.press("+");
    }
    let cells = draw::places(crate::inspector::app::layout::body(&bench.app)).cells;
    let view = bench.app.screens.timeline.view.unwrap();
    assert_eq!(view.span, i64::try_from(cells).unwrap());
    for _ in 0..60 {
        bench.press("-");
    }
    assert_eq!(bench.app.screens.timeline.view.unwrap().span, whole.span);
}

/// From mark to mark in a lane, and from a claim to its receipt and back.
#[test]
fn to_the_receipt_and_back() {
    let of = ledger(DEMO_SCENARIO);
    let mut bench = Bench::new(of, 120, 40);
    bench.press("4");
    let lane = lane_names(&bench)
        .iter()
        .position(|name| name.starts_with("claims"))
        .unwrap();
    bench.press("home");
    for _ in 0..20 {
        bench.press("k");
    }
    for _ in 0..lane {
        bench.press("j");
    }
    bench.press("n");
    let timeline = &bench.app.screens.timeline;
    let claimed = timeline.lane().unwrap().marks.clone();
    assert!(
        claimed
            .iter()
            .any(|mark| mark.at.from.ms() == timeline.view.unwrap().cursor)
    );
    bench.press("enter");
    // One claim is under the cursor, or a choice of them is offered.
    if bench.app.screen == ScreenName::Timeline {
        bench.press("enter");
    }
    assert_eq!(bench.app.screen, ScreenName::Receipts);
    let id = bench.app.list.chosen().unwrap().id.clone();
    assert!(
        claimed
            .iter()
            .any(|mark| mark.receipts[0].to_string() == id)
    );
    bench.press("4");
    assert_eq!(bench.app.screens.timeline.lane.at, lane);
}

/// What a mark says of its receipt is what the list says: checking, never a placeholder (§2).
#[test]
fn marks_say_what_the_list_says() {
    let pending = include_str!("../../../../golden/03-pending-grace-not-elapsed.json");
    let mut bench = Bench::new(ledger(pending), 80, 24);
    bench.press("4 j n");
    bench.press("home");
    let model = bench.app.screens.timeline.model.clone().unwrap();
    let said: Vec<String> = model
        .lanes
        .iter()
        .flat_map(|lane| &lane.marks)
        .filter_map(|mark| Some(mark.verdict.as_ref()?.1.clone()))
        .collect();
    assert_eq!(said, ["checking"]);
}

#[test]
fn nothing_happened() {
    let empty = Ledger {
        exported_at: demo().exported_at,
        ..Ledger::default()
    };
    let mut bench = Bench::new(empty, 80, 24);
    bench.press("4 l + n enter");
    assert!(
        bench
            .screen()
            .contains("the ledger holds nothing that happened")
    );
}

#[test]
fn a_scenario_has_a_timeline_too() {
    let mut bench = Bench::scenario(DEMO_SCENARIO, 80, 24);
    bench.press("4");
    assert!(bench.screen().contains("claims"));
}

#[test]
fn printed_without_a_terminal() {
    let of = ledger(DEMO_SCENARIO);
    let rows = crate::inspector::screens::bench::rows(&of);
    let bench = Bench::new(of, 80, 24);
    let keymap = Keymap::default();
    let pane = Pane {
        look: &bench.app.look,
        width: 100,
        unfolded: true,
        keymap: &keymap,
    };
    let text = plain(&bench.facts(), &rows, &pane).unwrap().join("\n");
    insta::assert_snapshot!("plain", text);
}
