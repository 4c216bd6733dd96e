//! The grading reference again, the slow and obvious way: written from the text
//! alone, reading every list whole for every question. It shares the model's
//! types, the loaded policy's numbers and the text functions with the core, and
//! none of its decisions.

pub mod attribute;
mod claimless;
pub mod fixed;
pub mod json;
pub mod pair;
pub mod rational;
pub mod rule;
pub mod sight;
pub mod time;

use std::collections::{BTreeMap, BTreeSet};

use attest_canon::Id;
use attest_grading::model::{
    ActionType, AgentId, Claim, DisplayNumber, Grade, GradeContext, Grant, IsoTs, Observation,
    Receipt, ReceiptSignal, ReceiptState, Signals, Token,
};
use attest_grading::policy::{Policy, Rule};

use crate::world::World;
use pair::Scored;
use rational::Rational;
use rule::{Best, ClaimView};

/// One receipt and what it was graded with.
#[derive(Clone, Debug)]
pub struct Expected {
    pub receipt: Receipt,
    pub grant: Grant,
    pub context: GradeContext,
    pub candidates: Vec<Observation>,
    pub floor: Option<Rational>,
    pub score: Option<Rational>,
}

/// The codes a refusal may carry, where several apply and the text orders none
/// of them before the others.
pub type Refusal = BTreeSet<&'static str>;

struct Batch<'w> {
    world: &'w World,
    evaluated: i64,
    claims: Vec<&'w Claim>,
    history: Vec<&'w Claim>,
    /// Each contentHash once, in candidate order.
    rows: Vec<&'w Observation>,
    /// The claim each observation is assigned to.
    assigned: BTreeMap<Id, Id>,
    /// Observations fixed to a claim that is not graded here, or taken.
    unavailable: BTreeSet<Id>,
}

pub fn grade_batch(world: &World) -> Result<Vec<Expected>, Refusal> {
    let evaluated = time::ms(world.coverage.evaluated_at);
    let mut claims: Vec<&Claim> = Vec::new();
    for claim in &world.claims {
        let known = claims.iter().any(|other| other.id == claim.id);
        if time::ms(claim.observed_at) <= evaluated && !known {
            claims.push(claim);
        }
    }
    refuse_fixed(world, &claims, evaluated)?;

    let mut refusal = Refusal::new();
    for agent in AgentId::ALL {
        if grants_of(world, *agent).len() > 1 {
            refusal.insert("ambiguous_grant");
        }
    }
    if claims
        .iter()
        .any(|claim| grants_of(world, claim.agent).is_empty())
    {
        refusal.insert("missing_grant");
    }
    let in_force: BTreeSet<(Id, Option<Id>)> = world
        .fixed
        .iter()
        .filter(|pair| fixed::in_force(pair, evaluated))
        .map(|pair| (pair.observation_id, pair.claim_id))
        .collect();
    let held: Vec<(Id, Id)> = in_force
        .iter()
        .filter_map(|(row, claim)| Some((*row, (*claim)?)))
        .collect();
    let twice = |key: &dyn Fn(&(Id, Id)) -> Id| {
        held.iter()
            .any(|pair| held.iter().filter(|other| key(other) == key(pair)).count() > 1)
    };
    if twice(&|pair| pair.0) || twice(&|pair| pair.1) {
        refusal.insert("not_one_to_one");
    }
    if !refusal.is_empty() {
        return Err(refusal);
    }

    let mut history: Vec<&Claim> = world
        .history
        .iter()
        .filter(|claim| time::ms(claim.observed_at) <= evaluated)
        .collect();
    let omitted: Vec<&Claim> = claims
        .iter()
        .filter(|claim| !history.iter().any(|other| other.id == claim.id))
        .copied()
        .collect();
    history.extend(omitted);

    let mut batch = Batch {
        world,
        evaluated,
        claims,
        history,
        rows: rows(world, evaluated),
        assigned: BTreeMap::new(),
        unavailable: in_force.iter().map(|(row, _)| *row).collect(),
    };
    batch.assign();

    let mut graded: Vec<Expected> = batch
        .claims
        .iter()
        .map(|claim| batch.grade_claim(claim))
        .collect();
    graded.extend(batch.grade_orphans()?);
    graded.extend(batch.grade_scopes());
    Ok(graded)
}

