//! Replay: every stored receipt derived again, batch by batch, and what differs.

mod draw;
mod plain;
pub mod report;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{MouseEvent, MouseEventKind};
use ratatui::layout::{Position, Rect};

use super::reading::{Reading, page_lines};
use super::{Answer as Any, Facts, Query as AnyQuery, Scene, Screen, Want};
use crate::inspector::action::Action;
use crate::inspector::app::layout::{ROOM, list_rows, split};
use crate::inspector::app::state::{Focus, Tab};
use crate::inspector::panes::Pane;
use crate::inspector::theme::{Depth, Role};
use crate::inspector::widgets::cursor::Cursor;
use crate::inspector::work::Progress;

pub use plain::plain;
pub use report::{Item, Replayed, no_side};

/// What it asks of the work thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Query {
    /// Derive everything again.
    Run,
}

/// What comes of it.
#[derive(Clone, Debug)]
pub enum Answer {
    /// What was found.
    Replayed(Arc<Replayed>),
}

/// The state.
#[derive(Clone, Debug)]
pub struct State {
    replayed: Option<Arc<Replayed>>,
    /// Whether it was asked for and nothing was heard yet.
    is_asked: bool,
    failure: Option<String>,
    cursor: Cursor,
    focus: Focus,
    page: Reading,
    made_for: Option<(usize, u16, String, Depth)>,
}

impl Default for State {
    fn default() -> Self {
        Self {
            replayed: None,
            is_asked: false,
            failure: None,
            cursor: Cursor::default(),
            focus: Focus::List,
            page: Reading::default(),
            made_for: None,
        }
    }
}

/// Does a job of the screen's, on the work thread.
///
/// # Errors
/// None: what cannot be derived again is a mismatch.
pub fn answer(query: &Query, facts: &Facts<'_>, progress: &Progress) -> Result<Answer, String> {
    match query {
        Query::Run => {
            let replayed = report::run(facts, |done, of| {
                if done % 1000 == 0 {
                    progress.report("replaying", done, of);
                }
                !progress.is_cancelled()
            });
            Ok(Answer::Replayed(Arc::new(replayed)))
        }
    }
}

impl State {
    fn ask(&mut self) -> Vec<Want> {
        self.is_asked = true;
        self.failure = None;
        vec![Want::Ask(AnyQuery::Replay(Query::Run))]
    }

    /// Whether anything differs.
    #[cfg(test)]
    pub fn found_mismatches(&self) -> bool {
        self.items()
            .iter()
            .any(|item| matches!(item, Item::Receipt(_)))
    }

    /// Where what was replayed and its detail stand.
    fn places(&self, area: Rect) -> (Option<Rect>, Option<Rect>) {
        split(area, ROOM, self.items().len(), self.focus)
    }

    fn items(&self) -> &[Item] {
        self.replayed
            .as_ref()
            .map_or(&[], |replayed| replayed.items.as_slice())
    }

    /// The next mismatched receipt, or the one before.
    fn step_mismatch(&mut self, by: isize) -> Vec<Want> {
        let places: Vec<usize> = self
            .items()
            .iter()
            .enumerate()
            .filter(|(_, item)| matches!(item, Item::Receipt(_)))
            .map(|(place, _)| place)
            .collect();
        let next = if by > 0 {
            let after = places.iter().find(|place| **place > self.cursor.at);
            after.or(places.first())
        } else {
            let before = places.iter().rev().find(|place| **place < self.cursor.at);
            before.or(places.last())
        };
        match next {
            Some(place) => {
                self.cursor.at = *place;
                Vec::new()
            }
            None => vec![Want::Tell(
                Role::Muted,
                "there is no mismatch to go to".to_owned(),
            )],
        }
    }

    /// The receipt the cursor is on, with its arithmetic.
    fn jump(&mut self) -> Vec<Want> {
        match self.items().get(self.cursor.at) {
            Some(Item::Receipt(one)) => {
                vec![Want::Receipt(one.id.to_string(), Tab::Arithmetic)]
            }
            _ if self.focus == Focus::List => {
                self.focus = Focus::Detail;
                Vec::new()
            }
            _ => vec![Want::Tell(
                Role::Muted,
                "a batch has no receipt to open; n goes to a mismatch".to_owned(),
            )],
        }
    }
}

impl Screen for State {
    fn focus(&self) -> Focus {
        self.focus
    }

