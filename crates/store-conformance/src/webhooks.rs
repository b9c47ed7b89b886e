//! Subscriptions and deliveries, and commands on them.

use crate::check::{CheckResult, Failure};
use crate::commands::{purchase, request};
use crate::expect::expect_new;
use crate::factory::Handle;
use crate::seed_data::{Who, noon, seed_store, uuid};
use chrono::{DateTime, TimeDelta, Utc};
use florin_domain::ids::{AccountId, EventId, LeaseId, WebhookId};
use florin_domain::page::PageRequest;
use florin_domain::test_support::a_webhook;
use florin_domain::webhook::{
    AttemptOutcome, AttemptRecord, DeliveryDecision, DeliveryStatus, Webhook, decide_redeliver,
};
use florin_ports::{
    AttemptEnd, ChangeWebhookCommand, ClaimDeliveriesCommand, ClaimedDelivery, ClientClaim, CreateWebhookCommand,
    DeliveryClaim, DeliveryFilter, IdempotencyKey, LoggedDelivery, RecordedBody, RecoverCommand, RedeliverCommand,
    StoredResponse, WebhookReach,
};
use std::sync::Arc;

/// Returns the id of a subscription.
pub(crate) const fn id(number: u128) -> WebhookId {
    WebhookId(uuid(71, number))
}

/// Returns the id of a lease.
pub(crate) const fn lease(number: u128) -> LeaseId {
    LeaseId(uuid(72, number))
}

/// Returns an enabled subscription to card messages.
pub(crate) fn webhook(who: Who, number: u128) -> Result<Webhook, Failure> {
    let (client, account) = (who.client(), Some(who.account()?));
    Ok(Webhook { id: id(number), client, account, created_at: noon(), updated_at: noon(), ..a_webhook() })
}

/// Returns the reach of a key for all accounts of a client.
pub(crate) fn reach(who: Who) -> WebhookReach {
    WebhookReach::of_client(who.client())
}

/// Returns the reach of a key of a client for one account.
pub(crate) fn account_reach(who: Who, account: AccountId) -> WebhookReach {
    WebhookReach { client: who.client(), accounts: Some([account].into()), has_accountless: false }
}

pub(crate) fn create(webhook: Webhook) -> CreateWebhookCommand {
    CreateWebhookCommand { webhook, decide: Arc::new(|_| Ok(())), claim: None }
}

/// Returns a command that stores this subscription.
pub(crate) fn change(who: Who, to: Webhook) -> ChangeWebhookCommand {
    let (id, decide) = (to.id, Arc::new(move |_: &Webhook| Ok(to.clone())));
    ChangeWebhookCommand { reach: reach(who), id, decide, claim: None, has_deadline: true }
}

/// Creates a subscription.
pub(crate) async fn subscribe(handle: &Handle, who: Who, number: u128) -> Result<Webhook, Failure> {
    expect_new(handle.webhooks.create(create(webhook(who, number)?)).await)
}

/// Returns an idempotency claim that belongs to a client, not to an account.
pub(crate) fn claimed<T>(
    who: Who,
    key: &str,
    body: &str,
    answer: Option<StoredResponse>,
) -> Result<ClientClaim<T>, Failure> {
    let mut recorded = request("{}");
    recorded.body = RecordedBody::Hash(body.to_owned());
    Ok(ClientClaim {
        client: who.client(),
        key: IdempotencyKey::parse(key.as_bytes())?,
        request: recorded,
        at: noon(),
        response: Arc::new(move |_| answer.clone()),
    })
}

/// Queues the deliveries of all events.
pub(crate) async fn fan_out(handle: &Handle) -> CheckResult {
    while !handle.deliveries.fan_out().await? {}
    Ok(())
}

/// Queues the deliveries of all events, and returns the subscriptions that may have deliveries to claim.
pub(crate) async fn due(handle: &Handle, now: DateTime<Utc>) -> Result<Vec<Webhook>, Failure> {
    fan_out(handle).await?;
    Ok(handle.deliveries.due(now).await?)
}

