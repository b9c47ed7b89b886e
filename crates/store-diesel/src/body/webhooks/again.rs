//! Sends events again, and queues test deliveries.

use super::body::ask::ask;
use super::body::backend::Conn;
use super::body::backend::sql::{IdSql, TimeSql};
use super::body::errors::{Outcome, Stop};
use super::body::events::record_redeliveries;
use super::body::statements::{insert, load, update};
use super::body::store::Store;
use super::body::tables::webhooks::{DeliveryRow, LockedDeliveries};
use super::body::types::{Account, Id, Time};
use super::client_records::{replayed, under_claim};
use super::fan_out::{self, PositionRange};
use super::rows::stored_events;
use super::subscriptions::{locked, store};
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{BigInt, Nullable, Text};
use florin_domain::ids::{CheckoutId, EventId, WebhookId};
use florin_domain::webhook::{DeliveredEvent, Delivery, DeliveryStatus, RedeliverSituation, Webhook, WebhookRefusal};
use florin_ports::{RecoverCommand, RedeliverCommand, TestWebhookCommand, WriteError, Written};
use std::collections::BTreeSet;
use std::sync::Arc;

type Answer<T> = Result<Written<T>, Stop<WriteError<WebhookRefusal>>>;

/// Maximum number of events that one transaction of a recovery sends again.
const PORTION: i64 = 500;

/// Maximum number of events that one read of a recovery searches, however few of them match.
const WINDOW: i64 = 10_000;

/// Stored events of a subscription's kind and accounts, in a range of positions.
const MATCHING: &str = "SELECT e.position, e.id, e.account_id, e.object_id, e.sequence, e.occurred_at, \
    e.checkout_id FROM outbox_events e \
    JOIN accounts a ON a.id = e.account_id WHERE a.client_id = $1 AND e.kind = $2 AND e.occurred_at >= $3 \
    AND (CAST($4 AS TEXT) IS NULL OR e.account_id = $4) AND e.position > $5 AND e.position <= $6 \
    ORDER BY e.position LIMIT $7";

#[derive(QueryableByName)]
struct EventKey {
    #[diesel(sql_type = BigInt)]
    position: i64,
    #[diesel(sql_type = IdSql)]
    id: Id,
    #[diesel(sql_type = Text)]
    account_id: Account,
    #[diesel(sql_type = IdSql)]
    object_id: Id,
    #[diesel(sql_type = BigInt)]
    sequence: i64,
    #[diesel(sql_type = TimeSql)]
    occurred_at: Time,
    #[diesel(sql_type = Nullable<IdSql>)]
    checkout_id: Option<Id>,
}

/// Sends an event again.
pub(super) fn redeliver(conn: &mut Conn, command: &RedeliverCommand) -> Answer<()> {
    let found = locked(conn, &command.reach, command.webhook)?;
    under_claim(conn, command.claim.as_ref(), |conn| {
        let webhook = found.ok_or(WriteError::Absent)?;
        let key = (Id(command.webhook.0), Id(command.event.0));
        let row = load::<LockedDeliveries>([key], conn)?.pop().ok_or(WriteError::Absent)?;
        let is_event_stored = !stored_events(conn, vec![row.message_id])?.is_empty();
        let situation = RedeliverSituation { webhook, delivery: row.read()?, is_event_stored };
        ask(|| (command.decide)(&situation))?.map_err(WriteError::Refused)?;
        if is_event_stored {
            record_redeliveries(conn, vec![(row.account_id.clone(), row.message_id)], Time(command.now))?;
        }
        restart(conn, vec![row])?;
        Ok(resume(conn, situation.webhook)?)
    })
}

/// Begins new schedules of attempts for deliveries. Their first attempts are due immediately.
fn restart(conn: &mut Conn, rows: Vec<DeliveryRow>) -> Outcome<()> {
    let changes = rows.into_iter().map(|mut row| {
        let mut delivery = row.read()?;
        delivery.restart();
        row.set(&delivery);
        Ok(row.change())
    });
    update(changes.collect::<Outcome<_>>()?, conn)
}

/// Resumes the receiver of a subscription: if it is paused after failures, the pause ends.
fn resume(conn: &mut Conn, webhook: Webhook) -> Outcome<()> {
    store(conn, &Webhook { resumptions: webhook.resumptions + 1, ..webhook })
}

