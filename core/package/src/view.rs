//! A verified package as a person's view needs it, owning its parts.

use std::borrow::Cow;
use std::io::Read;

use attest_canon::Digest;

use crate::Dialect;
use crate::container::{Admission, Archive};
use crate::document::{Assessment, ContextInput, Disclosure, Inventory, Report};
use crate::format::{Content, ContextDocument};
use crate::grammar::Id;
use crate::limits::{Limits, Meter};
use crate::reason::Reason;
use crate::verify::{Opened, check_size, run};

/// What a verified package holds, read-only.
#[derive(Clone, Debug)]
pub struct PackageView {
    /// The report over it.
    pub report: Report,
    /// Its inventory.
    pub inventory: Inventory,
    /// Its assessment.
    pub assessment: Assessment<'static>,
    /// Its context documents, by input.
    pub documents: Vec<(Id, ContextDocument)>,
}

/// Verifies an archive and opens it; the error is the report that refuses it.
pub fn inspect(
    archive: impl Read,
    context: &ContextInput,
    dialect: Dialect,
) -> Result<PackageView, Box<Report>> {
    match run(archive, context, dialect, view) {
        Ok((report, (inventory, assessment, documents))) => {
            check_size(&report, context)
                .map_err(|reason| Box::new(Report::refused(reason, None)))?;
            Ok(PackageView {
                report,
                inventory,
                assessment,
                documents,
            })
        }
        Err(refusal) => Err(Box::new(Report::refused(
            refusal.reason,
            refusal.row.map(|row| *row),
        ))),
    }
}

/// The context an archive's assessment names (§7.2), verified or not; `None`
/// for what is not framed as a package, or holds no assessment.
#[must_use]
pub fn named_context(archive: impl Read, dialect: Dialect) -> Option<Digest> {
    let mut meter = Meter::new(Limits::default());
    let archive = Archive::read(archive, &Limits::default(), &mut KeepsNothing).ok()?;
    let assessment = Assessment::parse(&archive.assessment, &mut meter, dialect).ok()?;
    Some(assessment.verification_context_sha256)
}

/// Objects stream by unread.
struct KeepsNothing;

impl Admission for KeepsNothing {
    fn inventory(&mut self, _: &[u8]) -> Result<(), Reason> {
        Ok(())
    }

    fn keeps(&mut self, _: Digest) -> bool {
        false
    }
}

type Parts = (Inventory, Assessment<'static>, Vec<(Id, ContextDocument)>);

fn view(opened: &Opened<'_>) -> Parts {
    let documents = opened
        .inventory
        .inputs
        .iter()
        .zip(opened.sources)
        .filter_map(|(input, source)| match &source.content {
            Content::Context(document) => Some((input.id.clone(), document.clone())),
            _ => None,
        })
        .collect();
    (
        opened.inventory.clone(),
        owned(opened.assessment),
        documents,
    )
}

fn owned(assessment: &Assessment<'_>) -> Assessment<'static> {
    let own = |text: &Cow<'_, str>| Cow::Owned(text.clone().into_owned());
    Assessment {
        verification_context_sha256: assessment.verification_context_sha256,
        units: assessment
            .units
            .iter()
            .map(|unit| crate::document::Unit {
                id: unit.id,
                source: unit.source.clone(),
                surface: unit.surface,
                disposition: unit.disposition,
                result: unit.result.as_ref().map(|result| match result {
                    Disclosure::Reference(target) => Disclosure::Reference(target.clone()),
                    Disclosure::Inline {
                        operation,
                        source,
                        value,
                    } => Disclosure::Inline {
                        operation: own(operation),
                        source: source.clone(),
                        value: own(value),
                    },
                }),
                withheld_digest: unit.withheld_digest,
            })
            .collect(),
        surfaces: assessment.surfaces.clone(),
        cap1: assessment.cap1.as_ref().map(own),
        joins: assessment.joins.clone(),
        claims: assessment.claims.clone(),
        resolved_results: assessment.resolved_results.clone(),
    }
}
