//! `GET /v2/merchant/checkouts/{checkoutId}`

use super::common::{CHECKOUT, CheckoutPath, READ_CHECKOUTS};
use crate::call::Call;
use crate::declare::AccountParameter;
use crate::problem::{Problem, expect_valid};
use crate::reply::ok;
use crate::routes::error_sets::ReadErrors;
use crate::state::App;
use crate::views::CheckoutView;
use actix_web::{HttpRequest, HttpResponse, web};

/// Returns a checkout.
#[utoipa::path(get, path = "/v2/merchant/checkouts/{checkoutId}", tag = "Merchant", operation_id = "getCheckout",
    security(("apiKey" = [READ_CHECKOUTS.scope])),
    params(CheckoutPath, AccountParameter),
    responses((status = 200, description = "The checkout.", body = CheckoutView), ReadErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &READ_CHECKOUTS).await?;
    let checkout = call.read::<CheckoutPath>();
    let account_id = call.account_id();
    let account = call.account(account_id).await?;
    app.merchants.active_profile(&account).await?;
    let found = app.merchants.checkouts.find(&account.id, expect_valid(checkout)?.id).await?;
    ok(&CheckoutView::from(found.ok_or_else(|| Problem::absent(CHECKOUT.0, CHECKOUT.1))?))
}
