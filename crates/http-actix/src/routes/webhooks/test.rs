//! `POST /v2/webhooks/{webhookId}/test` (contract 6.2)

use super::common::{WEBHOOK, WRITE, WebhookPath, WebhookWrite};
use super::samples;
use crate::declare::{IdempotencyKeyHeader, OptionalAccountParameter};
use crate::idempotency::execute_for_client;
use crate::mapping::webhook_problem;
use crate::problem::Problem;
use crate::reply::answer;
use crate::routes::error_sets::TestWebhookErrors;
use crate::state::App;
use crate::views::QueuedEventView;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::{test_webhook, webhook_time};
use florin_domain::ids::EventId;
use florin_ports::StoredResponse;

/// Sends a test event of the subscription's type, with sample data.
///
/// The body has the form of a real event, with `"test": true` and the sequence 0. The test event is sent once, and is
/// not stored as an event: `GET /v2/events` does not list it. Florin extension.
#[utoipa::path(post, path = "/v2/webhooks/{webhookId}/test", tag = "Webhooks", operation_id = "testWebhook",
    security(("apiKey" = [WRITE.scope])),
    params(WebhookPath, OptionalAccountParameter, IdempotencyKeyHeader),
    responses((status = 202, description = "The test is queued.", body = QueuedEventView), TestWebhookErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut write = WebhookWrite::enter_without_body(&app, &request, payload).await?;
    let ((reach, id), claim) = write.finish(render).await?;
    let found = app.webhooks.webhooks.find(reach.clone(), id).await?;
    let webhook = found.ok_or_else(|| Problem::absent(WEBHOOK.0, WEBHOOK.1))?;
    let now = webhook_time(&app.webhooks, Some(&webhook)).await?;
    let test = samples::test_event(&webhook, app.webhooks.time.real_id(), now)?;
    execute_for_client(claim, WEBHOOK, webhook_problem, render, async |claim| {
        test_webhook(&app.webhooks, (reach, id), test, claim).await
    })
    .await
}

#[expect(clippy::unnecessary_wraps, reason = "for some other requests, no response is stored")]
fn render(event: &EventId) -> Option<StoredResponse> {
    Some(answer(StatusCode::ACCEPTED, &QueuedEventView::from(event)))
}
