//! Writes one of the large packages that `benches/package.sh` times.
//!
//! `large_packages arrays N OUT`: N Inspector entries of a kilobyte that are
//! no calls, in arrays of at most 16,000; `units N OUT`: N calls, each
//! disclosed inline; `calls N OUT`: N calls and answers that fill one array of
//! N times 16 KiB.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a generator stops at the first thing that is not as it must be"
)]

use std::fmt::Write as _;

use attest_package::build::{BuildInput, BuildSpec};
use attest_package::document::ContextInput;
use attest_package::grammar::Id;
use attest_package::{Format, build};

/// Entries of one array.
const MOST: usize = 16_000;
/// Bytes of a transcript for each of its calls: a thousand make one of nearly
/// the most that is read.
const PER_CALL: usize = 16 << 10;

/// A client's call, of about 240 bytes.
fn call(number: usize) -> String {
    format!(
        r#"{{"direction":"request","id":"entry-{number}","message":{{"id":"rpc-{number}","jsonrpc":"2.0","method":"tools/call","params":{{"arguments":{{"folder":"/home/{number}"}},"name":"list_files"}}}},"origin":"client","timestamp":"2026-09-08T00:00:00Z"}}"#
    )
}

/// A server's answer, of about a kilobyte.
fn answer(number: usize) -> String {
    let text = "a line of the answer ".repeat(41);
    format!(
        r#"{{"direction":"response","id":"answer-{number}","message":{{"id":"rpc-{number}","jsonrpc":"2.0","result":{{"text":"{text}"}}}},"origin":"server","timestamp":"2026-09-08T00:00:01Z"}}"#
    )
}

fn array(entries: impl Iterator<Item = String>) -> Vec<u8> {
    let mut text = String::from("[");
    for (place, entry) in entries.enumerate() {
        let comma = if place > 0 { "," } else { "" };
        write!(text, "{comma}\n{entry}").unwrap();
    }
    text.push_str("\n]\n");
    text.into_bytes()
}

/// The calls, then answers until the transcript is full.
fn filled(calls: usize) -> Vec<u8> {
    let left = calls * (PER_CALL - call(calls).len() - 2);
    // The first answer is the shortest, so these are enough; a fixed count
    // ends the array whatever an answer's length.
    let answers = (0..left / (answer(0).len() + 2))
        .map(answer)
        .scan(left, |left, answer| {
            *left = left.checked_sub(answer.len() + 2)?;
            Some(answer)
        });
    array((0..calls).map(call).chain(answers))
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [kind, count, out] = arguments.as_slice() else {
        panic!("usage: large_packages arrays|units|calls N OUT");
    };
    let count: usize = count.parse().expect("a number");
    let arrays: Vec<Vec<u8>> = match kind.as_str() {
        "arrays" => (0..count)
            .step_by(MOST)
            .map(|from| array((from..count.min(from + MOST)).map(answer)))
            .collect(),
        "units" => vec![array((0..count).map(call))],
        "calls" => vec![filled(count)],
        _ => panic!("arrays, units or calls"),
    };
    let mut spec = BuildSpec::default();
    for (place, bytes) in arrays.iter().enumerate() {
        spec.inputs.push(BuildInput {
            id: Id::parse(&format!("history-{place}")).unwrap(),
            format: Format::Inspector,
            bytes,
            surfaces: None,
            binding: None,
        });
    }
    let built = build(&spec, &ContextInput::example_a1()).expect("a package");
    std::fs::write(out, &built.archive).expect("a writable file");
    let counts = built.report.established.expect("it verifies").counts;
    println!(
        "{out}: {} bytes, {} inputs, {} units",
        built.archive.len(),
        counts.inputs,
        counts.units
    );
}
