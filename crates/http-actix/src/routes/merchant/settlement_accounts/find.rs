//! `GET /v2/merchant/settlement-accounts/{settlementAccountId}`

use super::common::{READ_SETTLEMENT_ACCOUNTS, SETTLEMENT_ACCOUNT, SettlementAccountPath};
use crate::call::Call;
use crate::declare::AccountParameter;
use crate::problem::{Problem, expect_valid};
use crate::reply::ok;
use crate::routes::error_sets::ReadErrors;
use crate::state::App;
use crate::views::SettlementAccountView;
use actix_web::{HttpRequest, HttpResponse, web};

/// Returns a settlement account.
#[utoipa::path(get, path = "/v2/merchant/settlement-accounts/{settlementAccountId}", tag = "Merchant",
    operation_id = "getSettlementAccount",
    security(("apiKey" = [READ_SETTLEMENT_ACCOUNTS.scope])),
    params(SettlementAccountPath, AccountParameter),
    responses((status = 200, description = "The settlement account.", body = SettlementAccountView), ReadErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &READ_SETTLEMENT_ACCOUNTS).await?;
    let path = call.read::<SettlementAccountPath>();
    let account_id = call.account_id();
    let account = call.account(account_id).await?;
    app.merchants.active_profile(&account).await?;
    let found = app.merchants.settlement_accounts.find(&account.id, expect_valid(path)?.id).await?;
    let (path, what) = SETTLEMENT_ACCOUNT;
    ok(&SettlementAccountView::from(&found.ok_or_else(|| Problem::absent(path, what))?))
}
