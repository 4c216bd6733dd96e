//! Every invariant of a stored receipt (§8): in a ledger that is good, one
//! receipt breaks one of them, and loading refuses it by its path. The list is
//! whole: an invariant without a case fails the test.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a test stops at the first thing it cannot read"
)]

use std::collections::BTreeSet;

use attest_grading::ledger::Ledger;
use attest_grading::model::invariant::Invariant::{self, *};
use attest_grading::model::reason::Params;
use attest_grading::model::receipt::{Override, Reverted, lifecycle_reasons};
use attest_grading::model::{
    BaseState, Grade, IsoTs, OverrideGrade, Reason, ReasonCode, Receipt, ReceiptState, Token,
};

/// Three receipts, FINAL since 15:00: a VERIFIED claim, a NOT_FOUND one and an
/// UNASKED orphan.
const DEMO: &str = include_str!("../../../golden/ledgers/demo.json");
const VERIFIED: usize = 0;
const UNASKED: usize = 2;

/// A receipt of the demo, and what becomes of it.
type Change = (usize, fn(&mut Receipt));

/// One receipt made good in another way, then broken in one.
struct Case {
    receipt: usize,
    good: fn(&mut Receipt),
    broken: fn(&mut Receipt),
    path: &'static str,
    invariant: Invariant,
}

const fn case(
    (receipt, good): Change,
    broken: fn(&mut Receipt),
    path: &'static str,
    invariant: Invariant,
) -> Case {
    Case {
        receipt,
        good,
        broken,
        path,
        invariant,
    }
}

/// A time of the demo's day. Everything was graded at 15:00.
fn at(time: &str) -> IsoTs {
    IsoTs::parse(&format!("2026-10-06T{time}:00-04:00")).unwrap()
}

// The good ledgers.

const AS_GRADED: fn(&mut Receipt) = |_| {};

fn pending(receipt: &mut Receipt) {
    receipt.state = ReceiptState::Pending;
    receipt.final_at = None;
    receipt.final_from = Some(at("15:20"));
}

/// A person says NOT_FOUND at 16:00, of whatever stands.
fn overridden(receipt: &mut Receipt) {
    let user = Override {
        grade: OverrideGrade::NotFound,
        reason: "it was not".into(),
        at: at("16:00"),
        previous_state: receipt.base_state(),
    };
    receipt.reasons.extend(lifecycle_reasons(Some(&user), None));
    receipt.user_override = Some(user);
    receipt.state = ReceiptState::UserOverridden;
}

fn overridden_pending(receipt: &mut Receipt) {
    pending(receipt);
    overridden(receipt);
}

/// A claim of the ledger explains the orphan after all.
fn superseded(receipt: &mut Receipt) {
    receipt.superseded_by = Some(receipt.id);
    receipt
        .reasons
        .extend(lifecycle_reasons(None, receipt.superseded_by));
}

fn overridden_and_superseded(receipt: &mut Receipt) {
    overridden(receipt);
    superseded(receipt);
}

/// A word said and taken back since the grading at `graded`.
fn word(receipt: &Receipt, graded: &str, said: &str, taken_back: &str) -> Reverted {
    Reverted {
        grade: OverrideGrade::NotFound,
        at: at(said),
        reverted_at: at(taken_back),
        previous_state: if at(graded).instant() == receipt.computed_at.instant() {
            receipt.base_state()
        } else {
            BaseState::Pending
        },
        computed_at: at(graded),
        observation_ids: receipt.observation_ids.clone(),
    }
}

/// Two words taken back since the grading that stands.
fn reverted(receipt: &mut Receipt) {
    receipt.reverted = vec![
        word(receipt, "15:00", "15:10", "15:20"),
        word(receipt, "15:00", "15:30", "15:40"),
    ];
}

/// Graded at 13:00 and 14:00 and at 15:00, with a word taken back after each of
/// the first two.
fn regraded(receipt: &mut Receipt) {
    receipt.reverted = vec![
        word(receipt, "13:00", "13:10", "13:20"),
        word(receipt, "14:00", "14:10", "14:20"),
    ];
}

