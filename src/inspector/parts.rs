//! Long lists looked through in parts at the same time, so that a key shows its effect at once.

use std::panic::resume_unwind;
use std::thread::{Builder, available_parallelism, scope};

/// Items below which one thread is as quick.
const SMALL: usize = 16_384;
/// The most threads at work.
const MOST: usize = 8;

/// What `each` makes of the items, part by part and in their order. Every part but the last is a
/// multiple of `step` items long.
pub fn in_parts<I: Sync, O: Send>(
    items: &[I],
    step: usize,
    each: impl Fn(&[I]) -> Vec<O> + Sync,
) -> Vec<O> {
    let threads = available_parallelism().map_or(1, usize::from).min(MOST);
    if threads < 2 || items.len() < SMALL {
        return each(items);
    }
    let step = step.max(1);
    let length = items.len().div_ceil(threads).div_ceil(step) * step;
    let each = &each;
    scope(|scope| {
        let parts: Vec<_> = items
            .chunks(length)
            .map(|part| (part, Builder::new().spawn_scoped(scope, move || each(part))))
            .collect();
        let mut out = Vec::new();
        for (part, thread) in parts {
            match thread.map(std::thread::ScopedJoinHandle::join) {
                Ok(Ok(mut made)) => out.append(&mut made),
                Ok(Err(panic)) => resume_unwind(panic),
                // No thread could be started: it is done here.
                Err(_) => out.append(&mut each(part)),
            }
        }
        out
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever the length, every item is there once and in its place.
    #[test]
    fn parts_are_the_whole() {
        for length in [0, 1, 63, SMALL - 1, SMALL, SMALL + 1, 100_003] {
            let items: Vec<usize> = (0..length).collect();
            let doubled = in_parts(&items, 64, |part| part.iter().map(|n| n * 2).collect());
            assert_eq!(doubled.len(), length);
            assert!(doubled.iter().zip(0..).all(|(n, at)| *n == at * 2));
            // Parts that begin on a step: what is made of 64 at a time is made of the same 64.
            let firsts = in_parts(&items, 64, |part| {
                part.chunks(64)
                    .filter_map(|chunk| chunk.first().copied())
                    .collect()
            });
            assert!(firsts.iter().zip(0..).all(|(n, at)| *n == at * 64));
        }
    }
}
