//! What is disclosed of an examined unit, inline or in a result document
//! (§7.2).

use std::borrow::Cow;

use super::{Result, need, reference};
use crate::grammar::Ref;
use crate::json::{Bounds, Fault, Json, Strict, canonical};
use crate::limits::Meter;

/// One disclosed result.
#[derive(Debug)]
pub(crate) struct Disclosed<'a> {
    /// The format token it was examined under.
    pub(crate) operation: Cow<'a, str>,
    /// The unit it is about.
    pub(crate) source: Ref,
    /// Its value's text as written.
    pub(crate) value: &'a str,
}

impl<'a> Disclosed<'a> {
    /// Reads one, charging its reference.
    pub(crate) fn read(reader: &mut Strict<'a>, meter: &mut Meter) -> Result<Self> {
        let (mut operation, mut source, mut value) = (None, None, None);
        reader.object(|reader, key| {
            match key {
                "operation" => operation = Some(reader.string()?),
                "source" => source = Some(reference(reader, meter)?),
                "value" => value = Some(reader.payload(Strict::skip)?),
                _ => return Err(Fault::Shape),
            }
            Ok(())
        })?;
        Ok(Self {
            operation: need(operation)?,
            source: need(source)?,
            value: need(value)?,
        })
    }

    /// The canonical text of its value, which was admitted already.
    pub(crate) fn canonical_value(&self) -> Result<String> {
        let value: Json<'_> = Strict::new(self.value, Bounds::admitted()).tree(None)?;
        canonical(&value)
    }
}
