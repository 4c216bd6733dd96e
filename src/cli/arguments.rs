//! The arguments, and the texts `--help`, completions and the man page are
//! made from.

use std::path::PathBuf;

use attest_grading::model::OverrideGrade;
use attest_grading::simulate::{MOST_CLAIMS, MOST_DAYS};
use clap::{Args, Parser, Subcommand, ValueEnum};

use super::package::arguments::{DialectName, Package};
use crate::inspector::app::state::ScreenName;

/// A terminal inspector for ledgers of what AI agents claimed to do and what
/// really happened.
#[derive(Parser, Debug)]
#[command(
    name = "attest-tui",
    version,
    args_conflicts_with_subcommands = true,
    after_help = "Exit codes: 0 done; 1 a mismatch was found; 2 bad arguments, or a file that \
                  cannot be read or is not what it should be."
)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Option<Command>,
    /// The ledger, golden scenario or evidence package to open; without one, the
    /// embedded demo.
    pub ledger: Option<PathBuf>,
    /// The context to verify a package under; the contract's Example A1 without
    /// one.
    #[arg(long, value_name = "FILE", requires = "ledger")]
    pub context: Option<PathBuf>,
    /// Read a package as the contract says, or as the only producer in the field
    /// writes.
    #[arg(long, value_enum, default_value = "contract", requires = "ledger")]
    pub dialect: DialectName,
    /// Print every receipt and why, without a terminal's control.
    #[arg(long)]
    pub plain: bool,
    /// The screen to begin with; with --plain, the one to print.
    #[arg(long, value_enum, value_name = "SCREEN")]
    pub screen: Option<Screen>,
}

/// A screen of the inspector.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Screen {
    /// The receipts and why.
    Receipts,
    /// What needs a person.
    Review,
    /// Every receipt derived again.
    Replay,
    /// The ledger over time.
    Timeline,
    /// The policy in force.
    Policy,
    /// The worked examples.
    Examples,
}

impl Screen {
    /// The inspector's name for it.
    pub const fn name(self) -> ScreenName {
        match self {
            Self::Receipts => ScreenName::Receipts,
            Self::Review => ScreenName::Review,
            Self::Replay => ScreenName::Replay,
            Self::Timeline => ScreenName::Timeline,
            Self::Policy => ScreenName::Policy,
            Self::Examples => ScreenName::Examples,
        }
    }
}

#[derive(Subcommand, Debug)]
pub enum Command {
    /// Grade what a ledger's next batch would, and print the receipts.
    Grade(Grade),
    /// Explain one receipt: arithmetic, rules, coverage, finality.
    Explain(Explain),
    /// Derive every stored receipt again and compare.
    Replay {
        /// The ledgers.
        #[arg(required = true)]
        ledgers: Vec<PathBuf>,
        /// Print a line of JSON per ledger.
        #[arg(long)]
        json: bool,
    },
    /// Say what a receipt really is: VERIFIED, it happened; NOT_FOUND, it did not.
    Override {
        /// The ledger.
        ledger: PathBuf,
        /// The receipt's id, or its claim's or observation's.
        receipt: String,
        /// What it really is.
        #[arg(ignore_case = true)]
        grade: Word,
        /// Why; at most 500 characters, at least one to be seen.
        #[arg(long)]
        reason: String,
        /// Print the receipt as a line of JSON.
        #[arg(long)]
        json: bool,
    },
    /// Take an override back.
    Revert {
        /// The ledger.
        ledger: PathBuf,
        /// The receipt's id, or its claim's or observation's.
        receipt: String,
        /// Also when another claim holds the receipt's evidence by now.
        #[arg(long)]
        even_if_held: bool,
        /// Print the receipt as a line of JSON.
        #[arg(long)]
        json: bool,
    },
    /// Show the events an earlier run accepted and did not save.
    Journal {
        /// The ledger.
        ledger: PathBuf,
        /// Save them into the ledger.
        #[arg(long, conflicts_with = "discard")]
        apply: bool,
        /// Give them up.
        #[arg(long)]
        discard: bool,
    },
    /// Step through the worked examples.
    Examples {
        /// Print the examples, a line each, without a terminal's control.
        #[arg(long)]
        plain: bool,
        /// With --plain, print every step of the example of this number.
        #[arg(requires = "plain")]
        number: Option<u32>,
    },
    /// Print the ledger of a seeded world of agents, a person and observers.
    Simulate(Simulate),
    /// Run golden scenarios.
    #[command(subcommand)]
    Golden(Golden),
    /// Check policy files.
    #[command(subcommand)]
    Policy(Policy),
    /// Export, verify, build and look into offline evidence packages.
    #[command(subcommand)]
    Package(Package),
    /// Look at the settings.
    #[command(subcommand)]
    Config(Config),
    /// Print a shell's completions.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Print the man page.
    Man,
    /// Print the ledger that a scenario's batch leaves, as the demo is made.
    #[command(hide = true)]
    Demo {
        /// The golden scenario.
        scenario: PathBuf,
    },
}

