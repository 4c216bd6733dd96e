//! Phase 3: formats, then schema identities, then mappings (§3, §4).

use crate::document::Inventory;
use crate::format::{self, Admitted, Content, Format};
use crate::grammar::SurfaceSet;
use crate::limits::Meter;
use crate::reason::Reason;

/// Phase 3's first two passes: every format and event type, then every schema.
pub(super) fn identify<'o>(
    inventory: &Inventory,
    objects: &[&'o [u8]],
    meter: &mut Meter,
) -> Result<Vec<Option<Admitted<'o>>>, Reason> {
    let formats: Vec<Format> = inventory
        .inputs
        .iter()
        .map(|input| input.format.ok_or(Reason::UnknownFormat))
        .collect::<Result<_, _>>()?;
    let mut admitted: Vec<Option<Admitted<'o>>> = objects.iter().map(|_| None).collect();
    for pass in [Format::is_bundle, Format::is_sidecar] {
        for ((format, bytes), slot) in formats.iter().zip(objects).zip(&mut admitted) {
            if pass(*format) {
                let input = format::admit(*format, bytes, meter)?;
                input.identity?;
                *slot = Some(input);
            }
        }
    }
    Ok(admitted)
}

/// Phase 3's last pass: declared surfaces against each format's mapping (§7.1).
pub(super) fn check_mapping(
    inventory: &Inventory,
    admitted: &[Option<Admitted<'_>>],
) -> Result<(), Reason> {
    for (input, admitted) in inventory.inputs.iter().zip(admitted) {
        let format = input.format.ok_or(Reason::UnknownFormat)?;
        if !mapping_fits(input.surfaces, format, admitted.as_ref()) {
            return Err(Reason::Mapping);
        }
    }
    Ok(())
}

fn mapping_fits(declared: SurfaceSet, format: Format, admitted: Option<&Admitted<'_>>) -> bool {
    use crate::grammar::Surface::{Filesystem, Network, Process, ToolCall, TranscriptJoin};
    let kernel = SurfaceSet::of(&[Filesystem, Network, Process]);
    let first_four = SurfaceSet::of(&[ToolCall, Filesystem, Network, Process]);
    match format {
        Format::ProxyDecision => declared == SurfaceSet::of(&[ToolCall]),
        Format::Inspector => declared == SurfaceSet::of(&[TranscriptJoin]),
        Format::Bundle => {
            declared.is_subset(first_four)
                && match admitted.map(|admitted| &admitted.source) {
                    Some(Ok(source)) => {
                        let seen = source.surfaces();
                        let enumerated = match &source.content {
                            Content::Bundle(bundle) => bundle.enumerated(),
                            _ => SurfaceSet::default(),
                        };
                        seen.is_subset(declared)
                            && declared.iter().all(|surface| {
                                seen.contains(surface) || enumerated.contains(surface)
                            })
                    }
                    // What broke off shows only what it showed.
                    Some(Err(seen)) => seen.surfaces.is_subset(declared),
                    None => false,
                }
        }
        Format::KernelV0 | Format::KernelV1 => {
            declared.is_subset(kernel)
                && match admitted.map(|admitted| &admitted.source) {
                    Some(Ok(source)) => {
                        let seen = source.surfaces();
                        source.records.is_empty() || seen == declared
                    }
                    _ => true,
                }
        }
        _ => declared.is_empty(),
    }
}
