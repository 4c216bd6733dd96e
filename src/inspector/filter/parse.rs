//! Reading a filter.

use std::collections::BTreeSet;
use std::ops::Range;

use attest_grading::model::{ActionType, AgentId, Grade, IsoTs, ReasonCode};

use super::fuzzy::Needle;
use super::{
    Comparison, Decimal, Filter, FilterError, FilterProblem, Is, MOST_TESTS, Moment, Term, Test,
    Verdict,
};
use crate::inspector::row::Standing;

/// Every key, in the order help and completion offer them.
pub(super) const KEYS: [&str; 12] = [
    "grade", "state", "agent", "type", "who", "what", "score", "since", "until", "rule", "reason",
    "is",
];

/// Keys read but not offered: `id` is pasted, never typed.
const ID: &str = "id";

const A_NUMBER: &str = "a number such as 0.85";
const A_MOMENT: &str = "a date such as 2026-10-01, or an instant such as 2026-10-01T14:02Z";

const MS_PER_MINUTE: i64 = 60_000;
const MS_PER_DAY: i64 = 86_400_000;

/// One term as it stands in the text: its parts without quotation marks.
struct Raw<'a> {
    at: Range<usize>,
    negated: bool,
    key: Option<(&'a str, &'a str)>,
    /// The values between commas, and whether a quotation mark was left open.
    values: Vec<String>,
    open: bool,
}

pub(super) fn parse(text: &str) -> (Filter, Vec<FilterError>) {
    let mut terms: Vec<Term> = Vec::new();
    let mut errors = Vec::new();
    let mut left = MOST_TESTS;
    for raw in split(text) {
        // What was said before is not looked for again; one word too many is told once.
        let problem = match read(&raw) {
            Ok(any) => {
                let term = Term {
                    negated: raw.negated,
                    any,
                };
                if term.any.is_empty() || terms.contains(&term) {
                    continue;
                }
                if let Some(rest) = left.checked_sub(term.any.len()) {
                    left = rest;
                    terms.push(term);
                    continue;
                }
                FilterProblem::TooMany
            }
            Err(problem) => problem,
        };
        let is_last = problem == FilterProblem::TooMany;
        errors.push(FilterError {
            at: raw.at,
            problem,
        });
        if is_last {
            break;
        }
    }
    (Filter { terms }, errors)
}

/// The terms of a text: separated by white space outside quotation marks.
fn split(text: &str) -> Vec<Raw<'_>> {
    let mut raws = Vec::new();
    let mut rest = text;
    loop {
        let start = text.len() - rest.len();
        let skipped = rest.len() - rest.trim_start().len();
        let (start, term) = (start + skipped, rest.trim_start());
        if term.is_empty() {
            return raws;
        }
        let mut quoted = false;
        let end = term
            .char_indices()
            .find(|(_, c)| {
                quoted ^= *c == '"';
                !quoted && c.is_whitespace()
            })
            .map_or(term.len(), |(at, _)| at);
        let (term, after) = term.split_at(end);
        raws.push(raw(term, start, quoted && end == term.len()));
        rest = after;
    }
}

fn raw(term: &str, start: usize, open: bool) -> Raw<'_> {
    let at = start..start + term.len();
    let (negated, body) = match term.strip_prefix('-') {
        Some(body) if !body.is_empty() => (true, body),
        _ => (false, term),
    };
    let key_length = body.bytes().take_while(u8::is_ascii_alphabetic).count();
    let (key, after) = body.split_at(key_length);
    let operator = ["<=", ">=", "<", ">", "=", ":"]
        .into_iter()
        .find(|op| after.starts_with(op));
    let (key, value) = match operator {
        Some(operator) if !key.is_empty() => (
            Some((key, operator)),
            after.get(operator.len()..).unwrap_or_default(),
        ),
        _ => (None, body),
    };
    let mut values = vec![String::new()];
    let mut quoted = false;
    for c in value.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted && key.is_some() => values.push(String::new()),
            _ => {
                if let Some(last) = values.last_mut() {
                    last.push(c);
                }
            }
        }
    }
    values.retain(|value| !value.is_empty());
    Raw {
        at,
        negated,
        key,
        values,
        open,
    }
}

