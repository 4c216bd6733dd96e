//! Seeded randomness: a small generator of our own (SplitMix64), so that one
//! seed makes the same bytes everywhere, whatever a library changes.

/// A stream of numbers decided by its seed.
#[derive(Clone, Debug)]
pub(super) struct Dice(u64);

impl Dice {
    pub(super) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number from 0 to below `bound`; 0 for a bound below 1.
    pub(super) fn below(&mut self, bound: i64) -> i64 {
        let bound = u64::try_from(bound).unwrap_or(0).max(1);
        i64::try_from(self.next() % bound).unwrap_or(0)
    }

    /// A number from `low` to `high`, both included.
    pub(super) fn between(&mut self, low: i64, high: i64) -> i64 {
        low.saturating_add(self.below(high.saturating_sub(low).saturating_add(1)))
    }

    /// Whether something happens that does so `per_mille` times in a thousand.
    pub(super) fn chance(&mut self, per_mille: i64) -> bool {
        self.below(1000) < per_mille
    }

    /// One of a list.
    pub(super) fn pick<T: Copy, const N: usize>(&mut self, from: &[T; N]) -> T {
        const { assert!(N > 0) };
        let bound = i64::try_from(N).unwrap_or(1);
        let place = usize::try_from(self.below(bound)).unwrap_or(0);
        #[expect(clippy::indexing_slicing, reason = "the place is below N")]
        from[place]
    }

    /// One of a slice, if it holds any.
    pub(super) fn one_of<'t, T>(&mut self, from: &'t [T]) -> Option<&'t T> {
        let bound = i64::try_from(from.len()).unwrap_or(i64::MAX);
        from.get(usize::try_from(self.below(bound)).unwrap_or(0))
    }
}
