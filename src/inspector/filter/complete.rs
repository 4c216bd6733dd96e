//! Completion of a filter being typed.

use std::ops::Range;

use attest_grading::model::{ActionType, AgentId, Grade, ReasonCode};

use super::parse::KEYS;
use crate::inspector::row::Standing;

/// What can stand where the cursor is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Completion {
    /// The part of the text a choice replaces, in bytes.
    pub at: Range<usize>,
    /// The choices, in order; none when nothing fits.
    pub choices: Vec<String>,
}

/// What can stand at `cursor` (a byte offset) in a filter; `rules` are the ids of the policy's.
pub fn complete(text: &str, cursor: usize, rules: &[String]) -> Completion {
    let before = text.get(..cursor).unwrap_or(text);
    let cursor = before.len();
    let start = before.rfind(char::is_whitespace).map_or(0, |at| {
        at + before
            .get(at..)
            .and_then(|rest| rest.chars().next())
            .map_or(0, char::len_utf8)
    });
    let term = before.get(start..).unwrap_or_default();
    let (start, term) = match term.strip_prefix('-') {
        Some(rest) => (start + 1, rest),
        None => (start, term),
    };
    let Some((key, values)) = term.split_once(':') else {
        let choices = KEYS
            .iter()
            .filter(|key| key.starts_with(term) && !term.is_empty());
        let choices = choices
            .map(|key| {
                if *key == "score" {
                    "score<".to_owned()
                } else {
                    format!("{key}:")
                }
            })
            .collect();
        return Completion {
            at: start..cursor,
            choices,
        };
    };
    let value = values.rsplit(',').next().unwrap_or(values).to_lowercase();
    let mut choices: Vec<String> = match key.to_ascii_lowercase().as_str() {
        "grade" => Grade::ALL
            .iter()
            .map(|grade| grade.as_str().to_ascii_lowercase())
            .chain([Standing::Checking.word().to_owned()])
            .collect(),
        "state" => ["pending", "final", "overridden", "kept"]
            .map(str::to_owned)
            .to_vec(),
        "agent" => AgentId::ALL
            .iter()
            .map(|agent| agent.as_str().to_owned())
            .collect(),
        "type" => ActionType::ALL
            .iter()
            .map(|action| action.as_str().to_owned())
            .chain(["scope".to_owned()])
            .collect(),
        "is" => [
            "checking",
            "kept",
            "overridden",
            "reverted",
            "superseded",
            "scope",
        ]
        .map(str::to_owned)
        .to_vec(),
        "reason" => ReasonCode::ALL
            .iter()
            .map(|code| code.as_str().to_owned())
            .collect(),
        "rule" => rules.to_vec(),
        _ => Vec::new(),
    };
    choices.retain(|choice| choice.starts_with(&value) && *choice != value);
    Completion {
        at: cursor - value_length(values)..cursor,
        choices,
    }
}

fn value_length(values: &str) -> usize {
    values.rsplit(',').next().map_or(0, str::len)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inspector::filter::Filter;

    fn completed(text: &str) -> (Range<usize>, String) {
        let rules = ["verified".to_owned(), "over_scope".to_owned()];
        let completion = complete(text, text.len(), &rules);
        (completion.at, completion.choices.join(" "))
    }

    #[test]
    fn completions() {
        for (text, at, choices) in [
            ("", 0..0, ""),
            ("g", 0..1, "grade:"),
            ("s", 0..1, "state: score< since:"),
            ("x -ag", 3..5, "agent:"),
            ("grade:un", 6..8, "unasked unverifiable"),
            ("grade:partial,v", 14..15, "verified"),
            (
                "type:cal",
                5..8,
                "calendar.created calendar.updated calendar.deleted",
            ),
            ("rule:", 5..5, "verified over_scope"),
            ("agent:muse", 6..10, ""),
            ("\u{e9} is:k", 6..7, "kept"),
            ("plain", 0..5, ""),
        ] {
            assert_eq!(completed(text), (at, choices.to_owned()), "{text}");
        }
    }

    #[test]
    fn what_is_completed_is_understood() {
        for key in KEYS {
            for choice in complete(&format!("{key}:"), key.len() + 1, &[]).choices {
                assert_eq!(
                    Filter::parse(&format!("{key}:{choice}")).1,
                    [],
                    "{key}:{choice}"
                );
            }
        }
    }

    #[test]
    fn inside_a_text_only_what_is_before_the_cursor_counts() {
        let completion = complete("grade:un agent:muse", 8, &[]);
        assert_eq!(completion.at, 6..8);
        assert_eq!(completion.choices, ["unasked", "unverifiable"]);
        assert_eq!(complete("\u{e9}", 1, &[]).choices, Vec::<String>::new());
    }
}
