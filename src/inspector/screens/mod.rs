//! The screens beside the receipts, each a module that knows nothing of the others: its state, what
//! keys do to it, how it is drawn, and what it asks of the work thread.

#[cfg(test)]
mod bench;
pub mod examples;
#[cfg(test)]
mod hostile;
pub mod policy;
mod reading;
pub mod replay;
pub mod review;
pub mod timeline;

use std::path::Path;

use attest_canon::Id;
use attest_grading::ledger::Ledger;
use attest_grading::model::IsoTs;
use attest_grading::policy::Policy;
use attest_grading::scenario::build::World;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::MouseEvent;
use ratatui::layout::Rect;

use super::action::Action;
use super::app::state::{Focus, ScreenName, Tab};
use super::keymap::Keymap;
use super::look::Look;
use super::theme::Role;
use super::work::{Explained, Opened, Progress};

/// What a screen sees of the program.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    /// How things look.
    pub look: &'a Look,
    /// The keys, for what names them.
    pub keymap: &'a Keymap,
    /// The ledger's rows; empty until it is open.
    pub opened: &'a Opened,
    /// Whether the ledger is open.
    pub is_open: bool,
    /// Whether nothing lies over the screen.
    pub focused: bool,
    /// The cells the screen has: everything between header and footer. Empty where the terminal
    /// is too small.
    pub area: Rect,
}

/// What a screen asks for.
#[derive(Clone, PartialEq, Debug)]
pub enum Want {
    /// A job for the work thread; its answer comes back through [`Screen::hear`].
    Ask(Query),
    /// The jobs that were asked for are not wanted any more.
    Cancel,
    /// A line in the footer, until the next key.
    Tell(Role, String),
    /// A text on the clipboard.
    Copy(String),
    /// The receipts screen with this receipt chosen, at a tab of its detail.
    Receipt(String, Tab),
    /// A line to be typed; what was typed comes back through [`Screen::typed`].
    Line {
        /// Which line it is, for the screen.
        tag: u8,
        /// What is asked, as a few words.
        title: String,
        /// What stands there already.
        text: String,
    },
    /// A choice from a list; what was chosen comes back through [`Screen::chosen`].
    Choose {
        /// Which choice it is, for the screen.
        tag: u8,
        /// What is chosen.
        title: &'static str,
        /// Names and what they are about, fit for a terminal.
        items: Vec<(String, String)>,
    },
    /// A person's word on a receipt: the flow of that action begins on it, as on the receipts
    /// screen.
    Event(Action, String),
}

/// A screen. Its methods return what has to be done outside; none touches a disk, a clock or a
/// terminal.
pub trait Screen {
    /// Which kind of pane has the focus: it says which keys work.
    fn focus(&self) -> Focus;

