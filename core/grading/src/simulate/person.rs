//! What the person does: their own mail, purchases and calendar; what they say
//! of receipts; what they let agents do.

use crate::ledger::rules::{GrantChoice, Keeper};
use crate::model::activity::Idle;
use crate::model::{
    ActionType, AgentId, Cents, Grade, IsoTs, OverrideGrade, Receipt, ReceiptState,
};

use super::faults::Fault;
use super::step::Step;
use super::truth::{Doer, Verdict};
use super::vocabulary::{CONTACTS, MERCHANTS, SCOPES, WORDS};
use super::world::{World, bound, currency};

impl World {
    /// The person sends mail: to others, in answer, now and then to themselves.
    pub(super) fn send_own(&mut self) {
        if self.is_away(self.now) {
            return;
        }
        let account = self.own_account();
        let mut facts = self.mail_facts();
        if self.dice.chance(50) {
            facts.counterparty = self
                .accounts
                .get(account)
                .map(|held| held.address.to_owned());
        }
        let answers = if self.dice.chance(250) {
            self.earlier(account)
        } else {
            None
        };
        self.send(Doer::Person, account, facts, answers);
    }

    fn own_account(&mut self) -> usize {
        usize::from(self.accounts.len() > 1 && self.dice.chance(400))
    }

    /// The person buys something.
    pub(super) fn buy_own(&mut self) {
        if self.is_away(self.now) {
            return;
        }
        let account = self.own_account();
        let facts = self.facts_of(ActionType::PurchaseMade);
        let parsed = MERCHANTS
            .iter()
            .any(|held| held.parsed && Some(held.name) == facts.merchant.as_deref());
        self.buy(
            Doer::Person,
            ActionType::PurchaseMade,
            account,
            facts,
            parsed,
        );
    }

    /// A calendar is edited, by the person or by someone who invites them.
    pub(super) fn edit_calendar(&mut self, by: Doer) {
        if by == Doer::Person && self.is_away(self.now) {
            return;
        }
        let account = self.own_account();
        let kind = self.dice.below(10);
        let standing = self.standing(account);
        match (kind, standing) {
            (0..=1, Some(place)) => {
                self.edit(by, account, place, true);
            }
            (2..=4, Some(place)) => {
                self.edit(by, account, place, false);
            }
            _ => {
                let facts = self.facts_of(ActionType::CalendarCreated);
                self.create(by, account, facts);
            }
        }
    }

    /// The time away that just ended, as the clock reads it.
    pub(super) fn back(&self, since: IsoTs) -> Step {
        Step::Away(Idle {
            from: since,
            to: self.wall(),
        })
    }

    /// The person says what a receipt really is, or takes it back; mostly of
    /// one that takes it, mostly rightly.
    pub(super) fn judge(&mut self, keeper: &Keeper) -> Option<Step> {
        let receipts = &keeper.ledger().receipts;
        let newest = receipts.len().saturating_sub(60);
        let recent = receipts.get(newest..).unwrap_or_default();
        let overridden: Vec<&Receipt> = recent
            .iter()
            .filter(|receipt| receipt.state == ReceiptState::UserOverridden)
            .collect();
        if self.dice.chance(400) {
            let receipt = match self.dice.one_of(&overridden) {
                Some(receipt) => receipt,
                None => self.dice.one_of(recent)?,
            };
            return Some(Step::Revert {
                receipt: receipt.id,
                told: self.dice.chance(700),
            });
        }
        let receipt = self.dice.one_of(recent)?;
        let happened = self.really_happened(receipt);
        let right = self.dice.chance(750);
        Some(Step::Override {
            receipt: receipt.id,
            grade: if happened == right {
                OverrideGrade::Verified
            } else {
                OverrideGrade::NotFound
            },
            reason: self.dice.pick(&WORDS),
        })
    }

    fn really_happened(&self, receipt: &Receipt) -> bool {
        let by_agent = |row| {
            let deed = self.truth.deed_of(row);
            deed.is_some_and(|deed| matches!(deed.by, Doer::Agent(_)))
        };
        match receipt.claim_id {
            None => receipt.observation_ids.iter().any(|row| by_agent(*row)),
            Some(claim) => {
                let known = self.truth_of(claim);
                known.is_some_and(|truth| truth.verdict == Verdict::True)
                    || receipt.grade == Grade::Verified
            }
        }
    }

    /// The grants a world begins with.
    pub(super) fn first_grants(&mut self) -> Vec<Step> {
        let mut steps = Vec::new();
        for agent in AgentId::ALL.iter().copied() {
            steps.push(Step::Grant {
                agent,
                choice: open_choice(),
            });
            steps.push(self.seen(agent));
        }
        steps
    }

    /// What is seen of an agent: its permissions and its accounts.
    pub(super) fn seen(&mut self, agent: AgentId) -> Step {
        let hashes: Vec<_> = self.accounts.iter().map(|held| held.hash).collect();
        let first = hashes.first().copied();
        let last = hashes.last().copied();
        let accounts = match agent {
            AgentId::Muse => first.map(|hash| bound(&[hash])),
            AgentId::Chatgpt => Some(bound(&hashes)),
            AgentId::Claude => last.map(|hash| bound(&[hash])),
            // Nothing is known of where this one acts.
            AgentId::Dots => None,
        };
        let held = SCOPES.iter().filter(|_| self.dice.chance(150));
        let scopes: Vec<&str> = held.copied().collect();
        Step::Seen {
            agent,
            scopes: scopes.into_iter().map(Into::into).collect(),
            accounts,
        }
    }

    /// The person narrows or widens what an agent may do.
    pub(super) fn choose(&mut self) -> Step {
        let agent = self.dice.one_of(AgentId::ALL).copied();
        let mut choice = open_choice();
        match self.dice.below(6) {
            0 => choice
                .allowed_types
                .retain(|action| !action.is_calendar_change()),
            1 => choice
                .allowed_types
                .retain(|action| *action != ActionType::PurchaseMade),
            2 => {
                let one = self.dice.pick(&CONTACTS).address;
                choice.counterparty_allowlist = vec!["northwind.example".into(), one.into()];
            }
            3 => {
                let ceiling = Cents::new(100 * self.dice.between(40, 900));
                choice.spend_ceiling = ceiling.zip(currency("USD"));
            }
            _ => {}
        }
        let declared = SCOPES.iter().filter(|_| self.dice.chance(500));
        choice.declared_scopes = declared.map(|scope| (*scope).into()).collect();
        Step::Grant {
            agent: agent.unwrap_or(AgentId::Muse),
            choice,
        }
    }

    /// Whether the person has the advisory model on.
    pub(super) fn model_is_on(&self) -> bool {
        self.settings.faults.has(Fault::Model)
    }
}

/// Everything is allowed.
fn open_choice() -> GrantChoice {
    GrantChoice {
        allowed_types: ActionType::ALL.to_vec(),
        counterparty_allowlist: Vec::new(),
        spend_ceiling: None,
        declared_scopes: vec!["mail.send".into(), "calendar.write".into()],
    }
}
