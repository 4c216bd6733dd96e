//! Calendar views against the ones before them.

use super::super::calendar::UPDATES_PER_DAY;
use super::*;

/// The coverage that is no first-look marker, and the markers.
fn split(keeper: &Keeper) -> (Vec<ObserverCoverage>, Vec<ObserverCoverage>) {
    let entries = keeper.ledger().coverage.iter().cloned();
    entries.partition(|entry| entry.window_start != entry.window_end)
}

fn actions(keeper: &Keeper) -> Vec<(ActionType, String)> {
    let rows = keeper.ledger().observations.iter();
    rows.map(|row| (row.action, row.subject_hint.as_deref().unwrap().to_owned()))
        .collect()
}

#[test]
fn every_row_is_a_first_sighting_with_its_marker() {
    let mut keeper = keeper();
    let lunch = event("lunch", ms(DAY));
    let stored = keeper.store_calendar_view(look(at(0), vec![lunch.clone()]), at(0));
    assert_eq!(stored.map(|done| done.stored), Ok(1));
    let (windows, markers) = split(&keeper);
    assert_eq!(windows[0].changes_since, None);
    let marker = &markers[0];
    assert_eq!(
        (
            marker.window_start,
            marker.window_end,
            marker.last_sync_at,
            marker.changes_since
        ),
        (ms(DAY), ms(DAY), at(0), Some(at(0)))
    );
    // A change a followed view saw has one too.
    let moved = event("lunch", ms(DAY + 60 * MINUTE));
    keeper
        .store_calendar_view(look(at(10), vec![moved]), at(12))
        .unwrap();
    assert_eq!(
        actions(&keeper),
        [
            (ActionType::CalendarCreated, "lunch".to_owned()),
            (ActionType::CalendarUpdated, "lunch".to_owned())
        ]
    );
    let row = &keeper.ledger().observations[1];
    // Stored later than sighted: the marker stands at the sighting.
    assert_eq!((row.observed_at, row.sighted_at), (at(12), Some(at(10))));
    let (windows, markers) = split(&keeper);
    assert_eq!(
        windows,
        [ObserverCoverage {
            changes_since: Some(at(0)),
            last_sync_at: at(10),
            ..windows[0].clone()
        }]
    );
    assert_eq!(markers.len(), 2);
    assert_eq!(markers[1].changes_since, Some(at(10)));
}

#[test]
fn an_event_is_gone_when_two_views_do_not_show_it() {
    let mut keeper = keeper();
    let (a, b) = (event("a", ms(DAY)), event("b", ms(2 * DAY)));
    keeper
        .store_calendar_view(look(at(0), vec![a.clone(), b.clone()]), at(0))
        .unwrap();
    // The first view without it waits, and vouches for nothing.
    let done = keeper
        .store_calendar_view(look(at(5), vec![b.clone()]), at(5))
        .unwrap();
    assert_eq!((done.waiting, done.stored), (1, 0));
    assert_eq!(split(&keeper).0[0].last_sync_at, at(0));
    let done = keeper
        .store_calendar_view(look(at(6), vec![b.clone()]), at(6))
        .unwrap();
    assert_eq!((done.waiting, done.stored), (0, 1));
    assert_eq!(
        actions(&keeper)[2],
        (ActionType::CalendarDeleted, "a".to_owned())
    );
    let (windows, _) = split(&keeper);
    assert_eq!(
        (windows[0].last_sync_at, windows[0].changes_since),
        (at(6), Some(at(0)))
    );
    // It comes back: then it was not gone, and nothing waits.
    let done = keeper
        .store_calendar_view(look(at(7), vec![a.clone(), b.clone()]), at(7))
        .unwrap();
    assert_eq!((done.waiting, done.stored, done.unchanged), (0, 0, 1));
    let done = keeper
        .store_calendar_view(look(at(8), vec![a.clone()]), at(8))
        .unwrap();
    assert_eq!(done.waiting, 1);
    let done = keeper
        .store_calendar_view(look(at(9), vec![a, b]), at(9))
        .unwrap();
    assert_eq!((done.waiting, done.stored, done.unchanged), (0, 0, 0));
}

