//! The Attest grading core.

pub mod text;
