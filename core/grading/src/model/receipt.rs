//! A receipt: what was decided about a claim, an orphan or a scope.

use attest_canon::jcs::Writer;
use attest_canon::{Digest, Id};

use super::canonical::{Canonical, member, member_if};
use super::closed::{
    AgentId, BaseState, Grade, OverrideGrade, ReasonCode, ReceiptSignal, ReceiptState,
};
use super::decode::{Decoder, Read, member_of, object};
use super::invariant::{Broken, Invariant};
use super::limits;
use super::primitives::{DisplayNumber, Token};
use super::reason::{Params, Reason};
use super::time::{Instant, IsoTs};

/// A receipt's display signals, one place per [`ReceiptSignal`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Signals([Option<DisplayNumber>; ReceiptSignal::ALL.len()]);

impl Signals {
    /// The signal's value, when it is there.
    #[must_use]
    pub fn get(&self, signal: ReceiptSignal) -> Option<DisplayNumber> {
        self.0.get(signal.index()).copied().flatten()
    }

    /// Sets a signal.
    pub fn set(&mut self, signal: ReceiptSignal, value: DisplayNumber) {
        if let Some(slot) = self.0.get_mut(signal.index()) {
            *slot = Some(value);
        }
    }

    /// The signals that are there, in table order.
    pub fn iter(&self) -> impl Iterator<Item = (ReceiptSignal, DisplayNumber)> + '_ {
        ReceiptSignal::ALL
            .iter()
            .filter_map(|signal| Some((*signal, self.get(*signal)?)))
    }

    fn decode(d: &mut Decoder<'_>) -> Read<Self> {
        let mut signals = Self::default();
        let read = d.map(|d, key| {
            let Some(signal) = ReceiptSignal::parse(key) else {
                d.unknown_member()?;
                return Ok(None);
            };
            Ok(d.display_number()?.map(|value| signals.set(signal, value)))
        })?;
        Ok(read.map(|()| signals))
    }
}

impl Canonical for Signals {
    fn write(&self, out: &mut Writer) {
        let mut present: Vec<_> = self.iter().collect();
        present.sort_by_key(|(signal, _)| signal.as_str());
        out.begin_object();
        for (signal, value) in present {
            member(out, signal.as_str(), &value);
        }
        out.end_object();
    }
}

/// A person's word on a receipt.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Override {
    /// What they say.
    pub grade: OverrideGrade,
    /// Why; at most 500 characters, at least one visible.
    pub reason: Box<str>,
    /// When; never before the receipt's `computed_at`.
    pub at: IsoTs,
    /// The state it returns to.
    pub previous_state: BaseState,
}

/// An override that was taken back (§8).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reverted {
    /// What was said.
    pub grade: OverrideGrade,
    /// When it was said.
    pub at: IsoTs,
    /// When it was taken back.
    pub reverted_at: IsoTs,
    /// The state before it.
    pub previous_state: BaseState,
    /// The receipt's `computedAt` then.
    pub computed_at: IsoTs,
    /// The receipt's evidence then.
    pub observation_ids: Vec<Id>,
}

/// One receipt (supplement D).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Receipt {
    /// Stable per subject (§3).
    pub id: Id,
    /// Whose action.
    pub agent: AgentId,
    /// The claim, absent on UNASKED and scope receipts.
    pub claim_id: Option<Id>,
    /// The evidence: the assigned candidate, the orphan, or nothing.
    pub observation_ids: Vec<Id>,
    /// The claim's request.
    pub request_id: Option<Token>,
    /// What was computed; a placeholder while PENDING (§2).
    pub grade: Grade,
    /// The rule that matched.
    pub rule_id: Token,
    /// Where it is in its life.
    pub state: ReceiptState,
    /// For display (§6.4).
    pub confidence: DisplayNumber,
    /// Why, in §15's order.
    pub reasons: Vec<Reason>,
    /// The best candidate's features and score, for display.
    pub signals: Signals,
    /// Binds everything it was graded with.
    pub inputs_hash: Digest,
    /// The policy it was graded by.
    pub policy_hash: Digest,
    /// Always "likely", on UNASKED receipts only.
    pub attribution_likely: bool,
    /// The instant of its batch.
    pub computed_at: IsoTs,
    /// When it became FINAL.
    pub final_at: Option<IsoTs>,
    /// From when it can become FINAL.
    pub final_from: Option<IsoTs>,
    /// The person's word, while it stands.
    pub user_override: Option<Override>,
    /// The person's words taken back, oldest first.
    pub reverted: Vec<Reverted>,
    /// The claim that explains an UNASKED action after all.
    pub superseded_by: Option<Id>,
}

