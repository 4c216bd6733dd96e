//! A receipt as a package carries it: ids, hashes, instants, grades, rule ids,
//! reason codes and params, signals and states; no free text (profile, "A
//! receipt entry").
//!
//! The one free text a receipt holds is the reason of an override: its
//! counterparty, subject and scope stand in other rows, which no package
//! carries.

use std::borrow::Cow;

use attest_canon::jcs::{Numbers, to_canonical};
use attest_canon::json::{Limits, Value};
use attest_grading::model::{Decoder, Receipt, canonical_text};

/// What stands for the reason of an override, which no package carries.
const WITHHELD: &str = "withheld";

/// The canonical JSON of a receipt's entry.
#[must_use]
pub fn text(receipt: &Receipt) -> String {
    let whole = canonical_text(receipt);
    if receipt.user_override.is_none() {
        return whole;
    }
    // What was just written always reads, and its numbers are exact.
    let Ok(Value::Object(mut members)) = Value::parse(&whole, Limits::LEDGER) else {
        return String::new();
    };
    for (key, member) in &mut members {
        if key == "override"
            && let Value::Object(said) = member
        {
            said.retain(|(key, _)| key != "reason");
        }
    }
    to_canonical(&Value::Object(members), Numbers::Exact).unwrap_or_default()
}

/// The receipt of an entry, with a word in place of what the entry withholds;
/// `None` for what is no receipt.
#[must_use]
pub fn read(entry: &str) -> Option<Receipt> {
    let Value::Object(mut members) = Value::parse(entry, Limits::LEDGER).ok()? else {
        return None;
    };
    for (key, member) in &mut members {
        if key == "override"
            && let Value::Object(said) = member
        {
            let reason = Value::String(Cow::Borrowed(WITHHELD));
            said.push((Cow::Borrowed("reason"), reason));
        }
    }
    let whole = to_canonical(&Value::Object(members), Numbers::Exact).ok()?;
    Decoder::read_document(&whole, Receipt::decode).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use attest_grading::ledger::{Event, Ledger, transition};
    use attest_grading::model::{IsoTs, OverrideGrade};

    const DEMO: &str = include_str!("../../golden/ledgers/demo.json");

    /// An entry is the receipt as the ledger writes it; an override loses its
    /// reason and nothing else.
    #[test]
    fn a_receipt_less_its_free_text() {
        let ledger = Ledger::read(DEMO).unwrap();
        for receipt in &ledger.receipts {
            let whole = canonical_text(receipt);
            assert_eq!(text(receipt), whole);
            assert!(DEMO.contains(&whole));
            let said = Event::Override {
                grade: OverrideGrade::NotFound,
                reason: "the secret of Priya \u{1F600}".into(),
                at: IsoTs::parse("2026-10-07T00:00:00Z").unwrap(),
            };
            let overridden = transition(receipt, said).unwrap();
            let entry = text(&overridden);
            assert!(!entry.contains("secret") && !entry.contains("\"reason\":"));
            let put_back = entry.replace(
                "\"previousState\":\"FINAL\"",
                "\"previousState\":\"FINAL\",\"reason\":\"the secret of Priya \u{1F600}\"",
            );
            assert_eq!(put_back, canonical_text(&overridden));
            assert_eq!(read(&whole).as_ref(), Some(receipt));
            let mut withheld = overridden.clone();
            if let Some(said) = &mut withheld.user_override {
                said.reason = "withheld".into();
            }
            assert_eq!(read(&entry), Some(withheld));
            assert_eq!(read(&entry.replace("\"grade\"", "\"graded\"")), None);
        }
    }
}
