//! An evidence package on the inspector's work thread: verified, then its
//! receipts and facts, read-only. A package carries receipts and not what they
//! were graded from, so nothing here is derived again.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use attest_canon::{Digest, Id};
use attest_grading::model::Receipt;
use attest_package::Dialect;
use attest_package::PackageView;
use attest_package::document::ContextInput;

use super::rows::alone;
use super::serve::FAULT;
use crate::inspector::screens::review::{self, Case};
use crate::inspector::screens::{Answer, Query};
use crate::inspector::work::{
    Cancelled, Desk, Done, Explained, Inbox, Opened, Progress, Request, Told,
};
use crate::package::{open, receipt, source, summary};

/// Why nothing of a package can be changed.
const READ_ONLY: &str = "a package is evidence and never changed";
/// Why no screen beside the receipts has anything to show.
const RECEIPTS_ALONE: &str =
    "a package carries receipts, not what they were graded from: only its ledger shows this";
/// Why a receipt has no trace.
const NO_TRACE: &str = "A package carries receipts, not what they were graded from. With the \
    ledger it was made of, `attest-tui package verify --ledger` derives each of them again.";

/// Where a tar archive says that it is one, and what it says.
const MAGIC: (usize, &[u8]) = (257, b"ustar");

/// How often reading says how far it is, in bytes.
const MEGABYTE: u64 = 1 << 20;

/// Whether a file is an archive, by its first block: packages are told from
/// ledgers by what they hold, not by their names.
#[must_use]
pub fn is_archive(path: &Path) -> bool {
    use std::io::Read as _;
    let mut block = Vec::new();
    let (at, magic) = MAGIC;
    // What cannot be read is said where it is opened.
    let read = source::open(path).map(|file| file.take(512).read_to_end(&mut block));
    read.is_ok() && block.get(at..at.saturating_add(magic.len())) == Some(magic)
}

/// The desk of one package.
pub struct PackageDesk {
    path: PathBuf,
    context: Option<PathBuf>,
    dialect: Dialect,
}

impl PackageDesk {
    /// A desk for a package that is verified under a context file; without one,
    /// under the contract's Example A1.
    #[must_use]
    pub const fn new(path: PathBuf, context: Option<PathBuf>, dialect: Dialect) -> Self {
        Self {
            path,
            context,
            dialect,
        }
    }

    /// Verifies the package and opens it; why not, as lines.
    fn open(&self, progress: &Progress) -> Result<PackageView, String> {
        let said = |unread: open::Unread| {
            let file = unread.file.map(|file| file.to_string());
            let of = file.unwrap_or_else(|| "the context".to_owned());
            format!("{of}: {}", unread.reason)
        };
        let file = self.context.as_deref();
        let context = open::context(file).map_err(said)?;
        let mut told = None;
        let go_on = |read: u64, of: u64| {
            let whole = |bytes: u64| usize::try_from(bytes / MEGABYTE).unwrap_or(usize::MAX);
            if told != Some(whole(read)) {
                told = Some(whole(read));
                progress.report("verifying megabyte", whole(read), whole(of));
            }
            !progress.is_cancelled()
        };
        let view = open::view_watched(&self.path, &context, self.dialect, go_on).map_err(said)?;
        if progress.is_cancelled() {
            return Err(String::new());
        }
        view.map_err(|report| {
            let reason = report.reason.map(|reason| reason.token());
            let mut lines = format!(
                "{}: {}",
                report.outcome().token(),
                reason.unwrap_or_default()
            );
            if let Some(hint) = self.hint(&context) {
                lines.push_str("\n\n");
                lines.push_str(&hint);
            }
            lines
        })
    }

    /// What may help: another context, or the one dialect.
    fn hint(&self, context: &ContextInput) -> Option<String> {
        let Some(other) = open::other_context(&self.path, context, self.dialect) else {
            let alone = self.dialect == Dialect::Contract && open::is_dialects(&self.path, context);
            return alone.then(|| {
                "as the only producer in the field writes it, it verifies: open it with \
                 --dialect assay-6.21"
                    .to_owned()
            });
        };
        Some(match other.beside {
            Some((file, true)) => format!(
                "it names another context, and {} beside it is the one: give it with --context",
                attest_grading::text::escaped(&file.to_string_lossy())
            ),
            _ => format!(
                "it names another context, {}: give it with --context",
                other.named
            ),
        })
    }