impl Receipt {
    /// Reads a receipt and checks §8's invariants.
    pub fn decode(d: &mut Decoder<'_>) -> Read<Self> {
        object!(d, {
            id: required "id" = Decoder::id,
            agent: required "agent" = Decoder::agent,
            claim_id: optional "claimId" = Decoder::id,
            observation_ids: required "observationIds" = |d: &mut Decoder<'_>| d.list(1, Decoder::id),
            request_id: optional "requestId" = Decoder::token,
            grade: required "grade" = member_of!(Grade, "a known grade"),
            rule_id: required "ruleId" = Decoder::token,
            state: required "state" = member_of!(ReceiptState, "a known state"),
            confidence: required "confidence" = Decoder::display_number,
            reasons: required "reasons" = |d: &mut Decoder<'_>| d.list(limits::REASONS, Reason::decode),
            signals: required "signals" = Signals::decode,
            inputs_hash: required "inputsHash" = Decoder::digest,
            policy_hash: required "policyHash" = Decoder::digest,
            attribution: optional "attribution" = |d: &mut Decoder<'_>| d.parsed("\"likely\"", |text| (text == "likely").then_some(())),
            computed_at: required "computedAt" = Decoder::instant,
            final_at: optional "finalAt" = Decoder::instant,
            final_from: optional "finalFrom" = Decoder::instant,
            user_override: optional "override" = Override::decode,
            reverted: optional "reverted" = |d: &mut Decoder<'_>| d.list(limits::REASONS, Reverted::decode),
            superseded_by: optional "supersededBy" = Decoder::id,
        });
        if reverted.as_ref().is_some_and(Vec::is_empty) {
            Broken::of(Invariant::RevertedPresent).note(d);
            return Ok(None);
        }
        let receipt = Self {
            id,
            agent,
            claim_id,
            observation_ids,
            request_id,
            grade,
            rule_id,
            state,
            confidence,
            reasons,
            signals,
            inputs_hash,
            policy_hash,
            attribution_likely: attribution.is_some(),
            computed_at,
            final_at,
            final_from,
            user_override,
            reverted: reverted.unwrap_or_default(),
            superseded_by,
        };
        if let Some(broken) = receipt.broken_invariant() {
            broken.note(d);
            return Ok(None);
        }
        Ok(Some(receipt))
    }

    /// The state before any override that stands.
    #[must_use]
    pub fn base_state(&self) -> BaseState {
        match (&self.user_override, self.state) {
            (Some(user), _) => user.previous_state,
            (None, ReceiptState::Pending) => BaseState::Pending,
            (None, _) => BaseState::Final,
        }
    }

    /// The grade the receipt counts as: the person's word when it stands, none
    /// while it is still checking (§2, §8).
    #[must_use]
    pub fn counted_grade(&self) -> Option<Grade> {
        match (&self.user_override, self.state) {
            (Some(user), _) => Some(user.grade.grade()),
            (None, ReceiptState::Pending) => None,
            (None, _) => Some(self.grade),
        }
    }

    /// The latest instant the receipt holds an event of: its grading, its
    /// override, its last revert (`lastEventAt`, §3).
    #[must_use]
    pub fn last_event_at(&self) -> Instant {
        let override_at = self.user_override.as_ref().map(|user| user.at.instant());
        let reverted_at = self
            .reverted
            .last()
            .map(|entry| entry.reverted_at.instant());
        self.computed_at
            .instant()
            .max(override_at.unwrap_or(Instant::from_ms(i64::MIN)))
            .max(reverted_at.unwrap_or(Instant::from_ms(i64::MIN)))
    }

    /// Whether this is a PENDING claim-less row kept only because it holds
    /// reverted overrides (§7): no batch grades it, so it is not checking.
    #[must_use]
    pub fn is_kept(&self) -> bool {
        self.state == ReceiptState::Pending && self.claim_id.is_none() && !self.reverted.is_empty()
    }
}

