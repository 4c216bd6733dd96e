//! The ledger over time: lanes of instants and spans, each mark with what it says and the receipt
//! it belongs to.

use std::collections::BTreeMap;

use attest_canon::{Digest, Id};
use attest_grading::ledger::Ledger;
use attest_grading::model::hashes::{claim_receipt_id, unasked_receipt_id};
use attest_grading::model::{
    Activity, AgentId, Claim, Instant, Interval, Observation, ObserverCoverage, Receipt, Repair,
    Source,
};

use crate::inspector::look::grade_word;
use crate::inspector::panes::tabs::format::{Clock, money};
use crate::inspector::row::{Row, Standing};
use crate::inspector::screens::Facts;
use crate::inspector::text::{count, cut_middle, shown};

/// What a lane holds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// The ledger's batches.
    Batches,
    /// What an agent claimed.
    Claims(AgentId),
    /// What a source showed.
    Rows(Source),
    /// What was looked at: a source, and an account where one is named.
    Views(Source, Option<Digest>),
    /// An agent's session pings.
    Sessions(AgentId),
    /// An agent's log entries.
    Entries(AgentId),
    /// Imports of an agent's log.
    Imports(AgentId),
    /// When the person was away.
    Idle,
    /// Spans in which the clock was wrong.
    Repairs,
}

impl Kind {
    /// Whether its marks are spans.
    pub const fn is_spans(self) -> bool {
        matches!(self, Self::Views(..) | Self::Idle | Self::Repairs)
    }

    /// What its marks are.
    pub const fn about(self) -> &'static str {
        match self {
            Self::Batches => "when receipts were computed",
            Self::Claims(_) => "what the agent claimed",
            Self::Rows(_) => "what the source showed",
            Self::Views(_, None) => "what was looked at, of no named account",
            Self::Views(_, Some(_)) => "what was looked at, of this account",
            Self::Sessions(_) => "when the agent had a session",
            Self::Entries(_) => "what the agent logged",
            Self::Imports(_) => "when the agent's log was imported",
            Self::Idle => "when the person was away",
            Self::Repairs => "when the clock was wrong",
        }
    }

    /// Its name.
    pub fn name(self, cut: &str) -> String {
        match self {
            Self::Batches => "batches".to_owned(),
            Self::Claims(agent) => format!("claims {agent}"),
            Self::Rows(source) => format!("rows {source}"),
            Self::Views(source, None) => format!("seen {source}"),
            Self::Views(source, Some(account)) => {
                let account = account.to_string();
                format!("{source} {}", cut_middle(&account, 7, cut))
            }
            Self::Sessions(agent) => format!("session {agent}"),
            Self::Entries(agent) => format!("log {agent}"),
            Self::Imports(agent) => format!("import {agent}"),
            Self::Idle => "away".to_owned(),
            Self::Repairs => "clock repairs".to_owned(),
        }
    }
}

/// One instant or span.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mark {
    /// When; an instant is a span of itself.
    pub at: Interval,
    /// What it says, fit for a terminal.
    pub text: String,
    /// The receipts it may belong to: its own, then one whose evidence it is.
    pub receipts: Vec<Id>,
    /// Where the first of those in the list stands, and what it says there.
    pub verdict: Option<(Standing, String)>,
}

/// A row of the screen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lane {
    /// What it holds.
    pub kind: Kind,
    /// Its marks, by their start.
    pub marks: Vec<Mark>,
    /// Of spans, what they cover together: apart, by their start.
    pub covered: Vec<Interval>,
}

/// The whole ledger over time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Model {
    /// The lanes, from above.
    pub lanes: Vec<Lane>,
    /// From the first instant to the last; none where there is nothing.
    pub whole: Option<Interval>,
    /// The clock times are read on.
    pub clock: Clock,
}

/// The tables a timeline is made from.
struct Tables<'a> {
    claims: &'a [Claim],
    rows: &'a [Observation],
    receipts: &'a [Receipt],
    views: &'a [ObserverCoverage],
    activity: Option<&'a Activity>,
    repairs: Vec<Repair>,
    batches: BTreeMap<Instant, usize>,
}