#[derive(Args, Debug)]
pub struct Grade {
    /// The ledger or golden scenario.
    pub ledger: PathBuf,
    /// The batch's instant, or `now`; else the latest the ledger holds.
    #[arg(long, value_name = "TIME")]
    pub at: Option<String>,
    /// Grade by this policy instead of the shipped one.
    #[arg(long, value_name = "FILE")]
    pub policy: Option<PathBuf>,
    /// Store the batch in the ledger, with its inputs and coverage.
    #[arg(long)]
    pub write: bool,
    /// Print one line of JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Args, Debug)]
pub struct Simulate {
    /// What decides the world; one seed always writes the same bytes.
    #[arg(long, value_name = "N")]
    pub seed: u64,
    /// How many days it lasts.
    #[arg(long, value_name = "D", value_parser = clap::value_parser!(u32).range(1..=MOST_DAYS as i64))]
    pub days: u32,
    /// How many claims agents make on a day.
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(0..=MOST_CLAIMS as i64))]
    pub claims_per_day: u32,
    /// What goes wrong: none, some, many, names with commas between, or `many:`
    /// and names.
    #[arg(long, value_name = "WHAT", default_value = "some")]
    pub faults: String,
    /// Write what really happened to this file.
    #[arg(long, value_name = "FILE")]
    pub truth: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub struct Explain {
    /// The ledger or golden scenario.
    pub ledger: PathBuf,
    /// The receipt's id, or its claim's or observation's, or a scenario's name
    /// for it.
    pub receipt: String,
    /// Explain what a batch at this instant, or `now`, would make of it, not
    /// the stored receipt.
    #[arg(long, value_name = "TIME")]
    pub at: Option<String>,
    /// Grade by this policy instead of the shipped one.
    #[arg(long, value_name = "FILE")]
    pub policy: Option<PathBuf>,
    /// Print the receipt and its whole trace as a line of JSON.
    #[arg(long, conflicts_with = "markdown")]
    pub json: bool,
    /// Print Markdown.
    #[arg(long)]
    pub markdown: bool,
}

#[derive(Subcommand, Debug)]
pub enum Golden {
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
pub enum Policy {
    /// List every problem of a policy file; exit 0 when there is none, else 2.
    Check {
        /// The policy.
        file: PathBuf,
    },
}

#[derive(Subcommand, Debug)]
pub enum Config {
    /// List every problem of the config file and themes; exit 0 or 2.
    Check,
    /// Print every setting in force.
    Show,
    /// Print where the config file is looked for.
    Path,
}

/// What a person may say a receipt is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Word {
    /// It happened; of an action nobody claimed: an agent did it.
    #[value(name = "VERIFIED")]
    Verified,
    /// It did not; of an action nobody claimed: no agent did it.
    #[value(name = "NOT_FOUND")]
    NotFound,
}

impl Word {
    /// The same word as a grade.
    pub const fn grade(self) -> OverrideGrade {
        match self {
            Self::Verified => OverrideGrade::Verified,
            Self::NotFound => OverrideGrade::NotFound,
        }
    }
}
