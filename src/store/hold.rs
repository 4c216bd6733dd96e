//! Opening a file for the inspector: for writing where that can be, for
//! reading with the reason where it cannot.

use std::path::Path;

use attest_canon::Digest;
use attest_grading::ledger::Ledger;
use attest_grading::scenario::build::World;

use super::error::StoreError;
use super::file;
use super::lock::Lock;
use super::opened::{OpenError, Opened, Source, View, is_scenario};
use super::place::Place;
use super::session::Session;

/// What binds a ledger to the bytes of its file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bound {
    /// How many there are.
    pub bytes: u64,
    /// Their hash.
    pub sha256: Digest,
}

/// What is open.
#[derive(Debug)]
pub enum Held {
    /// A ledger held for writing.
    Session(Box<Session>),
    /// A ledger that cannot be changed here.
    ReadOnly {
        /// The ledger.
        ledger: Box<Ledger>,
        /// Why, as one line.
        why: String,
        /// The bytes it was read from.
        bound: Bound,
    },
    /// A scenario: it is graded and never stored.
    Scenario(Box<World>),
}

impl Held {
    /// Opens a file. The lock is taken before the file is read, so what is read
    /// is what a save replaces.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or everything that is wrong with what it says.
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        Self::at(path, Place::of(path))
    }

    pub(crate) fn at(path: &Path, place: Result<Place, StoreError>) -> Result<Self, OpenError> {
        let locked = place.and_then(|place| Ok((Lock::take(&place)?, place)));
        let text = file::read(path)?;
        let bound = Bound {
            bytes: u64::try_from(text.as_str().len()).unwrap_or(u64::MAX),
            sha256: text.digest(),
        };
        if is_scenario(text.as_str()) {
            return Ok(match Opened::read(path, text.as_str())?.source {
                Source::Scenario(world) => Self::Scenario(world),
                Source::Ledger(ledger) => Self::read_only(*ledger, "it is a scenario", bound),
            });
        }
        let ledger = Ledger::read(text.as_str())
            .map_err(|error| OpenError::Ledger(path.to_owned(), error))?;
        let (lock, place) = match locked {
            Ok(locked) => locked,
            Err(error) => return Ok(Self::read_only(ledger, &of_it(path, &error), bound)),
        };
        // A journal that cannot be read is not written over.
        Ok(match Session::journal(&place, bound.sha256) {
            Ok(journal) => {
                let session = Session::of(ledger, bound, place, lock, journal);
                Self::Session(Box::new(session))
            }
            Err(error) => Self::read_only(ledger, &error.to_string(), bound),
        })
    }

    /// A ledger that no file holds.
    #[must_use]
    pub fn homeless(ledger: Ledger) -> Self {
        Self::Session(Box::new(Session::homeless(ledger)))
    }

    fn read_only(ledger: Ledger, why: &str, bound: Bound) -> Self {
        Self::ReadOnly {
            ledger: Box::new(ledger),
            why: why.to_owned(),
            bound,
        }
    }

    /// The bytes of the file that holds the ledger as it stands; none where no file does.
    #[must_use]
    pub fn bound(&self) -> Option<Bound> {
        match self {
            Self::Session(session) => session.bound(),
            Self::ReadOnly { bound, .. } => Some(*bound),
            Self::Scenario(_) => None,
        }
    }

    /// What it holds.
    #[must_use]
    pub fn view(&self) -> View<'_> {
        match self {
            Self::Session(session) => View::Ledger(session.ledger()),
            Self::ReadOnly { ledger, .. } => View::Ledger(ledger),
            Self::Scenario(world) => View::Scenario(world),
        }
    }

    /// The session, where it can be written.
    #[must_use]
    pub fn session(&self) -> Option<&Session> {
        match self {
            Self::Session(session) => Some(session),
            _ => None,
        }
    }

    /// The session, to change it.
    ///
    /// # Errors
    ///
    /// Why there is none.
    pub fn session_mut(&mut self) -> Result<&mut Session, String> {
        match self {
            Self::Session(session) => Ok(session),
            Self::ReadOnly { why, .. } => Err(why.clone()),
            Self::Scenario(_) => Err("a scenario is graded and never stored".to_owned()),
        }
    }

    /// Why it cannot be written, where it cannot.
    #[must_use]
    pub fn read_only_because(&self) -> Option<String> {
        match self {
            Self::Session(_) => None,
            Self::ReadOnly { why, .. } => Some(why.clone()),
            Self::Scenario(_) => Some("a scenario is graded and never stored".to_owned()),
        }
    }
}

/// What is wrong, said of the ledger itself without its name.
fn of_it(ledger: &Path, error: &StoreError) -> String {
    let whole = std::fs::canonicalize(ledger);
    if error.path == ledger || whole.is_ok_and(|whole| error.path == whole) {
        format!("it {}", error.problem)
    } else {
        error.to_string()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::store::Problem;

    const DEMO: &str = include_str!("../../golden/ledgers/demo.json");
    const SCENARIO: &str = include_str!("../../golden/12-timezone-midnight-edge.json");

    struct Folder(tempfile::TempDir);

    impl Folder {
        fn new(text: &str) -> Self {
            let folder = tempfile::tempdir().unwrap();
            fs::write(folder.path().join("ledger.json"), text).unwrap();
            Self(folder)
        }

        fn open(&self) -> Result<Held, OpenError> {
            let path = self.0.path().join("ledger.json");
            Held::at(&path, Place::within(&self.0.path().join("state"), &path))
        }
    }

    #[test]
    fn a_second_holder_reads_only_and_says_why() {
        let folder = Folder::new(DEMO);
        let mut first = folder.open().unwrap();
        assert!(first.session_mut().is_ok());
        let mut second = folder.open().unwrap();
        let why = second.read_only_because().unwrap();
        assert_eq!(why, "it is open in another attest-tui");
        assert_eq!(second.session_mut().unwrap_err(), why);
        assert_eq!(second.view().receipts(), first.view().receipts());
        drop(first);
        assert!(folder.open().unwrap().session_mut().is_ok());
    }

    #[test]
    fn without_a_place_for_the_journal_it_is_read_only() {
        let folder = Folder::new(DEMO);
        let path = folder.0.path().join("ledger.json");
        let none = StoreError::new(&path, Problem::NoStateDirectory);
        let held = Held::at(&path, Err(none)).unwrap();
        assert!(matches!(held, Held::ReadOnly { .. }));
    }

    /// What the journal holds is a person's: it is neither read wrong nor lost.
    #[test]
    fn a_journal_that_cannot_be_read_is_left_alone() {
        let folder = Folder::new(DEMO);
        let path = folder.0.path().join("ledger.json");
        let place = Place::within(&folder.0.path().join("state"), &path).unwrap();
        place.make().unwrap();
        fs::write(place.journal(), "not a journal\n").unwrap();
        let held = folder.open().unwrap();
        let why = held.read_only_because().unwrap();
        assert!(why.ends_with("line 1 is not a journal's"), "{why}");
        assert_eq!(fs::read(place.journal()).unwrap(), b"not a journal\n");
    }

    #[test]
    fn a_scenario_is_never_written() {
        let folder = Folder::new(SCENARIO);
        let mut held = folder.open().unwrap();
        assert!(matches!(held, Held::Scenario(_)));
        assert!(held.session_mut().is_err());
        assert!(held.view().receipts().is_empty());
    }

    #[test]
    fn what_is_no_ledger_is_refused() {
        assert!(matches!(
            Folder::new("{}").open(),
            Err(OpenError::Ledger(..))
        ));
    }
}
