//! The policy: its rules and numbers, and what another one would change. A preview is never stored.

mod document;
mod draw;
mod plain;
mod preview;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{MouseEvent, MouseEventKind};
use ratatui::layout::{Position, Rect};
use ratatui::text::Line;

use super::reading::page_lines;
use super::{Answer as Any, Facts, Query as AnyQuery, Scene, Screen, Want};
use crate::inspector::action::Action;
use crate::inspector::app::layout::inner;
use crate::inspector::app::state::{Focus, Tab};
use crate::inspector::panes::Pane;
use crate::inspector::theme::{Depth, Role};
use crate::inspector::widgets::cursor::{Cursor, Scroll};
use crate::inspector::work::Progress;

pub use document::{Document, PolicyLine, Proposal};
pub use plain::plain;
pub use preview::{Change, Outcome, Preview};

/// Which line is typed: a number.
const OF_NUMBER: u8 = 0;
/// Which line is typed: a policy file.
const OF_FILE: u8 = 1;

/// What it asks of the work thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Query {
    /// The loaded policy.
    Load,
    /// What a proposal would change.
    Preview(Proposal),
}

/// What comes of it.
#[derive(Clone, Debug)]
pub enum Answer {
    /// The loaded policy.
    Loaded(Arc<Document>),
    /// What the proposal would change, or why it is refused.
    Previewed(Proposal, Arc<Outcome>),
}

/// The state.
#[derive(Clone, Debug)]
pub struct State {
    loaded: Option<Arc<Document>>,
    is_asked: bool,
    failure: Option<String>,
    focus: Focus,
    cursor: Cursor,
    /// What is tried out.
    proposal: Proposal,
    /// What was heard of it; none while it is worked on.
    outcome: Option<Arc<Outcome>>,
    /// The change the cursor is on.
    change: Cursor,
    /// The place in the refusals.
    refusals: Scroll,
    /// What was looked at, as lines, and what they were made for.
    summary: Vec<Line<'static>>,
    summary_for: Option<(u16, String, Depth)>,
}

impl Default for State {
    fn default() -> Self {
        Self {
            loaded: None,
            is_asked: false,
            failure: None,
            focus: Focus::List,
            cursor: Cursor::default(),
            proposal: Proposal::default(),
            outcome: None,
            change: Cursor::default(),
            refusals: Scroll::default(),
            summary: Vec::new(),
            summary_for: None,
        }
    }
}

/// Does a job of the screen's, on the work thread.
///
/// # Errors
/// Grading refuses the ledger's open receipts.
pub fn answer(query: &Query, facts: &Facts<'_>, progress: &Progress) -> Result<Answer, String> {
    match query {
        Query::Load => Ok(Answer::Loaded(Arc::new(Document::new(facts.policy)))),
        Query::Preview(proposal) => {
            let outcome = preview::preview(proposal, facts, progress)?;
            Ok(Answer::Previewed(proposal.clone(), Arc::new(outcome)))
        }
    }
}

impl State {
    /// The policy that is shown: the one tried out where it loads, else the loaded one.
    fn document(&self) -> Option<&Document> {
        match self.outcome.as_deref() {
            Some(Outcome::Preview(preview)) => Some(&preview.document),
            _ => self.loaded.as_deref(),
        }
    }

    fn lines(&self) -> &[PolicyLine] {
        self.document().map_or(&[], |document| &document.lines)
    }

    fn changes(&self) -> &[Change] {
        match self.outcome.as_deref() {
            Some(Outcome::Preview(preview)) => &preview.changes,
            _ => &[],
        }
    }

    /// Makes the lines of what was looked at, where they are not made yet.
    fn summarize(&mut self, scene: &Scene<'_>, width: u16) {
        let palette = &scene.look.palette;
        let made_for = (width, palette.name.clone(), palette.depth);
        let Some(Outcome::Preview(preview)) = self.outcome.as_deref() else {
            return;
        };
        if self.summary_for.as_ref() == Some(&made_for) {
            return;
        }
        let pane = Pane {
            look: scene.look,
            width: usize::from(width),
            unfolded: true,
            keymap: scene.keymap,
        };
        self.summary = plain::summary(preview, &self.proposal, &pane);
        self.summary_for = Some(made_for);
    }

    /// What the loaded policy writes at a path.
    fn loaded_number(&self, path: &str) -> Option<&str> {
        let lines = self.loaded.as_deref()?.lines.iter();
        let mut written = lines.filter_map(|line| match line {
            PolicyLine::Number {
                path: held,
                written,
                ..
            } if held == path => Some(written.as_str()),
            _ => None,
        });
        written.next()
    }

