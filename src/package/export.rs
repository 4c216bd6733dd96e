//! Making packages: of a selection of a ledger, and of inputs alone.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use attest_canon::{Digest, sha256};
use attest_grading::model::IsoTs;
use attest_package::build::BuildInput;
use attest_package::document::{ContextInput, Invocation};
use attest_package::grammar::{Id, Time};
use attest_package::limits::Limits;
use attest_package::{BuildSpec, Built, Format, build};

use super::error::ExportError;
use super::facts::{TOOL, utc};
use super::profile::{Chosen, FACTS, POLICY, Profile, RECEIPTS, finish};
use super::selection::{LedgerFile, Selection};
use super::spec::Spec;
use crate::store::{NewFile, StoreError, publish_all};

/// The version packages say they were made by.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Milliseconds a context is valid for when nobody says otherwise: a day.
const VALID_MS: i64 = 24 * 60 * 60 * 1000;

/// An input an operator gives: original bytes, read once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Given {
    /// Its label.
    pub id: Id,
    /// Its format.
    pub format: Format,
    /// Its original bytes.
    pub bytes: Vec<u8>,
}

/// The digests of inputs, by id, as a spec file's references are bound.
#[must_use]
pub fn digests(given: &[Given]) -> BTreeMap<Id, Digest> {
    let digest = |one: &Given| (one.id.clone(), sha256(&one.bytes));
    given.iter().map(digest).collect()
}

/// What of a ledger to export, and how.
#[derive(Clone, Debug)]
pub struct Request {
    /// Which receipts.
    pub selection: Selection,
    /// The instant of interest; the latest `computedAt` of the selection.
    pub as_of: Option<IsoTs>,
    /// From when the context is valid; `as_of`.
    pub valid_from: Option<IsoTs>,
    /// Until when; 24 hours after `as_of`.
    pub valid_until: Option<IsoTs>,
    /// A context whose keys, expectations and applicability to select.
    pub trust: Option<ContextInput>,
    /// Inputs added to the ledger's own.
    pub given: Vec<Given>,
    /// What a spec file says of them; its facts are not used.
    pub spec: Spec,
}

impl Request {
    /// A selection, with the profile's own instants and nothing added.
    #[must_use]
    pub fn of(selection: Selection) -> Self {
        Self {
            selection,
            as_of: None,
            valid_from: None,
            valid_until: None,
            trust: None,
            given: Vec::new(),
            spec: Spec::default(),
        }
    }
}

/// A finished package of a ledger's selection.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Exported {
    /// Archive, context and report.
    pub built: Built,
    /// How many receipts it carries.
    pub receipts: usize,
    /// How many the ledger holds.
    pub of: usize,
    /// How many of those it carries do not derive again.
    pub mismatched: usize,
}

/// What a package would hold, before it is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Plan {
    /// Receipts that go in.
    pub receipts: usize,
    /// Receipts the ledger holds.
    pub of: usize,
    /// Policies they were graded under, which go in.
    pub policies: usize,
    /// Inputs of the package.
    pub inputs: usize,
}

/// What a selection would come to.
///
/// # Errors
///
/// The selection is empty or too large.
pub fn plan(file: LedgerFile<'_>, selection: &Selection) -> Result<Plan, ExportError> {
    let chosen = Chosen::of(file, selection)?;
    Ok(Plan {
        receipts: chosen.receipts.len(),
        of: file.ledger.receipts.len(),
        policies: chosen.policies(),
        inputs: chosen.inputs(),
    })
}

/// How far an export is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// So many of the ledger's receipts are derived again.
    Deriving(usize),
    /// The package is built and verified.
    Building,
}

/// Makes the package of a selection by the Attest profile, and verifies it. The
/// same selection of the same ledger gives the same bytes; no clock is read.
///
/// # Errors
///
/// The selection is empty or too large, or an added input does not fit.
pub fn export(file: LedgerFile<'_>, request: &Request) -> Result<Exported, ExportError> {
    export_watched(file, request, |_| true)?.ok_or(ExportError::Nothing)
}

/// [`export`], telling how far it is; `None` when `go_on` says to stop.
///
/// # Errors
///
/// As [`export`].
pub fn export_watched(
    file: LedgerFile<'_>,
    request: &Request,
    mut go_on: impl FnMut(Step) -> bool,
) -> Result<Option<Exported>, ExportError> {
    let own = |id: &Id| {
        let text = id.as_str();
        text == FACTS || text.starts_with(RECEIPTS) || text.starts_with(POLICY)
    };
    if let Some(taken) = request.given.iter().find(|given| own(&given.id)) {
        return Err(ExportError::Reserved(taken.id.clone()));
    }
    let chosen = Chosen::of(file, &request.selection)?;
    let context = context(chosen.latest(), request)?;
    let watch = |done| go_on(Step::Deriving(done));
    let Some(profile) = finish(file, &request.selection, VERSION, chosen, watch)? else {
        return Ok(None);
    };
    if !go_on(Step::Building) {
        return Ok(None);
    }
    let mut spec = assemble(&request.given, &request.spec)?;
    spec.facts = profile.stated.clone();
    spec.inputs.extend(profile_inputs(&profile));
    let built = build(&spec, &context)?;
    Ok(Some(Exported {
        built,
        receipts: profile.receipts.len(),
        of: file.ledger.receipts.len(),
        mismatched: profile.replayed.mismatched,
    }))
}

fn profile_inputs(profile: &Profile) -> impl Iterator<Item = BuildInput<'_>> {
    profile.inputs.iter().map(|made| BuildInput {
        id: made.id.clone(),
        format: made.format,
        bytes: &made.bytes,
        surfaces: None,
        binding: None,
    })
}

