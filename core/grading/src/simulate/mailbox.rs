//! A mailbox: the Sent list as its page shows it, and receipts as they are
//! opened (§3, v1.9–v1.15).

use std::collections::{BTreeMap, BTreeSet};

use attest_canon::{Digest, Id, sha256};

use crate::ledger::rules::MailPass;
use crate::model::time::MS_PER_MINUTE;
use crate::model::{ActionType, Instant, IsoTs, Observation, ObserverCoverage, Source, Token};

use super::truth::Facts;

/// Most rows a page of the Sent list shows.
const PAGE: usize = 50;

/// A mail that was sent.
#[derive(Clone, Debug)]
pub(super) struct Mail {
    /// Its id in the mailbox.
    pub(super) key: String,
    /// When, in milliseconds since the world began.
    pub(super) when: i64,
    /// The minute its page shows.
    pub(super) minute: IsoTs,
    pub(super) facts: Facts,
    /// The first mail of the conversation it answers in, by its place.
    pub(super) answers: Option<usize>,
    /// To the account's own address: never a counterparty.
    pub(super) to_self: bool,
}

/// The sent mail of one account, in the order it was sent.
#[derive(Clone, Debug, Default)]
pub(super) struct Mailbox {
    pub(super) sent: Vec<Mail>,
    /// Up to when an open tab has shown its list: it never shows less again.
    shown: i64,
}

impl Mailbox {
    /// A pass over the head of the list, read at an instant by a tab that shows
    /// what was sent up to `as_of`.
    pub(super) fn pass(&mut self, account: Digest, as_of: i64, read: IsoTs) -> MailPass {
        self.shown = self.shown.max(as_of);
        let mut replies: BTreeMap<usize, usize> = BTreeMap::new();
        let shown: Vec<(usize, &Mail)> = self
            .sent
            .iter()
            .enumerate()
            .filter(|(_, mail)| mail.when <= self.shown)
            .collect();
        for (place, mail) in &shown {
            let root = mail.answers.unwrap_or(*place);
            let count = replies.entry(root).or_default();
            *count = count.saturating_add(1 + usize::from(mail.answers.is_some()));
        }
        let mut listed = BTreeSet::new();
        let mut rows = Vec::new();
        // The oldest minute shown, and the newest that no row vouches for.
        let mut oldest: Option<Instant> = None;
        let mut untimed: Option<Instant> = None;
        let mut in_order = true;
        for (place, mail) in shown.iter().rev() {
            let root = mail.answers.unwrap_or(*place);
            if !listed.insert(root) {
                // Its conversation stands higher up, under a newer minute.
                continue;
            }
            if listed.len() > PAGE {
                break;
            }
            let minute = mail.minute.instant();
            in_order &= minute <= oldest.unwrap_or(read.instant());
            oldest = Some(minute);
            if replies.get(&root).is_some_and(|count| *count > 1) || mail.to_self {
                untimed = untimed.max(Some(minute));
            } else {
                rows.push(sent_row(mail, read));
            }
        }
        // The list goes on: a send in its oldest minute may be on the next page.
        let after = |minute: Instant| minute.plus(MS_PER_MINUTE);
        let from = oldest.max(untimed).map(after);
        let window = from.filter(|from| in_order && *from <= read.instant());
        let coverage = window.map(|from| ObserverCoverage {
            observer_id: Token::of_source(Source::GmailSent),
            source: Source::GmailSent,
            last_sync_at: read,
            window_start: IsoTs::computed(from, read.offset_minutes()),
            window_end: read,
            account_hash: Some(account),
            all_calendars: None,
            changes_since: None,
        });
        MailPass {
            source: Source::GmailSent,
            rows,
            coverage: coverage.into_iter().collect(),
        }
    }
}

/// The row a mail gives, sighted then.
pub(super) fn sent_row(mail: &Mail, sighted: IsoTs) -> Observation {
    row(
        Source::GmailSent,
        ActionType::EmailSent,
        &mail.key,
        mail.minute,
        &mail.facts,
        sighted,
    )
}

/// A receipt mail that can be opened.
#[derive(Clone, Debug)]
pub(super) struct ReceiptMail {
    /// Its id in the mailbox.
    pub(super) key: String,
    /// Which of all deeds it tells of.
    pub(super) deed: usize,
    pub(super) action: ActionType,
    pub(super) minute: IsoTs,
    pub(super) facts: Facts,
    /// Whether a parser knows its sender.
    pub(super) parsed: bool,
}

