//! The arguments of `package`.

use std::path::PathBuf;

use attest_grading::model::AgentId;
use attest_package::Dialect;
use attest_package::Format;
use attest_package::grammar::Id;
use clap::{Args, Subcommand, ValueEnum};

#[derive(Subcommand, Debug)]
pub enum Package {
    /// Export a selection of a ledger's receipts: NAME.context.json,
    /// NAME.verify.json and NAME.tar.
    Export(Export),
    /// Verify a package: exit 0 verified, 1 refused or not matching the ledger
    /// or report, 2 unavailable or bad arguments.
    Verify(Verify),
    /// Build a package of inputs and a spec file.
    Build(Build),
    /// Show what is inside a package.
    Inspect(Inspect),
}

#[derive(Args, Debug)]
pub struct Export {
    /// The ledger.
    pub ledger: PathBuf,
    /// The archive to make, NAME.tar; the ledger's name here by default.
    #[arg(long, value_name = "NAME.tar")]
    pub out: Option<PathBuf>,
    /// Only the receipts this filter passes, in the inspector's language.
    #[arg(long, allow_hyphen_values = true)]
    pub filter: Option<String>,
    /// Only these agents' receipts: an agent: term of the filter.
    #[arg(long, value_parser = agent, value_delimiter = ',')]
    pub agent: Vec<AgentId>,
    /// The instant of interest; the latest computedAt of the selection.
    #[arg(long, value_name = "TIME")]
    pub as_of: Option<String>,
    /// From when the context is valid; --as-of.
    #[arg(long, value_name = "TIME")]
    pub valid_from: Option<String>,
    /// Until when; 24 hours after --as-of.
    #[arg(long, value_name = "TIME")]
    pub valid_until: Option<String>,
    /// A context whose keys, expectations and applicability to select.
    #[arg(long, value_name = "FILE")]
    pub context: Option<PathBuf>,
    #[command(flatten)]
    pub added: Added,
}

/// Inputs, and what a spec file says of them.
#[derive(Args, Debug)]
pub struct Added {
    /// An input: its label, its format, its file.
    #[arg(long = "input", value_name = "ID=FORMAT:PATH", value_parser = input)]
    pub inputs: Vec<NamedInput>,
    /// Bindings, dispositions, joins and claims (JSON).
    #[arg(long, value_name = "FILE")]
    pub spec: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub struct Build {
    /// The archive to make.
    #[arg(long, value_name = "NAME.tar")]
    pub out: PathBuf,
    /// The context to build under; the contract's Example A1 without one.
    #[arg(long, value_name = "FILE")]
    pub context: Option<PathBuf>,
    #[command(flatten)]
    pub added: Added,
}

#[derive(Args, Debug)]
pub struct Verify {
    /// The package.
    pub package: PathBuf,
    /// The context to verify under; the contract's Example A1 without one.
    #[arg(long, value_name = "FILE")]
    pub context: Option<PathBuf>,
    /// Hold it against the ledger it was exported from.
    #[arg(long)]
    pub ledger: Option<PathBuf>,
    /// Hold its digests against a kept report's.
    #[arg(long, value_name = "REPORT")]
    pub against: Option<PathBuf>,
    /// Read it as the contract says, or as the only producer in the field writes.
    #[arg(long, value_enum, default_value = "contract")]
    pub dialect: DialectName,
    /// Print the report's canonical bytes and nothing else.
    #[arg(long)]
    pub json: bool,
}

#[derive(Args, Debug)]
pub struct Inspect {
    /// The package.
    pub package: PathBuf,
    /// The context to verify under; the contract's Example A1 without one.
    #[arg(long, value_name = "FILE")]
    pub context: Option<PathBuf>,
    /// Read it as the contract says, or as the only producer in the field writes.
    #[arg(long, value_enum, default_value = "contract")]
    pub dialect: DialectName,
    /// Print one line of JSON.
    #[arg(long)]
    pub json: bool,
}

/// How strictly a package is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum DialectName {
    /// The contract's text.
    Contract,
    /// Besides, what assay 6.21 writes.
    #[value(name = "assay-6.21")]
    Assay621,
}

impl DialectName {
    /// The dialect.
    pub const fn dialect(self) -> Dialect {
        match self {
            Self::Contract => Dialect::Contract,
            Self::Assay621 => Dialect::Assay621,
        }
    }
}

/// `ID=FORMAT:PATH`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedInput {
    /// The label.
    pub id: Id,
    /// The format; the dialect's are never written.
    pub format: Format,
    /// The file.
    pub path: PathBuf,
}

fn input(text: &str) -> Result<NamedInput, String> {
    let shape = || "must be ID=FORMAT:PATH".to_owned();
    let (id, rest) = text.split_once('=').ok_or_else(shape)?;
    let (format, path) = rest.split_once(':').ok_or_else(shape)?;
    let id = Id::parse(id).ok_or("the ID must be [a-z0-9][a-z0-9._-]{0,63}")?;
    let Some(format) = Format::parse(format, Dialect::Contract) else {
        let known = Format::CONTRACT.map(Format::token);
        return Err(format!("the FORMAT must be one of {}", known.join(", ")));
    };
    if path.is_empty() {
        return Err(shape());
    }
    Ok(NamedInput {
        id,
        format,
        path: path.into(),
    })
}

fn agent(text: &str) -> Result<AgentId, String> {
    AgentId::parse(text).ok_or_else(|| {
        let known: Vec<&str> = AgentId::ALL.iter().map(|agent| agent.as_str()).collect();
        format!("must be one of {}", known.join(", "))
    })
}
