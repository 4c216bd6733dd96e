//! A receipt as one row of a list: what it shows, is sorted by and is filtered by.

use std::cmp::Ordering;

use attest_grading::model::{
    ActionType, AgentId, BaseState, DisplayNumber, Grade, IsoTs, ReasonCode, Receipt, ReceiptState,
};

use super::filter::fuzzy::Starts;
use super::look::grade_word;
use super::text::shown;

/// Where a receipt stands, as the list says it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Standing {
    /// Still checking: it has no grade and is in no count (§2).
    Checking,
    /// Pending only because it holds reverted overrides: no batch checks it any more (§7).
    Kept,
    /// Decided.
    Final,
    /// A person said otherwise; it counts by their word (§8).
    Overridden,
}

impl Standing {
    /// Every standing, in the order the list sorts them.
    pub const ALL: &'static [Self] = &[Self::Checking, Self::Kept, Self::Final, Self::Overridden];

    /// Where a receipt stands.
    pub fn of(receipt: &Receipt) -> Self {
        match receipt.state {
            ReceiptState::Pending if receipt.is_kept() => Self::Kept,
            ReceiptState::Pending => Self::Checking,
            ReceiptState::Final => Self::Final,
            ReceiptState::UserOverridden => Self::Overridden,
        }
    }

    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Checking => "checking",
            Self::Kept => "kept",
            Self::Final => "final",
            Self::Overridden => "overridden",
        }
    }
}

/// One row. Its texts are fit for a terminal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// The receipt's id.
    pub id: String,
    /// Where it stands.
    pub standing: Standing,
    /// The grade it counts as; none while it is checking or kept.
    pub grade: Option<Grade>,
    /// The grade a batch gave it, whatever a person says; none while it is still checking.
    pub graded: Option<Grade>,
    /// Whose action.
    pub agent: AgentId,
    /// What was claimed or seen; none for a scope, or where it is withheld.
    pub action: Option<ActionType>,
    /// Whether what it is about is not there to be shown: a package carries receipts alone.
    pub is_withheld: bool,
    /// When, as written in the ledger; for a scope, when the receipt was computed.
    pub at: IsoTs,
    /// With or to whom: a counterparty, a merchant, a scope.
    pub who: String,
    /// About what.
    pub what: String,
    /// The best candidate's score, rounded for display; an UNASKED receipt's attribution.
    pub score: Option<DisplayNumber>,
    /// The rule that matched.
    pub rule: String,
    /// Why, as codes.
    pub reasons: Vec<ReasonCode>,
    /// Whether a person's word on it was taken back.
    pub is_reverted: bool,
    /// Whether a claim explains it after all.
    pub is_superseded: bool,
    /// Whether nobody claimed the action: the agent is never more than likely.
    pub is_orphan: bool,
    /// What free text is looked for in: every text of the row in lower case, a line each.
    haystack: String,
    /// Where its first line ends, which is who, and its second, which is what.
    who_end: usize,
    what_end: usize,
    /// How its words begin.
    starts: Starts,
}

/// What a row shows beside what its receipt holds.
#[derive(Clone, Debug)]
pub struct Subject<'a> {
    /// What was claimed or seen; none for a scope, or where it is withheld.
    pub action: Option<ActionType>,
    /// Whether what it is about is not there to be shown.
    pub is_withheld: bool,
    /// When.
    pub at: IsoTs,
    /// With or to whom, as the file has it.
    pub who: &'a str,
    /// About what, as the file has it.
    pub what: &'a str,
    /// The score to show.
    pub score: Option<DisplayNumber>,
}

