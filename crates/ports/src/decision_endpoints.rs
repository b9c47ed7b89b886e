//! The endpoints of accounts that decide on card messages: how they are stored, and how they are asked.

use crate::{ClientClaim, Decide, StoreError, WriteError, Written};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use florin_domain::card::{
    DecisionEndpoint, DecisionQuestion, DecisionReply, EndpointChange, EndpointRefusal, NoReply,
};
use florin_domain::ids::{AccountId, EventId};
use florin_domain::webhook::{WebhookSecrets, WebhookUrl};
use std::sync::Arc;
use std::time::Duration;

/// A command to set, change or remove the endpoint of an account.
pub struct EndpointCommand {
    /// The account.
    pub account: AccountId,
    /// The rule, on the endpoint that the account has now.
    pub decide: Decide<Option<DecisionEndpoint>, Result<EndpointChange, EndpointRefusal>>,
    /// The idempotency claim, if the caller made one. A request whose answer contains a new secret has no stored answer:
    /// its repetition is refused with [`EndpointRefusal::ShownOnce`].
    pub claim: Option<ClientClaim<EndpointChange>>,
}

/// Stores the endpoints of accounts, at most one for each. [`crate::Accounts::find`] returns it with the account.
///
/// Promises: changes of one account's endpoint are decided sequentially, and a refusal changes nothing. An endpoint is no
/// part of a world's contents: a snapshot does not contain it, a restore leaves it as it is, and a copy has none. It is
/// deleted with its world.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait DecisionEndpoints: Send + Sync {
    /// Returns the endpoint of an account.
    async fn endpoint(&self, account: &AccountId) -> Result<Option<DecisionEndpoint>, StoreError>;

    /// Decides a change. `Absent`: no such account.
    async fn change_endpoint(
        &self,
        command: EndpointCommand,
    ) -> Result<Written<EndpointChange>, WriteError<EndpointRefusal>>;
}

/// A question to an endpoint.
#[derive(Clone, Debug)]
pub struct DecisionRequest {
    /// Where it is sent.
    pub url: WebhookUrl,
    /// How long the whole answer may take.
    pub time_limit: Duration,
    /// Identifies the question in its signature: the token of the message.
    pub message: EventId,
    /// What is asked.
    pub question: Arc<DecisionQuestion>,
    /// The body: the question as JSON.
    pub body: Arc<str>,
    /// What signs the body.
    pub secrets: Arc<WebhookSecrets>,
    /// The real time.
    pub at: DateTime<Utc>,
}

/// Asks endpoints.
///
/// Promises: a question is one POST to an address that receivers of webhooks may have, signed like a webhook, and is never
/// repeated. Redirects are not followed. The result arrives within the time limit, whatever the endpoint does. An account has
/// a bounded number of questions at once, so that its slow endpoint leaves room for others; further ones get
/// [`NoReply::TooMany`] at once. A reply with a part is within the question's amount.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait DecisionAsker: Send + Sync {
    /// Asks once.
    async fn ask(&self, request: DecisionRequest) -> Result<DecisionReply, NoReply>;
}
