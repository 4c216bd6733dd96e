//! One grade: rules, finality, reasons and the receipt they make (§6, §8).

use attest_canon::{Digest, Id};

use crate::model::hashes::{claim_receipt_id, inputs_hash, scope_receipt_id, unasked_receipt_id};
use crate::model::{DisplayNumber, Grade, IsoTs, Outcome, Receipt, ReceiptState, Signals, Token};
use crate::policy::Rule;

use super::conditions::{GradeInput, Judge, Subject};
use super::features::AddressMatch;
use super::finality::{Finality, finality};
use super::ratio::Ratio;
use super::reasons::reasons;

/// The hashes of what a grade reads, made once per batch where they can be.
#[derive(Clone, Copy, Debug)]
pub struct InputHashes {
    /// Of the candidates handed to the grade.
    pub candidates: Digest,
    /// Of the grant.
    pub grant: Digest,
    /// Of the coverage.
    pub coverage: Digest,
}

/// What was decided, before it is written down as a receipt.
#[derive(Debug)]
pub struct Decision<'a> {
    /// The rule that matched; none for the terminal `default_unverifiable`.
    pub rule: Option<&'a Rule>,
    /// What it concludes.
    pub outcome: Outcome,
    /// Whether yet.
    pub finality: Finality,
}

/// Decides: the first rule that matches, then whether it is final (§6, §8).
///
/// Without a claim only an orphan's UNASKED and a scope's OVER_SCOPE are
/// concluded: whatever else a rule says of it, the receipt is the terminal
/// rule's (§8).
#[must_use]
pub fn decide<'a>(judge: &Judge<'a>) -> Decision<'a> {
    let concludes = |rule: &&Rule| match judge.input().subject {
        Subject::Claim { .. } => true,
        Subject::Orphan { .. } => rule.then == Outcome::Unasked,
        Subject::Scope { .. } => rule.then == Outcome::OverScope,
    };
    let matched = judge.first_match(judge.input().assigned());
    let rule = matched.filter(concludes);
    let outcome = rule.map_or(Outcome::Unverifiable, |rule| rule.then);
    Decision {
        rule,
        outcome,
        finality: finality(judge, outcome, rule),
    }
}

/// The receipt of a decision. `address` and `signals` speak of the best
/// candidate.
pub(crate) fn receipt(
    judge: &Judge<'_>,
    decision: &Decision<'_>,
    hashes: &InputHashes,
    address: Option<AddressMatch>,
    signals: Signals,
) -> Receipt {
    let input = judge.input();
    let Decision {
        rule,
        outcome,
        finality,
    } = decision;
    let is_final = finality.is_final;
    let (id, claim, observation_ids) = subject_of(input, *outcome);
    let offset = input.evaluated_at.offset_minutes();
    Receipt {
        id,
        agent: agent_of(input),
        claim_id: claim.map(|claim| claim.id),
        observation_ids,
        request_id: claim.and_then(|claim| claim.request_id.clone()),
        grade: outcome.grade(),
        rule_id: rule.map_or_else(Token::default_unverifiable, |rule| rule.id.clone()),
        state: if is_final {
            ReceiptState::Final
        } else {
            ReceiptState::Pending
        },
        confidence: confidence(input, *outcome),
        reasons: reasons(judge, *outcome, *rule, is_final, address),
        signals,
        inputs_hash: inputs_hash(
            claim,
            hashes.candidates,
            hashes.grant,
            input.policy.hash(),
            hashes.coverage,
            input.context,
        ),
        policy_hash: input.policy.hash(),
        attribution_likely: outcome.grade() == Grade::Unasked,
        computed_at: input.evaluated_at,
        final_at: is_final.then_some(input.evaluated_at),
        final_from: finality.final_from.map(|at| IsoTs::computed(at, offset)),
        user_override: None,
        reverted: Vec::new(),
        superseded_by: None,
    }
}

/// Receipt id, claim and evidence (§3, §8).
fn subject_of<'a>(
    input: &GradeInput<'a>,
    outcome: Outcome,
) -> (Id, Option<&'a crate::model::Claim>, Vec<Id>) {
    match input.subject {
        Subject::Claim { claim, .. } => {
            let evidence = input.assigned().map(|row| row.id);
            (
                claim_receipt_id(claim.id),
                Some(claim),
                evidence.into_iter().collect(),
            )
        }
        Subject::Orphan { orphan } => {
            let evidence = (outcome == Outcome::Unasked).then_some(orphan.id);
            (
                unasked_receipt_id(orphan.id),
                None,
                evidence.into_iter().collect(),
            )
        }
        Subject::Scope { agent, scope } => (scope_receipt_id(agent, scope), None, Vec::new()),
    }
}

fn agent_of(input: &GradeInput<'_>) -> crate::model::AgentId {
    match input.subject {
        Subject::Claim { claim, .. } => claim.agent,
        Subject::Orphan { .. } => input
            .context
            .attribution
            .as_ref()
            .map_or(input.grant.agent, |found| found.agent),
        Subject::Scope { agent, .. } => agent,
    }
}

/// §6.4; of a PENDING receipt by its placeholder grade.
fn confidence(input: &GradeInput<'_>, outcome: Outcome) -> DisplayNumber {
    match outcome.grade() {
        Grade::Verified | Grade::Partial => input
            .best
            .map_or(DisplayNumber::ZERO, |best| best.score.display()),
        Grade::NotFound | Grade::OverScope => DisplayNumber::ONE,
        Grade::Unasked => {
            let score = input.context.attribution.as_ref().map(|found| found.score);
            Ratio::from_basis_points(score.unwrap_or_default()).display()
        }
        Grade::Unverifiable => DisplayNumber::ZERO,
    }
}
