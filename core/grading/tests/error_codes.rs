//! Every error code of the core (supplement H) is met by a real input, and no
//! code stands in the sources without one.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a test stops at the first thing it cannot read"
)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use attest_grading::decide::{Graded, PreAssignment, grade, grade_batch};
use attest_grading::ledger::rules::{BatchRefused, MailPass, Model};
use attest_grading::ledger::{Event, Keeper, Ledger, WriteError, transition};
use attest_grading::model::{
    AgentId, GradeContext, Grant, Instant, IsoTs, OverrideGrade, Receipt, Source,
};
use attest_grading::policy::{DEFAULT_POLICY, load_policy};
use attest_grading::scenario::Scenario;
use attest_grading::scenario::build::World;

type Code = (&'static str, &'static str);

/// Codes that no input can meet, and why. Three more of supplement H do not stand
/// in the sources at all, because their case cannot be written down:
/// `policy_not_loaded` (a [`attest_grading::policy::Policy`] is a loaded one),
/// `unknown_reason_code` (the set is closed) and `zero_weight_sum` (the loader
/// refuses the weights, and a mean of nothing scores 0).
const UNREACHABLE: &[(Code, &str)] = &[(
    ("GradeError", "unasked_with_claim"),
    "a rule that concludes UNASKED must name unaskedLikely, which no claim meets (§6.1)",
)];

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn file(name: &str) -> String {
    std::fs::read_to_string(repository().join("golden").join(name)).unwrap()
}

/// The objects of golden 01: one claim, one row that matches it.
fn world() -> World {
    let text = file("01-exact-match-same-minute.json");
    World::build(&Scenario::read(&text).unwrap()).unwrap()
}

/// What loading the demo ledger says once a text in it is another.
fn load(from: &str, to: &str) -> Code {
    let text = file("ledgers/demo.json");
    let changed = text.replacen(from, to, 1);
    assert_ne!(changed, text, "{from}");
    Ledger::read(&changed).unwrap_err().problems[0].code
}

/// What a batch over the world says once it is changed.
fn batch(change: impl FnOnce(&mut World)) -> Code {
    let mut world = world();
    change(&mut world);
    let input = world.batch_input(&world.policy, &world.coverage);
    grade_batch(input).unwrap_err().code()
}

fn pair(world: &World, claim: usize, after: Instant) -> PreAssignment {
    PreAssignment {
        observation_id: world.observations[0].id,
        claim_id: Some(world.claims[claim].id),
        after,
        until: None,
        released: Vec::new(),
    }
}

/// What a grade of the world's claim says.
fn graded(change: impl FnOnce(&mut World, &mut Grant), with_claim: bool) -> Code {
    let mut world = world();
    let mut grant = world.grants[0].clone();
    change(&mut world, &mut grant);
    let claim = with_claim.then(|| &world.claims[0]);
    let rows: Vec<_> = world.observations.iter().collect();
    let context = GradeContext::default();
    let error = grade(
        claim,
        &rows,
        &grant,
        &world.policy,
        &world.coverage,
        &context,
    );
    attest_grading::decide::GradingError::Grade(error.unwrap_err()).code()
}

/// The world's claim, its grant and its row in keeping, and a now after them.
fn keeper() -> (Keeper, World, IsoTs) {
    let world = world();
    let now = world.coverage.evaluated_at;
    let mut keeper = Keeper::new(Ledger {
        grants: world.grants.clone(),
        ..Ledger::default()
    });
    keeper.store_claim(world.claims[0].clone(), now).unwrap();
    keeper
        .store_observation(world.observations[0].clone(), now)
        .unwrap();
    (keeper, world, now)
}

/// What the writer says to something.
fn write(refused: impl FnOnce(&mut Keeper, &World, IsoTs) -> WriteError) -> Code {
    let (mut keeper, world, now) = keeper();
    refused(&mut keeper, &world, now).code()
}

/// A receipt of the world, and one of its orphan with a claim that explains it.
fn receipt() -> Receipt {
    let world = world();
    let graded: Vec<Graded> =
        grade_batch(world.batch_input(&world.policy, &world.coverage)).unwrap();
    graded.into_iter().next().unwrap().receipt
}

fn state(receipt: &Receipt, event: Event) -> Code {
    let error = transition(receipt, event).unwrap_err();
    WriteError::Illegal(error).code()
}

fn say(grade: OverrideGrade, at: IsoTs) -> Event {
    Event::Override {
        grade,
        reason: "I looked".into(),
        at,
    }
}

