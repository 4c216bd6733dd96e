//! A pseudo-terminal with the program in it.

use std::io::{Read as _, Write as _};
use std::num::NonZero;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, ExitStatus, MasterPty, PtySize, native_pty_system};

/// How long anything may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

/// A program in a terminal.
pub struct Terminal {
    master: Box<dyn MasterPty + Send>,
    writer: Box<dyn std::io::Write + Send>,
    child: Box<dyn Child + Send + Sync>,
    read: Arc<Mutex<Vec<u8>>>,
    size: (u16, u16),
    since: usize,
}

fn pty_size((columns, rows): (u16, u16)) -> PtySize {
    PtySize {
        rows,
        cols: columns,
        pixel_width: 0,
        pixel_height: 0,
    }
}

impl Terminal {
    /// Starts a command in a terminal of so many columns and rows.
    pub fn start(command: CommandBuilder, size: (u16, u16)) -> Self {
        let pair = native_pty_system().openpty(pty_size(size)).unwrap();
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let read = Arc::new(Mutex::new(Vec::new()));
        let mut reader = pair.master.try_clone_reader().unwrap();
        let into = Arc::clone(&read);
        std::thread::spawn(move || {
            let mut buffer = [0; 65536];
            while let Ok(count @ 1..) = reader.read(&mut buffer) {
                into.lock().unwrap().extend_from_slice(&buffer[..count]);
            }
        });
        Self {
            writer: pair.master.take_writer().unwrap(),
            master: pair.master,
            child,
            read,
            size,
            since: 0,
        }
    }

    /// The program with these arguments and nothing of our environment but `extra`.
    pub fn program(
        home: &Path,
        arguments: &[&str],
        extra: &[(&str, &str)],
        size: (u16, u16),
    ) -> Self {
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_attest-tui"));
        command.args(arguments);
        command.cwd(home);
        command.env_clear();
        command.env("HOME", home);
        command.env("TERM", "xterm-256color");
        for (name, value) in extra {
            command.env(name, value);
        }
        Self::start(command, size)
    }

    /// Everything written so far.
    pub fn bytes(&self) -> Vec<u8> {
        self.read.lock().unwrap().clone()
    }

    /// What the screen shows, as a terminal reads it.
    pub fn screen(&self) -> String {
        self.parsed().screen().contents()
    }

    fn parsed(&self) -> vt100::Parser {
        self.parsed_from(self.since)
    }

    fn parsed_from(&self, since: usize) -> vt100::Parser {
        let cells = |count| NonZero::new(count).unwrap();
        let mut parser = vt100::Parser::new(cells(self.size.1), cells(self.size.0), 0);
        parser.process(&self.bytes()[since..]);
        parser
    }

    /// Whether the terminal is in the program's modes.
    pub fn is_taken(&self) -> bool {
        let parser = self.parsed_from(0);
        let screen = parser.screen();
        screen.alternate_screen()
            || screen.hide_cursor()
            || screen.bracketed_paste()
            || self.has_mouse()
    }

    /// Whether mouse events go to the program.
    pub fn has_mouse(&self) -> bool {
        let parser = self.parsed_from(0);
        parser.screen().mouse_protocol_mode() != vt100::MouseProtocolMode::None
    }

    /// The text of the cells in reverse video.
    pub fn reversed(&self) -> String {
        let parser = self.parsed();
        let screen = parser.screen();
        let (columns, rows) = self.size;
        let cells = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
        cells
            .filter_map(|(row, column)| screen.cell(row, column))
            .filter(|cell| cell.inverse())
            .map(|cell| cell.contents().to_owned())
            .collect()
    }

    /// Types.
    pub fn send(&mut self, text: impl AsRef<[u8]>) {
        self.writer.write_all(text.as_ref()).unwrap();
        self.writer.flush().unwrap();
    }

    /// Waits until something holds.
    pub fn until(&self, what: &str, holds: impl Fn(&Self) -> bool) {
        let began = Instant::now();
        while !holds(self) {
            assert!(
                began.elapsed() < PATIENCE,
                "waited in vain for {what}; the screen shows\n{}",
                self.screen()
            );
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Waits until the screen shows a text.
    pub fn shows(&self, text: &str) {
        self.until(text, |terminal| terminal.screen().contains(text));
    }

    /// Waits until nothing has been written for a while.
    pub fn settle(&self) {
        let mut before = self.bytes().len();
        let began = Instant::now();
        loop {
            std::thread::sleep(Duration::from_millis(200));
            let now = self.bytes().len();
            if now == before {
                return;
            }
            assert!(began.elapsed() < PATIENCE, "it never stops writing");
            before = now;
        }
    }

    /// Gives the terminal another size. What the screen shows is read anew
    /// from here on.
    pub fn resize(&mut self, size: (u16, u16)) {
        self.since = self.bytes().len();
        self.size = size;
        self.master.resize(pty_size(size)).unwrap();
    }

    pub fn pid(&self) -> u32 {
        self.child.process_id().unwrap()
    }

    /// Sends a signal by its name.
    pub fn signal(&self, name: &str) {
        let sent = std::process::Command::new("kill")
            .args(["-s", name, &self.pid().to_string()])
            .status();
        assert!(sent.unwrap().success());
    }

    /// One field of `/proc/PID/stat`, counted from the state, which is 0.
    pub fn stat(&self, field: usize) -> String {
        let text = std::fs::read_to_string(format!("/proc/{}/stat", self.pid())).unwrap();
        let after_name = text.rsplit(") ").next().unwrap();
        after_name.split(' ').nth(field).unwrap().to_owned()
    }

    pub fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// Waits for the end.
    pub fn ends(&mut self) -> ExitStatus {
        let began = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                // What it wrote last is still on its way.
                std::thread::sleep(Duration::from_millis(100));
                return status;
            }
            assert!(
                began.elapsed() < PATIENCE,
                "it does not end; the screen shows\n{}",
                self.screen()
            );
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
