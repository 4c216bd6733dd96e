//! Whatever single value of a ledger is changed, loading refuses it by its
//! path or replay reports it; what the reference leaves unbound stands in a
//! named list, with the reason.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a test stops at the first thing it cannot read"
)]

use std::collections::{BTreeMap, BTreeSet};

use attest_canon::Id;
use attest_canon::json::{Limits, Value};
use attest_grading::decide::trace::{Fate, TraceSubject};
use attest_grading::ledger::Ledger;
use attest_grading::model::{Grade, IsoTs, ReceiptState};
use attest_grading::replay::Replayer;
use attest_grading::simulate::{Faults, Settings, simulate};

/// What no receipt binds: every path (lists as `[]`, maps as `{}`) at which some
/// change goes unseen, and why the reference leaves it so.
///
/// Beside these: a claim or observation no receipt was graded with (replay
/// covers receipts, §9), and the tables of the current state ([`CURRENT`]).
const UNBOUND: &[(&str, &str)] = &[
    (
        "receipts[]",
        "a receipt that is not there cannot be derived again: replay proves those that are (§9)",
    ),
    (
        "receipts[].override.at",
        "when a person spoke is an event, not grading (§9); it counts only for what it holds or releases in a later batch (§4.3)",
    ),
    (
        "receipts[].override.reason",
        "a person's words; nothing reads them (§8)",
    ),
    (
        "receipts[].reverted",
        "events, not grading (§9): without them a receipt that is FINAL again stands as it was graded",
    ),
    (
        "receipts[].reverted[].at",
        "an event's instant, as override.at; held only to the order of events (§8)",
    ),
    (
        "receipts[].reverted[].computedAt",
        "which earlier grading an override spoke of; held only to the order of events (§8)",
    ),
    (
        "receipts[].reverted[].grade",
        "what a person said before they took it back (§8)",
    ),
    (
        "receipts[].reverted[].revertedAt",
        "an event's instant, as override.at; held only to the order of events (§8)",
    ),
];

/// Tables of the current state: replay takes what a receipt was graded with
/// from its stored inputs, never from these (§9).
const CURRENT: &[&str] = &["activity", "coverage", "grants", "meta", "modelScores"];

/// A ledger with everything that can stand in one.
fn rich() -> Ledger {
    let mut settings = Settings::new(SEED, 3);
    settings.faults = Faults::many();
    settings.claims_per_day = 7;
    simulate(&settings).ledger
}

const SEED: u64 = 182;

fn holds_everything(ledger: &Ledger) -> Result<(), &'static str> {
    let receipts = || ledger.receipts.iter();
    let inputs = || ledger.receipt_inputs.values();
    let grades: BTreeSet<Grade> = receipts().map(|receipt| receipt.grade).collect();
    let grants: BTreeSet<String> = inputs()
        .filter(|held| {
            held.grant.spend_ceiling.is_some() || !held.grant.counterparty_allowlist.is_empty()
        })
        .map(|held| format!("{:?}", held.grant))
        .collect();
    for (there, what) in [
        (grades.contains(&Grade::Unasked), "UNASKED"),
        (grades.contains(&Grade::OverScope), "OVER_SCOPE"),
        (grades.contains(&Grade::Verified), "VERIFIED"),
        (grades.contains(&Grade::Partial), "PARTIAL"),
        (grades.contains(&Grade::NotFound), "NOT_FOUND"),
        (
            inputs().any(|held| held.context.scope.is_some()),
            "an observed scope",
        ),
        (
            inputs().any(|held| held.context.model_scores.is_some()),
            "a model's answer",
        ),
        (!grants.is_empty(), "a changed grant"),
        (
            receipts().any(|held| held.state == ReceiptState::UserOverridden),
            "an override",
        ),
        (receipts().any(|held| !held.reverted.is_empty()), "a revert"),
        (
            receipts().any(|held| held.state == ReceiptState::Pending),
            "an open receipt",
        ),
        (
            ledger
                .batch_coverages
                .values()
                .any(|held| !held.repairs.is_empty()),
            "a repair",
        ),
        (
            ledger
                .observations
                .iter()
                .any(|row| row.sighted_at.is_some()),
            "a sighting",
        ),
    ] {
        if !there {
            return Err(what);
        }
    }
    Ok(())
}