fn reverted_and_overridden(receipt: &mut Receipt) {
    reverted(receipt);
    overridden(receipt);
}

/// A scope the person did not declare: no claim, no evidence.
fn scope(receipt: &mut Receipt) {
    receipt.grade = Grade::OverScope;
    receipt.rule_id = Token::parse("over_scope_observed").unwrap();
    receipt.attribution_likely = false;
    receipt.observation_ids = Vec::new();
    receipt.reasons = Vec::new();
}

fn user(receipt: &mut Receipt) -> &mut Override {
    receipt.user_override.as_mut().unwrap()
}

/// §8, sentence by sentence, each way it can be broken.
const CASES: &[Case] = &[
    // override is present iff state is USER_OVERRIDDEN
    case(
        (VERIFIED, overridden),
        |r| r.state = ReceiptState::Final,
        "override",
        OverridePresent,
    ),
    case(
        (VERIFIED, overridden_pending),
        |r| r.state = ReceiptState::Pending,
        "override",
        OverridePresent,
    ),
    case(
        (VERIFIED, AS_GRADED),
        |r| r.state = ReceiptState::UserOverridden,
        "override",
        OverridePresent,
    ),
    // finalAt is present iff the state before any override is FINAL
    case(
        (VERIFIED, AS_GRADED),
        |r| r.final_at = None,
        "finalAt",
        FinalAtPresent,
    ),
    case(
        (VERIFIED, overridden),
        |r| r.final_at = None,
        "finalAt",
        FinalAtPresent,
    ),
    case(
        (VERIFIED, pending),
        |r| r.final_at = Some(at("15:00")),
        "finalAt",
        FinalAtPresent,
    ),
    case(
        (VERIFIED, overridden_pending),
        |r| r.final_at = Some(at("15:00")),
        "finalAt",
        FinalAtPresent,
    ),
    // … and finalFrom never then
    case(
        (VERIFIED, AS_GRADED),
        |r| r.final_from = Some(at("15:20")),
        "finalFrom",
        FinalFromAbsent,
    ),
    case(
        (UNASKED, overridden),
        |r| r.final_from = Some(at("15:20")),
        "finalFrom",
        FinalFromAbsent,
    ),
    // grade is UNASKED iff attribution is likely and claimId is absent
    case(
        (UNASKED, AS_GRADED),
        |r| r.attribution_likely = false,
        "attribution",
        AttributionPresent,
    ),
    case(
        (VERIFIED, AS_GRADED),
        |r| r.attribution_likely = true,
        "attribution",
        AttributionPresent,
    ),
    case(
        (UNASKED, scope),
        |r| r.attribution_likely = true,
        "attribution",
        AttributionPresent,
    ),
    case(
        (UNASKED, AS_GRADED),
        |r| r.claim_id = Some(r.id),
        "claimId",
        UnaskedClaimless,
    ),
    // attribution and supersededBy appear only on UNASKED receipts
    case(
        (VERIFIED, AS_GRADED),
        superseded,
        "supersededBy",
        SupersededUnasked,
    ),
    case(
        (UNASKED, scope),
        superseded,
        "supersededBy",
        SupersededUnasked,
    ),
    // an override reason contains a visible character
    case(
        (VERIFIED, overridden),
        |r| user(r).reason = "".into(),
        "override.reason",
        ReasonVisible,
    ),
    case(
        (VERIFIED, overridden),
        |r| user(r).reason = " \n\u{200b}\u{2028}\u{301}".into(),
        "override.reason",
        ReasonVisible,
    ),
    // override.at ≥ computedAt
    case(
        (VERIFIED, overridden),
        |r| user(r).at = at("14:59"),
        "override.at",
        OverrideAfterGrading,
    ),
    // override.user {grade} is present iff override is
    case(
        (VERIFIED, overridden),
        |r| r.reasons.truncate(r.reasons.len() - 1),
        "reasons",
        LifecycleReasons,
    ),
    case(
        (VERIFIED, AS_GRADED),
        |r| {
            let params = Params::Grade {
                grade: OverrideGrade::NotFound,
            };
            r.reasons
                .push(Reason::new(ReasonCode::OverrideUser, params).unwrap());
        },
        "reasons",
        LifecycleReasons,
    ),
    case(
        (VERIFIED, overridden),
        |r| user(r).grade = OverrideGrade::Verified,
        "reasons",
        LifecycleReasons,
    ),
    // superseded {claimId: supersededBy} iff supersededBy is
    case(
        (UNASKED, superseded),
        |r| r.reasons.truncate(r.reasons.len() - 1),
        "reasons",
        LifecycleReasons,
    ),
    case(
        (UNASKED, superseded),
        |r| r.superseded_by = None,
        "reasons",
        LifecycleReasons,
    ),
    case(
        (UNASKED, superseded),
        |r| r.superseded_by = Some(r.observation_ids[0]),
        "reasons",
        LifecycleReasons,
    ),
    // both after every graded reason, in §15's order
    case(
        (VERIFIED, overridden),
        |r| r.reasons.reverse(),
        "reasons",
        LifecycleReasons,
    ),
    case(
        (UNASKED, superseded),
        |r| r.reasons.rotate_right(1),
        "reasons",
        LifecycleReasons,
    ),
    case(
        (UNASKED, overridden_and_superseded),
        |r| r.reasons[2..].reverse(),
        "reasons",
        LifecycleReasons,
    ),
    case(
        (VERIFIED, overridden),
        |r| r.reasons.insert(0, r.reasons[1].clone()),
        "reasons",
        LifecycleReasons,
    ),
    // an UNASKED receipt's observationIds is [its orphan]; a scope receipt's is []
    case(
        (UNASKED, AS_GRADED),
        |r| r.observation_ids.clear(),
        "observationIds",
        UnaskedOrphan,
    ),
    case(
        (UNASKED, scope),
        |r| r.observation_ids.push(r.id),
        "observationIds",
        ScopeWithoutEvidence,
    ),
    // reverted: computedAt ≤ at ≤ revertedAt
    case(
        (VERIFIED, reverted),
        |r| r.reverted[0].at = at("14:59"),
        "reverted[0]",
        EntryInOrder,
    ),
    case(
        (VERIFIED, reverted),
        |r| r.reverted[1].reverted_at = at("15:29"),
        "reverted[1]",
        EntryInOrder,
    ),
    // each entry's at and computedAt are no earlier than the previous entry's
    // revertedAt and computedAt
    case(
        (VERIFIED, reverted),
        |r| r.reverted[1].at = at("15:19"),
        "reverted[1]",
        EntriesInOrder,
    ),
    case(
        (VERIFIED, regraded),
        |r| r.reverted[1].computed_at = at("12:59"),
        "reverted[1]",
        EntriesInOrder,
    ),
    // a regrade between two entries happens only once the earlier one no longer
    // held the subject: a claim up to its revert, an orphan from its override
    case(
        (VERIFIED, regraded),
        |r| {
            r.reverted[0].reverted_at = at("14:00");
        },
        "reverted[1]",
        RegradedUnheld,
    ),
    case(
        (UNASKED, regraded),
        |r| {
            r.reverted[0].reverted_at = at("14:00");
        },
        "reverted[1]",
        RegradedUnheld,
    ),
    // override.at is no earlier than the last revertedAt
    case(
        (VERIFIED, reverted_and_overridden),
        |r| user(r).at = at("15:39"),
        "override.at",
        OverrideAfterRevert,
    ),
    // an entry's computedAt is no later than the receipt's
    case(
        (VERIFIED, reverted),
        |r| r.reverted[1].computed_at = at("15:01"),
        "reverted[1]",
        EntryOfAGrading,
    ),
    // while they are equal, its previousState is the state before any override …
    case(
        (VERIFIED, reverted),
        |r| r.reverted[0].previous_state = BaseState::Pending,
        "reverted[0]",
        EntryState,
    ),
    case(
        (VERIFIED, |r| {
            pending(r);
            reverted(r);
        }),
        |r| r.reverted[1].previous_state = BaseState::Final,
        "reverted[1]",
        EntryState,
    ),
    // … and its observationIds are the receipt's
    case(
        (VERIFIED, reverted),
        |r| r.reverted[1].observation_ids.clear(),
        "reverted[1]",
        EntryEvidence,
    ),
    // once regraded, the entry was PENDING …
    case(
        (VERIFIED, regraded),
        |r| r.reverted[1].previous_state = BaseState::Final,
        "reverted[1]",
        RegradedFromPending,
    ),
    case(
        (UNASKED, regraded),
        |r| r.reverted[0].previous_state = BaseState::Final,
        "reverted[0]",
        RegradedFromPending,
    ),
    // … and the receipt was not computed while the override held
    case(
        (VERIFIED, regraded),
        |r| r.reverted[1].reverted_at = at("15:00"),
        "reverted[1]",
        RegradedUnheld,
    ),
    case(
        (UNASKED, regraded),
        |r| r.reverted[1].reverted_at = at("15:00"),
        "reverted[1]",
        RegradedUnheld,
    ),
    case(
        (VERIFIED, regraded),
        |r| {
            r.reverted[1].at = at("15:00");
            r.reverted[1].reverted_at = at("15:10");
        },
        "reverted[1]",
        RegradedUnheld,
    ),
    // a claim-less receipt's entries hold its own observationIds
    case(
        (UNASKED, regraded),
        |r| r.reverted[0].observation_ids[0] = r.id,
        "reverted[0]",
        EntryOwnEvidence,
    ),
    case(
        (UNASKED, reverted),
        |r| r.reverted[1].observation_ids.clear(),
        "reverted[1]",
        EntryOwnEvidence,
    ),
];

