//! Frames on their way to the terminal: each in one piece, between the marks of a synchronized
//! update, and none once the terminal was given back.

use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;

use ratatui::backend::CrosstermBackend;
use ratatui::layout::{Position, Rect};
use ratatui::{Frame, Terminal};

use super::guard;

const BEGIN: &[u8] = b"\x1b[?2026h";
const END: &[u8] = b"\x1b[?2026l";

/// What the terminal library writes, held until the frame is whole.
#[derive(Clone, Debug, Default)]
pub struct Buffer(Rc<RefCell<Vec<u8>>>);

impl Write for Buffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The terminal's screen.
pub struct Screen {
    terminal: Terminal<CrosstermBackend<Buffer>>,
    buffer: Buffer,
}

impl Screen {
    /// A screen of the terminal's size.
    ///
    /// # Errors
    /// The size cannot be asked.
    pub fn new() -> io::Result<Self> {
        let buffer = Buffer::default();
        let terminal = Terminal::new(CrosstermBackend::new(buffer.clone()))?;
        Ok(Self { terminal, buffer })
    }

    /// Draws a frame and writes what changed, in one write.
    ///
    /// # Errors
    /// The terminal cannot be written to.
    pub fn draw(&mut self, draw: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        self.terminal.draw(draw)?;
        let frame = std::mem::take(&mut *self.buffer.0.borrow_mut());
        write_frame(&frame)
    }

    /// Forgets what is on the screen, so that the next frame is drawn whole.
    ///
    /// The library's own `clear` asks the terminal where the cursor is, and the answer would come in
    /// among the keys; setting the size anew clears without asking.
    ///
    /// # Errors
    /// The size cannot be asked.
    pub fn forget(&mut self) -> io::Result<()> {
        let size = self.terminal.size()?;
        self.terminal.resize(Rect::from((Position::ORIGIN, size)))
    }

    /// Writes a sequence of the program's own: a copy, a question to the terminal.
    ///
    /// # Errors
    /// The terminal cannot be written to.
    pub fn write(&mut self, sequence: &[u8]) -> io::Result<()> {
        if !guard::is_active() {
            return Ok(());
        }
        let mut out = io::stdout().lock();
        out.write_all(sequence)?;
        out.flush()
    }
}

fn write_frame(frame: &[u8]) -> io::Result<()> {
    if !guard::is_active() {
        return Ok(());
    }
    let mut whole = Vec::with_capacity(frame.len() + BEGIN.len() + END.len());
    whole.extend_from_slice(BEGIN);
    whole.extend_from_slice(frame);
    whole.extend_from_slice(END);
    let mut out = io::stdout().lock();
    out.write_all(&whole)?;
    out.flush()
}

#[cfg(test)]
mod tests {
    use ratatui::TerminalOptions;
    use ratatui::Viewport;
    use ratatui::text::Line;

    use super::*;
    use crate::config::built_in;
    use crate::inspector::theme::{Depth, Palette, Role};

    /// What is written for one line drawn in a role.
    fn bytes(theme: &str, depth: Depth, role: Role) -> String {
        ratatui::crossterm::style::force_color_output(true);
        let palette = Palette::new(&built_in(theme).unwrap(), depth);
        let buffer = Buffer::default();
        let options = TerminalOptions {
            viewport: Viewport::Fixed(Rect::new(0, 0, 10, 1)),
        };
        let mut terminal =
            Terminal::with_options(CrosstermBackend::new(buffer.clone()), options).unwrap();
        terminal
            .draw(|frame| {
                frame.render_widget(Line::styled("row", palette.style(role)), frame.area())
            })
            .unwrap();
        let bytes = buffer.0.borrow().clone();
        String::from_utf8(bytes).unwrap()
    }

    /// The whole way to the terminal: where colours are off the reverse video survives and no
    /// colour is named, whatever the theme.
    #[test]
    fn without_colours_the_selection_is_still_reversed() {
        for theme in ["dark", "light", "high-contrast", "colorblind", "monochrome"] {
            let written = bytes(theme, Depth::None, Role::Selection);
            assert!(written.contains("\x1b[7m"), "{theme}: {written:?}");
            let before_text = written.split("row").next().unwrap();
            let after_reverse = before_text.split("\x1b[7m").nth(1).unwrap();
            assert!(
                !after_reverse.contains("\x1b[m") && !after_reverse.contains("\x1b[0m"),
                "{written:?}"
            );
            for color in ["38;", "48;", "[31", "[44", "[9", "[10"] {
                assert!(!written.contains(color), "{theme}: {written:?}");
            }
        }
    }

    #[test]
    fn colours_are_written_as_deep_as_they_may_be() {
        assert!(bytes("dark", Depth::True, Role::Selection).contains("48;2;47;74;115"));
        assert!(bytes("dark", Depth::Ansi256, Role::Selection).contains("48;5;"));
        // The sixteen are written as places of the palette.
        assert!(bytes("dark", Depth::Ansi16, Role::Selection).contains("48;5;4"));
    }
}
