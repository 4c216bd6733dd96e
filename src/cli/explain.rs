//! `explain LEDGER RECEIPT [--at TIME|now] [--policy FILE] [--json|--markdown]`.

use attest_canon::Id;
use attest_grading::decide::{Batch, GradingError};
use attest_grading::replay::Replayer;

use crate::config;
use crate::desk::{Job, fresh_trace, why_not};
use crate::inspector::glyphs::UNICODE;
use crate::inspector::plain;
use crate::inspector::work::Explained;
use crate::store::{Opened, Source};

use super::arguments::Explain;
use super::json::{entity, line, object, text};
use super::{Outcome, job, print, receipt_ids, trace_json};

/// Cells a line may take.
const WIDTH: usize = 100;

/// Explains the stored receipt; where there is none, or another instant or
/// policy is asked for, the one a batch would make.
pub(super) fn run(arguments: &Explain) -> Outcome {
    let job = job(
        &arguments.ledger,
        arguments.at.as_deref(),
        arguments.policy.as_deref(),
    )?;
    let opened = job.open()?;
    let ids = ids(&opened, &arguments.receipt);
    let asked_anew = job.at.is_some() || job.policy.is_some();
    let mut held = opened.receipts().iter();
    let held = held.find(|receipt| ids.contains(&receipt.id));
    let explained = match (held, &opened.source) {
        (Some(receipt), Source::Ledger(ledger)) if !asked_anew => {
            let replayer = Replayer::new(ledger.snapshot());
            Explained {
                receipt: receipt.clone(),
                trace: replayer.trace(receipt).map_err(|why| why_not(&why)),
                is_stored: true,
            }
        }
        _ => fresh(&job, &opened, &ids)?,
    };
    print(&if arguments.json {
        json(&explained)
    } else if arguments.markdown {
        markdown(&explained)
    } else {
        plain_text(&explained)
    })
}

/// The receipts a name can mean: a scenario's short name, or an id.
fn ids(opened: &Opened, name: &str) -> Vec<Id> {
    let id = opened.named_row(name).or_else(|| Id::parse(name));
    id.map(receipt_ids).into_iter().flatten().collect()
}

fn fresh(job: &Job, opened: &Opened, wanted: &[Id]) -> Result<Explained, String> {
    let ready = job.prepare(opened)?;
    let refuse = |error: GradingError| {
        let (kind, code) = error.code();
        format!("{}: {error} ({kind} {code})", job.name())
    };
    let batch = Batch::new(ready.next.input(&ready.policy)).map_err(refuse)?;
    let graded = batch.grade().map_err(refuse)?;
    let found = graded.iter().find(|one| wanted.contains(&one.receipt.id));
    let found = found.ok_or_else(|| {
        let name = job.name();
        format!("{name}: no such receipt is stored, and the next batch makes none")
    })?;
    Ok(Explained {
        receipt: found.receipt.clone(),
        trace: fresh_trace(&batch, found),
        is_stored: false,
    })
}

/// Every tab of the inspector's detail, by its own writers.
fn tabs(explained: &Explained) -> Vec<(&'static str, Vec<String>)> {
    // Drawn with this theme, a page holds no colour at all; it is built in.
    config::built_in("monochrome")
        .map(|theme| plain::tabs(explained, &theme, &UNICODE, WIDTH))
        .unwrap_or_default()
}

/// Plain text, a heading a tab.
fn plain_text(explained: &Explained) -> String {
    let mut out = format!("receipt {}\n", explained.receipt.id);
    for (name, lines) in tabs(explained) {
        let rule = "─".repeat(name.chars().count());
        out.push_str(&format!("\n{name}\n{rule}\n{}\n", lines.join("\n")));
    }
    out
}

/// Markdown, a section a tab.
fn markdown(explained: &Explained) -> String {
    let mut out = format!("# Receipt {}\n", explained.receipt.id);
    for (name, lines) in tabs(explained) {
        out.push_str(&format!("\n## {name}\n\n{}", fenced(&lines.join("\n"))));
    }
    out
}

/// A block of text in a fence longer than any run of backticks in it, so that
/// no text of a file can end it.
fn fenced(body: &str) -> String {
    let runs = body.split(|c| c != '`').map(str::len);
    let longest = runs.max().unwrap_or(0);
    let fence = "`".repeat(longest.saturating_add(1).max(3));
    format!("{fence}text\n{body}\n{fence}\n")
}

/// The whole trace; of a receipt that cannot be derived again `{"receipt",
/// "why"}`.
fn json(explained: &Explained) -> String {
    line(&match &explained.trace {
        Ok(trace) => trace_json::explained(&explained.receipt, trace),
        Err(why) => object([("receipt", entity(&explained.receipt)), ("why", text(why))]),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_ends_its_fence() {
        for (body, fence) in [
            ("plain", "```"),
            ("``", "```"),
            ("a\n```\n# mine", "````"),
            ("`````` x ```", "```````"),
        ] {
            let text = fenced(body);
            assert_eq!(text, format!("{fence}text\n{body}\n{fence}\n"));
        }
    }
}
