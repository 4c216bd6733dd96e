//! *Rules*: every rule in policy order, and what became of it.

use attest_grading::decide::conditions::{Finding, NotApplicable};
use attest_grading::decide::coverage::Ineligible;
use attest_grading::decide::trace::{
    ClaimTrace, ConditionTrace, EntryTrace, RuleStatus, RuleTrace, Trace, TraceSubject,
};
use attest_grading::model::{Currency, Outcome};
use ratatui::text::Span;

use super::format::{Clock, money, points, score as score_text};
use super::write::Page;
use crate::inspector::look::{grade_role, grade_word};
use crate::inspector::text::{cut_middle, shown, width};
use crate::inspector::theme::Role;

/// Writes the tab. Unfolded, the rules that were not reached show their conditions too, and
/// coverage its entries.
pub fn write(page: &mut Page<'_>, trace: &Trace) {
    write_rules(page, trace);
    if let TraceSubject::Claim(claim) = &trace.subject {
        write_coverage(page, claim, Clock::of(&trace.evaluated_at));
    }
}

/// Writes every rule in policy order.
pub fn write_rules(page: &mut Page<'_>, trace: &Trace) {
    let clock = Clock::of(&trace.evaluated_at);
    for rule in &trace.rules {
        write_rule(page, trace, rule, clock);
    }
    if trace.matched.is_none() {
        let mark = page.glyphs().yes;
        let text = if trace.finality.is_final {
            "default_unverifiable: no rule matched, so nothing can be said"
        } else {
            "checking: no rule would match now"
        };
        page.item(Role::Good, mark, Role::Text, text);
    }
}

fn write_rule(page: &mut Page<'_>, trace: &Trace, rule: &RuleTrace, clock: Clock) {
    let look = page.look();
    let glyphs = page.glyphs();
    let is_open = !trace.finality.is_final;
    let (mark_role, mark, said) = match rule.status {
        RuleStatus::Matched if is_open => (Role::Good, glyphs.yes, "would match now"),
        RuleStatus::Matched => (Role::Good, glyphs.yes, "matched"),
        RuleStatus::Failed(_) => (Role::Bad, glyphs.no, ""),
        RuleStatus::NotApplicable(_) => (Role::Muted, glyphs.not_applicable, "not applicable"),
        RuleStatus::NotReached { would_match: true } => {
            (Role::Muted, glyphs.not_reached, "not reached; would match")
        }
        RuleStatus::NotReached { would_match: false } => (
            Role::Muted,
            glyphs.not_reached,
            "not reached; would not match",
        ),
    };
    let matched = rule.status == RuleStatus::Matched;
    // What is still checking has no grade, whatever would match (§2).
    let is_checking = matched && is_open;
    let name_role = if matched { Role::Accent } else { Role::Text };
    let (then_role, then) = match rule.then {
        _ if is_checking => (Role::Checking, "checking"),
        Outcome::Pending => (Role::Checking, "checking"),
        outcome => (grade_role(outcome.grade()), grade_word(outcome.grade())),
    };
    let id = shown(&rule.id).into_owned();
    let fits = 2 + width(&id).max(24) + 13 + said.len() <= page.pane.width;
    let mut spans = vec![
        look.span(mark_role, format!("{mark} ")),
        look.span(name_role, format!("{id:<24}")),
        look.span(
            if matched { then_role } else { Role::Muted },
            format!("{then:<13}"),
        ),
    ];
    if fits {
        spans.push(look.span(Role::Muted, said));
    }
    page.line(spans);
    if !fits && !said.is_empty() {
        page.indented(4, Role::Muted, said);
    }
    // The reader sees what decided: the first condition that failed, all of those that matched.
    let shown: Vec<&ConditionTrace> = match rule.status {
        _ if page.pane.unfolded => rule.conditions.iter().collect(),
        RuleStatus::Matched => rule.conditions.iter().collect(),
        RuleStatus::Failed(at) | RuleStatus::NotApplicable(at) => {
            rule.conditions.get(at).into_iter().collect()
        }
        RuleStatus::NotReached { .. } => Vec::new(),
    };
    for condition in shown {
        write_condition(page, trace, condition, clock);
    }
}

