//! Reasons: a code of §15 and its closed parameters. Ids, instants, numbers
//! and enum values only, so a reason can never carry an address or a subject.

use attest_canon::jcs::Writer;
use attest_canon::{Digest, Id};

use super::canonical::{Canonical, member};
use super::closed::{ActionType, AgentId, OverrideGrade, ReasonCode, Source};
use super::decode::{Decoder, Read, Slot, member_of};
use super::primitives::Currency;
use super::problem::ProblemKind;

/// One reason of a receipt. Made by its constructors, so that the parameters
/// are always those of the code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reason {
    code: ReasonCode,
    params: Params,
}

/// The parameters of a reason (§15, "Params per code").
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Params {
    /// None.
    None,
    /// `{observationId}`
    Observation {
        /// The best candidate.
        observation_id: Id,
    },
    /// `{source}`
    Source {
        /// The source meant.
        source: Source,
    },
    /// `{type}`
    Type {
        /// The type not allowed.
        action: ActionType,
    },
    /// `{amountCents, ceilingCents}`
    Ceiling {
        /// The Amount of §6.1, in cents.
        amount_cents: i64,
        /// The ceiling, in cents.
        ceiling_cents: i64,
    },
    /// `{priorSpendCents, amountCents, ceilingCents}`
    Cumulative {
        /// Earlier spend that counts, in cents.
        prior_spend_cents: i64,
        /// The claim's amount, in cents.
        amount_cents: i64,
        /// The ceiling, in cents.
        ceiling_cents: i64,
    },
    /// `{currency, spendCurrency}`
    Currencies {
        /// The currency that differs.
        currency: Currency,
        /// The ceiling's currency.
        spend_currency: Currency,
    },
    /// `{scopeHash}`
    Scope {
        /// SHA-256 of the observed scope's text.
        scope_hash: Digest,
    },
    /// `{agent}`
    Agent {
        /// The likely agent.
        agent: AgentId,
    },
    /// `{grade}`
    Grade {
        /// The override's grade.
        grade: OverrideGrade,
    },
    /// `{claimId}`
    Claim {
        /// The claim that explains the action.
        claim_id: Id,
    },
}

/// Which parameters a code takes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    None,
    Observation,
    /// `{source}`, or no params for a type with no sources.
    Source,
    Type,
    Ceiling,
    Cumulative,
    Currencies,
    Scope,
    Agent,
    Grade,
    Claim,
}

const fn shape(code: ReasonCode) -> Shape {
    use ReasonCode as C;
    match code {
        C::MatchNone
        | C::CpPlusTag
        | C::CpConfusable
        | C::CpNonAscii
        | C::ClaimTooVague
        | C::ClaimNoTarget
        | C::CoverageNeverCompleted
        | C::ScopeCounterpartyNotAllowed
        | C::AllowlistUnchecked => Shape::None,
        C::MatchBest => Shape::Observation,
        C::CoverageNone
        | C::CoveragePartial
        | C::CoverageAccountUnbound
        | C::CoverageCalendarsHidden
        | C::CoverageChangesUnfollowed
        | C::CoverageChangeUnprovable
        | C::CoverageClockRepaired
        | C::CoverageListUnsettled
        | C::CoverageAccountPartial
        | C::CoverageMultipleAccounts
        | C::CoverageNoAccount
        | C::CoverageNoParser
        | C::GraceWaiting => Shape::Source,
        C::ScopeTypeNotAllowed => Shape::Type,
        C::CeilingExceeded => Shape::Ceiling,
        C::CeilingCumulativeExceeded => Shape::Cumulative,
        C::CeilingCurrencyMismatch => Shape::Currencies,
        C::ScopeObservedNotDeclared => Shape::Scope,
        C::UnaskedSession | C::UnaskedIdle | C::UnaskedSignature | C::UnaskedAdjacent => {
            Shape::Agent
        }
        C::OverrideUser => Shape::Grade,
        C::Superseded => Shape::Claim,
    }
}

impl Params {
    fn fits(&self, shape: Shape) -> bool {
        match self {
            Self::None => matches!(shape, Shape::None | Shape::Source),
            Self::Observation { .. } => shape == Shape::Observation,
            Self::Source { .. } => shape == Shape::Source,
            Self::Type { .. } => shape == Shape::Type,
            Self::Ceiling { .. } => shape == Shape::Ceiling,
            Self::Cumulative { .. } => shape == Shape::Cumulative,
            Self::Currencies { .. } => shape == Shape::Currencies,
            Self::Scope { .. } => shape == Shape::Scope,
            Self::Agent { .. } => shape == Shape::Agent,
            Self::Grade { .. } => shape == Shape::Grade,
            Self::Claim { .. } => shape == Shape::Claim,
        }
    }
}

