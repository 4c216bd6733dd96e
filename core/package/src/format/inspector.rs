//! The MCP Inspector protocol export (§3, foreign shapes §7): read in one
//! pass, without a tree.

use std::borrow::Cow;

use attest_canon::json::Kind;

use super::Record;
use super::fields::require;
use crate::grammar::{Instant, Surface};
use crate::json::{Bounds, Fault, NumberKind, Strict, classify};
use crate::limits::{Limit, Meter};

type Result<T> = core::result::Result<T, Fault>;

/// Reads the array of MessageEntry, charging each before it is kept.
pub(super) fn read(text: &str, meter: &mut Meter, records: &mut Vec<Record>) -> Result<()> {
    let mut reader = Strict::new(text, Bounds::package(&meter.limits));
    let bound = meter.limits.scan(Limit::RecordBytes);
    reader.array(|reader, index| {
        reader.peek()?;
        meter.record()?;
        let start = reader.position();
        let entry = reader.bounded(bound, read_entry)?;
        records.push(Record {
            start,
            length: reader.position().saturating_sub(start),
            ordinal: u64::try_from(index).map_err(|_| Fault::Shape)?,
            surface: entry.is_client_call.then_some(Surface::TranscriptJoin),
            time: Some(entry.time),
            examined: true,
        });
        Ok(())
    })?;
    reader.finish()
}

struct Entry {
    is_client_call: bool,
    time: Instant,
}

#[derive(PartialEq)]
enum Direction {
    Request,
    Response,
    Notification,
}

/// A JSON-RPC id. Numbers are integers, so equal ones have one text.
#[derive(PartialEq)]
enum RpcId<'a> {
    Null,
    Text(Cow<'a, str>),
    Number(i64),
}

/// The members of a JSON-RPC message that decide anything.
#[derive(Default)]
struct Message<'a> {
    version: bool,
    id: Option<RpcId<'a>>,
    method: Option<Cow<'a, str>>,
    params: Option<Params>,
    result: bool,
    error: bool,
}

/// The shape of `params`.
#[derive(Default)]
struct Params {
    is_object: bool,
    /// Whether `name` is a string that is not blank.
    named: bool,
    /// Whether `arguments` is absent or an object.
    arguments_fit: bool,
}

fn read_entry(reader: &mut Strict<'_>) -> Result<Entry> {
    let (mut time, mut direction, mut message, mut response) = (None, None, None, None);
    let (mut identified, mut from_client) = (false, false);
    reader.object(|reader, key| {
        match key {
            "id" => identified = !is_blank(&reader.string()?),
            "timestamp" => time = Some(Instant::parse_utc(&reader.string()?).ok_or(Fault::Shape)?),
            "direction" => {
                direction = Some(match reader.string()?.as_ref() {
                    "request" => Direction::Request,
                    "response" => Direction::Response,
                    "notification" => Direction::Notification,
                    _ => return Err(Fault::Shape),
                });
            }
            "origin" => match reader.string()?.as_ref() {
                "client" => from_client = true,
                "server" => {}
                _ => return Err(Fault::Shape),
            },
            "message" => message = Some(read_message(reader)?),
            "response" => response = Some(read_message(reader)?),
            "duration" => {
                let lexeme = reader.number()?;
                require(!lexeme.starts_with('-') || classify(lexeme) == NumberKind::Integer(0))?;
            }
            "clientError" => drop(reader.string()?),
            _ => return Err(Fault::Shape),
        }
        Ok(())
    })?;
    require(identified)?;
    let (time, direction) = (time.ok_or(Fault::Shape)?, direction.ok_or(Fault::Shape)?);
    let message = message.ok_or(Fault::Shape)?;
    match direction {
        Direction::Request => require(is_request(&message))?,
        Direction::Notification => require(message.id.is_none() && is_call(&message))?,
        Direction::Response => require(is_response(&message))?,
    }
    if let Some(response) = response {
        // A message without an id has no response.
        require(is_response(&response) && message.id.is_some() && response.id == message.id)?;
    }
    let is_client_call = direction == Direction::Request
        && from_client
        && message.method.as_deref() == Some("tools/call");
    if is_client_call {
        let params = message.params.unwrap_or_default();
        require(params.is_object && params.named && params.arguments_fit)?;
    }
    Ok(Entry {
        is_client_call,
        time,
    })
}

fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

fn is_call(message: &Message<'_>) -> bool {
    let method = message
        .method
        .as_deref()
        .is_some_and(|method| !is_blank(method));
    message.version && method && !message.result && !message.error
}