pub(super) fn write_condition(
    page: &mut Page<'_>,
    trace: &Trace,
    condition: &ConditionTrace,
    clock: Clock,
) {
    let glyphs = page.glyphs();
    let (role, mark) = match condition.holds {
        Some(true) => (Role::Good, glyphs.yes),
        Some(false) => (Role::Bad, glyphs.no),
        None => (Role::Muted, glyphs.not_applicable),
    };
    let asked = format!(
        "{}: {}",
        condition.condition.key(),
        condition.condition.wanted()
    );
    let text = format!("{asked}  {}", finding(trace, &condition.finding, clock));
    page.item_at(4, role, mark, Role::Muted, &text);
}

/// What a condition found, as a phrase.
fn finding(trace: &Trace, finding: &Finding, clock: Clock) -> String {
    let currency: Option<Currency> = trace.grant.spend_currency;
    match finding {
        Finding::NotApplicable(why) => not_applicable(*why).to_owned(),
        Finding::Coverage { level } => format!("coverage is {}", level.as_str()),
        Finding::Type {
            action,
            allowed: true,
        } => format!("the grant allows {action}"),
        Finding::Type {
            action,
            allowed: false,
        } => format!("the grant does not allow {action}"),
        Finding::Counterparty { bound: false, .. } => "no allowlist binds it".to_owned(),
        Finding::Counterparty {
            claim, evidence, ..
        } => {
            let one = |what: &str, allowed: &Option<bool>| {
                allowed.map(|allowed| {
                    format!(
                        "the {what}'s address is {}",
                        if allowed { "allowed" } else { "not allowed" }
                    )
                })
            };
            let said: Vec<String> = [one("claim", claim), one("evidence", evidence)]
                .into_iter()
                .flatten()
                .collect();
            said.join(", ")
        }
        Finding::Amount(amount) => {
            let ceiling = money(amount.ceiling.get(), Some(amount.spend_currency));
            let counted = amount.counted.map_or_else(
                || format!("no amount in {}", amount.spend_currency),
                |cents| money(cents.get(), Some(amount.spend_currency)),
            );
            match amount.mismatch {
                Some(other) => format!("{counted}, ceiling {ceiling}, and an amount in {other}"),
                None => format!("{counted}, ceiling {ceiling}"),
            }
        }
        Finding::Cumulative {
            prior,
            amount,
            ceiling,
        } => format!(
            "{} spent before and {} now, ceiling {}",
            money(*prior, currency),
            money(amount.get(), currency),
            money(ceiling.get(), currency)
        ),
        Finding::Scope { exceeds: true } => "the permission is not among those declared".to_owned(),
        Finding::Scope { exceeds: false } => "the permission was declared".to_owned(),
        Finding::Target { missing: true } => "the claim names no event time".to_owned(),
        Finding::Target { missing: false } => "no event time is missing".to_owned(),
        Finding::Identity {
            underspecified: true,
        } => "the claim names nothing to identify".to_owned(),
        Finding::Identity {
            underspecified: false,
        } => "the claim can be told from others".to_owned(),
        Finding::Score { score: Some(score) } => {
            format!("the best score is {}", score_text(*score))
        }
        Finding::Score { score: None } => "there is no candidate".to_owned(),
        Finding::Grace { needed, waiting } if waiting.is_empty() => {
            format!("every source synced at or after {}", clock.at(*needed))
        }
        Finding::Grace { needed, waiting } => {
            let names: Vec<&str> = waiting.iter().map(|source| source.as_str()).collect();
            format!(
                "{} {} not synced at or after {}",
                names.join(", "),
                if names.len() == 1 { "has" } else { "have" },
                clock.at(*needed)
            )
        }
        Finding::Likely { score, threshold } => {
            format!(
                "likely at {}, threshold {}",
                points(*score),
                points(*threshold)
            )
        }
    }
}

