//! One look at what is open: graded once, asked about until something is to
//! be changed.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use attest_canon::Id;
use attest_grading::decide::{Batch, Graded, GradingError};
use attest_grading::ledger::{Event, Ledger, transition};
use attest_grading::model::{IsoTs, Receipt};
use attest_grading::replay::Replayer;

use super::export::{export, offer};
use super::rows::Texts;
use super::serve::{FAULT, Opening, ask_revert};
use super::travel::{Verdicts, flips, known_at, verdicts};
use super::{Job, Ready, Refusal, fresh_trace, why_not};
use crate::inspector::row::Row;
use crate::inspector::screens::{Explainer, Facts, Query};
use crate::inspector::work::{
    Cancelled, Deed, Done, Explained, Inbox, Left, Opened, Preview, Progress, Request, Told,
};
use crate::store::{Held, Opened as Readable, Session, StoredEvent, View};

/// Why a look ended.
pub(super) enum Turn {
    /// The program ends.
    End,
    /// Something is to be changed, or looked at otherwise.
    Deed(Deed, Progress),
    /// The file is to be read anew.
    Open(Progress),
}

/// What is looked at.
pub(super) struct Look<'l> {
    pub job: &'l Job,
    pub held: &'l Held,
    /// Another instant, while a person travels.
    pub travel: Option<IsoTs>,
    /// What every receipt says at the ledger's own instant, from the last look
    /// there.
    pub now: &'l mut Verdicts,
    /// When it began, by the wall clock.
    pub at: IsoTs,
    /// How the look began: what the person is told first.
    pub opening: Opening,
}

impl Look<'_> {
    /// Grades, tells what there is to show, and answers until something is to
    /// be changed.
    ///
    /// # Errors
    ///
    /// It cannot be graded, or was cancelled (none).
    pub(super) fn serve(self, progress: &Progress, inbox: &Inbox) -> Result<Turn, Option<String>> {
        progress.report("preparing", 0, 0);
        let held = self.held.view();
        let now = held.default_instant();
        let known;
        let view = match (self.travel, held, now) {
            (Some(at), View::Ledger(ledger), Some(now)) if at.instant() < now.instant() => {
                known = known_at(ledger, at);
                View::Ledger(&known)
            }
            _ => held,
        };
        let ready = self
            .job
            .ready(view, self.travel.or(self.job.at))
            .map_err(Some)?;
        let graded = Grading::new(self.job, view, &ready, progress)?;
        let rows = graded.rows();
        let preview = match self.travel {
            Some(at) => Some(Preview {
                at,
                flips: flips(self.now, &rows),
            }),
            None => {
                *self.now = verdicts(&rows);
                None
            }
        };
        let opened = Arc::new(opened(self.held, &ready, rows, preview));
        inbox.tell(match self.opening {
            Opening::First => Told::Opened(opened),
            Opening::Again => Told::Renewed(opened),
        });
        let facts = facts(self.job, view, &ready, &graded);
        // What changes nothing is done without looking again.
        let done = |deed: &Deed, progress: &Progress| match deed {
            Deed::AskRevert(id) => Some(ask_revert(self.held, *id, self.at)),
            Deed::PlanExport(filters) => Some(offer(self.held, filters)),
            Deed::Export { filter, path } => Some(export(self.held, filter, path, progress)),
            _ => None,
        };
        Ok(answer(inbox, &facts, done))
    }
}

/// Grades what is open once, and makes something of it.
///
/// # Errors
///
/// It cannot be graded.
pub fn look<T>(
    job: &Job,
    opened: &Readable,
    make: impl FnOnce(&Facts<'_>, &[Row]) -> T,
) -> Result<T, Refusal> {
    let view = opened.view();
    let ready = job.ready(view, job.at)?;
    // Nobody cancels it.
    let graded = Grading::new(job, view, &ready, &Progress::silent());
    let graded = graded.map_err(Option::unwrap_or_default)?;
    let rows = graded.rows();
    Ok(make(&facts(job, view, &ready, &graded), &rows))
}

fn facts<'f>(
    job: &'f Job,
    view: View<'f>,
    ready: &'f Ready<'f>,
    graded: &'f Grading<'f>,
) -> Facts<'f> {
    Facts {
        path: job.path.as_deref(),
        ledger: ledger(view),
        scenario: match view {
            View::Scenario(world) => Some(world),
            View::Ledger(_) => None,
        },
        policy: &ready.policy,
        at: ready.at,
        explainer: graded,
    }
}

fn ledger(view: View<'_>) -> Option<&Ledger> {
    match view {
        View::Ledger(ledger) => Some(ledger),
        View::Scenario(_) => None,
    }
}

/// What is told of a screen's job that was cancelled.
pub(super) fn cancelled(query: &Query) -> Told {
    Told::Cancelled(Box::new(Cancelled::Query(query.clone())))
}

