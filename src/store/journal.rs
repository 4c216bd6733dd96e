//! The journal: a person's events, on the disk before they are on the screen.
//!
//! One JSON object a line. The first names the ledger and the hash of the file
//! the events are about; then one line an event, each synced before it counts;
//! before a save, a line with the hash of what is about to be written. So a
//! start after a crash knows which events the ledger's file already holds. The
//! journal is removed once they are saved.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use attest_canon::jcs::write_string;
use attest_canon::json::{Limits, Value};
use attest_canon::{Digest, Id};
use attest_grading::ledger::Event;
use attest_grading::model::{IsoTs, OverrideGrade};

use super::error::StoreError;
use super::file::{self, MAX_FILE};
use super::place::{Place, private};
use super::save::{replace, sync_directory};

const FORMAT: &str = "attest-journal";
const VERSION: i64 = 1;

/// A person's event on one receipt.
#[derive(Clone, PartialEq, Debug)]
pub struct StoredEvent {
    /// The receipt.
    pub receipt: Id,
    /// What happened to it: an override or a revert.
    pub event: Event,
}

/// What an earlier run left behind.
#[derive(Clone, PartialEq, Debug)]
pub struct Found {
    /// The hash of the file its events are about.
    pub base: Digest,
    /// The hash of the file it was about to write, when a save of all its
    /// events had begun.
    pub saving: Option<Digest>,
    /// The events, in order.
    pub events: Vec<StoredEvent>,
}

/// Why a journal cannot be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum JournalError {
    /// The file itself.
    Store(StoreError),
    /// A line that is none of a journal's.
    Line {
        /// The journal's path.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
    },
}

impl fmt::Display for JournalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Store(error) => fmt::Display::fmt(error, f),
            Self::Line { path, line } => {
                let path = path.to_string_lossy();
                let path = attest_grading::text::escaped(&path);
                write!(f, "{path}: line {line} is not a journal's")
            }
        }
    }
}

impl std::error::Error for JournalError {}

impl From<StoreError> for JournalError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// The journal of one ledger. Whoever holds it holds the ledger's lock.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    ledger: PathBuf,
    open: Option<Open>,
}

#[derive(Debug)]
struct Open {
    file: File,
    /// What is known to be on the disk, in bytes.
    synced: u64,
}

impl Journal {
    /// The journal of a ledger, and what an earlier run left in it.
    ///
    /// # Errors
    ///
    /// It is there and cannot be read; nothing is changed then.
    pub fn open(place: &Place) -> Result<(Self, Option<Found>), JournalError> {
        let path = place.journal();
        let mut journal = Self {
            path: path.clone(),
            ledger: place.ledger.clone(),
            open: None,
        };
        if !path.exists() {
            return Ok((journal, None));
        }
        let mut bytes = file::bytes(&path, MAX_FILE)?;
        // A line cut off by a crash was never acknowledged. It is cut before
        // the bytes are read as text: it may end inside a character.
        let whole = bytes.iter().rposition(|byte| *byte == b'\n');
        bytes.truncate(whole.map_or(0, |end| end.saturating_add(1)));
        let found = parse(&path, &bytes)?;
        let Some(found) = found else {
            // Cut off before its first line was on the disk: nothing was
            // acknowledged.
            journal.remove()?;
            return Ok((journal, None));
        };
        let file = OpenOptions::new().append(true).open(&path);
        let file = file.map_err(StoreError::unwritable(&path))?;
        let synced = bytes.len() as u64;
        file.set_len(synced)
            .map_err(StoreError::unwritable(&path))?;
        journal.open = Some(Open { file, synced });
        Ok((journal, Some(found)))
    }

    /// Adds an event; when this returns it is on the disk. `base` is the hash
    /// of the file the first event is about.
    ///
    /// # Errors
    ///
    /// It cannot be written; then it is not in the journal.
    pub fn add(&mut self, base: Digest, event: &StoredEvent) -> Result<(), StoreError> {
        self.begin(base)?;
        self.write(&line(event))
    }

    /// Says that a file with this hash is about to be written.
    ///
    /// # Errors
    ///
    /// It cannot be written.
    pub fn saving(&mut self, base: Digest, digest: Digest) -> Result<(), StoreError> {
        self.begin(base)?;
        self.write(&format!("{{\"saving\":\"{digest}\"}}\n"))
    }

    /// Holds these events instead of what it held, at one stroke.
    ///
    /// # Errors
    ///
    /// It cannot be written; it holds what it held.
    pub fn rewrite(&mut self, base: Digest, events: &[StoredEvent]) -> Result<(), StoreError> {
        self.begin(base)?;
        let mut text = self.head(base);
        text.extend(events.iter().map(line));
        replace(&self.path, text.as_bytes())?;
        // The open file is the one that was replaced.
        let file = OpenOptions::new().append(true).open(&self.path);
        match file {
            Ok(file) => {
                self.open = Some(Open {
                    file,
                    synced: text.len() as u64,
                });
                Ok(())
            }
            Err(error) => {
                self.open = None;
                Err(StoreError::unwritable(&self.path)(error))
            }
        }
    }

