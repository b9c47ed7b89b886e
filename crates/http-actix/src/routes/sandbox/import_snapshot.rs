//! `POST /v2/sandbox/snapshots`

use super::common::REQUIREMENT;
use crate::call::Call;
use crate::declare::IdempotencyKeyHeader;
use crate::extract::body;
use crate::extract::headers::has_media_type;
use crate::idempotency::{client_claim, execute_for_client, hash};
use crate::mapping::import_problem;
use crate::problem::Problem;
use crate::reply::answer;
use crate::routes::error_sets::ImportSnapshotErrors;
use crate::snapshot_file;
use crate::state::App;
use crate::uploads::UploadMemory;
use crate::views::ImportedSnapshotView;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::{import_snapshot, permit_all_accounts};
use florin_domain::fault::Flaw;
use florin_domain::world::{SNAPSHOT_FILE_BYTES, SnapshotFile, SnapshotImport};
use florin_ports::StoredResponse;

/// Imports the file of a snapshot. To create worlds from the snapshot, send its id as `snapshotId`.
///
/// Importing the same file again returns the same id, and only extends the time for which the snapshot is kept. The API
/// key must grant access to all accounts of its client. A client has at most 20 imported snapshots. Florin extension.
#[utoipa::path(post, path = "/v2/sandbox/snapshots", tag = "Sandbox", operation_id = "importSnapshot",
    security(("apiKey" = [REQUIREMENT.scope])),
    request_body(content = String, content_type = "application/x-ndjson",
        description = "The file, unchanged: at most 16 MiB."),
    params(IdempotencyKeyHeader),
    responses((status = 201, description = "The imported snapshot.", body = ImportedSnapshotView),
        (status = 200, description = "The snapshot, which was imported before.", body = ImportedSnapshotView),
        ImportSnapshotErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &REQUIREMENT).await?;
    permit_all_accounts(&call.caller)?;
    let reserved = app.uploads.reserve(call.caller.client.id, &request, SNAPSHOT_FILE_BYTES).await?;
    let bytes = body::bytes(&request, payload, SNAPSHOT_FILE_BYTES).await?;
    let memory = reserved.shrink_to(bytes.len());
    if !bytes.is_empty() && !has_media_type(&request, snapshot_file::MEDIA_TYPE) {
        return Err(body::unsupported("must be application/x-ndjson"));
    }
    let key = call.idempotency_key();
    if bytes.is_empty() {
        call.faults.push(Flaw::required().at("body"));
    }
    call.finish_reading()?;
    let found = web::block(move || {
        // The memory stays reserved until the rows are stored.
        snapshot_file::read(&bytes).map(|file| (file, hash(&bytes), memory))
    });
    let (file, digest, _memory): (SnapshotFile, String, UploadMemory) =
        found.await.map_err(|_| Problem::internal())??;
    let claim = key.map(|key| client_claim(&call, key, &digest, render));
    let caller = &call.caller;
    execute_for_client(claim, ("body", "snapshot"), import_problem, render, async |claim| {
        import_snapshot(&app.services, caller, (file, &digest), claim).await
    })
    .await
}

#[expect(clippy::unnecessary_wraps, reason = "for some other requests, no response is stored")]
fn render(import: &SnapshotImport) -> Option<StoredResponse> {
    let status = if import.is_repeated { StatusCode::OK } else { StatusCode::CREATED };
    Some(answer(status, &ImportedSnapshotView::from(&import.snapshot)))
}
