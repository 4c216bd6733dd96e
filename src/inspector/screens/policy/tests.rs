//! The policy and what-if by keys. Figures are worked out by hand beside each case.

use attest_grading::model::Grade;

use super::*;
use crate::inspector::app::state::ScreenName;
use crate::inspector::keymap::Keymap;
use crate::inspector::panes::Pane;
use crate::inspector::screens::bench::{Bench, ledger};

const MIDNIGHT: &str = include_str!("../../../../golden/12-timezone-midnight-edge.json");
const PENDING: &str = include_str!("../../../../golden/03-pending-grace-not-elapsed.json");
const UNASKED: &str = include_str!("../../../../golden/07-unasked-attribution-0-7.json");

/// The cursor on a number, by its path.
fn go_to(bench: &mut Bench, path: &str) {
    bench.press("home");
    for _ in 0..200 {
        let policy = &bench.app.screens.policy;
        if matches!(policy.lines().get(policy.cursor.at), Some(PolicyLine::Number { path: held, .. }) if held == path)
        {
            return;
        }
        bench.press("n");
    }
    panic!("no number {path}");
}

/// Types a number in place of the one there is.
fn try_out(bench: &mut Bench, path: &str, number: &str) {
    go_to(bench, path);
    let keys: Vec<String> = number.chars().map(String::from).collect();
    bench.press(&format!("enter ctrl-u {} enter", keys.join(" ")));
}