impl Row {
    /// What was claimed or seen, as a word.
    pub fn action_word(&self) -> &'static str {
        match self.action {
            Some(action) => action.as_str(),
            None if self.is_withheld => "withheld",
            None => "scope",
        }
    }

    /// The row of a receipt.
    pub fn new(receipt: &Receipt, subject: &Subject<'_>) -> Self {
        let standing = Standing::of(receipt);
        let grade = match standing {
            Standing::Checking | Standing::Kept => None,
            Standing::Final | Standing::Overridden => receipt.counted_grade(),
        };
        let mut row = Self {
            id: receipt.id.to_string(),
            standing,
            grade,
            graded: (receipt.base_state() == BaseState::Final).then_some(receipt.grade),
            agent: receipt.agent,
            action: subject.action,
            is_withheld: subject.is_withheld,
            at: subject.at,
            who: shown(subject.who).into_owned(),
            what: shown(subject.what).into_owned(),
            score: subject.score,
            rule: shown(receipt.rule_id.as_str()).into_owned(),
            reasons: receipt
                .reasons
                .iter()
                .map(attest_grading::model::Reason::code)
                .collect(),
            is_reverted: !receipt.reverted.is_empty(),
            is_superseded: receipt.superseded_by.is_some(),
            is_orphan: receipt.attribution_likely,
            haystack: String::new(),
            who_end: 0,
            what_end: 0,
            starts: Starts::default(),
        };
        row.haystack = [
            row.who.as_str(),
            row.what.as_str(),
            row.agent.as_str(),
            row.action_word(),
            row.verdict_code(),
            row.rule.as_str(),
            row.id.as_str(),
        ]
        .join("\n")
        .to_lowercase();
        row.measure();
        row
    }

    /// The grade it counts as, or that it has none: never a placeholder.
    pub fn verdict(&self) -> &'static str {
        self.grade.map_or(self.standing.word(), grade_word)
    }

    /// What free text finds of that: the code, whose parts are the words shown.
    fn verdict_code(&self) -> &'static str {
        self.grade.map_or(self.standing.word(), Grade::as_str)
    }

    /// With or to whom, and about what.
    pub fn about(&self) -> String {
        let parts = [self.who.as_str(), self.what.as_str()];
        let told: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        told.join("  ")
    }

    /// With or to whom, in lower case.
    pub fn lower_who(&self) -> &str {
        self.haystack.get(..self.who_end).unwrap_or_default()
    }

    /// About what, in lower case.
    pub fn lower_what(&self) -> &str {
        self.haystack
            .get(self.who_end + 1..self.what_end)
            .unwrap_or_default()
    }

    /// Finds the ends of the haystack's first lines, and how its words begin.
    fn measure(&mut self) {
        let mut ends = memchr::memchr_iter(b'\n', self.haystack.as_bytes());
        self.who_end = ends.next().unwrap_or(0);
        self.what_end = ends.next().unwrap_or(0);
        self.starts = Starts::of(&self.haystack);
    }

    /// How the words of [`Self::haystack`] begin.
    pub const fn starts(&self) -> Starts {
        self.starts
    }

    /// What free text is looked for in, in lower case, a line for each text.
    pub fn haystack(&self) -> &str {
        &self.haystack
    }
}

/// A column of the receipts list.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Column {
    /// Where the receipt stands.
    State,
    /// What it says.
    Grade,
    /// When.
    Time,
    /// Whose action.
    Agent,
    /// What kind of action.
    Action,
    /// With whom, then about what.
    Who,
    /// The score.
    Score,
    /// The rule that matched.
    Rule,
}

impl Column {
    /// Every column, from left to right.
    pub const ALL: &'static [Self] = &[
        Self::State,
        Self::Grade,
        Self::Time,
        Self::Agent,
        Self::Action,
        Self::Who,
        Self::Score,
        Self::Rule,
    ];

    /// The name the config file and the palette use.
    pub const fn name(self) -> &'static str {
        match self {
            Self::State => "state",
            Self::Grade => "grade",
            Self::Time => "time",
            Self::Agent => "agent",
            Self::Action => "action",
            Self::Who => "who",
            Self::Score => "score",
            Self::Rule => "rule",
        }
    }

    /// The column of this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|column| column.name() == name)
    }

    /// A number in the order of [`Self::compare`], and whether rows with the same number are the
    /// same in this column.
    fn key(self, row: &Row) -> (u128, bool) {
        let or_last = |number: Option<u128>| (number.unwrap_or(u128::MAX >> 1), true);
        match self {
            Self::State => (row.standing as u128, true),
            Self::Grade => or_last(row.grade.map(|grade| grade as u128)),
            Self::Time => (u128::from(row.at.instant().ms().abs_diff(i64::MIN)), true),
            Self::Agent => beginning(row.agent.as_str()),
            Self::Action => or_last(row.action.map(|action| action as u128)),
            Self::Who => (two_beginnings(&row.who, &row.what).0, false),
            Self::Score => or_last(row.score.map(|score| score.ten_thousandths().into())),
            Self::Rule => beginning(&row.rule),
        }
    }

    /// How two rows stand in this column, the least first; what is missing comes last.
    fn compare(self, a: &Row, b: &Row) -> Ordering {
        fn missing_last<T: Ord>(a: Option<T>, b: Option<T>) -> Ordering {
            match (a, b) {
                (Some(a), Some(b)) => a.cmp(&b),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => Ordering::Equal,
            }
        }
        match self {
            Self::State => a.standing.cmp(&b.standing),
            Self::Grade => missing_last(a.grade, b.grade),
            Self::Time => a.at.instant().cmp(&b.at.instant()),
            Self::Agent => a.agent.as_str().cmp(b.agent.as_str()),
            Self::Action => missing_last(a.action, b.action),
            Self::Who => a.who.cmp(&b.who).then_with(|| a.what.cmp(&b.what)),
            Self::Score => {
                let points = |row: &Row| row.score.map(DisplayNumber::ten_thousandths);
                missing_last(points(a), points(b))
            }
            Self::Rule => a.rule.cmp(&b.rule),
        }
    }
}

