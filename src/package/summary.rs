//! What a person reads about a package: the outcome of a verification, and what
//! is inside. Every text of a file is escaped.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use attest_canon::json::{Limits, Value};
use attest_grading::text::escaped;
use attest_package::document::{FactReason, Report};
use attest_package::grammar::{Id, Surface};
use attest_package::{Dialect, Outcome, PackageView};

use super::compare::Compared;
use super::export::{Exported, Names};
use super::open::OtherContext;
use super::profile::RECEIPTS;

/// Most lines of one list; the rest is counted.
const LISTED: usize = 20;

/// A path as a person reads it.
fn shown(path: &Path) -> String {
    escaped(&path.to_string_lossy()).into_owned()
}

// Writing to a `String` never fails, so what `writeln!` returns is dropped.

/// Adds a label and its text.
fn row(out: &mut String, label: &str, text: &str) {
    let _ = writeln!(out, "  {label:<12} {text}");
}

/// Adds lines, at most [`LISTED`] of them.
fn listed<T: ToString>(out: &mut String, lines: &[T]) {
    for line in lines.iter().take(LISTED) {
        let _ = writeln!(out, "    {}", line.to_string());
    }
    let more = lines.len().saturating_sub(LISTED);
    if more > 0 {
        let _ = writeln!(out, "    and {more} more");
    }
}

/// The outcome of a verification.
#[must_use]
pub fn verified(path: &Path, report: &Report, context: Option<&Path>, dialect: Dialect) -> String {
    let mut out = format!("{}: {}", shown(path), report.outcome().token());
    if let Some(reason) = report.reason {
        let _ = write!(out, ": {reason}");
    }
    out.push('\n');
    if let Some(facts) = &report.established {
        row(&mut out, "archive", &facts.artifact_sha256.to_string());
        row(&mut out, "inventory", &facts.inventory_sha256.to_string());
        row(&mut out, "assessment", &facts.assessment_sha256.to_string());
        let digest = facts.context.digest();
        row(&mut out, "context", &format!("{digest} {}", named(context)));
        let counts = facts.counts;
        row(
            &mut out,
            "counts",
            &format!(
                "inputs {}, objects {}, units {}: examined {}, withheld {}",
                counts.inputs, counts.objects, counts.units, counts.examined, counts.withheld
            ),
        );
        row(&mut out, "expectations", report.expectation.token());
    }
    for check in &report.attestations {
        let text = format!("{}: {}", check.input_id, check.status.token());
        row(&mut out, "attestation", &text);
    }
    if dialect == Dialect::Assay621 {
        row(
            &mut out,
            "dialect",
            "assay-6.21, which admits besides the contract two kernel formats, inputs in any \
             order, a prefix of events_sha256, and nullable members left out",
        );
    }
    if report.outcome() == Outcome::Verified {
        row(
            &mut out,
            "not claimed",
            "that activity is complete, what a provider did, that anything is to be trusted",
        );
    }
    out
}

/// Which context was used.
fn named(context: Option<&Path>) -> String {
    context.map_or_else(|| "the contract's Example A1".to_owned(), shown)
}

/// What a package that ended `stale_assessment` names instead.
#[must_use]
pub fn other_context(other: &OtherContext, context: Option<&Path>) -> String {
    let mut out = String::new();
    let text = format!("it names another: {}", other.named);
    row(&mut out, "context", &text);
    row(&mut out, "", &format!("not {}", named(context)));
    match &other.beside {
        Some((path, true)) => {
            let text = format!(
                "{} beside it is the one; give it with --context",
                shown(path)
            );
            row(&mut out, "", &text);
        }
        Some((path, false)) => {
            let text = format!("{} lies beside it, but is another", shown(path));
            row(&mut out, "", &text);
        }
        None => {}
    }
    out
}

/// That a refused package is as the only producer in the field writes them.
#[must_use]
pub fn dialect_alone() -> String {
    let mut out = String::new();
    let text = "assay-6.21 alone is the cause: it verifies with --dialect assay-6.21";
    row(&mut out, "dialect", text);
    out
}

