//! Subscriptions, as clients manage them.

use super::body::ask::ask;
use super::body::backend::{Conn, Db};
use super::body::driver;
use super::body::errors::{Failure, Outcome, Stop};
use super::body::statements::{insert, load, update};
use super::body::store::Store;
use super::body::tables::webhooks::{LockedWebhooks, WebhookRow, WebhookUpdate, webhooks};
use super::body::types::{Account, Id, Time};
use super::client_records::under_claim;
use super::fan_out;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use florin_domain::ids::WebhookId;
use florin_domain::page::{Page, PageRequest};
use florin_domain::webhook::{Webhook, WebhookRefusal};
use florin_ports::{
    ChangeWebhookCommand, ClientClaim, CreateWebhookCommand, StoreError, WebhookReach, Webhooks, WriteError, Written,
};
use std::sync::Arc;

/// Maximum number of attempts at a change. An attempt fails if another request disables the subscription meanwhile.
const ATTEMPTS: u32 = 5;

/// Locks a subscription. `None`: it was deleted, so the caller can only receive a stored response. `Absent`: the caller
/// does not reach it, and must not receive a stored response about it either.
pub(super) fn locked(
    conn: &mut Conn,
    reach: &WebhookReach,
    id: WebhookId,
) -> Result<Option<Webhook>, Stop<WriteError<WebhookRefusal>>> {
    let Some(row) = load::<LockedWebhooks>([(Id(id.0),)], conn)?.pop() else {
        return if reach.is_of_client() { Ok(None) } else { Err(WriteError::Absent.into()) };
    };
    let is_deleted = row.deleted_at.is_some();
    let webhook = row.read()?;
    if reach.includes(&webhook) { Ok((!is_deleted).then_some(webhook)) } else { Err(WriteError::Absent.into()) }
}

/// Stores a changed subscription.
pub(super) fn store(conn: &mut Conn, webhook: &Webhook) -> Outcome<()> {
    update(vec![WebhookUpdate::from(WebhookRow::from(webhook))], conn)
}

fn create(
    conn: &mut Conn,
    command: &CreateWebhookCommand,
) -> Result<Written<Webhook>, Stop<WriteError<WebhookRefusal>>> {
    driver::lock_operators(conn)?;
    under_claim(conn, command.claim.as_ref(), |conn| {
        let webhook = &command.webhook;
        let own = webhooks::table.filter(webhooks::client_id.eq(Id(webhook.client.0)));
        let own = own.filter(webhooks::deleted_at.is_null());
        let existing: i64 = own.count().get_result(conn).map_err(Failure::from)?;
        let existing = u32::try_from(existing).unwrap_or(u32::MAX);
        ask(|| (command.decide)(&existing))?.map_err(WriteError::Refused)?;
        let since = fan_out::draw_boundary(conn)?;
        let until = (!webhook.state.is_enabled()).then_some(since);
        insert(vec![WebhookRow { since, until, ..WebhookRow::from(webhook) }], conn)?;
        Ok(webhook.clone())
    })
}

/// Changes a subscription. The deliveries of all events up to `queued_until` must be queued, so that a change of the
/// filter does not affect earlier events. Returns `None` if the deliveries of later events must be queued first,
/// because the subscription was disabled meanwhile.
fn change(
    conn: &mut Conn,
    command: &ChangeWebhookCommand,
    queued_until: i64,
) -> Result<Option<Written<Webhook>>, Stop<WriteError<WebhookRefusal>>> {
    let found = locked(conn, &command.reach, command.id)?;
    if let Some(webhook) = &found
        && fan_out::is_behind(conn, webhook, queued_until)?
    {
        return Ok(None);
    }
    let written = under_claim(conn, command.claim.as_ref(), |conn| {
        let webhook = found.ok_or(WriteError::Absent)?;
        let changed = ask(|| (command.decide)(&webhook))?.map_err(WriteError::Refused)?;
        store(conn, &changed)?;
        fan_out::set_range(conn, &webhook, &changed)?;
        Ok(changed)
    })?;
    Ok(Some(written))
}

