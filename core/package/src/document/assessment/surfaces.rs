//! How far each surface was observed (§7.2).

use attest_canon::jcs::Writer;

use super::{Result, each, nullable, sorted, surface};
use crate::Dialect;
use crate::document::{Window, id, need, references, tokens, write_null, write_refs};
use crate::grammar::{Id, Ref, Surface};
use crate::json::{Fault, Strict};
use crate::limits::Meter;

tokens! {
    /// How far a surface was observed (§7.2).
    Observation {
        /// Not known.
        Unknown = "unknown",
        /// With limits.
        Limited = "limited",
        /// Adequately.
        Adequate = "adequate",
    }
}

/// One surface's observation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SurfaceResult {
    /// The surface.
    pub name: Surface,
    /// Inputs that supply it, ascending.
    pub source_inputs: Vec<Id>,
    /// How far it was observed.
    pub observation: Observation,
    /// What that rests on.
    pub basis_refs: Vec<Ref>,
    /// For which window.
    pub window: Option<Window>,
}

pub(super) fn read_surfaces(
    reader: &mut Strict<'_>,
    meter: &mut Meter,
    dialect: Dialect,
) -> Result<Vec<SurfaceResult>> {
    let mut rows: Vec<SurfaceResult> = Vec::new();
    reader.array(|reader, index| {
        let row = read_surface(reader, meter, dialect)?;
        if Surface::ALL.get(index) != Some(&row.name) {
            return Err(Fault::Shape);
        }
        rows.push(row);
        Ok(())
    })?;
    if rows.len() == Surface::ALL.len() {
        Ok(rows)
    } else {
        Err(Fault::Shape)
    }
}

fn read_surface(
    reader: &mut Strict<'_>,
    meter: &mut Meter,
    dialect: Dialect,
) -> Result<SurfaceResult> {
    let (mut name, mut source_inputs, mut observation, mut basis_refs, mut window) =
        (None, None, None, None, None);
    reader.object(|reader, key| {
        match key {
            "name" => name = Some(surface(reader)?),
            "source_inputs" => source_inputs = Some(sorted(reader, id, |id| id)?),
            "observation" => observation = Some(Observation::read(reader)?),
            "basis_refs" => basis_refs = Some(references(reader, meter)?),
            "window" => {
                window = Some(if reader.null()? {
                    None
                } else {
                    Some(Window::read(reader)?)
                })
            }
            _ => return Err(Fault::Shape),
        }
        Ok(())
    })?;
    Ok(SurfaceResult {
        name: need(name)?,
        source_inputs: need(source_inputs)?,
        observation: need(observation)?,
        basis_refs: need(basis_refs)?,
        window: nullable(window, dialect)?,
    })
}

pub(super) fn write_surface(writer: &mut Writer, row: &SurfaceResult) {
    writer.begin_object();
    writer.key("basis_refs");
    write_refs(writer, &row.basis_refs);
    writer.key("name");
    writer.string(row.name.name());
    writer.key("observation");
    writer.string(row.observation.token());
    writer.key("source_inputs");
    each(writer, &row.source_inputs, |writer, id| writer.token(id));
    writer.key("window");
    match &row.window {
        Some(window) => window.write(writer),
        None => write_null(writer),
    }
    writer.end_object();
}
