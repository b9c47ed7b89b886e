//! `DELETE /v2/sandbox/worlds/{accountId}/snapshots/{snapshotId}`

use super::common::{REQUIREMENT, SNAPSHOT, SnapshotPath, WorldPath, world_account};
use crate::call::Call;
use crate::declare::IdempotencyKeyHeader;
use crate::idempotency::{claim_without_body, execute};
use crate::problem::{Problem, expect_valid};
use crate::reply::no_content;
use crate::routes::error_sets::DeleteSnapshotErrors;
use crate::state::App;
use actix_web::{HttpRequest, HttpResponse, web};

/// Deletes a snapshot. Florin extension.
#[utoipa::path(delete, path = "/v2/sandbox/worlds/{accountId}/snapshots/{snapshotId}", tag = "Sandbox",
    operation_id = "deleteSnapshot",
    security(("apiKey" = [REQUIREMENT.scope])),
    params(WorldPath, SnapshotPath, IdempotencyKeyHeader),
    responses((status = 204, description = "Deleted."), DeleteSnapshotErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &REQUIREMENT).await?;
    call.no_body(payload).await?;
    let key = call.idempotency_key();
    let (world, snapshot) = (call.read::<WorldPath>(), call.read::<SnapshotPath>());
    let account = world_account(&mut call, world).await?;
    let claim = claim_without_body(&call, key, &account, |()| no_content());
    let snapshot = expect_valid(snapshot)?.id;
    execute(
        claim,
        (SNAPSHOT, "snapshot"),
        |never| match never {},
        |()| no_content(),
        async |claim| app.services.worlds.delete_snapshot(&account.id, snapshot, claim).await,
    )
    .await
}
