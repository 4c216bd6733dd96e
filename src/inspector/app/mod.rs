//! The inspector's state and what changes it: `update(state, message) → effects`, then
//! `draw(state)`. Neither touches a terminal, a disk or a clock, so both run headless.

pub mod draw;
pub mod events;
pub mod export;
pub mod layout;
pub mod list;
pub mod mouse;
pub mod overlay;
pub mod screen;
pub mod settle;
pub mod state;
pub mod update;

pub use draw::draw;
pub use state::{App, Effect, Environment, Message};
pub use update::update;

#[cfg(test)]
mod golden;
#[cfg(test)]
pub(crate) mod tests;