    /// Tries out what is proposed now.
    fn ask(&mut self) -> Vec<Want> {
        self.outcome = None;
        self.summary_for = None;
        self.change = Cursor::default();
        self.refusals = Scroll::default();
        if self.proposal.is_empty() {
            return vec![
                Want::Cancel,
                Want::Tell(Role::Muted, "nothing is tried out any more".to_owned()),
            ];
        }
        let query = Query::Preview(self.proposal.clone());
        vec![Want::Ask(AnyQuery::Policy(query))]
    }

    /// Asks for another number in place of the one the cursor is on.
    fn edit(&mut self) -> Vec<Want> {
        let Some(PolicyLine::Number {
            path,
            written,
            unit,
        }) = self.lines().get(self.cursor.at).cloned()
        else {
            // The page shows the line whole.
            self.focus = Focus::Detail;
            return vec![Want::Tell(
                Role::Muted,
                "only a number can be changed here; another file can change anything".to_owned(),
            )];
        };
        let loaded = self.loaded_number(&path).unwrap_or(&written);
        let typed = self.proposal.numbers.get(&path);
        let unit = if unit.is_empty() {
            String::new()
        } else {
            format!(" {unit}")
        };
        vec![Want::Line {
            tag: OF_NUMBER,
            title: format!("what if {path}, {loaded}{unit} now, were"),
            text: typed.unwrap_or(&written).clone(),
        }]
    }

    fn open(&mut self) -> Vec<Want> {
        match (self.focus, self.changes().get(self.change.at)) {
            (Focus::List, _) => self.edit(),
            (Focus::Detail, Some(change)) if change.before.is_some() => {
                vec![Want::Receipt(change.id.clone(), Tab::Why)]
            }
            (Focus::Detail, Some(_)) => vec![Want::Tell(
                Role::Muted,
                "this receipt is only in the preview".to_owned(),
            )],
            (Focus::Detail, None) => {
                vec![Want::Tell(Role::Muted, "no receipt is chosen".to_owned())]
            }
        }
    }

    fn step(&mut self, by: isize) {
        match self.focus {
            Focus::List => {
                let len = self.lines().len();
                self.cursor.step(by, len);
            }
            Focus::Detail => {
                let len = self.changes().len();
                self.change.step(by, len);
                self.refusals.step(by);
            }
        }
    }

    /// The number after the cursor that can be changed, or the one before.
    fn step_number(&mut self, forward: bool) {
        let numbers = || {
            self.lines()
                .iter()
                .enumerate()
                .filter(|(_, line)| matches!(line, PolicyLine::Number { .. }))
                .map(|(place, _)| place)
        };
        let at = self.cursor.at;
        let next = if forward {
            numbers().find(|place| *place > at)
        } else {
            numbers().rfind(|place| *place < at)
        };
        if let Some(place) = next {
            self.cursor.at = place;
        }
    }
}

impl Screen for State {
    fn focus(&self) -> Focus {
        self.focus
    }

    fn enter(&mut self, scene: &Scene<'_>) -> Vec<Want> {
        if !scene.is_open || self.is_asked {
            return Vec::new();
        }
        self.failure = None;
        let mut wants = Vec::new();
        if self.loaded.is_none() {
            self.is_asked = true;
            wants.push(Want::Ask(AnyQuery::Policy(Query::Load)));
        }
        // After the ledger changed, what is tried out is tried out on the ledger as it is; and what
        // was cancelled, again.
        let is_missing = matches!(self.outcome.as_deref(), None | Some(Outcome::Failed(_)));
        if is_missing && !self.proposal.is_empty() {
            wants.extend(self.ask());
        }
        wants
    }

    fn forget(&mut self) {
        self.loaded = None;
        self.is_asked = false;
        self.failure = None;
        self.outcome = None;
    }

    fn update(&mut self, action: Action, scene: &Scene<'_>) -> Vec<Want> {
        let (list, page) = draw::places(self, scene.area);
        let height = match self.focus {
            Focus::List => list.map(|area| inner(area).height),
            Focus::Detail => page.map(|area| page_lines(area).height),
        };
        let leaf = isize::try_from(height.unwrap_or(1).saturating_sub(1).max(1)).unwrap_or(1);
        match action {
            Action::Open => return self.open(),
            Action::PickPolicy => {
                return vec![Want::Line {
                    tag: OF_FILE,
                    title: "what if the policy were this file; empty for the loaded one".to_owned(),
                    text: self.proposal.file.clone().unwrap_or_default(),
                }];
            }
            Action::DropWhatIf => {
                self.proposal = Proposal::default();
                return self.ask();
            }
            Action::NextNumber => self.step_number(true),
            Action::PreviousNumber => self.step_number(false),
            Action::CopyId => {
                let change = self.changes().get(self.change.at);
                return match (self.focus, change, self.document()) {
                    (Focus::Detail, Some(change), _) => vec![Want::Copy(change.id.clone())],
                    (_, _, Some(document)) => vec![Want::Copy(document.hash.clone())],
                    (_, _, None) => Vec::new(),
                };
            }
            Action::Right => self.focus = Focus::Detail,
            Action::Left | Action::Back => self.focus = Focus::List,
            Action::FocusNext | Action::FocusPrevious => {
                self.focus = match self.focus {
                    Focus::List => Focus::Detail,
                    Focus::Detail => Focus::List,
                };
            }
            Action::Down => self.step(1),
            Action::Up => self.step(-1),
            Action::PageDown => self.step(leaf),
            Action::PageUp => self.step(-leaf),
            Action::First => self.step(isize::MIN / 2),
            Action::Last => self.step(isize::MAX / 2),
            _ => {}
        }
        Vec::new()
    }

