//! `GET /v2/sandbox/clock`

use super::common::REQUIREMENT;
use crate::call::Call;
use crate::declare::AccountParameter;
use crate::problem::Problem;
use crate::reply::ok;
use crate::routes::error_sets::SandboxReadErrors;
use crate::state::App;
use crate::views::ClockView;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::read_clock;

/// Returns the clock of an account. Florin extension.
#[utoipa::path(get, path = "/v2/sandbox/clock", tag = "Sandbox", operation_id = "getClock",
    security(("apiKey" = [REQUIREMENT.scope])),
    params(AccountParameter),
    responses((status = 200, description = "The clock.", body = ClockView), SandboxReadErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &REQUIREMENT).await?;
    let account_id = call.account_id();
    let account = call.account(account_id).await?;
    ok(&ClockView::from(read_clock(&app.services, &account)))
}
