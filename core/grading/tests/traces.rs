//! A trace holds everything its grade looked at, and the receipt follows from
//! it (§4–§8): for every receipt of every golden, and of the stored ledger.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a test stops at the first thing it cannot read"
)]

use std::collections::BTreeSet;
use std::path::PathBuf;

use attest_canon::Id;
use attest_grading::decide::finality::Waiting;
use attest_grading::decide::trace::{ClaimTrace, Fate, RuleStatus};
use attest_grading::decide::{Batch, Ratio, Trace, TraceSubject};
use attest_grading::ledger::Ledger;
use attest_grading::model::{BasisPoints, Instant, Interval, IsoTs, Outcome, UnaskedSignal};
use attest_grading::replay::Replayer;
use attest_grading::scenario::Scenario;
use attest_grading::scenario::build::World;

fn golden() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../golden")
}

fn world(file: &str) -> World {
    let text = std::fs::read_to_string(golden().join(file)).unwrap();
    World::build(&Scenario::read(&text).unwrap()).unwrap()
}

fn batch(world: &World) -> Option<Batch<'_>> {
    Batch::new(world.batch_input(&world.policy, &world.coverage)).ok()
}

fn claim_of(world: &World, name: &str) -> Trace {
    let id = world.id_of(name).unwrap();
    batch(world).unwrap().trace_claim(id).unwrap().unwrap()
}

fn orphan_of(world: &World, name: &str) -> Trace {
    let id = world.id_of(name).unwrap();
    batch(world).unwrap().trace_orphan(id).unwrap().unwrap()
}

fn claim(trace: &Trace) -> &ClaimTrace {
    match &trace.subject {
        TraceSubject::Claim(claim) => claim,
        other => panic!("{other:?}"),
    }
}

fn at(text: &str) -> Instant {
    IsoTs::parse(text).unwrap().instant()
}

fn span(from: &str, to: &str) -> Interval {
    Interval {
        from: at(from),
        to: at(to),
    }
}

/// Every file of the corpus that batches.
fn worlds() -> Vec<(String, World)> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(golden())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "json"))
        .collect();
    files.sort();
    files
        .into_iter()
        .map(|path| {
            let file = path.file_name().unwrap().to_string_lossy().into_owned();
            let world = world(&file);
            (file, world)
        })
        .collect()
}

/// The sum of `n/d` fractions, with a common denominator kept in `u128`.
fn sum(terms: impl Iterator<Item = Ratio>) -> (u128, u128) {
    terms.fold((0, 1), |(n, d), term| {
        (
            n * term.denominator() + term.numerator() * d,
            d * term.denominator(),
        )
    })
}

/// What a trace of a claim must hold, whatever the grade.
fn holds_everything(trace: &Trace, world: &World, what: &str) {
    let claim = claim(trace);
    assert_eq!(
        claim.entries.len(),
        world.coverage.observers.len(),
        "{what}: every coverage entry, eligible or not"
    );
    let held: BTreeSet<Id> = claim
        .candidates
        .iter()
        .map(|one| one.observation.id)
        .collect();
    for id in &trace.receipt.observation_ids {
        assert!(held.contains(id), "{what}: the evidence is a candidate");
    }
    for one in &claim.candidates {
        let Some(pair) = one.score else {
            assert!(!claim.assignable, "{what}");
            continue;
        };
        assert_eq!(one.features.len(), claim.applicable.len(), "{what}");
        // §5.3: S = N / D.
        let (n, d) = sum(one.features.iter().map(|feature| feature.adds));
        let total = u128::from(claim.total_weight);
        assert_eq!(
            n * pair.mean.denominator(),
            pair.mean.numerator() * d * total,
            "{what}: the features add up to the mean"
        );
        // v1.11: no evidence on time alone.
        let opened = one
            .features
            .iter()
            .any(|feature| feature.feature.is_content() && feature.value.ratio() > Ratio::ZERO);
        assert_eq!(pair.gated, !opened, "{what}");
        let expected = if opened { pair.mean } else { Ratio::ZERO };
        assert_eq!(pair.score, expected, "{what}");
    }
    let assigned: Vec<Id> = claim
        .candidates
        .iter()
        .filter(|one| one.fate == Fate::Assigned)
        .map(|one| one.observation.id)
        .collect();
    assert_eq!(assigned, trace.receipt.observation_ids, "{what}");
}

