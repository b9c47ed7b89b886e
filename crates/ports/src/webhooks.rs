//! Subscriptions to events.

use crate::{Decide, IdempotencyKey, RecordedRequest, StoreError, StoredResponse, WriteError, Written};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use florin_domain::ids::{AccountId, ClientId, WebhookId};
use florin_domain::page::{Page, PageRequest};
use florin_domain::webhook::{Webhook, WebhookRefusal};
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

/// An idempotency claim of a request that belongs to a client, not to an account.
///
/// Its record is stored like that of an [`crate::IdempotencyClaim`]. A response that contains a new secret is not
/// stored: a retry of its request is refused with [`WebhookRefusal::ShownOnce`].
#[derive(Clone)]
pub struct ClientClaim<T> {
    /// The API client.
    pub client: ClientId,
    /// The key.
    pub key: IdempotencyKey,
    /// The request.
    pub request: RecordedRequest,
    /// The current real time.
    pub at: DateTime<Utc>,
    /// Creates the response to store; `None` if it must not be shown again.
    pub response: ResponseIfStored<T>,
}

/// A function that creates the response to store; `None` if it must not be shown again.
pub type ResponseIfStored<T> = Arc<dyn Fn(&T) -> Option<StoredResponse> + Send + Sync>;

impl<T> fmt::Debug for ClientClaim<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientClaim").field("client", &self.client).field("key", &self.key).finish_non_exhaustive()
    }
}

/// The subscriptions that a caller may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookReach {
    /// The client, which owns the subscriptions.
    pub client: ClientId,
    /// The accounts whose subscriptions are in reach. `None`: all accounts of the client.
    pub accounts: Option<BTreeSet<AccountId>>,
    /// Whether subscriptions without an account are in reach.
    pub has_accountless: bool,
}

impl WebhookReach {
    /// Returns the reach of all subscriptions of a client.
    pub const fn of_client(client: ClientId) -> Self {
        Self { client, accounts: None, has_accountless: true }
    }

    /// Returns whether all subscriptions of the client are in reach.
    pub const fn is_of_client(&self) -> bool {
        self.accounts.is_none() && self.has_accountless
    }

    /// Returns whether a subscription is in reach.
    pub fn includes(&self, webhook: &Webhook) -> bool {
        let is_in_reach = match (&webhook.account, &self.accounts) {
            (None, _) => self.has_accountless,
            (Some(_), None) => true,
            (Some(account), Some(accounts)) => accounts.contains(account),
        };
        webhook.client == self.client && is_in_reach
    }
}

/// A command to create a subscription.
pub struct CreateWebhookCommand {
    /// The subscription.
    pub webhook: Webhook,
    /// The rule. It receives the number of subscriptions that the client has.
    pub decide: Decide<u32, Result<(), WebhookRefusal>>,
    /// The idempotency claim, if the caller made one.
    pub claim: Option<ClientClaim<Webhook>>,
}

/// A command to change a subscription.
pub struct ChangeWebhookCommand {
    /// The subscriptions that the caller reaches.
    pub reach: WebhookReach,
    /// The subscription.
    pub id: WebhookId,
    /// The rule. It returns the changed subscription.
    pub decide: Decide<Webhook, Result<Webhook, WebhookRefusal>>,
    /// The idempotency claim, if the caller made one.
    pub claim: Option<ClientClaim<Webhook>>,
    /// Whether the change may fail with [`StoreError::Overloaded`] if very many events are not queued yet. Otherwise
    /// it waits for as long as it takes.
    pub has_deadline: bool,
}

/// Stores subscriptions. Each call is one transaction. A subscription outside the reach is absent. This applies to
/// retries under an idempotency key, too: their stored response is not returned.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait Webhooks: Send + Sync {
    /// Creates a subscription. Concurrent creations are decided sequentially, so the rule always receives the current
    /// number of subscriptions.
    async fn create(&self, command: CreateWebhookCommand) -> Result<Written<Webhook>, WriteError<WebhookRefusal>>;

    /// Changes a subscription. `Absent`: no such subscription.
    async fn change(&self, command: ChangeWebhookCommand) -> Result<Written<Webhook>, WriteError<WebhookRefusal>>;

    /// Deletes a subscription at a real time. The subscription and its deliveries are no longer visible, and nothing
    /// more is sent. `Absent`: no such subscription.
    async fn delete(
        &self,
        reach: WebhookReach,
        id: WebhookId,
        now: DateTime<Utc>,
        claim: Option<ClientClaim<()>>,
    ) -> Result<Written<()>, WriteError<WebhookRefusal>>;

    /// Returns a subscription. `None`: no such subscription in reach.
    async fn find(&self, reach: WebhookReach, id: WebhookId) -> Result<Option<Webhook>, StoreError>;

    /// Lists the subscriptions in reach, oldest first, then by id.
    async fn list(&self, reach: WebhookReach, page: PageRequest) -> Result<Page<Webhook>, StoreError>;

    /// Returns the subscriptions of all clients, oldest first, then by id. For operators.
    async fn all(&self) -> Result<Vec<Webhook>, StoreError>;
}
