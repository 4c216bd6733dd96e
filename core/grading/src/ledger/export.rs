//! The ledger as a file: `attest-ledger`, version 7 (supplement E).
//!
//! Reading lists every problem by its path. What grading never reads
//! (requests, adapter health, other meta keys) is kept as it stands and
//! written back unchanged.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use attest_canon::json::{Value, push_index, push_key};
use attest_canon::{Digest, Id};

use crate::model::decode::{Slot, object};
use crate::model::hashes::coverage_hash;
use crate::model::{
    Activity, Claim, Coverage, Decoder, GradeContext, Grant, IsoTs, ModelScore, Observation,
    ObserverCoverage, ProblemKind, Problems, Read, Receipt, Repair,
};
use crate::policy::{DEFAULT_POLICY, Field, Policy, load_policy, load_policy_value};
use crate::replay::{Snapshot, StoredInputs};

/// The format's name.
pub const FORMAT: &str = "attest-ledger";
/// The one version read and written.
pub const VERSION: i64 = 7;
/// Prefix of the meta keys that keep clock repairs.
const REPAIR_KEY: &str = "clockRepair.";

/// A JSON text that is passed through as it stands.
pub type Raw = Box<str>;

/// A whole ledger.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Ledger {
    /// When it was exported.
    pub exported_at: Option<IsoTs>,
    /// Passed through.
    pub requests: Vec<Raw>,
    /// Every claim, by distinct id.
    pub claims: Vec<Claim>,
    /// Every observation, by distinct id.
    pub observations: Vec<Observation>,
    /// Every grant.
    pub grants: Vec<Grant>,
    /// Every receipt, by distinct id.
    pub receipts: Vec<Receipt>,
    /// Passed through.
    pub adapter_health: Vec<Raw>,
    /// The views now held.
    pub coverage: Vec<ObserverCoverage>,
    /// What attribution reads.
    pub activity: Option<Activity>,
    /// The model's scores, by claim.
    pub model_scores: Option<BTreeMap<Id, Vec<ModelScore>>>,
    /// Instants and spans the ledger keeps, and what is passed through.
    pub meta: Meta,
    /// The inputs of receipts, by `inputsHash`.
    pub receipt_inputs: BTreeMap<Digest, StoredInputs>,
    /// Each batch's coverage, by hash.
    pub batch_coverages: BTreeMap<Digest, Coverage>,
    /// The policies receipts name, by hash.
    pub policies: BTreeMap<Digest, Policy>,
}

/// The `meta` table.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Meta {
    /// The instant of the last batch.
    pub last_batch_instant: Option<IsoTs>,
    /// The clock repairs kept, by the milliseconds of their keys' text.
    pub repairs: BTreeMap<Box<str>, Repair>,
    /// Every other key, as it stands, in document order.
    pub other: Vec<(Box<str>, Raw)>,
}

impl Meta {
    /// The text of a key that is passed through.
    #[must_use]
    pub fn raw(&self, key: &str) -> Option<&str> {
        let mut other = self.other.iter();
        other
            .find(|(held, _)| **held == *key)
            .map(|(_, raw)| &**raw)
    }
}

/// One thing wrong with a ledger file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LedgerProblem {
    /// JSON path, empty for the document.
    pub path: String,
    /// What is wrong there, on one line, without content.
    pub problem: String,
    /// Error type and code (supplement H).
    pub code: (&'static str, &'static str),
}

impl core::fmt::Display for LedgerProblem {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        if self.path.is_empty() {
            f.write_str(&self.problem)
        } else {
            write!(f, "{}: {}", self.path, self.problem)
        }
    }
}

/// Everything wrong with a ledger file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LedgerError {
    /// The problems, in document order, then those between tables.
    pub problems: Vec<LedgerProblem>,
    /// How many more there were.
    pub beyond: usize,
}

impl core::fmt::Display for LedgerError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        for (at, problem) in self.problems.iter().enumerate() {
            if at > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{problem}")?;
        }
        if self.beyond > 0 {
            write!(f, "\nand {} more", self.beyond)?;
        }
        Ok(())
    }
}

impl core::error::Error for LedgerError {}

impl From<Problems> for LedgerError {
    fn from(problems: Problems) -> Self {
        let list = problems.list().iter().map(|problem| LedgerProblem {
            path: problem.path.clone(),
            problem: problem.kind.to_string(),
            code: problem.kind.code(),
        });
        Self {
            problems: list.collect(),
            beyond: problems.beyond(),
        }
    }
}

