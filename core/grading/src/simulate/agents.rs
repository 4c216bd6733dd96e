//! What agents do, and what they say they did.

use attest_canon::{Digest, Id};

use crate::model::time::MS_PER_DAY;
use crate::model::{ActionType, AgentId, Cents, Claim, Entry, IsoTs, Precision, Token};
use crate::scenario::build::raw_hash;

use super::faults::Fault;
use super::truth::{ClaimTruth, Doer, Facts, More, Naming, Verdict};
use super::vocabulary::{CONTACTS, MERCHANTS, MORE, OTHER_WORDS, SUBJECTS, TITLES};
use super::world::{Due, HOUR, MINUTE, World, currency, minute_of, second_of};

/// The kinds of action an agent is given, as often as they are listed.
const KINDS: [ActionType; 20] = [
    ActionType::EmailSent,
    ActionType::EmailSent,
    ActionType::EmailSent,
    ActionType::EmailSent,
    ActionType::EmailSent,
    ActionType::EmailSent,
    ActionType::EmailSent,
    ActionType::EmailSent,
    ActionType::EmailSent,
    ActionType::CalendarCreated,
    ActionType::CalendarCreated,
    ActionType::CalendarCreated,
    ActionType::CalendarUpdated,
    ActionType::CalendarDeleted,
    ActionType::PurchaseMade,
    ActionType::PurchaseMade,
    ActionType::SubscriptionChanged,
    ActionType::ListingPosted,
    ActionType::MessageSent,
    ActionType::Other,
];

impl World {
    /// The account an agent acts in: the one its grant binds, or either.
    pub(super) fn account_of(&mut self, agent: AgentId) -> usize {
        if self.accounts.len() < 2 {
            return 0;
        }
        match agent {
            AgentId::Muse => 0,
            AgentId::Claude => 1,
            AgentId::Chatgpt | AgentId::Dots => usize::from(self.dice.chance(300)),
        }
    }

    /// An agent's turn: it acts, and says so; or one without the other.
    pub(super) fn turn(&mut self, agent: AgentId) {
        let kind = self.dice.pick(&KINDS);
        if self.fault(Fault::Lie, 60) {
            self.lie(agent, kind);
        } else if self.fault(Fault::Borrow, 40) {
            self.borrow(agent);
        } else if self.fault(Fault::Forget, 40) {
            self.act(agent, kind);
            self.lines(agent, 2);
        } else if kind == ActionType::EmailSent && self.dice.chance(80) {
            self.promise(agent);
        } else {
            self.act_and_say(agent, kind);
        }
    }

    fn act_and_say(&mut self, agent: AgentId, kind: ActionType) {
        let Some((deed, action)) = self.act(agent, kind) else {
            return;
        };
        let Some(done) = self.truth.deeds.get(deed) else {
            return;
        };
        let (mut facts, at) = (done.facts.clone(), done.at);
        let mut naming = Naming::Plain;
        let mut verdict = Verdict::True;
        if self.fault(Fault::Vague, 50) {
            naming = Naming::Vague;
            facts = Facts::default();
        } else if self.fault(Fault::Reword, 50) {
            naming = Naming::Reworded;
            facts.subject = Some(self.dice.pick(&OTHER_WORDS).to_owned());
            if action.is_calendar() || self.dice.chance(300) {
                facts.counterparty = None;
                facts.name = Some("the team".to_owned()).filter(|_| !action.is_calendar());
            }
        } else if self.fault(Fault::Exaggerate, 80)
            && let Some(more) = self.exaggerate(&mut facts, action)
        {
            verdict = Verdict::Exaggerated(more);
        }
        let truth = ClaimTruth {
            verdict,
            deed: Some(deed),
            naming,
        };
        self.say(agent, action, facts, at, truth);
    }

    /// Says more than was done, if the action has room for it.
    fn exaggerate(&mut self, facts: &mut Facts, action: ActionType) -> Option<More> {
        if let Some(amount) = facts.amount {
            facts.amount = Cents::new(amount.get() + 100 * self.dice.between(5, 900));
            return Some(More::Amount);
        }
        if action == ActionType::EmailSent && self.dice.chance(500) {
            let others = CONTACTS.map(|contact| contact.address);
            let other = self.dice.pick(&others);
            if facts.counterparty.as_deref() != Some(other) {
                facts.counterparty = Some(other.to_owned());
                facts.name = None;
                return Some(More::Recipient);
            }
        }
        let subject = facts.subject.as_mut()?;
        *subject = format!("{subject} {}", self.dice.pick(&MORE));
        Some(More::Words)
    }

