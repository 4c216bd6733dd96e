//! What the worlds' texts, amounts, scopes and types are drawn from.

use attest_grading::model::ActionType;

pub const PEOPLE: &[&str] = &[
    "priya@company.com",
    "priya@company.com",
    "Priya@Company.com",
    "priya+q3@company.com",
    "priya+other@company.com",
    "bob@company.com",
    "priya.rao@company.com",
    "priya@gmail.com",
    "priya+q3@gmail.com",
    "bob@gmail.com",
    "priya@sub.company.com",
    "priya@\u{441}ompany.com",
    "pri\u{301}ya@company.com",
    "priya@xn--ompany-5ve.com",
    "+tag@company.com",
    "Priya Rao <priya@company.com>",
    "priya@company.com <bob@company.com>",
    "bob@company.com < priya@company.com >",
];
pub const NAMES: &[&str] = &[
    "Priya",
    "priya rao",
    "Rao, Priya",
    "\u{ff30}riya",
    "Bob",
    "Acme",
    "ACME Inc.",
    "Inc acme",
    "stripe",
    "priya company com",
    "***",
    "",
    " ",
    "a@b",
    "\u{200b}",
];
pub const SUBJECTS: &[&str] = &[
    "Q3 deck",
    "q3 DECK",
    "Q\u{b3} deck",
    "the deck",
    "Q3 deck review",
    "Board prep",
    "Standup",
    "the of",
    "",
    "deck sent by muse",
];
pub const AMOUNTS: &[i64] = &[0, 1, 2500, 2501, 4999, 5000, 5001];
pub const CURRENCIES: &[&str] = &["USD", "USD", "EUR"];
pub const ALLOWLIST: &[&str] = &[
    "company.com",
    "Company.COM",
    "sub.company.com",
    "priya@company.com",
    "Priya <priya@company.com>",
    "priya@\u{441}ompany.com",
    "\u{441}ompany.com",
    "pany.com",
    "gmail.com",
    "@gmail.com",
    "",
];
pub const SCOPES: &[&str] = &[
    "gmail.read",
    "Gmail.read",
    "gmail.send",
    "calendar",
    "\u{ff5e}",
    "\u{1f600}",
];
pub const TYPES: &[ActionType] = &[
    ActionType::EmailSent,
    ActionType::EmailSent,
    ActionType::EmailSent,
    ActionType::CalendarCreated,
    ActionType::CalendarCreated,
    ActionType::CalendarUpdated,
    ActionType::CalendarDeleted,
    ActionType::PurchaseMade,
    ActionType::PurchaseMade,
    ActionType::SubscriptionChanged,
    ActionType::ListingPosted,
    ActionType::EmailSent,
    ActionType::PurchaseMade,
    ActionType::CalendarCreated,
    ActionType::MessageSent,
    ActionType::Other,
];
