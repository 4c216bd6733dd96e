//! The golden corpus as a whole: its ids are pinned, the README's two tables
//! agree with the files, and no rule, reason or cap is without a scenario.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a test stops at the first thing it cannot read"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use attest_grading::decide::coverage::Cap;
use attest_grading::decide::{Batch, Trace, TraceSubject};
use attest_grading::model::ReasonCode;
use attest_grading::policy::{DEFAULT_POLICY, load_policy};
use attest_grading::scenario::build::World;
use attest_grading::scenario::{self, RefName, Scenario, StoredReceipt};

fn repository() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

struct Golden {
    file: String,
    scenario: Scenario,
    world: World,
    receipts: Vec<StoredReceipt>,
}

fn corpus() -> Vec<Golden> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(repository().join("golden"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "json"))
        .collect();
    files.sort();
    files
        .into_iter()
        .map(|path| {
            let scenario = Scenario::read(&std::fs::read_to_string(&path).unwrap()).unwrap();
            Golden {
                file: path.file_name().unwrap().to_string_lossy().into_owned(),
                world: World::build(&scenario).unwrap(),
                receipts: scenario::run(&scenario).unwrap().receipts,
                scenario,
            }
        })
        .collect()
}

fn name(stored: &StoredReceipt) -> String {
    match &stored.name {
        RefName::Row(name) => name.to_string(),
        RefName::Scope { agent, scope } => format!("{agent}:{scope}"),
    }
}

/// Ids and hashes are never typed by hand; this file pins that they do not
/// move. Written anew with `UPDATE_GOLDEN_IDS=1 cargo test --test golden_tables`,
/// and reviewed.
#[test]
fn ids_and_hashes_are_stable() {
    let mut lines = Vec::new();
    for golden in corpus() {
        let rows = golden.scenario.input.claims.iter().map(|row| &row.name);
        let rows = rows.chain(
            golden
                .scenario
                .input
                .observations
                .iter()
                .map(|row| &row.name),
        );
        for row in rows {
            lines.push(format!(
                "{} {row} {}",
                golden.file,
                golden.world.id_of(row).unwrap()
            ));
        }
        for stored in &golden.receipts {
            let receipt = &stored.receipt;
            lines.push(format!(
                "{} receipt of {} {} {}",
                golden.file,
                name(stored),
                receipt.id,
                receipt.inputs_hash
            ));
        }
    }
    let found = lines.join("\n") + "\n";
    let pinned = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden-ids.txt");
    if std::env::var_os("UPDATE_GOLDEN_IDS").is_some() {
        std::fs::write(&pinned, &found).unwrap();
    }
    let expected = std::fs::read_to_string(&pinned).unwrap();
    for (line, (expected, found)) in expected.lines().zip(found.lines()).enumerate() {
        assert_eq!(found, expected, "line {} of tests/golden-ids.txt", line + 1);
    }
    assert_eq!(expected.lines().count(), found.lines().count());
}

/// The cells of the README's table whose header begins with a word.
fn table(header: &str) -> Vec<Vec<String>> {
    let readme = std::fs::read_to_string(repository().join("golden/README.md")).unwrap();
    readme
        .lines()
        .skip_while(|line| !line.starts_with(&format!("| {header} |")))
        .skip(2)
        .take_while(|line| line.starts_with('|'))
        .map(|line| {
            line.trim_matches('|')
                .split('|')
                .map(|cell| cell.trim().to_owned())
                .collect()
        })
        .collect()
}

#[test]
fn the_worked_examples_table_agrees_with_the_files() {
    let corpus = corpus();
    let rows = table("Example");
    assert_eq!(rows.len(), 17);
    for row in rows {
        let [example, file, receipt, grade, rule, state, score, _] = row.as_slice() else {
            panic!("{row:?}");
        };
        let golden = corpus.iter().find(|golden| golden.file == *file).unwrap();
        let stored = golden
            .receipts
            .iter()
            .find(|stored| name(stored) == *receipt)
            .unwrap();
        let floor = stored
            .graded
            .floor
            .map_or("—".to_owned(), |ratio| ratio.to_string());
        let found = [
            stored.receipt.grade.to_string(),
            stored.receipt.rule_id.to_string(),
            stored.receipt.state.to_string(),
            floor,
        ];
        assert_eq!(
            found,
            [grade.clone(), rule.clone(), state.clone(), score.clone()],
            "{example}"
        );
    }
}

