//! The command line: arguments in, an exit code out. Each subcommand is a thin
//! call into the core.
//!
//! Exit codes: 0 done; 1 a mismatch was found; 2 bad arguments, or a file that
//! cannot be read or is not what it should be.

mod arguments;
mod config;
mod demo;
mod events;
mod explain;
mod generate;
mod golden;
mod grade;
mod json;
mod package;
mod plain;
mod policy;
mod replay;
mod show;
mod simulate;
mod trace_json;

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use attest_canon::Id;
use attest_grading::model::IsoTs;
use attest_grading::model::hashes::{claim_receipt_id, unasked_receipt_id};
use attest_grading::text::escaped;
use clap::Parser as _;

use crate::desk::package::is_archive;
use crate::desk::{Job, now};
use crate::inspector::app::state::ScreenName;
use arguments::{Arguments, Command, Screen};
use package::arguments::DialectName;

/// Runs the program; its exit code.
#[must_use]
pub fn run() -> u8 {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return refuse(&error),
    };
    let outcome = match arguments.command {
        None => {
            let screen = arguments.screen.map_or(ScreenName::Receipts, Screen::name);
            let verified = Verified {
                context: arguments.context,
                dialect: arguments.dialect,
            };
            open(arguments.ledger, verified, arguments.plain, screen)
        }
        Some(Command::Examples {
            plain: true,
            number,
        }) => plain::examples(number),
        Some(Command::Examples { plain: false, .. }) => {
            open(None, Verified::default(), false, ScreenName::Examples)
        }
        Some(Command::Grade(grade)) => grade::run(&grade),
        Some(Command::Explain(explain)) => explain::run(&explain),
        Some(Command::Replay { ledgers, json }) => replay::run(&ledgers, json),
        Some(Command::Override {
            ledger,
            receipt,
            grade,
            reason,
            json,
        }) => events::say(&ledger, &receipt, grade.grade(), &reason, json),
        Some(Command::Revert {
            ledger,
            receipt,
            even_if_held,
            json,
        }) => events::take_back(&ledger, &receipt, even_if_held, json),
        Some(Command::Journal {
            ledger,
            apply,
            discard,
        }) => events::journal(&ledger, apply, discard),
        Some(Command::Simulate(simulate)) => simulate::run(&simulate),
        Some(Command::Golden(arguments::Golden::Run { paths, json })) => golden::run(&paths, json),
        Some(Command::Policy(arguments::Policy::Check { file })) => policy::check(&file),
        Some(Command::Package(command)) => package::run(&command),
        Some(Command::Config(command)) => config::run(&command),
        Some(Command::Completions { shell }) => generate::completions(shell),
        Some(Command::Man) => generate::man(),
        Some(Command::Demo { scenario }) => demo::run(&scenario),
    };
    outcome.unwrap_or_else(|problem| {
        complain(&problem);
        2
    })
}

/// Says why the arguments are none of this program's, or prints the help that
/// was asked for; the exit code.
fn refuse(error: &clap::Error) -> u8 {
    if !error.use_stderr() {
        // Nothing more can be said where not even this can be.
        let _ = error.print();
        return 0;
    }
    // A usage error repeats arguments, and an argument may be a file name that a
    // shell filled in: the same error is made again from escaped ones.
    let arguments = std::env::args_os().map(|one| escaped(&one.to_string_lossy()).into_owned());
    let said = match Arguments::try_parse_from(arguments) {
        Err(again) if again.use_stderr() => again.render().to_string(),
        _ => "not the arguments of this program".to_owned(),
    };
    let said = said.strip_prefix("error: ").unwrap_or(&said);
    for line in said.lines().map(str::trim).filter(|line| !line.is_empty()) {
        complain(line);
    }
    2
}

/// A subcommand's exit code, or the lines that say why it could not run. Each
/// line names a file or an argument and holds no content of a ledger; text from
/// files and arguments is escaped.
type Outcome = Result<u8, String>;

/// How a package is verified before it is shown.
struct Verified {
    /// Under this context file; the contract's Example A1 without one.
    context: Option<PathBuf>,
    dialect: DialectName,
}

impl Default for Verified {
    fn default() -> Self {
        Self {
            context: None,
            dialect: DialectName::Contract,
        }
    }
}

/// Opens the inspector; where there is no terminal, or none is wanted, prints.
fn open(path: Option<PathBuf>, verified: Verified, plain: bool, screen: ScreenName) -> Outcome {
    if let Some(path) = path.as_ref().filter(|path| is_archive(path)) {
        return match (plain, screen) {
            (true, ScreenName::Receipts) => package::inside(path, verified),
            (true, ScreenName::Examples) => plain::examples(None),
            (true, _) => Err(format!(
                "{}: a package has no screen but its receipts",
                shown(path)
            )),
            (false, _) => show::package(path, verified, screen),
        };
    }
    if verified.context.is_some() {
        return Err("--context: only a package is verified under one".to_owned());
    }
    if verified.dialect != DialectName::Contract {
        return Err("--dialect: only a package is read by one".to_owned());
    }
    let job = Job {
        path,
        ..Job::default()
    };
    if plain {
        plain::run(&job, screen)
    } else {
        show::run(job, screen)
    }
}

/// Prints a text. A reader that closed its end has read enough.
fn print(text: &str) -> Outcome {
    match io::stdout().lock().write_all(text.as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(format!("standard output: {}", error.kind()))
        }
        _ => Ok(0),
    }
}

/// Prints lines to standard error.
fn complain(lines: &str) {
    let mut out = io::stderr().lock();
    for line in lines.lines() {
        // Nothing more can be said where not even this can be.
        let _ = writeln!(out, "attest-tui: {line}");
    }
}

/// A path as messages name it.
fn shown(path: &Path) -> String {
    escaped(&path.to_string_lossy()).into_owned()
}

/// The instant an option asks for. The wall clock is asked only for `now`.
fn instant(option: &str, at: Option<&str>) -> Result<Option<IsoTs>, String> {
    match at {
        None => Ok(None),
        Some("now") => Ok(Some(now())),
        Some(text) => match IsoTs::parse(text) {
            Some(at) => Ok(Some(at)),
            None => Err(format!(
                "{option}: must be an instant with an offset, or now"
            )),
        },
    }
}

/// What a command is to open, and how to grade it.
fn job(path: &Path, at: Option<&str>, policy: Option<&Path>) -> Result<Job, String> {
    Ok(Job {
        path: Some(path.to_owned()),
        at: instant("--at", at)?,
        policy: policy.map(policy::load).transpose()?,
    })
}

/// The receipt ids that an id can mean: its own, its claim's, its observation's.
fn receipt_ids(id: Id) -> [Id; 3] {
    [id, claim_receipt_id(id), unasked_receipt_id(id)]
}
