//! Clock safety (§3): finding that the clock went back, and undoing what it
//! stamped ahead before that can mislead.

use crate::model::{AgentId, Instant, IsoTs, Repair, Source};

use super::books::is_after;
use super::{Keeper, no_earlier};

/// What a clock repair did, in counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Repaired {
    /// From the clock's now to the high water it was below.
    pub span: Repair,
    /// Coverage entries deleted, markers included.
    pub coverage: usize,
    /// Calendar records deleted.
    pub records: usize,
    /// Session pings deleted.
    pub sessions: usize,
    /// Times away deleted.
    pub idle: usize,
    /// Times away cut at now.
    pub idle_cut: usize,
    /// Calendar rows deleted that no batch read.
    pub observations: usize,
    /// Grants stamped again.
    pub grants: usize,
}

impl Keeper {
    /// Begins a transaction of an observer or a batch: repairs first when the
    /// clock is below the high water.
    pub(super) fn open(&mut self, now: IsoTs) {
        let Some(high) = self.books.high_water else {
            return;
        };
        if now.instant() < high.instant() {
            let repaired = self.repair(now, high);
            self.repaired = Some(repaired);
        }
    }

    fn repair(&mut self, now: IsoTs, high: IsoTs) -> Repaired {
        let ms = now.instant();
        let mut done = Repaired {
            span: Repair {
                from: now,
                to: high,
            },
            coverage: 0,
            records: 0,
            sessions: 0,
            idle: 0,
            idle_cut: 0,
            observations: 0,
            grants: 0,
        };
        // Whatever was synced ahead vouches for nothing.
        done.coverage = drop_where(&mut self.ledger.coverage, |entry| {
            is_after(entry.last_sync_at, ms)
        });
        done.records = drop_where(&mut self.records, |record| is_after(record.read_at, ms));
        if let Some(activity) = &mut self.ledger.activity {
            done.sessions = drop_where(&mut activity.sessions, |ping| is_after(ping.at, ms));
            done.idle = drop_where(&mut activity.idle, |away| is_after(away.from, ms));
            for away in &mut activity.idle {
                if is_after(away.to, ms) {
                    away.to = now;
                    done.idle_cut = done.idle_cut.saturating_add(1);
                }
            }
        }
        // A Calendar row seen ahead is derived again by the next pass, unless a
        // batch may have graded with it.
        let last_batch = self.last_batch();
        let unread = |at: Instant| last_batch.is_none_or(|last| at > last);
        done.observations = drop_where(&mut self.ledger.observations, |row| {
            row.source == Source::GcalEvent
                && is_after(row.first_seen_at(), ms)
                && unread(row.observed_at.instant())
        });
        if done.observations > 0 {
            self.index();
        }
        done.grants = self.restamp_grants(no_earlier(now, self.after_last_batch()));
        if self
            .books
            .clock_floor
            .is_none_or(|floor| floor.instant() < high.instant())
        {
            self.books.clock_floor = Some(high);
        }
        self.keep_span(done.span);
        // The clock is what it says now; only the floor remembers.
        self.books.high_water = Some(now);
        self.books.write(&mut self.ledger.meta);
        done
    }

    /// Stamps the grants that no batch would find in force until real time
    /// caught up. An agent's grant is its only row: of several ahead, or one
    /// that stands at the stamp itself, only the latest stays, so that none
    /// becomes ambiguous.
    fn restamp_grants(&mut self, stamp: IsoTs) -> usize {
        let mut count = 0usize;
        for agent in AgentId::ALL.iter().copied() {
            let grants = &mut self.ledger.grants;
            let of_agent = grants.iter().filter(|grant| grant.agent == agent);
            let Some(latest) = of_agent
                .filter(|grant| is_after(grant.updated_at, stamp.instant()))
                .max_by_key(|grant| grant.updated_at.instant())
                .cloned()
            else {
                continue;
            };
            let mut stays = true;
            grants.retain_mut(|grant| {
                if grant.agent != agent || grant.updated_at.instant() < stamp.instant() {
                    return true;
                }
                if *grant == latest && core::mem::take(&mut stays) {
                    grant.updated_at = stamp;
                    return true;
                }
                false
            });
            count = count.saturating_add(1);
        }
        count
    }

    /// Keeps a span under the milliseconds at which it was found. Two found at
    /// one instant are one span that holds both.
    fn keep_span(&mut self, span: Repair) {
        // A key holds digits only.
        let key = span.from.instant().ms().max(0).to_string();
        let repairs = &mut self.ledger.meta.repairs;
        repairs
            .entry(key.into())
            .and_modify(|held| {
                if span.from.instant() < held.from.instant() {
                    held.from = span.from;
                }
                if span.to.instant() > held.to.instant() {
                    held.to = span.to;
                }
            })
            .or_insert(span);
    }
}

/// Drops what matches, and says how much it was.
pub(super) fn drop_where<T>(list: &mut Vec<T>, mut gone: impl FnMut(&T) -> bool) -> usize {
    let before = list.len();
    list.retain(|item| !gone(item));
    before.saturating_sub(list.len())
}
