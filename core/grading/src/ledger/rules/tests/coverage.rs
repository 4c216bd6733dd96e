//! Which entries may be written, and which become one.

use proptest::prelude::*;

use super::super::Kept;
use super::super::coverage::{add, check_entry, merged};
use super::*;

fn entry(source: Source, from: IsoTs, to: IsoTs, synced: IsoTs) -> ObserverCoverage {
    ObserverCoverage {
        source,
        window_start: from,
        window_end: to,
        last_sync_at: synced,
        all_calendars: (source == Source::GcalEvent).then_some(true),
        ..head(from, synced)
    }
}

fn week(from: i64, to: i64, synced: i64, since: Option<i64>) -> ObserverCoverage {
    ObserverCoverage {
        changes_since: since.map(at),
        ..entry(Source::GcalEvent, ms(from * DAY), ms(to * DAY), at(synced))
    }
}

#[test]
fn entries_are_held_to_their_observers_rules() {
    use Source::{GcalEvent, GmailReceipt, GmailSent};
    let hour = 60 * MINUTE;
    for (entry, code) in [
        (entry(GmailSent, at(0), at(5), at(5)), None),
        (entry(GmailSent, at(0), at(4), at(5)), Some("invalid")),
        (entry(GmailSent, at(5), at(6), at(6)), Some("clock_behind")),
        (entry(GcalEvent, ms(0), ms(DAY - hour), at(5)), None),
        (
            entry(GcalEvent, ms(0), ms(DAY - hour - 1), at(5)),
            Some("invalid"),
        ),
        (entry(GcalEvent, ms(0), ms(42 * DAY + hour), at(5)), None),
        (
            entry(GcalEvent, ms(0), ms(42 * DAY + hour + 1), at(5)),
            Some("invalid"),
        ),
        (entry(GmailReceipt, at(4), at(4), at(5)), None),
        (entry(GmailReceipt, at(3), at(4), at(5)), Some("invalid")),
        (
            entry(GmailReceipt, ms(5 * MINUTE + 1), ms(5 * MINUTE + 1), at(5)),
            Some("invalid"),
        ),
    ] {
        let refused = check_entry(&entry, at(5)).err();
        assert_eq!(refused.map(|error| error.code().1), code, "{entry:?}");
    }
}

#[test]
fn two_entries_become_one_only_where_no_sync_is_carried_over_a_span_not_seen() {
    for (held, next, expected) in [
        // At one instant: the union; the later changesSince, absent if either is.
        (
            week(0, 2, 10, Some(5)),
            week(1, 4, 10, Some(7)),
            Some(week(0, 4, 10, Some(7))),
        ),
        (
            week(0, 2, 10, Some(5)),
            week(1, 4, 10, None),
            Some(week(0, 4, 10, None)),
        ),
        (
            week(0, 2, 10, None),
            week(2, 4, 10, None),
            Some(week(0, 4, 10, None)),
        ),
        (week(0, 2, 10, None), week(3, 4, 10, None), None),
        // The earlier inside the later: the later one.
        (
            week(1, 2, 10, Some(5)),
            week(0, 2, 20, Some(10)),
            Some(week(0, 2, 20, Some(10))),
        ),
        (
            week(0, 2, 20, Some(10)),
            week(1, 2, 10, Some(5)),
            Some(week(0, 2, 20, Some(10))),
        ),
        (week(0, 2, 10, None), week(1, 4, 20, None), None),
        (week(0, 2, 10, None), week(1, 2, 20, None), None),
    ] {
        assert_eq!(merged(&held, &next), expected, "{held:?} {next:?}");
    }
    let base = week(0, 2, 10, None);
    let mut others = vec![base.clone(); 4];
    others[0].observer_id = Token::parse("other").unwrap();
    others[1].account_hash = None;
    others[2].all_calendars = None;
    others[3].all_calendars = Some(false);
    for other in others {
        assert_eq!(merged(&base, &other), None, "{other:?}");
    }
    let sent = head(at(0), at(10));
    assert_eq!(merged(&sent, &head(at(5), at(20))), None);
    assert_eq!(
        merged(&sent, &head(at(0), at(20))),
        Some(head(at(0), at(20)))
    );
}