fn refuse_fixed(world: &World, claims: &[&Claim], evaluated: i64) -> Result<(), Refusal> {
    let pairs = || {
        world
            .fixed
            .iter()
            .filter_map(|pair| Some((pair, pair.claim_id?)))
    };
    if pairs().any(|(pair, _)| pair.after.ms() >= evaluated) {
        return Err(Refusal::from(["stale_evaluated_at"]));
    }
    let open = pairs().any(|(pair, id)| {
        claims.iter().any(|claim| claim.id == id)
            && pair.until.is_none_or(|until| until.ms() >= evaluated)
    });
    if open {
        Err(Refusal::from(["claim_fixed"]))
    } else {
        Ok(())
    }
}

/// The agent's grants at its latest instant at or before the batch's.
fn grants_of(world: &World, agent: AgentId) -> Vec<&Grant> {
    let evaluated = time::ms(world.coverage.evaluated_at);
    let seen: Vec<&Grant> = world
        .grants
        .iter()
        .filter(|grant| grant.agent == agent && time::ms(grant.updated_at) <= evaluated)
        .collect();
    let latest = seen.iter().map(|grant| time::ms(grant.updated_at)).max();
    seen.into_iter()
        .filter(|grant| Some(time::ms(grant.updated_at)) == latest)
        .collect()
}

/// One row per contentHash: the one first seen earliest (§4.1).
fn rows(world: &World, evaluated: i64) -> Vec<&Observation> {
    let mut kept: BTreeMap<String, &Observation> = BTreeMap::new();
    for row in &world.observations {
        if time::ms(row.observed_at) > evaluated {
            continue;
        }
        let rank = |row: &Observation| {
            (
                attribute::first_seen(row),
                time::ms(row.observed_at),
                row.observed_at.to_string(),
                row.sighted_at.map(|at| at.to_string()),
            )
        };
        let key = row.content_hash.to_string();
        if kept.get(&key).is_none_or(|other| rank(row) < rank(other)) {
            kept.insert(key, row);
        }
    }
    let mut rows: Vec<&Observation> = kept.into_values().collect();
    rows.sort_by_key(|row| {
        (
            time::ms(row.occurred_at),
            row.id.to_string(),
            row.content_hash.to_string(),
        )
    });
    rows
}

/// Whether a row, the first sighting of its content, may be the claim's evidence (§4.1).
pub fn is_candidate(claim: &Claim, row: &Observation, policy: &Policy) -> bool {
    let bound = time::unit(claim).0 - policy.windows().before_claim_ms;
    row.action == claim.action
        && policy.sources(claim.action).contains(&row.source)
        && time::window(claim, policy)
            .is_some_and(|window| time::holds(window, time::ms(row.occurred_at)))
        && (claim.action != ActionType::CalendarCreated || attribute::first_seen(row) >= bound)
}

impl<'w> Batch<'w> {
    fn assign(&mut self) {
        let policy = &self.world.policy;
        let mut pairs: Vec<(Rational, &Claim, &Observation)> = Vec::new();
        for claim in &self.claims {
            if !pair::is_assignable(claim, policy) {
                continue;
            }
            for row in &self.rows {
                if is_candidate(claim, row, policy) && !self.unavailable.contains(&row.id) {
                    let score = pair::score(claim, row, policy).score;
                    if score.at_least(policy.thresholds().partial) {
                        pairs.push((score, claim, row));
                    }
                }
            }
        }
        pairs.sort_by(|a, b| {
            let key = |pair: &(Rational, &Claim, &Observation)| {
                (
                    time::ms(pair.1.claimed_at),
                    pair.1.id.to_string(),
                    pair.2.id.to_string(),
                )
            };
            b.0.cmp(&a.0).then_with(|| key(a).cmp(&key(b)))
        });
        for (_, claim, row) in pairs {
            let busy = self.assigned.values().any(|id| *id == claim.id);
            if !busy && !self.assigned.contains_key(&row.id) {
                self.assigned.insert(row.id, claim.id);
            }
        }
    }

