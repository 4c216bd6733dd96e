//! The Attest grading core.
