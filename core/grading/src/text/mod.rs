//! How grading reads text (§11): one Unicode version, addresses, names, tokens and amounts.
//!
//! Everything here is decided by Unicode 15.0.0, whatever version the toolchain carries. A code
//! point that 15.0.0 does not assign is no letter, number, mark, format character or space; it has
//! no case and no decomposition, and every fold passes it through unchanged. Nothing else in the
//! core asks `char` or `str` for a Unicode property.

mod address;
mod amount;
mod baseline;
mod case;
mod counterparty;
mod currency;
mod escape;
mod name;
mod tables;
mod tokens;

pub use address::{Address, email, same_address};
pub use amount::{Amount, MAX_AMOUNT_CENTS, amount};
pub use baseline::{
    Class, UNICODE_VERSION, class, has_visible, is_default_ignorable, is_one_line, is_white_space,
    trim,
};
pub use case::{ascii_lower, lower};
pub use counterparty::{
    COUNTERPARTY_LIMIT, Counterparty, CounterpartyRejection, counterparty, merchant,
};
pub use currency::minor_unit_digits;
pub use escape::{escaped, is_plain, quoted};
pub use name::{fold, name};
pub use tokens::{StopWords, Tokens, name_tokens, subject_tokens, words};
