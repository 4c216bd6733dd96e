//! Locators of subrecords (§3, §7).

use core::fmt;

/// Which part of an original input a reference selects. Its text is the only
/// spelling: no leading zeros, no other pointer reaches the same record.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Locator {
    /// `json:` — a whole JSON document.
    Document,
    /// `json:/<index>` — an element of a top-level array.
    Element(u64),
    /// `json:/entries/<index>` — an entry of a context document.
    Entry(u64),
    /// `json:/results/<index>` — a disclosed result.
    Result(u64),
    /// `line:<ordinal>:<byte-start>:<byte-length>` — a physical line.
    Line {
        /// Zero-based line number.
        ordinal: u64,
        /// Offset of its first byte.
        start: u64,
        /// Bytes without the line end.
        length: u64,
    },
    /// `event:<run_id>:<assayseq>` — a canonical event.
    Event {
        /// The run id, percent-encoded.
        run_id: String,
        /// The event's sequence number.
        sequence: u64,
    },
    /// `bytes:0:<length>` — an opaque input whole.
    Bytes(u64),
}

impl Locator {
    /// Reads a locator; `None` for every other text.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (scheme, rest) = text.split_once(':')?;
        match scheme {
            "json" => {
                if rest.is_empty() {
                    return Some(Self::Document);
                }
                let rest = rest.strip_prefix('/')?;
                if let Some(index) = rest.strip_prefix("entries/") {
                    index_of(index).map(Self::Entry)
                } else if let Some(index) = rest.strip_prefix("results/") {
                    index_of(index).map(Self::Result)
                } else {
                    index_of(rest).map(Self::Element)
                }
            }
            "line" => {
                let mut parts = rest.split(':').map(index_of);
                let mut next = || parts.next().flatten();
                let (ordinal, start, length) = (next()?, next()?, next()?);
                if parts.next().is_some() {
                    return None;
                }
                Some(Self::Line {
                    ordinal,
                    start,
                    length,
                })
            }
            "event" => {
                let (run_id, sequence) = rest.split_once(':')?;
                let sequence = index_of(sequence)?;
                Some(Self::Event {
                    run_id: run_id.to_owned(),
                    sequence,
                })
            }
            "bytes" => rest.strip_prefix("0:").and_then(index_of).map(Self::Bytes),
            _ => None,
        }
    }
}

/// A base-10 integer without sign or leading zeros.
fn index_of(text: &str) -> Option<u64> {
    let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let minimal = text == "0" || !text.starts_with('0');
    if plain && minimal {
        text.parse().ok()
    } else {
        None
    }
}

impl fmt::Display for Locator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Document => f.write_str("json:"),
            Self::Element(index) => write!(f, "json:/{index}"),
            Self::Entry(index) => write!(f, "json:/entries/{index}"),
            Self::Result(index) => write!(f, "json:/results/{index}"),
            Self::Line {
                ordinal,
                start,
                length,
            } => write!(f, "line:{ordinal}:{start}:{length}"),
            Self::Event { run_id, sequence } => write!(f, "event:{run_id}:{sequence}"),
            Self::Bytes(length) => write!(f, "bytes:0:{length}"),
        }
    }
}

/// A run id as event locators write it: UTF-8 bytes outside RFC 3986's
/// unreserved characters percent-encoded with uppercase hex (§7).
pub(crate) fn percent_run_id(run_id: &str) -> String {
    use fmt::Write as _;
    let mut out = String::with_capacity(run_id.len());
    for byte in run_id.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            out.push(char::from(byte));
        } else {
            // Writing to a String cannot fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_spelling_each() {
        for text in [
            "json:",
            "json:/0",
            "json:/12",
            "json:/entries/0",
            "json:/results/7",
            "line:0:0:223",
            "event:run-1:0",
            "event::3",
            "event:a%2Fb:10",
            "bytes:0:113",
        ] {
            assert_eq!(
                Locator::parse(text)
                    .map(|locator| locator.to_string())
                    .as_deref(),
                Some(text)
            );
        }
        for text in [
            "",
            "json",
            "json:/",
            "json:0",
            "json:/00",
            "json:/+1",
            "json:/-1",
            "json:/a",
            "json:/results/00",
            "json:/results",
            "json:/results/0/value",
            "line:0:0",
            "line:0:0:1:2",
            "line:00:0:1",
            "bytes:1:2",
            "bytes:0:",
            "bytes:0:01",
            "event:run",
            "event:run:01",
            "event:run:a:1",
            "JSON:",
            "file:x",
            "json:/99999999999999999999",
        ] {
            assert_eq!(Locator::parse(text), None, "{text}");
        }
        assert_eq!(percent_run_id("a/é~_.-:"), "a%2F%C3%A9~_.-%3A");
    }
}
