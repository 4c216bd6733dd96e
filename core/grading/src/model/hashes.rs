//! What binds a receipt to its inputs, and the ids of receipts (§3, supplement
//! C and I). Set-like arrays are hashed sorted and without duplicates.

use attest_canon::jcs::{Writer, utf16_order};
use attest_canon::{Digest, Id, sha256};

use super::canonical::{Canonical, canonical_text, member, member_if};
use super::claim::Claim;
use super::closed::AgentId;
use super::context::GradeContext;
use super::coverage::Coverage;
use super::grant::Grant;
use super::observation::Observation;

fn hash(value: &impl Canonical) -> Digest {
    sha256(canonical_text(value).as_bytes())
}

/// The canonical texts of a set's members, in one buffer: sorted by UTF-16 code
/// units, each once (supplement C).
struct AsSet {
    text: String,
    /// Where each member's text stands.
    members: Vec<core::ops::Range<usize>>,
}

impl AsSet {
    fn of<T: Canonical>(members: &[T]) -> Self {
        let mut out = Writer::new();
        let mut places = Vec::with_capacity(members.len());
        for member in members {
            let start = out.text().len();
            member.write(&mut out);
            places.push(start..out.text().len());
        }
        let text = out.into_text();
        let at = |place: &core::ops::Range<usize>| text.get(place.clone()).unwrap_or_default();
        if text.is_ascii() {
            // Then bytes stand in the order of their code units.
            places.sort_unstable_by(|a, b| at(a).cmp(at(b)));
        } else {
            places.sort_unstable_by(|a, b| utf16_order(at(a), at(b)));
        }
        places.dedup_by(|a, b| at(a) == at(b));
        Self {
            members: places,
            text,
        }
    }
}

impl Canonical for AsSet {
    fn write(&self, out: &mut Writer) {
        out.begin_array();
        for place in &self.members {
            out.element();
            out.canonical(self.text.get(place.clone()).unwrap_or_default());
        }
        out.end_array();
    }
}

struct CoverageSets<'a>(&'a Coverage);

impl Canonical for CoverageSets<'_> {
    fn write(&self, out: &mut Writer) {
        out.begin_object();
        member(out, "evaluatedAt", &self.0.evaluated_at);
        member(out, "observers", &AsSet::of(&self.0.observers));
        if !self.0.repairs.is_empty() {
            member(out, "repairs", &AsSet::of(&self.0.repairs));
        }
        out.end_object();
    }
}

/// `coverageHash`.
#[must_use]
pub fn coverage_hash(coverage: &Coverage) -> Digest {
    hash(&CoverageSets(coverage))
}

struct GrantSets<'a>(&'a Grant);

impl Canonical for GrantSets<'_> {
    fn write(&self, out: &mut Writer) {
        let grant = self.0;
        out.begin_object();
        if let Some(accounts) = &grant.accounts {
            let mut sources: Vec<_> = accounts.iter().collect();
            sources.sort_by_key(|(source, _)| source.as_str());
            out.key("accounts");
            out.begin_object();
            for (source, list) in sources {
                member(out, source.as_str(), &AsSet::of(list));
            }
            out.end_object();
        }
        member(out, "agent", &grant.agent);
        member(out, "allowedTypes", &AsSet::of(&grant.allowed_types));
        member(
            out,
            "counterpartyAllowlist",
            &AsSet::of(&grant.counterparty_allowlist),
        );
        member(out, "declaredScopes", &AsSet::of(&grant.declared_scopes));
        member(out, "observedScopes", &AsSet::of(&grant.observed_scopes));
        member_if(out, "spendCeilingCents", grant.spend_ceiling.as_ref());
        member_if(out, "spendCurrency", grant.spend_currency.as_ref());
        member(out, "updatedAt", &grant.updated_at);
        out.end_object();
    }
}

/// `grantHash`.
#[must_use]
pub fn grant_hash(grant: &Grant) -> Digest {
    hash(&GrantSets(grant))
}

struct Reference<'a>(&'a Observation);

impl Canonical for Reference<'_> {
    fn write(&self, out: &mut Writer) {
        let row = self.0;
        out.begin_object();
        member(out, "contentHash", &row.content_hash);
        member(out, "id", &row.id);
        member(out, "observedAt", &row.observed_at);
        member_if(out, "sightedAt", row.sighted_at.as_ref());
        out.end_object();
    }
}

/// `refHash`: one observation as `candidatesHash` binds it. The latter is the
/// hash of these, joined in id order.
#[must_use]
pub fn ref_hash(observation: &Observation) -> Digest {
    hash(&Reference(observation))
}

struct Inputs<'a> {
    claim: Option<&'a Claim>,
    candidates: Digest,
    grant: Digest,
    policy: Digest,
    coverage: Digest,
    context: &'a GradeContext,
}

impl Canonical for Inputs<'_> {
    fn write(&self, out: &mut Writer) {
        out.begin_object();
        member(out, "candidatesHash", &self.candidates);
        out.key("claim");
        match self.claim {
            Some(claim) => claim.write(out),
            None => out.canonical("null"),
        }
        member(out, "context", self.context);
        member(out, "coverageHash", &self.coverage);
        member(out, "grantHash", &self.grant);
        member(out, "policyHash", &self.policy);
        out.end_object();
    }
}

/// `inputsHash`: everything a grade reads.
#[must_use]
pub fn inputs_hash(
    claim: Option<&Claim>,
    candidates: Digest,
    grant: Digest,
    policy: Digest,
    coverage: Digest,
    context: &GradeContext,
) -> Digest {
    hash(&Inputs {
        claim,
        candidates,
        grant,
        policy,
        coverage,
        context,
    })
}

/// Hashes the key object that names a receipt's subject.
fn receipt_id(write: impl FnOnce(&mut Writer)) -> Id {
    let mut out = Writer::new();
    out.begin_object();
    write(&mut out);
    out.end_object();
    Id::from_digest(&sha256(out.text().as_bytes()))
}

/// The id of a claim's receipt.
#[must_use]
pub fn claim_receipt_id(claim_id: Id) -> Id {
    receipt_id(|out| {
        member(out, "claimId", &claim_id);
        out.key("k");
        out.string("claim");
    })
}

/// The id of an UNASKED receipt.
#[must_use]
pub fn unasked_receipt_id(observation_id: Id) -> Id {
    receipt_id(|out| {
        out.key("k");
        out.string("unasked");
        member(out, "observationId", &observation_id);
    })
}

/// The id of a scope's receipt.
#[must_use]
pub fn scope_receipt_id(agent: AgentId, scope: &str) -> Id {
    receipt_id(|out| {
        member(out, "agent", &agent);
        out.key("k");
        out.string("scope");
        out.key("scope");
        out.string(scope);
    })
}
