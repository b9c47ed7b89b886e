//! `GET /v2/merchant/top-ups/{topUpId}`

use super::common::{TopUpPath, find_top_up, top_up_view};
use crate::call::Call;
use crate::declare::AccountParameter;
use crate::problem::{Problem, expect_valid};
use crate::reply::ok;
use crate::routes::error_sets::ReadErrors;
use crate::routes::merchant::common::READ_TOP_UPS;
use crate::state::App;
use crate::views::TopUpView;
use actix_web::{HttpRequest, HttpResponse, web};

/// Returns a top-up.
#[utoipa::path(get, path = "/v2/merchant/top-ups/{topUpId}", tag = "Merchant", operation_id = "getTopUp",
    security(("apiKey" = [READ_TOP_UPS.scope])),
    params(TopUpPath, AccountParameter),
    responses((status = 200, description = "The top-up.", body = TopUpView<'static>), ReadErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &READ_TOP_UPS).await?;
    let path = call.read::<TopUpPath>();
    let account_id = call.account_id();
    let account = call.account(account_id).await?;
    app.merchants.active_profile(&account).await?;
    let session = find_top_up(&app, &account, expect_valid(path)?.id).await?;
    ok(&top_up_view(&app, &session))
}