fn demo() -> Ledger {
    Ledger::read(DEMO).unwrap()
}

/// What loading says of the text: one line a problem, with its code.
fn refusals(text: &str) -> Vec<(String, &'static str)> {
    let error = Ledger::read(text).expect_err("it loads");
    let list = error.problems.iter();
    list.map(|problem| (problem.to_string(), problem.code.1))
        .collect()
}

#[test]
fn each_invariant_broken_by_one_receipt_is_refused_by_its_path() {
    for (number, case) in CASES.iter().enumerate() {
        let what = format!("case {number}, {:?}", case.invariant);
        let mut ledger = demo();
        (case.good)(&mut ledger.receipts[case.receipt]);
        if let Err(error) = Ledger::read(&ledger.to_text()) {
            panic!("{what}: the good ledger: {error}");
        }
        (case.broken)(&mut ledger.receipts[case.receipt]);
        let line = format!(
            "receipts[{}].{}: {}",
            case.receipt, case.path, case.invariant
        );
        assert_eq!(
            refusals(&ledger.to_text()),
            [(line, "bad_receipt")],
            "{what}"
        );
    }
}

/// What holds just where another case breaks.
#[test]
fn the_edges_of_the_invariants_are_legal() {
    let edges: &[Change] = &[
        (VERIFIED, |r| {
            overridden(r);
            user(r).at = at("15:00");
        }),
        // A PENDING receipt stored before finalFrom was written has none.
        (VERIFIED, |r| {
            pending(r);
            r.final_from = None;
        }),
        (VERIFIED, |r| {
            reverted_and_overridden(r);
            user(r).at = at("15:40");
        }),
        (VERIFIED, |r| {
            reverted(r);
            r.reverted[0].at = at("15:00");
            r.reverted[0].reverted_at = at("15:00");
            r.reverted[1].at = at("15:00");
        }),
        // An orphan may be graded at the instant it is overridden: the override
        // takes it only afterwards.
        (UNASKED, |r| {
            regraded(r);
            r.reverted[1].at = at("15:00");
            r.reverted[1].reverted_at = at("15:10");
        }),
        // A claim's earlier gradings may have had other evidence.
        (VERIFIED, |r| {
            regraded(r);
            r.reverted[0].observation_ids.clear();
        }),
        (UNASKED, overridden_and_superseded),
        (UNASKED, scope),
    ];
    for (number, (receipt, change)) in edges.iter().enumerate() {
        let mut ledger = demo();
        change(&mut ledger.receipts[*receipt]);
        let text = ledger.to_text();
        let read = Ledger::read(&text).unwrap_or_else(|error| panic!("edge {number}: {error}"));
        assert_eq!(read.receipts, ledger.receipts, "edge {number}");
    }
}

