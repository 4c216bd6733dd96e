//! *Why*: what was decided, one sentence per reason, and what would change it.

use attest_grading::decide::finality::Waiting;
use attest_grading::decide::trace::{ClaimTrace, Counterfactual, SourceTrace, Trace, TraceSubject};
use attest_grading::model::reason::Params;
use attest_grading::model::{BaseState, Grade, Reason, ReasonCode, Receipt, ReceiptState};
use attest_grading::policy::{Level, Threshold};
use attest_grading::reason_text::{reason_text, source_text};

use super::arithmetic::row_text;
use super::format::{Clock, fraction, points};
use super::rules::write_condition;
use super::write::Page;
use crate::inspector::look::{grade_role, grade_word};
use crate::inspector::row::Standing;
use crate::inspector::text::shown;
use crate::inspector::theme::Role;
use crate::inspector::work::Explained;

/// Writes the tab. Without a trace there is still the receipt and its reasons.
pub fn write(page: &mut Page<'_>, explained: &Explained) {
    let receipt = &explained.receipt;
    write_verdict(page, receipt);
    write_reasons(page, receipt);
    match &explained.trace {
        Ok(trace) => {
            write_rule(page, receipt, trace);
            write_seen(page, trace);
            write_change(page, receipt, Some(trace));
        }
        Err(why) => {
            write_change(page, receipt, None);
            page.gap();
            page.text(Role::Warning, why);
        }
    }
}

fn write_verdict(page: &mut Page<'_>, receipt: &Receipt) {
    let standing = Standing::of(receipt);
    let mark = page.look().standing(standing);
    match standing {
        Standing::Checking => page.item(
            Role::Checking,
            mark,
            Role::Checking,
            "checking: it has no grade yet and is in no count.",
        ),
        Standing::Kept => page.item(
            Role::Muted,
            mark,
            Role::Text,
            "kept, not checking: no batch grades it any more. It stays for the overrides that were taken back, and is in no count.",
        ),
        Standing::Final => {
            let text = format!(
                "{}: {}",
                grade_word(receipt.grade),
                meaning(receipt.grade, receipt)
            );
            let role = grade_role(receipt.grade);
            page.item(role, mark, role, &text);
        }
        Standing::Overridden => {
            let Some(user) = &receipt.user_override else {
                return;
            };
            let role = grade_role(user.grade.grade());
            let before = match user.previous_state {
                BaseState::Pending => "It was still being checked.".to_owned(),
                BaseState::Final => format!("It was graded {}.", grade_word(receipt.grade)),
            };
            let text = format!(
                "{}: you decided. {before}",
                grade_word(user.grade.grade())
            );
            page.item(role, mark, role, &text);
            page.item(
                Role::Muted,
                " ",
                Role::Text,
                &format!("Your reason: {}", shown(&user.reason)),
            );
        }
    }
}

/// What a grade says, as a sentence.
fn meaning(grade: Grade, receipt: &Receipt) -> String {
    match grade {
        Grade::Verified => "what was claimed was found.".to_owned(),
        Grade::Partial => "something like what was claimed was found, not surely it.".to_owned(),
        Grade::NotFound => {
            "everything it would have left was looked at, and it is not there.".to_owned()
        }
        Grade::Unasked => format!("nobody claimed it, and {} likely did it.", receipt.agent),
        Grade::OverScope => "it goes beyond what the grant allows.".to_owned(),
        Grade::Unverifiable => "what there is to see cannot show whether it happened.".to_owned(),
    }
}

fn write_reasons(page: &mut Page<'_>, receipt: &Receipt) {
    page.heading("Reasons");
    if receipt.reasons.is_empty() {
        page.text(Role::Muted, "The receipt names none.");
    }
    let claimed = receipt.claim_id.is_some();
    for reason in &receipt.reasons {
        let mark = page.glyphs().dot;
        page.item(Role::Muted, mark, Role::Text, &reason_text(reason, claimed));
    }
}

/// The rule that matched. What it concludes is named only where it counts: a placeholder is no
/// grade (§2).
fn write_rule(page: &mut Page<'_>, receipt: &Receipt, trace: &Trace) {
    page.heading("Rule");
    let is_open = receipt.state == ReceiptState::Pending;
    let matched = trace.matched.and_then(|at| trace.rules.get(at));
    let Some(rule) = matched else {
        page.text(
            Role::Text,
            if is_open {
                "Checking: no rule of the policy would match now."
            } else {
                "default_unverifiable: no rule of the policy matched."
            },
        );
        return;
    };
    let text = if is_open {
        format!(
            "Checking: {} would match now, the first whose conditions all hold",
            shown(&rule.id)
        )
    } else {
        format!("{}, the first whose conditions all hold", shown(&rule.id))
    };
    page.text(Role::Accent, &text);
    let clock = Clock::of(&trace.evaluated_at);
    for condition in &rule.conditions {
        write_condition(page, trace, condition, clock);
    }
}

