//! The timeline: the whole ledger over time, lane by lane, with zoom and pan.

mod axis;
mod draw;
mod model;
mod plain;
pub mod tab;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{MouseEvent, MouseEventKind};
use ratatui::layout::Position;

use super::{Answer as Any, Facts, Query as AnyQuery, Scene, Screen, Want};
use crate::inspector::action::Action;
use crate::inspector::app::state::{Focus, Tab};
use crate::inspector::theme::Role;
use crate::inspector::widgets::cursor::Cursor;
use crate::inspector::work::Progress;

use axis::View;
pub use model::{Kind, Lane, Mark, Model};
pub use plain::plain;

/// Which choice it asks: of the receipts under the cursor.
const OF_RECEIPTS: u8 = 0;

/// What it asks of the work thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Query {
    /// Lay the ledger out over time.
    Lay,
}

/// What comes of it.
#[derive(Clone, Debug)]
pub enum Answer {
    /// The ledger over time.
    Laid(Arc<Model>),
}

/// The state.
#[derive(Clone, Debug, Default)]
pub struct State {
    model: Option<Model>,
    is_asked: bool,
    failure: Option<String>,
    /// The lane the cursor is on.
    lane: Cursor,
    /// What is shown; none until there is something and a size to show it in.
    view: Option<View>,
    /// The receipts of the choice that was asked.
    choice: Vec<String>,
}

/// Does a job of the screen's, on the work thread.
///
/// # Errors
/// None.
pub fn answer(query: &Query, facts: &Facts<'_>, progress: &Progress) -> Result<Answer, String> {
    match query {
        Query::Lay => {
            progress.report("laying out the ledger", 0, 0);
            Ok(Answer::Laid(Arc::new(Model::new(facts))))
        }
    }
}

impl State {
    fn lane(&self) -> Option<&Lane> {
        self.model.as_ref()?.lanes.get(self.lane.at)
    }

    /// The marks of the lane under the cursor.
    fn under_cursor(&self, cells: usize) -> Vec<&Mark> {
        let (Some(lane), Some(view)) = (self.lane(), self.view) else {
            return Vec::new();
        };
        let held = view.holds(view.cell(view.cursor, cells), cells);
        lane.within(held)
    }

    /// The cursor on the next mark of its lane, or the one before.
    fn step_mark(&mut self, forward: bool, cells: usize) -> Vec<Want> {
        let (Some(lane), Some(mut view)) = (self.lane(), self.view) else {
            return Vec::new();
        };
        let held = view.holds(view.cell(view.cursor, cells), cells);
        let starts = || lane.marks.iter().map(|mark| mark.at.from);
        let found = if forward {
            starts().find(|at| *at > held.to)
        } else {
            starts().rfind(|at| *at < held.from)
        };
        match found {
            Some(at) => {
                view.cursor = at.ms();
                view.follow(cells);
                self.view = Some(view);
                Vec::new()
            }
            None => {
                let text = if forward {
                    "nothing further in this lane"
                } else {
                    "nothing earlier in this lane"
                };
                vec![Want::Tell(Role::Muted, text.to_owned())]
            }
        }
    }

    /// The receipt under the cursor; where there are several, a choice of them.
    fn open(&mut self, cells: usize) -> Vec<Want> {
        let mut items = Vec::new();
        let mut ids = Vec::new();
        for mark in self.under_cursor(cells) {
            let Some(id) = mark.receipts.first().map(ToString::to_string) else {
                continue;
            };
            if !ids.contains(&id) {
                let verdict = mark.verdict.as_ref();
                let verdict = verdict.map_or_else(String::new, |(_, word)| word.clone());
                items.push((mark.text.clone(), verdict));
                ids.push(id);
            }
        }
        match ids.as_slice() {
            [] => vec![Want::Tell(
                Role::Muted,
                "no receipt is under the cursor; n goes to the next mark".to_owned(),
            )],
            [only] => vec![Want::Receipt(only.clone(), Tab::Why)],
            _ => {
                self.choice = ids;
                vec![Want::Choose {
                    tag: OF_RECEIPTS,
                    title: "Receipts here",
                    items,
                }]
            }
        }
    }
}

impl Screen for State {
    /// Left and right move in time, whatever has the focus.
    fn focus(&self) -> Focus {
        Focus::Detail
    }

    fn enter(&mut self, scene: &Scene<'_>) -> Vec<Want> {
        if !scene.is_open || self.model.is_some() || self.is_asked {
            return Vec::new();
        }
        self.is_asked = true;
        self.failure = None;
        vec![Want::Ask(AnyQuery::Timeline(Query::Lay))]
    }

    fn forget(&mut self) {
        self.model = None;
        self.is_asked = false;
        self.failure = None;
    }

