//! A package held against a ledger: what no archive binds is found, by name.

use attest_canon::sha256;
use attest_grading::ledger::Ledger;
use attest_package::build::BuildInput;
use attest_package::document::{ContextInput, FactKind};
use attest_package::{BuildSpec, ContextDocument, Dialect, Format, PackageView, build, inspect};
use attest_tui::package::{Difference, LedgerFile, Request, Selection, compare, export};
use serde_json::Value;

use crate::common::{DEMO, Desk, receipt_of, tar};

fn file<'l>(ledger: &'l Ledger, text: &str) -> LedgerFile<'l> {
    LedgerFile {
        ledger,
        bytes: text.len() as u64,
        sha256: sha256(text.as_bytes()),
    }
}

/// The demo's package, opened, with its archive and context.
fn demo() -> (Ledger, Vec<u8>, ContextInput, PackageView) {
    let ledger = Ledger::read(DEMO).unwrap();
    let exported = export(file(&ledger, DEMO), &Request::of(Selection::all())).unwrap();
    let context = ContextInput::parse(&exported.built.context).unwrap();
    let view = inspect(
        exported.built.archive.as_slice(),
        &context,
        Dialect::Contract,
    )
    .unwrap();
    (ledger, exported.built.archive, context, view)
}

fn differences(view: &PackageView, ledger: &Ledger) -> Vec<String> {
    let compared = compare(view, file(ledger, DEMO));
    compared
        .differences
        .iter()
        .map(ToString::to_string)
        .collect()
}

