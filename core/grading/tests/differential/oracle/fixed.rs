//! Pre-assignments from stored receipts (§4.3), as spells of batch instants
//! `(from, to]` in which a claim holds an observation or an orphan is taken.

use attest_canon::Id;
use attest_grading::decide::PreAssignment;
use attest_grading::model::{BaseState, Grade, OverrideGrade, Receipt, ReceiptState};

use super::time::ms;

/// Whether a pre-assignment is in force in a batch at an instant.
pub fn in_force(pair: &PreAssignment, at: i64) -> bool {
    let after = pair.after.ms() < at;
    let until = pair.until.is_none_or(|until| at <= until.ms());
    let released = pair
        .released
        .iter()
        .any(|span| span.from.ms() < at && span.to.is_none_or(|to| at <= to.ms()));
    after && until && !released
}

#[derive(Clone, Debug)]
pub struct Spell {
    pub claim: Id,
    pub observation: Id,
    pub grading: i64,
    pub from: i64,
    pub to: Option<i64>,
    pub by_revert: bool,
    /// A pair without `until`: that of a standing grade or override.
    pub standing: bool,
}

/// An override of a receipt, standing or taken back.
struct Said {
    grade: OverrideGrade,
    at: i64,
    to: Option<i64>,
    previous: BaseState,
    grading: i64,
    observations: Vec<Id>,
}

fn said(receipt: &Receipt) -> Vec<Said> {
    let mut all: Vec<Said> = receipt
        .reverted
        .iter()
        .map(|entry| Said {
            grade: entry.grade,
            at: ms(entry.at),
            to: Some(ms(entry.reverted_at)),
            previous: entry.previous_state,
            grading: ms(entry.computed_at),
            observations: entry.observation_ids.clone(),
        })
        .collect();
    if let Some(user) = &receipt.user_override {
        all.push(Said {
            grade: user.grade,
            at: ms(user.at),
            to: None,
            previous: user.previous_state,
            grading: ms(receipt.computed_at),
            observations: receipt.observation_ids.clone(),
        });
    }
    all
}

fn spells_of(receipt: &Receipt, claim: Id) -> Vec<Spell> {
    let mut out = Vec::new();
    let all = said(receipt);
    // Overrides from PENDING to VERIFIED.
    for (at, one) in all.iter().enumerate() {
        if one.previous != BaseState::Pending || one.grade != OverrideGrade::Verified {
            continue;
        }
        let before = all[..at]
            .last()
            .filter(|before| before.grading == one.grading);
        let revert = before.and_then(|before| before.to);
        for observation in &one.observations {
            out.push(Spell {
                claim,
                observation: *observation,
                grading: one.grading,
                from: revert.map_or(one.grading, |revert| revert.max(one.grading)),
                to: one.to,
                by_revert: revert.is_some(),
                standing: one.to.is_none(),
            });
        }
    }
    // A FINAL grading, less the spans in which a person said NOT_FOUND.
    let is_final = match (&receipt.user_override, receipt.state) {
        (Some(user), _) => user.previous_state == BaseState::Final,
        (None, state) => state == ReceiptState::Final,
    };
    if is_final {
        let grading = ms(receipt.computed_at);
        for observation in &receipt.observation_ids {
            let mut from = Some((grading, false));
            for one in &all {
                if one.grading != grading
                    || one.previous != BaseState::Final
                    || one.grade != OverrideGrade::NotFound
                {
                    continue;
                }
                let (begun, by_revert) = from.unwrap();
                out.push(Spell {
                    claim,
                    observation: *observation,
                    grading,
                    from: begun,
                    to: Some(one.at),
                    by_revert,
                    standing: true,
                });
                from = one.to.map(|to| (to, true));
            }
            if let Some((begun, by_revert)) = from {
                out.push(Spell {
                    claim,
                    observation: *observation,
                    grading,
                    from: begun,
                    to: None,
                    by_revert,
                    standing: true,
                });
            }
        }
    }
    out
}

/// What the stored receipts hold: claims' spells, kept or dropped, and taken spans.
#[derive(Debug)]
pub struct Holdings {
    pub kept: Vec<Spell>,
    pub dropped: Vec<Spell>,
    /// The observation, from, to.
    pub taken: Vec<(Id, i64, Option<i64>)>,
}

pub fn holdings(receipts: &[Receipt]) -> Holdings {
    let mut spells = Vec::new();
    let mut taken = Vec::new();
    for receipt in receipts {
        if let Some(claim) = receipt.claim_id {
            spells.extend(spells_of(receipt, claim));
        } else if receipt.grade == Grade::Unasked {
            for one in said(receipt) {
                for observation in &one.observations {
                    taken.push((*observation, one.at.max(one.grading), one.to));
                }
            }
        }
    }
    spells.sort_by_key(|spell| (spell.from, spell.by_revert, spell.claim.to_string()));
    let mut kept: Vec<Spell> = Vec::new();
    let mut dropped: Vec<Spell> = Vec::new();
    for spell in spells {
        let same = |other: &&Spell| {
            other.claim == spell.claim
                && other.observation == spell.observation
                && other.grading == spell.grading
        };
        let gone = dropped.iter().any(|other| same(&other));
        let contested = kept.iter().any(|other| {
            other.observation == spell.observation
                && other.claim != spell.claim
                && other.from <= spell.from
                && other.to.is_none_or(|to| spell.from < to)
        });
        if spell.by_revert && (gone || contested) {
            dropped.push(spell);
        } else {
            kept.push(spell);
        }
    }
    Holdings {
        kept,
        dropped,
        taken,
    }
}

impl Holdings {
    /// The pairs in force in a batch at an instant, as text, sorted, each once.
    pub fn in_force_at(&self, at: i64) -> Vec<(String, Option<String>)> {
        let held = self
            .kept
            .iter()
            .filter(|spell| spell.from < at && spell.to.is_none_or(|to| at <= to))
            .map(|spell| (spell.observation.to_string(), Some(spell.claim.to_string())));
        let taken = self
            .taken
            .iter()
            .filter(|(_, from, to)| *from < at && to.is_none_or(|to| at <= to))
            .map(|(observation, ..)| (observation.to_string(), None));
        let mut pairs: Vec<_> = held.chain(taken).collect();
        pairs.sort();
        pairs.dedup();
        pairs
    }

    /// Claims with a grading at or after an instant among their pairs.
    pub fn graded_from(&self, at: i64) -> Vec<String> {
        let late = self.kept.iter().filter(|spell| spell.grading >= at);
        let mut claims: Vec<String> = late.map(|spell| spell.claim.to_string()).collect();
        claims.sort();
        claims.dedup();
        claims
    }

    /// Claims named by a pair that has not ended by an instant: only a
    /// reverted override from PENDING ends one.
    pub fn not_ended_by(&self, at: i64) -> Vec<String> {
        let open = self
            .kept
            .iter()
            .filter(|spell| spell.standing || spell.to.is_none_or(|to| at <= to));
        let mut claims: Vec<String> = open.map(|spell| spell.claim.to_string()).collect();
        claims.sort();
        claims.dedup();
        claims
    }
}
