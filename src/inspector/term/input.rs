//! The terminal's events, on a thread of their own.

use std::io;
use std::thread;
use std::time::Duration;

use ratatui::crossterm::event::{self, Event};

use super::background::{Read, Replies};
use crate::inspector::theme::Background;

/// How long the rest of an answer may take; its bytes come in one piece.
const PIECE: Duration = Duration::from_millis(50);

/// What comes in.
#[derive(Clone, Debug)]
pub enum Input {
    /// An event.
    Event(Event),
    /// The terminal's background.
    Background(Background),
    /// Nothing can be read any more.
    Lost(io::ErrorKind),
}

/// Starts the thread; `send` says whether anyone still listens. `asked` is whether the terminal was
/// asked for its background.
///
/// # Errors
/// No thread can be started.
pub fn start(asked: bool, send: impl Fn(Input) -> bool + Send + 'static) -> io::Result<()> {
    let run = move || {
        let mut replies = asked.then(Replies::default);
        loop {
            match next(replies.as_mut()) {
                Ok(Read::Held) => {}
                Ok(Read::Events(events)) => {
                    if !events.into_iter().all(|event| send(Input::Event(event))) {
                        return;
                    }
                }
                Ok(Read::Background(background)) => {
                    replies = None;
                    if !send(Input::Background(background)) {
                        return;
                    }
                }
                Err(error) => {
                    send(Input::Lost(error.kind()));
                    return;
                }
            }
        }
    };
    thread::Builder::new()
        .name("input".to_owned())
        .spawn(run)
        .map(|_| ())
}

fn next(replies: Option<&mut Replies>) -> io::Result<Read> {
    match replies {
        None => event::read().map(|event| Read::Events(vec![event])),
        Some(replies) if replies.is_holding() && !event::poll(PIECE)? => Ok(replies.release()),
        Some(replies) => event::read().map(|event| replies.take(event)),
    }
}
