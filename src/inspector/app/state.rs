//! The whole state of the inspector.

use std::path::PathBuf;
use std::sync::Arc;

use attest_canon::Id;
use attest_grading::model::IsoTs;
use ratatui::crossterm::event::MouseEvent;
use ratatui::text::Line;

use super::list::List;
use super::overlay::Overlay;
use crate::config::{Settings, ThemeChoice};
use crate::inspector::action::{Action, Context};
use crate::inspector::key::Key;
use crate::inspector::look::Look;
use crate::inspector::screens::Screens;
use crate::inspector::theme::{Background, Depth, Palette, Role};
use crate::inspector::widgets::cursor::Scroll;
use crate::inspector::work::{Explained, Request, Told};

/// What comes in.
#[derive(Clone, Debug)]
pub enum Message {
    /// A key.
    Key(Key),
    /// Pasted text.
    Paste(String),
    /// The mouse.
    Mouse(MouseEvent),
    /// The terminal has another size: columns, rows.
    Resize(u16, u16),
    /// The terminal's background.
    Background(Background),
    /// Something asked for directly, as the palette and tests do.
    Action(Action),
    /// The work thread.
    Told(Told),
    /// Nothing can be typed any more.
    InputLost,
    /// A signal asks to end; the exit code.
    End(u8),
}

/// What has to be done outside.
#[derive(Clone, PartialEq, Debug)]
pub enum Effect {
    /// Leave with this exit code.
    Quit(u8),
    /// Put a text on the clipboard.
    Copy(String),
    /// Take the mouse, or leave it to the terminal.
    Mouse(bool),
    /// Draw everything anew.
    Redraw,
    /// Give the terminal back and stop until continued.
    Suspend,
    /// Ask the work thread.
    Ask(Request),
    /// Ask it to stop what it does.
    CancelWork,
}

/// The screens, in the order of their keys.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ScreenName {
    /// The receipts and why.
    Receipts,
    /// What needs a person.
    Review,
    /// Every receipt derived again.
    Replay,
    /// The ledger over time.
    Timeline,
    /// The policy, and what another would change.
    Policy,
    /// The worked examples.
    Examples,
}

impl ScreenName {
    /// Every screen.
    pub const ALL: &'static [Self] = &[
        Self::Receipts,
        Self::Review,
        Self::Replay,
        Self::Timeline,
        Self::Policy,
        Self::Examples,
    ];

    /// Its name.
    pub const fn title(self) -> &'static str {
        self.context().title()
    }

    /// Where its keys work.
    pub const fn context(self) -> Context {
        match self {
            Self::Receipts => Context::Receipts,
            Self::Review => Context::Review,
            Self::Replay => Context::Replay,
            Self::Timeline => Context::Timeline,
            Self::Policy => Context::Policy,
            Self::Examples => Context::Examples,
        }
    }

    /// The action that shows it.
    pub const fn action(self) -> Action {
        match self {
            Self::Receipts => Action::ScreenReceipts,
            Self::Review => Action::ScreenReview,
            Self::Replay => Action::ScreenReplay,
            Self::Timeline => Action::ScreenTimeline,
            Self::Policy => Action::ScreenPolicy,
            Self::Examples => Action::ScreenExamples,
        }
    }
}

/// Which pane has the focus.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Focus {
    /// The list.
    List,
    /// The detail.
    Detail,
}

/// The tabs of a receipt's detail.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Tab {
    /// What was decided, and why.
    Why,
    /// The score.
    Arithmetic,
    /// Every rule.
    Rules,
    /// The instants it read.
    Timeline,
    /// Its place in its life.
    State,
    /// What it was graded with.
    Inputs,
}

impl Tab {
    /// Every tab, from left to right.
    pub const ALL: &'static [Self] = &[
        Self::Why,
        Self::Arithmetic,
        Self::Rules,
        Self::Timeline,
        Self::State,
        Self::Inputs,
    ];

    /// Its name.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Why => "Why",
            Self::Arithmetic => "Arithmetic",
            Self::Rules => "Rules",
            Self::Timeline => "Timeline",
            Self::State => "State",
            Self::Inputs => "Inputs",
        }
    }

    /// Whether it holds lines that unfold.
    pub const fn unfolds(self) -> bool {
        matches!(self, Self::Rules)
    }

    /// The tab `by` places further, where there is one.
    pub fn step(self, by: isize) -> Option<Self> {
        let at = Self::ALL.iter().position(|tab| *tab == self)?;
        at.checked_add_signed(by)
            .and_then(|at| Self::ALL.get(at))
            .copied()
    }
}

/// The detail of the chosen receipt.
#[derive(Clone, Debug)]
pub struct Detail {
    /// The tab shown.
    pub tab: Tab,
    /// The first line in view, for each tab.
    pub scrolls: [Scroll; Tab::ALL.len()],
    /// The receipt that was asked for.
    pub asked: Option<Id>,
    /// What is known of it; nothing until the work thread has said.
    pub explained: Option<(Id, Arc<Explained>)>,
    /// Whether the tab unfolds what it can.
    pub unfolded: bool,
    /// The tab's lines, made when what they depend on changed.
    pub lines: Vec<Line<'static>>,
    /// What they depend on.
    pub made_for: Option<MadeFor>,
}

/// What the detail's lines depend on.
#[derive(Clone, PartialEq, Debug)]
pub struct MadeFor {
    /// The receipt.
    pub receipt: Option<Id>,
    /// Whether it was explained.
    pub explained: bool,
    /// The tab.
    pub tab: Tab,
    /// The cells there are.
    pub width: u16,
    /// Whether it is unfolded.
    pub unfolded: bool,
    /// The palette's name and depth.
    pub palette: (String, Depth),
    /// The instant travelled to.
    pub preview: Option<IsoTs>,
}

