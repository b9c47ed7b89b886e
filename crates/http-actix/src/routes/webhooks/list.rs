//! `GET /v2/webhooks` (contract 6.2)

use super::common::{READ, reach};
use crate::call::Call;
use crate::declare::{OptionalAccountParameter, PageParameters};
use crate::problem::Problem;
use crate::reply::ok_list;
use crate::routes::error_sets::ListErrors;
use crate::state::App;
use crate::views::{List, WebhookView};
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::list_webhooks;

/// Lists subscriptions, oldest first.
#[utoipa::path(get, path = "/v2/webhooks", tag = "Webhooks", operation_id = "listWebhooks",
    security(("apiKey" = [READ.scope])),
    params(OptionalAccountParameter, PageParameters),
    responses((status = 200, description = "One page of subscriptions.", body = List<WebhookView>), ListErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &READ).await?;
    let account = call.read::<OptionalAccountParameter>();
    let page = call.page();
    let reach = reach(&mut call, account).await?;
    let found = list_webhooks(&app.webhooks, reach, page).await?;
    ok_list(&List::new(page, found, |webhook| WebhookView::from(&webhook)))
}