/// A value of a ledger's text: where it stands, and where it could be cut out.
struct Place {
    /// Its path, lists as `[]` and maps as `{}`.
    pattern: String,
    /// Its path, exactly.
    path: String,
    /// Its bytes in the text.
    from: usize,
    to: usize,
    /// From where to where it is cut out with its key, when it is a member or
    /// an element.
    cut: (usize, usize),
    value: Value<'static>,
}

/// The maps of a ledger, whose keys are no names.
const MAPS: &[&str] = &["receiptInputs", "batchCoverages", "policies", "modelScores"];

/// Writes a ledger's values without space between, noting every place but the
/// document itself.
fn write(value: &Value<'_>, pattern: &str, path: &str, out: &mut String, places: &mut Vec<Place>) {
    let is_map = MAPS.contains(&pattern);
    match value {
        Value::Object(members) => {
            out.push('{');
            for (at, (key, member)) in members.iter().enumerate() {
                let start = out.len();
                attest_canon::jcs::write_string(out, key);
                out.push(':');
                let dot = if pattern.is_empty() { "" } else { "." };
                let pattern = if is_map {
                    format!("{pattern}{{}}")
                } else {
                    format!("{pattern}{dot}{key}")
                };
                place(
                    member,
                    &pattern,
                    &format!("{path}{dot}{key}"),
                    start,
                    out,
                    places,
                );
                if at + 1 < members.len() {
                    out.push(',');
                }
            }
            out.push('}');
        }
        Value::Array(elements) => {
            out.push('[');
            for (at, element) in elements.iter().enumerate() {
                let start = out.len();
                let inner = format!("{path}[{at}]");
                place(element, &format!("{pattern}[]"), &inner, start, out, places);
                if at + 1 < elements.len() {
                    out.push(',');
                }
            }
            out.push(']');
        }
        Value::String(text) => attest_canon::jcs::write_string(out, text),
        Value::Number(number) => out.push_str(number),
        Value::Bool(bool) => out.push_str(if *bool { "true" } else { "false" }),
        Value::Null => out.push_str("null"),
    }
}

fn place(
    value: &Value<'_>,
    pattern: &str,
    path: &str,
    start: usize,
    out: &mut String,
    places: &mut Vec<Place>,
) {
    let from = out.len();
    write(value, pattern, path, out, places);
    places.push(Place {
        pattern: pattern.to_owned(),
        path: path.to_owned(),
        from,
        to: out.len(),
        cut: (start, out.len()),
        value: value.clone().into_owned(),
    });
}

/// The texts a value is changed to, each another value.
fn changes(place: &Place, others: &BTreeMap<String, BTreeSet<String>>) -> Vec<String> {
    let quoted = |text: &str| {
        let mut out = String::new();
        attest_canon::jcs::write_string(&mut out, text);
        out
    };
    match &place.value {
        Value::Bool(bool) => vec![(!bool).to_string()],
        Value::Number(number) => match number.parse::<i64>() {
            Ok(0) => vec!["1".to_owned()],
            Ok(whole) => vec![(whole + 1).to_string(), (whole - 1).to_string()],
            Err(_) => vec!["0".to_owned(), "1".to_owned(), "0.5".to_owned()]
                .into_iter()
                .filter(|text| text != number)
                .collect(),
        },
        Value::String(text) => {
            let mut all = Vec::new();
            if let Some(at) = IsoTs::parse(text) {
                // Another minute, and the same instant written otherwise.
                let later = IsoTs::computed(at.instant().plus(60_000), at.offset_minutes());
                let elsewhere = IsoTs::computed(at.instant(), at.offset_minutes() + 60);
                return vec![quoted(&later.to_string()), quoted(&elsewhere.to_string())];
            }
            // Another that stands in the same place elsewhere, and one that
            // stands nowhere.
            let same = others[&place.pattern].iter();
            all.extend(
                same.filter(|other| *other != text.as_ref())
                    .take(1)
                    .map(|other| quoted(other)),
            );
            let last = text.chars().last();
            let mut made: String = text
                .chars()
                .take(text.chars().count().saturating_sub(1))
                .collect();
            made.push(if last == Some('1') { '2' } else { '1' });
            all.push(quoted(&made));
            all
        }
        // What a list or an object holds is changed value by value.
        _ => Vec::new(),
    }
}