/// Hard limits, and instants from the selection where none are given.
fn context(latest: Option<IsoTs>, request: &Request) -> Result<ContextInput, ExportError> {
    let as_of = request.as_of.or(latest).ok_or(ExportError::Nothing)?;
    let time = |at: IsoTs| Time::parse(&at.to_string()).ok_or(ExportError::Instants);
    let given = |at: Option<IsoTs>| utc(at.unwrap_or(as_of).instant());
    let until = match request.valid_until {
        Some(until) => utc(until.instant()),
        None => utc(as_of.instant().plus(VALID_MS)),
    };
    let trust = request.trust.clone();
    let (keys, expectations, applicability) = trust.map_or_else(Default::default, |trust| {
        (trust.keys, trust.expectations, trust.applicability)
    });
    let context = ContextInput {
        limits: Limits::default(),
        keys,
        expectations,
        applicability,
        as_of: time(given(None))?,
        valid_from: time(given(request.valid_from))?,
        valid_until: time(until)?,
        invocation: Invocation {
            tool: TOOL.to_owned(),
            version: VERSION.to_owned(),
            options: Vec::new(),
        },
    };
    if context.is_valid() {
        Ok(context)
    } else {
        Err(ExportError::Instants)
    }
}

/// Makes a package of inputs and a spec file, under a context.
///
/// # Errors
///
/// The reason its verification would give, and the label at fault.
pub fn build_given(
    given: &[Given],
    spec: &Spec,
    context: &ContextInput,
) -> Result<Built, ExportError> {
    Ok(build(&assemble(given, spec)?, context)?)
}

fn assemble<'g>(given: &'g [Given], spec: &Spec) -> Result<BuildSpec<'g>, ExportError> {
    let mut ids: Vec<&Id> = given.iter().map(|one| &one.id).collect();
    ids.sort();
    if let Some([twice, _]) = ids.windows(2).find(|pair| matches!(pair, [a, b] if a == b)) {
        return Err(ExportError::Twice((*twice).clone()));
    }
    let inputs = given.iter().map(|one| BuildInput {
        id: one.id.clone(),
        format: one.format,
        bytes: &one.bytes,
        surfaces: spec.surfaces.get(&one.id).copied(),
        binding: spec.bindings.get(&one.id).cloned(),
    });
    Ok(BuildSpec {
        inputs: inputs.collect(),
        facts: spec.facts.clone().unwrap_or_default(),
        treatments: spec.treatments.clone(),
        joins: spec.joins.clone(),
        claims: spec.claims.clone(),
    })
}

/// The three names of a package.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Names {
    /// `NAME.tar`
    pub archive: PathBuf,
    /// `NAME.context.json`
    pub context: PathBuf,
    /// `NAME.verify.json`
    pub report: PathBuf,
}

impl Names {
    /// The names beside an archive's; `None` unless that ends in `.tar` and has
    /// a name before it.
    #[must_use]
    pub fn of(archive: &Path) -> Option<Self> {
        let is_tar = archive.extension().is_some_and(|end| end == "tar");
        is_tar.then(|| Self {
            archive: archive.to_owned(),
            context: archive.with_extension("context.json"),
            report: archive.with_extension("verify.json"),
        })
    }
}

/// Publishes a package's three files: its context, its report, and last the
/// archive they are of. None of them is left when one cannot follow.
///
/// # Errors
///
/// One of the names is taken, or cannot be written.
pub fn publish(names: &Names, built: &Built) -> Result<(), StoreError> {
    publish_all(&[
        NewFile {
            path: &names.context,
            content: &built.context,
        },
        NewFile {
            path: &names.report,
            content: &built.report.to_bytes(),
        },
        NewFile {
            path: &names.archive,
            content: &built.archive,
        },
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use attest_grading::ledger::Ledger;

    const DEMO: &str = include_str!("../../golden/ledgers/demo.json");

    fn file(ledger: &Ledger) -> LedgerFile<'_> {
        LedgerFile {
            ledger,
            bytes: 0,
            sha256: sha256(DEMO.as_bytes()),
        }
    }

    #[test]
    fn a_plan_is_what_is_exported() {
        let ledger = Ledger::read(DEMO).unwrap();
        let selection = Selection::of_filter("-grade:unasked").unwrap();
        let planned = plan(file(&ledger), &selection).unwrap();
        let exported = export(file(&ledger), &Request::of(selection)).unwrap();
        assert_eq!((planned.receipts, planned.of), (2, 3));
        assert_eq!((exported.receipts, exported.of), (2, 3));
        let counts = exported.built.report.established.unwrap().counts;
        assert_eq!((planned.inputs, planned.policies), (3, 1));
        assert_eq!(counts.inputs, 3);
        let none = Selection::of_filter("agent:dots").unwrap();
        assert_eq!(plan(file(&ledger), &none), Err(ExportError::Nothing));
    }

    /// It can be stopped at every step, and then there is nothing.
    #[test]
    fn an_export_tells_its_steps_and_can_be_stopped() {
        let ledger = Ledger::read(DEMO).unwrap();
        let request = Request::of(Selection::all());
        let mut steps = Vec::new();
        let whole = export_watched(file(&ledger), &request, |step| {
            steps.push(step);
            true
        });
        assert_eq!(
            whole.unwrap(),
            Some(export(file(&ledger), &request).unwrap())
        );
        assert_eq!(steps.last(), Some(&Step::Building));
        assert!(steps.contains(&Step::Deriving(3)), "{steps:?}");
        for stop in 0..steps.len() {
            let mut seen = 0;
            let stopped = export_watched(file(&ledger), &request, |_| {
                seen += 1;
                seen <= stop
            });
            assert_eq!(stopped.unwrap(), None, "{stop}");
        }
    }
}
