//! Receipts without a claim: orphans an agent likely made, and scopes nobody
//! declared (§3, §6.1, §7).

use attest_canon::jcs::utf16_order;
use attest_grading::model::reason::Params;
use attest_grading::model::{AgentId, DisplayNumber, Grade, GradeContext, Outcome, ReasonCode};

use super::rational::Rational;
use super::rule::{self, ClaimlessView};
use super::{Batch, Expected, Refusal, attribute, grants_of, json};

impl Batch<'_> {
    pub fn grade_orphans(&self) -> Result<Vec<Expected>, Refusal> {
        let world = self.world;
        let policy = &world.policy;
        let mut graded = Vec::new();
        for row in &self.rows {
            let held = self.unavailable.contains(&row.id) || self.assigned.contains_key(&row.id);
            if held || !attribute::is_orphan(row, &world.coverage, policy) {
                continue;
            }
            let activity = &world.activity;
            let found = attribute::attribute(row, activity, &self.history, policy, self.evaluated);
            let Some(attribution) = found else {
                continue;
            };
            let Some(grant) = grants_of(world, attribution.agent).first().copied() else {
                return Err(Refusal::from(["missing_grant"]));
            };
            let agent = attribution.agent;
            let confidence = Rational::of(attribution.score).display();
            let context = GradeContext {
                attribution: Some(attribution),
                ..GradeContext::default()
            };
            let view = ClaimlessView {
                grant,
                policy,
                context: &context,
                orphan: Some(row),
            };
            let matched = view.matched();
            if matched.is_none_or(|rule| rule.then != Outcome::Unasked) {
                continue;
            }
            let mut receipt = self.receipt(
                json::unasked_receipt(row.id),
                agent,
                Grade::Unasked,
                matched,
                view.unasked_finality(&world.coverage),
            );
            receipt.observation_ids = vec![row.id];
            receipt.attribution_likely = true;
            receipt.confidence = confidence;
            receipt.reasons = view.unasked_reasons();
            receipt.inputs_hash = json::inputs_hash(
                None,
                &[row],
                grant,
                policy.hash(),
                &world.coverage,
                &context,
            );
            graded.push(Expected {
                receipt,
                grant: grant.clone(),
                context,
                candidates: vec![(*row).clone()],
                floor: None,
                score: None,
            });
        }
        Ok(graded)
    }

    pub fn grade_scopes(&self) -> Vec<Expected> {
        let world = self.world;
        let policy = &world.policy;
        let mut agents: Vec<AgentId> = AgentId::ALL.to_vec();
        agents.sort_by_key(ToString::to_string);
        let mut graded = Vec::new();
        for agent in agents {
            let Some(grant) = grants_of(world, agent).first().copied() else {
                continue;
            };
            let mut scopes = grant.observed_scopes.clone();
            scopes.sort_by(|a, b| utf16_order(a, b));
            scopes.dedup();
            for scope in scopes {
                let context = GradeContext {
                    scope: Some(scope.clone()),
                    ..GradeContext::default()
                };
                let view = ClaimlessView {
                    grant,
                    policy,
                    context: &context,
                    orphan: None,
                };
                let matched = view.matched();
                if matched.is_none_or(|rule| rule.then != Outcome::OverScope) {
                    continue;
                }
                let mut receipt = self.receipt(
                    json::scope_receipt(agent, &scope),
                    agent,
                    Grade::OverScope,
                    matched,
                    Ok(()),
                );
                receipt.confidence = DisplayNumber::ONE;
                receipt.reasons = vec![rule::reason(
                    ReasonCode::ScopeObservedNotDeclared,
                    Params::Scope {
                        scope_hash: attest_canon::sha256(scope.as_bytes()),
                    },
                )];
                receipt.inputs_hash =
                    json::inputs_hash(None, &[], grant, policy.hash(), &world.coverage, &context);
                graded.push(Expected {
                    receipt,
                    grant: grant.clone(),
                    context,
                    candidates: Vec::new(),
                    floor: None,
                    score: None,
                });
            }
        }
        graded
    }
}
