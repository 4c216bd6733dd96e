//! A ledger open for changes: one writer, every event on the disk before it
//! counts, every save whole.

use std::fmt;
use std::io::ErrorKind;
use std::path::Path;

use attest_canon::{Digest, Id, sha256};
use attest_grading::ledger::rules::{BatchOutcome, BatchRefused, Model};
use attest_grading::ledger::{
    Event, IllegalTransitionError, Keeper, Ledger, WriteError, transition,
};
use attest_grading::model::{IsoTs, OverrideGrade, Receipt};
use attest_grading::policy::Policy;

use super::error::{Problem, StoreError};
use super::file;
use super::hold::Bound;
use super::journal::{Found, Journal, JournalError, StoredEvent};
use super::lock::Lock;
use super::opened::OpenError;
use super::place::Place;
use super::save::{publish, replace};

/// A ledger held for writing.
#[derive(Debug)]
pub struct Session {
    keeper: Keeper,
    unsaved: bool,
    /// A batch is kept that no file holds yet: no journal could stand on it.
    batch_unsaved: bool,
    /// Its file; none for a ledger that was never saved.
    home: Option<Home>,
}

/// Where a session's ledger is kept, and what keeps it safe there.
#[derive(Debug)]
struct Home {
    place: Place,
    journal: Journal,
    /// The bytes of the file the ledger was read from.
    base: Bound,
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
    /// Another claim holds the evidence a revert would give back, and the
    /// person was not told (§4.3).
    EvidenceHeld(Id, Id),
    /// It cannot be written down, so it does not count.
    Store(StoreError),
    /// Events of an earlier run wait to be taken up or given up first.
    Waiting(usize),
    /// The last batch is not saved, and no journal holds one.
    BatchUnsaved,
}

impl fmt::Display for EventError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoReceipt(id) => write!(f, "no receipt {id} is stored"),
            Self::Illegal(id, error) => write!(f, "receipt {id}: {error}"),
            Self::EvidenceHeld(id, claim) => {
                write!(f, "receipt {id}: claim {claim} holds its evidence now")
            }
            Self::Store(error) => fmt::Display::fmt(error, f),
            Self::Waiting(count) => match count {
                1 => f.write_str("1 event of an earlier run is not saved yet"),
                _ => write!(f, "{count} events of an earlier run are not saved yet"),
            },
            Self::BatchUnsaved => f.write_str("the last batch is not saved yet"),
        }
    }
}

impl std::error::Error for EventError {}

/// Why a batch is not stored; nothing changed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BatchError {
    /// Events of an earlier run wait to be taken up or given up first.
    Waiting(EventError),
    /// The ledger's rules or grading refuse it.
    Refused(BatchRefused),
}

impl fmt::Display for BatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Waiting(error) => fmt::Display::fmt(error, f),
            Self::Refused(error) => fmt::Display::fmt(error, f),
        }
    }
}