/// A text as a number in the order of texts, and whether the number tells it from every other
/// text: its first 15 bytes, then its length as far as they go.
fn beginning(text: &str) -> (u128, bool) {
    let mut bytes = [0; 16];
    if let Some(room) = bytes.get_mut(..15) {
        put(room, text.as_bytes());
    }
    let length = u8::try_from(text.len()).unwrap_or(16).min(16);
    if let Some(last) = bytes.last_mut() {
        *last = length;
    }
    (u128::from_be_bytes(bytes), length < 16)
}

/// Puts as much of a text as there is room for at the start of the bytes; how much that is.
fn put(bytes: &mut [u8], text: &[u8]) -> usize {
    let length = text.len().min(bytes.len());
    if let (Some(to), Some(from)) = (bytes.get_mut(..length), text.get(..length)) {
        to.copy_from_slice(from);
    }
    length
}

/// Two texts, the first before the second, as numbers in their order: their first 32 bytes. No text
/// that is fit for a terminal holds the byte between them, which is less than any of theirs.
fn two_beginnings(first: &str, second: &str) -> (u128, u128) {
    let mut bytes = [0; 32];
    let length = put(&mut bytes, first.as_bytes());
    if let Some(rest) = bytes.get_mut(length.saturating_add(1)..) {
        put(rest, second.as_bytes());
    }
    let (high, low) = bytes.split_at(16);
    let number = |half: &[u8]| half.try_into().map_or(0, u128::from_be_bytes);
    (number(high), number(low))
}

/// How a list is sorted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sort {
    /// By which column.
    pub column: Column,
    /// Whether the greatest comes first.
    pub descending: bool,
}

impl Default for Sort {
    fn default() -> Self {
        Self {
            column: Column::Time,
            descending: true,
        }
    }
}

impl Sort {
    /// The sort of a text: a column's name, after `-` when the greatest comes first.
    pub fn parse(text: &str) -> Option<Self> {
        let (descending, name) = match text.strip_prefix('-') {
            Some(name) => (true, name),
            None => (false, text),
        };
        Column::parse(name).map(|column| Self { column, descending })
    }

    /// Numbers that stand for a row's place in the order: rows with different numbers stand as the
    /// numbers do, rows with the same as [`Self::compare`] says.
    pub fn key(self, row: &Row) -> (u128, u128) {
        if self.column == Column::Who {
            let (first, second) = two_beginnings(&row.who, &row.what);
            return match self.descending {
                true => (!first, !second),
                false => (first, second),
            };
        }
        let (key, is_whole) = self.column.key(row);
        let key = if self.descending { !key } else { key };
        // Where the column says all, time comes next.
        let time = u128::from(row.at.instant().ms().abs_diff(i64::MIN));
        (key, if is_whole { time } else { 0 })
    }

    /// The order of two rows: by the column, then by time, then by id, so that it never wavers.
    pub fn compare(self, a: &Row, b: &Row) -> Ordering {
        let by_column = self.column.compare(a, b);
        let by_column = if self.descending {
            by_column.reverse()
        } else {
            by_column
        };
        by_column
            .then_with(|| Column::Time.compare(a, b))
            .then_with(|| a.id.cmp(&b.id))
    }
}

