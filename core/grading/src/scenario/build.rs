//! From short rows to whole objects: defaults filled (supplement G), hashes and
//! ids computed (supplement C), refs resolved.

use std::collections::{BTreeMap, BTreeSet};

use attest_canon::jcs::Writer;
use attest_canon::json::{Limits, Value};
use attest_canon::{Digest, Id, sha256};

use crate::decide::window::claim_unit;
use crate::decide::{BatchInput, PreAssignment};
use crate::model::canonical::{member, member_if};
use crate::model::hashes::{claim_receipt_id, unasked_receipt_id};
use crate::model::time::MS_PER_DAY;
use crate::model::{
    ActionType, Activity, AgentId, BasisPoints, Claim, Coverage, Grant, Instant, IsoTs, ModelScore,
    Observation, ObserverCoverage, Precision, Source, Token,
};
use crate::policy::{DEFAULT_POLICY, Policy, PolicyError, load_policy_value};

use super::format::{ClaimRow, CoverageRow, GrantRow, Input, ObservationRow, Ref, Scenario};
use super::names::{Names, Place};

/// How long before `evaluatedAt` a default grant was made (supplement G).
const GRANT_AGE: i64 = 30 * MS_PER_DAY;

/// How long before `evaluatedAt` a fixed pair was graded (supplement G).
const FIXED_AGE: i64 = MS_PER_DAY;

/// Whole objects of one scenario.
#[derive(Debug)]
pub struct World {
    /// The patched policy.
    pub policy: Policy,
    /// Every claim, in file order.
    pub claims: Vec<Claim>,
    /// Every observation, in file order.
    pub observations: Vec<Observation>,
    /// Every grant: the file's in file order, then the default ones.
    pub grants: Vec<Grant>,
    /// The coverage at `input.evaluatedAt`.
    pub coverage: Coverage,
    /// What attribution reads.
    pub activity: Activity,
    /// Places of the claims in the history.
    pub history: Vec<usize>,
    /// The file's fixed pairs.
    pub fixed: Vec<PreAssignment>,
    /// Claims that stand for ones graded before (readings 3).
    pub fixed_claims: BTreeSet<Id>,
    /// The model's scores.
    pub model_scores: BTreeMap<Id, Vec<ModelScore>>,
    /// What the file's names stand for.
    pub names: Names,
    /// The rows each receipt can be about, in file order: more than one where
    /// rows are one fact.
    by_receipt: BTreeMap<Id, Vec<Place>>,
}

impl World {
    /// Builds a scenario's objects.
    ///
    /// # Errors
    ///
    /// The patched policy does not load.
    pub fn build(scenario: &Scenario) -> Result<Self, PolicyError> {
        let input = &scenario.input;
        let at = input.evaluated_at;
        let mut grants: Vec<Grant> = input.grants.iter().map(|row| grant(row, at)).collect();
        // Every agent without a grant in the file gets the default one.
        for agent in AgentId::ALL {
            if !input.grants.iter().any(|row| row.agent == *agent) {
                grants.push(default_grant(*agent, at));
            }
        }
        let mut world = Self {
            policy: patched_policy(scenario)?,
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
            claims: input.claims.iter().map(claim).collect(),
            observations: input
                .observations
                .iter()
                .map(|row| observation(row, at))
                .collect(),
            grants,
            history: Vec::new(),
            fixed: Vec::new(),
            fixed_claims: BTreeSet::new(),
            model_scores: BTreeMap::new(),
            names: Names::of(input),
            by_receipt: BTreeMap::new(),
        };
        world.resolve(input);
        world.index_receipts();
        Ok(world)
    }

    /// Fills what the file says by name; the reader saw to it that each names
    /// something.
    fn resolve(&mut self, input: &Input) {
        let listed = input.activity.claims.iter();
        self.history = listed.filter_map(|name| self.names.claim(name)).collect();
        let after = input.evaluated_at.instant().minus(FIXED_AGE);
        for pair in &input.fixed {
            let claim = pair.claim.as_ref().and_then(|name| self.claim(name));
            let claim_id = claim.map(|claim| claim.id);
            let Some(observation) = self.observation(&pair.observation) else {
                continue;
            };
            let observation_id = observation.id;
            self.fixed_claims.extend(claim_id);
            self.fixed.push(PreAssignment {
                observation_id,
                claim_id,
                after,
                until: None,
                released: Vec::new(),
            });
        }
        for row in &input.model_scores {
            let Some(claim) = self.claim(&row.claim).map(|claim| claim.id) else {
                continue;
            };
            let score = |(name, score): &(Ref, BasisPoints)| {
                let observation_id = self.observation(name)?.id;
                Some(ModelScore {
                    observation_id,
                    score: *score,
                })
            };
            let mut scores: Vec<ModelScore> = row.scores.iter().filter_map(score).collect();
            scores.sort_by_key(|score| score.observation_id);
            self.model_scores.insert(claim, scores);
        }
    }

