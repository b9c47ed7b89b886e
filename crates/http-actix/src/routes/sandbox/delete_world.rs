//! `DELETE /v2/sandbox/worlds/{accountId}`

use super::{PERMISSION, no_world, world_account, world_id};
use crate::call::Call;
use crate::extract::body;
use crate::extract::headers::idempotency_key;
use crate::problem::Problem;
use crate::routes::error_sets::WorldErrors;
use crate::state::App;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::delete_world;

/// Deletes a world: all that is in it, its snapshots and its keys. Extension of Florin. A repeat finds no world, with or without an
/// idempotency key: nothing is kept of it.
#[utoipa::path(delete, path = "/v2/sandbox/worlds/{accountId}", tag = "Sandbox", operation_id = "deleteWorld",
    params(
        ("accountId" = String, Path, description = "The world.", min_length = 1, max_length = 36),
        ("Idempotency-Key" = Option<String>, Header, description = "Makes no difference here: a world is deleted once.",
            min_length = 1, max_length = 255, pattern = "^[!-~]+$")),
    responses((status = 204, description = "Deleted."), WorldErrors))]
pub(crate) async fn handle(
    app: web::Data<App>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &PERMISSION).await?;
    body::nothing(&request, payload, &mut call.faults).await?;
    idempotency_key(&request, &mut call.faults);
    let id = world_id(&mut call);
    let account = world_account(&mut call, id).await?;
    if delete_world(&app.services, &account).await? { Ok(HttpResponse::NoContent().finish()) } else { Err(no_world()) }
}
