//! Deliveries, as workers send them and clients see them.

use super::body::backend::Conn;
use super::body::backend::sql::{IdSql, TimeSql};
use super::body::driver;
use super::body::errors::Outcome;
use super::body::job::EndedAttempts;
use super::body::store::Store;
use super::body::types::{Id, Time};
use super::claims::{self, Search};
use super::{again, ends, fan_out, log};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{BigInt, Nullable};
use florin_domain::ids::{EventId, WebhookId};
use florin_domain::page::{Page, PageRequest};
use florin_domain::webhook::{DeliveryStatus, Webhook, WebhookRefusal};
use florin_ports::{
    AttemptEnd, ClaimDeliveriesCommand, ClaimedDeliveries, Deliveries, DeliveryBacklog, DeliveryClaim, DeliveryFilter,
    LoggedDelivery, RecoverCommand, RedeliverCommand, StoreError, TestWebhookCommand, WaitingDeliveries, WriteError,
    Written,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Counts waiting deliveries. A condition and [`OF_EACH`] follow.
const WAITING: &str = "SELECT d.webhook_id, COUNT(*) AS waiting, \
    COUNT(CASE WHEN d.status = 'failed' THEN 1 END) AS failed, \
    MIN(d.queued_at) AS oldest FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id \
    JOIN clients c ON c.id = w.client_id WHERE w.deleted_at IS NULL AND d.status IN ('pending', 'failed')";
const OF_EACH: &str = " GROUP BY d.webhook_id";

#[derive(QueryableByName)]
struct WaitingRow {
    #[diesel(sql_type = IdSql)]
    webhook_id: Id,
    #[diesel(sql_type = BigInt)]
    waiting: i64,
    #[diesel(sql_type = BigInt)]
    failed: i64,
    #[diesel(sql_type = Nullable<TimeSql>)]
    oldest: Option<Time>,
}

#[async_trait]
impl Deliveries for Store {
    async fn fan_out(&self) -> Result<bool, StoreError> {
        fan_out::round(self).await
    }

    async fn new_events(&self) {
        self.wait_for_new_events().await;
    }

    async fn due(&self, now: DateTime<Utc>) -> Result<Vec<Webhook>, StoreError> {
        self.read_in_one_transaction(move |conn| claims::due(conn, now)).await
    }

    async fn claim(&self, command: ClaimDeliveriesCommand) -> Result<Option<ClaimedDeliveries>, StoreError> {
        let search = command.clone();
        match self.read_in_one_transaction(move |conn| claims::search(conn, &search)).await? {
            Search::Inactive => Ok(None),
            Search::Nothing(webhook) => {
                Ok(Some(ClaimedDeliveries { webhook: *webhook, deliveries: Vec::new(), has_more: false }))
            }
            Search::MayClaim => self.claim_deliveries(command).await,
        }
    }

    async fn record(&self, ends: Vec<AttemptEnd>, now: DateTime<Utc>) -> Result<u64, StoreError> {
        self.record_attempts(EndedAttempts { ends, now }).await
    }

    async fn release(&self, claims: Vec<DeliveryClaim>) -> Result<(), StoreError> {
        self.write_in_background(move |conn| ends::release(conn, &claims)).await
    }

    async fn end(&self, claims: Vec<DeliveryClaim>, status: DeliveryStatus) -> Result<(), StoreError> {
        self.write_in_background(move |conn| ends::end(conn, &claims, status)).await
    }

    async fn log(
        &self,
        webhook: WebhookId,
        filter: DeliveryFilter,
        page: PageRequest,
    ) -> Result<Page<LoggedDelivery>, StoreError> {
        fan_out::before_read(self).await;
        self.read_in_one_transaction(move |conn| log::list(conn, webhook, &filter, page)).await
    }

    async fn redeliver(&self, command: RedeliverCommand) -> Result<Written<()>, WriteError<WebhookRefusal>> {
        fan_out::before_command(self).await?;
        self.task(move |conn| again::redeliver(conn, &command)).await
    }

    async fn recover(&self, command: RecoverCommand) -> Result<Written<u64>, WriteError<WebhookRefusal>> {
        again::recover(self, Arc::new(command)).await
    }

    async fn test(&self, command: TestWebhookCommand) -> Result<Written<EventId>, WriteError<WebhookRefusal>> {
        self.task(move |conn| again::test(conn, &command)).await
    }

    async fn delete_deliveries(&self, before: DateTime<Utc>, max: u32) -> Result<u64, StoreError> {
        self.write_in_background(move |conn| log::delete(conn, before, max)).await
    }

    async fn backlog(&self) -> Result<DeliveryBacklog, StoreError> {
        fan_out::before_read(self).await;
        self.read(|conn| {
            let of_enabled = format!("{WAITING} AND w.enabled AND c.disabled_at IS NULL{OF_EACH}");
            let rows: Vec<WaitingRow> = sql_query(of_enabled).load(conn)?;
            let oldest = rows.iter().filter_map(|row| Some(row.oldest?.0)).min();
            Ok(DeliveryBacklog { waiting: by_subscription(rows), oldest })
        })
        .await
    }

    async fn backlogs(&self, webhook: Option<WebhookId>) -> Result<BTreeMap<WebhookId, WaitingDeliveries>, StoreError> {
        fan_out::before_read(self).await;
        self.read_to_the_end(move |conn| conn.transaction(|conn| backlogs(conn, webhook))).await
    }
}

/// Counts the waiting deliveries of one subscription or of all. It reads every waiting row, so it may take longer than
/// other reads.
fn backlogs(conn: &mut Conn, webhook: Option<WebhookId>) -> Outcome<BTreeMap<WebhookId, WaitingDeliveries>> {
    driver::without_time_limits(conn)?;
    let rows: Vec<WaitingRow> = match webhook {
        None => sql_query(format!("{WAITING}{OF_EACH}")).load(conn)?,
        Some(id) => {
            let of_one = sql_query(format!("{WAITING} AND d.webhook_id = $1{OF_EACH}"));
            of_one.bind::<IdSql, _>(Id(id.0)).load(conn)?
        }
    };
    Ok(by_subscription(rows))
}

fn by_subscription(rows: Vec<WaitingRow>) -> BTreeMap<WebhookId, WaitingDeliveries> {
    let waiting = |row: WaitingRow| {
        let waiting = WaitingDeliveries { waiting: row.waiting.unsigned_abs(), failed: row.failed.unsigned_abs() };
        (WebhookId(row.webhook_id.0), waiting)
    };
    rows.into_iter().map(waiting).collect()
}
