//! Pre-assignments of random stored receipts against §4.3 read as spells.

use attest_canon::{Id, sha256};
use attest_grading::decide::pre_assignments;
use attest_grading::model::reason::Params;
use attest_grading::model::{
    AgentId, BaseState, DisplayNumber, Grade, Instant, IsoTs, Override, OverrideGrade, Reason,
    ReasonCode, Receipt, ReceiptState, Reverted, Signals, Token,
};

use crate::oracle::fixed::{holdings, in_force};
use crate::random::Random;

const BASE: i64 = 1_791_309_600_000;
const LAST: i64 = 40;

fn at(ms: i64) -> IsoTs {
    IsoTs::computed(Instant::from_ms(BASE + ms), -240)
}

fn named(text: &str) -> Id {
    Id::from_digest(&sha256(text.as_bytes()))
}

/// One receipt's life: gradings while PENDING, overrides and reverts.
fn receipt(random: &mut Random, subject: usize, is_claim: bool) -> Receipt {
    let rows = [named("row 0"), named("row 1")];
    let evidence = |random: &mut Random| -> Vec<Id> {
        if random.percent(85) {
            vec![*random.pick(&rows)]
        } else {
            Vec::new()
        }
    };
    let mut now = random.below(12) as i64;
    let mut observation_ids = if is_claim {
        evidence(random)
    } else {
        vec![*random.pick(&rows)]
    };
    let mut computed = now;
    let mut is_final = random.percent(50);
    let mut reverted: Vec<Reverted> = Vec::new();
    let mut user_override = None;
    for _ in 0..random.below(5) {
        now += *random.pick(&[0, 1, 2, 3, 5]);
        let base = if is_final {
            BaseState::Final
        } else {
            BaseState::Pending
        };
        if user_override.is_none() && !is_final && random.percent(35) {
            // A later batch grades it again, never while an override held it.
            now += 1;
            computed = now;
            is_final = random.percent(50);
            if is_claim {
                observation_ids = evidence(random);
            }
            continue;
        }
        let grade = *random.pick(&[OverrideGrade::Verified, OverrideGrade::NotFound]);
        let said = now;
        now += *random.pick(&[0, 1, 2, 4, 8]);
        if random.percent(70) {
            reverted.push(Reverted {
                grade,
                at: at(said),
                reverted_at: at(now),
                previous_state: base,
                computed_at: at(computed),
                observation_ids: observation_ids.clone(),
            });
        } else {
            user_override = Some(Override {
                grade,
                reason: "so".into(),
                at: at(said),
                previous_state: base,
            });
            break;
        }
    }
    let mut reasons = Vec::new();
    if let Some(user) = &user_override {
        let params = Params::Grade { grade: user.grade };
        reasons.push(Reason::new(ReasonCode::OverrideUser, params).unwrap());
    }
    let claim = named(&format!("claim {subject}"));
    Receipt {
        id: named(&format!("receipt {is_claim} {subject}")),
        agent: AgentId::Muse,
        claim_id: is_claim.then_some(claim),
        observation_ids,
        request_id: None,
        grade: if is_claim {
            Grade::Verified
        } else {
            Grade::Unasked
        },
        rule_id: Token::parse("any").unwrap(),
        state: match (&user_override, is_final) {
            (Some(_), _) => ReceiptState::UserOverridden,
            (None, true) => ReceiptState::Final,
            (None, false) => ReceiptState::Pending,
        },
        confidence: DisplayNumber::ONE,
        reasons,
        signals: Signals::default(),
        inputs_hash: sha256(b""),
        policy_hash: sha256(b""),
        attribution_likely: !is_claim,
        computed_at: at(computed),
        final_at: is_final.then(|| at(computed)),
        final_from: None,
        user_override,
        reverted,
        superseded_by: None,
    }
}

/// What a batch sees of the pairs: which are in force, which claims they say
/// were graded at or after it, which claims they still name.
#[test]
fn pre_assignments_hold_as_the_spells_of_the_receipts_do() {
    let (mut dropped, mut held) = (0, 0);
    for seed in 0..30_000 {
        let mut random = Random::new(seed);
        let mut receipts = Vec::new();
        for subject in 0..random.between(1, 4) {
            let is_claim = random.percent(85);
            receipts.push(receipt(&mut random, subject, is_claim));
        }
        for one in &receipts {
            assert_eq!(one.broken_invariant(), None, "seed {seed}");
        }
        let pairs = pre_assignments(&receipts);
        let expected = holdings(&receipts);
        dropped += expected.dropped.len();
        for ms in -1..=LAST {
            let instant = BASE + ms;
            let what = || format!("seed {seed} at {ms}:\n{receipts:#?}\n{pairs:#?}\n{expected:#?}");
            let mut decided: Vec<_> = pairs
                .iter()
                .filter(|pair| in_force(pair, instant))
                .map(|pair| {
                    (
                        pair.observation_id.to_string(),
                        pair.claim_id.map(|id| id.to_string()),
                    )
                })
                .collect();
            decided.sort();
            decided.dedup();
            held += decided.len();
            assert_eq!(decided, expected.in_force_at(instant), "{}", what());
            for pair in &pairs {
                let said = pair.in_force_at(Instant::from_ms(instant));
                assert_eq!(said, in_force(pair, instant), "{}", what());
            }
            if !expected.dropped.is_empty() {
                continue;
            }
            let claims = |wanted: &dyn Fn(i64, Option<i64>) -> bool| {
                let mut claims: Vec<String> = pairs
                    .iter()
                    .filter(|pair| wanted(pair.after.ms(), pair.until.map(Instant::ms)))
                    .filter_map(|pair| Some(pair.claim_id?.to_string()))
                    .collect();
                claims.sort();
                claims.dedup();
                claims
            };
            let late = claims(&|after, _| after >= instant);
            assert_eq!(late, expected.graded_from(instant), "{}", what());
            let open = claims(&|_, until| until.is_none_or(|until| instant <= until));
            assert_eq!(open, expected.not_ended_by(instant), "{}", what());
        }
        let mut shuffled = receipts.clone();
        random.shuffle(&mut shuffled);
        let mut other = pre_assignments(&shuffled);
        let mut plain = pairs.clone();
        let key = |pair: &attest_grading::decide::PreAssignment| format!("{pair:?}");
        other.sort_by_key(key);
        plain.sort_by_key(key);
        assert_eq!(other, plain, "seed {seed}");
    }
    assert!(
        dropped > 500 && held > 100_000,
        "{dropped} dropped, {held} held"
    );
}
