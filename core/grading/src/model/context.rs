//! What a grade is given beside its claim, candidates, grant and coverage.

use attest_canon::Id;
use attest_canon::jcs::Writer;

use super::canonical::{Canonical, member, member_if};
use super::closed::{AgentId, UnaskedSignal};
use super::decode::{Decoder, Read, member_of, object};
use super::limits;
use super::primitives::BasisPoints;
use super::problem::ProblemKind;
use super::time::IsoTs;

/// Which agent likely did an unclaimed action (§7).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attribution {
    /// The likely agent.
    pub agent: AgentId,
    /// What speaks for it, in set order.
    pub signals: Vec<UnaskedSignal>,
    /// The signals' weights together, at most 10,000.
    pub score: BasisPoints,
    /// The agent's latest log import, when there is one.
    pub adapter_last_sync_at: Option<IsoTs>,
}

impl Attribution {
    /// Reads an attribution.
    pub fn decode(d: &mut Decoder<'_>) -> Read<Self> {
        object!(d, {
            agent: required "agent" = Decoder::agent,
            signals: required "signals" = |d: &mut Decoder<'_>| d.list(UnaskedSignal::ALL.len(), member_of!(UnaskedSignal, "a known signal")),
            score: required "scoreBp" = Decoder::basis_points,
            adapter_last_sync_at: optional "adapterLastSyncAt" = Decoder::instant,
        });
        if !signals.is_sorted_by(|a, b| a < b) {
            d.note_member(
                "signals",
                ProblemKind::MustBe("distinct signals in set order"),
            );
            return Ok(None);
        }
        Ok(Some(Self {
            agent,
            signals,
            score,
            adapter_last_sync_at,
        }))
    }
}

impl Canonical for Attribution {
    fn write(&self, out: &mut Writer) {
        out.begin_object();
        member_if(out, "adapterLastSyncAt", self.adapter_last_sync_at.as_ref());
        member(out, "agent", &self.agent);
        member(out, "scoreBp", &self.score);
        member(out, "signals", self.signals.as_slice());
        out.end_object();
    }
}

/// The advisory model's score of one candidate (§5.4).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ModelScore {
    /// The candidate.
    pub observation_id: Id,
    /// Its score.
    pub score: BasisPoints,
}

impl ModelScore {
    /// Reads a model score.
    pub fn decode(d: &mut Decoder<'_>) -> Read<Self> {
        object!(d, {
            observation_id: required "observationId" = Decoder::id,
            score: required "scoreBp" = Decoder::basis_points,
        });
        Ok(Some(Self {
            observation_id,
            score,
        }))
    }

    /// Reads a claim's scores: one per observation, by observation id.
    pub fn decode_list(d: &mut Decoder<'_>) -> Read<Vec<Self>> {
        let Some(scores) = d.list(limits::GRADING_INPUT, Self::decode)? else {
            return Ok(None);
        };
        if !scores.is_sorted_by(|a, b| a.observation_id < b.observation_id) {
            d.note(ProblemKind::MustBe(
                "one score per observation, sorted by observationId",
            ));
            return Ok(None);
        }
        Ok(Some(scores))
    }
}

impl Canonical for ModelScore {
    fn write(&self, out: &mut Writer) {
        out.begin_object();
        member(out, "observationId", &self.observation_id);
        member(out, "scoreBp", &self.score);
        out.end_object();
    }
}

/// The context of one grade (supplement I).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct GradeContext {
    /// Earlier spend that counts towards the ceiling, in cents (§6.3).
    pub prior_spend_cents: i64,
    /// For an orphan: who likely did it.
    pub attribution: Option<Attribution>,
    /// For a scope subject: the observed scope, as stored.
    pub scope: Option<Box<str>>,
    /// The model's scores, sorted by observation id; present but empty is not
    /// the same as absent (readings 53).
    pub model_scores: Option<Vec<ModelScore>>,
}

impl GradeContext {
    /// Reads a context.
    pub fn decode(d: &mut Decoder<'_>) -> Read<Self> {
        object!(d, {
            prior_spend_cents: required "priorSpendCents" = Decoder::natural,
            attribution: optional "attribution" = Attribution::decode,
            scope: optional "scope" = observed_scope,
            model_scores: optional "modelScores" = ModelScore::decode_list,
        });
        Ok(Some(Self {
            prior_spend_cents,
            attribution,
            scope,
            model_scores,
        }))
    }

    /// The model's score of one candidate, when the context holds it.
    #[must_use]
    pub fn model_score(&self, observation_id: Id) -> Option<BasisPoints> {
        let scores = self.model_scores.as_ref()?;
        let at = scores
            .binary_search_by_key(&observation_id, |score| score.observation_id)
            .ok()?;
        scores.get(at).map(|score| score.score)
    }
}

fn observed_scope(d: &mut Decoder<'_>) -> Read<Box<str>> {
    object!(d, { observed: required "observed" = Decoder::scope });
    Ok(Some(observed))
}

struct ObservedScope<'a>(&'a str);

impl Canonical for ObservedScope<'_> {
    fn write(&self, out: &mut Writer) {
        out.begin_object();
        out.key("observed");
        out.string(self.0);
        out.end_object();
    }
}

impl Canonical for GradeContext {
    fn write(&self, out: &mut Writer) {
        out.begin_object();
        member_if(out, "attribution", self.attribution.as_ref());
        member_if(out, "modelScores", self.model_scores.as_deref());
        member(out, "priorSpendCents", &self.prior_spend_cents);
        member_if(
            out,
            "scope",
            self.scope.as_deref().map(ObservedScope).as_ref(),
        );
        out.end_object();
    }
}
