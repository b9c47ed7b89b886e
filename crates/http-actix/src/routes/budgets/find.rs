//! `GET /v2/budgets/{budgetId}` (contract 5.6)

use super::common::{BUDGET, BudgetPath, IncludeParameter, READ};
use crate::call::Call;
use crate::declare::AccountParameter;
use crate::problem::{Problem, expect_valid};
use crate::reply::ok;
use crate::routes::error_sets::ReadErrors;
use crate::state::App;
use crate::views::BudgetView;
use actix_web::{HttpRequest, HttpResponse, web};

/// Returns a budget.
#[utoipa::path(get, path = "/v2/budgets/{budgetId}", tag = "Budgets", operation_id = "getBudget",
    security(("apiKey" = [READ.scope])),
    params(BudgetPath, AccountParameter, IncludeParameter),
    responses((status = 200, description = "The budget.", body = BudgetView), ReadErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &READ).await?;
    let budget = call.read::<BudgetPath>();
    let include = call.read::<IncludeParameter>();
    let account_id = call.account_id();
    let account = call.account(account_id).await?;
    let (budget, parts) = (expect_valid(budget)?.id, expect_valid(include)?.parts());
    let budgets = &app.management.budgets;
    let view = if parts.any() {
        let found = budgets.find_with_funds(&account.id, budget).await?;
        found.map(|overview| BudgetView::with(overview, parts))
    } else {
        budgets.find(&account.id, budget).await?.map(BudgetView::new)
    };
    ok(&view.ok_or_else(|| Problem::absent(BUDGET, "budget"))?)
}
