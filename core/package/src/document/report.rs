//! The fresh verification result (§7.4). It lives outside the archive.

use attest_canon::Digest;
use attest_canon::jcs::Writer;

use super::context_input::ContextInput;
use super::{finish, tokens, write_count, write_non_claims, write_null, write_refs};
use crate::grammar::{Id, Ref};
use crate::reason::{Outcome, Reason};

/// Its schema identity.
const SCHEMA: &str = "assay.incident.verify.v1";

tokens! {
    /// What became of the context's expectations.
    ExpectationStatus {
        /// No result is released.
        NotEvaluated = "not_evaluated",
        /// There were none.
        NotRequested = "not_requested",
        /// All held.
        Matched = "matched",
        /// One did not.
        Mismatched = "mismatched",
    }
}

tokens! {
    /// How one attestation fared.
    AttestationStatus {
        /// Everything it says holds.
        Verified = "verified",
        /// Something does not.
        Refused = "refused",
        /// Its material could not be read.
        Unavailable = "unavailable",
    }
}

/// One selected attestation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AttestationCheck {
    /// The DSSE input.
    pub input_id: Id,
    /// The bound key's digest.
    pub key_sha256: Digest,
    /// How it fared; only a verified row establishes anything.
    pub status: AttestationStatus,
    /// The digest of the attested bundle, when verified.
    pub artifact_sha256: Option<Digest>,
    /// The canonical text of the checked extent, when verified and stated.
    pub extent: Option<String>,
}

impl AttestationCheck {
    /// The conservative row of anything but success (§7.4).
    #[must_use]
    pub fn failed(input_id: Id, key_sha256: Digest) -> Self {
        Self {
            input_id,
            key_sha256,
            status: AttestationStatus::Refused,
            artifact_sha256: None,
            extent: None,
        }
    }

    fn write(&self, writer: &mut Writer) {
        let verified = self.status == AttestationStatus::Verified;
        writer.begin_object();
        writer.key("artifact_sha256");
        nullable_digest(writer, self.artifact_sha256);
        writer.key("extent");
        match &self.extent {
            Some(extent) => writer.canonical(extent),
            None => write_null(writer),
        }
        writer.key("extent_stated");
        writer.boolean(self.extent.is_some());
        writer.key("input_id");
        writer.token(&self.input_id);
        writer.key("key_sha256");
        writer.token(&self.key_sha256);
        writer.key("signature_verified");
        writer.boolean(verified);
        writer.key("status");
        writer.string(self.status.token());
        writer.key("subject_matched");
        writer.boolean(verified);
        writer.end_object();
    }
}

/// What was counted.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counts {
    /// Declared occurrences.
    pub inputs: u64,
    /// Unique stored objects.
    pub objects: u64,
    /// Eligible units.
    pub units: u64,
    /// Examined ones.
    pub examined: u64,
    /// Withheld ones.
    pub withheld: u64,
    /// Distinct result targets resolved.
    pub resolved_result_count: u64,
}

/// What only a verified package establishes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Established {
    /// SHA-256 of the archive.
    pub artifact_sha256: Digest,
    /// SHA-256 of `inventory.json`.
    pub inventory_sha256: Digest,
    /// SHA-256 of `assessment.json`.
    pub assessment_sha256: Digest,
    /// The context verified under.
    pub context: ContextInput,
    /// Resolved result targets, in order.
    pub resolved_results: Vec<Ref>,
    /// The counts.
    pub counts: Counts,
}

/// A fresh verification result. Its fields are all-or-nothing: a refusal
/// releases no digest, context or count.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    /// Why it was refused; `None` when verified.
    pub reason: Option<Reason>,
    /// What became of expectations.
    pub expectation: ExpectationStatus,
    /// Successful rows, or the one failing row.
    pub attestations: Vec<AttestationCheck>,
    /// Present exactly when verified.
    pub established: Option<Established>,
}

impl Report {
    /// The report of a refusal or of material that could not be read.
    #[must_use]
    pub fn refused(reason: Reason, row: Option<AttestationCheck>) -> Self {
        Self {
            reason: Some(reason),
            expectation: if reason == Reason::ExpectationMismatch {
                ExpectationStatus::Mismatched
            } else {
                ExpectationStatus::NotEvaluated
            },
            attestations: row.into_iter().collect(),
            established: None,
        }
    }

    /// How the verification ended.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        self.reason.map_or(Outcome::Verified, Reason::outcome)
    }

    /// The report's canonical bytes: JCS and one LF.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let established = self.established.as_ref();
        let mut writer = Writer::new();
        writer.begin_object();
        writer.key("artifact_sha256");
        nullable_digest(&mut writer, established.map(|facts| facts.artifact_sha256));
        writer.key("assessment_sha256");
        nullable_digest(
            &mut writer,
            established.map(|facts| facts.assessment_sha256),
        );
        writer.key("attestations");
        writer.begin_array();
        for row in &self.attestations {
            writer.element();
            row.write(&mut writer);
        }
        writer.end_array();
        writer.key("counts");
        match established {
            None => write_null(&mut writer),
            Some(facts) => {
                writer.begin_object();
                for (key, count) in [
                    ("examined", facts.counts.examined),
                    ("inputs", facts.counts.inputs),
                    ("objects", facts.counts.objects),
                    ("resolved_result_count", facts.counts.resolved_result_count),
                    ("units", facts.counts.units),
                    ("withheld", facts.counts.withheld),
                ] {
                    writer.key(key);
                    write_count(&mut writer, count);
                }
                writer.end_object();
            }
        }
        writer.key("expectation");
        writer.string(self.expectation.token());
        writer.key("inventory_sha256");
        nullable_digest(&mut writer, established.map(|facts| facts.inventory_sha256));
        writer.key("non_claims");
        write_non_claims(&mut writer);
        writer.key("outcome");
        writer.string(self.outcome().token());
        writer.key("reason");
        match self.reason {
            Some(reason) => writer.string(reason.token()),
            None => write_null(&mut writer),
        }
        writer.key("resolved_results");
        write_refs(
            &mut writer,
            established.map_or(&[], |facts| &facts.resolved_results),
        );
        writer.key("schema");
        writer.string(SCHEMA);
        writer.key("verification_context");
        match established {
            Some(facts) => facts.context.write(&mut writer),
            None => write_null(&mut writer),
        }
        writer.key("verification_context_sha256");
        nullable_digest(&mut writer, established.map(|facts| facts.context.digest()));
        writer.end_object();
        finish(writer)
    }
}

fn nullable_digest(writer: &mut Writer, digest: Option<Digest>) {
    match digest {
        Some(digest) => writer.token(&digest),
        None => write_null(writer),
    }
}
