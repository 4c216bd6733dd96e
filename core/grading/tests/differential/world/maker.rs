//! Draws a world: its policy, its few texts, and the instants on which something
//! decides.

use attest_canon::{Digest, sha256};
use attest_grading::model::{
    ActionType, AgentId, Cents, Claim, Coverage, Currency, Instant, IsoTs, Observation,
};
use attest_grading::policy::Policy;

use super::World;
use super::subjects::seal;
use super::texts::{AMOUNTS, CURRENCIES, NAMES, PEOPLE, SUBJECTS, TYPES};
use crate::oracle::{attribute, time};
use crate::policies;
use crate::random::Random;

/// 2026-10-06T18:00:00Z, and two days from either end of the years 0001–9999.
const BASES: &[i64] = &[1_791_309_600_000, 253_402_128_000_000, -62_135_424_000_000];
pub const MINUTE: i64 = 60_000;
pub const OFFSETS: &[i16] = &[0, 0, -240, -240, 345, 60];

pub struct Maker {
    pub random: Random,
    pub seed: u64,
    pub policy: Policy,
    pub agents: Vec<AgentId>,
    pub types: Vec<ActionType>,
    pub people: Vec<&'static str>,
    pub names: Vec<&'static str>,
    pub subjects: Vec<&'static str>,
    pub amounts: Vec<i64>,
    /// When things happen, more or less.
    pub base: i64,
    /// Instants on which something decides.
    pub edges: Vec<i64>,
    pub evaluated: i64,
}

impl Maker {
    pub fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let policy = policies::policy(&mut random);
        let mut agents = AgentId::ALL.to_vec();
        random.shuffle(&mut agents);
        agents.truncate(random.between(1, 3));
        let types = (0..random.between(1, 2))
            .map(|_| *random.pick(TYPES))
            .collect();
        // Few texts, so that they meet.
        let few = |random: &mut Random, texts: &[&'static str]| -> Vec<&'static str> {
            (0..random.between(1, 3))
                .map(|_| *random.pick(texts))
                .collect()
        };
        Self {
            seed,
            policy,
            agents,
            types,
            people: few(&mut random, PEOPLE),
            names: few(&mut random, NAMES),
            subjects: few(&mut random, SUBJECTS),
            amounts: (0..random.between(1, 3))
                .map(|_| *random.pick(AMOUNTS))
                .collect(),
            base: if random.percent(97) {
                BASES[0]
            } else {
                *random.pick(BASES)
            },
            random,
            edges: Vec::new(),
            evaluated: 0,
        }
    }

    pub fn world(mut self) -> World {
        let mut claims: Vec<Claim> = (0..self.random.between(0, 6))
            .map(|n| self.claim(n))
            .collect();
        for claim in &claims {
            self.edges_of_claim(claim);
        }
        if self.edges.is_empty() {
            self.edges.extend([self.base, self.base + 30 * MINUTE]);
        }
        let mut observations: Vec<Observation> = Vec::new();
        for _ in 0..self.random.between(0, 6) {
            let mut row = self.observation(&claims);
            observations.push(row.clone());
            if self.random.percent(12) {
                // The same content, of another row of the source.
                row.row_key_hash = Some(self.digest("row"));
                seal(&mut row);
                observations.push(row);
            }
        }
        self.resight(&mut observations);
        self.edges_of_rows(&observations);
        self.evaluated = self.instant_of_batch();
        let evaluated_at = self.written(self.evaluated);
        // Written at the end of the years, an instant is that end.
        self.evaluated = time::ms(evaluated_at);
        self.age(&mut observations, &mut claims);
        let mut observers = self.observers(&claims, &observations);
        observers.retain(|entry| entry.problem().is_none());
        let coverage = Coverage {
            evaluated_at,
            observers,
            repairs: self.repairs(&claims),
        };
        let grants = self.grants();
        let mut history = self.history(&claims);
        for claim in claims.iter_mut().chain(&mut history) {
            if claim.problem().is_some() {
                claim.claimed_at_end = None;
            }
        }
        let activity = self.activity(&observations);
        let fixed = self.fixed(&claims, &observations);
        let model_scores = self.model_scores(&claims, &observations);
        World {
            claims,
            observations,
            grants,
            policy: self.policy,
            coverage,
            activity,
            history,
            fixed,
            model_scores,
        }
    }

