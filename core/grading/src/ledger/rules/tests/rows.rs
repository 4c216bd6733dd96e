//! Claims, observations and passes over mailboxes.

use super::super::{Kept, Model, WriteError};
use super::*;
use crate::model::Extractor;
use crate::policy::{DEFAULT_POLICY, load_policy};

fn code(error: &WriteError) -> &'static str {
    error.code().1
}

fn batch(keeper: &mut Keeper, now: IsoTs) {
    let policy = load_policy(DEFAULT_POLICY).unwrap();
    keeper.batch(now, &policy, Model::Off).unwrap();
}

#[test]
fn a_row_is_stored_at_the_latest_of_now_and_the_last_batch() {
    let mut keeper = keeper();
    // As it is sighted: it keeps the sighting's own text, and no `sightedAt`.
    let utc = IsoTs::computed(at(0).instant(), 0);
    keeper
        .store_observation(sent("a", at(0), utc), at(0))
        .unwrap();
    // Later than it was sighted.
    keeper
        .store_observation(sent("b", at(0), at(0)), at(3))
        .unwrap();
    batch(&mut keeper, at(5));
    // The clock has not moved since the batch.
    keeper
        .store_observation(sent("c", at(4), at(5)), at(5))
        .unwrap();
    keeper.store_claim(claim("d", at(4)), at(5)).unwrap();
    let rows = &keeper.ledger().observations;
    assert_eq!(rows[0].observed_at.to_string(), "2026-10-06T18:00:00Z");
    let kept: Vec<_> = rows
        .iter()
        .map(|row| (row.observed_at, row.sighted_at))
        .collect();
    assert_eq!(
        kept,
        [
            (utc, None),
            (at(3), Some(at(0))),
            (ms(5 * MINUTE + 1), Some(at(5))),
        ]
    );
    assert_eq!(keeper.ledger().claims[0].observed_at, ms(5 * MINUTE + 1));
}

#[test]
fn the_same_row_again_changes_nothing() {
    let mut keeper = keeper();
    keeper.store_claim(claim("a", at(2)), at(2)).unwrap();
    keeper
        .store_observation(sent("o", at(0), at(2)), at(2))
        .unwrap();
    let before = keeper.ledger().to_text();
    // Of a claim, however early it was read, and whatever read it.
    for sighted in [at(0), at(2), at(3)] {
        let mut again = claim("a", at(2));
        again.observed_at = sighted;
        again.extractor = Some(Extractor {
            id: Token::of_source(Source::GmailSent),
            version: Token::of_source(Source::GmailSent),
        });
        assert_eq!(keeper.store_claim(again, at(3)), Ok(Kept::Unchanged));
    }
    for sighted in [at(2), at(3)] {
        let again = sent("o", at(0), sighted);
        assert_eq!(keeper.store_observation(again, at(3)), Ok(Kept::Unchanged));
    }
    assert_eq!(keeper.ledger().to_text(), before);
}

/// Each refusal from both sides of its bound, with the ledger as it was.
#[test]
fn what_would_break_a_stored_receipt_is_refused() {
    let mut keeper = keeper();
    keeper.store_claim(claim("a", at(2)), at(2)).unwrap();
    keeper
        .store_observation(sent("o", at(0), at(2)), at(2))
        .unwrap();

    let mut other = claim("a", at(2));
    other.subject_hint = Some("else".into());
    let error = refused(&mut keeper, |keeper| keeper.store_claim(other, at(3)));
    assert_eq!(code(&error), "id_conflict");

    let mut other = sent("o", at(0), at(2));
    other.subject_hint = Some("else".into());
    let error = refused(&mut keeper, |keeper| keeper.store_observation(other, at(3)));
    assert_eq!(code(&error), "id_conflict");

    let early = sent("o", at(0), ms(2 * MINUTE - 1));
    let error = refused(&mut keeper, |keeper| keeper.store_observation(early, at(3)));
    assert_eq!(code(&error), "late_sighting");

    let ahead = ms(3 * MINUTE + 1);
    let error = refused(&mut keeper, |keeper| {
        keeper.store_observation(sent("p", at(0), ahead), at(3))
    });
    assert_eq!(code(&error), "clock_behind");
    let error = refused(&mut keeper, |keeper| {
        keeper.store_claim(claim("b", ahead), at(3))
    });
    assert_eq!(code(&error), "clock_behind");
    assert!(keeper.store_claim(claim("b", at(3)), at(3)).is_ok());
}

#[test]
fn rows_no_observer_could_have_projected_are_refused_by_their_member() {
    let mut keeper = keeper();
    let of = |change: &dyn Fn(&mut Observation)| {
        let mut row = sent("o", at(0), at(1));
        change(&mut row);
        row
    };
    let mut edited = sent("o", at(0), at(1));
    edited.subject_hint = Some("else".into());
    for (row, path) in [
        (
            hashed(of(&|row| row.merchant = Some("Acme".into()))),
            "merchant",
        ),
        (hashed(of(&|row| row.source = Source::GcalEvent)), "source"),
        (of(&|row| row.sighted_at = Some(at(0))), "sightedAt"),
        (edited, "contentHash"),
        (
            hashed(of(&|row| row.subject_hint = Some("x".repeat(81).into()))),
            "subjectHint",
        ),
        (
            hashed(of(&|row| row.counterparty = Some("a\nb".into()))),
            "counterparty",
        ),
        (of(&|row| row.id = Id::from_digest(&hash("other"))), "id"),
    ] {
        match refused(&mut keeper, |keeper| keeper.store_observation(row, at(2))) {
            WriteError::Invalid(problem) => assert_eq!(problem.path, path),
            other => assert_eq!(format!("{other:?}"), path),
        }
    }
}

#[test]
fn a_mail_row_stands_alone_but_coverage_needs_them_all() {
    let mut keeper = keeper();
    keeper
        .store_observation(sent("o", at(0), at(2)), at(2))
        .unwrap();
    let late = sent("o", at(0), at(1));
    let pass = mail(
        vec![sent("p", at(0), at(1)), late],
        vec![head(at(-30), at(1))],
    );
    let done = keeper.store_mail_pass(pass, at(3)).unwrap();
    assert_eq!((done.stored, done.unchanged), (1, 0));
    assert_eq!(
        done.refused
            .iter()
            .map(|(place, _)| *place)
            .collect::<Vec<_>>(),
        [1]
    );
    assert_eq!(keeper.ledger().coverage, []);

    let pass = mail(vec![sent("p", at(0), at(4))], vec![head(at(-30), at(4))]);
    let done = keeper.store_mail_pass(pass, at(4)).unwrap();
    assert_eq!((done.stored, done.unchanged), (0, 1));
    assert_eq!(keeper.ledger().coverage, [head(at(-30), at(4))]);
}

#[test]
fn a_pass_whose_coverage_is_refused_stores_no_row() {
    let mut keeper = keeper();
    let mut short = head(at(-30), at(1));
    short.window_end = at(0);
    let mut receipt = head(at(-30), at(1));
    receipt.source = Source::GmailReceipt;
    for entry in [short, receipt, head(at(-30), at(3))] {
        refused(&mut keeper, |keeper| {
            keeper.store_mail_pass(mail(vec![sent("p", at(0), at(1))], vec![entry]), at(2))
        });
    }
}
