//! How far each surface was observed: the external applicability, lowered by
//! what retained context says (§7.2, §9; foreign shapes §11).

use super::Package;
use crate::document::{
    ContextInput, Correspondence, Extent3, FactKind, Observation, SurfaceResult,
};
use crate::format::{
    CaptureOrigin, Content, Correlation, Format, Health, KernelLayer, PackCoverage,
};
use crate::grammar::{Locator, Ref, Surface, SurfaceSet};
use crate::reason::Reason;

/// The five surfaces, and what retained context blocks.
pub(crate) struct Observed {
    /// In surface order.
    pub(crate) surfaces: Vec<SurfaceResult>,
    /// Surfaces on which failed or degraded enforcement blocks absence and
    /// exhaustiveness (package readings 9).
    pub(crate) blocked: SurfaceSet,
    /// Whether records may belong to another run (`cgroup_correlation` partial).
    pub(crate) ambiguous: bool,
}

impl Observed {
    /// One surface's row.
    pub(crate) fn of(&self, surface: Surface) -> Option<&SurfaceResult> {
        self.surfaces.get(surface as usize)
    }
}

const KERNEL_SURFACES: [Surface; 3] = [Surface::Filesystem, Surface::Network, Surface::Process];

/// Checks that the context's references resolve to retained context (§9).
pub(crate) fn check_basis(package: &Package<'_, '_>, context: &ContextInput) -> Result<(), Reason> {
    for row in &context.applicability {
        for reference in &row.input_refs {
            if !supports(package, reference, row.surface).unwrap_or(false) {
                return Err(Reason::Locator);
            }
        }
    }
    Ok(())
}

fn supports(package: &Package<'_, '_>, reference: &Ref, surface: Surface) -> Option<bool> {
    let (input, locator) = package.resolve(reference)?;
    let source = package.sources.get(input)?;
    Some(match (&source.content, &locator) {
        (Content::Health(_), Locator::Document) => KERNEL_SURFACES.contains(&surface),
        (Content::Coverage(coverage), Locator::Document) => coverage.dimension == surface,
        (Content::Context(document), Locator::Entry(index)) => {
            let entry = document.entries.get(usize::try_from(*index).ok()?)?;
            let kind = matches!(
                entry.kind,
                FactKind::Clock
                    | FactKind::Correlation
                    | FactKind::ContextProvenance
                    | FactKind::Denominator
                    | FactKind::MissingEvidence
                    | FactKind::ResourceEffects
                    | FactKind::Retention
                    | FactKind::Windows
            );
            kind && !entry.value.trim().is_empty()
        }
        (Content::Bundle(_), Locator::Event { .. }) => {
            source.record_at(&locator)?.1.surface.is_none()
        }
        // What it says is not known; its own fault comes after this phase's
        // references.
        (Content::Malformed, _) => match source.format {
            Format::Health => KERNEL_SURFACES.contains(&surface),
            Format::Coverage | Format::Context | Format::Bundle => true,
            _ => false,
        },
        _ => false,
    })
}

/// Computes the five rows.
pub(crate) fn observe(package: &Package<'_, '_>, context: &ContextInput) -> Observed {
    let retained = Retained::of(package);
    let surfaces = Surface::ALL
        .into_iter()
        .map(|surface| row(package, context, &retained, surface))
        .collect();
    Observed {
        surfaces,
        blocked: retained.blocked,
        ambiguous: retained.ambiguous,
    }
}

