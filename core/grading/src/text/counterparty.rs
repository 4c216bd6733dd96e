//! Counterparties and merchants: an address where the text names one, else a name (§5.1, §11).

use std::error::Error;
use std::fmt;

use super::address::{Address, email};
use super::baseline::{has_visible, is_one_line, trim};
use super::name::name;

/// The most code points a counterparty may have. A merchant, of at most 200, is read by the same
/// rule, since a claim's counterparty is compared with it.
pub const COUNTERPARTY_LIMIT: usize = 320;

/// What a counterparty text names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Counterparty<'a> {
    /// The address, by [`email`].
    Address(Address),
    /// The trimmed text. Text with an `@` that names no address is a name too.
    Name(&'a str),
}

/// Why a text names no counterparty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CounterpartyRejection {
    /// Nothing is left of it once trimmed.
    Empty,
    /// It has more than [`COUNTERPARTY_LIMIT`] code points once trimmed.
    TooLong,
    /// It holds a control, U+2028 or U+2029.
    NotOneLine,
    /// It holds no letter, number, punctuation or symbol.
    NothingVisible,
}

impl fmt::Display for CounterpartyRejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "the text is empty",
            Self::TooLong => "the text is too long",
            Self::NotOneLine => "the text is not one line",
            Self::NothingVisible => "the text has no visible character",
        })
    }
}

impl Error for CounterpartyRejection {}

/// Reads a counterparty text, White_Space at its ends set aside.
///
/// # Errors
///
/// The first of [`CounterpartyRejection`], in its order, that applies.
pub fn counterparty(text: &str) -> Result<Counterparty<'_>, CounterpartyRejection> {
    let trimmed = trim(text);
    if trimmed.is_empty() {
        return Err(CounterpartyRejection::Empty);
    }
    if trimmed.chars().nth(COUNTERPARTY_LIMIT).is_some() {
        return Err(CounterpartyRejection::TooLong);
    }
    if !is_one_line(trimmed) {
        return Err(CounterpartyRejection::NotOneLine);
    }
    if !has_visible(trimmed) {
        return Err(CounterpartyRejection::NothingVisible);
    }
    Ok(email(trimmed).map_or(Counterparty::Name(trimmed), Counterparty::Address))
}

/// The normalised merchant of a text: the [`name`] of the address or name it gives as a
/// counterparty; none for text that [`counterparty`] rejects. It may be empty, as for `"***"`.
pub fn merchant(text: &str) -> Option<String> {
    match counterparty(text).ok()? {
        Counterparty::Address(address) => Some(name(address.as_str())),
        Counterparty::Name(trimmed) => Some(name(trimmed)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_address_or_a_name() {
        let address = |text: &str| match counterparty(text) {
            Ok(Counterparty::Address(address)) => address.as_str().to_owned(),
            other => panic!("{text:?} is {other:?}"),
        };
        assert_eq!(address(" Jane <Jane@Example.org> "), "jane@example.org");
        assert_eq!(address("jane@example.org"), "jane@example.org");

        for (text, trimmed) in [
            (" Jane Doe\u{a0}", "Jane Doe"),
            ("jane@localhost", "jane@localhost"),
            ("Jane <jane@example.org> x", "Jane <jane@example.org> x"),
            ("@jane", "@jane"),
            ("\u{200b}.", "\u{200b}."),
            ("\t***\n", "***"),
        ] {
            assert_eq!(
                counterparty(text),
                Ok(Counterparty::Name(trimmed)),
                "{text:?}"
            );
        }
    }

    #[test]
    fn rejected_text() {
        use CounterpartyRejection::{Empty, NotOneLine, NothingVisible, TooLong};
        for (text, rejection) in [
            ("", Empty),
            (" \u{3000}\n", Empty),
            ("a\tb", NotOneLine),
            ("a\0", NotOneLine),
            ("a\u{2028}b", NotOneLine),
            ("Jane\n<jane@example.org>", NotOneLine),
            ("\u{200b}\u{ad}", NothingVisible),
            ("\u{301}", NothingVisible),
            ("\u{e000}", NothingVisible),
            ("\u{2065}", NothingVisible),
            // Several faults at once: the first in order.
            ("\u{200b}\t\u{200b}", NotOneLine),
        ] {
            assert_eq!(counterparty(text), Err(rejection), "{text:?}");
        }
        let long = |count: usize| format!(" {} ", "\u{e9}".repeat(count));
        assert!(counterparty(&long(320)).is_ok());
        assert_eq!(counterparty(&long(321)), Err(TooLong));
    }

    #[test]
    fn merchants() {
        for (text, expected) in [
            (" ACME, Inc. ", Some("acme inc")),
            ("Caf\u{e9} Z\u{fc}rich", Some("cafe zurich")),
            (
                "Acme Billing <Billing@Acme.example>",
                Some("billing acme example"),
            ),
            ("***", Some("")),
            ("", None),
            ("a\tb", None),
            ("\u{200b}", None),
        ] {
            assert_eq!(merchant(text).as_deref(), expected, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn a_normalised_merchant_is_its_own_name(text in any::<String>()) {
            if let Some(once) = merchant(&text) {
                prop_assert_eq!(name(&once), once);
            }
        }
    }
}
