//! How `gradeBatch` grows. Run: `cargo bench -p attest-grading --bench batch`.
//!
//! `realistic` puts n claims and n observations of several types into one
//! window with a mix of recipients, names, subjects and amounts. `crowd` is
//! the worst case: every address at one uncommon domain, all in one minute, so
//! that every pair shares content. Each doubling of n is one row; the ratio of
//! neighbouring medians is the growth.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a benchmark's worlds are built from small known numbers"
)]

use attest_canon::{Digest, Id, sha256};
use attest_grading::decide::{Batch, BatchInput};
use attest_grading::model::{
    ActionType, Activity, AgentId, Cents, Claim, Coverage, Currency, Grant, IsoTs, Observation,
    ObserverCoverage, Precision, Source, Token,
};
use attest_grading::policy::{DEFAULT_POLICY, Policy, load_policy};

fn main() {
    divan::main();
}

/// A small reproducible generator (SplitMix64).
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.next() % n as u64).unwrap()
    }
}

fn at(second: usize) -> IsoTs {
    let (hour, minute, second) = (14 + second / 3600, second / 60 % 60, second % 60);
    IsoTs::parse(&format!(
        "2026-10-06T{hour:02}:{minute:02}:{second:02}-04:00"
    ))
    .unwrap()
}

struct World {
    claims: Vec<Claim>,
    observations: Vec<Observation>,
    grants: Vec<Grant>,
    coverage: Coverage,
    policy: Policy,
}

const WORDS: &[&str] = &[
    "deck", "budget", "review", "invoice", "offer", "launch", "roadmap", "hiring", "contract",
    "travel", "design", "metrics", "board", "survey", "renewal", "draft", "agenda", "press",
    "audit", "training",
];

fn claim(
    dice: &mut Dice,
    n: usize,
    action: ActionType,
    second: usize,
    counterparty: &str,
    subject: &str,
) -> Claim {
    let raw_hash = sha256(format!("claim {n} {}", dice.next()).as_bytes());
    let spend = action == ActionType::PurchaseMade;
    Claim {
        id: Id::from_digest(&raw_hash),
        request_id: None,
        agent: AgentId::ALL[n % AgentId::ALL.len()],
        action,
        counterparty: Some(counterparty.into()),
        amount: spend.then(|| Cents::new(500 + (n % 97) as i64 * 100).unwrap()),
        currency: spend.then(|| Currency::parse("USD").unwrap()),
        subject_hint: Some(subject.into()),
        claimed_at: at(second),
        precision: Precision::Minute,
        claimed_at_end: None,
        target_at: None,
        observed_at: at(second),
        source_kind: Token::parse("activity_view").unwrap(),
        extractor: None,
        raw_hash,
    }
}

fn observation(
    n: usize,
    action: ActionType,
    second: usize,
    counterparty: &str,
    subject: &str,
) -> Observation {
    let spend = action == ActionType::PurchaseMade;
    let mut row = Observation {
        id: Id::from_digest(&Digest::from_bytes([0; 32])),
        source: if spend {
            Source::GmailReceipt
        } else {
            Source::GmailSent
        },
        action,
        occurred_at: at(second),
        observed_at: at(second + 30),
        sighted_at: None,
        counterparty: (!spend).then(|| counterparty.into()),
        merchant: spend.then(|| counterparty.into()),
        amount: spend.then(|| Cents::new(500 + (n % 97) as i64 * 100).unwrap()),
        currency: spend.then(|| Currency::parse("USD").unwrap()),
        subject_hint: Some(subject.into()),
        row_key_hash: Some(sha256(format!("row {n}").as_bytes())),
        content_hash: Digest::from_bytes([0; 32]),
    };
    row.content_hash = row.computed_content_hash();
    row.id = Id::from_digest(&row.content_hash);
    row
}