    /// Shows the package until it is to be read anew; none when the program ends.
    fn show(&self, progress: &Progress, inbox: &Inbox) -> Option<Progress> {
        let opened = catch_unwind(AssertUnwindSafe(|| self.open(progress)));
        let opened = opened.unwrap_or_else(|_| Err(FAULT.to_owned()));
        if progress.is_cancelled() {
            inbox.tell(Told::Cancelled(Box::new(Cancelled::Ledger)));
            return answer(&[], inbox);
        }
        match opened {
            Ok(view) => {
                let (receipts, opened) = shown(&view, self.dialect);
                drop(view);
                inbox.tell(Told::Opened(Arc::new(opened)));
                answer(&receipts, inbox)
            }
            Err(message) => {
                inbox.tell(Told::Failed(message));
                answer(&[], inbox)
            }
        }
    }
}

/// What of a package is shown.
fn shown(view: &PackageView, dialect: Dialect) -> (Vec<Receipt>, Opened) {
    let entries: Vec<&str> = summary::receipt_entries(view).collect();
    let receipts: Vec<Receipt> = entries
        .iter()
        .filter_map(|one| receipt::read(one))
        .collect();
    let unread = entries.len().saturating_sub(receipts.len());
    let mut rules: Vec<String> = receipts
        .iter()
        .map(|receipt| receipt.rule_id.as_str().to_owned())
        .collect();
    rules.sort_unstable();
    rules.dedup();
    let warnings = match unread {
        0 => Vec::new(),
        1 => vec!["an entry that should hold a receipt holds none".to_owned()],
        many => vec![format!(
            "{many} entries that should hold receipts hold none"
        )],
    };
    let opened = Opened {
        rows: receipts.iter().map(alone).collect(),
        rules,
        warnings,
        read_only: Some(READ_ONLY.to_owned()),
        facts: Some(facts(view, dialect)),
        ..Opened::default()
    };
    (receipts, opened)
}

/// What a package holds beside its receipts, as lines.
fn facts(view: &PackageView, dialect: Dialect) -> Vec<String> {
    let mut lines = Vec::new();
    if dialect == Dialect::Assay621 {
        lines.push("Read by the dialect assay-6.21, not by the contract alone".to_owned());
    }
    if let Some(facts) = &view.report.established {
        lines.push("Verified".to_owned());
        for (label, digest) in [
            ("archive", facts.artifact_sha256),
            ("inventory", facts.inventory_sha256),
            ("assessment", facts.assessment_sha256),
            ("context", facts.context.digest()),
        ] {
            lines.push(format!("  {label}"));
            lines.push(format!("    {digest}"));
        }
    }
    let beside = summary::beside_receipts(view);
    lines.extend(beside.lines().map(|line| {
        // A digest stands in a column of its own there; here a line has less room.
        match Digest::parse(line.trim_start()) {
            Some(digest) => format!("    {digest}"),
            None => line.to_owned(),
        }
    }));
    lines
}

/// Answers about these receipts, until the package is to be read anew.
fn answer(receipts: &[Receipt], inbox: &Inbox) -> Option<Progress> {
    while let Some((request, progress)) = inbox.next() {
        match request {
            Request::Open => return Some(progress),
            Request::Explain(id) => inbox.tell(explain(receipts, id)),
            Request::Do(_) => {
                let why = format!("read only: {READ_ONLY}");
                inbox.tell(Told::Done(Box::new(Done::Refused(why))));
            }
            Request::Query(query) => {
                let answer = match &query {
                    Query::Review(review::Query::Case(id)) => Ok(case(receipts, *id)),
                    query if query.needs_ledger() => Err(RECEIPTS_ALONE.to_owned()),
                    query => catch_unwind(AssertUnwindSafe(|| query.answer(None, &progress)))
                        .unwrap_or_else(|_| Err(FAULT.to_owned())),
                };
                inbox.tell(Told::Answered(query.screen(), Box::new(answer)));
            }
        }
    }
    None
}

/// A receipt as it stands, and that nothing more is known of it.
fn explained(receipts: &[Receipt], id: Id) -> Result<Explained, String> {
    let found = receipts.iter().find(|receipt| receipt.id == id);
    let receipt = found.ok_or_else(|| "there is no such receipt".to_owned())?;
    Ok(Explained {
        receipt: receipt.clone(),
        trace: Err(NO_TRACE.to_owned()),
        is_stored: true,
    })
}

fn explain(receipts: &[Receipt], id: Id) -> Told {
    match explained(receipts, id) {
        Ok(explained) => Told::Explained(id, Box::new(explained)),
        Err(why) => Told::Failed(why),
    }
}

fn case(receipts: &[Receipt], id: Id) -> Answer {
    let case = explained(receipts, id).map(|explained| {
        Arc::new(Case {
            explained,
            unasked: None,
        })
    });
    Answer::Review(review::Answer { id, case })
}

impl Desk for PackageDesk {
    fn serve(&mut self, inbox: &Inbox) {
        let mut asked = answer(&[], inbox);
        while let Some(progress) = asked {
            asked = self.show(&progress, inbox);
        }
    }
}

#[cfg(test)]
pub(super) mod tests;
