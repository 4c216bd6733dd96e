//! A ledger's package, end to end: what is in it, that it verifies with and
//! without its ledger, and that the same selection is the same bytes.

use serde_json::{Value, json};

use crate::common::{DEMO, Desk, Run, receipt_of, tar};

/// Exports the demo under a name; the archive.
fn export(desk: &Desk, name: &str, options: &[&str]) -> (Run, Vec<u8>) {
    let out = format!("{name}.tar");
    let mut arguments = vec!["package", "export", "demo.json", "--out", &out];
    arguments.extend(options);
    let run = desk.run(&arguments);
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{run:?}");
    (run, std::fs::read(desk.path().join(out)).unwrap())
}

fn sha256(bytes: &[u8]) -> String {
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

fn fact(archive: &[u8], kind: &str) -> Value {
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

#[test]
fn a_filter_selects() {
    let desk = Desk::new();
    desk.demo();
    for (name, options, selection, grades) in [
        (
            "a",
            &["--filter", "grade:unasked"][..],
            "grade:unasked",
            json!({"UNASKED": 1}),
        ),
        (
            "b",
            &["--filter", "-grade:unasked", "--agent", "muse"],
            "-grade:unasked agent:muse",
            json!({"NOT_FOUND": 1, "VERIFIED": 1}),
        ),
        (
            "c",
            &["--agent", "muse,claude,muse"],
            "agent:claude,muse",
            json!({"NOT_FOUND": 1, "UNASKED": 1, "VERIFIED": 1}),
        ),
        ("d", &["--filter", "priya"], "priya", json!({"VERIFIED": 1})),
    ] {
        let (run, archive) = export(&desk, name, options);
        assert!(
            run.out.contains(&format!("  selection    {selection}\n")),
            "{run:?}"
        );
        assert_eq!(
            fact(&archive, "producer_invocation")["selection"],
            selection
        );
        assert_eq!(fact(&archive, "denominator")["selection"], grades);
        let (tar, context) = (format!("{name}.tar"), format!("{name}.context.json"));
        let verify = [
            "package",
            "verify",
            &tar,
            "--context",
            &context,
            "--ledger",
            "demo.json",
        ];
        let run = desk.run(&verify);
        assert_eq!(run.code, Some(0), "{run:?}");
    }
    let before = desk.files();
    for (options, said) in [
        (
            &["--filter", "agent:dots"][..],
            "the selection holds no receipt",
        ),
        (&["--filter", "all"], "the selection holds no receipt"),
        (
            &["--filter", "grade:maybe x:y"],
            "--filter: 0: grade: takes",
        ),
        (&["--agent", "nobody"], "nobody"),
        (&["--as-of", "yesterday"], "--as-of: must be an instant"),
    ] {
        let run = desk.run(
            &[
                &["package", "export", "demo.json", "--out", "z.tar"],
                options,
            ]
            .concat(),
        );
        assert_eq!((run.code, run.out.as_str()), (Some(2), ""), "{run:?}");
        assert!(run.err.contains(said), "{run:?}");
    }
    assert_eq!(desk.files(), before);
}

/// The word `all` as a filter is not the selection of everything.
#[test]
fn the_word_all_is_a_word() {
    let desk = Desk::new();
    desk.write("demo.json", DEMO.replace("Q3 deck", "Q3 all"));
    let (_, archive) = export(&desk, "demo", &["--filter", "all"]);
    assert_eq!(
        fact(&archive, "producer_invocation")["selection"],
        "\"all\""
    );
    let run = desk.run(&[
        "package",
        "verify",
        "demo.tar",
        "--context",
        "demo.context.json",
        "--ledger",
        "demo.json",
    ]);
    // The edited row is not what was graded, which its replay says.
    assert!(
        run.out.contains("not derived again") && !run.out.contains("differs"),
        "{run:?}"
    );
}

#[test]
fn instants_can_be_given() {
    let desk = Desk::new();
    desk.demo();
    let instants = |name: &str| {
        let context: Value =
            serde_json::from_str(&desk.read(&format!("{name}.context.json"))).unwrap();
        ["as_of", "valid_from", "valid_until"].map(|key| context[key].as_str().unwrap().to_owned())
    };
    export(&desk, "a", &["--as-of", "2026-10-08T00:00:00.5+02:00"]);
    assert_eq!(
        instants("a"),
        [
            "2026-10-07T22:00:00.500Z",
            "2026-10-07T22:00:00.500Z",
            "2026-10-08T22:00:00.500Z"
        ]
    );
    export(
        &desk,
        "b",
        &[
            "--valid-from",
            "2026-10-01T00:00:00Z",
            "--valid-until",
            "2027-01-01T00:00:00Z",
        ],
    );
    assert_eq!(
        instants("b"),
        [
            "2026-10-06T19:00:00Z",
            "2026-10-01T00:00:00Z",
            "2027-01-01T00:00:00Z"
        ]
    );
    let before = desk.files();
    for options in [
        ["--valid-from", "2026-10-07T00:00:00Z"],
        ["--valid-until", "2026-10-06T18:59:59.999Z"],
    ] {
        let run = desk.run(
            &[
                &["package", "export", "demo.json", "--out", "z.tar"][..],
                &options,
            ]
            .concat(),
        );
        assert_eq!(run.code, Some(1), "{run:?}");
        assert!(
            run.err.starts_with("attest-tui: trust_input: as_of "),
            "{run:?}"
        );
    }
    assert_eq!(desk.files(), before);
}

/// Without its context it names another than the contract's example, and the
/// summary says which file beside it that is.
#[test]
fn a_package_of_another_context_says_so() {
    let desk = Desk::new();
    desk.demo();
    export(&desk, "demo", &[]);
    let run = desk.run(&["package", "verify", "demo.tar"]);
    assert_eq!((run.code, run.err.as_str()), (Some(1), ""));
    assert!(
        run.out
            .starts_with("demo.tar: package_refused: stale_assessment\n")
    );
    let named = sha256(desk.read("demo.context.json").as_bytes());
    assert!(
        run.out.contains(&format!("it names another: {named}\n")),
        "{}",
        run.out
    );
    assert!(
        run.out.contains("demo.context.json beside it is the one"),
        "{}",
        run.out
    );
    export(&desk, "later", &["--as-of", "2026-12-01T00:00:00Z"]);
    std::fs::copy(
        desk.path().join("later.context.json"),
        desk.path().join("demo.context.json"),
    )
    .unwrap();
    let run = desk.run(&["package", "verify", "demo.tar"]);
    assert!(
        run.out
            .contains("demo.context.json lies beside it, but is another"),
        "{}",
        run.out
    );
    std::fs::remove_file(desk.path().join("demo.context.json")).unwrap();
    let run = desk.run(&["package", "verify", "demo.tar"]);
    assert!(
        run.out.contains("it names another") && !run.out.contains("beside"),
        "{}",
        run.out
    );
    // A report says it in its own words, and only those.
    let run = desk.run(&["package", "verify", "demo.tar", "--json"]);
    assert_eq!((run.code, run.err.as_str()), (Some(1), ""));
    assert_eq!(run.json()["reason"], "stale_assessment");
}

/// What only the dialect admits is refused by the contract.
#[test]
fn the_dialect_is_asked_for() {
    let desk = Desk::new();
    desk.demo();
    let (_, archive) = export(&desk, "demo", &[]);
    let changed = tar::with_inventory(&archive, |text| text.replacen("\"binding\":null,", "", 1));
    desk.write("demo.tar", changed);
    let verify = [
        "package",
        "verify",
        "demo.tar",
        "--context",
        "demo.context.json",
    ];
    let run = desk.run(&verify);
    assert_eq!(run.code, Some(1));
    assert!(
        run.out
            .starts_with("demo.tar: package_refused: input_shape\n"),
        "{}",
        run.out
    );
    let run = desk.run(
        &[
            &verify[..],
            &["--dialect", "assay-6.21", "--ledger", "demo.json"],
        ]
        .concat(),
    );
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.out.contains("dialect      assay-6.21"), "{}", run.out);
    assert_eq!(
        desk.run(&[&verify[..], &["--dialect", "other"]].concat())
            .code,
        Some(2)
    );
}

#[test]
fn inspecting_shows_inputs_context_and_receipts() {
    let desk = Desk::new();
    desk.demo();
    export(&desk, "demo", &[]);
    let inspect = [
        "package",
        "inspect",
        "demo.tar",
        "--context",
        "demo.context.json",
    ];
    let run = desk.run(&inspect);
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""));
    for part in [
        "demo.tar: package_verified\n",
        "\nInputs 3\n  ledger-facts ",
        "\nUnits 0\n",
        "\nSurfaces\n  tool_call        unknown ",
        "  actor                    {\"agents\":[\"muse\"]}\n",
        "  not_available: context_provenance, custody, ",
        "\nReceipts 3\n",
    ] {
        assert!(run.out.contains(part), "{part}: {}", run.out);
    }
    for grade in ["VERIFIED", "NOT_FOUND", "UNASKED"] {
        let line = format!("  {}  {grade}  muse  rule ", receipt_of(grade));
        assert!(run.out.contains(&line), "{line}");
    }
    let whole = desk.run(&[&inspect[..], &["--json"]].concat()).json();
    assert_eq!(
        whole["report"],
        serde_json::from_str::<Value>(&desk.read("demo.verify.json")).unwrap()
    );
    assert_eq!(whole["receipts"].as_array().unwrap().len(), 3);
    assert_eq!(whole["receipts"][0]["id"], receipt_of("NOT_FOUND"));
    // One that is refused shows why, and nothing of what is inside.
    let run = desk.run(&["package", "inspect", "demo.tar"]);
    assert_eq!(run.code, Some(1));
    assert_eq!(run.out, "demo.tar: package_refused: stale_assessment\n");
    let run = desk.run(&["package", "inspect", "demo.tar", "--json"]);
    assert_eq!(run.json()["report"]["reason"], "stale_assessment");
    assert_eq!(run.json().as_object().unwrap().len(), 1);
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
