//! The steps of a worked example, in the order a batch makes them.

use attest_grading::decide::TraceSubject;
use attest_grading::scenario::{Scenario, Walk};

/// What one step shows.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Stage {
    /// What the file holds.
    World,
    /// The unit, the window, and which rows lie in it (§4.1).
    Retrieval,
    /// Features, weights and the score (§5).
    Scoring,
    /// Who holds which row (§4.3).
    Assignment,
    /// Whether the row is an orphan (§3).
    Orphan,
    /// What speaks for whom (§7).
    Attribution,
    /// How much was seen (§6.1).
    Coverage,
    /// The rules, in order (§6.2).
    Rules,
    /// Whether yet, and the receipt (§8).
    Finality,
    /// An event of the file, by its place.
    Event(usize),
    /// What was expected beside what was computed.
    Result,
}

impl Stage {
    /// Its name.
    pub const fn title(self) -> &'static str {
        match self {
            Self::World => "world",
            Self::Retrieval => "retrieval",
            Self::Scoring => "scoring",
            Self::Assignment => "assignment",
            Self::Orphan => "orphan",
            Self::Attribution => "attribution",
            Self::Coverage => "coverage",
            Self::Rules => "rules",
            Self::Finality => "finality",
            Self::Event(_) => "event",
            Self::Result => "result",
        }
    }

    /// Where the reference says it.
    pub const fn section(self) -> &'static str {
        match self {
            Self::World | Self::Result => "§15",
            Self::Retrieval => "§4.1",
            Self::Scoring => "§5",
            Self::Assignment => "§4.3",
            Self::Orphan => "§3",
            Self::Attribution => "§7",
            Self::Coverage => "§6.1",
            Self::Rules => "§6.2",
            Self::Finality | Self::Event(_) => "§8",
        }
    }
}

/// One step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// The place of the receipt it is about among the example's; none for all of them.
    pub subject: Option<usize>,
    /// What it shows.
    pub stage: Stage,
}

/// Every step of an example: its world; each receipt from retrieval to finality; each event; the
/// result.
pub fn steps(scenario: &Scenario, walk: &Walk) -> Vec<Step> {
    let whole = |stage| Step {
        subject: None,
        stage,
    };
    let mut steps = vec![whole(Stage::World)];
    for (place, (_, trace)) in walk.subjects.iter().enumerate() {
        let stages: &[Stage] = match &trace.subject {
            TraceSubject::Claim(_) => &[
                Stage::Retrieval,
                Stage::Scoring,
                Stage::Assignment,
                Stage::Coverage,
                Stage::Rules,
                Stage::Finality,
            ],
            TraceSubject::Orphan(_) => &[
                Stage::Orphan,
                Stage::Attribution,
                Stage::Rules,
                Stage::Finality,
            ],
            TraceSubject::Scope { .. } => &[Stage::Rules, Stage::Finality],
        };
        steps.extend(stages.iter().map(|stage| Step {
            subject: Some(place),
            stage: *stage,
        }));
    }
    steps.extend((0..scenario.events.len()).map(|place| whole(Stage::Event(place))));
    steps.push(whole(Stage::Result));
    steps
}
