//! What the writer remembers beside the tables, kept in `meta`: its high
//! water, the clock floor, and how many facts it stored and graded.
//!
//! The reference names `storedWrites` and `gradedWrites`; `highWater` and
//! `clockFloor` are our names for what it keeps there too. A key that holds
//! something else in a file is another writer's: it is left as it stands, and
//! the number is kept in memory only.

use attest_canon::Decimal;
use attest_canon::json::{Limits, Value};

use crate::ledger::export::{Ledger, Meta, Raw};
use crate::model::{Instant, IsoTs};

const HIGH_WATER: &str = "highWater";
const CLOCK_FLOOR: &str = "clockFloor";
const STORED_WRITES: &str = "storedWrites";
const GRADED_WRITES: &str = "gradedWrites";

/// What the writer remembers.
#[derive(Clone, Debug, Default)]
pub(super) struct Books {
    /// The latest reading of the clock at which something was stored or a batch
    /// ran. Stamps above the clock (last batch + 1 ms) do not raise it: they
    /// are no reading of it.
    pub(super) high_water: Option<IsoTs>,
    /// The highest high water a repair found: no chain of Calendar reads
    /// follows changes from below it.
    pub(super) clock_floor: Option<IsoTs>,
    /// Facts stored.
    pub(super) stored: u64,
    /// Facts stored when a batch last graded.
    pub(super) graded: Option<u64>,
}

impl Books {
    /// What a ledger's own tables and meta say.
    pub(super) fn of(ledger: &Ledger) -> Self {
        let meta = &ledger.meta;
        let kept_high = meta.raw(HIGH_WATER).and_then(instant);
        let kept_floor = meta.raw(CLOCK_FLOOR).and_then(instant);
        let floors = meta.repairs.values().map(|repair| repair.to);
        let stored = meta.raw(STORED_WRITES).and_then(count);
        Self {
            high_water: latest(readings(ledger).chain(kept_high)),
            clock_floor: latest(floors.chain(kept_floor)),
            stored: stored.unwrap_or(0),
            // Without a count nothing is known to be graded.
            graded: stored.and(meta.raw(GRADED_WRITES).and_then(count)),
        }
    }

    pub(super) fn stored(&mut self, facts: u64, now: IsoTs) {
        self.stored = self.stored.saturating_add(facts);
        self.reached(now);
    }

    /// The clock read `now`.
    pub(super) fn reached(&mut self, now: IsoTs) {
        self.high_water = latest(self.high_water.into_iter().chain([now]));
    }

    /// Writes them into `meta`.
    pub(super) fn write(&self, meta: &mut Meta) {
        let instant_text = |at: IsoTs| format!("\"{at}\"").into();
        keep(meta, HIGH_WATER, self.high_water.map(instant_text), |raw| {
            instant(raw).is_some()
        });
        keep(
            meta,
            CLOCK_FLOOR,
            self.clock_floor.map(instant_text),
            |raw| instant(raw).is_some(),
        );
        let number = |count: u64| count.to_string().into();
        keep(meta, STORED_WRITES, Some(number(self.stored)), |raw| {
            count(raw).is_some()
        });
        keep(meta, GRADED_WRITES, self.graded.map(number), |raw| {
            count(raw).is_some()
        });
    }
}

/// Every instant of a ledger that was a reading of the clock. Rows and grants
/// stamped right after the last batch may stand 1 ms above it.
fn readings(ledger: &Ledger) -> impl Iterator<Item = IsoTs> + '_ {
    let last_batch = ledger.meta.last_batch_instant;
    let read =
        move |at: &IsoTs| last_batch.is_none_or(|last| at.instant() != last.instant().plus(1));
    let activity = ledger.activity.iter();
    let rows = ledger.observations.iter();
    let stamped = ledger
        .claims
        .iter()
        .map(|claim| claim.observed_at)
        .chain(rows.map(|row| row.first_seen_at()))
        .chain(ledger.grants.iter().map(|grant| grant.updated_at))
        .filter(read);
    stamped
        .chain(ledger.coverage.iter().map(|entry| entry.last_sync_at))
        .chain(
            activity
                .flat_map(|activity| &activity.adapter_syncs)
                .map(|sync| sync.last_sync_at),
        )
        .chain(ledger.receipts.iter().map(|receipt| receipt.computed_at))
        .chain(last_batch)
}

/// The latest of some instants; of one instant, the first.
fn latest(all: impl Iterator<Item = IsoTs>) -> Option<IsoTs> {
    all.reduce(|held, next| {
        if next.instant() > held.instant() {
            next
        } else {
            held
        }
    })
}

fn keep(meta: &mut Meta, key: &str, json: Option<Raw>, ours: impl Fn(&str) -> bool) {
    let Some(json) = json else {
        return;
    };
    match meta.other.iter_mut().find(|(held, _)| **held == *key) {
        Some((_, raw)) if ours(raw) => *raw = json,
        Some(_) => {}
        None => meta.other.push((key.into(), json)),
    }
}

fn instant(raw: &str) -> Option<IsoTs> {
    match Value::parse(raw, Limits::LEDGER) {
        Ok(Value::String(text)) => IsoTs::parse(&text),
        _ => None,
    }
}

fn count(raw: &str) -> Option<u64> {
    match Value::parse(raw, Limits::LEDGER) {
        Ok(Value::Number(text)) => u64::try_from(Decimal::parse(&text)?.as_integer()?).ok(),
        _ => None,
    }
}

/// Whether a stored row was first seen, or a span reaches, past an instant.
pub(super) fn is_after(at: IsoTs, now: Instant) -> bool {
    at.instant() > now
}
