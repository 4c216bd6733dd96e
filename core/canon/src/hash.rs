//! SHA-256 and its lowercase hexadecimal text (§10, supplement C).

use core::fmt;

use sha2::{Digest as _, Sha256};

/// A 32-byte SHA-256 digest. Its text is 64 lowercase hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The digest whose bytes these are.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The 32 bytes, in the order the hexadecimal text shows them.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Reads exactly 64 lowercase hexadecimal digits; anything else is `None`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (pairs, rest) = text.as_bytes().as_chunks::<2>();
        if pairs.len() != 32 || !rest.is_empty() {
            return None;
        }
        let mut bytes = [0u8; 32];
        for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
            *byte = (nibble(*high)? << 4) | nibble(*low)?;
        }
        Some(Self(bytes))
    }

    /// The 64 lowercase hexadecimal digits, as ASCII bytes.
    #[must_use]
    pub fn hex(&self) -> [u8; 64] {
        let mut out = [0u8; 64];
        let (pairs, _) = out.as_chunks_mut::<2>();
        for (pair, byte) in pairs.iter_mut().zip(self.0) {
            *pair = [digit(byte >> 4), digit(byte & 15)];
        }
        out
    }
}

const fn nibble(ascii: u8) -> Option<u8> {
    match ascii {
        b'0'..=b'9' => Some(ascii.wrapping_sub(b'0')),
        b'a'..=b'f' => Some(ascii.wrapping_sub(b'a').wrapping_add(10)),
        _ => None,
    }
}

const fn digit(nibble: u8) -> u8 {
    match nibble {
        0..=9 => nibble.wrapping_add(b'0'),
        _ => nibble.wrapping_sub(10).wrapping_add(b'a'),
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hex = self.hex();
        f.pad(core::str::from_utf8(&hex).unwrap_or_default())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// SHA-256 of bytes.
#[must_use]
pub fn sha256(bytes: &[u8]) -> Digest {
    Digest(Sha256::digest(bytes).into())
}

/// SHA-256 of the concatenation of digests, in the order given: the Merkle
/// step of `candidatesHash` (§3). No digests hash the empty byte string.
pub fn sha256_of_digests<'a>(digests: impl IntoIterator<Item = &'a Digest>) -> Digest {
    let mut hasher = Sha256::new();
    for digest in digests {
        hasher.update(digest.0);
    }
    Digest(hasher.finalize().into())
}

/// Lowercase hexadecimal SHA-256 of a text's UTF-8 bytes (`sha256Hex`, `hashText`).
#[must_use]
pub fn sha256_hex(text: &str) -> String {
    sha256(text.as_bytes()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// FIPS 180-4 known answers, and lengths on either side of each padding
    /// boundary (55, 56, 63, 64, 65, 119, 120, 128) computed with coreutils' sha256sum.
    #[test]
    fn known_answers_across_block_boundaries() {
        for (text, hex) in [
            (
                "",
                "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            ),
            (
                "abc",
                "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
            ),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
            ),
        ] {
            assert_eq!(sha256_hex(text), hex, "{text:?}");
        }
        for (length, hex) in [
            (
                55,
                "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318",
            ),
            (
                56,
                "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a",
            ),
            (
                63,
                "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34",
            ),
            (
                64,
                "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb",
            ),
            (
                65,
                "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0",
            ),
            (
                119,
                "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb",
            ),
            (
                120,
                "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c",
            ),
            (
                128,
                "6836cf13bac400e9105071cd6af47084dfacad4e5e302c94bfed24e013afb73e",
            ),
        ] {
            assert_eq!(sha256_hex(&"a".repeat(length)), hex, "{length}");
        }
    }

    #[test]
    fn hex_text_round_trips_and_refuses_other_shapes() {
        let digest = sha256(b"abc");
        assert_eq!(Digest::parse(&digest.to_string()), Some(digest));
        let upper = digest.to_string().to_uppercase();
        for bad in ["", "ab", &upper, &format!("{digest}0"), &"g".repeat(64)] {
            assert_eq!(Digest::parse(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn merkle_step_is_the_hash_of_the_joined_bytes() {
        let (a, b) = (sha256(b"a"), sha256(b"b"));
        let joined: Vec<u8> = a.as_bytes().iter().chain(b.as_bytes()).copied().collect();
        assert_eq!(sha256_of_digests([&a, &b]), sha256(&joined));
        assert_eq!(sha256_of_digests([]), sha256(b""));
    }
}
