//! attest-tui

pub mod inspector;
