//! The Attest grading core: claims and observations in, receipts and the
//! traces they are projections of out. Pure: no clock, no randomness, no I/O,
//! no float; time enters only as data.
//!
//! A tower, each floor using only those before it: [`text`], [`model`],
//! [`policy`], [`decide`], [`replay`], [`ledger`], [`scenario`], [`simulate`].

pub mod decide;
pub mod ledger;
pub mod model;
pub mod policy;
pub mod reason_text;
pub mod replay;
pub mod scenario;
pub mod simulate;
pub mod text;
