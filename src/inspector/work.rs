//! Work that takes time, on a thread of its own: opening a ledger, grading it, re-deriving a trace,
//! keeping a person's word. The inspector asks, keeps drawing, and is told.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Weak};
use std::thread;

use attest_canon::Id;
use attest_grading::decide::Trace;
use attest_grading::model::{Grade, IsoTs, OverrideGrade, Receipt};

use super::app::state::ScreenName;
use super::row::{Row, Standing};
use super::screens::{Answer, Query};

/// A ledger as the inspector shows it.
#[derive(Clone, Debug, Default)]
pub struct Opened {
    /// One row for each receipt, in any order.
    pub rows: Vec<Row>,
    /// The ids of the policy's rules, in order, for completion.
    pub rules: Vec<String>,
    /// What a person should know at once: lists that were cut.
    pub warnings: Vec<String>,
    /// Why nothing can be changed, where nothing can.
    pub read_only: Option<String>,
    /// Whether something happened that the file does not hold.
    pub is_unsaved: bool,
    /// Whether a person's word is on a disk before it counts.
    pub has_journal: bool,
    /// The instant the open receipts are graded at.
    pub at: Option<IsoTs>,
    /// What an earlier run left.
    pub left: Option<Left>,
    /// Where the ledger is shown at another instant: never what stands.
    pub preview: Option<Preview>,
    /// Of a package, what it holds beside its receipts, as lines fit for a terminal.
    pub facts: Option<Vec<String>>,
}

/// A person's events that an earlier run accepted and did not save.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Left {
    /// Each as a line, in order.
    pub lines: Vec<String>,
    /// Whether the file is still the one they were about.
    pub fits: bool,
}

/// A ledger at another instant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Preview {
    /// The instant.
    pub at: IsoTs,
    /// What is said otherwise then.
    pub flips: Vec<Flip>,
}

/// What a receipt says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Verdict {
    /// Where it stands.
    pub standing: Standing,
    /// The grade it counts as.
    pub grade: Option<Grade>,
}

/// A receipt that says something else at another instant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Flip {
    /// The receipt's id.
    pub id: String,
    /// What it says now; none where there is none now.
    pub now: Option<Verdict>,
    /// What it says then; none where there is none then.
    pub then: Option<Verdict>,
}

/// One receipt with everything that is known about it.
#[derive(Clone, Debug)]
pub struct Explained {
    /// The receipt as it stands, a person's word included.
    pub receipt: Receipt,
    /// What its grading looked at; why not, where it cannot be re-derived.
    pub trace: Result<Trace, String>,
    /// Whether the ledger stores the receipt; the others are graded now, and gone with the program.
    pub is_stored: bool,
}

/// What the inspector asks of a ledger. It runs on the work thread; its messages are one line each
/// and hold nothing of a person's mail.
pub trait Desk: Send + 'static {
    /// Answers requests until there are no more.
    fn serve(&mut self, inbox: &Inbox);
}

/// What can be asked for.
#[derive(Clone, PartialEq, Debug)]
pub enum Request {
    /// Open the ledger, or read it anew.
    Open,
    /// Explain a receipt.
    Explain(Id),
    /// A screen's job.
    Query(Query),
    /// Change the ledger, or look at it otherwise.
    Do(Deed),
}

/// What is done with a ledger.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Deed {
    /// A person says what a receipt really is.
    Override {
        /// The receipt.
        receipt: Id,
        /// What they say.
        grade: OverrideGrade,
        /// Why.
        reason: String,
    },
    /// What would come of taking it back: asked before [`Deed::Revert`].
    AskRevert(Id),
    /// They take it back.
    Revert {
        /// The receipt.
        receipt: Id,
        /// Whether they know that another claim holds the evidence.
        told: bool,
    },
    /// Take up the events of an earlier run.
    TakeUp,
    /// Give them up.
    GiveUp,
    /// Store the batch whose receipts are shown, and save.
    StoreBatch,
    /// Write the ledger over its file.
    Save,
    /// Write it to a file that is not there yet, and go on with that.
    SaveAs(PathBuf),
    /// What packages of these filters' receipts would come to: asked before [`Deed::Export`].
    PlanExport(Vec<String>),
    /// Make a package of a filter's receipts.
    Export {
        /// The filter; empty for every receipt.
        filter: String,
        /// The archive's name, which ends in `.tar`.
        path: PathBuf,
    },
    /// Show the ledger at another instant, or at its own.
    Travel(Option<IsoTs>),
}

/// What a package of a filter's receipts would come to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Offer {
    /// The filter; empty for every receipt.
    pub filter: String,
    /// The receipts it would carry.
    pub receipts: usize,
    /// The policies they were graded by.
    pub policies: usize,
    /// Why there can be none.
    pub refused: Option<String>,
}

/// What came of it.
#[derive(Clone, Debug)]
pub enum Done {
    /// A receipt is otherwise; the journal holds why.
    Changed {
        /// Its row.
        row: Box<Row>,
        /// The receipt.
        receipt: Box<Receipt>,
        /// What to say.
        text: String,
    },
    /// A word can be taken back.
    MayRevert {
        /// Of this receipt.
        receipt: Box<Receipt>,
        /// The claim that holds its evidence by now.
        holder: Option<Id>,
    },
    /// What packages would come to.
    MayExport(Vec<Offer>),
    /// No package was written; nothing of it is left.
    NotExported {
        /// Of this filter's receipts.
        filter: String,
        /// Why.
        text: String,
    },
    /// It is done; what to say.
    Told(String),
    /// The file holds everything.
    Saved,
    /// So does another file, which is open now; its name.
    SavedAs(String),
    /// It could not be written; nothing is lost.
    NotSaved {
        /// Why.
        text: String,
        /// Only because it has no name yet.
        unnamed: bool,
    },
    /// It is refused; nothing changed.
    Refused(String),
}

