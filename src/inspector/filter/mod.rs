//! The filter language: `grade:unasked agent:muse score<0.85 since:2026-10-01 text`.
//!
//! Terms are separated by spaces and all must hold; `-` before a term turns it round, `,` between
//! values means either, and `"…"` keeps spaces. A word without a key is looked for in everything a
//! row shows: as it is, or with letters left out (see [`fuzzy`]). A date means that day on the wall
//! clock the row shows.

pub mod complete;
pub mod fuzzy;
mod parse;
mod passing;

use std::fmt;
use std::ops::Range;

use attest_grading::model::{ActionType, AgentId, Grade, Instant, ReasonCode};

use super::row::{Row, Standing};
use fuzzy::Needle;
pub use passing::Passing;

/// A filter: the terms that must all hold. None holds for every row.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Filter {
    terms: Vec<Term>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Term {
    negated: bool,
    /// One of them must hold.
    any: Vec<Test>,
}

/// The most tests of a filter, each word and each value between commas being one: what is typed
/// beyond them is no search any more, and every row would pay for it.
const MOST_TESTS: usize = 64;

#[derive(Clone, PartialEq, Eq, Debug)]
enum Test {
    Grade(Vec<Verdict>),
    Standing(Vec<Standing>),
    Agent(Vec<AgentId>),
    Action(Vec<ActionType>),
    Scope,
    Rule(String),
    /// Beginnings of ids, in order, none of them the beginning of another.
    Id(Vec<String>),
    Who(Box<Needle>),
    What(Box<Needle>),
    Reason(Vec<ReasonCode>),
    Is(Vec<Is>),
    Score(Comparison, Decimal),
    Since(Moment),
    Until(Moment),
    Text(Box<Needle>),
}

/// What `grade:` can ask for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Verdict {
    Grade(Grade),
    Standing(Standing),
}

/// What `is:` can ask for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Is {
    Standing(Standing),
    Reverted,
    Superseded,
    Scope,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Comparison {
    Less,
    AtMost,
    Equal,
    AtLeast,
    Greater,
}

/// A number as it was written: `digits / 10^places`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Decimal {
    digits: u64,
    places: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Moment {
    /// An instant.
    Exact(Instant),
    /// A span of the wall clock a row shows: from, and how long, in milliseconds.
    Wall(i64, i64),
}

/// What is wrong with one term.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FilterError {
    /// Where the term stands in the text, in bytes.
    pub at: Range<usize>,
    /// What is wrong.
    pub problem: FilterProblem,
}

/// The problems of a term.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FilterProblem {
    /// No such key, and the one it may have meant.
    UnknownKey(Option<&'static str>),
    /// A key with nothing after it.
    MissingValue(&'static str),
    /// A value its key does not have; what it may be.
    BadValue(&'static str, String),
    /// `<` or `>` with a key that has no order.
    NoOrder(&'static str),
    /// A quotation mark without its other one.
    OpenQuote,
    /// More words and values than are looked for.
    TooMany,
}

impl fmt::Display for FilterProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownKey(Some(meant)) => write!(f, "no such key; did you mean {meant}:?"),
            Self::UnknownKey(None) => {
                write!(f, "no such key; the keys are {}", parse::KEYS.join(", "))
            }
            Self::MissingValue(key) => write!(f, "{key}: needs a value"),
            Self::BadValue(key, wanted) => write!(f, "{key}: takes {wanted}"),
            Self::NoOrder(key) => write!(f, "{key}: has no order; write {key}:value"),
            Self::OpenQuote => f.write_str("a quotation mark is open"),
            Self::TooMany => write!(f, "at most {MOST_TESTS} words and values are looked for"),
        }
    }
}

impl Filter {
    /// Reads a filter: the terms that are well formed, and what is wrong with the others.
    pub fn parse(text: &str) -> (Self, Vec<FilterError>) {
        parse::parse(text)
    }

    /// Whether every row passes.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// Whether a row passes.
    pub fn matches(&self, row: &Row) -> bool {
        self.terms
            .iter()
            .all(|term| term.any.iter().any(|test| test.holds(row)) != term.negated)
    }

    /// The parts of a shown text that its free words stand in, in bytes, in order.
    pub fn found(&self, text: &str) -> Vec<Range<usize>> {
        let lower = text.to_lowercase();
        // Only where lower case keeps every place can a place be told.
        if lower.len() != text.len() {
            return Vec::new();
        }
        let mut found: Vec<Range<usize>> = self
            .terms
            .iter()
            .filter(|term| !term.negated)
            .flat_map(|term| &term.any)
            .filter_map(|test| match test {
                Test::Text(needle) => needle.find(&lower),
                _ => None,
            })
            .filter(|at| text.is_char_boundary(at.start) && text.is_char_boundary(at.end))
            .collect();
        found.sort_by_key(|at| at.start);
        found.dedup_by(|b, a| {
            let overlap = b.start <= a.end;
            if overlap {
                a.end = a.end.max(b.end);
            }
            overlap
        });
        found
    }
}