impl std::fmt::Display for Sort {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sign = if self.descending { "-" } else { "" };
        write!(f, "{sign}{}", self.column.name())
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A row written out, for tests of what lists do with rows.
    pub fn row(id: &str, grade: Option<Grade>, at: &str, who: &str, what: &str) -> Row {
        let mut row = Row {
            id: id.to_owned(),
            standing: if grade.is_some() {
                Standing::Final
            } else {
                Standing::Checking
            },
            grade,
            graded: grade,
            agent: AgentId::Muse,
            action: Some(ActionType::EmailSent),
            is_withheld: false,
            at: IsoTs::parse(at).unwrap(),
            who: shown(who).into_owned(),
            what: shown(what).into_owned(),
            score: None,
            rule: "verified".to_owned(),
            reasons: Vec::new(),
            is_reverted: false,
            is_superseded: false,
            is_orphan: false,
            haystack: String::new(),
            who_end: 0,
            what_end: 0,
            starts: Starts::default(),
        };
        rehash(&mut row);
        row
    }

    /// Makes the haystack of a row anew after its texts were changed.
    pub fn rehash(row: &mut Row) {
        row.haystack = [
            &row.who,
            &row.what,
            row.agent.as_str(),
            row.verdict_code(),
            &row.id,
        ]
        .join("\n")
        .to_lowercase();
        row.measure();
    }

    #[test]
    fn sorts_are_read_back() {
        for text in ["time", "-time", "grade", "-score", "who"] {
            assert_eq!(Sort::parse(text).unwrap().to_string(), text);
        }
        for text in ["", "-", "--time", "Time", "size"] {
            assert_eq!(Sort::parse(text), None, "{text}");
        }
    }

    /// What a list is sorted by is the order of its rows, in every column and both ways.
    #[test]
    fn keys_stand_in_the_order_of_rows() {
        let texts = [
            "",
            "a",
            "a b",
            "abcdefghijklmno",
            "abcdefghijklmnop",
            "abcdefghijklmnoq",
            "\u{e9}",
        ];
        let grades = [None, Some(Grade::Verified), Some(Grade::Unasked)];
        let times = [
            "1969-12-31T10:00:00Z",
            "2026-10-06T10:00:00Z",
            "2026-10-06T10:00:00+02:00",
        ];
        let mut rows = Vec::new();
        for (n, (who, what)) in texts
            .iter()
            .flat_map(|who| texts.map(|what| (who, what)))
            .enumerate()
        {
            let id = (texts.len() * texts.len() - n).to_string();
            let mut one = row(&id, grades[n % 3], times[n / 3 % 3], who, what);
            one.rule = texts[n / 2 % texts.len()].to_owned();
            one.score = u16::try_from(n % 5 * 2500)
                .ok()
                .and_then(DisplayNumber::new)
                .filter(|_| n % 4 > 0);
            one.action = (n % 7 > 0).then(|| ActionType::ALL[n % ActionType::ALL.len()]);
            one.agent = AgentId::ALL[n % AgentId::ALL.len()];
            rows.push(one);
        }
        for column in Column::ALL {
            for descending in [false, true] {
                let sort = Sort {
                    column: *column,
                    descending,
                };
                for (a, b) in rows.iter().flat_map(|a| rows.iter().map(move |b| (a, b))) {
                    let by_key = sort.key(a).cmp(&sort.key(b));
                    let by_row = sort.compare(a, b);
                    assert!(by_key.is_eq() || by_key == by_row, "{sort}: {a:?} {b:?}");
                }
            }
        }
    }

    #[test]
    fn what_is_missing_comes_last_and_ties_never_waver() {
        let mut rows = [
            row("C", None, "2026-10-06T10:00:00Z", "c", ""),
            row("B", Some(Grade::Partial), "2026-10-06T11:00:00Z", "b", ""),
            row("A", Some(Grade::Verified), "2026-10-06T12:00:00Z", "a", ""),
            row("D", Some(Grade::Verified), "2026-10-06T09:00:00Z", "a", ""),
        ];
        let ids = |rows: &[Row]| rows.iter().map(|row| row.id.clone()).collect::<String>();
        for (sort, expected) in [
            ("grade", "DABC"),
            ("-grade", "CBDA"),
            ("time", "DCBA"),
            ("-time", "ABCD"),
            ("who", "DABC"),
        ] {
            let sort = Sort::parse(sort).unwrap();
            rows.sort_by(|a, b| sort.compare(a, b));
            assert_eq!(ids(&rows), expected, "{sort}");
            rows.reverse();
            rows.sort_by(|a, b| sort.compare(a, b));
            assert_eq!(ids(&rows), expected, "{sort}");
        }
    }
}
