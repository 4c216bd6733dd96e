//! Holding a fresh report against one that was kept: the three digests.

use std::fmt;

use attest_canon::Digest;
use attest_canon::json::{JsonError, Limits, LoneSurrogates, Value};
use attest_package::document::Report;

/// The identity of a verification's report (contract §7.4).
const SCHEMA: &str = "assay.incident.verify.v1";

/// The members of a report, all of them required.
const MEMBERS: [&str; 13] = [
    "schema",
    "outcome",
    "reason",
    "artifact_sha256",
    "inventory_sha256",
    "assessment_sha256",
    "expectation",
    "attestations",
    "verification_context",
    "verification_context_sha256",
    "resolved_results",
    "counts",
    "non_claims",
];

/// What a package is known by.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Digests {
    /// Of the archive.
    pub artifact: Option<Digest>,
    /// Of its inventory.
    pub inventory: Option<Digest>,
    /// Of its assessment.
    pub assessment: Option<Digest>,
}

impl Digests {
    /// Those a fresh report establishes; none of a refusal.
    #[must_use]
    pub fn of(report: &Report) -> Self {
        let facts = report.established.as_ref();
        Self {
            artifact: facts.map(|facts| facts.artifact_sha256),
            inventory: facts.map(|facts| facts.inventory_sha256),
            assessment: facts.map(|facts| facts.assessment_sha256),
        }
    }
}

/// A report that was kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Against {
    kept: Digests,
}

/// Why a file is no report.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BadReport {
    /// It is not UTF-8.
    NotText,
    /// It is not JSON.
    Json(JsonError),
    /// It is not an object with exactly a report's members.
    Members,
    /// Its schema identity is another.
    Schema,
    /// This member is neither null nor a digest.
    Digest(&'static str),
}

impl fmt::Display for BadReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotText => f.write_str("not utf-8"),
            Self::Json(error) => write!(f, "{error}"),
            Self::Members => f.write_str("not the members of a verification's report"),
            Self::Schema => write!(f, "schema: must be {SCHEMA}"),
            Self::Digest(member) => {
                write!(f, "{member}: must be null or 64 lowercase hex digits")
            }
        }
    }
}

impl std::error::Error for BadReport {}

impl Against {
    /// Reads a report; it need not be canonical.
    ///
    /// # Errors
    ///
    /// It is no report.
    pub fn read(bytes: &[u8]) -> Result<Self, BadReport> {
        let text = std::str::from_utf8(bytes).map_err(|_| BadReport::NotText)?;
        let limits = Limits {
            lone_surrogates: LoneSurrogates::Refuse,
            ..Limits::LEDGER
        };
        let value = Value::parse(text, limits).map_err(BadReport::Json)?;
        let Value::Object(members) = &value else {
            return Err(BadReport::Members);
        };
        let mut keys: Vec<&str> = members.iter().map(|(key, _)| key.as_ref()).collect();
        keys.sort_unstable();
        let mut wanted: Vec<&str> = MEMBERS.into();
        wanted.sort_unstable();
        if keys != wanted {
            return Err(BadReport::Members);
        }
        if value.get("schema").and_then(Value::as_str) != Some(SCHEMA) {
            return Err(BadReport::Schema);
        }
        let digest = |member| match value.get(member) {
            Some(Value::Null) => Ok(None),
            other => other
                .and_then(Value::as_str)
                .and_then(Digest::parse)
                .map(Some)
                .ok_or(BadReport::Digest(member)),
        };
        Ok(Self {
            kept: Digests {
                artifact: digest("artifact_sha256")?,
                inventory: digest("inventory_sha256")?,
                assessment: digest("assessment_sha256")?,
            },
        })
    }

    /// The members whose digests differ from those a package has. A kept
    /// refusal established none, so every one differs.
    #[must_use]
    pub fn differing(&self, fresh: Digests) -> Vec<&'static str> {
        let pairs = [
            ("artifact_sha256", self.kept.artifact, fresh.artifact),
            ("inventory_sha256", self.kept.inventory, fresh.inventory),
            ("assessment_sha256", self.kept.assessment, fresh.assessment),
        ];
        let differs = |(_, kept, fresh): &(_, Option<Digest>, Option<Digest>)| {
            kept != fresh || kept.is_none()
        };
        pairs
            .into_iter()
            .filter(differs)
            .map(|(member, ..)| member)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use attest_canon::sha256;
    use attest_package::Reason;

    const EXAMPLE: &str = r#"{"schema":"assay.incident.verify.v1","outcome":"package_verified","reason":null,
        "artifact_sha256":"AA","inventory_sha256":"BB","assessment_sha256":"CC","expectation":"not_requested",
        "attestations":[],"verification_context":null,"verification_context_sha256":null,"resolved_results":[],
        "counts":null,"non_claims":[]}"#;

    fn example() -> String {
        EXAMPLE
            .replace("AA", &sha256(b"a").to_string())
            .replace("BB", &sha256(b"b").to_string())
            .replace("CC", &sha256(b"c").to_string())
    }

    #[test]
    fn each_digest_is_compared() {
        let against = Against::read(example().as_bytes()).unwrap();
        let fresh = Digests {
            artifact: Some(sha256(b"a")),
            inventory: Some(sha256(b"b")),
            assessment: Some(sha256(b"c")),
        };
        assert_eq!(against.differing(fresh), Vec::<&str>::new());
        let other = Some(sha256(b"other"));
        for (fresh, differing) in [
            (
                Digests {
                    artifact: other,
                    ..fresh
                },
                "artifact_sha256",
            ),
            (
                Digests {
                    inventory: other,
                    ..fresh
                },
                "inventory_sha256",
            ),
            (
                Digests {
                    assessment: other,
                    ..fresh
                },
                "assessment_sha256",
            ),
        ] {
            assert_eq!(against.differing(fresh), [differing]);
        }
    }

    /// A refusal establishes nothing a package could be held against.
    #[test]
    fn a_refusal_matches_nothing() {
        let refused = Report::refused(Reason::Digest, None);
        let against = Against::read(&refused.to_bytes()).unwrap();
        assert_eq!(against.differing(Digests::of(&refused)).len(), 3);
    }

    #[test]
    fn what_is_no_report_is_said() {
        let good = example();
        for (text, problem) in [
            ("{", None),
            ("[]", Some(BadReport::Members)),
            (
                &*good.replace("\"counts\":null,", ""),
                Some(BadReport::Members),
            ),
            (&*good.replace("counts", "count"), Some(BadReport::Members)),
            (
                &*good.replace("verify.v1", "verify.v2"),
                Some(BadReport::Schema),
            ),
            (
                &*good.replacen(&sha256(b"b").to_string(), "b", 1),
                Some(BadReport::Digest("inventory_sha256")),
            ),
            (
                &*good.replace("\"counts\":null", "\"counts\":null,\"counts\":null"),
                None,
            ),
        ] {
            let error = Against::read(text.as_bytes()).unwrap_err();
            match problem {
                Some(problem) => assert_eq!(error, problem),
                None => assert!(matches!(error, BadReport::Json(_)), "{error}"),
            }
        }
        assert_eq!(Against::read(b"\xff"), Err(BadReport::NotText));
    }
}
