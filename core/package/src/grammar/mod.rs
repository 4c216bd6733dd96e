//! The small grammars of §7 that every package document shares.

mod locator;
mod reference;
mod surface;
mod time;

pub use locator::Locator;
pub(crate) use locator::percent_run_id;
pub(crate) use reference::unit_id;
pub use reference::{Id, Ref};
pub use surface::{Surface, SurfaceSet};
pub use time::{Instant, Time};
