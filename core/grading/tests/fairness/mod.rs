//! Whether a ledger was fair to what really happened: every receipt that says
//! something untrue, with the limit of the reference that explains it, or none.

use std::collections::BTreeMap;

use attest_canon::Id;
use attest_grading::decide::trace::{Fate, TraceSubject};
use attest_grading::ledger::Ledger;
use attest_grading::model::{ActionType, Claim, Grade, Observation, ReasonCode, Receipt, Source};
use attest_grading::replay::Replayer;
use attest_grading::simulate::{Deed, Doer, More, Naming, Simulated, Truth, Verdict};

/// What a receipt says that is not so.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Wrong {
    /// A true action is NOT_FOUND.
    NotFound,
    /// The person's own action is UNASKED.
    Unasked,
    /// A claim is VERIFIED that is not so.
    Verified,
}

/// A limit the reference itself names.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Limit {
    /// §4.3, §6.1: another claim held the evidence in that batch, or a person's
    /// word on an UNASKED receipt had taken it.
    EvidenceHeld,
    /// §6.1: an event moved, renamed or deleted before the first fresh view is
    /// NOT_FOUND by that view's meaning.
    EventChanged,
    /// §5.3: named by none of its words, nothing speaks for the pair but time.
    OtherWords,
    /// §6.1: the grant binds no account, and only the wrong one was seen.
    AccountUnbound,
    /// §3 Clock safety: while the wall clock runs ahead, or steps back unseen,
    /// nothing tells it from real time.
    Clock,
    /// §7 (v1.17), §2: two facts of an agent's own stand around the person's
    /// action; likely is no proof.
    TwoFacts,
    /// §2: independent evidence matches the claim; whose it was it does not
    /// say.
    SomeoneElses,
    /// §5.1: words are compared by how many are shared, and weigh little beside
    /// who and when.
    MoreWords,
}

/// One receipt that says something untrue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unfair {
    pub wrong: Wrong,
    pub receipt: Id,
    pub limit: Option<Limit>,
}

/// Every receipt of a world's ledger that says something untrue.
pub fn unfair(world: &Simulated) -> Vec<Unfair> {
    let court = Court::new(world);
    let receipts = world.ledger.receipts.iter();
    receipts
        .filter_map(|receipt| court.judge(receipt))
        .collect()
}

struct Court<'w> {
    ledger: &'w Ledger,
    truth: &'w Truth,
    claims: BTreeMap<Id, &'w Claim>,
    rows: BTreeMap<Id, &'w Observation>,
}

impl<'w> Court<'w> {
    fn new(world: &'w Simulated) -> Self {
        let Simulated { ledger, truth } = world;
        Self {
            ledger,
            truth,
            claims: ledger.claims.iter().map(|row| (row.id, row)).collect(),
            rows: ledger
                .observations
                .iter()
                .map(|row| (row.id, row))
                .collect(),
        }
    }

    fn judge(&self, receipt: &'w Receipt) -> Option<Unfair> {
        let (wrong, limit) = match (receipt.grade, receipt.claim_id) {
            (Grade::NotFound, Some(claim)) => self.not_found(receipt, claim)?,
            (Grade::Verified, Some(claim)) => self.verified(receipt, claim)?,
            (Grade::Unasked, None) => self.unasked(receipt)?,
            _ => return None,
        };
        Some(Unfair {
            wrong,
            receipt: receipt.id,
            limit,
        })
    }

    /// A claim whose agent did what it says.
    fn not_found(&self, receipt: &'w Receipt, claim: Id) -> Option<(Wrong, Option<Limit>)> {
        let known = self.truth.claims[&claim];
        if known.verdict != Verdict::True {
            return None;
        }
        let place = known.deed?;
        let deed = &self.truth.deeds[place];
        let said = self.claims[&claim];
        let limit = if self.evidence_was_held(receipt, place) {
            Some(Limit::EvidenceHeld)
        } else if known.naming == Naming::Reworded {
            Some(Limit::OtherWords)
        } else if said.action == ActionType::CalendarCreated
            && deed.changed.is_some_and(|at| at <= self.ran(receipt))
        {
            Some(Limit::EventChanged)
        } else if has(receipt, ReasonCode::CoverageAccountUnbound)
            && !self.saw_account(receipt, deed)
        {
            Some(Limit::AccountUnbound)
        } else if self.clock_disturbed(deed) || self.evidence_is_dated_after(receipt, place) {
            Some(Limit::Clock)
        } else {
            None
        };
        Some((Wrong::NotFound, limit))
    }

    /// When the batch that graded a receipt ran, in the world's own time.
    fn ran(&self, receipt: &Receipt) -> i64 {
        self.truth.batches[&receipt.computed_at.instant()]
    }

    /// Whether a view of the account a deed was done in was graded with.
    fn saw_account(&self, receipt: &Receipt, deed: &Deed) -> bool {
        let inputs = &self.ledger.receipt_inputs[&receipt.inputs_hash];
        let seen = &self.ledger.batch_coverages[&inputs.coverage_hash].observers;
        let account = self.truth.accounts[deed.account];
        let page = match deed.action {
            ActionType::EmailSent => Source::GmailSent,
            action if action.is_calendar() => Source::GcalEvent,
            _ => Source::GmailReceipt,
        };
        seen.iter().any(|entry| {
            entry.account_hash == Some(account)
                && entry.source == page
                && entry.last_sync_at.instant() >= deed.at.instant()
        })
    }

