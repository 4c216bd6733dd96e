//! attest-tui

pub mod config;
pub mod inspector;
