//! Claims and observations, and their copies.

use attest_canon::{Id, sha256};
use attest_grading::model::{
    ActionType, Claim, Instant, IsoTs, Observation, Precision, Source, Token,
};

use super::maker::{MINUTE, Maker, OFFSETS};
use crate::oracle::{json, time};
use crate::random::Random;

impl Maker {
    pub fn is_bought(action: ActionType) -> bool {
        matches!(
            action,
            ActionType::PurchaseMade | ActionType::SubscriptionChanged | ActionType::ListingPosted
        )
    }

    pub fn claim(&mut self, n: usize) -> Claim {
        let action = *self.random.pick(&self.types);
        let raw_hash = self.digest("claim");
        let offset = *self.random.pick(OFFSETS);
        let at = self.base
            + *self.random.pick(&[
                0,
                0,
                0,
                10_000,
                59_999,
                MINUTE,
                3 * MINUTE,
                -MINUTE,
                20 * MINUTE,
            ]);
        let claimed_at = IsoTs::computed(Instant::from_ms(at), offset);
        let precision = *self.random.pick(&[
            Precision::Minute,
            Precision::Minute,
            Precision::Minute,
            Precision::Minute,
            Precision::Hour,
            Precision::Day,
        ]);
        let claimed_at_end = self
            .random
            .percent(10)
            .then(|| at + *self.random.pick(&[0, 1, MINUTE, 90 * MINUTE]))
            .map(|end| self.written(end));
        let target_at = (action.is_calendar() && self.random.percent(88) || self.random.percent(3))
            .then(|| {
                self.base
                    + *self
                        .random
                        .pick(&[0, 0, 3 * 86_400_000, 86_400_000, 30 * MINUTE])
            })
            .map(|target| self.written(target));
        let counterparty = if Self::is_bought(action) {
            self.maybe_name(85)
        } else if self.random.percent(70) {
            self.maybe_person(90)
        } else {
            self.maybe_name(90)
        };
        let bought = if Self::is_bought(action) { 85 } else { 10 };
        let request_id = self
            .random
            .percent(30)
            .then(|| Token::parse(&format!("r{n}")).unwrap());
        Claim {
            id: Id::from_digest(&raw_hash),
            request_id,
            agent: *self.random.pick(&self.agents),
            action,
            counterparty,
            amount: self.maybe_cents(bought),
            currency: self.maybe_currency(bought),
            subject_hint: self.maybe_subject(65),
            claimed_at,
            precision,
            claimed_at_end,
            target_at,
            observed_at: claimed_at,
            source_kind: Token::parse("activity_view").unwrap(),
            extractor: None,
            raw_hash,
        }
    }

    pub fn observation(&mut self, claims: &[Claim]) -> Observation {
        let like = (!claims.is_empty() && self.random.percent(80))
            .then(|| self.random.pick(claims).clone());
        let action = like
            .as_ref()
            .map_or_else(|| *self.random.pick(&self.types), |claim| claim.action);
        let listed = self.policy.sources(action).to_vec();
        let source = if listed.is_empty() || self.random.percent(8) {
            *self.random.pick(Source::ALL)
        } else {
            *self.random.pick(&listed)
        };
        let at = match &like {
            Some(claim) if self.random.percent(50) => {
                if claim.action.is_calendar() {
                    claim.target_at.map_or(self.base, time::ms)
                } else {
                    time::ms(claim.claimed_at)
                }
            }
            _ => self.edge(),
        };
        let at = at + *self.random.pick(&[0, 0, 0, 1, -1, 30_000, 7 * MINUTE]);
        let mut row = Observation {
            id: Id::from_digest(&sha256(b"")),
            source,
            action,
            occurred_at: self.written(at),
            observed_at: self.written(at),
            sighted_at: None,
            counterparty: None,
            merchant: None,
            amount: None,
            currency: None,
            subject_hint: self.maybe_subject(70),
            row_key_hash: None,
            content_hash: sha256(b""),
        };
        let same = |random: &mut Random| random.percent(55);
        if source == Source::GmailReceipt || self.random.percent(10) {
            row.merchant = match &like {
                Some(claim) if same(&mut self.random) => claim.counterparty.clone(),
                _ => self.maybe_name(85),
            };
            row.amount = match &like {
                Some(claim) if same(&mut self.random) => claim.amount,
                _ => self.maybe_cents(85),
            };
            row.currency = match &like {
                Some(claim) if same(&mut self.random) => claim.currency,
                _ => self.maybe_currency(85),
            };
        }
        if source != Source::GmailReceipt || self.random.percent(10) {
            row.counterparty = match &like {
                Some(claim) if same(&mut self.random) => claim.counterparty.clone(),
                _ => self.maybe_person(90),
            };
        }
        if let Some(claim) = &like
            && same(&mut self.random)
        {
            row.subject_hint.clone_from(&claim.subject_hint);
        }
        if self.random.percent(15) {
            row.row_key_hash = Some(self.digest("row"));
        }
        seal(&mut row);
        row
    }

