//! The command line: arguments in, an exit code out. Each subcommand is a thin
//! call into the core.
//!
//! Exit codes: 0 done; 1 a mismatch was found; 2 bad arguments, or a file that
//! cannot be read or is not what it should be.

mod demo;
mod explain;
mod golden;
mod grade;
mod policy;
mod replay;
mod show;

use std::io::Write as _;
use std::path::PathBuf;

use attest_grading::model::IsoTs;
use clap::{Parser, Subcommand};

use crate::desk::Job;

/// A terminal inspector for ledgers of what AI agents claimed to do and what
/// really happened.
#[derive(Parser, Debug)]
#[command(name = "attest-tui", version, args_conflicts_with_subcommands = true)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    /// The ledger (or golden scenario) to open; without one, the embedded demo.
    ledger: Option<PathBuf>,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Grade what a ledger's next batch would, and print the receipts.
    Grade {
        /// The ledger or golden scenario.
        ledger: PathBuf,
        /// The batch's instant, or `now`; else the ledger's own.
        #[arg(long, value_name = "TIME")]
        at: Option<String>,
        /// Grade by this policy instead of the shipped one.
        #[arg(long, value_name = "FILE")]
        policy: Option<PathBuf>,
        /// Print `{"evaluatedAt","receipts":[receipt…]}` as one line of JSON.
        #[arg(long)]
        json: bool,
    },
    /// Explain one receipt: why, arithmetic, rules, state, inputs.
    Explain {
        /// The ledger or golden scenario.
        ledger: PathBuf,
        /// The receipt's id, its claim's or observation's id, or a scenario's ref.
        receipt: String,
        /// Print the receipt and its trace's figures as one line of JSON.
        #[arg(long, conflicts_with = "markdown")]
        json: bool,
        /// Print Markdown.
        #[arg(long)]
        markdown: bool,
    },
    /// Run golden scenarios.
    Golden {
        #[command(subcommand)]
        command: GoldenCommand,
    },
    /// Check policy files.
    Policy {
        #[command(subcommand)]
        command: PolicyCommand,
    },
    /// Derive every stored receipt again and compare.
    Replay {
        /// The ledgers.
        #[arg(required = true)]
        ledgers: Vec<PathBuf>,
        /// Print a line of JSON per ledger.
        #[arg(long)]
        json: bool,
    },
    /// Write the ledger a golden scenario's batch leaves, to standard output.
    #[command(hide = true)]
    Demo {
        /// The golden scenario.
        scenario: PathBuf,
    },
}

#[derive(Subcommand, Debug)]
enum GoldenCommand {
    /// Run scenario files, and every `*.json` of a folder.
    Run {
        /// Files and folders.
        #[arg(required = true)]
        paths: Vec<PathBuf>,
        /// Print a line of JSON per file.
        #[arg(long)]
        json: bool,
    },
}

#[derive(Subcommand, Debug)]
enum PolicyCommand {
    /// List every problem of a policy file; exit 0 when there is none, else 2.
    Check {
        /// The policy.
        file: PathBuf,
    },
}

/// Runs the program; its exit code.
#[must_use]
pub fn run() -> u8 {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            let _ = error.print();
            return if error.use_stderr() { 2 } else { 0 };
        }
    };
    let outcome = match arguments.command {
        None => show::run(Job {
            path: arguments.ledger,
            ..Job::default()
        }),
        Some(Command::Grade {
            ledger,
            at,
            policy,
            json,
        }) => job(ledger, at.as_deref(), policy).and_then(|job| grade::run(&job, json)),
        Some(Command::Explain {
            ledger,
            receipt,
            json,
            markdown,
        }) => {
            let form = match (json, markdown) {
                (true, _) => explain::Form::Json,
                (_, true) => explain::Form::Markdown,
                _ => explain::Form::Text,
            };
            let job = Job {
                path: Some(ledger),
                ..Job::default()
            };
            explain::run(&job, &receipt, form)
        }
        Some(Command::Golden {
            command: GoldenCommand::Run { paths, json },
        }) => golden::run(&paths, json),
        Some(Command::Policy {
            command: PolicyCommand::Check { file },
        }) => policy::check(&file),
        Some(Command::Replay { ledgers, json }) => replay::run(&ledgers, json),
        Some(Command::Demo { scenario }) => demo::run(&scenario),
    };
    outcome.unwrap_or_else(|problem| {
        for line in problem.lines() {
            eprintln!("attest-tui: {line}");
        }
        2
    })
}

/// A subcommand's exit code, or the lines that say why it could not run.
type Outcome = Result<u8, String>;

/// Prints a text; a closed pipe ends quietly.
fn print(text: &str) {
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
}

fn job(path: PathBuf, at: Option<&str>, policy: Option<PathBuf>) -> Result<Job, String> {
    let at = match at {
        None => None,
        Some("now") => Some(now()),
        Some(text) => {
            Some(IsoTs::parse(text).ok_or("--at: must be an instant with an offset, or now")?)
        }
    };
    let policy = policy.map(|file| policy::load(&file)).transpose()?;
    Ok(Job {
        path: Some(path),
        at,
        policy,
    })
}

/// The wall clock, asked only for `--at now`.
fn now() -> IsoTs {
    let since = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap_or_default();
    let ms = i64::try_from(since.as_millis()).unwrap_or(i64::MAX);
    IsoTs::computed(attest_grading::model::Instant::from_ms(ms), 0)
}
