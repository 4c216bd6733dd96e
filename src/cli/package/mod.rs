//! `package export|verify|build|inspect`: exit codes 0 verified, 1 refused or
//! not matching, 2 unavailable or bad arguments.

pub mod arguments;
mod export;
mod inspect;
mod verify;

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::path::Path;

use attest_grading::ledger::Ledger;
use attest_package::document::ContextInput;
use attest_package::limits::Limit;
use attest_package::{Outcome, Reason};

use crate::package::export::digests;
use crate::package::{ExportError, Given, LedgerFile, Names, Spec, source};
use crate::store::{MAX_FILE, Problem, StoreError};

use super::{Outcome as Exit, Verified, complain, shown};
use arguments::{Added, Package};

/// The largest spec file, in bytes.
const SPEC_BYTES: u64 = 16 << 20;

/// Runs one of them.
pub(super) fn run(command: &Package) -> Exit {
    let mut bound = Diagnostics::default();
    let done = match command {
        Package::Export(arguments) => export::of_ledger(arguments, &mut bound),
        Package::Build(arguments) => export::of_inputs(arguments, &mut bound),
        Package::Verify(arguments) => verify::run(arguments, &mut bound),
        Package::Inspect(arguments) => inspect::run(arguments, &mut bound),
    };
    Ok(done.unwrap_or_else(|refusal| {
        bound.say(&refusal.lines);
        refusal.code
    }))
}

/// Prints what is inside a package, or why it is refused: `package inspect`.
pub(super) fn inside(path: &Path, verified: Verified) -> Exit {
    run(&Package::Inspect(arguments::Inspect {
        package: path.to_owned(),
        context: verified.context,
        dialect: verified.dialect,
        json: false,
    }))
}

/// Why a command did not do what it was asked: its exit code and the lines
/// that say why, already escaped.
struct Refusal {
    code: u8,
    lines: String,
}

impl Refusal {
    /// Arguments that ask for nothing that could be.
    fn bad(lines: impl ToString) -> Self {
        Self {
            code: 2,
            lines: lines.to_string(),
        }
    }

    /// A reason of the contract, and whose it is.
    fn of(reason: Reason, lines: impl std::fmt::Display) -> Self {
        Self {
            code: code(reason.outcome()),
            lines: format!("{reason}: {lines}"),
        }
    }
}

impl From<StoreError> for Refusal {
    /// A file that is not read or written, by the contract's reason.
    fn from(error: StoreError) -> Self {
        let reason = match error.problem {
            Problem::Exists | Problem::NoSafePublish => Reason::AtomicOutput,
            Problem::TooLarge(_) => Reason::ResourceHard,
            _ => Reason::IoUnavailable,
        };
        Self::of(reason, error)
    }
}

impl From<ExportError> for Refusal {
    fn from(error: ExportError) -> Self {
        Self {
            code: error.reason().map_or(2, |reason| code(reason.outcome())),
            lines: error.to_string(),
        }
    }
}

/// The exit code of an outcome.
fn code(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Verified => 0,
        Outcome::Refused => 1,
        Outcome::Unavailable => 2,
    }
}

/// Most bytes of what is said on standard error: `diagnostic_bytes` (contract
/// §8, reading 16), the hard maximum until a context is read.
struct Diagnostics {
    most: usize,
}

impl Default for Diagnostics {
    fn default() -> Self {
        Self {
            most: usize::try_from(Limit::DiagnosticBytes.hard()).unwrap_or_default(),
        }
    }
}

impl Diagnostics {
    /// What a context selects holds from here on.
    fn under(&mut self, context: &ContextInput) {
        let selected = context.limits.get(Limit::DiagnosticBytes);
        self.most = usize::try_from(selected).unwrap_or_default();
    }

    /// Prints lines to standard error: the first that fit, each whole.
    fn say(&self, lines: &str) {
        complain(self.fitting(lines));
    }

    fn fitting<'l>(&self, lines: &'l str) -> &'l str {
        let mut left = self.most;
        let mut end = 0usize;
        for line in lines.split_inclusive('\n') {
            // Each line gets the program's name before it, and ends.
            let whole = line.trim_end_matches('\n').len();
            match left.checked_sub(whole.saturating_add("attest-tui: \n".len())) {
                Some(rest) => left = rest,
                None => break,
            }
            end = end.saturating_add(line.len());
        }
        lines.get(..end).unwrap_or_default()
    }
}

/// Writes to standard output, whole or with exit code 2: a report that nobody
/// could read was not given (reading 16).
fn put(bytes: &[u8]) -> Result<(), Refusal> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)
        .and_then(|()| out.flush())
        .map_err(|error| {
            Refusal::of(
                Reason::IoUnavailable,
                format!("standard output: {}", error.kind()),
            )
        })
}

