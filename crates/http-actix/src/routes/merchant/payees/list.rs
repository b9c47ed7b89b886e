//! `GET /v2/merchant/payees`

use super::common::READ_PAYEES;
use crate::call::Call;
use crate::declare::{AccountParameter, PageParameters, parameters};
use crate::problem::{Problem, expect_valid};
use crate::reply::ok_list;
use crate::routes::error_sets::ListErrors;
use crate::state::App;
use crate::views::{List, PayeeView};
use actix_web::{HttpRequest, HttpResponse, web};
use florin_domain::merchant::{ApprovalStatus, MerchantCurrency, PayeeFilter};

parameters! {
    /// Filters of the list of payees.
    pub(crate) struct PayeeParameters in Query {
        /// Only payees of this currency: `GBP` or `EUR`.
        "currencyCode" => currency: Option<MerchantCurrency>,
        /// Only payees with this approval status.
        "approvalStatus" => approval: Option<ApprovalStatus>,
    }
}

/// Lists the account's payees, newest first.
#[utoipa::path(get, path = "/v2/merchant/payees", tag = "Merchant", operation_id = "listPayees",
    security(("apiKey" = [READ_PAYEES.scope])),
    params(AccountParameter, PageParameters, PayeeParameters),
    responses((status = 200, description = "One page of payees.", body = List<PayeeView>), ListErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &READ_PAYEES).await?;
    let account_id = call.account_id();
    let page = call.page();
    let filter = call.read::<PayeeParameters>();
    let account = call.account(account_id).await?;
    app.merchants.active_profile(&account).await?;
    let PayeeParameters { currency, approval } = expect_valid(filter)?;
    let found = app.merchants.payees.list(&account.id, PayeeFilter { currency, approval }, page).await?;
    ok_list(&List::new(page, found, |payee| PayeeView::from(&payee)))
}
