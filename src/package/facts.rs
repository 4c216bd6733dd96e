//! The facts of a ledger's package: each kind's value, in the profile's order.
//!
//! Where the profile leaves open: a count counts receipts; a PENDING receipt
//! counts as `checking` whether a batch still checks it or it is only kept,
//! since the profile knows no other word; clock repairs stand as the ledger
//! writes them, by their start; a replay is of the selection's receipts, in
//! the world of the whole ledger. `NAME` and `LEDGER` in the command are those
//! words themselves: a package's bytes do not depend on its name.

use std::collections::{BTreeMap, BTreeSet};

use attest_canon::jcs::Writer;
use attest_canon::json::{Limits, Value};
use attest_canon::{Digest, Id};
use attest_grading::decide::coverage::Cap;
use attest_grading::ledger::Ledger;
use attest_grading::ledger::export::{FORMAT, VERSION};
use attest_grading::ledger::rules::retention::RETENTION_DAYS;
use attest_grading::model::{Canonical, Instant, IsoTs, ReasonCode, Receipt};
use attest_grading::replay::{Field, Mismatch, Replayer};
use attest_package::document::FactKind;

use super::selection::{LedgerFile, Selection};

/// The name a package's tool has.
pub const TOOL: &str = "attest-tui";

/// The grading reference receipts are graded by.
const GRADING_REFERENCE: &str = "1.19";

/// How to verify a package offline.
const VERIFY: &str =
    "attest-tui package verify NAME.tar --context NAME.context.json --ledger LEDGER";

/// What stays with the ledger.
const WITHHELD: [&str; 4] = ["claims", "grants", "observations", "overrideReasons"];

/// What deriving the selected receipts again came to.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Replayed {
    /// Receipts derived again.
    pub replayed: usize,
    /// Those that differ in some field, or cannot be derived.
    pub mismatched: usize,
    /// In what they differ.
    pub mismatches: Vec<Mismatch>,
}

impl Replayed {
    /// Derives a ledger's receipts again and keeps what is said of these; `None`
    /// when `go_on`, told how many are done, says to stop.
    pub(super) fn of(
        ledger: &Ledger,
        chosen: &[&Receipt],
        go_on: impl FnMut(usize) -> bool,
    ) -> Option<Self> {
        let ids: BTreeSet<Id> = chosen.iter().map(|receipt| receipt.id).collect();
        let report = Replayer::new(ledger.snapshot()).report_watched(go_on)?;
        let mut mismatches = report.mismatches;
        mismatches.retain(|mismatch| ids.contains(&mismatch.receipt_id));
        let mismatched: BTreeSet<Id> = mismatches.iter().map(|one| one.receipt_id).collect();
        Some(Self {
            replayed: ids.len(),
            mismatched: mismatched.len(),
            mismatches,
        })
    }

    /// Receipts derived again exactly.
    #[must_use]
    pub fn reproduced(&self) -> usize {
        self.replayed.saturating_sub(self.mismatched)
    }
}

/// What the facts are made of.
pub(super) struct Material<'a> {
    pub(super) file: LedgerFile<'a>,
    pub(super) selection: &'a Selection,
    /// The version of the tool that exports.
    pub(super) version: &'a str,
    pub(super) chosen: &'a [&'a Receipt],
    /// The policies the selection was graded under, by hash.
    pub(super) policies: &'a BTreeMap<Digest, &'a str>,
    pub(super) replayed: &'a Replayed,
}

