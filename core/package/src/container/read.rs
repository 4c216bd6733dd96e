//! Reading the outer archive, member by member, charging before each read.

use std::io::{ErrorKind, Read};

use attest_canon::Digest;
use sha2::{Digest as _, Sha256};

use super::header::{BLOCK, decode, name_field};
use crate::limits::{Limit, Limits};
use crate::reason::Reason;

/// An outer archive's members, framed and charged, not yet interpreted.
#[derive(Debug)]
pub(crate) struct Archive {
    /// SHA-256 of the whole file.
    pub(crate) digest: Digest,
    /// `inventory.json`.
    pub(crate) inventory: Vec<u8>,
    /// `assessment.json`.
    pub(crate) assessment: Vec<u8>,
    /// Kept objects by the digest their path states, ascending.
    pub(crate) objects: Vec<(Digest, Vec<u8>)>,
    /// Whether every object was kept.
    pub(crate) whole: bool,
}

/// Which objects are kept, decided before their data is read.
pub(crate) trait Admission {
    /// Called once, with the inventory's bytes, before any object is read. A
    /// crossed charge ends the reading here.
    fn inventory(&mut self, bytes: &[u8]) -> Result<(), Reason>;
    /// Called for each object: whether to keep its data or only to hash it.
    fn keeps(&mut self, digest: Digest) -> bool;
}

struct Source<'l, R> {
    inner: R,
    hasher: Sha256,
    read: u64,
    limits: &'l Limits,
}

impl<R: Read> Source<'_, R> {
    /// Fills the buffer after charging its length; fewer bytes only at the end.
    fn fill(&mut self, buffer: &mut [u8]) -> Result<usize, Reason> {
        let length = u64::try_from(buffer.len()).map_err(|_| Reason::ResourceHard)?;
        let total = self.read.checked_add(length).ok_or(Reason::ResourceHard)?;
        self.limits.check(Limit::OuterBytes, total)?;
        let filled = self.take(buffer)?;
        self.hasher.update(buffer.get(..filled).unwrap_or_default());
        self.read = self
            .read
            .saturating_add(u64::try_from(filled).unwrap_or(u64::MAX));
        Ok(filled)
    }

    /// Fills the buffer as far as there are bytes.
    fn take(&mut self, buffer: &mut [u8]) -> Result<usize, Reason> {
        let mut filled = 0usize;
        while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
            match self.inner.read(rest) {
                Ok(0) => break,
                Ok(count) => filled = filled.saturating_add(count),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return Err(Reason::IoUnavailable),
            }
        }
        Ok(filled)
    }

    /// Refuses a suffix: one byte more is too many, whatever it holds.
    fn finish(&mut self) -> Result<(), Reason> {
        if self.take(&mut [0])? == 0 {
            Ok(())
        } else if self.read < self.limits.get(Limit::OuterBytes) {
            Err(Reason::InputShape)
        } else {
            Err(self.limits.scan(Limit::OuterBytes).crossed)
        }
    }

    fn block(&mut self) -> Result<[u8; BLOCK], Reason> {
        let mut block = [0u8; BLOCK];
        if self.fill(&mut block)? == BLOCK {
            Ok(block)
        } else {
            Err(Reason::InputShape)
        }
    }

    /// A member's data and its zero padding, kept or only hashed.
    fn data(&mut self, size: u64, keep: bool) -> Result<Vec<u8>, Reason> {
        let padded = size
            .checked_next_multiple_of(BLOCK as u64)
            .ok_or(Reason::ResourceHard)?;
        let total = self.read.checked_add(padded).ok_or(Reason::ResourceHard)?;
        self.limits.check(Limit::OuterBytes, total)?;
        let size = usize::try_from(size).map_err(|_| Reason::ResourceHard)?;
        let padding = usize::try_from(padded)
            .map_err(|_| Reason::ResourceHard)?
            .saturating_sub(size);
        let mut data = Vec::new();
        if !keep {
            let mut left = size;
            data.resize(size.min(CHUNK), 0);
            while left > 0 {
                let next = left.min(CHUNK);
                if self.fill(data.get_mut(..next).unwrap_or_default())? != next {
                    return Err(Reason::InputShape);
                }
                left = left.saturating_sub(next);
            }
            data = Vec::new();
        }
        // Grown as bytes arrive, so that a header alone commits no memory.
        while keep && data.len() < size {
            let start = data.len();
            let next = size.min(start.saturating_add(CHUNK));
            if data.capacity() < next {
                data.reserve_exact(
                    size.min(start.saturating_mul(2).max(CHUNK))
                        .saturating_sub(start),
                );
            }
            data.resize(next, 0);
            let chunk = data.get_mut(start..).unwrap_or_default();
            if self.fill(chunk)? != next.saturating_sub(start) {
                return Err(Reason::InputShape);
            }
        }
        let mut pad = [0u8; BLOCK];
        let pad = pad.get_mut(..padding).unwrap_or_default();
        if self.fill(pad)? != padding || pad.iter().any(|byte| *byte != 0) {
            return Err(Reason::InputShape);
        }
        Ok(data)
    }
}

