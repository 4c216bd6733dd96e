//! An observation: what the person's own tabs showed.

use attest_canon::jcs::Writer;
use attest_canon::{Digest, Id, sha256};

use super::canonical::{Canonical, canonical_text, member, member_if};
use super::closed::{ActionType, Source};
use super::decode::{Decoder, Read, object};
use super::primitives::{Cents, Currency};
use super::problem::ProblemKind;
use super::time::{Instant, IsoTs};

/// One observed row (supplement D). `id = idFromHash(contentHash)`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Observation {
    /// The id, derived from `content_hash`.
    pub id: Id,
    /// Where it was seen.
    pub source: Source,
    /// What happened.
    pub action: ActionType,
    /// When it happened; for a calendar event, its start.
    pub occurred_at: IsoTs,
    /// When the row was stored: which batches read it.
    pub observed_at: IsoTs,
    /// When it was first sighted, when that is strictly before `observed_at`.
    pub sighted_at: Option<IsoTs>,
    /// To or with whom.
    pub counterparty: Option<Box<str>>,
    /// From which merchant.
    pub merchant: Option<Box<str>>,
    /// How much, in cents.
    pub amount: Option<Cents>,
    /// In which currency.
    pub currency: Option<Currency>,
    /// About what; at most 80 characters.
    pub subject_hint: Option<Box<str>>,
    /// SHA-256 of the source's own row id.
    pub row_key_hash: Option<Digest>,
    /// Hash of the content fields (§10).
    pub content_hash: Digest,
}

impl Observation {
    /// Reads an observation. Whether the content still has its `contentHash`
    /// is asked by replay, not here (supplement E).
    pub fn decode(d: &mut Decoder<'_>) -> Read<Self> {
        object!(d, {
            id: required "id" = Decoder::id,
            source: required "source" = Decoder::source,
            action: required "type" = Decoder::action,
            occurred_at: required "occurredAt" = Decoder::instant,
            observed_at: required "observedAt" = Decoder::instant,
            sighted_at: optional "sightedAt" = Decoder::instant,
            counterparty: optional "counterparty" = Decoder::counterparty,
            merchant: optional "merchant" = Decoder::merchant,
            amount: optional "amountCents" = Decoder::cents,
            currency: optional "currency" = Decoder::currency,
            subject_hint: optional "subjectHint" = Decoder::subject_hint,
            row_key_hash: optional "rowKeyHash" = Decoder::digest,
            content_hash: required "contentHash" = Decoder::digest,
        });
        let observation = Self {
            id,
            source,
            action,
            occurred_at,
            observed_at,
            sighted_at,
            counterparty,
            merchant,
            amount,
            currency,
            subject_hint,
            row_key_hash,
            content_hash,
        };
        if let Some((key, kind)) = observation.problem() {
            d.note_member(key, kind);
            return Ok(None);
        }
        Ok(Some(observation))
    }

    /// What the fields contradict about each other, if anything.
    #[must_use]
    pub fn problem(&self) -> Option<(&'static str, ProblemKind)> {
        if self.id != Id::from_digest(&self.content_hash) {
            return Some(("id", ProblemKind::IdNotFromHash));
        }
        let late = |sighted: IsoTs| sighted.instant() >= self.observed_at.instant();
        if self.sighted_at.is_some_and(late) {
            return Some(("sightedAt", ProblemKind::MustBe("before observedAt")));
        }
        None
    }

    /// The hash of the content as it stands (`contentHashOf`, §10): equal to
    /// `content_hash` unless the row was edited in place.
    #[must_use]
    pub fn computed_content_hash(&self) -> Digest {
        sha256(canonical_text(&Content(self)).as_bytes())
    }

    /// When the row was first seen: `sighted_at`, else `observed_at`
    /// (`firstSeenAt`, §4.1). The one reader of the two.
    #[must_use]
    pub fn first_seen_at(&self) -> IsoTs {
        self.sighted_at.unwrap_or(self.observed_at)
    }

    /// The instant attribution windows are measured from (`anchorAt`, §7): the
    /// first sighting of a calendar row, else when it occurred.
    #[must_use]
    pub fn anchor(&self) -> Instant {
        if self.action.is_calendar() {
            self.first_seen_at().instant()
        } else {
            self.occurred_at.instant()
        }
    }
}

/// The fields of a row that its content hash binds.
struct Content<'a>(&'a Observation);

impl Canonical for Content<'_> {
    fn write(&self, out: &mut Writer) {
        let row = self.0;
        out.begin_object();
        member_if(out, "amountCents", row.amount.as_ref());
        member_if(out, "counterparty", row.counterparty.as_ref());
        member_if(out, "currency", row.currency.as_ref());
        member_if(out, "merchant", row.merchant.as_ref());
        member(out, "occurredAt", &row.occurred_at);
        member_if(out, "rowKeyHash", row.row_key_hash.as_ref());
        member(out, "source", &row.source);
        member_if(out, "subjectHint", row.subject_hint.as_ref());
        member(out, "type", &row.action);
        out.end_object();
    }
}

impl Canonical for Observation {
    fn write(&self, out: &mut Writer) {
        out.begin_object();
        member_if(out, "amountCents", self.amount.as_ref());
        member(out, "contentHash", &self.content_hash);
        member_if(out, "counterparty", self.counterparty.as_ref());
        member_if(out, "currency", self.currency.as_ref());
        member(out, "id", &self.id);
        member_if(out, "merchant", self.merchant.as_ref());
        member(out, "observedAt", &self.observed_at);
        member(out, "occurredAt", &self.occurred_at);
        member_if(out, "rowKeyHash", self.row_key_hash.as_ref());
        member_if(out, "sightedAt", self.sighted_at.as_ref());
        member(out, "source", &self.source);
        member_if(out, "subjectHint", self.subject_hint.as_ref());
        member(out, "type", &self.action);
        out.end_object();
    }
}
