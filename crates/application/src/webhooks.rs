//! Manages subscriptions to events.

use crate::WebhookServices;
use crate::access::reached_accounts;
use chrono::{DateTime, Utc};
use florin_domain::access::{Account, Caller, Environment};
use florin_domain::event::EventKind;
use florin_domain::ids::{AccountId, EventId, WebhookId};
use florin_domain::page::{Page, PageRequest};
use florin_domain::secret::{SealedSecret, SecretOwner};
use florin_domain::webhook::{
    CheckoutIds, DeliveredEvent, Delivery, OverlapHours, SigningSecret, Webhook, WebhookChange, WebhookRefusal,
    WebhookSecrets, WebhookState, WebhookUrl, decide_create_webhook, decide_recover, decide_redeliver,
};
use florin_ports::{
    Accounts, ChangeWebhookCommand, ClientClaim, CreateWebhookCommand, KeySource, RecoverCommand, RedeliverCommand,
    SecretError, StoreError, TestWebhookCommand, WebhookReach, Webhooks, WriteError, Written,
};
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// Maximum number of attempts at a change of secrets. An attempt fails if another request changes the subscription
/// meanwhile.
const ATTEMPTS: u32 = 5;

/// A client's request for a subscription.
#[derive(Clone, Debug)]
pub struct NewWebhook {
    /// The account whose events are delivered. `None`: all accounts of the client.
    pub account: Option<Account>,
    /// Whether events are delivered.
    pub enabled: bool,
    /// The URL of the receiver.
    pub url: WebhookUrl,
    /// The name of the event type, as the client wrote it.
    pub type_name: String,
    /// The event type.
    pub kind: EventKind,
    /// The checkouts whose events are delivered. `None`: all.
    pub filter: Option<CheckoutIds>,
    /// Whether an event that can't be delivered holds back later events of the same object.
    pub ordered: bool,
    /// The client's secret for the header `x-em-signature`.
    pub shared: Option<String>,
    /// The `Authorization` header of deliveries.
    pub authorization: Option<String>,
}

/// A client's request to change a subscription.
#[derive(Clone, Debug, Default)]
pub struct WebhookEdit {
    /// The changes that do not affect secrets.
    pub change: WebhookChange,
    /// The new `Authorization` header of deliveries. `None`: unchanged. `Some(None)`: removed.
    pub authorization: Option<Option<String>>,
}

/// A new signing secret, which is shown once, and the time at which the previous one ends.
pub type RotatedSecret = (SigningSecret, Option<DateTime<Utc>>);

/// Returns the subscriptions that a caller may use: those of `account` if it is given (without checking access to it),
/// else those of all accounts that the key reaches. A key for all accounts of its client also reaches subscriptions
/// without an account, whichever account is given: they belong to all accounts of the client.
pub fn webhook_reach(caller: &Caller, account: Option<&AccountId>) -> WebhookReach {
    WebhookReach {
        client: caller.client.id,
        accounts: reached_accounts(caller, account),
        has_accountless: caller.key.reaches_all_accounts(),
    }
}

/// Lists the subscriptions in reach, oldest first. A list for some accounts has no subscriptions without an account.
pub async fn list_webhooks(
    services: &WebhookServices,
    reach: WebhookReach,
    page: PageRequest,
) -> Result<Page<Webhook>, StoreError> {
    let has_accountless = reach.has_accountless && reach.accounts.is_none();
    services.webhooks.list(WebhookReach { has_accountless, ..reach }, page).await
}

/// Returns the current time of an account. `None`: the real time.
fn now_of(services: &WebhookServices, account: Option<&Account>) -> DateTime<Utc> {
    account.map_or_else(|| services.time.real_now(), |account| services.time.now_of(account))
}

/// Returns the current time of a subscription: its account's time. Without a subscription or an account, the real time.
pub async fn webhook_time(services: &WebhookServices, webhook: Option<&Webhook>) -> Result<DateTime<Utc>, StoreError> {
    let account = match webhook.and_then(|webhook| webhook.account.as_ref()) {
        Some(account) => services.accounts.find(account).await?,
        None => None,
    };
    Ok(now_of(services, account.as_ref()))
}

/// Returns a new random signing secret.
pub(crate) fn new_signing_secret(keys: &dyn KeySource, environment: Environment) -> Result<SigningSecret, StoreError> {
    let random = keys.new_key(environment)?;
    Ok(SigningSecret::new(Sha256::digest(random.as_bytes()).to_vec()))
}

fn seal(services: &WebhookServices, id: WebhookId, secrets: &WebhookSecrets) -> Result<SealedSecret, SecretError> {
    services.cipher.seal(&SecretOwner::Webhook(id), &secrets.encode())
}

