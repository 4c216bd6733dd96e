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
    /// Without colours what only the colour behind it would show is reversed, and the selection of
    /// a pane without the focus underlined, so that neither is ever lost.
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
            if depth == Depth::None && of.bg.is_some() {
                style = style.add_modifier(match role {
                    Role::Canvas => Modifier::empty(),
                    Role::SelectionIdle => Modifier::UNDERLINED,
                    _ => Modifier::REVERSED,
                });
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

#[cfg(test)]
mod tests {
    use super::color::{contrast, xterm_256};
    use super::*;
    use crate::config::built_in;

    type Rgb = (u8, u8, u8);

    fn themes() -> impl Iterator<Item = Theme> {
        BUILT_IN.iter().map(|(name, _)| built_in(name).unwrap())
    }

    /// The backgrounds terminals of each kind commonly have.
    fn backgrounds(theme: &Theme) -> Vec<Rgb> {
        match theme.background {
            Background::Dark => vec![(0, 0, 0), (0x1e, 0x1e, 0x1e), (0x28, 0x2c, 0x34)],
            Background::Light => vec![(255, 255, 255), (0xfd, 0xf6, 0xe3), (0xf2, 0xf2, 0xf2)],
            Background::Any => Vec::new(),
        }
    }

    /// The colour at a depth with 256 or more.
    fn rgb(color: ThemeColor, depth: Depth) -> Option<Rgb> {
        match color.at(depth)? {
            ratatui::style::Color::Rgb(r, g, b) => Some((r, g, b)),
            ratatui::style::Color::Indexed(place) => Some(xterm_256(place)),
            _ => None,
        }
    }

    #[test]
    fn every_role_can_be_read_on_every_background_it_meets() {
        for theme in themes() {
            let least = if theme.name == "high-contrast" {
                7.0
            } else {
                4.5
            };
            for (depth, slack) in [(Depth::True, 1.0), (Depth::Ansi256, 0.9)] {
                let canvas = theme.role(Role::Canvas).bg.and_then(|bg| rgb(bg, depth));
                let under: Vec<Rgb> =
                    canvas.map_or_else(|| backgrounds(&theme), |canvas| vec![canvas]);
                // Rows keep the colours of their parts where the cursor is out of focus.
                let idle = theme.role(Role::SelectionIdle);
                let idle_under = idle
                    .bg
                    .filter(|_| idle.fg.is_none())
                    .and_then(|bg| rgb(bg, depth));
                for &role in Role::ALL {
                    let style = theme.role(role);
                    let Some(fg) = style.fg.and_then(|fg| rgb(fg, depth)) else {
                        continue;
                    };
                    let own = style.bg.and_then(|bg| rgb(bg, depth));
                    let is_line = matches!(role, Role::Border | Role::Track);
                    let least = if is_line { 2.0 } else { least } * slack;
                    let mut on = own.map_or_else(|| under.clone(), |own| vec![own]);
                    on.extend(idle_under.filter(|_| own.is_none() && !is_line));
                    for background in on {
                        let contrast = contrast(fg, background);
                        assert!(
                            contrast >= least,
                            "{} {} at {depth:?}: {contrast:.2} on {background:?}",
                            theme.name,
                            role.name()
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn the_selection_is_never_lost() {
        for theme in themes() {
            for depth in [Depth::None, Depth::Ansi16, Depth::Ansi256, Depth::True] {
                let palette = Palette::new(&theme, depth);
                let (selection, canvas) =
                    (palette.style(Role::Selection), palette.style(Role::Canvas));
                let by_color = selection.bg.is_some() && selection.bg != canvas.bg;
                let reversed = selection.add_modifier.contains(Modifier::REVERSED);
                assert!(by_color || reversed, "{} at {depth:?}", theme.name);
                assert_ne!(
                    selection,
                    palette.style(Role::SelectionIdle),
                    "{} at {depth:?}",
                    theme.name
                );
            }
        }
    }

    #[test]
    fn without_colours_there_are_none() {
        for theme in themes() {
            let palette = Palette::new(&theme, Depth::None);
            for &role in Role::ALL {
                assert_eq!(
                    (palette.style(role).fg, palette.style(role).bg),
                    (None, None)
                );
            }
        }
        let monochrome = built_in("monochrome").unwrap();
        let palette = Palette::new(&monochrome, Depth::True);
        assert!(
            Role::ALL
                .iter()
                .all(|role| palette.style(*role).fg.is_none())
        );
    }

    /// How far apart two colours look to someone without the green, or the red, cones: Viénot's
    /// projection, then the distance of lightness and of what is left of hue.
    fn distance_without(cone: &str, a: Rgb, b: Rgb) -> f64 {
        let seen = |(r, g, b): Rgb| {
            let linear = |channel: u8| (f64::from(channel) / 255.0).powf(2.2);
            let (r, g, b) = (linear(r), linear(g), linear(b));
            let red_green = match cone {
                "green" => 0.29275 * r + 0.70725 * g,
                _ => 0.11238 * r + 0.88762 * g,
            };
            let blue = match cone {
                "green" => -0.02234 * r + 0.02234 * g + b,
                _ => 0.00401 * r - 0.00401 * g + b,
            };
            let perceived = |linear: f64| linear.clamp(0.0, 1.0).powf(1.0 / 2.2) * 255.0;
            (perceived(red_green), perceived(blue))
        };
        let ((yellow_a, blue_a), (yellow_b, blue_b)) = (seen(a), seen(b));
        ((yellow_a - yellow_b).powi(2) + (blue_a - blue_b).powi(2)).sqrt()
    }

    #[test]
    fn grades_stay_apart_without_red_or_green_cones() {
        let theme = built_in("colorblind").unwrap();
        let grades = [
            Role::Verified,
            Role::Partial,
            Role::NotFound,
            Role::Unasked,
            Role::OverScope,
            Role::Unverifiable,
        ];
        for cone in ["green", "red"] {
            for (place, a) in grades.iter().enumerate() {
                for b in grades.iter().skip(place + 1) {
                    let of = |role: Role| rgb(theme.role(role).fg.unwrap(), Depth::True).unwrap();
                    let distance = distance_without(cone, of(*a), of(*b));
                    assert!(
                        distance >= 24.0,
                        "{} {} without {cone}: {distance:.0}",
                        a.name(),
                        b.name()
                    );
                }
            }
        }
    }
}
