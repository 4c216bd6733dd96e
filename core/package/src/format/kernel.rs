//! The kernel event lines that only the dialect admits (foreign shapes §13).

use super::Record;
use super::fields::{Checked, Fields, U53, is_signed, require, unsigned};
use super::lines::{each_line, tree};
use crate::grammar::Surface;
use crate::json::{Fault, Json};
use crate::limits::Meter;
use crate::reason::Reason;

/// Reads kernel event lines of version 0 or 1.
pub(super) fn read(
    text: &str,
    meter: &mut Meter,
    version: u8,
    records: &mut Vec<Record>,
) -> Result<(), Fault> {
    each_line(text, meter, |meter, ordinal, start, line| {
        let value = tree(line, meter, "value")?;
        let surface = check(&value, version)?;
        records.push(Record {
            start,
            length: line.len(),
            ordinal,
            surface: Some(surface),
            time: None,
            examined: true,
        });
        Ok(())
    })
}

/// The identity of lines that do not read as this version: a line of another
/// identity is `unknown_schema`.
pub(super) fn identity(text: &str, meter: &Meter, version: u8) -> Result<(), Reason> {
    for line in text.lines() {
        let Ok(value) = tree(line, meter, "value") else {
            break;
        };
        if value
            .get("schema")
            .and_then(Json::as_str)
            .is_some_and(|named| named != schema(version))
        {
            return Err(Reason::UnknownSchema);
        }
    }
    Ok(())
}

fn schema(version: u8) -> String {
    format!("assay.runner.kernel_event.v{version}")
}

const BASE: [&str; 7] = [
    "schema",
    "run_id",
    "seq",
    "pid",
    "event_type",
    "kind",
    "value",
];
const CONNECT_BLOCKED: [&str; 4] = [
    "cgroup_id",
    "network_destination",
    "network_port",
    "rule_id",
];

fn check(value: &Json<'_>, version: u8) -> Checked<Surface> {
    let fields = Fields::of(value)?;
    require(fields.string("schema")? == schema(version))?;
    let run_id = fields.string("run_id")?;
    let word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    require(!run_id.is_empty() && run_id.bytes().all(word))?;
    fields.unsigned("seq", U53)?;
    fields.unsigned("pid", u64::from(u32::MAX))?;
    let event_type = fields.unsigned("event_type", u64::from(u32::MAX))?;
    let text = match fields.any("value")? {
        Json::Null => None,
        value => Some(
            value
                .as_str()
                .filter(|text| !text.is_empty())
                .ok_or(Fault::Shape)?,
        ),
    };
    let (surface, others): (Surface, &[&str]) = match (event_type, fields.string("kind")?) {
        (1, "openat") => {
            check_openat(fields, version)?;
            (
                Surface::Filesystem,
                &[
                    "flags",
                    "mode",
                    "return_value",
                    "access_mode",
                    "status",
                    "resolve",
                    "operation_flags",
                ],
            )
        }
        (10, "file_blocked") => (Surface::Filesystem, &[]),
        (2, "connect") | (6, "sendto") | (7, "sendmsg") => (Surface::Network, &[]),
        (20, "connect_blocked") => {
            if CONNECT_BLOCKED
                .iter()
                .any(|key| fields.present(key).is_some())
            {
                fields.unsigned("cgroup_id", U53)?;
                require(!fields.string("network_destination")?.is_empty())?;
                fields.unsigned("network_port", u64::from(u16::MAX))?;
                fields.unsigned("rule_id", u64::from(u32::MAX))?;
                require(text.is_some())?;
            }
            (Surface::Network, &CONNECT_BLOCKED)
        }
        (4, "exec") => (Surface::Process, &[]),
        _ => return Err(Fault::Shape),
    };
    let Json::Object(members) = value else {
        return Err(Fault::Shape);
    };
    let known = members.iter().all(|(key, member)| {
        let key = key.as_ref();
        BASE.contains(&key) || (others.contains(&key) && *member != Json::Null)
    });
    require(known)?;
    Ok(surface)
}

fn check_openat(fields: Fields<'_, '_>, version: u8) -> Checked<()> {
    let flags = fields.unsigned("flags", U53)?;
    fields.unsigned("mode", U53)?;
    let returned = fields.any("return_value")?;
    require(is_signed(returned))?;
    let failed = matches!(returned, Json::Number(lexeme) if lexeme.starts_with('-') && lexeme.as_ref() != "-0");
    let access = match flags & 3 {
        0 => "read",
        1 => "write",
        2 => "read_write",
        _ => "unknown",
    };
    require(fields.string("access_mode")? == access)?;
    require(fields.string("status")? == if failed { "error" } else { "success" })?;
    if let Some(resolve) = fields.present("resolve") {
        require(unsigned(resolve, U53)? >= 1)?;
    }
    let exclusive = if version == 0 { 0o400 } else { 0o200 };
    let set: Vec<&str> = [
        (0o100, "create"),
        (0o1000, "truncate"),
        (0o2000, "append"),
        (exclusive, "exclusive"),
    ]
    .into_iter()
    .filter(|(bit, _)| flags & bit != 0)
    .map(|(_, name)| name)
    .collect();
    match fields.present("operation_flags") {
        None => require(set.is_empty()),
        Some(_) => require(!set.is_empty() && fields.strings("operation_flags")? == set),
    }
}
