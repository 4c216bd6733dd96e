//! What lies over a screen: the help, the palette and other choosers, a line being typed.

use attest_canon::Id;
use attest_grading::model::OverrideGrade;

use crate::inspector::action::{Action, Context};
use crate::inspector::filter::fuzzy::Needle;
use crate::inspector::key::KeySequence;
use crate::inspector::keymap::Keymap;
use crate::inspector::theme::Role;
use crate::inspector::widgets::cursor::{Cursor, Scroll};
use crate::inspector::widgets::edit::Edit;
use crate::inspector::work::Deed;

/// One layer over the screen.
#[derive(Clone, Debug)]
pub enum Overlay {
    /// The keys of where one was.
    Help {
        /// Where that was, most specific first.
        of: Vec<Context>,
        /// The first line in view.
        scroll: Scroll,
    },
    /// A choice from a list, narrowed by typing.
    Chooser(Chooser),
    /// A line being typed for something.
    Line(LineAsked),
    /// A question with a few answers.
    Dialog(Dialog),
    /// The filter, typed in the last line.
    Filter {
        /// The text.
        edit: Edit,
        /// The filter before, for when this one is cancelled.
        before: String,
        /// Which of the completions was taken last, and what was completed.
        completing: Option<(String, usize, usize)>,
    },
}

impl Overlay {
    /// Where keys are read while it is uppermost.
    pub const fn context(&self) -> Context {
        match self {
            Self::Help { .. } => Context::Help,
            Self::Chooser(_) => Context::Palette,
            Self::Dialog(_) => Context::Dialog,
            Self::Line(_) | Self::Filter { .. } => Context::Input,
        }
    }

    /// Whether it is only read: leaving it gives nothing up.
    pub fn asks_nothing(&self) -> bool {
        match self {
            Self::Help { .. } => true,
            Self::Dialog(dialog) => dialog.buttons.len() < 2,
            Self::Chooser(_) | Self::Line(_) | Self::Filter { .. } => false,
        }
    }
}

/// What choosing an item does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Choice {
    /// Asks for an action.
    Action(Action),
    /// Filters the list.
    Filter(String),
    /// Is for the screen that asked: which choice of its, which item.
    Screen(u8, usize),
}

/// A line being typed.
#[derive(Clone, Debug)]
pub struct LineAsked {
    /// What is asked, as a few words.
    pub title: String,
    /// What comes of it, or how it is written; may be empty.
    pub note: String,
    /// What is wrong with what was typed, in place of the note.
    pub problem: Option<String>,
    /// The text.
    pub edit: Edit,
    /// What it is for.
    pub purpose: Purpose,
}

/// What a typed line is for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// For the screen that asked: which line of its.
    Screen(u8),
    /// Why a person says what a receipt is.
    Reason {
        /// The receipt.
        receipt: Id,
        /// What they say.
        grade: OverrideGrade,
    },
    /// The name of a file to save to.
    SaveAs,
    /// The instant to travel to.
    Travel,
    /// The name of the package of a filter's receipts.
    Export(String),
}

/// A question with a few answers, the harmless one first and chosen.
#[derive(Clone, Debug)]
pub struct Dialog {
    /// What it is about.
    pub title: String,
    /// What a person should know before they answer, fit for a terminal.
    pub lines: Vec<(Role, String)>,
    /// The answers.
    pub buttons: Vec<Button>,
    /// The place of the chosen one.
    pub at: usize,
    /// The first line in view, where not all are.
    pub scroll: Scroll,
}

impl Dialog {
    /// Chooses another answer.
    pub fn step(&mut self, by: isize) {
        let last = self.buttons.len().saturating_sub(1);
        self.at = self.at.saturating_add_signed(by).min(last);
    }
}

/// One answer.
#[derive(Clone, Debug)]
pub struct Button {
    /// What it says.
    pub label: String,
    /// What it does; none closes the question and changes nothing.
    pub step: Option<Step>,
}

impl Button {
    /// The answer that changes nothing.
    pub fn cancel(label: &str) -> Self {
        Self {
            label: label.to_owned(),
            step: None,
        }
    }
}

/// What an answer does.
#[derive(Clone, Debug)]
pub enum Step {
    /// Asks why a receipt is this.
    Reason(Id, OverrideGrade),
    /// Does it.
    Do(Deed),
    /// Asks for a name to save under.
    AskName,
    /// Asks where the package of a filter's receipts goes.
    ExportName(String),
    /// Saves, and leaves once that is done.
    SaveAndQuit,
    /// Leaves.
    Quit,
}

/// One item of a chooser.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Item {
    /// Its name, fit for a terminal.
    pub name: String,
    /// What it is, fit for a terminal.
    pub about: String,
    /// Its key, where it has one.
    pub key: Option<KeySequence>,
    /// What choosing it does.
    pub choice: Choice,
}

/// A list to choose from.
#[derive(Clone, Debug)]
pub struct Chooser {
    /// What is chosen.
    pub title: &'static str,
    /// What was typed.
    pub edit: Edit,
    /// Everything there is.
    pub items: Vec<Item>,
    /// The places of those that fit what was typed, the best first.
    pub shown: Vec<usize>,
    /// Where the cursor is among them.
    pub cursor: Cursor,
}

impl Chooser {
    /// A chooser of these items.
    pub fn new(title: &'static str, items: Vec<Item>) -> Self {
        let shown = (0..items.len()).collect();
        Self {
            title,
            edit: Edit::default(),
            items,
            shown,
            cursor: Cursor::default(),
        }
    }

    /// The palette: every action by name, those that work here first.
    pub fn palette(keymap: &Keymap, here: &[Context]) -> Self {
        let works = |action: Action| {
            action
                .contexts()
                .iter()
                .any(|context| here.contains(context))
        };
        let item = |action: Action| Item {
            name: action.name().to_owned(),
            about: action.about().to_owned(),
            key: keymap.keys(action).first().copied(),
            choice: Choice::Action(action),
        };
        let (mut first, rest): (Vec<Action>, Vec<Action>) = Action::ALL
            .iter()
            .filter(|action| action.in_palette())
            .partition(|action| works(**action));
        first.extend(rest);
        Self::new("Palette", first.into_iter().map(item).collect())
    }

    /// The item the cursor is on.
    pub fn chosen(&self) -> Option<&Item> {
        self.shown
            .get(self.cursor.at)
            .and_then(|place| self.items.get(*place))
    }

    /// Narrows the list to what was typed: names first, then what they are about.
    pub fn narrow(&mut self) {
        let needle = Needle::new(self.edit.text().trim());
        let rank = |item: &Item| {
            let name = item.name.to_lowercase();
            if name.starts_with(&self.edit.text().trim().to_lowercase()) {
                Some(0)
            } else if needle.find(&name).is_some() {
                Some(1)
            } else if needle.find(&item.about.to_lowercase()).is_some() {
                Some(2)
            } else {
                None
            }
        };
        let mut ranked: Vec<(u8, usize)> = self
            .items
            .iter()
            .enumerate()
            .filter_map(|(place, item)| Some((rank(item)?, place)))
            .collect();
        ranked.sort_unstable();
        self.shown = ranked.into_iter().map(|(_, place)| place).collect();
        self.cursor = Cursor::default();
    }
}