    /// Whether the row that shows a deed was a candidate, and another's, in the
    /// batch that graded the receipt.
    fn evidence_was_held(&self, receipt: &'w Receipt, deed: usize) -> bool {
        let replayer = Replayer::new(self.ledger.snapshot());
        let trace = replayer.trace(receipt).expect("every receipt replays");
        let TraceSubject::Claim(claim) = trace.subject else {
            return false;
        };
        claim.candidates.iter().any(|candidate| {
            self.truth.rows.get(&candidate.observation.id) == Some(&deed)
                && matches!(
                    candidate.fate,
                    Fate::Other { .. } | Fate::Fixed(_) | Fate::Taken
                )
        })
    }

    /// Whether the row that shows a deed was stored before the clock stepped
    /// back over the batch: it is dated after the batch, which does not see it,
    /// while the sync that found it is not.
    fn evidence_is_dated_after(&self, receipt: &Receipt, deed: usize) -> bool {
        let batch = receipt.computed_at.instant();
        let shown = |id: &&Id| self.truth.rows.get(*id) == Some(&deed);
        let mut rows = self.rows.keys().filter(shown).map(|id| self.rows[id]);
        rows.any(|row| {
            let stored = row.observed_at.instant();
            self.truth.clock.iter().any(|jump| {
                let (from, to) = (jump.from.instant(), jump.to.instant());
                to <= batch && batch < stored && stored <= from
            })
        })
    }

    /// Whether the clock jumped over the time in which a deed would be seen: an
    /// hour around it is stamped twice, or lies ahead.
    fn clock_disturbed(&self, deed: &Deed) -> bool {
        const HOUR: i64 = 3_600_000;
        let (before, after) = (deed.at.instant().minus(HOUR), deed.at.instant().plus(HOUR));
        self.truth.clock.iter().any(|jump| {
            let (from, to) = (jump.from.instant(), jump.to.instant());
            from.min(to) <= after && before <= from.max(to)
        })
    }

    /// An action of the person, or of someone else.
    fn unasked(&self, receipt: &Receipt) -> Option<(Wrong, Option<Limit>)> {
        let row = self.rows[receipt.observation_ids.first()?];
        let deed = self.truth.deed_of(row.id).expect("every row shows a deed");
        if matches!(deed.by, Doer::Agent(_)) {
            return None;
        }
        let limit = if !has(receipt, ReasonCode::UnaskedIdle)
            && has(receipt, ReasonCode::UnaskedSession)
            && has(receipt, ReasonCode::UnaskedAdjacent)
        {
            Some(Limit::TwoFacts)
        } else if self.clock_disturbed(deed) {
            Some(Limit::Clock)
        } else {
            None
        };
        Some((Wrong::Unasked, limit))
    }

    /// A claim that is not so, with the evidence it was given.
    fn verified(&self, receipt: &Receipt, claim: Id) -> Option<(Wrong, Option<Limit>)> {
        let known = self.truth.claims[&claim];
        let said = self.claims[&claim];
        let row = self.rows[receipt.observation_ids.first()?];
        let place = self.truth.rows[&row.id];
        if known.verdict == Verdict::True && known.deed == Some(place) {
            return None;
        }
        let own = known.deed == Some(place);
        let limit = match known.verdict {
            Verdict::Exaggerated(More::Words) if own => Some(Limit::MoreWords),
            // Whoever did it, it must be what the claim says was done.
            _ if !own || known.verdict == Verdict::False => {
                says_the_same(said, row).then_some(Limit::SomeoneElses)
            }
            _ => None,
        };
        Some((Wrong::Verified, limit))
    }
}

fn has(receipt: &Receipt, code: ReasonCode) -> bool {
    receipt.reasons.iter().any(|reason| reason.code() == code)
}

/// Whether a row shows what a claim says, in the terms that say which action
/// is meant: the address or the words of the name; amount, currency and
/// merchant; a word of the title or the guest.
fn says_the_same(claim: &Claim, row: &Observation) -> bool {
    let lower = |text: &Option<Box<str>>| text.as_deref().unwrap_or_default().to_lowercase();
    let (who, to) = (lower(&claim.counterparty), lower(&row.counterparty));
    let words = |text: String| -> Vec<String> {
        text.split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect()
    };
    let same_person = if who.contains('@') {
        who == to
    } else {
        let local = words(to.split('@').next().unwrap_or_default().to_owned());
        !who.is_empty() && words(who.clone()).iter().all(|word| local.contains(word))
    };
    let title = words(lower(&row.subject_hint));
    let shares = words(lower(&claim.subject_hint))
        .iter()
        .any(|word| title.contains(word));
    match claim.action {
        ActionType::EmailSent => same_person,
        ActionType::CalendarCreated | ActionType::CalendarUpdated | ActionType::CalendarDeleted => {
            shares || same_person
        }
        _ => {
            let same_sum = claim.amount == row.amount
                && (claim.currency == row.currency || claim.amount.is_none());
            same_sum && who == lower(&row.merchant)
        }
    }
}