#[test]
fn points_merge_only_with_an_equal_point() {
    let point =
        |minute: i64, synced: i64| entry(Source::GmailReceipt, at(minute), at(minute), at(synced));
    assert_eq!(merged(&point(1, 5), &point(1, 9)), Some(point(1, 9)));
    assert_eq!(merged(&point(1, 5), &point(2, 9)), None);
    let marker = |seen: i64| ObserverCoverage {
        changes_since: Some(at(seen)),
        ..entry(Source::GcalEvent, at(60), at(60), at(seen))
    };
    assert_eq!(merged(&marker(5), &marker(5)), Some(marker(5)));
    // Each first sighting keeps its own marker, and no window swallows one.
    assert_eq!(merged(&marker(5), &marker(6)), None);
    assert_eq!(merged(&marker(5), &week(0, 2, 9, None)), None);
    assert_eq!(merged(&marker(5), &week(0, 2, 5, Some(5))), None);
}

#[test]
fn an_equal_entry_changes_nothing() {
    let mut list = vec![week(0, 2, 10, Some(5)), week(5, 7, 10, Some(5))];
    let before = list.clone();
    assert_eq!(add(&mut list, week(5, 7, 10, Some(5))), Kept::Unchanged);
    assert_eq!(add(&mut list, week(0, 1, 5, None)), Kept::Unchanged);
    assert_eq!(list, before);
    // One that joins both takes the place of the first.
    assert_eq!(add(&mut list, week(1, 6, 10, Some(6))), Kept::New);
    assert_eq!(list, [week(0, 7, 10, Some(6))]);
}

fn any_entry() -> impl Strategy<Value = ObserverCoverage> {
    (
        0i64..8,
        1i64..4,
        0i64..4,
        prop::option::of(0i64..4),
        any::<bool>(),
    )
        .prop_map(|(from, length, synced, since, calendar)| {
            if calendar {
                let since = since.map(|since| since.min(synced));
                week(from, from + length, synced, since)
            } else {
                entry(
                    Source::GmailSent,
                    ms(from * DAY),
                    ms((from + length) * DAY),
                    at(synced),
                )
            }
        })
}

proptest! {
    /// Whatever is added in whatever order: every day vouched for was seen by a
    /// pass that synced no earlier, and followed changes from no later than the
    /// entry says; and nothing seen is lost.
    #[test]
    fn a_merged_table_says_what_its_passes_saw(passes in prop::collection::vec(any_entry(), 1..9)) {
        let mut list = Vec::new();
        for pass in &passes {
            add(&mut list, pass.clone());
        }
        for half_day in 0..26 {
            let day = ms(half_day * DAY / 2).instant();
            for source in [Source::GmailSent, Source::GcalEvent] {
                let latest = |entries: &[ObserverCoverage]| {
                    entries
                        .iter()
                        .filter(|entry| entry.source == source && entry.window().holds(day))
                        .map(|entry| entry.last_sync_at.instant())
                        .max()
                };
                prop_assert_eq!(latest(&list), latest(&passes));
            }
            for entry in list.iter().filter(|entry| entry.window().holds(day)) {
                let Some(since) = entry.changes_since else { continue };
                let followed = |pass: &&ObserverCoverage| {
                    pass.source == entry.source
                        && pass.window().holds(day)
                        && pass.last_sync_at == entry.last_sync_at
                        && pass.changes_since.is_some_and(|of| of.instant() <= since.instant())
                };
                prop_assert!(passes.iter().any(|pass| followed(&pass)), "{:?}", entry);
            }
        }
        // Adding what is there changes nothing.
        let before = list.clone();
        for held in before.clone() {
            prop_assert_eq!(add(&mut list, held), Kept::Unchanged);
        }
        prop_assert_eq!(list, before);
    }
}
