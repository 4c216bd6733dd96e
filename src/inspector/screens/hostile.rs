//! Text from files on the screens beside the receipts: visible, and never an order to the terminal.

use attest_grading::ledger::Ledger;
use attest_grading::text::is_plain;

use super::bench::{Bench, demo};
use crate::inspector::app::state::Message;
use crate::inspector::app::update;

/// Colours, a title, a backspace, right to left, nothing at all, an end of line.
const HOSTILE: &str = "a\u{1b}[31mb\u{1b}]0;x\u{7}\u{8}\u{202e}c\u{200b}d\u{85}\r\ne";

fn hostile() -> Ledger {
    let mut ledger = demo();
    for claim in &mut ledger.claims {
        claim.counterparty = Some(HOSTILE.into());
        claim.subject_hint = Some(HOSTILE.into());
    }
    for row in &mut ledger.observations {
        row.subject_hint = Some(HOSTILE.into());
    }
    ledger
}

fn assert_plain(bench: &Bench, of: &str) {
    let text = bench.screen();
    let bad = text.chars().find(|c| *c != '\n' && !is_plain(*c));
    assert_eq!(bad, None, "{of}:\n{text}");
}

/// The claims are not what was graded any more, so the replay has something to say of each; the
/// timeline says every one of them; the policy screen lists what would change.
#[test]
fn text_from_a_ledger() {
    for (columns, lines) in [(120, 40), (60, 15)] {
        let mut bench = Bench::new(hostile(), columns, lines);
        for keys in ["3", "3 l", "3 h j", "4", "4 j", "4 n enter esc"] {
            bench.press(keys);
            assert_plain(&bench, keys);
        }
        bench.press("3");
        assert!(bench.app.screens.replay.found_mismatches());
    }
}

/// A policy file's name, and what is typed in place of a number.
#[test]
fn text_that_is_typed() {
    let mut bench = Bench::new(demo(), 120, 40);
    bench.press("5 f ctrl-u");
    update(&mut bench.app, Message::Paste(HOSTILE.to_owned()));
    assert_plain(&bench, "the line");
    bench.press("enter");
    assert_plain(&bench, "a file that is not there");
    bench.press("backspace n enter ctrl-u");
    update(&mut bench.app, Message::Paste(HOSTILE.to_owned()));
    bench.press("enter");
    assert_plain(&bench, "a number that is none");
    let text = bench.screen();
    assert!(text.contains("must be a multiple of 0.0001"), "{text}");
}

/// A policy file whose members are named to deceive.
#[test]
fn text_from_a_policy_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p.json");
    let name = serde_json::to_string(HOSTILE).unwrap();
    let text = attest_grading::policy::DEFAULT_POLICY;
    std::fs::write(&path, text.replacen('{', &format!("{{{name}: 1,"), 1)).unwrap();
    let mut bench = Bench::new(demo(), 120, 40);
    bench.press("5 f ctrl-u");
    let typed = path.to_str().unwrap().to_owned();
    update(&mut bench.app, Message::Paste(typed));
    bench.press("enter");
    assert_plain(&bench, "a refused file");
    assert!(bench.screen().contains("unknown member"));
}
