//! Packages that other software made, where a folder of them stands beside the
//! repository or `ATTEST_PACKAGES` names one: each ends as the contract says.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::common::Desk;

/// Those whose one fault is the producer's: `events_sha256` with a prefix,
/// which the dialect admits (package readings 2).
const DIALECT: [&str; 6] = [
    "l_decoded_bytes_total_exact",
    "l_envelope_bytes_exact",
    "l_inner_path_bytes_exact",
    "l_members_exact",
    "l_outer_path_bytes_exact",
    "v21_many_inputs_five_surfaces",
];

fn folder() -> PathBuf {
    std::env::var_os("ATTEST_PACKAGES").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/packages"),
        PathBuf::from,
    )
}

/// The verdict on one: exit code, outcome, reason.
fn verify(desk: &Desk, package: &Path, context: Option<&Path>, dialect: &str) -> Value {
    let mut command = desk.command(&["package", "verify", "--json", "--dialect", dialect]);
    command.arg(package);
    if let Some(context) = context {
        command.arg("--context").arg(context);
    }
    let output = command.output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let code = if report["outcome"] == "package_verified" {
        0
    } else {
        1
    };
    assert_eq!(output.status.code(), Some(code), "{report}");
    serde_json::json!([report["outcome"], report["reason"]])
}

#[test]
fn packages_of_other_makers_end_as_the_contract_says() {
    let folder = folder();
    let Ok(manifest) = std::fs::read(folder.join("manifest.json")) else {
        println!("skipped: {} is not there", folder.display());
        return;
    };
    let desk = Desk::new();
    let manifest: Vec<Value> = serde_json::from_slice(&manifest).unwrap();
    assert!(manifest.len() >= 100, "{}", manifest.len());
    for one in &manifest {
        let name = one["name"].as_str().unwrap();
        let package = folder.join(one["file"].as_str().unwrap());
        let context = one["context"].as_str().map(|context| folder.join(context));
        let said = &one["spec_expected"];
        let expected = serde_json::json!([said["outcome"], said["reason"]]);
        let contract = verify(&desk, &package, context.as_deref(), "contract");
        if DIALECT.contains(&name) {
            let refused = serde_json::json!(["package_refused", "disclosure"]);
            assert_eq!(contract, refused, "{name}");
            let dialect = verify(&desk, &package, context.as_deref(), "assay-6.21");
            assert_eq!(dialect, expected, "{name}");
        } else {
            assert_eq!(contract, expected, "{name}");
        }
    }
    println!("{} packages", manifest.len());
}