/// The text without a place; commas mended.
fn without(text: &str, place: &Place) -> String {
    let (mut from, mut to) = place.cut;
    if text[to..].starts_with(',') {
        to += 1;
    } else if text[..from].ends_with(',') {
        from -= 1;
    }
    format!("{}{}", &text[..from], &text[to..])
}

/// Whether a changed ledger is refused by a path or reported.
fn is_seen(text: &str) -> bool {
    match Ledger::read(text) {
        Err(error) => {
            assert!(
                error
                    .problems
                    .iter()
                    .all(|problem| !problem.path.is_empty()),
                "{error}"
            );
            true
        }
        Ok(ledger) => Replayer::new(ledger.snapshot()).report().mismatched > 0,
    }
}

/// The rows and claims some receipt was graded with, by their place in the
/// ledger.
fn graded_with(ledger: &Ledger) -> BTreeSet<String> {
    let mut ids: BTreeSet<Id> = BTreeSet::new();
    let replayer = Replayer::new(ledger.snapshot());
    for receipt in &ledger.receipts {
        ids.extend(receipt.claim_id);
        let trace = replayer.trace(receipt).unwrap();
        match &trace.subject {
            TraceSubject::Claim(claim) => {
                let handed = claim
                    .candidates
                    .iter()
                    .filter(|candidate| matches!(candidate.fate, Fate::Assigned | Fate::Open));
                ids.extend(handed.map(|candidate| candidate.observation.id));
            }
            TraceSubject::Orphan(orphan) => {
                ids.insert(orphan.observation.id);
            }
            TraceSubject::Scope { .. } => {}
        }
    }
    let claims = ledger.claims.iter().map(|row| row.id).enumerate();
    let claims = claims.filter(|(_, id)| ids.contains(id));
    let rows = ledger.observations.iter().map(|row| row.id).enumerate();
    let rows = rows.filter(|(_, id)| ids.contains(id));
    claims
        .map(|(at, _)| format!("claims[{at}]"))
        .chain(rows.map(|(at, _)| format!("observations[{at}]")))
        .collect()
}

struct Sweep {
    text: String,
    places: Vec<Place>,
    others: BTreeMap<String, BTreeSet<String>>,
    graded_with: BTreeSet<String>,
}

impl Sweep {
    fn new() -> Self {
        let ledger = rich();
        assert_eq!(holds_everything(&ledger), Ok(()));
        let written = ledger.to_text();
        let document = Value::parse(&written, Limits::LEDGER).unwrap();
        let (mut text, mut places) = (String::new(), Vec::new());
        write(&document, "", "", &mut text, &mut places);
        assert!(!is_seen(&text), "the ledger must replay as it stands");
        let mut others: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for place in &places {
            if let Value::String(text) = &place.value {
                others
                    .entry(place.pattern.clone())
                    .or_default()
                    .insert(text.clone().into_owned());
            }
        }
        Self {
            graded_with: graded_with(&ledger),
            text,
            places,
            others,
        }
    }

