//! The replay by keys, on ledgers that are whole and on one that was changed outside the rules.

use attest_grading::ledger::Ledger;
use attest_grading::model::Grade;

use super::*;
use crate::inspector::app::state::ScreenName;
use crate::inspector::keymap::Keymap;
use crate::inspector::screens::bench::{Bench, demo};

/// The demo with one receipt's grade and rule changed by hand.
fn changed() -> Ledger {
    let mut ledger = demo();
    let place = ledger
        .receipts
        .iter()
        .position(|receipt| receipt.grade == Grade::Verified)
        .unwrap();
    let rule = ledger
        .receipts
        .iter()
        .find(|receipt| receipt.grade == Grade::NotFound)
        .unwrap()
        .rule_id
        .clone();
    ledger.receipts[place].grade = Grade::Partial;
    ledger.receipts[place].rule_id = rule;
    ledger
}

#[test]
fn a_whole_ledger() {
    for (columns, lines) in [(120, 40), (80, 24), (60, 15)] {
        let mut bench = Bench::new(demo(), columns, lines);
        bench.press("3");
        let replayed = bench.app.screens.replay.replayed.clone().unwrap();
        assert_eq!(replayed.report.mismatched, 0);
        assert_eq!(replayed.report.reproduced, demo().receipts.len());
        assert!(bench.screen().contains("reproduced"));
        insta::assert_snapshot!(format!("whole-{columns}x{lines}"), bench.screen());
    }
}

#[test]
fn what_differs_side_by_side() {
    for (columns, lines) in [(120, 40), (80, 24), (60, 15)] {
        let mut bench = Bench::new(changed(), columns, lines);
        bench.press("3");
        insta::assert_snapshot!(format!("differs-list-{columns}x{lines}"), bench.screen());
        bench.press("l");
        let text = bench.screen();
        assert!(
            text.contains("stored") && text.contains("replayed"),
            "{text}"
        );
        insta::assert_snapshot!(format!("differs-side-{columns}x{lines}"), text);
    }
}

/// The receipt that differs opens with its arithmetic, and its screen is as it was left.
#[test]
fn to_the_receipt_and_back() {
    let ledger = changed();
    let mut bench = Bench::new(ledger.clone(), 120, 40);
    bench.press("3");
    let at = bench.app.screens.replay.cursor.at;
    let Item::Receipt(one) = &bench.app.screens.replay.items()[at] else {
        panic!("the first mismatch is chosen");
    };
    let id = one.id.to_string();
    let fields: Vec<&str> = one
        .mismatches
        .iter()
        .map(|found| found.field.as_str())
        .collect();
    assert_eq!(fields, ["grade", "ruleId"]);
    let Some((stored, Ok(replayed))) = &one.sides else {
        panic!("both sides are there");
    };
    assert_eq!(
        (stored.grade, replayed.grade),
        (Grade::Partial, Grade::Verified)
    );
    bench.press("enter");
    assert_eq!(bench.app.screen, ScreenName::Receipts);
    assert_eq!(bench.app.detail.tab, Tab::Arithmetic);
    assert_eq!(bench.app.list.chosen().unwrap().id, id);
    bench.press("3");
    assert_eq!(bench.app.screens.replay.cursor.at, at);
    // Up to its batch, and on to the mismatch again, round the end.
    bench.press("k n n N");
    assert_eq!(bench.app.screens.replay.cursor.at, at);
}

/// Inputs that retention took away are named, not passed over.
#[test]
fn a_receipt_that_cannot_be_derived() {
    let mut ledger = demo();
    let gone = ledger.receipts[0].inputs_hash;
    ledger.receipt_inputs.remove(&gone);
    let mut bench = Bench::new(ledger, 120, 40);
    bench.press("3");
    let text = bench.screen();
    assert!(text.contains("receiptInputs"), "{text}");
    assert!(
        text.contains("its inputs are not in the ledger any more"),
        "{text}"
    );
}

#[test]
fn nothing_to_replay() {
    let mut bench = Bench::new(
        Ledger {
            receipts: Vec::new(),
            ..demo()
        },
        80,
        24,
    );
    bench.press("3");
    assert!(bench.screen().contains("the ledger stores no receipts"));
    let twelve = include_str!("../../../../golden/12-timezone-midnight-edge.json");
    let mut bench = Bench::scenario(twelve, 80, 24);
    bench.press("3");
    assert!(
        bench
            .screen()
            .contains("a golden scenario stores no receipts")
    );
}

/// After the ledger changed everything is derived again, once.
#[test]
fn it_runs_again_when_asked() {
    let mut bench = Bench::new(demo(), 80, 24);
    bench.press("3");
    bench.ledger = Some(changed());
    bench.press("r");
    let replayed = bench.app.screens.replay.replayed.clone().unwrap();
    assert_eq!(replayed.report.mismatched, 1);
}

#[test]
fn printed_without_a_terminal() {
    let bench = Bench::new(changed(), 80, 24);
    let keymap = Keymap::default();
    let pane = Pane {
        look: &bench.app.look,
        width: 100,
        unfolded: true,
        keymap: &keymap,
    };
    let text = plain(&bench.facts(), &pane).unwrap().join("\n");
    insta::assert_snapshot!("plain", text);
}