/// Marks a subscription as deleted. A worker deletes its deliveries afterwards, in portions, and later the row: a
/// fan-out in progress may still queue deliveries for it.
fn delete(conn: &mut Conn, id: Id, now: Time) -> Outcome<()> {
    let row = webhooks::table.filter(webhooks::id.eq(id));
    diesel::update(row).set((webhooks::enabled.eq(false), webhooks::deleted_at.eq(Some(now)))).execute(conn)?;
    Ok(())
}

/// Selects the subscriptions in reach.
fn in_reach(reach: &WebhookReach) -> webhooks::BoxedQuery<'static, Db> {
    let rows = webhooks::table.filter(webhooks::client_id.eq(Id(reach.client.0)));
    let mut rows: webhooks::BoxedQuery<'static, Db> = rows.filter(webhooks::deleted_at.is_null()).into_boxed();
    if let Some(accounts) = &reach.accounts {
        let accounts: Vec<_> = accounts.iter().cloned().map(Account).collect();
        rows = rows.filter(webhooks::account_id.is_null().or(webhooks::account_id.eq_any(accounts)));
    }
    if reach.has_accountless { rows } else { rows.filter(webhooks::account_id.is_not_null()) }
}

fn list(conn: &mut Conn, reach: &WebhookReach, page: PageRequest) -> Outcome<Page<Webhook>> {
    let count = in_reach(reach).count().get_result(conn)?;
    let rows = in_reach(reach)
        .order((webhooks::created_at, webhooks::id))
        .limit(page.limit)
        .offset(page.offset)
        .select(WebhookRow::as_select())
        .load(conn)?;
    Ok(Page { count, rows: rows.into_iter().map(WebhookRow::read).collect::<Outcome<_>>()? })
}

#[async_trait]
impl Webhooks for Store {
    async fn create(&self, command: CreateWebhookCommand) -> Result<Written<Webhook>, WriteError<WebhookRefusal>> {
        self.task(move |conn| create(conn, &command)).await
    }

    async fn change(&self, command: ChangeWebhookCommand) -> Result<Written<Webhook>, WriteError<WebhookRefusal>> {
        let command = Arc::new(command);
        for _ in 0..ATTEMPTS {
            let queued_until = if command.has_deadline {
                fan_out::before_command(self).await?
            } else {
                fan_out::to_the_end(self).await?
            };
            let command = Arc::clone(&command);
            if let Some(written) = self.task(move |conn| change(conn, &command, queued_until)).await? {
                return Ok(written);
            }
        }
        Err(StoreError::Unavailable("the subscription was disabled meanwhile".into()).into())
    }

    async fn delete(
        &self,
        reach: WebhookReach,
        id: WebhookId,
        now: DateTime<Utc>,
        claim: Option<ClientClaim<()>>,
    ) -> Result<Written<()>, WriteError<WebhookRefusal>> {
        self.task(move |conn| {
            let found = locked(conn, &reach, id)?;
            under_claim(conn, claim.as_ref(), |conn| {
                found.ok_or(WriteError::Absent)?;
                Ok(delete(conn, Id(id.0), Time(now))?)
            })
        })
        .await
    }

    async fn find(&self, reach: WebhookReach, id: WebhookId) -> Result<Option<Webhook>, StoreError> {
        self.read(move |conn| {
            let row = webhooks::table.filter(webhooks::id.eq(Id(id.0))).filter(webhooks::deleted_at.is_null());
            let row = row.select(WebhookRow::as_select()).get_result(conn).optional()?;
            Ok(row.map(WebhookRow::read).transpose()?.filter(|webhook| reach.includes(webhook)))
        })
        .await
    }

    async fn list(&self, reach: WebhookReach, page: PageRequest) -> Result<Page<Webhook>, StoreError> {
        self.read_in_one_transaction(move |conn| list(conn, &reach, page)).await
    }

    async fn all(&self) -> Result<Vec<Webhook>, StoreError> {
        self.read_to_the_end(|conn| {
            let rows = webhooks::table.filter(webhooks::deleted_at.is_null());
            let rows = rows.order((webhooks::created_at, webhooks::id)).select(WebhookRow::as_select());
            rows.load(conn)?.into_iter().map(WebhookRow::read).collect()
        })
        .await
    }
}