/// Queues the deliveries of all events, and claims some under a lease of one minute.
pub(crate) async fn claim(
    handle: &Handle,
    (webhook, number): (u128, u128),
    now: DateTime<Utc>,
    max: u32,
) -> Result<Vec<ClaimedDelivery>, Failure> {
    fan_out(handle).await?;
    let (lease, until) = (lease(number), now + TimeDelta::minutes(1));
    let command = ClaimDeliveriesCommand { webhook: id(webhook), lease, now, until, max };
    Ok(handle.deliveries.claim(command).await?.map(|claimed| claimed.deliveries).unwrap_or_default())
}

/// Returns the end of an attempt with a decision.
pub(crate) fn end(claimed: &ClaimedDelivery, status: u16, decision: DeliveryDecision) -> AttemptEnd {
    let outcome = AttemptOutcome {
        response: Ok(status),
        body: Some("ünïcode".into()),
        retry_after: None,
        took: TimeDelta::milliseconds(12),
    };
    AttemptEnd {
        claim: claimed.claim(),
        attempt: AttemptRecord { number: claimed.delivery.attempts, at: noon(), outcome },
        decide: Arc::new(move |_| decision.clone()),
    }
}

/// Returns a decision without effect on the subscription.
pub(crate) fn decision(status: DeliveryStatus, due_at: DateTime<Utc>) -> DeliveryDecision {
    DeliveryDecision { status, due_at: Some(due_at), disable: None, failing: None }
}

/// Returns the logged deliveries of a subscription.
pub(crate) async fn log(handle: &Handle, webhook: u128) -> Result<Vec<LoggedDelivery>, Failure> {
    Ok(handle.deliveries.log(id(webhook), everything(99), PageRequest::default()).await?.rows)
}

/// Selects all deliveries with some of their attempts.
pub(crate) const fn everything(attempts: u32) -> DeliveryFilter {
    DeliveryFilter { status: None, event: None, from: None, to: None, attempts }
}

/// Returns the subscription and the event of each claimed delivery.
pub(crate) fn keys(claims: &[ClaimedDelivery]) -> Vec<(WebhookId, EventId)> {
    claims.iter().map(|claim| (claim.delivery.webhook, claim.delivery.event)).collect()
}

/// Returns the claim of each claimed delivery.
pub(crate) fn delivery_claims(claims: &[ClaimedDelivery]) -> Vec<DeliveryClaim> {
    claims.iter().map(ClaimedDelivery::claim).collect()
}

/// Seeds the store, creates subscription 1 of my account, and pays this many times.
pub(crate) async fn seed_deliveries(handle: &Handle, payments: u128) -> CheckResult {
    seed_store(handle).await?;
    subscribe(handle, Who::Main, 1).await?;
    for number in 1..=payments {
        pay(handle, Who::Main, number).await?;
    }
    Ok(())
}

/// Pays with a card of an account.
pub(crate) async fn pay(handle: &Handle, who: Who, number: u128) -> CheckResult {
    expect_new(handle.cards.first_message(purchase(who, number, "1")?).await)?;
    Ok(())
}

/// Returns a command to send one of my events again.
pub(crate) fn redelivery(webhook: u128, event: EventId) -> RedeliverCommand {
    let decide = Arc::new(decide_redeliver);
    RedeliverCommand { reach: reach(Who::Main), webhook: id(webhook), event, now: noon(), decide, claim: None }
}

/// Returns a command to recover my events since a time.
pub(crate) fn recovery(webhook: u128, since: DateTime<Utc>) -> RecoverCommand {
    let decide = Arc::new(|_: &Webhook| Ok(()));
    RecoverCommand { reach: reach(Who::Main), webhook: id(webhook), since, now: noon(), decide, claim: None }
}
