//! What a ledger hands to its next batch (supplement J), as data: the instant
//! is one the ledger holds, never a clock's.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use attest_canon::Id;

use crate::decide::fixed::graded_at;
use crate::decide::{BatchInput, PreAssignment, pre_assignments};
use crate::model::limits::GRADING_INPUT;
use crate::model::{
    Activity, Claim, Coverage, Instant, IsoTs, ModelScore, ObserverCoverage, Receipt, Repair,
    canonical_text,
};
use crate::policy::Policy;

use super::export::Ledger;

/// Most clock repairs a coverage carries; above, the oldest are joined (§3).
const REPAIRS: usize = 200;

impl Ledger {
    /// The instant of a batch that nobody gave one (supplement J): the latest
    /// of `exportedAt`, every `observedAt`, `lastSyncAt` and `updatedAt`, and
    /// 1 ms after the last batch and after every receipt's last event. None in
    /// a ledger that holds no instant.
    ///
    /// Of one instant written in two ways the greater text is taken, as of two
    /// syncs at one instant (readings 32), so the order of rows never matters.
    #[must_use]
    pub fn default_instant(&self) -> Option<IsoTs> {
        let stored = self
            .claims
            .iter()
            .map(|claim| claim.observed_at)
            .chain(self.observations.iter().map(|row| row.observed_at))
            .chain(self.coverage.iter().map(|entry| entry.last_sync_at))
            .chain(self.grants.iter().map(|grant| grant.updated_at))
            .chain(self.exported_at);
        let syncs = self
            .activity
            .iter()
            .flat_map(|activity| &activity.adapter_syncs);
        let after =
            |at: Instant, written: &IsoTs| IsoTs::computed(at.plus(1), written.offset_minutes());
        let batch = self
            .meta
            .last_batch_instant
            .map(|at| after(at.instant(), &at));
        let events = self
            .receipts
            .iter()
            .map(|receipt| after(receipt.last_event_at(), &receipt.computed_at));
        stored
            .chain(syncs.map(|sync| sync.last_sync_at))
            .chain(batch)
            .chain(events)
            .max_by(|a, b| {
                let by_instant = a.instant().cmp(&b.instant());
                by_instant.then_with(|| a.to_string().cmp(&b.to_string()))
            })
    }

    /// Whether a batch at an instant may be stored: batch instants strictly
    /// increase (`batch_out_of_order`, §3).
    #[must_use]
    pub fn is_after_last_batch(&self, at: Instant) -> bool {
        let last = self.meta.last_batch_instant.as_ref();
        last.is_none_or(|last| at > last.instant())
    }
}

/// What a batch at an instant is handed of a ledger.
#[derive(Debug)]
pub struct NextBatch<'a> {
    ledger: &'a Ledger,
    coverage: Coverage,
    claims: Vec<&'a Claim>,
    history: Vec<&'a Claim>,
    activity: Cow<'a, Activity>,
    model_scores: Cow<'a, BTreeMap<Id, Vec<ModelScore>>>,
    fixed: Vec<PreAssignment>,
    cuts: Vec<Cut>,
}

/// A list that held more than a batch takes, cut to its newest entries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cut {
    /// The list.
    pub list: &'static str,
    /// How many entries it held.
    pub held: usize,
}

impl core::fmt::Display for Cut {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let Self { list, held } = self;
        write!(
            f,
            "{list} holds {held} entries; the newest {GRADING_INPUT} are graded with"
        )
    }
}

/// More coverage than a batch takes. It is refused, not cut: without a view
/// that saw an event before, its row could accuse an agent (§3).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooMuchCoverage {
    /// How many entries were synced by the instant.
    pub held: usize,
}

impl core::fmt::Display for TooMuchCoverage {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(
            f,
            "coverage: {} entries, and a batch takes at most {GRADING_INPUT}",
            self.held
        )
    }
}

impl core::error::Error for TooMuchCoverage {}

