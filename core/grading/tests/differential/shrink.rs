//! Makes a failing world small: leaves out whatever can be left out.

use attest_canon::Id;
use attest_grading::model::Claim;

use crate::policies;
use crate::world::World;

/// A smaller world that still fails, from which nothing more can be left out.
pub fn shrink(world: &World, fails: impl Fn(&World) -> bool) -> World {
    let mut smallest = world.clone();
    loop {
        let before = smallest.clone();
        let mut plain = smallest.clone();
        plain.policy = policies::default_policy();
        if fails(&plain) {
            smallest = plain;
        }
        leave_out(&mut smallest, &fails, |world| &mut world.claims);
        leave_out(&mut smallest, &fails, |world| &mut world.observations);
        leave_out(&mut smallest, &fails, |world| &mut world.grants);
        leave_out(&mut smallest, &fails, |world| &mut world.history);
        leave_out(&mut smallest, &fails, |world| &mut world.fixed);
        leave_out(&mut smallest, &fails, |world| &mut world.coverage.observers);
        leave_out(&mut smallest, &fails, |world| &mut world.coverage.repairs);
        leave_out(&mut smallest, &fails, |world| &mut world.activity.sessions);
        leave_out(&mut smallest, &fails, |world| &mut world.activity.idle);
        leave_out(&mut smallest, &fails, |world| &mut world.activity.entries);
        leave_out(&mut smallest, &fails, |world| {
            &mut world.activity.adapter_syncs
        });
        for id in smallest.model_scores.clone().into_keys() {
            attempt(&mut smallest, &fails, |world| {
                world.model_scores.remove(&id);
            });
        }
        for at in 0..smallest.fixed.len() {
            leave_out(&mut smallest, &fails, |world| &mut world.fixed[at].released);
        }
        for at in 0..smallest.grants.len() {
            leave_out(&mut smallest, &fails, |world| {
                &mut world.grants[at].counterparty_allowlist
            });
            leave_out(&mut smallest, &fails, |world| {
                &mut world.grants[at].declared_scopes
            });
            leave_out(&mut smallest, &fails, |world| {
                &mut world.grants[at].observed_scopes
            });
            attempt(&mut smallest, &fails, |world| {
                world.grants[at].accounts = None
            });
            attempt(&mut smallest, &fails, |world| {
                world.grants[at].spend_ceiling = None
            });
        }
        let ids: Vec<Id> = smallest
            .claims
            .iter()
            .chain(&smallest.history)
            .map(|claim| claim.id)
            .collect();
        for id in ids {
            let mut plainer = |change: &dyn Fn(&mut Claim)| {
                attempt(&mut smallest, &fails, |world| {
                    // A claim's copies stay alike.
                    let copies = world.claims.iter_mut().chain(&mut world.history);
                    copies.filter(|claim| claim.id == id).for_each(change);
                });
            };
            plainer(&|claim| claim.request_id = None);
            plainer(&|claim| claim.amount = None);
            plainer(&|claim| claim.currency = None);
            plainer(&|claim| claim.counterparty = None);
            plainer(&|claim| claim.subject_hint = None);
            plainer(&|claim| claim.claimed_at_end = None);
        }
        for at in 0..smallest.coverage.observers.len() {
            attempt(&mut smallest, &fails, |world| {
                world.coverage.observers[at].account_hash = None;
            });
            attempt(&mut smallest, &fails, |world| {
                world.coverage.observers[at].changes_since = None;
            });
        }
        if smallest.describe() == before.describe() {
            return smallest;
        }
    }
}

fn attempt(world: &mut World, fails: impl Fn(&World) -> bool, change: impl Fn(&mut World)) {
    let mut changed = world.clone();
    change(&mut changed);
    if fails(&changed) {
        *world = changed;
    }
}

fn leave_out<T>(
    world: &mut World,
    fails: impl Fn(&World) -> bool,
    list: impl Fn(&mut World) -> &mut Vec<T>,
) {
    let mut at = 0;
    while at < list(world).len() {
        let mut less = world.clone();
        list(&mut less).remove(at);
        if fails(&less) {
            *world = less;
        } else {
            at += 1;
        }
    }
}
