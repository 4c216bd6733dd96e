//! What was looked at: observers' entries and clock repairs.

use attest_canon::{Digest, sha256};
use attest_grading::model::{Claim, Observation, ObserverCoverage, Repair, Source, Token};

use super::maker::{MINUTE, Maker};
use crate::oracle::{attribute, time};

impl Maker {
    pub fn account(&mut self) -> Option<Digest> {
        let name = *self.random.pick(&["a", "a", "a", "a", "b", ""]);
        (!name.is_empty()).then(|| sha256(name.as_bytes()))
    }

    /// When a view was synced: at the batch, or at an edge some claim's grace asks for.
    pub fn sync(&mut self, claims: &[Claim]) -> i64 {
        let at = match claims.is_empty() || self.random.percent(45) {
            true => self.evaluated,
            false => {
                let claim = self.random.pick(claims);
                let due = match self.random.below(3) {
                    0 => time::verified_from(claim, &self.policy),
                    1 => time::grace_from(claim, &self.policy),
                    _ => time::unit(claim).1 + self.policy.windows().after_claim_ms,
                };
                due + *self.random.pick(&[-1, 0, 0, 1])
            }
        };
        if self.random.percent(94) {
            at.min(self.evaluated)
        } else {
            self.evaluated + 1
        }
    }

    pub fn observers(&mut self, claims: &[Claim], rows: &[Observation]) -> Vec<ObserverCoverage> {
        let mut entries = Vec::new();
        let mut sources: Vec<Source> = rows.iter().map(|row| row.source).collect();
        for claim in claims {
            sources.extend(self.policy.sources(claim.action));
        }
        sources.sort();
        sources.dedup();
        for source in sources {
            if !claims.is_empty() && self.random.percent(40) {
                // A whole view of the present, for what only such a view allows.
                let claim = self.random.pick(claims).clone();
                let (from, to) =
                    time::window(&claim, &self.policy).unwrap_or((self.base, self.base));
                entries.push(ObserverCoverage {
                    observer_id: Token::parse(source.as_str()).unwrap(),
                    source,
                    last_sync_at: self.written(self.evaluated),
                    window_start: self.written(from),
                    window_end: self.written(to),
                    account_hash: Some(sha256(b"a")),
                    all_calendars: (source == Source::GcalEvent).then_some(true),
                    changes_since: None,
                });
            }
            for _ in 0..self.random.below(4) {
                let window = match claims.is_empty() || self.random.percent(15) {
                    true => None,
                    false => time::window(self.random.pick(claims), &self.policy),
                };
                let (from, to) = window.unwrap_or_else(|| {
                    let (a, b) = (self.edge(), self.edge());
                    (a.min(b), a.max(b))
                });
                let middle = from + (to - from) / 2;
                let spans: Vec<(i64, i64)> = match self.random.below(12) {
                    0..=4 => vec![(from, to)],
                    5 => vec![(from - 3_600_000, to + 3_600_000)],
                    6 => vec![(from, middle), (middle, to)],
                    7 => vec![(from, middle), (middle + 1, to)],
                    8 => vec![(from, middle), (middle + 2, to), (middle + 1, middle + 1)],
                    9 => vec![(from + 1, to)],
                    10 => vec![(from, to - 1), (to, to)],
                    _ => vec![(from - 10, from), (to, to + 10), (middle, middle)],
                };
                let account_hash = self.account();
                let last_sync = self.sync(claims);
                for (from, to) in spans.into_iter().filter(|span| span.0 <= span.1) {
                    let account_hash = if self.random.percent(20) {
                        self.account()
                    } else {
                        account_hash
                    };
                    let synced = if self.random.percent(20) {
                        self.sync(claims)
                    } else {
                        last_sync
                    };
                    let gcal = source == Source::GcalEvent;
                    let all_calendars =
                        (gcal && self.random.percent(95)).then(|| self.random.percent(93));
                    let changes_since = (gcal && self.random.percent(75)).then(|| match rows {
                        [] => self.edge(),
                        rows => {
                            let seen = attribute::first_seen(self.random.pick(rows));
                            seen + *self.random.pick(&[-1, -1, -MINUTE, 0, 1])
                        }
                    });
                    entries.push(ObserverCoverage {
                        observer_id: Token::parse(source.as_str()).unwrap(),
                        source,
                        last_sync_at: self.written(synced),
                        window_start: self.written(from),
                        window_end: self.written(to),
                        account_hash,
                        all_calendars,
                        changes_since: changes_since.map(|since| self.written(since.min(synced))),
                    });
                }
            }
        }
        if !entries.is_empty() && self.random.percent(10) {
            let again = self.random.pick(&entries).clone();
            entries.push(again);
        }
        entries
    }

    pub fn repairs(&mut self, claims: &[Claim]) -> Vec<Repair> {
        let mut repairs = Vec::new();
        if !claims.is_empty() && self.random.percent(12) {
            for _ in 0..self.random.between(1, 2) {
                let claim = self.random.pick(claims);
                let bound = time::unit(claim).0 - self.policy.windows().before_claim_ms;
                let (from, to) = *self.random.pick(&[
                    (bound, bound),
                    (bound - MINUTE, bound),
                    (bound, bound + MINUTE),
                    (bound + 1, bound + MINUTE),
                    (bound - MINUTE, bound - 1),
                    (bound + MINUTE, bound - MINUTE),
                    (self.evaluated + 1, self.evaluated + MINUTE),
                ]);
                repairs.push(Repair {
                    from: self.written(from),
                    to: self.written(to),
                });
            }
        }
        repairs
    }
}
