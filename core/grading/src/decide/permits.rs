//! What a grant permits, read once for a whole batch (§6.1): its lists may be
//! long, and every claim and scope asks them.

use std::collections::BTreeSet;

use crate::model::Grant;
use crate::text::{self, Address};

/// A grant's allowlist and declared scopes, for asking.
#[derive(Debug)]
pub struct Permits<'a> {
    /// The entries that are addresses, as `email()` reads them.
    addresses: BTreeSet<Address>,
    /// The entries that are domains, in ASCII lower case.
    domains: BTreeSet<Box<str>>,
    declared: BTreeSet<&'a str>,
}

impl<'a> Permits<'a> {
    /// Reads a grant's lists. An entry with an `@` that is no address allows
    /// nothing (readings 36).
    #[must_use]
    pub fn new(grant: &'a Grant) -> Self {
        let (addresses, domains): (Vec<&str>, Vec<&str>) = grant
            .counterparty_allowlist
            .iter()
            .map(AsRef::as_ref)
            .partition(|entry: &&str| entry.contains('@'));
        let lower = |entry: &str| text::ascii_lower(entry).into();
        Self {
            addresses: addresses.into_iter().filter_map(text::email).collect(),
            domains: domains.into_iter().map(lower).collect(),
            declared: grant.declared_scopes.iter().map(AsRef::as_ref).collect(),
        }
    }

    /// Whether the allowlist allows an address: as it stands, or by its domain
    /// or one that its domain lies in. A confusable address is never allowed.
    #[must_use]
    pub fn allows(&self, address: &Address) -> bool {
        if address.is_confusable() {
            return false;
        }
        let mut domain = Some(address.domain());
        while let Some(part) = domain {
            if self.domains.contains(part) {
                return true;
            }
            domain = part.split_once('.').map(|(_, wider)| wider);
        }
        self.addresses.contains(address)
    }

    /// Whether an observed scope is none of the declared ones: exact text, case
    /// included (readings 18).
    #[must_use]
    pub fn exceeds_declared(&self, scope: &str) -> bool {
        !self.declared.contains(scope)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Decoder;

    fn grant(allowlist: &str, declared: &str) -> Grant {
        let text = format!(
            r#"{{"agent":"muse","allowedTypes":[],"counterpartyAllowlist":{allowlist},"declaredScopes":{declared},"observedScopes":[],"updatedAt":"2026-10-01T00:00:00Z"}}"#
        );
        Decoder::read_document(&text, Grant::decode).unwrap()
    }

    #[test]
    fn an_entry_allows_its_address_or_its_domain_and_what_lies_in_it() {
        let grant = grant(
            r#"["Jane@One.example","TWO.example",".three.example","four.example ","@five.example","","Bo <bo@six.example>"]"#,
            "[]",
        );
        let permits = Permits::new(&grant);
        for (address, allowed) in [
            ("jane@one.example", true),
            ("JANE@one.EXAMPLE", true),
            ("jane+x@one.example", false),
            ("joe@one.example", false),
            ("jane@mail.one.example", false),
            ("a@two.example", true),
            ("a@deep.mail.two.example", true),
            ("a@nottwo.example", false),
            ("a@two.example.org", false),
            // An entry is neither trimmed nor read as a pattern.
            ("a@three.example", false),
            ("a@x.three.example", false),
            ("a@four.example", false),
            ("a@five.example", false),
            ("bo@six.example", true),
            // What could be a look-alike is never allowed, not even as listed.
            ("a@xn--a.two.example", false),
            ("j\u{e4}n@two.example", false),
        ] {
            let read = text::email(address).unwrap();
            assert_eq!(permits.allows(&read), allowed, "{address}");
        }
    }

    #[test]
    fn a_scope_is_declared_by_its_exact_text() {
        let grant = grant("[]", r#"["mail.read","mail.read","Mail.Send"]"#);
        let permits = Permits::new(&grant);
        assert!(!permits.exceeds_declared("mail.read"));
        assert!(permits.exceeds_declared("mail.send"));
        assert!(permits.exceeds_declared("mail.read "));
        assert!(permits.exceeds_declared(""));
    }
}
