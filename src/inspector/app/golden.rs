//! The tabs of worked examples 12 and 13, drawn whole: what a person reads is what the examples
//! were computed to by hand.

use std::sync::Arc;

use attest_grading::decide::{Batch, BatchInput, Trace};
use attest_grading::scenario::Scenario;
use attest_grading::scenario::build::World;

use super::state::Tab;
use super::tests::{empty_app, screen, type_keys};
use super::*;
use crate::inspector::row::{Row, Subject};
use crate::inspector::work::{Explained, Opened, Told};

const MIDNIGHT: &str = include_str!("../../../golden/12-timezone-midnight-edge.json");
const DEMO: &str = include_str!("../../../golden/13-demo-section-2.json");

/// The trace of a claim or an orphan of a scenario, by its name there.
fn trace(scenario: &str, name: &str) -> Trace {
    let scenario = Scenario::read(scenario).unwrap();
    let world = World::build(&scenario).unwrap();
    let batch = Batch::new(BatchInput {
        claims: world.claims.iter().collect(),
        observations: world.observations.iter().collect(),
        grants: world.grants.iter().collect(),
        policy: &world.policy,
        coverage: &world.coverage,
        activity: &world.activity,
        history: world.claims.iter().collect(),
        fixed: &world.fixed,
        model_scores: &world.model_scores,
    })
    .unwrap();
    let id = world.id_of(name).unwrap();
    let found = match world.claim(name) {
        Some(_) => batch.trace_claim(id),
        None => batch.trace_orphan(id),
    };
    found.unwrap().unwrap()
}

/// The inspector with this one receipt, its detail open.
fn app_with(explained: Explained, columns: u16, lines: u16) -> App {
    let receipt = &explained.receipt;
    let (action, at, who, what) = match &explained.trace.as_ref().unwrap().subject {
        attest_grading::decide::TraceSubject::Claim(one) => (
            one.claim.action,
            one.claim.claimed_at,
            one.claim.counterparty.clone(),
            one.claim.subject_hint.clone(),
        ),
        attest_grading::decide::TraceSubject::Orphan(one) => (
            one.observation.action,
            one.observation.occurred_at,
            one.observation.counterparty.clone(),
            one.observation.subject_hint.clone(),
        ),
        attest_grading::decide::TraceSubject::Scope { .. } => panic!("no scope is drawn here"),
    };
    let row = Row::new(
        receipt,
        &Subject {
            action: Some(action),
            is_withheld: false,
            at,
            who: &who.unwrap_or_default(),
            what: &what.unwrap_or_default(),
            score: Some(receipt.confidence),
        },
    );
    let id = receipt.id;
    let mut app = empty_app(columns, lines);
    let opened = Opened {
        rows: vec![row],
        ..Opened::default()
    };
    update(&mut app, Message::Told(Told::Opened(Arc::new(opened))));
    update(
        &mut app,
        Message::Told(Told::Explained(id, Box::new(explained))),
    );
    type_keys(&mut app, "enter");
    app
}

fn graded(scenario: &str, name: &str) -> Explained {
    let trace = trace(scenario, name);
    Explained {
        receipt: trace.receipt.clone(),
        trace: Ok(trace),
        is_stored: true,
    }
}

fn tab_text(explained: &Explained, tab: Tab) -> String {
    let mut app = app_with(explained.clone(), 80, 200);
    for _ in 0..tab as usize {
        type_keys(&mut app, "]");
    }
    assert_eq!(app.detail.tab, tab);
    app.detail
        .lines
        .iter()
        .map(|line| line.to_string().trim_end().to_owned())
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn the_five_tabs() {
    for (file, scenario, name) in [("12", MIDNIGHT, "c1"), ("13", DEMO, "o2")] {
        for (columns, lines) in [(120, 40), (80, 24)] {
            let mut app = app_with(graded(scenario, name), columns, lines);
            for &tab in Tab::ALL {
                assert_eq!(app.detail.tab, tab);
                let title = tab.title().to_lowercase();
                insta::assert_snapshot!(
                    format!("golden-{file}-{name}-{title}-{columns}x{lines}"),
                    screen(&app)
                );
                type_keys(&mut app, "]");
            }
        }
    }
}

/// Worked example 12's hand computation: 43/44 for the time, 787/792 for the pair.
#[test]
fn the_arithmetic_is_the_notes() {
    let text = tab_text(&graded(MIDNIGHT, "c1"), Tab::Arithmetic);
    for part in ["787/792", "43/44", "2443.18", "89431818.18"] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
    // Worked example 13: c1 is 12/13, and o2 with it 205/572 by time alone.
    let text = tab_text(&graded(DEMO, "c1"), Tab::Arithmetic);
    assert!(text.contains("12/13"), "{text}");
}

/// Nobody claimed it: wherever an agent is named, it is likely.
#[test]
fn an_unasked_action_is_never_more_than_likely() {
    let explained = graded(DEMO, "o2");
    let why = tab_text(&explained, Tab::Why);
    for line in why.lines().filter(|line| line.contains("muse")) {
        assert!(line.contains("likely"), "{line}");
    }
    assert!(why.contains("UNASKED"), "{why}");
}

/// A receipt that is being checked never shows its placeholder grade (§2).
#[test]
fn what_is_checking_shows_no_grade() {
    let mut explained = graded(MIDNIGHT, "c1");
    let at = explained.receipt.final_at.take();
    explained.receipt.state = attest_grading::model::ReceiptState::Pending;
    explained.receipt.final_from = at;
    for tab in [Tab::Why, Tab::State] {
        let text = tab_text(&explained, tab);
        assert!(!text.contains("VERIFIED"), "{text}");
        assert!(text.contains("checking"), "{text}");
        assert!(text.contains("2026-10-07 01:00 -04:00"), "{text}");
    }
}

/// A person's word and its way back, on the machine and in the history.
#[test]
fn an_override_and_its_revert() {
    use attest_grading::ledger::state::{Event, transition};
    use attest_grading::model::{IsoTs, OverrideGrade};
    let mut explained = graded(MIDNIGHT, "c1");
    let at = |text| IsoTs::parse(text).unwrap();
    let says = Event::Override {
        grade: OverrideGrade::NotFound,
        reason: "she never\u{202e} got it".into(),
        at: at("2026-10-08T09:00:00-04:00"),
    };
    explained.receipt = transition(&explained.receipt, says).unwrap();
    insta::assert_snapshot!("state-overridden", tab_text(&explained, Tab::State));
    insta::assert_snapshot!("why-overridden", tab_text(&explained, Tab::Why));
    let back = Event::Revert {
        at: at("2026-10-08T09:30:00-04:00"),
    };
    explained.receipt = transition(&explained.receipt, back).unwrap();
    insta::assert_snapshot!("state-reverted", tab_text(&explained, Tab::State));
}

/// Without a trace the receipt still says what it says.
#[test]
fn a_receipt_that_cannot_be_re_derived() {
    let mut explained = graded(MIDNIGHT, "c1");
    let whole = explained.clone();
    explained.trace = Err("the batch is not in the ledger".to_owned());
    let mut app = app_with(whole, 80, 24);
    let id = explained.receipt.id;
    update(
        &mut app,
        Message::Told(Told::Explained(id, Box::new(explained))),
    );
    let text = screen(&app);
    assert!(text.contains("VERIFIED: what was claimed was found."));
    assert!(text.contains("the batch is not in the ledger"));
}
