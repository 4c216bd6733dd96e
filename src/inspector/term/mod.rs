//! The terminal: its modes, its signals, its replies, its clipboard. Nothing here knows what is
//! drawn.

pub mod background;
pub mod clipboard;
pub mod guard;
pub mod input;
pub mod screen;
#[cfg(unix)]
pub mod signals;