    /// The claim's own candidates, less those others hold or that are taken.
    fn exclusive(&self, claim: &Claim) -> Vec<&'w Observation> {
        self.rows
            .iter()
            .filter(|row| {
                is_candidate(claim, row, &self.world.policy)
                    && !self.unavailable.contains(&row.id)
                    && self
                        .assigned
                        .get(&row.id)
                        .is_none_or(|holder| *holder == claim.id)
            })
            .copied()
            .collect()
    }

    fn prior_spend(&self, claim: &Claim, grant: &Grant) -> i64 {
        let policy = &self.world.policy;
        if !policy.is_spend_type(claim.action) {
            return 0;
        }
        let at = time::ms(claim.claimed_at);
        let currency = |claim: &Claim| claim.currency.or(grant.spend_currency);
        let mut counted: BTreeMap<String, i64> = BTreeMap::new();
        for other in &self.history {
            let then = time::ms(other.claimed_at);
            let before = (then, other.id.to_string()) < (at, claim.id.to_string());
            if other.id != claim.id
                && other.agent == claim.agent
                && policy.is_spend_type(other.action)
                && currency(other) == currency(claim)
                && then >= at - policy.windows().spend_window_ms
                && before
                && let Some(amount) = other.amount
            {
                counted.insert(other.id.to_string(), amount.get());
            }
        }
        counted.values().sum()
    }

    fn grade_claim(&self, claim: &'w Claim) -> Expected {
        let world = self.world;
        let policy = &world.policy;
        let grant = grants_of(world, claim.agent)[0];
        let context = GradeContext {
            prior_spend_cents: self.prior_spend(claim, grant),
            model_scores: world.model_scores.get(&claim.id).cloned(),
            ..GradeContext::default()
        };
        let candidates = self.exclusive(claim);
        let mut scored: Vec<(&Observation, Scored)> = Vec::new();
        if pair::is_assignable(claim, policy) {
            for row in &candidates {
                scored.push((row, pair::score(claim, row, policy)));
            }
        }
        scored.sort_by(|a, b| {
            let ids = || a.0.id.to_string().cmp(&b.0.id.to_string());
            b.1.score.cmp(&a.1.score).then_with(ids)
        });
        let best = scored
            .into_iter()
            .next()
            .map(|(row, scored)| rule::raise(row, scored, &context, policy));
        let mine = |row: &&Observation| self.assigned.get(&row.id) == Some(&claim.id);
        let view = ClaimView {
            claim,
            grant,
            policy,
            context: &context,
            sights: sight::sights(claim, grant, &world.coverage, policy),
            best,
            assigned: self.rows.iter().find(|row| mine(row)).copied(),
        };
        let matched = view.matched();
        let finality = view.finality(matched, self.evaluated);
        let grade = matched.map_or(Grade::Unverifiable, |rule| rule.then.grade());
        let mut receipt = self.receipt(
            json::claim_receipt(claim.id),
            claim.agent,
            grade,
            matched,
            finality,
        );
        receipt.claim_id = Some(claim.id);
        receipt.request_id.clone_from(&claim.request_id);
        receipt.observation_ids = view.assigned.iter().map(|row| row.id).collect();
        receipt.confidence = view.confidence(grade).display();
        receipt.reasons = view.reasons(matched, finality.is_ok());
        if let Some(best) = &view.best {
            receipt.signals = signals(best, &context);
        }
        receipt.inputs_hash = json::inputs_hash(
            Some(claim),
            &candidates,
            grant,
            policy.hash(),
            &world.coverage,
            &context,
        );
        Expected {
            receipt,
            grant: grant.clone(),
            floor: view.best.as_ref().map(|best| best.scored.score.clone()),
            score: view.best.as_ref().map(|best| best.raised.clone()),
            candidates: candidates.into_iter().cloned().collect(),
            context,
        }
    }

    /// What every receipt of the batch shares; the caller fills the rest.
    fn receipt(
        &self,
        id: Id,
        agent: AgentId,
        grade: Grade,
        matched: Option<&Rule>,
        finality: Result<(), i64>,
    ) -> Receipt {
        let evaluated_at = self.world.coverage.evaluated_at;
        let written = |ms: i64| {
            IsoTs::computed(
                attest_grading::model::Instant::from_ms(ms),
                evaluated_at.offset_minutes(),
            )
        };
        Receipt {
            id,
            agent,
            claim_id: None,
            observation_ids: Vec::new(),
            request_id: None,
            grade,
            rule_id: matched.map_or_else(Token::default_unverifiable, |rule| rule.id.clone()),
            state: if finality.is_ok() {
                ReceiptState::Final
            } else {
                ReceiptState::Pending
            },
            confidence: DisplayNumber::ZERO,
            reasons: Vec::new(),
            signals: Signals::default(),
            inputs_hash: attest_canon::sha256(b""),
            policy_hash: self.world.policy.hash(),
            attribution_likely: false,
            computed_at: evaluated_at,
            final_at: finality.is_ok().then_some(evaluated_at),
            final_from: finality.err().map(written),
            user_override: None,
            reverted: Vec::new(),
            superseded_by: None,
        }
    }
}

fn signals(best: &Best<'_>, context: &GradeContext) -> Signals {
    let mut signals = Signals::default();
    for (feature, value) in &best.scored.features {
        signals.set(feature.signal(), value.display());
    }
    if let Some(model) = rule::model_score(best.row, context) {
        signals.set(ReceiptSignal::ModelScore, model.display());
    }
    signals.set(ReceiptSignal::Score, best.raised.display());
    signals
}
