//! A ledger's package, end to end: what is in it, that it verifies with and
//! without its ledger, and that the same selection is the same bytes.

use serde_json::{Value, json};

use crate::common::{DEMO, Desk, Run, receipt_of, tar};

/// Exports the demo under a name; the archive.
pub fn export(desk: &Desk, name: &str, options: &[&str]) -> (Run, Vec<u8>) {
    let out = format!("{name}.tar");
    let mut arguments = vec!["package", "export", "demo.json", "--out", &out];
    arguments.extend(options);
    let run = desk.run(&arguments);
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{run:?}");
    (run, std::fs::read(desk.path().join(out)).unwrap())
}

pub fn sha256(bytes: &[u8]) -> String {
    attest_canon::sha256(bytes).to_string()
}

/// The texts of an archive's facts, by kind, in order.
fn facts(archive: &[u8]) -> Vec<(String, Value)> {
    let document: Value = serde_json::from_slice(&tar::input(archive, "ledger-facts")).unwrap();
    let entries = document["entries"].as_array().unwrap();
    entries
        .iter()
        .map(|entry| {
            let text = entry["value"].as_str().unwrap();
            let value: Value = serde_json::from_str(text).unwrap();
            // Canonical: sorted and without spaces, as this writer leaves it.
            assert_eq!(text, value.to_string());
            (entry["kind"].as_str().unwrap().to_owned(), value)
        })
        .collect()
}

pub fn fact(archive: &[u8], kind: &str) -> Value {
    let found = facts(archive).into_iter().find(|(held, _)| held == kind);
    found.unwrap().1
}