impl<'a> NextBatch<'a> {
    /// Gathers it.
    ///
    /// # Errors
    ///
    /// More coverage than a batch takes.
    pub fn new(ledger: &'a Ledger, at: IsoTs) -> Result<Self, TooMuchCoverage> {
        let observers: Vec<ObserverCoverage> = ledger
            .coverage
            .iter()
            .filter(|entry| entry.last_sync_at.instant() <= at.instant())
            .cloned()
            .collect();
        if observers.len() > GRADING_INPUT {
            let held = observers.len();
            return Err(TooMuchCoverage { held });
        }
        let receipts: BTreeMap<Id, &Receipt> = ledger
            .receipts
            .iter()
            .filter_map(|receipt| Some((receipt.claim_id?, receipt)))
            .collect();
        let open = |claim: &&Claim| {
            let receipt = receipts.get(&claim.id);
            receipt.is_none_or(|receipt| graded_at(receipt, at.instant()))
        };
        let mut cuts = Vec::new();
        let history = ledger.claims.iter().collect();
        let history = newest(
            "activity.claims",
            history,
            |claim: &&Claim| (claim.claimed_at.instant(), claim.id.to_string()),
            &mut cuts,
        );
        Ok(Self {
            coverage: Coverage {
                evaluated_at: at,
                observers,
                repairs: joined(ledger.meta.repairs.values().copied().collect()),
            },
            claims: ledger.claims.iter().filter(open).collect(),
            history,
            activity: activity(ledger, &mut cuts),
            model_scores: ledger
                .model_scores
                .as_ref()
                .map_or_else(Cow::default, Cow::Borrowed),
            fixed: pre_assignments(&ledger.receipts),
            cuts,
            ledger,
        })
    }

    /// The batch without the advisory model's scores, for a person who has it
    /// off (§3).
    #[must_use]
    pub fn without_model_scores(self) -> Self {
        Self {
            model_scores: Cow::default(),
            ..self
        }
    }

    /// The batch's input under a policy.
    #[must_use]
    pub fn input<'b>(&'b self, policy: &'b Policy) -> BatchInput<'b> {
        BatchInput {
            claims: self.claims.clone(),
            observations: self.ledger.observations.iter().collect(),
            grants: self.ledger.grants.iter().collect(),
            policy,
            coverage: &self.coverage,
            activity: &self.activity,
            history: self.history.clone(),
            fixed: &self.fixed,
            model_scores: &self.model_scores,
        }
    }

    /// The batch's coverage, which its receipts' inputs name by hash.
    #[must_use]
    pub const fn coverage(&self) -> &Coverage {
        &self.coverage
    }

    /// The batch's coverage, for storing what was graded.
    #[must_use]
    pub fn into_coverage(self) -> Coverage {
        self.coverage
    }

    /// The lists that were cut.
    #[must_use]
    pub fn cuts(&self) -> &[Cut] {
        &self.cuts
    }
}

/// The ledger's activity, each list within [`GRADING_INPUT`].
fn activity<'a>(ledger: &'a Ledger, cuts: &mut Vec<Cut>) -> Cow<'a, Activity> {
    let Some(held) = &ledger.activity else {
        return Cow::default();
    };
    let lengths = [
        held.sessions.len(),
        held.idle.len(),
        held.entries.len(),
        held.adapter_syncs.len(),
    ];
    if lengths.iter().all(|length| *length <= GRADING_INPUT) {
        return Cow::Borrowed(held);
    }
    Cow::Owned(Activity {
        sessions: newest(
            "activity.sessions",
            held.sessions.clone(),
            |one| (one.at.instant(), canonical_text(one)),
            cuts,
        ),
        idle: newest(
            "activity.idle",
            held.idle.clone(),
            |one| (one.to.instant(), canonical_text(one)),
            cuts,
        ),
        entries: newest(
            "activity.entries",
            held.entries.clone(),
            |one| (one.at.instant(), canonical_text(one)),
            cuts,
        ),
        adapter_syncs: newest(
            "activity.adapterSyncs",
            held.adapter_syncs.clone(),
            |one| (one.last_sync_at.instant(), canonical_text(one)),
            cuts,
        ),
    })
}

