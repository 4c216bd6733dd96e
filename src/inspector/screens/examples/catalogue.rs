//! The golden scenarios, embedded: the worked examples and the edges of the reference.

use include_dir::{Dir, include_dir};

use attest_grading::scenario::Scenario;

use crate::inspector::text::shown;

/// The folder as it is in the repository; its ledgers and its README are not scenarios.
static GOLDEN: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/golden");

/// One scenario of the folder.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// Its number, as its file's name begins.
    pub number: u32,
    /// Its file's name.
    pub file: &'static str,
    /// What it shows, fit for a terminal.
    pub title: String,
    /// The sections of the reference it covers, in the order it names them.
    pub sections: Vec<String>,
    /// What it covers, fit for a terminal.
    pub covers: Vec<String>,
    /// Its hand computation, a step a line, fit for a terminal.
    pub notes: Vec<String>,
}

/// Every scenario's number, file name and text, by number.
pub fn files() -> Vec<(u32, &'static str, &'static str)> {
    let mut files: Vec<_> = GOLDEN
        .files()
        .filter_map(|file| {
            let name = file.path().file_name()?.to_str()?;
            let number = name.split_once('-')?.0.parse().ok()?;
            name.strip_suffix(".json")?;
            Some((number, name, file.contents_utf8()?))
        })
        .collect();
    files.sort_unstable();
    files
}

/// Reads every scenario.
pub fn entries() -> Vec<Entry> {
    let entry = |(number, file, text)| {
        let scenario = Scenario::read(text).ok()?;
        let fit = |text: &str| shown(text).into_owned();
        Some(Entry {
            number,
            file,
            title: fit(&scenario.name),
            sections: sections(&scenario.covers),
            covers: scenario.covers.iter().map(|text| fit(text)).collect(),
            notes: scenario.notes.iter().map(|text| fit(text)).collect(),
        })
    };
    files().into_iter().filter_map(entry).collect()
}

/// The scenario of a number.
pub fn scenario(number: u32) -> Option<Scenario> {
    let mut files = files().into_iter();
    let (.., text) = files.find(|(held, ..)| *held == number)?;
    Scenario::read(text).ok()
}

/// Every section named, once, as `§5.1`.
fn sections(covers: &[Box<str>]) -> Vec<String> {
    let mut found = Vec::new();
    for part in covers.iter().flat_map(|text| text.split('§').skip(1)) {
        let number: String = part
            .chars()
            .take_while(|c| c.is_ascii_digit() || *c == '.')
            .collect();
        let section = format!("§{}", number.trim_end_matches('.'));
        if section.len() > "§".len() && !found.contains(&section) {
            found.push(section);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is embedded is the folder: every scenario of it, each of which reads.
    #[test]
    fn every_scenario_is_embedded() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/golden");
        let mut on_disk: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|file| file.unwrap().file_name().into_string().unwrap())
            .filter(|name| name.ends_with(".json"))
            .collect();
        let mut embedded: Vec<String> = entries()
            .iter()
            .map(|entry| entry.file.to_owned())
            .collect();
        on_disk.sort();
        embedded.sort();
        assert_eq!(embedded, on_disk);
        let numbers: Vec<u32> = entries().iter().map(|entry| entry.number).collect();
        let expected: Vec<u32> = (1..).take(numbers.len()).collect();
        assert_eq!(numbers, expected);
    }

    #[test]
    fn sections_are_named_once() {
        let covers = ["contract:§5.1 a and §5.1 b", "edge:§11. c", "none"].map(Box::from);
        assert_eq!(sections(&covers), ["§5.1", "§11"]);
    }
}