fn is_request(message: &Message<'_>) -> bool {
    let identified = match &message.id {
        Some(RpcId::Text(text)) => !text.is_empty(),
        Some(RpcId::Number(_)) => true,
        Some(RpcId::Null) | None => false,
    };
    identified && is_call(message)
}

fn is_response(message: &Message<'_>) -> bool {
    let one = message.result != message.error;
    message.version
        && message.id.is_some()
        && message.method.is_none()
        && message.params.is_none()
        && one
}

fn read_message<'a>(reader: &mut Strict<'a>) -> Result<Message<'a>> {
    let mut message = Message::default();
    reader.object(|reader, key| {
        match key {
            "jsonrpc" => message.version = reader.string()? == "2.0",
            "id" => message.id = Some(read_id(reader)?),
            "method" => message.method = Some(reader.string()?),
            "params" => message.params = Some(read_params(reader)?),
            "result" => {
                message.result = true;
                reader.payload(Strict::skip)?;
            }
            "error" => {
                message.error = true;
                reader.payload(Strict::skip)?;
            }
            _ => return Err(Fault::Shape),
        }
        Ok(())
    })?;
    Ok(message)
}

fn read_id<'a>(reader: &mut Strict<'a>) -> Result<RpcId<'a>> {
    Ok(match reader.peek()? {
        Kind::Null => {
            reader.null()?;
            RpcId::Null
        }
        Kind::String => RpcId::Text(reader.string()?),
        Kind::Number => {
            let lexeme = reader.number()?;
            match classify(lexeme) {
                NumberKind::Integer(number) if !lexeme.contains(['.', 'e', 'E']) => {
                    RpcId::Number(number)
                }
                _ => return Err(Fault::Shape),
            }
        }
        Kind::Bool | Kind::Array | Kind::Object => return Err(Fault::Shape),
    })
}

