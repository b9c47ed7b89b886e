//! `PATCH /v2/webhooks/{webhookId}` (contract 6.2)

use super::bodies::{AuthorizationHeader, FiltersBody, ReceiverUrl};
use super::common::{WEBHOOK, WRITE, WebhookPath, WebhookWrite};
use crate::declare::{Clearable, IdempotencyKeyHeader, OptionalAccountParameter, body};
use crate::idempotency::execute_for_client;
use crate::mapping::webhook_problem;
use crate::problem::{Problem, expect_valid};
use crate::reply::answer;
use crate::routes::error_sets::EditWebhookErrors;
use crate::state::App;
use crate::views::WebhookView;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::{WebhookEdit, edit_webhook};
use florin_domain::webhook::{Webhook, WebhookChange};
use florin_ports::StoredResponse;

body! {
    /// The changes. Omitted members keep their values.
    pub(crate) struct EditWebhookBody as "EditWebhookRequest" {
        /// Whether events are delivered. If `false`, waiting deliveries pause, and new events are not queued.
        #[example(true)]
        "enabled" => enabled: Option<bool>,
        /// The URL of the new receiver. Retries use it, too.
        "url" => url: Option<ReceiverUrl>,
        /// The new `Authorization` header of deliveries; null removes it.
        "authorizationHeader" => authorization: Clearable<AuthorizationHeader>,
        /// The new filter, for Merchant types only; null removes it.
        "filters" => filters: Clearable<FiltersBody>,
        /// Whether an event with failed attempts holds back later events of the same object until it is delivered or
        /// exhausted.
        "ordered" => ordered: Option<bool>,
    }
}

/// Changes a subscription.
///
/// Enabling a subscription resumes its waiting deliveries. Florin extension.
#[utoipa::path(patch, path = "/v2/webhooks/{webhookId}", tag = "Webhooks", operation_id = "updateWebhook",
    security(("apiKey" = [WRITE.scope])),
    request_body = EditWebhookBody,
    params(WebhookPath, OptionalAccountParameter, IdempotencyKeyHeader),
    responses((status = 200, description = "The subscription.", body = WebhookView), EditWebhookErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut write = WebhookWrite::enter(&app, &request, payload).await?;
    let body = write.call.read_body::<EditWebhookBody>(write.document.as_ref())?;
    let (webhook, claim) = write.finish(render).await?;
    let body = expect_valid(body)?;
    let change = WebhookChange {
        enabled: body.enabled,
        url: body.url.map(|url| url.0),
        filter: body.filters.changed().map(|filters| filters.map(Into::into)),
        ordered: body.ordered,
        secrets: None,
    };
    let authorization = body.authorization.changed().map(|header| header.map(|header| header.0));
    let edit = WebhookEdit { change, authorization };
    execute_for_client(claim, WEBHOOK, webhook_problem, render, async |claim| {
        edit_webhook(&app.webhooks, webhook, edit, claim).await
    })
    .await
}

#[expect(clippy::unnecessary_wraps, reason = "for some other requests, no response is stored")]
fn render(webhook: &Webhook) -> Option<StoredResponse> {
    Some(answer(StatusCode::OK, &WebhookView::from(webhook)))
}
