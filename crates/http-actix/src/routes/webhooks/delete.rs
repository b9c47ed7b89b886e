//! `DELETE /v2/webhooks/{webhookId}` (contract 6.2)

use super::common::{WEBHOOK, WRITE, WebhookPath, WebhookWrite};
use crate::declare::{IdempotencyKeyHeader, OptionalAccountParameter};
use crate::idempotency::execute_for_client;
use crate::mapping::webhook_problem;
use crate::problem::Problem;
use crate::reply::no_content;
use crate::routes::error_sets::RemoveErrors;
use crate::state::App;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::unsubscribe;

/// Deletes a subscription with its deliveries.
#[utoipa::path(delete, path = "/v2/webhooks/{webhookId}", tag = "Webhooks", operation_id = "deleteWebhook",
    security(("apiKey" = [WRITE.scope])),
    params(WebhookPath, OptionalAccountParameter, IdempotencyKeyHeader),
    responses((status = 204, description = "Deleted."), RemoveErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut write = WebhookWrite::enter_without_body(&app, &request, payload).await?;
    let (webhook, claim) = write.finish(|()| Some(no_content())).await?;
    execute_for_client(
        claim,
        WEBHOOK,
        webhook_problem,
        |()| Some(no_content()),
        async |claim| unsubscribe(&app.webhooks, webhook, claim).await,
    )
    .await
}
