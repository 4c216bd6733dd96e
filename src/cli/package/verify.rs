//! `package verify`.

use std::path::Path;

use attest_package::document::{ContextInput, Report};
use attest_package::{Dialect, Outcome, PackageView, Reason};

use crate::package::compare::Compared;
use crate::package::open::{self, Unread};
use crate::package::{Against, Digests, compare, source, summary};

use super::arguments::Verify;
use super::{Diagnostics, Loaded, Refusal, code, put, shown};

/// The largest report kept: what a fresh one may take (contract §8).
const REPORT_BYTES: u64 = 16 << 20;

/// Verifies a package, and holds it against what is given.
pub(super) fn run(arguments: &Verify, bound: &mut Diagnostics) -> Result<u8, Refusal> {
    let dialect = arguments.dialect.dialect();
    let seen = look(arguments, dialect);
    if let Some(context) = &seen.context {
        bound.under(context);
    }
    let mut text = String::new();
    let mut lines = String::new();
    let mut worst = code(seen.report.outcome());
    if let (Some(error), Some(reason)) = (&seen.unread, seen.report.reason) {
        lines = format!("{reason}: {error}\n");
    }
    let context = arguments.context.as_deref();
    let verified = summary::verified(&arguments.package, &seen.report, context, dialect);
    text.push_str(&verified);
    if let (Some(reason), Some(under), false) = (seen.report.reason, &seen.context, arguments.json)
    {
        text.push_str(&advice(arguments, reason, under));
    }
    let mut found = |code: u8, said: &str| {
        worst = worst.max(code);
        text.push_str(said);
        if code > 0 {
            // With --json standard output is the report's alone.
            lines.push_str(said);
        }
    };
    if seen.report.outcome() == Outcome::Verified {
        if let (Some(path), Some(view)) = (&arguments.ledger, &seen.view) {
            match hold(path, view) {
                Ok(compared) => {
                    let differs = u8::from(!compared.differences.is_empty());
                    found(differs, &summary::compared(path, &compared));
                }
                Err(refusal) => found(2, &format!("{}\n", refusal.lines)),
            }
        }
        if let Some(path) = &arguments.against {
            match against(path, &seen.report) {
                Ok(differing) => {
                    let differs = u8::from(!differing.is_empty());
                    found(differs, &summary::against(path, &differing));
                }
                Err(refusal) => found(2, &format!("{}\n", refusal.lines)),
            }
        }
    }
    let out = if arguments.json {
        seen.report.to_bytes()
    } else {
        text.into_bytes()
    };
    put(&out)?;
    if arguments.json || worst == 2 {
        let trimmed: Vec<&str> = lines.lines().map(str::trim_start).collect();
        bound.say(&trimmed.join("\n"));
    }
    Ok(worst)
}

/// What a person could do about a refusal: another context, or the dialect.
fn advice(arguments: &Verify, reason: Reason, under: &ContextInput) -> String {
    let (path, dialect) = (&arguments.package, arguments.dialect.dialect());
    if reason == Reason::StaleAssessment {
        let other = open::other_context(path, under, dialect);
        return other.map_or_else(String::new, |other| {
            summary::other_context(&other, arguments.context.as_deref())
        });
    }
    let could = dialect == Dialect::Contract && reason.outcome() == Outcome::Refused;
    if could && open::is_dialects(path, under) {
        summary::dialect_alone()
    } else {
        String::new()
    }
}

/// What a verification showed.
struct Seen {
    report: Report,
    view: Option<PackageView>,
    context: Option<ContextInput>,
    /// The file that could not be read.
    unread: Option<String>,
}

impl Seen {
    fn unread(unread: Unread, context: Option<ContextInput>) -> Self {
        Self {
            report: Report::refused(unread.reason, None),
            view: None,
            context,
            unread: unread.file.map(|error| error.to_string()),
        }
    }
}

/// Verifies; opens the package only where it is held against a ledger.
fn look(arguments: &Verify, dialect: Dialect) -> Seen {
    // Phase 1 before the package is touched (§10).
    let context = match open::context(arguments.context.as_deref()) {
        Ok(context) => context,
        Err(unread) => return Seen::unread(unread, None),
    };
    let path = &arguments.package;
    let seen = if arguments.ledger.is_some() {
        open::view(path, &context, dialect).map(|view| match view {
            Ok(view) => (view.report.clone(), Some(view)),
            Err(report) => (*report, None),
        })
    } else {
        open::verify(path, &context, dialect).map(|report| (report, None))
    };
    match seen {
        Ok((report, view)) => Seen {
            report,
            view,
            context: Some(context),
            unread: None,
        },
        Err(unread) => Seen::unread(unread, Some(context)),
    }
}

/// Holds the package against a ledger.
fn hold(path: &Path, view: &PackageView) -> Result<Compared, Refusal> {
    let loaded = Loaded::read(path)?;
    Ok(compare(view, loaded.file()))
}

/// Holds the report against a kept one.
fn against(path: &Path, report: &Report) -> Result<Vec<&'static str>, Refusal> {
    let bytes = source::read(path, REPORT_BYTES).map_err(Refusal::bad)?;
    let kept =
        Against::read(&bytes).map_err(|error| Refusal::bad(format!("{}: {error}", shown(path))))?;
    Ok(kept.differing(Digests::of(report)))
}
