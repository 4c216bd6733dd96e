//! A retained attestation report (foreign shapes §6): strict JSON here, its
//! members compared with the fresh verification.

use super::dsse::Attested;
use super::fields::Checked;
use crate::json::{Bounds, Fault, Json, Strict, canonical};
use crate::limits::Meter;

/// Its schema identity.
pub(super) const SCHEMA: &str = "assay.evidence.attestation.verify.v1";

/// A retained report.
#[derive(Debug)]
pub(crate) struct RetainedReport<'a>(Json<'a>);

/// Reads a report as strict JSON. Another identity is a fault; a missing one,
/// like every other departure, shows when it is compared.
pub(super) fn read<'a>(text: &'a str, meter: &mut Meter) -> Checked<RetainedReport<'a>> {
    let mut reader = Strict::new(text, Bounds::package(&meter.limits));
    let value = reader.tree(None)?;
    reader.finish()?;
    match value.get("schema") {
        Some(Json::String(schema)) if schema != SCHEMA => Err(Fault::Shape),
        _ => Ok(RetainedReport(value)),
    }
}

impl RetainedReport<'_> {
    /// Whether it says exactly what a fresh verification established.
    pub(crate) fn matches(&self, fresh: &Attested) -> bool {
        let Json::Object(members) = &self.0 else {
            return false;
        };
        let text =
            |key: &str, expected: &str| self.0.get(key).and_then(Json::as_str) == Some(expected);
        let truth = |key: &str, expected: bool| self.0.get(key) == Some(&Json::Bool(expected));
        let extent = match (self.0.get("extent"), &fresh.extent) {
            (Some(Json::Null), None) => true,
            (Some(stated), Some(checked)) => {
                canonical(stated).is_ok_and(|stated| stated == *checked)
            }
            _ => false,
        };
        // Nine required members, and so many there are.
        members.len() == 9
            && text("schema", SCHEMA)
            && text("outcome", "attestation_verified")
            && truth("signature_verified", true)
            && truth("subject_matched", true)
            && text("artifact_sha256", &fresh.artifact_sha256.to_string())
            && text("predicate_type", super::dsse::PREDICATE_TYPE)
            && text("subject_name", &fresh.subject_name)
            && truth("extent_stated", fresh.extent.is_some())
            && extent
    }
}
