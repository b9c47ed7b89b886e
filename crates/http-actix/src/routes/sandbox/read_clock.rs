//! `GET /v2/sandbox/clock`

use super::PERMISSION;
use crate::call::Call;
use crate::problem::Problem;
use crate::repeat::ok;
use crate::routes::error_sets::SandboxReadErrors;
use crate::state::App;
use crate::views::ClockView;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::read_clock;

/// The clock of an account. Extension of Florin.
#[utoipa::path(get, path = "/v2/sandbox/clock", tag = "Sandbox", operation_id = "getClock",
    params(("accountId" = String, Query, description = "The account to work with.", min_length = 1, max_length = 36)),
    responses((status = 200, description = "What it shows.", body = ClockView), SandboxReadErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &PERMISSION).await?;
    let account_id = call.account_id();
    let account = call.account(account_id).await?;
    ok(&ClockView::from(read_clock(&app.services, &account)))
}