impl Reverted {
    /// Whether the override kept its subject out of a batch at this instant: a
    /// claim up to the revert, an orphan in (at, revertedAt] (§8).
    #[must_use]
    pub fn holds(&self, is_claim: bool, batch: Instant) -> bool {
        let after = if is_claim {
            self.computed_at.instant()
        } else {
            self.at.instant()
        };
        after < batch && batch <= self.reverted_at.instant()
    }

    fn decode(d: &mut Decoder<'_>) -> Read<Self> {
        object!(d, {
            grade: required "grade" = member_of!(OverrideGrade, "VERIFIED or NOT_FOUND"),
            at: required "at" = Decoder::instant,
            reverted_at: required "revertedAt" = Decoder::instant,
            previous_state: required "previousState" = member_of!(BaseState, "PENDING or FINAL"),
            computed_at: required "computedAt" = Decoder::instant,
            observation_ids: required "observationIds" = |d: &mut Decoder<'_>| d.list(1, Decoder::id),
        });
        Ok(Some(Self {
            grade,
            at,
            reverted_at,
            previous_state,
            computed_at,
            observation_ids,
        }))
    }
}

impl Override {
    fn decode(d: &mut Decoder<'_>) -> Read<Self> {
        object!(d, {
            grade: required "grade" = member_of!(OverrideGrade, "VERIFIED or NOT_FOUND"),
            reason: required "reason" = |d: &mut Decoder<'_>| d.text(limits::OVERRIDE_REASON),
            at: required "at" = Decoder::instant,
            previous_state: required "previousState" = member_of!(BaseState, "PENDING or FINAL"),
        });
        Ok(Some(Self {
            grade,
            reason,
            at,
            previous_state,
        }))
    }
}

/// The reasons that record a receipt's events, in §15's order.
#[must_use]
pub fn lifecycle_reasons(user: Option<&Override>, superseded_by: Option<Id>) -> Vec<Reason> {
    let said = user.and_then(|user| {
        Reason::new(
            ReasonCode::OverrideUser,
            Params::Grade { grade: user.grade },
        )
    });
    let superseded = superseded_by
        .and_then(|claim_id| Reason::new(ReasonCode::Superseded, Params::Claim { claim_id }));
    said.into_iter().chain(superseded).collect()
}

impl Canonical for Override {
    fn write(&self, out: &mut Writer) {
        out.begin_object();
        member(out, "at", &self.at);
        member(out, "grade", &self.grade);
        member(out, "previousState", &self.previous_state);
        member(out, "reason", &self.reason);
        out.end_object();
    }
}

impl Canonical for Reverted {
    fn write(&self, out: &mut Writer) {
        out.begin_object();
        member(out, "at", &self.at);
        member(out, "computedAt", &self.computed_at);
        member(out, "grade", &self.grade);
        member(out, "observationIds", self.observation_ids.as_slice());
        member(out, "previousState", &self.previous_state);
        member(out, "revertedAt", &self.reverted_at);
        out.end_object();
    }
}

impl Canonical for Receipt {
    fn write(&self, out: &mut Writer) {
        out.begin_object();
        member(out, "agent", &self.agent);
        if self.attribution_likely {
            out.key("attribution");
            out.string("likely");
        }
        member_if(out, "claimId", self.claim_id.as_ref());
        member(out, "computedAt", &self.computed_at);
        member(out, "confidence", &self.confidence);
        member_if(out, "finalAt", self.final_at.as_ref());
        member_if(out, "finalFrom", self.final_from.as_ref());
        member(out, "grade", &self.grade);
        member(out, "id", &self.id);
        member(out, "inputsHash", &self.inputs_hash);
        member(out, "observationIds", self.observation_ids.as_slice());
        member_if(out, "override", self.user_override.as_ref());
        member(out, "policyHash", &self.policy_hash);
        member(out, "reasons", self.reasons.as_slice());
        member_if(out, "requestId", self.request_id.as_ref());
        if !self.reverted.is_empty() {
            member(out, "reverted", self.reverted.as_slice());
        }
        member(out, "ruleId", &self.rule_id);
        member(out, "signals", &self.signals);
        member(out, "state", &self.state);
        member_if(out, "supersededBy", self.superseded_by.as_ref());
        out.end_object();
    }
}
