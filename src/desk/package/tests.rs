//! Packages opened in the inspector, driven by keys, without a terminal.

use std::fs;
use std::path::PathBuf;

use attest_canon::sha256;
use attest_grading::ledger::{Event, Ledger, transition};
use attest_grading::model::{Grade, IsoTs, OverrideGrade};
use attest_package::Dialect;

use super::super::DEMO;
use super::super::tests::Bench;
use super::{PackageDesk, is_archive};
use crate::inspector::app::tests::{empty_app, screen};
use crate::inspector::row::Standing;
use crate::package::{LedgerFile, Names, Request, Selection, Spec, export, open, publish};

/// A package of a ledger, in a folder of its own.
pub(in crate::desk) struct Packed {
    folder: tempfile::TempDir,
}

impl Packed {
    pub(in crate::desk) fn new(ledger: &Ledger) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let text = ledger.to_text();
        let file = LedgerFile {
            ledger,
            bytes: u64::try_from(text.len()).unwrap(),
            sha256: sha256(text.as_bytes()),
        };
        let request = Request {
            selection: Selection::of_filter("").unwrap(),
            as_of: None,
            valid_from: None,
            valid_until: None,
            trust: None,
            given: Vec::new(),
            spec: Spec::default(),
        };
        let names = Names::of(&folder.path().join("evidence.tar")).unwrap();
        let exported = export(file, &request).unwrap();
        publish(&names, &exported.built).unwrap();
        Self { folder }
    }

    pub(in crate::desk) fn demo() -> Self {
        Self::new(&Ledger::read(DEMO).unwrap())
    }

    pub(in crate::desk) fn archive(&self) -> PathBuf {
        self.folder.path().join("evidence.tar")
    }

    fn context(&self) -> PathBuf {
        self.folder.path().join("evidence.context.json")
    }

    /// Its desk, under the context it was made with.
    pub(in crate::desk) fn desk(&self) -> PackageDesk {
        PackageDesk::new(self.archive(), Some(self.context()), Dialect::Contract)
    }

    fn open(&self) -> Bench {
        Bench::of(empty_app(120, 40), self.desk())
    }
}

#[test]
fn a_package_shows_its_receipts_and_its_facts() {
    let packed = Packed::demo();
    let mut bench = packed.open();
    let text = screen(&bench.app);
    for part in [
        "read only",
        "Receipts 3",
        "NOT FOUND",
        "likely muse",
        "withheld",
        "0.9231",
        "There was no candidate to score.",
        "A package carries receipts",
    ] {
        assert!(text.contains(part), "{part}:\n{text}");
    }
    bench.keys("i");
    let facts = bench.asked();
    let digest = sha256(&fs::read(packed.archive()).unwrap()).to_string();
    for part in [
        digest.as_str(),
        "Inputs 3",
        "receipts-001",
        "tool_call        unknown",
        "original_digests",
        "denominator",
    ] {
        assert!(facts.contains(part), "{part}:\n{facts}");
    }
}

/// Nothing of a package is changed, stored, saved, exported or graded anew.
#[test]
fn a_package_is_never_changed() {
    let packed = Packed::demo();
    let before = fs::read(packed.archive()).unwrap();
    let mut bench = packed.open();
    for keys in ["o", "u", "x", "w", "B", "2 c", "2 d"] {
        bench.keys(keys);
        let notice = bench.notice();
        assert!(notice.contains("never changed"), "{keys}: {notice}");
        bench.keys("1");
    }
    bench.keys("t enter");
    assert!(bench.app.list.opened().preview.is_none());
    assert_eq!(fs::read(packed.archive()).unwrap(), before);
    assert_eq!(fs::read_dir(packed.folder.path()).unwrap().count(), 3);
}

#[test]
fn the_other_screens_say_that_only_the_ledger_shows_them() {
    let packed = Packed::demo();
    let mut bench = packed.open();
    for key in ["3", "4", "5"] {
        bench.keys(key);
        let text = screen(&bench.app) + &bench.notice();
        assert!(
            text.contains("only its ledger shows this"),
            "{key}:\n{text}"
        );
    }
    // A receipt of the queue is shown as far as it is known.
    bench.keys("2");
    let text = screen(&bench.app);
    assert!(text.contains("A package carries receipts"), "{text}");
    // The examples need nothing of what is open.
    bench.keys("6");
    assert!(screen(&bench.app).contains("exact match, same minute"));
}

