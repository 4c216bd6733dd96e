//! The closed package documents (§7, §9).

mod assessment;
mod context_input;
mod disclosed;
mod inventory;
mod report;

pub(crate) use assessment::write_examination;
pub use assessment::{
    Assessment, Claim, ClaimKind, Decision, Disclosure, Disposition, Grade, Join, JoinContract,
    JoinKey, JoinResult, Observation, Proposition, PropositionKind, Role, Scalar, Scope,
    SurfaceResult, Unit,
};
pub use context_input::{
    Applicability, ContextInput, Correspondence, Expectation, Extent3, Invocation, Window,
};
pub(crate) use disclosed::Disclosed;
pub use inventory::{Binding, Fact, FactKind, FactReason, Facts, Input, Inventory};
pub use report::{
    AttestationCheck, AttestationStatus, Counts, Established, ExpectationStatus, Report,
};

use attest_canon::Digest;
use attest_canon::jcs::Writer;

use crate::grammar::{Id, Ref};
use crate::json::{Fault, Strict};
use crate::limits::Meter;

/// The constant every inventory and report carries (§7).
pub const NON_CLAIMS: [&str; 3] = [
    "no_activity_completeness",
    "no_provider_outcome",
    "no_automatic_trust",
];

/// The CAP-1 schema a context pins (§6).
pub const SCHEMA_PIN: &str = "4453f216089543780bfecc4295cc4a61462fdc585b88d1e35b7d1aba79716b4a";

type Result<T> = core::result::Result<T, Fault>;

/// Stores a member read once; a closed object's keys are distinct already.
fn need<T>(member: Option<T>) -> Result<T> {
    member.ok_or(Fault::Shape)
}

pub(crate) fn digest(reader: &mut Strict<'_>) -> Result<Digest> {
    Digest::parse(&reader.string()?).ok_or(Fault::Shape)
}

pub(crate) fn id(reader: &mut Strict<'_>) -> Result<Id> {
    Id::parse(&reader.string()?).ok_or(Fault::Shape)
}

/// Reads a Ref's grammar without charging it.
fn plain_reference(reader: &mut Strict<'_>) -> Result<Ref> {
    let (mut input_id, mut sha256, mut locator) = (None, None, None);
    reader.object(|reader, key| {
        match key {
            "input_id" => input_id = Some(id(reader)?),
            "sha256" => sha256 = Some(digest(reader)?),
            "locator" => locator = Some(reader.string()?.into_owned()),
            _ => return Err(Fault::Shape),
        }
        Ok(())
    })?;
    Ok(Ref {
        input_id: need(input_id)?,
        sha256: need(sha256)?,
        locator: need(locator)?,
    })
}

/// Reads a Ref, charging it before it is kept (§8).
pub(crate) fn reference(reader: &mut Strict<'_>, meter: &mut Meter) -> Result<Ref> {
    meter.reference()?;
    plain_reference(reader)
}

pub(crate) fn references(reader: &mut Strict<'_>, meter: &mut Meter) -> Result<Vec<Ref>> {
    let mut refs = Vec::new();
    reader.array(|reader, _| {
        refs.push(reference(reader, meter)?);
        Ok(())
    })?;
    Ok(refs)
}

fn write_refs(writer: &mut Writer, refs: &[Ref]) {
    writer.begin_array();
    for reference in refs {
        writer.element();
        reference.write(writer);
    }
    writer.end_array();
}

fn write_non_claims(writer: &mut Writer) {
    writer.begin_array();
    for claim in NON_CLAIMS {
        writer.element();
        writer.string(claim);
    }
    writer.end_array();
}

fn write_null(writer: &mut Writer) {
    writer.canonical("null");
}

fn write_count(writer: &mut Writer, count: u64) {
    writer.canonical(&count.to_string());
}

/// The document's bytes: JCS and one LF (§2).
fn finish(writer: Writer) -> Vec<u8> {
    let mut bytes = writer.into_text().into_bytes();
    bytes.push(b'\n');
    bytes
}

/// Declares a closed enum of tokens.
macro_rules! tokens {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $token:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
        pub enum $name { $($(#[$vdoc])* $variant),+ }

        impl $name {
            /// The token documents use.
            #[must_use]
            pub const fn token(self) -> &'static str {
                match self { $(Self::$variant => $token),+ }
            }

            /// The value of a token.
            #[must_use]
            pub fn parse(token: &str) -> Option<Self> {
                match token { $($token => Some(Self::$variant),)+ _ => None }
            }

            #[allow(dead_code, reason = "some are read only as members of others")]
            pub(crate) fn read(reader: &mut $crate::json::Strict<'_>) -> core::result::Result<Self, $crate::json::Fault> {
                Self::parse(&reader.string()?).ok_or($crate::json::Fault::Shape)
            }
        }
    };
}
pub(crate) use tokens;
