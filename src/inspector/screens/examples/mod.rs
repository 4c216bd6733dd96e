//! The worked examples: the golden scenarios, walked through one step a key press, the hand
//! computation of their notes beside what the program computes. It needs no ledger.

mod catalogue;
mod draw;
mod events;
mod figures;
mod pages;
mod plain;
mod result;
mod steps;
#[cfg(test)]
pub mod tests;
mod world;

use std::sync::Arc;

use attest_grading::scenario::{Scenario, Walk, walk};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{MouseEvent, MouseEventKind};
use ratatui::layout::{Position, Rect};

use super::reading::{Reading, page_lines};
use super::{Answer as Any, Query as AnyQuery, Scene, Screen, Want};
use crate::inspector::action::Action;
use crate::inspector::app::layout::list_rows;
use crate::inspector::app::state::Focus;
use crate::inspector::panes::Pane;
use crate::inspector::theme::{Depth, Role};
use crate::inspector::widgets::cursor::Cursor;
use crate::inspector::work::Progress;

pub use catalogue::Entry;
pub use plain::plain;
use steps::{Step, steps};

/// What it asks of the work thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Query {
    /// Every example there is.
    List,
    /// One example, by its number, graded and traced.
    Walk(u32),
}

/// What comes of it.
#[derive(Clone, Debug)]
pub enum Answer {
    /// Every example, by number.
    List(Arc<Vec<Entry>>),
    /// One example.
    Walk(Arc<Opened>),
}

/// One example, graded and traced.
#[derive(Debug)]
pub struct Opened {
    number: u32,
    scenario: Scenario,
    walk: Walk,
}

/// Which of the two panes of a step keys move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Side {
    /// What was computed.
    #[default]
    Page,
    /// The hand computation.
    Notes,
}

/// What the panes of a step were made for.
#[derive(Clone, PartialEq, Debug)]
struct MadeFor {
    at: usize,
    widths: (u16, u16),
    palette: (String, Depth),
}

/// An example being walked through.
#[derive(Clone, Debug)]
struct Walking {
    opened: Arc<Opened>,
    steps: Vec<Step>,
    at: usize,
    side: Side,
    page: Reading,
    notes: Reading,
    made_for: Option<MadeFor>,
}

/// The state.
#[derive(Clone, Debug, Default)]
pub struct State {
    entries: Arc<Vec<Entry>>,
    asked: bool,
    failure: Option<String>,
    cursor: Cursor,
    about: Reading,
    about_for: Option<(usize, u16, String, Depth)>,
    /// The number of the example that was asked for.
    opening: Option<u32>,
    /// One that was asked for in vain.
    failed: Option<u32>,
    walking: Option<Walking>,
}

/// Does a job of the screen's, on the work thread.
///
/// # Errors
/// The example does not read or is refused by grading.
pub fn answer(query: &Query, progress: &Progress) -> Result<Answer, String> {
    match query {
        Query::List => {
            progress.report("reading the examples", 0, 0);
            Ok(Answer::List(Arc::new(catalogue::entries())))
        }
        Query::Walk(number) => {
            progress.report("grading the example", 0, 0);
            open(*number).map(|opened| Answer::Walk(Arc::new(opened)))
        }
    }
}

fn open(number: u32) -> Result<Opened, String> {
    let scenario = catalogue::scenario(number).ok_or("there is no such example")?;
    let walk = walk(&scenario).map_err(|error| error.to_string())?;
    Ok(Opened {
        number,
        scenario,
        walk,
    })
}

impl State {
    /// The example the cursor is on.
    fn entry(&self) -> Option<&Entry> {
        self.entries.get(self.cursor.at)
    }

    fn open_chosen(&mut self) -> Vec<Want> {
        let Some(number) = self.entry().map(|entry| entry.number) else {
            return Vec::new();
        };
        self.open(number)
    }

    fn open(&mut self, number: u32) -> Vec<Want> {
        self.opening = Some(number);
        self.failed = None;
        vec![Want::Ask(AnyQuery::Examples(Query::Walk(number)))]
    }

    fn update_list(&mut self, action: Action, scene: &Scene<'_>) -> Vec<Want> {
        let len = self.entries.len();
        let page = draw::list_area(scene.area).0;
        let page = isize::try_from(list_rows(page).height.saturating_sub(1).max(1)).unwrap_or(1);
        let by = match action {
            Action::Down | Action::NextExample => 1,
            Action::Up | Action::PreviousExample => -1,
            Action::PageDown => page,
            Action::PageUp => -page,
            Action::First => isize::MIN / 2,
            Action::Last => isize::MAX / 2,
            Action::Open | Action::Right | Action::NextStep => return self.open_chosen(),
            Action::Back => {
                let text = "these are the examples; enter opens one";
                return vec![Want::Tell(Role::Muted, text.to_owned())];
            }
            _ => return Vec::new(),
        };
        self.cursor.step(by, len);
        Vec::new()
    }

