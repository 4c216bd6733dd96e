//! What `--json` prints has the shape the README says, member for member.

mod common;

use common::{DEMO, Desk, GOLDEN_13, receipt_of};
use serde_json::Value;

const README: &str = include_str!("../README.md");

/// A documented shape: `{"name", "list": [shape], "object"?: shape}`. A name
/// without a shape may hold anything.
#[derive(Debug)]
enum Shape {
    Any,
    Object(Vec<(String, bool, Shape)>),
    List(Box<Shape>),
}

impl Shape {
    fn parse(text: &mut &str) -> Self {
        let after = |text: &mut &str, c: char| {
            let rest = text.strip_prefix(c);
            *text = rest.unwrap_or(text);
            rest.is_some()
        };
        if after(text, '[') {
            let inner = Self::parse(text);
            assert!(after(text, ']'), "{text}");
            return Self::List(Box::new(inner));
        }
        assert!(after(text, '{'), "{text}");
        let mut members = Vec::new();
        loop {
            assert!(after(text, '"'), "{text}");
            let end = text.find('"').unwrap();
            let name = text[..end].to_owned();
            *text = &text[end + 1..];
            let optional = after(text, '?');
            let shape = if after(text, ':') {
                Self::parse(text)
            } else {
                Self::Any
            };
            members.push((name, optional, shape));
            if after(text, '}') {
                return Self::Object(members);
            }
            assert!(after(text, ','), "{text}");
        }
    }

    fn check(&self, value: &Value, path: &str) {
        match self {
            Self::Any => {}
            // What a receipt has none of is null.
            Self::Object(_) | Self::List(_) if value.is_null() => {}
            Self::List(inner) => {
                for one in value
                    .as_array()
                    .unwrap_or_else(|| panic!("{path}: {value}"))
                {
                    inner.check(one, &format!("{path}[]"));
                }
            }
            Self::Object(members) => {
                let object = value
                    .as_object()
                    .unwrap_or_else(|| panic!("{path}: {value}"));
                for name in object.keys() {
                    let known = members.iter().any(|(member, ..)| member == name);
                    assert!(known, "{path}.{name} is not documented");
                }
                for (name, optional, shape) in members {
                    match object.get(name) {
                        Some(value) => shape.check(value, &format!("{path}.{name}")),
                        None => assert!(optional, "{path}.{name} is not there"),
                    }
                }
            }
        }
    }
}

/// The shapes the README gives a command.
fn documented(command: &str) -> Vec<Shape> {
    let lines = README.lines().filter_map(|line| {
        let (name, shape) = line.split_once("  ")?;
        (name == command).then(|| shape.trim_start())
    });
    let shapes: Vec<Shape> = lines
        .map(|mut text| {
            let shape = Shape::parse(&mut text);
            assert_eq!(text, "");
            shape
        })
        .collect();
    assert!(!shapes.is_empty(), "{command}");
    shapes
}

#[test]
fn what_is_printed_is_what_is_documented() {
    let desk = Desk::new();
    desk.demo();
    desk.write("13.json", GOLDEN_13);
    desk.write("wrong.json", GOLDEN_13.replacen("12/13", "11/13", 1));
    desk.write("broken.json", "{");
    desk.write(
        "changed.json",
        DEMO.replacen("\"VERIFIED\"", "\"PARTIAL\"", 1),
    );
    let at = "2026-10-07T00:00:00Z";
    for (command, arguments) in [
        ("grade", &["grade", "13.json", "--json"][..]),
        (
            "grade --write",
            &["grade", "demo.json", "--write", "--at", at, "--json"],
        ),
        ("golden run", &["golden", "run", "13.json", "--json"]),
        ("golden run", &["golden", "run", "wrong.json", "--json"]),
        ("golden run", &["golden", "run", "broken.json", "--json"]),
        ("replay", &["replay", "changed.json", "--json"]),
        ("explain", &["explain", "13.json", "c1", "--json"]),
        ("explain", &["explain", "13.json", "c2", "--json"]),
        ("explain", &["explain", "13.json", "o2", "--json"]),
        (
            "explain",
            &["explain", "demo.json", &receipt_of("UNASKED"), "--json"],
        ),
    ] {
        let run = desk.run(arguments);
        documented(command)[0].check(&run.json(), &arguments.join(" "));
    }
    // A receipt whose inputs were purged.
    let mut purged: Value = serde_json::from_str(DEMO).unwrap();
    purged["receiptInputs"] = serde_json::json!({});
    desk.write("purged.json", purged.to_string());
    let run = desk.run(&["explain", "purged.json", &receipt_of("VERIFIED"), "--json"]);
    documented("explain")[1].check(&run.json(), "purged");
}

/// A package that verifies, and one that is refused.
#[test]
fn what_is_inside_a_package_is_documented() {
    let desk = Desk::new();
    desk.demo();
    desk.run(&["package", "export", "demo.json"]);
    let inspect = ["package", "inspect", "demo.tar", "--json", "--context"];
    let shapes = documented("package inspect");
    for (context, shape) in [("demo.context.json", 0), ("other.json", 1)] {
        desk.write(
            "other.json",
            desk.read("demo.context.json").replacen("19:00", "20:00", 3),
        );
        let run = desk.run(&[&inspect[..], &[context]].concat());
        assert_eq!(run.code, Some(shape));
        shapes[usize::try_from(shape).unwrap()].check(&run.json(), context);
        let value: Value = serde_json::from_str(&run.out).unwrap();
        assert_eq!(run.out, format!("{value}\n"));
    }
}

/// One line, canonical: equal answers are equal bytes.
#[test]
fn what_is_printed_is_canonical() {
    let desk = Desk::new();
    desk.write("13.json", GOLDEN_13);
    for arguments in [
        &["grade", "13.json", "--json"][..],
        &["golden", "run", "13.json", "--json"],
        &["explain", "13.json", "c1", "--json"],
    ] {
        let run = desk.run(arguments);
        let value: Value = serde_json::from_str(&run.out).unwrap();
        // Without spaces, and with sorted keys, as this writer leaves them.
        assert_eq!(run.out, format!("{value}\n"), "{arguments:?}");
    }
}