/// What the work thread tells.
#[derive(Clone, Debug)]
pub enum Told {
    /// How far the work is.
    Progress {
        /// What is being done, as a phrase.
        what: &'static str,
        /// How many are done.
        done: usize,
        /// Of how many; 0 where that is not known.
        of: usize,
    },
    /// The ledger is open.
    Opened(Arc<Opened>),
    /// It was graded anew, after a change or for another instant.
    Renewed(Arc<Opened>),
    /// A receipt is explained.
    Explained(Id, Box<Explained>),
    /// A screen's job is done, or why it cannot be.
    Answered(ScreenName, Box<Result<Answer, String>>),
    /// What came of a deed.
    Done(Box<Done>),
    /// The work was cancelled.
    Cancelled(Box<Cancelled>),
    /// It failed.
    Failed(String),
}

/// Work that was cancelled: what it was says how it is asked for again.
#[derive(Clone, PartialEq, Debug)]
pub enum Cancelled {
    /// Reading the ledger, or grading it.
    Ledger,
    /// The ledger at this instant.
    Travel(IsoTs),
    /// A screen's job.
    Query(Query),
}

/// Whether what was asked for is still wanted.
pub type Asked = Arc<AtomicBool>;

type Tell = Arc<dyn Fn(Told) + Send + Sync>;

/// What work says of itself while it runs.
pub struct Progress {
    tell: Tell,
    cancelled: Asked,
}

impl Progress {
    /// Says how far the work is. Cheap enough for every thousandth item, not for every one.
    pub fn report(&self, what: &'static str, done: usize, of: usize) {
        (self.tell)(Told::Progress { what, done, of });
    }

    /// One that tells nobody and is never cancelled.
    pub fn silent() -> Self {
        Self {
            tell: Arc::new(|_| ()),
            cancelled: Arc::default(),
        }
    }

    /// Whether the work should stop.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }
}

/// The work thread's end: what is asked for, in order.
pub struct Inbox {
    asked: Receiver<(Request, Asked)>,
    /// What was taken early and is still to be done.
    ahead: RefCell<VecDeque<(Request, Asked)>>,
    tell: Tell,
}

impl Inbox {
    /// The next request; none when the program ends.
    pub fn next(&self) -> Option<(Request, Progress)> {
        let taken = self.ahead.borrow_mut().pop_front();
        let (mut request, mut cancelled) = taken.or_else(|| self.asked.recv().ok())?;
        // Of explanations only the last asked for is still wanted.
        while let Request::Explain(_) = request {
            match self.asked.try_recv() {
                Ok(later) if matches!(later.0, Request::Explain(_)) => (request, cancelled) = later,
                Ok(other) => {
                    self.ahead.borrow_mut().push_back(other);
                    break;
                }
                Err(_) => break,
            }
        }
        Some((request, self.progress(cancelled)))
    }

    /// What a request's work says of itself.
    pub fn progress(&self, cancelled: Asked) -> Progress {
        Progress {
            tell: Arc::clone(&self.tell),
            cancelled,
        }
    }

    /// Tells the inspector.
    pub fn tell(&self, told: Told) {
        (self.tell)(told);
    }
}

/// The inspector's end of the work thread.
#[derive(Debug)]
pub struct Worker {
    requests: Sender<(Request, Asked)>,
    /// Of what was asked and is not done yet, whether it is still wanted.
    asked: Vec<Weak<AtomicBool>>,
}

impl Worker {
    /// Starts the thread; `tell` brings what it says to the inspector.
    ///
    /// # Errors
    /// No thread can be started.
    pub fn start(
        mut desk: impl Desk,
        tell: impl Fn(Told) + Send + Sync + 'static,
    ) -> std::io::Result<Self> {
        let (requests, asked) = channel();
        let inbox = Inbox {
            asked,
            ahead: RefCell::default(),
            tell: Arc::new(tell),
        };
        thread::Builder::new()
            .name("work".to_owned())
            .spawn(move || {
                // A desk catches its own faults; one it cannot catch ends it, and is told.
                if catch_unwind(AssertUnwindSafe(|| desk.serve(&inbox))).is_err() {
                    let fault =
                        "the work ended by a fault of the program; nothing more is answered";
                    inbox.tell(Told::Failed(fault.to_owned()));
                }
            })?;
        Ok(Self {
            requests,
            asked: Vec::new(),
        })
    }

    /// Asks for something; what was asked before and not begun is still done first.
    pub fn ask(&mut self, request: Request) {
        let cancelled = Asked::default();
        self.asked.retain(|asked| asked.strong_count() > 0);
        self.asked.push(Arc::downgrade(&cancelled));
        // The thread ends only with the program.
        let _ = self.requests.send((request, cancelled));
    }

    /// Asks the work in progress to stop, and what waits not to begin.
    pub fn cancel(&self) {
        for cancelled in self.asked.iter().filter_map(Weak::upgrade) {
            cancelled.store(true, Ordering::Relaxed);
        }
    }
}
