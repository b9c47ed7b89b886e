//! `GET /v2/sandbox/worlds/{accountId}/snapshots`

use super::common::{REQUIREMENT, WorldPath, no_world, world_account};
use crate::call::Call;
use crate::declare::PageParameters;
use crate::problem::Problem;
use crate::reply::ok_list;
use crate::routes::error_sets::SandboxListErrors;
use crate::state::App;
use crate::views::{List, SnapshotView};
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::find_world;

/// Lists the snapshots of a world, oldest first. Florin extension.
#[utoipa::path(get, path = "/v2/sandbox/worlds/{accountId}/snapshots", tag = "Sandbox", operation_id = "listSnapshots",
    security(("apiKey" = [REQUIREMENT.scope])),
    params(WorldPath, PageParameters),
    responses((status = 200, description = "One page of snapshots.", body = List<SnapshotView>), SandboxListErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &REQUIREMENT).await?;
    let world = call.read::<WorldPath>();
    let page = call.page();
    let account = world_account(&mut call, world).await?;
    find_world(&app.services, &account).await?.ok_or_else(no_world)?;
    let found = app.services.worlds.snapshots(&account.id, page).await?;
    ok_list(&List::new(page, found, |snapshot| SnapshotView::from(&snapshot)))
}
