//! Joins: what the recorded correlation must say (§7.3, foreign shapes §9, §11).

use std::collections::{BTreeMap, BTreeSet};

use super::keys::{KeyIndex, KeyPath, is_inside, is_propagated};
use super::observation::Observed;
use super::{Package, Place};
use crate::document::{
    Grade, Join, JoinContract, JoinKey, JoinResult, Observation, Proposition, PropositionKind,
    Role, Scalar, Scope, SurfaceResult,
};
use crate::format::{Content, Format};
use crate::grammar::{Id, Locator, Ref};
use crate::json::{Json, pointer, scalar_text};
use crate::reason::Reason;

/// Checks the references of a join: both sides and all evidence are action
/// records, both sides are among the evidence, and roles are the formats'.
pub(crate) fn check_references(package: &Package<'_, '_>, join: &Join) -> Result<(), Reason> {
    references_hold(package, join)
        .filter(|holds| *holds)
        .map(|_| ())
        .ok_or(Reason::Locator)
}

fn references_hold(package: &Package<'_, '_>, join: &Join) -> Option<bool> {
    let contract = &join.contract;
    let is = |reference: &Ref, stated: Role| {
        let input = package.input_of(reference)?;
        Some(package.selects_action(reference) && role(package, input) == stated)
    };
    let mut roles = is(&join.left, contract.left_artifact_role)?;
    match &join.right {
        Some(right) => roles &= is(right, contract.right_artifact_role)?,
        // The role a counterpart would have is its surface's to say.
        None => {
            roles &= matches!(
                contract.right_artifact_role,
                Role::MeasuredRunArchive | Role::ExternalReceipt
            )
        }
    }
    let named = |reference: &Ref| {
        let text = format!("{}#{}", reference.input_id, reference.locator);
        contract.evidence_refs.contains(&text)
    };
    let evidenced = contract
        .evidence_refs
        .iter()
        .all(|text| evidence(package, text).unwrap_or(false));
    Some(roles && evidenced && named(&join.left) && join.right.as_ref().is_none_or(named))
}

/// Whether `input_id#locator` names an action record.
fn evidence(package: &Package<'_, '_>, text: &str) -> Option<bool> {
    let (input, locator) = text.split_once('#')?;
    let position = package.inventory.position(&Id::parse(input)?)?;
    let source = package.sources.get(position)?;
    Some(source.has_action(&Locator::parse(locator)?))
}

/// The role of an input's records.
pub(crate) fn role(package: &Package<'_, '_>, input: usize) -> Role {
    match package.sources.get(input).map(|source| source.format) {
        Some(Format::Bundle) => Role::MeasuredRunArchive,
        _ => Role::ExternalReceipt,
    }
}

/// What a join comes to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Evaluated {
    pub(crate) result: JoinResult,
    pub(crate) grade: Grade,
    pub(crate) value: Option<String>,
    pub(crate) unique: bool,
}

/// A scalar found at a pointer.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Found {
    Null,
    Bool(String),
    Number(String),
    Text(String),
}

impl Found {
    fn of(value: &Json<'_>) -> Option<Self> {
        Some(match value {
            Json::Null => Self::Null,
            Json::Bool(truth) => Self::Bool(truth.to_string()),
            Json::Number(_) => Self::Number(scalar_text(value)?),
            Json::String(text) => Self::Text(text.clone().into_owned()),
            Json::Array(_) | Json::Object(_) => return None,
        })
    }

    fn expected(scalar: &Scalar) -> Self {
        match scalar {
            Scalar::Null => Self::Null,
            Scalar::Bool(truth) => Self::Bool(truth.to_string()),
            Scalar::Count(count) => Self::Number(count.to_string()),
            Scalar::Text(text) => Self::Text(text.clone()),
        }
    }

    fn text(&self) -> Option<String> {
        match self {
            Self::Null => None,
            Self::Bool(text) | Self::Number(text) | Self::Text(text) => Some(text.clone()),
        }
    }
}

/// The parts of a join that decide what it comes to.
pub(crate) struct Question<'j> {
    pub(crate) left: &'j Ref,
    pub(crate) right: Option<&'j Ref>,
    pub(crate) proposition: &'j Proposition,
    pub(crate) join_key: JoinKey,
    pub(crate) scope: Scope,
}

impl<'j> Question<'j> {
    /// The question a recorded join answers.
    pub(crate) fn of(join: &'j Join) -> Self {
        Self {
            left: &join.left,
            right: join.right.as_ref(),
            proposition: &join.proposition,
            join_key: join.contract.join_key,
            scope: join.contract.scope,
        }
    }
}

/// Evaluates joins over one package; every record is read once.
pub(crate) struct Evaluator<'e, 'p, 'a> {
    package: &'e Package<'p, 'a>,
    observed: &'e Observed,
    index: KeyIndex,
    values: BTreeMap<Place, BTreeMap<&'e str, Found>>,
}

