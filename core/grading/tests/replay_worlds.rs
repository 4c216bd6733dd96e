//! Ledgers grown batch by batch, with people who override and revert, replay
//! whole; and a ledger changed outside the rules does not. Replay solves who
//! held what around each receipt alone, so this also holds it against the
//! batch, which solves everything at once.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "worlds are built from small known numbers"
)]

use attest_canon::{Digest, Id, sha256};
use attest_grading::decide::grade_batch;
use attest_grading::ledger::batch_input::NextBatch;
use attest_grading::ledger::{Event, Ledger, transition};
use attest_grading::model::activity::Idle;
use attest_grading::model::{
    ActionType, Activity, AdapterSync, AgentId, Cents, Claim, Currency, Entry, Grade, Grant,
    Instant, IsoTs, Observation, ObserverCoverage, OverrideGrade, Precision, ReceiptState, Session,
    Source, Token,
};
use attest_grading::policy::{DEFAULT_POLICY, Policy, load_policy};
use attest_grading::replay::{Field, Replayer};
use attest_grading::scenario::build::raw_hash;

/// SplitMix64.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: i64) -> i64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % below as u64) as i64
    }

    fn pick<'t, T>(&mut self, from: &'t [T]) -> &'t T {
        &from[self.roll(from.len() as i64) as usize]
    }
}

const START: i64 = 1_791_300_000_000;
const MINUTE: i64 = 60_000;

fn at(ms: i64) -> IsoTs {
    IsoTs::computed(Instant::from_ms(START + ms), -240)
}

const PEOPLE: &[&str] = &[
    "ann@corp.io",
    "bob@corp.io",
    "ann@home.net",
    "eve@gmail.com",
    "ann+x@corp.io",
];
const NAMES: &[&str] = &["Ann", "Bob", "Zed"];
const SUBJECTS: &[&str] = &["Q3 deck", "Q3 deck final", "Lunch", "Board prep"];
const TYPES: &[ActionType] = &[
    ActionType::EmailSent,
    ActionType::EmailSent,
    ActionType::CalendarCreated,
    ActionType::PurchaseMade,
];

fn claim(dice: &mut Dice, n: i64, now: i64) -> Claim {
    let action = *dice.pick(TYPES);
    let claimed = now - dice.roll(20) * MINUTE;
    let spend = action == ActionType::PurchaseMade;
    let named = dice.roll(3) == 0;
    let mut claim = Claim {
        id: Id::from_digest(&Digest::from_bytes([0; 32])),
        request_id: None,
        agent: *dice.pick(&AgentId::ALL[..2]),
        action,
        counterparty: match action {
            ActionType::PurchaseMade => Some("Acme".into()),
            _ if named => Some((*dice.pick(NAMES)).into()),
            _ => Some((*dice.pick(PEOPLE)).into()),
        },
        amount: spend.then(|| Cents::new(1000 * (1 + dice.roll(4))).unwrap()),
        currency: spend.then(|| Currency::parse("USD").unwrap()),
        subject_hint: Some((*dice.pick(SUBJECTS)).into()),
        claimed_at: at(claimed),
        precision: if dice.roll(6) == 0 {
            Precision::Hour
        } else {
            Precision::Minute
        },
        claimed_at_end: None,
        target_at: action.is_calendar().then(|| at(claimed + 1440 * MINUTE)),
        observed_at: at(now),
        source_kind: Token::activity_view(),
        extractor: None,
        raw_hash: Digest::from_bytes([0; 32]),
    };
    claim.raw_hash = raw_hash(&claim, None, Some(&n.to_string()));
    claim.id = Id::from_digest(&claim.raw_hash);
    claim
}

