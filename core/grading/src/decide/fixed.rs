//! Which observations stored receipts hold, and in which batches (§4.3).
//!
//! One rule, [`pre_assignments`], serves a new batch and replay alike. A
//! receipt holds its evidence in *spells*, half-open intervals of batch
//! instants `(begin, end]`; between the spells of one grading the evidence is
//! released.

use attest_canon::Id;

use crate::model::{BaseState, Grade, Instant, OverrideGrade, Receipt, ReceiptState, Reverted};

/// An observation fixed to a claim, or taken, with the batches it is in force
/// in: `after < evaluatedAt ≤ until`, outside every released span.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PreAssignment {
    /// The observation.
    pub observation_id: Id,
    /// Its claim; `None` for one that is taken.
    pub claim_id: Option<Id>,
    /// For a claim's pair, always a grading of the claim.
    pub after: Instant,
    /// The last batch instant it can be in force at.
    pub until: Option<Instant>,
    /// Spans `(from, to]` it is not in force in; without `to`, for good.
    pub released: Vec<Released>,
}

/// A span of batch instants `(from, to]`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Released {
    /// Exclusive.
    pub from: Instant,
    /// Inclusive; `None` without end.
    pub to: Option<Instant>,
}

impl PreAssignment {
    /// Whether the pair is in force in a batch at this instant (`inForceAt`).
    #[must_use]
    pub fn in_force_at(&self, at: Instant) -> bool {
        let released = |span: &Released| span.from < at && span.to.is_none_or(|to| at <= to);
        self.after < at && !self.has_ended_by(at) && !self.released.iter().any(released)
    }

    /// Whether the pair can no longer be in force at this instant or later.
    #[must_use]
    pub fn has_ended_by(&self, at: Instant) -> bool {
        self.until.is_some_and(|until| until < at)
    }
}

/// The pairs in force in a batch at this instant (`fixedInForce`).
#[must_use]
pub fn fixed_in_force(fixed: &[PreAssignment], at: Instant) -> Vec<(Id, Option<Id>)> {
    let in_force = fixed.iter().filter(|pair| pair.in_force_at(at));
    in_force
        .map(|pair| (pair.observation_id, pair.claim_id))
        .collect()
}

/// Whether a batch at this instant grades the claim of a PENDING receipt
/// (`gradedAt`, §3): not while a reverted override is still in force.
#[must_use]
pub fn graded_at(receipt: &Receipt, at: Instant) -> bool {
    receipt.state == ReceiptState::Pending
        && receipt.claim_id.is_some()
        && receipt
            .reverted
            .iter()
            .all(|entry| entry.reverted_at.instant() < at)
}

/// Whether an override that was reverted later kept the receipt's claim out of
/// a batch at this instant (`heldOutAt`, §4.3, readings 42).
#[must_use]
pub fn held_out_at(receipt: &Receipt, at: Instant) -> bool {
    receipt.reverted.iter().any(|entry| entry.holds(true, at))
}

/// Every pre-assignment the stored receipts make (`preAssignments`, §4.3).
#[must_use]
pub fn pre_assignments<'r>(receipts: impl IntoIterator<Item = &'r Receipt>) -> Vec<PreAssignment> {
    let mut holdings = Vec::new();
    let mut pairs = Vec::new();
    for receipt in receipts {
        match receipt.claim_id {
            Some(claim) => holdings.extend(claim_holdings(receipt, claim)),
            None if receipt.grade == Grade::Unasked => pairs.extend(taken(receipt)),
            None => {}
        }
    }
    drop_contested(&mut holdings);
    let mut fixed: Vec<PreAssignment> = holdings.into_iter().map(Holding::into_pair).collect();
    fixed.append(&mut pairs);
    fixed
}

/// An overridden UNASKED receipt takes its orphan in the batches strictly
/// after its override; a reverted one took it up to its revert.
fn taken(receipt: &Receipt) -> impl Iterator<Item = PreAssignment> + '_ {
    let pair = |observation_id: &Id, after, until| PreAssignment {
        observation_id: *observation_id,
        claim_id: None,
        after,
        until,
        released: Vec::new(),
    };
    let standing = receipt
        .user_override
        .as_ref()
        .into_iter()
        .flat_map(move |user| {
            let after = user.at.instant().max(receipt.computed_at.instant());
            receipt
                .observation_ids
                .iter()
                .map(move |id| pair(id, after, None))
        });
    let reverted = receipt.reverted.iter().flat_map(move |entry| {
        let (after, until) = (entry.at.instant(), entry.reverted_at.instant());
        receipt
            .observation_ids
            .iter()
            .map(move |id| pair(id, after, Some(until)))
    });
    standing.chain(reverted)
}