/// The tests of a term, of which one must hold; none where it says nothing.
fn read(raw: &Raw<'_>) -> Result<Vec<Test>, FilterProblem> {
    if raw.open {
        return Err(FilterProblem::OpenQuote);
    }
    let Some((key, operator)) = raw.key else {
        return Ok(raw
            .values
            .first()
            .map(|word| Test::Text(Box::new(Needle::new(word))))
            .into_iter()
            .collect());
    };
    let lower = key.to_ascii_lowercase();
    let known = KEYS
        .iter()
        .copied()
        .chain([ID])
        .find(|known| *known == lower);
    let key = known.ok_or_else(|| FilterProblem::UnknownKey(nearest(&lower)))?;
    if raw.values.is_empty() {
        return Err(FilterProblem::MissingValue(key));
    }
    if key == "score" {
        return score(operator, &raw.values).map(|test| vec![test]);
    }
    if operator != ":" && operator != "=" {
        return Err(FilterProblem::NoOrder(key));
    }
    let texts = |test: fn(String) -> Test| {
        let lowered: BTreeSet<String> = raw
            .values
            .iter()
            .map(|value| value.to_lowercase())
            .collect();
        Ok(lowered.into_iter().map(test).collect())
    };
    let test = match key {
        "grade" => Test::Grade(each(raw, key, verdict, &grades())?),
        "state" => Test::Standing(each(raw, key, standing, STATES)?),
        "agent" => {
            let names: Vec<&str> = AgentId::ALL.iter().map(|agent| agent.as_str()).collect();
            Test::Agent(each(
                raw,
                key,
                |text| AgentId::parse(&text.to_ascii_lowercase()),
                &names.join(", "),
            )?)
        }
        "type"
            if raw
                .values
                .iter()
                .any(|value| value.eq_ignore_ascii_case("scope")) =>
        {
            Test::Scope
        }
        "type" => Test::Action(
            each(
                raw,
                key,
                actions,
                "a type such as email.sent, its first part, or scope",
            )?
            .concat(),
        ),
        "rule" => return texts(Test::Rule),
        ID => {
            let mut ids: Vec<String> = raw
                .values
                .iter()
                .map(|id| id.to_ascii_uppercase())
                .collect();
            ids.sort_unstable();
            ids.dedup_by(|id, shorter| id.starts_with(shorter.as_str()));
            Test::Id(ids)
        }
        "who" => return texts(|text| Test::Who(Box::new(Needle::new(&text)))),
        "what" => return texts(|text| Test::What(Box::new(Needle::new(&text)))),
        "reason" => Test::Reason(
            each(
                raw,
                key,
                reasons,
                "a reason code such as match.best, or its first part",
            )?
            .concat(),
        ),
        "is" => Test::Is(each(raw, key, is, IS)?),
        "since" => Test::Since(moment(raw, key)?),
        _ => Test::Until(moment(raw, key)?),
    };
    Ok(vec![test])
}

/// Every value of a term, or what the key takes.
fn each<T: PartialEq>(
    raw: &Raw<'_>,
    key: &'static str,
    read: impl Fn(&str) -> Option<T>,
    wanted: &str,
) -> Result<Vec<T>, FilterProblem> {
    let mut values = Vec::new();
    for value in &raw.values {
        let value = read(value).ok_or_else(|| FilterProblem::BadValue(key, wanted.to_owned()))?;
        if !values.contains(&value) {
            values.push(value);
        }
    }
    Ok(values)
}

fn grades() -> String {
    let mut names: Vec<String> = Grade::ALL
        .iter()
        .map(|grade| grade.as_str().to_ascii_lowercase())
        .collect();
    names.push(Standing::Checking.word().to_owned());
    names.join(", ")
}

fn verdict(text: &str) -> Option<Verdict> {
    let name = text.to_ascii_uppercase().replace('-', "_");
    if let Some(grade) = Grade::parse(&name) {
        return Some(Verdict::Grade(grade));
    }
    matches!(name.as_str(), "CHECKING" | "PENDING").then_some(Verdict::Standing(Standing::Checking))
}

