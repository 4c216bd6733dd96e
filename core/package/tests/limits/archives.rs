//! Archives whose sizes a test chooses to the byte.

use attest_canon::sha256;
use attest_package::Format;
use attest_package::document::ContextInput;

use crate::support::*;

/// The members of the package over one small input.
pub fn small(format: Format, bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    members(&built(&spec(vec![input("only", format, bytes)])).archive)
}

pub fn archive(members: &[(String, Vec<u8>)]) -> Vec<u8> {
    let parts: Vec<(&str, &[u8])> = members
        .iter()
        .map(|(name, bytes)| (name.as_str(), bytes.as_slice()))
        .collect();
    tar(&parts)
}

/// The package over one input, its object then replaced: what its assessment
/// records must hold for the other bytes too.
pub fn swapped(format: Format, bytes: &[u8], other: &[u8]) -> Vec<u8> {
    let mut members = small(format, bytes);
    let inventory = String::from_utf8(members[0].1.clone()).unwrap();
    let (old, new) = (sha256(bytes).to_string(), sha256(other).to_string());
    let (size, other_size) = (
        format!("\"bytes\":{},", bytes.len()),
        format!("\"bytes\":{},", other.len()),
    );
    assert!(inventory.contains(&old) && inventory.contains(&size));
    members[0].1 = inventory
        .replace(&old, &new)
        .replace(&size, &other_size)
        .into_bytes();
    members[2] = (format!("objects/{new}"), other.to_vec());
    archive(&members)
}

/// Only the header of a member, which declares a size.
pub fn declares(name: &str, size: u64) -> Vec<u8> {
    let mut header = tar(&[(name, b"")]);
    header.truncate(512);
    header[124..136].copy_from_slice(format!("{size:011o}\0").as_bytes());
    seal(&mut header);
    header
}

/// White space after a text, to a size.
pub fn padded(text: &[u8], size: usize) -> Vec<u8> {
    let mut bytes = text.to_vec();
    assert!(bytes.len() <= size);
    bytes.resize(size, b' ');
    bytes
}

/// An Inspector export of one entry that is no unit, with text put into it.
pub fn response(result: &str, more: &str) -> Vec<u8> {
    format!(
        r#"[{{"id":"e","timestamp":"2026-09-08T00:00:00Z","direction":"response","message":{{"jsonrpc":"2.0","id":1,"result":{result}}}{more}}}]"#
    )
    .into_bytes()
}

/// A bundle of one context event, its decoded members as given sizes.
pub struct Sized {
    pub manifest: usize,
    pub zeros: usize,
}

impl Sized {
    /// A manifest padded with white space, and zeros after the archive's end.
    pub fn bundle(&self) -> Vec<u8> {
        let (manifest, events) = bundle_members("run-1", &[CONTEXT_EVENT]);
        let manifest = padded(manifest.as_bytes(), self.manifest.max(manifest.len()));
        let mut decoded = tar(&[
            ("manifest.json", &manifest),
            ("events.ndjson", events.as_bytes()),
        ]);
        let end = decoded.len();
        decoded.resize(end.max(self.zeros), 0);
        gzip(&decoded)
    }
}

/// An event that is no unit.
pub const CONTEXT_EVENT: Event<'static> = Event("assay.profile.started", None, "{}");

/// The gzip of a bundle's first headers: a manifest as it is, or none and one
/// declared size in the named member's header.
pub fn bundle_declaring(name: &str, size: u64) -> Vec<u8> {
    let (manifest, _) = bundle_members("run-1", &[CONTEXT_EVENT]);
    let mut decoded = Vec::new();
    if name != "manifest.json" {
        decoded = tar(&[("manifest.json", manifest.as_bytes())]);
        decoded.truncate(decoded.len() - 1024);
    }
    decoded.extend_from_slice(&declares(name, size));
    gzip(&decoded)
}

pub fn a1() -> ContextInput {
    ContextInput::example_a1()
}
