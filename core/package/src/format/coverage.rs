//! The coverage descriptor (foreign shapes §4).

use super::fields::{Checked, Fields, require};
use crate::grammar::Surface;
use crate::json::{Bounds, Fault, Strict};
use crate::limits::{Limit, Meter};

/// Its schema identity.
pub(super) const SCHEMA: &str = "assay.runner.coverage_descriptor.v0";

/// What accounting reads from one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Coverage {
    /// The surface it speaks of.
    pub(crate) dimension: Surface,
    /// Full and without known blind spots.
    pub(crate) complete: bool,
}

/// Reads a descriptor.
pub(super) fn read(text: &str, meter: &mut Meter) -> Checked<Coverage> {
    meter.limits.check_len(Limit::RecordBytes, text.len())?;
    meter.record()?;
    let mut reader = Strict::new(text, Bounds::package(&meter.limits));
    let value = reader.tree(None)?;
    reader.finish()?;
    let fields = Fields::of(&value)?;
    require(fields.string("schema")? == SCHEMA)?;
    let dimension = match fields.string("dimension")? {
        "filesystem" => Surface::Filesystem,
        "network" => Surface::Network,
        "process" => Surface::Process,
        _ => return Err(Fault::Shape),
    };
    fields.string("method")?;
    fields.strings("observes")?;
    let blind = fields.strings("known_blind_spots")?;
    let completeness = fields.one_of(
        "completeness",
        &[
            "full",
            "open_syscall_only",
            "connect_only",
            "datagram_peer_observed",
            "connect_and_datagram_peer_observed",
            "exec_only",
        ],
    )?;
    Ok(Coverage {
        dimension,
        complete: completeness == "full" && blind.is_empty(),
    })
}
