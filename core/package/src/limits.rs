//! The resource contract of §8: hard maxima, selected budgets, and the meter
//! that charges against both.

use crate::reason::Reason;

/// One dimension of `ContextInput.limits`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(usize)]
#[expect(missing_docs, reason = "each is the key of §8 that `key` names")]
pub enum Limit {
    OuterBytes,
    Members,
    OuterPathBytes,
    ObjectBytesTotal,
    Inputs,
    InnerCompressedBytes,
    DecodedBytesTotal,
    NestedArchiveDepth,
    InventoryBytes,
    AssessmentBytes,
    PolicyBytes,
    TranscriptBytes,
    HealthBytes,
    EnvelopeBytes,
    KeyBytes,
    RetainedReportBytes,
    InnerManifestBytes,
    InnerEventsBytes,
    Records,
    RecordBytes,
    InnerPathBytes,
    JsonDepth,
    JsonKeyBytes,
    NonPayloadStringBytes,
    PayloadStringBytes,
    References,
    ReferenceDepth,
    DiagnosticBytes,
    FreshResultBytes,
}

/// How many dimensions there are.
pub const LIMITS: usize = 29;

const MIB: u64 = 1 << 20;

/// Key and hard maximum of each dimension, in the order of [`Limit`].
const TABLE: [(Limit, &str, u64); LIMITS] = [
    (Limit::OuterBytes, "outer_bytes", 256 * MIB),
    (Limit::Members, "members", 128),
    (Limit::OuterPathBytes, "outer_path_bytes", 80),
    (Limit::ObjectBytesTotal, "object_bytes_total", 240 * MIB),
    (Limit::Inputs, "inputs", 64),
    (
        Limit::InnerCompressedBytes,
        "inner_compressed_bytes",
        100 * MIB,
    ),
    (Limit::DecodedBytesTotal, "decoded_bytes_total", 512 * MIB),
    (Limit::NestedArchiveDepth, "nested_archive_depth", 1),
    (Limit::InventoryBytes, "inventory_bytes", MIB),
    (Limit::AssessmentBytes, "assessment_bytes", 16 * MIB),
    (Limit::PolicyBytes, "policy_bytes", MIB),
    (Limit::TranscriptBytes, "transcript_bytes", 16 * MIB),
    (Limit::HealthBytes, "health_bytes", MIB),
    (Limit::EnvelopeBytes, "envelope_bytes", 32 * MIB),
    (Limit::KeyBytes, "key_bytes", 16 << 10),
    (
        Limit::RetainedReportBytes,
        "retained_report_bytes",
        16 * MIB,
    ),
    (Limit::InnerManifestBytes, "inner_manifest_bytes", 10 * MIB),
    (Limit::InnerEventsBytes, "inner_events_bytes", 500 * MIB),
    (Limit::Records, "records", 100_000),
    (Limit::RecordBytes, "record_bytes", MIB),
    (Limit::InnerPathBytes, "inner_path_bytes", 256),
    (Limit::JsonDepth, "json_depth", 64),
    (Limit::JsonKeyBytes, "json_key_bytes", 256),
    (
        Limit::NonPayloadStringBytes,
        "non_payload_string_bytes",
        64 << 10,
    ),
    (Limit::PayloadStringBytes, "payload_string_bytes", MIB),
    (Limit::References, "references", 100_000),
    (Limit::ReferenceDepth, "reference_depth", 1),
    (Limit::DiagnosticBytes, "diagnostic_bytes", 4 << 10),
    (Limit::FreshResultBytes, "fresh_result_bytes", 16 * MIB),
];

impl Limit {
    /// Every dimension, in the order of §8.
    pub fn all() -> impl Iterator<Item = Self> {
        TABLE.iter().map(|(limit, _, _)| *limit)
    }

    /// The key in `ContextInput.limits`.
    #[must_use]
    pub fn key(self) -> &'static str {
        TABLE.get(self as usize).map_or("", |(_, key, _)| key)
    }

    /// The dimension a key names.
    #[must_use]
    pub fn from_key(key: &str) -> Option<Self> {
        TABLE
            .iter()
            .find(|(_, k, _)| *k == key)
            .map(|(limit, _, _)| *limit)
    }

    /// The immutable maximum.
    #[must_use]
    pub fn hard(self) -> u64 {
        TABLE.get(self as usize).map_or(0, |(_, _, hard)| *hard)
    }
}

/// The budgets a context selects: each positive and at most its hard maximum.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Limits([u64; LIMITS]);

impl Default for Limits {
    /// The hard maxima.
    fn default() -> Self {
        Self(TABLE.map(|(_, _, hard)| hard))
    }
}

impl Limits {
    /// The selected budget of one dimension.
    #[must_use]
    pub fn get(&self, limit: Limit) -> u64 {
        self.0.get(limit as usize).copied().unwrap_or(0)
    }

    /// Selects a budget; `false`, changing nothing, for zero or more than the
    /// hard maximum.
    pub fn select(&mut self, limit: Limit, value: u64) -> bool {
        let allowed = value > 0 && value <= limit.hard();
        if allowed && let Some(slot) = self.0.get_mut(limit as usize) {
            *slot = value;
        }
        allowed
    }