/// §6: every rule of the policy is there, first match wins, and a condition's
/// finding says why.
fn rules_decide(trace: &Trace, world: &World, what: &str) {
    let ids: Vec<&str> = trace.rules.iter().map(|rule| &*rule.id).collect();
    let policy: Vec<&str> = world
        .policy
        .rules()
        .iter()
        .map(|rule| rule.id.as_str())
        .collect();
    assert_eq!(ids, policy, "{what}");
    let first = trace.rules.iter().position(|rule| {
        rule.conditions
            .iter()
            .all(|condition| condition.holds == Some(true))
    });
    assert_eq!(trace.matched, first, "{what}: the first rule that holds");
    for (place, rule) in trace.rules.iter().enumerate() {
        let reached = first.is_none_or(|first| place <= first);
        let would_match = rule
            .conditions
            .iter()
            .all(|condition| condition.holds == Some(true));
        match rule.status {
            RuleStatus::Matched => assert_eq!(Some(place), first, "{what}"),
            RuleStatus::Failed(at) => {
                assert!(reached, "{what}");
                assert_eq!(rule.conditions[at].holds, Some(false), "{what}");
            }
            RuleStatus::NotApplicable(at) => {
                assert!(reached, "{what}");
                assert_eq!(rule.conditions[at].holds, None, "{what}");
            }
            RuleStatus::NotReached { would_match: said } => {
                assert!(!reached, "{what}");
                assert_eq!(said, would_match, "{what}");
            }
        }
    }
    let (id, then) = match first {
        Some(first) => (policy[first], trace.rules[first].then),
        None => ("default_unverifiable", Outcome::Unverifiable),
    };
    assert_eq!(trace.receipt.rule_id.as_str(), id, "{what}");
    assert_eq!(trace.outcome, then, "{what}");
}

/// §8: the finality test gives the receipt's instants.
fn finality_decides(trace: &Trace, what: &str) {
    let finality = &trace.finality;
    let receipt = &trace.receipt;
    assert_eq!(receipt.final_at.is_some(), finality.is_final, "{what}");
    assert_eq!(
        receipt.final_from.map(|at| at.instant()),
        finality.final_from,
        "{what}"
    );
    let now = trace.evaluated_at.instant();
    match (&trace.subject, finality.waiting) {
        (_, Waiting::Nothing) => assert!(finality.is_final, "{what}"),
        (_, Waiting::Time(needed)) => assert_eq!(finality.is_final, now >= needed, "{what}"),
        (TraceSubject::Claim(claim), Waiting::Sync(needed)) => {
            let synced = claim
                .sources
                .iter()
                .all(|source| source.last_sync.is_some_and(|sync| sync >= needed));
            assert_eq!(finality.is_final, synced, "{what}");
        }
        (TraceSubject::Orphan(_), Waiting::Import { adapter, deadline }) => {
            let attribution = trace.context.attribution.as_ref().unwrap();
            let imported = attribution.adapter_last_sync_at;
            let imported = imported.is_some_and(|sync| sync.instant() >= adapter);
            assert_eq!(finality.is_final, imported || now >= deadline, "{what}");
        }
        (subject, waiting) => panic!("{what}: {waiting:?} of {subject:?}"),
    }
}

/// §7: each agent's signals, weighed, are its score; the best is the likely one.
fn attribution_decides(trace: &Trace, what: &str) {
    let TraceSubject::Orphan(orphan) = &trace.subject else {
        return;
    };
    assert_eq!(orphan.orphan, Ok(()), "{what}");
    let found = orphan.attribution.as_ref().unwrap();
    assert_eq!(found.attribution, trace.context.attribution, "{what}");
    for case in &found.cases {
        let weights = case
            .signals
            .iter()
            .map(|signal| trace.numbers.signal(*signal).get());
        let all = weights.sum::<u32>().min(BasisPoints::ONE.get());
        assert_eq!(case.score.get(), all, "{what}: {}", case.agent);
        let fired = |signal| case.signals.contains(&signal);
        assert_eq!(
            fired(UnaskedSignal::AgentSignature),
            case.signature.is_some(),
            "{what}"
        );
        assert_eq!(
            fired(UnaskedSignal::UserIdle),
            !found.idle.is_empty(),
            "{what}"
        );
    }
}

#[test]
fn every_receipt_of_every_golden_follows_from_its_trace() {
    let (mut claims, mut orphans, mut scopes) = (0, 0, 0);
    for (file, world) in worlds() {
        let Some(batch) = batch(&world) else { continue };
        let Ok(graded) = batch.grade() else { continue };
        for one in &graded {
            let what = format!("{file} {}", one.receipt.id);
            let trace = batch.trace_of(one).unwrap().expect(&what);
            assert_eq!(trace.receipt, one.receipt, "{what}");
            assert_eq!(trace.context, one.context, "{what}");
            rules_decide(&trace, &world, &what);
            finality_decides(&trace, &what);
            attribution_decides(&trace, &what);
            match &trace.subject {
                TraceSubject::Claim(_) => {
                    claims += 1;
                    holds_everything(&trace, &world, &what);
                }
                TraceSubject::Orphan(_) => orphans += 1,
                TraceSubject::Scope { .. } => scopes += 1,
            }
        }
    }
    assert!(
        claims > 300 && orphans > 30 && scopes > 3,
        "{claims} claims, {orphans} orphans, {scopes} scopes"
    );
}