    fn enter(&mut self, scene: &Scene<'_>) -> Vec<Want> {
        if scene.is_open && self.replayed.is_none() && !self.is_asked {
            return self.ask();
        }
        Vec::new()
    }

    fn forget(&mut self) {
        *self = Self {
            cursor: self.cursor,
            focus: self.focus,
            ..Self::default()
        };
    }

    fn update(&mut self, action: Action, scene: &Scene<'_>) -> Vec<Want> {
        let (list, page) = self.places(scene.area);
        let height = match self.focus {
            Focus::List => list.map(|area| list_rows(area).height),
            Focus::Detail => page.map(|area| page_lines(area).height),
        };
        let leaf = isize::try_from(height.unwrap_or(1).saturating_sub(1).max(1)).unwrap_or(1);
        let by = match action {
            Action::RunReplay => return self.ask(),
            Action::NextMismatch => return self.step_mismatch(1),
            Action::PreviousMismatch => return self.step_mismatch(-1),
            Action::Open => return self.jump(),
            Action::CopyId => {
                return match self.items().get(self.cursor.at) {
                    Some(Item::Receipt(one)) => vec![Want::Copy(one.id.to_string())],
                    _ => vec![Want::Tell(Role::Warning, "no receipt is chosen".to_owned())],
                };
            }
            Action::Right => {
                self.focus = Focus::Detail;
                return Vec::new();
            }
            Action::Left | Action::Back => {
                self.focus = Focus::List;
                return Vec::new();
            }
            Action::FocusNext | Action::FocusPrevious => {
                self.focus = match self.focus {
                    Focus::List => Focus::Detail,
                    Focus::Detail => Focus::List,
                };
                return Vec::new();
            }
            Action::Down => 1,
            Action::Up => -1,
            Action::PageDown => leaf,
            Action::PageUp => -leaf,
            Action::First => isize::MIN / 2,
            Action::Last => isize::MAX / 2,
            _ => return Vec::new(),
        };
        match self.focus {
            Focus::List => self.cursor.step(by, self.items().len()),
            Focus::Detail => self.page.step(by),
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
        let (list, page) = self.places(scene.area);
        if page.is_some_and(|area| area.contains(at)) {
            self.page.step(by);
            if by == 0 {
                self.focus = Focus::Detail;
            }
        } else if let Some(area) = list {
            let rows = list_rows(area);
            if by != 0 {
                self.cursor.step(by, self.items().len());
            } else if rows.contains(at) {
                self.focus = Focus::List;
                let row = self.cursor.top + usize::from(at.y - rows.y);
                if row < self.items().len() {
                    self.cursor.at = row;
                }
            }
        }
        Vec::new()
    }

    fn hear(&mut self, answer: Result<Any, String>, _scene: &Scene<'_>) -> Vec<Want> {
        self.is_asked = false;
        match answer {
            Ok(Any::Replay(Answer::Replayed(replayed))) => {
                self.cursor = Cursor {
                    // The first mismatch is what one came for.
                    at: replayed
                        .items
                        .iter()
                        .position(|item| matches!(item, Item::Receipt(_)))
                        .unwrap_or_default(),
                    top: 0,
                };
                self.replayed = Some(replayed);
                self.made_for = None;
            }
            Ok(_) => {}
            Err(why) => self.failure = Some(why),
        }
        Vec::new()
    }

    fn settle(&mut self, scene: &Scene<'_>) -> Vec<Want> {
        if scene.area.is_empty() {
            return Vec::new();
        }
        let (list, page) = self.places(scene.area);
        let rows = list.map_or(0, |area| list_rows(area).height);
        let len = self.items().len();
        self.cursor.settle(len, usize::from(rows).max(1));
        let Some(area) = page else { return Vec::new() };
        let width = page_lines(area).width;
        let palette = &scene.look.palette;
        let made_for = (self.cursor.at, width, palette.name.clone(), palette.depth);
        if self.made_for.as_ref() != Some(&made_for) {
            let pane = Pane {
                look: scene.look,
                width: usize::from(width),
                unfolded: true,
                keymap: scene.keymap,
            };
            let lines = self.replayed.as_ref().map_or_else(Vec::new, |replayed| {
                plain::page(replayed, self.cursor.at, &pane)
            });
            self.page.turn(lines);
            self.made_for = Some(made_for);
        }
        self.page.settle(area);
        Vec::new()
    }

    fn draw(&self, scene: &Scene<'_>, buffer: &mut Buffer) {
        draw::draw(self, scene, buffer);
    }
}
