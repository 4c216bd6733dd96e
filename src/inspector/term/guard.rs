//! One guard for every mode the program sets on the terminal, and the one way they are undone:
//! after a normal end, an error, a panic and every signal that can be caught.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, Once};
use std::thread::{self, ThreadId};

use ratatui::crossterm::style::force_color_output;
use ratatui::crossterm::terminal::{disable_raw_mode, enable_raw_mode};

/// Alternate screen, bracketed paste.
const ENTER: &str = "\x1b[?1049h\x1b[?2004h\x1b[?25l";
/// Presses, drags and the wheel, with places beyond 223; not mere movement, which would wake the
/// program for nothing.
const MOUSE_ON: &str = "\x1b[?1000h\x1b[?1002h\x1b[?1006h";
const MOUSE_OFF: &str = "\x1b[?1006l\x1b[?1002l\x1b[?1000l";
/// An open synchronized update is closed, colours reset, the mouse given back, the screen left.
const LEAVE: &str =
    "\x1b[?2026l\x1b[0m\x1b[?1006l\x1b[?1002l\x1b[?1000l\x1b[?2004l\x1b[?1049l\x1b[?25h";

/// Whether the terminal is in our modes. Process-wide, as the terminal is.
static ACTIVE: AtomicBool = AtomicBool::new(false);
/// The thread that draws: a panic on it ends the program, one elsewhere is that work's failure.
static DRAWING: Mutex<Option<ThreadId>> = Mutex::new(None);
static HOOK: Once = Once::new();

/// Whether the terminal is in our modes.
pub fn is_active() -> bool {
    ACTIVE.load(Ordering::SeqCst)
}

/// Holds the terminal in our modes; dropping it gives the terminal back.
#[derive(Debug)]
pub struct Guard {
    mouse: bool,
}

impl Guard {
    /// Takes the terminal: raw mode, alternate screen, bracketed paste, and the mouse if asked for.
    ///
    /// # Errors
    /// Standard output is no terminal, or the terminal cannot be set.
    pub fn enter(mouse: bool) -> io::Result<Self> {
        if !io::stdout().is_terminal() {
            return Err(io::Error::new(
                io::ErrorKind::Unsupported,
                "standard output is no terminal",
            ));
        }
        if let Ok(mut drawing) = DRAWING.lock() {
            *drawing = Some(thread::current().id());
        }
        HOOK.call_once(install_hook);
        // The palette decides about colours, NO_COLOR included. Left to itself crossterm answers
        // NO_COLOR by writing a reset for every colour, which takes the reverse video of the
        // selection away with it.
        force_color_output(true);
        let guard = Self { mouse };
        guard.set()?;
        Ok(guard)
    }

    fn set(&self) -> io::Result<()> {
        enable_raw_mode()?;
        ACTIVE.store(true, Ordering::SeqCst);
        write(ENTER)?;
        if self.mouse { write(MOUSE_ON) } else { Ok(()) }
    }

    /// Takes the mouse, or leaves it to the terminal.
    ///
    /// # Errors
    /// The terminal cannot be written to.
    pub fn set_mouse(&mut self, mouse: bool) -> io::Result<()> {
        self.mouse = mouse;
        write(if mouse { MOUSE_ON } else { MOUSE_OFF })
    }

    /// Sets every mode again, after something else may have changed them.
    ///
    /// # Errors
    /// The terminal cannot be set.
    pub fn renew(&self) -> io::Result<()> {
        restore();
        self.set()
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        restore();
    }
}

/// Gives the terminal back as it was. Does nothing where it is not ours, and fails in silence: the
/// terminal may be gone.
pub fn restore() {
    if ACTIVE.swap(false, Ordering::SeqCst) {
        let _ = write(LEAVE);
        let _ = disable_raw_mode();
    }
}

fn write(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// A panic of the drawing thread first gives the terminal back, then says what it said before. A
/// panic of another thread is caught there and shown as that work's failure; printed here it would
/// only break the screen.
fn install_hook() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        let drawing = DRAWING.lock().ok().and_then(|drawing| *drawing);
        if is_active() && drawing != Some(thread::current().id()) {
            return;
        }
        restore();
        before(info);
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The modes a text of escape sequences sets and unsets, in order.
    fn modes(text: &str) -> Vec<(String, bool)> {
        text.split('\x1b')
            .filter_map(|part| {
                let body = part.strip_prefix("[?")?;
                let (number, set) = body.split_at(body.len() - 1);
                Some((number.to_owned(), set == "h"))
            })
            .collect()
    }

    #[test]
    fn everything_that_is_set_is_unset() {
        let left = modes(LEAVE);
        for (mode, set) in modes(ENTER).into_iter().chain(modes(MOUSE_ON)) {
            assert!(left.contains(&(mode.clone(), !set)), "{mode}");
        }
        // A frame that was cut short leaves an update open.
        assert!(left.contains(&("2026".to_owned(), false)));
        for (mode, _) in modes(MOUSE_ON) {
            assert!(modes(MOUSE_OFF).contains(&(mode, false)));
        }
        // The cursor comes back on the screen that was left to.
        assert_eq!(left.last(), Some(&("25".to_owned(), true)));
    }
}
