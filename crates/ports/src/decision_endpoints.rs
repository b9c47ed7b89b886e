//! Decision endpoints of accounts: storing them, and sending questions to them.

use crate::{ClientClaim, Decide, StoreError, WriteError, Written};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use florin_domain::card::{
    DecisionEndpoint, DecisionQuestion, DecisionReply, EndpointChange, EndpointRefusal, NoDecision,
};
use florin_domain::ids::{AccountId, ClientId, EventId};
use florin_domain::webhook::{WebhookSecrets, WebhookUrl};
use std::sync::Arc;
use std::time::Duration;

/// A command to set, change or remove the endpoint of an account.
pub struct EndpointCommand {
    /// The account.
    pub account: AccountId,
    /// The rule. It receives the endpoint that the account has now.
    pub decide: Decide<Option<DecisionEndpoint>, Result<EndpointChange, EndpointRefusal>>,
    /// The idempotency claim, if the caller made one. A response that contains a new secret is not stored: a retry of
    /// its request is refused with [`EndpointRefusal::ShownOnce`].
    pub claim: Option<ClientClaim<EndpointChange>>,
}

/// Stores the decision endpoints of accounts, at most one for each. [`crate::Accounts::find`] returns an account with
/// its endpoint.
///
/// Promises: changes of one account's endpoint are decided sequentially, and a refusal changes nothing. An endpoint is
/// not part of a world's contents: a snapshot does not contain it, a restore does not change it, and a world that is
/// created from a snapshot has none. The endpoint of a world is deleted with the world.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait DecisionEndpoints: Send + Sync {
    /// Returns the endpoint of an account. `None`: it has none.
    async fn endpoint(&self, account: &AccountId) -> Result<Option<DecisionEndpoint>, StoreError>;

    /// Decides a change of the endpoint of an account. `Absent`: no such account.
    async fn change_endpoint(
        &self,
        command: EndpointCommand,
    ) -> Result<Written<EndpointChange>, WriteError<EndpointRefusal>>;
}

/// A question to a decision endpoint.
#[derive(Clone, Debug)]
pub struct DecisionRequest {
    /// The client that owns the account.
    pub client: ClientId,
    /// The URL of the endpoint.
    pub url: WebhookUrl,
    /// Maximum time from the start of the request to the end of the reply.
    pub time_limit: Duration,
    /// Identifies the question in its signature: the token of the message.
    pub id: EventId,
    /// The question.
    pub question: Arc<DecisionQuestion>,
    /// The body: the question as JSON.
    pub body: Arc<str>,
    /// The secrets that sign the body.
    pub secrets: Arc<WebhookSecrets>,
    /// The real time.
    pub at: DateTime<Utc>,
}

/// Sends questions to decision endpoints.
///
/// Promises: a question is one POST, signed like a webhook, and is never repeated. It is only sent to addresses that
/// receivers of webhooks may have. Redirects are not followed. The result arrives within the time limit, whatever the
/// endpoint does. The number of concurrent questions of an account is bounded, so that a slow endpoint leaves room for
/// other accounts; excess questions return [`NoDecision::TooMany`] immediately. Questions of one client do not delay
/// those of others, even if its name servers are slow. The amount of a partial approval never exceeds the amount of the
/// question.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait DecisionAsker: Send + Sync {
    /// Sends the question once, and returns the reply or the reason that there is none.
    async fn ask(&self, request: DecisionRequest) -> Result<DecisionReply, NoDecision>;
}
