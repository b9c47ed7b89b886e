//! `GET /v2/accounts/{accountId}`

use super::common::{AccountIncludeParameter, AccountPath, READ};
use crate::call::Call;
use crate::problem::{Problem, expect_valid};
use crate::reply::ok;
use crate::routes::error_sets::ReadErrors;
use crate::state::App;
use crate::views::AccountView;
use actix_web::{HttpRequest, HttpResponse, web};

/// Returns an account.
#[utoipa::path(get, path = "/v2/accounts/{accountId}", tag = "Accounts", operation_id = "getAccount",
    security(("apiKey" = [READ.scope])),
    params(AccountPath, AccountIncludeParameter),
    responses((status = 200, description = "The account.", body = AccountView), ReadErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &READ).await?;
    let path = call.read::<AccountPath>();
    let include = call.read::<AccountIncludeParameter>();
    let account = call.path_account(path.map(|path| path.id), "account").await?;
    let parts = expect_valid(include)?.parts();
    let found = app.management.accounts.profile(&account.id).await?;
    ok(&AccountView::new(found.ok_or_else(|| Problem::absent("path.accountId", "account"))?, parts))
}
