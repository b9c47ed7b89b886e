//! `GET /v2/webhooks/event-types`

use crate::call::Call;
use crate::problem::Problem;
use crate::reply::ok;
use crate::routes::error_sets::NoParameterErrors;
use crate::state::App;
use crate::views::EventTypeView;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::Requirement;
use florin_domain::access::Scope;
use florin_domain::event::EventType;

const READ: Requirement = Requirement::of(Scope::WebhooksRead);

/// Lists the types of events.
///
/// Some kinds of events have two types: the second one has the name that the original service used earlier.
#[utoipa::path(get, path = "/v2/webhooks/event-types", tag = "Events", operation_id = "listEventTypes",
    security(("apiKey" = [READ.scope])),
    responses((status = 200, description = "All types.", body = [EventTypeView]), NoParameterErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &READ).await?;
    call.finish_reading()?;
    ok(&EventType::ALL.iter().map(EventTypeView::from).collect::<Vec<_>>())
}
