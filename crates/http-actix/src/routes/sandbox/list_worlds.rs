//! `GET /v2/sandbox/worlds`

use super::common::REQUIREMENT;
use crate::call::Call;
use crate::declare::PageParameters;
use crate::problem::Problem;
use crate::reply::ok_list;
use crate::routes::error_sets::SandboxClientListErrors;
use crate::state::App;
use crate::views::{List, WorldView};
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::list_worlds;

/// Lists the client's worlds that the API key can access, newest first.
///
/// Florin extension.
#[utoipa::path(get, path = "/v2/sandbox/worlds", tag = "Sandbox", operation_id = "listWorlds",
    security(("apiKey" = [REQUIREMENT.scope])),
    params(PageParameters),
    responses((status = 200, description = "One page of worlds.", body = List<WorldView>), SandboxClientListErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &REQUIREMENT).await?;
    let page = call.page();
    call.finish_reading()?;
    let found = list_worlds(&app.services, &call.caller, page).await?;
    let real = app.services.time.real_now();
    ok_list(&List::new(page, found, |world| WorldView::at(&world, real)))
}
