//! A claim: what an agent says it did.

use attest_canon::jcs::Writer;
use attest_canon::{Digest, Id};

use super::canonical::{Canonical, member, member_if};
use super::closed::{ActionType, AgentId, Precision};
use super::decode::{Decoder, Read, member_of, object};
use super::primitives::{Cents, Currency, Token};
use super::problem::ProblemKind;
use super::time::IsoTs;

/// One claim (supplement D). `id = idFromHash(rawHash)`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    /// The id, derived from `raw_hash`.
    pub id: Id,
    /// The request the claim answers.
    pub request_id: Option<Token>,
    /// Who claims.
    pub agent: AgentId,
    /// What is claimed.
    pub action: ActionType,
    /// To or with whom, as read.
    pub counterparty: Option<Box<str>>,
    /// How much, in cents.
    pub amount: Option<Cents>,
    /// In which currency.
    pub currency: Option<Currency>,
    /// About what; at most 80 characters.
    pub subject_hint: Option<Box<str>>,
    /// When the action is said to have been done.
    pub claimed_at: IsoTs,
    /// How exactly that is known.
    pub precision: Precision,
    /// The last instant of a claimed span; never before `claimed_at`.
    pub claimed_at_end: Option<IsoTs>,
    /// The start of the calendar event meant.
    pub target_at: Option<IsoTs>,
    /// When the claim was stored.
    pub observed_at: IsoTs,
    /// What kind of page it was read from; no grading rule reads it.
    pub source_kind: Token,
    /// What read it.
    pub extractor: Option<Extractor>,
    /// The hash given by the extractor.
    pub raw_hash: Digest,
}

/// The reader of a claim, and its version.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Extractor {
    /// Which.
    pub id: Token,
    /// Which version.
    pub version: Token,
}

impl Claim {
    /// Reads a claim.
    pub fn decode(d: &mut Decoder<'_>) -> Read<Self> {
        object!(d, {
            id: required "id" = Decoder::id,
            request_id: optional "requestId" = Decoder::token,
            agent: required "agent" = Decoder::agent,
            action: required "type" = Decoder::action,
            counterparty: optional "counterparty" = Decoder::counterparty,
            amount: optional "amountCents" = Decoder::cents,
            currency: optional "currency" = Decoder::currency,
            subject_hint: optional "subjectHint" = Decoder::subject_hint,
            claimed_at: required "claimedAt" = Decoder::instant,
            precision: required "claimedAtPrecision" = member_of!(Precision, "minute, hour or day"),
            claimed_at_end: optional "claimedAtEnd" = Decoder::instant,
            target_at: optional "targetAt" = Decoder::instant,
            observed_at: required "observedAt" = Decoder::instant,
            source_kind: required "sourceKind" = Decoder::token,
            extractor: optional "extractor" = Extractor::decode,
            raw_hash: required "rawHash" = Decoder::digest,
        });
        let claim = Self {
            id,
            request_id,
            agent,
            action,
            counterparty,
            amount,
            currency,
            subject_hint,
            claimed_at,
            precision,
            claimed_at_end,
            target_at,
            observed_at,
            source_kind,
            extractor,
            raw_hash,
        };
        if let Some((key, kind)) = claim.problem() {
            d.note_member(key, kind);
            return Ok(None);
        }
        Ok(Some(claim))
    }

    /// What the fields contradict about each other, if anything.
    #[must_use]
    pub fn problem(&self) -> Option<(&'static str, ProblemKind)> {
        if self.id != Id::from_digest(&self.raw_hash) {
            return Some(("id", ProblemKind::IdNotFromHash));
        }
        let ends_early = |end: IsoTs| end.instant() < self.claimed_at.instant();
        if self.claimed_at_end.is_some_and(ends_early) {
            return Some(("claimedAtEnd", ProblemKind::MustBe("at or after claimedAt")));
        }
        None
    }
}

impl Extractor {
    fn decode(d: &mut Decoder<'_>) -> Read<Self> {
        object!(d, {
            id: required "id" = Decoder::token,
            version: required "version" = Decoder::token,
        });
        Ok(Some(Self { id, version }))
    }
}

impl Canonical for Extractor {
    fn write(&self, out: &mut Writer) {
        out.begin_object();
        member(out, "id", &self.id);
        member(out, "version", &self.version);
        out.end_object();
    }
}

impl Canonical for Claim {
    fn write(&self, out: &mut Writer) {
        out.begin_object();
        member(out, "agent", &self.agent);
        member_if(out, "amountCents", self.amount.as_ref());
        member(out, "claimedAt", &self.claimed_at);
        member_if(out, "claimedAtEnd", self.claimed_at_end.as_ref());
        member(out, "claimedAtPrecision", &self.precision);
        member_if(out, "counterparty", self.counterparty.as_ref());
        member_if(out, "currency", self.currency.as_ref());
        member_if(out, "extractor", self.extractor.as_ref());
        member(out, "id", &self.id);
        member(out, "observedAt", &self.observed_at);
        member(out, "rawHash", &self.raw_hash);
        member_if(out, "requestId", self.request_id.as_ref());
        member(out, "sourceKind", &self.source_kind);
        member_if(out, "subjectHint", self.subject_hint.as_ref());
        member_if(out, "targetAt", self.target_at.as_ref());
        member(out, "type", &self.action);
        out.end_object();
    }
}