    /// Says what it is about to do, and does it some minutes later.
    fn promise(&mut self, agent: AgentId) {
        let facts = self.mail_facts();
        let truth = ClaimTruth {
            verdict: Verdict::True,
            deed: None,
            naming: Naming::Plain,
        };
        let claim = self.claims.len();
        let account = self.account_of(agent);
        self.say(
            agent,
            ActionType::EmailSent,
            facts.clone(),
            self.wall(),
            truth,
        );
        let later = self.now + self.dice.between(1, 8) * MINUTE;
        self.due(
            later,
            Due::Promise {
                agent,
                facts,
                account,
                claim,
            },
        );
    }

    /// Does what was promised.
    pub(super) fn keep_promise(
        &mut self,
        agent: AgentId,
        facts: Facts,
        account: usize,
        claim: usize,
    ) {
        let deed = self.send(Doer::Agent(agent), account, facts, None);
        if let Some(truth) = self.claims.get_mut(claim) {
            truth.deed = Some(deed);
        }
        self.lines(agent, 1);
    }

    /// Claims what nobody did.
    fn lie(&mut self, agent: AgentId, kind: ActionType) {
        let facts = self.facts_of(kind);
        let truth = ClaimTruth {
            verdict: Verdict::False,
            deed: None,
            naming: Naming::Plain,
        };
        self.say(agent, kind, facts, self.wall(), truth);
    }

    /// Claims what another did in the last half hour.
    fn borrow(&mut self, agent: AgentId) {
        let since = self.now - 30 * MINUTE;
        let recent: Vec<usize> = self
            .truth
            .deeds
            .iter()
            .enumerate()
            .rev()
            .take_while(|(_, deed)| deed.when >= since)
            .filter(|(_, deed)| deed.by != Doer::Agent(agent))
            .map(|(place, _)| place)
            .collect();
        let Some((place, deed)) = self
            .dice
            .one_of(&recent)
            .and_then(|place| Some((*place, self.truth.deeds.get(*place)?.clone())))
        else {
            return self.lie(agent, ActionType::EmailSent);
        };
        let truth = ClaimTruth {
            verdict: Verdict::False,
            deed: Some(place),
            naming: Naming::Plain,
        };
        self.say(agent, deed.action, deed.facts, deed.at, truth);
    }

    /// Acts without saying so; nothing in its log names it.
    pub(super) fn act_unasked(&mut self, agent: AgentId) {
        let kind = if self.dice.chance(700) {
            ActionType::EmailSent
        } else {
            ActionType::PurchaseMade
        };
        self.act(agent, kind);
        self.lines(agent, 2);
    }

    /// Does something of a kind; which deed, and of which kind in the end.
    fn act(&mut self, agent: AgentId, kind: ActionType) -> Option<(usize, ActionType)> {
        let by = Doer::Agent(agent);
        let account = self.account_of(agent);
        let facts = self.facts_of(kind);
        let deed = match kind {
            ActionType::EmailSent => {
                let answers = self.dice.chance(150).then(|| self.earlier(account));
                self.send(by, account, facts, answers.flatten())
            }
            ActionType::CalendarCreated => self.create(by, account, facts),
            ActionType::CalendarUpdated | ActionType::CalendarDeleted => {
                let Some(place) = self.standing(account) else {
                    let deed = self.create(by, account, facts);
                    return Some((deed, ActionType::CalendarCreated));
                };
                let gone = kind == ActionType::CalendarDeleted;
                self.edit(by, account, place, gone)?
            }
            ActionType::PurchaseMade
            | ActionType::SubscriptionChanged
            | ActionType::ListingPosted => {
                let parsed = MERCHANTS
                    .iter()
                    .any(|held| held.parsed && Some(held.name) == facts.merchant.as_deref());
                self.buy(by, kind, account, facts, parsed)
            }
            ActionType::MessageSent | ActionType::Other => self.unseen(by, kind, facts),
        };
        Some((deed, kind))
    }

    /// Moves, renames or deletes an event.
    pub(super) fn edit(
        &mut self,
        by: Doer,
        account: usize,
        place: usize,
        gone: bool,
    ) -> Option<usize> {
        let event = self.accounts.get(account)?.calendar.events.get(place)?;
        let mut facts = event.last()?.clone();
        if gone {
            return self.change(by, account, place, None);
        }
        if self.dice.chance(300) {
            facts.subject = Some(self.dice.pick(&TITLES).to_owned());
        } else {
            let by_hours = self.dice.between(1, 30);
            let moved = |at: IsoTs| IsoTs::computed(at.instant().plus(by_hours * HOUR), -240);
            facts.target = facts.target.map(moved);
        }
        self.change(by, account, place, Some(facts))
    }

    /// The first mail of a conversation.
    pub(super) fn earlier(&mut self, account: usize) -> Option<usize> {
        let sent = &self.accounts.get(account)?.mailbox.sent;
        let newest: Vec<usize> = (0..sent.len()).rev().take(12).collect();
        let place = *self.dice.one_of(&newest)?;
        let sent = &self.accounts.get(account)?.mailbox.sent;
        Some(sent.get(place)?.answers.unwrap_or(place))
    }

