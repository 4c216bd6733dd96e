//! What a selection of a ledger comes to in a package: its policies, its facts,
//! its receipts, and what the inventory states of them.

use std::collections::BTreeMap;

use attest_canon::{Digest, Id as ReceiptId, sha256};
use attest_grading::model::{IsoTs, Receipt};
use attest_package::document::{Fact, FactKind, FactReason, Facts};
use attest_package::grammar::{Id, Locator, Ref};
use attest_package::limits::Limit;
use attest_package::{ContextDocument, Entry, Format};

use super::error::ExportError;
use super::facts::{Material, Replayed, correlation};
use super::receipt;
use super::selection::{LedgerFile, Selection};

/// The input that holds the facts.
pub(super) const FACTS: &str = "ledger-facts";
/// What the ids of receipt documents start with.
pub(super) const RECEIPTS: &str = "receipts-";
/// What the ids of policies start with.
pub(super) const POLICY: &str = "policy-";

/// One input made from a ledger.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Made {
    pub(super) id: Id,
    pub(super) format: Format,
    pub(super) bytes: Vec<u8>,
    pub(super) sha256: Digest,
    /// The document, when it is one.
    pub(super) document: Option<ContextDocument>,
}

impl Made {
    fn policy(id: Id, text: &str) -> Self {
        Self::new(id, Format::Policy, text.as_bytes().to_vec(), None)
    }

    fn document(id: Id, document: ContextDocument) -> Self {
        Self::new(id, Format::Context, document.to_bytes(), Some(document))
    }

    fn new(id: Id, format: Format, bytes: Vec<u8>, document: Option<ContextDocument>) -> Self {
        Self {
            sha256: sha256(&bytes),
            id,
            format,
            bytes,
            document,
        }
    }

    fn reference(&self, locator: &Locator) -> Ref {
        Ref {
            input_id: self.id.clone(),
            sha256: self.sha256,
            locator: locator.to_string(),
        }
    }
}

/// Everything a ledger gives a package.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Profile {
    /// Policies, facts, receipts, in this order.
    pub(super) inputs: Vec<Made>,
    /// What the inventory states.
    pub(super) stated: Facts,
    /// The receipts, in their order.
    pub(super) receipts: Vec<ReceiptId>,
    /// What their replay came to.
    pub(super) replayed: Replayed,
}

/// What a selection comes to before anything is derived again.
pub(super) struct Chosen<'l> {
    pub(super) receipts: Vec<&'l Receipt>,
    policies: BTreeMap<Digest, &'l str>,
    /// A reference to each policy's input.
    sources: BTreeMap<Digest, Ref>,
    /// Policies, then receipts' documents.
    inputs: (Vec<Made>, Vec<Made>),
}

impl<'l> Chosen<'l> {
    /// The receipts a selection passes, and the inputs made of them.
    pub(super) fn of(file: LedgerFile<'l>, selection: &Selection) -> Result<Self, ExportError> {
        let chosen = selection.choose(file.ledger);
        if chosen.is_empty() {
            return Err(ExportError::Nothing);
        }
        let policies = policies(file, &chosen)?;
        let mut sources: BTreeMap<Digest, Ref> = BTreeMap::new();
        let mut inputs: Vec<Made> = Vec::new();
        for (hash, text) in &policies {
            let made = Made::policy(policy_id(*hash)?, text);
            if inputs.iter().any(|other| other.id == made.id) {
                return Err(ExportError::Twice(made.id));
            }
            let length = u64::try_from(text.len()).unwrap_or(u64::MAX);
            sources.insert(*hash, made.reference(&Locator::Bytes(length)));
            inputs.push(made);
        }
        let documents = receipts(&chosen, &sources, &Sizes::CONTRACT)?;
        let chosen = Self {
            receipts: chosen,
            policies,
            sources,
            inputs: (inputs, documents),
        };
        if u64::try_from(chosen.inputs()).unwrap_or(u64::MAX) > Limit::Inputs.hard() {
            return Err(ExportError::TooMany(Limit::Inputs));
        }
        Ok(chosen)
    }

