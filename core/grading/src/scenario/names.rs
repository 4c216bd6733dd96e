//! The short names of a scenario file, and that every one used names something.

use std::collections::BTreeMap;

use attest_canon::json::{Value, push_index};

use crate::model::{ProblemKind, Problems};

use super::format::{EventKind, Expect, ExpectSubject, Input, Ref, Scenario};

/// A row of the file by its place in its list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// `input.claims[_]`
    Claim(usize),
    /// `input.observations[_]`
    Observation(usize),
}

/// What the file's names stand for. Claims and observations share one name
/// space, because events and expectations name either.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Names {
    rows: BTreeMap<Ref, Place>,
    grants: BTreeMap<Ref, usize>,
}

impl Names {
    /// Collects the names, first meaning kept.
    #[must_use]
    pub fn of(input: &Input) -> Self {
        Self::collect(input, &mut Problems::default())
    }

    /// Collects the names and notes each that stands twice.
    fn collect(input: &Input, problems: &mut Problems) -> Self {
        let mut names = Self::default();
        for (at, row) in input.claims.iter().enumerate() {
            let free = !names.rows.contains_key(&row.name);
            note_unless(free, problems, ("input.claims", at, "ref"), TAKEN);
            names
                .rows
                .entry(row.name.clone())
                .or_insert(Place::Claim(at));
        }
        for (at, row) in input.observations.iter().enumerate() {
            let free = !names.rows.contains_key(&row.name);
            note_unless(free, problems, ("input.observations", at, "ref"), TAKEN);
            names
                .rows
                .entry(row.name.clone())
                .or_insert(Place::Observation(at));
        }
        for (at, row) in input.grants.iter().enumerate() {
            let Some(name) = &row.name else { continue };
            let free = !names.grants.contains_key(name);
            note_unless(free, problems, ("input.grants", at, "ref"), TAKEN);
            names.grants.entry(name.clone()).or_insert(at);
        }
        names
    }

    /// What a name of a claim or observation stands for.
    #[must_use]
    pub fn row(&self, name: &str) -> Option<Place> {
        self.rows.get(name).copied()
    }

    /// The place of a claim.
    #[must_use]
    pub fn claim(&self, name: &str) -> Option<usize> {
        match self.row(name)? {
            Place::Claim(at) => Some(at),
            Place::Observation(_) => None,
        }
    }

    /// The place of an observation.
    #[must_use]
    pub fn observation(&self, name: &str) -> Option<usize> {
        match self.row(name)? {
            Place::Observation(at) => Some(at),
            Place::Claim(_) => None,
        }
    }

    /// The place of a grant.
    #[must_use]
    pub fn grant(&self, name: &str) -> Option<usize> {
        self.grants.get(name).copied()
    }
}

const TAKEN: ProblemKind = ProblemKind::MustBe("a name of its own");

/// Notes a problem at `list[at].member` unless all is well.
fn note_unless(
    fine: bool,
    problems: &mut Problems,
    (list, at, member): (&str, usize, &str),
    kind: ProblemKind,
) {
    if fine {
        return;
    }
    let mut path = list.to_owned();
    push_index(&mut path, at);
    if !member.is_empty() {
        path.push('.');
        path.push_str(member);
    }
    problems.add(path, kind);
}

/// Every name of the file that stands twice or is used and names nothing of
/// the kind meant.
pub(super) fn check(scenario: &Scenario) -> Problems {
    let mut problems = Problems::default();
    let names = Names::collect(&scenario.input, &mut problems);
    let mut check = Check {
        names: &names,
        problems: &mut problems,
    };
    check.input(&scenario.input);
    for (at, event) in scenario.events.iter().enumerate() {
        check.row(&event.name, ("events", at, "ref"));
        if let EventKind::Supersede { claim } = &event.kind {
            check.claim(claim, ("events", at, "claim"));
        }
    }
    for (list, groups) in [
        ("assertIds.equal", &scenario.assert_ids.equal),
        ("assertIds.ascending", &scenario.assert_ids.ascending),
    ] {
        for (at, group) in groups.iter().enumerate() {
            let list = indexed(list, at);
            for (nth, name) in group.iter().enumerate() {
                check.row(name, (&list, nth, ""));
            }
        }
    }
    for (at, expect) in scenario.expect.iter().enumerate() {
        check.expect(expect, at);
    }
    problems
}

fn indexed(list: &str, at: usize) -> String {
    let mut path = list.to_owned();
    push_index(&mut path, at);
    path
}

struct Check<'c> {
    names: &'c Names,
    problems: &'c mut Problems,
}

impl Check<'_> {
    fn row(&mut self, name: &str, place: (&str, usize, &str)) {
        let known = self.names.row(name).is_some();
        note_unless(known, self.problems, place, ProblemKind::UnknownRef);
    }

    fn claim(&mut self, name: &str, place: (&str, usize, &str)) {
        let known = self.names.claim(name).is_some();
        note_unless(known, self.problems, place, ProblemKind::UnknownRef);
    }

    fn observation(&mut self, name: &str, place: (&str, usize, &str)) {
        let known = self.names.observation(name).is_some();
        note_unless(known, self.problems, place, ProblemKind::UnknownRef);
    }

    fn input(&mut self, input: &Input) {
        for (at, name) in input.activity.claims.iter().enumerate() {
            self.claim(name, ("input.activity.claims", at, ""));
        }
        for (at, pair) in input.fixed.iter().enumerate() {
            if let Some(name) = &pair.claim {
                self.claim(name, ("input.fixed", at, "claim"));
            }
            self.observation(&pair.observation, ("input.fixed", at, "observation"));
        }
        for (at, row) in input.model_scores.iter().enumerate() {
            self.claim(&row.claim, ("input.modelScores", at, "claim"));
            let scores = format!("{}.scores", indexed("input.modelScores", at));
            for (nth, (name, _)) in row.scores.iter().enumerate() {
                self.observation(name, (&scores, nth, "observation"));
            }
        }
        if let Some(grade) = &input.grade {
            if let Some(name) = &grade.claim
                && self.names.claim(name).is_none()
            {
                self.problems
                    .add("input.grade.claim".to_owned(), ProblemKind::UnknownRef);
            }
            for (at, name) in grade.candidates.iter().enumerate() {
                self.observation(name, ("input.grade.candidates", at, ""));
            }
        }
    }

    fn expect(&mut self, expect: &Expect, at: usize) {
        if let ExpectSubject::Row(name) = &expect.subject {
            self.row(name, ("expect", at, "ref"));
        }
        let evidence = format!("{}.observationRefs", indexed("expect", at));
        for (nth, name) in expect.observation_refs.iter().flatten().enumerate() {
            self.observation(name, (&evidence, nth, ""));
        }
        if let Some(name) = &expect.superseded_by {
            self.claim(name, ("expect", at, "supersededBy"));
        }
        if let Some(name) = expect
            .inputs
            .as_ref()
            .and_then(|inputs| inputs.grant.as_ref())
        {
            let known = self.names.grant(name).is_some();
            let place = ("expect", at, "inputs.grant");
            note_unless(known, self.problems, place, ProblemKind::UnknownRef);
        }
        for (code, params) in &expect.reason_params {
            for key in ["observationId", "claimId"] {
                if let Some(name) = params.get(key).and_then(Value::as_str)
                    && self.names.row(name).is_none()
                {
                    let path = format!("{}.reasonParams", indexed("expect", at));
                    let path = format!("{path}[\"{code}\"].{key}");
                    self.problems.add(path, ProblemKind::UnknownRef);
                }
            }
        }
    }
}
