//! Batches, a person's events, grants, the model's answers, retention.

use attest_canon::Id;

use super::super::retention::RETENTION_DAYS;
use super::super::{BatchOutcome, BatchRefused, Model, WriteError};
use super::*;
use crate::model::hashes::claim_receipt_id;
use crate::model::{BasisPoints, Cents, Currency, Grade, OverrideGrade, Receipt, ReceiptState};
use crate::policy::{DEFAULT_POLICY, Policy, load_policy};
use crate::replay::Replayer;

fn policy() -> Policy {
    load_policy(DEFAULT_POLICY).unwrap()
}

fn run(keeper: &mut Keeper, now: IsoTs) -> BatchOutcome {
    keeper.batch(now, &policy(), Model::On).unwrap()
}

fn receipt(keeper: &Keeper, name: &str) -> Receipt {
    let id = claim_receipt_id(Id::from_digest(&hash(name)));
    let mut receipts = keeper.ledger().receipts.iter();
    receipts.find(|held| held.id == id).unwrap().clone()
}

fn replays(keeper: &Keeper) {
    let report = Replayer::new(keeper.ledger().snapshot()).report();
    assert_eq!(report.mismatches, []);
}

/// A claim at 0 with its mail and a view that settles it: VERIFIED, FINAL.
fn settled() -> Keeper {
    let mut keeper = keeper();
    keeper.store_claim(claim("a", at(0)), at(1)).unwrap();
    let pass = mail(vec![sent("a", at(0), at(60))], vec![head(at(-60), at(60))]);
    keeper.store_mail_pass(pass, at(60)).unwrap();
    run(&mut keeper, at(61));
    let held = receipt(&keeper, "a");
    assert_eq!(
        (held.grade, held.state),
        (Grade::Verified, ReceiptState::Final)
    );
    keeper
}

#[test]
fn batch_instants_strictly_increase() {
    let mut keeper = settled();
    for now in [at(60), at(61)] {
        // The clock repair that an earlier now brings comes first.
        let mut again = keeper.clone();
        let _ = again.batch(now, &policy(), Model::On);
        let error = refused(&mut again, |keeper| keeper.batch(now, &policy(), Model::On));
        assert_eq!(error, BatchRefused::Write(WriteError::BatchOutOfOrder));
    }
    run(&mut keeper, ms(61 * MINUTE + 1));
}

#[test]
fn a_batch_that_grading_refuses_leaves_no_instant() {
    let mut keeper = Keeper::new(Ledger::default());
    keeper.store_claim(claim("a", at(0)), at(1)).unwrap();
    let error = refused(&mut keeper, |keeper| {
        keeper.batch(at(2), &policy(), Model::On)
    });
    assert!(matches!(error, BatchRefused::Grading(_)));
}

#[test]
fn a_batch_with_nothing_open_and_nothing_new_only_records_its_instant() {
    let mut keeper = settled();
    assert_eq!(run(&mut keeper, at(62)), BatchOutcome::Skipped);
    assert_eq!(keeper.ledger().meta.last_batch_instant, Some(at(62)));
    assert_eq!(receipt(&keeper, "a").computed_at, at(61));
    // What was counted survives the file.
    let mut again = Keeper::new(Ledger::read(&keeper.ledger().to_text()).unwrap());
    assert_eq!(run(&mut again, at(63)), BatchOutcome::Skipped);
    // A fact, an event, and a grant each make the next one grade.
    keeper
        .store_mail_pass(mail(vec![], vec![head(at(-60), at(64))]), at(64))
        .unwrap();
    assert!(matches!(run(&mut keeper, at(65)), BatchOutcome::Graded(_)));
    assert_eq!(run(&mut keeper, at(66)), BatchOutcome::Skipped);
    keeper
        .save_grant(AgentId::Muse, anything(), at(67))
        .unwrap();
    assert!(matches!(run(&mut keeper, at(68)), BatchOutcome::Graded(_)));
    keeper
        .override_receipt(
            receipt(&keeper, "a").id,
            OverrideGrade::NotFound,
            "no",
            at(69),
        )
        .unwrap();
    assert!(matches!(run(&mut keeper, at(70)), BatchOutcome::Graded(_)));
    assert_eq!(run(&mut keeper, at(71)), BatchOutcome::Skipped);
    // What is open is always graded, and a file nobody counted in is too.
    keeper.store_claim(claim("b", at(72)), at(72)).unwrap();
    for now in [73, 74] {
        assert!(matches!(run(&mut keeper, at(now)), BatchOutcome::Graded(_)));
    }
    let mut uncounted = settled().into_ledger();
    uncounted.meta.other.clear();
    assert!(matches!(
        run(&mut Keeper::new(uncounted), at(62)),
        BatchOutcome::Graded(_)
    ));
}

