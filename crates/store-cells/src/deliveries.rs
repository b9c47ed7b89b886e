//! Deliveries of events. A call that names only a subscription goes to the cell in which the subscription was last
//! found or due. If this cell is unknown, the call goes to every cell: a cell ignores subscriptions and claims that it
//! does not have.

use crate::Cells;
use crate::cells::Cell;
use crate::gather::{done_or_failure, log_failure};
use crate::routes::routes;
use chrono::{DateTime, Utc};
use florin_domain::ids::{EventId, WebhookId};
use florin_domain::page::{Page, PageRequest};
use florin_domain::webhook::{DeliveryStatus, Webhook, WebhookRefusal};
use florin_ports::{
    AttemptEnd, CellName, ClaimDeliveriesCommand, ClaimedDeliveries, CompleteStorage, Deliveries, DeliveryBacklog,
    DeliveryClaim, DeliveryFilter, LoggedDelivery, RecoverCommand, RedeliverCommand, StoreError, TestWebhookCommand,
    WaitingDeliveries, WriteError, Written,
};
use futures_util::future::{join_all, select_all};
use std::collections::BTreeMap;

routes! { Deliveries:
    fan_out() -> Result<bool, StoreError> => [with(fan_out)];
    due(now: DateTime<Utc>) -> Result<Vec<Webhook>, StoreError> => [with(due)];
    claim(command: ClaimDeliveriesCommand) -> Result<Option<ClaimedDeliveries>, StoreError> => [with(claim)];
    record(ends: Vec<AttemptEnd>, now: DateTime<Utc>) -> Result<u64, StoreError> => [with(record)];
    release(claims: Vec<DeliveryClaim>) -> Result<(), StoreError> => [with(release)];
    end(claims: Vec<DeliveryClaim>, status: DeliveryStatus) -> Result<(), StoreError> => [with(end)];
    log(
        webhook: WebhookId,
        filter: DeliveryFilter,
        page: PageRequest
    ) -> Result<Page<LoggedDelivery>, StoreError>
        => [with(log)];
    redeliver(command: RedeliverCommand) -> Result<Written<()>, WriteError<WebhookRefusal>>
        => [client(command.reach.client)];
    recover(command: RecoverCommand) -> Result<Written<u64>, WriteError<WebhookRefusal>>
        => [client(command.reach.client)];
    test(command: TestWebhookCommand) -> Result<Written<EventId>, WriteError<WebhookRefusal>>
        => [client(command.reach.client)];
    delete_deliveries(before: DateTime<Utc>, max: u32) -> Result<u64, StoreError> => [with(delete_deliveries)];
    backlog() -> Result<DeliveryBacklog, StoreError> => [with(backlog)];
    backlogs(webhook: Option<WebhookId>) -> Result<BTreeMap<WebhookId, WaitingDeliveries>, StoreError>
        => [with(backlogs)];
    + {
        async fn new_events(&self) {
            select_all(self.open_cells().map(|cell| Deliveries::new_events(&*cell.store))).await;
        }
    }
}

async fn fan_out(cells: &Cells) -> Result<bool, StoreError> {
    let is_done = cells.ask_all(|store| async move { Deliveries::fan_out(&*store).await }).await?;
    Ok(is_done.into_iter().all(|is_done| is_done))
}

async fn due(cells: &Cells, now: DateTime<Utc>) -> Result<Vec<Webhook>, StoreError> {
    let (mut due, mut failure) = (Vec::new(), cells.unopened());
    let pending: Vec<_> = cells.open_cells().map(|cell| Deliveries::due(&*cell.store, now)).collect();
    for (cell, answer) in cells.open_cells().zip(join_all(pending).await) {
        match answer {
            Ok(mut more) => {
                cells.remember_subscriptions(more.iter().map(|webhook| webhook.id), &cell.name);
                due.append(&mut more);
            }
            Err(error) => failure = Some(log_failure(cell, error)),
        }
    }
    done_or_failure(due, failure, Vec::is_empty)
}

async fn claim(cells: &Cells, command: ClaimDeliveriesCommand) -> Result<Option<ClaimedDeliveries>, StoreError> {
    let (candidates, mut failure) = candidates(cells, command.webhook);
    for cell in candidates {
        match Deliveries::claim(&*cell.store, command.clone()).await {
            Ok(None) => {}
            Ok(claimed) => return Ok(claimed),
            Err(error) => failure = Some(log_failure(cell, error)),
        }
    }
    done_or_failure(None, failure, Option::is_none)
}

