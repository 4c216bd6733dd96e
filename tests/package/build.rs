//! Packages of inputs and a spec file.

use serde_json::{Value, json};

use crate::common::{Desk, Run, tar};

/// §12's Example B1, canonical with its LF.
pub const HISTORY: &str = concat!(
    r#"[{"direction":"request","id":"entry-1","message":{"id":"rpc-1","jsonrpc":"2.0","method":"tools/call","#,
    r#""params":{"arguments":{},"name":"list_files"}},"origin":"client","timestamp":"2026-09-08T00:00:00Z"}]"#,
    "\n"
);

/// The digest §12 gives it, and the unit id of B3.
const HISTORY_SHA256: &str = "bdcc86fa294237f869226095e26769922719ecccf5d159101b95f447dca5c9e8";
const UNIT: &str = "6b79921c1021c5ba3e32b5cb5a739c0f7374ba16e0e4f9324b00b0aa485e0985";

fn results() -> String {
    let history: Value = serde_json::from_str(HISTORY).unwrap();
    let document = json!({
        "schema": "assay.incident.results.v1",
        "results": [{
            "operation": "inspector-protocol-793d103",
            "source": {"input_id": "one-history", "locator": "json:/0", "sha256": HISTORY_SHA256},
            "value": history[0],
        }],
    });
    format!("{document}\n")
}

fn decision(key: &str) -> String {
    let line = json!({
        "data": {"decision": "allow", "reason_code": "allowed", "tool": "list_files", "tool_call_id": key},
        "id": format!("d-{key}"), "source": "urn:test", "specversion": "1.0",
        "time": "2026-09-08T00:00:01Z", "type": "assay.tool.decision",
    });
    format!("{line}\n")
}

fn built(desk: &Desk, options: &[&str]) -> (Run, Vec<u8>) {
    let run = desk.run(&[&["package", "build", "--out", "p.tar"], options].concat());
    assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{run:?}");
    let archive = std::fs::read(desk.path().join("p.tar")).unwrap();
    (run, archive)
}

fn again(desk: &Desk) {
    for name in ["p.tar", "p.context.json", "p.verify.json"] {
        std::fs::remove_file(desk.path().join(name)).unwrap();
    }
}