/// Each stated text changed alone is found as itself.
#[test]
fn a_stated_text_that_is_not_the_ledgers_is_named() {
    let (ledger, archive, context, view) = demo();
    assert_eq!(differences(&view, &ledger), Vec::<String>::new());
    for (kind, from, to) in [
        (FactKind::Actor, r#"[\"muse\"]"#, r#"[\"dots\"]"#),
        (
            FactKind::ChainGaps,
            r#"\"mismatched\":0"#,
            r#"\"mismatched\":1"#,
        ),
        (FactKind::Clock, r#"\"repairs\":[]"#, r#"\"repairs\":[1]"#),
        (
            FactKind::Correlation,
            r#"{\"receipts\":3}"#,
            r#"{\"receipts\":4}"#,
        ),
        (
            FactKind::Denominator,
            r#"{\"ledger\":{\"NOT_FOUND\":1"#,
            r#"{\"ledger\":{\"NOT_FOUND\":2"#,
        ),
        (
            FactKind::MissingEvidence,
            r#""value":"{}""#,
            r#""value":"{ }""#,
        ),
        (
            FactKind::OfflineVerification,
            "--ledger LEDGER",
            "--ledger OTHERS",
        ),
        (FactKind::OriginalDigests, r#"\"bytes\":"#, r#"\"bytes\":1"#),
        (
            FactKind::PolicyActivation,
            r#"{\"policies\":[\""#,
            r#"{\"policies\":[\"0"#,
        ),
        (
            FactKind::ProducerInvocation,
            r#"\"selection\":\"all\""#,
            r#"\"selection\":\"any\""#,
        ),
        (FactKind::Retention, r#"{\"days\":90}"#, r#"{\"days\":91}"#),
        (FactKind::SchemaVersions, r#"\"1.19\""#, r#"\"1.20\""#),
        (
            FactKind::Windows,
            "2026-10-06T18:50:00Z",
            "2026-10-06T18:51:00Z",
        ),
        (
            FactKind::WithholdingDerivatives,
            r#"\"claims\""#,
            r#"\"nothing\""#,
        ),
    ] {
        let changed = tar::with_inventory(&archive, |text| {
            assert!(text.contains(from), "{from}");
            text.replacen(from, to, 1)
        });
        let view = inspect(changed.as_slice(), &context, Dialect::Contract).unwrap();
        let found = compare(&view, file(&ledger, DEMO)).differences;
        assert_eq!(found, [Difference::Stated(kind)]);
    }
}

/// The same inputs with a document changed: a package of its own, that any
/// verifier accepts.
fn forged(
    view: &PackageView,
    archive: &[u8],
    change: impl Fn(&str, &mut ContextDocument),
) -> PackageView {
    let context = ContextInput::example_a1();
    let mut inputs: Vec<(&attest_package::document::Input, Vec<u8>)> = Vec::new();
    for input in &view.inventory.inputs {
        let document = view.documents.iter().find(|(id, _)| *id == input.id);
        let bytes = match document {
            Some((id, document)) => {
                let mut document = document.clone();
                change(id.as_str(), &mut document);
                document.to_bytes()
            }
            None => tar::input(archive, input.id.as_str()),
        };
        inputs.push((input, bytes));
    }
    let mut facts = view.inventory.context.clone();
    for kind in FactKind::ALL {
        let mut fact = facts.get(kind).unwrap().clone();
        for reference in &mut fact.refs {
            let (_, bytes) = inputs
                .iter()
                .find(|(input, _)| input.id == reference.input_id)
                .unwrap();
            reference.sha256 = sha256(bytes);
        }
        facts.set(kind, fact);
    }
    let spec = BuildSpec {
        inputs: inputs
            .iter()
            .map(|(input, bytes)| BuildInput {
                id: input.id.clone(),
                format: input.format.unwrap_or(Format::Policy),
                bytes,
                surfaces: None,
                binding: None,
            })
            .collect(),
        facts,
        ..BuildSpec::default()
    };
    let built = build(&spec, &context).unwrap();
    inspect(built.archive.as_slice(), &context, Dialect::Contract).unwrap()
}

#[test]
fn a_forged_receipt_is_named() {
    let (ledger, archive, _, view) = demo();
    let same = forged(&view, &archive, |_, _| {});
    assert_eq!(differences(&same, &ledger), Vec::<String>::new());
    let found = receipt_of("NOT_FOUND");
    let correlation = "inventory: correlation: differs".to_owned();

    let changed = forged(&view, &archive, |id, document| {
        if id == "receipts-001" {
            let value = &mut document.entries[0].value;
            assert!(value.contains("NOT_FOUND"));
            *value = value.replace("\"NOT_FOUND\"", "\"VERIFIED\"");
        }
    });
    assert_eq!(
        differences(&changed, &ledger),
        [format!("receipt {found}: differs"), correlation.clone()]
    );
    let missing = forged(&view, &archive, |id, document| {
        if id == "receipts-001" {
            document.entries.remove(0);
        }
    });
    assert_eq!(
        differences(&missing, &ledger),
        [format!("receipt {found}: missing"), correlation.clone()]
    );
    let surplus = forged(&view, &archive, |id, document| {
        if id == "receipts-001" {
            let mut entry = document.entries[0].clone();
            entry.value = entry.value.replace(&found, "00000000000000000000000000");
            document.entries.push(entry);
        }
    });
    assert_eq!(
        differences(&surplus, &ledger),
        [
            "receipt 00000000000000000000000000: not of the selection".to_owned(),
            correlation.clone()
        ]
    );
    let swapped = forged(&view, &archive, |id, document| {
        if id == "receipts-001" {
            document.entries.swap(0, 1);
        }
    });
    assert_eq!(
        differences(&swapped, &ledger),
        ["receipts-001: differs".to_owned(), correlation]
    );
}

#[test]
fn a_forged_fact_is_named() {
    let (ledger, archive, _, view) = demo();
    for (index, kind) in [(3, "denominator"), (8, "chain_gaps")] {
        let changed = forged(&view, &archive, |id, document| {
            if id == "ledger-facts" {
                assert_eq!(document.entries[index].kind.token(), kind);
                document.entries[index].value = "{}".to_owned();
            }
        });
        let found = differences(&changed, &ledger);
        // Every reference into the document names its digest.
        assert_eq!(found[0], format!("ledger-facts: {kind}: differs"));
        assert_eq!(found.len(), 14);
    }
    let nothing = forged(&view, &archive, |id, document| {
        if id == "ledger-facts" {
            document.entries[1].value = "{\"tool\":\"other\"}".to_owned();
        }
    });
    assert_eq!(
        differences(&nothing, &ledger),
        ["ledger-facts: no export of a ledger"]
    );
}

/// Another ledger, though it loads, is not the one; nor is one whose bytes
/// alone differ.
#[test]
fn another_ledger_is_told() {
    let desk = Desk::new();
    desk.demo();
    let exported = desk.run(&["package", "export", "demo.json", "--out", "demo.tar"]);
    assert_eq!(exported.code, Some(0), "{exported:?}");
    let verify = [
        "package",
        "verify",
        "demo.tar",
        "--context",
        "demo.context.json",
        "--ledger",
        "other.json",
    ];
    desk.write("other.json", format!("{DEMO}\n"));
    let run = desk.run(&verify);
    assert_eq!((run.code, run.err.as_str()), (Some(1), ""), "{run:?}");
    assert!(
        run.out
            .contains("ledger       other.json: does not match\n"),
        "{}",
        run.out
    );
    assert!(run.out.contains(
        "    original_digests: the bytes of the ledger are not those the package states\n"
    ));
    assert!(!run.out.contains("receipt "), "{}", run.out);

    let mut ledger: Value = serde_json::from_str(DEMO).unwrap();
    let receipts = ledger["receipts"].as_array_mut().unwrap();
    let at = receipts
        .iter()
        .position(|one| one["grade"] == "VERIFIED")
        .unwrap();
    receipts[at]["grade"] = "PARTIAL".into();
    desk.write("other.json", ledger.to_string());
    let run = desk.run(&[&verify[..], &["--json"]].concat());
    assert_eq!(run.code, Some(1));
    assert_eq!(run.out, desk.read("demo.verify.json"));
    let id = receipt_of("VERIFIED");
    for line in [
        format!("attest-tui: receipt {id}: differs\n"),
        format!("attest-tui: receipt {id}: not derived again: grade\n"),
        "attest-tui: ledger-facts: denominator: differs\n".to_owned(),
        "attest-tui: ledger-facts: chain_gaps: differs\n".to_owned(),
    ] {
        assert!(run.err.contains(&line), "{line}: {}", run.err);
    }
    assert!(run.err.len() <= 4096);

    // A selection this ledger cannot give.
    ledger["receipts"] = serde_json::json!([]);
    desk.write("other.json", ledger.to_string());
    let run = desk.run(&verify);
    assert_eq!(run.code, Some(1));
    assert!(
        run.out
            .contains("the stated selection: the selection holds no receipt"),
        "{}",
        run.out
    );
}

/// A ledger whose receipt does not derive again exports as what it is, and
/// does not pass for proven.
#[test]
fn a_gap_is_stated_and_found() {
    let desk = Desk::new();
    desk.write(
        "demo.json",
        DEMO.replacen("\"confidence\":0.9231", "\"confidence\":0.9232", 1),
    );
    let run = desk.run(&["package", "export", "demo.json", "--out", "demo.tar"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(
        run.out
            .contains("1 of them are not derived again, and chain_gaps says so"),
        "{}",
        run.out
    );
    let verify = [
        "package",
        "verify",
        "demo.tar",
        "--context",
        "demo.context.json",
    ];
    assert_eq!(desk.run(&verify).code, Some(0));
    let run = desk.run(&[&verify[..], &["--ledger", "demo.json"]].concat());
    assert_eq!(run.code, Some(1));
    let line = format!(
        "    receipt {}: not derived again: confidence\n",
        receipt_of("VERIFIED")
    );
    assert!(
        run.out.ends_with(&format!("does not match\n{line}")),
        "{}",
        run.out
    );
    let archive = std::fs::read(desk.path().join("demo.tar")).unwrap();
    let facts = String::from_utf8(tar::input(&archive, "ledger-facts")).unwrap();
    assert!(facts.contains(
        r#"{\"fields\":{\"confidence\":1},\"mismatched\":1,\"replayed\":3,\"reproduced\":2}"#
    ));
}