/// Answers what asks for no change.
fn answer(
    inbox: &Inbox,
    facts: &Facts<'_>,
    done: impl Fn(&Deed, &Progress) -> Option<Done>,
) -> Turn {
    while let Some((request, progress)) = inbox.next() {
        let told = catch_unwind(AssertUnwindSafe(|| match &request {
            Request::Explain(id) => Some(match facts.explainer.explain(*id) {
                Ok(explained) => Told::Explained(*id, Box::new(explained)),
                Err(message) => Told::Failed(message),
            }),
            Request::Query(query) if progress.is_cancelled() => Some(cancelled(query)),
            Request::Query(query) => {
                let answer = query.answer(Some(facts), &progress);
                Some(match progress.is_cancelled() {
                    true => cancelled(query),
                    false => Told::Answered(query.screen(), Box::new(answer)),
                })
            }
            Request::Do(deed) => done(deed, &progress).map(|done| Told::Done(Box::new(done))),
            Request::Open => None,
        }));
        match (told, request) {
            (Ok(Some(told)), _) => inbox.tell(told),
            (Ok(None), Request::Do(deed)) => return Turn::Deed(deed, progress),
            (Ok(None), _) => return Turn::Open(progress),
            (Err(_), _) => inbox.tell(Told::Failed(FAULT.to_owned())),
        }
    }
    Turn::End
}

fn opened(held: &Held, ready: &Ready<'_>, rows: Vec<Row>, preview: Option<Preview>) -> Opened {
    let session = held.session();
    Opened {
        rows,
        rules: ready
            .policy
            .rules()
            .iter()
            .map(|rule| rule.id.as_str().to_owned())
            .collect(),
        warnings: ready.next.warnings(),
        facts: None,
        read_only: held.read_only_because(),
        is_unsaved: session.is_some_and(Session::is_unsaved),
        has_journal: session.is_some_and(Session::has_journal),
        at: Some(ready.at),
        left: session.and_then(left),
        preview,
    }
}

/// What an earlier run left, as lines.
fn left(session: &Session) -> Option<Left> {
    let line = |stored: &StoredEvent| {
        let receipt = stored.receipt;
        match &stored.event {
            Event::Override { grade, at, .. } => format!("{receipt}  {grade} at {at}"),
            Event::Revert { at } => format!("{receipt}  taken back at {at}"),
            Event::Regrade(_) | Event::Supersede { .. } => format!("{receipt}"),
        }
    };
    let lines: Vec<String> = session.left().iter().map(line).collect();
    (!lines.is_empty()).then(|| Left {
        lines,
        fits: session.left_fits(),
    })
}

/// What one batch graded, and what is stored.
struct Grading<'l> {
    view: View<'l>,
    batch: Batch<'l>,
    /// Receipts made now, by id, as they would be stored: those the ledger does
    /// not hold, and its open ones graded again.
    fresh: BTreeMap<Id, (Receipt, Graded)>,
    replayer: OnceCell<Option<Replayer<'l>>>,
}

impl<'l> Grading<'l> {
    fn new(
        job: &Job,
        view: View<'l>,
        ready: &'l Ready<'l>,
        progress: &Progress,
    ) -> Result<Self, Option<String>> {
        let refuse = |error: GradingError| Some(format!("{}: {error}", job.name()));
        let batch = Batch::new(ready.next.input(&ready.policy)).map_err(refuse)?;
        let of = batch.claims().len();
        let graded = batch.grade_watched(|done| {
            if done % 1000 == 0 {
                progress.report("grading", done, of);
            }
            !progress.is_cancelled()
        });
        let graded = graded.map_err(refuse)?.ok_or(None)?;
        let stored: BTreeMap<Id, &Receipt> = view
            .receipts()
            .iter()
            .map(|receipt| (receipt.id, receipt))
            .collect();
        // What a stored receipt does not take, it does not become (§8).
        let fresh = graded.into_iter().filter_map(|one| {
            let receipt = match stored.get(&one.receipt.id) {
                None => one.receipt.clone(),
                Some(held) => {
                    let regrade = Event::Regrade(Box::new(one.receipt.clone()));
                    transition(held, regrade).ok()?
                }
            };
            Some((receipt.id, (receipt, one)))
        });
        Ok(Self {
            view,
            fresh: fresh.collect(),
            batch,
            replayer: OnceCell::new(),
        })
    }

    fn rows(&self) -> Vec<Row> {
        let texts = Texts::new(self.view.claims(), self.view.observations());
        let stored = self.view.receipts().iter();
        let stored = stored.filter(|receipt| !self.fresh.contains_key(&receipt.id));
        let mut rows: Vec<Row> = stored.map(|receipt| texts.row(receipt)).collect();
        rows.extend(self.fresh.values().map(|(receipt, _)| texts.row(receipt)));
        rows
    }
}

impl std::fmt::Debug for Grading<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Grading").finish_non_exhaustive()
    }
}

impl Explainer for Grading<'_> {
    fn explain(&self, id: Id) -> Result<Explained, String> {
        let mut stored = self.view.receipts().iter();
        let stored = stored.find(|receipt| receipt.id == id);
        if let Some((receipt, graded)) = self.fresh.get(&id) {
            return Ok(Explained {
                receipt: receipt.clone(),
                trace: fresh_trace(&self.batch, graded),
                is_stored: stored.is_some(),
            });
        }
        let receipt = stored.ok_or("there is no such receipt")?;
        let replayer = self.replayer.get_or_init(|| {
            let ledger = ledger(self.view)?;
            Some(Replayer::new(ledger.snapshot()))
        });
        let trace = match replayer {
            Some(replayer) => replayer.trace(receipt).map_err(|why| why_not(&why)),
            None => Err("it is not stored".to_owned()),
        };
        Ok(Explained {
            receipt: receipt.clone(),
            trace,
            is_stored: true,
        })
    }
}
