//! Asks the decision endpoint of an account about a card message.

use crate::Services;
use crate::decision_services::QuestionToRender;
use async_trait::async_trait;
use florin_domain::access::Account;
use florin_domain::card::decide::CardRefusal;
use florin_domain::card::{
    CardTransaction, DecisionEndpoint, DecisionQuestion, DecisionReply, EndpointDecision, NoDecision, Verdict,
};
use florin_domain::ids::{ClientId, EventId, TransactionToken};
use florin_domain::secret::SecretOwner;
use florin_domain::webhook::WebhookSecrets;
use florin_ports::{DecisionRequest, Mode, SecretCipher, SecretError, StoreError, WriteError, Written};
use std::sync::Arc;

/// The right of a request to work on its account. As long as a request has it, restores and deletions of the account's
/// world wait.
#[async_trait]
pub trait ReleasableGuard: Send + Sync {
    /// Releases the right.
    fn release(&self);

    /// Acquires the right again. Waits while a restore or deletion is in progress, and for a moment if many requests of
    /// the account do this at the same time.
    async fn reacquire(&self);
}

/// A sender of card messages: the account, and the right of the request to work on it.
#[derive(Clone, Copy)]
pub struct MessageSender<'a> {
    /// The account.
    pub account: &'a Account,
    /// The right to work on the account. `None`: restores do not wait for the request.
    pub guard: Option<&'a dyn ReleasableGuard>,
}

impl<'a> From<&'a Account> for MessageSender<'a> {
    fn from(account: &'a Account) -> Self {
        Self { account, guard: None }
    }
}

/// The decision with which one pass of a command runs. A command has a second pass if the endpoint was asked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DecisionPass {
    /// The decision, or the reason that there is none.
    pub(crate) endpoint_decision: EndpointDecision,
    /// The token that the question contained for the message. `None`: no question was sent.
    pub(crate) token: Option<TransactionToken>,
}

/// Runs the command of a card message. If the account has an enabled endpoint, the command first runs without a
/// decision. The result is the stored response of an earlier request with the same idempotency key, a decline or a
/// refusal by a rule of Florin, or a question. A question is sent to the endpoint. Meanwhile no lock is held, and the
/// guard on the account is released. Then the command runs again, with the decision. If the world was restored or
/// replaced meanwhile, the message is refused instead.
pub(crate) async fn consult(
    services: &Services,
    MessageSender { account, guard }: MessageSender<'_>,
    mode: Mode,
    run: impl AsyncFn(DecisionPass) -> Result<Written<CardTransaction>, WriteError<CardRefusal>>,
) -> Result<Written<CardTransaction>, WriteError<CardRefusal>> {
    let Some(endpoint) = account.decision_endpoint.as_ref().filter(|endpoint| endpoint.settings.enabled) else {
        return run(DecisionPass { endpoint_decision: EndpointDecision::Off, token: None }).await;
    };
    let question = match run(DecisionPass { endpoint_decision: EndpointDecision::Due, token: None }).await {
        Err(WriteError::Refused(CardRefusal::EndpointNotAsked(question))) => question,
        other => return other,
    };
    let token = question.message.token;
    if let Some(guard) = guard {
        guard.release();
    }
    let verdict = ask(services, account.client, endpoint, *question, mode).await;
    if let Some(guard) = guard {
        guard.reacquire().await;
    }
    let verdict = verdict?;
    if !is_same_world(services, account).await? {
        return Err(WriteError::Refused(CardRefusal::WorldRestored));
    }
    run(DecisionPass { endpoint_decision: EndpointDecision::Decided(verdict), token: Some(token) }).await
}

/// Returns whether the world of an account is still in the epoch in which the account was read. An account that is not
/// a world is always the same.
async fn is_same_world(services: &Services, account: &Account) -> Result<bool, StoreError> {
    if account.epoch == 0 {
        return Ok(true);
    }
    services.accounts.forget(&account.id);
    let current = services.accounts.find(&account.id).await?;
    Ok(current.is_some_and(|current| current.epoch == account.epoch))
}

/// Asks the endpoint, and returns its decision. If it does not reply, the account's fallback decides.
async fn ask(
    services: &Services,
    client: ClientId,
    endpoint: &DecisionEndpoint,
    question: DecisionQuestion,
    mode: Mode,
) -> Result<Verdict, StoreError> {
    let (decisions, settings) = (&services.decisions, &endpoint.settings);
    let id = EventId(question.message.token.0);
    let to_render = QuestionToRender { id, question: &question, is_dry_run: mode == Mode::DryRun };
    let body = (decisions.render)(to_render)?.into();
    let request = DecisionRequest {
        client,
        url: settings.url.clone(),
        time_limit: settings.time_limit.duration(),
        id,
        question: Arc::new(question),
        body,
        secrets: Arc::new(open_secrets(services.cipher.as_ref(), endpoint)?),
        // Signatures use real time.
        at: services.time.real_now(),
    };
    let reply = decisions.asker.ask(request).await;
    (decisions.observe)(match reply {
        Ok(DecisionReply::Approve) => "approve",
        Ok(DecisionReply::Decline(_)) => "decline",
        Ok(DecisionReply::Partial(_)) => "partial",
        Err(reason) => reason.as_str(),
    });
    Ok(verdict(endpoint, reply))
}

const fn verdict(endpoint: &DecisionEndpoint, reply: Result<DecisionReply, NoDecision>) -> Verdict {
    match reply {
        Ok(reply) => Verdict::Reply(reply),
        Err(reason) => Verdict::Fallback { fallback: endpoint.settings.fallback, reason },
    }
}

/// Decrypts the secrets of an endpoint.
pub(crate) fn open_secrets(
    cipher: &dyn SecretCipher,
    endpoint: &DecisionEndpoint,
) -> Result<WebhookSecrets, StoreError> {
    let owner = SecretOwner::Decisions(endpoint.account.clone());
    let secrets = WebhookSecrets::decode(&cipher.open(&owner, &endpoint.secrets)?);
    secrets.ok_or_else(|| SecretError::Damaged(owner).into())
}
