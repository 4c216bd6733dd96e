//! A ledger open for changes: one writer, every event on the disk before it
//! counts, every save whole.

use std::fmt;
use std::path::Path;

use attest_canon::{Digest, Id, sha256};
use attest_grading::ledger::{Event, IllegalTransitionError, Ledger, transition};
use attest_grading::model::{Instant, IsoTs, OverrideGrade, Receipt};

use super::error::{Problem, StoreError};
use super::file;
use super::journal::{Found, Journal, JournalError, StoredEvent};
use super::lock::Lock;
use super::opened::OpenError;
use super::place::Place;
use super::save::{publish, replace};

/// A ledger held for writing.
#[derive(Debug)]
pub struct Session {
    place: Place,
    journal: Journal,
    /// The hash of the file the ledger was read from.
    base: Digest,
    ledger: Ledger,
    unsaved: bool,
    /// What an earlier run left, until it is taken up or given up.
    left: Option<Found>,
    _lock: Lock,
}

/// Why a ledger cannot be held for writing.
#[derive(Debug)]
pub enum SessionError {
    /// It is locked, or something cannot be read or written.
    Store(StoreError),
    /// It does not load.
    Open(OpenError),
    /// What an earlier run left cannot be read.
    Journal(JournalError),
}

impl fmt::Display for SessionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Store(error) => fmt::Display::fmt(error, f),
            Self::Open(error) => fmt::Display::fmt(error, f),
            Self::Journal(error) => fmt::Display::fmt(error, f),
        }
    }
}

impl std::error::Error for SessionError {}

impl From<StoreError> for SessionError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// Why an event is refused; nothing changed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EventError {
    /// The ledger stores no such receipt.
    NoReceipt(Id),
    /// The receipt does not take it (§8).
    Illegal(Id, IllegalTransitionError),
    /// It cannot be written down, so it does not count.
    Store(StoreError),
    /// Events of an earlier run wait to be taken up or given up first.
    Waiting(usize),
}

impl fmt::Display for EventError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoReceipt(id) => write!(f, "no receipt {id} is stored"),
            Self::Illegal(id, error) => write!(f, "receipt {id}: {error}"),
            Self::Store(error) => fmt::Display::fmt(error, f),
            Self::Waiting(count) => {
                write!(f, "{count} events of an earlier run are not saved yet")
            }
        }
    }
}

impl std::error::Error for EventError {}

impl Session {
    /// Holds a ledger for writing and reads it.
    ///
    /// # Errors
    ///
    /// Another program holds it, it does not load, or its journal cannot be
    /// read.
    pub fn open(path: &Path) -> Result<Self, SessionError> {
        Self::at(Place::of(path)?, path)
    }

    pub(super) fn at(place: Place, path: &Path) -> Result<Self, SessionError> {
        let lock = Lock::take(&place)?;
        let text = file::read(&place.ledger)?;
        let ledger = Ledger::read(text.as_str())
            .map_err(|error| SessionError::Open(OpenError::Ledger(path.to_owned(), error)))?;
        let base = text.digest();
        let (mut journal, mut left) = Journal::open(&place).map_err(SessionError::Journal)?;
        // The save it was in the middle of came through: nothing is left to do.
        if left
            .as_ref()
            .is_some_and(|found| found.saving == Some(base) || found.events.is_empty())
        {
            journal.remove()?;
            left = None;
        }
        Ok(Self {
            place,
            journal,
            base,
            ledger,
            unsaved: false,
            left,
            _lock: lock,
        })
    }

    /// The ledger as it stands, events included.
    #[must_use]
    pub const fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Whether something happened that the file does not hold.
    #[must_use]
    pub const fn is_unsaved(&self) -> bool {
        self.unsaved
    }

    /// The events an earlier run accepted and did not save.
    #[must_use]
    pub fn left(&self) -> &[StoredEvent] {
        self.left.as_ref().map_or(&[], |found| &found.events)
    }

    /// Whether the file is still the one those events were about.
    #[must_use]
    pub fn left_fits(&self) -> bool {
        self.left
            .as_ref()
            .is_none_or(|found| found.base == self.base)
    }

    /// Takes up the events of an earlier run, in order; those the receipts no
    /// longer take are given back with the reason.
    ///
    /// # Errors
    ///
    /// The journal cannot be written; it still holds every event, for the next
    /// run.
    pub fn take_up(&mut self) -> Result<Vec<EventError>, StoreError> {
        let Some(found) = self.left.take() else {
            return Ok(Vec::new());
        };
        let mut refused = Vec::new();
        let mut taken = Vec::new();
        for stored in &found.events {
            match self.apply(stored) {
                Ok(()) => taken.push(stored.clone()),
                Err(error) => refused.push(error),
            }
        }
        self.unsaved |= !taken.is_empty();
        if refused.is_empty() && found.base == self.base {
            return Ok(refused);
        }
        // The journal is about another file, or holds what was refused: it
        // begins anew with what was taken.
        self.journal.rewrite(self.base, &taken)?;
        Ok(refused)
    }

