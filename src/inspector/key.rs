//! Keys and their names: `j`, `G`, `?`, `space`, `shift-tab`, `ctrl-d`, and sequences of two, `g g`.
//!
//! One key has one name, and a name that a terminal cannot tell from another key is refused.

use std::fmt;

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

/// One key press.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Key {
    code: Code,
    ctrl: bool,
    alt: bool,
    /// Only with keys that are no character: a shifted character is another character.
    shift: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Code {
    Char(char),
    F(u8),
    Named(Named),
}

/// The keys that have names of their own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Named {
    Enter,
    Esc,
    Tab,
    Backspace,
    Delete,
    Insert,
    Up,
    Down,
    Left,
    Right,
    Home,
    End,
    PageUp,
    PageDown,
}

const NAMED: &[(Named, &str, KeyCode)] = &[
    (Named::Enter, "enter", KeyCode::Enter),
    (Named::Esc, "esc", KeyCode::Esc),
    (Named::Tab, "tab", KeyCode::Tab),
    (Named::Backspace, "backspace", KeyCode::Backspace),
    (Named::Delete, "delete", KeyCode::Delete),
    (Named::Insert, "insert", KeyCode::Insert),
    (Named::Up, "up", KeyCode::Up),
    (Named::Down, "down", KeyCode::Down),
    (Named::Left, "left", KeyCode::Left),
    (Named::Right, "right", KeyCode::Right),
    (Named::Home, "home", KeyCode::Home),
    (Named::End, "end", KeyCode::End),
    (Named::PageUp, "pageup", KeyCode::PageUp),
    (Named::PageDown, "pagedown", KeyCode::PageDown),
];

/// Why a text names no key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum KeyError {
    /// No key has this name.
    Unknown,
    /// A terminal sends the same bytes for another key, whose name this is.
    SameAs(&'static str),
    /// Shift with a character: the shifted character itself is the key.
    ShiftedCharacter,
    /// More keys in a row than two, or none.
    Length,
}

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => f.write_str(
                "no such key: write a character, or a name such as enter, space, pageup or f1, \
                 after ctrl-, alt- or shift- where wanted",
            ),
            Self::SameAs(name) => write!(f, "a terminal cannot tell this key from {name}"),
            Self::ShiftedCharacter => {
                f.write_str("write the shifted character itself, such as G for shift-g")
            }
            Self::Length => f.write_str("a sequence has one key, or two with a space between"),
        }
    }
}

impl std::error::Error for KeyError {}

impl Key {
    /// The key of a name, as [`Key`]'s `Display` writes it.
    ///
    /// # Errors
    /// Any other text.
    pub fn parse(name: &str) -> Result<Self, KeyError> {
        let (mut ctrl, mut alt, mut shift) = (false, false, false);
        let mut rest = name;
        loop {
            let (flag, after) = if let Some(after) = rest.strip_prefix("ctrl-") {
                (&mut ctrl, after)
            } else if let Some(after) = rest.strip_prefix("alt-") {
                (&mut alt, after)
            } else if let Some(after) = rest.strip_prefix("shift-") {
                (&mut shift, after)
            } else {
                break;
            };
            if *flag {
                return Err(KeyError::Unknown);
            }
            *flag = true;
            rest = after;
        }
        let code = Code::parse(rest).ok_or(KeyError::Unknown)?;
        let key = Self {
            code,
            ctrl,
            alt,
            shift,
        };
        key.check()?;
        // One name only: modifiers in the order `Display` writes them.
        if key.to_string() == name {
            Ok(key)
        } else {
            Err(KeyError::Unknown)
        }
    }

