//! Rows by what they hold (§4.2): which rows name a mailbox, a domain, a word
//! or an amount.

use indexmap::IndexMap;

use super::corpus::RowIx;
use super::facts::RowFacts;
use super::words::{Unseeded, Word};

/// What a pair can share besides an amount.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Mailbox,
    Domain,
    LocalWord,
    Subject,
    Merchant,
}

/// Rows by what they hold; each list in (occurredAt, id, contentHash) order.
#[derive(Debug, Default)]
pub(super) struct Postings {
    mailboxes: Lists,
    domains: Lists,
    local_words: Lists,
    subjects: Lists,
    merchants: Lists,
    amounts: IndexMap<AmountKey, Vec<RowIx>, Unseeded>,
}

/// Cents and their currency.
type AmountKey = (i64, [u8; 3]);

fn amount_key(cents: i64, currency: &str) -> Option<AmountKey> {
    Some((cents, currency.as_bytes().try_into().ok()?))
}

impl Postings {
    /// The lists of rows, taken in the order given.
    pub(super) fn new<'f>(rows: impl IntoIterator<Item = (RowIx, &'f RowFacts)>) -> Self {
        let mut held = Held::default();
        let mut amounts: IndexMap<AmountKey, Vec<RowIx>, Unseeded> = IndexMap::default();
        for (ix, facts) in rows {
            if let Some(address) = &facts.address {
                held.mailboxes.push((address.mailbox, ix));
                if !address.common_domain {
                    held.domains.push((address.domain, ix));
                }
            }
            let local_words = facts.local_words.iter();
            held.local_words.extend(local_words.map(|word| (*word, ix)));
            let subject = facts.subject.iter();
            held.subjects.extend(subject.map(|word| (*word, ix)));
            if let Some(merchant) = &facts.merchant {
                let words = merchant.words.iter();
                held.merchants.extend(words.map(|word| (*word, ix)));
            }
            if let (Some(amount), Some(currency)) = (facts.amount, facts.currency)
                && let Some(key) = amount_key(amount.get(), currency.as_str())
            {
                amounts.entry(key).or_default().push(ix);
            }
        }
        Self {
            mailboxes: Lists::new(&held.mailboxes),
            domains: Lists::new(&held.domains),
            local_words: Lists::new(&held.local_words),
            subjects: Lists::new(&held.subjects),
            merchants: Lists::new(&held.merchants),
            amounts,
        }
    }

    /// The rows that hold a word.
    pub(super) fn list(&self, kind: Kind, word: Word) -> &[RowIx] {
        let lists = match kind {
            Kind::Mailbox => &self.mailboxes,
            Kind::Domain => &self.domains,
            Kind::LocalWord => &self.local_words,
            Kind::Subject => &self.subjects,
            Kind::Merchant => &self.merchants,
        };
        lists.list(word)
    }

    /// The rows of exactly this amount.
    pub(super) fn of_amount(&self, cents: i64, currency: &str) -> &[RowIx] {
        amount_key(cents, currency)
            .and_then(|key| self.amounts.get(&key))
            .map(Vec::as_slice)
            .unwrap_or_default()
    }
}

/// What each row holds, before it is sorted into lists.
#[derive(Default)]
struct Held {
    mailboxes: Vec<(Word, RowIx)>,
    domains: Vec<(Word, RowIx)>,
    local_words: Vec<(Word, RowIx)>,
    subjects: Vec<(Word, RowIx)>,
    merchants: Vec<(Word, RowIx)>,
}

/// One list per word, end to end: a lookup reads two neighbouring numbers and
/// the list itself.
#[derive(Debug, Default)]
struct Lists {
    /// Where each word's list ends, by the word's number; the next begins there.
    ends: Vec<u32>,
    rows: Vec<RowIx>,
}

impl Lists {
    /// Sorts by word, by counting; rows of one word stay in the order given.
    fn new(held: &[(Word, RowIx)]) -> Self {
        let Some(last) = held.iter().map(|(word, _)| *word).max() else {
            return Self::default();
        };
        let at = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
        let mut ends = vec![0u32; at(last).saturating_add(1)];
        for (word, _) in held {
            if let Some(count) = ends.get_mut(at(*word)) {
                *count = count.saturating_add(1);
            }
        }
        // From counts to where each list begins; filling moves that to its end.
        let mut begins = 0u32;
        for count in &mut ends {
            begins = begins.saturating_add(core::mem::replace(count, begins));
        }
        let mut rows = vec![0; held.len()];
        for (word, ix) in held {
            if let Some(end) = ends.get_mut(at(*word)) {
                if let Some(slot) = rows.get_mut(at(*end)) {
                    *slot = *ix;
                }
                *end = end.saturating_add(1);
            }
        }
        Self { ends, rows }
    }

    fn list(&self, word: Word) -> &[RowIx] {
        let end = |word: Word| {
            let end = self.ends.get(usize::try_from(word).ok()?)?;
            usize::try_from(*end).ok()
        };
        let begin = word.checked_sub(1).map_or(Some(0), end);
        begin
            .zip(end(word))
            .and_then(|(begin, end)| self.rows.get(begin..end))
            .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_holds_the_rows_of_its_word_in_order() {
        let lists = Lists::new(&[(3, 0), (1, 1), (3, 2), (0, 2), (3, 5)]);
        assert_eq!(lists.list(0), [2]);
        assert_eq!(lists.list(1), [1]);
        assert_eq!(lists.list(2), [0; 0]);
        assert_eq!(lists.list(3), [0, 2, 5]);
        assert_eq!(lists.list(4), [0; 0]);
        assert_eq!(lists.list(Word::MAX), [0; 0]);
        assert_eq!(Lists::new(&[]).list(0), [0; 0]);
    }
}