fn read_params(reader: &mut Strict<'_>) -> Result<Params> {
    let mut params = Params {
        arguments_fit: true,
        ..Params::default()
    };
    match reader.peek()? {
        Kind::Array => {
            reader.skip()?;
        }
        Kind::Object => {
            params.is_object = true;
            reader.object(|reader, key| {
                match key {
                    "name" if reader.peek()? == Kind::String => {
                        params.named = !is_blank(&reader.string()?)
                    }
                    "arguments" => {
                        params.arguments_fit = reader.peek()? == Kind::Object;
                        reader.payload(Strict::skip)?;
                    }
                    _ => drop(reader.skip()?),
                }
                Ok(())
            })?;
        }
        _ => return Err(Fault::Shape),
    }
    Ok(params)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use crate::reason::Reason;

    fn entry(text: &str) -> Result<Vec<Record>> {
        array(&format!("[{text}]"))
    }

    fn array(text: &str) -> Result<Vec<Record>> {
        let mut records = Vec::new();
        read(text, &mut Meter::new(Limits::default()), &mut records)?;
        Ok(records)
    }

    /// Example B1 of §12, on one line.
    const B1: &str = r#"{"id":"entry-1","timestamp":"2026-09-08T00:00:00Z","direction":"request","origin":"client","message":{"jsonrpc":"2.0","id":"rpc-1","method":"tools/call","params":{"name":"list_files","arguments":{}}}}"#;

    #[test]
    fn only_client_tool_calls_are_units() {
        let unit = |text: &str| {
            entry(text).map(|records| records.first().and_then(|record| record.surface))
        };
        assert_eq!(unit(B1), Ok(Some(Surface::TranscriptJoin)));
        for (from, to) in [
            (r#""origin":"client","#, ""),
            (r#""client""#, r#""server""#),
            ("tools/call", "tools/list"),
        ] {
            assert_eq!(unit(&B1.replace(from, to)), Ok(None), "{from}");
        }
        assert_eq!(array("[]").map(|records| records.len()), Ok(0));
        assert_eq!(array(" [ ] \n").map(|records| records.len()), Ok(0));
    }

    #[test]
    fn every_rule_of_an_entry() {
        for (from, to) in [
            (r#""id":"entry-1""#, r#""id":" ""#),
            (r#""id":"entry-1","#, ""),
            ("2026-09-08T00:00:00Z", "2026-09-08T02:00:00+02:00"),
            (r#""request""#, r#""other""#),
            (r#""request""#, r#""notification""#),
            (r#""client""#, "null"),
            (r#""client""#, r#""proxy""#),
            (r#""2.0""#, r#""1.0""#),
            (r#""rpc-1""#, "null"),
            (r#""rpc-1""#, r#""""#),
            (r#""rpc-1""#, "1.0"),
            (r#""rpc-1""#, "true"),
            (r#""list_files""#, r#""\u00a0""#),
            (r#""list_files""#, "1"),
            (r#""arguments":{}"#, r#""arguments":null"#),
            (r#""arguments":{}"#, r#""arguments":[]"#),
            (r#"{"name":"list_files","arguments":{}}"#, "[]"),
            (
                r#""method":"tools/call""#,
                r#""method":"tools/call","extra":1"#,
            ),
            (
                r#""method":"tools/call""#,
                r#""method":"tools/call","result":1"#,
            ),
            (r#""origin":"client""#, r#""origin":"client","extra":1"#),
            (r#""origin":"client""#, r#""origin":"client","duration":-1"#),
            (
                r#""origin":"client""#,
                r#""origin":"client","duration":null"#,
            ),
            (
                r#""origin":"client""#,
                r#""origin":"client","clientError":null"#,
            ),
            (
                r#""origin":"client""#,
                r#""origin":"client","response":null"#,
            ),
            (
                r#""origin":"client""#,
                r#""origin":"client","response":{"jsonrpc":"2.0","id":"rpc-2","result":1}"#,
            ),
            (
                r#""origin":"client""#,
                r#""origin":"client","response":{"jsonrpc":"2.0","id":"rpc-1"}"#,
            ),
            (
                r#""origin":"client""#,
                r#""origin":"client","response":{"jsonrpc":"2.0","id":"rpc-1","result":1,"error":1}"#,
            ),
            (r#""arguments":{}"#, r#""arguments":{"a":1,"a":2}"#),
            (r#""arguments":{}"#, r#""arguments":{"a":9007199254740992}"#),
        ] {
            assert!(B1.contains(from), "{from}");
            assert_eq!(
                entry(&B1.replacen(from, to, 1)).map(|_| ()),
                Err(Fault::Shape),
                "{from} -> {to}"
            );
        }
        for (from, to) in [
            (
                "2026-09-08T00:00:00Z",
                "2026-09-08T00:00:00.123456789012+00:00",
            ),
            (r#""rpc-1""#, "-7"),
            (r#","arguments":{}"#, ""),
            (
                r#""origin":"client""#,
                r#""origin":"client","duration":-0.0"#,
            ),
            (
                r#""origin":"client""#,
                r#""origin":"client","duration":1.5,"clientError":"""#,
            ),
            (
                r#""origin":"client""#,
                r#""origin":"client","response":{"jsonrpc":"2.0","id":"rpc-1","result":null}"#,
            ),
            (r#""arguments":{}"#, r#""arguments":{"a":1.0}"#),
        ] {
            assert!(entry(&B1.replacen(from, to, 1)).is_ok(), "{from} -> {to}");
        }
    }

    #[test]
    fn budgets_come_before_an_entrys_shape() {
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        for (depth, fault) in [
            (62, Fault::Shape),
            (63, Fault::Resource(Reason::ResourceHard)),
        ] {
            let text = format!("{{\"unknown\":1,\"more\":{}}}", nested(depth));
            assert_eq!(entry(&text).map(drop), Err(fault), "{depth}");
        }
        let key = "k".repeat(257);
        let text = format!("{{\"unknown\":1,\"{key}\":1}}");
        let hard = Err(Fault::Resource(Reason::ResourceHard));
        assert_eq!(entry(&text).map(drop), hard);
        // Syntax that breaks off before a budget is crossed ends the reading.
        let text = format!("{{\"unknown\":!,\"{key}\":1}}");
        assert_eq!(entry(&text).map(drop), Err(Fault::Shape));
    }

    #[test]
    fn an_entry_over_its_budget_refuses_even_when_malformed() {
        let mut limits = Limits::default();
        assert!(limits.select(Limit::RecordBytes, B1.len() as u64));
        let mut records = Vec::new();
        let mut run = |text: &str| read(text, &mut Meter::new(limits.clone()), &mut records);
        assert_eq!(run(&format!("[ {B1} , {B1} ]")), Ok(()));
        let over = Err(Fault::Resource(Reason::ResourceSelected));
        assert_eq!(run(&format!("[{}]", B1.replace("{}", "{ }"))), over);
        assert_eq!(
            run(&format!(
                "[{}]",
                B1.replace("}}}}", &format!("}}}}{}!", " ".repeat(9)))
            )),
            over
        );
    }
}