/// What §8 asks of a receipt's shape, which no typed receipt can break.
#[test]
fn what_no_receipt_can_be_written_as_is_refused_by_its_path() {
    let mut ledger = demo();
    reverted_and_overridden(&mut ledger.receipts[VERIFIED]);
    let entry = ledger.receipts[VERIFIED].reverted[0].clone();
    let full = {
        let mut ledger = ledger.clone();
        let mut word = entry;
        word.at = at("15:00");
        word.reverted_at = at("15:00");
        ledger.receipts[VERIFIED].reverted = vec![word; 64];
        ledger
    };
    assert!(Ledger::read(&full.to_text()).is_ok(), "64 entries");
    let mut over = full;
    let more = over.receipts[VERIFIED].reverted[0].clone();
    over.receipts[VERIFIED].reverted.push(more);
    assert_eq!(
        refusals(&over.to_text()),
        [(
            "receipts[0].reverted: more than 64 entries".to_owned(),
            "invalid"
        )]
    );

    let mut twice = demo();
    let again = twice.receipts[VERIFIED].observation_ids[0];
    twice.receipts[VERIFIED].observation_ids.push(again);
    assert_eq!(
        refusals(&twice.to_text()),
        [(
            "receipts[0].observationIds: more than 1 entries".to_owned(),
            "invalid"
        )]
    );

    let text = ledger.to_text();
    let plain = demo().to_text();
    for (text, from, to, line, code) in [
        (
            &plain,
            "\"ruleId\":\"verified\"",
            "\"reverted\":[],\"ruleId\":\"verified\"",
            "receipts[0].reverted: reverted is absent or holds at least one entry",
            "bad_receipt",
        ),
        (
            &text,
            "\"previousState\":\"FINAL\",\"reason\"",
            "\"previousState\":\"USER_OVERRIDDEN\",\"reason\"",
            "receipts[0].override.previousState: must be PENDING or FINAL",
            "invalid",
        ),
        (
            &text,
            "\"previousState\":\"FINAL\",\"revertedAt\"",
            "\"previousState\":\"FINAL\",\"reason\":\"no\",\"revertedAt\"",
            "receipts[0].reverted[0].reason: unknown member",
            "invalid",
        ),
        (
            &text,
            "\"grade\":\"NOT_FOUND\",\"previousState\"",
            "\"grade\":\"PARTIAL\",\"previousState\"",
            "receipts[0].override.grade: must be VERIFIED or NOT_FOUND",
            "invalid",
        ),
        (
            &plain,
            "\"attribution\":\"likely\"",
            "\"attribution\":\"surely\"",
            "receipts[2].attribution: must be \"likely\"",
            "invalid",
        ),
        (
            &plain,
            "\"signals\":{\"counterpartyName\"",
            "\"signals\":{\"mood\":1,\"counterpartyName\"",
            "receipts[0].signals.mood: unknown member",
            "invalid",
        ),
        // The ids of what the receipts are of.
        (
            &plain,
            "\"rawHash\":\"a",
            "\"rawHash\":\"b",
            "claims[0].id: id does not follow from its hash",
            "invalid",
        ),
        (
            &plain,
            "\"contentHash\":\"c",
            "\"contentHash\":\"d",
            "observations[0].id: id does not follow from its hash",
            "invalid",
        ),
    ] {
        assert!(text.contains(from), "{from}");
        let changed = text.replacen(from, to, 1);
        assert_eq!(refusals(&changed), [(line.to_owned(), code)], "{from}");
    }
}

#[test]
fn every_invariant_has_a_case() {
    let cased: BTreeSet<Invariant> = CASES.iter().map(|case| case.invariant).collect();
    let without: Vec<_> = Invariant::ALL
        .iter()
        // Only a text can hold an empty list; it has its case above.
        .filter(|invariant| **invariant != RevertedPresent && !cased.contains(invariant))
        .collect();
    assert!(without.is_empty(), "{without:?}");
}