    /// Walks another example, from the list.
    fn turn(&mut self, by: isize) -> Vec<Want> {
        let before = self.cursor.at;
        self.cursor.step(by, self.entries.len());
        if self.cursor.at == before {
            let text = "there is no further example";
            return vec![Want::Tell(Role::Muted, text.to_owned())];
        }
        self.open_chosen()
    }
}

impl Walking {
    fn new(opened: Arc<Opened>) -> Self {
        Self {
            steps: steps(&opened.scenario, &opened.walk),
            opened,
            at: 0,
            side: Side::Page,
            page: Reading::default(),
            notes: Reading::default(),
            made_for: None,
        }
    }

    fn step(&mut self, by: isize) -> Vec<Want> {
        let to = self
            .at
            .checked_add_signed(by)
            .filter(|to| *to < self.steps.len());
        match to {
            Some(to) => {
                self.at = to;
                Vec::new()
            }
            None => {
                let text = if by > 0 {
                    "this is the last step; ] opens the next example"
                } else {
                    "this is the first step; esc goes back to the list"
                };
                vec![Want::Tell(Role::Muted, text.to_owned())]
            }
        }
    }

    /// The first step of another receipt, or of what is not one receipt's.
    fn step_subject(&mut self, by: isize) -> Vec<Want> {
        let here = self.steps.get(self.at).and_then(|step| step.subject);
        let mut to = self.at;
        loop {
            let Some(next) = to
                .checked_add_signed(by)
                .filter(|next| *next < self.steps.len())
            else {
                return self.step(by.saturating_mul(isize::MAX / 2));
            };
            to = next;
            if self.steps.get(to).is_some_and(|step| step.subject != here) {
                break;
            }
        }
        // Backward it lands on a receipt's last step; its first is wanted.
        let subject = self.steps.get(to).and_then(|step| step.subject);
        if let Some(first) = self.steps.iter().position(|step| step.subject == subject)
            && subject.is_some()
        {
            to = first;
        }
        self.at = to;
        Vec::new()
    }

    fn update(&mut self, action: Action, scene: &Scene<'_>) -> Vec<Want> {
        let places = draw::places(scene.area, self);
        let shown = match self.side {
            Side::Page => places.page,
            Side::Notes => places.notes,
        };
        let page = shown.map_or(1, |area| page_lines(area).height.saturating_sub(1).max(1));
        let page = isize::try_from(page).unwrap_or(1);
        let by = match action {
            Action::NextStep | Action::Right | Action::Open => return self.step(1),
            Action::PreviousStep | Action::Left => return self.step(-1),
            Action::NextSubject => return self.step_subject(1),
            Action::PreviousSubject => return self.step_subject(-1),
            Action::FocusNext | Action::FocusPrevious => {
                self.side = match self.side {
                    Side::Page => Side::Notes,
                    Side::Notes => Side::Page,
                };
                return Vec::new();
            }
            Action::CopyId => {
                let step = self.steps.get(self.at).and_then(|step| step.subject);
                let trace = step.and_then(|at| self.opened.walk.subjects.get(at));
                return match trace {
                    Some((_, trace)) => vec![Want::Copy(trace.receipt.id.to_string())],
                    None => vec![Want::Tell(
                        Role::Muted,
                        "this step is not about one receipt".to_owned(),
                    )],
                };
            }
            Action::Down => 1,
            Action::Up => -1,
            Action::PageDown => page,
            Action::PageUp => -page,
            Action::First => isize::MIN / 2,
            Action::Last => isize::MAX / 2,
            _ => return Vec::new(),
        };
        match self.side {
            Side::Page => self.page.step(by),
            Side::Notes => self.notes.step(by),
        }
        Vec::new()
    }

    /// Makes the panes of the step shown.
    fn settle(&mut self, scene: &Scene<'_>) {
        let places = draw::places(scene.area, self);
        let width = |area: Option<Rect>| page_lines(area.unwrap_or(scene.area)).width;
        let made_for = MadeFor {
            at: self.at,
            widths: (width(places.page), width(places.notes)),
            palette: (scene.look.palette.name.clone(), scene.look.palette.depth),
        };
        if self.made_for.as_ref() != Some(&made_for) {
            let moved = self.made_for.as_ref().is_none_or(|held| held.at != self.at);
            let kept = (self.page.scroll, self.notes.scroll);
            let pane = |width: u16| Pane {
                look: scene.look,
                width: usize::from(width),
                unfolded: true,
                keymap: scene.keymap,
            };
            let made = plain::step(
                &self.opened,
                self.steps.get(self.at).copied(),
                &pane(made_for.widths.0),
                &pane(made_for.widths.1),
            );
            self.page.turn(made.page);
            self.notes.turn(made.notes);
            if moved {
                // Each opens where it says most of what the other says.
                let third = |area: Option<Rect>| {
                    area.map_or(1, |area| usize::from(page_lines(area).height) / 3)
                };
                let notes = made.notes_at.saturating_sub(third(places.notes));
                self.notes.scroll.top = notes;
                let page = made.page_at.saturating_sub(third(places.page));
                self.page.scroll.top = page;
            } else {
                (self.page.scroll, self.notes.scroll) = kept;
            }
            self.made_for = Some(made_for);
        }
        self.page.settle(places.page.unwrap_or_default());
        self.notes.settle(places.notes.unwrap_or_default());
    }
}

