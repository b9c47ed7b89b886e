//! `GET /v2/merchant/refunds/{refundId}`

use super::common::{REFUND, RefundPath};
use crate::call::Call;
use crate::declare::AccountParameter;
use crate::problem::{Problem, expect_valid};
use crate::reply::ok;
use crate::routes::error_sets::ReadErrors;
use crate::routes::merchant::common::READ_REFUNDS;
use crate::state::App;
use crate::views::RefundView;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::find_merchant_refund;

/// Returns a refund.
#[utoipa::path(get, path = "/v2/merchant/refunds/{refundId}", tag = "Merchant", operation_id = "getMerchantRefund",
    security(("apiKey" = [READ_REFUNDS.scope])),
    params(RefundPath, AccountParameter),
    responses((status = 200, description = "The refund.", body = RefundView<'static>), ReadErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &READ_REFUNDS).await?;
    let path = call.read::<RefundPath>();
    let account_id = call.account_id();
    let account = call.account(account_id).await?;
    app.merchants.active_profile(&account).await?;
    let found = find_merchant_refund(&app.checkouts, &account, expect_valid(path)?.id).await?;
    let view = found.as_ref().and_then(|refund| RefundView::of(refund, None));
    ok(&view.ok_or_else(|| Problem::absent(REFUND.0, REFUND.1))?)
}