impl<'e, 'p, 'a> Evaluator<'e, 'p, 'a> {
    /// Prepares the evaluation of these questions.
    pub(crate) fn new(
        package: &'e Package<'p, 'a>,
        observed: &'e Observed,
        questions: &[Question<'e>],
    ) -> Result<Self, Reason> {
        let mut wanted: BTreeMap<Place, BTreeSet<&'e str>> = BTreeMap::new();
        for question in questions {
            let proposition = question.proposition;
            if let Some(left) = package.action(question.left) {
                wanted
                    .entry(left)
                    .or_default()
                    .insert(&proposition.left_pointer);
            }
            if let Some(right) = question.right.and_then(|right| package.action(right)) {
                wanted
                    .entry(right)
                    .or_default()
                    .insert(&proposition.right_pointer);
            }
        }
        let mut values: BTreeMap<Place, BTreeMap<&'e str, Found>> = BTreeMap::new();
        for (place, pointers) in wanted {
            let Some((source, record)) = package.at(place) else {
                continue;
            };
            let tree = source.tree_of(record).map_err(|_| Reason::InputShape)?;
            for path in pointers {
                // In a bundle only the run and the payload are retained values.
                let reachable = !matches!(source.content, Content::Bundle(_))
                    || path == "/assayrunid"
                    || path == "/data"
                    || path.starts_with("/data/");
                let found = if reachable {
                    pointer(&tree, path).and_then(Found::of)
                } else {
                    None
                };
                if let Some(found) = found {
                    values.entry(place).or_default().insert(path, found);
                }
            }
        }
        Ok(Self {
            package,
            observed,
            index: if questions.is_empty() {
                KeyIndex::empty()
            } else {
                KeyIndex::build(package)?
            },
            values,
        })
    }

    /// What a question comes to; `claim_boundary` when it cannot be asked.
    pub(crate) fn evaluate(&self, question: &Question<'_>) -> Result<Evaluated, Reason> {
        self.try_evaluate(question).ok_or(Reason::ClaimBoundary)
    }

    fn try_evaluate(&self, question: &Question<'_>) -> Option<Evaluated> {
        let proposition = question.proposition;
        let surface = self.observed.of(proposition.surface)?;
        let left = self.package.action(question.left)?;
        let left_value = self.value(left, &proposition.left_pointer)?;
        let side = self.side(
            left,
            &proposition.left_pointer,
            left_value,
            question,
            surface,
        );
        let strong = side.eligible && side.inside && side.unique && !self.observed.ambiguous;
        match proposition.kind {
            PropositionKind::EqualRetainedValue => {
                self.equal_value(question, surface, left_value, strong)
            }
            PropositionKind::CounterpartPresent => {
                self.counterpart(question, surface, left_value, strong, side.unique)
            }
        }
    }

    fn value(&self, place: Place, path: &str) -> Option<&Found> {
        self.values.get(&place)?.get(path)
    }

    /// How one side stands with respect to its key (package readings 10).
    fn side(
        &self,
        place: Place,
        path: &str,
        value: &Found,
        question: &Question<'_>,
        surface: &SurfaceResult,
    ) -> Side {
        let window = surface.window.as_ref();
        let keyed = self.package.at(place).and_then(|(source, record)| {
            let key = KeyPath::of(source, record, path)?;
            let Found::Text(text) = value else {
                return None;
            };
            Some((key, text, record.time))
        });
        let Some((key, text, time)) = keyed else {
            return Side::default();
        };
        let mut own = self
            .index
            .with(key, text)
            .iter()
            .filter(|keyed| keyed.place.input == place.input && keyed.inside(window));
        Side {
            eligible: key.serves(question.join_key, question.scope) && is_propagated(key, text),
            inside: is_inside(time, window),
            unique: own.next().is_some() && own.next().is_none(),
        }
    }

    fn equal_value(
        &self,
        question: &Question<'_>,
        surface: &SurfaceResult,
        left_value: &Found,
        strong: bool,
    ) -> Option<Evaluated> {
        let proposition = question.proposition;
        let right = self.package.action(question.right?)?;
        let right_value = self.value(right, &proposition.right_pointer)?;
        if proposition.expected != Scalar::Null {
            return None;
        }
        let side = self.side(
            right,
            &proposition.right_pointer,
            right_value,
            question,
            surface,
        );
        let (_, record) = self.package.at(right)?;
        let comparable = side.eligible
            && side.inside
            && side.unique
            && record.surface == Some(proposition.surface);
        let value = left_value.text();
        Some(if strong && comparable {
            Evaluated {
                result: if left_value == right_value {
                    JoinResult::Confirmed
                } else {
                    JoinResult::Contradicted
                },
                grade: Grade::Strong,
                value,
                unique: true,
            }
        } else {
            Evaluated {
                result: JoinResult::Unobservable,
                grade: if question.scope == Scope::Diagnostic {
                    Grade::Diagnostic
                } else {
                    Grade::Weak
                },
                value,
                unique: strong,
            }
        })
    }

    fn counterpart(
        &self,
        question: &Question<'_>,
        surface: &SurfaceResult,
        left_value: &Found,
        strong: bool,
        unique: bool,
    ) -> Option<Evaluated> {
        let proposition = question.proposition;
        let expected = Found::expected(&proposition.expected);
        if expected == Found::Null || expected != *left_value {
            return None;
        }
        let value = expected.text();
        let right = question
            .right
            .map(|right| self.package.action(right).ok_or(()))
            .transpose()
            .ok()?;
        let matches = self.matches(question, surface, value.as_deref().unwrap_or_default());
        let weak = Evaluated {
            result: JoinResult::Unobservable,
            grade: Grade::Weak,
            value: value.clone(),
            unique: false,
        };
        let failed = |result| Evaluated {
            result,
            grade: Grade::Failed,
            value: None,
            unique,
        };
        match (matches, right) {
            (Matches::None, None) => {
                let justified = surface.observation == Observation::Adequate
                    && surface
                        .window
                        .as_ref()
                        .is_some_and(crate::document::Window::is_open);
                Some(failed(if strong && justified {
                    JoinResult::Contradicted
                } else {
                    JoinResult::Unobservable
                }))
            }
            (Matches::One(place), Some(right)) if place == right => Some(if strong {
                Evaluated {
                    result: JoinResult::Confirmed,
                    grade: Grade::Strong,
                    value,
                    unique: true,
                }
            } else {
                weak
            }),
            (Matches::Several, Some(right)) => self
                .is_match(question, surface, right, value.as_deref()?)
                .then_some(weak),
            // No single counterpart is named, so the join failed (§7.3).
            (Matches::Several, None) => Some(failed(JoinResult::Unobservable)),
            _ => None,
        }
    }

    /// The one counterpart of a question, if there is exactly one.
    pub(crate) fn only_match(&self, question: &Question<'_>) -> Option<Place> {
        let surface = self.observed.of(question.proposition.surface)?;
        let value = Found::expected(&question.proposition.expected).text()?;
        match self.matches(question, surface, &value) {
            Matches::One(place) => Some(place),
            Matches::None | Matches::Several => None,
        }
    }

    fn is_match(
        &self,
        question: &Question<'_>,
        surface: &SurfaceResult,
        place: Place,
        value: &str,
    ) -> bool {
        self.candidates(question, surface, value)
            .any(|found| found == place)
    }

    /// Eligible records of the target surface inside its window that have the
    /// key at the right pointer.
    fn candidates<'s>(
        &'s self,
        question: &'s Question<'_>,
        surface: &'s SurfaceResult,
        value: &str,
    ) -> impl Iterator<Item = Place> + 's {
        let key = [KeyPath::ToolCall, KeyPath::Run]
            .into_iter()
            .find(|key| key.serves(question.join_key, question.scope));
        let keyed = key.map_or(&[] as &[_], |key| self.index.with(key, value));
        keyed
            .iter()
            .filter(move |keyed| {
                keyed.surface == surface.name
                    && keyed.eligible
                    && keyed.inside(surface.window.as_ref())
            })
            .filter(move |keyed| {
                self.package
                    .at(keyed.place)
                    .is_some_and(|(source, record)| {
                        KeyPath::of(source, record, &question.proposition.right_pointer) == key
                    })
            })
            .map(|keyed| keyed.place)
    }

    fn matches(&self, question: &Question<'_>, surface: &SurfaceResult, value: &str) -> Matches {
        let mut found = self.candidates(question, surface, value);
        match (found.next(), found.next()) {
            (None, _) => Matches::None,
            (Some(place), None) => Matches::One(place),
            (Some(_), Some(_)) => Matches::Several,
        }
    }
}

