//! From short rows to whole objects: defaults filled (supplement G), hashes and
//! ids computed (supplement C), refs resolved.

use std::collections::BTreeMap;

use attest_canon::jcs::Writer;
use attest_canon::json::{Limits, Value, push_index};
use attest_canon::{Digest, Id, sha256};

use crate::decide::PreAssignment;
use crate::decide::window::claim_unit;
use crate::model::canonical::{member, member_if};
use crate::model::time::MS_PER_DAY;
use crate::model::{
    ActionType, Activity, AgentId, Claim, Coverage, Grant, IsoTs, ModelScore, Observation,
    ObserverCoverage, Precision, ProblemKind, Problems, Source, Token,
};
use crate::policy::{DEFAULT_POLICY, Policy, load_policy_value};

use super::ScenarioError;
use super::format::{ClaimRow, CoverageRow, GrantRow, ObservationRow, Ref, Scenario};

/// How long before `evaluatedAt` a default grant was made, and a fixed pair's
/// grading.
const GRANT_AGE_DAYS: i64 = 30;

/// Whole objects of one scenario.
#[derive(Debug)]
pub struct World {
    /// The patched policy.
    pub policy: Policy,
    /// Every claim, in file order.
    pub claims: Vec<Claim>,
    /// Every observation, in file order.
    pub observations: Vec<Observation>,
    /// Every grant: the file's, then the default ones.
    pub grants: Vec<Grant>,
    /// The names of the file's grants.
    pub grant_names: Vec<Option<Ref>>,
    /// The coverage at `input.evaluatedAt`.
    pub coverage: Coverage,
    /// What attribution reads.
    pub activity: Activity,
    /// Places of the claims in the history.
    pub history: Vec<usize>,
    /// The file's fixed pairs.
    pub fixed: Vec<PreAssignment>,
    /// Claims that stand for ones graded before (readings 3).
    pub fixed_claims: Vec<Id>,
    /// The model's scores.
    pub model_scores: BTreeMap<Id, Vec<ModelScore>>,
    claim_names: BTreeMap<Ref, usize>,
    observation_names: BTreeMap<Ref, usize>,
}

impl World {
    /// Builds a scenario's objects.
    ///
    /// # Errors
    ///
    /// A ref that names nothing, or a policy that does not load.
    pub fn build(scenario: &Scenario) -> Result<Self, ScenarioError> {
        let input = &scenario.input;
        let at = input.evaluated_at;
        let policy = patched_policy(scenario)?;
        let mut problems = Problems::default();
        let claim_names = index(
            input.claims.iter().map(|row| &row.name),
            "input.claims",
            &mut problems,
        );
        let observation_names = index(
            input.observations.iter().map(|row| &row.name),
            "input.observations",
            &mut problems,
        );
        let claims: Vec<Claim> = input.claims.iter().map(claim).collect();
        for (place, claim) in claims.iter().enumerate() {
            if let Some((key, kind)) = claim.problem() {
                problems.add(format!("input.claims[{place}].{key}"), kind);
            }
        }
        let observations: Vec<Observation> = input
            .observations
            .iter()
            .map(|row| observation(row, at))
            .collect();

        let mut grants: Vec<Grant> = input.grants.iter().map(|row| grant(row, at)).collect();
        let mut grant_names: Vec<Option<Ref>> =
            input.grants.iter().map(|row| row.name.clone()).collect();
        // Every agent without a grant in the file gets the default one.
        for agent in AgentId::ALL {
            if !input.grants.iter().any(|row| row.agent == *agent) {
                grants.push(default_grant(*agent, at));
                grant_names.push(None);
            }
        }

        let mut world = Self {
            policy,
            coverage: Coverage {
                evaluated_at: at,
                observers: input.coverage.iter().map(view).collect(),
                repairs: input.repairs.clone(),
            },
            activity: Activity {
                sessions: input.activity.sessions.clone(),
                idle: input.activity.idle.clone(),
                entries: input.activity.entries.clone(),
                adapter_syncs: input.activity.adapter_syncs.clone(),
            },
            claims,
            observations,
            grants,
            grant_names,
            history: Vec::new(),
            fixed: Vec::new(),
            fixed_claims: Vec::new(),
            model_scores: BTreeMap::new(),
            claim_names,
            observation_names,
        };
        world.resolve(scenario, &mut problems);
        if problems.is_empty() {
            Ok(world)
        } else {
            Err(ScenarioError::Format(problems))
        }
    }

