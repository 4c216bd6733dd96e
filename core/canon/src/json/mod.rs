//! Strict JSON (RFC 8259) reading.
//!
//! [`Reader`] is a pull reader: the caller asks for what it expects, so typed
//! objects are decoded without an intermediate tree, and a fault carries the
//! path at which it stood. [`Value`] is a tree for documents whose shape is
//! not fixed. Both refuse duplicate keys.

mod error;
mod path;
mod reader;
mod value;

pub use error::{JsonError, JsonErrorKind};
pub use path::{Segment, push_index, push_key};
pub use reader::{Kind, Limits, LoneSurrogates, Reader};
pub use value::Value;