/// A row stamped by a clock that ran ahead is stored for no batch yet; the
/// first that sees it must not be skipped.
#[test]
fn a_row_that_comes_into_sight_is_graded() {
    let mut keeper = keeper();
    keeper.store_claim(claim("a", at(100)), at(100)).unwrap();
    assert!(matches!(run(&mut keeper, at(10)), BatchOutcome::Graded(_)));
    assert_eq!(run(&mut keeper, at(99)), BatchOutcome::Skipped);
    assert!(matches!(run(&mut keeper, at(100)), BatchOutcome::Graded(_)));
    assert_eq!(keeper.ledger().receipts.len(), 1);
}

#[test]
fn events_are_stamped_after_every_batch_and_event_they_follow() {
    let mut keeper = settled();
    let id = receipt(&keeper, "a").id;
    // The clock went back below the last batch.
    let said = keeper
        .override_receipt(id, OverrideGrade::NotFound, "no", at(5))
        .unwrap();
    assert_eq!(said, ms(61 * MINUTE + 1));
    let back = keeper.revert_receipt(id, false, at(5)).unwrap();
    assert_eq!(back, ms(61 * MINUTE + 2));
    assert_eq!(keeper.take_repair(), None);
    run(&mut keeper, at(80));
    replays(&keeper);
    for run in [
        (|keeper: &mut Keeper, id| {
            keeper.override_receipt(id, OverrideGrade::Verified, " \t", at(90))
        }) as fn(&mut Keeper, Id) -> Result<IsoTs, WriteError>,
        |keeper, id| keeper.revert_receipt(id, true, at(90)),
        |keeper, _| keeper.revert_receipt(Id::from_digest(&hash("none")), true, at(90)),
    ] {
        refused(&mut keeper, |keeper| run(keeper, id));
    }
}

/// Another claim takes what an override released; the revert says so first.
#[test]
fn a_revert_whose_evidence_is_held_must_be_told() {
    let mut keeper = settled();
    let id = receipt(&keeper, "a").id;
    keeper
        .override_receipt(id, OverrideGrade::NotFound, "no", at(62))
        .unwrap();
    let mut other = claim("b", at(1));
    other.subject_hint = Some("a".into());
    keeper.store_claim(other, at(63)).unwrap();
    run(&mut keeper, at(64));
    let taker = receipt(&keeper, "b");
    assert_eq!(
        (taker.grade, taker.state),
        (Grade::Verified, ReceiptState::Final)
    );
    let error = refused(&mut keeper, |keeper| {
        keeper.revert_receipt(id, false, at(65))
    });
    assert_eq!(error, WriteError::EvidenceHeld(taker.claim_id.unwrap()));
    keeper.revert_receipt(id, true, at(65)).unwrap();
    run(&mut keeper, at(66));
    assert_eq!(receipt(&keeper, "a").observation_ids, taker.observation_ids);
    replays(&keeper);
}

#[test]
fn a_saved_grant_keeps_what_was_observed() {
    let mut keeper = settled();
    let accounts = [(Source::GmailSent, vec![hash("acct-a")])]
        .into_iter()
        .collect();
    let scopes = vec!["mail.read".into()];
    keeper
        .observe_grant(AgentId::Muse, scopes, Some(accounts), at(62))
        .unwrap();
    let choice = GrantChoice {
        spend_ceiling: Some((Cents::new(5000).unwrap(), Currency::parse("USD").unwrap())),
        ..anything()
    };
    // At the batch's own instant: from the next one on.
    keeper.save_grant(AgentId::Muse, choice, at(61)).unwrap();
    let [grant] = keeper.ledger().grants.as_slice() else {
        panic!("one row per agent");
    };
    assert_eq!(grant.updated_at, ms(61 * MINUTE + 1));
    assert_eq!(grant.observed_scopes, ["mail.read".into()]);
    assert!(grant.accounts.is_some() && grant.spend_ceiling.is_some());
    keeper
        .observe_grant(AgentId::Muse, Vec::new(), None, at(63))
        .unwrap();
    assert!(keeper.ledger().grants[0].spend_ceiling.is_some());
    let bad = GrantChoice {
        counterparty_allowlist: vec!["a\u{2028}b".into()],
        ..anything()
    };
    refused(&mut keeper, |keeper| {
        keeper.save_grant(AgentId::Muse, bad, at(64))
    });
}

