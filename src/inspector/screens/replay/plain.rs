//! The lines of the screen: what draws them, and what prints them without a terminal.

use attest_grading::model::{Receipt, ReceiptState};
use attest_grading::replay::Field;
use ratatui::text::{Line, Span};

use super::report::{self, Batch, Differing, Item, Replayed};
use crate::inspector::look::Look;
use crate::inspector::panes::Pane;
use crate::inspector::panes::tabs::format::Clock;
use crate::inspector::panes::tabs::write::Page;
use crate::inspector::screens::Facts;
use crate::inspector::screens::reading::{Beside, plain_lines, write_beside};
use crate::inspector::text::{count, cut_middle, shown};
use crate::inspector::theme::Role;

/// Cells of a field's name.
const NAME: usize = 15;

/// What stands where nothing could be replayed; none where something was.
pub fn nothing(replayed: &Replayed) -> Option<&'static str> {
    if replayed.is_scenario {
        Some("a golden scenario stores no receipts: there is nothing to derive again")
    } else if replayed.report.receipts == 0 {
        Some("the ledger stores no receipts: there is nothing to derive again")
    } else {
        None
    }
}

/// The figures, on one line.
pub fn figures(replayed: &Replayed, look: &Look) -> Line<'static> {
    let report = &replayed.report;
    let glyphs = look.glyphs;
    let several = |n: usize, one: &str, more: &str| {
        format!("{} {}", count(n), if n == 1 { one } else { more })
    };
    let mut spans = vec![
        look.span(
            Role::Text,
            format!(
                "{}  {}  ",
                several(report.batches, "batch", "batches"),
                several(report.receipts, "receipt", "receipts")
            ),
        ),
        look.span(
            Role::Good,
            format!("{} {} reproduced", glyphs.yes, count(report.reproduced)),
        ),
    ];
    if report.mismatched > 0 {
        spans.push(Span::raw("  "));
        spans.push(look.span(
            Role::Bad,
            format!("{} {}", glyphs.no, differ(report.mismatched)),
        ));
    }
    Line::from(spans)
}

/// So many that differ.
fn differ(n: usize) -> String {
    format!("{} {}", count(n), if n == 1 { "differs" } else { "differ" })
}

/// How many receipts differ in which field, on one line.
pub fn by_field(replayed: &Replayed, look: &Look) -> Line<'static> {
    let counts = replayed.report.by_field();
    if counts.is_empty() {
        return Line::styled("no field differs", look.style(Role::Muted));
    }
    let mut spans = Vec::new();
    for (field, n) in counts {
        spans.push(look.span(Role::Muted, format!("{field} ")));
        spans.push(look.span(Role::Bad, format!("{}  ", count(n))));
    }
    Line::from(spans)
}

/// A row of the list, without the cursor.
pub fn row(item: &Item, look: &Look) -> Line<'static> {
    let glyphs = look.glyphs;
    match item {
        Item::Batch(batch) => {
            let clock = Clock::of(&batch.at);
            let (role, mark) = if batch.mismatched == 0 {
                (Role::Good, glyphs.yes)
            } else {
                (Role::Bad, glyphs.no)
            };
            let mut spans = vec![
                look.span(role, format!("{mark} ")),
                look.span(Role::Text, clock.stamp(batch.at.instant())),
                look.span(
                    Role::Muted,
                    format!("  {} of ", count(batch.receipts - batch.mismatched)),
                ),
                look.span(Role::Muted, format!("{} reproduced", count(batch.receipts))),
            ];
            if batch.mismatched > 0 {
                spans.push(look.span(Role::Bad, format!("  {}", differ(batch.mismatched))));
            }
            Line::from(spans)
        }
        Item::Receipt(one) => {
            let fields: Vec<&str> = one
                .mismatches
                .iter()
                .map(|mismatch| mismatch.field.as_str())
                .collect();
            Line::from(vec![
                look.span(Role::Bad, format!("  {} ", glyphs.no)),
                look.span(Role::Accent, format!("{}  ", fields.join(", "))),
                look.span(Role::Text, one.label.clone()),
            ])
        }
    }
}

