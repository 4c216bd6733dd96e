//! A world's state: its time, its pages, what was done in it, and what is due.

use std::collections::BTreeMap;

use attest_canon::{Digest, Id, sha256};

use crate::model::time::MS_PER_DAY;
use crate::model::{ActionType, AgentId, Claim, Currency, Entry, Instant, IsoTs, Source};

use super::Settings;
use super::calendar::{Calendar, Event};
use super::dice::Dice;
use super::faults::Fault;
use super::mailbox::{self, Mail, Mailbox, ReceiptMail};
use super::step::Step;
use super::truth::{ClaimTruth, Deed, Doer, Facts, Jump, Truth};

/// The world's offset from UTC, in minutes.
pub(super) const OFFSET: i16 = -240;
/// Milliseconds of a minute and an hour.
pub(super) const MINUTE: i64 = crate::model::time::MS_PER_MINUTE;
pub(super) const HOUR: i64 = crate::model::time::MS_PER_HOUR;

/// Something that is due.
#[derive(Clone, Debug)]
pub(super) enum Due {
    /// A day is planned.
    Day(i64),
    /// An agent acts, and claims or does not.
    Turn(AgentId),
    /// An agent acts unasked.
    Unasked(AgentId),
    /// An agent does what it claimed before.
    Promise {
        agent: AgentId,
        facts: Facts,
        account: usize,
        claim: usize,
    },
    /// An agent's log is pasted.
    Paste(AgentId),
    /// A claim is read; its truth by its place.
    Read(Box<Claim>, usize),
    /// The person sends mail.
    Send,
    /// The person buys something.
    Buy,
    /// Someone edits the person's calendar: the person, or another.
    Edit(Doer),
    /// The person leaves, until then.
    Leave { until: i64 },
    /// The person is back; when they left, as the clock then read it.
    Back { since: IsoTs },
    /// The person reads receipts.
    Judge,
    /// The person changes a grant.
    Choose,
    /// What an agent may do is seen.
    See,
    /// An open Sent list is read.
    MailPass(usize),
    /// A receipt is opened, by its place.
    Open(usize),
    /// A calendar is read.
    Look(usize),
    /// What was read reaches the ledger.
    Deliver(Box<Step>),
    /// A batch is due.
    Batch,
    /// The model answers about a claim and its candidate.
    Answer(Id, Id),
    /// The wall clock moves.
    Jump(i64),
    /// What is past retention goes.
    Purge,
}

/// An agent's log since it was last pasted.
#[derive(Clone, Debug, Default)]
pub(super) struct Log {
    pub(super) minutes: Vec<IsoTs>,
    pub(super) entries: Vec<Entry>,
}

/// One account of the person.
#[derive(Clone, Debug)]
pub(super) struct Account {
    pub(super) hash: Digest,
    pub(super) address: &'static str,
    pub(super) mailbox: Mailbox,
    pub(super) calendar: Calendar,
    /// Its tabs are closed until then.
    pub(super) closed_until: i64,
}

/// The state of a world.
#[derive(Clone, Debug)]
pub(super) struct World {
    pub(super) settings: Settings,
    pub(super) dice: Dice,
    /// Milliseconds since it began.
    pub(super) now: i64,
    /// How far the wall clock is ahead.
    pub(super) skew: i64,
    queue: BTreeMap<(i64, u64), Due>,
    order: u64,
    pub(super) accounts: Vec<Account>,
    pub(super) receipts: Vec<ReceiptMail>,
    pub(super) logs: BTreeMap<AgentId, Log>,
    /// The times the person is away, of the day planned last.
    pub(super) away: Vec<(i64, i64)>,
    pub(super) events: usize,
    pub(super) truth: Truth,
    /// What is true of each claim, by the order they were made.
    pub(super) claims: Vec<ClaimTruth>,
    /// The claims that were read, with their places.
    pub(super) read: Vec<(Id, usize)>,
}

impl World {
    pub(super) fn new(settings: &Settings) -> Self {
        let mut dice = Dice::new(settings.seed);
        let account = |name: &str, address| Account {
            hash: sha256(name.as_bytes()),
            address,
            mailbox: Mailbox::default(),
            calendar: Calendar::default(),
            closed_until: 0,
        };
        let mut accounts = vec![account("acct-a", "me@home.example")];
        if settings.faults.has(Fault::Accounts) && dice.chance(500) {
            accounts.push(account("acct-b", "me@work.example"));
        }
        let mut world = Self {
            settings: settings.clone(),
            dice,
            now: 0,
            skew: 0,
            queue: BTreeMap::new(),
            order: 0,
            accounts,
            receipts: Vec::new(),
            logs: BTreeMap::new(),
            away: Vec::new(),
            events: 0,
            truth: Truth::default(),
            claims: Vec::new(),
            read: Vec::new(),
        };
        for day in 0..i64::from(settings.days) {
            world.due(day * MS_PER_DAY, Due::Day(day));
        }
        world
    }

