//! What really happened in a world: kept apart from its ledger, so that a
//! reader of the ledger can be asked whether it was fair.

use std::collections::BTreeMap;

use attest_canon::jcs::Writer;
use attest_canon::{Digest, Id};

use crate::ledger::Ledger;
use crate::model::{ActionType, AgentId, Cents, Currency, Instant, IsoTs};

use super::Settings;

/// Who did something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Doer {
    /// An agent.
    Agent(AgentId),
    /// The person whose accounts these are.
    Person,
    /// Someone else, on the person's calendar.
    Other,
}

impl Doer {
    /// The agent's id, `person` or `other`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Agent(agent) => agent.as_str(),
            Self::Person => "person",
            Self::Other => "other",
        }
    }
}

/// What an action was, in the terms it can be matched by.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Facts {
    /// To or with whom: an address.
    pub counterparty: Option<String>,
    /// A name the address answers to.
    pub name: Option<String>,
    /// What it is called.
    pub subject: Option<String>,
    /// Where it was bought.
    pub merchant: Option<String>,
    /// For how much.
    pub amount: Option<Cents>,
    /// In which currency.
    pub currency: Option<Currency>,
    /// When the event starts.
    pub target: Option<IsoTs>,
}

/// Something that was really done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Deed {
    /// By whom.
    pub by: Doer,
    /// What kind of action.
    pub action: ActionType,
    /// When, by the wall clock.
    pub at: IsoTs,
    /// When, in milliseconds since the world began.
    pub when: i64,
    /// In which account, from 0.
    pub account: usize,
    /// What it was.
    pub facts: Facts,
    /// When an event made by it was first moved, renamed or deleted, in
    /// milliseconds since the world began.
    pub changed: Option<i64>,
}

/// In what a claim says more than was done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum More {
    /// It names someone else.
    Recipient,
    /// It names a larger amount.
    Amount,
    /// It adds words.
    Words,
}

/// Whether a claim is so.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Its agent did it.
    True,
    /// Its agent did something like it.
    Exaggerated(More),
    /// Its agent did nothing of the kind.
    False,
}

impl Verdict {
    /// `true`, `exaggerated` or `false`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::True => "true",
            Self::Exaggerated(_) => "exaggerated",
            Self::False => "false",
        }
    }
}

/// How a claim names what it means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Naming {
    /// So that it can be matched.
    Plain,
    /// By none of its words.
    Reworded,
    /// Not at all.
    Vague,
}

/// What is true of a claim.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClaimTruth {
    /// Whether it is so.
    pub verdict: Verdict,
    /// The deed it means, once done: its agent's, or the one it borrows.
    pub deed: Option<usize>,
    /// How it names it.
    pub naming: Naming,
}

/// A change of the wall clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Jump {
    /// When, in milliseconds since the world began.
    pub when: i64,
    /// What the clock read before.
    pub from: IsoTs,
    /// What it read then.
    pub to: IsoTs,
    /// Whether the ledger found it: a clock below its high water (§3).
    pub found: bool,
}

/// A world's truth.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Truth {
    /// Everything done, in the order it was done.
    pub deeds: Vec<Deed>,
    /// Every claim a ledger was given.
    pub claims: BTreeMap<Id, ClaimTruth>,
    /// Every row an observer could bring, with the deed it shows.
    pub rows: BTreeMap<Id, usize>,
    /// Every change of the clock.
    pub clock: Vec<Jump>,
    /// When each batch ran, in milliseconds since the world began, by the
    /// instant it carries: the clock may have read that twice.
    pub batches: BTreeMap<Instant, i64>,
    /// The person's accounts, by the hash their views carry.
    pub accounts: Vec<Digest>,
}

impl Truth {
    /// The deed an observation shows.
    #[must_use]
    pub fn deed_of(&self, row: Id) -> Option<&Deed> {
        self.deeds.get(*self.rows.get(&row)?)
    }

    /// The truth of a ledger's claims and observations as canonical JSON:
    /// `{"claims":{id:{"deed"?,"truth"}},"clock":[{"found","from","to"}],
    /// "deeds":[{"at","by","type"}],"format":"attest-truth","observations":
    /// {id:{"by","deed"}},"seed","version":1}`, and a line feed.
    #[must_use]
    pub fn to_text(&self, ledger: &Ledger, settings: &Settings) -> String {
        let mut out = Writer::new();
        out.begin_object();
        out.key("claims");
        out.begin_object();
        let claims: BTreeMap<Id, _> = ledger
            .claims
            .iter()
            .filter_map(|claim| Some((claim.id, self.claims.get(&claim.id)?)))
            .collect();
        for (id, truth) in claims {
            out.key(&id.to_string());
            out.begin_object();
            deed(&mut out, truth.deed);
            out.key("truth");
            out.string(truth.verdict.as_str());
            out.end_object();
        }
        out.end_object();
        out.key("clock");
        out.begin_array();
        for jump in &self.clock {
            out.element();
            out.begin_object();
            out.key("found");
            out.boolean(jump.found);
            out.key("from");
            out.string(&jump.from.to_string());
            out.key("to");
            out.string(&jump.to.to_string());
            out.end_object();
        }
        out.end_array();
        out.key("deeds");
        out.begin_array();
        for deed in &self.deeds {
            out.element();
            out.begin_object();
            out.key("at");
            out.string(&deed.at.to_string());
            out.key("by");
            out.string(deed.by.as_str());
            out.key("type");
            out.string(deed.action.as_str());
            out.end_object();
        }
        out.end_array();
        out.key("format");
        out.string("attest-truth");
        out.key("observations");
        out.begin_object();
        let rows: BTreeMap<Id, usize> = ledger
            .observations
            .iter()
            .filter_map(|row| Some((row.id, *self.rows.get(&row.id)?)))
            .collect();
        for (id, place) in rows {
            out.key(&id.to_string());
            out.begin_object();
            if let Some(shown) = self.deeds.get(place) {
                out.key("by");
                out.string(shown.by.as_str());
            }
            deed(&mut out, Some(place));
            out.end_object();
        }
        out.end_object();
        out.key("seed");
        // A seed may be past what a JSON number holds exactly.
        out.string(&settings.seed.to_string());
        out.key("version");
        out.integer(1);
        out.end_object();
        let mut text = out.into_text();
        text.push('\n');
        text
    }
}

fn deed(out: &mut Writer, deed: Option<usize>) {
    if let Some(place) = deed.and_then(|place| i64::try_from(place).ok()) {
        out.key("deed");
        out.integer(place);
    }
}