impl Screen for State {
    fn focus(&self) -> Focus {
        match self.walking {
            Some(_) => Focus::Detail,
            None => Focus::List,
        }
    }

    fn enter(&mut self, _scene: &Scene<'_>) -> Vec<Want> {
        if let Some(number) = self.failed.take() {
            return self.open(number);
        }
        if self.asked && self.failure.is_none() {
            return Vec::new();
        }
        self.asked = true;
        self.failure = None;
        vec![Want::Ask(AnyQuery::Examples(Query::List))]
    }

    /// The examples are the program's own: no ledger changes them.
    fn forget(&mut self) {}

    fn update(&mut self, action: Action, scene: &Scene<'_>) -> Vec<Want> {
        match (&mut self.walking, action) {
            (Some(_), Action::Back) => {
                self.walking = None;
                self.opening = None;
                Vec::new()
            }
            (Some(_), Action::NextExample) => self.turn(1),
            (Some(_), Action::PreviousExample) => self.turn(-1),
            (Some(walking), action) => walking.update(action, scene),
            (None, action) => self.update_list(action, scene),
        }
    }

    fn mouse(&mut self, event: MouseEvent, scene: &Scene<'_>) -> Vec<Want> {
        let at = Position::new(event.column, event.row);
        let by = match event.kind {
            MouseEventKind::ScrollDown => 3,
            MouseEventKind::ScrollUp => -3,
            _ => 0,
        };
        if let Some(walking) = &mut self.walking {
            let places = draw::places(scene.area, walking);
            let over = |area: Option<Rect>| area.is_some_and(|a| a.contains(at));
            let side = if over(places.notes) {
                Side::Notes
            } else {
                Side::Page
            };
            if by == 0 {
                walking.side = side;
            }
            match side {
                Side::Page => walking.page.step(by),
                Side::Notes => walking.notes.step(by),
            }
            return Vec::new();
        }
        if by != 0 {
            self.cursor.step(by, self.entries.len());
            return Vec::new();
        }
        let rows = list_rows(draw::list_area(scene.area).0);
        if rows.contains(at) {
            let row = self.cursor.top + usize::from(at.y - rows.y);
            if row == self.cursor.at {
                return self.open_chosen();
            }
            self.cursor.at = row.min(self.entries.len().saturating_sub(1));
        }
        Vec::new()
    }

    fn waits_for(&self, query: &AnyQuery) -> bool {
        match query {
            AnyQuery::Examples(Query::Walk(number)) => self.opening == Some(*number),
            _ => true,
        }
    }

    fn hear(&mut self, answer: Result<Any, String>, _scene: &Scene<'_>) -> Vec<Want> {
        match answer {
            Ok(Any::Examples(Answer::List(entries))) => self.entries = entries,
            Ok(Any::Examples(Answer::Walk(opened))) if self.opening == Some(opened.number) => {
                self.walking = Some(Walking::new(opened));
            }
            Ok(_) => {}
            Err(why) if self.entries.is_empty() => self.failure = Some(why),
            Err(why) => {
                self.failed = self.opening.take();
                return vec![Want::Tell(Role::Bad, why)];
            }
        }
        Vec::new()
    }

    fn settle(&mut self, scene: &Scene<'_>) -> Vec<Want> {
        if scene.area.is_empty() {
            return Vec::new();
        }
        if let Some(walking) = &mut self.walking {
            walking.settle(scene);
            return Vec::new();
        }
        let (list, about) = draw::list_area(scene.area);
        let rows = usize::from(list_rows(list).height).max(1);
        self.cursor.settle(self.entries.len(), rows);
        if let Some(area) = about {
            let width = page_lines(area).width;
            let palette = &scene.look.palette;
            let made_for = (self.cursor.at, width, palette.name.clone(), palette.depth);
            if self.about_for.as_ref() != Some(&made_for) {
                let pane = Pane {
                    look: scene.look,
                    width: usize::from(width),
                    unfolded: true,
                    keymap: scene.keymap,
                };
                let lines = self
                    .entry()
                    .map_or_else(Vec::new, |entry| plain::about(entry, &pane));
                self.about.turn(lines);
                self.about_for = Some(made_for);
            }
            self.about.settle(area);
        }
        Vec::new()
    }

    fn draw(&self, scene: &Scene<'_>, buffer: &mut Buffer) {
        match &self.walking {
            Some(walking) => draw::walking(walking, scene, buffer),
            None => draw::list(self, scene, buffer),
        }
    }
}
