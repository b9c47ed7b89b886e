//! `GET /v2/sandbox/worlds/{accountId}`

use super::{PERMISSION, no_world, world_account, world_id};
use crate::call::Call;
use crate::problem::Problem;
use crate::repeat::ok;
use crate::routes::error_sets::SandboxReadErrors;
use crate::state::App;
use crate::views::WorldView;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::find_world;

/// A world. Extension of Florin. An account that was not made as one is no world.
#[utoipa::path(get, path = "/v2/sandbox/worlds/{accountId}", tag = "Sandbox", operation_id = "getWorld",
    params(("accountId" = String, Path, description = "The world.", min_length = 1, max_length = 36)),
    responses((status = 200, description = "The world.", body = WorldView), SandboxReadErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &PERMISSION).await?;
    let id = world_id(&mut call);
    let account = world_account(&mut call, id).await?;
    let world = find_world(&app.services, &account).await?.ok_or_else(no_world)?;
    ok(&WorldView::at(&world, app.services.time.real_now()))
}
