//! One plain English sentence per reason (§15), for people. Ids, numbers and
//! enum values only, as the parameters are; every `unasked.*` says "likely".

use crate::model::reason::Params;
use crate::model::{AgentId, OverrideGrade, Reason, ReasonCode, Source};

/// What a reason says. `claimed` is whether the receipt is a claim's: a
/// person's word on an UNASKED receipt is about whether an agent did it (§8).
#[must_use]
pub fn reason_text(reason: &Reason, claimed: bool) -> String {
    use ReasonCode as C;
    let source = || source_of(reason.params());
    match (reason.code(), reason.params()) {
        (C::MatchBest, Params::Observation { observation_id }) => {
            format!("The best candidate is observation {observation_id}.")
        }
        (C::MatchBest, _) => "There is a best candidate.".to_owned(),
        (C::MatchNone, _) => "There was no candidate to score.".to_owned(),
        (C::CpPlusTag, _) => {
            "The addresses differ only by a +tag, which does not make them the same.".to_owned()
        }
        (C::CpConfusable, _) => {
            "The addresses are not identical, and one of them could be a look-alike of the other."
                .to_owned()
        }
        (C::CpNonAscii, _) => {
            "The addresses are identical, and hold characters that have look-alikes.".to_owned()
        }
        (C::ClaimTooVague, _) => {
            "The claim names nothing that could tell one action from another.".to_owned()
        }
        (C::ClaimNoTarget, _) => {
            "The claim does not say when its calendar event takes place.".to_owned()
        }
        (C::CoverageNone, Params::Source { .. }) => {
            format!("{} was not looked at over the claim's window.", source())
        }
        (C::CoverageNone, _) => "No source shows this kind of action.".to_owned(),
        (C::CoveragePartial, Params::Source { .. }) => {
            format!("{} was not seen whole over the claim's window.", source())
        }
        (C::CoveragePartial, _) => "The claim's window was not seen whole.".to_owned(),
        (C::CoverageAccountUnbound, _) => format!(
            "The grant names no account for {}, so the action may be in an account that was not seen.",
            source()
        ),
        (C::CoverageCalendarsHidden, _) => {
            format!("A view of {} did not show every calendar.", source())
        }
        (C::CoverageChangesUnfollowed, _) => format!(
            "A view of {} was read too soon after the claim to show that nothing was created.",
            source()
        ),
        (C::CoverageChangeUnprovable, _) => format!(
            "Views of {} can never show that a change was not made.",
            source()
        ),
        (C::CoverageClockRepaired, _) => format!(
            "The clock was wrong around the claim, so {} cannot show what was new then.",
            source()
        ),
        (C::CoverageListUnsettled, _) => format!(
            "A view of {} was read too soon after the claim for the list to be settled.",
            source()
        ),
        (C::CoverageAccountPartial, _) => format!(
            "Only the views of several accounts of {} together show the claim's whole window.",
            source()
        ),
        (C::CoverageMultipleAccounts, _) => format!(
            "{} was seen with more than one account, and the grant names none.",
            source()
        ),
        (C::CoverageNoAccount, _) => {
            format!(
                "A view of {} does not say whose account it shows.",
                source()
            )
        }
        (C::CoverageNoParser, _) => {
            format!("Receipts of this merchant cannot be read in {}.", source())
        }
        (C::CoverageNeverCompleted, _) => {
            "The wait for a complete view ended without an answer.".to_owned()
        }
        (C::GraceWaiting, _) => format!(
            "{} has not been looked at since the claim's grace ended.",
            source()
        ),
        (C::ScopeTypeNotAllowed, Params::Type { action }) => {
            format!("The grant does not allow {action}.")
        }
        (C::ScopeTypeNotAllowed, _) => "The grant does not allow the action.".to_owned(),
        (C::ScopeCounterpartyNotAllowed, _) => {
            "The counterparty is not on the grant's allowlist.".to_owned()
        }
        (C::AllowlistUnchecked, _) => {
            "No address is known, so the grant's allowlist could not be checked.".to_owned()
        }
        (
            C::CeilingExceeded,
            Params::Ceiling {
                amount_cents,
                ceiling_cents,
            },
        ) => format!(
            "The amount of {amount_cents} is above the ceiling of {ceiling_cents}, in the currency's smallest unit."
        ),
        (C::CeilingExceeded, _) => "The amount is above the ceiling.".to_owned(),
        (
            C::CeilingCumulativeExceeded,
            Params::Cumulative {
                prior_spend_cents,
                amount_cents,
                ceiling_cents,
            },
        ) => format!(
            "Earlier spending of {prior_spend_cents} and this {amount_cents} are together above the ceiling of {ceiling_cents}, in the currency's smallest unit."
        ),
        (C::CeilingCumulativeExceeded, _) => {
            "Together with earlier spending the amount is above the ceiling.".to_owned()
        }
        (
            C::CeilingCurrencyMismatch,
            Params::Currencies {
                currency,
                spend_currency,
            },
        ) => format!("An amount is in {currency}, and the ceiling is in {spend_currency}."),
        (C::CeilingCurrencyMismatch, _) => "An amount is not in the ceiling's currency.".to_owned(),
        (C::ScopeObservedNotDeclared, Params::Scope { scope_hash }) => {
            format!("The agent holds a permission that was not declared, with hash {scope_hash}.")
        }
        (C::ScopeObservedNotDeclared, _) => {
            "The agent holds a permission that was not declared.".to_owned()
        }
        (C::UnaskedSession, params) => {
            format!("{} likely did it: a session of it was near.", agent(params))
        }
        (C::UnaskedIdle, params) => {
            format!(
                "{} likely did it: you were away just before.",
                agent(params)
            )
        }
        (C::UnaskedSignature, params) => {
            format!(
                "{} likely did it: the subject holds its signature.",
                agent(params)
            )
        }
        (C::UnaskedAdjacent, params) => format!(
            "{} likely did it: an entry of its log was near, and no claim of it explains that entry.",
            agent(params)
        ),
        (C::OverrideUser, Params::Grade { grade }) => override_text(*grade, claimed).to_owned(),
        (C::OverrideUser, _) => "You decided otherwise.".to_owned(),
        (C::Superseded, Params::Claim { claim_id }) => {
            format!("Claim {claim_id} explains the action after all.")
        }
        (C::Superseded, _) => "A claim explains the action after all.".to_owned(),
    }
}

