//! Which observations nobody claimed may be held against an agent (§3, §7).

use crate::model::{Coverage, Instant, Interval, Observation, Source};
use crate::policy::Policy;

use super::corpus::from_relevant_source;
use super::coverage::synced_by;

/// What a batch's coverage vouches for, indexed by source.
#[derive(Debug)]
pub struct OrphanRule {
    /// Views by source, by window start.
    views: Vec<Vec<View>>,
    /// For each of them, the latest window end up to it.
    latest_end: Vec<Vec<Instant>>,
}

#[derive(Clone, Copy, Debug)]
struct View {
    window: Interval,
    synced: Instant,
    changes_since: Option<Instant>,
}

/// Why an observation is no orphan.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoOrphan {
    /// The policy does not list its source for its type.
    OtherSource,
    /// No view of its source saw the moment it occurred.
    NotCovered,
    /// No view had followed changes from before it was first seen.
    NotFollowed,
    /// A view may have found it already there.
    FirstLook,
}

impl OrphanRule {
    /// Indexes the entries a batch sees.
    #[must_use]
    pub fn new(coverage: &Coverage) -> Self {
        let at = coverage.evaluated_at.instant();
        let mut views: Vec<Vec<View>> = Source::ALL.iter().map(|_| Vec::new()).collect();
        for entry in synced_by(coverage, at) {
            if let Some(list) = views.get_mut(entry.source.index()) {
                list.push(View {
                    window: entry.window(),
                    synced: entry.last_sync_at.instant(),
                    changes_since: entry.changes_since.map(|since| since.instant()),
                });
            }
        }
        let latest_end = views.iter_mut().map(|list| {
            list.sort_by_key(|view| view.window.from);
            let mut latest: Option<Instant> = None;
            list.iter()
                .map(|view| {
                    *latest.insert(latest.map_or(view.window.to, |held| held.max(view.window.to)))
                })
                .collect()
        });
        let latest_end = latest_end.collect();
        Self { views, latest_end }
    }

    /// The views of a source whose window holds an instant.
    fn covering(&self, source: Source, at: Instant) -> impl Iterator<Item = &View> {
        let list = self
            .views
            .get(source.index())
            .map(Vec::as_slice)
            .unwrap_or_default();
        let ends = self
            .latest_end
            .get(source.index())
            .map(Vec::as_slice)
            .unwrap_or_default();
        let until = list.partition_point(|view| view.window.from <= at);
        let from = ends.partition_point(|end| *end < at);
        let run = list.get(from..until).unwrap_or_default();
        run.iter().filter(move |view| view.window.holds(at))
    }

    /// Whether an observation nobody holds is an orphan (`isOrphanCandidate`):
    /// the one predicate of grading and replay. Asked of the representative of
    /// its content hash.
    ///
    /// # Errors
    ///
    /// Why it is none.
    pub fn check(&self, row: &Observation, policy: &Policy) -> Result<(), NoOrphan> {
        if !from_relevant_source(row, policy) {
            return Err(NoOrphan::OtherSource);
        }
        let occurred = row.occurred_at.instant();
        if self.covering(row.source, occurred).next().is_none() {
            return Err(NoOrphan::NotCovered);
        }
        if row.source != Source::GcalEvent {
            return Ok(());
        }
        // A calendar row must be a change Attest saw happen (v1.9): (a) a view
        // followed changes from before its first sighting through it, and (b)
        // none may have found it already there.
        let first_seen = row.first_seen_at().instant();
        let followed = |view: &View| {
            view.changes_since.is_some_and(|since| since < first_seen) && first_seen <= view.synced
        };
        let first_look = |view: &View| match view.changes_since {
            Some(since) => since == first_seen,
            None => view.synced >= first_seen,
        };
        if !self.covering(row.source, occurred).any(followed) {
            return Err(NoOrphan::NotFollowed);
        }
        if self.covering(row.source, occurred).any(first_look) {
            return Err(NoOrphan::FirstLook);
        }
        Ok(())
    }
}
