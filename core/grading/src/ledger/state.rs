//! The receipt state machine (§8): applies events to stored receipts and never
//! decides finality.

use core::fmt;

use attest_canon::Id;

use crate::model::limits;
use crate::model::receipt::{Override, Reverted, lifecycle_reasons};
use crate::model::{Grade, IsoTs, OverrideGrade, Reason, ReasonCode, Receipt, ReceiptState};
use crate::text;

/// Something that happens to a stored receipt.
#[derive(Clone, PartialEq, Debug)]
pub enum Event {
    /// A later batch graded the subject again.
    Regrade(Box<Receipt>),
    /// A person says otherwise.
    Override {
        /// What they say.
        grade: OverrideGrade,
        /// Why.
        reason: Box<str>,
        /// When.
        at: IsoTs,
    },
    /// They take it back.
    Revert {
        /// When.
        at: IsoTs,
    },
    /// A FINAL claim explains an UNASKED action after all.
    Supersede {
        /// The claim.
        claim_id: Id,
    },
}

/// The kinds of event, for asking what is possible.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EventKind {
    /// [`Event::Regrade`]
    Regrade,
    /// [`Event::Override`]
    Override,
    /// [`Event::Revert`]
    Revert,
    /// [`Event::Supersede`]
    Supersede,
}

impl EventKind {
    /// Every kind.
    pub const ALL: &'static [Self] =
        &[Self::Regrade, Self::Override, Self::Revert, Self::Supersede];

    /// The kind's word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Regrade => "regrade",
            Self::Override => "override",
            Self::Revert => "revert",
            Self::Supersede => "supersede",
        }
    }
}

impl Event {
    /// The event's kind.
    #[must_use]
    pub const fn kind(&self) -> EventKind {
        match self {
            Self::Regrade(_) => EventKind::Regrade,
            Self::Override { .. } => EventKind::Override,
            Self::Revert { .. } => EventKind::Revert,
            Self::Supersede { .. } => EventKind::Supersede,
        }
    }
}

/// Why an event is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IllegalTransitionError {
    /// The receipt's state does not know the event.
    IllegalTransition(&'static str),
    /// The event itself cannot be: its instant, reason or subject.
    InvalidEvent(&'static str),
    /// A reverted override held the subject at the new grading's instant.
    RegradeHeld,
    /// A superseded receipt is never graded again.
    RegradeSuperseded,
}

impl IllegalTransitionError {
    /// The error's code (supplement H).
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::IllegalTransition(_) => "illegal_transition",
            Self::InvalidEvent(_) => "invalid_event",
            Self::RegradeHeld => "regrade_held",
            Self::RegradeSuperseded => "regrade_superseded",
        }
    }
}

impl fmt::Display for IllegalTransitionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::IllegalTransition(why) | Self::InvalidEvent(why) => why,
            Self::RegradeHeld => "a reverted override held the subject at that instant",
            Self::RegradeSuperseded => "a superseded receipt is never graded again",
        })
    }
}

impl core::error::Error for IllegalTransitionError {}

/// Why a receipt in this state does not know a kind of event, if it does not:
/// the first check of every transition, and what a person is told.
pub fn knows(receipt: &Receipt, kind: EventKind) -> Result<(), IllegalTransitionError> {
    use IllegalTransitionError::{IllegalTransition, RegradeSuperseded};
    match (kind, receipt.state) {
        (EventKind::Regrade, ReceiptState::Pending) if receipt.superseded_by.is_some() => {
            Err(RegradeSuperseded)
        }
        (EventKind::Regrade, ReceiptState::Pending)
        | (EventKind::Override, ReceiptState::Pending | ReceiptState::Final)
        | (EventKind::Revert, ReceiptState::UserOverridden) => Ok(()),
        (EventKind::Regrade, ReceiptState::Final) => {
            Err(IllegalTransition("a final receipt is never graded again"))
        }
        (EventKind::Regrade, ReceiptState::UserOverridden) => Err(IllegalTransition(
            "an overridden receipt is not graded until it is reverted",
        )),
        (EventKind::Override, ReceiptState::UserOverridden) => Err(IllegalTransition(
            "it is overridden already; revert it first",
        )),
        (EventKind::Revert, ReceiptState::Pending | ReceiptState::Final) => {
            Err(IllegalTransition("nothing stands to be reverted"))
        }
        (EventKind::Supersede, _) if receipt.grade == Grade::Unasked => Ok(()),
        (EventKind::Supersede, _) => Err(IllegalTransition(
            "only an UNASKED receipt is superseded by a claim",
        )),
    }
}

