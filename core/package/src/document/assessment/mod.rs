//! The recorded assessment (§7.2, §7.3): its grammar, a module for each of its
//! lists. What it must say is recomputed in `account`.

mod claims;
mod joins;
mod surfaces;
mod units;

pub use claims::{Claim, ClaimKind, Decision};
pub use joins::{
    Grade, Join, JoinContract, JoinKey, JoinResult, Proposition, PropositionKind, Role, Scalar,
    Scope,
};
pub use surfaces::{Observation, SurfaceResult};
pub(crate) use units::write_examination;
pub use units::{Disclosure, Disposition, Unit};

use std::borrow::Cow;

use attest_canon::Digest;
use attest_canon::jcs::Writer;

use super::{digest, finish, need, references, write_refs};
use crate::Dialect;
use crate::grammar::{Id, Ref, Surface};
use crate::json::{Bounds, Fault, Strict};
use crate::limits::Meter;

use claims::{read_claim, write_claim};
use joins::{read_join, write_join};
use surfaces::{read_surfaces, write_surface};
use units::{read_units, write_unit};

/// Its schema identity.
const SCHEMA: &str = "assay.incident.assessment.v1";

/// A recorded assessment, grammar only.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assessment<'a> {
    /// Digest of the context it was made under.
    pub verification_context_sha256: Digest,
    /// Units, ascending by id.
    pub units: Vec<Unit<'a>>,
    /// The five surfaces, in order.
    pub surfaces: Vec<SurfaceResult>,
    /// The canonical text of the CAP-1 document.
    pub cap1: Option<Cow<'a, str>>,
    /// Joins, ascending by id.
    pub joins: Vec<Join>,
    /// Claims, ascending by id.
    pub claims: Vec<Claim>,
    /// Resolved result targets.
    pub resolved_results: Vec<Ref>,
}

type Result<T> = core::result::Result<T, Fault>;

/// A nullable member: required by the contract, optional in the dialect.
fn nullable<T>(member: Option<Option<T>>, dialect: Dialect) -> Result<Option<T>> {
    match member {
        None if dialect == Dialect::Assay621 => Ok(None),
        member => need(member),
    }
}

impl<'a> Assessment<'a> {
    /// Reads `assessment.json`, charging references.
    pub(crate) fn parse(bytes: &'a [u8], meter: &mut Meter, dialect: Dialect) -> Result<Self> {
        let mut reader = Strict::canonical(bytes, Bounds::package(&meter.limits))?;
        let (mut schema, mut context, mut units, mut surfaces, mut cap1) =
            (None, None, None, None, None);
        let (mut joins, mut claims, mut resolved_results) = (None, None, None);
        reader.object(|reader, key| {
            match key {
                "schema" => schema = Some(reader.string()?.into_owned()),
                "verification_context_sha256" => context = Some(digest(reader)?),
                "units" => units = Some(read_units(reader, meter, dialect)?),
                "surfaces" => surfaces = Some(read_surfaces(reader, meter, dialect)?),
                "cap1" => {
                    cap1 = Some(if reader.null()? {
                        None
                    } else {
                        Some(Cow::Borrowed(reader.skip()?))
                    });
                }
                "joins" => {
                    joins = Some(sorted(
                        reader,
                        |reader| read_join(reader, meter, dialect),
                        |join| &join.id,
                    )?)
                }
                "claims" => {
                    claims = Some(sorted(
                        reader,
                        |reader| read_claim(reader, meter),
                        |claim| &claim.id,
                    )?)
                }
                "resolved_results" => resolved_results = Some(references(reader, meter)?),
                _ => return Err(Fault::Shape),
            }
            Ok(())
        })?;
        reader.finish()?;
        if need(schema)? != SCHEMA {
            return Err(Fault::Shape);
        }
        let assessment = Self {
            verification_context_sha256: need(context)?,
            units: need(units)?,
            surfaces: need(surfaces)?,
            cap1: nullable(cap1, dialect)?,
            joins: need(joins)?,
            claims: need(claims)?,
            resolved_results: need(resolved_results)?,
        };
        let ordered = assessment
            .resolved_results
            .is_sorted_by(|a, b| a.order(b).is_lt());
        if ordered {
            Ok(assessment)
        } else {
            Err(Fault::Shape)
        }
    }

    /// The canonical bytes of `assessment.json`.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut writer = Writer::new();
        writer.begin_object();
        writer.key("cap1");
        writer.canonical(self.cap1.as_deref().unwrap_or("null"));
        writer.key("claims");
        each(&mut writer, &self.claims, write_claim);
        writer.key("joins");
        each(&mut writer, &self.joins, write_join);
        writer.key("resolved_results");
        write_refs(&mut writer, &self.resolved_results);
        writer.key("schema");
        writer.string(SCHEMA);
        writer.key("surfaces");
        each(&mut writer, &self.surfaces, write_surface);
        writer.key("units");
        each(&mut writer, &self.units, write_unit);
        writer.key("verification_context_sha256");
        writer.token(&self.verification_context_sha256);
        writer.end_object();
        finish(writer)
    }
}

fn each<T>(writer: &mut Writer, rows: &[T], write: impl Fn(&mut Writer, &T)) {
    writer.begin_array();
    for row in rows {
        writer.element();
        write(writer, row);
    }
    writer.end_array();
}

fn sorted<'a, T>(
    reader: &mut Strict<'a>,
    mut read: impl FnMut(&mut Strict<'a>) -> Result<T>,
    id: impl Fn(&T) -> &Id,
) -> Result<Vec<T>> {
    let mut rows: Vec<T> = Vec::new();
    reader.array(|reader, _| {
        rows.push(read(reader)?);
        Ok(())
    })?;
    if rows.is_sorted_by(|a, b| id(a) < id(b)) {
        Ok(rows)
    } else {
        Err(Fault::Shape)
    }
}

fn surface(reader: &mut Strict<'_>) -> Result<Surface> {
    Surface::parse(&reader.string()?).ok_or(Fault::Shape)
}
