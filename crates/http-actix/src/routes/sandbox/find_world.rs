//! `GET /v2/sandbox/worlds/{accountId}`

use super::common::{REQUIREMENT, WorldPath, no_world, world_account};
use crate::call::Call;
use crate::problem::Problem;
use crate::reply::ok;
use crate::routes::error_sets::SandboxReadErrors;
use crate::state::App;
use crate::views::WorldView;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::find_world;

/// Returns a world.
///
/// If the account is not a world, the response is 404. Florin extension.
#[utoipa::path(get, path = "/v2/sandbox/worlds/{accountId}", tag = "Sandbox", operation_id = "getWorld",
    security(("apiKey" = [REQUIREMENT.scope])),
    params(WorldPath),
    responses((status = 200, description = "The world.", body = WorldView), SandboxReadErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &REQUIREMENT).await?;
    let world = call.read::<WorldPath>();
    let account = world_account(&mut call, world).await?;
    let world = find_world(&app.services, &account).await?.ok_or_else(no_world)?;
    ok(&WorldView::at(&world, app.services.time.real_now()))
}
