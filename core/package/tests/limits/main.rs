//! The resource contract of §8: every key at its limit, which is accepted, and
//! one beyond, which is refused before the charge is made.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "tests"
)]

#[path = "../support/mod.rs"]
mod support;

mod archives;
mod hard;
mod selected;
mod whole;