fn write_seen(page: &mut Page<'_>, trace: &Trace) {
    page.heading("Seen");
    match &trace.subject {
        TraceSubject::Claim(claim) => write_sources(page, claim),
        TraceSubject::Orphan(orphan) => {
            let row = &orphan.observation;
            let clock = Clock::of(&row.occurred_at);
            let text = format!(
                "{} shows {} at {} {}: {}.",
                capital(source_text(row.source)),
                row.action,
                clock.at(row.occurred_at.instant()),
                clock.zone(),
                row_text(row)
            );
            page.text(Role::Text, &text);
            if let Some(found) = &trace.context.attribution {
                let text = format!(
                    "{} is likely at {}, threshold {}.",
                    found.agent,
                    points(found.score),
                    points(trace.numbers.unasked)
                );
                page.text(Role::Text, &text);
            }
        }
        TraceSubject::Scope { agent, scope } => {
            page.text(
                Role::Text,
                &format!("{agent} holds the permission {}.", shown(scope)),
            );
        }
    }
}

fn write_sources(page: &mut Page<'_>, claim: &ClaimTrace) {
    if claim.sources.is_empty() {
        page.text(Role::Text, "No source shows this kind of action.");
    }
    let clock = Clock::of(&claim.claim.claimed_at);
    for source in &claim.sources {
        write_source(page, source, clock);
    }
}

fn write_source(page: &mut Page<'_>, source: &SourceTrace, clock: Clock) {
    let glyphs = page.glyphs();
    let (role, mark, level) = match source.level {
        Level::Full => (Role::Good, glyphs.yes, "full, the whole window was seen"),
        Level::Partial => (
            Role::Warning,
            glyphs.not_applicable,
            "partial, the window was not seen whole, or not surely",
        ),
        Level::None => (Role::Bad, glyphs.no, "none, nothing of the window was seen"),
    };
    let synced = source.last_sync.map_or_else(
        || "never synced".to_owned(),
        |at| format!("last synced {}", clock.at(at)),
    );
    let text = format!(
        "{}: {level}; {synced}.",
        capital(source_text(source.source))
    );
    page.item(role, mark, Role::Text, &text);
    if let Some(gap) = source.gap {
        let text = format!("No whole view of {} {}.", clock.span(gap), clock.zone());
        page.indented(4, Role::Muted, &text);
    }
    let of = Params::Source {
        source: source.source,
    };
    let mut codes: Vec<ReasonCode> = source.caps.iter().map(|cap| cap.reason()).collect();
    if source.account_partial {
        codes.push(ReasonCode::CoverageAccountPartial);
    }
    for reason in codes
        .into_iter()
        .filter_map(|code| Reason::new(code, of.clone()))
    {
        page.indented(4, Role::Muted, &reason_text(&reason, true));
    }
}

fn write_change(page: &mut Page<'_>, receipt: &Receipt, trace: Option<&Trace>) {
    page.heading("What would change it");
    let clock = Clock::of(&receipt.computed_at);
    let mark = page.glyphs().arrow;
    let texts: &[&str] = match Standing::of(receipt) {
        Standing::Checking => &["Your own word would count at once, in place of the checking."],
        Standing::Kept => &["Your own word would count at once."],
        Standing::Final => &["It is final: no later grading changes it. Your own word would."],
        Standing::Overridden => &["Only taking your word back changes it."],
    };
    if Standing::of(receipt) == Standing::Checking {
        let waiting = trace.map(|trace| trace.finality.waiting);
        for text in waits(receipt, waiting, clock) {
            page.item(Role::Checking, mark, Role::Text, &text);
        }
    }
    for text in texts {
        page.item(Role::Accent, mark, Role::Text, text);
    }
    if receipt.grade == Grade::Unasked
        && receipt.superseded_by.is_none()
        && Standing::of(receipt) != Standing::Kept
    {
        page.item(
            Role::Accent,
            mark,
            Role::Text,
            "A claim that becomes final with this action as its evidence would explain it.",
        );
    }
    if let Some(TraceSubject::Claim(claim)) = trace.map(|trace| &trace.subject)
        && let Some(change) = claim.counterfactual
    {
        page.item(Role::Accent, mark, Role::Text, &counterfactual(change));
    }
}

/// What a receipt that is being checked waits for, and from when it can be final.
pub fn waits(receipt: &Receipt, waiting: Option<Waiting>, clock: Clock) -> Vec<String> {
    let mut texts = Vec::new();
    match waiting {
        Some(Waiting::Sync(at)) => texts.push(format!(
            "It waits until every source that could show it syncs at or after {} {}.",
            clock.at(at),
            clock.zone()
        )),
        Some(Waiting::Time(at)) => texts.push(format!(
            "It waits for a batch at or after {} {}.",
            clock.at(at),
            clock.zone()
        )),
        Some(Waiting::Import { adapter, deadline }) => texts.push(format!(
            "It waits until the log of {} is imported at or after {}, or for a batch at or after {} {}.",
            receipt.agent,
            clock.at(adapter),
            clock.at(deadline),
            clock.zone()
        )),
        Some(Waiting::Nothing) | None => {}
    }
    if let Some(from) = &receipt.final_from {
        texts.push(format!(
            "A grading can make it final from {} {}.",
            clock.at(from.instant()),
            clock.zone()
        ));
    }
    texts
}

fn counterfactual(change: Counterfactual) -> String {
    let threshold = match change.threshold {
        Threshold::Verified => "verified",
        Threshold::Partial => "partial",
    };
    format!(
        "{} at {} instead of {} would lift the score to {threshold}.",
        change.feature.as_str(),
        fraction(change.needed),
        fraction(change.from)
    )
}

/// A text with its first letter as a sentence begins.
fn capital(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(characters).collect()
    })
}