impl Reason {
    /// A reason, when these are the parameters of its code.
    #[must_use]
    pub fn new(code: ReasonCode, params: Params) -> Option<Self> {
        params.fits(shape(code)).then_some(Self { code, params })
    }

    /// The code.
    #[must_use]
    pub const fn code(&self) -> ReasonCode {
        self.code
    }

    /// The parameters.
    #[must_use]
    pub const fn params(&self) -> &Params {
        &self.params
    }

    /// Reads a reason.
    pub fn decode(d: &mut Decoder<'_>) -> Read<Self> {
        super::decode::object!(d, {
            code: required "code" = member_of!(ReasonCode, "a known reason code"),
            params: optional "params" = decode_params,
        });
        let params = params.unwrap_or(Params::None);
        let reason = Self::new(code, params);
        if reason.is_none() {
            d.note_member("params", ProblemKind::MustBe("the parameters of the code"));
        }
        Ok(reason)
    }
}

/// Reads the members a parameter object has and finds the one shape they make.
fn decode_params(d: &mut Decoder<'_>) -> Read<Params> {
    let mut observation_id = Slot::Absent;
    let mut the_source = Slot::Absent;
    let mut action = Slot::Absent;
    let mut amount = Slot::Absent;
    let mut ceiling = Slot::Absent;
    let mut prior = Slot::Absent;
    let mut currency = Slot::Absent;
    let mut spend_currency = Slot::Absent;
    let mut scope_hash = Slot::Absent;
    let mut the_agent = Slot::Absent;
    let mut grade = Slot::Absent;
    let mut claim_id = Slot::Absent;
    if d.begin_object()?.is_none() {
        return Ok(None);
    }
    let mut members = 0usize;
    while let Some(key) = d.reader().next_key()? {
        members = members.saturating_add(1);
        match key.as_ref() {
            "observationId" => observation_id.fill(d, Decoder::id)?,
            "source" => the_source.fill(d, Decoder::source)?,
            "type" => action.fill(d, Decoder::action)?,
            "amountCents" => amount.fill(d, Decoder::natural)?,
            "ceilingCents" => ceiling.fill(d, Decoder::natural)?,
            "priorSpendCents" => prior.fill(d, Decoder::natural)?,
            "currency" => currency.fill(d, Decoder::currency)?,
            "spendCurrency" => spend_currency.fill(d, Decoder::currency)?,
            "scopeHash" => scope_hash.fill(d, Decoder::digest)?,
            "agent" => the_agent.fill(d, Decoder::agent)?,
            "grade" => grade.fill(d, member_of!(OverrideGrade, "VERIFIED or NOT_FOUND"))?,
            "claimId" => claim_id.fill(d, Decoder::id)?,
            _ => d.unknown_member()?,
        }
    }
    use Slot::Good;
    let (params, expected) = match (amount, ceiling, prior) {
        (Good(amount_cents), Good(ceiling_cents), Good(prior_spend_cents)) => (
            Params::Cumulative {
                prior_spend_cents,
                amount_cents,
                ceiling_cents,
            },
            3,
        ),
        (Good(amount_cents), Good(ceiling_cents), _) => (
            Params::Ceiling {
                amount_cents,
                ceiling_cents,
            },
            2,
        ),
        _ => match (currency, spend_currency) {
            (Good(currency), Good(spend_currency)) => (
                Params::Currencies {
                    currency,
                    spend_currency,
                },
                2,
            ),
            _ => {
                let one = observation_id
                    .into_params(|observation_id| Params::Observation { observation_id })
                    .or_else(|| the_source.into_params(|source| Params::Source { source }))
                    .or_else(|| action.into_params(|action| Params::Type { action }))
                    .or_else(|| scope_hash.into_params(|scope_hash| Params::Scope { scope_hash }))
                    .or_else(|| the_agent.into_params(|agent| Params::Agent { agent }))
                    .or_else(|| grade.into_params(|grade| Params::Grade { grade }))
                    .or_else(|| claim_id.into_params(|claim_id| Params::Claim { claim_id }));
                (one.unwrap_or(Params::None), 1)
            }
        },
    };
    if params == Params::None || members != expected {
        d.note(ProblemKind::MustBe("the parameters of the code"));
        return Ok(None);
    }
    Ok(Some(params))
}

