#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

use attest_canon::jcs::{Numbers, to_canonical};
use attest_canon::json::{Limits, Value};

mod events;
mod format;
mod grades;

/// Every key a batch file may hold (§15), and nothing wrong with it.
const BATCH: &str = r#"{
  "name": "every key of batch mode",
  "covers": ["contract:§15"],
  "mode": "batch",
  "policyPatch": { "receiptMerchants": ["acme"] },
  "notes": ["one step", "another"],
  "input": {
    "evaluatedAt": "2026-10-06T15:00:00-04:00",
    "claims": [
      { "ref": "c1", "agent": "muse", "type": "purchase.made", "counterparty": "Acme", "amountCents": 4999,
        "currency": "USD", "subjectHint": "Order 7", "claimedAt": "2026-10-06T14:02:00-04:00",
        "claimedAtPrecision": "minute", "claimedAtEnd": "2026-10-06T14:02:30-04:00",
        "targetAt": "2026-10-08T14:02:00-04:00", "observedAt": "2026-10-06T14:02:00-04:00",
        "sourceKind": "activity_view", "text": "Bought it.", "rowKey": "row" },
      { "ref": "c9", "agent": "muse", "type": "email.sent", "claimedAt": "2026-10-06T14:02:00-04:00" }
    ],
    "observations": [
      { "ref": "o1", "source": "gmail.receipt", "type": "purchase.made", "merchant": "Acme", "amountCents": 4999,
        "currency": "USD", "subjectHint": "Order 7", "occurredAt": "2026-10-06T14:02:00-04:00",
        "observedAt": "2026-10-06T14:03:00-04:00", "rowKey": "mail" },
      { "ref": "o2", "source": "gmail.sent", "type": "email.sent", "counterparty": "priya@company.com",
        "occurredAt": "2026-10-06T14:02:00-04:00" }
    ],
    "grants": [
      { "ref": "g1", "agent": "muse", "allowedTypes": ["purchase.made"], "counterpartyAllowlist": ["company.com"],
        "spendCeilingCents": 5000, "spendCurrency": "USD", "declaredScopes": ["a"], "observedScopes": ["a"],
        "accounts": { "gmail.receipt": ["acct-a"] }, "updatedAt": "2026-10-01T00:00:00Z" }
    ],
    "coverage": [
      { "observerId": "w", "source": "gcal.event", "lastSyncAt": "2026-10-06T14:55:00-04:00",
        "windowStart": "2026-10-06T14:00:00-04:00", "windowEnd": "2026-10-06T14:55:00-04:00",
        "accountHash": "acct-a", "allCalendars": true, "changesSince": "2026-10-06T14:00:00-04:00" }
    ],
    "repairs": [{ "from": "2026-10-05T00:00:00Z", "to": "2026-10-05T01:00:00Z" }],
    "activity": {
      "sessions": [{ "agent": "muse", "at": "2026-10-06T14:02:00-04:00" }],
      "idle": [{ "from": "2026-10-06T13:00:00-04:00", "to": "2026-10-06T13:30:00-04:00" }],
      "entries": [{ "agent": "muse", "at": "2026-10-06T14:02:00-04:00", "type": "email.sent" }],
      "adapterSyncs": [{ "agent": "muse", "lastSyncAt": "2026-10-06T14:40:00-04:00" }],
      "claims": ["c1"]
    },
    "fixed": [{ "claim": "c9", "observation": "o2" }, { "claim": null, "observation": "o2" }],
    "modelScores": [{ "claim": "c1", "scores": [{ "observation": "o1", "score": 10000 }] }]
  },
  "events": [
    { "event": "override", "ref": "c1", "grade": "NOT_FOUND", "reason": "no", "at": "2026-10-06T15:01:00-04:00" },
    { "event": "revert", "ref": "c1", "at": "2026-10-06T15:02:00-04:00" },
    { "event": "supersede", "ref": "c1", "claim": "c1", "rejected": true },
    { "event": "regrade", "ref": "c1", "evaluatedAt": "2026-10-06T15:03:00-04:00", "deleted": true, "rejected": true }
  ],
  "assertIds": { "equal": [["o1", "o1"]], "ascending": [["c1"]] },
  "expect": [
    { "ref": "c1", "grade": "OVER_SCOPE", "ruleId": "over_scope", "state": "FINAL", "observationRefs": ["o1"],
      "score": "1/1", "raisedScore": "1/1", "reasonCodes": ["match.best"],
      "reasonParams": { "match.best": { "observationId": "o1" } }, "agent": "muse",
      "inputs": { "grant": "g1", "priorSpendCents": 0, "scope": "a" }, "override": "VERIFIED",
      "previousState": "FINAL", "finalFrom": "2026-10-06T15:00:00Z" },
    { "ref": "o2", "attributionScore": "7/10", "supersededBy": "c1" },
    { "scope": { "agent": "muse", "scope": "b" } }
  ]
}"#;

/// A small file in grade mode.
const GRADE: &str = r#"{
  "name": "grade mode",
  "covers": [],
  "mode": "grade",
  "notes": "one line",
  "input": {
    "evaluatedAt": "2026-10-06T15:00:00-04:00",
    "claims": [
      { "ref": "c1", "agent": "muse", "type": "email.sent", "counterparty": "priya@company.com",
        "claimedAt": "2026-10-06T14:02:00-04:00" }
    ],
    "observations": [
      { "ref": "o1", "source": "gmail.sent", "type": "email.sent", "counterparty": "priya@company.com",
        "occurredAt": "2026-10-06T14:02:00-04:00" },
      { "ref": "o2", "source": "gmail.sent", "type": "email.sent", "counterparty": "priya@company.com",
        "occurredAt": "2026-10-06T12:02:00-04:00" },
      { "ref": "late", "source": "gmail.sent", "type": "email.sent", "counterparty": "priya@company.com",
        "occurredAt": "2026-10-06T11:02:00-04:00", "observedAt": "2026-10-06T15:00:00.001-04:00" }
    ],
    "activity": { "sessions": [{ "agent": "dots", "at": "2026-10-06T12:02:00-04:00" }] },
    "grade": { "claim": "c1", "candidates": ["o1"], "agent": "muse", "priorSpendCents": 0, "scope": "a" }
  },
  "expect": []
}"#;

fn parse(text: &str) -> Value<'_> {
    Value::parse(text, Limits::LEDGER).unwrap()
}

fn written(value: &Value<'_>) -> String {
    to_canonical(value, Numbers::Exact).unwrap()
}
