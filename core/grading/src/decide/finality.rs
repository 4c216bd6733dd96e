//! When a receipt is decided (§8). Rules decide what; this decides whether yet.

use crate::model::{Instant, Outcome};
use crate::policy::{Condition, Rule};

use super::conditions::{Judge, Subject};

/// What finality waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Waiting {
    /// Nothing: the outcome follows from facts that cannot change.
    Nothing,
    /// Every relevant source syncs at or after this instant.
    Sync(Instant),
    /// A batch at or after this instant.
    Time(Instant),
    /// The agent's log is imported, or a batch runs, at or after these.
    Import {
        /// The agent's adapter must sync at or after this.
        adapter: Instant,
        /// Or a batch be evaluated at or after this.
        deadline: Instant,
    },
}

impl Waiting {
    /// From when a grading can be FINAL (`finalFrom`, v1.18).
    #[must_use]
    pub fn from(self) -> Option<Instant> {
        match self {
            Self::Nothing => None,
            Self::Sync(at) | Self::Time(at) => Some(at),
            Self::Import { adapter, deadline } => Some(adapter.min(deadline)),
        }
    }
}

/// Whether a receipt is FINAL, and what was asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Finality {
    /// It is.
    pub is_final: bool,
    /// What it waits, or waited, for.
    pub waiting: Waiting,
    /// From when a later grading can make it FINAL; none when it is.
    pub final_from: Option<Instant>,
}

/// Decides finality (`isFinalizable`). `rule` is the matched rule, or none for
/// the terminal one.
#[must_use]
pub fn finality(judge: &Judge<'_>, outcome: Outcome, rule: Option<&Rule>) -> Finality {
    let input = judge.input();
    let at = input.evaluated_at.instant();
    let waiting = waiting(judge, outcome, rule);
    let synced_by = |needed: Instant| match input.subject {
        Subject::Claim { claim, .. } => input
            .coverage
            .all_synced_by(input.policy.sources(claim.action), needed),
        _ => true,
    };
    let is_final = match waiting {
        Waiting::Nothing => true,
        Waiting::Sync(needed) => synced_by(needed),
        Waiting::Time(needed) => at >= needed,
        Waiting::Import { adapter, deadline } => {
            let attribution = input.context.attribution.as_ref();
            let imported = attribution.and_then(|found| found.adapter_last_sync_at);
            imported.is_some_and(|sync| sync.instant() >= adapter) || at >= deadline
        }
    };
    // A pending outcome whose sources have synced can be decided by the next
    // grading, so it names its grace even past its deadline (readings 49).
    let from = match (outcome, input.subject) {
        (Outcome::Pending, Subject::Claim { facts, .. }) => Some(facts.deadlines.whole_window),
        _ => waiting.from(),
    };
    Finality {
        is_final,
        waiting,
        final_from: from.filter(|_| !is_final),
    }
}

fn waiting(judge: &Judge<'_>, outcome: Outcome, rule: Option<&Rule>) -> Waiting {
    let input = judge.input();
    let windows = input.policy.windows();
    let (claim, facts) = match input.subject {
        Subject::Claim { claim, facts } => (claim, facts),
        Subject::Orphan { orphan } if outcome == Outcome::Unasked => {
            let anchor = orphan.anchor();
            return Waiting::Import {
                adapter: anchor.plus(windows.before_claim_ms).plus(windows.grace_ms),
                deadline: anchor.plus(windows.finalize_unverifiable_ms),
            };
        }
        Subject::Orphan { .. } | Subject::Scope { .. } => return Waiting::Nothing,
    };
    let deadlines = facts.deadlines;
    match outcome {
        Outcome::Verified => Waiting::Sync(deadlines.grace),
        Outcome::Partial | Outcome::NotFound => Waiting::Sync(deadlines.whole_window),
        // Judged for the grade: OVER_SCOPE by the claim alone, whatever the
        // rule, needs no evidence and waits for none (readings 5, 38).
        Outcome::OverScope => match judge.first_match(None) {
            Some(rule) if rule.then == Outcome::OverScope => Waiting::Nothing,
            _ => Waiting::Sync(deadlines.whole_window),
        },
        Outcome::Unverifiable if is_intrinsic(rule) => Waiting::Nothing,
        Outcome::Unverifiable if input.policy.sources(claim.action).is_empty() => Waiting::Nothing,
        // UNASKED never concludes a claim: its rule names `unaskedLikely`.
        Outcome::Unverifiable | Outcome::Pending | Outcome::Unasked => {
            Waiting::Time(deadlines.give_up)
        }
    }
}

/// Whether the rule reads a fact of the claim itself that nothing can change
/// (readings 39).
fn is_intrinsic(rule: Option<&Rule>) -> bool {
    rule.is_some_and(|rule| {
        rule.when.iter().any(|condition| {
            matches!(
                condition,
                Condition::TargetMissing(true) | Condition::Underspecified(true)
            )
        })
    })
}