    /// When rows were seen, and the same facts seen again.
    pub fn resight(&mut self, rows: &mut Vec<Observation>) {
        for at in 0..rows.len() {
            self.see(&mut rows[at]);
            if self.random.percent(20) {
                let mut again = rows[at].clone();
                if self.random.percent(80) {
                    self.see(&mut again);
                }
                rows.push(again);
            }
        }
    }

    pub fn see(&mut self, row: &mut Observation) {
        let seen = if row.action.is_calendar() || self.random.percent(30) {
            self.edge()
        } else {
            time::ms(row.occurred_at)
        };
        row.observed_at = self.written(seen);
        row.sighted_at = None;
        if self.random.percent(20) {
            let earlier = *self.random.pick(&[1, MINUTE, 2 * MINUTE]);
            row.sighted_at = Some(self.written(seen - earlier));
        }
    }

    /// Most things were stored by the batch's instant.
    pub fn age(&mut self, rows: &mut [Observation], claims: &mut Vec<Claim>) {
        let bound = self.evaluated;
        for row in rows {
            if time::ms(row.observed_at) > bound && self.random.percent(90) {
                row.observed_at = self.written(bound);
            }
            if row
                .sighted_at
                .is_some_and(|at| time::ms(at) >= time::ms(row.observed_at))
            {
                row.sighted_at = None;
            }
        }
        for claim in claims.iter_mut() {
            if self.random.percent(4) {
                claim.observed_at = self.written(bound + 1);
            } else if time::ms(claim.observed_at) > bound {
                claim.observed_at = self.written(bound);
            }
        }
        if !claims.is_empty() && self.random.percent(8) {
            let mut again = self.random.pick(claims).clone();
            let later = *self.random.pick(&[0, 1000, 40_000]);
            again.claimed_at = self.written(time::ms(again.claimed_at) + later);
            let seen = bound + *self.random.pick(&[0, 1, -1000]);
            again.observed_at = self.written(seen);
            again.claimed_at_end = None;
            claims.insert(self.random.below(claims.len() + 1), again);
        }
    }

    pub fn history(&mut self, claims: &[Claim]) -> Vec<Claim> {
        let mut history = Vec::new();
        for claim in claims {
            if self.random.percent(60) {
                history.push(claim.clone());
            }
            if self.random.percent(8) {
                let mut again = claim.clone();
                again.claimed_at = self.written(time::ms(claim.claimed_at) - 5000);
                let seen = self.evaluated + *self.random.pick(&[0, 0, 1]);
                again.observed_at = self.written(seen);
                history.push(again);
            }
        }
        for n in 0..self.random.below(4) {
            let mut older = self.claim(n);
            let back = self.policy.windows().spend_window_ms;
            let at = match claims {
                [] => self.base,
                claims => time::ms(self.random.pick(claims).claimed_at),
            };
            let at = at
                - *self
                    .random
                    .pick(&[0, 0, 1, 1000, back, back + 1, back - 1, -1]);
            older.claimed_at = self.written(at);
            older.claimed_at_end = None;
            older.observed_at = self.written(at.min(self.evaluated));
            if self.random.percent(6) {
                older.observed_at = self.written(self.evaluated + 1);
            }
            history.push(older);
        }
        self.random.shuffle(&mut history);
        history
    }
}

/// Gives a row the hash and id of its content.
pub fn seal(row: &mut Observation) {
    row.content_hash = json::content(row).hash();
    row.id = Id::from_digest(&row.content_hash);
}
