//! What was computed by hand beside what the program computed, receipt by receipt.

use attest_grading::model::hashes::scope_receipt_id;
use attest_grading::scenario::format::{Expect, ExpectSubject};
use attest_grading::scenario::{RefName, StoredReceipt};

use super::pages::{Example, exact};
use crate::inspector::panes::tabs::write::Page;
use crate::inspector::screens::reading::{Beside, write_beside};
use crate::inspector::text::{counted, shown};
use crate::inspector::theme::Role;

/// Cells of a field's name.
const NAME: usize = 12;

/// One field of one receipt.
struct Compared {
    /// What the pane calls it.
    name: &'static str,
    /// What the file calls it.
    field: &'static str,
    by_hand: String,
    computed: String,
}

/// Writes the page.
pub fn write(page: &mut Page<'_>, example: &Example<'_>) {
    let differences = &example.walk.outcome.differences;
    let glyphs = page.glyphs();
    if differences.is_empty() {
        page.item(
            Role::Good,
            glyphs.yes,
            Role::Text,
            "Every receipt is what was computed by hand.",
        );
    } else {
        let text = format!(
            "{} from the hand computation.",
            counted(differences.len(), "field differs", "fields differ")
        );
        page.item(Role::Bad, glyphs.no, Role::Text, &text);
    }
    for expect in &example.scenario.expect {
        let (name, stored) = stored(example, expect);
        page.heading(&shown(&name.to_string()));
        let Some(stored) = stored else {
            page.item(Role::Bad, glyphs.no, Role::Text, "there is no such receipt");
            continue;
        };
        write_beside(
            page,
            &Beside {
                mark: (Role::Muted, " "),
                name: "",
                name_cells: NAME,
                role: Role::Muted,
                left: "by hand",
                right: "computed",
            },
        );
        for one in compared(example, expect, stored) {
            let differs = differences
                .iter()
                .any(|found| found.name == name && found.field.starts_with(one.field));
            let mark = if differs {
                (Role::Bad, glyphs.no)
            } else {
                (Role::Good, glyphs.yes)
            };
            write_beside(
                page,
                &Beside {
                    mark,
                    name: one.name,
                    name_cells: NAME,
                    role: Role::Text,
                    left: &one.by_hand,
                    right: &one.computed,
                },
            );
        }
    }
    if example.scenario.expect.is_empty() {
        page.text(Role::Muted, "The file expects nothing of its receipts.");
    }
    for found in differences {
        page.item(Role::Bad, glyphs.no, Role::Text, &shown(&found.to_string()));
    }
}

fn stored<'a>(example: &Example<'a>, expect: &Expect) -> (RefName, Option<&'a StoredReceipt>) {
    let (name, id) = match &expect.subject {
        ExpectSubject::Row(name) => (
            RefName::Row(name.clone()),
            example.walk.world.receipt_id_of(name),
        ),
        ExpectSubject::Scope { agent, scope } => (
            RefName::Scope {
                agent: *agent,
                scope: scope.clone(),
            },
            Some(scope_receipt_id(*agent, scope)),
        ),
    };
    let receipts = &example.walk.outcome.receipts;
    let stored = receipts.iter().find(|one| Some(one.receipt.id) == id);
    (name, stored)
}

fn compared(example: &Example<'_>, expect: &Expect, stored: &StoredReceipt) -> Vec<Compared> {
    let receipt = &stored.receipt;
    let clock = example.clock();
    let mut all = Vec::new();
    let mut add = |name, field, by_hand: Option<String>, computed: String| {
        if let Some(by_hand) = by_hand {
            all.push(Compared {
                name,
                field,
                by_hand,
                computed,
            });
        }
    };
    let none = || "none".to_owned();
    add(
        "grade",
        "grade",
        expect.grade.map(|grade| grade.to_string()),
        receipt.grade.to_string(),
    );
    add(
        "rule",
        "ruleId",
        expect
            .rule_id
            .as_ref()
            .map(|rule| shown(rule.as_str()).into_owned()),
        shown(receipt.rule_id.as_str()).into_owned(),
    );
    add(
        "state",
        "state",
        expect.state.map(|state| state.as_str().to_owned()),
        receipt.state.as_str().to_owned(),
    );
    let refs = |refs: &[Box<str>]| {
        let refs: Vec<_> = refs.iter().map(|one| shown(one)).collect();
        if refs.is_empty() {
            none()
        } else {
            refs.join(", ")
        }
    };
    let evidence: Vec<String> = receipt
        .observation_ids
        .iter()
        .map(|id| example.name(*id))
        .collect();
    add(
        "evidence",
        "observationRefs",
        expect.observation_refs.as_deref().map(refs),
        if evidence.is_empty() {
            none()
        } else {
            evidence.join(", ")
        },
    );
    add(
        "score",
        "score",
        expect
            .score
            .as_deref()
            .map(|score| shown(score).into_owned()),
        stored.graded.floor.map_or_else(none, exact),
    );
    add(
        "raised",
        "raisedScore",
        expect
            .raised_score
            .as_deref()
            .map(|score| shown(score).into_owned()),
        stored.graded.score.map_or_else(none, exact),
    );
    let attributed = stored.graded.context.attribution.as_ref();
    add(
        "likely at",
        "attributionScore",
        expect
            .attribution_score
            .as_deref()
            .map(|score| shown(score).into_owned()),
        attributed.map_or_else(none, |found| {
            exact(attest_grading::decide::Ratio::from_basis_points(
                found.score,
            ))
        }),
    );
    let codes = |codes: Vec<String>| {
        if codes.is_empty() {
            none()
        } else {
            codes.join(", ")
        }
    };
    add(
        "reasons",
        "reasonCodes",
        expect
            .reason_codes
            .as_ref()
            .map(|all| codes(all.iter().map(|code| code.as_str().to_owned()).collect())),
        codes(
            receipt
                .reasons
                .iter()
                .map(|reason| reason.code().as_str().to_owned())
                .collect(),
        ),
    );
    add(
        "final from",
        "finalFrom",
        expect.final_from.map(|at| clock.at(at.instant())),
        receipt
            .final_from
            .map_or_else(none, |at| clock.at(at.instant())),
    );
    add(
        "override",
        "override",
        expect.user_override.map(|grade| grade.grade().to_string()),
        receipt
            .user_override
            .as_ref()
            .map_or_else(none, |user| user.grade.grade().to_string()),
    );
    add(
        "superseded",
        "supersededBy",
        expect
            .superseded_by
            .as_deref()
            .map(|name| shown(name).into_owned()),
        receipt
            .superseded_by
            .map_or_else(none, |claim| example.name(claim)),
    );
    all
}