/// Creates a subscription, and returns it with its signing secret.
pub async fn subscribe(
    services: &WebhookServices,
    caller: &Caller,
    new: NewWebhook,
    claim: Option<ClientClaim<Webhook>>,
) -> Result<(Written<Webhook>, SigningSecret), WriteError<WebhookRefusal>> {
    let now = now_of(services, new.account.as_ref());
    let id = WebhookId(services.time.real_id());
    let signing = new_signing_secret(services.keys.as_ref(), services.environment)?;
    let secrets = WebhookSecrets::new(signing, new.shared, new.authorization);
    let webhook = Webhook {
        id,
        client: caller.client.id,
        account: new.account.map(|account| account.id),
        state: if new.enabled { WebhookState::Enabled } else { WebhookState::Disabled { at: now, reason: None } },
        url: new.url,
        type_name: new.type_name,
        kind: new.kind,
        filter: new.filter,
        ordered: new.ordered,
        secrets: seal(services, id, &secrets).map_err(StoreError::from)?,
        failing: None,
        created_at: now,
        updated_at: now,
        resumptions: 0,
    };
    let decide = Arc::new(|existing: &u32| decide_create_webhook(*existing));
    let written = services.webhooks.create(CreateWebhookCommand { webhook, decide, claim }).await?;
    Ok((written, secrets.current))
}

/// Changes a subscription.
pub async fn edit_webhook(
    services: &WebhookServices,
    (reach, id): (WebhookReach, WebhookId),
    edit: WebhookEdit,
    claim: Option<ClientClaim<Webhook>>,
) -> Result<Written<Webhook>, WriteError<WebhookRefusal>> {
    let Some(authorization) = edit.authorization else {
        let found = services.webhooks.find(reach.clone(), id).await?;
        let (change, now) = (edit.change, webhook_time(services, found.as_ref()).await?);
        let decide = Arc::new(move |webhook: &Webhook| webhook.changed(change.clone(), now));
        let command = ChangeWebhookCommand { reach, id, decide, claim, has_deadline: true };
        return services.webhooks.change(command).await;
    };
    change_secrets(services, (reach, id), edit.change, claim, |secrets| {
        Ok((WebhookSecrets { authorization: authorization.clone(), ..secrets.clone() }, ()))
    })
    .await
    .map(|(written, _)| written)
}

/// Enables or disables a subscription on behalf of the operator. The effect is the same as that of a change by the
/// client.
pub async fn set_webhook_enabled(
    store: &(impl Webhooks + Accounts + ?Sized),
    webhook: &Webhook,
    enabled: bool,
    real_now: DateTime<Utc>,
) -> Result<Written<Webhook>, WriteError<WebhookRefusal>> {
    let account = match &webhook.account {
        Some(account) => Accounts::find(store, account).await?,
        None => None,
    };
    let now = account.map_or(real_now, |account| account.timeline.clock.now(real_now));
    let change = WebhookChange { enabled: Some(enabled), ..WebhookChange::default() };
    let decide = Arc::new(move |webhook: &Webhook| webhook.changed(change.clone(), now));
    let reach = WebhookReach::of_client(webhook.client);
    let command = ChangeWebhookCommand { reach, id: webhook.id, decide, claim: None, has_deadline: false };
    Webhooks::change(store, command).await
}

/// Replaces the signing secret of a subscription. Returns the new secret, and when the previous one ends.
pub async fn rotate_webhook_secret(
    services: &WebhookServices,
    (reach, id): (WebhookReach, WebhookId),
    overlap: OverlapHours,
    claim: Option<ClientClaim<Webhook>>,
) -> Result<(Written<Webhook>, RotatedSecret), WriteError<WebhookRefusal>> {
    // Signatures use real time.
    let until = overlap.after(services.time.real_now());
    change_secrets(services, (reach, id), WebhookChange::default(), claim, |secrets| {
        let new = new_signing_secret(services.keys.as_ref(), services.environment)?;
        Ok((secrets.rotated(new.clone(), until), (new, until)))
    })
    .await
    .and_then(|(written, secret)| Ok((written, secret.ok_or(WriteError::Absent)?)))
}

