//! Running a world: what is due next, and what of it reaches the ledger.

use std::borrow::Cow;

use attest_canon::json::{Limits, Value};

use crate::ledger::Ledger;
use crate::ledger::rules::{Keeper, Model};
use crate::model::time::MS_PER_DAY;
use crate::model::{AgentId, BasisPoints, IsoTs};
use crate::policy::{DEFAULT_POLICY, Policy, load_policy, load_policy_value};

use super::faults::Fault;
use super::step::{Refused, Step};
use super::truth::Doer;
use super::vocabulary::MERCHANTS;
use super::world::{Due, HOUR, MINUTE, World};
use super::{Settings, Simulated};

/// A step at the instant the wall clock reads.
#[derive(Clone, PartialEq, Debug)]
pub struct Event {
    /// The instant.
    pub at: IsoTs,
    /// What reaches the ledger then.
    pub step: Step,
}

/// A world on its way.
#[derive(Clone, Debug)]
pub struct Simulation {
    world: World,
    keeper: Keeper,
    /// `None` where the shipped policy does not load: then nothing is graded.
    policy: Option<Policy>,
    /// Steps that are due together.
    ready: Vec<Step>,
    /// Whether the last event met a clock that had gone back.
    repaired: bool,
}

impl Simulation {
    /// A world at its beginning, with an empty ledger.
    #[must_use]
    pub fn new(settings: &Settings) -> Self {
        let mut bounded = settings.clone();
        bounded.days = bounded.days.min(super::MOST_DAYS);
        bounded.claims_per_day = bounded.claims_per_day.min(super::MOST_CLAIMS);
        let mut world = World::new(&bounded);
        let mut ready = world.first_grants();
        ready.reverse();
        Self {
            world,
            keeper: Keeper::new(Ledger::default()),
            policy: policy(),
            ready,
            repaired: false,
        }
    }

    /// The ledger's writer.
    #[must_use]
    pub const fn keeper(&self) -> &Keeper {
        &self.keeper
    }

    /// Whether a clock repair came before the event applied last (§3).
    #[must_use]
    pub const fn repaired(&self) -> bool {
        self.repaired
    }

    /// The next thing that reaches the ledger; `None` at the world's end.
    pub fn next_event(&mut self) -> Option<Event> {
        loop {
            if let Some(step) = self.ready.pop() {
                let at = self.world.wall();
                return Some(Event { at, step });
            }
            let due = self.world.next()?;
            let step = self.happen(due);
            self.ready.extend(step);
        }
    }

    /// Brings an event to the ledger.
    ///
    /// # Errors
    ///
    /// What its rules refuse.
    pub fn apply(&mut self, event: &Event) -> Result<(), Refused> {
        let Some(policy) = &self.policy else {
            return Ok(());
        };
        let done = event.step.apply(&mut self.keeper, event.at, policy);
        self.repaired = self.keeper.take_repair().is_some();
        if self.repaired {
            for jump in &mut self.world.truth.clock {
                jump.found = true;
            }
        }
        if done.is_ok()
            && let Step::Batch(model) = event.step
        {
            let now = self.world.now;
            self.world.truth.batches.insert(event.at.instant(), now);
            if model == Model::On {
                self.ask_model();
            }
        }
        done
    }

    /// The world's ledger and truth.
    #[must_use]
    pub fn finish(self) -> Simulated {
        Simulated {
            ledger: self.keeper.into_ledger(),
            truth: self.world.into_truth(),
        }
    }

    /// Something happens; what of it reaches the ledger now.
    fn happen(&mut self, due: Due) -> Option<Step> {
        let world = &mut self.world;
        match due {
            Due::Day(day) => world.plan(day),
            Due::Turn(agent) => world.turn(agent),
            Due::Unasked(agent) => world.act_unasked(agent),
            Due::Promise {
                agent,
                facts,
                account,
                claim,
            } => world.keep_promise(agent, facts, account, claim),
            Due::Paste(agent) => return world.paste(agent),
            Due::Read(mut claim, place) => {
                claim.observed_at = world.wall();
                world.read.push((claim.id, place));
                return Some(Step::Claim(claim));
            }
            Due::Send => world.send_own(),
            Due::Buy => world.buy_own(),
            Due::Edit(by) => world.edit_calendar(by),
            Due::Leave { until } => {
                let since = world.wall();
                world.due(until, Due::Back { since });
            }
            Due::Back { since } => return Some(world.back(since)),
            Due::Judge => return world.judge(&self.keeper),
            Due::Choose => return Some(world.choose()),
            Due::See => {
                let agent = world.dice.one_of(AgentId::ALL).copied();
                return agent.map(|agent| world.seen(agent));
            }
            Due::MailPass(account) => return world.read_list(account),
            Due::Open(place) => return world.open_receipt(place),
            Due::Look(account) => return world.look(account),
            Due::Deliver(step) => return Some(*step),
            Due::Batch => {
                return Some(Step::Batch(if world.model_is_on() {
                    Model::On
                } else {
                    Model::Off
                }));
            }
            Due::Answer(claim, observation) => {
                let score = BasisPoints::new(world.dice.between(0, 10_000))?;
                world.due(world.now + 1, Due::Batch);
                return Some(Step::Answer {
                    claim,
                    observation,
                    score,
                });
            }
            Due::Jump(by) => world.jump(by),
            Due::Purge => return Some(Step::Purge),
        }
        None
    }

    /// After a batch the model is asked about what it may change; a call may
    /// fail.
    fn ask_model(&mut self) {
        for (claim, observation) in self.keeper.model_questions() {
            self.ready.push(Step::Ask(claim));
            if self.world.dice.chance(800) {
                let answered = self.world.now + self.world.dice.between(200, 2000);
                self.world.due(answered, Due::Answer(claim, observation));
            }
        }
    }
}

