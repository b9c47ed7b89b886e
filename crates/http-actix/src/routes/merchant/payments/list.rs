//! `GET /v2/merchant/payments`

use super::common::PaymentParameters;
use crate::call::Call;
use crate::declare::{AccountParameter, PageParameters};
use crate::problem::{Problem, expect_valid};
use crate::reply::ok_list;
use crate::routes::error_sets::ListErrors;
use crate::routes::merchant::common::READ_PAYMENTS;
use crate::state::App;
use crate::views::{List, MerchantPaymentView};
use actix_web::{HttpRequest, HttpResponse, web};
use florin_domain::page::Page;

/// Lists the account's payments and refunds, newest first unless `sort` says otherwise.
#[utoipa::path(get, path = "/v2/merchant/payments", tag = "Merchant", operation_id = "listMerchantPayments",
    security(("apiKey" = [READ_PAYMENTS.scope])),
    params(AccountParameter, PageParameters, PaymentParameters),
    responses((status = 200, description = "One page of payments.", body = List<MerchantPaymentView<'static>>),
        ListErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &READ_PAYMENTS).await?;
    let account_id = call.account_id();
    let page = call.page();
    let parameters = call.read::<PaymentParameters>();
    let account = call.account(account_id).await?;
    app.merchants.active_profile(&account).await?;
    let (filter, sort) = expect_valid(parameters)?.into_parts();
    let Page { count, rows } = app.checkouts.payments.list(&account.id, filter, sort, page).await?;
    ok_list(&List::new(page, Page { count, rows: rows.iter().collect() }, MerchantPaymentView::from))
}
