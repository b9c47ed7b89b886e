//! `GET /v2/sandbox/worlds/{accountId}/snapshots/{snapshotId}/file`

use super::common::{REQUIREMENT, SNAPSHOT, SnapshotPath, WorldPath, no_world, world_account};
use crate::call::Call;
use crate::problem::{Problem, expect_valid};
use crate::routes::error_sets::SandboxReadErrors;
use crate::snapshot_file;
use crate::state::App;
use actix_web::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::{export_snapshot, find_world};

/// Returns a snapshot of a world as a file. It can be imported into this or another installation.
///
/// The file contains no secrets, PINs, idempotency records, MFA sessions or events. Florin extension.
#[utoipa::path(get, path = "/v2/sandbox/worlds/{accountId}/snapshots/{snapshotId}/file", tag = "Sandbox",
    operation_id = "exportSnapshot",
    security(("apiKey" = [REQUIREMENT.scope])),
    params(WorldPath, SnapshotPath),
    responses((status = 200, description = "The file: a line of JSON for each row.", body = String,
        content_type = "application/x-ndjson"), SandboxReadErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &REQUIREMENT).await?;
    let (world, snapshot) = (call.read::<WorldPath>(), call.read::<SnapshotPath>());
    let account = world_account(&mut call, world).await?;
    let snapshot = expect_valid(snapshot)?.id;
    find_world(&app.services, &account).await?.ok_or_else(no_world)?;
    let found = export_snapshot(&app.services, &account, snapshot).await?;
    let file = found.ok_or_else(|| Problem::absent(SNAPSHOT, "snapshot"))?;
    let name = snapshot_file::name(&file);
    let text = web::block(move || snapshot_file::write(&file)).await.map_err(|_| Problem::internal())??;
    Ok(HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, snapshot_file::MEDIA_TYPE))
        .insert_header((CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")))
        .body(text))
}
