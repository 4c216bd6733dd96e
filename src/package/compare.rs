//! Holding a package against the ledger it says it came from (profile, last
//! paragraph): what nothing in an archive binds, the ledger does. Everything
//! the profile takes from a ledger is made again by the selection and version
//! the package states, and every receipt of it is derived again.

use std::collections::BTreeMap;
use std::fmt;

use attest_canon::Id as ReceiptId;
use attest_canon::json::{Limits, Value};
use attest_grading::replay::Field;
use attest_package::document::FactKind;
use attest_package::grammar::Id;
use attest_package::{ContextDocument, Entry, PackageView};

use super::error::ExportError;
use super::facts::{Replayed, TOOL};
use super::profile::{FACTS, Made, POLICY, Profile, RECEIPTS, make};
use super::selection::{LedgerFile, Selection};

/// What in a package is not what the ledger gives.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Difference {
    /// The package holds no facts of an export, or a selection nobody can read.
    NotAnExport,
    /// The ledger gives no package for the stated selection.
    NoPackage(ExportError),
    /// The ledger file's bytes are not those whose digest is stated.
    LedgerBytes,
    /// An input the ledger gives is missing.
    Missing(Id),
    /// An input that only a ledger's package has, and this ledger does not give.
    Surplus(Id),
    /// An input's bytes differ.
    Input(Id),
    /// A fact differs.
    Fact(FactKind),
    /// A receipt differs.
    Receipt(ReceiptId),
    /// A receipt of the selection is missing.
    MissingReceipt(ReceiptId),
    /// A receipt is not of the selection.
    SurplusReceipt(ReceiptId),
    /// What the inventory states of a fact, or refers to, differs.
    Stated(FactKind),
    /// A receipt of the ledger is not derived again from it.
    Replay(ReceiptId, Field),
}

impl fmt::Display for Difference {
    /// One line: tokens and ids only.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAnExport => write!(f, "{FACTS}: no export of a ledger"),
            Self::NoPackage(error) => write!(f, "the stated selection: {error}"),
            Self::LedgerBytes => f.write_str(
                "original_digests: the bytes of the ledger are not those the package states",
            ),
            Self::Missing(id) => write!(f, "{id}: missing"),
            Self::Surplus(id) => write!(f, "{id}: not of this ledger"),
            Self::Input(id) => write!(f, "{id}: differs"),
            Self::Fact(kind) => write!(f, "{FACTS}: {}: differs", kind.token()),
            Self::Receipt(id) => write!(f, "receipt {id}: differs"),
            Self::MissingReceipt(id) => write!(f, "receipt {id}: missing"),
            Self::SurplusReceipt(id) => write!(f, "receipt {id}: not of the selection"),
            Self::Stated(kind) => write!(f, "inventory: {}: differs", kind.token()),
            Self::Replay(id, field) => write!(f, "receipt {id}: not derived again: {field}"),
        }
    }
}

/// What holding a package against a ledger came to.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Compared {
    /// What differs; nothing when the package came from the ledger.
    pub differences: Vec<Difference>,
    /// Receipts the stated selection holds.
    pub receipts: usize,
    /// What deriving them again came to.
    pub replayed: Replayed,
}

/// Holds a verified package against a ledger.
#[must_use]
pub fn compare(view: &PackageView, file: LedgerFile<'_>) -> Compared {
    let alone = |difference| Compared {
        differences: vec![difference],
        ..Compared::default()
    };
    let Some((selection, version)) = stated_selection(view) else {
        return alone(Difference::NotAnExport);
    };
    let profile = match make(file, &selection, &version) {
        Ok(profile) => profile,
        Err(error) => return alone(Difference::NoPackage(error)),
    };
    let mut differences = Vec::new();
    compare_inputs(view, &profile, &mut differences);
    for kind in FactKind::ALL {
        if view.inventory.context.get(kind) != profile.stated.get(kind) {
            differences.push(Difference::Stated(kind));
        }
    }
    for mismatch in &profile.replayed.mismatches {
        differences.push(Difference::Replay(mismatch.receipt_id, mismatch.field));
    }
    Compared {
        differences,
        receipts: profile.receipts.len(),
        replayed: profile.replayed,
    }
}

fn document<'v>(view: &'v PackageView, id: &str) -> Option<&'v ContextDocument> {
    let mut documents = view.documents.iter();
    documents
        .find(|(held, _)| held.as_str() == id)
        .map(|(_, document)| document)
}