    /// Forgets every event: they are saved, or a person gave them up.
    ///
    /// # Errors
    ///
    /// It cannot be removed.
    pub fn remove(&mut self) -> Result<(), StoreError> {
        self.open = None;
        match fs::remove_file(&self.path) {
            Ok(()) => sync_directory(&self.path).map_err(StoreError::unwritable(&self.path)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(StoreError::unwritable(&self.path)(error)),
        }
    }

    fn begin(&mut self, base: Digest) -> Result<(), StoreError> {
        if self.open.is_some() {
            return Ok(());
        }
        let mut options = OpenOptions::new();
        let options = options.create(true).truncate(true).write(true);
        let file = private(&self.path, options).map_err(StoreError::unwritable(&self.path))?;
        self.open = Some(Open { file, synced: 0 });
        let begun = self
            .write(&self.head(base))
            .and_then(|()| sync_directory(&self.path).map_err(StoreError::unwritable(&self.path)));
        if begun.is_err() {
            self.open = None;
        }
        begun
    }

    fn head(&self, base: Digest) -> String {
        let mut head = format!("{{\"digest\":\"{base}\",\"format\":\"{FORMAT}\",\"ledger\":");
        write_string(&mut head, &self.ledger.to_string_lossy());
        head.push_str(&format!(",\"version\":{VERSION}}}\n"));
        head
    }

    /// Writes whole lines and syncs them. What cannot be synced is taken back;
    /// where not even that works the journal is closed, and begins anew.
    fn write(&mut self, lines: &str) -> Result<(), StoreError> {
        let unwritable = StoreError::unwritable(&self.path);
        let Some(open) = &mut self.open else {
            return Err(unwritable(io::ErrorKind::NotConnected.into()));
        };
        let written = open
            .file
            .write_all(lines.as_bytes())
            .and_then(|()| open.file.sync_data());
        match written {
            Ok(()) => {
                open.synced = open.synced.saturating_add(lines.len() as u64);
                Ok(())
            }
            Err(error) => {
                let back = open.file.set_len(open.synced).and_then(|()| {
                    use std::io::Seek;
                    open.file.seek(io::SeekFrom::Start(open.synced)).map(|_| ())
                });
                if back.is_err() {
                    self.open = None;
                }
                Err(unwritable(error))
            }
        }
    }
}

fn line(stored: &StoredEvent) -> String {
    let mut out = String::new();
    match &stored.event {
        Event::Override { grade, reason, at } => {
            out.push_str(&format!(
                "{{\"at\":\"{at}\",\"event\":\"override\",\"grade\":\"{grade}\",\"reason\":"
            ));
            write_string(&mut out, reason);
            out.push_str(&format!(",\"receipt\":\"{}\"}}", stored.receipt));
        }
        Event::Revert { at } => out.push_str(&format!(
            "{{\"at\":\"{at}\",\"event\":\"revert\",\"receipt\":\"{}\"}}",
            stored.receipt
        )),
        // Batches make these; no person does.
        Event::Regrade(_) | Event::Supersede { .. } => return out,
    }
    out.push('\n');
    out
}

/// Reads a journal's whole lines.
fn parse(path: &Path, lines: &[u8]) -> Result<Option<Found>, JournalError> {
    let mut found: Option<Found> = None;
    let lines = lines.split_inclusive(|byte| *byte == b'\n');
    for (place, line) in lines.enumerate() {
        let line = str::from_utf8(line).ok();
        let read = line.and_then(|line| match &mut found {
            None => head(line).map(|base| {
                found = Some(Found {
                    base,
                    saving: None,
                    events: Vec::new(),
                });
            }),
            Some(found) => entry(line, found),
        });
        read.ok_or_else(|| JournalError::Line {
            path: path.to_owned(),
            line: place.saturating_add(1),
        })?;
    }
    Ok(found)
}

fn head(line: &str) -> Option<Digest> {
    let head = Value::parse(line, Limits::LEDGER).ok()?;
    let is = head.get("format").and_then(Value::as_str) == Some(FORMAT);
    let version =
        matches!(head.get("version"), Some(Value::Number(text)) if text == &VERSION.to_string());
    let digest = head.get("digest").and_then(Value::as_str);
    digest.filter(|_| is && version).and_then(Digest::parse)
}

fn entry(line: &str, found: &mut Found) -> Option<()> {
    let entry = Value::parse(line, Limits::LEDGER).ok()?;
    let text = |key| entry.get(key).and_then(Value::as_str);
    if let Some(digest) = text("saving") {
        found.saving = Some(Digest::parse(digest)?);
        return Some(());
    }
    let at = IsoTs::parse(text("at")?)?;
    let event = match text("event")? {
        "override" => Event::Override {
            grade: OverrideGrade::parse(text("grade")?)?,
            reason: text("reason")?.into(),
            at,
        },
        "revert" => Event::Revert { at },
        _ => return None,
    };
    // A save that did not hold this event says nothing about it.
    found.saving = None;
    found.events.push(StoredEvent {
        receipt: Id::parse(text("receipt")?)?,
        event,
    });
    Some(())
}

#[cfg(test)]
mod tests {
    use attest_canon::sha256;

