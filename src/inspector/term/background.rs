//! Whether the terminal's background is dark or light.
//!
//! The terminal is asked once (OSC 11) and never waited for: its answer comes in among the keys,
//! where [`Replies`] picks it out, so that nothing blocks and no key is lost.

use ratatui::crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};

use crate::inspector::theme::Background;
use crate::inspector::theme::color::luminance;

/// Asks the terminal for its background.
pub const QUESTION: &str = "\x1b]11;?\x1b\\";

/// The luminance from which a background is as near to white as to black in contrast.
const LIGHT_FROM: f64 = 0.179;

/// The longest answer there is: `11;rgba:` and four numbers of four digits.
const LONGEST: usize = 32;

/// Whether the terminal can be asked: some would show the question as text.
pub fn can_ask(variable: impl Fn(&str) -> Option<String>) -> bool {
    let term = variable("TERM").unwrap_or_default();
    let is_screen = term.starts_with("screen") && variable("TMUX").is_none();
    !(term.is_empty() || term == "dumb" || term == "linux" || is_screen)
}

/// What `COLORFGBG` says, which some terminals set: `foreground;background` as palette places.
pub fn from_environment(variable: impl Fn(&str) -> Option<String>) -> Option<Background> {
    let value = variable("COLORFGBG")?;
    let place: u8 = value.rsplit(';').next()?.parse().ok()?;
    match place {
        7 | 15 => Some(Background::Light),
        0..=6 | 8 => Some(Background::Dark),
        _ => None,
    }
}

/// The background an answer names: `11;rgb:` and three numbers of one to four hexadecimal digits.
fn from_answer(answer: &str) -> Option<Background> {
    let channels = answer
        .strip_prefix("11;rgb:")
        .or_else(|| answer.strip_prefix("11;rgba:"))?;
    let mut values = channels.split('/').map(|text| {
        let value = u32::from_str_radix(text, 16)
            .ok()
            .filter(|_| (1..=4).contains(&text.len()))?;
        let largest = (1u32 << (4 * text.len())) - 1;
        u8::try_from(value * 255 / largest).ok()
    });
    let (r, g, b) = (values.next()??, values.next()??, values.next()??);
    Some(if luminance((r, g, b)) > LIGHT_FROM {
        Background::Light
    } else {
        Background::Dark
    })
}

/// What comes of an event.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Read {
    /// Nothing yet: it may be part of an answer.
    Held,
    /// These events, in the order they came.
    Events(Vec<Event>),
    /// The answer.
    Background(Background),
}

/// Picks the terminal's answer out of its events. crossterm reads the answer's first two bytes as
/// alt-], the text as keys, and its end as alt-\ or ctrl-g.
#[derive(Debug, Default)]
pub struct Replies {
    held: Vec<Event>,
    answer: String,
    answered: bool,
}

impl Replies {
    /// Whether events are held back: the rest of an answer follows at once or not at all.
    pub fn is_holding(&self) -> bool {
        !self.held.is_empty()
    }

    /// Takes an event.
    pub fn take(&mut self, event: Event) -> Read {
        if self.answered {
            return Read::Events(vec![event]);
        }
        let key = match &event {
            Event::Key(key) => Some(*key),
            _ => None,
        };
        if !self.is_holding() {
            return if key.is_some_and(|key| is(key, ']', KeyModifiers::ALT)) {
                self.held.push(event);
                Read::Held
            } else {
                Read::Events(vec![event])
            };
        }
        self.held.push(event);
        match key {
            Some(key)
                if is(key, '\\', KeyModifiers::ALT) || is(key, 'g', KeyModifiers::CONTROL) =>
            {
                match from_answer(&self.answer) {
                    Some(background) => {
                        self.held.clear();
                        self.answered = true;
                        Read::Background(background)
                    }
                    None => self.release(),
                }
            }
            Some(KeyEvent {
                code: KeyCode::Char(c),
                modifiers,
                ..
            }) if (modifiers - KeyModifiers::SHIFT).is_empty() && self.answer.len() < LONGEST => {
                self.answer.push(c);
                let begins = "11;rgb";
                if begins.starts_with(&self.answer) || self.answer.starts_with(begins) {
                    Read::Held
                } else {
                    self.release()
                }
            }
            _ => self.release(),
        }
    }