/// What a person's word means on a claim's receipt, and on one that nobody
/// claimed (§8).
const fn override_text(grade: OverrideGrade, claimed: bool) -> &'static str {
    match (grade, claimed) {
        (OverrideGrade::Verified, true) => "You said that it happened.",
        (OverrideGrade::NotFound, true) => "You said that it did not happen.",
        (OverrideGrade::Verified, false) => "You said that an agent did it.",
        (OverrideGrade::NotFound, false) => "You said that no agent did it.",
    }
}

/// A source as a sentence names it.
#[must_use]
pub const fn source_text(source: Source) -> &'static str {
    match source {
        Source::GmailSent => "Gmail's Sent list",
        Source::GcalEvent => "Google Calendar",
        Source::GmailReceipt => "Gmail's receipt mail",
    }
}

fn source_of(params: &Params) -> &'static str {
    match params {
        Params::Source { source } => source_text(*source),
        _ => "its source",
    }
}

/// The agent of the parameters. Its own constructor gives one to every
/// `unasked.*`.
const fn agent(params: &Params) -> &'static str {
    match params {
        Params::Agent { agent } => agent_text(*agent),
        _ => "An agent",
    }
}

const fn agent_text(agent: AgentId) -> &'static str {
    agent.as_str()
}

#[cfg(test)]
mod tests {
    use attest_canon::{Digest, Id, sha256};

    use super::*;
    use crate::model::{ActionType, Currency};

