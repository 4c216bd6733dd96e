//! The event loop: everything comes in on one channel, changes the state, and the state is drawn
//! when it changed. With nothing to do the program sleeps: no ticker, no byte written.

use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use ratatui::crossterm::event::Event;
use ratatui::crossterm::terminal;

use super::app::state::ScreenName;
use super::app::{App, Effect, Environment, Message, draw, update};
use super::key::Key;
use super::term::background::{self, QUESTION};
use super::term::clipboard::{self, Between, TooLong};
use super::term::guard::Guard;
use super::term::input::{self, Input};
use super::term::screen::Screen;
use super::theme::{Background, Depth, Role};
use super::work::{Desk, Request, Worker};
use crate::config::{Settings, ThemeChoice};
use crate::inspector::text::counted;

/// Messages taken in one go before a frame is drawn.
const MOST_MESSAGES: usize = 512;
/// How long messages are taken in one go before a frame is drawn: half of the 16 ms a key may take.
const MOST_TIME: Duration = Duration::from_millis(8);
/// How long the first frame waits for the terminal to say what its background is.
const FIRST_WAIT: Duration = Duration::from_millis(15);

/// Why the loop was woken.
enum Wake {
    Message(Message),
    #[cfg(unix)]
    Signal(super::term::signals::Signal),
}

/// What the environment says of the terminal, before the terminal is asked.
pub fn environment(config: Option<std::path::PathBuf>) -> Environment {
    let variable = |name: &str| std::env::var(name).ok();
    Environment {
        depth: Depth::detect(variable),
        background: background::from_environment(variable).unwrap_or(Background::Dark),
        config,
    }
}

/// Shows a ledger, first on this screen, until the person leaves; the exit code.
///
/// # Errors
/// The terminal cannot be taken, asked or written to. It is given back in any case.
pub fn run(
    name: &str,
    settings: Settings,
    environment: Environment,
    desk: impl Desk,
    first: ScreenName,
) -> io::Result<u8> {
    let variable = |name: &str| std::env::var(name).ok();
    let asks = settings.theme == ThemeChoice::Auto
        && environment.depth != Depth::None
        && background::from_environment(variable).is_none()
        && background::can_ask(variable);
    let between = Between::detect(variable);
    let size = terminal::size()?;
    let mut app = App::new(name, settings, environment, size);

    let (wake, woken) = channel();
    let guard = Guard::enter(app.mouse)?;
    let mut screen = Screen::new()?;
    listen(&wake, asks)?;
    if asks {
        screen.write(QUESTION.as_bytes())?;
    }
    let tell = wake.clone();
    let mut worker = Worker::start(desk, move |told| {
        let _ = tell.send(Wake::Message(Message::Told(told)));
    })?;
    worker.ask(Request::Open);
    if first != ScreenName::Receipts {
        // The receiver lives as long as the loop.
        let _ = wake.send(Wake::Message(Message::Action(first.action())));
    }
    let mut terminal = Held {
        guard,
        screen,
        worker,
        between,
    };
    let code = terminal.serve(&mut app, &woken, asks)?;
    drop(terminal);
    Ok(code)
}

/// Starts the threads that listen to the terminal and to signals.
fn listen(wake: &Sender<Wake>, asks: bool) -> io::Result<()> {
    #[cfg(unix)]
    {
        let wake = wake.clone();
        super::term::signals::start(move |signal| wake.send(Wake::Signal(signal)).is_ok())?;
    }
    let wake = wake.clone();
    input::start(asks, move |input| {
        let message = match input {
            Input::Event(Event::Key(event)) => Key::from_event(event).map(Message::Key),
            Input::Event(Event::Paste(text)) => Some(Message::Paste(text)),
            Input::Event(Event::Mouse(event)) => Some(Message::Mouse(event)),
            Input::Event(Event::Resize(columns, rows)) => Some(Message::Resize(columns, rows)),
            Input::Event(Event::FocusGained | Event::FocusLost) => None,
            Input::Background(background) => Some(Message::Background(background)),
            Input::Lost(_) => Some(Message::InputLost),
        };
        message.is_none_or(|message| wake.send(Wake::Message(message)).is_ok())
    })
}

