//! A ledger on the inspector's work thread: opened, graded, and asked about one
//! receipt at a time. It computes nothing of its own: rows come from receipts,
//! explanations from traces.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use attest_canon::Id;
use attest_grading::decide::{Batch, Graded, Trace};
use attest_grading::model::{
    Claim, DisplayNumber, IsoTs, Observation, Receipt, ReceiptSignal, ReceiptState,
};
use attest_grading::policy::{DEFAULT_POLICY, Policy, load_policy};
use attest_grading::replay::{Mismatch, Replayer};
use attest_grading::text::escaped;

use crate::inspector::row::{Row, Subject};
use crate::inspector::screens::{Answer, Facts, Query};
use crate::inspector::work::{Desk, Explained, Opened as Shown, Progress};
use crate::store::{self, Next, Opened, Source};

/// The demo ledger, as `attest-tui demo` writes it.
pub const DEMO: &str = include_str!("../golden/ledgers/demo.json");

/// What to open, and how to grade it.
#[derive(Clone, Debug, Default)]
pub struct Job {
    /// The file; none for the embedded demo.
    pub path: Option<PathBuf>,
    /// The batch's instant; none for the ledger's own (supplement J).
    pub at: Option<IsoTs>,
    /// The policy; none for the scenario's own or the shipped one.
    pub policy: Option<Policy>,
}

/// Why a job cannot be done: lines to show, already escaped.
pub type Refusal = String;

impl Job {
    /// The name messages give the file.
    #[must_use]
    pub fn name(&self) -> String {
        self.path.as_ref().map_or_else(
            || "demo".to_owned(),
            |path| escaped(&path.to_string_lossy()).into_owned(),
        )
    }

    /// Reads the file.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with it.
    pub fn open(&self) -> Result<Opened, Refusal> {
        match &self.path {
            Some(path) => store::open(path)
                .map(|(opened, _)| opened)
                .map_err(|error| error.to_string()),
            None => Opened::read("demo".as_ref(), DEMO).map_err(|error| error.to_string()),
        }
    }

    /// Grades what the file's next batch would.
    ///
    /// # Errors
    ///
    /// No instant to grade at, or what grading refuses.
    pub fn prepare<'o>(&'o self, opened: &'o Opened) -> Result<Ready<'o>, Refusal> {
        let name = self.name();
        let at = self.at.or_else(|| opened.default_instant());
        let at =
            at.ok_or_else(|| format!("{name}: holds no instant to grade at; give one with --at"))?;
        let policy = match (&self.policy, opened.policy()) {
            (Some(policy), _) => policy.clone(),
            (None, Some(policy)) => policy.clone(),
            (None, None) => load_policy(DEFAULT_POLICY).map_err(|error| error.to_string())?,
        };
        let next = opened
            .next_batch(at)
            .map_err(|error| format!("{name}: {error}"))?;
        Ok(Ready { next, policy, at })
    }
}

/// A batch that is about to run.
pub struct Ready<'o> {
    /// What it is handed.
    pub next: Next<'o>,
    /// By which policy.
    pub policy: Policy,
    /// At which instant.
    pub at: IsoTs,
}

/// The desk of one job. What it opens stays open until the program ends, so it
/// is given to the program for good and borrowed freely.
#[derive(Default)]
pub struct LedgerDesk {
    job: Job,
    open: Option<OpenDesk>,
}

struct OpenDesk {
    path: Option<&'static Path>,
    policy: &'static Policy,
    at: IsoTs,
    opened: &'static Opened,
    replayer: Option<Replayer<'static>>,
    batch: Batch<'static>,
    /// Receipts made now, by id: those the ledger does not hold, and its
    /// PENDING ones graded again.
    fresh: BTreeMap<Id, Graded>,
}

impl LedgerDesk {
    /// A desk for a job.
    #[must_use]
    pub fn new(job: Job) -> Self {
        Self { job, open: None }
    }
}

impl Desk for LedgerDesk {
    fn open(&mut self, progress: &Progress) -> Result<Shown, String> {
        progress.report("reading", 0, 0);
        let job: &'static Job = Box::leak(Box::new(self.job.clone()));
        let opened: &'static Opened = Box::leak(Box::new(job.open()?));
        let ready: &'static Ready<'static> = Box::leak(Box::new(job.prepare(opened)?));
        progress.report("preparing", 0, 0);
        let refuse =
            |error: attest_grading::decide::GradingError| format!("{}: {error}", job.name());
        let batch = Batch::new(ready.next.input(&ready.policy)).map_err(refuse)?;
        let of = batch.claims().len();
        let graded = batch.grade_watched(|done| {
            if done % 1000 == 0 {
                progress.report("grading", done, of);
            }
            !progress.is_cancelled()
        });
        let graded = graded.map_err(refuse)?.unwrap_or_default();
        let pending: BTreeMap<Id, bool> = opened
            .receipts()
            .iter()
            .map(|receipt| {
                (
                    receipt.id,
                    receipt.state == ReceiptState::Pending && receipt.reverted.is_empty(),
                )
            })
            .collect();
        let fresh: BTreeMap<Id, Graded> = graded
            .into_iter()
            .filter(|one| pending.get(&one.receipt.id).copied().unwrap_or(true))
            .map(|one| (one.receipt.id, one))
            .collect();
        let texts = Texts::new(opened.claims(), opened.observations());
        let stored = opened
            .receipts()
            .iter()
            .filter(|receipt| !fresh.contains_key(&receipt.id));
        let mut rows: Vec<Row> = stored.map(|receipt| texts.row(receipt)).collect();
        rows.extend(fresh.values().map(|one| texts.row(&one.receipt)));
        let replayer = match &opened.source {
            Source::Ledger(ledger) => Some(Replayer::new(ledger.snapshot())),
            Source::Scenario(_) => None,
        };
        let shown = Shown {
            rows,
            rules: ready
                .policy
                .rules()
                .iter()
                .map(|rule| rule.id.as_str().to_owned())
                .collect(),
            warnings: ready.next.warnings(),
            read_only: true,
        };
        self.open = Some(OpenDesk {
            path: job.path.as_deref(),
            policy: &ready.policy,
            at: ready.at,
            opened,
            replayer,
            batch,
            fresh,
        });
        Ok(shown)
    }