/// A receipt still open, as golden 03 leaves it.
fn open() -> Receipt {
    let scenario = Scenario::read(&file("03-pending-grace-not-elapsed.json")).unwrap();
    let world = World::build(&scenario).unwrap();
    let graded = grade_batch(world.batch_input(&world.policy, &world.coverage)).unwrap();
    graded.into_iter().next().unwrap().receipt
}

fn after(at: IsoTs, minutes: i64) -> IsoTs {
    IsoTs::computed(at.instant().plus(minutes * 60_000), at.offset_minutes())
}

fn illegal() -> [Code; 4] {
    let held = receipt();
    let at = held.computed_at;
    let illegal = state(&held, Event::Revert { at: after(at, 1) });
    let early = state(&held, say(OverrideGrade::Verified, after(at, -1)));

    // An override of an open receipt, taken back: no batch of its time grades it.
    let open = open();
    let at = open.computed_at;
    let said = transition(&open, say(OverrideGrade::NotFound, after(at, 1))).unwrap();
    let back = transition(&said, Event::Revert { at: after(at, 9) }).unwrap();
    let next = Receipt {
        computed_at: after(at, 5),
        ..open.clone()
    };
    let held = state(&back, Event::Regrade(Box::new(next)));

    // An UNASKED receipt that a claim explains is never graded again.
    let demo = Ledger::read(&file("ledgers/demo.json")).unwrap();
    let unasked = demo
        .receipts
        .iter()
        .find(|held| held.attribution_likely)
        .unwrap();
    let mut unasked = unasked.clone();
    if let Some(final_at) = unasked.final_at.take() {
        unasked.state = attest_grading::model::ReceiptState::Pending;
        unasked.final_from = Some(final_at);
    }
    let claim_id = demo.claims[0].id;
    let explained = transition(&unasked, Event::Supersede { claim_id }).unwrap();
    let next = Receipt {
        computed_at: after(unasked.computed_at, 5),
        ..unasked.clone()
    };
    let superseded = state(&explained, Event::Regrade(Box::new(next)));
    [illegal, early, held, superseded]
}