    /// Compares one declared or already counted amount, hard limit first;
    /// equality is accepted (§8).
    pub fn check(&self, limit: Limit, amount: u64) -> Result<(), Reason> {
        if amount > limit.hard() {
            Err(Reason::ResourceHard)
        } else if amount > self.get(limit) {
            Err(Reason::ResourceSelected)
        } else {
            Ok(())
        }
    }

    /// [`Limits::check`] of a length in memory.
    pub fn check_len(&self, limit: Limit, length: usize) -> Result<(), Reason> {
        self.check(limit, u64::try_from(length).unwrap_or(u64::MAX))
    }

    /// The bound of an amount that is found out by scanning: the scan stops
    /// one past the smaller limit, so only that one can have been crossed.
    #[must_use]
    pub fn scan(&self, limit: Limit) -> ScanBound {
        let selected = self.get(limit);
        let crossed = if selected < limit.hard() {
            Reason::ResourceSelected
        } else {
            Reason::ResourceHard
        };
        ScanBound {
            most: usize::try_from(selected).unwrap_or(usize::MAX),
            crossed,
        }
    }
}

/// A limit on something whose size a scan discovers.
#[derive(Clone, Copy, Debug)]
pub struct ScanBound {
    /// Largest amount accepted.
    pub most: usize,
    /// The reason for anything more.
    pub crossed: Reason,
}

impl ScanBound {
    /// Refuses an amount beyond the bound.
    pub fn check(&self, amount: usize) -> Result<(), Reason> {
        if amount > self.most {
            Err(self.crossed)
        } else {
            Ok(())
        }
    }
}

/// Limits, and what of the cumulative ones has been used.
#[derive(Clone, Debug)]
pub struct Meter {
    /// The selected budgets.
    pub limits: Limits,
    records: u64,
    references: u64,
    object_bytes: u64,
    decoded_bytes: u64,
}

impl Meter {
    /// A meter on which nothing is charged yet.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            records: 0,
            references: 0,
            object_bytes: 0,
            decoded_bytes: 0,
        }
    }

    fn charge(limits: &Limits, limit: Limit, used: &mut u64, amount: u64) -> Result<(), Reason> {
        let total = used.checked_add(amount).ok_or(Reason::ResourceHard)?;
        limits.check(limit, total)?;
        *used = total;
        Ok(())
    }

    /// Charges one record, event, entry or single document, before it is kept.
    pub fn record(&mut self) -> Result<(), Reason> {
        Self::charge(&self.limits, Limit::Records, &mut self.records, 1)
    }

    /// Charges one reference, before it is kept.
    pub fn reference(&mut self) -> Result<(), Reason> {
        Self::charge(&self.limits, Limit::References, &mut self.references, 1)
    }

    /// Charges a declared occurrence's bytes, before its object is used.
    pub fn object_bytes(&mut self, amount: u64) -> Result<(), Reason> {
        Self::charge(
            &self.limits,
            Limit::ObjectBytesTotal,
            &mut self.object_bytes,
            amount,
        )
    }

    /// Charges bytes that left a decoder.
    pub fn decoded_bytes(&mut self, amount: u64) -> Result<(), Reason> {
        Self::charge(
            &self.limits,
            Limit::DecodedBytesTotal,
            &mut self.decoded_bytes,
            amount,
        )
    }

    /// How many bytes may still be decoded before the smaller limit is crossed.
    #[must_use]
    pub fn decoded_left(&self) -> u64 {
        self.limits
            .get(Limit::DecodedBytesTotal)
            .saturating_sub(self.decoded_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_stands_in_the_order_of_the_enum() {
        for (at, (limit, key, hard)) in TABLE.iter().enumerate() {
            assert_eq!(*limit as usize, at);
            assert_eq!(Limit::from_key(key), Some(*limit));
            assert_eq!(limit.hard(), *hard);
        }
    }

    /// Equality is accepted; hard is asked before selected (§8).
    #[test]
    fn hard_before_selected_at_every_dimension() {
        for limit in Limit::all() {
            let hard = limit.hard();
            let mut limits = Limits::default();
            assert_eq!(limits.check(limit, hard), Ok(()));
            assert_eq!(limits.check(limit, hard + 1), Err(Reason::ResourceHard));
            assert!(!limits.select(limit, 0));
            assert!(!limits.select(limit, hard + 1));
            if hard > 1 {
                assert!(limits.select(limit, hard - 1));
                assert_eq!(limits.check(limit, hard - 1), Ok(()));
                assert_eq!(limits.check(limit, hard), Err(Reason::ResourceSelected));
                assert_eq!(limits.check(limit, hard + 1), Err(Reason::ResourceHard));
                assert_eq!(limits.scan(limit).crossed, Reason::ResourceSelected);
            }
        }
    }

    #[test]
    fn charges_add_up_and_overflow_is_hard() {
        let mut limits = Limits::default();
        assert!(limits.select(Limit::ObjectBytesTotal, 6));
        let mut meter = Meter::new(limits);
        assert_eq!(meter.object_bytes(3), Ok(()));
        assert_eq!(meter.object_bytes(3), Ok(()));
        assert_eq!(meter.object_bytes(1), Err(Reason::ResourceSelected));
        assert_eq!(meter.object_bytes(u64::MAX), Err(Reason::ResourceHard));
        assert_eq!(usize::try_from(meter.decoded_left()).unwrap(), 512 << 20);
    }
}
