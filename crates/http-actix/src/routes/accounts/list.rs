//! `GET /v2/accounts`

use super::common::{AccountIncludeParameter, READ};
use crate::call::Call;
use crate::declare::PageParameters;
use crate::problem::{Problem, expect_valid};
use crate::reply::ok_list;
use crate::routes::error_sets::ClientListErrors;
use crate::state::App;
use crate::views::{AccountView, List};
use actix_web::{HttpRequest, HttpResponse, web};

/// Lists the accounts that the API key can access, ordered by id. In the sandbox, they include worlds.
#[utoipa::path(get, path = "/v2/accounts", tag = "Accounts", operation_id = "listAccounts",
    security(("apiKey" = [READ.scope])),
    params(PageParameters, AccountIncludeParameter),
    responses((status = 200, description = "One page of accounts.", body = List<AccountView>), ClientListErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &READ).await?;
    let page = call.page();
    let include = call.read::<AccountIncludeParameter>();
    call.finish_reading()?;
    let parts = expect_valid(include)?.parts();
    let found = app.management.accounts.profiles(&call.caller.key, page).await?;
    ok_list(&List::new(page, found, |profile| AccountView::new(profile, parts)))
}