/// Changes the secrets of a subscription. `work` returns the new secrets, and a value for the caller. Secrets are
/// decrypted before the change, so the change is tried again if another request changes them meanwhile.
async fn change_secrets<T>(
    services: &WebhookServices,
    (reach, id): (WebhookReach, WebhookId),
    change: WebhookChange,
    claim: Option<ClientClaim<Webhook>>,
    work: impl Fn(&WebhookSecrets) -> Result<(WebhookSecrets, T), StoreError>,
) -> Result<(Written<Webhook>, Option<T>), WriteError<WebhookRefusal>> {
    let mut attempt = 1;
    loop {
        let Some(seen) = services.webhooks.find(reach.clone(), id).await? else {
            // The command runs even without a subscription: an earlier request with the same idempotency key may have a
            // stored response.
            let decide = Arc::new(|_: &Webhook| Err(WebhookRefusal::Changed));
            let command = ChangeWebhookCommand { reach, id, decide, claim, has_deadline: true };
            return services.webhooks.change(command).await.map(|written| (written, None));
        };
        let (secrets, done) = work(&open_secrets(services.cipher.as_ref(), &seen)?)?;
        let sealed = seal(services, id, &secrets).map_err(StoreError::from)?;
        let now = webhook_time(services, Some(&seen)).await?;
        let change = WebhookChange { secrets: Some(sealed), ..change.clone() };
        let decide = Arc::new(move |webhook: &Webhook| {
            if webhook.secrets == seen.secrets {
                webhook.changed(change.clone(), now)
            } else {
                Err(WebhookRefusal::Changed)
            }
        });
        let (reach, claim) = (reach.clone(), claim.clone());
        let command = ChangeWebhookCommand { reach, id, decide, claim, has_deadline: true };
        match services.webhooks.change(command).await {
            Err(WriteError::Refused(WebhookRefusal::Changed)) if attempt < ATTEMPTS => attempt += 1,
            Err(error) => return Err(error),
            Ok(written) => return Ok((written, Some(done))),
        }
    }
}

/// Decrypts the secrets of a subscription.
pub(crate) fn open_secrets(
    cipher: &dyn florin_ports::SecretCipher,
    webhook: &Webhook,
) -> Result<WebhookSecrets, StoreError> {
    let owner = SecretOwner::Webhook(webhook.id);
    let secrets = WebhookSecrets::decode(&cipher.open(&owner, &webhook.secrets)?);
    secrets.ok_or_else(|| SecretError::Damaged(owner).into())
}

/// Deletes a subscription.
pub async fn unsubscribe(
    services: &WebhookServices,
    (reach, id): (WebhookReach, WebhookId),
    claim: Option<ClientClaim<()>>,
) -> Result<Written<()>, WriteError<WebhookRefusal>> {
    services.webhooks.delete(reach, id, services.time.real_now(), claim).await
}

/// Sends an event to the subscription again.
pub async fn redeliver(
    services: &WebhookServices,
    (reach, webhook): (WebhookReach, WebhookId),
    event: EventId,
    claim: Option<ClientClaim<()>>,
) -> Result<Written<()>, WriteError<WebhookRefusal>> {
    let (now, decide) = (services.time.real_now(), Arc::new(decide_redeliver));
    services.deliveries.redeliver(RedeliverCommand { reach, webhook, event, now, decide, claim }).await
}

/// Sends all events since a given time again, unless they were delivered. Returns the number of events.
pub async fn recover(
    services: &WebhookServices,
    (reach, webhook): (WebhookReach, WebhookId),
    since: DateTime<Utc>,
    claim: Option<ClientClaim<u64>>,
) -> Result<Written<u64>, WriteError<WebhookRefusal>> {
    let found = services.webhooks.find(reach.clone(), webhook).await?;
    let webhook_now = webhook_time(services, found.as_ref()).await?;
    let decide = Arc::new(move |webhook: &Webhook| decide_recover(webhook, since, webhook_now));
    let now = services.time.real_now();
    services.deliveries.recover(RecoverCommand { reach, webhook, since, now, decide, claim }).await
}

/// A test event to be sent.
#[derive(Clone, Debug)]
pub struct TestEvent {
    /// The id of the event.
    pub id: EventId,
    /// The account that the event names.
    pub account: AccountId,
    /// The body.
    pub body: String,
    /// The current time of the account.
    pub now: DateTime<Utc>,
}

/// Sends a test event.
pub async fn test_webhook(
    services: &WebhookServices,
    (reach, webhook): (WebhookReach, WebhookId),
    test: TestEvent,
    claim: Option<ClientClaim<EventId>>,
) -> Result<Written<EventId>, WriteError<WebhookRefusal>> {
    let TestEvent { id, account, now: at, .. } = test;
    let event = DeliveredEvent { id, account, object: id.0, sequence: 0, at };
    let delivery = Delivery { is_test: true, ..Delivery::new(webhook, event) };
    let (now, decide) = (services.time.real_now(), Arc::new(Webhook::must_be_enabled));
    let command = TestWebhookCommand { reach, delivery, body: test.body, now, decide, claim };
    services.deliveries.test(command).await
}