impl Ledger {
    /// Reads a ledger.
    ///
    /// # Errors
    ///
    /// Every problem of the file, each with its path. A syntax fault ends the
    /// list: nothing after it can be read.
    pub fn read(text: &str) -> Result<Self, LedgerError> {
        let mut reading = Reading::default();
        let ledger = Decoder::read_document(text, |d| reading.ledger(d));
        match ledger {
            Ok(ledger) if reading.policy_problems.is_empty() => Ok(ledger),
            Ok(_) => Err(LedgerError {
                problems: reading.policy_problems,
                beyond: 0,
            }),
            Err(problems) => {
                let mut error = LedgerError::from(problems);
                error.problems.append(&mut reading.policy_problems);
                Err(error)
            }
        }
    }

    /// What replay reads of it.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot<'_> {
        Snapshot {
            claims: &self.claims,
            observations: &self.observations,
            receipts: &self.receipts,
            inputs: &self.receipt_inputs,
            coverages: &self.batch_coverages,
            policies: &self.policies,
        }
    }
}

/// What reading one ledger shares between rows.
#[derive(Default)]
struct Reading<'a> {
    /// Grants of receipt inputs by their text: most receipts repeat one.
    grants: BTreeMap<&'a str, Arc<Grant>>,
    policy_problems: Vec<LedgerProblem>,
}

impl<'a> Reading<'a> {
    fn ledger(&mut self, d: &mut Decoder<'a>) -> Read<Ledger> {
        let mut format = Slot::Absent;
        let mut version = Slot::Absent;
        let mut exported_at = Slot::Absent;
        let mut requests = Slot::Absent;
        let mut claims = Slot::Absent;
        let mut observations = Slot::Absent;
        let mut grants = Slot::Absent;
        let mut receipts = Slot::Absent;
        let mut adapter_health = Slot::Absent;
        let mut coverage = Slot::Absent;
        let mut activity = Slot::Absent;
        let mut model_scores = Slot::Absent;
        let mut meta = Slot::Absent;
        let mut receipt_inputs = Slot::Absent;
        let mut batch_coverages = Slot::Absent;
        let mut policies = Slot::Absent;
        if d.begin_object()?.is_none() {
            return Ok(None);
        }
        while let Some(key) = d.reader().next_key()? {
            match key.as_ref() {
                "format" => format.fill(d, read_format)?,
                "version" => version.fill(d, read_version)?,
                "exportedAt" => exported_at.fill(d, Decoder::instant)?,
                "requests" => requests.fill(d, read_requests)?,
                "claims" => claims.fill(d, |d| d.any_list(Claim::decode))?,
                "observations" => observations.fill(d, |d| d.any_list(Observation::decode))?,
                "grants" => grants.fill(d, |d| d.any_list(Grant::decode))?,
                "receipts" => receipts.fill(d, |d| d.any_list(Receipt::decode))?,
                "adapterHealth" => adapter_health.fill(d, |d| d.any_list(read_raw))?,
                "coverage" => coverage.fill(d, |d| d.any_list(ObserverCoverage::decode))?,
                "activity" => activity.fill(d, Activity::decode)?,
                "modelScores" => model_scores.fill(d, read_model_scores)?,
                "meta" => meta.fill(d, read_meta)?,
                "receiptInputs" => receipt_inputs.fill(d, |d| self.inputs(d))?,
                "batchCoverages" => batch_coverages.fill(d, read_coverages)?,
                "policies" => policies.fill(d, |d| self.policies(d))?,
                _ => d.unknown_member()?,
            }
        }
        let format = format.required(d, "format");
        let version = version.required(d, "version");
        let ledger = Ledger {
            exported_at: exported_at.optional(d, "exportedAt").flatten(),
            requests: requests.required(d, "requests").unwrap_or_default(),
            claims: claims.required(d, "claims").unwrap_or_default(),
            observations: observations.required(d, "observations").unwrap_or_default(),
            grants: grants.required(d, "grants").unwrap_or_default(),
            receipts: receipts.required(d, "receipts").unwrap_or_default(),
            adapter_health: adapter_health
                .required(d, "adapterHealth")
                .unwrap_or_default(),
            coverage: coverage.required(d, "coverage").unwrap_or_default(),
            activity: activity.optional(d, "activity").flatten(),
            model_scores: model_scores.optional(d, "modelScores").flatten(),
            meta: meta.required(d, "meta").unwrap_or_default(),
            receipt_inputs: receipt_inputs
                .required(d, "receiptInputs")
                .unwrap_or_default(),
            batch_coverages: batch_coverages
                .required(d, "batchCoverages")
                .unwrap_or_default(),
            policies: policies.required(d, "policies").unwrap_or_default(),
        };
        check_tables(d, &ledger);
        Ok((format.is_some() && version.is_some() && d.is_clean()).then_some(ledger))
    }

