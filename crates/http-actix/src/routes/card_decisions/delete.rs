//! `DELETE /v2/card-decisions` (contract 5.7)

use super::common::{ENDPOINT, WRITE, without_secret};
use crate::call::Call;
use crate::declare::{AccountParameter, IdempotencyKeyHeader};
use crate::idempotency::{client_claim, execute_for_client};
use crate::mapping::endpoint_problem;
use crate::problem::Problem;
use crate::routes::error_sets::RemoveErrors;
use crate::state::App;
use actix_web::web::{Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use florin_application::delete_endpoint;

/// Removes the endpoint that decides on the card messages of an account.
///
/// Afterwards, only the rules of Florin decide on messages. Every server applies the change within a quarter of a
/// second. Florin extension.
#[utoipa::path(delete, path = "/v2/card-decisions", tag = "Cards", operation_id = "deleteCardDecisions",
    security(("apiKey" = [WRITE.scope])),
    params(AccountParameter, IdempotencyKeyHeader),
    responses((status = 204, description = "Removed."), RemoveErrors))]
pub(crate) async fn handle(app: Data<App>, request: HttpRequest, payload: Payload) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &WRITE).await?;
    call.no_body(payload).await?;
    let (key, account_id) = (call.idempotency_key(), call.account_id());
    let account = call.account(account_id).await?;
    let claim = key.map(|key| client_claim(&call, key, "", without_secret));
    let work = async |claim| delete_endpoint(&app.services, &account, claim).await;
    execute_for_client(claim, ENDPOINT, endpoint_problem, without_secret, work).await
}