/// What holding it against a ledger came to.
#[must_use]
pub fn compared(ledger: &Path, compared: &Compared) -> String {
    let mut out = String::new();
    let name = shown(ledger);
    if compared.differences.is_empty() {
        let text = format!(
            "{name}: its bytes, the facts, {} receipts and what the inventory states are the \
             same; {} of {} derived again",
            compared.receipts,
            compared.replayed.reproduced(),
            compared.replayed.replayed
        );
        row(&mut out, "ledger", &text);
    } else {
        row(&mut out, "ledger", &format!("{name}: does not match"));
        listed(&mut out, &compared.differences);
    }
    out
}

/// What holding it against a kept report came to.
#[must_use]
pub fn against(report: &Path, differing: &[&str]) -> String {
    let mut out = String::new();
    let name = shown(report);
    let text = if differing.is_empty() {
        format!("{name}: the three digests are the same")
    } else {
        format!("{name}: does not match: {}", differing.join(", "))
    };
    row(&mut out, "report", &text);
    out
}

/// What was exported.
#[must_use]
pub fn exported(names: &Names, exported: &Exported, selection: &str) -> String {
    let mut out = built(names, &exported.built.report);
    row(&mut out, "selection", &escaped(selection));
    let text = format!("{} of {}", exported.receipts, exported.of);
    row(&mut out, "receipts", &text);
    if exported.mismatched > 0 {
        let text = format!(
            "{} of them are not derived again, and chain_gaps says so",
            exported.mismatched
        );
        row(&mut out, "", &text);
    }
    row(
        &mut out,
        "withheld",
        "claims, grants, observations, the reasons of overrides",
    );
    row(
        &mut out,
        "",
        "ids and hashes let someone who guesses a mail's exact facts confirm the guess",
    );
    out
}

/// What was built.
#[must_use]
pub fn built(names: &Names, report: &Report) -> String {
    let mut out = format!("{}: {}\n", shown(&names.archive), report.outcome().token());
    if let Some(facts) = &report.established {
        row(&mut out, "archive", &facts.artifact_sha256.to_string());
        let digest = facts.context.digest();
        let text = format!("{digest} {}", shown(&names.context));
        row(&mut out, "context", &text);
        row(&mut out, "report", &shown(&names.report));
        let counts = facts.counts;
        let text = format!(
            "inputs {}, objects {}, units {}",
            counts.inputs, counts.objects, counts.units
        );
        row(&mut out, "counts", &text);
    }
    out
}

/// What is inside a verified package.
#[must_use]
pub fn inside(path: &Path, view: &PackageView) -> String {
    let mut out = format!("{}: {}\n", shown(path), view.report.outcome().token());
    out.push_str(&beside_receipts(view));
    receipts(&mut out, view);
    out
}

/// What is inside a verified package beside its receipts.
#[must_use]
pub fn beside_receipts(view: &PackageView) -> String {
    let mut out = String::new();
    inputs(&mut out, view);
    units(&mut out, view);
    surfaces(&mut out, view);
    context(&mut out, view);
    out
}

fn inputs(out: &mut String, view: &PackageView) {
    let inputs = &view.inventory.inputs;
    let _ = writeln!(out, "\nInputs {}", inputs.len());
    let width = inputs.iter().map(|input| input.id.as_str().len()).max();
    let width = width.unwrap_or_default();
    for input in inputs {
        let surfaces: Vec<&str> = input.surfaces.iter().map(Surface::name).collect();
        let (id, token, bytes) = (input.id.as_str(), escaped(&input.token), input.bytes);
        let _ = write!(out, "  {id:<width$}  {token}  {bytes} bytes");
        if !surfaces.is_empty() {
            let _ = write!(out, "  {}", surfaces.join(", "));
        }
        if let Some(binding) = &input.binding {
            let (bundle, key) = (&binding.bundle_input, &binding.key_input);
            let _ = write!(out, "  bound to {bundle} and {key}");
        }
        let _ = writeln!(out, "\n  {:<width$}  {}", "", input.sha256);
    }
}

