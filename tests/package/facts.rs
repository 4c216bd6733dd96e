//! The facts of a ledger that holds every kind of thing they count.

use serde_json::{Value, json};

use crate::common::{DEMO, Desk, receipt_of, tar};

const AT: &str = "2026-10-07T12:00:00+02:00";

/// A receipt of the demo under another id, changed.
fn receipt(of: &Value, id: char, change: impl FnOnce(&mut Value)) -> Value {
    let mut receipt = of.clone();
    receipt["id"] = id.to_string().repeat(26).replacen(id, "0", 1).into();
    change(&mut receipt);
    receipt
}

/// The demo with more: a second policy, other agents, receipts still checking,
/// kept and overridden, caps, repairs and views.
fn ledger() -> (Value, String) {
    let mut ledger: Value = serde_json::from_str(DEMO).unwrap();
    let (first, policy) = ledger["policies"]
        .as_object()
        .unwrap()
        .iter()
        .next()
        .unwrap();
    let (first, mut policy) = (first.clone(), policy.clone());
    policy["windows"]["beforeClaimMin"] = 3.into();
    // Its keys are sorted and its numbers short: this is its canonical text.
    let second = attest_canon::sha256(policy.to_string().as_bytes()).to_string();
    assert_ne!(first, second);
    ledger["policies"][&second] = policy;

    let receipts = ledger["receipts"].as_array().unwrap().clone();
    let by_grade = |grade| receipts.iter().find(|one| one["grade"] == grade).unwrap();
    let pending = |receipt: &mut Value| {
        receipt["state"] = "PENDING".into();
        receipt.as_object_mut().unwrap().remove("finalAt");
    };
    let cap = |code: &str, source: &str| json!({"code": code, "params": {"source": source}});
    let more = [
        receipt(by_grade("VERIFIED"), 'A', |receipt| {
            pending(receipt);
            receipt["grade"] = "UNVERIFIABLE".into();
            receipt["agent"] = "dots".into();
            receipt["computedAt"] = AT.into();
            receipt["policyHash"] = second.clone().into();
        }),
        receipt(by_grade("UNASKED"), 'B', |receipt| {
            pending(receipt);
            receipt["reverted"] = json!([{
                "at": "2026-10-06T19:30:00Z", "computedAt": receipt["computedAt"], "grade": "VERIFIED",
                "observationIds": receipt["observationIds"], "previousState": "PENDING",
                "revertedAt": "2026-10-06T19:40:00Z",
            }]);
        }),
        receipt(by_grade("NOT_FOUND"), 'C', |receipt| {
            receipt["agent"] = "claude".into();
            receipt["grade"] = "UNVERIFIABLE".into();
            receipt["ruleId"] = "partial_coverage".into();
            receipt["reasons"] = json!([
                cap("coverage.partial", "gmail.sent"),
                cap("coverage.list_unsettled", "gmail.sent"),
                cap("coverage.account_partial", "gmail.sent"),
                cap("coverage.account_partial", "gcal.event"),
                {"code": "match.none"},
            ]);
        }),
        receipt(by_grade("NOT_FOUND"), 'D', |receipt| {
            receipt["reasons"] = json!([cap("coverage.account_partial", "gcal.event")]);
            receipt["state"] = "USER_OVERRIDDEN".into();
            receipt["override"] = json!({"at": "2026-10-06T20:00:00Z", "grade": "VERIFIED",
                "previousState": "FINAL", "reason": "I saw the SECRET"});
            let said = json!({"code": "override.user", "params": {"grade": "VERIFIED"}});
            receipt["reasons"].as_array_mut().unwrap().push(said);
        }),
    ];
    ledger["receipts"].as_array_mut().unwrap().extend(more);
    // Filed by milliseconds, whose text sorts otherwise than their instants.
    ledger["meta"]["clockRepair.1000"] =
        json!({"from": "2026-10-02T00:00:00Z", "to": "2026-10-02T01:00:00Z"});
    ledger["meta"]["clockRepair.999"] =
        json!({"from": "2026-10-01T00:00:00-04:00", "to": "2026-10-01T02:00:00-04:00"});
    ledger["meta"]["clockRepair.1001"] =
        json!({"from": "2026-09-30T23:00:00Z", "to": "2026-10-03T00:00:00Z"});
    let mut early = ledger["coverage"][0].clone();
    early["windowStart"] = "2026-10-06T00:00:00.250+02:00".into();
    early["windowEnd"] = "2026-10-06T01:00:00+02:00".into();
    ledger["coverage"].as_array_mut().unwrap().push(early);
    (ledger, second)
}

