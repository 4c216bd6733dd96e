//! Activity as it comes in: pasted logs and times away (§7).

use crate::model::activity::Idle;
use crate::model::{Activity, AdapterSync, AgentId, Entry, IsoTs, Session};

use super::error::WriteError;
use super::{Keeper, Kept};

impl Keeper {
    /// Stores a pasted log of an agent: the minutes its timed lines name, its
    /// entries, and now as the agent's import, which never moves back. What is
    /// there already is not stored twice.
    ///
    /// # Errors
    ///
    /// `clock_behind` when a line names an instant after now: the log was read
    /// in another offset, or by another clock.
    pub fn store_log(
        &mut self,
        agent: AgentId,
        active_at: &[IsoTs],
        entries: &[Entry],
        now: IsoTs,
    ) -> Result<Kept, WriteError> {
        self.open(now);
        let entries_at = entries.iter().map(|entry| &entry.at);
        let mut named = active_at.iter().chain(entries_at);
        if named.any(|at| at.instant() > now.instant()) {
            return Err(WriteError::ClockBehind);
        }
        let activity = self.ledger.activity.get_or_insert_default();
        let mut facts = 0u64;
        let sessions = active_at.iter().map(|at| Session { agent, at: *at });
        facts = facts.saturating_add(add_new(&mut activity.sessions, sessions));
        let entries = entries.iter().map(|entry| Entry { agent, ..*entry });
        facts = facts.saturating_add(add_new(&mut activity.entries, entries));
        facts = facts.saturating_add(import(activity, agent, now));
        if facts == 0 {
            return Ok(Kept::Unchanged);
        }
        self.stored(facts, now);
        Ok(Kept::New)
    }

    /// Stores a time the person was away.
    ///
    /// # Errors
    ///
    /// `clock_behind` for one that has not ended.
    pub fn store_idle(&mut self, idle: Idle, now: IsoTs) -> Result<Kept, WriteError> {
        self.open(now);
        if idle.from.instant() > now.instant() || idle.to.instant() > now.instant() {
            return Err(WriteError::ClockBehind);
        }
        let activity = self.ledger.activity.get_or_insert_default();
        if add_new(&mut activity.idle, [idle]) == 0 {
            return Ok(Kept::Unchanged);
        }
        self.stored(1, now);
        Ok(Kept::New)
    }
}

fn add_new<T: PartialEq>(list: &mut Vec<T>, new: impl IntoIterator<Item = T>) -> u64 {
    let mut added = 0u64;
    for item in new {
        if !list.contains(&item) {
            list.push(item);
            added = added.saturating_add(1);
        }
    }
    added
}

/// Moves an agent's import to now, never back.
fn import(activity: &mut Activity, agent: AgentId, now: IsoTs) -> u64 {
    let sync = AdapterSync {
        agent,
        last_sync_at: now,
    };
    let of_agent = activity
        .adapter_syncs
        .iter_mut()
        .filter(|held| held.agent == agent);
    match of_agent.max_by_key(|held| held.last_sync_at.instant()) {
        Some(held) if held.last_sync_at.instant() >= now.instant() => 0,
        Some(held) => {
            *held = sync;
            1
        }
        None => {
            activity.adapter_syncs.push(sync);
            1
        }
    }
}
