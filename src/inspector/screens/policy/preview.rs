//! What another policy would change: every stored batch derived again on its stored inputs with
//! the policy alone replaced, and the open receipts graded anew. Nothing of it is stored.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use attest_canon::Id;
use attest_grading::decide::{Batch, Graded, GradingError};
use attest_grading::ledger::NextBatch;
use attest_grading::model::{
    BaseState, Claim, Coverage, DisplayNumber, Grade, Observation, Receipt, ReceiptState,
};
use attest_grading::policy::Policy;
use attest_grading::replay::{Field, Rederived, Replayer};

use super::document::{Document, Proposal};
use crate::inspector::look::grade_word;
use crate::inspector::screens::Facts;
use crate::inspector::text::shown;
use crate::inspector::work::Progress;

/// What a receipt says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Verdict {
    /// Its grade; none while it is checking.
    pub grade: Option<Grade>,
    /// The rule.
    pub rule: String,
    /// Its evidence.
    evidence: Vec<Id>,
    /// The number shown for it.
    pub confidence: DisplayNumber,
}

/// One receipt that would change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    /// The receipt.
    pub id: String,
    /// Who and what, fit for a terminal.
    pub label: String,
    /// Whether it is open and graded anew; else it is stored and derived again.
    pub is_open: bool,
    /// Whether a person's word stands on it, which no policy changes.
    pub is_overridden: bool,
    /// What it says; none where there is no receipt.
    pub before: Option<Verdict>,
    /// What it would say; none where there would be no receipt.
    pub after: Option<Verdict>,
}

/// What a proposal would change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Preview {
    /// The policy it makes.
    pub document: Document,
    /// The receipts that would say something else.
    pub changes: Vec<Change>,
    /// Stored receipts derived again.
    pub stored: usize,
    /// Receipts graded anew.
    pub open: usize,
    /// Receipts that would say the same by another score.
    pub other_score: usize,
    /// Stored receipts that cannot be derived again, by why.
    pub underivable: BTreeMap<Field, usize>,
}

/// What comes of a proposal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// What would change.
    Preview(Box<Preview>),
    /// Why the policy is refused, a line each.
    Refused(Vec<String>),
    /// Why nothing is known of it: the policy may be a good one.
    Failed(String),
}

/// Previews a proposal. What was cancelled is not used by anybody.
///
/// # Errors
/// Grading refuses the open receipts.
pub fn preview(
    proposal: &Proposal,
    facts: &Facts<'_>,
    progress: &Progress,
) -> Result<Outcome, String> {
    let report = |what: &'static str, done: usize, of: usize| {
        if done.is_multiple_of(1000) {
            progress.report(what, done, of);
        }
        !progress.is_cancelled()
    };
    preview_watched(proposal, facts, report)
}

