//! The gzip and tar framing of a canonical bundle (foreign shapes §1).

use std::io::Read;

use attest_canon::{Digest, sha256};
use flate2::bufread::GzDecoder;

use crate::json::Fault;
use crate::limits::{Limit, Meter};

const BLOCK: usize = 512;

/// The two members.
pub(super) struct Members {
    pub(super) manifest: Vec<u8>,
    pub(super) events: Vec<u8>,
    pub(super) events_sha256: Digest,
}

struct Decoded<'a, 'm> {
    inner: GzDecoder<&'a [u8]>,
    meter: &'m mut Meter,
}

impl Decoded<'_, '_> {
    /// Fills the buffer, charging what was decoded; never decodes more than
    /// one byte past the budget.
    fn fill(&mut self, buffer: &mut [u8]) -> Result<usize, Fault> {
        let mut filled = 0usize;
        while filled < buffer.len() {
            let room = usize::try_from(self.meter.decoded_left())
                .unwrap_or(usize::MAX)
                .saturating_add(1);
            let end = buffer.len().min(filled.saturating_add(room));
            let rest = buffer.get_mut(filled..end).unwrap_or_default();
            let count = self.inner.read(rest).map_err(|_| Fault::Shape)?;
            if count == 0 {
                break;
            }
            self.meter
                .decoded_bytes(u64::try_from(count).unwrap_or(u64::MAX))?;
            filled = filled.saturating_add(count);
        }
        Ok(filled)
    }

    /// The next block; `None` at the end, which must be a block's.
    fn block(&mut self) -> Result<Option<[u8; BLOCK]>, Fault> {
        let mut block = [0u8; BLOCK];
        match self.fill(&mut block)? {
            0 => Ok(None),
            BLOCK => Ok(Some(block)),
            _ => Err(Fault::Shape),
        }
    }

    fn data(&mut self, size: u64) -> Result<Vec<u8>, Fault> {
        let size = usize::try_from(size).map_err(|_| Fault::Shape)?;
        let mut data = Vec::new();
        while data.len() < size {
            let start = data.len();
            let next = size.min(start.saturating_add(CHUNK));
            // Grown as bytes arrive, and never beyond what is declared.
            if data.capacity() < next {
                let room = size.min(start.saturating_mul(2).max(CHUNK));
                data.reserve_exact(room.saturating_sub(start));
            }
            data.resize(next, 0);
            let chunk = data.get_mut(start..).unwrap_or_default();
            let wanted = chunk.len();
            if self.fill(chunk)? != wanted {
                return Err(Fault::Shape);
            }
        }
        let padding = size.next_multiple_of(BLOCK).saturating_sub(size);
        let mut pad = [0u8; BLOCK];
        let pad = pad.get_mut(..padding).unwrap_or_default();
        if self.fill(pad)? == padding {
            Ok(data)
        } else {
            Err(Fault::Shape)
        }
    }
}

const CHUNK: usize = 64 << 10;

/// Reads the whole archive: `manifest.json`, then `events.ndjson`, nothing
/// else; one gzip member read to its end and not one byte after it.
pub(super) fn read(bytes: &[u8], meter: &mut Meter) -> Result<Members, Fault> {
    let mut decoded = Decoded {
        inner: GzDecoder::new(bytes),
        meter,
    };
    let manifest = member(&mut decoded, "manifest.json", Limit::InnerManifestBytes)?;
    let events = member(&mut decoded, "events.ndjson", Limit::InnerEventsBytes)?;
    if decoded
        .block()?
        .is_some_and(|block| block.iter().any(|byte| *byte != 0))
    {
        return Err(Fault::Shape);
    }
    let mut tail = [0u8; BLOCK];
    loop {
        let count = decoded.fill(&mut tail)?;
        if tail.iter().any(|byte| *byte != 0) {
            return Err(Fault::Shape);
        }
        if count < BLOCK {
            break;
        }
    }
    if !decoded.inner.into_inner().is_empty() {
        return Err(Fault::Shape);
    }
    let events_sha256 = sha256(&events);
    Ok(Members {
        manifest,
        events,
        events_sha256,
    })
}

fn member(decoded: &mut Decoded<'_, '_>, name: &str, limit: Limit) -> Result<Vec<u8>, Fault> {
    let block = decoded.block()?.ok_or(Fault::Shape)?;
    if !checksum_is_right(&block) {
        return Err(Fault::Shape);
    }
    let field = block.get(..100).unwrap_or_default();
    let written = field.split(|byte| *byte == 0).next().unwrap_or_default();
    decoded
        .meter
        .limits
        .check_len(Limit::InnerPathBytes, written.len())?;
    let zero = |from: usize, to: usize| {
        block
            .get(from..to)
            .is_some_and(|field| field.iter().all(|byte| *byte == 0))
    };
    let regular = matches!(block.get(156), Some(b'0' | 0));
    let size = declared_size(&block).ok_or(Fault::Shape)?;
    decoded.meter.limits.check(limit, size)?;
    if written == name.as_bytes() && regular && zero(157, 257) && zero(345, BLOCK) {
        decoded.data(size)
    } else {
        Err(Fault::Shape)
    }
}

/// Eleven octal digits, then NUL or a space.
fn declared_size(block: &[u8; BLOCK]) -> Option<u64> {
    let (digits, end) = block.get(124..136)?.split_at_checked(11)?;
    let octal = digits.iter().all(|byte| (b'0'..=b'7').contains(byte));
    let ended = matches!(end, [0 | b' ']);
    if octal && ended {
        u64::from_str_radix(core::str::from_utf8(digits).ok()?, 8).ok()
    } else {
        None
    }
}

/// The checksum field holds octal digits padded with spaces and NULs.
fn checksum_is_right(block: &[u8; BLOCK]) -> bool {
    let field = block.get(148..156).unwrap_or_default();
    let sum = block
        .iter()
        .enumerate()
        .map(|(at, byte)| {
            if (148..156).contains(&at) {
                32
            } else {
                u32::from(*byte)
            }
        })
        .fold(0u32, u32::saturating_add);
    core::str::from_utf8(field)
        .ok()
        .map(|text| text.trim_matches(['\0', ' ']))
        .and_then(|text| u32::from_str_radix(text, 8).ok())
        == Some(sum)
}
