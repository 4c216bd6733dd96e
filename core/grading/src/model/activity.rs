//! Activity: what attribution reads (§7).

use attest_canon::jcs::Writer;

use super::canonical::{Canonical, member, member_if};
use super::closed::{ActionType, AgentId};
use super::decode::{Decoder, Read, object};
use super::time::{Interval, IsoTs};

/// An agent was at work at an instant.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Session {
    /// Which agent.
    pub agent: AgentId,
    /// When.
    pub at: IsoTs,
}

/// The person was away.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Idle {
    /// From when.
    pub from: IsoTs,
    /// Until when.
    pub to: IsoTs,
}

impl Idle {
    /// The time away as an interval; empty when it ends before it begins.
    #[must_use]
    pub fn interval(&self) -> Interval {
        Interval {
            from: self.from.instant(),
            to: self.to.instant(),
        }
    }
}

/// An entry of an agent's own activity log.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Entry {
    /// Which agent.
    pub agent: AgentId,
    /// When.
    pub at: IsoTs,
    /// What it says it did; informational, never read (§7).
    pub action: Option<ActionType>,
}

/// When an agent's log was last imported.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct AdapterSync {
    /// Which agent.
    pub agent: AgentId,
    /// When.
    pub last_sync_at: IsoTs,
}

/// What attribution reads, less the claims of the person within retention: a
/// ledger keeps those in their own table.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Activity {
    /// Session pings.
    pub sessions: Vec<Session>,
    /// Times away.
    pub idle: Vec<Idle>,
    /// Log entries.
    pub entries: Vec<Entry>,
    /// Log imports.
    pub adapter_syncs: Vec<AdapterSync>,
}

impl Activity {
    /// Reads a ledger's activity. Lists may be longer than a batch takes; the batch cuts them (supplement J).
    pub fn decode(d: &mut Decoder<'_>) -> Read<Self> {
        object!(d, {
            sessions: defaulted "sessions" = |d: &mut Decoder<'_>| d.any_list(Session::decode),
            idle: defaulted "idle" = |d: &mut Decoder<'_>| d.any_list(Idle::decode),
            entries: defaulted "entries" = |d: &mut Decoder<'_>| d.any_list(Entry::decode),
            adapter_syncs: defaulted "adapterSyncs" = |d: &mut Decoder<'_>| d.any_list(AdapterSync::decode),
        });
        Ok(Some(Self {
            sessions,
            idle,
            entries,
            adapter_syncs,
        }))
    }
}

impl Session {
    /// Reads a session ping.
    pub fn decode(d: &mut Decoder<'_>) -> Read<Self> {
        object!(d, {
            agent: required "agent" = Decoder::agent,
            at: required "at" = Decoder::instant,
        });
        Ok(Some(Self { agent, at }))
    }
}

impl Idle {
    /// Reads a time away.
    pub fn decode(d: &mut Decoder<'_>) -> Read<Self> {
        object!(d, {
            from: required "from" = Decoder::instant,
            to: required "to" = Decoder::instant,
        });
        Ok(Some(Self { from, to }))
    }
}

impl Entry {
    /// Reads a log entry.
    pub fn decode(d: &mut Decoder<'_>) -> Read<Self> {
        object!(d, {
            agent: required "agent" = Decoder::agent,
            at: required "at" = Decoder::instant,
            action: optional "type" = Decoder::action,
        });
        Ok(Some(Self { agent, at, action }))
    }
}

impl AdapterSync {
    /// Reads a log import.
    pub fn decode(d: &mut Decoder<'_>) -> Read<Self> {
        object!(d, {
            agent: required "agent" = Decoder::agent,
            last_sync_at: required "lastSyncAt" = Decoder::instant,
        });
        Ok(Some(Self {
            agent,
            last_sync_at,
        }))
    }
}

impl Canonical for Session {
    fn write(&self, out: &mut Writer) {
        out.begin_object();
        member(out, "agent", &self.agent);
        member(out, "at", &self.at);
        out.end_object();
    }
}

impl Canonical for Idle {
    fn write(&self, out: &mut Writer) {
        out.begin_object();
        member(out, "from", &self.from);
        member(out, "to", &self.to);
        out.end_object();
    }
}

impl Canonical for Entry {
    fn write(&self, out: &mut Writer) {
        out.begin_object();
        member(out, "agent", &self.agent);
        member(out, "at", &self.at);
        member_if(out, "type", self.action.as_ref());
        out.end_object();
    }
}

impl Canonical for AdapterSync {
    fn write(&self, out: &mut Writer) {
        out.begin_object();
        member(out, "agent", &self.agent);
        member(out, "lastSyncAt", &self.last_sync_at);
        out.end_object();
    }
}

impl Canonical for Activity {
    fn write(&self, out: &mut Writer) {
        out.begin_object();
        member(out, "adapterSyncs", self.adapter_syncs.as_slice());
        member(out, "entries", self.entries.as_slice());
        member(out, "idle", self.idle.as_slice());
        member(out, "sessions", self.sessions.as_slice());
        out.end_object();
    }
}