    fn update(&mut self, action: Action, scene: &Scene<'_>) -> Vec<Want> {
        let places = draw::places(scene.area);
        let cells = places.cells;
        let whole = self.model.as_ref().and_then(|model| model.whole);
        let (Some(whole), Some(mut view), Some(model)) = (whole, self.view, &self.model) else {
            return match action {
                Action::Open => {
                    self.is_asked = false;
                    self.enter(scene)
                }
                _ => Vec::new(),
            };
        };
        let len = model.lanes.len();
        let all = View::whole(whole, cells);
        let leaf = i64::try_from(cells / 2).unwrap_or(1).max(1);
        match action {
            Action::Down | Action::FocusNext => self.lane.step(1, len),
            Action::Up | Action::FocusPrevious => self.lane.step(-1, len),
            Action::Right => view.step(1, cells),
            Action::Left => view.step(-1, cells),
            Action::PageDown | Action::PanLater => view.pan(leaf, cells),
            Action::PageUp | Action::PanEarlier => view.pan(-leaf, cells),
            Action::First => {
                view.cursor = whole.from.ms();
                view.follow(cells);
            }
            Action::Last => {
                view.cursor = whole.to.ms();
                view.follow(cells);
            }
            Action::ZoomIn => view.zoom(true, all.span, cells),
            Action::ZoomOut => view.zoom(false, all.span, cells),
            Action::ZoomAll => {
                view = View {
                    cursor: view.cursor,
                    ..all
                };
            }
            Action::NextMark => return self.step_mark(true, cells),
            Action::PreviousMark => return self.step_mark(false, cells),
            Action::Open => return self.open(cells),
            Action::CopyId => {
                let marks = self.under_cursor(cells);
                let id = marks.iter().find_map(|mark| mark.receipts.first());
                return match id {
                    Some(id) => vec![Want::Copy(id.to_string())],
                    None => vec![Want::Tell(
                        Role::Warning,
                        "no receipt is under the cursor".to_owned(),
                    )],
                };
            }
            _ => return Vec::new(),
        }
        view.near(whole);
        self.view = Some(view);
        Vec::new()
    }

    fn mouse(&mut self, event: MouseEvent, scene: &Scene<'_>) -> Vec<Want> {
        let places = draw::places(scene.area);
        let cells = places.cells;
        let whole = self.model.as_ref().and_then(|model| model.whole);
        let (Some(whole), Some(mut view)) = (whole, self.view) else {
            return Vec::new();
        };
        let most = View::whole(whole, cells).span;
        let at = Position::new(event.column, event.row);
        if !places.lanes.contains(at) {
            return Vec::new();
        }
        if at.x >= places.time_x {
            let cell = i64::from(at.x - places.time_x);
            view.cursor = view.holds(cell, cells).from.ms();
        }
        match event.kind {
            MouseEventKind::ScrollUp => view.zoom(true, most, cells),
            MouseEventKind::ScrollDown => view.zoom(false, most, cells),
            _ => {
                let lane = self.lane.top + usize::from(at.y - places.lanes.y);
                let len = self.model.as_ref().map_or(0, |model| model.lanes.len());
                if lane < len {
                    self.lane.at = lane;
                }
            }
        }
        view.near(whole);
        self.view = Some(view);
        Vec::new()
    }

    fn chosen(&mut self, tag: u8, place: usize, _scene: &Scene<'_>) -> Vec<Want> {
        if tag != OF_RECEIPTS {
            return Vec::new();
        }
        let id = self.choice.get(place).cloned();
        id.map_or_else(Vec::new, |id| vec![Want::Receipt(id, Tab::Why)])
    }

    fn hear(&mut self, answer: Result<Any, String>, scene: &Scene<'_>) -> Vec<Want> {
        self.is_asked = false;
        match answer {
            Ok(Any::Timeline(Answer::Laid(model))) => {
                let mut model = Arc::unwrap_or_clone(model);
                model.judge(&scene.opened.rows);
                self.model = Some(model);
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
        let places = draw::places(scene.area);
        let Some(model) = &self.model else {
            return Vec::new();
        };
        if let Some(whole) = model.whole {
            let view = self.view.get_or_insert_with(|| {
                // It begins on the first claim: that is what the rest is about.
                let claims = |lane: &Lane| matches!(lane.kind, Kind::Claims(_));
                self.lane.at = model.lanes.iter().position(claims).unwrap_or_default();
                let lane = model.lanes.get(self.lane.at);
                let first = lane.and_then(|lane| lane.marks.first());
                let mut view = View::whole(whole, places.cells);
                view.cursor = first.map_or(view.cursor, |mark| mark.at.from.ms());
                view
            });
            // A wider or narrower terminal shows the same stretch.
            view.span = view
                .span
                .max(i64::try_from(places.cells).unwrap_or(i64::MAX));
            view.near(whole);
        }
        let rows = usize::from(places.lanes.height).max(1);
        self.lane.settle(model.lanes.len(), rows);
        Vec::new()
    }

    fn draw(&self, scene: &Scene<'_>, buffer: &mut Buffer) {
        draw::draw(self, scene, buffer);
    }
}
