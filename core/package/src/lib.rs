//! Incident Package v1.
mod container;
pub mod document;
mod format;
pub mod grammar;
mod json;
pub mod limits;
pub mod reason;

pub use format::Format;
/// How strictly a package is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Dialect {
    /// The contract's text.
    #[default]
    Contract,
    /// Besides, what the only producer in the field writes (package readings).
    Assay621,
}
