//! Signals, on a thread of their own.

use std::io;
use std::thread;

use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGTERM, SIGTSTP};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use super::guard;

/// What a signal asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Signal {
    /// Leave, with this signal's number.
    End(i32),
    /// Stop until continued.
    Stop,
    /// The program was continued: the terminal may be in other modes now.
    Continued,
}

/// Starts the thread; `send` says whether anyone still listens.
///
/// A second signal to end, or a first that nobody listens to, ends the program at once, with the
/// terminal given back.
///
/// # Errors
/// The signals cannot be taken, or no thread can be started.
pub fn start(send: impl Fn(Signal) -> bool + Send + 'static) -> io::Result<()> {
    let mut signals = Signals::new([SIGHUP, SIGINT, SIGTERM, SIGTSTP, SIGCONT])?;
    let run = move || {
        let mut asked = false;
        for signal in signals.forever() {
            let message = match signal {
                SIGTSTP => Signal::Stop,
                SIGCONT => Signal::Continued,
                end => Signal::End(end),
            };
            let is_end = matches!(message, Signal::End(_));
            let heard = send(message);
            if is_end && (asked || !heard) {
                guard::restore();
                let _ = emulate_default_handler(signal);
            }
            asked |= is_end;
        }
    };
    thread::Builder::new()
        .name("signals".to_owned())
        .spawn(run)
        .map(|_| ())
}

/// Stops the program until it is continued, as ctrl-z does in a shell.
///
/// # Errors
/// The signal cannot be raised.
pub fn stop() -> io::Result<()> {
    emulate_default_handler(SIGTSTP)
}
