//! `GET /v2/merchant`

use super::common::{READ_PROFILE, merchant_view};
use crate::call::Call;
use crate::declare::{AccountParameter, named, parameters};
use crate::problem::{Problem, expect_valid};
use crate::reply::ok;
use crate::routes::error_sets::ReadErrors;
use crate::state::App;
use crate::views::MerchantView;
use actix_web::{HttpRequest, HttpResponse, web};

/// An optional part of the response.
#[derive(Clone, Copy)]
pub(crate) enum Include {
    /// The sums of payments and refunds, by currency.
    PaymentsSummary,
}

named! {
    Include: [Include::PaymentsSummary], |Include::PaymentsSummary| "paymentsSummary";
}

parameters! {
    /// The optional parts of the response.
    pub(crate) struct MerchantParameters in Query {
        /// `paymentsSummary` adds the sums of payments and refunds, by currency.
        "include" => include: Vec<Include>,
    }
}

/// Returns the merchant profile of the account.
#[utoipa::path(get, path = "/v2/merchant", tag = "Merchant", operation_id = "getMerchant",
    security(("apiKey" = [READ_PROFILE.scope])),
    params(AccountParameter, MerchantParameters),
    responses((status = 200, description = "The merchant.", body = MerchantView), ReadErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &READ_PROFILE).await?;
    let account_id = call.account_id();
    let parameters = call.read::<MerchantParameters>();
    let account = call.account(account_id).await?;
    let profile = app.merchants.active_profile(&account).await?;
    let view = merchant_view(&app.checkouts, &profile);
    if expect_valid(parameters)?.include.is_empty() {
        return ok(&view);
    }
    ok(&view.with_payments_summary(&app.checkouts.payments.summary(&account.id).await?))
}
