//! Claims (§7.3).

use attest_canon::jcs::Writer;

use super::{Result, surface};
use crate::document::{id, need, references, tokens, write_refs};
use crate::grammar::{Id, Ref, Surface};
use crate::json::{Fault, Strict};
use crate::limits::Meter;

tokens! {
    /// What a claim says.
    ClaimKind {
        /// Something is there.
        PositivePresence = "positive_presence",
        /// Something is not there, within a window.
        BoundedNegative = "bounded_negative",
        /// Everything is there.
        ExhaustiveSet = "exhaustive_set",
    }
}

tokens! {
    /// Whether a claim stands.
    Decision {
        /// It stands.
        Supported = "supported",
        /// Not fully.
        Degraded = "degraded",
        /// It does not.
        Blocked = "blocked",
    }
}

/// A surface-scoped claim.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    /// Its id.
    pub id: Id,
    /// What it says.
    pub kind: ClaimKind,
    /// On which surface.
    pub surface: Surface,
    /// The CAP-1 stratum it cites.
    pub stratum: Id,
    /// The join it rests on.
    pub proposition: Id,
    /// Its evidence.
    pub evidence_refs: Vec<Ref>,
    /// Whether it stands.
    pub decision: Decision,
}

pub(super) fn read_claim(reader: &mut Strict<'_>, meter: &mut Meter) -> Result<Claim> {
    let (mut claim_id, mut kind, mut name, mut stratum) = (None, None, None, None);
    let (mut proposition, mut evidence_refs, mut decision) = (None, None, None);
    reader.object(|reader, key| {
        match key {
            "id" => claim_id = Some(id(reader)?),
            "kind" => kind = Some(ClaimKind::read(reader)?),
            "surface" => name = Some(surface(reader)?),
            "stratum" => stratum = Some(id(reader)?),
            "proposition" => proposition = Some(id(reader)?),
            "evidence_refs" => evidence_refs = Some(references(reader, meter)?),
            "decision" => decision = Some(Decision::read(reader)?),
            _ => return Err(Fault::Shape),
        }
        Ok(())
    })?;
    Ok(Claim {
        id: need(claim_id)?,
        kind: need(kind)?,
        surface: need(name)?,
        stratum: need(stratum)?,
        proposition: need(proposition)?,
        evidence_refs: need(evidence_refs)?,
        decision: need(decision)?,
    })
}

pub(super) fn write_claim(writer: &mut Writer, claim: &Claim) {
    writer.begin_object();
    writer.key("decision");
    writer.string(claim.decision.token());
    writer.key("evidence_refs");
    write_refs(writer, &claim.evidence_refs);
    writer.key("id");
    writer.token(&claim.id);
    writer.key("kind");
    writer.string(claim.kind.token());
    writer.key("proposition");
    writer.token(&claim.proposition);
    writer.key("stratum");
    writer.token(&claim.stratum);
    writer.key("surface");
    writer.string(claim.surface.name());
    writer.end_object();
}