impl Test {
    fn holds(&self, row: &Row) -> bool {
        match self {
            Self::Grade(verdicts) => verdicts.iter().any(|verdict| match verdict {
                Verdict::Grade(grade) => row.grade == Some(*grade),
                Verdict::Standing(standing) => row.standing == *standing,
            }),
            Self::Standing(standings) => standings.contains(&row.standing),
            Self::Agent(agents) => agents.contains(&row.agent),
            Self::Action(actions) => row.action.is_some_and(|action| actions.contains(&action)),
            Self::Scope => row.action.is_none(),
            Self::Rule(rule) => *rule == row.rule,
            Self::Id(ids) => {
                // Of beginnings in order only the last one that is not greater can be the id's.
                let place = ids.partition_point(|id| id.as_str() <= row.id.as_str());
                let before = place.checked_sub(1).and_then(|place| ids.get(place));
                before.is_some_and(|id| row.id.starts_with(id.as_str()))
            }
            Self::Who(text) => text.is_in(row.lower_who()),
            Self::What(text) => text.is_in(row.lower_what()),
            Self::Reason(codes) => row.reasons.iter().any(|code| codes.contains(code)),
            Self::Is(all) => all.iter().any(|is| match is {
                Is::Standing(standing) => row.standing == *standing,
                Is::Reverted => row.is_reverted,
                Is::Superseded => row.is_superseded,
                Is::Scope => row.action.is_none(),
            }),
            Self::Score(comparison, value) => row.score.is_some_and(|score| {
                // score / 10^4 against digits / 10^places
                let shown = u128::from(score.ten_thousandths()) * 10u128.pow(value.places);
                let asked = u128::from(value.digits) * 10_000;
                match comparison {
                    Comparison::Less => shown < asked,
                    Comparison::AtMost => shown <= asked,
                    Comparison::Equal => shown == asked,
                    Comparison::AtLeast => shown >= asked,
                    Comparison::Greater => shown > asked,
                }
            }),
            Self::Since(moment) => match *moment {
                Moment::Exact(at) => row.at.instant() >= at,
                Moment::Wall(from, _) => row.at.wall_ms() >= from,
            },
            Self::Until(moment) => match *moment {
                Moment::Exact(at) => row.at.instant() <= at,
                Moment::Wall(from, length) => row.at.wall_ms() < from.saturating_add(length),
            },
            Self::Text(needle) => needle.is_found(row.haystack(), row.starts()),
        }
    }
}

#[cfg(test)]
mod tests {
    use attest_grading::model::DisplayNumber;

    use super::*;
    use crate::inspector::row::tests::{rehash, row};

    fn rows() -> Vec<Row> {
        let mut rows = vec![
            row(
                "01A",
                Some(Grade::Verified),
                "2026-10-06T14:02:00-04:00",
                "priya@company.com",
                "Q3 deck",
            ),
            row(
                "01B",
                Some(Grade::Unasked),
                "2026-10-01T00:00:00-04:00",
                "Zoë <zoe@x.org>",
                "Standup",
            ),
            row(
                "02C",
                None,
                "2026-09-30T23:59:59.999-04:00",
                "sam@company.com",
                "a\u{202e}b",
            ),
            row(
                "02D",
                Some(Grade::NotFound),
                "2026-10-07T00:00:00Z",
                "acme",
                "order 12",
            ),
        ];
        rows[0].score = DisplayNumber::new(8500);
        rows[1].score = DisplayNumber::new(7000);
        rows[1].agent = AgentId::Chatgpt;
        rows[1].action = Some(ActionType::CalendarUpdated);
        rows[1].reasons = vec![ReasonCode::UnaskedSession];
        rows[1].is_superseded = true;
        rows[3].standing = Standing::Overridden;
        rows[3].is_reverted = true;
        rows[3].action = None;
        rows[3].rule = "over_scope".to_owned();
        rows.iter_mut().for_each(rehash);
        rows
    }

    /// Which of the rows pass, by the last letter of their ids.
    fn passing(text: &str) -> String {
        let (filter, errors) = Filter::parse(text);
        assert_eq!(errors, [], "{text}");
        rows()
            .iter()
            .filter(|row| filter.matches(row))
            .map(|row| &row.id[2..])
            .collect()
    }

