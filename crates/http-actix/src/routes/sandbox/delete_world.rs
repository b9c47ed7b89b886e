//! `DELETE /v2/sandbox/worlds/{accountId}`

use super::common::{REQUIREMENT, WorldPath, no_world, world_account};
use crate::call::Call;
use crate::declare::IdempotencyKeyHeader;
use crate::problem::Problem;
use crate::routes::error_sets::DeleteWorldErrors;
use crate::state::App;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::delete_world;

/// Deletes a world with all its data, snapshots and keys.
///
/// A retry returns 404, even with an idempotency key, because the world's idempotency records are deleted as well.
/// Florin extension.
#[utoipa::path(delete, path = "/v2/sandbox/worlds/{accountId}", tag = "Sandbox", operation_id = "deleteWorld",
    security(("apiKey" = [REQUIREMENT.scope])),
    params(WorldPath, IdempotencyKeyHeader),
    responses((status = 204, description = "Deleted."), DeleteWorldErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &REQUIREMENT).await?;
    call.no_body(payload).await?;
    // A retry returns 404, so the idempotency key is checked and not stored.
    call.idempotency_key();
    let world = call.read::<WorldPath>();
    let account = world_account(&mut call, world).await?;
    call.lock_exclusively(&account.id).await?;
    if delete_world(&app.services, &account).await? { Ok(HttpResponse::NoContent().finish()) } else { Err(no_world()) }
}