/// A1–A3: without a context file the contract's own, and its digests.
#[test]
fn the_contracts_first_example() {
    let desk = Desk::new();
    desk.write("empty.json", "[]\n");
    let input = "empty-history=inspector-protocol-793d103:empty.json";
    let (_, archive) = built(&desk, &["--input", input]);
    let report: Value = serde_json::from_str(&desk.read("p.verify.json")).unwrap();
    for (member, digest) in [
        (
            "inventory_sha256",
            "747ae82961390332a1a203d8a6f7d8ffc3d7ecee77825c5c470dca627138e99b",
        ),
        (
            "assessment_sha256",
            "921dda0ca89d242f89ed1450748a3934335103cc4fdb34dc731969f53bd7397c",
        ),
        (
            "verification_context_sha256",
            "919787b66b4dc0688944d7c76218c6da168890f8251985ccfb12e2a92cfcb814",
        ),
    ] {
        assert_eq!(report[member], digest);
    }
    assert_eq!(tar::input(&archive, "empty-history"), b"[]\n");
    // It verifies with nothing but the program.
    let run = desk.run(&["package", "verify", "p.tar", "--against", "p.verify.json"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.out.contains("the contract's Example A1"));
    // It is no ledger's.
    desk.demo();
    let run = desk.run(&["package", "verify", "p.tar", "--ledger", "demo.json"]);
    assert_eq!(run.code, Some(1));
    assert!(
        run.out.contains("ledger-facts: no export of a ledger"),
        "{}",
        run.out
    );
}

/// B1–B3: disclosed in a result document, inline, withheld, and not at all.
#[test]
fn dispositions_of_a_spec_file() {
    let desk = Desk::new();
    desk.write("history.json", HISTORY);
    desk.write("results.json", results());
    let history = "one-history=inspector-protocol-793d103:history.json";
    let results = "disclosed-results=incident-results-v1:results.json";
    for (disposition, locator, expected) in [
        ("reference", None, "examined"),
        ("inline", None, "examined"),
        ("withheld", Some("json:/0"), "withheld"),
        ("out_of_scope", Some("json:/0"), "out_of_scope"),
        ("failed", None, "failed"),
    ] {
        let mut rule = json!({"disposition": disposition, "input_id": "one-history"});
        if let Some(locator) = locator {
            rule["locator"] = locator.into();
        }
        desk.write("spec.json", json!({"dispositions": [rule]}).to_string());
        let options = [
            "--input",
            history,
            "--input",
            results,
            "--spec",
            "spec.json",
        ];
        let (_, archive) = built(&desk, &options);
        let unit = &tar::json(&archive, "assessment.json")["units"][0];
        assert_eq!(
            (&unit["id"], &unit["disposition"]),
            (&UNIT.into(), &expected.into())
        );
        let mode = if disposition == "reference" {
            "reference"
        } else {
            "inline"
        };
        match expected {
            "examined" => assert_eq!(unit["result"]["mode"], mode),
            _ => assert_eq!(unit["result"], Value::Null),
        }
        let withheld = !unit["withheld_digest"].is_null();
        assert_eq!(withheld, disposition == "withheld");
        let report: Value = serde_json::from_str(&desk.read("p.verify.json")).unwrap();
        let resolved = u64::from(disposition == "reference");
        assert_eq!(report["counts"]["resolved_result_count"], resolved);
        // The order of inputs changes nothing.
        again(&desk);
        let options = [
            "--spec",
            "spec.json",
            "--input",
            results,
            "--input",
            history,
        ];
        assert_eq!(built(&desk, &options).1, archive);
        let run = desk.run(&["package", "inspect", "p.tar"]);
        assert!(run.out.contains(&format!("1 {expected}\n")), "{}", run.out);
        again(&desk);
    }
}

#[test]
fn joins_and_claims_of_a_spec_file() {
    let desk = Desk::new();
    desk.write("log.ndjson", decision("k-1"));
    let keyed = HISTORY.replace(
        "\"arguments\":{}",
        r#""arguments":{"_meta":{"tool_call_id":"k-1"}}"#,
    );
    desk.write("history.json", keyed);
    let length = decision("k-1").len() - 1;
    let left = json!({"input_id": "log", "locator": format!("line:0:0:{length}")});
    let spec = json!({
        "joins": [{
            "id": "same-call", "join_key": "tool_call_id", "scope": "tool_call", "left": left,
            "notes": ["both say it"],
            "proposition": {"expected": "k-1", "kind": "counterpart_present", "surface": "transcript_join",
                "left_pointer": "/data/tool_call_id",
                "right_pointer": "/message/params/arguments/_meta/tool_call_id"},
        }],
        "claims": [{"id": "it-is-there", "kind": "positive_presence", "surface": "transcript_join",
            "proposition": "same-call", "evidence_refs": [left]}],
        "facts": {"custody": {"reason": "stated", "value": "kept on one disk", "refs": [left]}},
    });
    desk.write("spec.json", spec.to_string());
    // A strong key is asked for inside a window, which the context gives.
    let coverage = json!({"schema": "assay.incident.context.v1",
        "entries": [{"kind": "windows", "source_refs": [], "value": "one minute"}]})
    .to_string();
    desk.write("seen.json", &coverage);
    let mut context: Value =
        serde_json::from_slice(&attest_package::document::ContextInput::example_a1().to_bytes())
            .unwrap();
    let seen = attest_canon::sha256(coverage.as_bytes()).to_string();
    context["applicability"] = json!([{
        "surface": "transcript_join", "coverage": "adequate", "retention": "adequate",
        "correspondence": "unique", "source_class": "unknown",
        "input_refs": [{"input_id": "seen", "locator": "json:/entries/0", "sha256": seen}],
        "window": {"start": "2026-09-08T00:00:00Z", "end": "2026-09-08T00:01:00Z", "clock_basis": "one clock"},
    }]);
    desk.write("context.json", context.to_string());
    let options = [
        "--input",
        "log=proxy-decision-ndjson:log.ndjson",
        "--input",
        "history=inspector-protocol-793d103:history.json",
        "--input",
        "seen=incident-context-v1:seen.json",
        "--spec",
        "spec.json",
        "--context",
        "context.json",
    ];
    let (_, archive) = built(&desk, &options);
    let assessment = tar::json(&archive, "assessment.json");
    assert_eq!(assessment["joins"][0]["result"], "confirmed");
    assert_eq!(assessment["joins"][0]["contract"]["join_grade"], "strong");
    assert_eq!(assessment["joins"][0]["right"]["locator"], "json:/0");
    assert_eq!(assessment["claims"][0]["decision"], "supported");
    let inventory = tar::json(&archive, "inventory.json");
    assert_eq!(inventory["context"]["custody"]["value"], "kept on one disk");
    let run = desk.run(&["package", "inspect", "p.tar", "--context", "p.context.json"]);
    assert!(
        run.out.contains("join same-call: confirmed, strong\n"),
        "{}",
        run.out
    );
    assert!(
        run.out
            .contains("claim it-is-there: positive_presence on transcript_join: supported\n")
    );
}

/// What an operator adds to a ledger's package is untouched, and beside it.
#[test]
fn a_ledgers_package_takes_more_inputs() {
    let desk = Desk::new();
    desk.demo();
    desk.write("log.ndjson", decision("k-1"));
    desk.write(
        "spec.json",
        r#"{"dispositions":[{"disposition":"withheld","input_id":"log"}]}"#,
    );
    let export = ["package", "export", "demo.json", "--out", "p.tar"];
    let log = ["--input", "log=proxy-decision-ndjson:log.ndjson"];
    let run = desk.run(&[&export[..], &log, &["--spec", "spec.json"]].concat());
    assert_eq!(run.code, Some(0), "{run:?}");
    let archive = std::fs::read(desk.path().join("p.tar")).unwrap();
    assert_eq!(tar::input(&archive, "log"), decision("k-1").into_bytes());
    assert_eq!(
        tar::json(&archive, "assessment.json")["units"][0]["disposition"],
        "withheld"
    );
    let verify = [
        "package",
        "verify",
        "p.tar",
        "--context",
        "p.context.json",
        "--ledger",
        "demo.json",
    ];
    let run = desk.run(&verify);
    assert_eq!(run.code, Some(0), "{run:?}");
    again(&desk);
    // Keys, expectations and applicability come from a context that is given.
    let wanted = json!({"input_id": "log", "require_disclosure": false,
        "sha256": attest_canon::sha256(decision("k-1").as_bytes()).to_string()});
    let mut context: Value =
        serde_json::from_slice(&attest_package::document::ContextInput::example_a1().to_bytes())
            .unwrap();
    context["expectations"] = json!([wanted]);
    desk.write("trust.json", context.to_string());
    let run = desk.run(&[&export[..], &log, &["--context", "trust.json"]].concat());
    assert_eq!(run.code, Some(0), "{run:?}");
    let report: Value = serde_json::from_str(&desk.read("p.verify.json")).unwrap();
    assert_eq!(report["expectation"], "matched");
    assert_eq!(
        report["verification_context"]["as_of"],
        "2026-10-06T19:00:00Z"
    );
    again(&desk);
    // A ledger's own ids and facts are its own.
    for id in ["ledger-facts", "receipts-002", "policy-x"] {
        let input = format!("{id}=proxy-decision-ndjson:log.ndjson");
        let run = desk.run(&[&export[..], &["--input", &input]].concat());
        assert_eq!(run.code, Some(2), "{run:?}");
        assert_eq!(
            run.err,
            format!("attest-tui: {id}: an id that the ledger's own inputs have\n")
        );
    }
    desk.write("spec.json", r#"{"facts":{}}"#);
    let run = desk.run(&[&export[..], &["--spec", "spec.json"]].concat());
    assert_eq!((run.code, run.out.as_str()), (Some(2), ""), "{run:?}");
}