fn observation(dice: &mut Dice, n: i64, now: i64) -> Observation {
    let action = *dice.pick(TYPES);
    let occurred = now - dice.roll(15) * MINUTE;
    let spend = action == ActionType::PurchaseMade;
    let mut row = Observation {
        id: Id::from_digest(&Digest::from_bytes([0; 32])),
        source: match action {
            ActionType::PurchaseMade => Source::GmailReceipt,
            ActionType::CalendarCreated => Source::GcalEvent,
            _ => Source::GmailSent,
        },
        action,
        occurred_at: at(if action.is_calendar() {
            occurred + 1440 * MINUTE
        } else {
            occurred
        }),
        observed_at: at(now),
        sighted_at: (dice.roll(5) == 0).then(|| at(now - MINUTE)),
        counterparty: (!spend).then(|| (*dice.pick(PEOPLE)).into()),
        merchant: spend.then(|| "Acme".into()),
        amount: spend.then(|| Cents::new(1000 * (1 + dice.roll(4))).unwrap()),
        currency: spend.then(|| Currency::parse("USD").unwrap()),
        subject_hint: Some((*dice.pick(SUBJECTS)).into()),
        row_key_hash: Some(sha256(n.to_string().as_bytes())),
        content_hash: Digest::from_bytes([0; 32]),
    };
    row.content_hash = row.computed_content_hash();
    row.id = Id::from_digest(&row.content_hash);
    row
}

fn view(source: Source, from: i64, to: i64, synced: i64) -> ObserverCoverage {
    let calendar = source == Source::GcalEvent;
    ObserverCoverage {
        observer_id: Token::of_source(source),
        source,
        last_sync_at: at(synced),
        window_start: at(from),
        window_end: at(to),
        account_hash: Some(sha256(b"acct-a")),
        all_calendars: calendar.then_some(true),
        changes_since: calendar.then(|| at(synced - 30 * MINUTE)),
    }
}

fn event_at(ledger: &Ledger, receipt: usize, now: i64) -> IsoTs {
    let batch = ledger
        .meta
        .last_batch_instant
        .map_or(0, |at| at.instant().ms() + 1);
    let last = ledger.receipts[receipt].last_event_at().ms() + 1;
    IsoTs::computed(Instant::from_ms((START + now).max(batch).max(last)), -240)
}

/// A ledger grown over `batches` batches.
fn grow(seed: u64, batches: i64, policy: &Policy) -> Ledger {
    let mut dice = Dice(seed);
    let mut ledger = Ledger {
        activity: Some(Activity::default()),
        grants: AgentId::ALL[..2]
            .iter()
            .map(|agent| Grant {
                agent: *agent,
                allowed_types: ActionType::ALL.to_vec(),
                counterparty_allowlist: Vec::new(),
                spend_ceiling: (dice.roll(2) == 0).then(|| Cents::new(5000).unwrap()),
                spend_currency: Some(Currency::parse("USD").unwrap()),
                declared_scopes: Vec::new(),
                observed_scopes: if dice.roll(2) == 0 {
                    vec!["mail.read".into()]
                } else {
                    Vec::new()
                },
                accounts: None,
                updated_at: at(-1440 * MINUTE),
            })
            .collect(),
        ..Ledger::default()
    };
    let mut now = 0;
    let mut n = 0;
    for _ in 0..batches {
        now += (5 + dice.roll(90)) * MINUTE;
        for _ in 0..dice.roll(5) {
            n += 1;
            ledger.claims.push(claim(&mut dice, n, now));
        }
        for _ in 0..dice.roll(5) {
            n += 1;
            ledger.observations.push(observation(&mut dice, n, now));
        }
        if dice.roll(4) > 0 {
            let reach = now - (30 + dice.roll(300)) * MINUTE;
            ledger
                .coverage
                .push(view(Source::GmailSent, reach, now, now));
            ledger
                .coverage
                .push(view(Source::GmailReceipt, reach, now, now));
            ledger
                .coverage
                .push(view(Source::GcalEvent, -9000 * MINUTE, 9000 * MINUTE, now));
        }
        let activity = ledger.activity.as_mut().unwrap();
        let agent = *dice.pick(&AgentId::ALL[..2]);
        activity.sessions.push(Session {
            agent,
            at: at(now - dice.roll(20) * MINUTE),
        });
        activity.entries.push(Entry {
            agent,
            at: at(now - dice.roll(20) * MINUTE),
            action: None,
        });
        activity.adapter_syncs.push(AdapterSync {
            agent,
            last_sync_at: at(now),
        });
        activity.idle.push(Idle {
            from: at(now - 30 * MINUTE),
            to: at(now),
        });

        let instant = at(now + 1);
        let next = NextBatch::new(&ledger, instant).unwrap();
        let coverage = next.coverage().clone();
        let graded = grade_batch(next.input(policy)).unwrap();
        drop(next);
        ledger.store_batch(&coverage, policy, graded).unwrap();

        for _ in 0..dice.roll(3) {
            if ledger.receipts.is_empty() {
                break;
            }
            let place = dice.roll(ledger.receipts.len() as i64) as usize;
            let stamp = event_at(&ledger, place, now + dice.roll(3) * MINUTE);
            let receipt = &ledger.receipts[place];
            let event = if receipt.state == ReceiptState::UserOverridden {
                Event::Revert { at: stamp }
            } else {
                let grade = *dice.pick(OverrideGrade::ALL);
                Event::Override {
                    grade,
                    reason: "said so".into(),
                    at: stamp,
                }
            };
            ledger.receipts[place] = transition(receipt, event).unwrap();
        }
    }
    ledger
}