impl World {
    /// Plans a day: who does what when.
    fn plan(&mut self, day: i64) {
        let start = day * MS_PER_DAY;
        self.plan_person(start);
        self.plan_observers(start);
        for _ in 0..self.settings.claims_per_day {
            let agent = self.some_agent();
            let when = self.working_time(start);
            self.due(when, Due::Turn(agent));
        }
        let unasked = 1 + i64::from(self.settings.claims_per_day) / 12;
        for _ in 0..unasked {
            if self.fault(Fault::Unasked, 300) {
                let agent = self.some_agent();
                let when = self.time_away().unwrap_or_else(|| self.working_time(start));
                self.due(when, Due::Unasked(agent));
            }
        }
        for agent in AgentId::ALL.iter().copied() {
            for hour in [11, 15, 19, 23] {
                if self.dice.chance(700) {
                    let when = start + hour * HOUR + self.dice.below(50) * MINUTE;
                    self.due(when, Due::Paste(agent));
                }
            }
        }
        for hour in 0..24 {
            let off = self.dice.below(10) * MINUTE + self.dice.below(60_000);
            self.due(start + hour * HOUR + off, Due::Batch);
        }
        if self.fault(Fault::Clock, 250) {
            self.plan_jump(start);
        }
        self.due(start + 4 * HOUR + 30 * MINUTE, Due::Purge);
    }

    fn plan_person(&mut self, start: i64) {
        self.away.clear();
        for _ in 0..self.dice.between(2, 5) {
            let from = self.working_time(start);
            let length = self.dice.between(12, 90) * MINUTE;
            self.away.push((from, from + length));
            let until = from + length + 1000;
            self.due(from, Due::Leave { until });
        }
        let busy = i64::from(self.settings.claims_per_day) / 8;
        for _ in 0..self.dice.between(3, 7) + busy {
            let when = self.working_time(start);
            self.due(when, Due::Send);
        }
        for _ in 0..self.dice.between(0, 3) {
            let when = self.working_time(start);
            self.due(when, Due::Edit(Doer::Person));
        }
        if self.dice.chance(600) {
            let when = self.working_time(start);
            self.due(when, Due::Edit(Doer::Other));
        }
        if self.dice.chance(500) {
            let when = self.working_time(start);
            self.due(when, Due::Buy);
        }
        for _ in 0..4 {
            if self.fault(Fault::Overrides, 250) {
                let when = self.working_time(start);
                self.due(when, Due::Judge);
            }
        }
        if self.fault(Fault::Grants, 120) {
            let when = self.working_time(start);
            self.due(when, Due::Choose);
        }
        if self.fault(Fault::Grants, 120) {
            let when = self.working_time(start);
            self.due(when, Due::See);
        }
    }

    fn plan_observers(&mut self, start: i64) {
        for account in 0..self.accounts.len() {
            let mut when = start + 6 * HOUR + self.dice.below(60) * MINUTE;
            while when < start + 24 * HOUR {
                let off = self.dice.below(60_000);
                self.due(when + off, Due::MailPass(account));
                when += self.dice.between(30, 90) * MINUTE;
            }
            let mut when = start + 6 * HOUR + self.dice.below(90) * MINUTE;
            while when < start + 24 * HOUR {
                let off = self.dice.below(60_000);
                self.due(when + off, Due::Look(account));
                when += self.dice.between(50, 180) * MINUTE;
            }
        }
    }

    /// The clock runs ahead for a while, or steps back for good.
    fn plan_jump(&mut self, start: i64) {
        let when = self.working_time(start);
        if self.dice.chance(600) {
            let by = self.dice.between(5, 300) * MINUTE;
            let back = when + self.dice.between(3, 240) * MINUTE;
            self.due(when, Due::Jump(by));
            self.due(back, Due::Jump(-by));
        } else {
            let by = self.dice.between(2, 180) * MINUTE;
            self.due(when, Due::Jump(-by));
        }
    }

    fn some_agent(&mut self) -> AgentId {
        let agent = self.dice.one_of(AgentId::ALL).copied();
        agent.unwrap_or(AgentId::Muse)
    }

    /// A time between seven and half past ten.
    fn working_time(&mut self, start: i64) -> i64 {
        start + 7 * HOUR + self.dice.below(15 * HOUR + 30 * MINUTE)
    }

    /// A time while the person is away, some minutes after they left.
    fn time_away(&mut self) -> Option<i64> {
        let away = self.away.clone();
        let (from, to) = *self.dice.one_of(&away)?;
        Some(from + 4 * MINUTE + self.dice.below(to - from - 5 * MINUTE))
    }

    /// An agent's log is pasted: what its lines name up to now.
    fn paste(&mut self, agent: AgentId) -> Option<Step> {
        let log = self.logs.remove(&agent)?;
        Some(Step::Log {
            agent,
            active_at: log.minutes,
            entries: log.entries,
        })
    }
}

/// The shipped policy, with the world's receipt parsers.
fn policy() -> Option<Policy> {
    let shipped = Value::parse(DEFAULT_POLICY, Limits::LEDGER).ok()?;
    let parsed = MERCHANTS.iter().filter(|merchant| merchant.parsed);
    let names = parsed.map(|merchant| {
        let name = crate::text::name(merchant.name);
        Value::String(Cow::Owned(name))
    });
    let patch = Value::Object(vec![(
        Cow::Borrowed("receiptMerchants"),
        Value::Array(names.collect()),
    )]);
    load_policy_value(&shipped.merged(patch))
        .or_else(|_| load_policy(DEFAULT_POLICY))
        .ok()
}
