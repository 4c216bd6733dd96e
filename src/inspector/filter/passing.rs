//! Which rows pass, test by test: from one key to the next most tests of a filter are the same, and
//! only what is new is looked for.

use super::{Filter, Test};
use crate::inspector::row::Row;

/// Rows of a word of bits.
const WORD: usize = 64;

/// The tests of the last filter, and for each row a bit, set where the test holds.
#[derive(Clone, Debug, Default)]
pub struct Passing {
    known: Vec<(Test, Vec<u64>)>,
}

impl Passing {
    /// The rows are others: nothing is known of them.
    pub fn forget(&mut self) {
        self.known.clear();
    }

    /// Whether each row passes, in the rows' order.
    pub fn of(&mut self, filter: &Filter, rows: &[Row]) -> Vec<bool> {
        let mut before = std::mem::take(&mut self.known);
        let mut passing = vec![u64::MAX; rows.len().div_ceil(WORD)];
        for term in &filter.terms {
            let mut any = vec![0; passing.len()];
            for test in &term.any {
                let held = before.iter().position(|(known, _)| known == test);
                let bits = match held {
                    Some(place) => before.swap_remove(place).1,
                    None => match self.known.iter().find(|(known, _)| known == test) {
                        Some((_, bits)) => bits.clone(),
                        None => holding(test, rows),
                    },
                };
                for (any, bits) in any.iter_mut().zip(&bits) {
                    *any |= bits;
                }
                self.known.push((test.clone(), bits));
            }
            for (passing, any) in passing.iter_mut().zip(any) {
                *passing &= if term.negated { !any } else { any };
            }
        }
        let bits = passing.into_iter();
        bits.flat_map(|word| (0..WORD).map(move |place| word >> place & 1 == 1))
            .take(rows.len())
            .collect()
    }
}

/// A bit for each row, set where a test holds.
fn holding(test: &Test, rows: &[Row]) -> Vec<u64> {
    let word = |rows: &[Row]| {
        let bits = rows.iter().map(|row| u64::from(test.holds(row)));
        bits.rev().fold(0, |word, bit| word << 1 | bit)
    };
    rows.chunks(WORD).map(word).collect()
}

#[cfg(test)]
mod tests {
    use attest_grading::model::Grade;

    use super::*;
    use crate::inspector::row::tests::row;

    /// Whatever was asked before, what passes is what each row says for itself.
    #[test]
    fn what_passes_is_what_matches() {
        let rows: Vec<Row> = (0..200)
            .map(|n| {
                let grade = [Some(Grade::Verified), None, Some(Grade::Unasked)][n % 3];
                let (who, what) = (format!("p{}@x.org", n % 7), format!("deck {n}"));
                row("01A", grade, "2026-10-06T14:02:00Z", &who, &what)
            })
            .collect();
        let mut passing = Passing::default();
        for text in [
            "",
            "d",
            "de",
            "deck 1",
            "deck 1 -p3",
            "deck -p3 who:p1,p2",
            "who:p2,p1",
            "-who:p2",
            "who:p2 -who:p2",
            "grade:unasked dck",
            "",
            "dck who:p2,p2",
        ] {
            let (filter, _) = Filter::parse(text);
            let expected: Vec<bool> = rows.iter().map(|row| filter.matches(row)).collect();
            assert_eq!(passing.of(&filter, &rows), expected, "{text}");
        }
        passing.forget();
        assert_eq!(
            passing.of(&Filter::parse("p1").0, &rows[..3]),
            [false, true, false]
        );
    }
}
