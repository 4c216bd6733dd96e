//! `explain LEDGER RECEIPT [--json|--markdown]`: one receipt's trace, by the
//! writers the inspector's tabs use.

use attest_canon::Id;
use attest_canon::jcs::Writer;
use attest_grading::decide::trace::{RuleStatus, Trace, TraceSubject};
use attest_grading::decide::{Batch, Graded, Ratio};
use attest_grading::model::hashes::{claim_receipt_id, unasked_receipt_id};
use attest_grading::model::{Canonical, Receipt};
use attest_grading::replay::Replayer;

use crate::config;
use crate::desk::{Job, fresh_trace, why_not};
use crate::inspector::glyphs::UNICODE;
use crate::inspector::plain;
use crate::inspector::work::Explained;
use crate::store::{Opened, Source};

use super::{Outcome, print};

/// How to print.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    /// For a person.
    Text,
    /// For a report.
    Markdown,
    /// For a program.
    Json,
}

/// Cells a line may take.
const WIDTH: usize = 100;

/// Explains a receipt: the stored one, else the one a batch would make now.
pub(super) fn run(job: &Job, name: &str, form: Form) -> Outcome {
    let opened = job.open()?;
    let wanted = ids(&opened, name);
    let stored = opened
        .receipts()
        .iter()
        .find(|receipt| wanted.contains(&receipt.id));
    let explained = match (stored, &opened.source) {
        (Some(receipt), Source::Ledger(ledger)) => {
            let replayer = Replayer::new(ledger.snapshot());
            Explained {
                receipt: receipt.clone(),
                trace: replayer.trace(receipt).map_err(|why| why_not(&why)),
            }
        }
        _ => fresh(job, &opened, &wanted)?,
    };
    match form {
        Form::Json => print(&json(&explained)),
        Form::Text | Form::Markdown => print(&pages(&explained, form)),
    }
    Ok(0)
}

/// The receipt ids a name can mean: itself, its claim's, its observation's.
fn ids(opened: &Opened, name: &str) -> Vec<Id> {
    let row = opened.named_row(name).or_else(|| Id::parse(name));
    row.into_iter()
        .flat_map(|id| [id, claim_receipt_id(id), unasked_receipt_id(id)])
        .collect()
}

fn fresh(job: &Job, opened: &Opened, wanted: &[Id]) -> Result<Explained, String> {
    let ready = job.prepare(opened)?;
    let refuse = |error: attest_grading::decide::GradingError| format!("{}: {error}", job.name());
    let batch = Batch::new(ready.next.input(&ready.policy)).map_err(refuse)?;
    let graded = batch.grade().map_err(refuse)?;
    let found: Option<&Graded> = graded.iter().find(|one| wanted.contains(&one.receipt.id));
    let found = found.ok_or_else(|| format!("{}: no such receipt", job.name()))?;
    Ok(Explained {
        receipt: found.receipt.clone(),
        trace: fresh_trace(&batch, found),
    })
}

fn pages(explained: &Explained, form: Form) -> String {
    let Some(theme) = config::built_in("monochrome") else {
        return String::new();
    };
    let mut text = String::new();
    let title = format!("receipt {}", explained.receipt.id);
    match form {
        Form::Markdown => text.push_str(&format!("# {title}\n")),
        _ => text.push_str(&format!("{title}\n")),
    }
    for (name, lines) in plain::tabs(explained, &theme, &UNICODE, WIDTH) {
        let body = lines.join("\n");
        match form {
            Form::Markdown => text.push_str(&format!(
                "\n## {name}\n\n```text\n{}\n```\n",
                body.replace("```", "'''")
            )),
            _ => text.push_str(&format!(
                "\n{name}\n{}\n{body}\n",
                "─".repeat(name.chars().count())
            )),
        }
    }
    text
}

/// `{"attributionScore","candidates":[{"observationId","score"}],"floor","receipt","rules":[{"conditions":[{"condition","holds","wanted"}],"id","status","then"}],"score"}`;
/// a figure that is not there is null, and a receipt that cannot be derived
/// again is `{"receipt","why"}`.
fn json(explained: &Explained) -> String {
    let mut out = Writer::new();
    out.begin_object();
    match &explained.trace {
        Ok(trace) => write_trace(&mut out, trace, &explained.receipt),
        Err(why) => {
            out.key("receipt");
            explained.receipt.write(&mut out);
            out.key("why");
            out.string(why);
        }
    }
    out.end_object();
    format!("{}\n", out.text())
}

fn write_trace(out: &mut Writer, trace: &Trace, receipt: &Receipt) {
    let claim = match &trace.subject {
        TraceSubject::Claim(claim) => Some(claim),
        _ => None,
    };
    let best = claim.and_then(|claim| claim.candidates.get(claim.best?));
    let ratio = |out: &mut Writer, value: Option<Ratio>| match value {
        Some(value) => out.string(&value.to_string()),
        None => out.canonical("null"),
    };
    out.key("attributionScore");
    ratio(
        out,
        trace
            .context
            .attribution
            .as_ref()
            .map(|found| Ratio::from_basis_points(found.score)),
    );
    out.key("candidates");
    out.begin_array();
    for one in claim.into_iter().flat_map(|claim| &claim.candidates) {
        out.element();
        out.begin_object();
        out.key("observationId");
        out.token(&one.observation.id);
        out.key("score");
        ratio(out, one.score.map(|pair| pair.score));
        out.end_object();
    }
    out.end_array();
    out.key("floor");
    ratio(out, best.and_then(|best| best.score).map(|pair| pair.score));
    out.key("receipt");
    receipt.write(out);
    out.key("rules");
    out.begin_array();
    for rule in &trace.rules {
        out.element();
        out.begin_object();
        out.key("conditions");
        out.begin_array();
        for one in &rule.conditions {
            out.element();
            out.begin_object();
            out.key("condition");
            out.string(one.condition.key());
            out.key("holds");
            match one.holds {
                Some(holds) => out.boolean(holds),
                None => out.canonical("null"),
            }
            out.key("wanted");
            out.string(one.condition.wanted());
            out.end_object();
        }
        out.end_array();
        out.key("id");
        out.string(&rule.id);
        out.key("status");
        out.string(match rule.status {
            RuleStatus::Matched => "matched",
            RuleStatus::Failed(_) => "failed",
            RuleStatus::NotApplicable(_) => "notApplicable",
            RuleStatus::NotReached { .. } => "notReached",
        });
        out.key("then");
        out.string(rule.then.as_str());
        out.end_object();
    }
    out.end_array();
    out.key("score");
    ratio(
        out,
        claim.and_then(|claim| claim.raise).map(|raise| raise.score),
    );
}
