//! `GET /v2/webhooks/{webhookId}` (contract 6.2)

use super::common::{READ, WEBHOOK, WebhookPath, reach_and_id};
use crate::call::Call;
use crate::declare::OptionalAccountParameter;
use crate::problem::Problem;
use crate::reply::ok;
use crate::routes::error_sets::ReadErrors;
use crate::state::App;
use crate::views::WebhookView;
use actix_web::{HttpRequest, HttpResponse, web};

/// Returns a subscription.
///
/// Florin extension.
#[utoipa::path(get, path = "/v2/webhooks/{webhookId}", tag = "Webhooks", operation_id = "getWebhook",
    security(("apiKey" = [READ.scope])),
    params(WebhookPath, OptionalAccountParameter),
    responses((status = 200, description = "The subscription.", body = WebhookView), ReadErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &READ).await?;
    let (reach, id) = reach_and_id(&mut call).await?;
    let found = app.webhooks.webhooks.find(reach, id).await?;
    ok(&WebhookView::from(&found.ok_or_else(|| Problem::absent(WEBHOOK.0, WEBHOOK.1))?))
}
