//! One 512-byte ustar header: every byte of it is fixed but name, size and
//! checksum (§2).

/// The unit of a tar archive.
pub(crate) const BLOCK: usize = 512;

/// Bytes of the name field.
const NAME: usize = 100;

/// The header of a member, whole.
pub(crate) fn encode(name: &str, size: u64) -> Option<[u8; BLOCK]> {
    if name.is_empty() || name.len() > NAME {
        return None;
    }
    let mut block = [0u8; BLOCK];
    put(&mut block, 0, name.as_bytes());
    put(&mut block, 100, b"0000644\0");
    put(&mut block, 108, b"0000000\0");
    put(&mut block, 116, b"0000000\0");
    let size = format!("{size:011o}\0");
    if size.len() != 12 {
        return None;
    }
    put(&mut block, 124, size.as_bytes());
    put(&mut block, 136, b"00000000000\0");
    put(&mut block, 156, b"0");
    put(&mut block, 257, b"ustar\x0000");
    // The checksum is taken over spaces in its own place.
    put(&mut block, 148, b"        ");
    let sum = block
        .iter()
        .fold(0u32, |sum, byte| sum.saturating_add(u32::from(*byte)));
    put(&mut block, 148, format!("{sum:06o}\0 ").as_bytes());
    Some(block)
}

fn put(block: &mut [u8; BLOCK], at: usize, bytes: &[u8]) {
    for (slot, byte) in block.iter_mut().skip(at).zip(bytes) {
        *slot = *byte;
    }
}

/// The name field up to its first NUL, whatever the rest of the header holds.
pub(crate) fn name_field(block: &[u8; BLOCK]) -> &[u8] {
    let field = block.get(..NAME).unwrap_or_default();
    let end = field.iter().position(|byte| *byte == 0).unwrap_or(NAME);
    field.get(..end).unwrap_or_default()
}

/// Name and size of a header; `None` when any byte is not what [`encode`]
/// writes for them.
pub(crate) fn decode(block: &[u8; BLOCK]) -> Option<(&str, u64)> {
    let name = core::str::from_utf8(name_field(block)).ok()?;
    let octal = core::str::from_utf8(block.get(124..135)?).ok()?;
    if !octal.bytes().all(|byte| (b'0'..=b'7').contains(&byte)) {
        return None;
    }
    let size = u64::from_str_radix(octal, 8).ok()?;
    (encode(name, size)? == *block).then_some((name, size))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_what_the_contract_says_byte_by_byte() {
        let block = encode("inventory.json", 0o12345).unwrap();
        assert_eq!(&block[..14], b"inventory.json");
        assert_eq!(&block[100..124], b"0000644\x000000000\x000000000\0");
        assert_eq!(&block[124..148], b"00000012345\x0000000000000\0");
        assert_eq!(&block[154..157], b"\0 0");
        assert_eq!(&block[257..265], b"ustar\x0000");
        assert!(block[265..].iter().all(|byte| *byte == 0));
        let sum: u32 = block
            .iter()
            .enumerate()
            .map(|(at, byte)| {
                if (148..156).contains(&at) {
                    32
                } else {
                    u32::from(*byte)
                }
            })
            .sum();
        assert_eq!(&block[148..154], format!("{sum:06o}").as_bytes());
        assert_eq!(decode(&block), Some(("inventory.json", 0o12345)));
    }

    #[test]
    fn every_other_byte_refuses() {
        let block = encode("assessment.json", 7).unwrap();
        for at in 0..BLOCK {
            for bit in 0..8 {
                let mut other = block;
                other[at] ^= 1 << bit;
                assert_eq!(decode(&other), None, "byte {at} bit {bit}");
            }
        }
    }
}
