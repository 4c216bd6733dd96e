//! A clock that jumped forward and back, or stepped back for good.

use super::super::Model;
use super::*;
use crate::model::activity::Idle;
use crate::policy::{DEFAULT_POLICY, load_policy};

/// Whatever an observer brings next repairs first, once.
#[test]
fn what_was_stamped_ahead_is_undone() {
    let mut keeper = keeper();
    keeper
        .store_mail_pass(mail(vec![], vec![head(at(-30), at(0))]), at(0))
        .unwrap();
    keeper
        .store_idle(
            Idle {
                from: at(-9),
                to: at(-5),
            },
            at(0),
        )
        .unwrap();
    // Three hours ahead.
    keeper
        .store_mail_pass(
            mail(vec![sent("o", at(0), at(180))], vec![head(at(30), at(180))]),
            at(180),
        )
        .unwrap();
    keeper
        .store_calendar_view(look(at(181), vec![event("a", ms(DAY))]), at(181))
        .unwrap();
    keeper
        .store_log(AgentId::Muse, &[at(-1), at(170)], &[], at(182))
        .unwrap();
    keeper
        .store_idle(
            Idle {
                from: at(-3),
                to: at(170),
            },
            at(182),
        )
        .unwrap();
    keeper
        .store_idle(
            Idle {
                from: at(100),
                to: at(170),
            },
            at(182),
        )
        .unwrap();
    keeper
        .save_grant(AgentId::Muse, anything(), at(183))
        .unwrap();
    assert_eq!(keeper.take_repair(), None);

    keeper.store_claim(claim("c", at(5)), at(5)).unwrap();
    let done = keeper.take_repair().unwrap();
    assert_eq!((done.span.from, done.span.to), (at(5), at(183)));
    assert_eq!(
        (
            done.coverage,
            done.records,
            done.observations,
            done.sessions,
            done.idle,
            done.idle_cut,
            done.grants
        ),
        (3, 1, 1, 1, 1, 1, 1)
    );
    let ledger = keeper.ledger();
    assert_eq!(ledger.coverage, [head(at(-30), at(0))]);
    // Mail rows stay: a batch may have graded with them.
    assert_eq!(ledger.observations.len(), 1);
    assert_eq!(ledger.grants[0].updated_at, at(5));
    let activity = ledger.activity.as_ref().unwrap();
    assert_eq!(activity.sessions.len(), 1);
    assert_eq!(
        activity.idle[1],
        Idle {
            from: at(-3),
            to: at(5)
        }
    );
    let key = at(5).instant().ms().to_string();
    assert_eq!(ledger.meta.repairs[key.as_str()].to, at(183));
    assert_eq!(keeper.take_repair(), None);
    keeper.store_claim(claim("d", at(6)), at(6)).unwrap();
    assert_eq!(keeper.take_repair(), None);
}

/// CAL-SIM-7: a jump must not lock a range out until real time catches up.
#[test]
fn a_row_seen_ahead_can_be_seen_again() {
    let policy = load_policy(DEFAULT_POLICY).unwrap();
    for read_by_batch in [false, true] {
        let mut keeper = keeper();
        keeper
            .store_calendar_view(look(at(300), vec![event("a", ms(DAY))]), at(300))
            .unwrap();
        if read_by_batch {
            keeper.batch(at(301), &policy, Model::Off).unwrap();
        }
        let done = keeper
            .store_calendar_view(look(at(1), vec![event("a", ms(DAY))]), at(1))
            .unwrap();
        let row = &keeper.ledger().observations[0];
        if read_by_batch {
            // It stays as stored; the earlier sighting is no contradiction.
            assert_eq!((done.stored, done.unchanged), (0, 1));
            assert_eq!(row.first_seen_at(), at(300));
        } else {
            assert_eq!((done.stored, done.unchanged), (1, 0));
            assert_eq!(row.first_seen_at(), at(1));
        }
        assert!(
            keeper
                .ledger()
                .coverage
                .iter()
                .any(|entry| entry.last_sync_at == at(1))
        );
    }
}

/// CAL-SIM-3: after a step back for good no chain follows from below the floor.
#[test]
fn no_chain_follows_changes_from_below_the_floor() {
    let mut keeper = keeper();
    keeper.store_claim(claim("c", at(60)), at(60)).unwrap();
    let since = |keeper: &Keeper| {
        let window = keeper
            .ledger()
            .coverage
            .iter()
            .find(|entry| entry.window_start != entry.window_end);
        window.and_then(|entry| entry.changes_since)
    };
    for (read, followed) in [
        (0, None),
        (10, None),
        (59, None),
        (60, Some(60)),
        (70, Some(60)),
    ] {
        keeper
            .store_calendar_view(look(at(read), vec![]), at(read))
            .unwrap();
        assert_eq!(since(&keeper), followed.map(at), "{read}");
    }
    // A later repair never lowers it.
    keeper
        .store_calendar_view(look(at(20), vec![]), at(20))
        .unwrap();
    keeper
        .store_calendar_view(look(at(65), vec![]), at(65))
        .unwrap();
    assert_eq!(since(&keeper), None);
    keeper
        .store_calendar_view(look(at(75), vec![]), at(75))
        .unwrap();
    assert_eq!(since(&keeper), Some(at(70)));
}