enum Matches {
    None,
    One(Place),
    Several,
}

#[derive(Default)]
struct Side {
    eligible: bool,
    inside: bool,
    unique: bool,
}

/// Whether a recorded join says what it comes to, and keeps the foreign
/// contract's scope rules.
pub(crate) fn agrees(join: &Join, evaluated: &Evaluated) -> bool {
    let contract = &join.contract;
    join.result == evaluated.result
        && contract.join_grade == evaluated.grade
        && contract.join_value == evaluated.value
        && contract.unique_within_scope == evaluated.unique
        && !contract.fallback_used
        && keeps_scope(contract)
}

/// The foreign schema's table of key, uniqueness, fallback, scope and grade.
pub(crate) fn keeps_scope(contract: &JoinContract) -> bool {
    use Grade::{Diagnostic, Failed, Weak};
    let grade = contract.join_grade;
    let own_scope = match contract.join_key {
        JoinKey::ToolCallId => Scope::ToolCall,
        JoinKey::RunId => Scope::Run,
        JoinKey::SessionId | JoinKey::TraceSpanId | JoinKey::TimestampOrOrder => {
            let graded =
                matches!(grade, Weak | Diagnostic) || (grade == Failed && !contract.fallback_used);
            return graded && (grade != Failed || contract.join_value.is_none());
        }
    };
    let scoped = contract.scope == own_scope;
    let any_scope = contract.join_key == JoinKey::ToolCallId;
    let graded = match (contract.unique_within_scope, contract.fallback_used) {
        (true, false) => scoped,
        (false, false) => (any_scope || scoped) && matches!(grade, Weak | Diagnostic | Failed),
        (_, true) => (any_scope || scoped) && matches!(grade, Weak | Diagnostic),
    };
    graded && (grade != Failed || contract.join_value.is_none())
}
