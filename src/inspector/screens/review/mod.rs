//! Review: the queue of what needs a person, one receipt at a time. UNASKED attributions first,
//! then NOT_FOUND, OVER_SCOPE and PARTIAL; what is still checking, decided or explained after all
//! needs nobody.

mod axis;
mod case;
mod draw;
mod lines;
mod plain;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use attest_canon::Id;
use attest_grading::model::{Grade, Instant};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{MouseEvent, MouseEventKind};
use ratatui::layout::Position;
use ratatui::text::Line;

use super::{Answer as Any, Query as Ask, Scene, Screen, Want};
use crate::inspector::action::Action;
use crate::inspector::app::state::{Focus, Tab};
use crate::inspector::row::{Row, Standing};
use crate::inspector::theme::{Depth, Role};
use crate::inspector::widgets::cursor::{Cursor, Scroll};
use crate::inspector::work::Opened;

pub use case::{Case, answer};
use draw::Areas;
pub use plain::plain;

/// What it asks of the work thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Query {
    /// Everything known about a receipt and, where nobody claimed its action, what spoke for whom.
    Case(Id),
}

/// What comes of it.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The receipt.
    pub id: Id,
    /// What is known of it; why nothing is.
    pub case: Result<Arc<Case>, String>,
}

/// What became of a receipt of the queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// It waits for a word.
    Waiting,
    /// It was put off.
    Skipped,
    /// A person's word stands.
    Decided,
}

/// How far a person is through the queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Progress {
    /// Receipts in the queue.
    pub of: usize,
    /// Decided since it was begun.
    pub decided: usize,
    /// Put off.
    pub skipped: usize,
}

/// The order of a receipt in the queue: its kind, its time, its id.
type Rank = (u8, Instant);

/// What the lines of the case depend on.
#[derive(Clone, PartialEq, Eq, Debug)]
struct MadeFor {
    id: String,
    explained: bool,
    width: u16,
    palette: (String, Depth),
    fate: Fate,
}

/// The state.
#[derive(Clone, Debug)]
pub struct State {
    focus: Focus,
    /// What ever needed a person since the program began, with its order: what is decided stays
    /// in its place.
    known: BTreeMap<String, Rank>,
    skipped: BTreeSet<String>,
    /// Places in the ledger's rows, in order; none until it is made.
    queue: Option<Vec<usize>>,
    cursor: Cursor,
    asked: Option<String>,
    case: Option<(String, Result<Arc<Case>, String>)>,
    scroll: Scroll,
    lines: Vec<Line<'static>>,
    made_for: Option<MadeFor>,
}

impl Default for State {
    fn default() -> Self {
        Self {
            focus: Focus::List,
            known: BTreeMap::new(),
            skipped: BTreeSet::new(),
            queue: None,
            cursor: Cursor::default(),
            asked: None,
            case: None,
            scroll: Scroll::default(),
            lines: Vec::new(),
            made_for: None,
        }
    }
}

/// The place of a receipt's kind in the queue; none where it needs nobody.
fn kind(row: &Row) -> Option<u8> {
    if row.standing != Standing::Final || row.is_superseded {
        return None;
    }
    match row.grade? {
        Grade::Unasked => Some(0),
        Grade::NotFound => Some(1),
        Grade::OverScope => Some(2),
        Grade::Partial => Some(3),
        Grade::Verified | Grade::Unverifiable => None,
    }
}

impl State {
    fn make_queue(&mut self, opened: &Opened) {
        let chosen = self.current(opened).map(|row| row.id.clone());
        for row in &opened.rows {
            if let Some(kind) = kind(row) {
                self.known
                    .entry(row.id.clone())
                    .or_insert((kind, row.at.instant()));
            }
        }
        let mut queue: Vec<(Rank, &str, usize)> = opened
            .rows
            .iter()
            .enumerate()
            .filter(|(_, row)| kind(row).is_some() || row.standing == Standing::Overridden)
            .filter_map(|(place, row)| Some((*self.known.get(&row.id)?, row.id.as_str(), place)))
            .collect();
        queue.sort_unstable();
        let at = queue
            .iter()
            .position(|(_, id, _)| chosen.as_deref() == Some(*id));
        // At first the cursor is on what waits.
        self.cursor.at = at.unwrap_or(0);
        self.queue = Some(queue.into_iter().map(|(.., place)| place).collect());
    }

