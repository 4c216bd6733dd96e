//! What the person's own tabs show to the observers, and when that reaches the
//! ledger (§3).

use crate::model::time::MS_PER_DAY;
use crate::model::{Instant, IsoTs};

use super::calendar::Look;
use super::faults::Fault;
use super::mailbox::receipt_pass;
use super::step::Step;
use super::world::{Due, MINUTE, OFFSET, World, midnight};

/// How long a Sent list may show an earlier state, in minutes. With a promise
/// kept up to 8 minutes late this stays within the 45 minutes the reference
/// waits for a list to settle (§6.1, v1.14).
const STALE_LIST: i64 = 30;
/// How long a calendar page may, within the 30 minutes of grace (§6.1, v1.10).
const STALE_CALENDAR: i64 = 25;

impl World {
    /// The tab of an account is read; nothing while it is closed.
    pub(super) fn read_list(&mut self, account: usize) -> Option<Step> {
        if self.is_closed(account) {
            return None;
        }
        let as_of = self.as_of(STALE_LIST);
        let read = self.wall();
        let held = self.accounts.get_mut(account)?;
        let pass = held.mailbox.pass(held.hash, as_of, read);
        self.deliver(Step::Mail(pass))
    }

    /// A receipt is opened.
    pub(super) fn open_receipt(&mut self, place: usize) -> Option<Step> {
        let mail = self.receipts.get(place)?.clone();
        let account = self.truth.deeds.get(mail.deed)?.account;
        let hash = self.accounts.get(account)?.hash;
        let beside_unparsed = self
            .receipts
            .iter()
            .any(|other| !other.parsed && other.minute.instant() == mail.minute.instant());
        let pass = receipt_pass(&mail, hash, beside_unparsed, self.wall());
        self.deliver(Step::Mail(pass))
    }

    /// A calendar page is read: five weeks from the one before this.
    pub(super) fn look(&mut self, account: usize) -> Option<Step> {
        if self.is_closed(account) {
            return None;
        }
        let as_of = self.as_of(STALE_CALENDAR);
        let read = self.wall();
        let week = 7 * MS_PER_DAY;
        let monday = self.now.div_euclid(week) * week;
        let from = self.date(monday - week);
        let to = IsoTs::computed(self.date(monday + 4 * week).instant().minus(1), OFFSET);
        let crowded = self.fault(Fault::Tabs, 80).then(|| self.some_day());
        let whole = !self.fault(Fault::Tabs, 100);
        let held = self.accounts.get_mut(account)?;
        let view = held.calendar.look(Look {
            account: held.hash,
            as_of,
            read,
            from,
            to,
            crowded,
            whole,
        });
        self.deliver(Step::Calendar(view))
    }

    fn some_day(&mut self) -> Instant {
        let days = self.dice.between(0, 9);
        midnight(self.date(self.now + days * MS_PER_DAY))
    }

    fn is_closed(&mut self, account: usize) -> bool {
        let closes = self.fault(Fault::Tabs, 30);
        let hours = self.dice.between(2, 20);
        let now = self.now;
        let Some(held) = self.accounts.get_mut(account) else {
            return true;
        };
        if closes && held.closed_until <= now {
            held.closed_until = now + hours * 60 * MINUTE;
        }
        held.closed_until > now
    }

    /// Up to when the page shows what was done.
    fn as_of(&mut self, stale: i64) -> i64 {
        if self.fault(Fault::Late, 200) {
            self.now - self.dice.between(1, stale) * MINUTE
        } else {
            self.now
        }
    }

    /// What was read reaches the ledger at once, or later.
    fn deliver(&mut self, step: Step) -> Option<Step> {
        if self.fault(Fault::Late, 70) {
            let later = self.now + self.dice.between(1, 150) * MINUTE;
            self.due(later, Due::Deliver(Box::new(step)));
            return None;
        }
        Some(step)
    }
}
