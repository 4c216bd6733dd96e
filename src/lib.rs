//! attest-tui: a terminal inspector for ledgers of what AI agents claimed to do
//! and what really happened. This is the program's library: everything that
//! touches a disk, a clock or a terminal. What decides is in `attest-grading`.

pub mod cli;
pub mod config;
pub mod desk;
pub mod inspector;
pub mod package;
pub mod store;