#[test]
fn a_refused_package_says_why() {
    let packed = Packed::demo();
    let under_another = PackageDesk::new(packed.archive(), None, Dialect::Contract);
    let bench = Bench::of(empty_app(120, 40), under_another);
    let text = screen(&bench.app);
    assert!(text.contains("package_refused: stale_assessment"), "{text}");
    assert!(text.contains("give it with --context"), "{text}");
    // One byte of the last object.
    let mut bytes = fs::read(packed.archive()).unwrap();
    let at = bytes.iter().rposition(|byte| *byte == b'}').unwrap();
    bytes[at] = b']';
    fs::write(packed.archive(), &bytes).unwrap();
    let text = screen(&packed.open().app);
    assert!(text.contains("package_refused: digest"), "{text}");
    fs::remove_file(packed.archive()).unwrap();
    let text = screen(&packed.open().app);
    assert!(text.contains("io_unavailable"), "{text}");
}

/// The reason of an override is withheld, and the word itself counts.
#[test]
fn an_override_is_shown_without_its_reason() {
    let mut ledger = Ledger::read(DEMO).unwrap();
    let held = ledger.receipts.iter_mut();
    let receipt = held.into_iter().find(|one| one.grade == Grade::NotFound);
    let receipt = receipt.unwrap();
    let said = Event::Override {
        grade: OverrideGrade::Verified,
        reason: "a secret of Priya".into(),
        at: IsoTs::parse("2026-10-07T00:00:00Z").unwrap(),
    };
    *receipt = transition(receipt, said).unwrap();
    let id = receipt.id.to_string();
    let mut bench = Packed::new(&ledger).open();
    let row = bench.app.list.opened().rows.iter().find(|row| row.id == id);
    let (standing, grade) = row.map(|row| (row.standing, row.grade)).unwrap();
    assert_eq!(
        (standing, grade),
        (Standing::Overridden, Some(Grade::Verified))
    );
    assert!(bench.app.list.choose(&id));
    bench.keys("enter ] ] ] ]");
    let text = screen(&bench.app);
    assert!(
        text.contains("withheld") && !text.contains("Priya"),
        "{text}"
    );
}

/// A package is told by what it holds and not by its name.
#[test]
fn an_archive_is_known_by_its_first_block() {
    let packed = Packed::demo();
    let other = packed.folder.path().join("archive.json");
    fs::rename(packed.archive(), &other).unwrap();
    assert!(is_archive(&other));
    fs::write(packed.archive(), DEMO).unwrap();
    assert!(!is_archive(&packed.archive()));
    assert!(!is_archive(packed.folder.path()));
    assert!(!is_archive(&packed.folder.path().join("absent.tar")));
    fs::write(packed.archive(), b"ustar").unwrap();
    assert!(!is_archive(&packed.archive()));
}

/// What only the dialect admits, here inputs in another order, is refused with
/// an offer of it.
#[test]
fn the_dialect_is_offered_where_it_alone_is_the_cause() {
    let packed = Packed::demo();
    let bytes = fs::read(packed.archive()).unwrap();
    let from = 512;
    let length = bytes[from..]
        .iter()
        .position(|byte| *byte == b'\n')
        .unwrap();
    let written = &bytes[from..from + length];
    let mut inventory: serde_json::Value = serde_json::from_slice(written).unwrap();
    inventory["inputs"].as_array_mut().unwrap().reverse();
    let turned = serde_json::to_vec(&inventory).unwrap();
    assert_eq!(turned.len(), length);
    let turned = [&bytes[..from], &turned, &bytes[from + length..]].concat();
    fs::write(packed.archive(), turned).unwrap();
    let text = screen(&packed.open().app);
    assert!(text.contains("package_refused: input_shape"), "{text}");
    assert!(text.contains("--dialect assay-6.21"), "{text}");
    let context = Some(packed.context());
    let desk = PackageDesk::new(packed.archive(), context, Dialect::Assay621);
    let mut bench = Bench::of(empty_app(120, 40), desk);
    bench.keys("i");
    assert!(bench.asked().starts_with("Read by the dialect assay-6.21"));
}

/// How far the verification is, in order to the whole; it ends where it is
/// told to.
#[test]
fn opening_says_how_far_it_is_and_stops_when_told() {
    let packed = Packed::demo();
    let context = open::context(Some(&packed.context())).unwrap();
    let look = |go_on: &mut dyn FnMut(u64, u64) -> bool| {
        open::view_watched(&packed.archive(), &context, Dialect::Contract, go_on).unwrap()
    };
    let size = std::fs::metadata(packed.archive()).unwrap().len();
    let mut told = Vec::new();
    let seen = look(&mut |read, of| {
        told.push((read, of));
        true
    });
    assert!(seen.is_ok());
    assert_eq!(told.first(), Some(&(0, size)));
    assert_eq!(told.last(), Some(&(size, size)));
    assert!(told.is_sorted());

    let mut calls = 0;
    let seen = look(&mut |_, _| {
        calls += 1;
        false
    });
    let reason = seen.unwrap_err().reason.map(|reason| reason.token());
    assert_eq!((calls, reason), (1, Some("io_unavailable")));
}
