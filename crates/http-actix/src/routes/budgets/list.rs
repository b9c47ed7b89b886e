//! `GET /v2/budgets` (contract 5.6)

use super::common::{IncludeParameter, READ};
use crate::call::Call;
use crate::declare::{AccountParameter, PageParameters, parameters};
use crate::problem::{Problem, expect_valid};
use crate::reply::ok_list;
use crate::routes::error_sets::ListErrors;
use crate::state::App;
use crate::views::{BudgetView, List};
use actix_web::{HttpRequest, HttpResponse, web};
use florin_domain::budget::BudgetFilter;
use florin_domain::ids::BudgetId;
use florin_domain::money::Currency;

parameters! {
    /// Filters of the list of budgets.
    pub(crate) struct BudgetParameters in Query {
        /// Only the budgets directly below this budget. Florin extension.
        "parentId" => parent: Option<BudgetId>,
        /// Only budgets that hold this currency. Florin extension.
        "currencyCode" => currency: Option<Currency>,
    }
}

/// Lists the account's budgets, ordered by name, then by id. They include the parent budget of the account.
#[utoipa::path(get, path = "/v2/budgets", tag = "Budgets", operation_id = "listBudgets",
    security(("apiKey" = [READ.scope])),
    params(AccountParameter, PageParameters, BudgetParameters, IncludeParameter),
    responses((status = 200, description = "One page of budgets.", body = List<BudgetView>), ListErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &READ).await?;
    let account_id = call.account_id();
    let page = call.page();
    let filter = call.read::<BudgetParameters>();
    let include = call.read::<IncludeParameter>();
    let account = call.account(account_id).await?;
    let BudgetParameters { parent, currency } = expect_valid(filter)?;
    let (filter, parts) = (BudgetFilter { parent, currency }, expect_valid(include)?.parts());
    let budgets = &app.management.budgets;
    if parts.any() {
        let found = budgets.list_with_funds(&account.id, filter, page).await?;
        return ok_list(&List::new(page, found, |overview| BudgetView::with(overview, parts)));
    }
    ok_list(&List::new(page, budgets.list(&account.id, filter, page).await?, BudgetView::new))
}
