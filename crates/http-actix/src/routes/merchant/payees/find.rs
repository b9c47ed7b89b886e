//! `GET /v2/merchant/payees/{payeeId}`

use super::common::{PAYEE, PayeePath, READ_PAYEES};
use crate::call::Call;
use crate::declare::AccountParameter;
use crate::problem::{Problem, expect_valid};
use crate::reply::ok;
use crate::routes::error_sets::ReadErrors;
use crate::state::App;
use crate::views::PayeeView;
use actix_web::{HttpRequest, HttpResponse, web};

/// Returns a payee.
#[utoipa::path(get, path = "/v2/merchant/payees/{payeeId}", tag = "Merchant", operation_id = "getPayee",
    security(("apiKey" = [READ_PAYEES.scope])),
    params(PayeePath, AccountParameter),
    responses((status = 200, description = "The payee.", body = PayeeView), ReadErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &READ_PAYEES).await?;
    let payee = call.read::<PayeePath>();
    let account_id = call.account_id();
    let account = call.account(account_id).await?;
    app.merchants.active_profile(&account).await?;
    let found = app.merchants.payees.find(&account.id, expect_valid(payee)?.id).await?;
    ok(&PayeeView::from(&found.ok_or_else(|| Problem::absent(PAYEE.0, PAYEE.1))?))
}
