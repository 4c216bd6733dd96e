//! Reads the rules of a policy, and the evidence each must name (§6).

use std::collections::BTreeSet;

use crate::model::{Outcome, Token};

use super::problem::{PolicyError, Refusal};
use super::rules::{Condition, Level, Rule, Threshold};
use super::spot::Spot;

/// The only rule that may conclude PENDING (§5.3).
const PENDING_RULE: &str = "pending";

/// The rule that matches when no other does. No document lists it (§6), and a
/// listed rule of that id could not be told from it on a receipt.
const TERMINAL_RULE: &str = "default_unverifiable";

/// Conditions that take `true` or `false`.
const FLAGS: &[fn(bool) -> Condition] = &[
    Condition::TypeNotInGrant,
    Condition::CounterpartyNotAllowed,
    Condition::AmountAboveCeiling,
    Condition::CumulativeAboveCeiling,
    Condition::ObservedScopeExceedsDeclared,
    Condition::TargetMissing,
    Condition::Underspecified,
    Condition::GraceElapsed,
    Condition::UnaskedLikely,
];

/// Conditions that take the name of a threshold.
const SCORES: &[fn(Threshold) -> Condition] = &[Condition::BestScoreGte, Condition::BestScoreLt];

/// Evidence a grade asserts: at least one of these conditions.
type Need = (&'static [Condition], Refusal);

/// The evidence a rule must name to conclude an outcome (§6).
const fn evidence(then: Outcome) -> &'static [Need] {
    use Condition as C;
    match then {
        Outcome::Verified => &[(
            &[C::BestScoreGte(Threshold::Verified)],
            Refusal::VerifiedWithoutScore,
        )],
        Outcome::Partial => &[(
            &[
                C::BestScoreGte(Threshold::Verified),
                C::BestScoreGte(Threshold::Partial),
            ],
            Refusal::PartialWithoutScore,
        )],
        Outcome::NotFound => &[
            (&[C::GraceElapsed(true)], Refusal::NotFoundWithoutGrace),
            (
                &[C::Coverage(Level::Full)],
                Refusal::NotFoundWithoutCoverage,
            ),
            (
                &[C::BestScoreLt(Threshold::Partial)],
                Refusal::NotFoundWithoutScore,
            ),
        ],
        Outcome::Unasked => &[(
            &[C::UnaskedLikely(true)],
            Refusal::UnaskedWithoutAttribution,
        )],
        Outcome::OverScope => &[(
            &[
                C::ObservedScopeExceedsDeclared(true),
                C::TypeNotInGrant(true),
                C::CounterpartyNotAllowed(true),
                C::AmountAboveCeiling(true),
                C::CumulativeAboveCeiling(true),
            ],
            Refusal::OverScopeWithoutExcess,
        )],
        Outcome::Unverifiable | Outcome::Pending => &[],
    }
}

/// Reads the rules in order. A list without rules is legal (everything then
/// ends on the terminal rule), and so is a rule without conditions
/// (readings 47).
pub(super) fn read_rules(at: &Spot<'_>, faults: &mut PolicyError) -> Option<Vec<Rule>> {
    let mut ids = BTreeSet::new();
    at.elements(faults, |at, faults| read_rule(at, &mut ids, faults))
}

fn read_rule(at: &Spot<'_>, ids: &mut BTreeSet<Token>, faults: &mut PolicyError) -> Option<Rule> {
    let [id_at, when_at, then_at] = at.members(["id", "when", "then"], faults);
    let id = id_at.as_ref().and_then(|at| read_id(at, ids, faults));
    let then = then_at
        .as_ref()
        .and_then(|at| at.word(Refusal::NotOutcome, faults, Outcome::parse));
    if let (Some(id), Some(Outcome::Pending), Some(at)) = (&id, then, &then_at)
        && id.as_str() != PENDING_RULE
    {
        at.refuse(Refusal::PendingElsewhere, faults);
    }
    let when = when_at.as_ref().and_then(|at| read_when(at, then, faults));
    Some(Rule {
        id: id?,
        when: when?,
        then: then?,
    })
}

fn read_id(at: &Spot<'_>, ids: &mut BTreeSet<Token>, faults: &mut PolicyError) -> Option<Token> {
    let id = at.word(Refusal::NotToken, faults, Token::parse)?;
    if id.as_str() == TERMINAL_RULE {
        at.refuse(Refusal::TerminalRule, faults);
    } else if !ids.insert(id.clone()) {
        at.refuse(Refusal::RepeatedRule, faults);
    }
    Some(id)
}

/// Reads the conditions, and holds them against the evidence of the outcome.
/// A condition that cannot be read is no evidence either.
fn read_when(
    at: &Spot<'_>,
    then: Option<Outcome>,
    faults: &mut PolicyError,
) -> Option<Vec<Condition>> {
    let mut when = Vec::new();
    let mut whole = true;
    for (key, member) in at.entries(faults)? {
        match read_condition(key, &member, faults) {
            Some(condition) => when.push(condition),
            None => whole = false,
        }
    }
    when.sort_unstable();
    for (any_of, refusal) in then.map_or(&[][..], evidence) {
        if any_of.iter().any(|condition| when.contains(condition)) {
            continue;
        }
        // Where one key can hold the evidence, the fault is that key's.
        match any_of {
            [first, rest @ ..] if rest.iter().all(|other| other.key() == first.key()) => {
                at.refuse_member(first.key(), *refusal, faults);
            }
            _ => at.refuse(*refusal, faults),
        }
    }
    whole.then_some(when)
}

fn read_condition(key: &str, at: &Spot<'_>, faults: &mut PolicyError) -> Option<Condition> {
    if key == Condition::Coverage(Level::None).key() {
        return at
            .word(Refusal::NotLevel, faults, Level::parse)
            .map(Condition::Coverage);
    }
    if let Some(flag) = FLAGS.iter().find(|flag| flag(true).key() == key) {
        return at.boolean(faults).map(flag);
    }
    if let Some(score) = SCORES
        .iter()
        .find(|score| score(Threshold::Partial).key() == key)
    {
        return at
            .word(Refusal::NotThreshold, faults, Threshold::parse)
            .map(score);
    }
    at.refuse(Refusal::UnknownMember, faults);
    None
}