impl<T> Slot<T> {
    fn into_params(self, make: impl FnOnce(T) -> Params) -> Option<Params> {
        match self {
            Self::Good(value) => Some(make(value)),
            _ => None,
        }
    }
}

impl Canonical for Params {
    fn write(&self, out: &mut Writer) {
        out.begin_object();
        match self {
            Self::None => {}
            Self::Observation { observation_id } => member(out, "observationId", observation_id),
            Self::Source { source } => member(out, "source", source),
            Self::Type { action } => member(out, "type", action),
            Self::Ceiling {
                amount_cents,
                ceiling_cents,
            } => {
                member(out, "amountCents", amount_cents);
                member(out, "ceilingCents", ceiling_cents);
            }
            Self::Cumulative {
                prior_spend_cents,
                amount_cents,
                ceiling_cents,
            } => {
                member(out, "amountCents", amount_cents);
                member(out, "ceilingCents", ceiling_cents);
                member(out, "priorSpendCents", prior_spend_cents);
            }
            Self::Currencies {
                currency,
                spend_currency,
            } => {
                member(out, "currency", currency);
                member(out, "spendCurrency", spend_currency);
            }
            Self::Scope { scope_hash } => member(out, "scopeHash", scope_hash),
            Self::Agent { agent } => member(out, "agent", agent),
            Self::Grade { grade } => member(out, "grade", grade),
            Self::Claim { claim_id } => member(out, "claimId", claim_id),
        }
        out.end_object();
    }
}

impl Canonical for Reason {
    fn write(&self, out: &mut Writer) {
        out.begin_object();
        member(out, "code", &self.code);
        if self.params != Params::None {
            member(out, "params", &self.params);
        }
        out.end_object();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::canonical_text;

    #[test]
    fn reads_and_writes_every_shape() {
        let id = "0".repeat(26);
        let hash = "0".repeat(64);
        for text in [
            r#"{"code":"match.none"}"#.to_owned(),
            format!(r#"{{"code":"match.best","params":{{"observationId":"{id}"}}}}"#),
            r#"{"code":"coverage.none"}"#.to_owned(),
            r#"{"code":"coverage.none","params":{"source":"gmail.sent"}}"#.to_owned(),
            r#"{"code":"scope.type_not_allowed","params":{"type":"other"}}"#.to_owned(),
            r#"{"code":"ceiling.exceeded","params":{"amountCents":2,"ceilingCents":1}}"#.to_owned(),
            r#"{"code":"ceiling.cumulative_exceeded","params":{"amountCents":2,"ceilingCents":1,"priorSpendCents":0}}"#
                .to_owned(),
            r#"{"code":"ceiling.currency_mismatch","params":{"currency":"EUR","spendCurrency":"USD"}}"#.to_owned(),
            format!(r#"{{"code":"scope.observed_not_declared","params":{{"scopeHash":"{hash}"}}}}"#),
            r#"{"code":"unasked.idle","params":{"agent":"muse"}}"#.to_owned(),
            r#"{"code":"override.user","params":{"grade":"VERIFIED"}}"#.to_owned(),
            format!(r#"{{"code":"superseded","params":{{"claimId":"{id}"}}}}"#),
        ] {
            let reason = Decoder::read_document(&text, Reason::decode).expect(&text);
            assert_eq!(canonical_text(&reason), text);
        }
    }

    #[test]
    fn refuses_parameters_of_another_code() {
        for text in [
            r#"{"code":"match.none","params":{}}"#,
            r#"{"code":"match.none","params":{"source":"gmail.sent"}}"#,
            r#"{"code":"match.best"}"#,
            r#"{"code":"match.best","params":{"source":"gmail.sent"}}"#,
            r#"{"code":"coverage.none","params":{"source":"gmail.sent","agent":"muse"}}"#,
            r#"{"code":"ceiling.exceeded","params":{"amountCents":2}}"#,
            r#"{"code":"ceiling.exceeded","params":{"amountCents":-2,"ceilingCents":1}}"#,
            r#"{"code":"match.other"}"#,
            r#"{"code":"unasked.idle","params":{"agent":"muse","to":"x"}}"#,
        ] {
            assert!(
                Decoder::read_document(text, Reason::decode).is_err(),
                "{text}"
            );
        }
    }
}