    /// Whether a receipt was graded with the row or claim a place is in; of any
    /// other table this is not asked.
    fn is_of_the_graded(&self, place: &Place) -> bool {
        let row = place.path.split_once(']').map(|(row, _)| format!("{row}]"));
        let of_rows =
            place.pattern.starts_with("claims[]") || place.pattern.starts_with("observations[]");
        !of_rows || row.is_some_and(|row| self.graded_with.contains(&row))
    }

    /// Every pattern in some tables at which a change went unseen, and how many
    /// changes were made.
    fn unseen(&self, tables: &[&str]) -> (BTreeMap<String, String>, usize) {
        let of_tables = |place: &&Place| {
            let table = place.pattern.split(['[', '{', '.']).next().unwrap();
            tables.contains(&table) && self.is_of_the_graded(place)
        };
        let (mut unseen, mut tried) = (BTreeMap::new(), 0);
        for place in self.places.iter().filter(of_tables) {
            let changed = changes(place, &self.others).into_iter().map(|value| {
                format!(
                    "{}{value}{}",
                    &self.text[..place.from],
                    &self.text[place.to..]
                )
            });
            for changed in changed.chain([without(&self.text, place)]) {
                tried += 1;
                if !is_seen(&changed) {
                    unseen.insert(place.pattern.clone(), place.path.clone());
                }
            }
        }
        (unseen, tried)
    }
}

fn sweep(tables: &[&str]) {
    let (unseen, tried) = Sweep::new().unseen(tables);
    assert!(tried > 500, "{tried}");
    let table = |pattern: &str| pattern.split(['[', '{', '.']).next().unwrap().to_owned();
    let named: BTreeSet<&str> = UNBOUND
        .iter()
        .map(|(pattern, _)| *pattern)
        .filter(|pattern| tables.contains(&table(pattern).as_str()))
        .collect();
    let found: BTreeSet<&str> = unseen.keys().map(String::as_str).collect();
    assert_eq!(found, named, "{unseen:?}");
}

#[test]
fn claims_and_observations() {
    sweep(&["claims", "observations"]);
}

#[test]
fn stored_inputs_and_policies() {
    sweep(&["receiptInputs", "policies"]);
}

#[test]
fn coverage_of_batches() {
    sweep(&["batchCoverages"]);
}

#[test]
fn receipts() {
    sweep(&["receipts"]);
}

/// What replay says it does not prove it does not: no change of the current
/// state that still loads is reported.
#[test]
fn tables_of_current_state_decide_nothing() {
    let sweep = Sweep::new();
    let mut loaded: BTreeSet<&str> = BTreeSet::new();
    for place in &sweep.places {
        let Some(table) = CURRENT
            .iter()
            .find(|table| place.pattern.starts_with(**table))
        else {
            continue;
        };
        for value in changes(place, &sweep.others) {
            let text = format!(
                "{}{value}{}",
                &sweep.text[..place.from],
                &sweep.text[place.to..]
            );
            if let Ok(ledger) = Ledger::read(&text) {
                let report = Replayer::new(ledger.snapshot()).report();
                assert_eq!(report.mismatches, [], "{}", place.path);
                loaded.insert(table);
            }
        }
    }
    assert_eq!(loaded, CURRENT.iter().copied().collect());
}

/// A row or claim no receipt was graded with may be anything: the ledger holds
/// some, and each goes unseen.
#[test]
fn rows_no_receipt_saw_are_unbound() {
    let sweep = Sweep::new();
    let mut unseen = 0;
    for place in &sweep.places {
        let is_subject = place.pattern == "observations[].observedAt";
        if is_subject && !sweep.is_of_the_graded(place) {
            for value in changes(place, &sweep.others) {
                let text = format!(
                    "{}{value}{}",
                    &sweep.text[..place.from],
                    &sweep.text[place.to..]
                );
                unseen += usize::from(!is_seen(&text));
            }
        }
    }
    assert!(unseen > 0);
}