/// The names of the archive to make and what goes with it.
fn names(archive: &Path) -> Result<Names, Refusal> {
    Names::of(archive)
        .ok_or_else(|| Refusal::bad(format!("{}: must be named NAME.tar", shown(archive))))
}

/// A ledger and the bytes it was read from.
struct Loaded {
    ledger: Ledger,
    text: String,
}

impl Loaded {
    fn read(path: &Path) -> Result<Self, Refusal> {
        let name = shown(path);
        let bad = |problem: &dyn std::fmt::Display| {
            let problems = problem.to_string();
            let lines: Vec<String> = problems
                .lines()
                .map(|one| format!("{name}: {one}"))
                .collect();
            Refusal::bad(lines.join("\n"))
        };
        let bytes = source::read(path, MAX_FILE).map_err(|error| match error.problem {
            // Its bound is this program's, no limit of the contract.
            Problem::TooLarge(_) => Refusal::bad(error),
            _ => error.into(),
        })?;
        let text = String::from_utf8(bytes).map_err(|_| bad(&"not utf-8"))?;
        let ledger = Ledger::read(&text).map_err(|error| bad(&error))?;
        Ok(Self { ledger, text })
    }

    fn file(&self) -> LedgerFile<'_> {
        LedgerFile {
            ledger: &self.ledger,
            bytes: u64::try_from(self.text.len()).unwrap_or(u64::MAX),
            sha256: attest_canon::sha256(self.text.as_bytes()),
        }
    }
}

/// Reads the inputs, each once, and what the spec file says of them.
fn added(added: &Added) -> Result<(Vec<Given>, Spec), Refusal> {
    let mut given: Vec<Given> = Vec::new();
    let mut left = Limit::ObjectBytesTotal.hard();
    for input in &added.inputs {
        // Twice the same label would bind references to one of two.
        if given.iter().any(|one| one.id == input.id) {
            return Err(ExportError::Twice(input.id.clone()).into());
        }
        let bytes = source::read(&input.path, left).map_err(|error| {
            let Refusal { code, lines } = error.into();
            let lines = format!("{}: {lines}", input.id);
            Refusal { code, lines }
        })?;
        left = left.saturating_sub(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
        given.push(Given {
            id: input.id.clone(),
            format: input.format,
            bytes,
        });
    }
    let Some(path) = &added.spec else {
        return Ok((given, Spec::default()));
    };
    let name = shown(path);
    let bytes = source::read(path, SPEC_BYTES).map_err(Refusal::bad)?;
    let text =
        std::str::from_utf8(&bytes).map_err(|_| Refusal::bad(format!("{name}: not utf-8")))?;
    let inputs: BTreeMap<_, _> = digests(&given);
    let spec = Spec::read(text, &inputs).map_err(|problems| {
        let problems = problems.to_string();
        let lines: Vec<String> = problems
            .lines()
            .map(|one| format!("{name}: {one}"))
            .collect();
        Refusal::bad(lines.join("\n"))
    })?;
    Ok((given, spec))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::ErrorKind;

    /// Equality is accepted, and one beyond is not written (§8).
    #[test]
    fn diagnostics_fit_what_the_context_selects() {
        let mut context = ContextInput::example_a1();
        let mut bound = Diagnostics::default();
        assert_eq!(bound.most, 4096);
        // `attest-tui: abc` and `attest-tui: defgh`, each with its end: 16 and 18 bytes.
        let lines = "abc\ndefgh";
        for (most, said) in [
            (15, ""),
            (16, "abc\n"),
            (33, "abc\n"),
            (34, lines),
            (4096, lines),
        ] {
            assert!(context.limits.select(Limit::DiagnosticBytes, most));
            bound.under(&context);
            assert_eq!(bound.fitting(lines), said, "{most}");
        }
    }

    /// The tables' row 12 and the guard: refused where nothing is published
    /// safely, unavailable where bytes cannot be had or put.
    #[test]
    fn each_problem_of_a_file_has_its_reason_and_code() {
        for (problem, reason, code) in [
            (Problem::Exists, "atomic_output", 1),
            (Problem::NoSafePublish, "atomic_output", 1),
            (Problem::TooLarge(5), "resource_hard", 1),
            (Problem::Changed, "io_unavailable", 2),
            (Problem::NotRegular, "io_unavailable", 2),
            (
                Problem::Unreadable(ErrorKind::NotFound),
                "io_unavailable",
                2,
            ),
            (
                Problem::Unwritable(ErrorKind::StorageFull),
                "io_unavailable",
                2,
            ),
        ] {
            let path = "p.tar".into();
            let refusal = Refusal::from(StoreError { path, problem });
            assert_eq!(refusal.code, code, "{problem:?}");
            let said = format!("{reason}: p.tar: ");
            assert!(refusal.lines.starts_with(&said), "{}", refusal.lines);
        }
    }
}