const STATES: &str = "pending, final, overridden, kept";

fn standing(text: &str) -> Option<Standing> {
    match text.to_ascii_lowercase().replace('-', "_").as_str() {
        "pending" | "checking" => Some(Standing::Checking),
        "final" => Some(Standing::Final),
        "overridden" | "user_overridden" => Some(Standing::Overridden),
        "kept" => Some(Standing::Kept),
        _ => None,
    }
}

const IS: &str = "checking, kept, overridden, reverted, superseded, scope";

fn is(text: &str) -> Option<Is> {
    match text.to_ascii_lowercase().as_str() {
        "checking" => Some(Is::Standing(Standing::Checking)),
        "kept" => Some(Is::Standing(Standing::Kept)),
        "overridden" => Some(Is::Standing(Standing::Overridden)),
        "reverted" => Some(Is::Reverted),
        "superseded" => Some(Is::Superseded),
        "scope" => Some(Is::Scope),
        _ => None,
    }
}

/// The members whose text is `text`, or whose first parts are.
fn by_parts<T: Copy>(all: &[T], text: &str, name: impl Fn(T) -> &'static str) -> Option<Vec<T>> {
    let lower = text.to_ascii_lowercase();
    let matching: Vec<T> = all
        .iter()
        .copied()
        .filter(|member| {
            name(*member)
                .strip_prefix(lower.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        })
        .collect();
    (!matching.is_empty()).then_some(matching)
}

fn actions(text: &str) -> Option<Vec<ActionType>> {
    by_parts(ActionType::ALL, text, ActionType::as_str)
}

fn reasons(text: &str) -> Option<Vec<ReasonCode>> {
    by_parts(ReasonCode::ALL, text, ReasonCode::as_str)
}

fn score(operator: &str, values: &[String]) -> Result<Test, FilterProblem> {
    let comparison = match operator {
        "<" => Comparison::Less,
        "<=" => Comparison::AtMost,
        ">" => Comparison::Greater,
        ">=" => Comparison::AtLeast,
        _ => Comparison::Equal,
    };
    match values {
        [value] => decimal(value).map(|value| Test::Score(comparison, value)),
        _ => None,
    }
    .ok_or_else(|| FilterProblem::BadValue("score", A_NUMBER.to_owned()))
}

/// At most nine digits on either side of the point.
fn decimal(text: &str) -> Option<Decimal> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let digits = |text: &str| text.len() <= 9 && text.bytes().all(|b| b.is_ascii_digit());
    if !digits(whole) || !digits(part) || (whole.is_empty() && part.is_empty()) {
        return None;
    }
    let digits = format!("{whole}{part}").parse().ok()?;
    Some(Decimal {
        digits,
        places: u32::try_from(part.len()).ok()?,
    })
}

fn moment(raw: &Raw<'_>, key: &'static str) -> Result<Moment, FilterProblem> {
    let read = |text: &str| {
        let text = text.to_ascii_uppercase();
        let wall =
            |text: String, length| IsoTs::parse(&text).map(|at| Moment::Wall(at.wall_ms(), length));
        IsoTs::parse(&text)
            .map(|at| Moment::Exact(at.instant()))
            // An instant to the minute.
            .or_else(|| {
                let (minute, zone) = text.split_at_checked("2026-10-01T14:02".len())?;
                let at = IsoTs::parse(&format!("{minute}:00{zone}"))?;
                Some(Moment::Exact(at.instant()))
            })
            .or_else(|| wall(format!("{text}T00:00:00Z"), MS_PER_DAY))
            .or_else(|| wall(format!("{text}:00Z"), MS_PER_MINUTE))
    };
    match raw.values.as_slice() {
        [value] => read(value),
        _ => None,
    }
    .ok_or_else(|| FilterProblem::BadValue(key, A_MOMENT.to_owned()))
}

/// The key a misspelt one may have meant: one or two letters from it.
fn nearest(key: &str) -> Option<&'static str> {
    KEYS.into_iter()
        .map(|known| (strsim::osa_distance(known, key), known))
        .filter(|(distance, known)| *distance <= 2 && *distance < known.len())
        .min()
        .map(|(_, known)| known)
}
