//! Why a package is refused, and how a verification ends (§7.4, §10).

use core::fmt;

/// The closed, value-free reasons of §10 and §8.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Reason {
    /// Phase 1 or 6: the relying party's context is malformed, or does not
    /// select a bound key.
    TrustInput,
    /// Framing, canonical JSON, a closed grammar, or source bytes that fail
    /// their format.
    InputShape,
    /// Phase 3: a format or event type outside the contract.
    UnknownFormat,
    /// Phase 3: a document's schema identity is not one of the contract's.
    UnknownSchema,
    /// Phase 3: declared surfaces differ from the format's mapping.
    Mapping,
    /// Phase 4: bytes, length or the assessment's digest differ.
    Digest,
    /// Phase 4: a policy reference does not bind the policy's bytes.
    PolicyBinding,
    /// Phase 5: a reference's input or target is missing or malformed.
    Locator,
    /// Phase 6: an attestation does not verify.
    AttestationVerification,
    /// Phase 7: a disclosed or withheld result, or the list of units, differs.
    Disclosure,
    /// Phase 8: the recorded CAP-1 document fails its schema.
    Cap1Shape,
    /// Phase 8: the recorded CAP-1 document fails one of R0–R8.
    Cap1Rules,
    /// Phase 9: a join or claim decision breaks its gate.
    ClaimBoundary,
    /// Phase 10: an expectation or required disclosure is not met.
    ExpectationMismatch,
    /// Phase 11: a recomputed field differs from the recorded one.
    StaleAssessment,
    /// Phase 12: the output cannot be published without replacing.
    AtomicOutput,
    /// Guard: a charge crosses a hard or inner limit.
    ResourceHard,
    /// Guard: a charge crosses only a limit the context selected.
    ResourceSelected,
    /// Guard: bytes cannot be obtained.
    IoUnavailable,
}

impl Reason {
    /// The token a report carries.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::TrustInput => "trust_input",
            Self::InputShape => "input_shape",
            Self::UnknownFormat => "unknown_format",
            Self::UnknownSchema => "unknown_schema",
            Self::Mapping => "mapping",
            Self::Digest => "digest",
            Self::PolicyBinding => "policy_binding",
            Self::Locator => "locator",
            Self::AttestationVerification => "attestation_verification",
            Self::Disclosure => "disclosure",
            Self::Cap1Shape => "cap1_shape",
            Self::Cap1Rules => "cap1_rules",
            Self::ClaimBoundary => "claim_boundary",
            Self::ExpectationMismatch => "expectation_mismatch",
            Self::StaleAssessment => "stale_assessment",
            Self::AtomicOutput => "atomic_output",
            Self::ResourceHard => "resource_hard",
            Self::ResourceSelected => "resource_selected",
            Self::IoUnavailable => "io_unavailable",
        }
    }

    /// How a verification that this reason ended is reported.
    #[must_use]
    pub const fn outcome(self) -> Outcome {
        match self {
            Self::IoUnavailable => Outcome::Unavailable,
            _ => Outcome::Refused,
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.token())
    }
}

impl core::error::Error for Reason {}

/// How a verification ended (§7.4).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Everything holds.
    Verified,
    /// Something does not, and the reason says what.
    Refused,
    /// Material could not be read.
    Unavailable,
}

impl Outcome {
    /// The token a report carries.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::Verified => "package_verified",
            Self::Refused => "package_refused",
            Self::Unavailable => "verification_unavailable",
        }
    }
}