/// What one grading of one claim holds.
#[derive(Debug)]
struct Holding {
    claim: Id,
    observation: Id,
    graded: Instant,
    spells: Vec<Spell>,
    /// The revert that ended the last override from PENDING, if nothing holds
    /// the evidence after it.
    until: Option<Instant>,
}

/// A run of batches `(begin, end]` in which the evidence is held.
#[derive(Clone, Copy, Debug)]
struct Spell {
    begin: Instant,
    end: Option<Instant>,
    /// It begins at a revert, not at the grading.
    after_revert: bool,
}

impl Spell {
    /// Whether the spell covers the batches right after an instant.
    fn holds_after(&self, at: Instant) -> bool {
        self.begin <= at && self.end.is_none_or(|end| at < end)
    }
}

impl Holding {
    fn pending(claim: Id, observation: Id, graded: Instant, spells: Vec<Spell>) -> Self {
        let until = spells.last().and_then(|spell| spell.end);
        Self {
            claim,
            observation,
            graded,
            spells,
            until,
        }
    }

    fn into_pair(self) -> PreAssignment {
        let mut released = Vec::new();
        let mut held_to = Some(self.graded);
        for spell in &self.spells {
            if let Some(from) = held_to
                && from < spell.begin
            {
                released.push(Released {
                    from,
                    to: Some(spell.begin),
                });
            }
            held_to = spell.end;
        }
        // What ends before the pair does is released for good.
        if let Some(from) = held_to
            && self.until != Some(from)
        {
            released.push(Released { from, to: None });
        }
        PreAssignment {
            observation_id: self.observation,
            claim_id: Some(self.claim),
            after: self.graded,
            until: self.until,
            released,
        }
    }
}

/// The holdings of a claim's receipt: one per grading that held evidence.
fn claim_holdings(receipt: &Receipt, claim: Id) -> Vec<Holding> {
    let mut holdings = Vec::new();
    let mut entries = receipt.reverted.as_slice();
    let current = receipt.computed_at.instant();
    // Earlier gradings: PENDING ones whose overrides were reverted.
    while let Some(first) = entries.first() {
        let graded = first.computed_at.instant();
        if graded >= current {
            break;
        }
        let length = entries
            .iter()
            .take_while(|entry| entry.computed_at.instant() == graded)
            .count();
        let (these, rest) = entries.split_at_checked(length).unwrap_or((entries, &[]));
        entries = rest;
        if let Some(observation) = first.observation_ids.first() {
            let spells = pending_spells(graded, these, None);
            holdings.push(Holding::pending(claim, *observation, graded, spells));
        }
    }
    if let Some(observation) = receipt.observation_ids.first() {
        let user = receipt
            .user_override
            .as_ref()
            .map(|user| (user.grade, user.at.instant()));
        holdings.push(match receipt.base_state() {
            BaseState::Final => Holding {
                claim,
                observation: *observation,
                graded: current,
                spells: final_spells(current, entries, user),
                until: None,
            },
            BaseState::Pending => {
                let spells = pending_spells(current, entries, user.map(|(grade, _)| grade));
                Holding::pending(claim, *observation, current, spells)
            }
        });
    }
    holdings.retain(|holding| !holding.spells.is_empty());
    holdings
}

/// A FINAL grading holds its evidence, but while a NOT_FOUND override stands.
fn final_spells(
    graded: Instant,
    entries: &[Reverted],
    user: Option<(OverrideGrade, Instant)>,
) -> Vec<Spell> {
    let mut spells = vec![Spell {
        begin: graded,
        end: None,
        after_revert: false,
    }];
    let mut release = |at: Instant, again: Option<Instant>| {
        if let Some(last) = spells.last_mut() {
            last.end = Some(at);
        }
        spells.extend(again.map(|begin| Spell {
            begin,
            end: None,
            after_revert: true,
        }));
    };
    for entry in entries
        .iter()
        .filter(|entry| entry.grade == OverrideGrade::NotFound)
    {
        release(entry.at.instant(), Some(entry.reverted_at.instant()));
    }
    if let Some((OverrideGrade::NotFound, at)) = user {
        release(at, None);
    }
    spells
}

