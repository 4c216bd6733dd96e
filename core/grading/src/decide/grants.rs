//! Which grant is in force (§3).

use std::collections::BTreeMap;
use std::sync::Arc;

use attest_canon::Digest;

use crate::model::hashes::grant_hash;
use crate::model::{AgentId, Coverage, Grant};

use super::coverage::GrantCoverage;
use super::error::BatchError;
use super::permits::Permits;

/// A grant in force, and the batch's coverage under it.
#[derive(Debug)]
pub struct InForce<'a> {
    /// The grant.
    pub grant: &'a Grant,
    /// Its hash.
    pub hash: Digest,
    /// What it makes eligible.
    pub coverage: GrantCoverage<'a>,
    /// What it permits.
    pub permits: Permits<'a>,
    /// The grant again, as every receipt under it keeps it.
    pub kept: Arc<Grant>,
}

impl<'a> InForce<'a> {
    /// A grant with the coverage under it.
    #[must_use]
    pub fn new(grant: &'a Grant, coverage: &'a Coverage) -> Self {
        Self {
            grant,
            hash: grant_hash(grant),
            coverage: GrantCoverage::new(coverage, grant),
            permits: Permits::new(grant),
            kept: Arc::new(grant.clone()),
        }
    }
}

/// The grants in force at a coverage's instant, one per agent: the latest
/// updated at or before it (`grantsInForce`).
#[derive(Debug)]
pub struct Grants<'a>(BTreeMap<AgentId, InForce<'a>>);

impl<'a> Grants<'a> {
    /// Finds them.
    ///
    /// # Errors
    ///
    /// [`BatchError::AmbiguousGrant`] for any agent with two grants at its
    /// latest instant.
    pub fn new(
        grants: impl IntoIterator<Item = &'a Grant>,
        coverage: &'a Coverage,
    ) -> Result<Self, BatchError> {
        let at = coverage.evaluated_at.instant();
        let mut latest: BTreeMap<AgentId, (&'a Grant, bool)> = BTreeMap::new();
        for grant in grants
            .into_iter()
            .filter(|grant| grant.updated_at.instant() <= at)
        {
            latest
                .entry(grant.agent)
                .and_modify(|(held, tied)| {
                    match grant.updated_at.instant().cmp(&held.updated_at.instant()) {
                        core::cmp::Ordering::Greater => (*held, *tied) = (grant, false),
                        core::cmp::Ordering::Equal => *tied = true,
                        core::cmp::Ordering::Less => {}
                    }
                })
                .or_insert((grant, false));
        }
        let mut in_force = BTreeMap::new();
        for (agent, (grant, tied)) in latest {
            if tied {
                return Err(BatchError::AmbiguousGrant(agent));
            }
            in_force.insert(agent, InForce::new(grant, coverage));
        }
        Ok(Self(in_force))
    }

    /// The grant in force for an agent.
    ///
    /// # Errors
    ///
    /// [`BatchError::MissingGrant`] when there is none.
    pub fn of(&self, agent: AgentId) -> Result<&InForce<'a>, BatchError> {
        self.0.get(&agent).ok_or(BatchError::MissingGrant(agent))
    }

    /// Every grant in force, by agent id.
    #[must_use]
    pub fn by_agent_id(&self) -> Vec<&InForce<'a>> {
        let mut all: Vec<&InForce<'a>> = self.0.values().collect();
        all.sort_by_key(|in_force| in_force.grant.agent.as_str());
        all
    }
}