/// [`preview`], telling how far it is; it stops when `go_on` says to.
///
/// # Errors
/// Grading refuses the open receipts.
pub fn preview_watched(
    proposal: &Proposal,
    facts: &Facts<'_>,
    mut go_on: impl FnMut(&'static str, usize, usize) -> bool,
) -> Result<Outcome, String> {
    let text = match &proposal.file {
        None => facts.policy.canonical().to_owned(),
        Some(file) => match crate::store::read(Path::new(file)) {
            Ok(text) => text.as_str().to_owned(),
            Err(error) => return Ok(Outcome::Refused(vec![error.to_string()])),
        },
    };
    let policy = match Document::changed(&text, proposal) {
        Ok(policy) => policy,
        Err(lines) => return Ok(Outcome::Refused(lines)),
    };
    let stopped = || Err("cancelled".to_owned());
    if !go_on("grading by the loaded policy", 0, 0) {
        return stopped();
    }
    let Some(before) = open_receipts(facts, facts.policy, &mut go_on)? else {
        return stopped();
    };
    let Some(after) = open_receipts(facts, &policy, &mut go_on)? else {
        return stopped();
    };
    let mut found = Found::new(facts, Document::new(&policy));
    found.open(&before, &after);
    if let Some(ledger) = facts.ledger {
        let replayer = Replayer::new(ledger.snapshot());
        let of = ledger.receipts.len();
        let wanted = |receipt: &Receipt| !before.contains_key(&receipt.id);
        let Some(under) = replayer.under(&policy, wanted, |done| {
            go_on("deriving stored receipts", done, of)
        }) else {
            return stopped();
        };
        let stored: BTreeMap<Id, &Receipt> =
            ledger.receipts.iter().map(|one| (one.id, one)).collect();
        for one in under {
            if let Some(receipt) = stored.get(&one.receipt_id) {
                found.stored(receipt, one.rederived);
            }
        }
    }
    Ok(Outcome::Preview(Box::new(found.preview)))
}

/// The receipts the next batch makes that are not settled in the ledger; none when it was stopped.
fn open_receipts(
    facts: &Facts<'_>,
    policy: &Policy,
    go_on: &mut impl FnMut(&'static str, usize, usize) -> bool,
) -> Result<Option<BTreeMap<Id, Receipt>>, String> {
    let next;
    let coverage;
    let input = match (facts.ledger, facts.scenario) {
        (Some(ledger), _) => {
            next = NextBatch::new(ledger, facts.at).map_err(|error| error.to_string())?;
            next.input(policy)
        }
        (None, Some(world)) => {
            coverage = Coverage {
                evaluated_at: facts.at,
                ..world.coverage.clone()
            };
            world.batch_input(policy, &coverage)
        }
        (None, None) => return Ok(Some(BTreeMap::new())),
    };
    let refuse = |error: GradingError| error.to_string();
    let batch = Batch::new(input).map_err(refuse)?;
    let of = batch.claims().len();
    let graded: Option<Vec<Graded>> = batch
        .grade_watched(|done| go_on("grading open receipts", done, of))
        .map_err(refuse)?;
    let Some(graded) = graded else {
        return Ok(None);
    };
    // What the ledger holds as settled is not replaced by a batch (§8).
    let is_settled =
        |one: &&Receipt| one.state != ReceiptState::Pending || !one.reverted.is_empty();
    let stored = facts.ledger.iter().flat_map(|ledger| &ledger.receipts);
    let settled: BTreeSet<Id> = stored.filter(is_settled).map(|one| one.id).collect();
    let open = graded
        .into_iter()
        .map(|one| (one.receipt.id, one.receipt))
        .filter(|(id, _)| !settled.contains(id));
    Ok(Some(open.collect()))
}

/// A preview being put together.
struct Found<'a> {
    preview: Preview,
    claims: BTreeMap<Id, &'a Claim>,
    rows: BTreeMap<Id, &'a Observation>,
}

impl<'a> Found<'a> {
    fn new(facts: &Facts<'a>, document: Document) -> Self {
        let (claims, rows): (&[Claim], &[Observation]) = match (facts.ledger, facts.scenario) {
            (Some(ledger), _) => (&ledger.claims, &ledger.observations),
            (None, Some(world)) => (&world.claims, &world.observations),
            (None, None) => (&[], &[]),
        };
        Self {
            preview: Preview {
                document,
                changes: Vec::new(),
                stored: 0,
                open: 0,
                other_score: 0,
                underivable: BTreeMap::new(),
            },
            claims: claims.iter().map(|one| (one.id, one)).collect(),
            rows: rows.iter().map(|one| (one.id, one)).collect(),
        }
    }

    /// The open receipts, graded by either policy.
    fn open(&mut self, before: &BTreeMap<Id, Receipt>, after: &BTreeMap<Id, Receipt>) {
        self.preview.open = before.len();
        for (id, receipt) in before {
            self.add(receipt, true, Some(receipt), after.get(id));
        }
        for (id, receipt) in after {
            if !before.contains_key(id) {
                self.add(receipt, true, None, Some(receipt));
            }
        }
    }

    /// A stored receipt, derived again.
    fn stored(&mut self, receipt: &Receipt, rederived: Rederived) {
        self.preview.stored += 1;
        match rederived {
            Rederived::Receipt(after) => self.add(receipt, false, Some(receipt), Some(&after)),
            Rederived::Nothing => self.add(receipt, false, Some(receipt), None),
            Rederived::Underivable(field) => {
                *self.preview.underivable.entry(field).or_default() += 1;
            }
        }
    }

    fn add(
        &mut self,
        receipt: &Receipt,
        is_open: bool,
        before: Option<&Receipt>,
        after: Option<&Receipt>,
    ) {
        let (before, after) = (before.map(verdict), after.map(verdict));
        if let (Some(before), Some(after)) = (&before, &after)
            && before.grade == after.grade
            && before.rule == after.rule
            && before.evidence == after.evidence
        {
            if before.confidence != after.confidence {
                self.preview.other_score += 1;
            }
            return;
        }
        self.preview.changes.push(Change {
            id: receipt.id.to_string(),
            label: self.label(receipt),
            is_open,
            is_overridden: receipt.user_override.is_some(),
            before,
            after,
        });
    }

    fn label(&self, receipt: &Receipt) -> String {
        let claim = receipt.claim_id.and_then(|id| self.claims.get(&id));
        let row = receipt.observation_ids.first();
        let row = row.and_then(|id| self.rows.get(id));
        let likely = if receipt.attribution_likely {
            "likely "
        } else {
            ""
        };
        let mut parts = vec![format!("{likely}{}", receipt.agent)];
        let (action, texts) = match (claim, row) {
            (Some(claim), _) => (
                claim.action.as_str(),
                [&claim.counterparty, &claim.subject_hint],
            ),
            (None, Some(row)) => (row.action.as_str(), [&row.counterparty, &row.subject_hint]),
            (None, None) => ("a permission", [&None, &None]),
        };
        parts.push(action.to_owned());
        let texts = texts.into_iter().filter_map(|text| text.as_deref());
        parts.extend(texts.map(|text| shown(text).into_owned()));
        parts.join("  ")
    }
}

/// What a receipt's grading says; a placeholder is no grade (§2).
fn verdict(receipt: &Receipt) -> Verdict {
    Verdict {
        grade: match receipt.base_state() {
            BaseState::Pending => None,
            BaseState::Final => Some(receipt.grade),
        },
        rule: shown(receipt.rule_id.as_str()).into_owned(),
        evidence: receipt.observation_ids.clone(),
        confidence: receipt.confidence,
    }
}

/// A verdict as words; of no receipt, that there is none.
pub fn word(verdict: Option<&Verdict>) -> &'static str {
    match verdict.map(|verdict| verdict.grade) {
        Some(Some(grade)) => grade_word(grade),
        Some(None) => "checking",
        None => "no receipt",
    }
}