impl Model {
    /// The timeline of what is open.
    pub fn new(facts: &Facts<'_>) -> Self {
        let clock = Clock::of(&facts.at);
        let tables = match (facts.ledger, facts.scenario) {
            (Some(ledger), _) => of_ledger(ledger),
            (None, Some(world)) => Tables {
                claims: &world.claims,
                rows: &world.observations,
                receipts: &[],
                views: &world.coverage.observers,
                activity: Some(&world.activity),
                repairs: world.coverage.repairs.clone(),
                batches: BTreeMap::new(),
            },
            (None, None) => Tables {
                claims: &[],
                rows: &[],
                receipts: &[],
                views: &[],
                activity: None,
                repairs: Vec::new(),
                batches: BTreeMap::new(),
            },
        };
        let mut lanes: BTreeMap<Kind, Vec<Mark>> = BTreeMap::new();
        tables.fill(clock, &mut lanes);
        let stored: BTreeMap<Id, &Receipt> =
            tables.receipts.iter().map(|one| (one.id, one)).collect();
        for mark in lanes.values_mut().flatten() {
            let held = mark.receipts.iter().position(|id| stored.contains_key(id));
            let Some(held) = held else { continue };
            let said = mark.receipts.get(held).and_then(|id| stored.get(id));
            if let Some(verdict) = said.and_then(|receipt| settled(receipt)) {
                mark.verdict = Some(verdict);
                mark.receipts.retain(|id| stored.contains_key(id));
            }
        }
        let lanes: Vec<Lane> = lanes
            .into_iter()
            .map(|(kind, mut marks)| {
                marks.sort_by_key(|mark| (mark.at.from, mark.at.to));
                let covered = if kind.is_spans() {
                    together(&marks)
                } else {
                    Vec::new()
                };
                Lane {
                    kind,
                    marks,
                    covered,
                }
            })
            .collect();
        let spans = || {
            lanes
                .iter()
                .flat_map(|lane| &lane.marks)
                .map(|mark| mark.at)
        };
        let from = spans().map(|at| at.from).min();
        let to = spans().map(|at| at.to).max();
        Self {
            whole: from.zip(to).map(|(from, to)| Interval { from, to }),
            lanes,
            clock,
        }
    }

    /// Lets each mark that has no verdict yet say what its receipt says in the list.
    pub fn judge(&mut self, rows: &[Row]) {
        let open = |mark: &&mut Mark| mark.verdict.is_none() && !mark.receipts.is_empty();
        let mut marks: Vec<&mut Mark> = self
            .lanes
            .iter_mut()
            .flat_map(|lane| &mut lane.marks)
            .filter(open)
            .collect();
        let asked = marks.iter().flat_map(|mark| &mark.receipts);
        let mut found: BTreeMap<String, Option<&Row>> =
            asked.map(|id| (id.to_string(), None)).collect();
        for row in rows {
            if let Some(held) = found.get_mut(&row.id) {
                *held = Some(row);
            }
        }
        for mark in &mut marks {
            let row = |id: &Id| found.get(&id.to_string()).copied().flatten();
            mark.receipts.retain(|id| row(id).is_some());
            let first = mark.receipts.first().and_then(row);
            mark.verdict = first.map(|row| (row.standing, row.verdict().to_owned()));
        }
    }
}

/// What a settled receipt says: the ledger holds it, and no grading makes another of it. Of one
/// that is checking the list knows more.
fn settled(receipt: &Receipt) -> Option<(Standing, String)> {
    let standing = Standing::of(receipt);
    let grade = receipt.counted_grade()?;
    matches!(standing, Standing::Final | Standing::Overridden)
        .then(|| (standing, grade_word(grade).to_owned()))
}

fn of_ledger(ledger: &Ledger) -> Tables<'_> {
    let mut batches: BTreeMap<Instant, usize> = BTreeMap::new();
    for receipt in &ledger.receipts {
        *batches.entry(receipt.computed_at.instant()).or_default() += 1;
    }
    if let Some(last) = ledger.meta.last_batch_instant {
        batches.entry(last.instant()).or_default();
    }
    Tables {
        claims: &ledger.claims,
        rows: &ledger.observations,
        receipts: &ledger.receipts,
        views: &ledger.coverage,
        activity: ledger.activity.as_ref(),
        repairs: ledger.meta.repairs.values().cloned().collect(),
        batches,
    }
}