/// What the loop holds.
struct Held {
    guard: Guard,
    screen: Screen,
    worker: Worker,
    between: Between,
}

impl Held {
    fn serve(&mut self, app: &mut App, woken: &Receiver<Wake>, asks: bool) -> io::Result<u8> {
        if asks
            && let Ok(first) = woken.recv_timeout(FIRST_WAIT)
            && let Some(code) = self.take(app, first)?
        {
            return Ok(code);
        }
        loop {
            if app.dirty {
                app.dirty = false;
                self.screen.draw(|frame| draw(app, frame))?;
            }
            // Without senders nothing could ever wake the program again.
            let Ok(first) = woken.recv() else {
                return Ok(1);
            };
            if let Some(code) = self.take(app, first)? {
                return Ok(code);
            }
            let began = Instant::now();
            for _ in 0..MOST_MESSAGES {
                let left = MOST_TIME.saturating_sub(began.elapsed());
                let next = if left.is_zero() {
                    break;
                } else {
                    woken.recv_timeout(Duration::ZERO)
                };
                match next {
                    Ok(next) => {
                        if let Some(code) = self.take(app, next)? {
                            return Ok(code);
                        }
                    }
                    Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => break,
                }
            }
        }
    }

    /// Takes one message; the exit code when it ends the program.
    fn take(&mut self, app: &mut App, wake: Wake) -> io::Result<Option<u8>> {
        let message = match wake {
            Wake::Message(message) => message,
            #[cfg(unix)]
            Wake::Signal(signal) => {
                use super::term::signals::Signal;
                match signal {
                    // 128 and the signal's number, as shells say it.
                    Signal::End(number) => {
                        Message::End(u8::try_from(128 + number).unwrap_or(u8::MAX))
                    }
                    Signal::Stop => {
                        self.suspend(app)?;
                        return Ok(None);
                    }
                    Signal::Continued => {
                        self.renew(app)?;
                        return Ok(None);
                    }
                }
            }
        };
        let was_dirty = app.dirty;
        let effects = update(app, message);
        app.dirty |= was_dirty;
        for effect in effects {
            match effect {
                Effect::Quit(code) => return Ok(Some(code)),
                Effect::Copy(text) => self.copy(app, &text)?,
                Effect::Mouse(mouse) => self.guard.set_mouse(mouse)?,
                Effect::Redraw => self.screen.forget()?,
                Effect::Suspend => self.suspend(app)?,
                Effect::Ask(request) => self.worker.ask(request),
                Effect::CancelWork => self.worker.cancel(),
            }
        }
        Ok(None)
    }

    fn copy(&mut self, app: &mut App, text: &str) -> io::Result<()> {
        match clipboard::sequence(text, self.between) {
            Ok(sequence) => {
                self.screen.write(&sequence)?;
                app.tell(
                    Role::Good,
                    format!(
                        "sent {} to the terminal's clipboard",
                        counted(text.len(), "byte", "bytes")
                    ),
                );
            }
            Err(TooLong(bytes)) => app.tell(
                Role::Bad,
                format!(
                    "{bytes} bytes are more than a terminal's clipboard takes ({})",
                    clipboard::MOST
                ),
            ),
        }
        Ok(())
    }

    /// Gives the terminal back, stops until continued, and takes it again.
    fn suspend(&mut self, app: &mut App) -> io::Result<()> {
        super::term::guard::restore();
        #[cfg(unix)]
        super::term::signals::stop()?;
        self.renew(app)
    }

    /// Sets the terminal's modes again and draws everything anew.
    fn renew(&mut self, app: &mut App) -> io::Result<()> {
        self.guard.renew()?;
        if let Ok((columns, rows)) = terminal::size() {
            app.size = (columns, rows);
        }
        self.screen.forget()?;
        app.dirty = true;
        Ok(())
    }
}