    fn explain(&mut self, receipt: Id) -> Result<Explained, String> {
        let open = self.open.as_ref().ok_or("the ledger is not open")?;
        open.explain(receipt)
    }

    fn query(&mut self, query: &Query, progress: &Progress) -> Result<Answer, String> {
        let facts = self.open.as_ref().map(|open| Facts {
            path: open.path,
            ledger: match &open.opened.source {
                Source::Ledger(ledger) => Some(ledger),
                Source::Scenario(_) => None,
            },
            scenario: match &open.opened.source {
                Source::Ledger(_) => None,
                Source::Scenario(world) => Some(world),
            },
            policy: open.policy,
            at: open.at,
        });
        query.answer(facts.as_ref(), progress)
    }
}

impl OpenDesk {
    fn explain(&self, id: Id) -> Result<Explained, String> {
        if let Some(graded) = self.fresh.get(&id) {
            return Ok(Explained {
                receipt: graded.receipt.clone(),
                trace: fresh_trace(&self.batch, graded),
            });
        }
        let receipt = self
            .opened
            .receipts()
            .iter()
            .find(|receipt| receipt.id == id);
        let receipt = receipt.ok_or("there is no such receipt")?;
        let trace = match &self.replayer {
            Some(replayer) => replayer.trace(receipt).map_err(|why| why_not(&why)),
            None => Err("it is not stored".to_owned()),
        };
        Ok(Explained {
            receipt: receipt.clone(),
            trace,
        })
    }
}

/// The trace of a receipt a batch made.
///
/// # Errors
///
/// What grading refuses, as a line.
pub fn fresh_trace(batch: &Batch<'_>, graded: &Graded) -> Result<Trace, String> {
    batch
        .trace_of(graded)
        .map_err(|error| error.to_string())?
        .ok_or_else(|| "its subject is not in the ledger".to_owned())
}

/// Why a stored receipt cannot be derived again, as a line.
#[must_use]
pub fn why_not(mismatch: &Mismatch) -> String {
    format!("it cannot be derived again: {}", mismatch.field)
}

/// The texts rows show beside their receipts.
#[derive(Debug)]
pub struct Texts<'o> {
    claims: BTreeMap<Id, &'o Claim>,
    observations: BTreeMap<Id, &'o Observation>,
}

impl<'o> Texts<'o> {
    /// The texts of these rows.
    #[must_use]
    pub fn new(claims: &'o [Claim], observations: &'o [Observation]) -> Self {
        Self {
            claims: claims.iter().map(|claim| (claim.id, claim)).collect(),
            observations: observations.iter().map(|row| (row.id, row)).collect(),
        }
    }

    /// A receipt's row: what a list shows and a filter asks.
    #[must_use]
    pub fn row(&self, receipt: &Receipt) -> Row {
        let score: Option<DisplayNumber> = match receipt.attribution_likely {
            true => Some(receipt.confidence),
            false => receipt.signals.get(ReceiptSignal::Score),
        };
        let claim = receipt.claim_id.and_then(|id| self.claims.get(&id));
        let orphan = receipt
            .observation_ids
            .first()
            .and_then(|id| self.observations.get(id));
        let subject = match (claim, orphan) {
            (Some(claim), _) => Subject {
                action: Some(claim.action),
                at: claim.claimed_at,
                who: claim.counterparty.as_deref().unwrap_or_default(),
                what: claim.subject_hint.as_deref().unwrap_or_default(),
                score,
            },
            (None, Some(row)) => Subject {
                action: Some(row.action),
                at: row.occurred_at,
                who: row
                    .counterparty
                    .as_deref()
                    .or(row.merchant.as_deref())
                    .unwrap_or_default(),
                what: row.subject_hint.as_deref().unwrap_or_default(),
                score,
            },
            (None, None) => Subject {
                action: None,
                at: receipt.computed_at,
                who: "",
                what: "a permission",
                score,
            },
        };
        Row::new(receipt, &subject)
    }
}
