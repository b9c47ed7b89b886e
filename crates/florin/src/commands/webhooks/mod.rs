//! `florin webhooks list|show|disable|enable`

mod rows;

use super::{Context, lookup};
use crate::machine::SystemClock;
use crate::output::{self, Rows};
use anyhow::anyhow;
use florin_application::set_webhook_enabled;
use florin_domain::access::{Account, ApiClient};
use florin_domain::ids::WebhookId;
use florin_domain::page::PageRequest;
use florin_domain::webhook::Webhook;
use florin_ports::{
    Accounts, Clock, CompleteStorage, Deliveries, DeliveryFilter, WaitingDeliveries, Webhooks, WriteError, Written,
};
use rows::{Details, Names, Row};

/// Number of deliveries that `show` prints: the last queued ones.
const SHOWN: i64 = 10;
/// Maximum number of attempts of each delivery that `show` reads.
const ATTEMPTS: u32 = 20;

/// Actions on webhooks.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Action {
    /// List webhooks with the deliveries that wait, in order of creation
    List(Filter),
    /// Show a webhook with its last deliveries
    Show(SubscriptionArgument),
    /// Disable a webhook: waiting deliveries pause, and new events are not queued. Its client may enable it again
    Disable(SubscriptionArgument),
    /// Enable a webhook: waiting deliveries continue
    Enable(SubscriptionArgument),
}

/// Selects webhooks.
#[derive(Debug, clap::Args)]
pub(crate) struct Filter {
    /// Only those of this client: id or name
    #[arg(long, value_name = "CLIENT")]
    client: Option<String>,
    /// Only those that get the events of this account: id or name
    #[arg(long, value_name = "ACCOUNT")]
    account: Option<String>,
    /// Only disabled ones
    #[arg(long)]
    disabled: bool,
}

/// One webhook.
#[derive(Debug, clap::Args)]
pub(crate) struct SubscriptionArgument {
    /// The id of the webhook
    #[arg(value_name = "WEBHOOK_ID", value_parser = id)]
    id: WebhookId,
}

fn id(text: &str) -> Result<WebhookId, String> {
    WebhookId::parse(text).map_err(|flaw| flaw.message.into_owned())
}

pub(super) async fn run(context: &Context, store: &dyn CompleteStorage, action: &Action) -> anyhow::Result<()> {
    match action {
        Action::List(filter) => list(context, store, filter).await,
        Action::Show(which) => show(context, store, which.id).await,
        Action::Disable(which) => set_enabled(context, store, which.id, false).await,
        Action::Enable(which) => set_enabled(context, store, which.id, true).await,
    }
}

async fn list(context: &Context, store: &dyn CompleteStorage, filter: &Filter) -> anyhow::Result<()> {
    let client = match &filter.client {
        Some(text) => Some(lookup::client(store, "--client", text).await?),
        None => None,
    };
    let account = match &filter.account {
        Some(text) => {
            let id = lookup::account(store, "--account", text).await?;
            Some(Accounts::find(store, &id).await?.ok_or_else(|| anyhow!("account {id} does not exist"))?)
        }
        None => None,
    };
    let gets = |webhook: &Webhook, account: &Account| {
        webhook.client == account.client && webhook.account.as_ref().is_none_or(|of| *of == account.id)
    };
    let is_selected = |webhook: &Webhook| {
        client.is_none_or(|client| webhook.client == client)
            && account.as_ref().is_none_or(|account| gets(webhook, account))
            && !(filter.disabled && webhook.state.is_enabled())
    };
    let (names, backlogs) = (names(store).await?, store.backlogs(None).await?);
    let selected = Webhooks::all(store).await?.into_iter().filter(is_selected);
    let row = |webhook: Webhook| Row::of(&webhook, backlogs.get(&webhook.id).copied().unwrap_or_default(), &names);
    let list = Rows { rows: selected.map(row).collect() };
    output::print_json_or_text(context.json, &list, || rows::table(&list.rows))
}

async fn show(context: &Context, store: &dyn CompleteStorage, id: WebhookId) -> anyhow::Result<()> {
    let webhook = find(store, id).await?;
    let filter = DeliveryFilter { status: None, event: None, from: None, to: None, attempts: ATTEMPTS };
    let last = Deliveries::log(store, id, filter, PageRequest { limit: SHOWN, offset: 0 }).await?;
    let row = Row::of(&webhook, waiting(store, id).await?, &names(store).await?);
    let details = Details::of(row, &webhook, &last.rows);
    output::print_json_or_text(context.json, &details, || details.text())
}

async fn set_enabled(
    context: &Context,
    store: &dyn CompleteStorage,
    id: WebhookId,
    enabled: bool,
) -> anyhow::Result<()> {
    let found = find(store, id).await?;
    // Read before the change, so that nothing can fail after it.
    let (waiting, names) = (waiting(store, id).await?, names(store).await?);
    let changed = match set_webhook_enabled(store, &found, enabled, SystemClock.now()).await {
        Ok(Written::New(changed)) => changed,
        Err(WriteError::Absent) => return Err(absent(id)),
        Err(WriteError::Store(error)) => return Err(error.into()),
        _ => return Err(anyhow!("webhook {id} cannot be changed")),
    };
    let state = if enabled { "Enabled" } else { "Disabled" };
    context.record_result(format!("webhook {id} of client {}: {}", found.client, state.to_lowercase()));
    let row = Row::of(&changed, waiting, &names);
    output::print_json_or_text(context.json, &row, || {
        format!("{state} webhook {id}; {} deliveries wait.", waiting.waiting)
    })
}

async fn find(store: &dyn CompleteStorage, id: WebhookId) -> anyhow::Result<Webhook> {
    let found = Webhooks::all(store).await?.into_iter().find(|webhook| webhook.id == id);
    found.ok_or_else(|| absent(id))
}

async fn waiting(store: &dyn CompleteStorage, id: WebhookId) -> anyhow::Result<WaitingDeliveries> {
    Ok(store.backlogs(Some(id)).await?.remove(&id).unwrap_or_default())
}

fn absent(id: WebhookId) -> anyhow::Error {
    anyhow!("webhook {id} does not exist; see `florin webhooks list`")
}

async fn names(store: &dyn CompleteStorage) -> anyhow::Result<Names> {
    let client = |client: ApiClient| (client.id, client.name);
    Ok(Names(store.clients().await?.into_iter().map(client).collect()))
}