#[test]
fn each_fact_of_a_full_ledger() {
    let desk = Desk::new();
    let (ledger, second) = ledger();
    let first = ledger["receipts"][0]["policyHash"]
        .as_str()
        .unwrap()
        .to_owned();
    desk.write("full.json", ledger.to_string());
    let run = desk.run(&["package", "export", "full.json"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let archive = std::fs::read(desk.path().join("full.tar")).unwrap();
    let document: Value = serde_json::from_slice(&tar::input(&archive, "ledger-facts")).unwrap();
    let fact = |kind: &str| -> Value {
        let entries = document["entries"].as_array().unwrap();
        let entry = entries.iter().find(|entry| entry["kind"] == kind).unwrap();
        serde_json::from_str(entry["value"].as_str().unwrap()).unwrap()
    };
    // An overridden receipt counts by its override; a kept one has no grade.
    let counts =
        json!({"NOT_FOUND": 1, "UNASKED": 1, "UNVERIFIABLE": 1, "VERIFIED": 2, "checking": 2});
    assert_eq!(
        fact("denominator"),
        json!({"ledger": counts, "selection": counts})
    );
    assert_eq!(fact("actor"), json!({"agents": ["claude", "dots", "muse"]}));
    // Cap codes only, each once a receipt.
    assert_eq!(
        fact("missing_evidence"),
        json!({"coverage.account_partial": 2, "coverage.list_unsettled": 1})
    );
    // By their start, as the ledger has them.
    assert_eq!(
        fact("clock"),
        json!({"repairs": [
            {"from": "2026-09-30T23:00:00Z", "to": "2026-10-03T00:00:00Z"},
            {"from": "2026-10-01T00:00:00-04:00", "to": "2026-10-01T02:00:00-04:00"},
            {"from": "2026-10-02T00:00:00Z", "to": "2026-10-02T01:00:00Z"},
        ]})
    );
    assert_eq!(
        fact("windows")["gmail.sent"],
        json!({"first": "2026-10-05T22:00:00.250Z", "last": "2026-10-06T18:50:00Z"})
    );
    let mut hashes = [first, second.clone()];
    hashes.sort();
    assert_eq!(fact("policy_activation"), json!({"policies": hashes}));
    assert_eq!(fact("schema_versions")["policy"], json!([2]));
    // Nothing of the added receipts can be derived, and it is said in what.
    let gaps = fact("chain_gaps");
    assert_eq!(
        (&gaps["replayed"], &gaps["reproduced"], &gaps["mismatched"]),
        (&json!(7), &json!(3), &json!(4))
    );
    assert!(
        gaps["fields"]
            .as_object()
            .unwrap()
            .values()
            .all(|count| count.as_u64() > Some(0))
    );

    // Each receipt names its policy; the latest batch comes last and is the
    // instant of the context.
    let document: Value = serde_json::from_slice(&tar::input(&archive, "receipts-001")).unwrap();
    let entries = document["entries"].as_array().unwrap();
    let last: Value = serde_json::from_str(entries[6]["value"].as_str().unwrap()).unwrap();
    assert_eq!(last["computedAt"], AT);
    assert_eq!(entries[6]["source_refs"][0]["sha256"], second);
    let ids: Vec<String> = entries[..6]
        .iter()
        .map(|entry| {
            let value: Value = serde_json::from_str(entry["value"].as_str().unwrap()).unwrap();
            value["id"].as_str().unwrap().to_owned()
        })
        .collect();
    let mut sorted = ids.clone();
    sorted.sort();
    assert_eq!(ids, sorted);
    let context: Value = serde_json::from_str(&desk.read("full.context.json")).unwrap();
    assert_eq!(context["as_of"], "2026-10-07T10:00:00Z");
    assert!(!String::from_utf8_lossy(&archive).contains("SECRET"));

    // What cannot be derived again keeps it from passing for proven; the rest
    // is as the ledger says.
    let run = desk.run(&[
        "package",
        "verify",
        "full.tar",
        "--context",
        "full.context.json",
        "--ledger",
        "full.json",
    ]);
    assert_eq!(run.code, Some(1), "{run:?}");
    let lines: Vec<&str> = run
        .out
        .lines()
        .filter(|line| line.starts_with("    "))
        .collect();
    assert!(
        !lines.is_empty()
            && lines
                .iter()
                .all(|line| line.contains(": not derived again: ")),
        "{lines:?}"
    );
    let run = desk.run(&[
        "package",
        "inspect",
        "full.tar",
        "--context",
        "full.context.json",
    ]);
    assert!(
        run.out.contains("VERIFIED, overridden  muse"),
        "{}",
        run.out
    );
    assert!(run.out.contains("checking  dots"), "{}", run.out);
    assert!(!run.out.contains("UNVERIFIABLE  dots"));
}

/// A selection's own facts beside the ledger's.
#[test]
fn facts_of_a_selection_are_of_the_selection() {
    let desk = Desk::new();
    let (ledger, second) = ledger();
    desk.write("full.json", ledger.to_string());
    let run = desk.run(&["package", "export", "full.json", "--agent", "dots"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let archive = std::fs::read(desk.path().join("full.tar")).unwrap();
    let inventory = tar::json(&archive, "inventory.json");
    let stated = |kind: &str| -> Value {
        let value = inventory["context"][kind]["value"].as_str().unwrap();
        serde_json::from_str(value).unwrap()
    };
    assert_eq!(stated("denominator")["selection"], json!({"checking": 1}));
    assert_eq!(stated("denominator")["ledger"]["VERIFIED"], 2);
    assert_eq!(stated("actor"), json!({"agents": ["dots"]}));
    assert_eq!(stated("missing_evidence"), json!({}));
    assert_eq!(stated("policy_activation"), json!({"policies": [second]}));
    assert_eq!(stated("chain_gaps")["replayed"], 1);
    assert_eq!(stated("correlation"), json!({"receipts": 1}));
    let ids: Vec<&str> = inventory["inputs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|input| input["id"].as_str().unwrap())
        .collect();
    assert_eq!(
        ids,
        [
            "ledger-facts",
            &format!("policy-{}", &second[..12]),
            "receipts-001"
        ]
    );
    let text = String::from_utf8_lossy(&archive).into_owned();
    assert!(!text.contains(&receipt_of("VERIFIED")));
}