impl Tables<'_> {
    fn fill(&self, clock: Clock, lanes: &mut BTreeMap<Kind, Vec<Mark>>) {
        let mut add = |kind, at, text, receipts| {
            lanes.entry(kind).or_default().push(Mark {
                at,
                text,
                receipts,
                verdict: None,
            });
        };
        let instant = |at: Instant| Interval { from: at, to: at };
        for (at, n) in &self.batches {
            let text = match n {
                0 => format!("{}  a batch; none of its receipts is left", clock.at(*at)),
                1 => format!("{}  a batch, 1 receipt", clock.at(*at)),
                n => format!("{}  a batch, {} receipts", clock.at(*at), count(*n)),
            };
            add(Kind::Batches, instant(*at), text, Vec::new());
        }
        for claim in self.claims {
            let at = claim.claimed_at.instant();
            let text = said(
                &clock.at(at),
                claim.action.as_str(),
                &[&claim.counterparty, &claim.subject_hint],
                claim.amount.map(|cents| money(cents.get(), claim.currency)),
            );
            let receipts = vec![claim_receipt_id(claim.id)];
            add(Kind::Claims(claim.agent), instant(at), text, receipts);
        }
        let mut held: BTreeMap<Id, Id> = BTreeMap::new();
        for receipt in self.receipts {
            for row in &receipt.observation_ids {
                held.insert(*row, receipt.id);
            }
        }
        for row in self.rows {
            let at = row.occurred_at.instant();
            let text = said(
                &clock.at(at),
                row.action.as_str(),
                &[&row.counterparty, &row.merchant, &row.subject_hint],
                row.amount.map(|cents| money(cents.get(), row.currency)),
            );
            let own = unasked_receipt_id(row.id);
            let mut receipts = vec![own];
            receipts.extend(held.get(&row.id).copied().filter(|id| *id != own));
            add(Kind::Rows(row.source), instant(at), text, receipts);
        }
        for view in self.views {
            let synced = clock.at(view.last_sync_at.instant());
            let mut text = format!("{}  synced {synced}", clock.span(view.window()));
            if let Some(since) = view.changes_since {
                text.push_str(&format!("  changes since {}", clock.at(since.instant())));
            }
            if view.all_calendars == Some(false) {
                text.push_str("  not every calendar");
            }
            let kind = Kind::Views(view.source, view.account_hash);
            add(kind, view.window(), text, Vec::new());
        }
        for repair in &self.repairs {
            let text = format!("{}  the clock was wrong", clock.span(repair.interval()));
            add(Kind::Repairs, repair.interval(), text, Vec::new());
        }
        let Some(activity) = self.activity else {
            return;
        };
        for one in &activity.sessions {
            let at = one.at.instant();
            let text = format!("{}  a session of {}", clock.at(at), one.agent);
            add(Kind::Sessions(one.agent), instant(at), text, Vec::new());
        }
        for one in &activity.entries {
            let at = one.at.instant();
            let action = one.action.map_or("no type", |action| action.as_str());
            let text = format!("{}  logged by {}: {action}", clock.at(at), one.agent);
            add(Kind::Entries(one.agent), instant(at), text, Vec::new());
        }
        for one in &activity.adapter_syncs {
            let at = one.last_sync_at.instant();
            let text = format!("{}  the log of {} was imported", clock.at(at), one.agent);
            add(Kind::Imports(one.agent), instant(at), text, Vec::new());
        }
        for one in &activity.idle {
            let text = format!("{}  the person was away", clock.span(one.interval()));
            add(Kind::Idle, one.interval(), text, Vec::new());
        }
    }
}

/// A claim or a row as a line.
fn said(at: &str, action: &str, texts: &[&Option<Box<str>>], amount: Option<String>) -> String {
    let mut parts = vec![at.to_owned(), action.to_owned()];
    let texts = texts.iter().filter_map(|text| text.as_deref());
    parts.extend(texts.map(|text| shown(text).into_owned()));
    parts.extend(amount);
    parts.join("  ")
}

/// What spans cover together: apart, by their start.
fn together(marks: &[Mark]) -> Vec<Interval> {
    let mut covered: Vec<Interval> = Vec::new();
    for mark in marks {
        match covered.last_mut() {
            Some(last) if mark.at.from <= last.to => last.to = last.to.max(mark.at.to),
            _ => covered.push(mark.at),
        }
    }
    covered
}

impl Lane {
    /// The marks that share an instant with a stretch of time.
    pub fn within(&self, held: Interval) -> Vec<&Mark> {
        let until = self.marks.partition_point(|mark| mark.at.from <= held.to);
        let from = if self.kind.is_spans() {
            0
        } else {
            self.marks.partition_point(|mark| mark.at.from < held.from)
        };
        let marks = self.marks.get(from..until).unwrap_or_default();
        marks
            .iter()
            .filter(|mark| mark.at.to >= held.from)
            .collect()
    }

    /// How many instants lie in a stretch of time, and the first of them.
    pub fn count(&self, held: Interval) -> (usize, Option<&Mark>) {
        let from = self.marks.partition_point(|mark| mark.at.from < held.from);
        let until = self.marks.partition_point(|mark| mark.at.from <= held.to);
        (until.saturating_sub(from), self.marks.get(from))
    }

    /// Whether spans cover any of a stretch of time.
    pub fn covers(&self, held: Interval) -> bool {
        let until = self.covered.partition_point(|span| span.from <= held.to);
        let last = until.checked_sub(1).and_then(|at| self.covered.get(at));
        last.is_some_and(|span| span.to >= held.from)
    }
}