fn preview(bench: &Bench) -> Preview {
    match bench.app.screens.policy.outcome.as_deref() {
        Some(Outcome::Preview(preview)) => (**preview).clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_policy() {
    for (columns, lines) in [(120, 40), (80, 24), (60, 15)] {
        let mut bench = Bench::new(ledger(MIDNIGHT), columns, lines);
        bench.press("5");
        insta::assert_snapshot!(format!("policy-{columns}x{lines}"), bench.screen());
    }
    // Every number of the document can be reached, and is as the document writes it.
    let mut bench = Bench::new(ledger(MIDNIGHT), 80, 24);
    bench.press("5");
    for (path, written) in [
        ("thresholds.verified", "0.85"),
        ("features.counterpartyExact", "0.35"),
        ("windows.afterClaimMin", "45"),
        ("unasked.windows.adjacentMin", "2"),
    ] {
        go_to(&mut bench, path);
        assert!(bench.screen().contains(written));
    }
}

/// 787/792 is below 0.9937 (9937 · 792 = 7870104 > 10000 · 787 = 7870000): VERIFIED → PARTIAL; and
/// at or above 0.9936, where nothing changes.
#[test]
fn another_threshold() {
    for (columns, lines) in [(120, 40), (80, 24), (60, 15)] {
        let mut bench = Bench::new(ledger(MIDNIGHT), columns, lines);
        bench.press("5");
        try_out(&mut bench, "thresholds.verified", "0.9937");
        bench.press("l");
        insta::assert_snapshot!(format!("what-if-{columns}x{lines}"), bench.screen());
    }
    let mut bench = Bench::new(ledger(MIDNIGHT), 120, 40);
    bench.press("5");
    try_out(&mut bench, "thresholds.verified", "0.9937");
    let found = preview(&bench);
    assert_eq!((found.stored, found.changes.len()), (1, 1));
    let change = &found.changes[0];
    assert_eq!(change.before.as_ref().unwrap().grade, Some(Grade::Verified));
    let after = change.after.as_ref().unwrap();
    assert_eq!(
        (after.grade, after.rule.as_str()),
        (Some(Grade::Partial), "partial")
    );
    let text = bench.screen();
    assert!(text.contains("1 VERIFIED → PARTIAL"), "{text}");
    try_out(&mut bench, "thresholds.verified", "0.9936");
    assert_eq!(preview(&bench).changes, []);
    assert!(
        bench
            .screen()
            .contains("no receipt would say anything else")
    );
}

/// Another weight changes the score and not what it says: 2500·43/44 + 3500 + 1500 + 1500 over
/// 9000 is 787/792; with 3000 for the time it is another score, still above 0.85.
#[test]
fn another_score_that_says_the_same() {
    let mut bench = Bench::new(ledger(MIDNIGHT), 120, 40);
    bench.press("5");
    try_out(&mut bench, "features.timeProximity", "0.3");
    let found = preview(&bench);
    assert_eq!((found.changes.len(), found.other_score), (0, 1));
}

/// The loader refuses what it refuses of a file, at its path; the loaded policy stays shown.
#[test]
fn a_number_the_loader_refuses() {
    for (path, typed, refusal) in [
        (
            "thresholds.partial",
            "0.9",
            "thresholds.partial: must be < thresholds.verified",
        ),
        (
            "thresholds.verified",
            "abc",
            "must be a multiple of 0.0001 from 0 to 1",
        ),
        (
            "windows.toleranceMin",
            "2",
            "windows.toleranceMin: must be shorter than windows.beforeClaimMin",
        ),
    ] {
        let mut bench = Bench::new(ledger(MIDNIGHT), 120, 40);
        bench.press("5");
        try_out(&mut bench, path, typed);
        let text = bench.screen();
        assert!(text.contains(refusal), "{refusal} in\n{text}");
        assert!(text.contains("The policy is refused"));
        // The loaded number is still what is shown and changed.
        bench.press("enter esc backspace");
        assert!(bench.app.screens.policy.proposal.is_empty());
    }
    let mut bench = Bench::new(ledger(MIDNIGHT), 80, 24);
    bench.press("5");
    try_out(&mut bench, "thresholds.partial", "0.9");
    bench.press("l");
    insta::assert_snapshot!("refused-80x24", bench.screen());
}

/// A claim that is checking is graded anew: its grace of 30 minutes ends by 45 after the unit, so
/// with shorter windows the last look is late enough.
#[test]
fn open_receipts_are_graded_anew() {
    let mut bench = Bench::new(ledger(PENDING), 120, 40);
    bench.press("5");
    try_out(&mut bench, "windows.afterClaimMin", "2");
    try_out(&mut bench, "windows.graceMin", "0");
    let found = preview(&bench);
    assert_eq!((found.stored, found.open), (0, 1));
    assert_eq!(found.changes.len(), 1);
    let change = &found.changes[0];
    assert!(change.is_open);
    assert_eq!(change.before.as_ref().unwrap().grade, None);
    assert_eq!(change.after.as_ref().unwrap().grade, Some(Grade::NotFound));
}

/// At a threshold above 0.7 nobody likely did it: the stored receipt would not be there.
#[test]
fn a_receipt_that_would_not_be_there() {
    let mut bench = Bench::new(ledger(UNASKED), 120, 40);
    bench.press("5");
    try_out(&mut bench, "unasked.threshold", "0.7001");
    let found = preview(&bench);
    assert_eq!(found.changes.len(), 1);
    assert_eq!(found.changes[0].after, None);
    let text = bench.screen();
    assert!(text.contains("no receipt"), "{text}");
}

/// Another file, what is wrong with it, and the loaded one again.
#[test]
fn another_policy_file() {
    let folder = tempfile::tempdir().unwrap();
    let good = folder.path().join("p.json");
    let text = attest_grading::policy::DEFAULT_POLICY;
    std::fs::write(
        &good,
        text.replace("\"verified\": 0.85", "\"verified\": 0.9937"),
    )
    .unwrap();
    let bad = folder.path().join("bad.json");
    std::fs::write(&bad, text.replace("\"version\": 2", "\"version\": 3")).unwrap();
    let mut bench = Bench::new(ledger(MIDNIGHT), 120, 40);
    bench.press("5");
    let pick = |bench: &mut Bench, path: &std::path::Path| {
        bench.press("f ctrl-u");
        let text = path.to_str().unwrap().to_owned();
        crate::inspector::app::update(
            &mut bench.app,
            crate::inspector::app::state::Message::Paste(text),
        );
        bench.press("enter");
    };
    pick(&mut bench, &good);
    assert_eq!(preview(&bench).changes.len(), 1);
    pick(&mut bench, &bad);
    assert!(bench.screen().contains("version: must be 2"));
    pick(&mut bench, &folder.path().join("none.json"));
    assert!(bench.screen().contains("The policy is refused"));
    bench.press("f ctrl-u enter");
    assert!(bench.app.screens.policy.proposal.is_empty());
}

/// From a change to its receipt, and back to the preview as it was.
#[test]
fn to_the_receipt_and_back() {
    let mut bench = Bench::new(ledger(MIDNIGHT), 120, 40);
    bench.press("5");
    try_out(&mut bench, "thresholds.verified", "0.9937");
    bench.press("tab enter");
    assert_eq!(bench.app.screen, ScreenName::Receipts);
    bench.press("5");
    assert_eq!(preview(&bench).changes.len(), 1);
    // The number it was is no change.
    bench.press("tab");
    try_out(&mut bench, "thresholds.verified", "0.85");
    assert!(bench.app.screens.policy.proposal.is_empty());
}

/// Nothing of a preview is ever in the ledger.
#[test]
fn nothing_is_stored() {
    let before = ledger(MIDNIGHT);
    let mut bench = Bench::new(before.clone(), 120, 40);
    bench.press("5");
    try_out(&mut bench, "thresholds.verified", "0.9937");
    assert_eq!(bench.ledger.as_ref(), Some(&before));
}

#[test]
fn printed_without_a_terminal() {
    let bench = Bench::new(ledger(MIDNIGHT), 80, 24);
    let keymap = Keymap::default();
    let pane = Pane {
        look: &bench.app.look,
        width: 100,
        unfolded: true,
        keymap: &keymap,
    };
    let loaded = plain(&bench.facts(), &Proposal::default(), &pane).unwrap();
    insta::assert_snapshot!("plain", loaded.join("\n"));
    let mut proposal = Proposal::default();
    proposal
        .numbers
        .insert("thresholds.verified".to_owned(), "0.9937".to_owned());
    let tried = plain(&bench.facts(), &proposal, &pane).unwrap().join("\n");
    assert!(tried.starts_with("preview of thresholds.verified 0.9937: nothing of it is stored"));
    assert!(tried.contains("VERIFIED"));
}
