//! What grading reads in a text, read once per claim and per row (§5.1, §11).
//!
//! Words, addresses and names become numbers, so that comparing a pair costs a
//! few integer comparisons.

use std::borrow::Cow;

use smallvec::SmallVec;

use crate::model::{Cents, Claim, Currency, Feature, Instant, Interval, Observation};
use crate::policy::Policy;
use crate::text::{self, Counterparty};

use super::window::{Deadlines, claim_unit, claim_window, deadlines};
use super::words::{Word, WordSet, Words};

/// An address as pairs compare it.
#[derive(Clone, Debug)]
pub(crate) struct AddressFacts {
    pub(crate) whole: Word,
    pub(crate) domain: Word,
    /// The address without its +tag.
    pub(crate) mailbox: Word,
    pub(crate) confusable: bool,
    pub(crate) common_domain: bool,
}

fn address_facts(address: &text::Address, words: &mut Words, policy: &Policy) -> AddressFacts {
    let whole = words.number(address.as_str());
    AddressFacts {
        whole,
        domain: words.number(address.domain()),
        mailbox: match address.without_plus_tag() {
            Cow::Borrowed(_) => whole,
            Cow::Owned(mailbox) => words.number(&mailbox),
        },
        confusable: address.is_confusable(),
        common_domain: policy.is_common_domain(address.domain()),
    }
}

/// Who a claim is about.
#[derive(Clone, Debug)]
pub(crate) enum Party {
    /// Nobody that can be read.
    None,
    /// An address.
    Address(AddressFacts),
    /// A name, by its words.
    Name(WordSet),
}

/// A normalised merchant: its whole name and its words.
#[derive(Clone, Debug)]
pub(crate) struct MerchantFacts {
    pub(crate) name: Word,
    pub(crate) words: WordSet,
}

fn merchant_facts(text: Option<&str>, words: &mut Words) -> Option<MerchantFacts> {
    let name = text::merchant(text?)?;
    let tokens = words.set(&text::words(&name));
    if tokens.is_empty() {
        return None;
    }
    Some(MerchantFacts {
        name: words.number(&name),
        words: tokens,
    })
}

/// A claim, read.
#[derive(Clone, Debug)]
pub struct ClaimFacts {
    pub(crate) is_calendar: bool,
    pub(crate) unit: Interval,
    pub(crate) window: Option<Interval>,
    pub(crate) deadlines: Deadlines,
    /// What time is measured to: the unit, or a calendar claim's target.
    pub(crate) time_to: Interval,
    pub(crate) party: Party,
    pub(crate) merchant: Option<MerchantFacts>,
    pub(crate) subject: WordSet,
    pub(crate) amount: Option<Cents>,
    pub(crate) currency: Option<Currency>,
    /// The features that apply, in policy order.
    pub(crate) applicable: SmallVec<[Feature; 8]>,
    /// The sum of their weights, in basis points.
    pub(crate) total_weight: u32,
    /// No identity feature applies (§5.2).
    pub(crate) underspecified: bool,
    /// The claim is scored against observations (§4.3).
    pub(crate) assignable: bool,
    /// A receipt parser exists for what the claim names (§6.1).
    pub(crate) has_parser: bool,
}

impl ClaimFacts {
    /// Reads a claim.
    pub(crate) fn read(claim: &Claim, policy: &Policy, words: &mut Words) -> Self {
        let counterparty = claim.counterparty.as_deref();
        let party = match counterparty.map(text::counterparty) {
            Some(Ok(Counterparty::Address(address))) => {
                Party::Address(address_facts(&address, words, policy))
            }
            Some(Ok(Counterparty::Name(name))) => {
                let tokens = words.set(&text::name_tokens(name));
                if tokens.is_empty() {
                    Party::None
                } else {
                    Party::Name(tokens)
                }
            }
            Some(Err(_)) | None => Party::None,
        };
        let subject = claim
            .subject_hint
            .as_deref()
            .map(|hint| words.set(&text::subject_tokens(hint, policy.stop_words())))
            .unwrap_or_default();
        let merchant = merchant_facts(counterparty, words);
        let has_parser = counterparty
            .and_then(text::merchant)
            .is_some_and(|name| policy.has_parser(&name));

        let applies = |feature: &Feature| match feature {
            Feature::TimeProximity => true,
            Feature::CounterpartyExact | Feature::CounterpartyDomain => {
                matches!(party, Party::Address(_))
            }
            Feature::CounterpartyName => matches!(party, Party::Name(_)),
            Feature::SubjectOverlap => !subject.is_empty(),
            Feature::AmountExact => claim.amount.is_some(),
            Feature::MerchantMatch => merchant.is_some(),
            Feature::ModelScore => false,
        };
        let applicable: SmallVec<[Feature; 8]> = policy
            .features(claim.action)
            .iter()
            .copied()
            .filter(applies)
            .collect();
        let total_weight = applicable
            .iter()
            .map(|feature| policy.weight(*feature).get())
            .fold(0, u32::saturating_add);
        let identity = policy.identity_features(claim.action);
        let underspecified =
            !identity.is_empty() && !identity.iter().any(|feature| applicable.contains(feature));
        let window = claim_window(claim, policy.windows());
        let unit = claim_unit(claim);
        let target = claim.target_at.map(|target| Interval {
            from: target.instant(),
            to: target.instant(),
        });
        Self {
            is_calendar: claim.action.is_calendar(),
            unit,
            window,
            deadlines: deadlines(claim, policy.windows()),
            time_to: if claim.action.is_calendar() {
                target.unwrap_or(unit)
            } else {
                unit
            },
            party,
            merchant,
            subject,
            amount: claim.amount,
            currency: claim.currency,
            applicable,
            total_weight,
            underspecified,
            assignable: !underspecified
                && window.is_some()
                && !policy.sources(claim.action).is_empty()
                && total_weight > 0,
            has_parser,
        }
    }
}

/// An observation, read.
#[derive(Clone, Debug)]
pub(crate) struct RowFacts {
    pub(crate) occurred: Instant,
    pub(crate) observed: Instant,
    pub(crate) first_seen: Instant,
    pub(crate) address: Option<AddressFacts>,
    /// Words of the address's local part, for names (§5.1).
    pub(crate) local_words: WordSet,
    pub(crate) merchant: Option<MerchantFacts>,
    pub(crate) subject: WordSet,
    pub(crate) amount: Option<Cents>,
    pub(crate) currency: Option<Currency>,
}

impl RowFacts {
    /// Reads an observation. Its counterparty is read through `email()` alone:
    /// a display name is the sender's to choose and is never compared (§5.1).
    pub(crate) fn read(row: &Observation, policy: &Policy, words: &mut Words) -> Self {
        let address = row.counterparty.as_deref().and_then(text::email);
        Self {
            occurred: row.occurred_at.instant(),
            observed: row.observed_at.instant(),
            first_seen: row.first_seen_at().instant(),
            local_words: address
                .as_ref()
                .map(|address| words.set(&address.local_part_tokens()))
                .unwrap_or_default(),
            address: address.map(|address| address_facts(&address, words, policy)),
            merchant: merchant_facts(row.merchant.as_deref(), words),
            subject: row
                .subject_hint
                .as_deref()
                .map(|hint| words.set(&text::subject_tokens(hint, policy.stop_words())))
                .unwrap_or_default(),
            amount: row.amount,
            currency: row.currency,
        }
    }
}