fn check(seeds: std::ops::Range<u64>) {
    let policy = load_policy(DEFAULT_POLICY).unwrap();
    let mut receipts = 0;
    let mut unasked = 0;
    for seed in seeds {
        let ledger = grow(seed, 24, &policy);
        for receipt in &ledger.receipts {
            assert_eq!(
                receipt.broken_invariant(),
                None,
                "seed {seed} receipt {}",
                receipt.id
            );
        }
        let text = ledger.to_text();
        let read = Ledger::read(&text).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        assert!(
            read.to_text() == text,
            "seed {seed}: not written back equal"
        );
        let report = Replayer::new(read.snapshot()).report();
        assert!(
            report.mismatches.is_empty(),
            "seed {seed}: {:?}",
            &report.mismatches[..report.mismatches.len().min(3)]
        );
        receipts += report.receipts;
        unasked += ledger
            .receipts
            .iter()
            .filter(|receipt| receipt.grade == Grade::Unasked)
            .count();
    }
    // The worlds must be worth replaying.
    assert!(receipts > 0 && unasked > 0);
    println!("{receipts} receipts, {unasked} unasked");
}

#[test]
fn grown_ledgers_replay_whole() {
    check(0..200);
}

/// `cargo test -p attest-grading --test replay_worlds -- --ignored`
#[test]
#[ignore = "a longer sweep, some minutes"]
fn many_grown_ledgers_replay_whole() {
    check(200..10_200);
}

#[test]
fn changes_outside_the_rules_are_reported() {
    let policy = load_policy(DEFAULT_POLICY).unwrap();
    let ledger = grow(3, 24, &policy);
    let fields = |ledger: &Ledger| -> Vec<Field> {
        let report = Replayer::new(ledger.snapshot()).report();
        report
            .by_field()
            .into_iter()
            .map(|(field, _)| field)
            .collect()
    };
    assert_eq!(fields(&ledger), []);
    let verified = ledger
        .receipts
        .iter()
        .position(|receipt| receipt.grade == Grade::Verified)
        .unwrap();

    let mut changed = ledger.clone();
    changed.receipts[verified].grade = Grade::Partial;
    assert_eq!(fields(&changed), [Field::Grade]);

    let mut changed = ledger.clone();
    let evidence = ledger.receipts[verified].observation_ids[0];
    let row = changed
        .observations
        .iter_mut()
        .find(|row| row.id == evidence)
        .unwrap();
    row.subject_hint = Some("Something else".into());
    assert!(fields(&changed).contains(&Field::ContentHash));

    let mut changed = ledger.clone();
    changed
        .receipt_inputs
        .remove(&ledger.receipts[verified].inputs_hash);
    assert_eq!(fields(&changed), [Field::ReceiptInputs]);

    let mut changed = ledger.clone();
    let claim = ledger.receipts[verified].claim_id.unwrap();
    changed.claims.retain(|held| held.id != claim);
    assert!(fields(&changed).contains(&Field::Subject));

    let mut changed = ledger.clone();
    changed.policies.clear();
    assert_eq!(fields(&changed), [Field::Policy]);
}