    /// It becomes the screen shown, or the ledger changed while it is.
    fn enter(&mut self, scene: &Scene<'_>) -> Vec<Want>;

    /// The ledger was opened, or changed: what was derived from it holds no more.
    fn forget(&mut self);

    /// Does what was asked for. What moves between screens, and what concerns the program, never
    /// comes here.
    fn update(&mut self, action: Action, scene: &Scene<'_>) -> Vec<Want>;

    /// The mouse, within the screen's cells.
    fn mouse(&mut self, event: MouseEvent, scene: &Scene<'_>) -> Vec<Want> {
        let _ = (event, scene);
        Vec::new()
    }

    /// A line was typed.
    fn typed(&mut self, tag: u8, text: &str, scene: &Scene<'_>) -> Vec<Want> {
        let _ = (tag, text, scene);
        Vec::new()
    }

    /// An item was chosen.
    fn chosen(&mut self, tag: u8, place: usize, scene: &Scene<'_>) -> Vec<Want> {
        let _ = (tag, place, scene);
        Vec::new()
    }

    /// Whether a job that was asked for is still what it waits for. One that was replaced is given
    /// up without a word.
    fn waits_for(&self, query: &Query) -> bool {
        let _ = query;
        true
    }

    /// The work thread answers, or says why it cannot.
    fn hear(&mut self, answer: Result<Answer, String>, scene: &Scene<'_>) -> Vec<Want>;

    /// What follows from a change, before the next frame: cursors within their lists, lines made.
    fn settle(&mut self, scene: &Scene<'_>) -> Vec<Want>;

    /// Draws it.
    fn draw(&self, scene: &Scene<'_>, buffer: &mut Buffer);
}

/// The screens' states.
#[derive(Clone, Debug, Default)]
pub struct Screens {
    /// What needs a person.
    pub review: review::State,
    /// Every receipt derived again.
    pub replay: replay::State,
    /// The ledger over time.
    pub timeline: timeline::State,
    /// The policy and what-if.
    pub policy: policy::State,
    /// The worked examples.
    pub examples: examples::State,
}

impl Screens {
    /// The screen of this name; the receipts are none of these.
    pub fn of(&self, name: ScreenName) -> Option<&dyn Screen> {
        Some(match name {
            ScreenName::Receipts => return None,
            ScreenName::Review => &self.review,
            ScreenName::Replay => &self.replay,
            ScreenName::Timeline => &self.timeline,
            ScreenName::Policy => &self.policy,
            ScreenName::Examples => &self.examples,
        })
    }

    /// The screen of this name, to change it.
    pub fn of_mut(&mut self, name: ScreenName) -> Option<&mut dyn Screen> {
        Some(match name {
            ScreenName::Receipts => return None,
            ScreenName::Review => &mut self.review,
            ScreenName::Replay => &mut self.replay,
            ScreenName::Timeline => &mut self.timeline,
            ScreenName::Policy => &mut self.policy,
            ScreenName::Examples => &mut self.examples,
        })
    }
}

/// What the work thread holds while it answers.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'a> {
    /// The ledger's file; none for the embedded demo.
    pub path: Option<&'a Path>,
    /// The ledger as it stands, a person's words included; none where a scenario is open.
    pub ledger: Option<&'a Ledger>,
    /// The scenario, where one is open.
    pub scenario: Option<&'a World>,
    /// The policy the open receipts are graded by.
    pub policy: &'a Policy,
    /// The instant they are graded at.
    pub at: IsoTs,
    /// Explains any receipt shown.
    pub explainer: &'a dyn Explainer,
}

/// Explains receipts, on the work thread.
pub trait Explainer: std::fmt::Debug {
    /// Everything known about one receipt.
    ///
    /// # Errors
    /// There is no such receipt.
    fn explain(&self, receipt: Id) -> Result<Explained, String>;
}

/// A job for the work thread.
#[derive(Clone, PartialEq, Debug)]
pub enum Query {
    /// Of the review screen.
    Review(review::Query),
    /// Of the replay screen.
    Replay(replay::Query),
    /// Of the timeline.
    Timeline(timeline::Query),
    /// Of the policy screen.
    Policy(policy::Query),
    /// Of the examples.
    Examples(examples::Query),
}

/// What comes of it.
#[derive(Clone, Debug)]
pub enum Answer {
    /// For the review screen.
    Review(review::Answer),
    /// For the replay screen.
    Replay(replay::Answer),
    /// For the timeline.
    Timeline(timeline::Answer),
    /// For the policy screen.
    Policy(policy::Answer),
    /// For the examples.
    Examples(examples::Answer),
}

impl Query {
    /// Whose it is.
    pub const fn screen(&self) -> ScreenName {
        match self {
            Self::Review(_) => ScreenName::Review,
            Self::Replay(_) => ScreenName::Replay,
            Self::Timeline(_) => ScreenName::Timeline,
            Self::Policy(_) => ScreenName::Policy,
            Self::Examples(_) => ScreenName::Examples,
        }
    }

    /// Whether it is asked of an open ledger; the others are answered without one.
    pub const fn needs_ledger(&self) -> bool {
        !matches!(self, Self::Examples(_))
    }

    /// Does the job, on the work thread.
    ///
    /// # Errors
    /// Why it cannot be done, as a line that holds nothing of a person's mail.
    pub fn answer(&self, facts: Option<&Facts<'_>>, progress: &Progress) -> Result<Answer, String> {
        if let Self::Examples(query) = self {
            return examples::answer(query, progress).map(Answer::Examples);
        }
        let facts = facts.ok_or("the ledger is not open")?;
        match self {
            Self::Review(query) => review::answer(query, facts, progress).map(Answer::Review),
            Self::Replay(query) => replay::answer(query, facts, progress).map(Answer::Replay),
            Self::Timeline(query) => timeline::answer(query, facts, progress).map(Answer::Timeline),
            Self::Policy(query) => policy::answer(query, facts, progress).map(Answer::Policy),
            Self::Examples(query) => examples::answer(query, progress).map(Answer::Examples),
        }
    }
}
