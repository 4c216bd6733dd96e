//! SCHEMA_LIMITS (supplement D). Text limits count code points (readings 54).

/// Longest id or component token, in characters.
pub const ID: usize = 64;
/// Longest conversation id, in characters.
pub const CONVERSATION_ID: usize = 128;
/// Longest counterparty, in characters.
pub const COUNTERPARTY: usize = crate::text::COUNTERPARTY_LIMIT;
/// Longest merchant, in characters.
pub const MERCHANT: usize = 200;
/// Longest scope or allowlist entry, in characters.
pub const SCOPE: usize = 200;
/// Longest override reason, in characters.
pub const OVERRIDE_REASON: usize = 500;
/// Longest subject hint, in characters.
pub const SUBJECT_HINT: usize = 80;
/// Largest amount, in cents of its currency.
pub const AMOUNT_CENTS: i64 = crate::text::MAX_AMOUNT_CENTS.cast_signed();
/// Most reasons of a receipt, and most reverted overrides.
pub const REASONS: usize = 64;
/// Most entries of a coverage or of one activity list handed to a batch.
pub const GRADING_INPUT: usize = 100_000;
