//! What must stay true of the core crates: pure, and a tower whose floors use
//! only those below them.

use std::path::{Path, PathBuf};

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every source file below a folder, with its code: comments and the unit
/// tests at its end left out.
fn sources(folder: &str) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut folders = vec![repository().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                if path.file_name().is_some_and(|name| name != "tests") {
                    folders.push(path);
                }
            } else if path.extension().is_some_and(|end| end == "rs")
                && path.file_name().is_some_and(|name| name != "tests.rs")
            {
                let text = std::fs::read_to_string(&path).unwrap();
                found.push((path, code(&text)));
            }
        }
    }
    assert!(!found.is_empty(), "{folder} holds no source");
    found
}

fn code(text: &str) -> String {
    let body = text.split("\nmod tests {").next().unwrap_or_default();
    let lines = body
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

/// Whether a word stands in the code by itself.
fn holds(code: &str, word: &str) -> bool {
    let part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    code.match_indices(word).any(|(at, _)| {
        !part(code[..at].chars().next_back()) && !part(code[at + word.len()..].chars().next())
    })
}

#[test]
fn the_core_touches_no_disk_clock_environment_or_hash_order() {
    let forbidden = [
        "std::fs",
        "std::net",
        "std::time",
        "std::env",
        "std::process",
        "std::thread",
        "SystemTime",
        "HashMap",
        "HashSet",
        "thread_local",
        "LazyLock",
        "OnceLock",
        "static mut",
    ];
    for folder in ["core/canon/src", "core/grading/src", "core/package/src"] {
        for (path, code) in sources(folder) {
            for word in forbidden {
                assert!(!holds(&code, word), "{} holds {word}", path.display());
            }
        }
    }
}

/// Foreign payload numbers are doubles by RFC 8785, in one module.
#[test]
fn no_float_outside_the_one_module() {
    for folder in ["core/canon/src", "core/grading/src", "core/package/src"] {
        for (path, code) in sources(folder) {
            if path.ends_with("canon/src/double.rs") {
                continue;
            }
            for word in ["f32", "f64"] {
                assert!(!holds(&code, word), "{} holds {word}", path.display());
            }
        }
    }
}

#[test]
fn dependencies_point_downward() {
    for (krate, foreign) in [
        (
            "canon",
            &["attest_grading", "attest_package", "attest_tui"][..],
        ),
        ("grading", &["attest_package", "attest_tui"]),
        ("package", &["attest_grading", "attest_tui"]),
    ] {
        for (path, code) in sources(&format!("core/{krate}/src")) {
            for name in foreign {
                assert!(!holds(&code, name), "{} uses {name}", path.display());
            }
        }
    }
    let floors = [
        "text", "model", "policy", "decide", "replay", "ledger", "scenario", "simulate",
    ];
    for (height, floor) in floors.iter().enumerate() {
        for (path, code) in sources(&format!("core/grading/src/{floor}")) {
            for above in &floors[height + 1..] {
                let used = format!("crate::{above}");
                assert!(
                    !holds(&code, &used),
                    "{} looks up to {above}",
                    path.display()
                );
            }
        }
    }
}

/// A fence that finds nothing may be broken: it must find what it forbids.
#[test]
fn the_fence_sees_what_it_forbids() {
    let seen =
        code("use std::fs;\nlet x: f64 = 1.0; // HashMap\n#[cfg(test)]\nmod tests {\nstd::net\n");
    assert!(holds(&seen, "std::fs") && holds(&seen, "f64"));
    assert!(!holds(&seen, "HashMap") && !holds(&seen, "std::net"));
    assert!(!holds("let half64 = f64x;", "f64"));
}

/// Every number of a policy, in each form code could write it: as the document
/// does, in basis points, in milliseconds. A single digit says too little to look for.
fn policy_numbers() -> Vec<String> {
    let text = std::fs::read_to_string(repository().join("policy/default.json")).unwrap();
    let policy: serde_json::Value = serde_json::from_str(&text).unwrap();
    let mut numbers = Vec::new();
    for part in ["windows", "thresholds", "features"] {
        for (name, number) in policy[part].as_object().unwrap() {
            let written = number.to_string();
            let unit_ms: u64 = match name {
                _ if name.ends_with("Min") => 60_000,
                _ if name.ends_with("Hours") => 3_600_000,
                _ if name.ends_with("Days") => 86_400_000,
                _ => 0,
            };
            match number.as_u64() {
                Some(whole) => numbers.push((whole * unit_ms).to_string()),
                None => {
                    let tenths_of_points = written.trim_start_matches("0.");
                    let points: u64 = format!("{tenths_of_points:0<4}").parse().unwrap();
                    numbers.push(points.to_string());
                }
            }
            numbers.push(written);
        }
    }
    numbers.retain(|number| number.len() > 1);
    numbers
}

/// The number literals of a piece of code, without underscores and suffixes.
fn literals(code: &str) -> Vec<String> {
    let words = code.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '.'));
    words
        .filter(|word| word.starts_with(|c: char| c.is_ascii_digit()))
        .map(|word| {
            let digits = word.replace('_', "");
            let end = digits.find(|c: char| c.is_ascii_alphabetic());
            digits[..end.unwrap_or(digits.len())].to_owned()
        })
        .collect()
}

#[test]
fn no_number_of_the_policy_is_a_literal() {
    let numbers = policy_numbers();
    for known in ["8500", "0.85", "45", "2700000", "3500"] {
        assert!(numbers.iter().any(|number| number == known), "{known}");
    }
    assert_eq!(literals("x >= 8_500u32 && y[3..]"), ["8500", "3.."]);
    for folder in ["decide", "replay", "ledger"] {
        for (path, code) in sources(&format!("core/grading/src/{folder}")) {
            for literal in literals(&code) {
                assert!(
                    !numbers.contains(&literal),
                    "{} holds {literal}, a number of the policy",
                    path.display()
                );
            }
        }
    }
}
