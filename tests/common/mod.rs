//! Running the program as a person does, with a home of its own.

#![allow(dead_code, reason = "each test file uses its own part")]

pub mod tar;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A home, a state directory and a working directory that go with the test.
pub struct Desk {
    folder: tempfile::TempDir,
}

/// What a run came to.
#[derive(Debug)]
pub struct Run {
    /// The exit code; none when a signal ended it.
    pub code: Option<i32>,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

impl Desk {
    pub fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    /// The working directory.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a file; its path.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        fs::write(&path, content).unwrap();
        path
    }

    /// A copy of the demo ledger.
    pub fn demo(&self) -> PathBuf {
        self.write("demo.json", DEMO)
    }

    pub fn read_bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.path().join(name)).unwrap()
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path().join(name)).unwrap()
    }

    /// The program, about to run in the working directory.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_attest-tui"));
        command
            .args(arguments)
            .current_dir(self.path())
            .env_clear()
            .env("HOME", self.path().join("home"))
            .stdin(std::process::Stdio::null());
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Run {
        Run::of(self.command(arguments).output().unwrap())
    }

    /// Everything under the working directory but the home, by name.
    pub fn files(&self) -> Vec<(String, Vec<u8>)> {
        let mut files: Vec<(String, Vec<u8>)> = fs::read_dir(self.path())
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.is_file())
            .map(|path| {
                let name = path.file_name().unwrap().to_string_lossy().into_owned();
                (name, fs::read(&path).unwrap())
            })
            .collect();
        files.sort();
        files
    }
}

impl Run {
    pub fn of(output: Output) -> Self {
        Self {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// The one line of JSON printed.
    pub fn json(&self) -> serde_json::Value {
        assert_eq!(self.out.lines().count(), 1, "{self:?}");
        serde_json::from_str(&self.out).unwrap()
    }
}

/// The demo ledger's text.
pub const DEMO: &str = include_str!("../../golden/ledgers/demo.json");

/// Golden 13, from which it is made.
pub const GOLDEN_13: &str = include_str!("../../golden/13-demo-section-2.json");

/// Where the golden scenarios stand.
pub fn golden() -> String {
    concat!(env!("CARGO_MANIFEST_DIR"), "/golden").to_owned()
}

/// Receipt ids of the demo by grade.
pub fn receipt_of(grade: &str) -> String {
    let demo: serde_json::Value = serde_json::from_str(DEMO).unwrap();
    let receipts = demo["receipts"].as_array().unwrap();
    let found = receipts.iter().find(|receipt| receipt["grade"] == grade);
    found.unwrap()["id"].as_str().unwrap().to_owned()
}
