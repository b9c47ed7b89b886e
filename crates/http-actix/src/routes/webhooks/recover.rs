//! `POST /v2/webhooks/{webhookId}/recover` (contract 6.3)

use super::common::{WEBHOOK, WRITE, WebhookPath, WebhookWrite};
use crate::declare::{IdempotencyKeyHeader, OptionalAccountParameter, body};
use crate::idempotency::execute_for_client;
use crate::mapping::webhook_problem;
use crate::problem::{Problem, expect_valid};
use crate::reply::answer;
use crate::routes::error_sets::RecoverErrors;
use crate::state::App;
use crate::views::QueuedCountView;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use chrono::{DateTime, Utc};
use florin_application::recover;
use florin_ports::StoredResponse;

body! {
    /// The events to send again.
    pub(crate) struct RecoverBody as "RecoverWebhookRequest" {
        /// Only events that occurred at this time or later. The time must be within the last 30 days.
        "since" => since: DateTime<Utc>,
    }
}

/// Sends all events since a given time that were not delivered and are not waiting to be delivered.
///
/// These include events from before the subscription was created. Florin extension.
#[utoipa::path(post, path = "/v2/webhooks/{webhookId}/recover", tag = "Webhooks", operation_id = "recoverWebhook",
    security(("apiKey" = [WRITE.scope])),
    request_body = RecoverBody,
    params(WebhookPath, OptionalAccountParameter, IdempotencyKeyHeader),
    responses((status = 202, description = "The events are queued.", body = QueuedCountView), RecoverErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut write = WebhookWrite::enter(&app, &request, payload).await?;
    let body = write.call.read_body::<RecoverBody>(write.document.as_ref())?;
    let (webhook, claim) = write.finish(render).await?;
    let since = expect_valid(body)?.since;
    execute_for_client(claim, WEBHOOK, webhook_problem, render, async |claim| {
        recover(&app.webhooks, webhook, since, claim).await
    })
    .await
}

#[expect(clippy::unnecessary_wraps, reason = "for some other requests, no response is stored")]
#[expect(clippy::trivially_copy_pass_by_ref, reason = "answers are rendered from references")]
fn render(count: &u64) -> Option<StoredResponse> {
    Some(answer(StatusCode::ACCEPTED, &QueuedCountView::from(*count)))
}