impl std::error::Error for BatchError {}

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
        // Said of the file as the person named it.
        let text =
            file::read(&place.ledger).map_err(|error| StoreError::new(path, error.problem))?;
        let ledger = Ledger::read(text.as_str())
            .map_err(|error| SessionError::Open(OpenError::Ledger(path.to_owned(), error)))?;
        let base = Bound {
            bytes: text.as_str().len() as u64,
            sha256: text.digest(),
        };
        let journal = Self::journal(&place, base.sha256)?;
        Ok(Self::of(ledger, base, place, lock, journal))
    }

    /// A ledger that no file holds: nothing of it is kept until it is saved.
    #[must_use]
    pub fn homeless(ledger: Ledger) -> Self {
        Self {
            keeper: Keeper::new(ledger),
            unsaved: false,
            batch_unsaved: false,
            home: None,
        }
    }

    /// The journal of a ledger's file that has this hash, and what an earlier
    /// run left in it.
    ///
    /// # Errors
    ///
    /// It cannot be read or written; nothing of it is changed.
    pub(super) fn journal(
        place: &Place,
        base: Digest,
    ) -> Result<(Journal, Option<Found>), SessionError> {
        let (mut journal, mut left) = Journal::open(place).map_err(SessionError::Journal)?;
        // The save it was in the middle of came through: nothing is left to do.
        if left
            .as_ref()
            .is_some_and(|found| found.saving == Some(base) || found.events.is_empty())
        {
            journal.remove()?;
            left = None;
        }
        Ok((journal, left))
    }

    /// A ledger that was read, under the lock, from a file of these bytes.
    pub(super) fn of(
        ledger: Ledger,
        base: Bound,
        place: Place,
        lock: Lock,
        (journal, left): (Journal, Option<Found>),
    ) -> Self {
        Self {
            home: Some(Home {
                place,
                journal,
                base,
                left,
                _lock: lock,
            }),
            ..Self::homeless(ledger)
        }
    }

    /// The ledger as it stands, events included.
    #[must_use]
    pub const fn ledger(&self) -> &Ledger {
        self.keeper.ledger()
    }

    /// Whether something happened that the file does not hold.
    #[must_use]
    pub const fn is_unsaved(&self) -> bool {
        self.unsaved
    }

    /// Whether events are on a disk before they count: not those of a ledger
    /// that was never saved.
    #[must_use]
    pub const fn has_journal(&self) -> bool {
        self.home.is_some()
    }

    /// The bytes of the file that holds the ledger as it stands; none while something is unsaved
    /// or no file does.
    #[must_use]
    pub fn bound(&self) -> Option<Bound> {
        let home = self.home.as_ref()?;
        (!self.unsaved).then_some(home.base)
    }

    fn found(&self) -> Option<&Found> {
        self.home.as_ref().and_then(|home| home.left.as_ref())
    }

    /// The events an earlier run accepted and did not save.
    #[must_use]
    pub fn left(&self) -> &[StoredEvent] {
        self.found().map_or(&[], |found| &found.events)
    }

    /// Whether the file is still the one those events were about.
    #[must_use]
    pub fn left_fits(&self) -> bool {
        self.home.as_ref().is_none_or(|home| {
            let left = home.left.as_ref();
            left.is_none_or(|found| found.base == home.base.sha256)
        })
    }

    /// Takes up the events of an earlier run, in order; those the receipts no
    /// longer take are given back with the reason.
    ///
    /// # Errors
    ///
    /// The journal cannot be written; it still holds every event, for the next
    /// run.
    pub fn take_up(&mut self) -> Result<Vec<EventError>, StoreError> {
        let found = self.home.as_mut().and_then(|home| home.left.take());
        let Some(found) = found else {
            return Ok(Vec::new());
        };
        let mut refused = Vec::new();
        let mut taken = Vec::new();
        for stored in &found.events {
            // The person was told when it was accepted.
            match self.apply(stored, true) {
                Ok(stored) => taken.push(stored),
                Err(error) => refused.push(error),
            }
        }
        self.unsaved |= !taken.is_empty();
        if let Some(home) = &mut self.home
            && (taken != found.events || found.base != home.base.sha256)
        {
            home.journal.rewrite(home.base.sha256, &taken)?;
        }
        Ok(refused)
    }

    /// Gives up the events of an earlier run.
    ///
    /// # Errors
    ///
    /// The journal cannot be removed.
    pub fn give_up(&mut self) -> Result<(), StoreError> {
        if let Some(home) = &mut self.home {
            home.journal.remove()?;
            home.left = None;
        }
        Ok(())
    }

    /// A person's word on a receipt; when it counts.
    ///
    /// # Errors
    ///
    /// It is refused, or cannot be written down.
    pub fn say(
        &mut self,
        receipt: Id,
        grade: OverrideGrade,
        reason: &str,
        now: IsoTs,
    ) -> Result<IsoTs, EventError> {
        let reason = reason.into();
        self.event(receipt, now, true, |at| Event::Override {
            grade,
            reason,
            at,
        })
    }

    /// Takes a person's word back; when it counts. `told` is whether they know
    /// that another claim may hold the evidence by now.
    ///
    /// # Errors
    ///
    /// It is refused, or cannot be written down.
    pub fn take_back(&mut self, receipt: Id, told: bool, now: IsoTs) -> Result<IsoTs, EventError> {
        self.event(receipt, now, told, |at| Event::Revert { at })
    }

    fn event(
        &mut self,
        id: Id,
        now: IsoTs,
        told: bool,
        make: impl FnOnce(IsoTs) -> Event,
    ) -> Result<IsoTs, EventError> {
        self.nothing_waits()?;
        if self.batch_unsaved && self.has_journal() {
            return Err(EventError::BatchUnsaved);
        }
        let held = self.find(id).ok_or(EventError::NoReceipt(id))?;
        let at = self.ledger().event_instant(held, now);
        let event = make(at);
        // What would be refused is never written down.
        transition(held, event.clone()).map_err(|error| EventError::Illegal(id, error))?;
        if let (Event::Revert { at }, false) = (&event, told)
            && let Some(claim) = self.ledger().holder_after_revert(held, *at)
        {
            return Err(EventError::EvidenceHeld(id, claim));
        }
        let stored = StoredEvent { receipt: id, event };
        if let Some(home) = &mut self.home {
            home.journal
                .add(home.base.sha256, &stored)
                .map_err(EventError::Store)?;
        }
        self.unsaved = true;
        self.apply(&stored, told)?;
        Ok(at)
    }

    fn nothing_waits(&self) -> Result<(), EventError> {
        match self.found() {
            Some(found) => Err(EventError::Waiting(found.events.len())),
            None => Ok(()),
        }
    }

    fn find(&self, id: Id) -> Option<&Receipt> {
        let receipts = &self.ledger().receipts;
        receipts.iter().find(|receipt| receipt.id == id)
    }

    /// Applies an event at its own instant, or later where the ledger's last
    /// batch asks for it; the event as it then is.
    fn apply(&mut self, stored: &StoredEvent, told: bool) -> Result<StoredEvent, EventError> {
        let id = stored.receipt;
        if self.find(id).is_none() {
            return Err(EventError::NoReceipt(id));
        }
        let mut applied = stored.clone();
        let outcome = match &mut applied.event {
            Event::Override { grade, reason, at } => {
                let counts = self.keeper.override_receipt(id, *grade, reason, *at);
                counts.map(|counts| *at = counts)
            }
            Event::Revert { at } => {
                let counts = self.keeper.revert_receipt(id, told, *at);
                counts.map(|counts| *at = counts)
            }
            // Batches make these; no journal holds them.
            Event::Regrade(_) | Event::Supersede { .. } => Ok(()),
        };
        outcome.map_err(|error| match error {
            WriteError::EvidenceHeld(claim) => EventError::EvidenceHeld(id, claim),
            WriteError::Illegal(error) => EventError::Illegal(id, error),
            _ => EventError::NoReceipt(id),
        })?;
        Ok(applied)
    }

    /// Runs the ledger's next batch and keeps what it graded. It is lost unless
    /// it is saved: a batch can be run again, so no journal holds it.
    ///
    /// # Errors
    ///
    /// Events of an earlier run wait, or the batch is refused.
    pub fn batch(&mut self, at: IsoTs, policy: &Policy) -> Result<BatchOutcome, BatchError> {
        self.nothing_waits().map_err(BatchError::Waiting)?;
        let outcome = self.keeper.batch(at, policy, Model::On);
        self.unsaved |= outcome.is_ok();
        self.batch_unsaved |= outcome.is_ok();
        outcome.map_err(BatchError::Refused)
    }

    /// Writes the ledger over its file and forgets the journal.
    ///
    /// # Errors
    ///
    /// [`Problem::Changed`] when the file is not what was read, [`Problem::Gone`]
    /// when there is none any more, or it cannot be read or written. The file is then as it was and the journal still holds the
    /// events.
    pub fn save(&mut self) -> Result<(), StoreError> {
        let text = self.keeper.ledger().to_text();
        let Some(home) = &mut self.home else {
            return Err(StoreError::new("".as_ref(), Problem::Unnamed));
        };
        let digest = sha256(text.as_bytes());
        let held = file::read(&home.place.ledger).map(|text| text.digest());
        // An earlier save may have failed only in the last sync.
        if held != Ok(digest) {
            match held {
                Ok(held) if held == home.base.sha256 => {}
                Ok(_) => return Err(StoreError::new(&home.place.ledger, Problem::Changed)),
                Err(error) if error.problem == Problem::Unreadable(ErrorKind::NotFound) => {
                    return Err(StoreError::new(&home.place.ledger, Problem::Gone));
                }
                Err(error) => return Err(error),
            }
            home.journal.saving(home.base.sha256, digest)?;
            replace(&home.place.ledger, text.as_bytes())?;
        }
        home.base = Bound {
            bytes: text.len() as u64,
            sha256: digest,
        };
        self.unsaved = false;
        self.batch_unsaved = false;
        home.journal.remove()
    }

    /// Writes the ledger to a file that is not there yet, and forgets the
    /// journal. The file it was read from is as it was.
    ///
    /// # Errors
    ///
    /// [`Problem::Exists`], or it cannot be written.
    pub fn save_as(&mut self, path: &Path) -> Result<(), StoreError> {
        publish(path, self.ledger().to_text().as_bytes())?;
        self.unsaved = false;
        self.batch_unsaved = false;
        match &mut self.home {
            Some(home) => home.journal.remove(),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use super::*;

    /// A ledger with one receipt: golden 01, graded and stored.
    fn ledger() -> Ledger {
        let scenario = include_str!("../../golden/01-exact-match-same-minute.json");
        let scenario = attest_grading::scenario::Scenario::read(scenario).unwrap();
        let world = attest_grading::scenario::build::World::build(&scenario).unwrap();
        let mut keeper = Keeper::new(Ledger {
            claims: world.claims.clone(),
            observations: world.observations.clone(),
            grants: world.grants.clone(),
            coverage: world.coverage.observers.clone(),
            ..Ledger::default()
        });
        let outcome = keeper.batch(world.coverage.evaluated_at, &world.policy, Model::On);
        assert!(matches!(outcome, Ok(BatchOutcome::Graded(_))));
        keeper.into_ledger()
    }

    struct Desk {
        folder: tempfile::TempDir,
        path: PathBuf,
    }

    impl Desk {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("ledger.json");
            fs::write(&path, ledger().to_text()).unwrap();
            Self { folder, path }
        }

        fn place(&self) -> Place {
            Place::within(&self.folder.path().join("state"), &self.path).unwrap()
        }

        fn open(&self) -> Result<Session, SessionError> {
            Session::at(self.place(), &self.path)
        }

        fn stored(&self) -> Receipt {
            let text = fs::read_to_string(&self.path).unwrap();
            Ledger::read(&text).unwrap().receipts[0].clone()
        }

        fn has_journal(&self) -> bool {
            self.place().journal().exists()
        }
    }

    fn now() -> IsoTs {
        IsoTs::parse("2026-10-06T20:00:00Z").unwrap()
    }

    const NO: OverrideGrade = OverrideGrade::NotFound;

    #[test]
    fn an_event_is_saved_and_the_journal_goes() {
        let desk = Desk::new();
        let id = desk.stored().id;
        let mut session = desk.open().unwrap();
        session.say(id, NO, "it never came", now()).unwrap();
        assert!(session.is_unsaved() && desk.has_journal());
        assert_eq!(desk.stored().user_override, None);
        session.save().unwrap();
        assert!(!session.is_unsaved() && !desk.has_journal());
        let user = desk.stored().user_override.unwrap();
        assert_eq!(
            (user.grade, &*user.reason, user.at),
            (NO, "it never came", now())
        );
        // And on: the hash it saves against is that of what it wrote.
        session.take_back(id, false, now()).unwrap();
        session.save().unwrap();
        let reverted = desk.stored().reverted;
        assert_eq!(reverted.len(), 1);
        assert_eq!(
            reverted[0].reverted_at.to_string(),
            "2026-10-06T20:00:00.001Z"
        );
    }

    #[test]
    fn a_clock_behind_the_ledger_stamps_no_earlier() {
        let desk = Desk::new();
        let stored = desk.stored();
        let mut session = desk.open().unwrap();
        let early = IsoTs::parse("2020-01-01T00:00:00Z").unwrap();
        let at = session.say(stored.id, NO, "no", early).unwrap();
        assert_eq!(at.instant(), stored.computed_at.instant().plus(1));
    }

    #[test]
    fn what_is_refused_changes_nothing() {
        let desk = Desk::new();
        let id = desk.stored().id;
        let before = fs::read(&desk.path).unwrap();
        let mut session = desk.open().unwrap();
        let none = Id::from_digest(&sha256(b"none"));
        let refused = session.take_back(none, false, now());
        assert_eq!(refused, Err(EventError::NoReceipt(none)));
        let refused = session.take_back(id, false, now());
        assert!(matches!(refused, Err(EventError::Illegal(..))));
        let blank = session.say(id, NO, " \u{200b}", now());
        assert!(matches!(blank, Err(EventError::Illegal(..))));
        assert!(!session.is_unsaved() && !desk.has_journal());
        assert_eq!(fs::read(&desk.path).unwrap(), before);
    }

    #[test]
    fn a_crash_before_the_save_loses_no_event() {
        let desk = Desk::new();
        let id = desk.stored().id;
        let mut session = desk.open().unwrap();
        session.say(id, NO, "no", now()).unwrap();
        session.take_back(id, false, now()).unwrap();
        drop(session);
        let mut session = desk.open().unwrap();
        assert_eq!(session.left().len(), 2);
        assert!(session.left_fits());
        let refused = session.say(id, NO, "no", now());
        assert_eq!(refused, Err(EventError::Waiting(2)));
        assert_eq!(session.take_up().unwrap(), []);
        session.save().unwrap();
        assert_eq!(desk.stored().reverted.len(), 1);
        assert!(desk.open().is_err(), "the session still holds the lock");
        drop(session);
        assert_eq!(desk.open().unwrap().left(), []);
    }

    #[test]
    fn events_given_up_are_gone() {
        let desk = Desk::new();
        let id = desk.stored().id;
        let before = fs::read(&desk.path).unwrap();
        let mut session = desk.open().unwrap();
        session.say(id, NO, "no", now()).unwrap();
        drop(session);
        desk.open().unwrap().give_up().unwrap();
        assert_eq!(desk.open().unwrap().left(), []);
        assert_eq!(fs::read(&desk.path).unwrap(), before);
    }

    /// Between the rename and the removal of the journal the file already holds
    /// every event.
    #[test]
    fn a_crash_after_the_rename_offers_nothing() {
        let desk = Desk::new();
        let id = desk.stored().id;
        let mut session = desk.open().unwrap();
        session.say(id, NO, "no", now()).unwrap();
        let text = session.ledger().to_text();
        let home = session.home.as_mut().unwrap();
        home.journal
            .saving(home.base.sha256, sha256(text.as_bytes()))
            .unwrap();
        drop(session);
        // Before the rename the events are offered; after it they are not.
        assert_eq!(desk.open().unwrap().left().len(), 1);
        fs::write(&desk.path, text).unwrap();
        assert_eq!(desk.open().unwrap().left(), []);
        assert!(!desk.has_journal());
    }

    #[test]
    fn a_file_changed_by_another_is_not_overwritten() {
        let desk = Desk::new();
        let id = desk.stored().id;
        let mut session = desk.open().unwrap();
        session.say(id, NO, "no", now()).unwrap();
        let mut other = ledger();
        other.exported_at = Some(now());
        fs::write(&desk.path, other.to_text()).unwrap();
        let refused = session.save().map_err(|error| error.problem);
        assert_eq!(refused, Err(Problem::Changed));
        assert_eq!(fs::read_to_string(&desk.path).unwrap(), other.to_text());
        // Another name takes the events along.
        let beside = desk.folder.path().join("mine.json");
        session.save_as(&beside).unwrap();
        let mine = Ledger::read(&fs::read_to_string(&beside).unwrap()).unwrap();
        assert!(mine.receipts[0].user_override.is_some());
        assert!(!desk.has_journal());
    }

    /// A ledger that another program deletes while it is open is said to be gone,
    /// and what was done to it can be saved where it was.
    #[test]
    fn a_file_deleted_by_another_is_gone_and_not_changed() {
        let desk = Desk::new();
        let id = desk.stored().id;
        let mut session = desk.open().unwrap();
        session.say(id, NO, "no", now()).unwrap();
        fs::remove_file(&desk.path).unwrap();
        let refused = session.save().map_err(|error| error.problem);
        assert_eq!(refused, Err(Problem::Gone));
        assert!(!desk.path.exists());
        session.save_as(&desk.path).unwrap();
        let kept = Ledger::read(&fs::read_to_string(&desk.path).unwrap()).unwrap();
        assert!(kept.receipts[0].user_override.is_some());
    }

    /// A file that cannot be read any more is not said to be changed.
    #[cfg(unix)]
    #[test]
    fn a_file_that_became_a_folder_is_said_to_be_one() {
        let desk = Desk::new();
        let id = desk.stored().id;
        let mut session = desk.open().unwrap();
        session.say(id, NO, "no", now()).unwrap();
        fs::remove_file(&desk.path).unwrap();
        fs::create_dir(&desk.path).unwrap();
        let refused = session.save().map_err(|error| error.problem);
        assert!(!matches!(
            refused,
            Ok(()) | Err(Problem::Changed | Problem::Gone)
        ));
    }

    /// Events left by a crash, and the file changed meanwhile: what its receipts
    /// still take is taken, the rest is given back with the reason.
    #[test]
    fn left_events_are_held_to_the_file_that_is_there() {
        let desk = Desk::new();
        let id = desk.stored().id;
        let mut session = desk.open().unwrap();
        session.say(id, NO, "no", now()).unwrap();
        let after = session.ledger().to_text();
        session.take_back(id, false, now()).unwrap();
        drop(session);
        // The file holds the first event already.
        fs::write(&desk.path, after).unwrap();
        let mut session = desk.open().unwrap();
        assert!(!session.left_fits());
        let refused = session.take_up().unwrap();
        assert!(matches!(refused[..], [EventError::Illegal(..)]));
        drop(session);
        // The journal now holds what was taken, about this file.
        let mut session = desk.open().unwrap();
        assert!(session.left_fits() && session.left().len() == 1);
        assert_eq!(session.take_up().unwrap(), []);
        session.save().unwrap();
        assert_eq!(desk.stored().reverted.len(), 1);
    }

    /// Nothing could bring an event back whose receipt no file holds.
    #[test]
    fn no_event_stands_on_a_batch_that_is_not_saved() {
        use attest_grading::policy::{DEFAULT_POLICY, load_policy};

        let desk = Desk::new();
        let id = desk.stored().id;
        let mut session = desk.open().unwrap();
        let policy = load_policy(DEFAULT_POLICY).unwrap();
        session.batch(now(), &policy).unwrap();
        let refused = session.say(id, NO, "no", now());
        assert_eq!(refused, Err(EventError::BatchUnsaved));
        session.save().unwrap();
        session.say(id, NO, "no", now()).unwrap();
    }

    /// A ledger no file holds takes events, and is saved under a name.
    #[test]
    fn what_has_no_file_is_saved_under_a_name() {
        let desk = Desk::new();
        let id = desk.stored().id;
        let mut session = Session::homeless(ledger());
        session.say(id, NO, "no", now()).unwrap();
        assert!(session.is_unsaved() && !session.has_journal());
        let refused = session.save().map_err(|error| error.problem);
        assert_eq!(refused, Err(Problem::Unnamed));
        let path = desk.folder.path().join("mine.json");
        session.save_as(&path).unwrap();
        assert!(!session.is_unsaved());
        let mine = Ledger::read(&fs::read_to_string(&path).unwrap()).unwrap();
        assert!(mine.receipts[0].user_override.is_some());
    }

    #[test]
    fn a_stored_batch_is_saved_and_never_stored_twice() {
        use attest_grading::policy::{DEFAULT_POLICY, load_policy};

        let desk = Desk::new();
        let mut session = desk.open().unwrap();
        let policy = load_policy(DEFAULT_POLICY).unwrap();
        let last = session.ledger().meta.last_batch_instant.unwrap();
        let refused = session.batch(last, &policy);
        let out_of_order = BatchRefused::Write(WriteError::BatchOutOfOrder);
        assert_eq!(refused, Err(BatchError::Refused(out_of_order)));
        assert!(!session.is_unsaved());
        session.batch(now(), &policy).unwrap();
        session.save().unwrap();
        let text = fs::read_to_string(&desk.path).unwrap();
        let held = Ledger::read(&text).unwrap().meta.last_batch_instant;
        assert_eq!(held, Some(now()));
    }
}
