//! Incident Package v1: read, account, verify and build offline evidence
//! packages. Pure: bytes in, bytes and typed results out.
//!
//! Reading order: [`grammar`] (ids, references, times, surfaces), [`limits`]
//! and [`reason`], [`document`] (the closed package documents), `container`
//! (the outer ustar), `format` (the eleven admitted formats), `account` (what
//! an assessment must say), [`verify`](crate::verify()), [`build`](crate::build()),
//! [`inspect`].

mod account;
pub mod build;
mod container;
pub mod document;
mod format;
#[cfg(any(test, feature = "fuzzing"))]
#[doc(hidden)]
pub mod fuzzing;
pub mod grammar;
mod json;
pub mod limits;
pub mod reason;
mod verify;
mod view;

pub use build::{BuildError, BuildSpec, Built, build};
pub use format::{ContextDocument, Entry, Format};
pub use reason::{Outcome, Reason};
pub use verify::{verify, verify_under};
pub use view::{PackageView, inspect, named_context};

/// How strictly a package is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Dialect {
    /// The contract's text.
    #[default]
    Contract,
    /// Besides, what the only producer in the field writes (package readings):
    /// two kernel formats, inventory inputs in any order, `events_sha256` with
    /// a prefix, and nullable members left out.
    Assay621,
}
