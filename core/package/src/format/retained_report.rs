//! A retained attestation report (foreign shapes §6): strict JSON here, its
//! members compared with the fresh verification.

use attest_canon::json::Kind;

use super::dsse::Attested;
use super::fields::{Checked, preflight, require};
use crate::json::{Bounds, Strict, canonical};
use crate::limits::Meter;

/// Its schema identity.
pub(super) const SCHEMA: &str = "assay.evidence.attestation.verify.v1";

/// A retained report: its text, admitted.
#[derive(Debug)]
pub(crate) struct RetainedReport<'a>(&'a str);

/// Reads a report as strict JSON. Another identity is a fault; a missing one,
/// like every other departure, shows when it is compared.
pub(super) fn read<'a>(text: &'a str, meter: &mut Meter) -> Checked<RetainedReport<'a>> {
    preflight(text, &meter.limits, None)?;
    let mut reader = Strict::new(text, Bounds::admitted());
    let mut other = false;
    if reader.peek()? == Kind::Object {
        reader.object(|reader, key| {
            if key == "schema" && reader.peek()? == Kind::String {
                other = reader.string()? != SCHEMA;
            } else {
                reader.skip()?;
            }
            Ok(())
        })?;
    }
    require(!other)?;
    Ok(RetainedReport(text))
}

impl RetainedReport<'_> {
    /// Whether it says exactly what a fresh verification established: its nine
    /// members and no other.
    pub(crate) fn matches(&self, fresh: &Attested) -> bool {
        self.compare(fresh).is_ok()
    }

    fn compare(&self, fresh: &Attested) -> Checked<()> {
        let mut reader = Strict::new(self.0, Bounds::admitted());
        let artifact = fresh.artifact_sha256.to_string();
        let mut seen = 0usize;
        reader.object(|reader, key| {
            seen = seen.saturating_add(1);
            require(match key {
                "schema" => reader.string()? == SCHEMA,
                "outcome" => reader.string()? == "attestation_verified",
                "signature_verified" | "subject_matched" => reader.boolean()?,
                "artifact_sha256" => reader.string()? == artifact,
                "predicate_type" => reader.string()? == super::dsse::PREDICATE_TYPE,
                "subject_name" => reader.string()? == fresh.subject_name,
                "extent_stated" => reader.boolean()? == fresh.extent.is_some(),
                "extent" => match &fresh.extent {
                    None => reader.null()?,
                    Some(checked) => canonical(&reader.tree(None)?)? == *checked,
                },
                _ => false,
            })
        })?;
        require(seen == 9)
    }
}