    fn check(self) -> Result<(), KeyError> {
        match self.code {
            Code::Char(c) => {
                if self.shift {
                    return Err(KeyError::ShiftedCharacter);
                }
                match (self.ctrl, c) {
                    (true, 'i') => Err(KeyError::SameAs("tab")),
                    (true, 'm') => Err(KeyError::SameAs("enter")),
                    (true, '[') => Err(KeyError::SameAs("esc")),
                    // A control byte exists for these alone.
                    (true, 'a'..='z' | ' ') | (false, _) => Ok(()),
                    (true, _) => Err(KeyError::Unknown),
                }
            }
            Code::F(_) | Code::Named(_) => Ok(()),
        }
    }

    /// The key a terminal event presses; none for releases and for keys without a name.
    pub fn from_event(event: KeyEvent) -> Option<Self> {
        if event.kind == KeyEventKind::Release {
            return None;
        }
        let ctrl = event.modifiers.contains(KeyModifiers::CONTROL);
        let alt = event.modifiers.contains(KeyModifiers::ALT);
        let mut shift = event.modifiers.contains(KeyModifiers::SHIFT);
        let code = match event.code {
            KeyCode::Char(c) => {
                let c = match (ctrl, shift) {
                    (true, _) => c.to_ascii_lowercase(),
                    (false, true) => c.to_ascii_uppercase(),
                    (false, false) => c,
                };
                shift = false;
                Code::Char(c)
            }
            KeyCode::BackTab => {
                shift = true;
                Code::Named(Named::Tab)
            }
            KeyCode::F(n) => Code::F(n),
            other => Code::Named(NAMED.iter().find(|(_, _, code)| *code == other)?.0),
        };
        Some(Self {
            code,
            ctrl,
            alt,
            shift,
        })
    }

    /// The character this key types into a line of text, if it types one.
    pub fn typed(self) -> Option<char> {
        match self.code {
            Code::Char(c) if !self.ctrl && !self.alt => Some(c),
            _ => None,
        }
    }
}

impl Code {
    fn parse(name: &str) -> Option<Self> {
        if name == "space" {
            return Some(Self::Char(' '));
        }
        let mut characters = name.chars();
        if let (Some(c), None) = (characters.next(), characters.next()) {
            return attest_grading::text::is_plain(c)
                .then_some(Self::Char(c))
                .filter(|_| c != ' ');
        }
        if let Some((named, _, _)) = NAMED.iter().find(|(_, text, _)| *text == name) {
            return Some(Self::Named(*named));
        }
        let n = name
            .strip_prefix('f')?
            .parse()
            .ok()
            .filter(|n| (1..=24).contains(n))?;
        Some(Self::F(n))
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (on, prefix) in [
            (self.ctrl, "ctrl-"),
            (self.alt, "alt-"),
            (self.shift, "shift-"),
        ] {
            if on {
                f.write_str(prefix)?;
            }
        }
        match self.code {
            Code::Char(' ') => f.write_str("space"),
            Code::Char(c) => write!(f, "{c}"),
            Code::F(n) => write!(f, "f{n}"),
            Code::Named(named) => {
                let name = NAMED
                    .iter()
                    .find(|(of, _, _)| *of == named)
                    .map_or("", |(_, name, _)| name);
                f.write_str(name)
            }
        }
    }
}

/// One key, or two pressed one after the other.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct KeySequence {
    /// The first key.
    pub first: Key,
    /// The second, if there is one.
    pub second: Option<Key>,
}

impl KeySequence {
    /// The keys of a text, as `Display` writes them: names with one space between.
    ///
    /// # Errors
    /// A name of no key, or not one or two names.
    pub fn parse(text: &str) -> Result<Self, KeyError> {
        let mut names = text.split(' ');
        let first = names
            .next()
            .filter(|name| !name.is_empty())
            .ok_or(KeyError::Length)?;
        let first = Key::parse(first)?;
        let second = names.next().map(Key::parse).transpose()?;
        if names.next().is_some() {
            return Err(KeyError::Length);
        }
        Ok(Self { first, second })
    }

