//! Whatever observers, people and clocks do through a [`Keeper`], in whatever
//! order: a refusal changes nothing, the ledger reads back equal, and every
//! receipt replays, purged or not.

use proptest::prelude::*;

use super::super::{Model, WriteError};
use super::*;
use crate::model::OverrideGrade;
use crate::model::activity::{Entry, Idle};
use crate::policy::{DEFAULT_POLICY, load_policy};
use crate::replay::Replayer;

#[derive(Clone, Debug)]
enum Step {
    Wait(i64),
    /// The clock jumps.
    Jump(i64),
    Claim {
        name: u8,
        ago: i64,
    },
    Mail {
        name: u8,
        ago: i64,
        reach: i64,
        delay: i64,
    },
    Calendar {
        shown: u8,
        delay: i64,
    },
    Log {
        ago: i64,
    },
    Away {
        ago: i64,
        length: i64,
    },
    Grant {
        scopes: u8,
    },
    Batch,
    Override {
        place: usize,
        found: bool,
    },
    Revert {
        place: usize,
        told: bool,
    },
    Purge {
        days: i64,
    },
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (1i64..90).prop_map(Step::Wait),
        1 => (-400i64..400).prop_map(Step::Jump),
        4 => (any::<u8>(), 0i64..40).prop_map(|(name, ago)| Step::Claim { name: name % 12, ago }),
        4 => (any::<u8>(), 0i64..40, 1i64..300, 0i64..9)
            .prop_map(|(name, ago, reach, delay)| Step::Mail { name: name % 12, ago, reach, delay }),
        3 => (any::<u8>(), 0i64..9).prop_map(|(shown, delay)| Step::Calendar { shown, delay }),
        1 => (0i64..20).prop_map(|ago| Step::Log { ago }),
        1 => (0i64..20, 0i64..40).prop_map(|(ago, length)| Step::Away { ago, length }),
        1 => (0u8..4).prop_map(|scopes| Step::Grant { scopes }),
        6 => Just(Step::Batch),
        2 => (0usize..40, any::<bool>()).prop_map(|(place, found)| Step::Override { place, found }),
        2 => (0usize..40, any::<bool>()).prop_map(|(place, told)| Step::Revert { place, told }),
        1 => (0i64..3).prop_map(|days| Step::Purge { days }),
    ]
}

/// What a claim of this name says: some are of events, some of mail.
fn said(name: u8, claimed: IsoTs, sighted: IsoTs) -> Claim {
    let mut claim = claim(&format!("n{name}"), sighted);
    claim.claimed_at = claimed;
    claim.raw_hash = hash(&format!("n{name} {claimed}"));
    claim.id = Id::from_digest(&claim.raw_hash);
    if name.is_multiple_of(4) {
        claim.action = ActionType::CalendarCreated;
        claim.counterparty = None;
        claim.target_at = Some(ms(DAY));
    }
    claim
}

fn play(steps: &[Step]) -> Result<(), TestCaseError> {
    let policy = load_policy(DEFAULT_POLICY).unwrap();
    let mut keeper = keeper();
    let mut minute = 0i64;
    for step in steps {
        // Batches must come after one another whatever the clock does.
        let now = ms(minute * MINUTE + 7);
        let before = keeper.ledger().to_text();
        let mut last: Option<WriteError> = None;
        let mut note = |error: Option<WriteError>| last = error;
        match step {
            Step::Wait(minutes) | Step::Jump(minutes) => minute += minutes,
            Step::Claim { name, ago } => {
                let claim = said(*name, at(minute - ago), at(minute));
                note(keeper.store_claim(claim, now).err());
            }
            Step::Mail {
                name,
                ago,
                reach,
                delay,
            } => {
                let synced = at(minute - delay);
                let row = sent(&format!("n{name}"), at(minute - ago), synced);
                let view = head(at(minute - delay - reach), synced);
                note(
                    keeper
                        .store_mail_pass(mail(vec![row], vec![view]), now)
                        .err(),
                );
            }
            Step::Calendar { shown, delay } => {
                let events = (0..4u8)
                    .filter(|bit| shown >> bit & 1 == 1)
                    .map(|bit| {
                        event(
                            &format!("n{}", bit * 4),
                            ms(DAY + i64::from(shown >> 6) * MINUTE),
                        )
                    })
                    .collect();
                note(
                    keeper
                        .store_calendar_view(look(at(minute - delay), events), now)
                        .err(),
                );
            }
            Step::Log { ago } => {
                let at = at(minute - ago);
                let entry = Entry {
                    agent: AgentId::Muse,
                    at,
                    action: None,
                };
                note(keeper.store_log(AgentId::Muse, &[at], &[entry], now).err());
            }
            Step::Away { ago, length } => {
                let idle = Idle {
                    from: at(minute - ago - length),
                    to: at(minute - ago),
                };
                note(keeper.store_idle(idle, now).err());
            }
            Step::Grant { scopes } => {
                let scopes = (0..*scopes).map(|n| format!("scope {n}").into()).collect();
                keeper
                    .observe_grant(AgentId::Muse, scopes, None, now)
                    .unwrap();
            }
            Step::Batch => {
                let _ = keeper.batch(now, &policy, Model::On);
            }
            Step::Override { place, found } => {
                if let Some(receipt) = keeper.ledger().receipts.get(*place) {
                    let grade = if *found {
                        OverrideGrade::Verified
                    } else {
                        OverrideGrade::NotFound
                    };
                    let id = receipt.id;
                    note(keeper.override_receipt(id, grade, "said so", now).err());
                }
            }
            Step::Revert { place, told } => {
                if let Some(receipt) = keeper.ledger().receipts.get(*place) {
                    let id = receipt.id;
                    note(keeper.revert_receipt(id, *told, now).err());
                }
            }
            Step::Purge { days } => {
                keeper.purge_before(ms(minute * MINUTE - days * DAY / 3).instant());
            }
        }
        if last.is_some() && keeper.take_repair().is_none() {
            prop_assert_eq!(keeper.ledger().to_text(), before);
        }
        keeper.take_repair();
        let synced_ahead = |entry: &&ObserverCoverage| entry.last_sync_at.instant() > now.instant();
        if !matches!(
            step,
            Step::Wait(_)
                | Step::Jump(_)
                | Step::Purge { .. }
                | Step::Grant { .. }
                | Step::Override { .. }
                | Step::Revert { .. }
        ) {
            // After any transaction of an observer or a batch.
            prop_assert!(
                !keeper
                    .ledger()
                    .coverage
                    .iter()
                    .any(|entry| synced_ahead(&entry))
            );
        }
    }
    let text = keeper.ledger().to_text();
    let read = Ledger::read(&text).map_err(|error| TestCaseError::fail(error.to_string()))?;
    prop_assert_eq!(&read.to_text(), &text);
    let report = Replayer::new(read.snapshot()).report();
    prop_assert_eq!(report.mismatches, []);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn every_ledger_kept_by_the_rules_replays(steps in prop::collection::vec(step(), 1..120)) {
        play(&steps)?;
    }
}