    /// What was true, once the world has ended.
    pub(super) fn into_truth(self) -> Truth {
        let mut truth = self.truth;
        truth.accounts = self.accounts.iter().map(|held| held.hash).collect();
        for (id, place) in self.read {
            if let Some(known) = self.claims.get(place) {
                truth.claims.insert(id, *known);
            }
        }
        truth
    }

    /// What is true of a claim that was read.
    pub(super) fn truth_of(&self, claim: Id) -> Option<&ClaimTruth> {
        let held = self.read.iter().rev().find(|(id, _)| *id == claim);
        self.claims.get(held?.1)
    }

    /// Puts something on the list; after the world's end nothing is due.
    pub(super) fn due(&mut self, when: i64, what: Due) {
        if when < i64::from(self.settings.days) * MS_PER_DAY {
            self.queue.insert((when.max(self.now), self.order), what);
            self.order += 1;
        }
    }

    /// What is due next; time moves to it.
    pub(super) fn next(&mut self) -> Option<Due> {
        let ((when, _), due) = self.queue.pop_first()?;
        self.now = when;
        Some(due)
    }

    /// What the wall clock reads now.
    pub(super) fn wall(&self) -> IsoTs {
        self.wall_at(self.now)
    }

    /// What the wall clock, as it goes now, reads at a time.
    pub(super) fn wall_at(&self, when: i64) -> IsoTs {
        IsoTs::computed(self.settings.start.plus(when + self.skew), OFFSET)
    }

    /// A date of the calendar, which no clock moves.
    pub(super) fn date(&self, when: i64) -> IsoTs {
        IsoTs::computed(self.settings.start.plus(when), OFFSET)
    }

    /// Whether a fault happens.
    pub(super) fn fault(&mut self, fault: Fault, base: i64) -> bool {
        let per_mille = self.settings.faults.per_mille(fault, base);
        self.dice.chance(per_mille)
    }

    /// Moves the wall clock.
    pub(super) fn jump(&mut self, by: i64) {
        let from = self.wall();
        self.skew += by;
        self.truth.clock.push(Jump {
            when: self.now,
            from,
            to: self.wall(),
            found: false,
        });
    }

    /// Notes that something was done now; its place.
    fn did(&mut self, by: Doer, action: ActionType, account: usize, facts: Facts) -> usize {
        self.truth.deeds.push(Deed {
            by,
            action,
            at: self.wall(),
            when: self.now,
            account,
            facts,
            changed: None,
        });
        self.truth.deeds.len() - 1
    }

    /// A mail is sent, in answer to an earlier one or not.
    pub(super) fn send(
        &mut self,
        by: Doer,
        account: usize,
        facts: Facts,
        answers: Option<usize>,
    ) -> usize {
        let deed = self.did(by, ActionType::EmailSent, account, facts.clone());
        let minute = minute_of(self.wall());
        let (when, own) = (self.now, facts.counterparty.clone());
        let key = key(self.settings.seed, "mail", deed);
        let Some(held) = self.accounts.get_mut(account) else {
            return deed;
        };
        let mail = Mail {
            key,
            when,
            minute,
            to_self: own.as_deref() == Some(held.address),
            facts,
            answers,
        };
        let id = mailbox::sent_row(&mail, minute).id;
        held.mailbox.sent.push(mail);
        self.truth.rows.insert(id, deed);
        deed
    }

    /// Something is bought, changed or listed: its receipt arrives.
    pub(super) fn buy(
        &mut self,
        by: Doer,
        action: ActionType,
        account: usize,
        facts: Facts,
        parsed: bool,
    ) -> usize {
        let deed = self.did(by, action, account, facts.clone());
        let mail = ReceiptMail {
            key: key(self.settings.seed, "receipt", deed),
            deed,
            action,
            minute: minute_of(self.wall()),
            facts,
            parsed,
        };
        let id = mailbox::receipt_row(&mail, mail.minute).id;
        self.truth.rows.insert(id, deed);
        self.receipts.push(mail);
        let opened = self.now + self.dice.between(3, 180) * MINUTE;
        self.due(opened, Due::Open(self.receipts.len() - 1));
        deed
    }

    /// Something no page shows is done.
    pub(super) fn unseen(&mut self, by: Doer, action: ActionType, facts: Facts) -> usize {
        self.did(by, action, 0, facts)
    }

