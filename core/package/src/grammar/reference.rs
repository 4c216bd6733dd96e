//! Ids and references (§7).

use core::fmt;

use attest_canon::jcs::Writer;
use attest_canon::{Digest, sha256};

/// `[a-z0-9][a-z0-9._-]{0,63}`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Id(String);

impl Id {
    /// Reads an id.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let word = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        let first = text.bytes().next().is_some_and(word);
        let rest = text
            .bytes()
            .all(|byte| word(byte) || matches!(byte, b'.' | b'_' | b'-'));
        (first && rest && text.len() <= 64).then(|| Self(text.to_owned()))
    }

    /// Its text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// `{input_id, sha256, locator}`: a subrecord, bound to the whole original
/// input. The locator is any text here; resolving asks whether it is one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ref {
    /// The declared occurrence.
    pub input_id: Id,
    /// The digest of its original bytes.
    pub sha256: Digest,
    /// The part selected.
    pub locator: String,
}

impl Ref {
    /// The order of reference lists: input, locator, digest (§7.2, §10).
    #[must_use]
    pub fn order(&self, other: &Self) -> core::cmp::Ordering {
        (&self.input_id, &self.locator, &self.sha256).cmp(&(
            &other.input_id,
            &other.locator,
            &other.sha256,
        ))
    }

    /// The unit id of a source: SHA-256 of the JCS array
    /// `[input_id, sha256, locator]` without a line end (§7.2).
    #[must_use]
    pub fn unit_id(&self) -> Digest {
        unit_id(
            &mut Writer::new(),
            &self.input_id,
            self.sha256,
            &self.locator,
        )
    }

    /// Writes the object.
    pub(crate) fn write(&self, writer: &mut Writer) {
        writer.begin_object();
        writer.key("input_id");
        writer.token(&self.input_id);
        writer.key("locator");
        writer.string(&self.locator);
        writer.key("sha256");
        writer.token(&self.sha256);
        writer.end_object();
    }
}

/// The unit id of a source, by its parts; the writer's buffer is reused.
pub(crate) fn unit_id(writer: &mut Writer, input_id: &Id, digest: Digest, locator: &str) -> Digest {
    writer.clear();
    writer.begin_array();
    writer.element();
    writer.token(input_id);
    writer.element();
    writer.token(&digest);
    writer.element();
    writer.string(locator);
    writer.end_array();
    sha256(writer.text().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids() {
        let longest = "a".repeat(64);
        for good in ["a", "0", "one-history", "a._-", &longest] {
            assert_eq!(Id::parse(good).unwrap().as_str(), good);
        }
        let over = "a".repeat(65);
        for bad in ["", "-a", ".a", "One", "a b", "é", "a#b", &over] {
            assert_eq!(Id::parse(bad), None, "{bad}");
        }
    }

    /// Example B3 of §12.
    #[test]
    fn the_unit_id_of_the_contract_example() {
        let source = Ref {
            input_id: Id::parse("one-history").unwrap(),
            sha256: Digest::parse(
                "bdcc86fa294237f869226095e26769922719ecccf5d159101b95f447dca5c9e8",
            )
            .unwrap(),
            locator: "json:/0".to_owned(),
        };
        assert_eq!(
            source.unit_id().to_string(),
            "6b79921c1021c5ba3e32b5cb5a739c0f7374ba16e0e4f9324b00b0aa485e0985"
        );
    }
}
