//! `package inspect`: what is inside a package that verifies.

use attest_canon::json::{Limits, Value};
use attest_package::document::{Binding, Fact, Input, Report, SurfaceResult, Unit};
use attest_package::grammar::{Ref, Surface};
use attest_package::{PackageView, Reason};

use crate::cli::json::{Json, line, list, number, object, or_null, text};
use crate::package::{open, summary};

use super::arguments::Inspect;
use super::export::unread_context;
use super::{Diagnostics, Refusal, code, put};

/// Shows a package; one that is refused shows why.
pub(super) fn run(arguments: &Inspect, bound: &mut Diagnostics) -> Result<u8, Refusal> {
    let dialect = arguments.dialect.dialect();
    let path = arguments.context.as_deref();
    let context = open::context(path).map_err(|unread| unread_context(&unread))?;
    bound.under(&context);
    let view = open::view(&arguments.package, &context, dialect)
        .map_err(|unread| unread_context(&unread))?;
    let (out, code) = match view {
        Ok(view) if arguments.json => (line(&whole(&view)), 0),
        Ok(view) => (summary::inside(&arguments.package, &view), 0),
        Err(refused) if arguments.json => (
            line(&object([("report", report(&refused))])),
            code(refused.outcome()),
        ),
        Err(refused) => {
            let mut out = summary::verified(&arguments.package, &refused, path, dialect);
            if refused.reason == Some(Reason::StaleAssessment)
                && let Some(other) = open::other_context(&arguments.package, &context, dialect)
            {
                out.push_str(&summary::other_context(&other, path));
            }
            (out, code(refused.outcome()))
        }
    };
    put(out.as_bytes())?;
    Ok(code)
}

fn whole(view: &PackageView) -> Json {
    let inventory = &view.inventory;
    let context = inventory.context.iter();
    let context = context.map(|(kind, one)| (kind.token().into(), fact(one)));
    object([
        ("context", Value::Object(context.collect())),
        ("inputs", list(inventory.inputs.iter().map(input))),
        ("receipts", receipts(view)),
        ("report", report(&view.report)),
        (
            "surfaces",
            list(view.assessment.surfaces.iter().map(surface)),
        ),
        ("units", list(view.assessment.units.iter().map(unit))),
    ])
}

fn receipts(view: &PackageView) -> Json {
    list(
        summary::receipts_of(view)
            .into_iter()
            .map(Value::into_owned),
    )
}

/// A report's own members.
fn report(report: &Report) -> Json {
    let bytes = report.to_bytes();
    let text = std::str::from_utf8(&bytes).unwrap_or_default();
    // What was just written always reads.
    Value::parse(text, Limits::LEDGER).map_or(Value::Null, Value::into_owned)
}

fn fact(fact: &Fact) -> Json {
    object([
        ("reason", text(fact.reason.token())),
        ("refs", list(fact.refs.iter().map(reference))),
        ("value", or_null(fact.value.as_deref(), text)),
    ])
}

fn input(input: &Input) -> Json {
    object([
        ("binding", or_null(input.binding.as_ref(), binding)),
        ("bytes", number(input.bytes)),
        ("format", text(&input.token)),
        ("id", text(&input.id)),
        ("sha256", text(input.sha256)),
        ("surfaces", list(input.surfaces.iter().map(surface_name))),
    ])
}

fn binding(binding: &Binding) -> Json {
    let attestation = binding.attestation_input.as_ref();
    object([
        ("attestation_input", or_null(attestation, text)),
        ("bundle_input", text(&binding.bundle_input)),
        ("key_input", text(&binding.key_input)),
    ])
}

fn reference(reference: &Ref) -> Json {
    object([
        ("input_id", text(&reference.input_id)),
        ("locator", text(&reference.locator)),
        ("sha256", text(reference.sha256)),
    ])
}

fn surface_name(surface: Surface) -> Json {
    text(surface.name())
}

fn surface(surface: &SurfaceResult) -> Json {
    object([
        ("name", text(surface.name.name())),
        ("observation", text(surface.observation.token())),
        (
            "source_inputs",
            list(surface.source_inputs.iter().map(text)),
        ),
    ])
}

fn unit(unit: &Unit<'_>) -> Json {
    object([
        ("disposition", text(unit.disposition.token())),
        ("id", text(unit.id)),
        ("source", reference(&unit.source)),
        ("surface", surface_name(unit.surface)),
    ])
}