/// A list cut to its newest [`GRADING_INPUT`] entries, in the order they stood.
/// The key orders entries of one instant by their text, so that the order of a
/// file's rows never decides which are kept.
fn newest<T>(
    list: &'static str,
    rows: Vec<T>,
    key: impl Fn(&T) -> (Instant, String),
    cuts: &mut Vec<Cut>,
) -> Vec<T> {
    let held = rows.len();
    if held <= GRADING_INPUT {
        return rows;
    }
    cuts.push(Cut { list, held });
    let mut places: Vec<((Instant, String), usize)> = rows.iter().map(key).zip(0..).collect();
    places.sort();
    places.drain(..held.saturating_sub(GRADING_INPUT));
    let kept: BTreeSet<usize> = places.into_iter().map(|(_, place)| place).collect();
    rows.into_iter()
        .enumerate()
        .filter(|(place, _)| kept.contains(place))
        .map(|(_, row)| row)
        .collect()
}

/// At most [`REPAIRS`] spans: above, the oldest become one that holds them all,
/// so every instant stays held (§3).
fn joined(mut repairs: Vec<Repair>) -> Vec<Repair> {
    repairs.sort_by(|a, b| {
        let by_start = a.from.instant().cmp(&b.from.instant());
        by_start.then_with(|| a.to.instant().cmp(&b.to.instant()))
    });
    let Some(surplus) = repairs
        .len()
        .checked_sub(REPAIRS)
        .filter(|surplus| *surplus > 0)
    else {
        return repairs;
    };
    let newer = repairs.split_off(surplus.saturating_add(1));
    let from = repairs
        .iter()
        .map(|repair| repair.from)
        .min_by_key(IsoTs::instant);
    let to = repairs
        .iter()
        .map(|repair| repair.to)
        .max_by_key(IsoTs::instant);
    let oldest = from.zip(to).map(|(from, to)| Repair { from, to });
    oldest.into_iter().chain(newer).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{AgentId, Session};
    use crate::policy::{DEFAULT_POLICY, load_policy};

    fn at(text: &str) -> IsoTs {
        IsoTs::parse(text).unwrap()
    }

    fn minute(minute: usize) -> IsoTs {
        let ms = at("2026-10-06T00:00:00Z")
            .instant()
            .plus(i64::try_from(minute).unwrap().saturating_mul(60_000));
        IsoTs::computed(ms, 0)
    }

    /// One claim, nothing else.
    const CLAIM: &str = r#"{"agent":"muse","claimedAt":"2026-10-06T14:02:00-04:00","claimedAtPrecision":"minute","counterparty":"priya@company.com","id":"ID","observedAt":"2026-10-06T14:02:00-04:00","rawHash":"HASH","sourceKind":"activity_view","type":"email.sent"}"#;
    const VIEW: &str = r#"{"lastSyncAt":"2026-10-06T18:50:00Z","observerId":"gmail.sent","source":"gmail.sent","windowEnd":"2026-10-06T18:50:00Z","windowStart":"2026-10-06T17:00:00Z"}"#;
    const GRANT: &str = r#"{"agent":"muse","allowedTypes":["email.sent"],"counterpartyAllowlist":[],"declaredScopes":[],"observedScopes":[],"updatedAt":"2026-10-01T00:00:00Z"}"#;

    fn ledger(claims: &[&str], more: &str) -> Ledger {
        let text = format!(
            r#"{{"format":"attest-ledger","version":7,"requests":[],"claims":[{}],"observations":[],"grants":[{GRANT}],"receipts":[],"adapterHealth":[],"coverage":[{VIEW}],"meta":{{}},"receiptInputs":{{}},"batchCoverages":{{}},"policies":{{}}{more}}}"#,
            claims.join(",")
        );
        Ledger::read(&text).unwrap()
    }

    fn claim(seed: &[u8]) -> String {
        let hash = attest_canon::sha256(seed);
        let id = Id::from_digest(&hash);
        CLAIM
            .replace("ID", &id.to_string())
            .replace("HASH", &hash.to_string())
    }

    #[test]
    fn the_instant_is_the_latest_the_ledger_holds() {
        let instant = |ledger: &Ledger| ledger.default_instant().map(|at| at.to_string());
        assert_eq!(instant(&Ledger::default()), None);
        let one = claim(b"1");
        let base = ledger(&[&one], "");
        assert_eq!(instant(&base).as_deref(), Some("2026-10-06T18:50:00Z"));
        for (more, expected) in [
            (
                r#","exportedAt":"2026-10-06T15:00:00-04:00""#,
                "2026-10-06T15:00:00-04:00",
            ),
            // The same instant in two writings: the greater text.
            (
                r#","exportedAt":"2026-10-06T20:50:00+02:00""#,
                "2026-10-06T20:50:00+02:00",
            ),
            (
                r#","exportedAt":"2026-10-06T14:50:00-04:00""#,
                "2026-10-06T18:50:00Z",
            ),
            (
                r#","activity":{"adapterSyncs":[{"agent":"muse","lastSyncAt":"2026-10-06T19:00:00Z"}]}"#,
                "2026-10-06T19:00:00Z",
            ),
        ] {
            assert_eq!(
                instant(&ledger(&[&one], more)).as_deref(),
                Some(expected),
                "{more}"
            );
        }
        let mut later = base.clone();
        later.meta.last_batch_instant = Some(at("2026-10-06T15:00:00-04:00"));
        assert_eq!(
            instant(&later).as_deref(),
            Some("2026-10-06T15:00:00.001-04:00")
        );
        assert!(!later.is_after_last_batch(at("2026-10-06T19:00:00Z").instant()));
        assert!(later.is_after_last_batch(at("2026-10-06T19:00:00.001Z").instant()));
        let mut granted = base.clone();
        granted.grants[0].updated_at = at("2026-10-07T00:00:00Z");
        assert_eq!(instant(&granted).as_deref(), Some("2026-10-07T00:00:00Z"));
    }

    #[test]
    fn a_receipts_last_event_is_before_the_next_batch() {
        let mut held = ledger(&[&claim(b"1")], "");
        let policy = load_policy(DEFAULT_POLICY).unwrap();
        let first = NextBatch::new(&held, held.default_instant().unwrap()).unwrap();
        let graded = crate::decide::grade_batch(first.input(&policy)).unwrap();
        assert_eq!(graded.len(), 1);
        held.receipts = graded.into_iter().map(|one| one.receipt).collect();
        assert_eq!(
            held.default_instant().map(|at| at.to_string()).as_deref(),
            Some("2026-10-06T18:50:00.001Z")
        );
    }

    /// Open are claims without a receipt and those `gradedAt` admits.
    #[test]
    fn final_and_overridden_claims_are_not_handed_over() {
        use crate::ledger::{Event, transition};
        use crate::model::{OverrideGrade, ReceiptState};

        let mut held = ledger(
            &[&claim(b"1"), &claim(b"2"), &claim(b"3"), &claim(b"4")],
            "",
        );
        let policy = load_policy(DEFAULT_POLICY).unwrap();
        // Before the grace ends all are PENDING.
        held.coverage.clear();
        let early = at("2026-10-06T14:03:00-04:00");
        let first = NextBatch::new(&held, early).unwrap();
        let mut receipts: Vec<Receipt> = crate::decide::grade_batch(first.input(&policy))
            .unwrap()
            .into_iter()
            .map(|one| one.receipt)
            .collect();
        assert!(
            receipts
                .iter()
                .all(|one| one.state == ReceiptState::Pending)
        );
        receipts.truncate(3);
        let say = |receipt: &Receipt, minute: &str| {
            let event = Event::Override {
                grade: OverrideGrade::Verified,
                reason: "seen".into(),
                at: at(minute),
            };
            transition(receipt, event).unwrap()
        };
        receipts[1] = say(&receipts[1], "2026-10-06T18:10:00Z");
        let overridden = say(&receipts[2], "2026-10-06T18:10:00Z");
        receipts[2] = transition(
            &overridden,
            Event::Revert {
                at: at("2026-10-06T18:20:00Z"),
            },
        )
        .unwrap();
        held.receipts = receipts;
        for (instant, places) in [
            ("2026-10-06T18:20:00Z", vec![0, 3]),
            ("2026-10-06T18:20:00.001Z", vec![0, 2, 3]),
        ] {
            let next = NextBatch::new(&held, at(instant)).unwrap();
            let open: Vec<Id> = next
                .input(&policy)
                .claims
                .iter()
                .map(|claim| claim.id)
                .collect();
            let expected: Vec<Id> = places
                .into_iter()
                .map(|place| held.claims[place].id)
                .collect();
            assert_eq!(open, expected, "{instant}");
        }
    }

    #[test]
    fn coverage_is_what_was_synced_by_the_instant() {
        let held = ledger(&[], "");
        let synced = |instant: &str| {
            NextBatch::new(&held, at(instant))
                .unwrap()
                .coverage()
                .observers
                .len()
        };
        assert_eq!(synced("2026-10-06T18:49:59.999Z"), 0);
        assert_eq!(synced("2026-10-06T18:50:00Z"), 1);
    }

    /// From both sides of the limit: nothing is cut at it, the oldest go above
    /// it, whatever the order of the rows.
    #[test]
    fn a_list_above_the_limit_keeps_its_newest() {
        let session = |of: usize| Session {
            agent: AgentId::Muse,
            at: minute(of),
        };
        for reversed in [false, true] {
            let mut held = ledger(&[], "");
            let mut sessions: Vec<Session> = (0..GRADING_INPUT).map(session).collect();
            if reversed {
                sessions.reverse();
            }
            held.activity = Some(Activity {
                sessions,
                ..Activity::default()
            });
            assert_eq!(NextBatch::new(&held, minute(0)).unwrap().cuts(), []);
            held.activity
                .as_mut()
                .unwrap()
                .sessions
                .push(session(GRADING_INPUT));
            let next = NextBatch::new(&held, minute(0)).unwrap();
            let cut = Cut {
                list: "activity.sessions",
                held: GRADING_INPUT + 1,
            };
            assert_eq!(next.cuts(), [cut]);
            let kept = &next.activity.sessions;
            assert_eq!(kept.len(), GRADING_INPUT);
            assert!(!kept.contains(&session(0)) && kept.contains(&session(1)));
        }
        let mut held = ledger(&[], "");
        held.coverage = vec![held.coverage[0].clone(); GRADING_INPUT + 1];
        assert_eq!(
            NextBatch::new(&held, at("2026-10-07T00:00:00Z"))
                .map(|_| ())
                .map_err(|error| error.held),
            Err(GRADING_INPUT + 1)
        );
    }

    #[test]
    fn the_oldest_repairs_become_one_span() {
        let span = |of: usize| Repair {
            from: minute(10 * of),
            to: minute(10 * of + 1),
        };
        let all: Vec<Repair> = (0..REPAIRS + 2).map(span).collect();
        assert_eq!(joined(all[..REPAIRS].to_vec()), all[..REPAIRS]);
        let kept = joined(all.iter().rev().copied().collect());
        assert_eq!(kept.len(), REPAIRS);
        assert_eq!(
            kept[0],
            Repair {
                from: minute(0),
                to: minute(21)
            }
        );
        assert_eq!(kept[1..], all[3..]);
    }
}
