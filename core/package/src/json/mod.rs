//! Strict JSON with the limits of §8 and the integer domain of §2, on top of
//! the canon reader.

mod number;
mod strict;
mod value;

pub(crate) use number::{NumberKind, classify};
pub(crate) use strict::{Bounds, Fault, Strict};
pub(crate) use value::{Json, canonical, canonical_into, pointer, scalar_text};
