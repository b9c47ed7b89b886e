//! `GET /v2/merchant/orders/{orderId}`

use super::common::READ_ORDERS;
use crate::call::Call;
use crate::declare::{AccountParameter, parameters};
use crate::problem::{Problem, expect_valid};
use crate::reply::ok;
use crate::routes::error_sets::ReadErrors;
use crate::state::App;
use crate::views::OrderView;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_domain::ids::MerchantOrderId;

parameters! {
    /// Path parameter: an order.
    pub(crate) struct OrderPath in Path {
        /// The id of the order.
        "orderId" => id: MerchantOrderId,
    }
}

/// Returns the order of a completed SHOPPING session.
#[utoipa::path(get, path = "/v2/merchant/orders/{orderId}", tag = "Merchant", operation_id = "getOrder",
    security(("apiKey" = [READ_ORDERS.scope])),
    params(OrderPath, AccountParameter),
    responses((status = 200, description = "The order.", body = OrderView<'static>), ReadErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &READ_ORDERS).await?;
    let path = call.read::<OrderPath>();
    let account_id = call.account_id();
    let account = call.account(account_id).await?;
    app.merchants.active_profile(&account).await?;
    let found = app.checkouts.sessions.with_order(&account.id, expect_valid(path)?.id).await?;
    let view = found.as_ref().and_then(OrderView::of);
    ok(&view.ok_or_else(|| Problem::absent("path.orderId", "order"))?)
}
