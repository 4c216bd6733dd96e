//! *Inputs*: what the receipt was graded with, whole, and the hashes that bind it.

use attest_grading::decide::trace::{Trace, TraceSubject};
use attest_grading::model::{Claim, Grant, Observation};

use super::format::{Clock, money, points};
use super::write::Page;
use crate::inspector::text::shown;
use crate::inspector::theme::Role;

/// Writes the tab.
pub fn write(page: &mut Page<'_>, trace: &Trace) {
    match &trace.subject {
        TraceSubject::Claim(subject) => {
            write_claim(page, &subject.claim);
            page.gap();
            let clock = Clock::of(&subject.claim.claimed_at);
            page.pair("unit", Role::Text, &clock.span(subject.unit));
            let window = subject
                .window
                .map_or_else(|| "none".to_owned(), |window| clock.span(window));
            page.pair("window", Role::Text, &window);
            page.pair(
                "grace until",
                Role::Text,
                &clock.at(subject.deadlines.grace),
            );
            page.pair(
                "window seen",
                Role::Text,
                &clock.at(subject.deadlines.whole_window),
            );
            page.pair("gives up", Role::Text, &clock.at(subject.deadlines.give_up));
            let evidence = subject.best.and_then(|at| subject.candidates.get(at));
            if let Some(best) = evidence {
                page.heading("Best candidate");
                write_observation(page, &best.observation);
            }
        }
        TraceSubject::Orphan(orphan) => {
            page.heading("Observation");
            write_observation(page, &orphan.observation);
        }
        TraceSubject::Scope { agent, scope } => {
            page.heading("Permission");
            page.pair("agent", Role::Text, agent.as_str());
            page.pair("scope", Role::Text, &shown(scope));
        }
    }
    write_grant(page, &trace.grant);
    page.heading("Batch");
    page.pair("evaluated at", Role::Text, &trace.evaluated_at.to_string());
    let spend = money(trace.context.prior_spend_cents, trace.grant.spend_currency);
    page.pair("spent before", Role::Text, &spend);
    for score in trace.context.model_scores.iter().flatten() {
        let text = format!("{} for {}", points(score.score), score.observation_id);
        page.pair("model score", Role::Text, &text);
    }
    for repair in &trace.repairs {
        page.pair(
            "clock repair",
            Role::Text,
            &format!("{} to {}", repair.from, repair.to),
        );
    }
    page.heading("Hashes");
    let hashes = &trace.hashes;
    for (name, hash) in [
        ("inputs", hashes.inputs),
        ("candidates", hashes.candidates),
        ("grant", hashes.grant),
        ("coverage", hashes.coverage),
        ("policy", hashes.policy),
    ] {
        page.pair(name, Role::Muted, &hash.to_string());
    }
}

fn write_claim(page: &mut Page<'_>, claim: &Claim) {
    page.heading("Claim");
    page.pair("id", Role::Muted, &claim.id.to_string());
    page.pair("agent", Role::Text, claim.agent.as_str());
    page.pair("type", Role::Text, claim.action.as_str());
    page.pair(
        "claimed at",
        Role::Text,
        &format!("{} ({})", claim.claimed_at, claim.precision),
    );
    if let Some(end) = &claim.claimed_at_end {
        page.pair("until", Role::Text, &end.to_string());
    }
    if let Some(target) = &claim.target_at {
        page.pair("event at", Role::Text, &target.to_string());
    }
    for (name, text) in [
        ("counterparty", &claim.counterparty),
        ("subject", &claim.subject_hint),
    ] {
        page.pair(
            name,
            Role::Text,
            &text.as_deref().map_or_else(|| "none".into(), shown),
        );
    }
    if let Some(amount) = claim.amount {
        page.pair("amount", Role::Text, &money(amount.get(), claim.currency));
    }
    page.pair("stored at", Role::Text, &claim.observed_at.to_string());
    page.pair("read from", Role::Text, claim.source_kind.as_str());
    page.pair("raw hash", Role::Muted, &claim.raw_hash.to_string());
}

fn write_observation(page: &mut Page<'_>, row: &Observation) {
    page.pair("id", Role::Muted, &row.id.to_string());
    page.pair("source", Role::Text, row.source.as_str());
    page.pair("type", Role::Text, row.action.as_str());
    page.pair("occurred at", Role::Text, &row.occurred_at.to_string());
    page.pair("stored at", Role::Text, &row.observed_at.to_string());
    if let Some(sighted) = &row.sighted_at {
        page.pair("sighted at", Role::Text, &sighted.to_string());
    }
    for (name, text) in [
        ("counterparty", &row.counterparty),
        ("merchant", &row.merchant),
        ("subject", &row.subject_hint),
    ] {
        if let Some(text) = text {
            page.pair(name, Role::Text, &shown(text));
        }
    }
    if let Some(amount) = row.amount {
        page.pair("amount", Role::Text, &money(amount.get(), row.currency));
    }
    page.pair("content hash", Role::Muted, &row.content_hash.to_string());
}

fn write_grant(page: &mut Page<'_>, grant: &Grant) {
    page.heading(&format!("Grant of {}", grant.agent));
    let list = |texts: &[Box<str>], none: &str| {
        if texts.is_empty() {
            return none.to_owned();
        }
        texts
            .iter()
            .map(|text| shown(text).into_owned())
            .collect::<Vec<_>>()
            .join(", ")
    };
    let types: Vec<&str> = grant
        .allowed_types
        .iter()
        .map(|action| action.as_str())
        .collect();
    let types = if types.is_empty() {
        "none".to_owned()
    } else {
        types.join(", ")
    };
    page.pair("allows", Role::Text, &types);
    page.pair(
        "allowlist",
        Role::Text,
        &list(&grant.counterparty_allowlist, "anyone"),
    );
    let ceiling = grant.spend_ceiling.map_or_else(
        || "none".to_owned(),
        |ceiling| money(ceiling.get(), grant.spend_currency),
    );
    page.pair("ceiling", Role::Text, &ceiling);
    page.pair(
        "declared",
        Role::Text,
        &list(&grant.declared_scopes, "no permissions"),
    );
    page.pair(
        "observed",
        Role::Text,
        &list(&grant.observed_scopes, "no permissions"),
    );
    for (source, accounts) in grant.accounts.iter().flatten() {
        let accounts: Vec<String> = accounts.iter().map(ToString::to_string).collect();
        page.pair(
            source.as_str(),
            Role::Muted,
            &format!("account {}", accounts.join(", ")),
        );
    }
    page.pair("since", Role::Text, &grant.updated_at.to_string());
}
