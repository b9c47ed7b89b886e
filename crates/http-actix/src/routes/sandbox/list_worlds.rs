//! `GET /v2/sandbox/worlds`

use super::PERMISSION;
use crate::call::Call;
use crate::problem::{Problem, none_of};
use crate::repeat::ok_list;
use crate::routes::error_sets::SandboxReadErrors;
use crate::state::App;
use crate::views::{List, WorldView};
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::list_worlds;

/// The worlds of the caller's client that its key reaches, newest first. Extension of Florin.
#[utoipa::path(get, path = "/v2/sandbox/worlds", tag = "Sandbox", operation_id = "listWorlds",
    params(
        ("limit" = Option<i64>, Query, description = "The page size; 100 by default.", minimum = 1, maximum = 1000),
        ("offset" = Option<i64>, Query, description = "Items to skip; 0 by default.", minimum = 0)),
    responses((status = 200, description = "One page of worlds.", body = List<WorldView>), SandboxReadErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &PERMISSION).await?;
    let page = call.query.page(&mut call.faults);
    none_of(std::mem::take(&mut call.faults))?;
    let found = list_worlds(&app.services, &call.caller, page).await?;
    let real = app.services.time.real_now();
    ok_list(&List::new(page, found, |world| WorldView::at(&world, real)))
}