    /// How many inputs it takes, the facts' among them.
    pub(super) fn inputs(&self) -> usize {
        let (policies, documents) = &self.inputs;
        policies
            .len()
            .saturating_add(1)
            .saturating_add(documents.len())
    }

    /// How many policies it was graded under.
    pub(super) fn policies(&self) -> usize {
        self.policies.len()
    }

    /// The instant of the latest batch.
    pub(super) fn latest(&self) -> Option<IsoTs> {
        self.receipts.last().map(|receipt| receipt.computed_at)
    }
}

/// Makes the profile of a selection, as a version of the tool would.
pub(super) fn make(
    file: LedgerFile<'_>,
    selection: &Selection,
    version: &str,
) -> Result<Profile, ExportError> {
    let chosen = Chosen::of(file, selection)?;
    let profile = finish(file, selection, version, chosen, |_| true)?;
    profile.ok_or(ExportError::Nothing)
}

/// Derives what was chosen again and makes the profile of it; `None` when
/// `go_on` says to stop.
pub(super) fn finish(
    file: LedgerFile<'_>,
    selection: &Selection,
    version: &str,
    chosen: Chosen<'_>,
    go_on: impl FnMut(usize) -> bool,
) -> Result<Option<Profile>, ExportError> {
    let Some(replayed) = Replayed::of(file.ledger, &chosen.receipts, go_on) else {
        return Ok(None);
    };
    let Chosen {
        receipts: chosen,
        policies,
        sources,
        inputs: (mut inputs, documents),
    } = chosen;
    let material = Material {
        file,
        selection,
        version,
        chosen: &chosen,
        policies: &policies,
        replayed: &replayed,
    };
    let mut facts = ContextDocument::default();
    for (kind, value) in material.values() {
        if value.len() > Sizes::CONTRACT.text {
            return Err(ExportError::FactTooLong(kind));
        }
        let source_refs = match kind {
            FactKind::PolicyActivation => sources.values().cloned().collect(),
            _ => Vec::new(),
        };
        facts.entries.push(Entry {
            kind,
            value,
            source_refs,
        });
    }
    if facts.to_bytes().len() > Sizes::CONTRACT.document {
        return Err(ExportError::TooMany(Limit::HealthBytes));
    }
    let facts = Made::document(id(FACTS)?, facts);
    let stated = state(&facts, &documents, chosen.len());
    inputs.push(facts);
    inputs.extend(documents);
    Ok(Some(Profile {
        inputs,
        stated,
        receipts: chosen.iter().map(|receipt| receipt.id).collect(),
        replayed,
    }))
}

/// The policies the receipts name. A receipt whose policy is not in the ledger
/// is refused: its entry could name no source, and nobody could replay it.
fn policies<'l>(
    file: LedgerFile<'l>,
    chosen: &[&Receipt],
) -> Result<BTreeMap<Digest, &'l str>, ExportError> {
    let mut policies = BTreeMap::new();
    for receipt in chosen {
        let hash = receipt.policy_hash;
        let policy = file.ledger.policies.get(&hash);
        let policy = policy.ok_or(ExportError::NoPolicy(receipt.id))?;
        policies.insert(hash, policy.canonical());
    }
    Ok(policies)
}

fn policy_id(hash: Digest) -> Result<Id, ExportError> {
    let hex = hash.to_string();
    id(&format!("{POLICY}{}", hex.get(..12).unwrap_or_default()))
}

fn id(text: &str) -> Result<Id, ExportError> {
    // Every id made here keeps the grammar.
    Id::parse(text).ok_or(ExportError::TooMany(Limit::Inputs))
}

/// What bounds a receipt's text and a document, in bytes.
struct Sizes {
    text: usize,
    document: usize,
}

impl Sizes {
    /// 64 KiB for a string, 1 MiB for a context document (contract §8).
    const CONTRACT: Self = Self {
        text: 64 << 10,
        document: 1 << 20,
    };
}

