//! `GET /v2/budgets/{budgetId}` (contract 5.6)

use super::common::{BUDGET, BudgetPath, IncludeParameter, READ};
use crate::call::Call;
use crate::declare::AccountParameter;
use crate::problem::{Problem, read};
use crate::reply::ok;
use crate::routes::error_sets::ReadErrors;
use crate::state::App;
use crate::views::BudgetView;
use actix_web::{HttpRequest, HttpResponse, web};

/// Returns a budget.
#[utoipa::path(get, path = "/v2/budgets/{budgetId}", tag = "Budgets", operation_id = "getBudget",
    params(BudgetPath, AccountParameter, IncludeParameter),
    responses((status = 200, description = "The budget.", body = BudgetView), ReadErrors))]
pub(crate) async fn handle(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let mut call = Call::enter(&app, &request, &READ).await?;
    let budget = call.read::<BudgetPath>();
    let include = call.read::<IncludeParameter>();
    let account_id = call.account_id();
    let account = call.account(account_id).await?;
    let found = app.management.budgets.find(&account.id, read(budget)?.id).await?;
    let record = found.ok_or_else(|| Problem::absent(BUDGET, "budget"))?;
    ok(&BudgetView::new(record, read(include)?.balances.is_some()))
}
