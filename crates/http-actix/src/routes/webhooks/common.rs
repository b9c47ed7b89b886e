//! Shared parts of the operations on subscriptions.

use crate::call::Call;
use crate::declare::{OptionalAccountParameter, parameters};
use crate::extract::body;
use crate::idempotency::{canonical, client_claim};
use crate::json::Document;
use crate::problem::{Problem, expect_valid};
use crate::state::App;
use actix_web::HttpRequest;
use actix_web::web::Payload;
use florin_application::{Requirement, webhook_reach};
use florin_domain::access::Scope;
use florin_domain::ids::{EventId, WebhookId};
use florin_ports::{ClientClaim, IdempotencyKey, StoredResponse, WebhookReach};

pub(super) const READ: Requirement = Requirement::of(Scope::WebhooksRead);
pub(super) const WRITE: Requirement = Requirement::of(Scope::WebhooksWrite);
/// The path parameter and the kind of object in the 404 for a subscription.
pub(super) const WEBHOOK: (&str, &str) = ("path.webhookId", "webhook");

parameters! {
    /// Path parameter: a subscription.
    pub(crate) struct WebhookPath in Path {
        /// The id of the subscription.
        "webhookId" => id: WebhookId,
    }
}

parameters! {
    /// Path parameter: an event.
    pub(crate) struct MessagePath in Path {
        /// The id of the event.
        "messageId" => id: EventId,
    }
}

/// Finishes reading a request that may name an account. Returns the subscriptions that the caller may use, or all
/// faults as an error.
pub(super) async fn reach(
    call: &mut Call<'_>,
    account: Option<OptionalAccountParameter>,
) -> Result<WebhookReach, Problem> {
    let account = if let Some(id) = account.and_then(|account| account.id) {
        Some(call.account(Some(id)).await?.id)
    } else {
        call.finish_reading()?;
        None
    };
    Ok(webhook_reach(&call.caller, account.as_ref()))
}

/// Finishes reading a request about the subscription in the path. Returns the reach and the id of the subscription, or
/// all faults as an error.
pub(super) async fn reach_and_id(call: &mut Call<'_>) -> Result<(WebhookReach, WebhookId), Problem> {
    let path = call.read::<WebhookPath>();
    let account = call.read::<OptionalAccountParameter>();
    Ok((reach(call, account).await?, expect_valid(path)?.id))
}

/// A write on the subscription in the path. Its body is parsed as JSON, but not validated yet.
pub(super) struct WebhookWrite<'a> {
    pub(super) call: Call<'a>,
    pub(super) document: Option<Document>,
    key: Option<IdempotencyKey>,
    path: Option<WebhookPath>,
    account: Option<OptionalAccountParameter>,
}

impl<'a> WebhookWrite<'a> {
    /// Starts a write: checks the credentials, parses the body as JSON, and reads the parameters.
    pub(super) async fn enter(app: &'a App, request: &'a HttpRequest, payload: Payload) -> Result<Self, Problem> {
        let mut call = Call::enter(app, request, &WRITE).await?;
        let document = body::json(request, payload).await?;
        let key = call.idempotency_key();
        let (path, account) = (call.read(), call.read());
        Ok(Self { call, document, key, path, account })
    }

    /// Starts a write like [`Self::enter`], for an operation without a body.
    pub(super) async fn enter_without_body(
        app: &'a App,
        request: &'a HttpRequest,
        payload: Payload,
    ) -> Result<Self, Problem> {
        let mut call = Call::enter(app, request, &WRITE).await?;
        call.no_body(payload).await?;
        let key = call.idempotency_key();
        let (path, account) = (call.read(), call.read());
        Ok(Self { call, document: None, key, path, account })
    }

    /// Finishes reading. Returns the subscription and the claim of the request, or all faults as an error.
    pub(super) async fn finish<T: 'static>(
        &mut self,
        render: impl Fn(&T) -> Option<StoredResponse> + Send + Sync + 'static,
    ) -> Result<((WebhookReach, WebhookId), Option<ClientClaim<T>>), Problem> {
        let reach = reach(&mut self.call, self.account.take()).await?;
        let id = expect_valid(self.path.take())?.id;
        let body = canonical(self.document.as_ref())?;
        let claim = self.key.take().map(|key| client_claim(&self.call, key, &body, render));
        Ok(((reach, id), claim))
    }
}