/// The model is asked once about the one candidate of an open partial match;
/// its score counts while it is on.
#[test]
fn a_model_is_asked_once() {
    let mut keeper = keeper();
    keeper.store_claim(claim("q3 deck", at(0)), at(1)).unwrap();
    let mut partly = sent("q3 deck", at(0), at(2));
    partly.counterparty = Some("sam@company.com".into());
    let partly = hashed(partly);
    let evidence = partly.id;
    keeper
        .store_mail_pass(mail(vec![partly], vec![head(at(-60), at(2))]), at(2))
        .unwrap();
    assert_eq!(keeper.model_questions(), []);
    run(&mut keeper, at(3));
    let held = receipt(&keeper, "q3 deck");
    assert_eq!(
        (held.rule_id.as_str(), held.state),
        ("partial", ReceiptState::Pending)
    );
    let claim = held.claim_id.unwrap();
    assert_eq!(keeper.model_questions(), [(claim, evidence)]);

    let answer =
        |keeper: &mut Keeper| keeper.store_model_answer(claim, evidence, BasisPoints::ONE, at(4));
    refused(&mut keeper, answer);
    assert!(keeper.begin_model_question(claim));
    assert!(!keeper.begin_model_question(claim));
    assert_eq!(keeper.model_questions(), []);
    let before = keeper.clone();
    answer(&mut keeper).unwrap();
    refused(&mut keeper, answer);
    run(&mut keeper, at(5));
    let raised = receipt(&keeper, "q3 deck");
    assert!(raised.confidence.ten_thousandths() > held.confidence.ten_thousandths());
    keeper.batch(at(6), &policy(), Model::Off).unwrap();
    assert_eq!(receipt(&keeper, "q3 deck").confidence, held.confidence);
    replays(&keeper);
    // A call that failed leaves it without scores for good.
    let mut failed = before;
    run(&mut failed, at(5));
    assert_eq!(receipt(&failed, "q3 deck").confidence, held.confidence);
    assert_eq!(failed.model_questions(), []);
}

#[test]
fn retention_takes_a_receipt_with_its_claim_evidence_and_inputs() {
    let mut keeper = settled();
    let after = |days: i64, more: i64| ms(61 * MINUTE + days * DAY + more);
    let before = keeper.ledger().to_text();
    assert_eq!(keeper.purge(after(RETENTION_DAYS, 0)).receipts, 0);
    // The view of that hour says nothing of what is kept.
    assert_ne!(keeper.ledger().to_text(), before);
    replays(&keeper);
    let purged = keeper.purge(after(RETENTION_DAYS, 1));
    assert_eq!(
        (purged.receipts, purged.claims, purged.observations),
        (1, 1, 1)
    );
    let ledger = keeper.ledger();
    assert!(ledger.receipts.is_empty() && ledger.claims.is_empty());
    assert!(ledger.observations.is_empty() && ledger.receipt_inputs.is_empty());
    assert!(ledger.batch_coverages.is_empty());
    assert_eq!(ledger.grants.len(), 1);
}

/// Evidence goes with its receipt, also of an event that is still to come.
#[test]
fn retention_takes_evidence_of_what_is_to_come() {
    let mut keeper = keeper();
    let mut planned = claim("lunch", at(0));
    planned.action = ActionType::CalendarCreated;
    planned.counterparty = None;
    planned.target_at = Some(ms(DAY));
    keeper.store_claim(planned, at(1)).unwrap();
    for now in [2, 60] {
        let view = look(at(now), vec![event("lunch", ms(DAY))]);
        keeper.store_calendar_view(view, at(now)).unwrap();
    }
    run(&mut keeper, at(61));
    let held = receipt(&keeper, "lunch");
    assert_eq!(
        (held.grade, held.state),
        (Grade::Verified, ReceiptState::Final)
    );
    let purged = keeper.purge_before(at(62).instant());
    assert_eq!((purged.receipts, purged.observations), (1, 1));
}

/// A young receipt whose candidates an old one's evidence would join keeps
/// replaying: the evidence goes with the receipt that held it. One that a
/// person released in between stays, and with it one that was graded beside it
/// and again later.
#[test]
fn retention_leaves_no_evidence_free_that_was_held() {
    for released in [false, true] {
        let mut keeper = keeper();
        keeper.store_claim(claim("a", at(0)), at(40)).unwrap();
        keeper.store_claim(claim("later", at(40)), at(40)).unwrap();
        let rows = vec![sent("a", at(0), at(60)), sent("later", at(40), at(60))];
        let pass = mail(rows, vec![head(at(-60), at(60))]);
        keeper.store_mail_pass(pass, at(60)).unwrap();
        run(&mut keeper, at(61));
        run(&mut keeper, at(62));
        // Its evidence lies in the window of "a" as well, and was taken in its
        // batch; now nothing holds it.
        let later = receipt(&keeper, "later");
        assert_eq!(
            (later.computed_at, later.observation_ids.len()),
            (at(62), 1)
        );
        keeper
            .override_receipt(later.id, OverrideGrade::NotFound, "no", ms(62 * MINUTE + 9))
            .unwrap();
        // Its window holds both rows, which say nothing of it.
        let elsewhere = |name: &str| {
            let mut claim = claim(name, at(1));
            claim.counterparty = Some("someone@else.org".into());
            claim
        };
        keeper
            .store_claim(elsewhere("other"), ms(62 * MINUTE + 10))
            .unwrap();
        run(&mut keeper, at(63));
        if released {
            let id = receipt(&keeper, "a").id;
            keeper
                .override_receipt(id, OverrideGrade::NotFound, "no", at(64))
                .unwrap();
            keeper.store_claim(elsewhere("third"), at(65)).unwrap();
            run(&mut keeper, at(66));
        }
        replays(&keeper);
        let purged = keeper.purge_before(at(63).instant());
        replays(&keeper);
        let expected = if released { (0, 0) } else { (2, 1) };
        assert_eq!(
            (purged.receipts, purged.observations),
            expected,
            "{released}"
        );
    }
}
