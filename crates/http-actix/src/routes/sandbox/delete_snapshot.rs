//! `DELETE /v2/sandbox/worlds/{accountId}/snapshots/{snapshotId}`

use super::{PERMISSION, SNAPSHOT, snapshot_id, world_account, world_id};
use crate::call::Call;
use crate::extract::body;
use crate::extract::headers::idempotency_key;
use crate::problem::{Problem, read};
use crate::repeat::{claim_of, execute};
use crate::routes::error_sets::WorldErrors;
use crate::state::App;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_ports::{Answer, RecordedBody};

/// Deletes a snapshot. Extension of Florin.
#[utoipa::path(delete, path = "/v2/sandbox/worlds/{accountId}/snapshots/{snapshotId}", tag = "Sandbox",
    operation_id = "deleteSnapshot",
    params(
        ("accountId" = String, Path, description = "The world.", min_length = 1, max_length = 36),
        ("snapshotId" = String, Path, description = "The snapshot.", format = Uuid),
        ("Idempotency-Key" = Option<String>, Header, description = "One effect for all requests under one key.",
            min_length = 1, max_length = 255, pattern = "^[!-~]+$")),
    responses((status = 204, description = "Deleted."), WorldErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &PERMISSION).await?;
    body::nothing(&request, payload, &mut call.faults).await?;
    let key = idempotency_key(&request, &mut call.faults);
    let id = world_id(&mut call);
    let snapshot = snapshot_id(&mut call);
    let account = world_account(&mut call, id).await?;
    let claim = key.map(|key| claim_of(&call, key, &account, RecordedBody::Json(String::new()), render));
    let snapshot = read(snapshot)?;
    execute(
        claim,
        (SNAPSHOT, "snapshot"),
        |never| match never {},
        render,
        async |claim| app.services.worlds.delete_snapshot(&account.id, snapshot, claim).await,
    )
    .await
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "answers are rendered from what was done, which is nothing here")]
fn render((): &()) -> Answer {
    Answer { status: StatusCode::NO_CONTENT.as_u16(), body: String::new() }
}