fn world(claims: Vec<Claim>, observations: Vec<Observation>) -> World {
    let grants = AgentId::ALL
        .iter()
        .map(|agent| Grant {
            agent: *agent,
            allowed_types: ActionType::ALL.to_vec(),
            counterparty_allowlist: Vec::new(),
            spend_ceiling: None,
            spend_currency: None,
            declared_scopes: Vec::new(),
            observed_scopes: Vec::new(),
            accounts: None,
            updated_at: IsoTs::parse("2026-09-01T00:00:00Z").unwrap(),
        })
        .collect();
    let view = |source: Source| ObserverCoverage {
        observer_id: Token::parse(source.as_str()).unwrap(),
        source,
        last_sync_at: at(4 * 3600),
        window_start: at(0),
        window_end: at(4 * 3600),
        account_hash: Some(sha256(b"acct-a")),
        all_calendars: None,
        changes_since: None,
    };
    World {
        claims,
        observations,
        grants,
        coverage: Coverage {
            evaluated_at: at(5 * 3600),
            observers: vec![view(Source::GmailSent), view(Source::GmailReceipt)],
            repairs: Vec::new(),
        },
        policy: load_policy(DEFAULT_POLICY).unwrap(),
    }
}

fn realistic(n: usize) -> World {
    let mut dice = Dice(7);
    let (mut claims, mut observations) = (Vec::new(), Vec::new());
    for k in 0..n {
        let person = dice.below(n / 3 + 1);
        let address = format!("p{person}.smith@company{}.com", person % (n / 20 + 1));
        let subject = format!(
            "{} {} {}",
            WORDS[dice.below(WORDS.len())],
            WORDS[dice.below(WORDS.len())],
            dice.below(n)
        );
        let second = 3600 + dice.below(40 * 60);
        let (action, told, shown) = match dice.below(10) {
            0..=5 => (ActionType::EmailSent, address.clone(), address),
            6..=7 => (ActionType::EmailSent, format!("p{person} Smith"), address),
            _ => {
                let merchant = format!("Shop {}", dice.below(n / 5 + 1));
                (ActionType::PurchaseMade, merchant.clone(), merchant)
            }
        };
        claims.push(claim(&mut dice, k, action, second, &told, &subject));
        observations.push(observation(
            k,
            action,
            second + dice.below(180),
            &shown,
            &subject,
        ));
    }
    world(claims, observations)
}

fn crowd(n: usize) -> World {
    let mut dice = Dice(11);
    let (mut claims, mut observations) = (Vec::new(), Vec::new());
    for k in 0..n {
        let second = 3600 + dice.below(60);
        claims.push(claim(
            &mut dice,
            k,
            ActionType::EmailSent,
            second,
            &format!("a{k}@uncommon.example"),
            "deck",
        ));
        observations.push(observation(
            k,
            ActionType::EmailSent,
            second,
            &format!("b{k}@uncommon.example"),
            "deck",
        ));
    }
    world(claims, observations)
}

fn grade(world: &World, whole: bool) -> usize {
    let activity = Activity::default();
    let scores = std::collections::BTreeMap::new();
    let input = BatchInput {
        claims: world.claims.iter().collect(),
        observations: world.observations.iter().collect(),
        grants: world.grants.iter().collect(),
        policy: &world.policy,
        coverage: &world.coverage,
        activity: &activity,
        history: world.claims.iter().collect(),
        fixed: &[],
        model_scores: &scores,
    };
    let batch = Batch::new(input).unwrap();
    if whole {
        batch.grade().unwrap().len()
    } else {
        batch.claims().len()
    }
}

#[divan::bench(args = [625, 1250, 2500, 5000, 10000], sample_count = 5, sample_size = 1)]
fn realistic_mix(bencher: divan::Bencher, n: usize) {
    let world = realistic(n);
    bencher.bench_local(|| grade(&world, true));
}

#[divan::bench(args = [1250, 2500, 5000], sample_count = 3, sample_size = 1)]
fn worst_crowd(bencher: divan::Bencher, n: usize) {
    let world = crowd(n);
    bencher.bench_local(|| grade(&world, true));
}

/// Preparation and assignment alone: everything but the receipts.
#[divan::bench(args = [625, 1250, 2500, 5000, 10000], sample_count = 5, sample_size = 1)]
fn realistic_assignment(bencher: divan::Bencher, n: usize) {
    let world = realistic(n);
    bencher.bench_local(|| grade(&world, false));
}