fn units(out: &mut String, view: &PackageView) {
    let units = &view.assessment.units;
    let _ = writeln!(out, "\nUnits {}", units.len());
    let mut counts: BTreeMap<(&Id, Surface, &str), usize> = BTreeMap::new();
    for unit in units {
        let key = (
            &unit.source.input_id,
            unit.surface,
            unit.disposition.token(),
        );
        let count = counts.entry(key).or_default();
        *count = count.saturating_add(1);
    }
    for ((input, surface, disposition), count) in counts {
        let _ = writeln!(out, "  {input}  {}  {count} {disposition}", surface.name());
    }
    for join in &view.assessment.joins {
        let (id, result) = (&join.id, join.result.token());
        let grade = join.contract.join_grade.token();
        let _ = writeln!(out, "  join {id}: {result}, {grade}");
    }
    for claim in &view.assessment.claims {
        let (id, kind, surface) = (&claim.id, claim.kind.token(), claim.surface.name());
        let decision = claim.decision.token();
        let _ = writeln!(out, "  claim {id}: {kind} on {surface}: {decision}");
    }
}

fn surfaces(out: &mut String, view: &PackageView) {
    out.push_str("\nSurfaces\n");
    for surface in &view.assessment.surfaces {
        let sources: Vec<&str> = surface.source_inputs.iter().map(Id::as_str).collect();
        let sources = match sources.is_empty() {
            true => "no source".to_owned(),
            false => sources.join(", "),
        };
        let (name, seen) = (surface.name.name(), surface.observation.token());
        let _ = writeln!(out, "  {name:<15}  {seen:<8}  {sources}");
        if let Some(window) = &surface.window {
            let (start, end) = (window.start.as_str(), window.end.as_str());
            let clock = escaped(&window.clock_basis);
            let _ = writeln!(out, "  {:<15}  {start} to {end}, {clock}", "");
        }
    }
}

fn context(out: &mut String, view: &PackageView) {
    out.push_str("\nContext\n");
    let mut silent = Vec::new();
    for (kind, fact) in view.inventory.context.iter() {
        match (&fact.value, fact.reason) {
            (Some(value), _) => {
                let _ = writeln!(out, "  {:<23}  {}", kind.token(), escaped(value));
            }
            (None, FactReason::NotApplicable) => {
                let _ = writeln!(out, "  {:<23}  not_applicable", kind.token());
            }
            (None, _) => silent.push(kind.token()),
        }
    }
    if !silent.is_empty() {
        let _ = writeln!(out, "  not_available: {}", silent.join(", "));
    }
}

/// A receipt as a package carries it.
#[must_use]
pub fn receipts_of(view: &PackageView) -> Vec<Value<'_>> {
    let entries = receipt_entries(view);
    entries
        .filter_map(|entry| Value::parse(entry, Limits::LEDGER).ok())
        .collect()
}

/// The texts of the entries that hold receipts, by the profile.
pub fn receipt_entries(view: &PackageView) -> impl Iterator<Item = &str> {
    let documents = view.documents.iter();
    documents
        .filter(|(id, _)| id.as_str().starts_with(RECEIPTS))
        .flat_map(|(_, document)| &document.entries)
        .map(|entry| entry.value.as_ref())
}

fn receipts(out: &mut String, view: &PackageView) {
    let receipts = receipts_of(view);
    if receipts.is_empty() {
        return;
    }
    let _ = writeln!(out, "\nReceipts {}", receipts.len());
    for receipt in &receipts {
        let text = |key| receipt.get(key).and_then(Value::as_str).unwrap_or("?");
        let said = receipt
            .get("override")
            .and_then(|said| said.get("grade"))
            .and_then(Value::as_str);
        let verdict = match (text("state"), said) {
            (_, Some(grade)) => format!("{grade}, overridden"),
            ("PENDING", None) => "checking".to_owned(),
            _ => text("grade").to_owned(),
        };
        let _ = writeln!(
            out,
            "  {}  {}  {}  rule {}  {}",
            escaped(text("id")),
            escaped(&verdict),
            escaped(text("agent")),
            escaped(text("ruleId")),
            escaped(text("computedAt"))
        );
    }
}
