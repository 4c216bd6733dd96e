//! Package archives as tests take them apart and put them together: strict
//! ustar, read and written here on its own.

use std::collections::BTreeMap;

/// Bytes of a block.
pub const BLOCK: usize = 512;

/// One member: its name, and where its header and data stand in the archive.
#[derive(Clone, Debug)]
pub struct Member {
    pub name: String,
    pub header: usize,
    pub data: std::ops::Range<usize>,
}

/// The members of an archive, in order.
pub fn members(archive: &[u8]) -> Vec<Member> {
    let mut members = Vec::new();
    let mut at = 0;
    while archive[at] != 0 {
        let header = &archive[at..at + BLOCK];
        let text = |range: std::ops::Range<usize>| {
            let field = &header[range];
            let end = field
                .iter()
                .position(|byte| *byte == 0)
                .unwrap_or(field.len());
            std::str::from_utf8(&field[..end]).unwrap().to_owned()
        };
        let size = usize::from_str_radix(&text(124..136), 8).unwrap();
        let start = at + BLOCK;
        members.push(Member {
            name: text(0..100),
            header: at,
            data: start..start + size,
        });
        at = (start + size).next_multiple_of(BLOCK);
    }
    members
}

/// The data of each member, by name.
pub fn data(archive: &[u8]) -> BTreeMap<String, Vec<u8>> {
    members(archive)
        .into_iter()
        .map(|member| (member.name, archive[member.data].to_vec()))
        .collect()
}

/// A JSON member of an archive.
pub fn json(archive: &[u8], name: &str) -> serde_json::Value {
    serde_json::from_slice(&data(archive)[name]).unwrap()
}

/// The bytes of an input of a package, found through its inventory.
pub fn input(archive: &[u8], id: &str) -> Vec<u8> {
    let inventory = json(archive, "inventory.json");
    let inputs = inventory["inputs"].as_array().unwrap();
    let input = inputs.iter().find(|input| input["id"] == id);
    let sha256 = input.unwrap()["sha256"].as_str().unwrap();
    data(archive)[&format!("objects/{sha256}")].clone()
}

/// A strict header.
pub fn header(name: &str, size: usize) -> [u8; BLOCK] {
    let mut header = [0u8; BLOCK];
    header[..name.len()].copy_from_slice(name.as_bytes());
    header[100..108].copy_from_slice(b"0000644\0");
    header[108..116].copy_from_slice(b"0000000\0");
    header[116..124].copy_from_slice(b"0000000\0");
    header[124..136].copy_from_slice(format!("{size:011o}\0").as_bytes());
    header[136..148].copy_from_slice(b"00000000000\0");
    header[156] = b'0';
    header[257..263].copy_from_slice(b"ustar\0");
    header[263..265].copy_from_slice(b"00");
    seal(&mut header);
    header
}

/// Writes a header's checksum.
pub fn seal(header: &mut [u8]) {
    header[148..156].fill(b' ');
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
}

/// An archive of these members, in this order.
pub fn archive<'m>(members: impl IntoIterator<Item = (&'m str, &'m [u8])>) -> Vec<u8> {
    let mut out = Vec::new();
    for (name, data) in members {
        out.extend(header(name, data.len()));
        out.extend(data);
        out.resize(out.len().next_multiple_of(BLOCK), 0);
    }
    out.resize(out.len() + 2 * BLOCK, 0);
    out
}

/// The same archive with another inventory, which nothing in it binds.
pub fn with_inventory(whole: &[u8], change: impl FnOnce(String) -> String) -> Vec<u8> {
    let inventory = String::from_utf8(data(whole)["inventory.json"].clone()).unwrap();
    let changed = change(inventory);
    let parts: Vec<(String, Vec<u8>)> = members(whole)
        .into_iter()
        .map(|member| {
            let bytes = match member.name.as_str() {
                "inventory.json" => changed.clone().into_bytes(),
                _ => whole[member.data].to_vec(),
            };
            (member.name, bytes)
        })
        .collect();
    archive(
        parts
            .iter()
            .map(|(name, bytes)| (name.as_str(), bytes.as_slice())),
    )
}