    pub fn digest(&mut self, what: &str) -> Digest {
        sha256(format!("{what} {} {}", self.seed, self.random.next()).as_bytes())
    }

    /// An instant in some offset and form: `Z`, `+00:00` and `-00:00` are one
    /// offset, and a fraction of zero is none.
    pub fn written(&mut self, ms: i64) -> IsoTs {
        let offset = *self.random.pick(OFFSETS);
        let mut text = IsoTs::computed(Instant::from_ms(ms), offset).to_string();
        if self.random.percent(4) {
            text = text.replace('Z', self.random.pick::<&str>(&["+00:00", "-00:00"]));
        }
        if self.random.percent(4) && !text.contains('.') {
            text.insert_str(19, ".0");
        }
        IsoTs::parse(&text).unwrap_or_else(|| panic!("{text} of {ms}"))
    }

    /// An edge, or a millisecond beside it.
    pub fn edge(&mut self) -> i64 {
        let at = *self.random.pick(&self.edges);
        at + *self.random.pick(&[-1, 0, 0, 0, 0, 1])
    }

    pub fn maybe_text(&mut self, chance: u64, texts: &[&str]) -> Option<Box<str>> {
        self.random
            .percent(chance)
            .then(|| (*self.random.pick(texts)).into())
    }

    pub fn maybe_person(&mut self, chance: u64) -> Option<Box<str>> {
        let people = if self.random.percent(85) {
            self.people.clone()
        } else {
            PEOPLE.to_vec()
        };
        self.maybe_text(chance, &people)
    }

    pub fn maybe_name(&mut self, chance: u64) -> Option<Box<str>> {
        let names = if self.random.percent(85) {
            self.names.clone()
        } else {
            NAMES.to_vec()
        };
        self.maybe_text(chance, &names)
    }

    pub fn maybe_subject(&mut self, chance: u64) -> Option<Box<str>> {
        let subjects = if self.random.percent(85) {
            self.subjects.clone()
        } else {
            SUBJECTS.to_vec()
        };
        self.maybe_text(chance, &subjects)
    }

    pub fn maybe_cents(&mut self, chance: u64) -> Option<Cents> {
        self.random
            .percent(chance)
            .then(|| Cents::new(*self.random.pick(&self.amounts)).unwrap())
    }

    pub fn currency(&mut self) -> Currency {
        let code: &&str = self.random.pick(CURRENCIES);
        Currency::parse(code).unwrap()
    }

    pub fn maybe_currency(&mut self, chance: u64) -> Option<Currency> {
        self.random.percent(chance).then(|| self.currency())
    }

    pub fn edges_of_claim(&mut self, claim: &Claim) {
        let policy = &self.policy;
        let (start, end) = time::unit(claim);
        let windows = policy.windows();
        self.edges.extend([
            start,
            start,
            end,
            end,
            time::ms(claim.claimed_at),
            start - windows.before_claim_ms,
            start - windows.tolerance_ms,
            end + windows.tolerance_ms,
        ]);
        if let Some(window) = time::window(claim, policy) {
            self.edges.extend([window.0, window.1]);
        }
        if let Some(target) = claim.target_at {
            self.edges
                .extend([time::ms(target), time::ms(target), time::ms(target)]);
        }
    }

    pub fn edges_of_rows(&mut self, rows: &[Observation]) {
        let unasked = self.policy.unasked();
        for row in rows {
            let at = attribute::anchor(row);
            self.edges.extend([
                at,
                at - unasked.session_ms,
                at + unasked.session_ms,
                at + unasked.adjacent_ms,
                at - unasked.adjacent_ms,
                at - unasked.idle_ms,
            ]);
        }
    }

    /// A batch instant at an edge of grace, deadline or the adapter's sync.
    pub fn instant_of_batch(&mut self) -> i64 {
        let windows = *self.policy.windows();
        let from = self.edge();
        let after = *self.random.pick(&[
            windows.grace_ms,
            windows.grace_ms,
            windows.after_claim_ms,
            windows.finalize_unverifiable_ms,
            windows.before_claim_ms + windows.grace_ms,
            0,
            100 * 3_600_000,
            100 * 3_600_000,
        ]);
        from + after + *self.random.pick(&[-1, 0, 0, 0, 1])
    }

    pub fn some<T: Clone>(&mut self, items: &[T], most: usize) -> Vec<T> {
        (0..self.random.below(most + 1))
            .map(|_| self.random.pick(items).clone())
            .collect()
    }
}
