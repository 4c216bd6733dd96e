//! attest-tui

pub mod config;
pub mod inspector;
pub mod store;