#[test]
fn a_refused_store_leaves_its_repair_in_place() {
    let mut keeper = keeper();
    keeper
        .store_mail_pass(mail(vec![], vec![head(at(0), at(60))]), at(60))
        .unwrap();
    let error = keeper.store_claim(claim("c", at(6)), at(5)).unwrap_err();
    assert_eq!(error.code().1, "clock_behind");
    assert!(keeper.take_repair().is_some());
    assert!(keeper.ledger().coverage.is_empty() && keeper.ledger().claims.is_empty());
    assert_eq!(keeper.ledger().meta.repairs.len(), 1);
}

#[test]
fn two_repairs_found_at_one_instant_are_one_span() {
    let mut keeper = keeper();
    for high in [60, 90, 30] {
        keeper
            .store_claim(claim(&format!("c{high}"), at(high)), at(high))
            .unwrap();
        keeper
            .store_idle(
                Idle {
                    from: at(-9),
                    to: at(-high),
                },
                at(0),
            )
            .unwrap();
    }
    let spans: Vec<_> = keeper
        .ledger()
        .meta
        .repairs
        .values()
        .map(|span| (span.from, span.to))
        .collect();
    assert_eq!(spans, [(at(0), at(90))]);
}

/// The high water and the floor survive the file, and a file without them is
/// read for what its rows say.
#[test]
fn the_writers_memory_survives_the_file() {
    let mut keeper = keeper();
    keeper
        .store_mail_pass(mail(vec![], vec![head(at(0), at(60))]), at(60))
        .unwrap();
    keeper
        .store_idle(
            Idle {
                from: at(0),
                to: at(1),
            },
            at(70),
        )
        .unwrap();
    let text = keeper.ledger().to_text();
    for (text, high) in [
        (text.clone(), at(70)),
        (text.replace("highWater", "someoneElses"), at(60)),
        // A key that holds something else is another writer's.
        (
            text.replace(
                &format!("\"highWater\": \"{}\"", at(70)),
                "\"highWater\": {\"a\":1}",
            ),
            at(60),
        ),
    ] {
        let mut again = Keeper::new(Ledger::read(&text).unwrap());
        again.store_claim(claim("c", at(5)), at(5)).unwrap();
        assert_eq!(again.take_repair().unwrap().span.to, high, "{text}");
        let floor = again.ledger().meta.raw("clockFloor").unwrap().to_owned();
        assert_eq!(floor, format!("\"{high}\""));
        if text.contains("{\"a\":1}") {
            assert_eq!(again.ledger().meta.raw("highWater"), Some("{\"a\":1}"));
        }
    }
}

/// Rows of one agent stamped ahead never become ambiguous: the latest stays.
#[test]
fn grants_stamped_again_stay_one_per_agent() {
    let mut ledger = keeper().into_ledger();
    for minute in [5, 90, 80] {
        let mut grant = ledger.grants[0].clone();
        grant.updated_at = at(minute);
        grant.declared_scopes = vec![format!("scope {minute}").into()];
        ledger.grants.push(grant);
    }
    let mut keeper = Keeper::new(ledger);
    keeper.store_claim(claim("c", at(5)), at(5)).unwrap();
    assert_eq!(keeper.take_repair().map(|done| done.grants), Some(1));
    let grants = keeper.ledger().grants.iter();
    let kept: Vec<_> = grants
        .map(|grant| (grant.updated_at, grant.declared_scopes.len()))
        .collect();
    assert_eq!(kept, [(at(-60), 0), (at(5), 1)]);
    assert_eq!(
        keeper.ledger().grants[1].declared_scopes,
        ["scope 90".into()]
    );
}

/// A pasted log is stored once; its import is the writer's now, never moved
/// back; a line after now refuses it whole.
#[test]
fn a_log_is_stored_once() {
    use super::super::Kept;
    use crate::model::Entry;
    let mut keeper = keeper();
    let entry = |minute| Entry {
        agent: AgentId::Chatgpt,
        at: at(minute),
        action: None,
    };
    let log = |keeper: &mut Keeper, now: i64| {
        keeper.store_log(AgentId::Muse, &[at(1), at(2)], &[entry(2)], at(now))
    };
    let error = refused(&mut keeper, |keeper| log(keeper, 1));
    assert_eq!(error.code().1, "clock_behind");
    assert_eq!(log(&mut keeper, 3), Ok(Kept::New));
    let before = keeper.ledger().to_text();
    assert_eq!(log(&mut keeper, 3), Ok(Kept::Unchanged));
    assert_eq!(keeper.ledger().to_text(), before);
    assert_eq!(log(&mut keeper, 5), Ok(Kept::New));
    // Below the high water: the import stays where it was.
    assert_eq!(log(&mut keeper, 4), Ok(Kept::Unchanged));
    let activity = keeper.ledger().activity.as_ref().unwrap();
    assert_eq!((activity.sessions.len(), activity.entries.len()), (2, 1));
    // A log is of the agent it was pasted for.
    assert_eq!(activity.entries[0].agent, AgentId::Muse);
    let syncs: Vec<_> = activity
        .adapter_syncs
        .iter()
        .map(|sync| sync.last_sync_at)
        .collect();
    assert_eq!(syncs, [at(5)]);
}
