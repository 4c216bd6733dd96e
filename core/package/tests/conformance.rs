//! Verdicts over packages that other software made, when they are at hand: in
//! the folder `ATTEST_SHARED` names, or `../../../shared` beside the workspace.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use std::path::PathBuf;

use attest_package::{Dialect, verify};
use serde_json::Value;

fn packages() -> Option<PathBuf> {
    let shared = std::env::var_os("ATTEST_SHARED").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
        PathBuf::from,
    );
    let packages = shared.join("packages");
    packages.join("manifest.json").is_file().then_some(packages)
}

fn contains(bytes: &[u8], needle: &[u8]) -> bool {
    bytes.windows(needle.len()).any(|window| window == needle)
}

fn verdict(value: &Value) -> (String, Option<String>) {
    let text = |key: &str| value[key].as_str().map(str::to_owned);
    (text("outcome").unwrap(), text("reason"))
}

fn run(archive: &[u8], context: &[u8], dialect: Dialect) -> (String, Option<String>, Vec<String>) {
    let report = verify(archive, context, dialect);
    let rows = report
        .attestations
        .iter()
        .map(|row| row.status.token().to_owned())
        .collect();
    let outcome = report.outcome().token().to_owned();
    (
        outcome,
        report.reason.map(|reason| reason.token().to_owned()),
        rows,
    )
}

#[test]
fn the_manifest_of_foreign_packages() {
    let Some(folder) = packages() else {
        println!("skipped: no packages to try at ATTEST_SHARED or ../../../shared");
        return;
    };
    let manifest: Value =
        serde_json::from_slice(&std::fs::read(folder.join("manifest.json")).unwrap()).unwrap();
    let mut wrong = Vec::new();
    for entry in manifest.as_array().unwrap() {
        let name = entry["name"].as_str().unwrap();
        let archive = std::fs::read(folder.join(entry["file"].as_str().unwrap())).unwrap();
        let context = entry["context"].as_str().unwrap_or("default.context.json");
        let context = std::fs::read(folder.join(context)).unwrap();
        let spec = verdict(&entry["spec_expected"]);
        let public = verdict(&entry["public_assay_6_21"]);

        // The contract. Package readings 2 refuse the prefix that the producer
        // of these writes, which the manifest's own verdicts look past.
        let prefixed = contains(&archive, b"\"events_sha256\":\"sha256:");
        let expected = if prefixed && spec.0 == "package_verified" {
            ("package_refused".to_owned(), Some("disclosure".to_owned()))
        } else {
            spec.clone()
        };
        let (outcome, reason, rows) = run(&archive, &context, Dialect::Contract);
        if (outcome.clone(), reason.clone()) != expected {
            wrong.push(format!(
                "contract {name}: {outcome} {reason:?}, expected {expected:?}"
            ));
        }
        if let Some(expected) = entry["spec_expected"]["attestation_rows"].as_array() {
            let expected: Vec<&str> = expected.iter().filter_map(Value::as_str).collect();
            if rows != expected {
                wrong.push(format!(
                    "contract {name}: rows {rows:?}, expected {expected:?}"
                ));
            }
        }

        // The dialect: the text where it departs from the producer in another
        // of its points, the producer's verdict where they agree or where an
        // absent nullable member is all that differs.
        let absent = [
            "i_binding_absent",
            "a_unit_withheld_digest_absent",
            "a_surface_window_absent",
        ]
        .contains(&name);
        let expected = if absent { public } else { spec };
        let (outcome, reason, _) = run(&archive, &context, Dialect::Assay621);
        if (outcome.clone(), reason.clone()) != expected {
            wrong.push(format!(
                "assay-6.21 {name}: {outcome} {reason:?}, expected {expected:?}"
            ));
        }
    }
    for name in [
        "valid_present_empty",
        "valid_five_surfaces",
        "refusal_p2_input_shape",
        "refusal_p3_unknown_format",
        "refusal_p5_locator",
    ] {
        let archive = std::fs::read(folder.join(format!("public_{name}.tar"))).unwrap();
        let context = std::fs::read(folder.join("default.context.json")).unwrap();
        let (outcome, reason, _) = run(&archive, &context, Dialect::Assay621);
        let holds = match name.split_once("_p") {
            Some((_, refusal)) if name.starts_with("refusal") => {
                reason.as_deref() == refusal.get(2..)
            }
            _ => outcome == "package_verified",
        };
        if !holds {
            wrong.push(format!("public {name}: {outcome} {reason:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