    /// An event is put on a calendar.
    pub(super) fn create(&mut self, by: Doer, account: usize, facts: Facts) -> usize {
        let deed = self.did(by, ActionType::CalendarCreated, account, facts.clone());
        let event = Event {
            key: key(self.settings.seed, "event", self.events),
            last_to_fit: self.events % 2 == 1,
            secondary: self.dice.chance(150),
            versions: vec![(self.now, Some(facts.clone()))],
            creator: deed,
        };
        self.events += 1;
        self.shows(&event, ActionType::CalendarCreated, &facts, deed);
        if let Some(held) = self.accounts.get_mut(account) {
            held.calendar.events.push(event);
        }
        deed
    }

    /// An event is changed, or deleted when nothing is left of it.
    pub(super) fn change(
        &mut self,
        by: Doer,
        account: usize,
        place: usize,
        facts: Option<Facts>,
    ) -> Option<usize> {
        let held = self.accounts.get(account)?;
        let before = held.calendar.events.get(place)?.clone();
        let old = before.last()?.clone();
        let action = match facts {
            Some(_) => ActionType::CalendarUpdated,
            None => ActionType::CalendarDeleted,
        };
        let deed = self.did(
            by,
            action,
            account,
            facts.clone().unwrap_or_else(|| old.clone()),
        );
        let now = self.now;
        if let Some(made) = self.truth.deeds.get_mut(before.creator) {
            made.changed = made.changed.or(Some(now));
        }
        match &facts {
            Some(facts) => {
                // A first look later shows it as it is by then.
                self.shows(&before, ActionType::CalendarCreated, facts, before.creator);
                self.shows(&before, ActionType::CalendarUpdated, facts, deed);
                // Moved out of a range, it is gone from it.
                self.shows(&before, ActionType::CalendarDeleted, &old, deed);
            }
            None => {
                for facts in before
                    .versions
                    .iter()
                    .filter_map(|(_, facts)| facts.as_ref())
                {
                    let row = before.row(ActionType::CalendarDeleted, facts);
                    if let Some(row) = row {
                        self.truth.rows.insert(row.id, deed);
                    }
                }
            }
        }
        let held = self.accounts.get_mut(account)?;
        let event = held.calendar.events.get_mut(place)?;
        event.versions.push((now, facts));
        Some(deed)
    }

    /// Notes that a row a look can give shows a deed.
    fn shows(&mut self, event: &Event, action: ActionType, facts: &Facts, deed: usize) {
        if let Some(row) = event.row(action, facts) {
            self.truth.rows.entry(row.id).or_insert(deed);
        }
    }

    /// An event of a calendar that still stands, by its place.
    pub(super) fn standing(&mut self, account: usize) -> Option<usize> {
        let events = &self.accounts.get(account)?.calendar.events;
        let standing: Vec<usize> = events
            .iter()
            .enumerate()
            .filter(|(_, event)| {
                let starts = event.last().and_then(|facts| facts.target);
                starts.is_some_and(|at| at.instant() > self.settings.start.plus(self.now))
            })
            .map(|(place, _)| place)
            .collect();
        self.dice.one_of(&standing).copied()
    }

    /// Whether the person is away at a time of the day planned last, or just
    /// came back: they take a minute to do anything.
    pub(super) fn is_away(&self, when: i64) -> bool {
        self.away
            .iter()
            .any(|(from, to)| *from - MINUTE <= when && when <= *to + 2 * MINUTE)
    }
}

/// A source's own id of something: no other world's.
fn key(seed: u64, kind: &str, number: usize) -> String {
    format!("{kind} {seed}.{number}")
}

/// The minute an instant lies in.
pub(super) fn minute_of(at: IsoTs) -> IsoTs {
    let into = at.wall_ms().rem_euclid(MINUTE);
    IsoTs::computed(at.instant().minus(into), at.offset_minutes())
}

/// The second an instant lies in.
pub(super) fn second_of(at: IsoTs) -> IsoTs {
    let into = at.wall_ms().rem_euclid(1000);
    IsoTs::computed(at.instant().minus(into), at.offset_minutes())
}

/// Accounts a grant binds, for every source.
pub(super) fn bound(accounts: &[Digest]) -> BTreeMap<Source, Vec<Digest>> {
    let sources = Source::ALL.iter();
    sources.map(|source| (*source, accounts.to_vec())).collect()
}

/// A currency of the world.
pub(super) fn currency(text: &str) -> Option<Currency> {
    Currency::parse(text)
}

/// The start of the time zone's day an instant of the calendar lies in.
pub(super) fn midnight(at: IsoTs) -> Instant {
    at.instant().minus(at.wall_ms().rem_euclid(MS_PER_DAY))
}
