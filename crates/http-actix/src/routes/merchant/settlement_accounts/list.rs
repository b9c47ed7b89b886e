//! `GET /v2/merchant/settlement-accounts`

use super::common::READ_SETTLEMENT_ACCOUNTS;
use crate::call::Call;
use crate::declare::{AccountParameter, PageParameters};
use crate::problem::Problem;
use crate::reply::ok_list;
use crate::routes::error_sets::ListErrors;
use crate::state::App;
use crate::views::{List, SettlementAccountView};
use actix_web::{HttpRequest, HttpResponse, web};

/// Lists the account's settlement accounts, newest first.
#[utoipa::path(get, path = "/v2/merchant/settlement-accounts", tag = "Merchant",
    operation_id = "listSettlementAccounts",
    security(("apiKey" = [READ_SETTLEMENT_ACCOUNTS.scope])),
    params(AccountParameter, PageParameters),
    responses((status = 200, description = "One page of settlement accounts.", body = List<SettlementAccountView>),
        ListErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &READ_SETTLEMENT_ACCOUNTS).await?;
    let account_id = call.account_id();
    let page = call.page();
    let account = call.account(account_id).await?;
    app.merchants.active_profile(&account).await?;
    let found = app.merchants.settlement_accounts.list(&account.id, page).await?;
    ok_list(&List::new(page, found, |overview| SettlementAccountView::from(&overview)))
}