    fn every_params() -> Vec<Params> {
        let id = Id::from_digest(&sha256(b"x"));
        let currency = |text| Currency::parse(text).unwrap();
        let mut all = vec![
            Params::None,
            Params::Observation { observation_id: id },
            Params::Type {
                action: ActionType::PurchaseMade,
            },
            Params::Ceiling {
                amount_cents: 6001,
                ceiling_cents: 5002,
            },
            Params::Cumulative {
                prior_spend_cents: 4003,
                amount_cents: 6001,
                ceiling_cents: 5002,
            },
            Params::Currencies {
                currency: currency("EUR"),
                spend_currency: currency("USD"),
            },
            Params::Scope {
                scope_hash: Digest::from_bytes([7; 32]),
            },
            Params::Claim { claim_id: id },
        ];
        all.extend(
            Source::ALL
                .iter()
                .map(|source| Params::Source { source: *source }),
        );
        all.extend(
            AgentId::ALL
                .iter()
                .map(|agent| Params::Agent { agent: *agent }),
        );
        for grade in OverrideGrade::ALL {
            all.push(Params::Grade { grade: *grade });
        }
        all
    }

    /// Every reason that can exist, from every code with every parameter it takes.
    fn every_reason() -> Vec<Reason> {
        let params = every_params();
        ReasonCode::ALL
            .iter()
            .flat_map(|code| {
                params
                    .iter()
                    .filter_map(|one| Reason::new(*code, one.clone()))
            })
            .collect()
    }

    #[test]
    fn every_reason_is_one_sentence() {
        let reasons = every_reason();
        for code in ReasonCode::ALL {
            assert!(
                reasons.iter().any(|reason| reason.code() == *code),
                "{code}"
            );
        }
        for reason in &reasons {
            for claimed in [true, false] {
                let text = reason_text(reason, claimed);
                assert!(text.ends_with('.') && !text.contains('\n'), "{text}");
                assert!(text.chars().all(crate::text::is_plain), "{text}");
            }
        }
    }

    #[test]
    fn an_agent_is_never_more_than_likely() {
        for reason in every_reason() {
            let unasked = reason.code().as_str().starts_with("unasked.");
            let text = reason_text(&reason, false);
            assert_eq!(text.contains("likely"), unasked, "{text}");
        }
    }

    #[test]
    fn parameters_are_said() {
        let id = Id::from_digest(&sha256(b"x")).to_string();
        for (code, holds) in [
            (ReasonCode::MatchBest, vec![id.as_str()]),
            (ReasonCode::Superseded, vec![id.as_str()]),
            (ReasonCode::ScopeTypeNotAllowed, vec!["purchase.made"]),
            (ReasonCode::CeilingExceeded, vec!["6001", "5002"]),
            (
                ReasonCode::CeilingCumulativeExceeded,
                vec!["4003", "6001", "5002"],
            ),
            (ReasonCode::CeilingCurrencyMismatch, vec!["EUR", "USD"]),
            (
                ReasonCode::ScopeObservedNotDeclared,
                vec!["0707070707070707070707070707070707070707070707070707070707070707"],
            ),
        ] {
            let found = every_reason()
                .into_iter()
                .find(|reason| reason.code() == code);
            let text = reason_text(&found.unwrap(), true);
            assert!(holds.iter().all(|part| text.contains(part)), "{text}");
        }
    }

    /// The two words of a person differ with what they are about (§8).
    #[test]
    fn a_persons_word_depends_on_the_subject() {
        let said = |grade, claimed| {
            let reason = Reason::new(ReasonCode::OverrideUser, Params::Grade { grade }).unwrap();
            reason_text(&reason, claimed)
        };
        assert_eq!(
            said(OverrideGrade::Verified, true),
            "You said that it happened."
        );
        assert_eq!(
            said(OverrideGrade::NotFound, true),
            "You said that it did not happen."
        );
        assert_eq!(
            said(OverrideGrade::Verified, false),
            "You said that an agent did it."
        );
        assert_eq!(
            said(OverrideGrade::NotFound, false),
            "You said that no agent did it."
        );
    }
}
