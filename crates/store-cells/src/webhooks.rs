//! Subscriptions to events.

use crate::Cells;
use crate::routes::routes;
use chrono::{DateTime, Utc};
use florin_domain::ids::WebhookId;
use florin_domain::page::{Page, PageRequest};
use florin_domain::webhook::{Webhook, WebhookRefusal};
use florin_ports::{
    ChangeWebhookCommand, ClientClaim, CreateWebhookCommand, StoreError, WebhookReach, Webhooks, WriteError, Written,
};

routes! { Webhooks:
    create(command: CreateWebhookCommand) -> Result<Written<Webhook>, WriteError<WebhookRefusal>>
        => [client(command.webhook.client)];
    change(command: ChangeWebhookCommand) -> Result<Written<Webhook>, WriteError<WebhookRefusal>>
        => [client(command.reach.client)];
    delete(
        reach: WebhookReach,
        id: WebhookId,
        now: DateTime<Utc>,
        claim: Option<ClientClaim<()>>
    ) -> Result<Written<()>, WriteError<WebhookRefusal>>
        => [client(reach.client)];
    find(reach: WebhookReach, id: WebhookId) -> Result<Option<Webhook>, StoreError> => [with(find)];
    list(reach: WebhookReach, page: PageRequest) -> Result<Page<Webhook>, StoreError> => [client(reach.client)];
    all() -> Result<Vec<Webhook>, StoreError> => [with(all)];
}

/// Finds a subscription, and remembers its cell: from then on, only that cell is asked for its deliveries.
async fn find(cells: &Cells, reach: WebhookReach, id: WebhookId) -> Result<Option<Webhook>, StoreError> {
    let cell = cells.client(reach.client).await?;
    let found = Webhooks::find(&*cell.store, reach, id).await;
    if let Ok(found) = &found {
        cells.remember_subscriptions(found.iter().map(|webhook| webhook.id), &cell.name);
    }
    cells.confirm(cell).await?;
    found
}

async fn all(cells: &Cells) -> Result<Vec<Webhook>, StoreError> {
    let of_cells = cells.ask_all(|store| async move { Webhooks::all(&*store).await }).await?;
    let mut webhooks: Vec<_> = of_cells.into_iter().flatten().collect();
    webhooks.sort_by_key(|webhook| (webhook.created_at, webhook.id));
    Ok(webhooks)
}