    /// Whether pressing one leaves the other unreachable or undecided: they are the same, or one
    /// begins the other.
    pub fn clashes(self, other: Self) -> bool {
        self.first == other.first
            && (self.second == other.second || self.second.is_none() || other.second.is_none())
    }
}

impl fmt::Display for KeySequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.first)?;
        match self.second {
            Some(second) => write!(f, " {second}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_and_events() {
        let shift = KeyModifiers::SHIFT;
        let ctrl = KeyModifiers::CONTROL;
        for (name, code, modifiers) in [
            ("j", KeyCode::Char('j'), KeyModifiers::NONE),
            ("G", KeyCode::Char('G'), shift),
            ("G", KeyCode::Char('g'), shift),
            ("?", KeyCode::Char('?'), shift),
            ("space", KeyCode::Char(' '), KeyModifiers::NONE),
            ("-", KeyCode::Char('-'), KeyModifiers::NONE),
            ("é", KeyCode::Char('é'), KeyModifiers::NONE),
            ("ctrl-d", KeyCode::Char('d'), ctrl),
            ("ctrl-d", KeyCode::Char('D'), ctrl | shift),
            ("alt-x", KeyCode::Char('x'), KeyModifiers::ALT),
            ("alt--", KeyCode::Char('-'), KeyModifiers::ALT),
            ("shift-tab", KeyCode::BackTab, shift),
            ("tab", KeyCode::Tab, KeyModifiers::NONE),
            (
                "ctrl-alt-shift-up",
                KeyCode::Up,
                ctrl | KeyModifiers::ALT | shift,
            ),
            ("f12", KeyCode::F(12), KeyModifiers::NONE),
            ("pagedown", KeyCode::PageDown, KeyModifiers::NONE),
        ] {
            let key = Key::from_event(KeyEvent::new(code, modifiers)).unwrap();
            assert_eq!(key.to_string(), name);
            assert_eq!(Key::parse(name), Ok(key));
        }
    }

    #[test]
    fn names_that_are_refused() {
        for (name, error) in [
            ("", KeyError::Unknown),
            ("Enter", KeyError::Unknown),
            ("return", KeyError::Unknown),
            ("ctrl-ctrl-d", KeyError::Unknown),
            ("alt-ctrl-d", KeyError::Unknown),
            ("ctrl-D", KeyError::Unknown),
            ("ctrl-1", KeyError::Unknown),
            ("f0", KeyError::Unknown),
            ("f25", KeyError::Unknown),
            ("f01", KeyError::Unknown),
            ("\u{200b}", KeyError::Unknown),
            ("\u{1b}", KeyError::Unknown),
            ("shift-g", KeyError::ShiftedCharacter),
            ("ctrl-i", KeyError::SameAs("tab")),
            ("ctrl-m", KeyError::SameAs("enter")),
            ("ctrl-[", KeyError::SameAs("esc")),
        ] {
            assert_eq!(Key::parse(name), Err(error), "{name:?}");
        }
    }

    #[test]
    fn sequences() {
        let parse = |text| KeySequence::parse(text).unwrap();
        assert_eq!(parse("g g").to_string(), "g g");
        assert!(parse("g").clashes(parse("g g")));
        assert!(parse("g g").clashes(parse("g g")));
        assert!(!parse("g g").clashes(parse("g x")));
        assert!(!parse("x").clashes(parse("g x")));
        for text in ["", " ", "g  g", "g ", " g", "g g g"] {
            assert!(KeySequence::parse(text).is_err(), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn whatever_is_read_is_written_the_same(name in "(ctrl-)?(alt-)?(shift-)?([!-~]|enter|space|tab|up|f[0-9]{1,2}|esc)") {
            if let Ok(key) = Key::parse(&name) {
                prop_assert_eq!(key.to_string(), name);
            }
        }

        #[test]
        fn no_text_breaks_it(name in ".{0,12}") {
            if let Ok(keys) = KeySequence::parse(&name) {
                prop_assert_eq!(keys.to_string(), name);
            }
        }
    }
}
