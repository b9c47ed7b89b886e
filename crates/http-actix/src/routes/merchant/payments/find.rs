//! `GET /v2/merchant/payments/{paymentId}`

use super::common::{PAYMENT, PaymentPath};
use crate::call::Call;
use crate::declare::AccountParameter;
use crate::problem::{Problem, expect_valid};
use crate::reply::ok;
use crate::routes::error_sets::ReadErrors;
use crate::routes::merchant::common::READ_PAYMENTS;
use crate::state::App;
use crate::views::MerchantPaymentView;
use actix_web::{HttpRequest, HttpResponse, web};
use florin_application::find_merchant_payment;
use florin_domain::checkout::ListedPayment;

/// Returns a payment or refund.
#[utoipa::path(get, path = "/v2/merchant/payments/{paymentId}", tag = "Merchant", operation_id = "getMerchantPayment",
    security(("apiKey" = [READ_PAYMENTS.scope])),
    params(PaymentPath, AccountParameter),
    responses((status = 200, description = "The payment.", body = MerchantPaymentView<'static>), ReadErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &READ_PAYMENTS).await?;
    let path = call.read::<PaymentPath>();
    let account_id = call.account_id();
    let account = call.account(account_id).await?;
    app.merchants.active_profile(&account).await?;
    let found = find_merchant_payment(&app.checkouts, &account, expect_valid(path)?.id).await?;
    let found = found.ok_or_else(|| Problem::absent(PAYMENT.0, PAYMENT.1))?;
    ok(&MerchantPaymentView::from(&ListedPayment::from(found)))
}