impl Detail {
    /// The scroll of the tab shown.
    pub fn scroll(&self) -> Scroll {
        self.scrolls
            .get(self.tab as usize)
            .copied()
            .unwrap_or_default()
    }

    /// The scroll of the tab shown, to change it.
    pub fn scroll_mut(&mut self) -> Option<&mut Scroll> {
        self.scrolls.get_mut(self.tab as usize)
    }
}

/// A line that tells what came of something, until the next key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Notice {
    /// How it went.
    pub role: Role,
    /// What to say.
    pub text: String,
}

/// Work in progress.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Work {
    /// What is being done.
    pub what: &'static str,
    /// How many are done.
    pub done: usize,
    /// Of how many; 0 where that is not known.
    pub of: usize,
}

/// What the program runs in.
#[derive(Clone, Debug)]
pub struct Environment {
    /// How many colours the terminal shows.
    pub depth: Depth,
    /// Its background, as far as it is known at the start.
    pub background: Background,
    /// The config directory.
    pub config: Option<PathBuf>,
}

/// The whole state.
#[derive(Clone, Debug)]
pub struct App {
    /// The ledger's name, fit for a terminal.
    pub name: String,
    /// The config file's settings.
    pub settings: Settings,
    /// What the program runs in.
    pub environment: Environment,
    /// The theme that was chosen while running.
    pub theme: ThemeChoice,
    /// How things look.
    pub look: Look,
    /// Columns and rows of the terminal.
    pub size: (u16, u16),
    /// The screen shown.
    pub screen: ScreenName,
    /// The pane of the receipts screen with the focus.
    pub focus: Focus,
    /// The other screens.
    pub screens: Screens,
    /// What lies over the screen, the uppermost last.
    pub overlays: Vec<Overlay>,
    /// The receipts.
    pub list: List,
    /// The chosen one.
    pub detail: Detail,
    /// What came of the last thing asked for.
    pub notice: Option<Notice>,
    /// What is being done.
    pub work: Option<Work>,
    /// The first key of a sequence.
    pub pending: Option<Key>,
    /// Whether the mouse is ours.
    pub mouse: bool,
    /// Whether the ledger was opened.
    pub is_open: bool,
    /// Why it could not be.
    pub failure: Option<String>,
    /// Whether the program ends once everything is saved.
    pub is_leaving: bool,
    /// Whether something changed since the last frame.
    pub dirty: bool,
}

impl App {
    /// The state before anything was read.
    pub fn new(name: &str, settings: Settings, environment: Environment, size: (u16, u16)) -> Self {
        let theme = settings.theme.clone();
        let look = look(&settings, &environment, &theme);
        Self {
            name: crate::inspector::text::shown(name).into_owned(),
            list: List::new(settings.sort),
            mouse: settings.mouse,
            settings,
            environment,
            theme,
            look,
            size,
            screen: ScreenName::Receipts,
            focus: Focus::List,
            screens: Screens::default(),
            overlays: Vec::new(),
            detail: Detail {
                tab: Tab::Why,
                scrolls: Default::default(),
                asked: None,
                explained: None,
                unfolded: false,
                lines: Vec::new(),
                made_for: None,
            },
            notice: None,
            work: None,
            pending: None,
            is_open: false,
            failure: None,
            is_leaving: false,
            dirty: true,
        }
    }

    /// Where keys are read now, most specific first.
    pub fn contexts(&self) -> Vec<Context> {
        if let Some(overlay) = self.overlays.last() {
            return vec![overlay.context()];
        }
        let focus = self
            .screens
            .of(self.screen)
            .map_or(self.focus, |screen| screen.focus());
        let pane = match focus {
            Focus::List => Context::List,
            Focus::Detail => Context::Detail,
        };
        vec![pane, self.screen.context(), Context::Global]
    }

    /// Says something in the last line.
    pub fn tell(&mut self, role: Role, text: impl Into<String>) {
        self.notice = Some(Notice {
            role,
            text: text.into(),
        });
    }

    /// Looks anew, after the theme or the background changed.
    pub fn restyle(&mut self) {
        self.look = look(&self.settings, &self.environment, &self.theme);
        self.detail.made_for = None;
    }
}

/// How things look with a choice of theme: `auto` follows the background, and a theme that no
/// longer reads falls back to it.
fn look(settings: &Settings, environment: &Environment, choice: &ThemeChoice) -> Look {
    let depth = settings
        .colors
        .unwrap_or(environment.depth)
        .min(match environment.depth {
            // NO_COLOR and terminals without colours are never overruled by a file.
            Depth::None => Depth::None,
            _ => Depth::True,
        });
    let automatic = match (depth, environment.background) {
        (Depth::None, _) => "monochrome",
        (_, Background::Light) => "light",
        _ => "dark",
    };
    let name = match choice {
        ThemeChoice::Auto => automatic,
        ThemeChoice::Named(name) => name,
    };
    let theme = crate::config::theme(environment.config.as_deref(), name)
        .ok()
        .or_else(|| crate::config::built_in(automatic));
    let palette = theme.map_or_else(
        || {
            let empty = crate::inspector::theme::Theme::new(
                automatic.to_owned(),
                Background::Any,
                std::collections::BTreeMap::new(),
            );
            Palette::new(&empty, depth)
        },
        |theme| Palette::new(&theme, depth),
    );
    Look {
        palette,
        glyphs: settings.borders.glyphs(),
    }
}
