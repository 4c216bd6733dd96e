//! The desk: holds what is open, looks at it, and changes it when asked.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use attest_canon::Id;
use attest_grading::ledger::state::knows;
use attest_grading::ledger::{EventKind, Ledger};
use attest_grading::model::{IsoTs, OverrideGrade, Receipt};

use super::look::{Look, Turn};
use super::rows::row;
use super::travel::Verdicts;
use super::{DEMO, Job, now};
use crate::inspector::look::grade_word;
use crate::inspector::panes::tabs::format::Clock;
use crate::inspector::text::counted;
use crate::inspector::work::{Asked, Cancelled, Deed, Desk, Done, Inbox, Progress, Request, Told};
use crate::store::{EventError, Held, Problem, Session, StoreError};

/// What is said of a panic, which no message may come from.
pub(super) const FAULT: &str = "the work ended by a fault of the program";

/// Whether a look is the first at a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Opening {
    First,
    Again,
}

/// The desk of one job.
pub struct LedgerDesk {
    job: Job,
    clock: fn() -> IsoTs,
    open: fn(&Path) -> Result<Held, crate::store::OpenError>,
}

impl LedgerDesk {
    /// A desk for a job.
    #[must_use]
    pub fn new(job: Job) -> Self {
        Self {
            job,
            clock: now,
            open: Held::open,
        }
    }

    /// A desk with another clock, and another way to open files.
    #[cfg(test)]
    pub(super) fn with(
        job: Job,
        clock: fn() -> IsoTs,
        open: fn(&Path) -> Result<Held, crate::store::OpenError>,
    ) -> Self {
        Self { job, clock, open }
    }

    fn hold(&self) -> Result<Held, String> {
        match &self.job.path {
            Some(path) => (self.open)(path).map_err(|error| error.to_string()),
            None => Ledger::read(DEMO)
                .map(Held::homeless)
                .map_err(|error| error.to_string()),
        }
    }

    /// Holds the file until it is to be read anew; none when the program ends.
    fn run(&mut self, mut progress: Progress, inbox: &Inbox) -> Option<Progress> {
        progress.report("reading", 0, 0);
        let mut held = match self.hold() {
            Ok(held) => held,
            Err(message) => {
                inbox.tell(Told::Failed(message));
                return idle(inbox).map(|(_, progress)| progress);
            }
        };
        let mut verdicts = Verdicts::new();
        let mut travel = None;
        // The instant that was shown last.
        let mut seen = None;
        let mut opening = Opening::First;
        loop {
            let look = Look {
                job: &self.job,
                held: &held,
                travel,
                now: &mut verdicts,
                at: (self.clock)(),
                opening,
            };
            let turn = catch_unwind(AssertUnwindSafe(|| look.serve(&progress, inbox)));
            let turn = match turn {
                Ok(Ok(turn)) => {
                    seen = travel;
                    opening = Opening::Again;
                    turn
                }
                refused => {
                    inbox.tell(match refused {
                        Ok(Err(Some(message))) => Told::Failed(message),
                        Ok(Err(None)) => Told::Cancelled(Box::new(match travel {
                            Some(at) if travel != seen => Cancelled::Travel(at),
                            _ => Cancelled::Ledger,
                        })),
                        _ => Told::Failed(FAULT.to_owned()),
                    });
                    // No preview: what was seen before is shown again, at last what stands.
                    if travel.is_some() {
                        travel = if travel == seen { None } else { seen };
                        progress = Progress::again(inbox);
                        continue;
                    }
                    match idle(inbox) {
                        None => Turn::End,
                        Some((Some(deed), progress)) => Turn::Deed(deed, progress),
                        Some((None, progress)) => Turn::Open(progress),
                    }
                }
            };
            match turn {
                Turn::End => return None,
                Turn::Open(progress) => return Some(progress),
                Turn::Deed(Deed::Travel(at), asked) => {
                    travel = at;
                    progress = asked;
                }
                Turn::Deed(_, asked) if travel.is_some() => {
                    let why = "a preview is never changed".to_owned();
                    inbox.tell(Told::Done(Box::new(Done::Refused(why))));
                    progress = asked;
                }
                Turn::Deed(deed, asked) => {
                    let done = self.perform(&mut held, deed);
                    let renamed = matches!(done, Done::SavedAs(_));
                    inbox.tell(Told::Done(Box::new(done)));
                    if renamed {
                        return Some(asked);
                    }
                    progress = asked;
                }
            }
        }
    }

    fn perform(&mut self, held: &mut Held, deed: Deed) -> Done {
        let now = (self.clock)();
        let outcome = match deed {
            Deed::Override {
                receipt,
                grade,
                reason,
            } => say(held, receipt, grade, &reason, now),
            Deed::AskRevert(receipt) => return ask_revert(held, receipt, now),
            Deed::Revert { receipt, told } => take_back(held, receipt, told, now),
            Deed::TakeUp => take_up(held),
            Deed::GiveUp => held.session_mut().and_then(|session| {
                session.give_up().map_err(|error| error.to_string())?;
                Ok(Done::Told(
                    "the events of the earlier run are given up".to_owned(),
                ))
            }),
            Deed::StoreBatch => self.store_batch(held),
            Deed::Save => return save(held),
            Deed::SaveAs(path) => return self.save_as(held, &path),
            // Without a look at what is open there is nothing to export of.
            Deed::PlanExport(_) | Deed::Export { .. } => {
                return Done::Refused("nothing is graded".to_owned());
            }
            Deed::Travel(_) => return Done::Told(String::new()),
        };
        outcome.unwrap_or_else(Done::Refused)
    }

