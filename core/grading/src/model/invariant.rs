//! The invariants of a stored receipt (§8): each one by its name, what it asks,
//! and the place it names when a receipt breaks it.

use core::fmt;

use attest_canon::json::{push_index, push_key};

use super::closed::{BaseState, Grade, ReasonCode, ReceiptState, closed_set};
use super::decode::Decoder;
use super::problem::ProblemKind;
use super::reason::Reason;
use super::receipt::{Receipt, Reverted, lifecycle_reasons};

closed_set! {
    /// What §8 asks of every stored receipt, beyond the shape of its members.
    Invariant {
        /// An override and the state that says so go together.
        OverridePresent = "override is present exactly when the state is USER_OVERRIDDEN",
        /// A receipt that was FINAL says since when.
        FinalAtPresent = "finalAt is present exactly when the state before any override is FINAL",
        /// A receipt that was FINAL no longer says from when it can be.
        FinalFromAbsent = "finalFrom is absent once the state is FINAL",
        /// Every UNASKED receipt says "likely", and no other does.
        AttributionPresent = "attribution is present exactly on UNASKED receipts",
        /// An UNASKED receipt is of an orphan, not of a claim.
        UnaskedClaimless = "an UNASKED receipt has no claim",
        /// Its evidence is the orphan.
        UnaskedOrphan = "an UNASKED receipt holds its orphan",
        /// A scope receipt has no evidence.
        ScopeWithoutEvidence = "a claim-less receipt that is not UNASKED holds no observation",
        /// Only an UNASKED receipt is superseded.
        SupersededUnasked = "supersededBy appears only on UNASKED receipts",
        /// A person's reason shows something.
        ReasonVisible = "an override's reason contains a visible character",
        /// A person speaks of a grading that was.
        OverrideAfterGrading = "an override is never before computedAt",
        /// A person speaks again only after they took their word back.
        OverrideAfterRevert = "an override is never before the last revert",
        /// The reasons that record events stand when, and where, they should.
        LifecycleReasons = "override.user and superseded stand last, exactly when their events do",
        /// An empty list of reverted overrides is written as none.
        RevertedPresent = "reverted is absent or holds at least one entry",
        /// Graded, said, taken back.
        EntryInOrder = "an entry has computedAt, at and revertedAt in order",
        /// The list is a history.
        EntriesInOrder = "entries stand in order, oldest first",
        /// A reverted override is of this grading or of an earlier one.
        EntryOfAGrading = "an entry is never computed after its receipt",
        /// An entry of this grading returned to this grading's state.
        EntryState = "an entry of this grading has its state",
        /// An entry of this grading was of this grading's evidence.
        EntryEvidence = "an entry of this grading has its evidence",
        /// What was graded again since was PENDING.
        RegradedFromPending = "only a PENDING receipt is regraded",
        /// No batch grades a subject that an override holds.
        RegradedUnheld = "no regrade happens while a reverted override held the subject",
        /// An orphan's evidence, or a scope's lack of any, never changes.
        EntryOwnEvidence = "a claim-less receipt's entries hold its own evidence",
    }
}

impl Invariant {
    /// The member it is about, from the receipt.
    #[must_use]
    pub const fn member(self) -> &'static [&'static str] {
        match self {
            Self::OverridePresent => &["override"],
            Self::ReasonVisible => &["override", "reason"],
            Self::OverrideAfterGrading | Self::OverrideAfterRevert => &["override", "at"],
            Self::FinalAtPresent => &["finalAt"],
            Self::FinalFromAbsent => &["finalFrom"],
            Self::AttributionPresent => &["attribution"],
            Self::UnaskedClaimless => &["claimId"],
            Self::UnaskedOrphan | Self::ScopeWithoutEvidence => &["observationIds"],
            Self::SupersededUnasked => &["supersededBy"],
            Self::LifecycleReasons => &["reasons"],
            Self::RevertedPresent
            | Self::EntryInOrder
            | Self::EntriesInOrder
            | Self::EntryOfAGrading
            | Self::EntryState
            | Self::EntryEvidence
            | Self::RegradedFromPending
            | Self::RegradedUnheld
            | Self::EntryOwnEvidence => &["reverted"],
        }
    }
}

/// A broken invariant, and the entry of `reverted` that breaks it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Broken {
    /// What is broken.
    pub invariant: Invariant,
    /// Which entry, where the invariant is one of a single entry.
    pub entry: Option<usize>,
}

impl Broken {
    /// An invariant of the receipt as a whole.
    #[must_use]
    pub const fn of(invariant: Invariant) -> Self {
        Self {
            invariant,
            entry: None,
        }
    }

    /// The place in the receipt that it names.
    #[must_use]
    pub fn path(&self) -> String {
        self.path_under(String::new())
    }

    fn path_under(&self, mut path: String) -> String {
        for key in self.invariant.member() {
            push_key(&mut path, key);
        }
        if let Some(entry) = self.entry {
            push_index(&mut path, entry);
        }
        path
    }

    /// Notes it, in the receipt at the decoder's place.
    pub(super) fn note(self, d: &mut Decoder<'_>) {
        let path = self.path_under(d.reader().path());
        d.note_at(path, ProblemKind::BadReceipt(self.invariant));
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path(), self.invariant)
    }
}