    /// What a first batch over the file is handed: every claim that stands for
    /// no earlier receipt, and the history the file lists (readings 3).
    #[must_use]
    pub fn batch_input<'w>(&'w self, policy: &'w Policy, coverage: &'w Coverage) -> BatchInput<'w> {
        let open = |claim: &&Claim| !self.fixed_claims.contains(&claim.id);
        let listed = self.history.iter();
        BatchInput {
            claims: self.claims.iter().filter(open).collect(),
            observations: self.observations.iter().collect(),
            grants: self.grants.iter().collect(),
            policy,
            coverage,
            activity: &self.activity,
            history: listed.filter_map(|place| self.claims.get(*place)).collect(),
            fixed: &self.fixed,
            model_scores: &self.model_scores,
        }
    }

    fn index_receipts(&mut self) {
        let claims = self.claims.iter().enumerate();
        let claims = claims.map(|(at, claim)| (claim_receipt_id(claim.id), Place::Claim(at)));
        let rows = self.observations.iter().enumerate();
        let rows = rows.map(|(at, row)| (unasked_receipt_id(row.id), Place::Observation(at)));
        for (id, place) in claims.chain(rows) {
            self.by_receipt.entry(id).or_default().push(place);
        }
    }

    /// The row a receipt computed at this instant is about: of rows that are
    /// one fact, the first in the file that was seen by then.
    #[must_use]
    pub fn subject(&self, receipt: Id, at: Instant) -> Option<Place> {
        let seen = |place: &Place| match place {
            Place::Claim(nth) => self.claims.get(*nth).map(|claim| claim.observed_at),
            Place::Observation(nth) => self.observations.get(*nth).map(|row| row.observed_at),
        };
        let places = self.by_receipt.get(&receipt)?;
        let mut places = places.iter().copied();
        places.find(|place| seen(place).is_some_and(|seen| seen.instant() <= at))
    }

    /// A claim by its name.
    #[must_use]
    pub fn claim(&self, name: &str) -> Option<&Claim> {
        self.claims.get(self.names.claim(name)?)
    }

    /// An observation by its name.
    #[must_use]
    pub fn observation(&self, name: &str) -> Option<&Observation> {
        self.observations.get(self.names.observation(name)?)
    }

    /// The id of a claim or observation by its name.
    #[must_use]
    pub fn id_of(&self, name: &str) -> Option<Id> {
        match self.names.row(name)? {
            Place::Claim(at) => self.claims.get(at).map(|claim| claim.id),
            Place::Observation(at) => self.observations.get(at).map(|row| row.id),
        }
    }

    /// The id of the receipt a claim or observation has, if it has one.
    #[must_use]
    pub fn receipt_id_of(&self, name: &str) -> Option<Id> {
        match self.names.row(name)? {
            Place::Claim(at) => self.claims.get(at).map(|claim| claim_receipt_id(claim.id)),
            Place::Observation(at) => {
                let row = self.observations.get(at)?;
                Some(unasked_receipt_id(row.id))
            }
        }
    }
}

fn patched_policy(scenario: &Scenario) -> Result<Policy, PolicyError> {
    // The shipped document always parses.
    let shipped = Value::parse(DEFAULT_POLICY, Limits::LEDGER).unwrap_or(Value::Null);
    let document = match &scenario.policy_patch {
        Some(patch) => shipped.merged(patch.clone()),
        None => shipped,
    };
    load_policy_value(&document)
}

/// A claim as a ledger holds it.
pub(super) fn claim(row: &ClaimRow) -> Claim {
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
    IsoTs::computed(at.instant().minus(GRANT_AGE), at.offset_minutes())
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
