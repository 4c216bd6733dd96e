//! Any byte of a package changed: refused with the reason its phase demands, or
//! found by the ledger and by the kept report where nothing in an archive binds
//! it.

use std::ops::Range;

use attest_grading::ledger::Ledger;
use attest_package::document::ContextInput;
use attest_package::{Dialect, PackageView, Reason, inspect};
use attest_tui::package::{
    Against, Digests, Exported, LedgerFile, Request, Selection, compare, export,
};

use crate::common::{DEMO, tar};

/// The demo's package, as `package export` makes it.
struct Demo {
    ledger: Ledger,
    exported: Exported,
    context: ContextInput,
    kept: Against,
}

impl Demo {
    fn new() -> Self {
        let ledger = Ledger::read(DEMO).unwrap();
        let exported = export(file(&ledger), &Request::of(Selection::all())).unwrap();
        Self {
            context: ContextInput::parse(&exported.built.context).unwrap(),
            kept: Against::read(&exported.built.report.to_bytes()).unwrap(),
            ledger,
            exported,
        }
    }

    fn open(&self, archive: &[u8]) -> Result<PackageView, Reason> {
        inspect(archive, &self.context, Dialect::Contract).map_err(|report| report.reason.unwrap())
    }
}

fn file(ledger: &Ledger) -> LedgerFile<'_> {
    LedgerFile {
        ledger,
        bytes: DEMO.len() as u64,
        sha256: attest_canon::sha256(DEMO.as_bytes()),
    }
}

/// What a part of an archive is, and the reasons a change of it can end by.
struct Part {
    range: Range<usize>,
    reasons: &'static [Reason],
    /// Whether nothing in the archive binds it.
    unbound: bool,
}

/// The places in `within` that the strings of members of this name take,
/// without their quotation marks.
fn strings(archive: &[u8], within: &Range<usize>, member: &str) -> Vec<Range<usize>> {
    let text = std::str::from_utf8(&archive[within.clone()]).unwrap();
    let start = format!("\"{member}\":\"");
    let starts = text.match_indices(&start).filter(|(at, _)| {
        // Not inside another string, where the mark is escaped.
        !text[..*at].ends_with('\\')
    });
    starts
        .map(|(at, _)| {
            let from = at + start.len();
            let mut to = from;
            while text.as_bytes()[to] != b'"' {
                to += if text.as_bytes()[to] == b'\\' { 2 } else { 1 };
            }
            within.start + from..within.start + to
        })
        .collect()
}

/// The places in `within` that a text between two marks takes.
fn between(archive: &[u8], within: &Range<usize>, start: &str, end: &str) -> Vec<Range<usize>> {
    let text = std::str::from_utf8(&archive[within.clone()]).unwrap();
    text.match_indices(start)
        .map(|(at, _)| {
            let from = at + start.len();
            let to = from + text[from..].find(end).unwrap();
            within.start + from..within.start + to
        })
        .collect()
}