    pub(super) fn mail_facts(&mut self) -> Facts {
        let to = self.dice.pick(&CONTACTS);
        let mut subject = self.dice.pick(&SUBJECTS).to_owned();
        if self.dice.chance(300) {
            subject = format!("{subject} {}", self.dice.between(2, 99));
        }
        Facts {
            counterparty: Some(to.address.to_owned()),
            name: Some(to.name.to_owned()),
            subject: Some(subject),
            ..Facts::default()
        }
    }

    pub(super) fn facts_of(&mut self, kind: ActionType) -> Facts {
        match kind {
            ActionType::CalendarCreated
            | ActionType::CalendarUpdated
            | ActionType::CalendarDeleted => {
                let guest = self.dice.pick(&CONTACTS);
                let invited = self.dice.chance(400);
                let day = self.now.div_euclid(MS_PER_DAY) + self.dice.between(1, 9);
                let half_hours = self.dice.between(16, 36);
                Facts {
                    counterparty: invited.then(|| guest.address.to_owned()),
                    name: invited.then(|| guest.name.to_owned()),
                    subject: Some(self.dice.pick(&TITLES).to_owned()),
                    target: Some(self.date(day * MS_PER_DAY + half_hours * 30 * MINUTE)),
                    ..Facts::default()
                }
            }
            ActionType::PurchaseMade
            | ActionType::SubscriptionChanged
            | ActionType::ListingPosted => {
                let merchant = self.dice.pick(&MERCHANTS);
                let amount = 100 * self.dice.between(3, 240) + 99 * self.dice.below(2);
                let money = self.dice.pick(&["USD", "USD", "USD", "EUR"]);
                Facts {
                    merchant: Some(merchant.name.to_owned()),
                    amount: Cents::new(amount),
                    currency: currency(money),
                    subject: Some(format!("Order {}", self.dice.between(1000, 9999))),
                    ..Facts::default()
                }
            }
            _ => self.mail_facts(),
        }
    }

    /// Makes a claim, notes what is true of it, and puts its reading on the
    /// list.
    fn say(
        &mut self,
        agent: AgentId,
        action: ActionType,
        facts: Facts,
        at: IsoTs,
        truth: ClaimTruth,
    ) {
        let place = self.claims.len();
        self.claims.push(truth);
        let by_name = self.dice.chance(250);
        let named = facts.name.filter(|_| by_name);
        let text = |text: Option<String>| text.map(Into::into);
        let counterparty = match action {
            ActionType::PurchaseMade
            | ActionType::SubscriptionChanged
            | ActionType::ListingPosted => facts.merchant,
            _ => named.or(facts.counterparty),
        };
        let precision = match self.dice.below(20) {
            0 => Precision::Day,
            1..=3 => Precision::Hour,
            _ => Precision::Minute,
        };
        let keeps_subject = truth.naming != Naming::Plain || self.dice.chance(850);
        let no_target = truth.naming == Naming::Vague;
        let zero = Digest::from_bytes([0; 32]);
        let mut claim = Claim {
            id: Id::from_digest(&zero),
            request_id: None,
            agent,
            action,
            counterparty: text(counterparty),
            amount: facts.amount,
            currency: facts.currency.filter(|_| self.dice.chance(900)),
            subject_hint: text(facts.subject.filter(|_| keeps_subject)),
            claimed_at: second_of(at),
            precision,
            claimed_at_end: None,
            target_at: facts.target.filter(|_| action.is_calendar() && !no_target),
            observed_at: at,
            source_kind: Token::activity_view(),
            extractor: None,
            raw_hash: zero,
        };
        claim.raw_hash = raw_hash(&claim, None, Some(&place.to_string()));
        claim.id = Id::from_digest(&claim.raw_hash);
        self.write_down(agent, &claim);
        let late = self.fault(Fault::Late, 60);
        let delay = if late {
            self.dice.between(60, 1500)
        } else {
            self.dice.between(1, 20)
        };
        self.due(self.now + delay * MINUTE, Due::Read(Box::new(claim), place));
    }

    /// An agent's log names its claims; now and then it names minutes beside.
    fn write_down(&mut self, agent: AgentId, claim: &Claim) {
        let minute = minute_of(claim.claimed_at);
        let log = self.logs.entry(agent).or_default();
        log.minutes.push(minute);
        if claim.precision != Precision::Day {
            log.entries.push(Entry {
                agent,
                at: minute,
                action: Some(claim.action),
            });
        }
        if self.dice.chance(300) {
            self.lines(agent, 1);
        }
    }

    /// Lines of an agent's log that are no claims.
    fn lines(&mut self, agent: AgentId, count: i64) {
        for _ in 0..count {
            let near = self.now + self.dice.between(-4, 4) * MINUTE;
            let minute = minute_of(self.wall_at(near));
            self.logs.entry(agent).or_default().minutes.push(minute);
        }
    }
}