/// A stored receipt's trace is the one its batch would have shown, but for the
/// activity, which no batch keeps.
#[test]
fn every_stored_receipt_can_be_asked() {
    let text = std::fs::read_to_string(golden().join("ledgers/demo.json")).unwrap();
    let ledger = Ledger::read(&text).unwrap();
    let replayer = Replayer::new(ledger.snapshot());
    let receipts = ledger.snapshot().receipts;
    assert_eq!(receipts.len(), 3);
    for receipt in receipts {
        let trace = replayer.trace(receipt).unwrap();
        assert_eq!(trace.receipt, *receipt);
        finality_decides(&trace, "demo");
        match &trace.subject {
            TraceSubject::Claim(claim) => {
                assert!(!claim.entries.is_empty());
                assert_eq!(claim.claim.id, receipt.claim_id.unwrap());
            }
            TraceSubject::Orphan(orphan) => {
                assert_eq!(orphan.attribution, None);
                assert!(trace.context.attribution.is_some());
            }
            TraceSubject::Scope { .. } => panic!("the demo has no scope receipt"),
        }
    }
}

/// Golden 110, by hand: c5's window is 11:30 to 12:18. acct-a saw up to 12:00,
/// acct-b from 11:50: together whole, and each lacks its own stretch. c1's
/// week only acct-b saw. c4's each saw whole.
#[test]
fn a_trace_names_what_each_bound_account_did_not_see() {
    let world = world("110-two-bound-accounts.json");
    let of = |name: &str| {
        let trace = claim_of(&world, name);
        let source = claim(&trace).sources[0].clone();
        let label = |account: &attest_canon::Digest| {
            ["acct-a", "acct-b"]
                .into_iter()
                .find(|label| attest_canon::sha256(label.as_bytes()) == *account)
                .unwrap()
        };
        let mut accounts: Vec<(&str, Option<Interval>)> = source
            .accounts
            .iter()
            .map(|one| (label(&one.account), one.gap))
            .collect();
        accounts.sort_by_key(|(label, _)| *label);
        (source.account_partial, source.gap, accounts)
    };
    let noon = "2026-10-06T12:00:00-04:00";
    assert_eq!(
        of("c5"),
        (
            true,
            None,
            vec![
                ("acct-a", Some(span(noon, "2026-10-06T12:18:00-04:00"))),
                (
                    "acct-b",
                    Some(span(
                        "2026-10-06T11:30:00-04:00",
                        "2026-10-06T11:50:00-04:00"
                    ))
                ),
            ]
        )
    );
    let week = span("2026-10-05T15:00:00-04:00", "2026-10-11T15:00:00-04:00");
    assert_eq!(
        of("c1"),
        (true, None, vec![("acct-a", Some(week)), ("acct-b", None)])
    );
    assert_eq!(
        of("c4"),
        (false, None, vec![("acct-a", None), ("acct-b", None)])
    );
}

/// Golden 80, by hand: the signature that a subject holds, as the policy
/// compares it, and what each signal weighs.
#[test]
fn a_trace_names_the_signature_and_the_weights() {
    let world = world("80-signature-and-sums.json");
    let trace = orphan_of(&world, "o4");
    let TraceSubject::Orphan(orphan) = &trace.subject else {
        panic!("an orphan");
    };
    let cases = &orphan.attribution.as_ref().unwrap().cases;
    let signatures: Vec<(&str, Option<&str>)> = cases
        .iter()
        .map(|case| (case.agent.as_str(), case.signature.as_deref()))
        .collect();
    assert_eq!(
        signatures,
        [
            ("chatgpt", None),
            ("claude", None),
            ("dots", Some("Über dots")),
            ("muse", None)
        ]
    );
    let weights: Vec<(&str, u32)> = UnaskedSignal::ALL
        .iter()
        .map(|signal| (signal.as_str(), trace.numbers.signal(*signal).get()))
        .collect();
    assert_eq!(
        weights,
        [
            ("agentSessionActive", 4000),
            ("userIdle", 3000),
            ("agentSignature", 5000),
            ("activityLogAdjacent", 4000)
        ]
    );
}