    /// Gives back what was held: it was no answer.
    pub fn release(&mut self) -> Read {
        self.answer.clear();
        Read::Events(std::mem::take(&mut self.held))
    }
}

fn is(key: KeyEvent, c: char, modifiers: KeyModifiers) -> bool {
    key.code == KeyCode::Char(c) && key.modifiers == modifiers
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(c: char, modifiers: KeyModifiers) -> Event {
        Event::Key(KeyEvent::new(KeyCode::Char(c), modifiers))
    }

    /// An answer as crossterm reads it.
    fn answer(text: &str, end: Event) -> Vec<Event> {
        let mut events = vec![key(']', KeyModifiers::ALT)];
        events.extend(text.chars().map(|c| {
            let shift = if c.is_uppercase() {
                KeyModifiers::SHIFT
            } else {
                KeyModifiers::NONE
            };
            key(c, shift)
        }));
        events.push(end);
        events
    }

    fn feed(events: Vec<Event>) -> (Vec<Event>, Option<Background>) {
        let mut replies = Replies::default();
        let (mut out, mut background) = (Vec::new(), None);
        for event in events {
            match replies.take(event) {
                Read::Held => {}
                Read::Events(events) => out.extend(events),
                Read::Background(found) => background = Some(found),
            }
        }
        if replies.is_holding()
            && let Read::Events(events) = replies.release()
        {
            out.extend(events);
        }
        (out, background)
    }

    #[test]
    fn answers() {
        let ends = [
            key('\\', KeyModifiers::ALT),
            key('g', KeyModifiers::CONTROL),
        ];
        for end in ends {
            for (text, background) in [
                ("11;rgb:0000/0000/0000", Background::Dark),
                ("11;rgb:1E1E/1e1e/1e1e", Background::Dark),
                ("11;rgb:ffff/ffff/ffff", Background::Light),
                ("11;rgb:fd/f6/e3", Background::Light),
                ("11;rgb:f/f/f", Background::Light),
                ("11;rgba:2828/2c2c/3434/ffff", Background::Dark),
            ] {
                let (events, found) = feed(answer(text, end.clone()));
                assert_eq!((events, found), (vec![], Some(background)), "{text}");
            }
        }
    }

    #[test]
    fn keys_that_are_no_answer_all_come_through() {
        let j = key('j', KeyModifiers::NONE);
        let alt = key(']', KeyModifiers::ALT);
        for events in [
            vec![j.clone()],
            vec![alt.clone()],
            vec![alt.clone(), j.clone()],
            vec![alt.clone(), key('1', KeyModifiers::NONE), j.clone()],
            vec![alt.clone(), alt.clone()],
            vec![alt.clone(), Event::Resize(80, 24), j.clone()],
            answer("11;rgb:zzzz", key('g', KeyModifiers::CONTROL)),
            answer("10;rgb:0/0/0", key('g', KeyModifiers::CONTROL)),
            answer(
                &format!("11;rgb:{}", "0".repeat(99)),
                key('g', KeyModifiers::CONTROL),
            ),
        ] {
            assert_eq!(feed(events.clone()), (events, None));
        }
        // Keys around an answer keep their order.
        let mut events = vec![j.clone()];
        events.extend(answer("11;rgb:0/0/0", key('g', KeyModifiers::CONTROL)));
        events.push(alt.clone());
        events.push(j.clone());
        assert_eq!(
            feed(events),
            (vec![j.clone(), alt, j], Some(Background::Dark))
        );
    }

    #[test]
    fn the_environment() {
        for (value, background) in [
            ("15;0", Some(Background::Dark)),
            ("0;15", Some(Background::Light)),
            ("0;default;7", Some(Background::Light)),
            ("12;8", Some(Background::Dark)),
            ("default;default", None),
            ("", None),
        ] {
            assert_eq!(
                from_environment(|_| Some(value.to_owned())),
                background,
                "{value}"
            );
        }
        assert_eq!(from_environment(|_| None), None);
        for (term, tmux, ask) in [
            ("xterm", None, true),
            ("screen", None, false),
            ("screen", Some("x"), true),
            ("linux", None, false),
        ] {
            let variable = |name: &str| {
                if name == "TERM" {
                    Some(term.to_owned())
                } else {
                    tmux.map(str::to_owned)
                }
            };
            assert_eq!(can_ask(variable), ask, "{term}");
        }
    }
}