    fn row<'o>(&self, opened: &'o Opened, place: usize) -> Option<&'o Row> {
        let at = self.queue.as_ref()?.get(place)?;
        opened.rows.get(*at)
    }

    /// The receipt the cursor is on.
    pub fn current<'o>(&self, opened: &'o Opened) -> Option<&'o Row> {
        self.row(opened, self.cursor.at)
    }

    fn len(&self) -> usize {
        self.queue.as_ref().map_or(0, Vec::len)
    }

    /// What became of a receipt.
    fn fate(&self, row: &Row) -> Fate {
        if row.standing == Standing::Overridden {
            Fate::Decided
        } else if self.skipped.contains(&row.id) {
            Fate::Skipped
        } else {
            Fate::Waiting
        }
    }

    /// How far a person is.
    pub fn progress(&self, opened: &Opened) -> Progress {
        let mut progress = Progress {
            of: self.len(),
            ..Progress::default()
        };
        for place in 0..self.len() {
            match self.row(opened, place).map(|row| self.fate(row)) {
                Some(Fate::Decided) => progress.decided += 1,
                Some(Fate::Skipped) => progress.skipped += 1,
                Some(Fate::Waiting) | None => {}
            }
        }
        progress
    }

    /// The next receipt that waits, after the chosen one and from the first again; none where no
    /// other does.
    fn next_waiting(&self, opened: &Opened) -> Option<usize> {
        let len = self.len();
        (1..len)
            .map(|by| (self.cursor.at + by) % len)
            .find(|place| {
                self.row(opened, *place)
                    .is_some_and(|row| self.fate(row) == Fate::Waiting)
            })
    }

    fn step(&mut self, by: isize) {
        match self.focus {
            Focus::List => self.cursor.step(by, self.len()),
            Focus::Detail => self.scroll.step(by),
        }
    }

    /// A person's word on the chosen receipt, as the action asks for.
    fn decide(&self, action: Action, scene: &Scene<'_>) -> Vec<Want> {
        match self.current(scene.opened) {
            Some(row) => vec![Want::Event(action, row.id.clone())],
            None => vec![Want::Tell(Role::Muted, "nothing waits for you".to_owned())],
        }
    }

    fn skip(&mut self, scene: &Scene<'_>) -> Vec<Want> {
        let Some(row) = self.current(scene.opened) else {
            return Vec::new();
        };
        if self.fate(row) == Fate::Waiting {
            self.skipped.insert(row.id.clone());
        }
        self.go_on(scene)
    }

    fn go_on(&mut self, scene: &Scene<'_>) -> Vec<Want> {
        match self.next_waiting(scene.opened) {
            Some(place) => {
                self.cursor.at = place;
                Vec::new()
            }
            None => vec![Want::Tell(
                Role::Muted,
                "nothing else waits for you".to_owned(),
            )],
        }
    }
}

impl Screen for State {
    fn focus(&self) -> Focus {
        self.focus
    }

    fn enter(&mut self, scene: &Scene<'_>) -> Vec<Want> {
        if self.queue.is_none() && scene.is_open {
            self.make_queue(scene.opened);
        }
        // What failed is asked for again.
        if matches!(&self.case, Some((id, Err(_))) if self.asked.as_ref() == Some(id)) {
            self.asked = None;
            self.case = None;
            self.made_for = None;
        }
        Vec::new()
    }

    fn waits_for(&self, query: &Ask) -> bool {
        matches!(query, Ask::Review(Query::Case(id)) if self.asked.as_deref() == Some(&*id.to_string()))
    }

    fn forget(&mut self) {
        self.queue = None;
        self.asked = None;
        self.made_for = None;
    }