    use super::*;

    fn place(folder: &Path) -> Place {
        let ledger = folder.join("ledger.json");
        fs::write(&ledger, "{}").unwrap();
        let place = Place::within(folder, &ledger).unwrap();
        place.make().unwrap();
        place
    }

    fn events() -> Vec<StoredEvent> {
        let at = |text| IsoTs::parse(text).unwrap();
        let receipt = Id::from_digest(&sha256(b"r"));
        vec![
            StoredEvent {
                receipt,
                event: Event::Override {
                    grade: OverrideGrade::NotFound,
                    reason: "a \"quoted\"\n\u{1b}[31m reason \u{e9}".into(),
                    at: at("2026-10-06T15:00:00.001-04:00"),
                },
            },
            StoredEvent {
                receipt,
                event: Event::Revert {
                    at: at("2026-10-06T19:05:00Z"),
                },
            },
        ]
    }

    #[test]
    fn events_come_back_in_order_until_they_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let place = place(folder.path());
        let base = sha256(b"base");
        let (mut journal, found) = Journal::open(&place).unwrap();
        assert_eq!(found, None);
        for event in events() {
            journal.add(base, &event).unwrap();
        }
        drop(journal);
        let (mut journal, found) = Journal::open(&place).unwrap();
        let expected = Found {
            base,
            saving: None,
            events: events(),
        };
        assert_eq!(found, Some(expected.clone()));
        // A later run adds to it.
        journal.saving(base, sha256(b"next")).unwrap();
        drop(journal);
        let (mut journal, found) = Journal::open(&place).unwrap();
        let expected = Found {
            saving: Some(sha256(b"next")),
            ..expected
        };
        assert_eq!(found, Some(expected));
        journal.remove().unwrap();
        assert_eq!(Journal::open(&place).unwrap().1, None);
        assert!(!place.journal().exists());
    }

    /// Cut anywhere, a journal still gives every event whose line is whole.
    #[test]
    fn a_journal_cut_anywhere_keeps_its_whole_lines() {
        let folder = tempfile::tempdir().unwrap();
        let place = place(folder.path());
        let (mut journal, _) = Journal::open(&place).unwrap();
        for event in events() {
            journal.add(sha256(b"base"), &event).unwrap();
        }
        drop(journal);
        let whole = fs::read(place.journal()).unwrap();
        let lines = |text: &[u8]| text.iter().filter(|byte| **byte == b'\n').count();
        for cut in 0..=whole.len() {
            let kept = &whole[..cut];
            fs::write(place.journal(), kept).unwrap();
            let (mut journal, found) = Journal::open(&place).unwrap();
            let held = found.map_or(0, |found| found.events.len());
            assert_eq!(held, lines(kept).saturating_sub(1), "cut at {cut}");
            // And what is added after it is not joined to the torn line.
            journal.add(sha256(b"base"), &events()[1]).unwrap();
            drop(journal);
            let (_, found) = Journal::open(&place).unwrap();
            assert_eq!(
                found.map(|found| found.events.len()),
                Some(held + 1),
                "cut at {cut}"
            );
        }
    }

    #[test]
    fn a_line_that_is_no_journals_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let place = place(folder.path());
        let base = sha256(b"");
        let head =
            format!(r#"{{"digest":"{base}","format":"attest-journal","ledger":"x","version":1}}"#);
        for (text, line) in [
            ("x\n".to_owned(), 1),
            (head.replace("journal", "ledger") + "\n", 1),
            (head.replace(":1}", ":2}") + "\n", 1),
            (format!("{head}\n{{}}\n"), 2),
            (
                format!("{head}\n{{\"saving\":\"{base}\"}}\n{{\"event\":\"supersede\"}}\n"),
                3,
            ),
        ] {
            fs::write(place.journal(), &text).unwrap();
            let error = Journal::open(&place).unwrap_err();
            let expected = JournalError::Line {
                path: place.journal(),
                line,
            };
            assert_eq!(error, expected, "{text}");
            assert_eq!(fs::read_to_string(place.journal()).unwrap(), text);
        }
    }
}