    /// Resolves every ref of the file, those of events and expectations too.
    fn resolve(&mut self, scenario: &Scenario, problems: &mut Problems) {
        let input = &scenario.input;
        let after = input.evaluated_at.instant().minus(MS_PER_DAY);
        for (place, name) in input.activity.claims.iter().enumerate() {
            match self.claim_names.get(name) {
                Some(claim) => self.history.push(*claim),
                None => problems.add(
                    format!("input.activity.claims[{place}]"),
                    ProblemKind::UnknownRef,
                ),
            }
        }
        for (place, row) in input.fixed.iter().enumerate() {
            let claim = row
                .claim
                .as_ref()
                .map(|name| self.claim(name).map(|claim| claim.id));
            let observation = self.observation(&row.observation).map(|row| row.id);
            if claim == Some(None) {
                problems.add(
                    format!("input.fixed[{place}].claim"),
                    ProblemKind::UnknownRef,
                );
            }
            let Some(observation_id) = observation else {
                problems.add(
                    format!("input.fixed[{place}].observation"),
                    ProblemKind::UnknownRef,
                );
                continue;
            };
            let claim_id = claim.flatten();
            self.fixed_claims.extend(claim_id);
            self.fixed.push(PreAssignment {
                observation_id,
                claim_id,
                after,
                until: None,
                released: Vec::new(),
            });
        }
        for (place, row) in input.model_scores.iter().enumerate() {
            let claim = self.claim(&row.claim).map(|claim| claim.id);
            let mut scores = Vec::new();
            for (nth, (name, score)) in row.scores.iter().enumerate() {
                match self.observation(name) {
                    Some(row) => scores.push(ModelScore {
                        observation_id: row.id,
                        score: *score,
                    }),
                    None => problems.add(
                        format!("input.modelScores[{place}].scores[{nth}].observation"),
                        ProblemKind::UnknownRef,
                    ),
                }
            }
            scores.sort_by_key(|score| score.observation_id);
            match claim {
                Some(claim) => {
                    self.model_scores.insert(claim, scores);
                }
                None => problems.add(
                    format!("input.modelScores[{place}].claim"),
                    ProblemKind::UnknownRef,
                ),
            }
        }
        if let Some(grade) = &input.grade {
            if grade
                .claim
                .as_ref()
                .is_some_and(|name| self.claim(name).is_none())
            {
                problems.add("input.grade.claim".to_owned(), ProblemKind::UnknownRef);
            }
            for (place, name) in grade.candidates.iter().enumerate() {
                if self.observation(name).is_none() {
                    problems.add(
                        format!("input.grade.candidates[{place}]"),
                        ProblemKind::UnknownRef,
                    );
                }
            }
        }
        for (place, event) in scenario.events.iter().enumerate() {
            if self.id_of(&event.name).is_none() {
                problems.add(format!("events[{place}].ref"), ProblemKind::UnknownRef);
            }
            if let super::format::EventKind::Supersede { claim } = &event.kind
                && self.claim(claim).is_none()
            {
                problems.add(format!("events[{place}].claim"), ProblemKind::UnknownRef);
            }
        }
        for (place, expect) in scenario.expect.iter().enumerate() {
            if let super::format::ExpectSubject::Row(name) = &expect.subject
                && self.id_of(name).is_none()
            {
                problems.add(format!("expect[{place}].ref"), ProblemKind::UnknownRef);
            }
        }
    }

    /// A claim by its name.
    #[must_use]
    pub fn claim(&self, name: &str) -> Option<&Claim> {
        self.claims.get(*self.claim_names.get(name)?)
    }

    /// An observation by its name.
    #[must_use]
    pub fn observation(&self, name: &str) -> Option<&Observation> {
        self.observations.get(*self.observation_names.get(name)?)
    }

    /// The id of a claim or observation by its name.
    #[must_use]
    pub fn id_of(&self, name: &str) -> Option<Id> {
        let claim = self.claim(name).map(|claim| claim.id);
        claim.or_else(|| self.observation(name).map(|row| row.id))
    }
}

/// Names by place; a name that stands twice names nothing.
fn index<'r>(
    names: impl Iterator<Item = &'r Ref>,
    table: &str,
    problems: &mut Problems,
) -> BTreeMap<Ref, usize> {
    let mut index = BTreeMap::new();
    for (place, name) in names.enumerate() {
        if index.insert(name.clone(), place).is_some() {
            let mut path = table.to_owned();
            push_index(&mut path, place);
            path.push_str(".ref");
            problems.add(path, ProblemKind::MustBe("a name of its own"));
        }
    }
    index
}

fn patched_policy(scenario: &Scenario) -> Result<Policy, ScenarioError> {
    // The shipped document always parses.
    let shipped = Value::parse(DEFAULT_POLICY, Limits::LEDGER).unwrap_or(Value::Null);
    let document = match &scenario.policy_patch {
        Some(patch) => shipped.merged(patch.clone()),
        None => shipped,
    };
    load_policy_value(&document).map_err(ScenarioError::Policy)
}

fn claim(row: &ClaimRow) -> Claim {
    let mut claim = Claim {
        id: Id::from_digest(&Digest::from_bytes([0; 32])),
        request_id: None,
        agent: row.agent,
        action: row.action,
        counterparty: row.counterparty.clone(),
        amount: row.amount,
        currency: row.currency,
        subject_hint: row.subject_hint.clone(),
        claimed_at: row.claimed_at,
        precision: row.precision.unwrap_or(Precision::Minute),
        claimed_at_end: row.claimed_at_end,
        target_at: row.target_at,
        observed_at: row.observed_at.unwrap_or(row.claimed_at),
        source_kind: row.source_kind.clone().unwrap_or_else(Token::activity_view),
        extractor: None,
        raw_hash: Digest::from_bytes([0; 32]),
    };
    claim.raw_hash = raw_hash(&claim, row.text.as_deref(), row.row_key.as_deref());
    claim.id = Id::from_digest(&claim.raw_hash);
    claim
}

