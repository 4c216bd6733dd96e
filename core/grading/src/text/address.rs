//! Mail addresses, read so that no look-alike passes for the one that was meant (§5.1, §11).

use std::borrow::Cow;

use super::baseline::{Class, class, is_white_space, trim};
use super::case::ascii_lower;
use super::tokens::Tokens;

/// Characters an address never holds, `@` aside.
const EXCLUDED: [char; 11] = ['<', '>', '(', ')', ',', ';', ':', '"', '[', ']', '\\'];
const MAX_LOCAL: usize = 64;
const MAX_DOMAIN: usize = 253;
const MAX_LABEL: usize = 63;

/// A mail address with A–Z in lower case and every other code point as it was written.
///
/// Equality and order are by code point. The local part has 1–64 characters, the domain at least
/// two labels and at most 253 characters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Address {
    text: Box<str>,
    at: usize,
}

impl Address {
    /// The whole address.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// What stands before the `@`, the +tag included.
    pub fn local_part(&self) -> &str {
        self.text.get(..self.at).unwrap_or_default()
    }

    /// What stands after the `@`.
    pub fn domain(&self) -> &str {
        self.text
            .get(self.at..)
            .and_then(|rest| rest.strip_prefix('@'))
            .unwrap_or_default()
    }

    /// The local part up to its first `+`; empty when it begins with one.
    pub fn local_part_without_tag(&self) -> &str {
        let local = self.local_part();
        local.split_once('+').map_or(local, |(mailbox, _)| mailbox)
    }

    /// The address without the +tag of its local part, as text: without its tag an address such as
    /// `+tag@example.org` is none.
    pub fn without_plus_tag(&self) -> Cow<'_, str> {
        let local = self.local_part_without_tag();
        if local.len() == self.at {
            Cow::Borrowed(&self.text)
        } else {
            Cow::Owned(format!("{local}@{}", self.domain()))
        }
    }

    /// Whether the two addresses are different, and equal once the +tag of each is removed.
    pub fn differs_only_by_plus_tag(&self, other: &Self) -> bool {
        self != other
            && self.domain() == other.domain()
            && self.local_part_without_tag() == other.local_part_without_tag()
    }

    /// Whether the address may pass for another: it holds a non-ASCII code point, or a label of its
    /// domain begins with `xn--`.
    pub fn is_confusable(&self) -> bool {
        !self.text.is_ascii()
            || self
                .domain()
                .split('.')
                .any(|label| label.starts_with("xn--"))
    }

    /// The distinct parts of the local part between `.`, `_` and `-`, its +tag removed. They are
    /// never folded.
    pub fn local_part_tokens(&self) -> Tokens {
        self.local_part_without_tag()
            .split(['.', '_', '-'])
            .filter(|part| !part.is_empty())
            .collect()
    }
}

/// The address that `text` names, or none.
///
/// Trimmed text that ends in an angle pair `<…>` names what its last pair holds, exactly as it
/// stands there; what comes before is never used. Other text names itself.
pub fn email(text: &str) -> Option<Address> {
    let trimmed = trim(text);
    let candidate = trimmed
        .strip_suffix('>')
        .and_then(|rest| rest.rsplit_once('<'))
        .map_or(trimmed, |(_, held)| held);

    let (local, domain) = candidate.split_once('@')?;
    if domain.contains('@') || !candidate.chars().all(is_allowed) {
        return None;
    }
    if !is_local_part(local) || !is_domain(domain) {
        return None;
    }
    Some(Address {
        at: local.len(),
        text: ascii_lower(candidate).into(),
    })
}

/// Whether both texts name an address, and the same one, code point for code point.
pub fn same_address(a: &str, b: &str) -> bool {
    email(a).is_some_and(|a| email(b) == Some(a))
}

fn is_allowed(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_graphic() && !EXCLUDED.contains(&c);
    }
    !is_white_space(c) && !matches!(class(c), Class::Control | Class::Format)
}

fn is_local_part(local: &str) -> bool {
    has_length(local, MAX_LOCAL)
        && !local.starts_with('.')
        && !local.ends_with('.')
        && !local.contains("..")
}

fn is_domain(domain: &str) -> bool {
    has_length(domain, MAX_DOMAIN) && domain.contains('.') && domain.split('.').all(is_label)
}