    fn mouse(&mut self, event: MouseEvent, scene: &Scene<'_>) -> Vec<Want> {
        let at = Position::new(event.column, event.row);
        let by = match event.kind {
            MouseEventKind::ScrollDown => 3,
            MouseEventKind::ScrollUp => -3,
            _ => 0,
        };
        let (list, page) = draw::places(self, scene.area);
        let over = |area: Option<Rect>| area.filter(|area| area.contains(at));
        if let Some(area) = over(page) {
            self.focus = Focus::Detail;
            let rows = draw::change_rows(self, area);
            let row = self.change.top + usize::from(at.y.saturating_sub(rows.y));
            if by == 0 && rows.contains(at) && row < self.changes().len() {
                self.change.at = row;
            }
        } else if let Some(area) = over(list) {
            self.focus = Focus::List;
            let rows = inner(area);
            let row = self.cursor.top + usize::from(at.y.saturating_sub(rows.y));
            if by == 0 && rows.contains(at) && row < self.lines().len() {
                self.cursor.at = row;
            }
        }
        if by != 0 {
            self.step(by);
        }
        Vec::new()
    }

    fn typed(&mut self, tag: u8, text: &str, _scene: &Scene<'_>) -> Vec<Want> {
        let text = text.trim();
        if tag == OF_FILE {
            self.proposal.file = (!text.is_empty()).then(|| text.to_owned());
            return self.ask();
        }
        let Some(PolicyLine::Number { path, .. }) = self.lines().get(self.cursor.at).cloned()
        else {
            return Vec::new();
        };
        let is_loaded = self.proposal.file.is_none() && self.loaded_number(&path) == Some(text);
        if text.is_empty() || is_loaded {
            self.proposal.numbers.remove(&path);
        } else {
            self.proposal.numbers.insert(path, text.to_owned());
        }
        self.ask()
    }

    /// Of proposals the one before is replaced by the next.
    fn waits_for(&self, query: &AnyQuery) -> bool {
        match query {
            AnyQuery::Policy(Query::Preview(proposal)) => *proposal == self.proposal,
            _ => true,
        }
    }

    fn hear(&mut self, answer: Result<Any, String>, _scene: &Scene<'_>) -> Vec<Want> {
        match answer {
            Ok(Any::Policy(Answer::Loaded(document))) => {
                self.is_asked = false;
                self.loaded = Some(document);
            }
            // Of proposals only the last is still wanted.
            Ok(Any::Policy(Answer::Previewed(proposal, outcome))) if proposal == self.proposal => {
                self.outcome = Some(outcome);
                self.summary_for = None;
            }
            Ok(_) => {}
            Err(why) if self.loaded.is_none() => {
                self.is_asked = false;
                self.failure = Some(why);
            }
            Err(why) => {
                self.outcome = Some(Arc::new(Outcome::Failed(why)));
            }
        }
        Vec::new()
    }

    fn settle(&mut self, scene: &Scene<'_>) -> Vec<Want> {
        if scene.area.is_empty() {
            return Vec::new();
        }
        let (list, page) = draw::places(self, scene.area);
        if let Some(area) = list {
            let rows = usize::from(inner(area).height).max(1);
            let len = self.lines().len();
            self.cursor.settle(len, rows);
        }
        if let Some(area) = page {
            self.summarize(scene, page_lines(area).width);
            let rows = usize::from(draw::change_rows(self, area).height).max(1);
            let len = self.changes().len();
            self.change.settle(len, rows);
            let lines = match self.outcome.as_deref() {
                Some(Outcome::Refused(lines)) => lines.len(),
                _ => 0,
            };
            self.refusals.settle(lines, rows);
        }
        Vec::new()
    }

    fn draw(&self, scene: &Scene<'_>, buffer: &mut Buffer) {
        draw::draw(self, scene, buffer);
    }
}
