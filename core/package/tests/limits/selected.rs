//! Budgets that a context selects: exactly what a package is charged verifies,
//! one less refuses `resource_selected`.

use attest_package::document::ContextInput;
use attest_package::limits::{Limit, Limits};
use attest_package::{Dialect, verify};

use crate::support::*;
use crate::whole::Whole;

fn selecting(context: &ContextInput, limit: Limit, budget: u64) -> ContextInput {
    let mut context = context.clone();
    assert!(context.limits.select(limit, budget), "{}", limit.key());
    context
}

/// The token a context ends with in which a limit is written as 0.
fn with_zero(whole: &Whole, limit: Limit) -> String {
    let context = String::from_utf8(whole.context_input.to_bytes()).unwrap();
    let key = limit.key();
    let selected = format!("\"{key}\":{}", limit.hard());
    assert!(context.contains(&selected), "{context}");
    let context = context.replace(&selected, &format!("\"{key}\":0"));
    let report = verify(
        whole.archive.as_slice(),
        context.as_bytes(),
        Dialect::Contract,
    );
    report.reason.unwrap().token().to_owned()
}

#[test]
fn budget_parity_at_every_selected_limit_and_one_less() {
    let whole = Whole::new();
    let mut wrong = Vec::new();
    for limit in Limit::all() {
        let key = limit.key();
        let run = |budget: u64| {
            let context = selecting(&whole.context_input, limit, budget);
            verdict(&whole.under(&context), &context)
        };
        // Where the library charges nothing the least budget is enough.
        let charge = whole.charge(limit).unwrap_or(1);
        let at = run(charge);
        // Zero is no budget (§9).
        let below = match charge {
            1 => with_zero(&whole, limit),
            _ => run(charge - 1).to_owned(),
        };
        let expected = if charge == 1 {
            "trust_input"
        } else {
            "resource_selected"
        };
        if (at, below.as_str()) != ("verified", expected) {
            wrong.push(format!("{key} {charge}: {at}, then {below}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The dimensions that hold a single budget, or none, in the library.
#[test]
fn only_three_keys_have_nothing_to_select_below() {
    let whole = Whole::new();
    let least: Vec<&str> = Limit::all()
        .filter(|limit| whole.charge(*limit).unwrap_or(1) == 1)
        .map(Limit::key)
        .collect();
    assert_eq!(
        least,
        [
            "nested_archive_depth",
            "reference_depth",
            "diagnostic_bytes"
        ]
    );
    assert_eq!(Limit::all().count(), 29);
}

/// The concrete boundary fixture of §8: two inputs of the same three bytes.
#[test]
fn duplicate_digest_budget() {
    let package = spec(vec![
        input("one", attest_package::Format::Inspector, b"[]\n"),
        input("two", attest_package::Format::Inspector, b"[]\n"),
    ]);
    let context = |budget| selecting(&ContextInput::example_a1(), Limit::ObjectBytesTotal, budget);
    let built = attest_package::build(&package, &context(6)).unwrap();
    let counts = built.report.established.unwrap().counts;
    assert_eq!((counts.objects, counts.inputs), (1, 2));
    let recorded = context(6).digest().to_string();
    let five = context(5);
    let archive = tampered(
        &built.archive,
        &[],
        &[(recorded.as_str(), five.digest().to_string().as_str())],
    );
    assert_eq!(verdict(&archive, &five), "resource_selected");
}

/// A charge that crosses only the selected budget of one input's format leaves
/// the formats with other budgets alone (§9).
#[test]
fn each_format_has_its_own_budget() {
    for (format, limit, bytes) in [
        (
            attest_package::Format::Inspector,
            Limit::TranscriptBytes,
            b"[]\n".to_vec(),
        ),
        (
            attest_package::Format::ProxyDecision,
            Limit::TranscriptBytes,
            decision("k").into_bytes(),
        ),
        (
            attest_package::Format::Health,
            Limit::HealthBytes,
            observation_health().into_bytes(),
        ),
        (
            attest_package::Format::Coverage,
            Limit::HealthBytes,
            coverage("network", "m").into_bytes(),
        ),
        (attest_package::Format::Context, Limit::HealthBytes, notes()),
        (
            attest_package::Format::Results,
            Limit::RetainedReportBytes,
            b"{\"results\":[],\"schema\":\"assay.incident.results.v1\"}".to_vec(),
        ),
        (
            attest_package::Format::PublicKey,
            Limit::KeyBytes,
            pem(&signing_key()),
        ),
        (
            attest_package::Format::Policy,
            Limit::PolicyBytes,
            b"policy".to_vec(),
        ),
    ] {
        let package = spec(vec![input("only", format, &bytes)]);
        let size = bytes.len() as u64;
        for (budget, reason) in [
            (size, None),
            (size - 1, Some(attest_package::Reason::ResourceSelected)),
        ] {
            let context = selecting(&ContextInput::example_a1(), limit, budget);
            let refused = attest_package::build(&package, &context).err();
            assert_eq!(
                refused.map(|error| error.reason),
                reason,
                "{} {budget}",
                format.token()
            );
        }
    }
}

/// The defaults are the hard maxima of §8, and Example A1 selects them.
#[test]
fn the_defaults_are_the_maxima_of_the_text() {
    let maxima = [
        268_435_456,
        128,
        80,
        251_658_240,
        64,
        104_857_600,
        536_870_912,
        1,
        1_048_576,
        16_777_216,
        1_048_576,
        16_777_216,
        1_048_576,
        33_554_432,
        16_384,
        16_777_216,
        10_485_760,
        524_288_000,
        100_000,
        1_048_576,
        256,
        64,
        256,
        65_536,
        1_048_576,
        100_000,
        1,
        4_096,
        16_777_216,
    ];
    let limits = Limits::default();
    let selected: Vec<u64> = Limit::all().map(|limit| limits.get(limit)).collect();
    assert_eq!(selected, maxima);
    assert_eq!(ContextInput::example_a1().limits, limits);
}
