//! Writes `src/text/tables.rs` again from `ucd/15.0.0`:
//! `cargo run -p attest-grading --example unicode-tables`.

mod generator;

fn main() -> std::io::Result<()> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/text/tables.rs");
    std::fs::write(path, generator::render())
}