impl Receipt {
    /// The first invariant of §8 the receipt breaks.
    #[must_use]
    pub fn broken_invariant(&self) -> Option<Broken> {
        broken_lifecycle(self)
            .or_else(|| broken_subject(self))
            .or_else(|| broken_override(self))
            .or_else(|| broken_reasons(self))
            .map(Broken::of)
            .or_else(|| broken_reverted(self))
    }
}

/// State, override and finality.
fn broken_lifecycle(receipt: &Receipt) -> Option<Invariant> {
    let overridden = receipt.state == ReceiptState::UserOverridden;
    if receipt.user_override.is_some() != overridden {
        return Some(Invariant::OverridePresent);
    }
    let was_final = receipt.base_state() == BaseState::Final;
    if receipt.final_at.is_some() != was_final {
        return Some(Invariant::FinalAtPresent);
    }
    (was_final && receipt.final_from.is_some()).then_some(Invariant::FinalFromAbsent)
}

/// What the receipt is of: a claim, an orphan or a scope.
fn broken_subject(receipt: &Receipt) -> Option<Invariant> {
    let unasked = receipt.grade == Grade::Unasked;
    if receipt.attribution_likely != unasked {
        return Some(Invariant::AttributionPresent);
    }
    if unasked && receipt.claim_id.is_some() {
        return Some(Invariant::UnaskedClaimless);
    }
    if unasked && receipt.observation_ids.len() != 1 {
        return Some(Invariant::UnaskedOrphan);
    }
    if !unasked && receipt.claim_id.is_none() && !receipt.observation_ids.is_empty() {
        return Some(Invariant::ScopeWithoutEvidence);
    }
    (!unasked && receipt.superseded_by.is_some()).then_some(Invariant::SupersededUnasked)
}

/// What the person says.
fn broken_override(receipt: &Receipt) -> Option<Invariant> {
    let user = receipt.user_override.as_ref()?;
    if !crate::text::has_visible(&user.reason) {
        return Some(Invariant::ReasonVisible);
    }
    if user.at.instant() < receipt.computed_at.instant() {
        return Some(Invariant::OverrideAfterGrading);
    }
    let last = receipt.reverted.last()?;
    (user.at.instant() < last.reverted_at.instant()).then_some(Invariant::OverrideAfterRevert)
}

/// `override.user` and `superseded`: each there exactly when its event is, with
/// what the event says, after every graded reason, in §15's order.
fn broken_reasons(receipt: &Receipt) -> Option<Invariant> {
    let events = lifecycle_reasons(receipt.user_override.as_ref(), receipt.superseded_by);
    let graded = receipt.reasons.len().checked_sub(events.len());
    let split = graded.and_then(|graded| receipt.reasons.split_at_checked(graded));
    let is_event = |reason: &Reason| {
        matches!(
            reason.code(),
            ReasonCode::OverrideUser | ReasonCode::Superseded
        )
    };
    match split {
        Some((graded, tail)) if tail == events && !graded.iter().any(is_event) => None,
        _ => Some(Invariant::LifecycleReasons),
    }
}

/// §8's rules for `reverted`, entry by entry.
fn broken_reverted(receipt: &Receipt) -> Option<Broken> {
    let mut previous: Option<&Reverted> = None;
    for (at, entry) in receipt.reverted.iter().enumerate() {
        let broken = broken_entry(receipt, entry)
            .or_else(|| previous.and_then(|previous| broken_pair(receipt, previous, entry)));
        if let Some(invariant) = broken {
            return Some(Broken {
                invariant,
                entry: Some(at),
            });
        }
        previous = Some(entry);
    }
    None
}

/// What an entry owes its receipt.
fn broken_entry(receipt: &Receipt, entry: &Reverted) -> Option<Invariant> {
    let (graded, said) = (entry.computed_at.instant(), entry.at.instant());
    let now = receipt.computed_at.instant();
    if said < graded || entry.reverted_at.instant() < said {
        return Some(Invariant::EntryInOrder);
    }
    if graded > now {
        return Some(Invariant::EntryOfAGrading);
    }
    if graded == now && entry.previous_state != receipt.base_state() {
        return Some(Invariant::EntryState);
    }
    if receipt.claim_id.is_none() && entry.observation_ids != receipt.observation_ids {
        return Some(Invariant::EntryOwnEvidence);
    }
    if graded == now && entry.observation_ids != receipt.observation_ids {
        return Some(Invariant::EntryEvidence);
    }
    (graded < now)
        .then(|| broken_regrade(receipt, entry, receipt.computed_at.instant()))
        .flatten()
}

/// What an entry owes the one before it.
fn broken_pair(receipt: &Receipt, previous: &Reverted, entry: &Reverted) -> Option<Invariant> {
    let graded = entry.computed_at.instant();
    if entry.at.instant() < previous.reverted_at.instant()
        || graded < previous.computed_at.instant()
    {
        return Some(Invariant::EntriesInOrder);
    }
    (graded > previous.computed_at.instant())
        .then(|| broken_regrade(receipt, previous, graded))
        .flatten()
}

/// What a grading at this instant, after the entry's own, owes the entry.
fn broken_regrade(
    receipt: &Receipt,
    entry: &Reverted,
    at: super::time::Instant,
) -> Option<Invariant> {
    if entry.previous_state != BaseState::Pending {
        return Some(Invariant::RegradedFromPending);
    }
    entry
        .holds(receipt.claim_id.is_some(), at)
        .then_some(Invariant::RegradedUnheld)
}