/// The parts of an archive; the first that holds a byte says what it is.
fn parts(archive: &[u8]) -> Vec<Part> {
    use Reason::{Digest, InputShape, Locator, PolicyBinding, UnknownFormat, UnknownSchema};
    let mut parts = Vec::new();
    let mut add = |range: Range<usize>, reasons: &'static [Reason], unbound| {
        parts.push(Part {
            range,
            reasons,
            unbound,
        });
    };
    for member in tar::members(archive) {
        let data = member.data.clone();
        // Phase 2: every byte of a header is the writer's.
        add(member.header..member.data.start, &[InputShape], false);
        match member.name.as_str() {
            "inventory.json" => {
                // A change can end a text too early, or be none of JSON's.
                for range in strings(archive, &data, "value") {
                    add(range, &[InputShape], true);
                }
                // Another entry of the same kind is as good a reference; the
                // rest of a reference is resolved in phase 5.
                for range in between(archive, &data, "\"locator\":\"json:/entries/", "\"") {
                    add(range, &[InputShape, Locator], true);
                }
                for range in between(archive, &data, "\"refs\":[", "]") {
                    add(range, &[InputShape, Locator], false);
                }
                for range in strings(archive, &data, "assessment_sha256") {
                    add(range, &[InputShape, Digest], false);
                }
                for range in between(archive, &data, "\"bytes\":", ",") {
                    add(range, &[InputShape, Digest], false);
                }
                for range in strings(archive, &data, "format") {
                    add(range, &[InputShape, UnknownFormat], false);
                }
                // What references name is not there any more.
                for range in strings(archive, &data, "id") {
                    add(range, &[InputShape, PolicyBinding, Locator], false);
                }
                // Anything else, the digest of an object among it.
                add(data.clone(), &[InputShape], false);
            }
            "assessment.json" => {
                // Another grammatical assessment is not the one named.
                add(data.clone(), &[InputShape, Digest], false);
            }
            _ => {
                for range in strings(archive, &data, "schema") {
                    add(range, &[UnknownSchema, Digest], false);
                }
                add(data.clone(), &[Digest], false);
            }
        }
        // Padding is zero.
        add(
            data.end..data.end.next_multiple_of(tar::BLOCK),
            &[InputShape],
            false,
        );
    }
    let end = parts.last().unwrap().range.end;
    parts.push(Part {
        range: end..archive.len(),
        reasons: &[InputShape],
        unbound: false,
    });
    parts
}

/// Changes bytes by a mask; how many changes still verified.
fn change(demo: &Demo, offsets: impl Iterator<Item = usize>, mask: u8) -> usize {
    let archive = &demo.exported.built.archive;
    let parts = parts(archive);
    let mut changed = archive.clone();
    let mut verified = 0;
    for offset in offsets {
        changed[offset] ^= mask;
        let part = parts
            .iter()
            .find(|part| part.range.contains(&offset))
            .unwrap();
        match demo.open(&changed) {
            Err(reason) => assert!(
                part.reasons.contains(&reason),
                "byte {offset} by {mask:#x}: {reason}, not of {:?}",
                part.reasons
            ),
            Ok(view) => {
                verified += 1;
                assert!(
                    part.unbound,
                    "byte {offset} by {mask:#x} is bound by nothing"
                );
                let found = compare(&view, file(&demo.ledger)).differences;
                assert!(
                    !found.is_empty(),
                    "byte {offset} by {mask:#x}: not in the ledger"
                );
                let differing = demo.kept.differing(Digests::of(&view.report));
                assert_eq!(differing, ["artifact_sha256", "inventory_sha256"]);
            }
        }
        changed[offset] ^= mask;
    }
    assert_eq!(changed, *archive);
    verified
}

#[test]
fn every_changed_byte_is_found() {
    let demo = Demo::new();
    let length = demo.exported.built.archive.len();
    assert!(demo.open(&demo.exported.built.archive).is_ok());
    let verified = change(&demo, 0..length, 0x01);
    // Most changes of a text still read, so the ledger and the report were asked.
    let parts = parts(&demo.exported.built.archive);
    let unbound = parts.iter().filter(|part| part.unbound);
    let unbound: usize = unbound.map(|part| part.range.len()).sum();
    assert!(verified > unbound / 2, "{verified} of {unbound}");
}

#[test]
#[ignore = "every bit of every byte, and every byte turned round: ten seconds"]
fn every_changed_bit_is_found() {
    let demo = Demo::new();
    let length = demo.exported.built.archive.len();
    for bit in 0..8 {
        change(&demo, 0..length, 1 << bit);
    }
    change(&demo, 0..length, 0xff);
}

/// Cut anywhere, or with anything after its end.
#[test]
fn a_longer_or_shorter_archive_is_refused() {
    let demo = Demo::new();
    let archive = &demo.exported.built.archive;
    for length in (0..archive.len()).step_by(61).chain([archive.len() - 1]) {
        assert_eq!(
            demo.open(&archive[..length]).unwrap_err(),
            Reason::InputShape,
            "{length}"
        );
    }
    for more in [&b"\0"[..], b"x", &[0; 512], archive] {
        let longer = [archive, more].concat();
        assert_eq!(demo.open(&longer).unwrap_err(), Reason::InputShape);
    }
}