    fn inputs(&mut self, d: &mut Decoder<'a>) -> Read<BTreeMap<Digest, StoredInputs>> {
        let mut inputs = BTreeMap::new();
        let read = d.map(|d, key| {
            let hash = read_key(d, key);
            let value = self.one_inputs(d)?;
            let (Some(hash), Some(value)) = (hash, value) else {
                return Ok(None);
            };
            inputs.insert(hash, value);
            Ok(Some(()))
        })?;
        Ok(read.map(|()| inputs))
    }

    fn one_inputs(&mut self, d: &mut Decoder<'a>) -> Read<StoredInputs> {
        object!(d, {
            coverage_hash: required "coverageHash" = Decoder::digest,
            grant: required "grant" = |d: &mut Decoder<'a>| self.grant(d),
            context: required "context" = GradeContext::decode,
            policy_hash: required "policyHash" = Decoder::digest,
        });
        Ok(Some(StoredInputs {
            coverage_hash,
            grant,
            context,
            policy_hash,
        }))
    }

    fn grant(&mut self, d: &mut Decoder<'a>) -> Read<Arc<Grant>> {
        let text = d.reader().skip()?;
        if let Some(grant) = self.grants.get(text) {
            return Ok(Some(Arc::clone(grant)));
        }
        match Decoder::read_document(text, Grant::decode) {
            Ok(grant) => {
                let grant = Arc::new(grant);
                self.grants.insert(text, Arc::clone(&grant));
                Ok(Some(grant))
            }
            Err(problems) => {
                let base = d.reader().path();
                for problem in problems.list() {
                    d.note_at(joined(&base, &problem.path), problem.kind);
                }
                Ok(None)
            }
        }
    }

    fn policies(&mut self, d: &mut Decoder<'a>) -> Read<BTreeMap<Digest, Policy>> {
        let mut policies = BTreeMap::new();
        let read = d.map(|d, key| {
            let hash = read_key(d, key);
            let document = Value::read(d.reader())?;
            let base = d.reader().path();
            let policy = match load_policy_value(&document) {
                Ok(policy) => policy,
                Err(error) => {
                    let code = error.code();
                    self.policy_problems
                        .extend(error.problems().iter().map(|one| LedgerProblem {
                            path: joined(&base, &one.path),
                            problem: one.problem.to_string(),
                            code,
                        }));
                    return Ok(None);
                }
            };
            let Some(hash) = hash else {
                return Ok(None);
            };
            if policy.hash() != hash {
                d.note(ProblemKind::HashMismatch);
                return Ok(None);
            }
            policies.insert(hash, policy);
            Ok(Some(()))
        })?;
        Ok(read.map(|()| policies))
    }
}

/// A path inside a value whose own path is `base`.
fn joined(base: &str, inner: &str) -> String {
    match inner.as_bytes().first() {
        None => base.to_owned(),
        Some(b'[') => format!("{base}{inner}"),
        Some(_) => format!("{base}.{inner}"),
    }
}

fn read_format(d: &mut Decoder<'_>) -> Read<()> {
    let format = d.parsed("\"attest-ledger\"", |text| Some(text == FORMAT))?;
    if format == Some(false) {
        d.note(ProblemKind::BadFormat);
    }
    Ok(format.filter(|good| *good).map(|_| ()))
}

fn read_version(d: &mut Decoder<'_>) -> Read<()> {
    let version = d.natural()?;
    if version.is_some_and(|version| version != VERSION) {
        d.note(ProblemKind::BadVersion);
    }
    Ok(version.filter(|version| *version == VERSION).map(|_| ()))
}

fn read_raw(d: &mut Decoder<'_>) -> Read<Raw> {
    d.reader().skip().map(|text| Some(text.into()))
}

/// Requests are passed through; each must be an object with its own `id`.
fn read_requests(d: &mut Decoder<'_>) -> Read<Vec<Raw>> {
    let mut ids = BTreeSet::new();
    d.any_list(|d| {
        let text = d.reader().skip()?;
        let Ok(request) = Value::parse(text, attest_canon::json::Limits::LEDGER) else {
            return Ok(None);
        };
        match request.get("id").and_then(Value::as_str) {
            Some(id) if ids.insert(id.to_owned()) => Ok(Some(text.into())),
            Some(_) => {
                d.note_member("id", ProblemKind::DuplicateId);
                Ok(None)
            }
            None => {
                d.note(ProblemKind::MustBe("an object with an id"));
                Ok(None)
            }
        }
    })
}

/// A map's key as a hash.
fn read_key(d: &mut Decoder<'_>, key: &str) -> Option<Digest> {
    let hash = Digest::parse(key);
    if hash.is_none() {
        d.note(ProblemKind::MustBe(
            "filed under a sha-256 of 64 lowercase hex digits",
        ));
    }
    hash
}