#[test]
fn the_demo_is_exported_and_verified() {
    let desk = Desk::new();
    desk.demo();
    let made = desk.run(&["package", "export", "demo.json", "--out", "demo.tar"]);
    assert_eq!((made.code, made.err.as_str()), (Some(0), ""), "{made:?}");
    let names: Vec<String> = desk.files().into_iter().map(|(name, _)| name).collect();
    assert_eq!(
        names,
        [
            "demo.context.json",
            "demo.json",
            "demo.tar",
            "demo.verify.json"
        ]
    );
    let verify = [
        "package",
        "verify",
        "demo.tar",
        "--context",
        "demo.context.json",
    ];
    for more in [
        &[][..],
        &["--ledger", "demo.json"],
        &["--against", "demo.verify.json"],
        &["--ledger", "demo.json", "--against", "demo.verify.json"],
        &["--dialect", "contract"],
    ] {
        let arguments = [&verify[..], more].concat();
        let run = desk.run(&arguments);
        assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{run:?}");
        assert!(run.out.starts_with("demo.tar: package_verified\n"));
        // With --json standard output is the report and nothing else.
        let run = desk.run(&[&arguments[..], &["--json"]].concat());
        assert_eq!((run.code, run.err.as_str()), (Some(0), ""));
        assert_eq!(run.out, desk.read("demo.verify.json"));
    }
    // The name by default, in the working directory.
    std::fs::create_dir(desk.path().join("there")).unwrap();
    desk.write("there/other.json", DEMO);
    let run = desk.run(&["package", "export", "there/other.json"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert_eq!(
        std::fs::read(desk.path().join("other.tar")).unwrap(),
        std::fs::read(desk.path().join("demo.tar")).unwrap()
    );
}

/// The profile's tables, for the demo.
#[test]
fn a_package_holds_what_the_profile_says() {
    let desk = Desk::new();
    desk.demo();
    let (_, archive) = export(&desk, "demo", &[]);
    let ledger: Value = serde_json::from_str(DEMO).unwrap();
    let (hash, policy) = ledger["policies"]
        .as_object()
        .unwrap()
        .iter()
        .next()
        .unwrap();
    let policy_id = format!("policy-{}", &hash[..12]);

    // Three inputs: the policy's canonical JSON, whose digest is its hash.
    let inventory = tar::json(&archive, "inventory.json");
    let inputs: Vec<(&str, &str)> = inventory["inputs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|input| {
            (
                input["id"].as_str().unwrap(),
                input["format"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        inputs,
        [
            ("ledger-facts", "incident-context-v1"),
            (policy_id.as_str(), "policy-bytes"),
            ("receipts-001", "incident-context-v1"),
        ]
    );
    let bytes = tar::input(&archive, &policy_id);
    assert_eq!(sha256(&bytes), *hash);
    assert_eq!(serde_json::from_slice::<Value>(&bytes).unwrap(), *policy);
    let policy_ref = json!({
        "input_id": policy_id, "locator": format!("bytes:0:{}", bytes.len()), "sha256": hash,
    });

    // The receipts as the ledger has them, in (computedAt, id) order.
    let document = tar::input(&archive, "receipts-001");
    let document: Value = serde_json::from_slice(&document).unwrap();
    assert_eq!(document["schema"], "assay.incident.context.v1");
    let mut receipts = ledger["receipts"].as_array().unwrap().clone();
    receipts.sort_by_key(|receipt| receipt["id"].as_str().unwrap().to_owned());
    let expected: Vec<Value> = receipts
        .iter()
        .map(|receipt| {
            json!({"kind": "correlation", "source_refs": [policy_ref], "value": receipt.to_string()})
        })
        .collect();
    assert_eq!(document["entries"], Value::Array(expected));

    // The facts, each with its kind's value, in order.
    let counts = json!({"NOT_FOUND": 1, "UNASKED": 1, "VERIFIED": 1});
    let expected = [
        (
            "original_digests",
            json!({"ledger": {"bytes": DEMO.len(), "format": "attest-ledger",
                "sha256": sha256(DEMO.as_bytes()), "version": 7}}),
        ),
        (
            "producer_invocation",
            json!({"selection": "all", "tool": "attest-tui", "version": env!("CARGO_PKG_VERSION")}),
        ),
        (
            "schema_versions",
            json!({"gradingReference": "1.19", "ledger": 7, "policy": [2]}),
        ),
        (
            "denominator",
            json!({"ledger": counts, "selection": counts}),
        ),
        (
            "windows",
            json!({"gcal.event": {"first": "2026-10-05T04:00:00Z", "last": "2026-10-12T04:00:00Z"},
                "gmail.sent": {"first": "2026-10-06T17:00:00Z", "last": "2026-10-06T18:50:00Z"}}),
        ),
        ("clock", json!({"repairs": []})),
        ("missing_evidence", json!({})),
        ("policy_activation", json!({"policies": [hash]})),
        (
            "chain_gaps",
            json!({"fields": {}, "mismatched": 0, "replayed": 3, "reproduced": 3}),
        ),
        ("actor", json!({"agents": ["muse"]})),
        ("retention", json!({"days": 90})),
        (
            "withholding_derivatives",
            json!({"boundBy": "original_digests",
                "withheld": ["claims", "grants", "observations", "overrideReasons"]}),
        ),
        (
            "offline_verification",
            json!({"commands": ["attest-tui package verify NAME.tar --context NAME.context.json --ledger LEDGER"]}),
        ),
    ];
    let held = facts(&archive);
    let held: Vec<(&str, Value)> = held
        .iter()
        .map(|(kind, one)| (kind.as_str(), one.clone()))
        .collect();
    assert_eq!(held, expected);
    let document = tar::input(&archive, "ledger-facts");
    let facts: Value = serde_json::from_slice(&document).unwrap();
    for entry in facts["entries"].as_array().unwrap() {
        let refs = match entry["kind"].as_str() {
            Some("policy_activation") => json!([policy_ref]),
            _ => json!([]),
        };
        assert_eq!(entry["source_refs"], refs);
    }

    // The inventory states each, with the entry's own text and a ref to it.
    let mut context = serde_json::Map::new();
    for (index, entry) in facts["entries"].as_array().unwrap().iter().enumerate() {
        let kind = entry["kind"].as_str().unwrap().to_owned();
        let reference = json!({"input_id": "ledger-facts",
            "locator": format!("json:/entries/{index}"), "sha256": sha256(&document)});
        let stated = json!({"reason": "stated", "refs": [reference], "value": entry["value"]});
        context.insert(kind, stated);
    }
    let receipts = sha256(&tar::input(&archive, "receipts-001"));
    let reference =
        json!({"input_id": "receipts-001", "locator": "json:/entries/0", "sha256": receipts});
    context.insert(
        "correlation".to_owned(),
        json!({"reason": "stated", "refs": [reference], "value": "{\"receipts\":3}"}),
    );
    for kind in [
        "context_provenance",
        "custody",
        "recoverability",
        "resource_effects",
        "signature_basis",
    ] {
        context.insert(
            kind.to_owned(),
            json!({"reason": "not_available", "refs": [], "value": null}),
        );
    }
    assert_eq!(inventory["context"], Value::Object(context));

    // The context: hard limits, nothing expected, instants of the selection.
    let context: Value = serde_json::from_str(&desk.read("demo.context.json")).unwrap();
    assert_eq!(context["as_of"], "2026-10-06T19:00:00Z");
    assert_eq!(context["valid_from"], "2026-10-06T19:00:00Z");
    assert_eq!(context["valid_until"], "2026-10-07T19:00:00Z");
    assert_eq!(
        context["invocation"],
        json!({"options": [], "tool": "attest-tui", "version": env!("CARGO_PKG_VERSION")})
    );
    for none in ["keys", "expectations", "applicability"] {
        assert_eq!(context[none], json!([]));
    }
    let report: Value = serde_json::from_str(&desk.read("demo.verify.json")).unwrap();
    assert_eq!(report["outcome"], "package_verified");
    assert_eq!(report["artifact_sha256"], sha256(&archive));
    assert_eq!(report["verification_context"], context);
}

#[test]
fn the_same_selection_is_the_same_bytes() {
    let desk = Desk::new();
    desk.demo();
    let (_, one) = export(&desk, "one", &[]);
    let elsewhere = Desk::new();
    elsewhere.demo();
    let (_, two) = export(&elsewhere, "two", &[]);
    assert_eq!(one, two);
    assert_eq!(
        desk.read("one.context.json"),
        elsewhere.read("two.context.json")
    );
    assert_eq!(
        desk.read("one.verify.json"),
        elsewhere.read("two.verify.json")
    );
    // White space around a filter means nothing, and one without terms is all.
    for (name, filter) in [("blank", "  "), ("empty", "")] {
        assert_eq!(export(&desk, name, &["--filter", filter]).1, one);
    }
    let trimmed = export(&desk, "trimmed", &["--filter", "grade:unasked"]).1;
    assert_eq!(
        export(&desk, "spaces", &["--filter", " grade:unasked "]).1,
        trimmed
    );
    assert_ne!(trimmed, one);
    // Rows in another order are the same receipts in the same order.
    let mut ledger: Value = serde_json::from_str(DEMO).unwrap();
    for table in ["receipts", "claims", "observations", "coverage"] {
        ledger[table].as_array_mut().unwrap().reverse();
    }
    desk.write("demo.json", ledger.to_string());
    let (_, other) = export(&desk, "other", &[]);
    assert_eq!(
        tar::input(&other, "receipts-001"),
        tar::input(&one, "receipts-001")
    );
    assert_eq!(fact(&other, "windows"), fact(&one, "windows"));
    assert_ne!(
        fact(&other, "original_digests"),
        fact(&one, "original_digests")
    );
}

/// No text of a person's mail, and no reason of an override.
#[test]
fn a_package_holds_no_free_text() {
    let desk = Desk::new();
    desk.demo();
    let said = ["--reason", "Priya told me the SECRET"];
    let found = receipt_of("NOT_FOUND");
    let overridden =
        desk.run(&[&["override", "demo.json", &found, "VERIFIED"][..], &said].concat());
    assert_eq!(overridden.code, Some(0), "{overridden:?}");
    let (_, archive) = export(&desk, "demo", &[]);
    let ledger = desk.read("demo.json");
    for text in ["Priya", "SECRET", "Q3", "northwind", "8812"] {
        assert!(ledger.contains(text), "{text}");
        for (name, bytes) in desk.files() {
            let bytes = String::from_utf8_lossy(&bytes);
            assert!(
                name == "demo.json" || !bytes.contains(text),
                "{name}: {text}"
            );
        }
    }
    // It counts by the override, which stands in the entry.
    let counts = json!({"UNASKED": 1, "VERIFIED": 2});
    assert_eq!(
        fact(&archive, "denominator"),
        json!({"ledger": counts, "selection": counts})
    );
    let receipts = String::from_utf8(tar::input(&archive, "receipts-001")).unwrap();
    assert!(
        receipts.contains(r#"\"previousState\":\"FINAL\"},"#),
        "{receipts}"
    );
    let verify = [
        "package",
        "verify",
        "demo.tar",
        "--context",
        "demo.context.json",
    ];
    let run = desk.run(&[&verify[..], &["--ledger", "demo.json"]].concat());
    assert_eq!(run.code, Some(0), "{run:?}");
}

/// The commands of the README, in their order, print what it shows.
#[test]
fn the_readme_shows_what_happens() {
    let readme = include_str!("../../README.md");
    let section = readme.split("## Packages\n").nth(1).unwrap();
    let section = section.split("\n## ").next().unwrap();
    let desk = Desk::new();
    std::fs::create_dir_all(desk.path().join("golden/ledgers")).unwrap();
    desk.write("golden/ledgers/demo.json", DEMO);
    desk.write("history.json", crate::build::HISTORY);
    let mut commands = 0;
    for block in section.split("```text\n").skip(1) {
        let block = block.split("```").next().unwrap();
        for part in block.split("$ ").skip(1) {
            let (command, shown) = part.split_once('\n').unwrap();
            let words: Vec<&str> = command.split(' ').collect();
            match words.as_slice() {
                ["cat", name] => {
                    desk.write(name, shown);
                }
                ["attest-tui", arguments @ ..] => {
                    let run = desk.run(arguments);
                    assert_eq!(
                        (run.out.as_str(), run.err.as_str()),
                        (shown, ""),
                        "{command}"
                    );
                    commands += 1;
                }
                _ => panic!("{command}"),
            }
        }
    }
    assert_eq!(commands, 5);
}
