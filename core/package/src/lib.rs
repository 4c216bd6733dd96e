//! Incident Package v1.
mod container;
mod grammar;
mod json;
pub mod limits;
pub mod reason;