fn is_label(label: &str) -> bool {
    has_length(label, MAX_LABEL) && !label.starts_with('-') && !label.ends_with('-')
}

/// Whether `text` has 1 to `max` code points.
fn has_length(text: &str, max: usize) -> bool {
    !text.is_empty() && text.chars().take(max.saturating_add(1)).count() <= max
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Option<String> {
        email(text).map(|address| address.as_str().to_owned())
    }

    fn known(text: &str) -> Address {
        email(text).unwrap_or_else(|| panic!("not an address: {text:?}"))
    }

    #[test]
    fn text_that_names_an_address() {
        for (text, expected) in [
            ("jane@example.org", "jane@example.org"),
            ("  Jane.Doe@EXAMPLE.Org\t", "jane.doe@example.org"),
            ("\u{a0}jane@example.org\u{3000}", "jane@example.org"),
            ("Jane Doe <Jane@Example.org>", "jane@example.org"),
            ("<jane@example.org>", "jane@example.org"),
            // The display name is never used, whatever it holds; the last pair counts.
            (
                "\"boss@bank.example\" <eve@evil.example>",
                "eve@evil.example",
            ),
            (
                "boss@bank.example <a@b.example> <eve@evil.example> ",
                "eve@evil.example",
            ),
            ("a\nb <jane@example.org>", "jane@example.org"),
            ("<<jane@example.org>", "jane@example.org"),
            ("a+b+c@example.org", "a+b+c@example.org"),
            (
                "!#$%&'*/=?^_`{|}~@example.org",
                "!#$%&'*/=?^_`{|}~@example.org",
            ),
            ("-a-@my_host.example", "-a-@my_host.example"),
            ("a@1.2", "a@1.2"),
            ("a@xn--bcher-kva.example", "a@xn--bcher-kva.example"),
            // Non-ASCII stays as it is: no case, no normal form.
            (
                "J\u{c4}NE@B\u{dc}CHER.example",
                "j\u{c4}ne@b\u{dc}cher.example",
            ),
            ("jane\u{301}@example.org", "jane\u{301}@example.org"),
            (
                "\u{ff4a}ane@example\u{3002}org.example",
                "\u{ff4a}ane@example\u{3002}org.example",
            ),
            // Unassigned: no format, no space.
            ("a\u{2065}@example.org", "a\u{2065}@example.org"),
        ] {
            assert_eq!(read(text).as_deref(), Some(expected), "{text:?}");
        }
    }

    #[test]
    fn text_that_names_none() {
        for text in [
            "",
            "jane",
            "@example.org",
            "jane@",
            "jane@localhost",
            "jane@@example.org",
            "a@b@example.org",
            ".jane@example.org",
            "jane.@example.org",
            "ja..ne@example.org",
            "jane@.example.org",
            "jane@example.org.",
            "jane@example..org",
            "jane@-example.org",
            "jane@example-.org",
            "ja ne@example.org",
            "ja\u{a0}ne@example.org",
            "ja\u{200b}ne@example.org",
            "jane@exam\u{ad}ple.org",
            "ja\u{7f}ne@example.org",
            "ja\u{85}ne@example.org",
            "ja\0ne@example.org",
            "mailto:jane@example.org",
            "a,b@example.org",
            "a;b@example.org",
            "\"a\"@example.org",
            "a@[127.0.0.1]",
            "a\\b@example.org",
            "a(b)@example.org",
            // What the angle pair holds is not trimmed, and text after it undoes it.
            "Jane < jane@example.org>",
            "Jane <jane@example.org >",
            "Jane <jane@example.org> x",
            "Jane <jane@example.org>>",
            "jane@example.org>",
            "jane@example.org <>",
            "<jane@example.org",
        ] {
            assert_eq!(read(text), None, "{text:?}");
        }
    }

    #[test]
    fn lengths_are_counted_in_code_points() {
        let local = |count: usize| format!("{}@example.org", "\u{e9}".repeat(count));
        assert!(email(&local(64)).is_some());
        assert!(email(&local(65)).is_none());

        let label = |count: usize| format!("a@{}.org", "\u{e9}".repeat(count));
        assert!(email(&label(63)).is_some());
        assert!(email(&label(64)).is_none());

        // Labels 63 + 63 + 63 + n with three dots between them.
        let long = "b".repeat(63);
        let domain = |last: usize| format!("a@{long}.{long}.{long}.{}", "c".repeat(last));
        assert!(email(&domain(253 - 192)).is_some());
        assert!(email(&domain(254 - 192)).is_none());
    }

    #[test]
    fn parts_of_an_address() {
        let address = known("Jane.Q_Doe-jane+Shop+2@Mail.Example.org");
        assert_eq!(address.local_part(), "jane.q_doe-jane+shop+2");
        assert_eq!(address.domain(), "mail.example.org");
        assert_eq!(address.local_part_without_tag(), "jane.q_doe-jane");
        assert_eq!(
            address.without_plus_tag(),
            "jane.q_doe-jane@mail.example.org"
        );
        assert!(address.local_part_tokens().iter().eq(["doe", "jane", "q"]));

        assert!(known("+tag@example.org").local_part_tokens().is_empty());
        assert!(known("_-_@example.org").local_part_tokens().is_empty());
        // Local parts are never folded.
        assert!(
            known("\u{c4}nn.\u{ff42}@example.org")
                .local_part_tokens()
                .iter()
                .eq(["\u{c4}nn", "\u{ff42}"])
        );
    }

    #[test]
    fn plus_tags() {
        let differ = |a: &str, b: &str| known(a).differs_only_by_plus_tag(&known(b));
        assert!(differ("a+x@example.org", "a@example.org"));
        assert!(differ("a@example.org", "a+x@example.org"));
        assert!(differ("a+x@example.org", "a+y@example.org"));
        assert!(differ("+x@example.org", "+y@example.org"));
        assert!(!differ("a+x@example.org", "A+X@example.org"));
        assert!(!differ("a+x@example.org", "b@example.org"));
        assert!(!differ("a+x@example.org", "a@example.com"));
        // A `+` of the domain is no tag.
        assert!(!differ("a@ex+x.org", "a@ex.org"));
    }

    #[test]
    fn confusable_addresses() {
        for text in [
            "j\u{e4}ne@example.org",
            "jane@b\u{fc}cher.example",
            "jane@xn--bcher-kva.example",
            "jane@mail.XN--P1AI.example",
            "jane\u{301}@example.org",
            "jane@\u{501}xample.org",
            "jane\u{2065}@example.org",
        ] {
            assert!(known(text).is_confusable(), "{text:?}");
        }
        for text in [
            "jane@example.org",
            "xn--a@example.org",
            "jane@axn--b.example",
        ] {
            assert!(!known(text).is_confusable(), "{text:?}");
        }
    }

    #[test]
    fn one_address_is_one_text() {
        assert!(same_address("Jane <JANE@example.org>", "jane@EXAMPLE.org"));
        assert!(!same_address("jane@example.org", "jane+x@example.org"));
        // Precomposed and decomposed; Cyrillic a; neither text an address.
        assert!(!same_address(
            "j\u{e4}ne@example.org",
            "ja\u{308}ne@example.org"
        ));
        assert!(!same_address("jane@example.org", "j\u{430}ne@example.org"));
        assert!(!same_address("\u{c4}@example.org", "\u{e4}@example.org"));
        assert!(!same_address("jane", "jane"));
    }

    proptest! {
        #[test]
        fn reading_an_address_again_gives_it(
            text in "[ <A-Za+.\u{e9}\u{200b}-]{0,6}[a-zA-Z\u{e9}+.-]{1,4}@[a-zA-Z.\u{e9}-]{1,8}[ >]{0,2}"
        ) {
            if let Some(address) = email(&text) {
                prop_assert_eq!(email(address.as_str()), Some(address.clone()));
                prop_assert_eq!(
                    format!("{}@{}", address.local_part(), address.domain()),
                    address.as_str()
                );
                prop_assert_eq!(email(&format!("x <{}>", address.as_str())), Some(address));
            }
        }

        #[test]
        fn any_text_is_read(text in any::<String>(), domain in any::<String>()) {
            let _ = email(&text);
            let _ = email(&format!("{text}@{domain}.{text}"));
        }
    }
}
