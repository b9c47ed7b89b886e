//! `POST /v2/sandbox/worlds/{accountId}/restore`

use super::{PERMISSION, world_account, world_id};
use crate::call::Call;
use crate::extract::body;
use crate::extract::headers::idempotency_key;
use crate::extract::json::Json;
use crate::extract::members::{Members, string};
use crate::mapping::snapshot_problem;
use crate::problem::{Problem, read};
use crate::repeat::{answer, claim_of, execute};
use crate::routes::error_sets::WorldErrors;
use crate::state::App;
use crate::views::WorldView;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::restore_world;
use florin_domain::ids::SnapshotId;
use florin_domain::world::RestoredWorld;
use florin_ports::{Answer, RecordedBody};
use utoipa::ToSchema;

/// What to put the world back to.
#[derive(ToSchema)]
#[schema(as = RestoreWorldRequest, rename_all = "camelCase")]
#[expect(dead_code, reason = "describes the body in the interface document")]
pub(crate) struct RestoreBody {
    /// A snapshot of this world.
    #[schema(format = Uuid)]
    snapshot_id: String,
}

/// Puts a world back to a snapshot of it: all that is in it, its clock, and the order of its ids. Extension of Florin. Its snapshots
/// and keys stay.
#[utoipa::path(post, path = "/v2/sandbox/worlds/{accountId}/restore", tag = "Sandbox", operation_id = "restoreWorld",
    request_body = RestoreBody,
    params(
        ("accountId" = String, Path, description = "The world.", min_length = 1, max_length = 36),
        ("Idempotency-Key" = Option<String>, Header, description = "One effect for all requests under one key.",
            min_length = 1, max_length = 255, pattern = "^[!-~]+$")),
    responses((status = 200, description = "The world as it is now.", body = WorldView), WorldErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &PERMISSION).await?;
    let body = body::json(&request, payload).await?;
    let key = idempotency_key(&request, &mut call.faults);
    let id = world_id(&mut call);
    let mut snapshot = None;
    if let Some(mut members) = Members::of_body(body.as_ref(), &mut call.faults) {
        snapshot = members.required("snapshotId", &mut call.faults, |value| SnapshotId::parse(string(value)?));
        members.finish(&mut call.faults);
    }
    let account = world_account(&mut call, id).await?;
    let recorded = RecordedBody::Json(body.as_ref().map_or_else(String::new, Json::canonical));
    let claim = key.map(|key| claim_of(&call, key, &account, recorded, render));
    let snapshot = read(snapshot)?;
    let object = ("body.snapshotId", "snapshot");
    execute(claim, object, snapshot_problem, render, async |claim| {
        restore_world(&app.services, &account, snapshot, claim).await
    })
    .await
}

fn render(restored: &RestoredWorld) -> Answer {
    answer(StatusCode::OK, &WorldView::at(&restored.world, restored.real))
}
