//! Grant changes (§3): what a person chose, and what was observed, each kept
//! when the other changes. An agent's grant is its only row.

use crate::model::grant::Accounts;
use crate::model::{ActionType, AgentId, Cents, Currency, Grant, IsoTs};

use super::error::{WriteError, check};
use super::{Keeper, no_earlier};

/// What a person chooses for an agent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GrantChoice {
    /// Actions allowed.
    pub allowed_types: Vec<ActionType>,
    /// Addresses and domains allowed; empty allows any.
    pub counterparty_allowlist: Vec<Box<str>>,
    /// Most that may be spent, and in which currency.
    pub spend_ceiling: Option<(Cents, Currency)>,
    /// Permissions declared.
    pub declared_scopes: Vec<Box<str>>,
}

impl Keeper {
    /// Saves what a person chose (`grant.save`); what was observed of the agent
    /// stays as stored. In force from the next batch on.
    ///
    /// # Errors
    ///
    /// A text its schema refuses.
    pub fn save_grant(
        &mut self,
        agent: AgentId,
        choice: GrantChoice,
        now: IsoTs,
    ) -> Result<(), WriteError> {
        let held = self.grant(agent);
        self.put_grant(
            Grant {
                agent,
                allowed_types: choice.allowed_types,
                counterparty_allowlist: choice.counterparty_allowlist,
                spend_ceiling: choice.spend_ceiling.map(|(ceiling, _)| ceiling),
                spend_currency: choice.spend_ceiling.map(|(_, currency)| currency),
                declared_scopes: choice.declared_scopes,
                observed_scopes: held.map_or_else(Vec::new, |held| held.observed_scopes.clone()),
                accounts: held.and_then(|held| held.accounts.clone()),
                updated_at: now,
            },
            now,
        )
    }

    /// Stores what was observed of an agent: the permissions it holds and the
    /// accounts it acts in. What the person chose stays; an agent they chose
    /// nothing for is allowed every action and declared nothing.
    ///
    /// # Errors
    ///
    /// A text its schema refuses.
    pub fn observe_grant(
        &mut self,
        agent: AgentId,
        observed_scopes: Vec<Box<str>>,
        accounts: Option<Accounts>,
        now: IsoTs,
    ) -> Result<(), WriteError> {
        let grant = match self.grant(agent) {
            Some(held) => Grant {
                observed_scopes,
                accounts,
                ..held.clone()
            },
            None => Grant {
                agent,
                allowed_types: ActionType::ALL.to_vec(),
                counterparty_allowlist: Vec::new(),
                spend_ceiling: None,
                spend_currency: None,
                declared_scopes: Vec::new(),
                observed_scopes,
                accounts,
                updated_at: now,
            },
        };
        self.put_grant(grant, now)
    }

    /// The stored grant of an agent: its latest.
    fn grant(&self, agent: AgentId) -> Option<&Grant> {
        let of_agent = self.ledger.grants.iter();
        of_agent
            .filter(|grant| grant.agent == agent)
            .max_by_key(|grant| grant.updated_at.instant())
    }

    fn put_grant(&mut self, mut grant: Grant, now: IsoTs) -> Result<(), WriteError> {
        check(&grant, Grant::decode)?;
        grant.updated_at = no_earlier(now, self.after_last_batch());
        let agent = grant.agent;
        let grants = &mut self.ledger.grants;
        let place = grants.iter().position(|held| held.agent == agent);
        grants.retain(|held| held.agent != agent);
        grants.insert(place.unwrap_or(grants.len()), grant);
        self.stored(1, now);
        Ok(())
    }
}