async fn record(cells: &Cells, ends: Vec<AttemptEnd>, now: DateTime<Utc>) -> Result<u64, StoreError> {
    let record = |cell, ends| Deliveries::record(store_of(cell), ends, now);
    Ok(distribute(cells, &ends, |end| end.claim.webhook, record).await?.into_iter().sum())
}

async fn release(cells: &Cells, claims: Vec<DeliveryClaim>) -> Result<(), StoreError> {
    let release = |cell, claims| Deliveries::release(store_of(cell), claims);
    distribute(cells, &claims, |claim| claim.webhook, release).await.map(drop)
}

async fn end(cells: &Cells, claims: Vec<DeliveryClaim>, status: DeliveryStatus) -> Result<(), StoreError> {
    let end = |cell, claims| Deliveries::end(store_of(cell), claims, status);
    distribute(cells, &claims, |claim| claim.webhook, end).await.map(drop)
}

async fn log(
    cells: &Cells,
    webhook: WebhookId,
    filter: DeliveryFilter,
    page: PageRequest,
) -> Result<Page<LoggedDelivery>, StoreError> {
    let (candidates, mut failure) = candidates(cells, webhook);
    for cell in candidates {
        match Deliveries::log(&*cell.store, webhook, filter.clone(), page).await {
            Ok(found) if found.count > 0 => return Ok(found),
            Ok(_) => {}
            Err(error) => failure = Some(log_failure(cell, error)),
        }
    }
    done_or_failure(Page { count: 0, rows: Vec::new() }, failure, |found| found.count == 0)
}

async fn delete_deliveries(cells: &Cells, before: DateTime<Utc>, max: u32) -> Result<u64, StoreError> {
    cells.work_at_most(max, |store, max| async move { Deliveries::delete_deliveries(&*store, before, max).await }).await
}

async fn backlog(cells: &Cells) -> Result<DeliveryBacklog, StoreError> {
    let of_cells = cells.ask_all(|store| async move { Deliveries::backlog(&*store).await }).await?;
    Ok(of_cells.into_iter().fold(DeliveryBacklog::default(), |mut sum, backlog| {
        sum.oldest = sum.oldest.into_iter().chain(backlog.oldest).min();
        sum.waiting.extend(backlog.waiting);
        sum
    }))
}

async fn backlogs(
    cells: &Cells,
    webhook: Option<WebhookId>,
) -> Result<BTreeMap<WebhookId, WaitingDeliveries>, StoreError> {
    let of_cells = cells.ask_all(|store| async move { Deliveries::backlogs(&*store, webhook).await }).await?;
    Ok(of_cells.into_iter().flatten().collect())
}

/// Returns the cell of a subscription. If it is unknown, returns all cells, and the failure of a cell that could not be
/// opened.
fn candidates(cells: &Cells, webhook: WebhookId) -> (impl Iterator<Item = &Cell>, Option<StoreError>) {
    let known = cells.cell_of_subscription(webhook);
    let failure = if known.is_some() { None } else { cells.unopened() };
    (cells.open_cells().filter(move |cell| known.as_ref().is_none_or(|name| cell.name == *name)), failure)
}

fn store_of(cell: &Cell) -> &dyn CompleteStorage {
    &*cell.store
}

/// Passes each cell the items whose subscriptions it may have. Calls all cells at the same time. Returns the answers,
/// or a failure after all cells have answered.
async fn distribute<'c, I: Clone, T, F>(
    cells: &'c Cells,
    items: &[I],
    webhook_of: impl Fn(&I) -> WebhookId,
    ask: impl Fn(&'c Cell, Vec<I>) -> F,
) -> Result<Vec<T>, StoreError>
where
    F: Future<Output = Result<T, StoreError>>,
{
    let known: Vec<_> = items.iter().map(|item| cells.cell_of_subscription(webhook_of(item))).collect();
    let items_of = |cell: &Cell| -> Vec<_> {
        let is_possible = |known: &Option<CellName>| known.as_ref().is_none_or(|name| *name == cell.name);
        items.iter().zip(&known).filter(|(_, known)| is_possible(known)).map(|(item, _)| item.clone()).collect()
    };
    let shares = cells.open_cells().map(|cell| (cell, items_of(cell))).filter(|(_, share)| !share.is_empty());
    let pending: Vec<_> = shares.map(|(cell, share)| ask(cell, share)).collect();
    join_all(pending).await.into_iter().collect()
}
