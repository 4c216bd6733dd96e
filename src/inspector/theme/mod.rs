//! Themes name meanings, not places: what a role looks like is the theme's, where it stands is the
//! pane's. Nothing is said by colour alone; every grade, state and outcome has a word or a glyph.

pub mod color;

use std::collections::BTreeMap;

use ratatui::style::{Modifier, Style};

pub use color::{Depth, ThemeColor};

/// Declares the roles and their names.
macro_rules! roles {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)+) => {
        /// What a piece of the screen means.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Role { $($(#[$doc])* $name,)+ }

        impl Role {
            /// Every role, in the order theme files list them.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// The name theme files write.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => $text,)+ }
            }

            /// The role of this name.
            pub fn parse(name: &str) -> Option<Self> {
                match name { $($text => Some(Self::$name),)+ _ => None }
            }
        }
    };
}

roles! {
    /// The whole screen, under everything else.
    Canvas = "canvas",
    /// Text to be read.
    Text = "text",
    /// Text of less weight: labels, units, what is out of play.
    Muted = "muted",
    /// Headings of panes and of parts.
    Heading = "heading",
    /// What is chosen or current: the tab, the pane with the focus.
    Accent = "accent",
    /// The frame of a pane.
    Border = "border",
    /// The frame of the pane with the focus.
    BorderFocus = "border-focus",
    /// The row the cursor is on, in the pane with the focus.
    Selection = "selection",
    /// The row the cursor is on, in another pane.
    SelectionIdle = "selection-idle",
    /// A key in the hint line and the help.
    Key = "key",
    /// Letters a filter found.
    Found = "found",
    /// VERIFIED.
    Verified = "verified",
    /// PARTIAL.
    Partial = "partial",
    /// NOT_FOUND.
    NotFound = "not-found",
    /// UNASKED.
    Unasked = "unasked",
    /// OVER_SCOPE.
    OverScope = "over-scope",
    /// UNVERIFIABLE.
    Unverifiable = "unverifiable",
    /// A receipt still being checked.
    Checking = "checking",
    /// What a person decided.
    Overridden = "overridden",
    /// Something that held or was reproduced.
    Good = "good",
    /// Something that failed or differs.
    Bad = "bad",
    /// Something to look at before going on.
    Warning = "warning",
    /// A preview: nothing of it is in the ledger.
    Preview = "preview",
    /// The filled part of a bar.
    Bar = "bar",
    /// The rest of it.
    Track = "track",
    /// What is being typed.
    Input = "input",
}

/// How a theme says a role looks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RoleStyle {
    /// The colour of its text; none leaves what is under it.
    pub fg: Option<ThemeColor>,
    /// The colour behind it; none leaves what is under it.
    pub bg: Option<ThemeColor>,
    /// The text's colour where a terminal has sixteen; none takes the nearest to `fg`.
    pub fg16: Option<ThemeColor>,
    /// The colour behind it where a terminal has sixteen; none takes the nearest to `bg`.
    pub bg16: Option<ThemeColor>,
    /// Bold, dim, italic, underlined, reversed.
    pub modifiers: Modifier,
}

/// The terminal background a theme is made for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Background {
    /// Dark.
    Dark,
    /// Light.
    Light,
    /// Either: the theme sets its own, or uses no colours.
    Any,
}

impl Background {
    /// The background of this name.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "dark" => Some(Self::Dark),
            "light" => Some(Self::Light),
            "any" => Some(Self::Any),
            _ => None,
        }
    }
}

/// A theme: how every role looks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Theme {
    /// Its name.
    pub name: String,
    /// What it is made for.
    pub background: Background,
    roles: BTreeMap<Role, RoleStyle>,
}

/// The themes built in: their names and files.
pub const BUILT_IN: &[(&str, &str)] = &[
    ("dark", include_str!("../../../themes/dark.toml")),
    ("light", include_str!("../../../themes/light.toml")),
    (
        "high-contrast",
        include_str!("../../../themes/high-contrast.toml"),
    ),
    (
        "colorblind",
        include_str!("../../../themes/colorblind.toml"),
    ),
    (
        "monochrome",
        include_str!("../../../themes/monochrome.toml"),
    ),
];

impl Theme {
    /// A theme of these roles; a role left out looks like what is under it.
    pub fn new(name: String, background: Background, roles: BTreeMap<Role, RoleStyle>) -> Self {
        Self {
            name,
            background,
            roles,
        }
    }

    /// How a role looks.
    pub fn role(&self, role: Role) -> RoleStyle {
        self.roles.get(&role).copied().unwrap_or_default()
    }
}

/// A theme on one terminal: what every role comes to there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Palette {
    /// The theme's name.
    pub name: String,
    /// How many colours there are.
    pub depth: Depth,
    styles: Vec<Style>,
}

impl Palette {
    /// What `theme` comes to on a terminal of this depth.
    ///
    /// Without colours a selection that only its colours would show is reversed, so that it is
    /// never lost.
    pub fn new(theme: &Theme, depth: Depth) -> Self {
        let style = |role: Role| {
            let of = theme.role(role);
            let mut style = Style::new().add_modifier(of.modifiers);
            let (fg, bg) = match depth {
                Depth::Ansi16 => (of.fg16.or(of.fg), of.bg16.or(of.bg)),
                _ => (of.fg, of.bg),
            };
            style.fg = fg.and_then(|color| color.at(depth));
            style.bg = bg.and_then(|color| color.at(depth));
            if depth == Depth::None && of.bg.is_some() && role != Role::Canvas {
                style = style.add_modifier(Modifier::REVERSED);
            }
            style
        };
        Self {
            name: theme.name.clone(),
            depth,
            styles: Role::ALL.iter().copied().map(style).collect(),
        }
    }

    /// What a role comes to.
    pub fn style(&self, role: Role) -> Style {
        self.styles.get(role as usize).copied().unwrap_or_default()
    }
}
