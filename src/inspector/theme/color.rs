//! Colours as a theme names them, and what each terminal can show of them.

use std::fmt;

use ratatui::style::Color;

/// How many colours a terminal shows.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Depth {
    /// None: only bold, dim, underlined and reversed text.
    None,
    /// The sixteen named ones, which the terminal's user chose.
    Ansi16,
    /// The xterm palette.
    Ansi256,
    /// 24 bits.
    True,
}

impl Depth {
    /// The depth of this name, as the config file writes it.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "none" => Some(Self::None),
            "16" => Some(Self::Ansi16),
            "256" => Some(Self::Ansi256),
            "true" => Some(Self::True),
            _ => None,
        }
    }

    /// The name the config file writes.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Ansi16 => "16",
            Self::Ansi256 => "256",
            Self::True => "true",
        }
    }

    /// What the environment says of the terminal: `NO_COLOR` set and not empty means none, whatever
    /// else is said.
    pub fn detect(variable: impl Fn(&str) -> Option<String>) -> Self {
        if variable("NO_COLOR").is_some_and(|value| !value.is_empty()) {
            return Self::None;
        }
        let colorterm = variable("COLORTERM").unwrap_or_default();
        if matches!(colorterm.as_str(), "truecolor" | "24bit") {
            return Self::True;
        }
        let term = variable("TERM").unwrap_or_default();
        if term.is_empty() || term == "dumb" || term.starts_with("vt") {
            Self::None
        } else if term.ends_with("-direct")
            || [
                "alacritty",
                "foot",
                "xterm-kitty",
                "xterm-ghostty",
                "wezterm",
            ]
            .contains(&term.as_str())
        {
            Self::True
        } else if term.contains("256color") {
            Self::Ansi256
        } else {
            Self::Ansi16
        }
    }
}

/// A colour as a theme writes it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ThemeColor {
    /// The terminal's own.
    Default,
    /// One of the sixteen, by its place from 0.
    Named(u8),
    /// Red, green and blue.
    Rgb(u8, u8, u8),
}

/// The sixteen names, in palette order.
const NAMES: [&str; 16] = [
    "black",
    "red",
    "green",
    "yellow",
    "blue",
    "magenta",
    "cyan",
    "white",
    "bright-black",
    "bright-red",
    "bright-green",
    "bright-yellow",
    "bright-blue",
    "bright-magenta",
    "bright-cyan",
    "bright-white",
];

/// xterm's values for the sixteen, used only to find the nearest.
const XTERM: [(u8, u8, u8); 16] = [
    (0, 0, 0),
    (205, 0, 0),
    (0, 205, 0),
    (205, 205, 0),
    (0, 0, 238),
    (205, 0, 205),
    (0, 205, 205),
    (229, 229, 229),
    (127, 127, 127),
    (255, 0, 0),
    (0, 255, 0),
    (255, 255, 0),
    (92, 92, 255),
    (255, 0, 255),
    (0, 255, 255),
    (255, 255, 255),
];

/// The steps of the xterm palette's colour cube.
const CUBE: [u8; 6] = [0, 95, 135, 175, 215, 255];

impl ThemeColor {
    /// The colour of a text: `default`, one of the sixteen names, or `#rrggbb`.
    pub fn parse(text: &str) -> Option<Self> {
        if text == "default" {
            return Some(Self::Default);
        }
        if let Some(place) = NAMES.iter().position(|name| *name == text) {
            return u8::try_from(place).ok().map(Self::Named);
        }
        let hex = text.strip_prefix('#').filter(|hex| hex.len() == 6)?;
        if !hex.bytes().all(|b| b.is_ascii_hexdigit()) {
            return None;
        }
        let value = u32::from_str_radix(hex, 16).ok()?;
        let [_, r, g, b] = value.to_be_bytes();
        Some(Self::Rgb(r, g, b))
    }

    /// The nearest this depth has; none where it shows no colours.
    pub fn at(self, depth: Depth) -> Option<Color> {
        let color = match (self, depth) {
            (_, Depth::None) => return None,
            (Self::Default, _) => Color::Reset,
            (Self::Named(place), _) => named(place),
            (Self::Rgb(r, g, b), Depth::True) => Color::Rgb(r, g, b),
            (Self::Rgb(r, g, b), Depth::Ansi256) => Color::Indexed(nearest_256((r, g, b))),
            (Self::Rgb(r, g, b), Depth::Ansi16) => {
                let place =
                    (0..16u8).min_by_key(|place| distance(XTERM[usize::from(*place)], (r, g, b)));
                named(place.unwrap_or(7))
            }
        };
        Some(color)
    }
}

impl fmt::Display for ThemeColor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::Named(place) => f.write_str(NAMES[usize::from(*place).min(15)]),
            Self::Rgb(r, g, b) => write!(f, "#{r:02x}{g:02x}{b:02x}"),
        }
    }
}

const fn named(place: u8) -> Color {
    match place {
        0 => Color::Black,
        1 => Color::Red,
        2 => Color::Green,
        3 => Color::Yellow,
        4 => Color::Blue,
        5 => Color::Magenta,
        6 => Color::Cyan,
        7 => Color::Gray,
        8 => Color::DarkGray,
        9 => Color::LightRed,
        10 => Color::LightGreen,
        11 => Color::LightYellow,
        12 => Color::LightBlue,
        13 => Color::LightMagenta,
        14 => Color::LightCyan,
        _ => Color::White,
    }
}

