//! `POST /v2/sandbox/worlds/{accountId}/snapshots`

use super::common::{REQUIREMENT, WORLD, WorldPath, WorldWrite, world_write};
use crate::declare::{IdempotencyKeyHeader, body};
use crate::idempotency::execute;
use crate::mapping::snapshot_problem;
use crate::problem::Problem;
use crate::reply::answer;
use crate::routes::error_sets::TakeSnapshotErrors;
use crate::state::App;
use crate::views::SnapshotView;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::take_snapshot;
use florin_domain::world::{SnapshotName, WorldSnapshot};
use florin_ports::StoredResponse;

body! {
    /// A new snapshot.
    pub(crate) struct SnapshotBody as "TakeSnapshotRequest" {
        /// Display name.
        "name" => name: Option<SnapshotName>,
    }
}

/// Takes a snapshot of a world.
///
/// The snapshot contains the world's data, clock and sequence of ids. Florin extension.
#[utoipa::path(post, path = "/v2/sandbox/worlds/{accountId}/snapshots", tag = "Sandbox", operation_id = "takeSnapshot",
    security(("apiKey" = [REQUIREMENT.scope])),
    request_body = SnapshotBody,
    params(WorldPath, IdempotencyKeyHeader),
    responses((status = 201, description = "The snapshot.", body = SnapshotView), TakeSnapshotErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let WorldWrite { account, body, claim, .. } =
        world_write::<SnapshotBody, _>(&app, &request, payload, render).await?;
    let name = body.name;
    execute(claim, (WORLD, "world"), snapshot_problem, render, async |claim| {
        take_snapshot(&app.services, &account, name, claim).await
    })
    .await
}

fn render(snapshot: &WorldSnapshot) -> StoredResponse {
    answer(StatusCode::CREATED, &SnapshotView::from(snapshot))
}