    /// Runs the batch the receipts are shown of, keeps it and saves it: an event
    /// stands only on what a file holds.
    fn store_batch(&self, held: &mut Held) -> Result<Done, String> {
        let (at, policy) = {
            let ready = self.job.ready(held.view(), self.job.at)?;
            (ready.at, ready.policy)
        };
        let session = held.session_mut()?;
        session
            .batch(at, &policy)
            .map_err(|error| error.to_string())?;
        if session.has_journal() {
            session.save().map_err(|error| error.to_string())?;
        }
        Ok(Done::Told(format!("the batch of {at} is stored")))
    }

    /// Saves under another name and goes on with that file.
    fn save_as(&mut self, held: &mut Held, path: &Path) -> Done {
        let saved = held
            .session_mut()
            .map_err(Done::Refused)
            .and_then(|session| session.save_as(path).map_err(|error| not_saved(&error)));
        match saved {
            Ok(()) => {
                self.job.path = Some(path.to_owned());
                Done::SavedAs(self.job.name())
            }
            Err(done) => done,
        }
    }
}

impl Desk for LedgerDesk {
    fn serve(&mut self, inbox: &Inbox) {
        let mut asked = idle(inbox);
        while let Some((_, progress)) = asked {
            asked = self.run(progress, inbox).map(|progress| (None, progress));
        }
    }
}

/// Answers what needs no ledger, until one is to be opened or something is to
/// be done; none when the program ends.
fn idle(inbox: &Inbox) -> Option<(Option<Deed>, Progress)> {
    while let Some((request, progress)) = inbox.next() {
        match request {
            Request::Open => return Some((None, progress)),
            Request::Do(deed) => return Some((Some(deed), progress)),
            Request::Explain(_) => inbox.tell(Told::Failed("nothing is graded".to_owned())),
            Request::Query(query) => {
                let answer = catch_unwind(AssertUnwindSafe(|| query.answer(None, &progress)));
                let answer = answer.unwrap_or_else(|_| Err(FAULT.to_owned()));
                inbox.tell(Told::Answered(query.screen(), Box::new(answer)));
            }
        }
    }
    None
}

fn find(session: &Session, id: Id) -> Option<&Receipt> {
    let mut receipts = session.ledger().receipts.iter();
    receipts.find(|receipt| receipt.id == id)
}

/// What is told of a receipt that a person's word changed: a text, and when.
fn changed(held: &Held, id: Id, text: &str, at: IsoTs) -> Done {
    let Some(receipt) = held.session().and_then(|session| find(session, id)) else {
        return Done::Told(format!("{text} {at}"));
    };
    let at = Clock::of(&receipt.computed_at).stamp(at.instant());
    let text = format!("{text} {at}");
    Done::Changed {
        row: Box::new(row(held.view(), receipt)),
        receipt: Box::new(receipt.clone()),
        text,
    }
}

fn say(
    held: &mut Held,
    id: Id,
    grade: OverrideGrade,
    reason: &str,
    now: IsoTs,
) -> Result<Done, String> {
    let session = held.session_mut()?;
    let at = session.say(id, grade, reason, now).map_err(refusal)?;
    Ok(changed(
        held,
        id,
        &format!("it counts as {} since", grade_word(grade.grade())),
        at,
    ))
}

/// What taking back the word on a receipt would do.
pub(super) fn ask_revert(held: &Held, id: Id, now: IsoTs) -> Done {
    may_revert(held, id, now).unwrap_or_else(Done::Refused)
}

fn may_revert(held: &Held, id: Id, now: IsoTs) -> Result<Done, String> {
    let session = held.session();
    let session = session.ok_or_else(|| held.read_only_because().unwrap_or_default())?;
    let receipt = find(session, id).ok_or_else(|| refusal(EventError::NoReceipt(id)))?;
    knows(receipt, EventKind::Revert).map_err(|error| error.to_string())?;
    let at = session.ledger().event_instant(receipt, now);
    Ok(Done::MayRevert {
        receipt: Box::new(receipt.clone()),
        holder: session.ledger().holder_after_revert(receipt, at),
    })
}

fn take_back(held: &mut Held, id: Id, told: bool, now: IsoTs) -> Result<Done, String> {
    let session = held.session_mut()?;
    let at = session.take_back(id, told, now).map_err(refusal)?;
    Ok(changed(held, id, "your word was taken back at", at))
}

fn take_up(held: &mut Held) -> Result<Done, String> {
    let session = held.session_mut()?;
    let count = session.left().len();
    let refused = session.take_up().map_err(|error| error.to_string())?;
    let taken = count.saturating_sub(refused.len());
    let mut text = format!(
        "{} of {} taken up, not saved yet",
        crate::inspector::text::count(taken),
        counted(count, "event", "events")
    );
    if let Some(first) = refused.first() {
        text.push_str(&format!("; refused: {first}"));
    }
    Ok(Done::Told(text))
}

fn save(held: &mut Held) -> Done {
    match held.session_mut() {
        Err(why) => Done::Refused(why),
        Ok(session) => match session.save() {
            Ok(()) => Done::Saved,
            Err(error) => not_saved(&error),
        },
    }
}

fn not_saved(error: &StoreError) -> Done {
    Done::NotSaved {
        text: error.to_string(),
        unnamed: error.problem == Problem::Unnamed,
    }
}

/// Why an event is refused, and what to do about it.
fn refusal(error: EventError) -> String {
    match error {
        EventError::NoReceipt(_) => {
            "the receipt is graded now and not stored: store the batch first".to_owned()
        }
        EventError::Illegal(_, error) => error.to_string(),
        EventError::Waiting(_) => format!("{error}: take them up or give them up first"),
        error => error.to_string(),
    }
}

/// The request an unasked look is made for.
impl Progress {
    fn again(inbox: &Inbox) -> Self {
        inbox.progress(Asked::default())
    }
}
