//! `POST /v2/sandbox/worlds/{accountId}/snapshots`

use super::{PERMISSION, WORLD, world_account, world_id};
use crate::call::Call;
use crate::extract::body;
use crate::extract::headers::idempotency_key;
use crate::extract::json::Json;
use crate::extract::members::{Members, text};
use crate::mapping::snapshot_problem;
use crate::problem::Problem;
use crate::repeat::{answer, claim_of, execute};
use crate::routes::error_sets::WorldErrors;
use crate::state::App;
use crate::views::SnapshotView;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::take_snapshot;
use florin_domain::world::WorldSnapshot;
use florin_ports::{Answer, RecordedBody};
use utoipa::ToSchema;

/// What the snapshot is to be called.
#[derive(ToSchema)]
#[schema(as = TakeSnapshotRequest, rename_all = "camelCase")]
#[expect(dead_code, reason = "describes the body in the interface document")]
pub(crate) struct SnapshotBody {
    #[schema(nullable = true, min_length = 1, max_length = 64)]
    name: Option<String>,
}

/// Keeps all that is in a world, its clock and the order of its ids, too. Extension of Florin.
#[utoipa::path(post, path = "/v2/sandbox/worlds/{accountId}/snapshots", tag = "Sandbox", operation_id = "takeSnapshot",
    request_body = SnapshotBody,
    params(
        ("accountId" = String, Path, description = "The world.", min_length = 1, max_length = 36),
        ("Idempotency-Key" = Option<String>, Header, description = "One effect for all requests under one key.",
            min_length = 1, max_length = 255, pattern = "^[!-~]+$")),
    responses((status = 201, description = "The snapshot.", body = SnapshotView), WorldErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &PERMISSION).await?;
    let body = body::json(&request, payload).await?;
    let key = idempotency_key(&request, &mut call.faults);
    let id = world_id(&mut call);
    let mut name = None;
    if let Some(mut members) = Members::of_body(body.as_ref(), &mut call.faults) {
        name = members.optional("name", &mut call.faults, text::<1, 64>).flatten();
        members.finish(&mut call.faults);
    }
    let account = world_account(&mut call, id).await?;
    let recorded = RecordedBody::Json(body.as_ref().map_or_else(String::new, Json::canonical));
    let claim = key.map(|key| claim_of(&call, key, &account, recorded, render));
    execute(claim, (WORLD, "world"), snapshot_problem, render, async |claim| {
        take_snapshot(&app.services, &account, name, claim).await
    })
    .await
}

fn render(snapshot: &WorldSnapshot) -> Answer {
    answer(StatusCode::CREATED, &SnapshotView::from(snapshot))
}