#[test]
fn a_view_is_stored_all_or_none() {
    let mut keeper = keeper();
    keeper
        .store_calendar_view(look(at(5), vec![event("a", ms(DAY))]), at(5))
        .unwrap();
    // Another range's view, read before, delivered after: one row is late.
    let mut other = look(at(4), vec![event("a", ms(DAY)), event("b", ms(DAY))]);
    other.windows = vec![(ms(0), ms(7 * DAY))];
    let error = refused(&mut keeper, |keeper| {
        keeper.store_calendar_view(other.clone(), at(6))
    });
    assert_eq!(error.code().1, "late_sighting");
    // Nothing of it is remembered either: its next view is a first look.
    other.read_at = at(7);
    keeper.store_calendar_view(other, at(7)).unwrap();
    let (windows, _) = split(&keeper);
    assert!(
        windows.iter().all(|entry| entry.changes_since.is_none()),
        "{windows:?}"
    );

    for bad in [
        CalendarView {
            windows: vec![(ms(0), ms(DAY / 2))],
            ..look(at(8), vec![event("c", ms(0))])
        },
        look(at(8), vec![event("c", ms(0)), event("c", ms(0))]),
        look(at(8), vec![event(&"c".repeat(81), ms(0))]),
        look(at(9), vec![]),
    ] {
        refused(&mut keeper, |keeper| keeper.store_calendar_view(bad, at(8)));
    }
}

#[test]
fn another_set_of_calendars_is_another_view() {
    let mut keeper = keeper();
    let (a, b) = (event("a", ms(DAY)), event("b", ms(DAY)));
    let shown = |name: &str, read: i64, events: Vec<CalendarEvent>| CalendarView {
        shown: Some(hash(name)),
        ..look(at(read), events)
    };
    keeper
        .store_calendar_view(shown("both", 0, vec![a.clone(), b]), at(0))
        .unwrap();
    let done = keeper
        .store_calendar_view(shown("one", 1, vec![a.clone()]), at(1))
        .unwrap();
    assert_eq!(done.waiting, 0);
    assert!(
        split(&keeper)
            .0
            .iter()
            .all(|entry| entry.changes_since.is_none())
    );
    let mut hidden = shown("one", 2, vec![a]);
    hidden.all_calendars = Some(false);
    keeper.store_calendar_view(hidden, at(2)).unwrap();
    assert!(
        split(&keeper)
            .0
            .iter()
            .all(|entry| entry.changes_since.is_none())
    );
}

#[test]
fn an_event_edited_too_often_is_held_back_and_breaks_the_run() {
    let mut keeper = keeper();
    let state = |n: i64| vec![event("a", ms(DAY + n * MINUTE))];
    keeper
        .store_calendar_view(look(at(0), state(0)), at(0))
        .unwrap();
    let limit = i64::try_from(UPDATES_PER_DAY).unwrap();
    for n in 1..=limit {
        let done = keeper
            .store_calendar_view(look(at(n), state(n)), at(n))
            .unwrap();
        assert_eq!((done.stored, done.held_back), (1, 0), "{n}");
    }
    let n = limit + 1;
    let done = keeper
        .store_calendar_view(look(at(n), state(n)), at(n))
        .unwrap();
    assert_eq!((done.stored, done.held_back), (0, 1));
    assert_eq!(split(&keeper).0[0].changes_since, None);
    // The run begins again where it broke.
    let done = keeper
        .store_calendar_view(look(at(n + 1), state(n)), at(n + 1))
        .unwrap();
    assert_eq!((done.stored, done.held_back), (0, 0));
    assert_eq!(split(&keeper).0[0].changes_since, Some(at(n)));
    // The next day it may change again.
    let tomorrow = 1440 + n;
    let done = keeper
        .store_calendar_view(look(at(tomorrow), state(n + 1)), at(tomorrow))
        .unwrap();
    assert_eq!((done.stored, done.held_back), (1, 0));
}

#[test]
fn a_view_overtaken_by_its_base_compares_nothing() {
    let mut keeper = keeper();
    let a = event("a", ms(DAY));
    keeper
        .store_calendar_view(look(at(5), vec![a.clone()]), at(5))
        .unwrap();
    let done = keeper
        .store_calendar_view(look(at(4), vec![]), at(6))
        .unwrap();
    assert_eq!(done.waiting, 0);
    // And it is no base.
    let done = keeper
        .store_calendar_view(look(at(7), vec![a]), at(7))
        .unwrap();
    assert_eq!((done.stored, done.unchanged), (0, 0));
    let window = &split(&keeper).0[0];
    assert_eq!(
        (window.last_sync_at, window.changes_since),
        (at(7), Some(at(5)))
    );
}