const fn not_applicable(why: NotApplicable) -> &'static str {
    match why {
        NotApplicable::NoClaim => "asks about a claim, and there is none",
        NotApplicable::IsClaim => "asks about what nobody claimed, and this is a claim",
        NotApplicable::NoAddress => "no address is known to check",
        NotApplicable::NoSpendType => "the type spends nothing",
        NotApplicable::NoCeiling => "the grant sets no ceiling",
        NotApplicable::NoAmount => "no amount is known",
        NotApplicable::OtherCurrency => "the amount is in another currency",
        NotApplicable::NeverScored => "the claim is never scored",
        NotApplicable::NoScope => "asks about a permission, and this is none",
        NotApplicable::NoAttribution => "no agent's own signal fired",
    }
}

/// Writes how much of a claim's window was seen, source by source, entry by entry.
pub fn write_coverage(page: &mut Page<'_>, claim: &ClaimTrace, clock: Clock) {
    page.heading(&format!("Coverage: {}", claim.level.as_str()));
    if let Some(window) = claim.window {
        page.pair(
            "window",
            Role::Text,
            &format!("{} {}", clock.span(window), clock.zone()),
        );
    }
    for source in &claim.sources {
        let mut said = source.level.as_str().to_owned();
        if let Some(gap) = source.gap {
            said.push_str(&format!("; no whole view of {}", clock.span(gap)));
        }
        if source.account_partial {
            said.push_str("; only several accounts' views together hold the window");
        }
        if let Some(sync) = source.last_sync {
            said.push_str(&format!("; last synced {}", clock.at(sync)));
        }
        page.pair(source.source.as_str(), Role::Text, &said);
        for one in &source.accounts {
            let seen = match one.gap {
                Some(gap) => format!("no whole view of {}", clock.span(gap)),
                None => "the whole window".to_owned(),
            };
            let account = cut_middle(&one.account.to_string(), 11, page.glyphs().cut).into_owned();
            page.indented(2, Role::Muted, &format!("account {account}: {seen}"));
        }
    }
    let relevant = |entry: &&EntryTrace| {
        page.pane.unfolded || !matches!(entry.verdict, Err(Ineligible::OtherSource))
    };
    let entries: Vec<&EntryTrace> = claim.entries.iter().filter(relevant).collect();
    let hidden = claim.entries.len() - entries.len();
    for entry in entries {
        write_entry(page, entry, clock);
    }
    if hidden > 0 {
        let text = format!("{hidden} more of other sources");
        page.line(vec![Span::raw("    "), page.look().span(Role::Muted, text)]);
    }
}

fn write_entry(page: &mut Page<'_>, one: &EntryTrace, clock: Clock) {
    let glyphs = page.glyphs();
    let reach = match (one.contains, one.overlaps) {
        (true, _) => "holds the window",
        (false, true) => "holds part of the window",
        (false, false) => "holds nothing of the window",
    };
    let (role, mark, verdict) = match &one.verdict {
        Ok(caps) if caps.is_empty() => (
            if one.overlaps {
                Role::Good
            } else {
                Role::Muted
            },
            glyphs.yes,
            "counts".to_owned(),
        ),
        Ok(caps) => {
            let codes: Vec<&str> = caps.iter().map(|cap| cap.reason().as_str()).collect();
            (
                Role::Warning,
                glyphs.not_applicable,
                format!("at most partial: {}", codes.join(", ")),
            )
        }
        Err(why) => (Role::Muted, glyphs.no, ineligible(*why).to_owned()),
    };
    let entry = &one.entry;
    let text = format!(
        "{} {}  synced {}  {reach}  {verdict}",
        entry.source.as_str(),
        clock.span(entry.window()),
        clock.at(entry.last_sync_at.instant()),
    );
    page.item_at(4, role, mark, Role::Muted, &text);
}

const fn ineligible(why: Ineligible) -> &'static str {
    match why {
        Ineligible::OtherSource => "not read for this type",
        Ineligible::SyncedLater => "synced after the batch",
        Ineligible::OtherAccount => "of an account the grant does not bind",
    }
}