    /// Gives up the events of an earlier run.
    ///
    /// # Errors
    ///
    /// The journal cannot be removed.
    pub fn give_up(&mut self) -> Result<(), StoreError> {
        self.journal.remove()?;
        self.left = None;
        Ok(())
    }

    /// A person's word on a receipt.
    ///
    /// # Errors
    ///
    /// It is refused, or cannot be written down.
    pub fn say(
        &mut self,
        receipt: Id,
        grade: OverrideGrade,
        reason: &str,
        now: Instant,
    ) -> Result<(), EventError> {
        let reason = reason.into();
        self.event(receipt, now, |at| Event::Override { grade, reason, at })
    }

    /// Takes a person's word back.
    ///
    /// # Errors
    ///
    /// It is refused, or cannot be written down.
    pub fn take_back(&mut self, receipt: Id, now: Instant) -> Result<(), EventError> {
        self.event(receipt, now, |at| Event::Revert { at })
    }

    fn event(
        &mut self,
        receipt: Id,
        now: Instant,
        make: impl FnOnce(IsoTs) -> Event,
    ) -> Result<(), EventError> {
        if let Some(found) = &self.left {
            return Err(EventError::Waiting(found.events.len()));
        }
        let held = self.find(receipt).ok_or(EventError::NoReceipt(receipt))?;
        let at = event_instant(&self.ledger, held, now);
        let stored = StoredEvent {
            receipt,
            event: make(IsoTs::computed(at, 0)),
        };
        transition(held, stored.event.clone())
            .map_err(|error| EventError::Illegal(receipt, error))?;
        self.journal
            .add(self.base, &stored)
            .map_err(EventError::Store)?;
        self.unsaved = true;
        self.apply(&stored)
    }

    fn find(&self, id: Id) -> Option<&Receipt> {
        self.ledger.receipts.iter().find(|receipt| receipt.id == id)
    }

    fn apply(&mut self, stored: &StoredEvent) -> Result<(), EventError> {
        let StoredEvent { receipt: id, event } = stored;
        let held = self.ledger.receipts.iter_mut().find(|held| held.id == *id);
        let held = held.ok_or(EventError::NoReceipt(*id))?;
        *held = transition(held, event.clone()).map_err(|error| EventError::Illegal(*id, error))?;
        Ok(())
    }

    /// Changes the ledger by more than an event: a batch is stored. The change
    /// is lost unless it is saved.
    pub fn change<T, E>(
        &mut self,
        change: impl FnOnce(&mut Ledger) -> Result<T, E>,
    ) -> Result<T, E> {
        let changed = change(&mut self.ledger)?;
        self.unsaved = true;
        Ok(changed)
    }

    /// Writes the ledger over its file and forgets the journal.
    ///
    /// # Errors
    ///
    /// [`Problem::Changed`] when the file is not what was read, or it cannot be
    /// written. The file is then as it was and the journal still holds the
    /// events.
    pub fn save(&mut self) -> Result<(), StoreError> {
        let text = self.ledger.to_text();
        let digest = sha256(text.as_bytes());
        let held = file::read(&self.place.ledger).map(|text| text.digest());
        // An earlier save may have failed only in the last sync.
        if held != Ok(digest) {
            if held != Ok(self.base) {
                return Err(StoreError::new(&self.place.ledger, Problem::Changed));
            }
            self.journal.saving(self.base, digest)?;
            replace(&self.place.ledger, text.as_bytes())?;
        }
        self.base = digest;
        self.unsaved = false;
        self.journal.remove()
    }

    /// Writes the ledger to a file that is not there yet, and forgets the
    /// journal. The file it was read from is as it was.
    ///
    /// # Errors
    ///
    /// [`Problem::Exists`], or it cannot be written.
    pub fn save_as(&mut self, path: &Path) -> Result<(), StoreError> {
        publish(path, self.ledger.to_text().as_bytes())?;
        self.unsaved = false;
        self.journal.remove()
    }
}

/// When a person's event counts (§3): now, but not before the last batch + 1 ms
/// nor the receipt's own last event + 1 ms.
fn event_instant(ledger: &Ledger, receipt: &Receipt, now: Instant) -> Instant {
    let last_batch = ledger.meta.last_batch_instant.as_ref();
    let after_batch = last_batch.map_or(now, |last| last.instant().plus(1));
    now.max(after_batch).max(receipt.last_event_at().plus(1))
}
