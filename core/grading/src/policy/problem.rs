//! What a policy is refused for, and where (§5.3, §6, §12; supplement H).

use core::fmt;

use attest_canon::json::{JsonError, JsonErrorKind};

/// Declares the refusals with their one text each.
macro_rules! refusals {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)+) => {
        /// Why a value of a policy document is refused. Closed; a text never
        /// repeats what the document says.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Refusal {
            /// The text is not JSON; nothing else is looked at then.
            Json(JsonErrorKind),
            $($(#[$doc])* $name,)+
        }

        impl Refusal {
            /// Every refusal but [`Refusal::Json`].
            #[cfg(test)]
            pub(super) const ALL: &[Self] = &[$(Self::$name,)+];
        }

        impl fmt::Display for Refusal {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    Self::Json(kind) => fmt::Display::fmt(kind, f),
                    $(Self::$name => f.write_str($text),)+
                }
            }
        }
    };
}

refusals! {
    /// A member that must be there is not; the path names it.
    Missing = "missing",
    /// A member that is not part of the shape.
    UnknownMember = "unknown member",
    /// Not an object.
    NotObject = "must be an object",
    /// Not an array.
    NotArray = "must be an array",
    /// Not a string.
    NotText = "must be a string",
    /// Not a boolean.
    NotBoolean = "must be true or false",
    /// Not the version this program grades by.
    Version = "must be 2",
    /// Not a weight, threshold or signal weight.
    NotBasisPoints = "must be a multiple of 0.0001 from 0 to 1",
    /// Not a window.
    NotWindow = "must be an integer >= 0 that is safe in milliseconds",
    /// A tolerance that reaches the edge before a claim's unit (§5.1).
    ToleranceReachesBefore = "must be shorter than windows.beforeClaimMin",
    /// A tolerance that reaches the edge after a claim's unit (§5.1).
    ToleranceReachesAfter = "must be shorter than windows.afterClaimMin",
    /// A tolerance that reaches the edge of a calendar claim's window (§5.1).
    ToleranceReachesCalendar = "must be shorter than windows.calendarDays",
    /// A threshold that no evidence at all would meet.
    NotAboveZero = "must be > 0",
    /// The thresholds are not in order.
    PartialNotBelowVerified = "must be < thresholds.verified",
    /// λ lets the model alone verify a candidate at the partial floor (§5.4).
    ModelVerifiesAlone = "must be < (verified - partial) / (1 - partial) of the thresholds",
    /// Not an observation source.
    NotSource = "must be a known source",
    /// Not an action type.
    NotAction = "must be a known action type",
    /// Not a feature.
    NotFeature = "must be a known feature",
    /// Not a field a raw row may supply or a derived marker (§12).
    NotField = "must be a field that a row may hold",
    /// A member that an earlier place of the list names.
    Repeated = "must not be listed twice",
    /// The model's score as a feature of pairs (§5.1, §5.4).
    ModelScoreListed = "must not be \"modelScore\"",
    /// Time as an identity feature (§5.2).
    TimeIdentifies = "must not be \"timeProximity\"",
    /// An identity feature that no score would show.
    WeightlessIdentity = "must be a feature with a weight > 0",
    /// Features that leave a claim without a score.
    WeightlessFeatures = "must list features whose weights sum to > 0",
    /// A type that is looked for but never identified.
    NoIdentity = "must not be empty when the type has sources",
    /// Rows without the instant everything is measured from (§12).
    NoOccurredAt = "must list \"occurredAt\"",
    /// A signature that every subject contains.
    EmptySignature = "must not be empty",
    /// Not a rule id.
    NotToken = "must be a short token",
    /// A second rule under one id.
    RepeatedRule = "must not be the id of an earlier rule",
    /// The id of the rule that matches when no other does (§6).
    TerminalRule = "must not be \"default_unverifiable\"",
    /// Not what a rule can conclude.
    NotOutcome = "must be a grade or \"PENDING\"",
    /// Not a coverage level.
    NotLevel = "must be \"none\", \"partial\" or \"full\"",
    /// Not a threshold's name.
    NotThreshold = "must be \"verified\" or \"partial\"",
    /// PENDING from another rule than `pending` (§5.3).
    PendingElsewhere = "must not be \"PENDING\" unless id is \"pending\"",
    /// VERIFIED without its score (§6).
    VerifiedWithoutScore = "must be \"verified\" when then is \"VERIFIED\"",
    /// PARTIAL without a score (§6).
    PartialWithoutScore = "must be \"verified\" or \"partial\" when then is \"PARTIAL\"",
    /// NOT_FOUND before the grace was seen to end (§6).
    NotFoundWithoutGrace = "must be true when then is \"NOT_FOUND\"",
    /// NOT_FOUND without having seen the whole window (§6).
    NotFoundWithoutCoverage = "must be \"full\" when then is \"NOT_FOUND\"",
    /// NOT_FOUND although something may match (§6).
    NotFoundWithoutScore = "must be \"partial\" when then is \"NOT_FOUND\"",
    /// UNASKED without an attribution (§6).
    UnaskedWithoutAttribution = "must be true when then is \"UNASKED\"",
    /// OVER_SCOPE without anything beyond the grant (§6).
    OverScopeWithoutExcess = "must set observedScopeExceedsDeclared, typeNotInGrant, \
        counterpartyNotAllowed, amountAboveCeiling or cumulativeAboveCeiling to true when then is \"OVER_SCOPE\"",
}

/// One thing wrong at one place of a policy document.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PolicyProblem {
    /// JSON path of the narrowest value at fault (readings 29); empty for the
    /// document itself.
    pub path: String,
    /// What is wrong there.
    pub problem: Refusal,
}

impl fmt::Display for PolicyProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            fmt::Display::fmt(&self.problem, f)
        } else {
            write!(f, "{}: {}", self.path, self.problem)
        }
    }
}

/// Most problems kept; more are only counted, so that a hostile document
/// cannot make its own report exhaust memory.
const KEPT: usize = 1000;

/// Everything wrong with a policy document, in the order of §12.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PolicyError {
    problems: Vec<PolicyProblem>,
    beyond: usize,
}

impl PolicyError {
    pub(super) fn note(&mut self, path: String, problem: Refusal) {
        if self.problems.len() < KEPT {
            self.problems.push(PolicyProblem { path, problem });
        } else {
            self.beyond = self.beyond.saturating_add(1);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.problems.is_empty()
    }

    /// The problems kept: the first thousand.
    #[must_use]
    pub fn problems(&self) -> &[PolicyProblem] {
        &self.problems
    }

    /// How many more there were than are kept.
    #[must_use]
    pub const fn beyond(&self) -> usize {
        self.beyond
    }

    /// The error's type and code, as `--json` output names them (supplement H).
    #[must_use]
    pub const fn code(&self) -> (&'static str, &'static str) {
        ("PolicyError", "invalid_policy")
    }
}

impl From<JsonError> for PolicyError {
    fn from(error: JsonError) -> Self {
        let mut faults = Self::default();
        faults.note(error.path, Refusal::Json(error.kind));
        faults
    }
}

impl fmt::Display for PolicyError {
    /// One `path: problem` line per problem.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, problem) in self.problems.iter().enumerate() {
            if at > 0 {
                f.write_str("\n")?;
            }
            fmt::Display::fmt(problem, f)?;
        }
        if self.beyond > 0 {
            write!(f, "\nand {} more", self.beyond)?;
        }
        Ok(())
    }
}

impl core::error::Error for PolicyError {}