/// The receipts' documents, each closed when the next entry would take it past
/// its size.
fn receipts(
    chosen: &[&Receipt],
    sources: &BTreeMap<Digest, Ref>,
    sizes: &Sizes,
) -> Result<Vec<Made>, ExportError> {
    let empty = ContextDocument::default().to_bytes().len();
    let mut closed: Vec<Made> = Vec::new();
    let mut open = ContextDocument::default();
    let mut size = empty;
    for receipt in chosen {
        let value = receipt::text(receipt);
        if value.len() > sizes.text {
            return Err(ExportError::ReceiptTooLong(receipt.id));
        }
        let entry = Entry {
            kind: FactKind::Correlation,
            value,
            source_refs: sources
                .get(&receipt.policy_hash)
                .cloned()
                .into_iter()
                .collect(),
        };
        let alone = ContextDocument {
            entries: vec![entry.clone()],
        };
        let added = alone.to_bytes().len().saturating_sub(empty);
        let comma = usize::from(!open.entries.is_empty());
        let next = size.saturating_add(added).saturating_add(comma);
        if next > sizes.document && !open.entries.is_empty() {
            close(&mut closed, std::mem::take(&mut open))?;
            size = empty.saturating_add(added);
        } else {
            size = next;
        }
        open.entries.push(entry);
    }
    if !open.entries.is_empty() {
        close(&mut closed, open)?;
    }
    Ok(closed)
}

fn close(closed: &mut Vec<Made>, document: ContextDocument) -> Result<(), ExportError> {
    let number = closed.len().saturating_add(1);
    let id = id(&format!("{RECEIPTS}{number:03}"))?;
    closed.push(Made::document(id, document));
    Ok(())
}

/// The inventory's facts: each entry's own text with a reference to it, and for
/// correlation how many receipts there are, with each document's first.
fn state(facts: &Made, receipts: &[Made], count: usize) -> Facts {
    let mut stated = Facts::default();
    let entries = facts.document.iter().flat_map(|document| &document.entries);
    for (index, entry) in (0u64..).zip(entries) {
        let fact = Fact {
            value: Some(entry.value.clone()),
            reason: FactReason::Stated,
            refs: vec![facts.reference(&Locator::Entry(index))],
        };
        stated.set(entry.kind, fact);
    }
    let fact = Fact {
        value: Some(correlation(count)),
        reason: FactReason::Stated,
        refs: receipts
            .iter()
            .map(|made| made.reference(&Locator::Entry(0)))
            .collect(),
    };
    stated.set(FactKind::Correlation, fact);
    stated
}

#[cfg(test)]
mod tests {
    use super::*;
    use attest_grading::ledger::Ledger;

    const DEMO: &str = include_str!("../../golden/ledgers/demo.json");

    /// Equality is accepted, one byte less closes a document or refuses.
    #[test]
    fn documents_close_and_receipts_refuse_at_their_sizes() {
        let ledger = Ledger::read(DEMO).unwrap();
        let chosen = Selection::all().choose(&ledger);
        let hash = chosen[0].policy_hash;
        let policy = Made::policy(policy_id(hash).unwrap(), ledger.policies[&hash].canonical());
        let sources = BTreeMap::from([(hash, policy.reference(&Locator::Bytes(1)))]);
        let made = |text, document| receipts(&chosen, &sources, &Sizes { text, document });
        let one = made(64 << 10, 1 << 20).unwrap();
        assert_eq!((one.len(), one[0].id.as_str()), (1, "receipts-001"));
        let whole = one[0].bytes.len();
        assert_eq!(made(64 << 10, whole).unwrap(), one);
        let two = made(64 << 10, whole - 1).unwrap();
        let ids: Vec<&str> = two.iter().map(|made| made.id.as_str()).collect();
        assert_eq!(ids, ["receipts-001", "receipts-002"]);
        let lengths: Vec<usize> = two
            .iter()
            .map(|made| made.document.as_ref().unwrap().entries.len())
            .collect();
        assert_eq!(lengths, [2, 1]);
        // The first document has room for exactly its two.
        let first = two[0].bytes.len();
        assert_eq!(made(64 << 10, first).unwrap()[0], two[0]);
        assert_eq!(made(64 << 10, first - 1).unwrap().len(), 3);

        let longest = chosen
            .iter()
            .max_by_key(|one| receipt::text(one).len())
            .unwrap();
        let length = receipt::text(longest).len();
        assert!(made(length, 1 << 20).is_ok());
        assert_eq!(
            made(length - 1, 1 << 20),
            Err(ExportError::ReceiptTooLong(longest.id))
        );
    }

