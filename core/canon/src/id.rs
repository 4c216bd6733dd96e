//! Ids derived from digests (§10, supplement C): the first 16 bytes of a
//! SHA-256 as 26 characters of Crockford base32.

use core::fmt;

use crate::hash::Digest;

const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const LENGTH: usize = 26;

/// A 128-bit id. It has the shape of a ULID (first character `0`–`7`); nothing
/// reads a time from it. Its numeric order is the order of its text, because
/// the text has one length and the alphabet ascends.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id(u128);

impl Id {
    /// `idFromHash`: the first 16 bytes of the digest, big-endian.
    #[must_use]
    pub const fn from_digest(digest: &Digest) -> Self {
        let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, ..] = *digest.as_bytes();
        Self(u128::from_be_bytes([
            a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p,
        ]))
    }

    /// Reads exactly 26 characters of the upper-case alphabet whose value fits
    /// 128 bits; anything else is `None`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        if bytes.len() != LENGTH || !matches!(bytes.first(), Some(b'0'..=b'7')) {
            return None;
        }
        bytes
            .iter()
            .try_fold(0u128, |value, &ascii| {
                let digit = ALPHABET.iter().position(|&letter| letter == ascii)?;
                Some((value << 5) | u128::try_from(digit).ok()?)
            })
            .map(Self)
    }

    /// The 26 characters, as ASCII bytes.
    #[must_use]
    pub fn ascii(&self) -> [u8; LENGTH] {
        let mut out = [b'0'; LENGTH];
        let mut rest = self.0;
        for slot in out.iter_mut().rev() {
            let digit = usize::try_from(rest & 31).unwrap_or_default();
            *slot = ALPHABET.get(digit).copied().unwrap_or(b'0');
            rest >>= 5;
        }
        out
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(core::str::from_utf8(&self.ascii()).unwrap_or_default())
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::sha256;
    use proptest::prelude::*;

    /// The digest of the empty text begins e3b0c442 98fc1c14 9afbf4c8 996fb924;
    /// its base32 text was computed with Python's integers.
    #[test]
    fn id_of_the_empty_text() {
        let id = Id::from_digest(&sha256(b"")).to_string();
        assert_eq!(id, "73P324567W3GA9NYZMS2CPZE94");
    }

    #[test]
    fn extremes_and_refusals() {
        let zero = Id::from_digest(&Digest::from_bytes([0; 32]));
        assert_eq!(zero.to_string(), "0".repeat(26));
        let most = Id::from_digest(&Digest::from_bytes([255; 32]));
        assert_eq!(most.to_string(), format!("7{}", "Z".repeat(25)));
        let over = format!("8{}", "0".repeat(25));
        for bad in [
            "",
            "7",
            &over,
            &"0".repeat(27),
            &"i".repeat(26),
            &"0".repeat(25),
        ] {
            assert_eq!(Id::parse(bad), None, "{bad:?}");
        }
        for letter in ["I", "L", "O", "U", "a"] {
            assert_eq!(Id::parse(&format!("{}{letter}", "0".repeat(25))), None);
        }
    }

    proptest! {
        #[test]
        fn text_round_trips_and_orders_as_the_number(a: [u8; 32], b: [u8; 32]) {
            let (a, b) = (Id::from_digest(&Digest::from_bytes(a)), Id::from_digest(&Digest::from_bytes(b)));
            prop_assert_eq!(Id::parse(&a.to_string()), Some(a));
            prop_assert_eq!(a.cmp(&b), a.to_string().cmp(&b.to_string()));
        }
    }
}
