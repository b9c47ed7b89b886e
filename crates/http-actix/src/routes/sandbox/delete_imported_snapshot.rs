//! `DELETE /v2/sandbox/snapshots/{snapshotId}`

use super::common::{REQUIREMENT, SNAPSHOT, SnapshotPath};
use crate::call::Call;
use crate::declare::IdempotencyKeyHeader;
use crate::idempotency::{client_claim, execute_for_client};
use crate::problem::{Problem, expect_valid};
use crate::reply::no_content;
use crate::routes::error_sets::DeleteImportedErrors;
use crate::state::App;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::permit_all_accounts;

/// Deletes an imported snapshot. Worlds that were created from it remain. Florin extension.
#[utoipa::path(delete, path = "/v2/sandbox/snapshots/{snapshotId}", tag = "Sandbox",
    operation_id = "deleteImportedSnapshot",
    security(("apiKey" = [REQUIREMENT.scope])),
    params(SnapshotPath, IdempotencyKeyHeader),
    responses((status = 204, description = "Deleted."), DeleteImportedErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &REQUIREMENT).await?;
    permit_all_accounts(&call.caller)?;
    call.no_body(payload).await?;
    let key = call.idempotency_key();
    let snapshot = call.read::<SnapshotPath>();
    call.finish_reading()?;
    let (client, snapshot) = (call.caller.client.id, expect_valid(snapshot)?.id);
    let claim = key.map(|key| client_claim(&call, key, "", |()| Some(no_content())));
    execute_for_client(
        claim,
        (SNAPSHOT, "snapshot"),
        |never| match never {},
        |()| Some(no_content()),
        async |claim| app.services.snapshot_files.delete_imported_snapshot(client, snapshot, claim).await,
    )
    .await
}
