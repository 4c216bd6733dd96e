//! A framed pane with a title, its lines and a scroll bar.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Widget};

use crate::inspector::look::Look;
use crate::inspector::text::{cut, width};
use crate::inspector::theme::Role;

/// The frame of a pane.
#[derive(Clone, Debug)]
pub struct Panel<'a> {
    /// At the left of the upper edge.
    pub title: Line<'a>,
    /// At the right of it, left out where there is no room.
    pub note: Line<'a>,
    /// Whether the pane has the focus.
    pub focused: bool,
}

impl Panel<'_> {
    /// Draws the frame and says what is within it.
    pub fn draw(&self, look: &Look, area: Rect, buffer: &mut Buffer) -> Rect {
        let role = if self.focused {
            Role::BorderFocus
        } else {
            Role::Border
        };
        let block = Block::bordered()
            .border_set(look.glyphs.border)
            .border_style(look.style(role));
        let inner = block.inner(area);
        block.render(area, buffer);
        let room = usize::from(area.width.saturating_sub(4));
        if room == 0 || area.height == 0 {
            return inner;
        }
        let title = padded(&self.title, look, room);
        let title_width = title.width();
        buffer.set_line(area.x + 1, area.y, &title, area.width.saturating_sub(2));
        let note = padded(&self.note, look, room);
        if self.note.width() > 0 && title_width + note.width() < room + 2 {
            let x = area
                .right()
                .saturating_sub(1 + u16::try_from(note.width()).unwrap_or(0));
            buffer.set_line(x, area.y, &note, u16::try_from(note.width()).unwrap_or(0));
        }
        inner
    }
}

/// A title with a space on either side, cut to `room`.
fn padded<'a>(line: &Line<'a>, look: &Look, room: usize) -> Line<'a> {
    let mut spans = vec![Span::raw(" ")];
    spans.extend(fitted(line, look, room));
    spans.push(Span::raw(" "));
    Line::from(spans)
}

/// A line's spans in at most `room` cells. Where anything but blanks is lost the mark says so, at
/// the end of what is left.
fn fitted<'a>(line: &Line<'a>, look: &Look, room: usize) -> Vec<Span<'a>> {
    let styled = |text: String, span: &Span<'_>| Span::styled(text, line.style.patch(span.style));
    let cells = |spans: &[Span<'_>]| spans.iter().map(|span| width(&span.content)).sum::<usize>();
    let inked = |span: &Span<'_>| !span.content.trim_end_matches(' ').is_empty();
    let last = line.spans.iter().rposition(inked);
    let (body, end) = match last.and_then(|last| line.spans.split_at_checked(last)) {
        Some((body, rest)) => (
            body,
            rest.first()
                .map_or("", |span| span.content.trim_end_matches(' ')),
        ),
        None => (Default::default(), ""),
    };
    let is_whole = cells(body) + width(end) <= room;
    let mark = if is_whole { "" } else { look.glyphs.cut };
    let Some(mut left) = room.checked_sub(width(mark)) else {
        return Vec::new();
    };
    let mut spans = Vec::with_capacity(line.spans.len() + 1);
    for span in &line.spans {
        let text = cut(&span.content, left, "");
        left -= width(&text);
        let is_cut = text.len() < span.content.len();
        spans.push(styled(text.into_owned(), span));
        if is_cut {
            spans.push(styled(mark.to_owned(), span));
            break;
        }
    }
    spans
}

/// Draws lines from `top` on, as many as fit, and cuts what is too wide.
pub fn draw_lines(lines: &[Line<'_>], top: usize, look: &Look, area: Rect, buffer: &mut Buffer) {
    for (row, line) in (area.y..area.bottom()).zip(lines.iter().skip(top)) {
        draw_line(
            line,
            look,
            Rect {
                y: row,
                height: 1,
                ..area
            },
            buffer,
        );
    }
}

/// Draws one line and marks where it was cut.
pub fn draw_line(line: &Line<'_>, look: &Look, area: Rect, buffer: &mut Buffer) {
    let mut x = area.x;
    for span in fitted(line, look, usize::from(area.width)) {
        let left = usize::from(area.right().saturating_sub(x));
        buffer.set_stringn(x, area.y, &span.content, left, span.style);
        x = x.saturating_add(u16::try_from(width(&span.content)).unwrap_or(0));
    }
}

/// Draws a scroll bar on the right edge of a pane's frame, where not everything is in view.
pub fn draw_scroll_bar(
    top: usize,
    len: usize,
    height: usize,
    look: &Look,
    area: Rect,
    buffer: &mut Buffer,
) {
    let track = usize::from(area.height.saturating_sub(2));
    if len <= height || track == 0 || area.width == 0 {
        return;
    }
    let thumb = (track * height / len).max(1);
    let last_top = len - height;
    let start = (track - thumb) * top.min(last_top) / last_top;
    for row in start..start + thumb {
        let y = area.y + 1 + u16::try_from(row).unwrap_or(0);
        buffer.set_string(
            area.right() - 1,
            y,
            look.glyphs.thumb,
            look.style(Role::Accent),
        );
    }
}

/// A line over the whole width in one style, as the selection is.
pub fn paint(role: Role, look: &Look, area: Rect, buffer: &mut Buffer) {
    buffer.set_style(area, look.style(role));
}