    /// The demo with so many receipts; none of the added ones has a subject.
    fn grown(count: usize) -> Ledger {
        let mut ledger = Ledger::read(DEMO).unwrap();
        let receipt = ledger.receipts[0].clone();
        ledger.receipts.extend((3..count).map(|number| Receipt {
            id: ReceiptId::from_digest(&sha256(&number.to_be_bytes())),
            ..receipt.clone()
        }));
        ledger
    }

    fn file(ledger: &Ledger) -> LedgerFile<'_> {
        LedgerFile {
            ledger,
            bytes: 0,
            sha256: sha256(b""),
        }
    }

    /// Many documents: full ones but the last, in order, each with its first
    /// entry stated.
    #[test]
    fn many_receipts_take_many_documents() {
        let ledger = grown(4000);
        let profile = make(file(&ledger), &Selection::all(), "0").unwrap();
        let documents: Vec<&Made> = profile
            .inputs
            .iter()
            .filter(|made| made.id.as_str().starts_with(RECEIPTS))
            .collect();
        assert!(documents.len() >= 3, "{}", documents.len());
        let entries = |made: &Made| made.document.as_ref().unwrap().entries.clone();
        for pair in documents.windows(2) {
            let next = ContextDocument {
                entries: vec![entries(pair[1])[0].clone()],
            };
            let empty = ContextDocument::default().to_bytes().len();
            let more = next.to_bytes().len() - empty + 1;
            let size = pair[0].bytes.len();
            assert!(size <= 1 << 20 && size + more > 1 << 20, "{size} {more}");
        }
        let whole: Vec<Entry> = documents.iter().flat_map(|made| entries(made)).collect();
        assert_eq!(whole.len(), 4000);
        let correlation = profile.stated.get(FactKind::Correlation).unwrap();
        assert_eq!(correlation.value.as_deref(), Some("{\"receipts\":4000}"));
        let refs: Vec<Ref> = documents
            .iter()
            .map(|made| made.reference(&Locator::Entry(0)))
            .collect();
        assert_eq!(correlation.refs, refs);
        assert_eq!(profile.replayed.reproduced(), 3);
    }

    /// A selection that needs more inputs than a package has is refused by that
    /// name, before anything is derived again.
    #[test]
    fn too_many_receipts_are_refused_by_name() {
        let ledger = grown(100_000);
        let refused = make(file(&ledger), &Selection::all(), "0");
        assert_eq!(refused, Err(ExportError::TooMany(Limit::Inputs)));
        assert_eq!(
            ExportError::TooMany(Limit::Inputs).to_string(),
            "resource_hard: more than 64 inputs; select less"
        );
    }

    /// A filter is stated whole or the export is refused.
    #[test]
    fn a_fact_too_long_is_refused_by_its_kind() {
        let ledger = Ledger::read(DEMO).unwrap();
        let asked = |length: usize| {
            let filter = format!("-{}", "x".repeat(length));
            let selection = Selection::of_filter(&filter).unwrap();
            make(file(&ledger), &selection, "0").map(|profile| profile.receipts.len())
        };
        // {"selection":"-…","tool":"attest-tui","version":"0"}
        let around = r#"{"selection":"-","tool":"attest-tui","version":"0"}"#.len();
        assert_eq!(asked((64 << 10) - around), Ok(3));
        let refused = asked((64 << 10) - around + 1);
        let kind = FactKind::ProducerInvocation;
        assert_eq!(refused, Err(ExportError::FactTooLong(kind)));
    }
}