/// The raw hash a golden or a simulated world gives a claim (supplement C):
/// one claim read twice within its unit is one.
#[must_use]
pub fn raw_hash(claim: &Claim, text: Option<&str>, row_key: Option<&str>) -> Digest {
    let unit_start = IsoTs::computed(claim_unit(claim).from, claim.claimed_at.offset_minutes());
    let hashed = |text: Option<&str>| text.map(|text| sha256(text.as_bytes()));
    let mut out = Writer::new();
    out.begin_object();
    member(&mut out, "agent", &claim.agent);
    member_if(&mut out, "amountCents", claim.amount.as_ref());
    member_if(&mut out, "claimedAtEnd", claim.claimed_at_end.as_ref());
    member(&mut out, "claimedAtPrecision", &claim.precision);
    member_if(&mut out, "counterparty", claim.counterparty.as_ref());
    member_if(&mut out, "currency", claim.currency.as_ref());
    member_if(&mut out, "rowKeyHash", hashed(row_key).as_ref());
    member(&mut out, "sourceKind", &claim.source_kind);
    member_if(&mut out, "subjectHint", claim.subject_hint.as_ref());
    member_if(&mut out, "targetAt", claim.target_at.as_ref());
    member_if(&mut out, "textHash", hashed(text).as_ref());
    member(&mut out, "type", &claim.action);
    member(&mut out, "unitStart", &unit_start);
    out.end_object();
    sha256(out.text().as_bytes())
}

fn observation(row: &ObservationRow, evaluated_at: IsoTs) -> Observation {
    let stored = if row.source == Source::GcalEvent {
        evaluated_at
    } else {
        row.occurred_at
    };
    let mut observation = Observation {
        id: Id::from_digest(&Digest::from_bytes([0; 32])),
        source: row.source,
        action: row.action,
        occurred_at: row.occurred_at,
        observed_at: row.observed_at.unwrap_or(stored),
        sighted_at: None,
        counterparty: row.counterparty.clone(),
        merchant: row.merchant.clone(),
        amount: row.amount,
        currency: row.currency,
        subject_hint: row.subject_hint.clone(),
        row_key_hash: row.row_key.as_deref().map(|label| sha256(label.as_bytes())),
        content_hash: Digest::from_bytes([0; 32]),
    };
    observation.content_hash = observation.computed_content_hash();
    observation.id = Id::from_digest(&observation.content_hash);
    observation
}

fn grant(row: &GrantRow, at: IsoTs) -> Grant {
    let hashed = |labels: &Vec<Box<str>>| {
        labels
            .iter()
            .map(|label| sha256(label.as_bytes()))
            .collect()
    };
    let accounts: BTreeMap<Source, Vec<Digest>> = row
        .accounts
        .iter()
        .map(|(source, labels)| (*source, hashed(labels)))
        .collect();
    Grant {
        agent: row.agent,
        allowed_types: row
            .allowed_types
            .clone()
            .unwrap_or_else(|| ActionType::ALL.to_vec()),
        counterparty_allowlist: row.counterparty_allowlist.clone(),
        spend_ceiling: row.spend_ceiling,
        spend_currency: row.spend_currency,
        declared_scopes: row.declared_scopes.clone(),
        observed_scopes: row.observed_scopes.clone(),
        // In a golden, no accounts and empty accounts are the same (readings 23).
        accounts: Some(accounts).filter(|accounts| !accounts.is_empty()),
        updated_at: row.updated_at.unwrap_or_else(|| grant_instant(at)),
    }
}

fn grant_instant(at: IsoTs) -> IsoTs {
    let age = MS_PER_DAY.saturating_mul(GRANT_AGE_DAYS);
    IsoTs::computed(at.instant().minus(age), at.offset_minutes())
}

/// The grant of an agent the file gives none: everything allowed, nothing bound.
#[must_use]
pub fn default_grant(agent: AgentId, at: IsoTs) -> Grant {
    Grant {
        agent,
        allowed_types: ActionType::ALL.to_vec(),
        counterparty_allowlist: Vec::new(),
        spend_ceiling: None,
        spend_currency: None,
        declared_scopes: Vec::new(),
        observed_scopes: Vec::new(),
        accounts: None,
        updated_at: grant_instant(at),
    }
}

/// A view as coverage holds it.
pub(super) fn view(row: &CoverageRow) -> ObserverCoverage {
    ObserverCoverage {
        observer_id: row
            .observer_id
            .clone()
            .unwrap_or_else(|| Token::of_source(row.source)),
        source: row.source,
        last_sync_at: row.last_sync_at,
        window_start: row.window_start,
        window_end: row.window_end,
        account_hash: row.account.as_deref().map(|label| sha256(label.as_bytes())),
        all_calendars: row.all_calendars,
        changes_since: row.changes_since,
    }
}
