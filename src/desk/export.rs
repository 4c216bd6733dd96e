//! A package of what stands: planned, made, verified and published.

use std::path::Path;

use attest_canon::sha256;
use attest_grading::ledger::Ledger;

use crate::inspector::text::{count, counted};
use crate::inspector::work::{Done, Offer, Progress};
use crate::package::{LedgerFile, Names, Request, Selection, Step, export_watched, plan, publish};
use crate::store::{Bound, Held};

/// The ledger as it stands, and what binds it: the bytes of its file, or those it would be saved
/// as.
fn bound(held: &Held) -> Result<(&Ledger, Bound), String> {
    let ledger = match held.view() {
        crate::store::View::Ledger(ledger) => ledger,
        crate::store::View::Scenario(_) => {
            return Err("a scenario stores no receipts to export".to_owned());
        }
    };
    let bound = held.bound().unwrap_or_else(|| {
        let text = ledger.to_text();
        Bound {
            bytes: u64::try_from(text.len()).unwrap_or(u64::MAX),
            sha256: sha256(text.as_bytes()),
        }
    });
    Ok((ledger, bound))
}

fn selection(filter: &str) -> Result<Selection, String> {
    Selection::of_filter(filter).map_err(|error| error.to_string())
}

/// What each filter's package would come to.
pub(super) fn offer(held: &Held, filters: &[String]) -> Done {
    let offers = || -> Result<Vec<Offer>, String> {
        let (ledger, _) = bound(held)?;
        // A plan reads the receipts alone.
        let file = LedgerFile {
            ledger,
            bytes: 0,
            sha256: sha256(b""),
        };
        filters
            .iter()
            .map(|filter| {
                let planned = plan(file, &selection(filter)?);
                let planned = planned.map_err(|error| error.to_string());
                Ok(Offer {
                    filter: filter.clone(),
                    receipts: planned.as_ref().map_or(0, |plan| plan.receipts),
                    policies: planned.as_ref().map_or(0, |plan| plan.policies),
                    refused: planned.err(),
                })
            })
            .collect()
    };
    match offers() {
        Ok(offers) => Done::MayExport(offers),
        Err(why) => Done::Refused(why),
    }
}

/// Makes a package, verifies it and publishes it beside its context and report.
pub(super) fn export(held: &Held, filter: &str, path: &Path, progress: &Progress) -> Done {
    match made(held, filter, path, progress) {
        Ok(Some(text)) => Done::Told(text),
        Ok(None) => Done::Refused("cancelled; nothing was written".to_owned()),
        Err(text) => Done::NotExported {
            filter: filter.to_owned(),
            text,
        },
    }
}

fn made(
    held: &Held,
    filter: &str,
    path: &Path,
    progress: &Progress,
) -> Result<Option<String>, String> {
    let names = Names::of(path).ok_or("the name must end in .tar")?;
    let (ledger, bound) = bound(held)?;
    let file = LedgerFile {
        ledger,
        bytes: bound.bytes,
        sha256: bound.sha256,
    };
    let request = Request::of(selection(filter)?);
    let of = ledger.receipts.len();
    let exported = export_watched(file, &request, |step| {
        match step {
            Step::Deriving(done) => progress.report("deriving for the package", done, of),
            Step::Building => progress.report("building the package", 0, 0),
        }
        !progress.is_cancelled()
    });
    let Some(exported) = exported.map_err(|error| error.to_string())? else {
        return Ok(None);
    };
    publish(&names, &exported.built).map_err(|error| error.to_string())?;
    let name = attest_grading::text::escaped(&path.to_string_lossy()).into_owned();
    let mut text = format!(
        "{name}: {} of {}, verified, with its context and report beside it",
        count(exported.receipts),
        counted(exported.of, "receipt", "receipts")
    );
    if exported.mismatched > 0 {
        text.push_str(&format!(
            "; {} derive again",
            counted(exported.mismatched, "does not", "do not")
        ));
    }
    Ok(Some(text))
}