/// The page of a row.
pub fn page(replayed: &Replayed, place: usize, pane: &Pane<'_>) -> Vec<Line<'static>> {
    let mut page = Page::new(pane);
    match replayed.items.get(place) {
        Some(Item::Batch(batch)) => write_batch(&mut page, batch),
        Some(Item::Receipt(one)) => write_receipt(&mut page, one),
        None => {}
    }
    page.finish()
}

fn write_batch(page: &mut Page<'_>, batch: &Batch) {
    let clock = Clock::of(&batch.at);
    page.pair("batch at", Role::Text, &clock.stamp(batch.at.instant()));
    page.pair("receipts", Role::Text, &count(batch.receipts));
    for (verdict, n) in &batch.verdicts {
        page.pair("", Role::Muted, &format!("{} {verdict}", count(*n)));
    }
    for policy in &batch.policies {
        page.pair("policy", Role::Muted, &policy.to_string());
    }
    page.gap();
    let glyphs = page.glyphs();
    if batch.mismatched == 0 {
        page.item(
            Role::Good,
            glyphs.yes,
            Role::Text,
            "Every receipt was derived again from the stored inputs, field by field the same.",
        );
    } else {
        let text = format!(
            "Of {}, {}: below the batch in the list.",
            count(batch.receipts),
            differ(batch.mismatched)
        );
        page.item(Role::Bad, glyphs.no, Role::Text, &text);
    }
    page.gap();
    page.text(
        Role::Muted,
        "Not proven by a replay: overrides, reverts and supersedes as events, rows no receipt saw, tables of current state.",
    );
}

fn write_receipt(page: &mut Page<'_>, one: &Differing) {
    page.text(Role::Text, &one.label);
    page.text(Role::Muted, &one.id.to_string());
    page.gap();
    let glyphs = page.glyphs();
    let head = |page: &mut Page<'_>| {
        write_beside(
            page,
            &Beside {
                mark: (Role::Muted, " "),
                name: "field",
                name_cells: NAME,
                role: Role::Muted,
                left: "stored",
                right: "replayed",
            },
        );
    };
    match &one.sides {
        Some((stored, Ok(replayed))) => {
            head(page);
            // What differs stands first; what is the same is cut to a line.
            for wanted in [true, false] {
                write_fields(page, one, stored, replayed, wanted);
                page.gap();
            }
        }
        Some((_, Err(why))) => page.item(Role::Bad, glyphs.no, Role::Text, why),
        None => {
            head(page);
            for found in &one.mismatches {
                let side = |side: &Option<String>| {
                    side.as_deref()
                        .map_or_else(|| "none".to_owned(), |text| shown(text).into_owned())
                };
                write_beside(
                    page,
                    &Beside {
                        mark: (Role::Bad, glyphs.no),
                        name: found.field.as_str(),
                        name_cells: NAME,
                        role: Role::Text,
                        left: &side(&found.stored),
                        right: &side(&found.replayed),
                    },
                );
            }
            page.gap();
            page.text(
                Role::Muted,
                "Both sides whole are kept for the first 500 receipts that differ.",
            );
            return;
        }
    }
    write_others(page, one);
}

/// The fields that differ, or those that do not.
fn write_fields(
    page: &mut Page<'_>,
    one: &Differing,
    stored: &Receipt,
    replayed: &Receipt,
    wanted: bool,
) {
    let glyphs = page.glyphs();
    let room = page.pane.width.saturating_sub(NAME + 3) / 2;
    for &field in Field::ALL {
        let differs = one.mismatches.iter().any(|found| found.field == field);
        let (Some(left), Some(right)) = (
            value(stored, field, differs),
            value(replayed, field, differs),
        ) else {
            continue;
        };
        if differs != wanted {
            continue;
        }
        let fitted = |text: String| {
            if differs {
                text
            } else {
                cut_middle(&text, room, glyphs.cut).into_owned()
            }
        };
        let (mark, role) = if differs {
            ((Role::Bad, glyphs.no), Role::Text)
        } else {
            ((Role::Good, glyphs.yes), Role::Muted)
        };
        write_beside(
            page,
            &Beside {
                mark,
                name: field.as_str(),
                name_cells: NAME,
                role,
                left: &fitted(left),
                right: &fitted(right),
            },
        );
    }
}

