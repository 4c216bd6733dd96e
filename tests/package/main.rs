//! Packages: exported, verified, held against their ledger, built, refused.

#[path = "../common/mod.rs"]
mod common;

mod archives;
mod bad_input;
mod build;
mod export;
mod facts;
mod flips;
mod foreign;
#[cfg(unix)]
mod killed;
mod ledger;
#[cfg(unix)]
mod publish;
mod reading;
mod selection;
