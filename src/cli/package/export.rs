//! `package export` and `package build`.

use std::path::PathBuf;

use crate::package::{Request, Selection, build_given, export, open, publish, summary};

use super::arguments::{Build, Export};
use super::{Diagnostics, Loaded, Refusal, added, names, put, shown};

/// Exports a selection of a ledger.
pub(super) fn of_ledger(arguments: &Export, bound: &mut Diagnostics) -> Result<u8, Refusal> {
    let selection = selection(arguments)?;
    let out = match &arguments.out {
        Some(out) => out.clone(),
        None => default_name(arguments)?,
    };
    let names = names(&out)?;
    let trust = arguments.context.as_deref();
    let trust = trust.map(|path| open::context(Some(path))).transpose();
    let trust = trust.map_err(|unread| unread_context(&unread))?;
    if let Some(trust) = &trust {
        bound.under(trust);
    }
    let instant = |option, at: &Option<String>| super::super::instant(option, at.as_deref());
    let (given, spec) = added(&arguments.added)?;
    if spec.facts.is_some() {
        return Err(Refusal::bad(
            "--spec: facts: a ledger's package states its own",
        ));
    }
    let request = Request {
        selection,
        as_of: instant("--as-of", &arguments.as_of).map_err(Refusal::bad)?,
        valid_from: instant("--valid-from", &arguments.valid_from).map_err(Refusal::bad)?,
        valid_until: instant("--valid-until", &arguments.valid_until).map_err(Refusal::bad)?,
        trust,
        given,
        spec,
    };
    let loaded = Loaded::read(&arguments.ledger)?;
    let exported = export(loaded.file(), &request)?;
    publish(&names, &exported.built)?;
    put(summary::exported(&names, &exported, request.selection.text()).as_bytes())?;
    Ok(0)
}

/// Builds a package of inputs.
pub(super) fn of_inputs(arguments: &Build, bound: &mut Diagnostics) -> Result<u8, Refusal> {
    let names = names(&arguments.out)?;
    let context = open::context(arguments.context.as_deref());
    let context = context.map_err(|unread| unread_context(&unread))?;
    bound.under(&context);
    let (given, spec) = added(&arguments.added)?;
    let built = build_given(&given, &spec, &context)?;
    publish(&names, &built)?;
    put(summary::built(&names, &built.report).as_bytes())?;
    Ok(0)
}

/// A context file that is none.
pub(super) fn unread_context(unread: &open::Unread) -> Refusal {
    match &unread.file {
        Some(error) => Refusal::of(unread.reason, error),
        None => Refusal::of(unread.reason, "--context"),
    }
}

/// The filter, and the agents as a term of it.
fn selection(arguments: &Export) -> Result<Selection, Refusal> {
    let mut agents: Vec<&str> = arguments.agent.iter().map(|agent| agent.as_str()).collect();
    agents.sort_unstable();
    agents.dedup();
    let filter = arguments
        .filter
        .as_deref()
        .map(str::trim)
        .unwrap_or_default();
    let term = format!("agent:{}", agents.join(","));
    let text = match (filter, agents.is_empty()) {
        (filter, true) => filter.to_owned(),
        ("", false) => term,
        (filter, false) => format!("{filter} {term}"),
    };
    Selection::of_filter(&text).map_err(|error| {
        let problems = error.to_string();
        let lines: Vec<String> = problems
            .lines()
            .map(|one| format!("--filter: {one}"))
            .collect();
        Refusal::bad(lines.join("\n"))
    })
}

/// The ledger's name, in the working directory.
fn default_name(arguments: &Export) -> Result<PathBuf, Refusal> {
    let stem = arguments.ledger.file_stem();
    let stem = stem.ok_or_else(|| {
        Refusal::bad(format!(
            "{}: has no name; give --out",
            shown(&arguments.ledger)
        ))
    })?;
    let mut name = stem.to_owned();
    name.push(".tar");
    Ok(PathBuf::from(name))
}
