//! Requests that fail because another server restores their world while they run.
//!
//! On one server, a restore waits for the requests on its world, and later requests wait for it. A request on another
//! server may find that rows it has already read are gone. Its failure would mislead the caller: the object of a 404
//! may exist. So after a failure, the epoch of the world is compared with the epoch at the beginning of the request.

use crate::problem::Problem;
use crate::state::App;
use actix_web::http::StatusCode;
use actix_web::{HttpMessage, HttpRequest, HttpResponse};
use florin_domain::access::Account;
use florin_domain::ids::AccountId;

/// The world of a request, and its epoch at the beginning.
#[derive(Clone)]
struct World {
    account: AccountId,
    epoch: i64,
}

/// Records the account of a request if it is a world.
pub(crate) fn record_world(request: &HttpRequest, account: &Account) {
    if account.epoch != 0 {
        request.extensions_mut().insert(World { account: account.id.clone(), epoch: account.epoch });
    }
}

/// Returns the response, or a 409 if the request failed and its world was restored while it ran.
pub(super) async fn or_restored(app: &App, request: &HttpRequest, response: HttpResponse) -> HttpResponse {
    let world = request.extensions().get::<World>().cloned();
    let Some(World { account, epoch }) = world.filter(|_| may_mislead(response.status())) else { return response };
    app.services.accounts.forget(&account);
    match app.services.accounts.find(&account).await {
        Ok(Some(current)) if current.epoch != epoch => HttpResponse::from_error(Problem::world_restored()),
        // The original response stands if the epoch is the same, the world was deleted, or the store cannot be read.
        Ok(_) | Err(_) => response,
    }
}

/// Whether a failure may be due to missing rows. Other failures tell the caller to retry, or do not depend on the
/// account's rows.
fn may_mislead(status: StatusCode) -> bool {
    matches!(
        status,
        StatusCode::BAD_REQUEST
            | StatusCode::NOT_FOUND
            | StatusCode::CONFLICT
            | StatusCode::UNPROCESSABLE_ENTITY
            | StatusCode::INTERNAL_SERVER_ERROR
    )
}