/// What differs beside the receipt's own fields.
fn write_others(page: &mut Page<'_>, one: &Differing) {
    let glyphs = page.glyphs();
    for found in &one.mismatches {
        let text = match found.field {
            Field::ContentHash => {
                "a row it was graded with was edited in place: its content no longer has its hash"
            }
            Field::Orphan => report::no_side(Field::Orphan),
            Field::Error => {
                let code = found.replayed.as_deref().unwrap_or("refused");
                page.gap();
                let text = format!("grading it again is refused: {}", shown(code));
                page.item(Role::Bad, glyphs.no, Role::Text, &text);
                continue;
            }
            _ => continue,
        };
        page.gap();
        page.item(Role::Bad, glyphs.no, Role::Text, text);
        for side in [&found.stored, &found.replayed].into_iter().flatten() {
            page.indented(2, Role::Muted, &shown(side));
        }
    }
}

/// A field of a receipt as a text; none for what is no field of it. A placeholder grade is shown
/// only where it itself is what differs (§2).
fn value(receipt: &Receipt, field: Field, differs: bool) -> Option<String> {
    let none = || "none".to_owned();
    Some(match field {
        Field::Id => receipt.id.to_string(),
        Field::InputsHash => receipt.inputs_hash.to_string(),
        Field::Grade => match receipt.base_state().state() {
            ReceiptState::Pending if differs => format!("checking ({})", receipt.grade),
            ReceiptState::Pending => "checking".to_owned(),
            _ => receipt.grade.to_string(),
        },
        Field::RuleId => shown(receipt.rule_id.as_str()).into_owned(),
        Field::State => receipt.base_state().state().as_str().to_owned(),
        Field::Agent => receipt.agent.to_string(),
        Field::ClaimId => receipt.claim_id.map_or_else(none, |id| id.to_string()),
        Field::ObservationIds => {
            let ids: Vec<String> = receipt
                .observation_ids
                .iter()
                .map(ToString::to_string)
                .collect();
            if ids.is_empty() {
                none()
            } else {
                ids.join(" ")
            }
        }
        Field::RequestId => receipt
            .request_id
            .as_ref()
            .map_or_else(none, |id| shown(id.as_str()).into_owned()),
        Field::Confidence => receipt.confidence.to_string(),
        Field::Reasons => {
            let codes: Vec<&str> = receipt
                .reasons
                .iter()
                .map(|reason| reason.code().as_str())
                .collect();
            if codes.is_empty() {
                none()
            } else {
                codes.join(" ")
            }
        }
        Field::Signals => {
            let signals: Vec<String> = receipt
                .signals
                .iter()
                .map(|(signal, value)| format!("{} {value}", signal.as_str()))
                .collect();
            if signals.is_empty() {
                none()
            } else {
                signals.join(", ")
            }
        }
        Field::PolicyHash => receipt.policy_hash.to_string(),
        Field::Attribution => {
            let likely = receipt.attribution_likely;
            if likely { "likely".to_owned() } else { none() }
        }
        Field::ComputedAt => receipt.computed_at.to_string(),
        Field::FinalAt => receipt.final_at.map_or_else(none, |at| at.to_string()),
        Field::FinalFrom => receipt.final_from.map_or_else(none, |at| at.to_string()),
        Field::ReceiptInputs
        | Field::Policy
        | Field::Subject
        | Field::Orphan
        | Field::ContentHash
        | Field::Error => return None,
    })
}

/// The screen as lines: the figures, every batch, every receipt that differs with both sides.
///
/// # Errors
/// None.
pub fn plain(facts: &Facts<'_>, pane: &Pane<'_>) -> Result<Vec<String>, String> {
    let replayed = report::run(facts, |_, _| true);
    if let Some(why) = nothing(&replayed) {
        return Ok(vec![why.to_owned()]);
    }
    let look = pane.look;
    let mut out = plain_lines(vec![figures(&replayed, look), by_field(&replayed, look)]);
    for (place, item) in replayed.items.iter().enumerate() {
        match item {
            Item::Batch(_) => out.extend(plain_lines(vec![Line::default(), row(item, look)])),
            Item::Receipt(_) => {
                out.push(String::new());
                out.extend(plain_lines(page(&replayed, place, pane)));
            }
        }
    }
    Ok(out)
}
