//! Grants, activity, fixed pairs and model scores.

use std::collections::BTreeMap;

use attest_canon::{Id, sha256};
use attest_grading::decide::{PreAssignment, Released};
use attest_grading::model::{
    ActionType, Activity, AdapterSync, AgentId, BasisPoints, Cents, Claim, Entry, Grant, Idle,
    Instant, ModelScore, Observation, Session, Source,
};

use super::maker::{MINUTE, Maker};
use super::texts::{ALLOWLIST, SCOPES};
use crate::oracle::attribute;

impl Maker {
    pub fn grants(&mut self) -> Vec<Grant> {
        let mut grants = Vec::new();
        let mut agents = self.agents.clone();
        if self.random.percent(20) {
            agents = AgentId::ALL.to_vec();
        }
        for agent in agents {
            if self.random.percent(1) {
                continue;
            }
            let copies = if self.random.percent(5) { 2 } else { 1 };
            for _ in 0..copies {
                let updated = *self.random.pick(&[
                    self.base - 86_400_000,
                    self.base - 86_400_001,
                    self.base - 3 * 86_400_000,
                    self.evaluated,
                ]);
                let updated = if copies == 2 && self.random.percent(20) {
                    self.evaluated + 1
                } else {
                    updated
                };
                let grant = self.grant(agent, updated);
                grants.push(grant);
            }
        }
        grants
    }

    pub fn grant(&mut self, agent: AgentId, updated: i64) -> Grant {
        let mut allowed_types = ActionType::ALL.to_vec();
        if self.random.percent(6) {
            let gone = *self.random.pick(&self.types);
            allowed_types.retain(|action| *action != gone);
        }
        self.random.shuffle(&mut allowed_types);
        let texts =
            |texts: Vec<&str>| -> Vec<Box<str>> { texts.into_iter().map(Into::into).collect() };
        let allowlist = if self.random.percent(20) {
            self.some(ALLOWLIST, 3)
        } else {
            Vec::new()
        };
        let spend_ceiling = self.random.percent(45).then(|| {
            Cents::new(*self.random.pick(&[0, 2500, 5000, 5001, 7501, 1_000_000])).unwrap()
        });
        let spend_currency =
            (spend_ceiling.is_some() || self.random.percent(10)).then(|| self.currency());
        let accounts = self.random.percent(55).then(|| {
            let hash = |name: &str| sha256(name.as_bytes());
            let mut accounts = BTreeMap::new();
            for source in Source::ALL {
                let list = match self.random.below(9) {
                    0 | 1 => continue,
                    2..=4 => vec![hash("a")],
                    5 => vec![hash("a"), hash("a")],
                    6 | 7 => vec![hash("b"), hash("a")],
                    _ => Vec::new(),
                };
                accounts.insert(*source, list);
            }
            accounts
        });
        let (declared, observed) = if self.random.percent(10) {
            (self.some(SCOPES, 3), self.some(SCOPES, 4))
        } else {
            (Vec::new(), Vec::new())
        };
        Grant {
            agent,
            allowed_types,
            counterparty_allowlist: texts(allowlist),
            spend_ceiling,
            spend_currency,
            declared_scopes: texts(declared),
            observed_scopes: texts(observed),
            accounts,
            updated_at: self.written(updated),
        }
    }

    pub fn activity(&mut self, rows: &[Observation]) -> Activity {
        let mut activity = Activity::default();
        if self.random.percent(15) {
            return activity;
        }
        let unasked = self.policy.unasked().clone();
        let windows = *self.policy.windows();
        for _ in 0..self.random.between(1, 3) {
            let anchor = match rows {
                [] => self.edge(),
                rows => attribute::anchor(self.random.pick(rows)),
            };
            let agent = *self.random.pick(&self.agents);
            let jitter = *self.random.pick(&[-1, 0, 0, 1]);
            if self.random.percent(60) {
                let reach = *self.random.pick(&[
                    unasked.session_ms,
                    -unasked.session_ms,
                    0,
                    unasked.adjacent_ms,
                ]);
                activity.sessions.push(Session {
                    agent,
                    at: self.written(anchor + reach + jitter),
                });
            }
            if self.random.percent(50) {
                let reach = *self
                    .random
                    .pick(&[unasked.adjacent_ms, -unasked.adjacent_ms, 0]);
                let at = anchor + reach + jitter;
                activity.entries.push(Entry {
                    agent,
                    at: self.written(at),
                    action: None,
                });
                if self.random.percent(50) {
                    activity.sessions.push(Session {
                        agent,
                        at: self.written(at),
                    });
                }
            }
            if self.random.percent(50) {
                let from = anchor - unasked.idle_ms + *self.random.pick(&[-1, 0, 0, 1]);
                let to = anchor + *self.random.pick(&[-1, 0, 0, 1, MINUTE]);
                activity.idle.push(Idle {
                    from: self.written(from),
                    to: self.written(to),
                });
            }
            if self.random.percent(40) {
                let due = anchor + windows.before_claim_ms + windows.grace_ms + jitter;
                activity.adapter_syncs.push(AdapterSync {
                    agent,
                    last_sync_at: self.written(due),
                });
            }
        }
        activity
    }

    pub fn fixed(&mut self, claims: &[Claim], rows: &[Observation]) -> Vec<PreAssignment> {
        let mut fixed = Vec::new();
        if rows.is_empty() || self.random.percent(70) {
            return fixed;
        }
        let strangers: Vec<Id> = (0..3)
            .map(|_| Id::from_digest(&self.digest("stranger")))
            .collect();
        for n in 0..self.random.between(1, 3) {
            let claim_id = if self.random.percent(30) {
                None
            } else if !claims.is_empty() && self.random.percent(5) {
                Some(self.random.pick(claims).id)
            } else {
                Some(strangers[if self.random.percent(95) { n } else { 0 }])
            };
            let late = if self.random.percent(4) { 0 } else { -1 };
            let after = self.evaluated + *self.random.pick(&[-1, -MINUTE, -86_400_000, late]);
            let until = self
                .random
                .percent(20)
                .then(|| self.evaluated + *self.random.pick(&[-1, 0, 1]));
            let mut released = Vec::new();
            for _ in 0..self.random.below(3) {
                let from = self.evaluated + *self.random.pick(&[-MINUTE, -1, 0, 1]);
                let to = self
                    .random
                    .percent(70)
                    .then(|| from + *self.random.pick(&[0, 1, MINUTE]));
                released.push(Released {
                    from: Instant::from_ms(from),
                    to: to.map(Instant::from_ms),
                });
            }
            fixed.push(PreAssignment {
                observation_id: self.random.pick(rows).id,
                claim_id,
                after: Instant::from_ms(after),
                until: until.map(Instant::from_ms),
                released,
            });
        }
        fixed
    }

    pub fn model_scores(
        &mut self,
        claims: &[Claim],
        rows: &[Observation],
    ) -> BTreeMap<Id, Vec<ModelScore>> {
        let mut scores = BTreeMap::new();
        for claim in claims {
            if self.random.percent(70) {
                continue;
            }
            let mut list: BTreeMap<String, ModelScore> = BTreeMap::new();
            for row in rows {
                if self.random.percent(75) {
                    let points = *self.random.pick(&[0, 10_000, 10_000, 5000, 9999]);
                    let score = BasisPoints::new(points).unwrap();
                    list.insert(
                        row.id.to_string(),
                        ModelScore {
                            observation_id: row.id,
                            score,
                        },
                    );
                }
            }
            scores.insert(claim.id, list.into_values().collect());
        }
        scores
    }
}
