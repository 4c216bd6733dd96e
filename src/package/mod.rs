//! Ledgers and packages: a selection of a ledger exported by the Attest
//! profile, a package built from inputs and a spec file, and a package held
//! against the ledger and the report it came with. Reading and verifying a
//! package itself is `attest-package`'s.
//!
//! Reading order: [`source`] (reading files once), [`selection`], [`facts`] and
//! `profile` (what a ledger gives a package), [`spec`], [`export`], [`compare`]
//! and [`against`] (what binds a package's stated texts), [`open`] and
//! [`summary`].

pub mod against;
pub mod compare;
mod error;
pub mod export;
pub mod facts;
pub mod open;
mod profile;
pub mod receipt;
pub mod selection;
pub mod source;
pub mod spec;
pub mod summary;

pub use against::{Against, BadReport, Digests};
pub use compare::{Difference, compare};
pub use error::ExportError;
pub use export::{
    Exported, Given, Names, Plan, Request, Step, build_given, export, export_watched, plan, publish,
};
pub use facts::Replayed;
pub use selection::{BadFilter, LedgerFile, Selection};
pub use spec::Spec;
