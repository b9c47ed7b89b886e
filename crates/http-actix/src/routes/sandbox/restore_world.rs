//! `POST /v2/sandbox/worlds/{accountId}/restore`

use super::common::{REQUIREMENT, WorldPath, WorldWrite, no_world, world_write};
use crate::declare::{IdempotencyKeyHeader, body};
use crate::idempotency::execute;
use crate::mapping::snapshot_problem;
use crate::problem::Problem;
use crate::reply::answer;
use crate::routes::error_sets::RestoreErrors;
use crate::state::App;
use crate::views::WorldView;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::{find_world, restore_world};
use florin_domain::ids::SnapshotId;
use florin_domain::world::WorldReading;
use florin_ports::StoredResponse;

body! {
    /// The snapshot to restore.
    pub(crate) struct RestoreBody as "RestoreWorldRequest" {
        /// A snapshot of this world.
        "snapshotId" => snapshot: SnapshotId,
    }
}

/// Restores a world from one of its snapshots.
///
/// Restores the world's data, clock and sequence of ids. Its snapshots and keys do not change. Florin extension.
#[utoipa::path(post, path = "/v2/sandbox/worlds/{accountId}/restore", tag = "Sandbox", operation_id = "restoreWorld",
    security(("apiKey" = [REQUIREMENT.scope])),
    request_body = RestoreBody,
    params(WorldPath, IdempotencyKeyHeader),
    responses((status = 200, description = "The restored world.", body = WorldView), RestoreErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let WorldWrite { mut call, account, body, claim } =
        world_write::<RestoreBody, _>(&app, &request, payload, render).await?;
    call.lock_exclusively(&account.id).await?;
    find_world(&app.services, &account).await?.ok_or_else(no_world)?;
    let snapshot = body.snapshot;
    let object = ("body.snapshotId", "snapshot");
    execute(claim, object, snapshot_problem, render, async |claim| {
        restore_world(&app.services, &account, snapshot, claim).await
    })
    .await
}

fn render(restored: &WorldReading) -> StoredResponse {
    answer(StatusCode::OK, &WorldView::at(&restored.world, restored.real))
}