/// Sends every matching event again that is neither delivered nor waiting. Works in portions, each with its own
/// transaction.
pub(super) async fn recover(
    store: &Store,
    command: Arc<RecoverCommand>,
) -> Result<Written<u64>, WriteError<WebhookRefusal>> {
    let shared = Arc::clone(&command);
    let webhook = match store.task(move |conn| begin(conn, &shared)).await? {
        Recovery::Done(answer) => return Ok(Written::Replayed(answer)),
        Recovery::Of(webhook) => webhook,
    };
    // The fan-out queues the deliveries of events after this position, and only of these.
    let end = fan_out::before_command(store).await?;
    let (mut recovered, mut after) = (0, 0);
    while after < end {
        let (of, since) = (webhook.clone(), Time(command.since));
        let read = store.read(move |conn| {
            let range = fan_out::first_of(conn, PositionRange { after, until: end }, WINDOW)?;
            Ok((matching(conn, &of, since, range)?, range.until))
        });
        let (mut events, until) = read.await?;
        let is_full = events.len() >= usize::try_from(PORTION).unwrap_or(usize::MAX);
        after = events.last().filter(|_| is_full).map_or(until, |last| last.position);
        let matches = |event: &EventKey| webhook.receives(webhook.kind, event.checkout_id.map(|id| CheckoutId(id.0)));
        events.retain(matches);
        if !events.is_empty() {
            let shared = Arc::clone(&command);
            recovered += store.task(move |conn| recover_portion(conn, &shared, &events)).await?;
        }
    }
    store
        .task(move |conn| {
            let found = locked(conn, &command.reach, command.webhook)?;
            under_claim(conn, command.claim.as_ref(), |conn| {
                resume(conn, found.ok_or(WriteError::Absent)?)?;
                Ok(recovered)
            })
        })
        .await
}

/// The result of the checks before a recovery.
enum Recovery {
    /// The request is a repetition. This is the stored response.
    Done(florin_ports::StoredResponse),
    /// The events of this subscription are to be sent again.
    Of(Box<Webhook>),
}

fn begin(conn: &mut Conn, command: &RecoverCommand) -> Result<Recovery, Stop<WriteError<WebhookRefusal>>> {
    let found = locked(conn, &command.reach, command.webhook)?;
    if let Some(answer) = replayed(conn, command.claim.as_ref())? {
        return Ok(Recovery::Done(answer));
    }
    let webhook = found.ok_or(WriteError::Absent)?;
    ask(|| (command.decide)(&webhook))?.map_err(WriteError::Refused)?;
    Ok(Recovery::Of(Box::new(webhook)))
}

/// Sends the events of a portion again, except those that are delivered or waiting. Returns the number of events that
/// are sent.
fn recover_portion(
    conn: &mut Conn,
    command: &RecoverCommand,
    events: &[EventKey],
) -> Result<u64, Stop<WriteError<WebhookRefusal>>> {
    let webhook = locked(conn, &command.reach, command.webhook)?.ok_or(WriteError::Absent)?;
    ask(|| (command.decide)(&webhook))?.map_err(WriteError::Refused)?;
    let keys = events.iter().map(|event| (Id(webhook.id.0), event.id));
    let known = load::<LockedDeliveries>(keys, conn)?;
    let has_delivery: BTreeSet<_> = known.iter().map(|row| row.message_id).collect();
    let stored = stored_events(conn, events.iter().map(|event| event.id).collect())?;
    let new: Vec<_> = events
        .iter()
        .filter(|event| !has_delivery.contains(&event.id) && stored.contains(&event.id))
        .map(|event| DeliveryRow::of(&event.delivery(webhook.id), None, Time(command.now)))
        .collect();
    let mut restarted = known;
    restarted.retain(|row| matches!(row.status.0, DeliveryStatus::Exhausted | DeliveryStatus::Cancelled));
    let sent: Vec<_> = restarted.iter().chain(&new).map(|row| (row.account_id.clone(), row.message_id)).collect();
    let recovered = sent.len() as u64;
    record_redeliveries(conn, sent, Time(command.now))?;
    restart(conn, restarted)?;
    insert(new, conn)?;
    Ok(recovered)
}

fn matching(conn: &mut Conn, webhook: &Webhook, since: Time, range: PositionRange) -> Outcome<Vec<EventKey>> {
    let events = sql_query(MATCHING)
        .bind::<IdSql, _>(Id(webhook.client.0))
        .bind::<Text, _>(webhook.kind.as_str())
        .bind::<TimeSql, _>(since)
        .bind::<Nullable<Text>, _>(webhook.account.clone().map(Account))
        .bind::<BigInt, _>(range.after)
        .bind::<BigInt, _>(range.until)
        .bind::<BigInt, _>(PORTION);
    Ok(events.load(conn)?)
}

impl EventKey {
    fn delivery(&self, webhook: WebhookId) -> Delivery {
        let event = DeliveredEvent {
            id: EventId(self.id.0),
            account: self.account_id.0.clone(),
            object: self.object_id.0,
            sequence: self.sequence,
            at: self.occurred_at.0,
        };
        Delivery::new(webhook, event)
    }
}

/// Queues a test delivery.
pub(super) fn test(conn: &mut Conn, command: &TestWebhookCommand) -> Answer<EventId> {
    let delivery = &command.delivery;
    let found = locked(conn, &command.reach, delivery.webhook)?;
    under_claim(conn, command.claim.as_ref(), |conn| {
        let webhook = found.ok_or(WriteError::Absent)?;
        ask(|| (command.decide)(&webhook))?.map_err(WriteError::Refused)?;
        insert(vec![DeliveryRow::of(delivery, Some(command.body.clone()), Time(command.now))], conn)?;
        resume(conn, webhook)?;
        Ok(delivery.event)
    })
}
