//! Claim decisions (§7.3).

use super::observation::Observed;
use crate::document::{Claim, ClaimKind, Decision, Join, JoinResult, Observation, PropositionKind};

/// What a package establishes that claims are gated by.
pub(crate) struct Gates<'g> {
    pub(crate) observed: &'g Observed,
    /// Joins, ascending by id, with results that were recomputed.
    pub(crate) joins: &'g [Join],
    /// Whether the dispatched accounting is complete.
    pub(crate) complete: bool,
    /// Whether there is a CAP-1 stratum for the surface.
    pub(crate) present: crate::grammar::SurfaceSet,
}

impl Gates<'_> {
    /// The decision of a claim. Every generated stratum supports all three
    /// kinds, so the stratum's existence is the support.
    pub(crate) fn decide(&self, claim: &Claim) -> Decision {
        let join = self
            .joins
            .binary_search_by(|join| join.id.cmp(&claim.proposition))
            .ok()
            .and_then(|at| self.joins.get(at));
        let Some(join) = join else {
            return Decision::Blocked;
        };
        let placed = claim.stratum.as_str() == claim.surface.name()
            && claim.surface == join.proposition.surface
            && self.present.contains(claim.surface);
        let adequate = self
            .observed
            .of(claim.surface)
            .is_some_and(|row| row.observation == Observation::Adequate);
        let blocked = self.observed.blocked.contains(claim.surface);
        match claim.kind {
            ClaimKind::PositivePresence if placed && join.result == JoinResult::Confirmed => {
                Decision::Supported
            }
            ClaimKind::BoundedNegative
                if placed
                    && join.proposition.kind == PropositionKind::CounterpartPresent
                    && join.result == JoinResult::Contradicted
                    && adequate
                    && !blocked =>
            {
                Decision::Supported
            }
            ClaimKind::PositivePresence | ClaimKind::BoundedNegative => Decision::Blocked,
            ClaimKind::ExhaustiveSet if !placed || blocked => Decision::Blocked,
            ClaimKind::ExhaustiveSet => {
                let unobservable = self.joins.iter().any(|join| {
                    join.proposition.surface == claim.surface
                        && join.result == JoinResult::Unobservable
                });
                if adequate && self.complete && !unobservable {
                    Decision::Supported
                } else {
                    Decision::Degraded
                }
            }
        }
    }
}
