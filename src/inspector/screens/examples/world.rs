//! What a worked example's file holds, and what becomes of its rows.

use attest_grading::decide::orphans::NoOrphan;
use attest_grading::decide::trace::RowFate;
use attest_grading::model::{Claim, Observation, Precision};

use super::pages::Example;
use crate::inspector::panes::tabs::format::{Clock, money, unit};
use crate::inspector::panes::tabs::write::Page;
use crate::inspector::text::shown;
use crate::inspector::theme::Role;

/// A claim on one line.
pub fn claim_text(claim: &Claim, clock: Clock) -> String {
    let mut parts = vec![claim.agent.to_string(), claim.action.to_string()];
    parts.extend(
        claim
            .counterparty
            .as_deref()
            .map(|who| shown(who).into_owned()),
    );
    parts.extend(
        claim
            .subject_hint
            .as_deref()
            .map(|what| format!("\"{}\"", shown(what))),
    );
    parts.extend(claim.amount.map(|cents| money(cents.get(), claim.currency)));
    let mut at = clock.at(claim.claimed_at.instant());
    if let Some(end) = claim.claimed_at_end {
        at.push_str(&format!(" until {}", clock.at(end.instant())));
    }
    if claim.precision != Precision::Minute {
        at.push_str(&format!(" to {}", unit(claim.precision)));
    }
    parts.push(at);
    if let Some(target) = claim.target_at {
        parts.push(format!("event {}", clock.at(target.instant())));
    }
    parts.join("  ")
}

/// A row on one line.
pub fn row_text(row: &Observation, clock: Clock) -> String {
    let mut parts = vec![row.source.to_string(), row.action.to_string()];
    let texts = [&row.counterparty, &row.merchant, &row.subject_hint];
    parts.extend(
        texts
            .into_iter()
            .filter_map(|text| Some(shown(text.as_deref()?).into_owned())),
    );
    parts.extend(row.amount.map(|cents| money(cents.get(), row.currency)));
    parts.push(clock.at(row.occurred_at.instant()));
    if row.observed_at.instant() != row.occurred_at.instant() {
        parts.push(format!("seen {}", clock.at(row.observed_at.instant())));
    }
    parts.join("  ")
}

/// Writes what the file holds.
pub fn write_world(page: &mut Page<'_>, example: &Example<'_>) {
    let world = &example.walk.world;
    let clock = example.clock();
    let at = world.coverage.evaluated_at.instant();
    page.pair("batch at", Role::Text, &clock.stamp(at));
    if example.scenario.policy_patch.is_some() {
        page.pair(
            "policy",
            Role::Warning,
            "the shipped one, patched by the file",
        );
    } else {
        page.pair("policy", Role::Text, "the shipped one");
    }
    page.heading("Claims");
    for claim in &world.claims {
        page.pair(
            &example.name(claim.id),
            Role::Text,
            &claim_text(claim, Clock::of(&claim.claimed_at)),
        );
    }
    if world.claims.is_empty() {
        page.text(Role::Muted, "Nobody claimed anything.");
    }
    page.heading("Rows");
    for row in &world.observations {
        page.pair(
            &example.name(row.id),
            Role::Text,
            &row_text(row, Clock::of(&row.occurred_at)),
        );
    }
    if world.observations.is_empty() {
        page.text(Role::Muted, "Nothing was seen.");
    }
    page.heading("Looked at");
    for view in &world.coverage.observers {
        let text = format!(
            "{}  synced {}",
            clock.span(view.window()),
            clock.at(view.last_sync_at.instant())
        );
        page.pair(view.source.as_str(), Role::Text, &text);
    }
    if world.coverage.observers.is_empty() {
        page.text(Role::Muted, "Nobody looked.");
    }
    for repair in &world.coverage.repairs {
        page.pair(
            "clock repair",
            Role::Warning,
            &clock.span(repair.interval()),
        );
    }
    let activity = &world.activity;
    let mut seen: Vec<(String, String)> = Vec::new();
    seen.extend(activity.sessions.iter().map(|one| {
        let text = format!("session at {}", clock.at(one.at.instant()));
        (one.agent.to_string(), text)
    }));
    seen.extend(activity.idle.iter().map(|one| {
        let text = format!("away {}", clock.span(one.interval()));
        ("the person".to_owned(), text)
    }));
    seen.extend(activity.entries.iter().map(|one| {
        let action = one.action.map_or("no type", |action| action.as_str());
        let text = format!("log entry at {}, {action}", clock.at(one.at.instant()));
        (one.agent.to_string(), text)
    }));
    seen.extend(activity.adapter_syncs.iter().map(|one| {
        let text = format!("log imported {}", clock.at(one.last_sync_at.instant()));
        (one.agent.to_string(), text)
    }));
    if !seen.is_empty() {
        page.heading("Activity");
        for (who, text) in seen {
            page.pair(&who, Role::Text, &text);
        }
    }
    if !world.fixed.is_empty() {
        page.heading("Graded before");
        for pair in &world.fixed {
            let row = example.name(pair.observation_id);
            let text = match pair.claim_id {
                Some(claim) => format!("evidence of {}", example.name(claim)),
                None => "taken: a person decided about it".to_owned(),
            };
            page.pair(&row, Role::Text, &text);
        }
    }
    write_fates(page, example);
}

/// What became of every row of the batch.
pub fn write_fates(page: &mut Page<'_>, example: &Example<'_>) {
    if example.walk.rows.is_empty() {
        return;
    }
    page.heading("What becomes of the rows");
    for (id, fate) in &example.walk.rows {
        let (role, text) = match fate {
            RowFate::Unseen => (
                Role::Muted,
                "not seen: stored after the batch, or one fact with another".to_owned(),
            ),
            RowFate::Held(claim) => (Role::Good, format!("held by {}", example.name(*claim))),
            RowFate::Fixed(claim) => (
                Role::Warning,
                format!("already evidence of {}", example.name(*claim)),
            ),
            RowFate::Taken => (Role::Warning, "taken: a person decided about it".to_owned()),
            RowFate::NoOrphan(why) => (
                Role::Muted,
                format!("nobody's, and no orphan: {}", no_orphan(*why)),
            ),
            RowFate::Unattributed => (
                Role::Muted,
                "an orphan; no agent's own signal fired".to_owned(),
            ),
            RowFate::Unlikely => (
                Role::Muted,
                "an orphan; likely of no agent, below the threshold".to_owned(),
            ),
            RowFate::Unasked => (Role::Unasked, "unasked: likely an agent's".to_owned()),
        };
        page.pair(&example.name(*id), role, &text);
    }
}

/// Why a row that nobody holds is no orphan.
pub const fn no_orphan(why: NoOrphan) -> &'static str {
    match why {
        NoOrphan::OtherSource => "the policy reads its type from another source",
        NoOrphan::NotCovered => "no view of its source saw the moment it happened",
        NoOrphan::NotFollowed => "no view followed changes from before it was first seen",
        NoOrphan::FirstLook => "a view may have found it already there",
    }
}
