//! One world graded both ways, compared whole.

use attest_canon::jcs::Writer;
use attest_grading::decide::{Graded, grade_batch};
use attest_grading::model::Canonical;

use crate::oracle::rational::Rational;
use crate::oracle::{self, Expected};
use crate::world::World;

/// What differs, in words.
pub fn compare(world: &World) -> Result<(), String> {
    let decided = grade_batch(world.input());
    match (decided, oracle::grade_batch(world)) {
        (Ok(decided), Ok(expected)) => receipts(&decided, &expected),
        (Err(error), Err(refusal)) if refusal.contains(error.code().1) => Ok(()),
        (decided, expected) => Err(format!(
            "decided {:?}, expected {:?}",
            decided.map(|graded| graded.len()),
            expected.map(|graded| graded.len())
        )),
    }
}

fn receipts(decided: &[Graded], expected: &[Expected]) -> Result<(), String> {
    for (at, (decided, expected)) in decided.iter().zip(expected).enumerate() {
        let differs = decided.receipt != expected.receipt
            || text(&decided.receipt) != text(&expected.receipt)
            || *decided.grant != expected.grant
            || decided.context != expected.context
            || decided.floor.map(Rational::of_ratio) != expected.floor
            || decided.score.map(Rational::of_ratio) != expected.score;
        if differs {
            return Err(format!(
                "receipt {at} differs\ndecided  {} {:?} {:?} {:?}\nexpected {} {:?} {:?} {:?}",
                text(&decided.receipt),
                decided.context,
                decided.floor,
                decided.score,
                text(&expected.receipt),
                expected.context,
                expected.floor,
                expected.score
            ));
        }
        if let Some(broken) = decided.receipt.broken_invariant() {
            return Err(format!(
                "receipt {at} breaks an invariant: {broken:?}\n{decided:#?}"
            ));
        }
    }
    if decided.len() != expected.len() {
        let ids = |ids: Vec<String>| ids.join(" ");
        return Err(format!(
            "decided {}\nexpected {}",
            ids(decided
                .iter()
                .map(|one| one.receipt.id.to_string())
                .collect()),
            ids(expected
                .iter()
                .map(|one| one.receipt.id.to_string())
                .collect())
        ));
    }
    Ok(())
}

/// A receipt's canonical text.
pub fn text(value: &impl Canonical) -> String {
    let mut out = Writer::new();
    value.write(&mut out);
    out.into_text()
}
