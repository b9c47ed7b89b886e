//! `GET /v2/sandbox/worlds/{accountId}/snapshots`

use super::{PERMISSION, no_world, world_account, world_id};
use crate::call::Call;
use crate::problem::Problem;
use crate::repeat::ok_list;
use crate::routes::error_sets::SandboxReadErrors;
use crate::state::App;
use crate::views::{List, SnapshotView};
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::find_world;

/// The snapshots of a world, the oldest first. Extension of Florin.
#[utoipa::path(get, path = "/v2/sandbox/worlds/{accountId}/snapshots", tag = "Sandbox", operation_id = "listSnapshots",
    params(
        ("accountId" = String, Path, description = "The world.", min_length = 1, max_length = 36),
        ("limit" = Option<i64>, Query, description = "The page size; 100 by default.", minimum = 1, maximum = 1000),
        ("offset" = Option<i64>, Query, description = "Items to skip; 0 by default.", minimum = 0)),
    responses((status = 200, description = "One page of snapshots.", body = List<SnapshotView>), SandboxReadErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &PERMISSION).await?;
    let id = world_id(&mut call);
    let page = call.query.page(&mut call.faults);
    let account = world_account(&mut call, id).await?;
    find_world(&app.services, &account).await?.ok_or_else(no_world)?;
    let found = app.services.worlds.snapshots(&account.id, page).await?;
    ok_list(&List::new(page, found, |snapshot| SnapshotView::from(&snapshot)))
}