const CHUNK: usize = 256 << 10;

impl Archive {
    /// Reads the whole outer file. Refuses with `input_shape` for framing and
    /// member list, a resource reason for a crossed charge, `io_unavailable`
    /// when the source fails.
    pub(crate) fn read(
        source: impl Read,
        limits: &Limits,
        admission: &mut impl Admission,
    ) -> Result<Self, Reason> {
        let mut source = Source {
            inner: source,
            hasher: Sha256::new(),
            read: 0,
            limits,
        };
        let mut members = 0u64;
        let mut documents: [Option<Vec<u8>>; 2] = [None, None];
        let mut objects: Vec<(Digest, Vec<u8>)> = Vec::new();
        let (mut last, mut whole) = (None, true);
        loop {
            let block = source.block()?;
            if block.iter().all(|byte| *byte == 0) {
                break;
            }
            members = members.saturating_add(1);
            limits.check(Limit::Members, members)?;
            limits.check_len(Limit::OuterPathBytes, name_field(&block).len())?;
            let (name, size) = decode(&block).ok_or(Reason::InputShape)?;
            match members {
                1 if name == "inventory.json" => {
                    limits.check(Limit::InventoryBytes, size)?;
                    let bytes = source.data(size, true)?;
                    admission.inventory(&bytes)?;
                    documents = [Some(bytes), None];
                }
                2 if name == "assessment.json" => {
                    limits.check(Limit::AssessmentBytes, size)?;
                    let bytes = source.data(size, true)?;
                    if let Some(slot) = documents.last_mut() {
                        *slot = Some(bytes);
                    }
                }
                1 | 2 => return Err(Reason::InputShape),
                _ => {
                    let digest = name
                        .strip_prefix("objects/")
                        .and_then(Digest::parse)
                        .filter(|digest| last.is_none_or(|last| last < *digest))
                        .ok_or(Reason::InputShape)?;
                    last = Some(digest);
                    let keep = admission.keeps(digest);
                    let data = source.data(size, keep)?;
                    if keep {
                        objects.push((digest, data));
                    }
                    whole &= keep;
                }
            }
        }
        if source.block()?.iter().any(|byte| *byte != 0) {
            return Err(Reason::InputShape);
        }
        source.finish()?;
        match documents {
            [Some(inventory), Some(assessment)] => Ok(Self {
                digest: Digest::from_bytes(source.hasher.finalize().into()),
                inventory,
                assessment,
                objects,
                whole,
            }),
            _ => Err(Reason::InputShape),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::write::archive;
    use super::*;
    use attest_canon::sha256;

    struct Open;

    impl Admission for Open {
        fn inventory(&mut self, _: &[u8]) -> Result<(), Reason> {
            Ok(())
        }
        fn keeps(&mut self, _: Digest) -> bool {
            true
        }
    }

    fn sample() -> Vec<u8> {
        let mut objects: Vec<(Digest, &[u8])> = [b"one".as_slice(), b"", &[7; 512], &[9; 513]]
            .into_iter()
            .map(|bytes| (sha256(bytes), bytes))
            .collect();
        objects.sort();
        archive(b"{}\n", b"[]\n", &objects).unwrap()
    }

    fn read(bytes: &[u8], limits: &Limits) -> Result<Archive, Reason> {
        Archive::read(bytes, limits, &mut Open)
    }

    #[test]
    fn what_is_written_is_read() {
        let bytes = sample();
        let archive = read(&bytes, &Limits::default()).unwrap();
        assert_eq!(archive.digest, sha256(&bytes));
        assert_eq!(
            (archive.inventory.as_slice(), archive.assessment.as_slice()),
            (b"{}\n".as_slice(), b"[]\n".as_slice())
        );
        assert!(
            archive
                .objects
                .iter()
                .all(|(digest, bytes)| *digest == sha256(bytes))
        );
        assert_eq!(archive.objects.len(), 4);
    }

    #[test]
    fn truncated_extended_and_concatenated_refuse() {
        let bytes = sample();
        for cut in 0..bytes.len() {
            assert_eq!(
                read(&bytes[..cut], &Limits::default()).unwrap_err(),
                Reason::InputShape,
                "{cut}"
            );
        }
        let twice = [bytes.clone(), bytes.clone()].concat();
        let suffixed = [bytes, vec![0]].concat();
        for bytes in [twice, suffixed] {
            assert_eq!(
                read(&bytes, &Limits::default()).unwrap_err(),
                Reason::InputShape
            );
        }
    }

    #[test]
    fn each_charge_at_the_limit_and_one_more() {
        let bytes = sample();
        for (limit, exact) in [
            (Limit::OuterBytes, bytes.len() as u64),
            (Limit::Members, 6),
            (Limit::OuterPathBytes, 72),
            (Limit::InventoryBytes, 3),
            (Limit::AssessmentBytes, 3),
        ] {
            let mut limits = Limits::default();
            assert!(limits.select(limit, exact));
            assert!(read(&bytes, &limits).is_ok(), "{limit:?}");
            assert!(limits.select(limit, exact - 1));
            assert_eq!(
                read(&bytes, &limits).unwrap_err(),
                Reason::ResourceSelected,
                "{limit:?}"
            );
        }
    }

    /// Counts what is asked of it, and holds `size` zero bytes after a prefix.
    struct Counting<'a> {
        bytes: &'a [u8],
        asked: usize,
    }

    impl Read for Counting<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            self.asked = self.asked.saturating_add(buffer.len());
            self.bytes.read(buffer)
        }
    }

    /// A header that declares more than a limit refuses before any of its data
    /// is asked for, let alone allocated (§8).
    #[test]
    fn a_declared_size_refuses_before_it_is_read() {
        let big = super::super::header::encode("inventory.json", (1 << 20) + 1).unwrap();
        let mut source = Counting {
            bytes: &big,
            asked: 0,
        };
        let error = Archive::read(&mut source, &Limits::default(), &mut Open).unwrap_err();
        assert_eq!((error, source.asked), (Reason::ResourceHard, BLOCK));

        let huge = super::super::header::encode("inventory.json", 8_589_934_591).unwrap();
        let mut source = Counting {
            bytes: &huge,
            asked: 0,
        };
        let error = Archive::read(&mut source, &Limits::default(), &mut Open).unwrap_err();
        assert_eq!((error, source.asked), (Reason::ResourceHard, BLOCK));
    }

    /// A read that was interrupted is asked again, the last one too.
    #[test]
    fn an_interrupted_read_is_repeated() {
        struct Halting<'b>(&'b [u8], bool);
        impl Read for Halting<'_> {
            fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
                self.1 = !self.1;
                if self.1 {
                    return Err(ErrorKind::Interrupted.into());
                }
                self.0.read(buffer)
            }
        }
        let bytes = sample();
        for limit in [Limit::OuterBytes.hard(), bytes.len() as u64] {
            let mut limits = Limits::default();
            assert!(limits.select(Limit::OuterBytes, limit));
            let archive = Archive::read(Halting(&bytes, false), &limits, &mut Open).unwrap();
            assert_eq!(archive.digest, sha256(&bytes));
        }
    }

    #[test]
    fn a_failing_source_is_unavailable() {
        struct Failing;
        impl Read for Failing {
            fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
                Err(std::io::Error::other("gone"))
            }
        }
        let error = Archive::read(Failing, &Limits::default(), &mut Open).unwrap_err();
        assert_eq!(error, Reason::IoUnavailable);
    }
}
