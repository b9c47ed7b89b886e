//! Ends of claims: attempts with an outcome, and attempts without.

use super::body::ask::ask;
use super::body::backend::sql::IdSql;
use super::body::backend::{Changes, Conn};
use super::body::errors::Outcome;
use super::body::job::EndedAttempts;
use super::body::statements::{load, update};
use super::body::tables::webhooks::{AttemptRow, DeliveryRow, LockedDeliveries, LockedWebhooks, WebhookRow};
use super::body::types::{Id, Named, Time};
use super::{claims, fan_out, rows, subscriptions};
use diesel::prelude::*;
use diesel::sql_query;
use florin_domain::webhook::{DeliveryStatus, Webhook};
use florin_ports::{AttemptSituation, DeliveryClaim};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// Releases the next waiting delivery of an object, which may have been set aside.
const ADVANCE: &str = "UPDATE webhook_deliveries SET blocked = FALSE WHERE webhook_id = $1 AND message_id = \
    (SELECT e.message_id FROM webhook_deliveries e WHERE e.webhook_id = $1 AND e.object_id = $2 \
    AND e.status IN ('pending', 'failed') ORDER BY e.sequence LIMIT 1)";

/// The deliveries and subscriptions of current claims. All of them are locked, subscriptions first.
struct CurrentClaims {
    webhooks: BTreeMap<Id, Webhook>,
    rows: BTreeMap<(Id, Id), DeliveryRow>,
}

impl CurrentClaims {
    fn lock(conn: &mut Conn, claims: &[DeliveryClaim]) -> Outcome<Self> {
        let ids: BTreeSet<_> = claims.iter().map(|claim| (Id(claim.webhook.0),)).collect();
        let webhooks = load::<LockedWebhooks>(ids, conn)?.into_iter().filter(|row| row.deleted_at.is_none());
        let webhooks: BTreeMap<_, _> =
            webhooks.map(|row| Ok((row.id, WebhookRow::read(row)?))).collect::<Outcome<_>>()?;
        let keys: BTreeSet<_> = claims.iter().map(key).collect();
        let rows = load::<LockedDeliveries>(keys, conn)?.into_iter();
        let rows = rows.filter(|row| webhooks.contains_key(&row.webhook_id));
        let mut rows: BTreeMap<_, _> = rows.map(|row| ((row.webhook_id, row.message_id), row)).collect();
        // Of several claims of one delivery, one at most is current.
        let is_current = |claim: &&DeliveryClaim| rows.get(&key(claim)).is_some_and(|row| row.is_held(claim));
        let current: BTreeSet<_> = claims.iter().filter(is_current).map(key).collect();
        rows.retain(|key, _| current.contains(key));
        Ok(Self { webhooks, rows })
    }

    /// Takes the delivery of a claim, if the claim is current.
    fn take(&mut self, claim: &DeliveryClaim) -> Option<DeliveryRow> {
        match self.rows.entry(key(claim)) {
            Entry::Occupied(row) if row.get().is_held(claim) => Some(row.remove()),
            _ => None,
        }
    }
}

fn key(claim: &DeliveryClaim) -> (Id, Id) {
    (Id(claim.webhook.0), Id(claim.event.0))
}

/// Records the ended attempts of several calls in one transaction, and returns their number for each call.
pub(super) fn record(conn: &mut Conn, calls: &[&EndedAttempts]) -> Outcome<Vec<u64>> {
    let claims: Vec<_> = calls.iter().flat_map(|call| &call.ends).map(|end| end.claim).collect();
    let mut current = CurrentClaims::lock(conn, &claims)?;
    let clocks = rows::clocks(conn, current.rows.values().map(|row| row.account_id.clone()).collect())?;
    let before = current.webhooks.clone();
    let (mut ended, mut attempts, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
    for EndedAttempts { ends, now } in calls {
        let mut number = 0;
        for end in ends {
            let Some(mut row) = current.take(&end.claim) else { continue };
            let Some(webhook) = current.webhooks.get_mut(&row.webhook_id) else { continue };
            let clock = clocks.get(&row.account_id).copied().unwrap_or_default();
            let situation = AttemptSituation { delivery: row.read()?, webhook: webhook.clone(), clock };
            let decision = ask(|| (end.decide)(&situation))?;
            let mut delivery = situation.delivery;
            delivery.end_attempt(&decision);
            row.set(&delivery);
            webhook.apply(&decision, clock.time_at(*now));
            ended.push(row);
            attempts.push(AttemptRow::of(&end.claim, &end.attempt));
            number += 1;
        }
        numbers.push(number);
    }
    let webhooks = current.webhooks;
    let mut changes = Changes::on(conn);
    changes.update(ended.iter().map(DeliveryRow::change).collect())?;
    changes.insert(attempts)?;
    changes.store()?;
    for (id, webhook) in &webhooks {
        if let Some(before) = before.get(id).filter(|before| *before != webhook) {
            subscriptions::store(conn, webhook)?;
            fan_out::set_range(conn, before, webhook)?;
        }
    }
    advance(conn, &webhooks, &ended)?;
    Ok(numbers)
}

/// Releases the deliveries that waited for `rows`. Rows that still wait to be sent release none. Deliveries that were
/// set aside are released even if their subscription is not ordered now, because it may be ordered again.
fn advance(conn: &mut Conn, webhooks: &BTreeMap<Id, Webhook>, rows: &[DeliveryRow]) -> Outcome<()> {
    let (ordered, others): (Vec<_>, Vec<_>) = webhooks.iter().partition(|(_, webhook)| webhook.ordered);
    let mut have_blocked = claims::with_blocked(conn, others.into_iter().map(|(id, _)| *id).collect())?;
    have_blocked.extend(ordered.into_iter().map(|(id, _)| *id));
    let has_blocked = |row: &&DeliveryRow| have_blocked.contains(&row.webhook_id);
    for row in rows.iter().filter(has_blocked).filter(|row| !row.status.0.is_waiting()) {
        sql_query(ADVANCE).bind::<IdSql, _>(row.webhook_id).bind::<IdSql, _>(row.object_id).execute(conn)?;
    }
    Ok(())
}

/// Ends the leases of claims without recording an outcome.
pub(super) fn release(conn: &mut Conn, claims: &[DeliveryClaim]) -> Outcome<()> {
    let CurrentClaims { mut rows, .. } = CurrentClaims::lock(conn, claims)?;
    for row in rows.values_mut() {
        (row.lease_id, row.leased_until) = (None, None);
    }
    update(rows.values().map(DeliveryRow::claim_change).collect(), conn)
}

/// Ends claimed deliveries with this status, without sending them.
pub(super) fn end(conn: &mut Conn, claims: &[DeliveryClaim], status: DeliveryStatus) -> Outcome<()> {
    let CurrentClaims { webhooks, rows } = CurrentClaims::lock(conn, claims)?;
    let mut rows: Vec<_> = rows.into_values().collect();
    for row in &mut rows {
        row.status = Named(status);
        (row.lease_id, row.leased_until, row.due_at) = (None, None, None::<Time>);
    }
    update(rows.iter().map(DeliveryRow::change).collect(), conn)?;
    advance(conn, &webhooks, &rows)
}