/// Every kind of event, and why it is forbidden where it is: what the State
/// pane shows. An event that is allowed here can still be refused for its own
/// instant, reason or grading.
#[must_use]
pub fn legal_events(receipt: &Receipt) -> [(EventKind, Option<IllegalTransitionError>); 4] {
    let asked = |kind| (kind, knows(receipt, kind).err());
    [
        asked(EventKind::Regrade),
        asked(EventKind::Override),
        asked(EventKind::Revert),
        asked(EventKind::Supersede),
    ]
}

/// Applies an event (`transition`). Checks, in order: state, superseded, held,
/// then the event itself (readings 46).
///
/// # Errors
///
/// Why the event is refused; the receipt is as it was.
pub fn transition(receipt: &Receipt, event: Event) -> Result<Receipt, IllegalTransitionError> {
    use IllegalTransitionError::{InvalidEvent, RegradeHeld};
    knows(receipt, event.kind())?;
    let mut next = receipt.clone();
    match event {
        Event::Regrade(graded) => {
            let at = graded.computed_at.instant();
            let is_claim = receipt.claim_id.is_some();
            if receipt
                .reverted
                .iter()
                .any(|entry| entry.holds(is_claim, at))
            {
                return Err(RegradeHeld);
            }
            if graded.id != receipt.id || graded.user_override.is_some() {
                return Err(InvalidEvent(
                    "the new receipt is not a grading of this subject",
                ));
            }
            if at <= receipt.computed_at.instant() {
                return Err(InvalidEvent("a grading is later than the one it replaces"));
            }
            next = *graded;
            next.reverted.clone_from(&receipt.reverted);
        }
        Event::Override { grade, reason, at } => {
            if !text::has_visible(&reason) {
                return Err(InvalidEvent("a reason must show something"));
            }
            if reason.chars().count() > limits::OVERRIDE_REASON {
                return Err(InvalidEvent("a reason has at most 500 characters"));
            }
            not_before_last_event(receipt, at)?;
            let previous_state = receipt.base_state();
            next.user_override = Some(Override {
                grade,
                reason,
                at,
                previous_state,
            });
            next.state = ReceiptState::UserOverridden;
        }
        Event::Revert { at } => {
            not_before_last_event(receipt, at)?;
            if receipt.reverted.len() >= limits::REASONS {
                return Err(InvalidEvent(
                    "a receipt keeps at most 64 reverted overrides",
                ));
            }
            if let Some(user) = next.user_override.take() {
                next.state = user.previous_state.state();
                next.reverted.push(Reverted {
                    grade: user.grade,
                    at: user.at,
                    reverted_at: at,
                    previous_state: user.previous_state,
                    computed_at: receipt.computed_at,
                    observation_ids: receipt.observation_ids.clone(),
                });
            }
        }
        // A second one replaces the first (readings 46).
        Event::Supersede { claim_id } => next.superseded_by = Some(claim_id),
    }
    renew_lifecycle_reasons(&mut next);
    Ok(next)
}

fn not_before_last_event(receipt: &Receipt, at: IsoTs) -> Result<(), IllegalTransitionError> {
    if at.instant() < receipt.last_event_at() {
        return Err(IllegalTransitionError::InvalidEvent(
            "an event is never before the receipt's last one",
        ));
    }
    Ok(())
}

