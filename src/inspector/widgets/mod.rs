//! What panes are made of. A widget knows places and texts, nothing of ledgers.

pub mod cursor;
pub mod edit;
pub mod panel;
pub mod table;