fn row(
    package: &Package<'_, '_>,
    context: &ContextInput,
    retained: &Retained,
    surface: Surface,
) -> SurfaceResult {
    let source_inputs: Vec<_> = package
        .inventory
        .inputs
        .iter()
        .filter(|input| input.surfaces.contains(surface))
        .map(|input| input.id.clone())
        .collect();
    let applicable = context
        .applicability_of(surface)
        .filter(|_| !source_inputs.is_empty());
    let Some(applicable) = applicable else {
        return SurfaceResult {
            name: surface,
            source_inputs,
            observation: Observation::Unknown,
            basis_refs: Vec::new(),
            window: None,
        };
    };
    let unknown = applicable.input_refs.is_empty()
        || !applicable.window.is_open()
        || applicable.coverage == Extent3::Unknown
        || applicable.retention == Extent3::Unknown
        || applicable.correspondence == Correspondence::Unknown;
    let adequate = applicable.coverage == Extent3::Adequate
        && applicable.retention == Extent3::Adequate
        && applicable.correspondence == Correspondence::Unique;
    let stated = if unknown {
        Observation::Unknown
    } else if adequate {
        Observation::Adequate
    } else {
        Observation::Limited
    };
    let mut observation = stated.min(retained.ceiling(surface));
    if retained.ambiguous
        && applicable.correspondence == Correspondence::Unique
        && KERNEL_SURFACES.contains(&surface)
    {
        observation = observation.min(Observation::Limited);
    }
    let mut basis_refs = applicable.input_refs.clone();
    basis_refs.sort_by(Ref::order);
    basis_refs.dedup();
    SurfaceResult {
        name: surface,
        source_inputs,
        observation,
        basis_refs,
        window: Some(applicable.window.clone()),
    }
}

/// What retained inputs say, referenced or not.
struct Retained {
    ceilings: [Observation; 5],
    blocked: SurfaceSet,
    ambiguous: bool,
}

impl Retained {
    fn of(package: &Package<'_, '_>) -> Self {
        let mut retained = Self {
            ceilings: [Observation::Adequate; 5],
            blocked: SurfaceSet::default(),
            ambiguous: false,
        };
        for source in package.sources {
            retained.read(&source.content);
            if matches!(
                source.format,
                crate::Format::KernelV0 | crate::Format::KernelV1
            ) {
                for surface in KERNEL_SURFACES {
                    retained.cap(surface, Observation::Limited);
                }
            }
        }
        retained
    }

    fn read(&mut self, content: &Content<'_>) {
        match content {
            Content::Coverage(coverage) => {
                let ceiling = if coverage.complete {
                    Observation::Adequate
                } else {
                    Observation::Limited
                };
                self.cap(coverage.dimension, ceiling);
            }
            Content::Health(Health::Observation {
                kernel,
                origin,
                correlation,
            }) => {
                let ceiling = match (origin, kernel) {
                    (CaptureOrigin::Unsupported, _) | (_, KernelLayer::Absent) => {
                        Observation::Unknown
                    }
                    (_, KernelLayer::PartialRingbufDrops) => Observation::Limited,
                    (CaptureOrigin::Own | CaptureOrigin::ThirdParty, KernelLayer::Complete) => {
                        Observation::Adequate
                    }
                };
                for surface in KERNEL_SURFACES {
                    self.cap(surface, ceiling);
                }
                self.ambiguous |= *correlation == Correlation::Partial;
            }
            Content::Health(Health::Enforcement { failed: true }) => {
                self.block(&[Surface::Network])
            }
            Content::Bundle(bundle) => {
                if bundle.degraded {
                    self.block(&[Surface::Filesystem, Surface::Network]);
                }
                for (surface, coverage) in &bundle.packs {
                    let ceiling = match coverage {
                        PackCoverage::Observed => Observation::Adequate,
                        PackCoverage::PartialOrReported => Observation::Limited,
                        PackCoverage::AbsentOrUnavailable => Observation::Unknown,
                    };
                    self.cap(*surface, ceiling);
                }
            }
            _ => {}
        }
    }

    fn block(&mut self, surfaces: &[Surface]) {
        for surface in surfaces {
            self.cap(*surface, Observation::Limited);
        }
        self.blocked = self
            .blocked
            .iter()
            .chain(surfaces.iter().copied())
            .collect();
    }

    fn cap(&mut self, surface: Surface, ceiling: Observation) {
        if let Some(slot) = self.ceilings.get_mut(surface as usize) {
            *slot = (*slot).min(ceiling);
        }
    }

    fn ceiling(&self, surface: Surface) -> Observation {
        self.ceilings
            .get(surface as usize)
            .copied()
            .unwrap_or(Observation::Unknown)
    }
}