fn read_model_scores(d: &mut Decoder<'_>) -> Read<BTreeMap<Id, Vec<ModelScore>>> {
    let mut scores = BTreeMap::new();
    let read = d.map(|d, key| {
        let Some(claim) = Id::parse(key) else {
            d.note(ProblemKind::MustBe("filed under a claim's id"));
            d.reader().skip()?;
            return Ok(None);
        };
        Ok(ModelScore::decode_list(d)?.map(|list| {
            scores.insert(claim, list);
        }))
    })?;
    Ok(read.map(|()| scores))
}

fn read_meta(d: &mut Decoder<'_>) -> Read<Meta> {
    let mut meta = Meta::default();
    let read = d.map(|d, key| {
        if key == "lastBatchInstant" {
            meta.last_batch_instant = d.instant()?;
            return Ok(meta.last_batch_instant.map(|_| ()));
        }
        if let Some(ms) = key.strip_prefix(REPAIR_KEY) {
            if ms.is_empty() || !ms.bytes().all(|byte| byte.is_ascii_digit()) {
                d.note(ProblemKind::MustBe(
                    "filed under clockRepair. and milliseconds",
                ));
                d.reader().skip()?;
                return Ok(None);
            }
            return Ok(Repair::decode(d)?.map(|repair| {
                meta.repairs.insert(ms.into(), repair);
            }));
        }
        let text = d.reader().skip()?;
        meta.other.push((key.into(), text.into()));
        Ok(Some(()))
    })?;
    Ok(read.map(|()| meta))
}

fn read_coverages(d: &mut Decoder<'_>) -> Read<BTreeMap<Digest, Coverage>> {
    let mut coverages = BTreeMap::new();
    let read = d.map(|d, key| {
        let hash = read_key(d, key);
        let (Some(hash), Some(coverage)) = (hash, Coverage::decode(d)?) else {
            return Ok(None);
        };
        if coverage_hash(&coverage) != hash {
            d.note(ProblemKind::HashMismatch);
            return Ok(None);
        }
        coverages.insert(hash, coverage);
        Ok(Some(()))
    })?;
    Ok(read.map(|()| coverages))
}

/// What rows say about each other: distinct ids, fields their source may hold,
/// coverages that are there.
fn check_tables(d: &mut Decoder<'_>, ledger: &Ledger) {
    distinct(d, "claims", ledger.claims.iter().map(|row| row.id));
    distinct(
        d,
        "observations",
        ledger.observations.iter().map(|row| row.id),
    );
    distinct(d, "receipts", ledger.receipts.iter().map(|row| row.id));
    // The shipped policy's allowlist says what a source's rows may hold
    // (supplement D); it always loads.
    if let Ok(shipped) = load_policy(DEFAULT_POLICY) {
        for (at, row) in ledger.observations.iter().enumerate() {
            for key in foreign_fields(row, &shipped) {
                let mut path = String::from("observations");
                push_index(&mut path, at);
                push_key(&mut path, key);
                d.note_at(path, ProblemKind::NotAllowedHere);
            }
        }
    }
    for (hash, inputs) in &ledger.receipt_inputs {
        if !ledger.batch_coverages.contains_key(&inputs.coverage_hash) {
            let mut path = String::from("receiptInputs");
            push_key(&mut path, &hash.to_string());
            push_key(&mut path, "coverageHash");
            d.note_at(path, ProblemKind::UnknownCoverage);
        }
    }
}

fn distinct(d: &mut Decoder<'_>, table: &str, ids: impl Iterator<Item = Id>) {
    let mut seen: Vec<(Id, usize)> = ids.zip(0..).collect();
    seen.sort_unstable();
    let mut again: Vec<usize> = seen
        .windows(2)
        .filter_map(|pair| match pair {
            [(a, _), (b, at)] if a == b => Some(*at),
            _ => None,
        })
        .collect();
    again.sort_unstable();
    for at in again {
        let mut path = String::from(table);
        push_index(&mut path, at);
        push_key(&mut path, "id");
        d.note_at(path, ProblemKind::DuplicateId);
    }
}

/// The content fields a row holds that its source's allowlist does not name.
pub(super) fn foreign_fields(row: &Observation, policy: &Policy) -> Vec<&'static str> {
    [
        (
            "counterparty",
            Field::Counterparty,
            row.counterparty.is_some(),
        ),
        ("merchant", Field::Merchant, row.merchant.is_some()),
        ("amountCents", Field::AmountCents, row.amount.is_some()),
        ("currency", Field::Currency, row.currency.is_some()),
        (
            "subjectHint",
            Field::SubjectHint,
            row.subject_hint.is_some(),
        ),
    ]
    .into_iter()
    .filter(|(_, field, held)| *held && !policy.allows_field(row.source, *field))
    .map(|(key, ..)| key)
    .collect()
}

#[cfg(test)]
mod tests;