/// The values of a place of the xterm palette, 16–255: the cube, then the greys.
pub fn xterm_256(place: u8) -> (u8, u8, u8) {
    match place {
        0..=15 => XTERM[usize::from(place)],
        16..=231 => {
            let step = |of: u8| CUBE[usize::from(of % 6)];
            let place = place - 16;
            (step(place / 36), step(place / 6), step(place))
        }
        232..=255 => {
            let grey = 8 + 10 * (place - 232);
            (grey, grey, grey)
        }
    }
}

/// The first sixteen are the user's own, so they are never the nearest.
fn nearest_256(rgb: (u8, u8, u8)) -> u8 {
    (16..=255u8)
        .min_by_key(|place| distance(xterm_256(*place), rgb))
        .unwrap_or(16)
}

/// How far apart two colours look, weighing the channels by the mean of their reds.
fn distance(a: (u8, u8, u8), b: (u8, u8, u8)) -> i64 {
    let mean = (i64::from(a.0) + i64::from(b.0)) / 2;
    let square = |a: u8, b: u8| (i64::from(a) - i64::from(b)).pow(2);
    (512 + mean) * square(a.0, b.0) / 256
        + 4 * square(a.1, b.1)
        + (767 - mean) * square(a.2, b.2) / 256
}

/// The contrast of two colours as WCAG 2 defines it, from 1 to 21.
pub fn contrast(a: (u8, u8, u8), b: (u8, u8, u8)) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// The relative luminance of a colour, from 0 to 1.
pub fn luminance((r, g, b): (u8, u8, u8)) -> f64 {
    let linear = |channel: u8| {
        let s = f64::from(channel) / 255.0;
        if s <= 0.04045 {
            s / 12.92
        } else {
            ((s + 0.055) / 1.055).powf(2.4)
        }
    };
    0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for text in NAMES.into_iter().chain(["default", "#00ff7f", "#102030"]) {
            assert_eq!(ThemeColor::parse(text).unwrap().to_string(), text);
        }
        for text in [
            "", "Red", "grey", "#fff", "#12345g", "#+12345", "123456", "#1234567",
        ] {
            assert_eq!(ThemeColor::parse(text), None, "{text}");
        }
    }

    #[test]
    fn depths_from_the_environment() {
        for (variables, depth) in [
            (
                &[("TERM", "xterm-256color"), ("COLORTERM", "truecolor")][..],
                Depth::True,
            ),
            (&[("TERM", "xterm-256color")], Depth::Ansi256),
            (
                &[("TERM", "tmux-256color"), ("COLORTERM", "yes")],
                Depth::Ansi256,
            ),
            (&[("TERM", "xterm")], Depth::Ansi16),
            (&[("TERM", "linux")], Depth::Ansi16),
            (&[("TERM", "xterm-kitty")], Depth::True),
            (&[("TERM", "dumb")], Depth::None),
            (&[], Depth::None),
            (
                &[("TERM", "xterm-256color"), ("NO_COLOR", "1")],
                Depth::None,
            ),
            (
                &[("COLORTERM", "truecolor"), ("NO_COLOR", "0")],
                Depth::None,
            ),
            (
                &[("TERM", "xterm-256color"), ("NO_COLOR", "")],
                Depth::Ansi256,
            ),
        ] {
            let variable = |name: &str| {
                variables
                    .iter()
                    .find(|(of, _)| *of == name)
                    .map(|(_, value)| (*value).to_owned())
            };
            assert_eq!(Depth::detect(variable), depth, "{variables:?}");
        }
    }

    #[test]
    fn nearest_colours() {
        for (text, at_256, at_16) in [
            ("#ff0000", Color::Indexed(196), Color::LightRed),
            ("#000000", Color::Indexed(16), Color::Black),
            ("#ffffff", Color::Indexed(231), Color::White),
            ("#808080", Color::Indexed(244), Color::DarkGray),
            ("#5f87af", Color::Indexed(67), Color::DarkGray),
        ] {
            let color = ThemeColor::parse(text).unwrap();
            assert_eq!(color.at(Depth::Ansi256), Some(at_256), "{text}");
            assert_eq!(color.at(Depth::Ansi16), Some(at_16), "{text}");
            assert_eq!(color.at(Depth::None), None);
        }
        for place in 16..=255 {
            let (r, g, b) = xterm_256(place);
            let Some(Color::Indexed(nearest)) = ThemeColor::Rgb(r, g, b).at(Depth::Ansi256) else {
                panic!("not of the palette")
            };
            assert_eq!(xterm_256(nearest), xterm_256(place));
        }
    }

    #[test]
    fn contrasts() {
        assert!((contrast((0, 0, 0), (255, 255, 255)) - 21.0).abs() < 1e-9);
        assert!((contrast((119, 119, 119), (255, 255, 255)) - 4.478).abs() < 0.001);
        assert!((contrast((1, 2, 3), (1, 2, 3)) - 1.0).abs() < 1e-9);
    }
}