    #[test]
    fn what_passes() {
        for (text, expected) in [
            ("", "ABCD"),
            ("grade:verified", "A"),
            ("grade:VERIFIED,not-found", "AD"),
            ("grade:checking", "C"),
            ("-grade:checking", "ABD"),
            ("state:pending", "C"),
            ("state:final", "AB"),
            ("state:overridden", "D"),
            ("agent:chatgpt", "B"),
            ("type:email", "AC"),
            ("type:calendar", "B"),
            ("type:calendar.updated", "B"),
            ("type:calendar.created", ""),
            ("type:scope", "D"),
            ("is:scope", "D"),
            ("is:reverted", "D"),
            ("is:superseded", "B"),
            ("is:reverted,superseded", "BD"),
            ("reason:unasked.session", "B"),
            ("rule:over_scope", "D"),
            ("id:01", "AB"),
            ("who:company", "AC"),
            ("who:ZO\u{cb}", "B"),
            ("what:\"order 12\"", "D"),
            ("score<0.85", "B"),
            ("score<=0.85", "AB"),
            ("score=0.85", "A"),
            ("score:0.7", "B"),
            ("score>0.70001", "A"),
            ("score>=.7", "AB"),
            ("since:2026-10-01", "ABD"),
            ("until:2026-09-30", "C"),
            ("since:2026-10-06 until:2026-10-06", "A"),
            ("since:2026-10-06T14:02", "AD"),
            ("until:2026-10-06T14:02", "ABC"),
            ("since:2026-10-06T18:02:00Z", "AD"),
            ("since:2026-10-06T18:02:00.001Z", "D"),
            ("deck", "A"),
            ("q3dk", "A"),
            ("company -priya", "C"),
            ("\"q3 deck\"", "A"),
            ("acme order", "D"),
            // A hidden character is looked for as it is shown.
            ("u{202e}", "C"),
            ("grade:unasked agent:muse", ""),
            (
                "grade:unasked agent:chatgpt score<0.85 since:2026-10-01 standup",
                "B",
            ),
        ] {
            assert_eq!(passing(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_said_where_it_stands() {
        for (text, at, message) in [
            ("grad:verified", 0..13, "no such key; did you mean grade:?"),
            ("x grade:", 2..8, "grade: needs a value"),
            (
                "grade:good",
                0..10,
                "grade: takes verified, partial, not_found, unasked, over_scope, unverifiable, checking",
            ),
            (
                "agent:bob",
                0..9,
                "agent: takes muse, chatgpt, dots, claude",
            ),
            (
                "grade<verified",
                0..14,
                "grade: has no order; write grade:value",
            ),
            ("score<high", 0..10, "score: takes a number such as 0.85"),
            (
                "score<1.2345678901",
                0..18,
                "score: takes a number such as 0.85",
            ),
            (
                "since:2026-13-01",
                0..16,
                "since: takes a date such as 2026-10-01, or an instant such as 2026-10-01T14:02Z",
            ),
            (
                "since:yesterday",
                0..15,
                "since: takes a date such as 2026-10-01, or an instant such as 2026-10-01T14:02Z",
            ),
            ("a \"b", 2..4, "a quotation mark is open"),
            ("who:\"b", 0..6, "a quotation mark is open"),
        ] {
            let (_, errors) = Filter::parse(text);
            assert_eq!(errors.len(), 1, "{text}");
            assert_eq!(errors[0].at, at, "{text}");
            assert_eq!(errors[0].problem.to_string(), message, "{text}");
        }
    }

    #[test]
    fn the_rest_of_a_wrong_filter_still_filters() {
        let (filter, errors) = Filter::parse("grade:verified scor<1");
        assert_eq!(errors.len(), 1);
        assert_eq!(rows().iter().filter(|row| filter.matches(row)).count(), 1);
    }

    /// Ten thousand characters of one word are one test; a word said twice is looked for once.
    #[test]
    fn what_is_looked_for_has_an_end() {
        let (filter, errors) = Filter::parse(&"deck ".repeat(2000));
        assert_eq!((filter.terms.len(), errors.len()), (1, 0));
        let words: Vec<String> = (0..70).map(|n| format!("w{n}")).collect();
        let (filter, errors) = Filter::parse(&words.join(" "));
        assert_eq!((filter.terms.len(), errors.len()), (MOST_TESTS, 1));
        assert_eq!(
            errors[0].at,
            246..249,
            "the 65th: 10 of 3 cells and 54 of 4 before it"
        );
        assert_eq!(
            errors[0].problem.to_string(),
            "at most 64 words and values are looked for"
        );
        let (_, errors) = Filter::parse(&format!("who:{}", words.join(",")));
        assert_eq!(errors[0].problem, FilterProblem::TooMany);
        // Ids are pasted by the hundred, and are one test.
        let (filter, errors) = Filter::parse(&format!("id:{},01", words.join(",")));
        assert_eq!(errors, []);
        assert_eq!(rows().iter().filter(|row| filter.matches(row)).count(), 2);
    }

    #[test]
    fn where_words_were_found() {
        let (filter, _) = Filter::parse("deck q3 -zzz grade:verified");
        assert_eq!(filter.found("The Q3 Deck"), [4..6, 7..11]);
        let (filter, _) = Filter::parse("q3 q3d");
        assert_eq!(filter.found("Q3 Deck"), vec![0..4usize]);
        assert_eq!(filter.found("none"), []);
    }

    proptest::proptest! {
        #[test]
        fn no_text_breaks_it(text in "(grade|score|since|-|\"|:|<|=|,| |[0-9.-]|\\PC){0,24}", shown in "\\PC{0,24}") {
            let (filter, errors) = Filter::parse(&text);
            for error in errors {
                proptest::prop_assert!(text.get(error.at).is_some());
            }
            for at in filter.found(&shown) {
                proptest::prop_assert!(shown.get(at).is_some());
            }
            rows().iter().for_each(|row| { filter.matches(row); });
        }
    }
}