/// Every code with what an input that must meet it met.
fn met() -> Vec<(Code, Code)> {
    let demo = file("ledgers/demo.json");
    let read = Ledger::read(&demo).unwrap();
    let coverage = read.batch_coverages.keys().next().unwrap().to_string();
    let other = "0".repeat(64);
    let row = attest_grading::model::canonical_text(&read.observations[0]);
    let [illegal, early, held, superseded] = illegal();
    let unknown =
        file("01-exact-match-same-minute.json").replacen("\"ref\": \"", "\"ref\": \"no", 1);
    vec![
        (
            ("SchemaError", "invalid"),
            load("\"requests\": []", "\"requests\": 7"),
        ),
        (
            ("LedgerError", "bad_format"),
            load("\"attest-ledger\"", "\"attest-book\""),
        ),
        (
            ("LedgerError", "bad_version"),
            load("\"version\": 7", "\"version\": 6"),
        ),
        (
            ("LedgerError", "duplicate_id"),
            load(&row, &format!("{row},{row}")),
        ),
        (
            ("LedgerError", "hash_mismatch"),
            load(&format!("\"{coverage}\": {{"), &format!("\"{other}\": {{")),
        ),
        (
            ("LedgerError", "unknown_coverage"),
            load(
                &format!("\"coverageHash\":\"{coverage}\""),
                &format!("\"coverageHash\":\"{other}\""),
            ),
        ),
        (
            ("LedgerError", "bad_receipt"),
            load("\"state\":\"FINAL\"", "\"state\":\"PENDING\""),
        ),
        (
            ("LedgerError", "id_conflict"),
            write(|keeper, world, now| {
                let mut other = world.claims[0].clone();
                other.source_kind = attest_grading::model::Token::parse("chat").unwrap();
                keeper.store_claim(other, now).unwrap_err()
            }),
        ),
        (
            ("LedgerError", "late_sighting"),
            write(|keeper, world, now| {
                let mut earlier = world.observations[0].clone();
                earlier.observed_at = after(earlier.observed_at, -1);
                keeper.store_observation(earlier, now).unwrap_err()
            }),
        ),
        (
            ("LedgerError", "clock_behind"),
            write(|keeper, world, now| {
                let mut entry = world.coverage.observers[0].clone();
                entry.last_sync_at = after(now, 1);
                entry.window_end = entry.last_sync_at;
                let pass = MailPass {
                    source: Source::GmailSent,
                    rows: Vec::new(),
                    coverage: vec![entry],
                };
                keeper.store_mail_pass(pass, now).unwrap_err()
            }),
        ),
        (
            ("LedgerError", "batch_out_of_order"),
            write(|keeper, world, now| {
                keeper.batch(now, &world.policy, Model::Off).unwrap();
                match keeper.batch(now, &world.policy, Model::Off).unwrap_err() {
                    BatchRefused::Write(error) => error,
                    other => panic!("{other}"),
                }
            }),
        ),
        (("IllegalTransitionError", "illegal_transition"), illegal),
        (("IllegalTransitionError", "invalid_event"), early),
        (("IllegalTransitionError", "regrade_held"), held),
        (("IllegalTransitionError", "regrade_superseded"), superseded),
        (("ScenarioError", "unknown_ref"), {
            Scenario::read(&unknown).unwrap_err().list()[0].kind.code()
        }),
        (("PolicyError", "invalid_policy"), {
            let document = DEFAULT_POLICY.replacen("\"version\": 2", "\"version\": 3", 1);
            load_policy(&document).unwrap_err().code()
        }),
        (
            ("BatchError", "missing_grant"),
            batch(|world| world.grants.clear()),
        ),
        (
            ("BatchError", "ambiguous_grant"),
            batch(|world| world.grants.push(world.grants[0].clone())),
        ),
        (
            ("BatchError", "claim_fixed"),
            batch(|world| {
                let before = world.coverage.evaluated_at.instant().minus(60_000);
                world.fixed = vec![pair(world, 0, before)];
            }),
        ),
        (
            ("BatchError", "stale_evaluated_at"),
            batch(|world| {
                let now = world.coverage.evaluated_at.instant();
                world.fixed = vec![pair(world, 0, now)];
            }),
        ),
        (
            ("CandidatesError", "not_one_to_one"),
            batch(|world| {
                // Two claims that are not graded now hold one row.
                let before = world.coverage.evaluated_at.instant().minus(60_000);
                let other = PreAssignment {
                    claim_id: Some(world.observations[0].id),
                    ..pair(world, 0, before)
                };
                world.fixed = vec![pair(world, 0, before), other];
                world.fixed_claims.insert(world.claims[0].id);
            }),
        ),
        (
            ("GradeError", "foreign_candidate"),
            graded(
                |world, _| {
                    let mut row = world.observations[0].clone();
                    row.occurred_at = after(row.occurred_at, 600);
                    world.observations = vec![row];
                },
                true,
            ),
        ),
        (
            ("GradeError", "claimless_subject"),
            graded(|world, _| world.observations.clear(), false),
        ),
        (
            ("GradeError", "agent_mismatch"),
            graded(
                |world, grant| {
                    let others = AgentId::ALL.iter().copied();
                    let mut others = others.filter(|agent| *agent != world.claims[0].agent);
                    grant.agent = others.next().unwrap();
                },
                true,
            ),
        ),
    ]
}

#[test]
fn every_code_is_met_by_a_real_input() {
    for (code, found) in met() {
        assert_eq!(found, code);
    }
}

/// Every `("SomeError", "some_code")` of the sources, tests aside.
fn codes_of_sources(folder: &Path, found: &mut BTreeSet<(String, String)>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            if path.file_name().unwrap() != "tests" {
                codes_of_sources(&path, found);
            }
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap();
        for (at, _) in code.match_indices("Error\", \"") {
            let kind = code[..at].rsplit('"').next().unwrap();
            let rest = &code[at + "Error\", \"".len()..];
            let name = rest.split('"').next().unwrap();
            found.insert((format!("{kind}Error"), name.to_owned()));
        }
    }
}

#[test]
fn no_code_is_without_a_fixture() {
    let mut stand = BTreeSet::new();
    codes_of_sources(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("src"),
        &mut stand,
    );
    // The state machine writes its codes apart from their type.
    for code in [
        "illegal_transition",
        "invalid_event",
        "regrade_held",
        "regrade_superseded",
    ] {
        stand.insert(("IllegalTransitionError".to_owned(), code.to_owned()));
    }
    let fixtures = met();
    let named = fixtures.iter().map(|(code, _)| *code);
    let named = named.chain(UNREACHABLE.iter().map(|(code, _)| *code));
    let named: BTreeSet<(String, String)> = named
        .map(|(kind, code)| (kind.to_owned(), code.to_owned()))
        .collect();
    assert_eq!(stand, named);
}