/// The pass of an opened receipt. It vouches for its own instant, unless its
/// sender is not in the registry, or wrote in the minute of one that is not
/// (v1.12).
pub(super) fn receipt_pass(
    mail: &ReceiptMail,
    account: Digest,
    beside_unparsed: bool,
    read: IsoTs,
) -> MailPass {
    let entry = ObserverCoverage {
        observer_id: Token::of_source(Source::GmailReceipt),
        source: Source::GmailReceipt,
        last_sync_at: read,
        window_start: mail.minute,
        window_end: mail.minute,
        account_hash: Some(account),
        all_calendars: None,
        changes_since: None,
    };
    MailPass {
        source: Source::GmailReceipt,
        rows: vec![receipt_row(mail, read)],
        coverage: (mail.parsed && !beside_unparsed)
            .then_some(entry)
            .into_iter()
            .collect(),
    }
}

/// The row a receipt gives, sighted then.
pub(super) fn receipt_row(mail: &ReceiptMail, sighted: IsoTs) -> Observation {
    row(
        Source::GmailReceipt,
        mail.action,
        &mail.key,
        mail.minute,
        &mail.facts,
        sighted,
    )
}

/// A row of a source, with the facts that source shows.
pub(super) fn row(
    source: Source,
    action: ActionType,
    key: &str,
    occurred_at: IsoTs,
    facts: &Facts,
    sighted: IsoTs,
) -> Observation {
    let text = |text: &Option<String>| text.as_deref().map(Into::into);
    let receipt = source == Source::GmailReceipt;
    let zero = Digest::from_bytes([0; 32]);
    let mut row = Observation {
        id: Id::from_digest(&zero),
        source,
        action,
        occurred_at,
        observed_at: sighted,
        sighted_at: None,
        counterparty: text(&facts.counterparty).filter(|_| !receipt),
        merchant: text(&facts.merchant).filter(|_| receipt),
        amount: facts.amount.filter(|_| receipt),
        currency: facts.currency.filter(|_| receipt),
        subject_hint: text(&facts.subject),
        row_key_hash: Some(sha256(key.as_bytes())),
        content_hash: zero,
    };
    row.content_hash = row.computed_content_hash();
    row.id = Id::from_digest(&row.content_hash);
    row
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing)]

    use super::*;

    const ACCOUNT: Digest = Digest::from_bytes([7; 32]);

    fn minute(minutes: i64) -> IsoTs {
        IsoTs::computed(Instant::from_ms(1_791_309_600_000 + minutes * 60_000), -240)
    }

    fn mail(number: usize, minutes: i64) -> Mail {
        Mail {
            key: format!("mail {number}"),
            when: minutes * 60_000,
            minute: minute(minutes),
            facts: Facts {
                counterparty: Some("ann@corp.example".into()),
                ..Facts::default()
            },
            answers: None,
            to_self: false,
        }
    }

    /// Rows of a pass and the start of its window, in minutes.
    fn pass(sent: Vec<Mail>, as_of: i64, read: i64) -> (usize, Option<i64>) {
        let mut mailbox = Mailbox { sent, shown: 0 };
        let pass = mailbox.pass(ACCOUNT, as_of * 60_000, minute(read));
        let start = pass.coverage.first().map(|entry| {
            let since = entry.window_start.instant().since(minute(0).instant());
            since / 60_000
        });
        (pass.rows.len(), start)
    }

    #[test]
    fn the_head_vouches_from_a_minute_after_its_oldest_row() {
        assert_eq!(pass(vec![mail(0, 1), mail(1, 5)], 9, 9), (2, Some(2)));
        // What the tab does not show yet gives no row.
        assert_eq!(pass(vec![mail(0, 1), mail(1, 5)], 4, 9), (1, Some(2)));
        // More than a page: the rest is unseen.
        let many = (0..60).map(|n| mail(n, 10 + n as i64)).collect();
        assert_eq!(pass(many, 90, 90), (50, Some(21)));
        assert_eq!(pass(vec![], 9, 9), (0, None));
    }

    #[test]
    fn conversations_and_mail_to_oneself_are_no_rows_and_narrow_the_window() {
        let mut answer = mail(1, 5);
        answer.answers = Some(0);
        assert_eq!(
            pass(vec![mail(0, 1), answer, mail(2, 7)], 9, 9),
            (1, Some(6))
        );
        let mut own = mail(1, 5);
        own.to_self = true;
        assert_eq!(pass(vec![mail(0, 1), own, mail(2, 7)], 9, 9), (2, Some(6)));
    }

    #[test]
    fn a_list_out_of_order_or_ahead_of_the_clock_vouches_for_nothing() {
        assert_eq!(pass(vec![mail(0, 5), mail(1, 1)], 9, 9), (2, None));
        assert_eq!(pass(vec![mail(0, 1), mail(1, 12)], 20, 9), (2, None));
    }
}