/// The graded reasons, then those of the receipt's events (§8).
fn renew_lifecycle_reasons(receipt: &mut Receipt) {
    let graded = |reason: &Reason| {
        !matches!(
            reason.code(),
            ReasonCode::OverrideUser | ReasonCode::Superseded
        )
    };
    receipt.reasons.retain(graded);
    let events = lifecycle_reasons(receipt.user_override.as_ref(), receipt.superseded_by);
    receipt.reasons.extend(events);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{BaseState, DisplayNumber, Signals, Token};
    use attest_canon::sha256;

    fn at(minute: u32) -> IsoTs {
        IsoTs::parse(&format!("2026-10-06T14:{minute:02}:00Z")).unwrap()
    }

    fn receipt(state: BaseState, unasked: bool) -> Receipt {
        let id = Id::from_digest(&sha256(b"x"));
        let is_final = state == BaseState::Final;
        Receipt {
            id,
            agent: crate::model::AgentId::Muse,
            claim_id: (!unasked).then_some(id),
            observation_ids: vec![id],
            request_id: None,
            grade: if unasked {
                Grade::Unasked
            } else {
                Grade::Partial
            },
            rule_id: Token::parse("partial").unwrap(),
            state: state.state(),
            confidence: DisplayNumber::ONE,
            reasons: Vec::new(),
            signals: Signals::default(),
            inputs_hash: sha256(b""),
            policy_hash: sha256(b""),
            attribution_likely: unasked,
            computed_at: at(10),
            final_at: is_final.then(|| at(10)),
            final_from: (!is_final).then(|| at(50)),
            user_override: None,
            reverted: Vec::new(),
            superseded_by: None,
        }
    }

    fn says(minute: u32) -> Event {
        Event::Override {
            grade: OverrideGrade::NotFound,
            reason: "no".into(),
            at: at(minute),
        }
    }

    fn regrade(of: &Receipt, minute: u32) -> Event {
        let mut next = of.clone();
        next.computed_at = at(minute);
        next.state = ReceiptState::Final;
        next.final_at = Some(at(minute));
        next.final_from = None;
        next.user_override = None;
        next.reverted = Vec::new();
        next.superseded_by = None;
        next.reasons = Vec::new();
        Event::Regrade(Box::new(next))
    }

    /// Every (state, event) pair of §8, on a claim's receipt and on an UNASKED
    /// one.
    #[test]
    fn the_whole_table() {
        let supersede = || Event::Supersede {
            claim_id: Id::from_digest(&sha256(b"c")),
        };
        for unasked in [false, true] {
            let pending = receipt(BaseState::Pending, unasked);
            let fin = receipt(BaseState::Final, unasked);
            let overridden = transition(&pending, says(20)).unwrap();
            let superseded_ok = if unasked {
                Ok(())
            } else {
                Err("illegal_transition")
            };
            for (from, event, outcome) in [
                (&pending, regrade(&pending, 20), Ok(())),
                (&pending, says(20), Ok(())),
                (
                    &pending,
                    Event::Revert { at: at(20) },
                    Err("illegal_transition"),
                ),
                (&pending, supersede(), superseded_ok),
                (&fin, regrade(&fin, 20), Err("illegal_transition")),
                (&fin, says(20), Ok(())),
                (
                    &fin,
                    Event::Revert { at: at(20) },
                    Err("illegal_transition"),
                ),
                (&fin, supersede(), superseded_ok),
                (
                    &overridden,
                    regrade(&pending, 30),
                    Err("illegal_transition"),
                ),
                (&overridden, says(30), Err("illegal_transition")),
                (&overridden, Event::Revert { at: at(30) }, Ok(())),
                (&overridden, supersede(), superseded_ok),
            ] {
                let kind = event.kind();
                let result = transition(from, event);
                assert_eq!(
                    result.as_ref().map(|_| ()).map_err(|error| error.code()),
                    outcome,
                    "{:?} {kind:?} unasked {unasked}",
                    from.state
                );
                if let Ok(next) = result {
                    assert_eq!(next.broken_invariant(), None, "{:?} {kind:?}", from.state);
                }
            }
        }
    }

    /// What the State pane shows agrees with what `transition` does, and every
    /// forbidden kind says why in one line.
    #[test]
    fn legal_events_are_those_that_transition_takes() {
        for unasked in [false, true] {
            let pending = receipt(BaseState::Pending, unasked);
            let fin = receipt(BaseState::Final, unasked);
            let overridden = transition(&pending, says(20)).unwrap();
            for held in [&pending, &fin, &overridden] {
                let legal = legal_events(held);
                assert_eq!(legal.map(|(kind, _)| kind).as_slice(), EventKind::ALL);
                for (kind, why) in legal {
                    let event = match kind {
                        EventKind::Regrade => regrade(&pending, 30),
                        EventKind::Override => says(30),
                        EventKind::Revert => Event::Revert { at: at(30) },
                        EventKind::Supersede => Event::Supersede {
                            claim_id: Id::from_digest(&sha256(b"c")),
                        },
                    };
                    assert_eq!(transition(held, event).err(), why, "{kind:?}");
                    let said = why.map(|why| why.to_string()).unwrap_or_default();
                    assert!(!said.contains('\n') && said.is_empty() == why.is_none());
                }
            }
        }
    }

    #[test]
    fn an_override_from_pending_freezes_and_comes_back() {
        let pending = receipt(BaseState::Pending, false);
        let overridden = transition(&pending, says(20)).unwrap();
        assert_eq!(overridden.final_from, pending.final_from);
        assert_eq!(overridden.counted_grade(), Some(Grade::NotFound));
        let back = transition(&overridden, Event::Revert { at: at(30) }).unwrap();
        assert_eq!(
            (back.state, back.reasons.len(), back.reverted.len()),
            (ReceiptState::Pending, 0, 1)
        );
        // The spans of the reverted override refuse a grading inside them.
        for (minute, code) in [(20, "regrade_held"), (30, "regrade_held")] {
            assert_eq!(
                transition(&back, regrade(&pending, minute))
                    .unwrap_err()
                    .code(),
                code
            );
        }
        let graded = transition(&back, regrade(&pending, 31)).unwrap();
        assert_eq!(graded.reverted, back.reverted);
        assert_eq!(graded.broken_invariant(), None);
    }

    #[test]
    fn an_orphan_is_held_only_from_its_override() {
        let pending = receipt(BaseState::Pending, true);
        let back = transition(
            &transition(&pending, says(20)).unwrap(),
            Event::Revert { at: at(30) },
        )
        .unwrap();
        assert!(transition(&back, regrade(&pending, 20)).is_ok());
        assert_eq!(
            transition(&back, regrade(&pending, 21)).unwrap_err().code(),
            "regrade_held"
        );
        let superseded = Event::Supersede {
            claim_id: pending.id,
        };
        let gone = transition(&back, superseded).unwrap();
        assert_eq!(
            transition(&gone, regrade(&pending, 40)).unwrap_err().code(),
            "regrade_superseded"
        );
        assert_eq!(gone.broken_invariant(), None);
    }

    #[test]
    fn events_that_cannot_be() {
        let pending = receipt(BaseState::Pending, false);
        let blank = Event::Override {
            grade: OverrideGrade::Verified,
            reason: " \u{200b}\u{301}".into(),
            at: at(20),
        };
        for event in [blank, says(9), regrade(&pending, 10), regrade(&pending, 9)] {
            assert_eq!(
                transition(&pending, event).unwrap_err().code(),
                "invalid_event"
            );
        }
        assert!(transition(&pending, says(10)).is_ok());
        let overridden = transition(&pending, says(20)).unwrap();
        assert_eq!(
            transition(&overridden, Event::Revert { at: at(19) })
                .unwrap_err()
                .code(),
            "invalid_event"
        );
        assert!(transition(&overridden, Event::Revert { at: at(20) }).is_ok());
    }
}
