//! Work that takes time, on a thread of its own: opening a ledger, grading it, re-deriving a trace.
//! The inspector asks, keeps drawing, and is told.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Weak};
use std::thread;

use attest_canon::Id;
use attest_grading::decide::Trace;
use attest_grading::model::Receipt;

use super::app::state::ScreenName;
use super::row::Row;
use super::screens::{Answer, Query};

/// A ledger as the inspector shows it.
#[derive(Clone, Debug, Default)]
pub struct Opened {
    /// One row for each receipt, in any order.
    pub rows: Vec<Row>,
    /// The ids of the policy's rules, in order, for completion.
    pub rules: Vec<String>,
    /// What a person should know at once: lists that were cut, a journal that was found.
    pub warnings: Vec<String>,
    /// Whether another program holds the ledger, so that nothing can be changed.
    pub read_only: bool,
}

/// One receipt with everything that is known about it.
#[derive(Clone, Debug)]
pub struct Explained {
    /// The receipt as it stands, a person's word included.
    pub receipt: Receipt,
    /// What its grading looked at; why not, where it cannot be re-derived.
    pub trace: Result<Trace, String>,
}

/// What the inspector asks of a ledger. It runs on the work thread; its messages are one line each
/// and hold nothing of a person's mail.
pub trait Desk: Send + 'static {
    /// Opens the ledger and grades what was not graded.
    ///
    /// # Errors
    /// The ledger does not load.
    fn open(&mut self, progress: &Progress) -> Result<Opened, String>;

    /// Everything known about one receipt.
    ///
    /// # Errors
    /// There is no such receipt.
    fn explain(&mut self, receipt: Id) -> Result<Explained, String>;

    /// Does a screen's job.
    ///
    /// # Errors
    /// Why it cannot be done.
    fn query(&mut self, query: &Query, progress: &Progress) -> Result<Answer, String>;
}

/// What can be asked for.
#[derive(Clone, PartialEq, Debug)]
pub enum Request {
    /// Open the ledger.
    Open,
    /// Explain a receipt.
    Explain(Id),
    /// A screen's job.
    Query(Query),
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
    /// A receipt is explained.
    Explained(Id, Box<Explained>),
    /// A screen's job is done, or why it cannot be.
    Answered(ScreenName, Box<Result<Answer, String>>),
    /// The work was cancelled.
    Cancelled,
    /// It failed.
    Failed(String),
}

/// What work says of itself while it runs.
pub struct Progress {
    tell: Box<dyn Fn(Told) + Send>,
    cancelled: Arc<AtomicBool>,
}

impl Progress {
    /// Says how far the work is. Cheap enough for every thousandth item, not for every one.
    pub fn report(&self, what: &'static str, done: usize, of: usize) {
        (self.tell)(Told::Progress { what, done, of });
    }

    /// One that tells nobody and is never cancelled.
    #[cfg(test)]
    pub fn silent() -> Self {
        Self {
            tell: Box::new(|_| ()),
            cancelled: Arc::default(),
        }
    }

    /// Whether the work should stop.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }
}

/// The inspector's end of the work thread.
#[derive(Debug)]
pub struct Worker {
    requests: Sender<(Request, Arc<AtomicBool>)>,
    /// Of what was asked and is not done yet, whether it is still wanted.
    asked: Vec<Weak<AtomicBool>>,
}

impl Worker {
    /// Starts the thread; `tell` brings what it says to the inspector.
    ///
    /// # Errors
    /// No thread can be started.
    pub fn start(
        desk: impl Desk,
        tell: impl Fn(Told) + Send + Clone + 'static,
    ) -> std::io::Result<Self> {
        let (requests, asked) = channel();
        thread::Builder::new()
            .name("work".to_owned())
            .spawn(move || serve(desk, &asked, tell))?;
        Ok(Self {
            requests,
            asked: Vec::new(),
        })
    }

    /// Asks for something; what was asked before and not begun is still done first.
    pub fn ask(&mut self, request: Request) {
        let cancelled = Arc::new(AtomicBool::new(false));
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

fn serve(
    mut desk: impl Desk,
    asked: &Receiver<(Request, Arc<AtomicBool>)>,
    tell: impl Fn(Told) + Send + Clone + 'static,
) {
    while let Ok(mut next) = asked.recv() {
        // Of explanations only the last asked for is still wanted.
        while let Request::Explain(_) = next.0 {
            match asked.try_recv() {
                Ok(later) => next = later,
                Err(_) => break,
            }
        }
        let (request, cancelled) = next;
        let progress = Progress {
            tell: Box::new(tell.clone()),
            cancelled,
        };
        let told = catch_unwind(AssertUnwindSafe(|| match &request {
            Request::Open => match desk.open(&progress) {
                _ if progress.is_cancelled() => Told::Cancelled,
                Ok(opened) => Told::Opened(Arc::new(opened)),
                Err(message) => Told::Failed(message),
            },
            Request::Explain(id) => match desk.explain(*id) {
                Ok(explained) => Told::Explained(*id, Box::new(explained)),
                Err(message) => Told::Failed(message),
            },
            Request::Query(_) if progress.is_cancelled() => Told::Cancelled,
            Request::Query(query) => {
                let answer = desk.query(query, &progress);
                if progress.is_cancelled() {
                    Told::Cancelled
                } else {
                    Told::Answered(query.screen(), Box::new(answer))
                }
            }
        }));
        tell(told.unwrap_or_else(|_| {
            Told::Failed("the work ended by a fault of the program".to_owned())
        }));
    }
}
