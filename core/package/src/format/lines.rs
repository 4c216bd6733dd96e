//! NDJSON lines (§3), and the proxy's decision records on them.

use super::{Record, decision};
use crate::grammar::{Instant, Surface};
use crate::json::{Bounds, Fault, Json, Strict};
use crate::limits::{Limit, Meter};

/// Calls `line` with ordinal, offset and text of each physical line: LF or
/// CRLF, the last one free to be unterminated. A CR anywhere else refuses, as
/// do a byte order mark and a blank line; no bytes at all are no lines.
pub(super) fn each_line<'a>(
    text: &'a str,
    meter: &mut Meter,
    mut line: impl FnMut(&mut Meter, u64, usize, &'a str) -> Result<(), Fault>,
) -> Result<(), Fault> {
    if text.starts_with('\u{feff}') {
        return Err(Fault::Shape);
    }
    let bound = meter.limits.scan(Limit::RecordBytes);
    let (mut start, mut ordinal) = (0usize, 0u64);
    while let Some(rest) = text.get(start..).filter(|rest| !rest.is_empty()) {
        let (whole, next) = match rest.split_once('\n') {
            Some((whole, _)) => (
                whole.strip_suffix('\r').unwrap_or(whole),
                whole.len().saturating_add(1),
            ),
            None => (rest, rest.len()),
        };
        bound.check(whole.len())?;
        meter.record()?;
        if whole.contains('\r') || whole.bytes().all(|byte| matches!(byte, b' ' | b'\t')) {
            return Err(Fault::Shape);
        }
        line(meter, ordinal, start, whole)?;
        start = start.saturating_add(next);
        ordinal = ordinal.saturating_add(1);
    }
    Ok(())
}

/// Reads one line's JSON whole, `payload` naming the member whose strings may
/// be longer.
pub(super) fn tree<'a>(line: &'a str, meter: &Meter, payload: &str) -> Result<Json<'a>, Fault> {
    let mut reader = Strict::new(line, Bounds::package(&meter.limits));
    let value = reader.tree(Some(payload))?;
    reader.finish()?;
    Ok(value)
}

/// Reads a proxy decision log.
pub(super) fn read_proxy(
    text: &str,
    meter: &mut Meter,
    records: &mut Vec<Record>,
) -> Result<(), Fault> {
    each_line(text, meter, |meter, ordinal, start, line| {
        let value = tree(line, meter, "data")?;
        let time = Instant::parse(decision::check(&value)?);
        records.push(Record {
            start,
            length: line.len(),
            ordinal,
            surface: Some(Surface::ToolCall),
            time,
            examined: true,
        });
        Ok(())
    })
}
