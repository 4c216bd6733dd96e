//! attest-tui
