//! The figures a hand computation and a computed page share: instants, fractions, whole numbers.

use std::collections::BTreeSet;

use ratatui::text::{Line, Span};

use crate::inspector::look::Look;
use crate::inspector::theme::Role;

/// Whole numbers shorter than this say little by themselves.
const TELLING: usize = 3;

/// The figures of a text and where they stand in it.
fn figures(text: &str) -> Vec<(usize, &str)> {
    let part = |c: char| c.is_ascii_digit() || matches!(c, '/' | ':' | '.');
    let mut found = Vec::new();
    let mut rest = 0;
    while let Some(start) = text
        .get(rest..)
        .and_then(|tail| tail.find(|c: char| c.is_ascii_digit()))
    {
        let from = rest + start;
        let tail = text.get(from..).unwrap_or_default();
        let long = tail.find(|c| !part(c)).unwrap_or(tail.len());
        let figure = tail
            .get(..long)
            .unwrap_or_default()
            .trim_end_matches(['/', ':', '.']);
        let telling = figure.len() >= TELLING || figure.contains(['/', ':']);
        if telling {
            found.push((from, figure));
        }
        rest = from + long.max(1);
    }
    found
}

/// Every figure of some lines.
pub fn of_lines(lines: &[Line<'_>]) -> BTreeSet<String> {
    lines
        .iter()
        .map(ToString::to_string)
        .flat_map(|line| {
            figures(&line)
                .into_iter()
                .map(|(_, figure)| figure.to_owned())
                .collect::<Vec<_>>()
        })
        .collect()
}

/// Every figure of some texts.
pub fn of_texts(texts: &[String]) -> BTreeSet<String> {
    texts
        .iter()
        .flat_map(|text| figures(text))
        .map(|(_, figure)| figure.to_owned())
        .collect()
}

/// How many of these figures a text holds.
pub fn shared(text: &str, wanted: &BTreeSet<String>) -> usize {
    let found: BTreeSet<&str> = figures(text)
        .into_iter()
        .map(|(_, figure)| figure)
        .filter(|figure| wanted.contains(*figure))
        .collect();
    found.len()
}

/// A line with these figures marked in it.
pub fn marked(look: &Look, line: Line<'static>, wanted: &BTreeSet<String>) -> Line<'static> {
    let style = line.style;
    let spans = line
        .spans
        .into_iter()
        .flat_map(|span| mark(look, span, wanted));
    Line::from(spans.collect::<Vec<_>>()).style(style)
}

fn mark(look: &Look, span: Span<'static>, wanted: &BTreeSet<String>) -> Vec<Span<'static>> {
    let text = span.content.as_ref();
    let found: Vec<(usize, &str)> = figures(text)
        .into_iter()
        .filter(|(_, figure)| wanted.contains(*figure))
        .collect();
    if found.is_empty() {
        return vec![span];
    }
    let mut spans = Vec::new();
    let mut from = 0;
    let piece = |range: std::ops::Range<usize>| text.get(range).unwrap_or_default().to_owned();
    for (at, figure) in found {
        spans.push(Span::styled(piece(from..at), span.style));
        let style = span.style.patch(look.style(Role::Found));
        spans.push(Span::styled(figure.to_owned(), style));
        from = at + figure.len();
    }
    spans.push(Span::styled(piece(from..text.len()), span.style));
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_that_tell_something() {
        let found = |text| -> Vec<&str> {
            figures(text)
                .into_iter()
                .map(|(_, figure)| figure)
                .collect()
        };
        assert_eq!(
            found("S = (2500 * 43/44 + 3500) / 9000 = 787/792."),
            ["2500", "43/44", "3500", "9000", "787/792"]
        );
        assert_eq!(found("minute 23:58 on 10-06, o1, 2/2"), ["23:58", "2/2"]);
        assert_eq!(found("\u{e9}12\u{e9}345:"), ["345"]);
    }

    #[test]
    fn marking_keeps_the_text() {
        let look = crate::inspector::screens::examples::tests::look();
        let wanted: BTreeSet<String> = ["787/792".to_owned()].into();
        let line = Line::from(vec![Span::raw("S = 787/792."), Span::raw(" 787")]);
        let text = line.to_string();
        let marked = marked(&look, line, &wanted);
        assert_eq!(marked.to_string(), text);
        assert_eq!(marked.spans.len(), 4);
        assert_eq!(marked.spans[1].content, "787/792");
        assert_eq!(
            (shared("is 787/792", &wanted), shared("787", &wanted)),
            (1, 0)
        );
    }
}
