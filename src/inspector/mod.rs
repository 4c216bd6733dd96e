//! The inspector: what a person sees of a ledger and does to it.
//!
//! [`action`] names everything that can be asked for; [`keymap`] says with which keys. A key becomes
//! an action, the action changes the state, the state is drawn. The view computes nothing: what it
//! shows of a receipt is the receipt and its trace.

pub mod action;
pub mod app;
pub mod filter;
pub mod glyphs;
pub mod key;
pub mod keymap;
pub mod look;
pub mod panes;
pub mod parts;
pub mod plain;
pub mod row;
pub mod run;
pub mod screens;
pub mod term;
pub mod text;
pub mod theme;
pub mod widgets;
pub mod work;
