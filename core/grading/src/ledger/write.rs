//! Writing a ledger back (supplement E): one row a line, each row in canonical
//! form, what is passed through as it stood.

use attest_canon::jcs::{Writer, write_string};

use crate::model::canonical::{Canonical, member};

use super::export::{FORMAT, Ledger, VERSION};

impl Ledger {
    /// The ledger's text.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut out = Lines::default();
        out.text.push('{');
        out.member("format", &format!("\"{FORMAT}\""));
        out.member("version", &VERSION.to_string());
        if let Some(at) = &self.exported_at {
            out.member("exportedAt", &format!("\"{at}\""));
        }
        out.raw_list("requests", &self.requests);
        out.list("claims", &self.claims);
        out.list("observations", &self.observations);
        out.list("grants", &self.grants);
        out.list("receipts", &self.receipts);
        out.raw_list("adapterHealth", &self.adapter_health);
        out.list("coverage", &self.coverage);
        if let Some(activity) = &self.activity {
            out.value("activity", activity);
        }
        if let Some(scores) = &self.model_scores {
            out.map(
                "modelScores",
                scores
                    .iter()
                    .map(|(claim, list)| (claim.to_string(), list.as_slice())),
            );
        }
        out.begin("meta", '{');
        if let Some(at) = &self.meta.last_batch_instant {
            out.entry("lastBatchInstant", &format!("\"{at}\""));
        }
        for (ms, repair) in &self.meta.repairs {
            let text = out.canonical(repair);
            out.entry(&format!("clockRepair.{ms}"), &text);
        }
        for (key, raw) in &self.meta.other {
            out.entry(key, raw);
        }
        out.end('}');
        out.map(
            "receiptInputs",
            self.receipt_inputs
                .iter()
                .map(|(hash, inputs)| (hash.to_string(), inputs)),
        );
        out.map(
            "batchCoverages",
            self.batch_coverages
                .iter()
                .map(|(hash, seen)| (hash.to_string(), seen)),
        );
        out.begin("policies", '{');
        for (hash, policy) in &self.policies {
            out.entry(&hash.to_string(), policy.canonical());
        }
        out.end('}');
        out.text.push_str("\n}\n");
        out.text
    }
}

impl Canonical for crate::replay::StoredInputs {
    fn write(&self, out: &mut Writer) {
        out.begin_object();
        member(out, "context", &self.context);
        member(out, "coverageHash", &self.coverage_hash);
        member(out, "grant", self.grant.as_ref());
        member(out, "policyHash", &self.policy_hash);
        out.end_object();
    }
}

/// The text of a ledger as it grows.
#[derive(Default)]
struct Lines {
    text: String,
    row: Writer,
    /// A row of the open table was written.
    later_row: bool,
}

impl Lines {
    fn canonical(&mut self, value: &(impl Canonical + ?Sized)) -> String {
        self.row.clear();
        value.write(&mut self.row);
        self.row.text().to_owned()
    }

    /// Begins a member of the ledger.
    fn key(&mut self, key: &str) {
        self.text.push_str(if self.text.ends_with('{') {
            "\n"
        } else {
            ",\n"
        });
        write_string(&mut self.text, key);
        self.text.push_str(": ");
    }

    fn member(&mut self, key: &str, json: &str) {
        self.key(key);
        self.text.push_str(json);
    }

    fn value(&mut self, key: &str, value: &impl Canonical) {
        let text = self.canonical(value);
        self.member(key, &text);
    }

    fn begin(&mut self, key: &str, open: char) {
        self.key(key);
        self.text.push(open);
        self.later_row = false;
    }

    fn end(&mut self, close: char) {
        if self.later_row {
            self.text.push('\n');
        }
        self.text.push(close);
    }

    fn next_row(&mut self) {
        self.text
            .push_str(if self.later_row { ",\n  " } else { "\n  " });
        self.later_row = true;
    }

    fn entry(&mut self, key: &str, json: &str) {
        self.next_row();
        write_string(&mut self.text, key);
        self.text.push_str(": ");
        self.text.push_str(json);
    }

    fn list(&mut self, key: &str, rows: &[impl Canonical]) {
        self.begin(key, '[');
        for row in rows {
            self.next_row();
            self.row.clear();
            row.write(&mut self.row);
            self.text.push_str(self.row.text());
        }
        self.end(']');
    }

    fn raw_list(&mut self, key: &str, rows: &[Box<str>]) {
        self.begin(key, '[');
        for row in rows {
            self.next_row();
            self.text.push_str(row);
        }
        self.end(']');
    }

    fn map<'v, V: Canonical + ?Sized + 'v>(
        &mut self,
        key: &str,
        entries: impl Iterator<Item = (String, &'v V)>,
    ) {
        self.begin(key, '{');
        for (key, value) in entries {
            let text = self.canonical(value);
            self.entry(&key, &text);
        }
        self.end('}');
    }
}