impl Material<'_> {
    /// Every fact's value, in the profile's order.
    pub(super) fn values(&self) -> [(FactKind, String); 13] {
        [
            (FactKind::OriginalDigests, self.original_digests()),
            (FactKind::ProducerInvocation, self.producer_invocation()),
            (FactKind::SchemaVersions, self.schema_versions()),
            (FactKind::Denominator, self.denominator()),
            (FactKind::Windows, self.windows()),
            (FactKind::Clock, self.clock()),
            (FactKind::MissingEvidence, self.missing_evidence()),
            (FactKind::PolicyActivation, self.policy_activation()),
            (FactKind::ChainGaps, self.chain_gaps()),
            (FactKind::Actor, self.actor()),
            (FactKind::Retention, retention()),
            (FactKind::WithholdingDerivatives, withholding()),
            (FactKind::OfflineVerification, offline_verification()),
        ]
    }

    fn original_digests(&self) -> String {
        object(|out| {
            out.key("ledger");
            out.begin_object();
            member_number(out, "bytes", self.file.bytes);
            member_text(out, "format", FORMAT);
            out.key("sha256");
            out.token(&self.file.sha256);
            out.key("version");
            out.integer(VERSION);
            out.end_object();
        })
    }

    fn producer_invocation(&self) -> String {
        object(|out| {
            member_text(out, "selection", self.selection.text());
            member_text(out, "tool", TOOL);
            member_text(out, "version", self.version);
        })
    }

    fn schema_versions(&self) -> String {
        object(|out| {
            member_text(out, "gradingReference", GRADING_REFERENCE);
            out.key("ledger");
            out.integer(VERSION);
            out.key("policy");
            let versions: BTreeSet<&str> = self
                .policies
                .values()
                .filter_map(|text| policy_version(text))
                .collect();
            array(out, versions, |out, version| out.canonical(version));
        })
    }

    fn denominator(&self) -> String {
        object(|out| {
            out.key("ledger");
            counts(out, &by_grade(self.file.ledger.receipts.iter()));
            out.key("selection");
            counts(out, &by_grade(self.chosen.iter().copied()));
        })
    }

    fn windows(&self) -> String {
        let mut windows: BTreeMap<&str, (Instant, Instant)> = BTreeMap::new();
        for entry in &self.file.ledger.coverage {
            let seen = entry.window();
            windows
                .entry(entry.source.as_str())
                .and_modify(|(first, last)| {
                    *first = seen.from.min(*first);
                    *last = seen.to.max(*last);
                })
                .or_insert((seen.from, seen.to));
        }
        object(|out| {
            for (source, (first, last)) in windows {
                out.key(source);
                out.begin_object();
                out.key("first");
                out.token(&utc(first));
                out.key("last");
                out.token(&utc(last));
                out.end_object();
            }
        })
    }

    fn clock(&self) -> String {
        let mut repairs: Vec<_> = self.file.ledger.meta.repairs.values().collect();
        repairs.sort_by_key(|repair| (repair.from.instant(), repair.to.instant()));
        object(|out| {
            out.key("repairs");
            array(out, repairs, |out, repair| repair.write(out));
        })
    }

    fn missing_evidence(&self) -> String {
        let mut missing: BTreeMap<&str, usize> = BTreeMap::new();
        for receipt in self.chosen {
            let codes: BTreeSet<ReasonCode> = receipt
                .reasons
                .iter()
                .map(attest_grading::model::Reason::code)
                .filter(|code| is_cap(*code))
                .collect();
            for code in codes {
                add(&mut missing, code.as_str());
            }
        }
        let mut out = Writer::new();
        counts(&mut out, &missing);
        out.into_text()
    }

    fn policy_activation(&self) -> String {
        object(|out| {
            out.key("policies");
            array(out, self.policies.keys(), |out, hash| out.token(hash));
        })
    }

    fn chain_gaps(&self) -> String {
        let mut fields: BTreeMap<&str, usize> = BTreeMap::new();
        for mismatch in &self.replayed.mismatches {
            add(&mut fields, Field::as_str(mismatch.field));
        }
        object(|out| {
            out.key("fields");
            counts(out, &fields);
            member_number(out, "mismatched", self.replayed.mismatched);
            member_number(out, "replayed", self.replayed.replayed);
            member_number(out, "reproduced", self.replayed.reproduced());
        })
    }

    fn actor(&self) -> String {
        let agents: BTreeSet<&str> = self.chosen.iter().map(|one| one.agent.as_str()).collect();
        object(|out| {
            out.key("agents");
            array(out, agents, |out, agent| out.string(agent));
        })
    }
}

fn retention() -> String {
    object(|out| {
        out.key("days");
        out.integer(RETENTION_DAYS);
    })
}

fn withholding() -> String {
    object(|out| {
        member_text(out, "boundBy", FactKind::OriginalDigests.token());
        out.key("withheld");
        array(out, WITHHELD, |out, what| out.string(what));
    })
}

fn offline_verification() -> String {
    object(|out| {
        out.key("commands");
        array(out, [VERIFY], |out, command| out.string(command));
    })
}

/// `{"receipts": count}`: what the inventory says of correlation.
pub(super) fn correlation(receipts: usize) -> String {
    object(|out| member_number(out, "receipts", receipts))
}

/// The cap codes of §15: why coverage counted at most as partial. One of them,
/// several accounts, is of a source as a whole and so no entry's [`Cap`].
fn is_cap(code: ReasonCode) -> bool {
    code == ReasonCode::CoverageAccountPartial || Cap::ALL.iter().any(|cap| cap.reason() == code)
}

/// What a receipt counts as (§2, §8): the person's word while it stands.
fn by_grade<'r>(receipts: impl Iterator<Item = &'r Receipt>) -> BTreeMap<&'static str, usize> {
    let mut grades = BTreeMap::new();
    for receipt in receipts {
        let grade = receipt.counted_grade();
        add(
            &mut grades,
            grade.map_or("checking", |grade| grade.as_str()),
        );
    }
    grades
}

/// An instant's text in UTC.
pub(super) fn utc(instant: Instant) -> IsoTs {
    IsoTs::computed(instant, 0)
}

/// The `version` of a policy's canonical document.
fn policy_version(text: &str) -> Option<&str> {
    let Ok(Value::Object(members)) = Value::parse(text, Limits::LEDGER) else {
        return None;
    };
    members.into_iter().find_map(|(key, value)| match value {
        Value::Number(std::borrow::Cow::Borrowed(number)) if key == "version" => Some(number),
        _ => None,
    })
}

fn add<'k>(counts: &mut BTreeMap<&'k str, usize>, key: &'k str) {
    let count = counts.entry(key).or_default();
    *count = count.saturating_add(1);
}

fn object(write: impl FnOnce(&mut Writer)) -> String {
    let mut out = Writer::new();
    out.begin_object();
    write(&mut out);
    out.end_object();
    out.into_text()
}

fn array<T>(
    out: &mut Writer,
    elements: impl IntoIterator<Item = T>,
    mut write: impl FnMut(&mut Writer, T),
) {
    out.begin_array();
    for element in elements {
        out.element();
        write(out, element);
    }
    out.end_array();
}

fn counts(out: &mut Writer, counts: &BTreeMap<&str, usize>) {
    out.begin_object();
    for (key, count) in counts {
        member_number(out, key, *count);
    }
    out.end_object();
}

fn member_text(out: &mut Writer, key: &str, text: &str) {
    out.key(key);
    out.string(text);
}

fn member_number(out: &mut Writer, key: &str, number: impl ToString) {
    out.key(key);
    out.canonical(&number.to_string());
}