/// A PENDING grading holds its evidence only for a VERIFIED override: from the
/// later of the grading and the revert before it, up to its own revert.
fn pending_spells(
    graded: Instant,
    entries: &[Reverted],
    user: Option<OverrideGrade>,
) -> Vec<Spell> {
    let mut spells = Vec::new();
    let mut begin = graded;
    let mut after_revert = false;
    for entry in entries {
        let reverted = entry.reverted_at.instant();
        if entry.grade == OverrideGrade::Verified {
            spells.push(Spell {
                begin,
                end: Some(reverted),
                after_revert,
            });
        }
        begin = reverted;
        after_revert = true;
    }
    if user == Some(OverrideGrade::Verified) {
        spells.push(Spell {
            begin,
            end: None,
            after_revert,
        });
    }
    spells
}

/// Drops every spell that begins at a revert while another claim's kept spell
/// holds the observation, and all later spells of that grading (readings 43).
/// Spells are kept in the order they begin, a grading before a revert at one
/// instant, then by claim id.
fn drop_contested(holdings: &mut [Holding]) {
    let mut order: Vec<(Id, Instant, bool, Id, usize, usize)> = Vec::new();
    for (at, holding) in holdings.iter().enumerate() {
        for (nth, spell) in holding.spells.iter().enumerate() {
            order.push((
                holding.observation,
                spell.begin,
                spell.after_revert,
                holding.claim,
                at,
                nth,
            ));
        }
    }
    order.sort_unstable();
    let mut of = None;
    let mut kept = Kept::default();
    for (observation, begin, after_revert, claim, at, nth) in order {
        if of != Some(observation) {
            of = Some(observation);
            kept = Kept::default();
        }
        let Some(holding) = holdings.get_mut(at) else {
            continue;
        };
        let Some(spell) = holding.spells.get(nth).copied() else {
            continue;
        };
        if after_revert && kept.others_hold(claim, begin) {
            holding.spells.truncate(nth);
        } else {
            kept.0.push((claim, spell));
        }
    }
}

/// The spells kept of one observation, and whose.
#[derive(Debug, Default)]
struct Kept(Vec<(Id, Spell)>);