    fn update(&mut self, action: Action, scene: &Scene<'_>) -> Vec<Want> {
        let page = Areas::of(scene.area, self.len(), self.focus).page(self.focus);
        match action {
            Action::Down => self.step(1),
            Action::Up => self.step(-1),
            Action::PageDown => self.step(page),
            Action::PageUp => self.step(-page),
            Action::First => self.step(isize::MIN / 2),
            Action::Last => self.step(isize::MAX / 2),
            Action::Right | Action::Open => self.focus = Focus::Detail,
            Action::Left | Action::Back => self.focus = Focus::List,
            Action::FocusNext | Action::FocusPrevious => {
                self.focus = match self.focus {
                    Focus::List => Focus::Detail,
                    Focus::Detail => Focus::List,
                };
            }
            Action::NextMatch => self.cursor.step(1, self.len()),
            Action::PreviousMatch => self.cursor.step(-1, self.len()),
            Action::Confirm | Action::Deny | Action::Override | Action::Revert => {
                return self.decide(action, scene);
            }
            Action::Skip => return self.skip(scene),
            Action::GoOn => return self.go_on(scene),
            Action::ShowReceipt => {
                let chosen = self.current(scene.opened);
                return chosen
                    .map(|row| Want::Receipt(row.id.clone(), Tab::Why))
                    .into_iter()
                    .collect();
            }
            Action::CopyId => {
                let chosen = self.current(scene.opened);
                return chosen
                    .map(|row| Want::Copy(row.id.clone()))
                    .into_iter()
                    .collect();
            }
            _ => {}
        }
        Vec::new()
    }

    fn mouse(&mut self, event: MouseEvent, scene: &Scene<'_>) -> Vec<Want> {
        let at = Position::new(event.column, event.row);
        let areas = Areas::of(scene.area, self.len(), self.focus);
        let by = match event.kind {
            MouseEventKind::ScrollDown => 3,
            MouseEventKind::ScrollUp => -3,
            _ => 0,
        };
        if areas.list.is_some_and(|area| area.contains(at)) {
            self.cursor.step(by, self.len());
            if by == 0 {
                self.focus = Focus::List;
                if let Some(rows) = areas.rows().filter(|rows| rows.contains(at)) {
                    let place = self.cursor.top + usize::from(at.y - rows.y);
                    self.cursor.at = place.min(self.len().saturating_sub(1));
                }
            }
        } else if areas.detail.is_some_and(|area| area.contains(at)) {
            self.scroll.step(by);
            if by == 0 {
                self.focus = Focus::Detail;
            }
        }
        Vec::new()
    }

    fn hear(&mut self, answer: Result<Any, String>, _scene: &Scene<'_>) -> Vec<Want> {
        match answer {
            Ok(Any::Review(Answer { id, case })) => {
                let id = id.to_string();
                if self.asked.as_ref() == Some(&id) {
                    self.case = Some((id, case));
                    self.made_for = None;
                }
                Vec::new()
            }
            Ok(_) => Vec::new(),
            Err(why) => {
                self.case = self.asked.clone().map(|id| (id, Err(why)));
                self.made_for = None;
                Vec::new()
            }
        }
    }

    fn settle(&mut self, scene: &Scene<'_>) -> Vec<Want> {
        let areas = Areas::of(scene.area, self.len(), self.focus);
        let rows = areas.rows().map_or(1, |rows| usize::from(rows.height));
        self.cursor.settle(self.len(), rows.max(1));
        let Some(row) = self.current(scene.opened) else {
            self.lines = Vec::new();
            return Vec::new();
        };
        let mut wants = Vec::new();
        if self.asked.as_ref() != Some(&row.id) {
            self.asked = Some(row.id.clone());
            if let Some(id) = Id::parse(&row.id) {
                wants.push(Want::Ask(Ask::Review(Query::Case(id))));
            }
            if self.case.as_ref().is_none_or(|(id, _)| *id != row.id) {
                self.scroll = Scroll::default();
            }
        }
        if let Some(text) = areas.text() {
            let case = self.case.as_ref().filter(|(id, _)| *id == row.id);
            let made_for = MadeFor {
                id: row.id.clone(),
                explained: case.is_some(),
                width: text.width,
                palette: (scene.look.palette.name.clone(), scene.look.palette.depth),
                fate: self.fate(row),
            };
            if self.made_for.as_ref() != Some(&made_for) {
                self.lines = case.map_or_else(Vec::new, |(_, case)| {
                    lines::of(scene, text.width, row, made_for.fate, case.as_deref())
                });
                self.made_for = Some(made_for);
            }
            self.scroll
                .settle(self.lines.len(), usize::from(text.height));
        }
        wants
    }

    fn draw(&self, scene: &Scene<'_>, buffer: &mut Buffer) {
        draw::draw(self, scene, buffer);
    }
}