/// The selection and version that a package's invocation states.
fn stated_selection(view: &PackageView) -> Option<(Selection, String)> {
    let facts = document(view, FACTS)?;
    let invocation = facts
        .entries
        .iter()
        .find(|entry| entry.kind == FactKind::ProducerInvocation)?;
    let value = Value::parse(&invocation.value, Limits::LEDGER).ok()?;
    let text = |key| value.get(key).and_then(Value::as_str);
    let selection = Selection::stated(text("selection")?).ok()?;
    (text("tool")? == TOOL).then_some((selection, text("version")?.to_owned()))
}

/// Compares the inputs: those whose bytes are the same hold, of the others what
/// differs is named.
fn compare_inputs(view: &PackageView, profile: &Profile, differences: &mut Vec<Difference>) {
    let held = &view.inventory;
    let mut receipts_differ = false;
    for made in &profile.inputs {
        let input = held.position(&made.id).and_then(|at| held.inputs.get(at));
        match input {
            None => differences.push(Difference::Missing(made.id.clone())),
            Some(input) if input.sha256 == made.sha256 && input.format == Some(made.format) => {}
            Some(_) if made.id.as_str() == FACTS => compare_facts(view, made, differences),
            Some(_) if made.id.as_str().starts_with(RECEIPTS) => receipts_differ = true,
            Some(_) => differences.push(Difference::Input(made.id.clone())),
        }
    }
    let own = |id: &str| id.starts_with(RECEIPTS) || id.starts_with(POLICY);
    for input in &held.inputs {
        let is_made = profile.inputs.iter().any(|made| made.id == input.id);
        if own(input.id.as_str()) && !is_made {
            differences.push(Difference::Surplus(input.id.clone()));
            receipts_differ |= input.id.as_str().starts_with(RECEIPTS);
        }
    }
    if receipts_differ {
        compare_receipts(view, profile, differences);
    }
}

fn compare_facts(view: &PackageView, made: &Made, differences: &mut Vec<Difference>) {
    let held = document(view, FACTS).map_or(&[][..], |document| &document.entries);
    let given = made.document.iter().flat_map(|document| &document.entries);
    let before = differences.len();
    for entry in given {
        let same = held.iter().find(|held| held.kind == entry.kind) == Some(entry);
        if !same {
            differences.push(match entry.kind {
                FactKind::OriginalDigests => Difference::LedgerBytes,
                kind => Difference::Fact(kind),
            });
        }
    }
    if differences.len() == before {
        // Every fact is there as it should be: another one is, or their order.
        differences.push(Difference::Input(made.id.clone()));
    }
}

/// Receipt entries by id, and whether every one says which it is.
type ById<'e> = BTreeMap<ReceiptId, &'e Entry>;

fn by_id<'e>(entries: impl Iterator<Item = &'e Entry>) -> (ById<'e>, bool) {
    let mut all = ById::new();
    let mut whole = true;
    for entry in entries {
        let value = Value::parse(&entry.value, Limits::LEDGER).ok();
        let id = value
            .as_ref()
            .and_then(|value| value.get("id"))
            .and_then(Value::as_str)
            .and_then(ReceiptId::parse);
        whole &= id.is_some_and(|id| all.insert(id, entry).is_none());
    }
    (all, whole)
}

fn compare_receipts(view: &PackageView, profile: &Profile, differences: &mut Vec<Difference>) {
    let is_receipts = |id: &Id| id.as_str().starts_with(RECEIPTS);
    let held = view.documents.iter().filter(|(id, _)| is_receipts(id));
    let (held, whole) = by_id(held.flat_map(|(_, document)| &document.entries));
    let given = profile.inputs.iter().filter(|made| is_receipts(&made.id));
    let given = given.filter_map(|made| made.document.as_ref());
    let (given, _) = by_id(given.flat_map(|document| &document.entries));
    let before = differences.len();
    for (id, entry) in &given {
        match held.get(id) {
            None => differences.push(Difference::MissingReceipt(*id)),
            Some(held) if held == entry => {}
            Some(_) => differences.push(Difference::Receipt(*id)),
        }
    }
    for id in held.keys().filter(|id| !given.contains_key(id)) {
        differences.push(Difference::SurplusReceipt(*id));
    }
    if !whole || differences.len() == before {
        // Entries without an id, twice, in another order or document.
        let documents = profile.inputs.iter().filter(|made| is_receipts(&made.id));
        differences.extend(documents.map(|made| Difference::Input(made.id.clone())));
    }
}