impl Kept {
    /// Whether another claim's spell covers the batches right after an instant.
    /// Instants are asked for in order: what has ended by one is forgotten, so
    /// that no number of receipts on one observation is gone over again and
    /// again.
    fn others_hold(&mut self, claim: Id, at: Instant) -> bool {
        let mut place = 0usize;
        while let Some((holder, spell)) = self.0.get(place) {
            if !spell.holds_after(at) {
                self.0.swap_remove(place);
            } else if *holder != claim {
                return true;
            } else {
                place = place.saturating_add(1);
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::IsoTs;
    use crate::model::receipt::Override;
    use crate::model::{DisplayNumber, Signals, Token};
    use attest_canon::sha256;

    fn at(minute: u32) -> IsoTs {
        IsoTs::parse(&format!("2026-10-06T14:{minute:02}:00Z")).unwrap()
    }

    fn id(name: &str) -> Id {
        Id::from_digest(&sha256(name.as_bytes()))
    }

    fn receipt(claim: &str, observation: &str, state: BaseState, computed: u32) -> Receipt {
        Receipt {
            id: id(&format!("receipt of {claim}")),
            agent: crate::model::AgentId::Muse,
            claim_id: Some(id(claim)),
            observation_ids: vec![id(observation)],
            request_id: None,
            grade: Grade::Verified,
            rule_id: Token::parse("verified").unwrap(),
            state: state.state(),
            confidence: DisplayNumber::ONE,
            reasons: Vec::new(),
            signals: Signals::default(),
            inputs_hash: sha256(b""),
            policy_hash: sha256(b""),
            attribution_likely: false,
            computed_at: at(computed),
            final_at: None,
            final_from: None,
            user_override: None,
            reverted: Vec::new(),
            superseded_by: None,
        }
    }

    fn overridden(mut receipt: Receipt, grade: OverrideGrade, when: u32) -> Receipt {
        let previous_state = receipt.base_state();
        receipt.user_override = Some(Override {
            grade,
            reason: "x".into(),
            at: at(when),
            previous_state,
        });
        receipt.state = ReceiptState::UserOverridden;
        receipt
    }

    fn reverted(mut receipt: Receipt, when: u32) -> Receipt {
        let user = receipt.user_override.take().unwrap();
        receipt.state = user.previous_state.state();
        receipt.reverted.push(Reverted {
            grade: user.grade,
            at: user.at,
            reverted_at: at(when),
            previous_state: user.previous_state,
            computed_at: receipt.computed_at,
            observation_ids: receipt.observation_ids.clone(),
        });
        receipt
    }

    /// The minutes 0–59 at which a claim holds an observation.
    fn held(receipts: &[Receipt], claim: Option<&str>) -> Vec<u32> {
        let fixed = pre_assignments(receipts);
        (0..60)
            .filter(|minute| {
                let now = at(*minute).instant();
                fixed
                    .iter()
                    .any(|pair| pair.claim_id == claim.map(id) && pair.in_force_at(now))
            })
            .collect()
    }

    use BaseState::{Final, Pending};
    use OverrideGrade::{NotFound, Verified};

    #[test]
    fn a_final_receipt_fixes_its_evidence_after_its_grading() {
        assert_eq!(
            held(&[receipt("c", "o", Final, 10)], Some("c")),
            (11..60).collect::<Vec<_>>()
        );
        assert!(held(&[receipt("c", "o", Pending, 10)], Some("c")).is_empty());
    }

    #[test]
    fn overrides_of_a_final_receipt() {
        let base = receipt("c", "o", Final, 10);
        let kept = overridden(base.clone(), Verified, 20);
        assert_eq!(held(&[kept], Some("c")), (11..60).collect::<Vec<_>>());
        let released = overridden(base, NotFound, 20);
        assert_eq!(
            held(std::slice::from_ref(&released), Some("c")),
            (11..=20).collect::<Vec<_>>()
        );
        let again = reverted(released, 30);
        assert_eq!(
            held(&[again], Some("c")),
            (11..=20).chain(31..60).collect::<Vec<_>>()
        );
    }

    #[test]
    fn overrides_of_a_pending_receipt() {
        let base = receipt("c", "o", Pending, 10);
        assert!(held(&[overridden(base.clone(), NotFound, 20)], Some("c")).is_empty());
        let verified = overridden(base.clone(), Verified, 20);
        assert_eq!(
            held(std::slice::from_ref(&verified), Some("c")),
            (11..60).collect::<Vec<_>>()
        );
        let back = reverted(verified, 30);
        assert_eq!(
            held(std::slice::from_ref(&back), Some("c")),
            (11..=30).collect::<Vec<_>>()
        );
        assert_eq!(pre_assignments([&back])[0].until, Some(at(30).instant()));

        // NOT_FOUND reverted at 30, then VERIFIED: from the revert on.
        let second = overridden(reverted(overridden(base, NotFound, 20), 30), Verified, 40);
        assert_eq!(
            held(std::slice::from_ref(&second), Some("c")),
            (31..60).collect::<Vec<_>>()
        );
        assert_eq!(pre_assignments([&second])[0].after, at(10).instant());
    }

    #[test]
    fn a_revert_does_not_take_back_what_another_claim_holds() {
        let first = reverted(overridden(receipt("c", "o", Final, 10), NotFound, 20), 30);
        let second = receipt("d", "o", Final, 25);
        let receipts = [first.clone(), second];
        assert_eq!(held(&receipts, Some("c")), (11..=20).collect::<Vec<_>>());
        assert_eq!(held(&receipts, Some("d")), (26..60).collect::<Vec<_>>());

        // Released for good, later spells of that grading included.
        let again = reverted(overridden(first, NotFound, 40), 50);
        let other = overridden(receipt("d", "o", Final, 25), NotFound, 45);
        assert_eq!(
            held(&[again, other], Some("c")),
            (11..=20).collect::<Vec<_>>()
        );
    }

    #[test]
    fn an_overridden_unasked_receipt_takes_its_orphan() {
        let mut base = receipt("c", "o", Final, 10);
        base.claim_id = None;
        base.grade = Grade::Unasked;
        assert!(held(std::slice::from_ref(&base), None).is_empty());
        let standing = overridden(base, NotFound, 20);
        assert_eq!(
            held(std::slice::from_ref(&standing), None),
            (21..60).collect::<Vec<_>>()
        );
        assert_eq!(
            held(&[reverted(standing, 30)], None),
            (21..=30).collect::<Vec<_>>()
        );
    }

    #[test]
    fn held_out_and_graded_at() {
        let back = reverted(overridden(receipt("c", "o", Pending, 10), Verified, 20), 30);
        for (minute, held_out, graded) in [
            (10, false, false),
            (11, true, false),
            (30, true, false),
            (31, false, true),
        ] {
            let now = at(minute).instant();
            assert_eq!(
                (held_out_at(&back, now), graded_at(&back, now)),
                (held_out, graded),
                "{minute}"
            );
        }
    }
}