#[test]
fn the_rules_table_agrees_with_the_files() {
    let corpus = corpus();
    let mut rules_of: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for golden in &corpus {
        let number = golden.file.split('-').next().unwrap().to_owned();
        let rules = rules_of.entry(number).or_default();
        rules.extend(
            golden
                .receipts
                .iter()
                .map(|stored| stored.receipt.rule_id.to_string()),
        );
    }
    let rows = table("Rule");
    assert_eq!(rows.len(), 15);
    for row in rows {
        let [rule, _, examples, others] = row.as_slice() else {
            panic!("{row:?}");
        };
        let numbers = examples
            .split(", ")
            .chain(others.split(", "))
            .filter(|number| *number != "none");
        for number in numbers {
            assert!(
                rules_of[number].contains(rule),
                "golden {number} does not end on {rule}"
            );
        }
    }
}

#[test]
fn every_reason_has_a_scenario() {
    let mut met: BTreeSet<ReasonCode> = BTreeSet::new();
    for golden in corpus() {
        for stored in &golden.receipts {
            met.extend(stored.receipt.reasons.iter().map(|reason| reason.code()));
        }
    }
    let missing: Vec<&str> = ReasonCode::ALL
        .iter()
        .filter(|code| !met.contains(code))
        .map(|code| code.as_str())
        .collect();
    assert!(missing.is_empty(), "no golden shows {missing:?}");
}

/// Every rule of the shipped policy, and the terminal one, decides a receipt.
#[test]
fn every_rule_has_a_scenario() {
    let mut met: BTreeSet<String> = BTreeSet::new();
    for golden in corpus() {
        let receipts = golden.receipts.iter();
        met.extend(receipts.map(|stored| stored.graded.receipt.rule_id.to_string()));
    }
    let policy = load_policy(DEFAULT_POLICY).unwrap();
    let rules = policy.rules().iter().map(|rule| rule.id.to_string());
    let missing: Vec<String> = rules
        .chain(["default_unverifiable".to_owned()])
        .filter(|rule| !met.contains(rule))
        .collect();
    assert!(missing.is_empty(), "no golden ends on {missing:?}");
}

/// The traces of a golden's first batch.
fn traces(golden: &Golden) -> Vec<Trace> {
    let world = &golden.world;
    let Ok(batch) = Batch::new(world.batch_input(&world.policy, &world.coverage)) else {
        return Vec::new();
    };
    let claims = world.claims.iter().map(|claim| batch.trace_claim(claim.id));
    let orphans = world
        .observations
        .iter()
        .map(|row| batch.trace_orphan(row.id));
    let scopes = world.grants.iter().flat_map(|grant| {
        let scopes = grant.observed_scopes.iter();
        scopes.map(|scope| batch.trace_scope(grant.agent, scope).map(Some))
    });
    claims
        .chain(orphans)
        .chain(scopes)
        .filter_map(|trace| trace.ok().flatten())
        .collect()
}

/// Every condition of the shipped rules, with each value they ask for, holds in
/// one golden and does not in another; every cap falls on an entry in one.
#[test]
fn every_condition_and_cap_has_a_scenario() {
    let mut met: BTreeSet<(String, bool)> = BTreeSet::new();
    let mut caps: BTreeSet<&str> = BTreeSet::new();
    for golden in corpus() {
        for trace in traces(&golden) {
            for found in trace.rules.iter().flat_map(|rule| &rule.conditions) {
                let text = format!("{}: {}", found.condition.key(), found.condition.wanted());
                met.extend(found.holds.map(|holds| (text, holds)));
            }
            if let TraceSubject::Claim(claim) = &trace.subject {
                let named = claim.sources.iter().flat_map(|source| &source.caps);
                caps.extend(named.map(|cap| cap.reason().as_str()));
            }
        }
    }
    let policy = load_policy(DEFAULT_POLICY).unwrap();
    let conditions = policy.rules().iter().flat_map(|rule| &rule.when);
    let asked: BTreeSet<String> = conditions
        .map(|condition| format!("{}: {}", condition.key(), condition.wanted()))
        .collect();
    assert_eq!(asked.len(), 16, "{asked:?}");
    for text in asked {
        for holds in [true, false] {
            let there = met.contains(&(text.clone(), holds));
            assert!(there, "no golden where {text} is {holds}");
        }
    }
    for cap in Cap::ALL {
        let reason = cap.reason().as_str();
        assert!(
            caps.contains(reason),
            "no golden where a view is capped {reason}"
        );
    }
}
