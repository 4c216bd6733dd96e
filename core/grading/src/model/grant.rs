//! A grant: what a person allows an agent.

use std::collections::BTreeMap;

use attest_canon::Digest;
use attest_canon::jcs::Writer;

use super::canonical::{Canonical, member, member_if};
use super::closed::{ActionType, AgentId, Source};
use super::decode::{Decoder, Read, object};
use super::primitives::{Cents, Currency};
use super::problem::ProblemKind;
use super::time::IsoTs;

/// The accounts a grant binds, per source.
pub type Accounts = BTreeMap<Source, Vec<Digest>>;

/// One grant (supplement D). Lists keep their stored order; hashing sorts them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Grant {
    /// Whom it is for.
    pub agent: AgentId,
    /// Actions allowed.
    pub allowed_types: Vec<ActionType>,
    /// Addresses and domains allowed; empty allows any.
    pub counterparty_allowlist: Vec<Box<str>>,
    /// Most that may be spent, in cents of `spend_currency`.
    pub spend_ceiling: Option<Cents>,
    /// The ceiling's currency; there whenever a ceiling is.
    pub spend_currency: Option<Currency>,
    /// Permissions the person declared.
    pub declared_scopes: Vec<Box<str>>,
    /// Permissions the agent was seen to hold.
    pub observed_scopes: Vec<Box<str>>,
    /// The accounts the agent acts in, per source; absent and empty differ only
    /// in the hash, but a source with an empty list binds no account at all
    /// (readings 41).
    pub accounts: Option<Accounts>,
    /// Since when it is in force.
    pub updated_at: IsoTs,
}

impl Grant {
    /// Reads a grant.
    pub fn decode(d: &mut Decoder<'_>) -> Read<Self> {
        object!(d, {
            agent: required "agent" = Decoder::agent,
            allowed_types: required "allowedTypes" = |d: &mut Decoder<'_>| d.any_list(Decoder::action),
            counterparty_allowlist: required "counterpartyAllowlist" = |d: &mut Decoder<'_>| d.any_list(Decoder::scope),
            spend_ceiling: optional "spendCeilingCents" = Decoder::cents,
            spend_currency: optional "spendCurrency" = Decoder::currency,
            declared_scopes: required "declaredScopes" = |d: &mut Decoder<'_>| d.any_list(Decoder::scope),
            observed_scopes: required "observedScopes" = |d: &mut Decoder<'_>| d.any_list(Decoder::scope),
            accounts: optional "accounts" = decode_accounts,
            updated_at: required "updatedAt" = Decoder::instant,
        });
        if spend_ceiling.is_some() && spend_currency.is_none() {
            d.note_member("spendCurrency", ProblemKind::Missing);
            return Ok(None);
        }
        Ok(Some(Self {
            agent,
            allowed_types,
            counterparty_allowlist,
            spend_ceiling,
            spend_currency,
            declared_scopes,
            observed_scopes,
            accounts,
            updated_at,
        }))
    }

    /// The accounts bound for a source: `None` when it is not set.
    #[must_use]
    pub fn bound_accounts(&self, source: Source) -> Option<&[Digest]> {
        self.accounts.as_ref()?.get(&source).map(Vec::as_slice)
    }
}

/// Reads an object of account lists, one per source.
pub(crate) fn decode_accounts(d: &mut Decoder<'_>) -> Read<Accounts> {
    let mut accounts = Accounts::new();
    let read = d.map(|d, key| {
        let Some(source) = Source::parse(key) else {
            d.unknown_member()?;
            return Ok(None);
        };
        let Some(list) = d.any_list(Decoder::digest)? else {
            return Ok(None);
        };
        accounts.insert(source, list);
        Ok(Some(()))
    })?;
    Ok(read.map(|()| accounts))
}

impl Canonical for Accounts {
    fn write(&self, out: &mut Writer) {
        // Keys by their text, which is not the order of the closed set.
        let mut sources: Vec<_> = self.iter().collect();
        sources.sort_by_key(|(source, _)| source.as_str());
        out.begin_object();
        for (source, list) in sources {
            member(out, source.as_str(), list.as_slice());
        }
        out.end_object();
    }
}

impl Canonical for Grant {
    fn write(&self, out: &mut Writer) {
        out.begin_object();
        member_if(out, "accounts", self.accounts.as_ref());
        member(out, "agent", &self.agent);
        member(out, "allowedTypes", self.allowed_types.as_slice());
        member(
            out,
            "counterpartyAllowlist",
            self.counterparty_allowlist.as_slice(),
        );
        member(out, "declaredScopes", self.declared_scopes.as_slice());
        member(out, "observedScopes", self.observed_scopes.as_slice());
        member_if(out, "spendCeilingCents", self.spend_ceiling.as_ref());
        member_if(out, "spendCurrency", self.spend_currency.as_ref());
        member(out, "updatedAt", &self.updated_at);
        out.end_object();
    }
}
