//! `GET /v2/card-decisions` (contract 5.7)

use super::common::{READ, no_endpoint};
use crate::call::Call;
use crate::declare::AccountParameter;
use crate::problem::Problem;
use crate::reply::ok;
use crate::routes::error_sets::ReadErrors;
use crate::state::App;
use crate::views::DecisionEndpointView;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use florin_application::find_endpoint;

/// Returns the endpoint that decides on the card messages of an account.
///
/// Florin extension.
#[utoipa::path(get, path = "/v2/card-decisions", tag = "Cards", operation_id = "getCardDecisions",
    security(("apiKey" = [READ.scope])),
    params(AccountParameter),
    responses((status = 200, description = "The endpoint.", body = DecisionEndpointView), ReadErrors))]
pub(crate) async fn handle(app: Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &READ).await?;
    let account_id = call.account_id();
    let account = call.account(account_id).await?;
    let found = find_endpoint(&app.services, &account).await?.ok_or_else(no_endpoint)?;
    ok(&DecisionEndpointView::from(&found))
}
