//! `grade LEDGER [--at TIME|now] [--policy FILE] [--write] [--json]`.

use attest_grading::decide::{Graded, Ratio, grade_batch};
use attest_grading::ledger::batch_input::NextBatch;
use attest_grading::ledger::rules::BatchOutcome;
use attest_grading::ledger::{Event, transition};
use attest_grading::model::{IsoTs, Receipt, ReceiptState};
use attest_grading::policy::{DEFAULT_POLICY, load_policy};

use crate::desk::Job;
use crate::inspector::text::counted;
use crate::store::{Opened, Session};

use super::arguments::Grade;
use super::json::{count, entity, line, list, object, or_null, ratio, text};
use super::{Outcome, complain, job, print, shown};

/// Grades what a ledger's next batch would, and stores it where asked.
pub(super) fn run(arguments: &Grade) -> Outcome {
    let job = job(
        &arguments.ledger,
        arguments.at.as_deref(),
        arguments.policy.as_deref(),
    )?;
    if arguments.write {
        write(arguments, &job)
    } else {
        look(arguments, &job)
    }
}

/// Prints the receipts the batch would make or replace.
fn look(arguments: &Grade, job: &Job) -> Outcome {
    let opened = job.open()?;
    let ready = job.prepare(&opened)?;
    for warning in ready.next.warnings() {
        complain(&format!("{}: {warning}", job.name()));
    }
    let input = ready.next.input(&ready.policy);
    let at = input.coverage.evaluated_at;
    let graded = grade_batch(input).map_err(|error| {
        let (kind, code) = error.code();
        format!("{}: {error} ({kind} {code})", job.name())
    })?;
    let graded = taken(&opened, graded);
    if arguments.json {
        return print(&line(&object([
            ("evaluatedAt", text(at)),
            ("policyHash", text(ready.policy.hash())),
            ("receipts", list(graded.iter().map(receipt_json))),
            ("warnings", list(ready.next.warnings().iter().map(text))),
        ])));
    }
    let mut out = format!("{} at {at}\n", counted(graded.len(), "receipt", "receipts"));
    for one in &graded {
        out.push_str(&row(one));
    }
    print(&out)
}

/// Runs the batch in the ledger and saves it.
fn write(arguments: &Grade, job: &Job) -> Outcome {
    let name = shown(&arguments.ledger);
    let mut session = Session::open(&arguments.ledger).map_err(|error| error.to_string())?;
    let at = job.at.or_else(|| session.ledger().default_instant());
    let at =
        at.ok_or_else(|| format!("{name}: holds no instant to grade at; give one with --at"))?;
    let policy = match &job.policy {
        Some(policy) => policy.clone(),
        None => load_policy(DEFAULT_POLICY).map_err(|error| error.to_string())?,
    };
    // A list over the limit is graded without its oldest, never silently (§3).
    let cuts = NextBatch::new(session.ledger(), at).map(|next| next.cuts().to_vec());
    let outcome = session
        .batch(at, &policy)
        .map_err(|error| format!("{name}: {error}"))?;
    if let BatchOutcome::Graded(_) = outcome {
        for cut in cuts.unwrap_or_default() {
            complain(&format!("{name}: {cut}"));
        }
    }
    session.save().map_err(|error| error.to_string())?;
    let said = match outcome {
        BatchOutcome::Skipped => None,
        BatchOutcome::Graded(stored) => Some(stored),
    };
    if arguments.json {
        return print(&line(&object([
            ("evaluatedAt", text(at)),
            ("policyHash", text(policy.hash())),
            (
                "stored",
                or_null(said, |stored| {
                    object([
                        ("added", count(stored.added)),
                        ("deleted", count(stored.deleted)),
                        ("regraded", count(stored.regraded)),
                        ("superseded", count(stored.superseded)),
                    ])
                }),
            ),
        ])));
    }
    print(&match said {
        None => format!("nothing was open and nothing new at {at}; the batch is recorded\n"),
        Some(stored) => format!(
            "stored at {at}: {} added, {} graded anew, {} deleted, {} superseded\n",
            counted(stored.added, "receipt", "receipts"),
            stored.regraded,
            stored.deleted,
            stored.superseded
        ),
    })
}

/// What of a batch a ledger would take: a FINAL or overridden receipt stands as
/// it is stored (§3).
pub(super) fn taken(opened: &Opened, graded: Vec<Graded>) -> Vec<Graded> {
    let stored: std::collections::BTreeMap<_, &Receipt> = opened
        .receipts()
        .iter()
        .map(|receipt| (receipt.id, receipt))
        .collect();
    graded
        .into_iter()
        .filter(|one| {
            stored.get(&one.receipt.id).is_none_or(|held| {
                let regrade = Event::Regrade(Box::new(one.receipt.clone()));
                transition(held, regrade).is_ok()
            })
        })
        .collect()
}

/// A receipt with its exact scores, as `grade --json` and `golden run --json`
/// give them.
fn receipt_json(one: &Graded) -> super::json::Json {
    let attribution = one.context.attribution.as_ref();
    let attributed = attribution.filter(|_| one.receipt.attribution_likely);
    object([
        (
            "attributionScore",
            or_null(attributed, |found| {
                ratio(Ratio::from_basis_points(found.score))
            }),
        ),
        ("raisedScore", or_null(one.score, ratio)),
        ("receipt", entity(&one.receipt)),
        ("score", or_null(one.floor, ratio)),
    ])
}

fn row(one: &Graded) -> String {
    let receipt = &one.receipt;
    let score = one.score.map_or_else(
        || "-".to_owned(),
        |score| format!("{score} = {}", score.display()),
    );
    let from = |at: &IsoTs| format!("  final from {at}");
    let waits = receipt.final_from.as_ref().map(from).unwrap_or_default();
    format!(
        "{}  {:<12}  {:<7}  {:<18}  {score}{waits}\n",
        receipt.id,
        verdict(receipt),
        receipt.agent,
        receipt.rule_id
    )
}

/// A receipt's verdict in a word: a pending one is checking, never its
/// placeholder grade, and one that only keeps reverted overrides is kept (§2,
/// §7).
pub(super) fn verdict(receipt: &Receipt) -> &'static str {
    match (receipt.counted_grade(), receipt.state) {
        (Some(grade), _) => grade.as_str(),
        (None, ReceiptState::Pending) if receipt.is_kept() => "kept",
        (None, _) => "checking",
    }
}
