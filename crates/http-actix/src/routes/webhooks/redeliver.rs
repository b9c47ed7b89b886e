//! `POST /v2/webhooks/{webhookId}/deliveries/{messageId}/redeliver` (contract 6.3)

use super::common::{MessagePath, WEBHOOK, WRITE, WebhookPath, WebhookWrite};
use crate::declare::{IdempotencyKeyHeader, OptionalAccountParameter};
use crate::idempotency::execute_for_client;
use crate::mapping::webhook_problem;
use crate::problem::{Problem, expect_valid};
use crate::reply::answer;
use crate::routes::error_sets::RedeliverErrors;
use crate::state::App;
use crate::views::QueuedEventView;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::redeliver;
use florin_domain::ids::EventId;

/// Sends an event again, immediately and with a new schedule of retries.
///
/// Florin extension.
#[utoipa::path(post, path = "/v2/webhooks/{webhookId}/deliveries/{messageId}/redeliver", tag = "Webhooks",
    operation_id = "redeliver",
    security(("apiKey" = [WRITE.scope])),
    params(WebhookPath, MessagePath, OptionalAccountParameter, IdempotencyKeyHeader),
    responses((status = 202, description = "The event is queued.", body = QueuedEventView), RedeliverErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut write = WebhookWrite::enter_without_body(&app, &request, payload).await?;
    let event = write.call.read::<MessagePath>();
    let event = event.map(|path| path.id);
    // `expect_valid` refuses a missing id below, so the nil id is never rendered.
    let rendered = event.unwrap_or(EventId(uuid::Uuid::nil()));
    let render = move |(): &()| Some(answer(StatusCode::ACCEPTED, &QueuedEventView::from(&rendered)));
    let (webhook, claim) = write.finish(render).await?;
    let event = expect_valid(event)?;
    let (reach, id) = webhook.clone();
    let absent = match app.webhooks.webhooks.find(reach, id).await? {
        Some(_) => ("path.messageId", "delivery"),
        None => WEBHOOK,
    };
    execute_for_client(claim, absent, webhook_problem, render, async |claim| {
        redeliver(&app.webhooks, webhook, event, claim).await
    })
    .await
}
